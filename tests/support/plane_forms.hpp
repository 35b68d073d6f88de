// The equation of a plane element in a moving frame in the notation of the papers of docs/theory/published-mistakes.md,
// with a factor for each term, so that an equation can be written as it was printed:
//   m q̈ + 2ω(m₂₁ − m₁₂) q̇ + [ε(m₂₁ − m₁₂) − ω² m] q + a_O1 m_O1 + a_O2 m_O2
//     − ε(m_2,1 − m_1,2) − ω²(m_1,1 + m_2,2) = forces,                                                   (1)
//   m_ij = ∫ρ N_iᵀN_j,  m = m₁₁ + m₂₂,  m_Oj = ∫ρ N_jᵀ,  m_k,j = ∫ρ x_k N_jᵀ.
// Places count from the origin O; ω, ε, v_O, a_O are those of the frame, in its own axes.
#pragma once

#include <cmath>
#include <functional>

#include "tests/support/element_terms.hpp"

#include "elodyn/base/ode.hpp"
#include "elodyn/element/element.hpp"

namespace elodyn::test {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

inline Mat2 quarter_turn() { return (Mat2() << 0, -1, 1, 0).finished(); }

struct PlaneElement {
  Stations stations;
  int n = 0;
  double mass = 0;
  Vec2 centre = Vec2::Zero();
  MatrixX m11, m12, m21, m22;
  VectorX mO1, mO2;                // m_O1, m_O2
  VectorX m1_1, m1_2, m2_1, m2_2;  // m_k,j: the first index is that of the place
  MatrixX K;

  MatrixX m() const { return m11 + m22; }
  MatrixX turned() const { return m21 - m12; }
  // Of the mass centre, from the displacements or their rates.
  Vec2 mean(const VectorX& q) const { return Vec2(mO1.dot(q), mO2.dot(q)) / mass; }
};

inline PlaneElement make_plane_element(const Element& element, const ElementData& data) {
  PlaneElement p;
  element.calc_stations(data, p.stations);
  const int n = p.n = element.n_dofs(data);
  for (MatrixX* m : {&p.m11, &p.m12, &p.m21, &p.m22, &p.K}) m->setZero(n, n);
  for (VectorX* v : {&p.mO1, &p.mO2, &p.m1_1, &p.m1_2, &p.m2_1, &p.m2_2}) v->setZero(n);
  for (const Station& st : p.stations) {
    const double dm = st.weight * st.mass;
    const VectorX N1 = st.N.row(0), N2 = st.N.row(1);
    p.mass += dm;
    p.centre += dm * st.x.head<2>();
    p.m11 += dm * N1 * N1.transpose();
    p.m12 += dm * N1 * N2.transpose();
    p.m21 += dm * N2 * N1.transpose();
    p.m22 += dm * N2 * N2.transpose();
    p.mO1 += dm * N1;
    p.mO2 += dm * N2;
    p.m1_1 += dm * st.x[0] * N1;
    p.m1_2 += dm * st.x[0] * N2;
    p.m2_1 += dm * st.x[1] * N1;
    p.m2_2 += dm * st.x[1] * N2;
    p.K += st.weight * st.B.transpose() * st.stiffness * st.B;
  }
  p.centre /= p.mass;
  return p;
}

struct PlaneMotion {
  double w = 0, e = 0;
  Vec2 v = Vec2::Zero(), a = Vec2::Zero();  // of the origin, in the axes of the frame
};

// Factors of the terms of (1); as they stand here it is right.
struct PlaneForm {
  double mass = 1, coriolis = 2, euler = 1, centrifugal = 1, origin = 1, euler_load = 1, centrifugal_load = 1;
  double origin_velocity = 0;  // of ω(v_O1 m_O2 + v_O2 m_O1) on the left

  // Left-hand side of (1).
  VectorX calc_inertia(const PlaneElement& p, const PlaneMotion& at, const VectorX& q, const VectorX& rate,
                       const VectorX& second) const {
    const double ww = at.w * at.w;
    VectorX f = mass * p.m() * second + coriolis * at.w * p.turned() * rate + euler * at.e * p.turned() * q -
                centrifugal * ww * p.m() * q;
    f += origin * (at.a[0] * p.mO1 + at.a[1] * p.mO2) - euler_load * at.e * (p.m2_1 - p.m1_2) -
         centrifugal_load * ww * (p.m1_1 + p.m2_2);
    return f + origin_velocity * at.w * (at.v[0] * p.mO2 + at.v[1] * p.mO1);
  }
};

// A frame that turns and travels unevenly; `boost` is a constant velocity in the world on top.
struct PlaneFrame {
  Vec2 boost = Vec2::Zero();
  Mat2 R(double t) const {
    const double angle = 2 * t - std::cos(t);
    return (Mat2() << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)).finished();
  }
  Vec2 origin(double t) const { return Vec2(0.4 * std::sin(2 * t), 0.3 * t * t) + t * boost; }
  PlaneMotion at(double t) const {
    const Mat2 back = R(t).transpose();
    return {2 + std::sin(t), std::cos(t), back * (Vec2(0.8 * std::cos(2 * t), 0.6 * t) + boost),
            back * Vec2(-1.6 * std::sin(2 * t), 0.6)};
  }
};

// The coordinates of a field that the element can represent.
inline VectorX fit(const PlaneElement& p, const std::function<Vec2(const Vec2&)>& u) {
  return fit_displacements(p.stations, p.n, [&](const Vec3& x) {
    const Vec2 at = u(x.head<2>());
    return Vec3(at[0], at[1], 0);
  });
}

// Matter that rests in the world at X = C x + c, stretched and sheared at will, seen from the frame:
//   x + u = Rᵀ(X − r_O).  It feels no force. Returned: |left-hand side| relative to its largest part.
inline double force_on_matter_at_rest(const PlaneForm& form, const PlaneElement& p, const PlaneMotion& at) {
  const Mat2 J = quarter_turn(), C = (Mat2() << 1.3, -0.4, 0.7, 0.8).finished();
  const auto place = [&](const Vec2& x) { return Vec2(C * x + Vec2(0.5, -0.2)); };
  const auto rate = [&](const Vec2& x) { return Vec2(-at.w * J * place(x) - at.v); };
  const auto second = [&](const Vec2& x) {
    return Vec2(-at.e * J * place(x) - at.w * J * rate(x) - (at.a - at.w * J * at.v));
  };
  const VectorX q = fit(p, [&](const Vec2&x) { return Vec2(place(x) - x); }), qd = fit(p, rate), qdd = fit(p, second);
  VectorX d = p.m().diagonal().cwiseSqrt().cwiseInverse();
  const VectorX largest = PlaneForm{}.calc_inertia(p, {}, q, qd, qdd);  // m q̈
  return d.cwiseProduct(form.calc_inertia(p, at, q, qd, qdd)).norm() / d.cwiseProduct(largest).norm();
}

// The motion of the free element, q and q̇ at the ends of equal intervals; `stiffness` multiplies K.
inline OdeResult move_freely(const PlaneForm& form, const PlaneElement& p, const PlaneFrame& frame, double stiffness,
                             const VectorX& start) {
  const Eigen::LDLT<MatrixX> M(form.mass * p.m());
  const VectorX zero = VectorX::Zero(p.n);
  const auto f = [&](double t, const VectorX& y, VectorX& rate) {
    const VectorX q = y.head(p.n), qd = y.tail(p.n);
    rate.resize(2 * p.n);
    rate.head(p.n) = qd;
    rate.tail(p.n) = M.solve(-form.calc_inertia(p, frame.at(t), q, qd, zero) - stiffness * p.K * q);
  };
  return integrate(f, start, {0, 0.5, 1, 1.5}, {.relative = 1e-11, .absolute = 1e-12});
}

// How far the mass centre of a free element leaves the straight line that it must follow in the world, in metres.
inline double leave_straight_line(const PlaneForm& form, const PlaneElement& p, const PlaneFrame& frame) {
  VectorX start(2 * p.n);
  for (Eigen::Index i = 0; i < start.size(); ++i) start[i] = 0.1 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  const OdeResult motion = move_freely(form, p, frame, 1, start);
  const auto place = [&](double t, const VectorX& y) {
    return Vec2(frame.origin(t) + frame.R(t) * (p.centre + p.mean(y.head(p.n))));
  };
  const PlaneMotion first = frame.at(0);
  const Vec2 X0 = place(0, start),
             V0 = frame.R(0) *
                  (first.v + first.w * quarter_turn() * (p.centre + p.mean(start.head(p.n))) + p.mean(start.tail(p.n)));
  double worst = 0;
  for (size_t k = 0; k < motion.times.size(); ++k) {
    const double t = motion.times[k];
    worst = std::max(worst, (place(t, motion.y.col(static_cast<Eigen::Index>(k))) - X0 - t * V0).norm());
  }
  return worst;
}

// ½∫ρ|v|² in the world, from velocities of points.
inline double calc_kinetic_energy(const PlaneElement& p, const PlaneMotion& at, const VectorX& q, const VectorX& qd) {
  double T = 0;
  for (const Station& st : p.stations) {
    const Vec2 y = st.x.head<2>() + st.N.topRows(2) * q;
    T += 0.5 * st.weight * st.mass * (at.v + at.w * quarter_turn() * y + st.N.topRows(2) * qd).squaredNorm();
  }
  return T;
}

}  // namespace elodyn::test
