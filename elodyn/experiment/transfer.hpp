// Frequency response functions with coherence, from records of an excitation f and a response x. With the transforms F
// and X of the blocks and Σ over the blocks [BendatPiersol2010, ch. 6]:
//   H1 = Σ F* X / Σ |F|²    noise of f makes it too small:  H (1 − noise share of f)
//   H2 = Σ |X|² / Σ X* F    noise of x makes it too large:  H (1 + noise share of x)
//   γ² = |Σ F* X|² / (Σ |F|² Σ |X|²) = H1/H2                                        (1: linear and without noise)
// Blows of a hammer: each makes a block that begins shortly before it. Two windows may be laid over a block, t from the
// blow on:
//   of the force      1 until the pulse is over, then 0: what follows is noise
//   exponential       e^(−αt) on force and response. The transforms are then those at s = iω + α, so that every pole
//                     moves by −α exactly: a mode of decay σ is seen with σ + α, and α is taken off again.
// Flagged: a second blow in a block; values at the end of the range, or, where no range is known, three or more equal
// values in a row at the largest of a record. Flagged blocks are left out unless asked for.
#pragma once

#include <string>
#include <vector>

#include "elodyn/experiment/spectrum.hpp"
#include "elodyn/results/record.hpp"

namespace elodyn {

enum class FrfEstimate { h1, h2 };

struct HammerOptions {
  double trigger = 0.1;       // of the largest force of the record, where a blow begins
  double second_blow = 0.05;  // of the blow's largest force: what another peak needs to be one
  double before = 0;          // s, of a block before the trigger
  double length = 0;          // s, of a block; 0: to the next blow, or the end, at least
  double force_window = 0;    // s from the trigger; 0: none
  double decay = 0;           // α, 1/s; 0: none
  double force_range = 0;     // N; 0: not known
  double response_range = 0;  // in the unit of the response; 0: not known
  bool keep_flagged = false;
  FrfEstimate estimate = FrfEstimate::h1;
};

// Records that were taken together: their excitation and the responses to it, in equal steps.
struct TransferRecord {
  const Signal* force = nullptr;
  std::vector<const Signal*> responses;
};
// In the order of the file each force opens a record; what follows until the next one are its responses. Tachometers
// and other records without the dimension of a response are left out. What does not fit together is said in `problems`.
std::vector<TransferRecord> find_transfer_records(const std::vector<Signal>& signals,
                                                  std::vector<std::string>& problems);

struct Blow {
  std::string record;  // name of its force
  int number = 0;      // in that record, from 1
  double time = 0;     // s, of the trigger
  double peak = 0;     // N
  double width = 0;    // s, over the trigger level
  std::string flags;   // "double hit at 1.23 s, overload of `a1` at 1.20 s"; empty: none
  bool is_used = true;
};

struct TransferResult {
  std::vector<FrfRecord> frfs;
  std::vector<Blow> blows;
  std::vector<int> n_averages;  // of each
};

// Of blows; those of several records with the same force dof and response dof are averaged together. Throws
// NumericalError if nothing can be used.
TransferResult calc_hammer_frfs(const std::vector<TransferRecord>& records, const HammerOptions& options);

// Of an excitation that goes on, by Welch's blocks.
TransferResult calc_continuous_frfs(const std::vector<TransferRecord>& records, const SpectrumOptions& options,
                                    FrfEstimate estimate);

}  // namespace elodyn
