#include "elodyn/analysis/harmonic_response.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/complex_solve.hpp"
#include "elodyn/linalg/known_modes.hpp"
#include "elodyn/linalg/solve.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
using VectorXc = Eigen::VectorXcd;
using MatrixXc = Eigen::MatrixXcd;
constexpr Complex kI{0, 1};
constexpr double kLost = 1e-3;  // a response with a larger share of round-off says nothing

// ---- direct ----

// Z(Ω) with modal damping as a border,
//   [ Z₀  U√c ; √c Uᵀ  −1 ] (z, y) = (f, 0),  c = iΩw:  (Z₀ + U c Uᵀ) z = f,
// which keeps it sparse and is solved as well where Z₀ alone is singular. Coordinates are scaled to a unit diagonal.
class DynamicStiffness {
 public:
  explicit DynamicStiffness(const HarmonicEquation& e) : e_(e), n_(e.M.rows()), n_border_(e.modal.weights.size()) {
    const auto m = static_cast<int>(n_border_), n = static_cast<int>(n_);
    const Eigen::Index total = n_ + n_border_, nonzeros = e.M.nonZeros() + 2 * n_ * n_border_ + n_border_;
    Z_.resize(total, total);
    Z_.resizeNonZeros(nonzeros);
    int* start = Z_.outerIndexPtr();
    int* row = Z_.innerIndexPtr();
    int at = 0;
    for (int j = 0; j < n; ++j) {
      start[j] = at;
      for (int k = e.M.outerIndexPtr()[j]; k < e.M.outerIndexPtr()[j + 1]; ++k) row[at++] = e.M.innerIndexPtr()[k];
      for (int b = 0; b < m; ++b) row[at++] = n + b;
    }
    for (int b = 0; b < m; ++b) {
      start[n + b] = at;
      for (int i = 0; i < n; ++i) row[at++] = i;
      row[at++] = n + b;
    }
    start[n + m] = at;
    size_.resize(nonzeros);
    mass_ = e.M.diagonal();
    stiffness_ = e.K.diagonal().cwiseAbs();
  }

  const ComplexSparse& set(double omega) {
    scale_ = (stiffness_ + omega * omega * mass_).cwiseSqrt().cwiseInverse();
    for (Eigen::Index i = 0; i < n_; ++i)
      if (!std::isfinite(scale_[i])) scale_[i] = 1;
    Complex* value = Z_.valuePtr();
    const double *M = e_.M.valuePtr(), *C = e_.C.valuePtr(), *K = e_.K.valuePtr(), *K0 = e_.K_elastic.valuePtr();
    const auto m = static_cast<int>(n_border_), n = static_cast<int>(n_);
    VectorXc root(n_border_);
    for (int b = 0; b < m; ++b) root[b] = std::sqrt(kI * omega * e_.modal.weights[b]);
    double* size = size_.data();
    const auto put = [&](Complex entry, double of_terms) {
      *value++ = entry;
      *size++ = of_terms;
    };
    for (int j = 0; j < n; ++j) {
      for (int k = e_.M.outerIndexPtr()[j]; k < e_.M.outerIndexPtr()[j + 1]; ++k) {
        const double scale = scale_[e_.M.innerIndexPtr()[k]] * scale_[j];
        const double m2 = omega * omega * M[k], c1 = omega * C[k], k1 = e_.loss_factor * K0[k];
        put(scale * Complex(K[k] - m2, c1 + k1), scale * (std::abs(K[k]) + std::abs(m2) + std::abs(c1) + std::abs(k1)));
      }
      for (int b = 0; b < m; ++b) {
        const Complex entry = scale_[j] * e_.modal.M_phi(j, b) * root[b];
        put(entry, std::abs(entry));
      }
    }
    for (int b = 0; b < m; ++b) {
      for (int i = 0; i < n; ++i) {
        const Complex entry = scale_[i] * e_.modal.M_phi(i, b) * root[b];
        put(entry, std::abs(entry));
      }
      put(-1.0, 1);
    }
    return Z_;
  }
  const VectorX& scale() const { return scale_; }
  // Σ|terms| of the entries, times |x|: what round-off in forming Z x is measured by.
  VectorX calc_size(const VectorXc& x) const {
    VectorX out = VectorX::Zero(total());
    for (Eigen::Index j = 0; j < total(); ++j)
      for (int k = Z_.outerIndexPtr()[j]; k < Z_.outerIndexPtr()[j + 1]; ++k)
        out[Z_.innerIndexPtr()[k]] += size_[k] * std::abs(x[j]);
    return out;
  }
  Eigen::Index total() const { return n_ + n_border_; }

 private:
  const HarmonicEquation& e_;
  Eigen::Index n_, n_border_;
  ComplexSparse Z_;
  VectorX size_;  // of the entries, before terms of opposite sign are added
  VectorX mass_, stiffness_, scale_;
};

// Signs that look random and are always the same.
VectorX fixed_signs(Eigen::Index n) {
  VectorX signs(n);
  std::uint32_t state = 12345;
  for (Eigen::Index i = 0; i < n; ++i) {
    state = state * 1664525U + 1013904223U;
    signs[i] = (state >> 31U) != 0 ? 1 : -1;
  }
  return signs;
}

class DirectMethod final : public ResponseMethod {
 public:
  DirectMethod(HarmonicEquation e, MatrixX F) : e_(std::move(e)), F_(std::move(F)) {}

  Solver start() const override {
    struct State {
      DynamicStiffness stiffness;
      ComplexSolver solver;
      VectorX signs;
    };
    auto state =
        std::make_shared<State>(State{DynamicStiffness(e_), {}, fixed_signs(e_.M.rows() + e_.modal.weights.size())});
    return [this, state](double omega, const VectorXc& p) {
      const auto n = F_.rows();
      SteadyResponse out;
      const ComplexSparse& Z = state->stiffness.set(omega);
      VectorXc f = VectorXc::Zero(state->stiffness.total());
      f.head(n) = state->stiffness.scale().asDiagonal() * (F_ * p);
      out.z = VectorXc::Zero(n);
      if (f.isZero(0)) return out;
      out.is_resonant = !state->solver.factor(Z);
      if (out.is_resonant) return out;
      const VectorXc x = state->solver.solve(f);
      // The terms of Z are known to ε, so x to Z⁻¹ ε (|K| + Ω²|M| + …)|x|.
      const VectorX size = state->stiffness.calc_size(x);
      const VectorXc change = state->solver.solve(VectorXc((kEps * size.cwiseProduct(state->signs)).cast<Complex>()));
      out.round_off = change.norm() / x.norm();
      out.is_resonant = !(out.round_off < kLost);
      out.z = state->stiffness.scale().asDiagonal() * x.head(n);
      return out;
    };
  }

 private:
  HarmonicEquation e_;
  MatrixX F_;
};

// ---- modal ----

// K x = b, with K symmetric if it is so, definite or not.
class StiffnessSolver {
 public:
  explicit StiffnessSolver(const SparseMatrix& K) {
    const bool symmetric = (SparseMatrix(K.transpose()) - K).norm() <= 1e-13 * K.norm();
    if (symmetric && cholesky_.factor(K)) return;
    is_definite_ = false;
    if (!lu_.factor(K))
      throw NumericalError(
          "the stiffness is singular, so modes that are left out cannot be corrected for; use "
          "corrections = 0 or method = \"direct\"");
  }
  MatrixX solve(const MatrixX& b) const { return is_definite_ ? cholesky_.solve(b) : lu_.solve(b); }

 private:
  CholeskySolver cholesky_;
  LuSolver lu_;
  bool is_definite_ = true;
};

// Undamped and without Coriolis terms: z = Σ φ φᵀf/(μ − Ω²) + Σ_k (−Ω² − t₀)^k R_k p.
class RealModes final : public ResponseMethod {
 public:
  RealModes(const QuadraticProblem& p, const MatrixX& F, SymmetricModes modes, const ModalOptions& o)
      : modes_(std::move(modes)), participation_(modes_.vectors.transpose() * F) {
    if (o.corrections == 0) return;
    const bool is_free = find_null_motions(p).cols() > 0;
    if (is_free) shift_ = o.highest * o.highest;
    const StiffnessSolver solver(p.K + shift_ * p.M);
    const auto clear = [&](MatrixX& R) { R -= modes_.vectors * (modes_.vectors.transpose() * (p.M * R)); };
    MatrixX R = solver.solve(F);
    for (int k = 0; k < o.corrections; ++k) {
      if (k > 0) R = -solver.solve(p.M * R);
      clear(R);
      rest_.push_back(R);
    }
  }

  Solver start() const override {
    return [this](double omega, const VectorXc& p) {
      SteadyResponse out;
      const double t = -omega * omega;
      VectorXc amplitude = participation_ * p;
      const double size = amplitude.norm();
      for (Eigen::Index k = 0; k < amplitude.size(); ++k) {
        const double difference = modes_.squares[k] + t, sum = std::abs(modes_.squares[k]) - t;
        constexpr double kNone = 1e-12;  // of the load: does not drive this mode
        if (std::abs(amplitude[k]) <= kNone * size && difference == 0) amplitude[k] = 0;
        if (amplitude[k] == 0.0) continue;
        out.round_off = std::max(out.round_off, kEps * sum / std::abs(difference));
        amplitude[k] /= difference;
      }
      out.is_resonant = !(out.round_off < kLost);
      out.z = modes_.vectors * amplitude;
      double power = 1;
      for (const MatrixX& R : rest_) {
        out.z += power * (R * p);
        power *= t - shift_;
      }
      return out;
    };
  }

 private:
  SymmetricModes modes_;
  MatrixX participation_;
  double shift_ = 0;
  std::vector<MatrixX> rest_;
};

MatrixX apply_velocity(const QuadraticProblem& p, const MatrixX& x) {
  MatrixX out = p.C * x;
  if (p.damping_weights.size() > 0) out += p.damped * (p.damping_weights.asDiagonal() * (p.damped.transpose() * x));
  return out;
}
MatrixXc apply_velocity(const QuadraticProblem& p, const MatrixXc& x) {
  return apply_velocity(p, MatrixX(x.real())).cast<Complex>() +
         kI * apply_velocity(p, MatrixX(x.imag())).cast<Complex>();
}

// Eigenvalues with right vectors; the conjugates are there too.
struct RightModes {
  std::vector<Complex> values;
  MatrixXc vectors;
};

// The modes with |λ| up to the limit, or as many as asked for; the lowest first.
QuadraticModes solve_modes(const QuadraticProblem& p, const ModesKept& kept) {
  const int n = static_cast<int>(p.K.rows());
  constexpr int kStart = 16;
  int count = std::min(n, std::max(kept.count.value_or(1), kept.up_to ? kStart : 1));
  for (;;) {
    throw_if_interrupted();
    QuadraticModes modes = solve_quadratic_modes(p, count);
    double highest = 0;
    for (const Complex& value : modes.values) highest = std::max(highest, std::abs(value));
    if (!kept.up_to || highest > *kept.up_to || count == n) return modes;
    count = std::min(n, 2 * count);
  }
}

RightModes with_conjugates(const QuadraticModes& modes, const ModesKept& kept) {
  RightModes out;
  std::vector<VectorXc> columns;
  for (size_t k = 0; k < modes.values.size(); ++k) {
    const Complex value = modes.values[k];
    const bool is_asked_for = kept.count && k < static_cast<size_t>(*kept.count);
    if (kept.up_to && !is_asked_for && std::abs(value) > *kept.up_to && value.real() <= 0) continue;
    out.values.push_back(value);
    columns.emplace_back(modes.vectors.col(static_cast<Eigen::Index>(k)));
    if (value.imag() == 0) continue;
    out.values.push_back(std::conj(value));
    columns.emplace_back(columns.back().conjugate());
  }
  out.vectors.resize(modes.vectors.rows(), static_cast<Eigen::Index>(columns.size()));
  for (size_t k = 0; k < columns.size(); ++k) out.vectors.col(static_cast<Eigen::Index>(k)) = columns[k];
  return out;
}

bool is_symmetric(const SparseMatrix& A) { return (SparseMatrix(A.transpose()) - A).norm() <= 1e-13 * A.norm(); }

// Left vectors ψᵀQ(λ) = 0: φ if C and K are symmetric; φ̄ if C is skew and λ imaginary; else those of the transposed
// problem, whose eigenvalues are the same. Right modes without a partner, at the end of the list, are dropped.
MatrixXc find_left_vectors(const QuadraticProblem& p, const ModesKept& kept, RightModes& right) {
  constexpr double kSame = 1e-6;
  if (is_symmetric(p.C) && is_symmetric(p.K)) return right.vectors;
  const bool is_conservative =
      p.structure == Structure::gyroscopic && std::all_of(right.values.begin(), right.values.end(), [](Complex value) {
        return std::abs(value.real()) <= kSame * std::abs(value);
      });
  if (is_conservative) return right.vectors.conjugate();
  QuadraticProblem transposed = p;
  transposed.C = p.C.transpose();
  transposed.K = p.K.transpose();
  const RightModes left = with_conjugates(solve_modes(transposed, kept), kept);
  std::vector<bool> used(left.values.size(), false);
  std::vector<VectorXc> phi, psi;
  std::vector<Complex> values;
  for (size_t k = 0; k < right.values.size(); ++k) {
    size_t best = left.values.size();
    for (size_t l = 0; l < left.values.size(); ++l)
      if (!used[l] && (best == left.values.size() ||
                       std::abs(left.values[l] - right.values[k]) < std::abs(left.values[best] - right.values[k])))
        best = l;
    if (best == left.values.size() || std::abs(left.values[best] - right.values[k]) > kSame * std::abs(right.values[k]))
      continue;
    used[best] = true;
    values.push_back(right.values[k]);
    phi.emplace_back(right.vectors.col(static_cast<Eigen::Index>(k)));
    psi.emplace_back(left.vectors.col(static_cast<Eigen::Index>(best)));
  }
  MatrixXc out(right.vectors.rows(), static_cast<Eigen::Index>(psi.size()));
  right.vectors.resize(out.rows(), out.cols());
  right.values = values;
  for (size_t k = 0; k < psi.size(); ++k) {
    right.vectors.col(static_cast<Eigen::Index>(k)) = phi[k];
    out.col(static_cast<Eigen::Index>(k)) = psi[k];
  }
  return out;
}

// z = Φ (s − Λ)⁻¹ B⁻¹ Ψᵀ f + Σ_k s^k R_k p, s = iΩ, with B = ΨᵀCΦ + ΨᵀMΦ Λ + Λ ΨᵀMΦ, the product of left and right
// vectors of the first-order form. It is diagonal but for equal eigenvalues, which need not be told apart.
class ComplexModes final : public ResponseMethod {
 public:
  ComplexModes(const QuadraticProblem& p, const MatrixX& F, RightModes right, const MatrixXc& left,
               const ModalOptions& o)
      : values_(Eigen::Map<const VectorXc>(right.values.data(), static_cast<Eigen::Index>(right.values.size()))),
        vectors_(std::move(right.vectors)) {
    const MatrixXc mass = left.transpose() * (p.M.cast<Complex>() * vectors_);
    MatrixXc B = left.transpose() * apply_velocity(p, vectors_) + mass * values_.asDiagonal();
    B += values_.asDiagonal() * mass;
    const VectorX size = B.cwiseAbs().rowwise().maxCoeff();
    const MatrixXc rhs = left.transpose() * F.cast<Complex>();
    ComplexSolver solver;
    const VectorX inverse = size.cwiseInverse();
    const MatrixXc scaled = inverse.asDiagonal() * B;
    ComplexSparse sparse = scaled.sparseView();
    sparse.makeCompressed();
    if (!inverse.allFinite() || !solver.factor(sparse))
      throw NumericalError("left and right modes are not independent; use method = \"direct\"");
    participation_.resize(values_.size(), F.cols());
    for (Eigen::Index j = 0; j < F.cols(); ++j)
      participation_.col(j) = solver.solve(VectorXc(inverse.asDiagonal() * rhs.col(j)));
    if (o.corrections > 0) set_rest(p, F, 2 * o.corrections);
  }

  Solver start() const override {
    return [this](double omega, const VectorXc& p) {
      SteadyResponse out;
      const Complex s = kI * omega;
      VectorXc amplitude = participation_ * p;
      for (Eigen::Index k = 0; k < amplitude.size(); ++k) {
        if (amplitude[k] == 0.0) continue;
        const double distance = std::abs(s - values_[k]);
        out.round_off = std::max(out.round_off, kEps * (omega + std::abs(values_[k])) / distance);
        amplitude[k] /= s - values_[k];
      }
      out.is_resonant = !(out.round_off < kLost);
      out.z = vectors_ * amplitude;
      Complex power = 1;
      for (const MatrixX& R : rest_) {
        out.z += power * (R * p);
        power *= s;
      }
      return out;
    };
  }

 private:
  // x = Σ s^k x_k, K x_k = −C x_{k−1} − M x_{k−2}, less the same series of the modes that are kept.
  void set_rest(const QuadraticProblem& p, const MatrixX& F, int n_terms) {
    const StiffnessSolver solver(p.K);
    std::vector<MatrixX> x;
    MatrixXc amplitude = participation_;
    for (int k = 0; k < n_terms; ++k) {
      MatrixX rhs = F;
      if (k > 0) rhs = -apply_velocity(p, x[static_cast<size_t>(k) - 1]);
      if (k > 1) rhs -= p.M * x[static_cast<size_t>(k) - 2];
      x.push_back(solver.solve(rhs));
      amplitude = values_.cwiseInverse().asDiagonal() * amplitude;
      rest_.emplace_back(x.back() + (vectors_ * amplitude).real());
    }
  }

  VectorXc values_;
  MatrixXc vectors_, participation_;
  std::vector<MatrixX> rest_;
};

// ---- reduced ----

class ReducedMethod final : public ResponseMethod {
 public:
  ReducedMethod(HarmonicEquation e, const MatrixX& F, MatrixX V)
      : V_(std::move(V)), inner_(make_direct_method(std::move(e), V_.transpose() * F)) {}

  Solver start() const override {
    return [this, solve = inner_->start()](double omega, const VectorXc& p) {
      SteadyResponse out = solve(omega, p);
      out.z = V_ * out.z;
      return out;
    };
  }

 private:
  MatrixX V_;
  std::unique_ptr<ResponseMethod> inner_;
};

}  // namespace

VectorXc HarmonicEquation::apply(double omega, const VectorXc& z) const {
  VectorXc out = K.cast<Complex>() * z - omega * omega * (M.cast<Complex>() * z);
  out += kI * omega * (C.cast<Complex>() * z);
  out += kI * loss_factor * (K_elastic.cast<Complex>() * z);
  if (!modal.empty()) out += kI * omega * (modal.M_phi * (modal.weights.asDiagonal() * (modal.M_phi.transpose() * z)));
  return out;
}

HarmonicEquation make_harmonic_equation(const AffineEquation& equation, const ModalDamping& modal,
                                        const FactorValues& at, double loss_factor) {
  HarmonicEquation e{
      equation.calc_mass(), equation.calc_velocity(at), equation.calc_stiffness(at), equation.calc_elastic(), {},
      loss_factor};
  // A ratio of 0 damps nothing, and would border the matrix with zeros.
  std::vector<Eigen::Index> kept;
  for (Eigen::Index k = 0; k < modal.weights.size(); ++k)
    if (modal.weights[k] > 0) kept.push_back(k);
  e.modal.M_phi.resize(equation.size(), static_cast<Eigen::Index>(kept.size()));
  e.modal.weights.resize(static_cast<Eigen::Index>(kept.size()));
  for (size_t k = 0; k < kept.size(); ++k) {
    e.modal.M_phi.col(static_cast<Eigen::Index>(k)) = modal.M_phi.col(kept[k]);
    e.modal.weights[static_cast<Eigen::Index>(k)] = modal.weights[kept[k]];
  }
  return e;
}

std::unique_ptr<ResponseMethod> make_direct_method(HarmonicEquation equation, MatrixX F) {
  return std::make_unique<DirectMethod>(std::move(equation), std::move(F));
}

std::unique_ptr<ResponseMethod> make_reduced_method(const BodySystem& s, CraigBampton reduction, const MatrixX& F,
                                                    double loss_factor) {
  return std::make_unique<ReducedMethod>(
      make_harmonic_equation(reduction.equation, reduction.modal, s.calc_factors(0), loss_factor), F,
      std::move(reduction.V));
}

ModalMethod make_modal_method(const QuadraticProblem& p, MatrixX F, const ModalOptions& o) {
  ModalMethod out;
  if (p.structure == Structure::symmetric) {
    const MatrixX rigid = p.free.R.cols() > 0 ? find_null_motions(p) : MatrixX(p.K.rows(), 0);
    const int n = static_cast<int>(p.K.rows());
    const double limit = o.kept.up_to ? *o.kept.up_to * *o.kept.up_to : 0;
    int count = std::min(n, std::max(o.kept.count.value_or(1), o.kept.up_to ? 16 : 1));
    SymmetricModes modes = solve_symmetric_modes(p.K, p.M, count, rigid);
    while (o.kept.up_to && count < n && modes.squares[modes.squares.size() - 1] <= limit) {
      throw_if_interrupted();
      count = std::min(n, 2 * count);
      modes = solve_symmetric_modes(p.K, p.M, count, rigid);
    }
    Eigen::Index wanted = o.kept.count ? std::min<Eigen::Index>(*o.kept.count, modes.squares.size()) : 0;
    while (o.kept.up_to && wanted < modes.squares.size() && modes.squares[wanted] <= limit) ++wanted;
    modes.squares.conservativeResize(wanted);
    modes.vectors.conservativeResize(Eigen::NoChange, wanted);
    for (Eigen::Index k = 0; k < wanted; ++k) out.values.push_back(std::sqrt(Complex(-modes.squares[k])));
    out.method = std::make_unique<RealModes>(p, F, std::move(modes), o);
    return out;
  }
  RightModes right = with_conjugates(solve_modes(p, o.kept), o.kept);
  double highest = 0, lowest = std::numeric_limits<double>::infinity();
  for (const Complex& value : right.values) {
    highest = std::max(highest, std::abs(value));
    lowest = std::min(lowest, std::abs(value));
  }
  constexpr double kZero = 1e-7;  // a double root is known to √ε
  if (find_null_motions(p).cols() > 0 || lowest <= kZero * highest)
    throw NumericalError(
        "a free body that is damped or spins has modes of frequency 0 that cannot be summed over; use "
        "method = \"direct\" or \"craig_bampton\"");
  const MatrixXc left = find_left_vectors(p, o.kept, right);
  out.values = right.values;
  out.method = std::make_unique<ComplexModes>(p, F, std::move(right), left, o);
  return out;
}

QuadraticProblem without_damping(QuadraticProblem p, const AffineEquation& equation, const FactorValues& at) {
  VectorX coriolis = VectorX::Zero(equation.pattern->n_nonzeros());
  for (const MatrixTerm& term : equation.matrices)
    if (term.kind == TermKind::coriolis) coriolis += term.coefficient * at(term.factor) * term.values;
  p.C = equation.pattern->to_matrix(coriolis);
  p.damped.resize(p.K.rows(), 0);
  p.damping_weights.resize(0);
  p.K = 0.5 * (p.K + SparseMatrix(p.K.transpose()));
  p.structure = coriolis.isZero(0) ? Structure::symmetric : Structure::gyroscopic;
  if (p.free.R.cols() > 0) p.free.CR = p.C * p.free.R;
  return p;
}

Resonances find_resonances(const BodySystem& s, const HarmonicEquation& e, double up_to) {
  const QuadraticProblem p = without_damping(make_mode_problem(s, 0), s.reduced, s.calc_factors(0));
  const QuadraticModes modes = solve_modes(p, {std::nullopt, up_to});
  Resonances out{{}, modes.values};
  for (size_t k = 0; k < modes.values.size(); ++k) {
    const double omega = modes.values[k].imag();
    if (omega <= 0 || omega > up_to) continue;
    const VectorXc phi = modes.vectors.col(static_cast<Eigen::Index>(k));
    // What the rest of Z does to the eigenvalue, to first order.
    const VectorXc rest = e.apply(omega, phi) + omega * omega * (p.M.cast<Complex>() * phi) -
                          kI * omega * (p.C.cast<Complex>() * phi) - p.K.cast<Complex>() * phi;
    const Complex slope = phi.dot(2.0 * kI * omega * (p.M.cast<Complex>() * phi) + p.C.cast<Complex>() * phi);
    out.list.push_back({omega, std::max(0.0, (phi.dot(rest) / slope).real()), phi, slope});
  }
  return out;
}

bool may_grow(const BodySystem& s) {
  const FactorValues at = s.calc_factors(0);
  return std::any_of(s.reduced.matrices.begin(), s.reduced.matrices.end(), [&](const MatrixTerm& term) {
    const bool is_harmless =
        term.kind == TermKind::mass || term.kind == TermKind::damping || term.kind == TermKind::elastic;
    return !is_harmless && at(term.factor) != 0 && !term.values.isZero(0);
  });
}

}  // namespace elodyn
