// Largest displacements, section forces and stresses of a body that moves and vibrates, with place and time: section
// forces (system/recovery.hpp) with the inertia of the vibration and its Coriolis force as loads; stresses of areas at
// their nodes (system/surface_recovery.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/results/results.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

struct Peak {
  double value = 0, time = 0;
  std::string where;
};
struct Peaks {
  Peak displacement, N, T, M, stress, mises;  // stress: normal to sections; mises: of areas
};

// Σ of components along the axes of a basis.
Vec3 sum_axes(const std::vector<Vec3>& axes, const VectorX& values);

class PeakFinder {
 public:
  // `stations`: places per element where section forces are looked for. The system must live longer.
  PeakFinder(const BodySystem& system, int stations);
  // Of all dofs at one time. Returns the largest stress then, if there is any.
  std::optional<double> add(double t, const FactorValues& at, const VectorX& q, const VectorX& q_rate,
                            const VectorX& q_second);
  const Peaks& peaks() const { return peaks_; }

 private:
  const BodySystem& system_;
  int stations_;
  bool has_areas_ = false;
  Peaks peaks_;
};

Table make_peak_table(const std::string& name, const std::string& title, const std::vector<std::string>& bodies,
                      const std::vector<Peaks>& peaks);

}  // namespace elodyn
