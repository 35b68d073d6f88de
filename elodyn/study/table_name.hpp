// Names of tables after what people call their records: letters, digits and _; a minus is said.
#pragma once

#include <string>

namespace elodyn {

// "frf", "a 3:+z / force 1:-z" → "frf_a_3_z_force_1_neg_z"
inline std::string table_name(const std::string& kind, const std::string& name) {
  std::string out = kind;
  bool is_gap = true;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_kept = byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c == '-') out += "_neg";
    is_gap = is_gap || !is_kept;
    if (!is_kept) continue;
    if (is_gap) out += '_';
    is_gap = false;
    out += c;
  }
  return out;
}

}  // namespace elodyn
