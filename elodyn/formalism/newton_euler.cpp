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
#include <algorithm>
#include <array>
#include <stdexcept>

#include "elodyn/base/rotation.hpp"
#include "elodyn/formalism/congruence.hpp"
#include "elodyn/formalism/describe.hpp"
#include "elodyn/formalism/element_formalism.hpp"

namespace elodyn {
namespace {

constexpr int kMostTogether = 64;  // stations of an element

// to(i, j) += Σₖ weightₖ a(k, i) b(k, j) over m stations; above the diagonal only if `upper`. M: m if known beforehand.
template <int M, class S, class Square>
void add_sums(const S* a, const S* b, int m, const S* weights, bool upper, Square&& to) {
  const int count = M > 0 ? M : m;
  std::array<S, (M > 0 ? M : kMostTogether)> weighted;
  const auto n = static_cast<int>(to.cols());
  for (int j = 0; j < n; ++j, b += count) {
    for (int k = 0; k < count; ++k) weighted[static_cast<size_t>(k)] = weights[k] * b[k];
    const S* column = a;
    for (int i = 0; i < (upper ? j + 1 : n); ++i, column += count) {
      S sum = column[0] * weighted[0];
      for (int k = 1; k < count; ++k) sum += column[k] * weighted[static_cast<size_t>(k)];
      to(i, j) += sum;
    }
  }
}

// Rows on the element's dofs, at all stations of an element: what their weighted products sum up to.
template <class S>
class StationRows {
 public:
  StationRows(int m, int n, int rows)
      : m_(m), n_(n), values_(MatrixOf<S>::Zero(m, n * rows)), used_(static_cast<size_t>(rows), false) {}
  template <class Row>
  void set(int station, int row, const Row& values) {
    for (int i = 0; i < n_; ++i) {
      if (values[i] == S(0)) continue;
      values_(station, row * n_ + i) = values[i];
      used_[static_cast<size_t>(row)] = true;
    }
  }
  bool is_used(int row) const { return used_[static_cast<size_t>(row)]; }
  // to += Σₖ weightₖ aᵀb;  a = b: above the diagonal only
  template <class Square>
  void add_products(int a, int b, const std::vector<S>& weights, Square&& to) const {
    if (!is_used(a) || !is_used(b)) return;
    const S *of_a = values_.data() + m_ * n_ * a, *of_b = values_.data() + m_ * n_ * b;
    if (m_ == 4)
      add_sums<4>(of_a, of_b, m_, weights.data(), a == b, to);
    else if (m_ == 6)
      add_sums<6>(of_a, of_b, m_, weights.data(), a == b, to);
    else
      add_sums<0>(of_a, of_b, m_, weights.data(), a == b, to);
  }

 private:
  int m_, n_;
  MatrixOf<S> values_;  // stations × (dofs of the first row, dofs of the second, …)
  std::vector<bool> used_;
};

template <class Square>
void copy_upper(Square&& to) {
  for (Eigen::Index j = 0; j < to.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) to(j, i) = to(i, j);
}

// ∫NᵢᵀNⱼ of three rows; i ≤ j are kept, the others are their transposes. Rows that are zero take no part.
template <class S>
class ShapeIntegrals {
 public:
  ShapeIntegrals(const StationRows<S>& rows, const std::vector<S>& weights, int n)
      : n_(n), all_(MatrixOf<S>::Zero(n, 6 * n)) {
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) {
        used_[index(i, j)] = rows.is_used(i) && rows.is_used(j);
        rows.add_products(i, j, weights, block(i, j));
        if (i == j) copy_upper(block(i, i));
      }
  }
  // to += Σᵢⱼ Xᵢⱼ ∫NᵢᵀNⱼ
  void contract(const Mat3Of<S>& X, MatrixOf<S>& to) const {
    struct Part {
      S factor;
      const S* values;
      Eigen::Index row_step, column_step;
    };
    std::array<Part, 9> parts;
    size_t n_parts = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const size_t k = index(std::min(i, j), std::max(i, j));
        if (!used_[k] || X(i, j) == S(0)) continue;
        const S* values = all_.data() + n_ * n_ * static_cast<Eigen::Index>(k);
        parts[n_parts++] = i <= j ? Part{X(i, j), values, 1, n_} : Part{X(i, j), values, n_, 1};
      }
    if (n_parts == 0) return;
    for (Eigen::Index j = 0; j < n_; ++j)
      for (Eigen::Index i = 0; i < n_; ++i) {
        S sum = to(i, j);
        for (size_t p = 0; p < n_parts; ++p)
          sum += parts[p].factor * parts[p].values[i * parts[p].row_step + j * parts[p].column_step];
        to(i, j) = sum;
      }
  }

 private:
  static size_t index(int i, int j) { return static_cast<size_t>(i == 0 ? j : i + j + 1); }
  Eigen::Block<MatrixOf<S>> block(int i, int j) {
    return all_.block(0, n_ * static_cast<Eigen::Index>(index(i, j)), n_, n_);
  }

  Eigen::Index n_;
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
  const auto m = static_cast<int>(stations.size());
  StationRows<S> rows(m, n, 3);
  std::vector<S> masses(stations.size(), S(0));
  MatrixOf<S> first = MatrixOf<S>::Zero(n, 12);  // ∫ρA Nᵢᵀxⱼ in column 3j + i, then ∫ρA Nᵢᵀ
  for (int s = 0; s < m; ++s) {
    const BasicStation<S>& st = stations[static_cast<size_t>(s)];
    if (st.mass == S(0)) continue;
    const S mass = masses[static_cast<size_t>(s)] = st.weight * st.mass;
    for (int i = 0; i < 3; ++i) rows.set(s, i, st.N.row(i));
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
        if (rows.is_used(i) && !(X(i, j) == S(0))) load += X(i, j) * first.col(3 * j + i);
  };
  const ShapeIntegrals<S> integrals(rows, masses, n);
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
  const auto m = static_cast<int>(last - first);
  StationRows<S> rows(m, n, 3);
  std::vector<S> weights;
  Matrix3Of<S> load = Matrix3Of<S>::Zero(3, n);
  for (int s = 0; s < m; ++s) {
    const BasicStation<S>& st = stations[first + static_cast<size_t>(s)];
    weights.push_back(st.weight);
    for (int i = 0; i < 3; ++i) rows.set(s, i, st.N_theta.row(i));
    load += st.weight * st.N_theta;
  }
  const ShapeIntegrals<S> integrals(rows, weights, n);
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

// to += Σ weight rowsᵀ C rows over the stations, with the C of each station; `law` gives it, or null.
template <class S, class Law>
void add_congruences(const BasicStations<S>& stations, const StationRows<S>& rows, int n_rows, const Law& law,
                     std::vector<S>& weights, MatrixOf<S>& half, MatrixOf<S>& to) {
  half.setZero(to.rows(), to.cols());  // of the squares: above the diagonal
  for (int j = 0; j < n_rows; ++j)
    for (int i = 0; i < n_rows; ++i) {
      bool any = false;
      for (size_t s = 0; s < stations.size(); ++s) {
        const MatrixOf<S>* C = law(stations[s]);
        weights[s] = C != nullptr && i < C->rows() && j < C->cols() ? S(stations[s].weight * (*C)(i, j)) : S(0);
        any = any || !(weights[s] == S(0));
      }
      if (any) rows.add_products(i, j, weights, i == j ? half : to);
    }
  copy_upper(half);
  to += half;
}

template <class S>
void add_stresses(const BasicStations<S>& stations, int n, BasicElementTerms<S>& t) {
  Eigen::Index n_strains = 0, n_gradients = 0;
  for (const BasicStation<S>& st : stations) {
    n_strains = std::max(n_strains, st.B.rows());
    n_gradients = std::max(n_gradients, st.L.rows());
  }
  const auto m = static_cast<int>(stations.size());
  StationRows<S> strains(m, n, static_cast<int>(n_strains)), gradients(m, n, static_cast<int>(n_gradients));
  for (int s = 0; s < m; ++s) {
    const BasicStation<S>& st = stations[static_cast<size_t>(s)];
    for (int i = 0; i < st.B.rows(); ++i) strains.set(s, i, st.B.row(i));
    for (int i = 0; i < st.L.rows(); ++i) gradients.set(s, i, st.L.row(i));
  }
  std::vector<S> weights(stations.size());
  MatrixOf<S> half;
  add_congruences(
      stations, strains, static_cast<int>(n_strains), [](const BasicStation<S>& st) { return &st.stiffness; }, weights,
      half, t.K);
  for (size_t j = 0; j < t.Gamma.size(); ++j)
    add_congruences(
        stations, gradients, static_cast<int>(n_gradients),
        [j](const BasicStation<S>& st) { return j < st.Psi.size() ? &st.Psi[j] : nullptr; }, weights, half, t.Gamma[j]);
}

template <class S>
void add_loads_and_dashpots(const BasicStation<S>& st, const MotionBasis& basis, BasicElementTerms<S>& t) {
  for (Eigen::Index k = 0; k < st.N.cols(); ++k)
    for (int i = 0; i < 3; ++i) {
      if (!(st.N(i, k) == S(0))) t.member_load(k, i) += st.weight * st.N(i, k);
      if (!(st.R_theta(i, k) == S(0))) t.member_load(k, 3 + i) += st.weight * st.R_theta(i, k);
    }
  for (Eigen::Index j = 0; j < st.thermal.cols(); ++j)  // Bᵀ C Θ
    for (Eigen::Index r = 0; r < st.thermal.rows(); ++r) {
      if (st.thermal(r, j) == S(0)) continue;
      const S weighted = st.weight * st.thermal(r, j);
      for (Eigen::Index i = 0; i < st.B.rows(); ++i)
        if (!(st.stiffness(i, r) == S(0)))
          t.member_load.col(6 + j) += (weighted * st.stiffness(i, r)) * st.B.row(i).transpose();
    }
  if (st.viscosity.rows() > 0) add_congruence(st.weight, st.B, st.viscosity, st.B, t.D);
  for (size_t i = 0; i < t.N.size(); ++i)
    for (size_t k = 0; k < st.transport.size(); ++k)
      add_congruence(S(st.weight * S(basis.axes[i][static_cast<int>(k)])), st.B, st.viscosity, st.transport[k], t.N[i]);
}

struct NewtonEuler {
  static constexpr std::string_view kName = "newton_euler";
  static constexpr std::string_view kSummary = "inertia forces from accelerations, projected by virtual work";

  template <class S>
  static void derive(const BasicStations<S>& stations, int n, const MotionBasis& basis, BasicElementTerms<S>& t) {
    if (stations.size() > kMostTogether) throw std::invalid_argument("an element has more stations than foreseen");
    const Operators<S> operators(basis);
    t.reset(stations, n, basis);
    add_moving_points(stations, n, basis, operators, t);
    for (size_t i = 0; i < t.E.size(); ++i) t.E[i] = t.G[i];  // the same operator; sections differ
    for (size_t first = 0, last = 0; first < stations.size(); first = last) {
      const Mat3Of<S>& sigma = stations[first].sigma;
      while (last < stations.size() && stations[last].sigma == sigma) ++last;
      if (!(sigma.array() == S(0)).all()) add_turning_sections(stations, first, last, n, operators, t);
    }
    add_stresses(stations, n, t);
    for (const BasicStation<S>& st : stations) add_loads_and_dashpots(st, basis, t);
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
