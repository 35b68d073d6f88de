// One body after the other: one that fails, or the user who ends the work, leaves what the others gave.
//   EachBody each;
//   for (const BodySystem& s : bodies) each.run([&] { …; rows.push_back(…); });
//   if (!rows.empty()) results.tables.push_back(…);
//   each.rethrow();
#pragma once

#include <string>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"

namespace elodyn {

class EachBody {
 public:
  // After an interruption nothing more is begun.
  template <class Work>
  void run(Work work) {
    if (is_cut_) return;
    try {
      work();
    } catch (const NumericalError& error) {
      failures_ += (failures_.empty() ? "" : "\n") + std::string(error.what());
    } catch (const Interrupted&) {
      is_cut_ = true;
    }
  }

  bool all_done() const { return !is_cut_ && failures_.empty(); }

  // Interrupted, or a NumericalError with a line for each body that failed.
  void rethrow() const {
    if (is_cut_) throw Interrupted();
    if (!failures_.empty()) throw NumericalError(failures_);
  }

 private:
  std::string failures_;
  bool is_cut_ = false;
};

}  // namespace elodyn
