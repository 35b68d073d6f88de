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
#include "elodyn/formalism/describe.hpp"
#include "elodyn/formalism/element_formalism.hpp"

namespace elodyn {
namespace {

// to += factor aᵀb for rows a, b on the element's dofs; zeros of b cost nothing.
template <class S, class RowA, class RowB>
void add_outer(const S& factor, const RowA& a, const RowB& b, MatrixOf<S>& to) {
  for (Eigen::Index j = 0; j < b.size(); ++j) {
    if (b[j] == S(0)) continue;
    const S scaled = factor * b[j];
    for (Eigen::Index i = 0; i < a.size(); ++i) to(i, j) += scaled * a[i];
  }
}

// to += factor rowsᵀ C other
template <class S>
void add_congruence(const S& factor, const MatrixOf<S>& rows, const MatrixOf<S>& C, const MatrixOf<S>& other,
                    MatrixOf<S>& to) {
  for (Eigen::Index j = 0; j < C.cols(); ++j)
    for (Eigen::Index i = 0; i < C.rows(); ++i)
      if (!(C(i, j) == S(0))) add_outer(S(factor * C(i, j)), rows.row(i), other.row(j), to);
}

// ∫NᵢᵀNⱼ of three rows; i ≤ j are kept, the others are their transposes. Rows that are zero take no part.
template <class S>
class ShapeIntegrals {
 public:
  explicit ShapeIntegrals(int n) : n_(n) {}
  void add(const S& weight, const Matrix3Of<S>& N) {
    for (int i = 0; i < 3; ++i)
      if (bool has = false; has_row(N, i, has))
        for (int j = i; j < 3; ++j)
          if (has_row(N, j, has)) add_outer(weight, N.row(i), N.row(j), at(i, j));
  }
  // to += Σᵢⱼ Xᵢⱼ ∫NᵢᵀNⱼ
  void contract(const Mat3Of<S>& X, MatrixOf<S>& to) const {
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) {
        const MatrixOf<S>& I = integrals_[index(i, j)];
        if (I.size() == 0) continue;
        if (!(X(i, j) == S(0))) to += X(i, j) * I;
        if (i != j && !(X(j, i) == S(0))) to += X(j, i) * I.transpose();
      }
  }

 private:
  static size_t index(int i, int j) { return static_cast<size_t>(i == 0 ? j : i + j + 1); }
  static bool has_row(const Matrix3Of<S>& N, int i, bool& has) {
    has = false;
    for (Eigen::Index k = 0; k < N.cols() && !has; ++k) has = !(N(i, k) == S(0));
    return has;
  }
  MatrixOf<S>& at(int i, int j) {
    MatrixOf<S>& I = integrals_[index(i, j)];
    if (I.size() == 0) I.setZero(n_, n_);
    return I;
  }

  int n_;
  std::array<MatrixOf<S>, 6> integrals_;  // 00 01 02 11 12 22
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
  integrals.contract(calc_J<S>(Mat3Of<S>::Identity(), sigma), t.M);
  for (size_t i = 0; i < operators.W.size(); ++i) {
    const Mat3Of<S>& X = operators.W[i];
    const Mat3Of<S> J = calc_J(X, sigma);
    integrals.contract(J, t.G[i]);
    integrals.contract(Mat3Of<S>(J + calc_second_order(X, sigma)), t.E[i]);
    t.B[i].noalias() += load.transpose() * axial_of(Mat3Of<S>(X * sigma));
  }
  for (size_t k = 0; k < operators.WW.size(); ++k) {
    const Mat3Of<S>& X = operators.WW[k];
    integrals.contract(Mat3Of<S>(calc_J(X, sigma) + calc_second_order(X, sigma)), t.S[k]);
    t.H[k].noalias() += load.transpose() * axial_of(Mat3Of<S>(X * sigma));
  }
}

template <class S>
void add_stresses_and_loads(const BasicStation<S>& st, const MotionBasis& basis, BasicElementTerms<S>& t) {
  t.member_load.leftCols(3).noalias() += st.weight * st.N.transpose();
  t.member_load.middleCols(3, 3).noalias() += st.weight * st.R_theta.transpose();
  if (st.B.rows() > 0) add_congruence(st.weight, st.B, st.stiffness, st.B, t.K);
  if (st.thermal.rows() > 0) {
    const MatrixOf<S> stress = st.stiffness * st.thermal;
    if (!(stress.array() == S(0)).all())
      t.member_load.rightCols(3).noalias() += st.B.transpose() * (st.weight * stress);
  }
  if (st.viscosity.rows() > 0) add_congruence(st.weight, st.B, st.viscosity, st.B, t.D);
  for (size_t i = 0; i < t.N.size(); ++i)
    for (size_t k = 0; k < 3; ++k)
      add_congruence(S(st.weight * S(basis.axes[i][static_cast<int>(k)])), st.B, st.viscosity, st.transport[k], t.N[i]);
  for (size_t j = 0; j < st.Psi.size(); ++j) add_congruence(st.weight, st.L, st.Psi[j], st.L, t.Gamma[j]);
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
    for (const BasicStation<S>& st : stations) add_stresses_and_loads(st, basis, t);
  }

  static Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) {
    StationWriter writer(station, basis);
    const Operators<Symbolic> operators(basis);
    constexpr const char* kAxes[] = {"x", "y", "z"};
    // Σ eᵢ X(Wᵢ) + Σ wᵢwⱼ X(WWᵢⱼ), and Σ wᵢ X(Wᵢ)
    using Mat = Mat3Of<Symbolic>;
    const auto combine_B = [&](const auto& X) {
      Mat sum = Mat::Zero();
      for (size_t i = 0; i < operators.W.size(); ++i) sum += writer.epsilon(i) * X(operators.W[i]);
      for (size_t k = 0; const auto& [i, j] : basis.pairs())
        sum += writer.omega(static_cast<size_t>(i)) * writer.omega(static_cast<size_t>(j)) * X(operators.WW[k++]);
      return sum;
    };
    const auto combine_W = [&](const auto& X) {
      Mat sum = Mat::Zero();
      for (size_t i = 0; i < operators.W.size(); ++i) sum += writer.omega(i) * X(operators.W[i]);
      return sum;
    };
    const auto itself = [](const Mat& X) { return X; };
    Vec3Of<Symbolic> a = combine_B(itself) * (writer.place() + writer.displacement(0)) +
                         Symbolic(2) * combine_W(itself) * writer.displacement(1) + writer.displacement(2);
    for (size_t j = 0; j < basis.accelerations.size(); ++j)
      a += writer.acceleration(j) * basis.accelerations[j].cast<Symbolic>();
    for (Eigen::Index k = 0; k < 3; ++k)
      if (!(writer.station().mass == Symbolic(0)) && !a[k].is_zero())
        writer.add(std::string("f_") + kAxes[k], std::string("f_") + kAxes[k], writer.station().mass * a[k]);

    const Mat& sigma = writer.station().sigma;
    const auto J = [&](const Mat& X) { return calc_J(X, sigma); };
    const auto J_second = [&](const Mat& X) { return Mat(calc_J(X, sigma) + calc_second_order(X, sigma)); };
    const Mat B = combine_B(itself);
    const Vec3Of<Symbolic> m = combine_B(J_second) * writer.rotation(0) +
                               Symbolic(2) * combine_W(J) * writer.rotation(1) +
                               J(Mat::Identity()) * writer.rotation(2) + axial_of(Mat(B * sigma));
    for (Eigen::Index k = 0; k < 3; ++k)
      if (!(writer.station().N_theta(k, 3 + k) == Symbolic(0)) && !m[k].is_zero())
        writer.add(std::string("m_") + kAxes[k], std::string("m_") + kAxes[k], m[k]);
    writer.add_stresses();
    return {
        {"", "int rho dr.a + int de.sigma + sum_j p_j int deta_j = dW  for every virtual displacement", "",
         "\\int\\rho\\,\\delta r\\cdot a + \\int\\delta e\\cdot\\sigma + \\sum_j p_j\\int\\delta\\eta_j = \\delta W"},
        {"a",
         "a_O + B (x + s) + B (u + theta x s) + 2 W (u' + theta' x s) + u'' + theta'' x s,  W = omega x, "
         "B = epsilon x + omega x omega x;  f, m: force and couple rho a per length",
         "a",
         "a_O + B(x+s) + B(u+\\theta\\times s) + 2W(\\dot u+\\dot\\theta\\times s) + \\ddot u + "
         "\\ddot\\theta\\times s, \\quad W = \\hat\\omega, \\; B = \\hat\\varepsilon + \\hat\\omega^2; \\quad f, m: "
         "\\text{ force and couple of } \\rho a \\text{ per length}"},
        writer.take()};
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_newton_euler() { return std::make_unique<ElementFormalism<NewtonEuler>>(); }

}  // namespace elodyn
