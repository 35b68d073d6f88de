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
// A scalar field φ adds its inertia −m φ̈ to the virtual work, ∫m δφ φ̈; nothing of the frame's motion reaches it.
// Theory: docs/theory/kinematics.md. No scalar function, no differentiation.
#include <algorithm>
#include <array>
#include <span>

#include "elodyn/base/rotation.hpp"
#include "elodyn/formalism/congruence.hpp"
#include "elodyn/formalism/describe.hpp"
#include "elodyn/formalism/element_formalism.hpp"

namespace elodyn {
namespace {

// Rows on the element's dofs, at m stations of an element: what their weighted products sum up to. Columns that are
// zero take no part.
template <class S>
class StationRows {
 public:
  // rows_of(station) is a matrix; rows that it lacks are zero.
  template <class RowsOf>
  void set(std::span<const BasicStation<S>> stations, int n, int n_rows, const RowsOf& rows_of) {
    const auto m = static_cast<int>(stations.size());
    m_ = m;
    n_ = n;
    values_.resize(m, n * n_rows);
    columns_.clear();
    starts_.assign(1, 0);
    for (int row = 0; row < n_rows; ++row) {
      for (int column = 0; column < n; ++column) {
        S* values = values_.data() + m * (row * n + column);
        bool is_used = false;
        for (int k = 0; k < m; ++k) {
          const auto& rows = rows_of(stations[static_cast<size_t>(k)]);
          values[k] = row < rows.rows() ? rows(row, column) : S(0);
          is_used = is_used || !(values[k] == S(0));
        }
        if (is_used) columns_.push_back(column);
      }
      starts_.push_back(columns_.size());
    }
  }
  bool is_used(int row) const { return !columns(row).empty(); }
  // to += Σₖ weightₖ a
  template <class Vector>
  void add_sums(int a, const std::vector<S>& weights, Vector&& to) const {
    for (const int i : columns(a)) {
      const S* values = column(a, i);
      S sum = weights[0] * values[0];
      for (int k = 1; k < m_; ++k) sum += weights[static_cast<size_t>(k)] * values[k];
      to[i] += sum;
    }
  }
  // to += Σₖ weightₖ aᵀb;  a = b: above the diagonal only
  void add_products(int a, int b, const std::vector<S>& weights, MatrixOf<S>& to) const {
    if (m_ == 4) return add_products_of<4>(a, b, weights, 0, 4, to);
    if (m_ == 6) return add_products_of<6>(a, b, weights, 0, 6, to);
    for (int first = 0; first < m_; first += kTogether)
      add_products_of<0>(a, b, weights, first, std::min(kTogether, m_ - first), to);
  }

 private:
  static constexpr int kTogether = 8;  // stations

  std::span<const int> columns(int row) const {
    const auto at = static_cast<size_t>(row);
    return std::span(columns_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }
  const S* column(int row, int column) const { return values_.data() + m_ * (row * n_ + column); }

  // Of `count` stations; M: their number if it is known beforehand, else 0.
  template <int M>
  void add_products_of(int a, int b, const std::vector<S>& weights, int first, int count, MatrixOf<S>& to) const {
    const int m = M > 0 ? M : count, step = m_;
    const S *weight = weights.data() + first, *of_a = column(a, 0) + first, *of_b = column(b, 0) + first;
    const std::span<const int> columns_a = columns(a), columns_b = columns(b);
    std::array<S, (M > 0 ? M : kTogether)> weighted;
    for (const int j : columns_b) {
      for (int k = 0; k < m; ++k) weighted[static_cast<size_t>(k)] = weight[k] * of_b[j * step + k];
      S* to_column = &to(0, j);
      for (const int i : columns_a) {
        if (a == b && i > j) break;
        const S* values = of_a + i * step;
        S sum = values[0] * weighted[0];
        for (int k = 1; k < m; ++k) sum += values[k] * weighted[static_cast<size_t>(k)];
        to_column[i] += sum;
      }
    }
  }

  int m_ = 0, n_ = 0;
  MatrixOf<S> values_;          // stations × (dofs of the first row, dofs of the second, …)
  std::vector<int> columns_;    // that are used, row after row
  std::vector<size_t> starts_;  // of each row in columns_
};

template <class S>
void copy_upper(MatrixOf<S>& to) {
  for (Eigen::Index j = 0; j < to.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) to(j, i) = to(i, j);
}

// to += factor · from, for n numbers
template <class S, class Factor>
void add_scaled(const Factor& factor, const S* from, Eigen::Index n, S* to) {
  if (factor == Factor(1))
    for (Eigen::Index k = 0; k < n; ++k) to[k] += from[k];
  else if (factor == Factor(-1))
    for (Eigen::Index k = 0; k < n; ++k) to[k] -= from[k];
  else if (const S scale(factor); true)
    for (Eigen::Index k = 0; k < n; ++k) to[k] += scale * from[k];
}

// ∫NᵢᵀNⱼ of three rows; i ≤ j are kept, the others are their transposes. Rows that are zero take no part.
template <class S>
class ShapeIntegrals {
 public:
  void set(const StationRows<S>& rows, const std::vector<S>& weights, int n) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Part& part = parts_[static_cast<size_t>(3 * i + j)];
        part.is_used = rows.is_used(i) && rows.is_used(j);
        if (!part.is_used) continue;
        if (i > j) {
          part.values = parts_[static_cast<size_t>(3 * j + i)].values.transpose();
          continue;
        }
        part.values.setZero(n, n);
        rows.add_products(i, j, weights, part.values);
        if (i == j) copy_upper(part.values);
      }
  }
  // to += Σᵢⱼ X(i, j) ∫NᵢᵀNⱼ
  template <class Factors>
  void contract(const Factors& X, MatrixOf<S>& to) const {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const Part& part = parts_[static_cast<size_t>(3 * i + j)];
        if (!part.is_used) continue;
        const auto factor = X(i, j);
        if (!(factor == decltype(factor)(0))) add_scaled(factor, part.values.data(), to.size(), to.data());
      }
  }

 private:
  struct Part {
    MatrixOf<S> values;
    bool is_used = false;
  };
  std::array<Part, 9> parts_;
};

// (XΣ)ᵢⱼ; the operators X have many zeros
template <class T, class S>
S multiply(const Mat3Of<T>& X, const Mat3Of<S>& sigma, int i, int j) {
  S sum(0);
  for (int k = 0; k < 3; ++k)
    if (!(X(i, k) == T(0))) sum += S(X(i, k)) * sigma(k, j);
  return sum;
}

// J(X)ᵢⱼ = ∫ρ (s×eᵢ)·X(s×eⱼ); s×eᵢ has the entries +s at row i+1 and −s at row i+2 (cyclic).
template <class T, class S>
S calc_J(const Mat3Of<T>& X, const Mat3Of<S>& sigma, int i, int j) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  S J(0);
  if (!(X(i1, j1) == T(0))) J += S(X(i1, j1)) * sigma(i2, j2);
  if (!(X(i1, j2) == T(0))) J -= S(X(i1, j2)) * sigma(i2, j1);
  if (!(X(i2, j1) == T(0))) J -= S(X(i2, j1)) * sigma(i1, j2);
  if (!(X(i2, j2) == T(0))) J += S(X(i2, j2)) * sigma(i1, j1);
  return J;
}

// The same with the entry of (5).
template <class T, class S>
S calc_J_second(const Mat3Of<T>& X, const Mat3Of<S>& sigma, int i, int j) {
  const S J = calc_J(X, sigma, i, j);
  if (i != j) return J + S(0.5) * (multiply(X, sigma, i, j) + multiply(X, sigma, j, i));
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  return J - (multiply(X, sigma, i1, i1) + multiply(X, sigma, i2, i2));
}

// τ(X)ᵢ of (6)
template <class T, class S>
S calc_couple(const Mat3Of<T>& X, const Mat3Of<S>& sigma, int i) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  return multiply(X, sigma, i2, i1) - multiply(X, sigma, i1, i2);
}

// The operators of (3) that the motion needs, in the order of the terms.
struct Operators {
  std::vector<Mat3> W, WW;
  void set(const MotionBasis& basis) {
    W.clear();
    WW.clear();
    for (const Vec3& axis : basis.axes) W.push_back(skew(axis));
    for (size_t i = 0; i < W.size(); ++i)
      for (size_t j = i; j < W.size(); ++j) WW.push_back(i == j ? Mat3(W[i] * W[i]) : Mat3(W[i] * W[j] + W[j] * W[i]));
  }
};

// What a derivation needs besides the result; reused from element to element.
template <class S>
struct Workspace {
  Operators operators;
  StationRows<S> placement, rotation, strains, gradients, field;
  ShapeIntegrals<S> integrals;
  MatrixOf<S> first;  // ∫ρA Nᵢᵀxⱼ in column 3j + i, then ∫ρA Nᵢᵀ;  ∫Nθᵢᵀ in column i
  std::vector<S> factors, weights;  // of the stations
};

// weights[k] = value(station k); whether any is not zero.
template <class S, class Value>
bool set_weights(std::span<const BasicStation<S>> stations, std::vector<S>& weights, const Value& value) {
  weights.resize(stations.size());
  bool any = false;
  for (size_t k = 0; k < stations.size(); ++k) {
    weights[k] = value(stations[k]);
    any = any || !(weights[k] == S(0));
  }
  return any;
}

template <class S>
void add_moving_points(std::span<const BasicStation<S>> stations, int n, const MotionBasis& basis, Workspace<S>& w,
                       BasicElementTerms<S>& t) {
  if (!set_weights(stations, w.factors, [](const auto& st) { return S(st.weight * st.mass); })) return;
  const StationRows<S>& rows = w.placement;
  w.integrals.set(rows, w.factors, n);
  w.first.setZero(n, 12);
  for (int j = 0; j < 4; ++j) {
    size_t k = 0;
    const auto weight = [&](const BasicStation<S>& st) {
      const S& mass = w.factors[k++];
      return j < 3 ? S(mass * (st.x[j] - S(basis.origin[j]))) : mass;
    };
    if (set_weights(stations, w.weights, weight))
      for (int i = 0; i < 3; ++i) rows.add_sums(i, w.weights, w.first.col(3 * j + i));
  }
  const auto add_load = [&](const Mat3& X, VectorOf<S>& load) {
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        if (X(i, j) != 0 && rows.is_used(i)) add_scaled(X(i, j), &w.first(0, 3 * j + i), n, load.data());
  };
  w.integrals.contract(Mat3(Mat3::Identity()), t.M);
  for (size_t i = 0; i < t.G.size(); ++i) {
    w.integrals.contract(w.operators.W[i], t.G[i]);
    t.E[i] = t.G[i];  // the same operator; sections differ
    add_load(w.operators.W[i], t.B[i]);
  }
  for (size_t k = 0; k < t.S.size(); ++k) {
    w.integrals.contract(w.operators.WW[k], t.S[k]);
    add_load(w.operators.WW[k], t.H[k]);
  }
  for (size_t j = 0; j < t.A.size(); ++j)
    for (int i = 0; i < 3; ++i)
      if (const double a = basis.accelerations[j][i]; a != 0) add_scaled(a, &w.first(0, 9 + i), n, t.A[j].data());
}

// Stations of the same Σ.
template <class S>
void add_turning_sections(std::span<const BasicStation<S>> stations, int n, Workspace<S>& w, BasicElementTerms<S>& t) {
  const Mat3Of<S>& sigma = stations.front().sigma;
  StationRows<S>& rows = w.rotation;
  rows.set(
      stations, n, 3, [](const auto& st) -> const auto& { return st.N_theta; });
  set_weights(stations, w.weights, [](const auto& st) { return st.weight; });
  w.integrals.set(rows, w.weights, n);
  w.first.setZero(n, 3);
  for (int i = 0; i < 3; ++i) rows.add_sums(i, w.weights, w.first.col(i));
  const auto add_couple = [&](const Mat3& X, VectorOf<S>& load) {
    for (int i = 0; i < 3; ++i)
      if (rows.is_used(i))
        if (const S couple = calc_couple(X, sigma, i); !(couple == S(0)))
          add_scaled(couple, &w.first(0, i), n, load.data());
  };
  const auto J = [&](const Mat3& X) { return [&](int i, int j) { return calc_J(X, sigma, i, j); }; };
  const auto J_second = [&](const Mat3& X) { return [&](int i, int j) { return calc_J_second(X, sigma, i, j); }; };
  w.integrals.contract(J(Mat3::Identity()), t.M);
  for (size_t i = 0; i < t.G.size(); ++i) {
    w.integrals.contract(J(w.operators.W[i]), t.G[i]);
    w.integrals.contract(J_second(w.operators.W[i]), t.E[i]);
    add_couple(w.operators.W[i], t.B[i]);
  }
  for (size_t k = 0; k < t.S.size(); ++k) {
    w.integrals.contract(J_second(w.operators.WW[k]), t.S[k]);
    add_couple(w.operators.WW[k], t.H[k]);
  }
}

// ∫m δφ φ̈
template <class S>
void add_scalar_field(std::span<const BasicStation<S>> stations, int n, Workspace<S>& w, BasicElementTerms<S>& t) {
  if (std::all_of(stations.begin(), stations.end(), [](const auto& st) { return st.N_phi.rows() == 0; })) return;
  const auto inertia = [](const auto& st) { return st.N_phi.rows() > 0 ? S(st.weight * st.phi_mass) : S(0); };
  if (!set_weights(stations, w.weights, inertia)) return;
  w.field.set(
      stations, n, 1, [](const auto& st) -> const auto& { return st.N_phi; });
  MatrixOf<S>& of_field = w.first;
  of_field.setZero(n, n);
  w.field.add_products(0, 0, w.weights, of_field);
  copy_upper(of_field);
  add_scaled(S(1), of_field.data(), of_field.size(), t.M.data());
}

// to = Σ weight rowsᵀ C rows over the stations, with the C of each station, from to = 0.
template <class S, class Law>
void add_congruences(std::span<const BasicStation<S>> stations, const StationRows<S>& rows, int n_rows, const Law& law,
                     std::vector<S>& weights, MatrixOf<S>& to) {
  const auto add = [&](int i, int j) {
    const auto weight = [&](const BasicStation<S>& st) {
      const MatrixOf<S>* C = law(st);
      return C != nullptr && i < C->rows() && j < C->cols() ? S(st.weight * (*C)(i, j)) : S(0);
    };
    if (rows.is_used(i) && rows.is_used(j) && set_weights(stations, weights, weight))
      rows.add_products(i, j, weights, to);
  };
  for (int i = 0; i < n_rows; ++i) add(i, i);
  copy_upper(to);
  for (int j = 0; j < n_rows; ++j)
    for (int i = 0; i < n_rows; ++i)
      if (i != j) add(i, j);
}

template <class S>
void add_stresses(std::span<const BasicStation<S>> stations, int n, Workspace<S>& w, BasicElementTerms<S>& t) {
  Eigen::Index n_strains = 0, n_gradients = 0;
  for (const BasicStation<S>& st : stations) {
    n_strains = std::max(n_strains, st.B.rows());
    n_gradients = std::max(n_gradients, st.L.rows());
  }
  const auto strains = static_cast<int>(n_strains), gradients = static_cast<int>(n_gradients);
  w.strains.set(
      stations, n, strains, [](const auto& st) -> const auto& { return st.B; });
  w.gradients.set(
      stations, n, gradients, [](const auto& st) -> const auto& { return st.L; });
  add_congruences(
      stations, w.strains, strains, [](const auto& st) { return &st.stiffness; }, w.weights, t.K);
  for (size_t j = 0; j < t.Gamma.size(); ++j)
    add_congruences(
        stations, w.gradients, gradients, [j](const auto& st) { return j < st.Psi.size() ? &st.Psi[j] : nullptr; },
        w.weights, t.Gamma[j]);
  for (int j = 0; j < 3; ++j)  // Bᵀ C Θ
    for (int r = 0; r < strains; ++r) {
      const auto free_strain = [&](const BasicStation<S>& st) {
        return r < st.thermal.rows() && j < st.thermal.cols() ? st.thermal(r, j) : S(0);
      };
      if (!set_weights(stations, w.factors, free_strain)) continue;
      for (int i = 0; i < strains; ++i) {
        size_t k = 0;
        const auto stress = [&](const BasicStation<S>& st) {
          const S& strain = w.factors[k++];
          return i < st.stiffness.rows() ? S(st.weight * st.stiffness(i, r) * strain) : S(0);
        };
        if (set_weights(stations, w.weights, stress)) w.strains.add_sums(i, w.weights, t.member_load.col(6 + j));
      }
    }
}

template <class S>
void add_loads_and_dashpots(std::span<const BasicStation<S>> stations, const MotionBasis& basis, Workspace<S>& w,
                            BasicElementTerms<S>& t) {
  set_weights(stations, w.weights, [](const auto& st) { return st.weight; });
  for (int i = 0; i < 3; ++i) w.placement.add_sums(i, w.weights, t.member_load.col(i));
  for (int i = 0; i < 3; ++i)
    for (Eigen::Index k = 0; k < t.member_load.rows(); ++k) {
      S sum(0);
      for (const BasicStation<S>& st : stations) sum += st.weight * st.R_theta(i, k);
      t.member_load(k, 3 + i) = sum;
    }
  for (const BasicStation<S>& st : stations) {
    if (st.viscosity.rows() > 0) add_congruence(st.weight, st.B, st.viscosity, st.B, t.D);
    for (size_t i = 0; i < t.N.size(); ++i)
      for (size_t k = 0; k < st.transport.size(); ++k)
        add_congruence(S(st.weight * S(basis.axes[i][static_cast<int>(k)])), st.B, st.viscosity, st.transport[k],
                       t.N[i]);
  }
}

template <class S>
void derive_terms(const BasicStations<S>& all, int n, const MotionBasis& basis, Workspace<S>& w,
                  BasicElementTerms<S>& t) {
  const std::span<const BasicStation<S>> stations(all);
  w.operators.set(basis);
  w.placement.set(
      stations, n, 3, [](const auto& st) -> const auto& { return st.N; });
  t.reset(all, n, basis);
  add_moving_points(stations, n, basis, w, t);
  for (size_t first = 0, last = 0; first < stations.size(); first = last) {
    const Mat3Of<S>& sigma = stations[first].sigma;
    last = first + 1;
    while (last < stations.size() && stations[last].sigma == sigma) ++last;
    if (!(sigma.array() == S(0)).all()) add_turning_sections(stations.subspan(first, last - first), n, w, t);
  }
  add_scalar_field(stations, n, w, t);
  add_stresses(stations, n, w, t);
  add_loads_and_dashpots(stations, basis, w, t);
}

ELODYN_WIDE void derive_batch(const BasicStations<Batch>& stations, int n, const MotionBasis& basis,
                              Workspace<Batch>& workspace, BasicElementTerms<Batch>& t) {
  derive_terms(stations, n, basis, workspace, t);
}

struct NewtonEuler {
  static constexpr std::string_view kName = "newton_euler";
  static constexpr std::string_view kSummary = "inertia forces from accelerations, projected by virtual work";

  template <class S>
  static void derive(const BasicStations<S>& stations, int n, const MotionBasis& basis, BasicElementTerms<S>& t) {
    thread_local Workspace<S> workspace;
    if constexpr (std::is_same_v<S, Batch>)
      derive_batch(stations, n, basis, workspace, t);
    else
      derive_terms(stations, n, basis, workspace, t);
  }

  static Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) {
    StationWriter writer(station, basis);
    Operators operators;
    operators.set(basis);
    constexpr const char* kAxes[] = {"x", "y", "z"};
    // Σ eᵢ X(Wᵢ) + Σ wᵢwⱼ X(WWᵢⱼ), and Σ wᵢ X(Wᵢ)
    using Mat = Mat3Of<Symbolic>;
    const auto combine_B = [&](const auto& X) {
      Mat sum = Mat::Zero();
      for (size_t i = 0; i < operators.W.size(); ++i) sum += writer.epsilon(i) * X(operators.W[i].cast<Symbolic>());
      for (size_t k = 0; const auto& [i, j] : basis.pairs())
        sum += writer.omega(static_cast<size_t>(i)) * writer.omega(static_cast<size_t>(j)) *
               X(operators.WW[k++].cast<Symbolic>());
      return sum;
    };
    const auto combine_W = [&](const auto& X) {
      Mat sum = Mat::Zero();
      for (size_t i = 0; i < operators.W.size(); ++i) sum += writer.omega(i) * X(operators.W[i].cast<Symbolic>());
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
    const auto fill = [](const auto& entry) {
      Mat out;
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) out(i, j) = entry(i, j);
      return out;
    };
    const auto J = [&](const Mat& X) { return fill([&](int i, int j) { return calc_J(X, sigma, i, j); }); };
    const auto J_second = [&](const Mat& X) {
      return fill([&](int i, int j) { return calc_J_second(X, sigma, i, j); });
    };
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
