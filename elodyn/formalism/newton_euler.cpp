// Newton–Euler by virtual work: the inertia forces −ρa and the stresses do no work on any virtual displacement,
//   ∫ρ δr·a dV + ∫δe·C (e − e₀) + Σⱼ pⱼ ∫δηⱼ = δW.                                                          (1)
// For a section point s, with Λ = 1 + θ̂ + ½θ̂² kept to second order until the virtual displacement is formed,
//   δr = δu + δθ×s + ½(δθ̂ θ̂ + θ̂ δθ̂)s,                                                              (2)
//   a  = α + B(x+s) + B(u + θ×s) + 2W(u̇ + θ̇×s) + ü + θ̈×s,      B = ε̂ + ω̂²,  W = ω̂.                 (3)
// To first order in q, with ∫ρs = 0 and Σ = ∫ρssᵀ, the section gives for each operator X of (3)
//   δuᵀ ρA X u + δθᵀ J(X) θ,        J(X) = ∫ρ ŝᵀ X ŝ,                                                (4)
//   δθᵀ [½(BΣ + ΣBᵀ) − tr(BΣ)1] θ   from the last part of (2) against B s,                            (5)
//   δuᵀ ρA (α + Bx) + δθᵀ τ(B),     τ(X) = ∫ρ s × Xs   as loads.                                      (6)
// All of them come from few integrals of the shapes, whatever the number of axes:
//   ∫ρA NᵢᵀNⱼ,  ∫ρA Nᵢᵀxⱼ,  ∫ρA Nᵢᵀ,  and ∫Nθᵢᵀ Nθⱼ,  ∫Nθᵢᵀ where Σ is constant.                             (7)
// Theory: docs/theory/kinematics.md. No scalar function, no differentiation.
#include <array>

#include "elodyn/base/rotation.hpp"
#include "elodyn/formalism/congruence.hpp"
#include "elodyn/formalism/element_formalism.hpp"

namespace elodyn {
namespace {

// to += factor aᵀa, above the diagonal only; copy_upper() completes the sum. Zeros of a cost nothing.
template <class S, class Row>
void add_square(const S& factor, const Row& a, Eigen::Block<MatrixOf<S>> to) {
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    if (a[j] == S(0)) continue;
    const S scaled = factor * a[j];
    for (Eigen::Index i = 0; i <= j; ++i) to(i, j) += scaled * a[i];
  }
}
template <class Square>
void copy_upper(Square&& to) {
  for (Eigen::Index j = 0; j < to.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) to(j, i) = to(i, j);
}

// Σ rowsᵀ diag(C) rows over the stations, for several C side by side; the rest of C goes where it is wanted.
template <class S>
class Squares {
 public:
  Squares(int n, size_t count) : n_(n), sums_(MatrixOf<S>::Zero(n, n * static_cast<Eigen::Index>(count))) {}
  void add(size_t which, const S& factor, const MatrixOf<S>& rows, const MatrixOf<S>& C, MatrixOf<S>& rest) {
    for (Eigen::Index j = 0; j < C.cols(); ++j)
      for (Eigen::Index i = 0; i < C.rows(); ++i) {
        if (C(i, j) == S(0)) continue;
        if (i == j)
          add_square(S(factor * C(i, j)), rows.row(i), at(which));
        else
          add_outer(S(factor * C(i, j)), rows.row(i), rows.row(j), rest);
      }
  }
  void add_to(size_t which, MatrixOf<S>& to) {
    copy_upper(at(which));
    to += at(which);
  }

 private:
  Eigen::Block<MatrixOf<S>> at(size_t which) { return sums_.block(0, n_ * static_cast<Eigen::Index>(which), n_, n_); }
  Eigen::Index n_;
  MatrixOf<S> sums_;
};

// ∫NᵢᵀNⱼ of three rows; i ≤ j are kept, the others are their transposes. Rows that are zero take no part.
template <class S>
class ShapeIntegrals {
 public:
  explicit ShapeIntegrals(int n) : n_(n), all_(n, 6 * n) {}
  void add(const S& weight, const Matrix3Of<S>& N) {
    const std::array<bool, 3> has = {has_row(N, 0), has_row(N, 1), has_row(N, 2)};
    for (int i = 0; i < 3; ++i)
      for (int j = i; has[static_cast<size_t>(i)] && j < 3; ++j) {
        if (!has[static_cast<size_t>(j)]) continue;
        if (i == j)
          add_square(weight, N.row(i), at(i, i));
        else
          add_outer(weight, N.row(i), N.row(j), at(i, j));
      }
  }
  // After the last station.
  void finish() {
    for (int i = 0; i < 3; ++i)
      if (used_[index(i, i)]) copy_upper(at(i, i));
  }
  // to += Σᵢⱼ Xᵢⱼ ∫NᵢᵀNⱼ
  void contract(const Mat3Of<S>& X, MatrixOf<S>& to) const {
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) {
        if (!used_[index(i, j)]) continue;
        const auto I = all_.block(0, n_ * static_cast<Eigen::Index>(index(i, j)), n_, n_);
        if (!(X(i, j) == S(0))) to += X(i, j) * I;
        if (i != j && !(X(j, i) == S(0))) to += X(j, i) * I.transpose();
      }
  }

 private:
  static size_t index(int i, int j) { return static_cast<size_t>(i == 0 ? j : i + j + 1); }
  static bool has_row(const Matrix3Of<S>& N, int i) {
    for (Eigen::Index k = 0; k < N.cols(); ++k)
      if (!(N(i, k) == S(0))) return true;
    return false;
  }
  Eigen::Block<MatrixOf<S>> at(int i, int j) {
    const size_t k = index(i, j);
    auto I = all_.block(0, n_ * static_cast<Eigen::Index>(k), n_, n_);
    if (!used_[k]) I.setZero();
    used_[k] = true;
    return I;
  }

  int n_;
  MatrixOf<S> all_;  // 00 01 02 11 12 22 side by side
  std::array<bool, 6> used_ = {};
};

// J(X)ᵢⱼ = ∫ρ (s×eᵢ)·X(s×eⱼ); s×eᵢ has the entries +s at row i+1 and −s at row i+2 (cyclic).
template <class S>
Mat3Of<S> calc_J(const Mat3Of<S>& X, const Mat3Of<S>& sigma) {
  Mat3Of<S> J;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      J(i, j) =
          X(i1, j1) * sigma(i2, j2) - X(i1, j2) * sigma(i2, j1) - X(i2, j1) * sigma(i1, j2) + X(i2, j2) * sigma(i1, j1);
    }
  return J;
}

template <class S>
Mat3Of<S> calc_second_order(const Mat3Of<S>& X, const Mat3Of<S>& sigma) {  // (5)
  const Mat3Of<S> X_sigma = X * sigma;
  return S(0.5) * (X_sigma + X_sigma.transpose()) - Mat3Of<S>::Identity() * X_sigma.trace();
}

// The operators of (3) that the motion needs, in the order of the terms.
template <class S>
struct Operators {
  std::vector<Mat3Of<S>> W, WW;
  explicit Operators(const MotionBasis& basis) {
    for (const Vec3& axis : basis.axes) W.push_back(skew(axis).template cast<S>());
    for (const auto& [i, j] : basis.pairs()) {
      const Mat3 Wi = skew(basis.axes[static_cast<size_t>(i)]), Wj = skew(basis.axes[static_cast<size_t>(j)]);
      WW.push_back((i == j ? Mat3(Wi * Wi) : Mat3(Wi * Wj + Wj * Wi)).template cast<S>());
    }
  }
};

template <class S>
void add_moving_points(const BasicStations<S>& stations, int n, const MotionBasis& basis, const Operators<S>& operators,
                       BasicElementTerms<S>& t) {
  ShapeIntegrals<S> integrals(n);
  MatrixOf<S> first = MatrixOf<S>::Zero(n, 12);  // ∫ρA Nᵢᵀxⱼ in column 3j + i, then ∫ρA Nᵢᵀ
  for (const BasicStation<S>& st : stations) {
    if (st.mass == S(0)) continue;
    const S mass = st.weight * st.mass;
    integrals.add(mass, st.N);
    const Vec3Of<S> x = st.x - basis.origin.cast<S>();
    for (int j = 0; j < 4; ++j) {
      const S factor = j < 3 ? mass * x[j] : mass;
      if (factor == S(0)) continue;
      for (Eigen::Index k = 0; k < n; ++k)
        for (int i = 0; i < 3; ++i) first(k, 3 * j + i) += factor * st.N(i, k);
    }
  }
  const auto add_load = [&](const Mat3Of<S>& X, VectorOf<S>& load) {
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        if (!(X(i, j) == S(0))) load += X(i, j) * first.col(3 * j + i);
  };
  integrals.finish();
  integrals.contract(Mat3Of<S>::Identity(), t.M);
  for (size_t i = 0; i < operators.W.size(); ++i) {
    integrals.contract(operators.W[i], t.G[i]);
    add_load(operators.W[i], t.B[i]);
  }
  for (size_t k = 0; k < operators.WW.size(); ++k) {
    integrals.contract(operators.WW[k], t.S[k]);
    add_load(operators.WW[k], t.H[k]);
  }
  for (size_t j = 0; j < basis.accelerations.size(); ++j)
    for (int i = 0; i < 3; ++i)
      if (const S a(basis.accelerations[j][i]); !(a == S(0))) t.A[j] += a * first.col(9 + i);
}

// to += loadᵀ couple
template <class S>
void add_couple(const Matrix3Of<S>& load, const Vec3Of<S>& couple, VectorOf<S>& to) {
  for (int i = 0; i < 3; ++i)
    if (!(couple[i] == S(0))) to += couple[i] * load.row(i).transpose();
}

// Stations first … last − 1 have the same Σ.
template <class S>
void add_turning_sections(const BasicStations<S>& stations, size_t first, size_t last, int n,
                          const Operators<S>& operators, BasicElementTerms<S>& t) {
  const Mat3Of<S>& sigma = stations[first].sigma;
  ShapeIntegrals<S> integrals(n);
  Matrix3Of<S> load = Matrix3Of<S>::Zero(3, n);
  for (size_t k = first; k < last; ++k) {
    integrals.add(stations[k].weight, stations[k].N_theta);
    load += stations[k].weight * stations[k].N_theta;
  }
  integrals.finish();
  integrals.contract(calc_J<S>(Mat3Of<S>::Identity(), sigma), t.M);
  for (size_t i = 0; i < operators.W.size(); ++i) {
    const Mat3Of<S>& X = operators.W[i];
    const Mat3Of<S> J = calc_J(X, sigma);
    integrals.contract(J, t.G[i]);
    integrals.contract(Mat3Of<S>(J + calc_second_order(X, sigma)), t.E[i]);
    add_couple(load, axial_of(Mat3Of<S>(X * sigma)), t.B[i]);
  }
  for (size_t k = 0; k < operators.WW.size(); ++k) {
    const Mat3Of<S>& X = operators.WW[k];
    integrals.contract(Mat3Of<S>(calc_J(X, sigma) + calc_second_order(X, sigma)), t.S[k]);
    add_couple(load, axial_of(Mat3Of<S>(X * sigma)), t.H[k]);
  }
}

template <class S>
void add_stresses_and_loads(const BasicStation<S>& st, const MotionBasis& basis, Squares<S>& squares,
                            BasicElementTerms<S>& t) {
  t.member_load.leftCols(3).noalias() += st.weight * st.N.transpose();
  t.member_load.middleCols(3, 3).noalias() += st.weight * st.R_theta.transpose();
  if (st.B.rows() > 0) squares.add(0, st.weight, st.B, st.stiffness, t.K);
  if (st.thermal.rows() > 0) {
    const MatrixOf<S> stress = st.stiffness.lazyProduct(st.thermal);
    for (Eigen::Index j = 0; j < 3; ++j)
      for (Eigen::Index i = 0; i < stress.rows(); ++i)
        if (!(stress(i, j) == S(0))) t.member_load.col(6 + j) += (st.weight * stress(i, j)) * st.B.row(i).transpose();
  }
  if (st.viscosity.rows() > 0) add_congruence(st.weight, st.B, st.viscosity, st.B, t.D);
  for (size_t i = 0; i < t.N.size(); ++i)
    for (size_t k = 0; k < 3; ++k)
      add_congruence(S(st.weight * S(basis.axes[i][static_cast<int>(k)])), st.B, st.viscosity, st.transport[k], t.N[i]);
  for (size_t j = 0; j < st.Psi.size(); ++j) squares.add(1 + j, st.weight, st.L, st.Psi[j], t.Gamma[j]);
}

struct NewtonEuler {
  static constexpr std::string_view kName = "newton_euler";
  static constexpr std::string_view kSummary = "inertia forces from accelerations, projected by virtual work";

  template <class S>
  static void derive(const BasicStations<S>& stations, int n, const MotionBasis& basis, BasicElementTerms<S>& t) {
    const Operators<S> operators(basis);
    t.reset(stations, n, basis);
    add_moving_points(stations, n, basis, operators, t);
    for (size_t i = 0; i < t.E.size(); ++i) t.E[i] = t.G[i];  // the same operator; sections differ
    for (size_t first = 0, last = 0; first < stations.size(); first = last) {
      const Mat3Of<S>& sigma = stations[first].sigma;
      while (last < stations.size() && stations[last].sigma == sigma) ++last;
      if (!(sigma.array() == S(0)).all()) add_turning_sections(stations, first, last, n, operators, t);
    }
    Squares<S> squares(n, 1 + t.Gamma.size());
    for (const BasicStation<S>& st : stations) add_stresses_and_loads(st, basis, squares, t);
    squares.add_to(0, t.K);
    for (size_t j = 0; j < t.Gamma.size(); ++j) squares.add_to(1 + j, t.Gamma[j]);
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_newton_euler() { return std::make_unique<ElementFormalism<NewtonEuler>>(); }

}  // namespace elodyn
