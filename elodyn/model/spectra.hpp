// What [analysis.spectra] asks for: Fourier spectra of records that were measured, over the time, the speed and the
// order of a shaft, and FRFs of a hammer or a shaker. Filled by the reader, trusted after validate().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/window.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

struct MeasuredData;  // results/record.hpp

// How the angle of a shaft is known: a record of its speed, of its angle, or of the pulses of a tachometer.
struct ShaftRecord {
  Located<std::string> record;
  double pulses = 1;            // per turn; of a tachometer
  std::optional<double> level;  // where a pulse begins, SI; absent: halfway between least and largest
  Marks marks;
};

struct WaterfallRequest {
  enum class Over { time, speed };
  Over over = Over::time;
  std::optional<double> time_step;   // s; over time; absent: 50 of the record
  std::optional<double> speed_step;  // rad/s; over speed; absent: 50 of the record
  Marks marks;
};

struct OrderRequest {
  int per_turn = 64;                 // values; half of it is the highest order
  int turns = 16;                    // of a block: orders are 1/turns apart
  double highest = 0;                // order that is given; 0: all
  std::optional<double> speed_step;  // rad/s: blocks of so near speeds are averaged; absent: each for itself
  Marks marks;
};

struct TransferRequest {
  enum class Kind { hammer, continuous };
  enum class Estimate { h1, h2 };
  Kind kind = Kind::hammer;
  Estimate estimate = Estimate::h1;
  // hammer
  double trigger = 0.1, second_blow = 0.05;
  double before = 0, length = 0, force_window = 0, decay = 0;  // s, s, s, 1/s
  double force_range = 0;                                      // N
  double response_range = 0;                                   // SI
  bool keep_flagged = false;
  Marks marks;
};

struct SpectraRequest {
  static constexpr int kLargestBlock = 1 << 26;
  std::string file;
  std::shared_ptr<const MeasuredData> data;  // read from the file; copies of the model share it
  int block = 4096;                          // values
  double overlap = 0.5;                      // share of a block
  Window window = Window::hann;
  bool keep_mean = false;
  std::optional<ShaftRecord> shaft;
  std::optional<WaterfallRequest> waterfall;
  std::optional<OrderRequest> orders;
  std::optional<TransferRequest> frf;
  Marks marks;
};

}  // namespace elodyn
