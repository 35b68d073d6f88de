#include "elodyn/system/harmonic_load.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "elodyn/base/error.hpp"
#include "elodyn/system/assembly.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
using Vec3c = Eigen::Vector3cd;
constexpr Complex kI{0, 1};
constexpr double kTiny = 1e-15;  // cos and sin of quarter turns

// sin 180° and its like are 0.
double clean(double x) { return std::abs(x) < kTiny ? 0 : x; }
Complex phasor(double phase) { return {clean(std::cos(phase)), clean(std::sin(phase))}; }

bool acts_on_body(const HarmonicLoad& load) { return load.at.has_value() || load.on.has_value(); }

Load scaled(const Load& load, double factor) {
  Load out = load;
  for (Vec3 Load::*v :
       {&Load::force, &Load::moment, &Load::force_per_length, &Load::force_per_area, &Load::moment_per_length})
    out.*v *= factor;
  return out;
}

// a × b with a real vector; Eigen's does not mix.
Vec3c cross(const Vec3& a, const Vec3c& b) { return a.cross(Vec3(b.real())) + kI * a.cross(Vec3(b.imag())); }

// Loads of the equation in q that these loads and a base with these directions have.
std::vector<LoadTerm> assemble_loads(const BodySystem& s, std::vector<Load> loads, const MotionBasis& basis) {
  Model model = *s.model;
  Body body = *s.body;
  body.loads = std::move(loads);
  BodySystem parts = make_parts(model, body);
  parts.basis = basis;
  return add_up(parts, number_by_index(parts.mesh)).loads;
}

}  // namespace

HarmonicForce::HarmonicForce(const BodySystem& s, const std::vector<HarmonicLoad>& loads)
    : loads_(loads), origin_(s.basis.origin) {
  ELODYN_REQUIRE(s.body->motion.is_steady());
  const Motion& motion = s.body->motion;
  if (motion.kind == Motion::Kind::spin) spin_ = motion.speed * motion.axis.normalized();
  gravity_ = calc_R_WB(*s.body).transpose() * s.model->gravity;

  std::vector<Load> cosine, sine;
  for (const HarmonicLoad& load : loads) {
    if (!acts_on_body(load)) continue;
    const Complex c = phasor(load.phase);
    if (c.real() != 0) cosine.push_back(scaled(load, c.real()));
    if (c.imag() != 0) sine.push_back(scaled(load, c.imag()));
  }
  has_cosine_ = !cosine.empty();
  has_sine_ = !sine.empty();

  MotionBasis basis;
  basis.origin = origin_;
  if (moves_base()) {
    const bool planar = s.body->moves_in_plane();
    accelerations_ = planar ? std::vector<int>{0, 1} : std::vector<int>{0, 1, 2};
    const bool turns = std::any_of(loads.begin(), loads.end(), [](const HarmonicLoad& load) {
      return !load.base_rotation.isZero(0) || !load.base_angular_acceleration.isZero(0);
    });
    if (turns) axes_ = planar ? std::vector<int>{2} : std::vector<int>{0, 1, 2};
    for (const int k : accelerations_) basis.accelerations.emplace_back(Vec3::Unit(k));
    for (const int k : axes_) basis.axes.emplace_back(Vec3::Unit(k));
    pairs_ = basis.pairs();
  }
  const std::vector<LoadTerm> terms = assemble_loads(s, cosine, basis);
  const auto n_columns = static_cast<Eigen::Index>(terms.size()) + (has_sine_ ? 1 : 0);
  F_.resize(s.mesh.n_dofs(), n_columns);
  // In the order of calc_factors(): A, B, H, then the loads.
  Eigen::Index column = 0;
  const Terms& on = s.model->terms;
  const auto put = [&](TermKind kind, bool is_on) {
    for (const LoadTerm& term : terms)
      if (term.kind == kind) F_.col(column++) = (is_on ? term.coefficient : 0) * term.values;
  };
  put(TermKind::origin_load, on.origin_load);
  put(TermKind::euler_load, on.euler);
  put(TermKind::centrifugal_load, on.centrifugal_load);
  put(TermKind::applied_load, true);
  if (has_sine_) F_.col(column++) = assemble_loads(s, sine, {}).back().values;
  ELODYN_REQUIRE(column == n_columns);
}

bool HarmonicForce::moves_base() const {
  return std::any_of(loads_.begin(), loads_.end(), [](const HarmonicLoad& load) { return load.moves_base(); });
}

Eigen::VectorXcd HarmonicForce::calc_factors(double omega) const {
  Vec3c a = Vec3c::Zero(), dw = Vec3c::Zero(), e = Vec3c::Zero();
  const Complex s = kI * omega;
  for (const HarmonicLoad& load : loads_) {
    const Complex c = phasor(load.phase);
    const Vec3c X = c * load.base_displacement.cast<Complex>(), theta = c * load.base_rotation.cast<Complex>();
    a += s * s * X + 2.0 * s * cross(spin_, X) + cross(spin_, cross(spin_, X)) - cross(gravity_, theta);
    a += c * load.base_acceleration.cast<Complex>();
    const Vec3c rate = s * theta + cross(spin_, theta);
    dw += rate;
    e += s * rate;
    const Vec3c given = c * load.base_angular_acceleration.cast<Complex>();
    e += given;
    if (omega > 0) dw += given / s;
  }
  std::vector<Complex> p;
  for (const int k : accelerations_) p.push_back(a[k]);
  for (const int k : axes_) p.push_back(e[k]);
  for (const auto& [i, j] : pairs_) {
    const int k = axes_[static_cast<size_t>(i)], l = axes_[static_cast<size_t>(j)];
    p.push_back(k == l ? 2 * spin_[k] * dw[k] : spin_[k] * dw[l] + dw[k] * spin_[l]);
  }
  if (has_cosine_) p.emplace_back(1);
  if (has_sine_) p.push_back(kI);
  return Eigen::Map<const Eigen::VectorXcd>(p.data(), static_cast<Eigen::Index>(p.size()));
}

HarmonicForce::Base HarmonicForce::calc_base(double omega) const {
  Base base{Vec3c::Zero(), Vec3c::Zero()};
  const double square = -omega * omega;
  for (const HarmonicLoad& load : loads_) {
    const Complex c = phasor(load.phase);
    base.displacement += c * load.base_displacement.cast<Complex>();
    base.rotation += c * load.base_rotation.cast<Complex>();
    if (omega == 0) continue;
    base.displacement += c / square * load.base_acceleration.cast<Complex>();
    base.rotation += c / square * load.base_angular_acceleration.cast<Complex>();
  }
  return base;
}

}  // namespace elodyn
