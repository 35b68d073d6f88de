// Any bytes as a universal file or as a table of histories: no crash, no hang, no leak; either data or errors, and data
// that written and read again is the same the second time.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "elodyn/io/measured_file.hpp"

namespace {

void require(bool good, const char* what, const std::string& more = {}) {
  if (good) return;
  std::cerr << "violated: " << what << "\n" << more << "\n";
  std::abort();
}

// Text, or nothing where the format has no place for a name or a gap.
std::string write(const elodyn::MeasuredData& data) {
  try {
    return elodyn::to_uff(data, {elodyn::UffFormat::Numbers::big_endian, true, true});
  } catch (const elodyn::InputError&) {
    return {};
  }
}

void check(const char* name, const std::string& text) {
  elodyn::Diagnostics diagnostics;
  const auto data = elodyn::read_measured(name, text, diagnostics);
  require((data == nullptr) == (diagnostics.n_errors() > 0), "data or errors");
  if (!data) return require(!diagnostics.format_all(elodyn::Severity::error).empty(), "errors can be shown");
  for (const elodyn::Signal& signal : data->signals) {
    require(!signal.values.empty(), "histories have values");
    require(signal.is_even() || signal.times.size() == signal.values.size(), "times of values");
  }
  for (const elodyn::FrfRecord& frf : data->frfs)
    require(frf.values.size() == frf.frequencies.size(), "frequencies of values");
  for (const elodyn::MeasuredMode& mode : data->modes)
    require(static_cast<size_t>(mode.shape.size()) == mode.dofs.size(), "dofs of a shape");
  const std::string once = write(*data);
  if (once.empty()) return;
  elodyn::Diagnostics of_second;
  const auto second = elodyn::read_uff("again", once, of_second);
  // Numbers that a double holds and the format does not: what is larger than 1e99, or a step that vanishes.
  if (!second) return;
  require(second->signals.size() == data->signals.size(), "histories are kept");
  require(second->frfs.size() == data->frfs.size(), "FRFs are kept");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check("fuzz.uff", text);
  check("fuzz.csv", text);
  return 0;
}
