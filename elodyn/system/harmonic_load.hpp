// Harmonic loads of a body, and small harmonic motions of its frame, as complex amplitudes of generalized forces:
//   f(Ω) = F p(Ω),   F constant and real, p complex.
// The frame turns with ω₀ (steady) and is moved besides by X (displacement of its origin) and θ (rotation), components
// in body axes, all times e^{iΩt}. To first order in them, W = ω₀×,
//   δa = [−Ω² + 2iΩW + W²] X + θ × g,   δω = (iΩ + W) θ,   ε = iΩ δω                                      (1)
//   f = −Σ aⱼ Aⱼ − Σ εᵢ Bᵢ − Σ_{i≤j} (ω₀ᵢ δωⱼ + δωᵢ ω₀ⱼ) Hᵢⱼ                                               (2)
// with the load vectors A, B, H of formalism.hpp. Given accelerations are δa and ε themselves.
// Limits: products of the base motion with the body's deflection, the steady one too, are left out; a motion fixed in
// the world across the axis of a spin has components in body axes at Ω ± ω₀, not Ω: give these one by one.
#pragma once

#include "elodyn/system/system.hpp"

namespace elodyn {

class HarmonicForce {
 public:
  HarmonicForce(const BodySystem& system, const std::vector<HarmonicLoad>& loads);

  const MatrixX& columns() const { return F_; }  // in q, before constraints
  Eigen::VectorXcd calc_factors(double omega) const;
  // X and θ of a frame that is at rest but for them.
  struct Base {
    Eigen::Vector3cd displacement, rotation;
  };
  Base calc_base(double omega) const;
  bool moves_base() const;

 private:
  std::vector<HarmonicLoad> loads_;
  bool has_cosine_ = false, has_sine_ = false;  // loads at phase 0 and 90°
  std::vector<int> accelerations_, axes_;       // body axes of the columns A and B
  std::vector<std::pair<int, int>> pairs_;      // and H
  Vec3 spin_ = Vec3::Zero(), gravity_ = Vec3::Zero(), origin_ = Vec3::Zero();
  MatrixX F_;
};

}  // namespace elodyn
