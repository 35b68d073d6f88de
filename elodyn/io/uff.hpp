// Universal files (UFF, UNV) of vibration tests ⇄ MeasuredData. Blocks between lines of -1, each of one dataset:
//   151   header, written and passed over        164   units: a value in SI is the file's one divided by the factors
//   15, 2411   nodes                              82    lines between them
//   55    modes (normal, or complex)              58    functions, as text or (58b) as binary numbers
// A function of 58 is a history (type 1), an FRF (4) or its coherence (6); its numbers are real or complex, single or
// double, its abscissa even or uneven. The unit of an axis is what its label says, where that is one of its quantity;
// else it follows from dataset 164 and the exponents of length and force. Frequencies are in Hz.
// Points whose name is no number go by the entity names of a function, up to ten letters, and by an identification line
// of dataset 55. Other datasets and other functions are passed over with a warning.
// Layout: the University of Cincinnati's publication of SDRC's description [UffDatasets].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "elodyn/base/error.hpp"
#include "elodyn/results/record.hpp"

namespace elodyn {

// Nothing if there are mistakes, each at its line and column.
std::optional<MeasuredData> read_uff(const std::string& file_name, std::string_view text, Diagnostics& diagnostics);

struct UffFormat {
  enum class Numbers { text, little_endian, big_endian };
  Numbers numbers = Numbers::text;
  bool is_double = true;
  bool nodes_2411 = true;  // else dataset 15
};
// Throws InputError for what the format has no place for: a name of a point that is too long.
std::string to_uff(const MeasuredData& data, const UffFormat& format = {});

}  // namespace elodyn
