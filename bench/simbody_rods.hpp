// Rods on pins in Simbody, behind plain types: its headers are C++17 and no later.
#pragma once

#include <string>
#include <vector>

namespace elodyn::bench {

// Uniform, 1 kg/m, on a pin at `at` along its parent, or along x of the ground.
struct PinnedRod {
  int parent = -1;  // −1: the ground
  double at = 0, length = 1;
  double angle = 0, rate = 0;  // against the parent, at the start
};
// The ends of two rods on one pin.
struct ClosedLoop {
  int a = 0, b = 0;
};
struct PinnedRods {
  std::vector<PinnedRod> rods;
  std::vector<ClosedLoop> loops;
  double gravity = 9.81;
};

enum class SimbodyMethod { merson, feldberg };
struct SimbodyRun {
  double x = 0, y = 0;  // the end of the first rod, at the end
  double seconds = 0;
  long steps = 0, rejected = 0;
  std::string failure;
};
SimbodyRun run_simbody(const PinnedRods& what, SimbodyMethod method, double accuracy, double end);

}  // namespace elodyn::bench
