// The terms of elements in tests: seeded random numbers and motions, the equation with a motion put in, fields that an
// element is made to take, and the comparison of two derivations term by term.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "elodyn/formalism/registry.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 vector(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  VectorX numbers(Eigen::Index n, double size) {
    VectorX v(n);
    for (double& x : v) x = in(-size, size);
    return v;
  }
  MatrixX matrix(Eigen::Index rows, Eigen::Index columns) {
    MatrixX m(rows, columns);
    for (double& v : m.reshaped()) v = in(-1, 1);
    return m;
  }
  MatrixX positive(Eigen::Index n) {
    const MatrixX m = matrix(n, n + 2);
    return m * m.transpose();
  }
  Mat3 rotation() { return Eigen::AngleAxisd(in(0.5, 2.5), vector(1).normalized()).toRotationMatrix(); }
  // Axes and directions that are unit vectors but not at right angles.
  MotionBasis basis(int dimension, int n_axes) {
    MotionBasis out;
    out.origin = vector(1);
    if (dimension == 2) out.origin.z() = 0;
    for (int i = 0; i < n_axes; ++i) {
      out.axes.push_back(dimension == 2 ? Vec3(Vec3::UnitZ()) : vector(1).normalized());
      Vec3 d = vector(1);
      if (dimension == 2) d.z() = 0;
      out.accelerations.push_back(d.normalized());
    }
    return out;
  }

 private:
  std::mt19937 engine_;
};

// The factors of the affine equation on a basis, and the state of an element.
struct MovingState {
  VectorX w, e, a, q, rate, second;
};
inline MovingState make_random_state(Random& random, const MotionBasis& basis, int n) {
  const auto axes = static_cast<Eigen::Index>(basis.axes.size());
  MovingState s;
  s.w = random.numbers(axes, 5);
  s.e = random.numbers(axes, 20);
  s.a = random.numbers(static_cast<Eigen::Index>(basis.accelerations.size()), 10);
  s.q = random.numbers(n, 1);
  s.rate = random.numbers(n, 5);
  s.second = random.numbers(n, 20);
  return s;
}

// M q̈ + 2 Σ wG q̇ + [Σ eE + Σ wwS] q + Σ aA + Σ eB + Σ wwH
inline VectorX calc_inertia(const ElementTerms& t, const MotionBasis& basis, const MovingState& s) {
  VectorX f = t.M * s.second;
  for (size_t i = 0; i < t.G.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    f += 2 * s.w[k] * t.G[i] * s.rate + s.e[k] * (t.E[i] * s.q + t.B[i]);
  }
  const auto pairs = basis.pairs();
  for (size_t k = 0; k < pairs.size(); ++k) f += s.w[pairs[k].first] * s.w[pairs[k].second] * (t.S[k] * s.q + t.H[k]);
  for (size_t j = 0; j < t.A.size(); ++j) f += s.a[static_cast<Eigen::Index>(j)] * t.A[j];
  return f;
}

inline MotionBasis make_cartesian_basis() {
  return {Vec3::Zero(), {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}, {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}};
}

// The coordinates whose displacement at the stations is u(x), which the element must be able to represent.
inline VectorX fit_displacements(const Stations& stations, int n, const std::function<Vec3(const Vec3&)>& u) {
  MatrixX rows(3 * static_cast<Eigen::Index>(stations.size()), n);
  VectorX wanted(rows.rows());
  for (size_t k = 0; k < stations.size(); ++k) {
    const auto r = 3 * static_cast<Eigen::Index>(k);
    rows.middleRows(r, 3) = stations[k].N;
    wanted.segment(r, 3) = u(stations[k].x);
  }
  VectorX scale = rows.colwise().norm();
  for (double& v : scale) v = v > 0 ? 1 / v : 0;  // what moves no point, twist for one, stays zero
  return scale.cwiseProduct(least_squares(rows * scale.asDiagonal(), wanted));
}

// Largest difference of two terms relative to the size of the whole family they belong to: within one family entries
// may be zero for one axis and not for another. Scaled: d m d or d v.
struct Comparison {
  VectorX d;
  double worst = 0;
  std::string where;
  std::map<std::string, double> families;

  void note(double difference, double size, const char* name) {
    const double error = size > 0 || std::isnan(size) ? difference / size : difference;
    if (!(error <= families[name])) families[name] = error;
    if (error <= worst || std::isnan(worst)) return;  // a NaN stays
    worst = error;
    where = name;
  }
  static void note_largest(double& largest, double value) {
    if (!(value <= largest) && !std::isnan(largest)) largest = value;
  }
  static double largest(const MatrixX& m) {
    double out = 0;
    for (const double x : m.reshaped())
      if (!(std::abs(x) <= out)) out = std::abs(x);
    return m.hasNaN() ? std::nan("") : out;
  }
  void matrices(const std::vector<MatrixX>& got, const std::vector<MatrixX>& want, const char* name) {
    if (got.size() != want.size()) return note(1, 0, name);
    double difference = 0, size = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (got[i].rows() != want[i].rows() || got[i].cols() != want[i].cols()) return note(1, 0, name);
      const auto scaled = [&](const MatrixX& m) { return MatrixX(d.asDiagonal() * m * d.asDiagonal()); };
      note_largest(difference, largest(scaled(got[i] - want[i])));
      note_largest(size, largest(scaled(want[i])));
    }
    note(difference, size, name);
  }
  void vectors(const std::vector<VectorX>& got, const std::vector<VectorX>& want, const char* name) {
    if (got.size() != want.size()) return note(1, 0, name);
    double difference = 0, size = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      note_largest(difference, largest(d.cwiseProduct(got[i] - want[i])));
      note_largest(size, largest(d.cwiseProduct(want[i])));
    }
    note(difference, size, name);
  }
};

inline Comparison compare(const ElementTerms& got, const ElementTerms& want) {
  Comparison c;
  c.d = want.M.diagonal();
  for (double& v : c.d) v = v > 0 ? 1 / std::sqrt(v) : 1;
  c.matrices({got.M}, {want.M}, "M");
  c.matrices({got.D}, {want.D}, "D");
  c.matrices({got.K}, {want.K}, "K");
  c.matrices(got.G, want.G, "G");
  c.matrices(got.E, want.E, "E");
  c.matrices(got.S, want.S, "S");
  c.matrices(got.N, want.N, "N");
  for (size_t j = 0; j < want.Gamma.size() && j < got.Gamma.size(); ++j)
    c.matrices({got.Gamma[j]}, {want.Gamma[j]}, "Gamma");
  if (got.Gamma.size() != want.Gamma.size()) c.note(1, 0, "Gamma");
  c.vectors(got.A, want.A, "A");
  c.vectors(got.B, want.B, "B");
  c.vectors(got.H, want.H, "H");
  std::vector<VectorX> got_loads, want_loads;
  for (const auto& [first, last] : {std::pair{0, 3}, {3, 6}, {6, 9}}) {
    got_loads.clear();
    want_loads.clear();
    for (int k = first; k < last; ++k) {
      got_loads.emplace_back(got.member_load.col(k));
      want_loads.emplace_back(want.member_load.col(k));
    }
    c.vectors(got_loads, want_loads, "member_load");
  }
  return c;
}

}  // namespace elodyn::test
