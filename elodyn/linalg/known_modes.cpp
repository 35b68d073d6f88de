#include "elodyn/linalg/known_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/mumps.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// Of what C and K make of the free motions. A prestress comes from the solution of a linear system and leaves 1e-11 of
// ten elements, 1e-9 of a hundred.
constexpr double kNothing = 1e-8;

bool is_symmetric(const SparseMatrix& A) { return (A - SparseMatrix(A.transpose())).norm() <= 1e-14 * A.norm(); }

double largest(const MatrixX& A) { return A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff(); }

// Orthonormal combinations of the columns of A that give nothing beside `size`, the largest entry of what A is made of.
MatrixX find_nothing(const MatrixX& A, double size) {
  if (largest(A) <= kNothing * size) return MatrixX::Identity(A.cols(), A.cols());
  return null_space((A / size).transpose() * (A / size), kNothing * kNothing * static_cast<double>(A.rows()));
}

// The size of Coriolis and centrifugal effects on the motions: what K makes of them is nothing or of that size.
double measure_stiffness(const QuadraticProblem& p, const MatrixX& MR) {
  const double c = largest(p.free.CR) / largest(MR);
  return std::max(largest(p.free.KR), c * c * largest(MR));
}

double size_of_k(const MatrixX& c, const MatrixX& k) {
  return std::max({largest(c) * largest(c), largest(k), std::numeric_limits<double>::min()});
}

bool is_skew(const MatrixX& c, const MatrixX& k) {
  return largest(c + c.transpose()) <= kNothing * std::sqrt(size_of_k(c, k));
}

// λ² + λc + k = (λ + c/2)², as of translations seen from a spin.
bool is_square(const MatrixX& c, const MatrixX& k) {
  return is_skew(c, k) && largest(k - 0.25 * c * c) <= kNothing * size_of_k(c, k);
}

// The largest space of combinations of R that C, Cᵀ and K map into M times itself.
MatrixX find_apart(const QuadraticProblem& p, const MatrixX& MR, const MatrixX& c, const MatrixX& k) {
  const MatrixX &R = p.free.R, &CR = p.free.CR, &KR = p.free.KR;
  const auto n = R.rows(), r = R.cols();
  MatrixX misses(2 * n, r);
  const double size_C = std::max(largest(CR), std::numeric_limits<double>::min()),
               size_K = std::max(measure_stiffness(p, MR), std::numeric_limits<double>::min());
  misses << (CR - MR * c) / size_C, (KR - MR * k) / size_K;
  MatrixX S = find_nothing(misses, 1);
  // Without damping others that lie apart, as the tilt of a slender rod, are ordinary modes.
  if (is_skew(c, k) && S.cols() > 0) S = (S * find_nothing((k - 0.25 * c * c) * S, size_of_k(c, k))).eval();
  // C and Cᵀ together are the symmetric and the skew part; those of the small c are enough to stay inside.
  const double size_c = std::max(largest(c), std::numeric_limits<double>::min()), size_k = size_of_k(c, k);
  for (auto before = r + 1; S.cols() > 0 && S.cols() < before;) {
    before = S.cols();
    const MatrixX outside = MatrixX::Identity(r, r) - S * S.transpose();
    MatrixX leaves(3 * r, S.cols());
    leaves << outside * c * S / size_c, outside * c.transpose() * S / size_c, outside * k * S / size_k;
    S = (S * find_nothing(leaves, 1)).eval();
  }
  return S;
}

void add(std::vector<Complex>& values, std::vector<Eigen::VectorXcd>& vectors, Complex value,
         const Eigen::VectorXcd& vector) {
  if (value.imag() < 0) return;
  values.push_back(value);
  vectors.push_back(vector);
}

// Of λ² + λc + k.
void solve_apart(const MatrixX& c, const MatrixX& k, KnownModes& out) {
  const auto r = c.rows();
  std::vector<Eigen::VectorXcd> vectors;
  if (is_square(c, k)) {  // λ = −iw with the eigenvalues w of the Hermitian −ic/2
    Eigen::MatrixXcd H = Complex(0, -0.25) * (c - c.transpose()).cast<Complex>(), U;
    VectorX w;
    hermitian_eigen(H, 0, static_cast<int>(r) - 1, w, U);
    for (Eigen::Index j = 0; j < r; ++j) {
      const bool zero = std::abs(w[j]) <= kNothing * largest(c);
      const Complex value = zero ? Complex(0, 0) : Complex(0, -w[j]);
      add(out.values, vectors, value, U.col(j));
      if (!zero) add(out.values, vectors, value, U.col(j));
      out.n_negative += zero ? 0 : 1;
      out.has_zero |= zero;
    }
  } else if (largest(k) <= kNothing * size_of_k(c, k)) {  // λ(λ + c) = 0
    MatrixX half = 0.5 * (c + c.transpose()), U;
    VectorX rates;
    symmetric_eigen(half, 0, static_cast<int>(r) - 1, rates, U);
    for (Eigen::Index j = 0; j < r; ++j) {
      add(out.values, vectors, 0, U.col(j).cast<Complex>());
      if (std::abs(rates[j]) > kNothing * largest(c)) add(out.values, vectors, -rates[j], U.col(j).cast<Complex>());
    }
    out.has_zero = true;
  } else {
    MatrixX A = MatrixX::Zero(2 * r, 2 * r);
    A.topRightCorner(r, r).setIdentity();
    A.bottomLeftCorner(r, r) = -k;
    A.bottomRightCorner(r, r) = -c;
    Eigen::VectorXcd values;
    Eigen::MatrixXcd X;
    general_eigen(A, values, X);
    const double tiny = 1e-7 * values.cwiseAbs().maxCoeff();  // a double root is known to √ε
    for (Eigen::Index j = 0; j < 2 * r; ++j) {
      const Complex value = values[j];
      const bool real = std::abs(value.imag()) <= tiny;
      add(out.values, vectors, real ? Complex(value.real()) : value, X.col(j).head(r));
      out.has_zero |= std::abs(value) <= tiny;
    }
    MatrixX half = 0.5 * (k + k.transpose()), U;
    VectorX stiffness;
    symmetric_eigen(half, 0, static_cast<int>(r) - 1, stiffness, U);
    out.n_negative = static_cast<int>((stiffness.array() < 0).count());
  }
  out.vectors.resize(r, static_cast<Eigen::Index>(vectors.size()));
  for (size_t j = 0; j < vectors.size(); ++j) out.vectors.col(static_cast<Eigen::Index>(j)) = vectors[j];
}

// [K B; Bᵀ 0], with further columns c: [K c B; cᵀ −1 0; Bᵀ 0 0].
SparseMatrix make_bordered(const SparseMatrix& K, const MatrixX& c, const MatrixX& B) {
  const auto n = K.rows(), size = n + c.cols() + B.cols();
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < K.outerSize(); ++column)
    for (SparseMatrix::InnerIterator it(K, column); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), column, it.value());
  const auto put = [&](const MatrixX& border, Eigen::Index first) {
    for (Eigen::Index j = 0; j < border.cols(); ++j)
      for (Eigen::Index row = 0; row < n; ++row) {
        entries.emplace_back(static_cast<int>(row), static_cast<int>(first + j), border(row, j));
        entries.emplace_back(static_cast<int>(first + j), static_cast<int>(row), border(row, j));
      }
  };
  put(c, n);
  put(B, n + c.cols());
  for (auto j = n; j < n + c.cols(); ++j) entries.emplace_back(static_cast<int>(j), static_cast<int>(j), -1.0);
  SparseMatrix A(size, size);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

// Borders of the size of K, so that they pivot with it.
MatrixX scale_border(const SparseMatrix& K, const MatrixX& B) {
  return B * (K.diagonal().cwiseAbs().maxCoeff() / std::max(largest(B), std::numeric_limits<double>::min()));
}

// K x = b beside the motions whose products with M are B.
std::optional<MatrixX> solve_besides(const SparseMatrix& K, const MatrixX& B, const MatrixX& b) {
  const MatrixX border = scale_border(K, B);
  PivotingSolver<double> solver;
  if (!solver.factor(make_bordered(K, MatrixX(K.rows(), 0), border), Symmetry::symmetric)) return std::nullopt;
  MatrixX rhs = MatrixX::Zero(K.rows() + B.cols(), b.cols());
  rhs.topRows(K.rows()) = b;
  return MatrixX(solver.solve(rhs).topRows(K.rows()));
}

}  // namespace

MatrixX find_null_motions(const QuadraticProblem& p) {
  if (p.free.R.cols() == 0) return p.free.R;
  const double size = measure_stiffness(p, p.M * p.free.R);
  if (size == 0) return p.free.R;
  return p.free.R * find_nothing(p.free.KR, size);
}

KnownModes find_known_modes(const QuadraticProblem& p) {
  KnownModes out;
  const auto n = p.M.rows();
  out.motions.resize(n, 0);
  if (p.free.R.cols() == 0 || !is_symmetric(p.K)) return out;
  const MatrixX &R = p.free.R, MR = p.M * R;
  const MatrixX c = R.transpose() * p.free.CR, k = R.transpose() * p.free.KR;
  const MatrixX S = find_apart(p, MR, c, k);
  MatrixX cyclic(n, 0), C_cyclic(n, 0);
  MatrixX x(n, 0), y(n, 0);
  if (S.cols() < R.cols()) {
    const MatrixX rest =
        S.cols() == 0 ? MatrixX::Identity(R.cols(), R.cols()) : null_space(S * S.transpose(), 1e-6);  // the complement
    const MatrixX U = rest * find_nothing(p.free.KR * rest, measure_stiffness(p, MR));
    const MatrixX coupling = U.transpose() * c * U;
    if (U.cols() > 0 && largest(coupling) <= kNothing * largest(c)) {
      MatrixX B(n, S.cols() + U.cols());
      B << MR * S, MR * U;
      // C of a spin is skew; damping acts on no cyclic motion, else rᵀCr would not be 0.
      const auto found = solve_besides(p.K, B, p.free.CR * U);
      if (found) {
        cyclic = R * U;
        C_cyclic = p.free.CR * U;
        x = -*found;
        y = *found;  // Cᵀr = −Cr
      }
    }
  }
  out.n_apart = S.cols();
  out.motions.resize(n, S.cols() + cyclic.cols());
  out.motions << R * S, cyclic;
  if (out.empty()) return out;
  if (S.cols() > 0) {
    solve_apart(S.transpose() * c * S, S.transpose() * k * S, out);
    out.vectors = (R * S).cast<Complex>() * out.vectors;
  } else {
    out.vectors.resize(n, 0);
  }
  const auto a = S.cols(), u = cyclic.cols();
  out.states = MatrixX::Zero(2 * n, 2 * (a + u));
  out.momenta = MatrixX::Zero(2 * n, 2 * (a + u));
  out.states.block(0, 0, n, a) = out.states.block(n, a, n, a) = R * S;
  out.momenta.block(0, 0, n, a) = out.momenta.block(n, a, n, a) = MR * S;
  if (u > 0) {
    const MatrixX M_cyclic = p.M * cyclic;
    MatrixX states(2 * n, 2 * u), momenta(2 * n, 2 * u);
    states << cyclic, x, MatrixX::Zero(n, u), cyclic;
    MatrixX Ct_y = p.C.transpose() * y;
    if (p.damped.cols() > 0) Ct_y += p.damped * (p.damping_weights.asDiagonal() * (p.damped.transpose() * y));
    momenta << -C_cyclic, M_cyclic + Ct_y, M_cyclic, p.M * y;
    const MatrixX gram = momenta.transpose() * states;
    const Eigen::FullPivLU<MatrixX> lu(gram);
    constexpr double kApart = 1e-6;  // below it the chain of the double root is longer
    if (lu.matrixLU().diagonal().cwiseAbs().minCoeff() <= kApart * largest(gram)) return KnownModes{};
    out.states.rightCols(2 * u) = states;
    out.momenta.rightCols(2 * u) = momenta * lu.inverse().transpose();
    const auto before = out.vectors.cols();
    out.vectors.conservativeResize(n, before + u);
    out.vectors.rightCols(u) = cyclic.cast<Complex>();
    out.values.insert(out.values.end(), static_cast<size_t>(u), 0);
    out.has_zero = true;
  }
  return out;
}

std::optional<int> count_negative_besides(const QuadraticProblem& p, const KnownModes& known) {
  const MatrixX r = known.cyclic(), C_r = p.C * r;
  const MatrixX border = known.empty() ? MatrixX(p.K.rows(), 0) : scale_border(p.K, p.M * known.motions);
  PivotingSolver<double> solver;
  if (!solver.factor(make_bordered(p.K, C_r, border), Symmetry::symmetric)) return std::nullopt;
  return solver.n_negative() - static_cast<int>(C_r.cols() + border.cols());
}

}  // namespace elodyn
