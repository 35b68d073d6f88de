#include "elodyn/linalg/mode_residuals.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/linalg/row_product.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

}  // namespace

std::vector<Residual> calc_residuals(const QuadraticProblem& p, const VectorX& d, const std::vector<Complex>& values,
                                     const Eigen::MatrixXcd& scaled) {
  constexpr Eigen::Index kModes = 8;  // at once
  const auto n = p.K.rows();
  const bool general = p.structure == Structure::general;
  const RowPencil pencil(p.K, p.M, p.C, general ? RowPencil::Symmetry::general : RowPencil::Symmetry::conservative);
  std::vector<Residual> all(values.size());
  for (Eigen::Index begin = 0; begin < scaled.cols(); begin += kModes) {
    const Eigen::Index here = std::min(kModes, scaled.cols() - begin);
    const int width = padded(2 * here), sizes_width = padded(here);
    RowBlock X = RowBlock::Zero(n, width), sizes = RowBlock::Zero(n, sizes_width);
    for_row_parts(n, [&](int, Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index row = first; row < last; ++row)
        for (Eigen::Index k = 0; k < here; ++k) {
          const Complex x = d[row] * scaled(row, begin + k);
          X(row, 2 * k) = x.real();
          X(row, 2 * k + 1) = x.imag();
          sizes(row, k) = std::sqrt(std::norm(x));
        }
    });
    Eigen::MatrixXcd damping;  // of the modes, besides C
    if (p.damped.cols() > 0) {
      const Eigen::MatrixXcd x = d.cast<Complex>().asDiagonal() * scaled.middleCols(begin, here);
      damping = p.damped.cast<Complex>() *
                (p.damping_weights.cast<Complex>().asDiagonal() * (p.damped.transpose().cast<Complex>() * x));
    }
    std::vector<std::vector<Residual>> parts(static_cast<size_t>(n_row_parts(n)));
    for_row_parts(n, [&](int part, Eigen::Index first, Eigen::Index last) {
      std::vector<Residual>& largest = parts[static_cast<size_t>(part)];
      largest.resize(static_cast<size_t>(here));
      const int n_matrices = pencil.n_matrices();
      RowBlock Z(kSlab, n_matrices * width), Z_sizes(kSlab, n_matrices * sizes_width);
      for (Eigen::Index slab = first; slab < last; slab += kSlab) {
        const Eigen::Index end = std::min(last, slab + kSlab);
        pencil.multiply(X.data(), width, slab, end, Z.data());
        pencil.multiply_sizes(sizes.data(), sizes_width, slab, end, Z_sizes.data());
        for (Eigen::Index k = 0; k < here; ++k) {
          const Complex l = values[static_cast<size_t>(begin + k)], square = l * l;
          const double size = std::abs(l);
          Residual& r = largest[static_cast<size_t>(k)];
          for (Eigen::Index row = 0; row < end - slab; ++row) {
            const auto at = [&](int matrix) {
              return Complex(Z(row, matrix * width + 2 * k), Z(row, matrix * width + 2 * k + 1));
            };
            const auto size_at = [&](int matrix) { return Z_sizes(row, matrix * sizes_width + k); };
            Complex sum = square * at(1) + at(0);
            double of = size * size * size_at(1) + size_at(0);
            if (pencil.has_C()) {
              sum += l * at(2);
              of += size * size_at(2);
            }
            if (damping.size() > 0) sum += l * damping(slab + row, k);
            r.error = std::max(r.error, d[slab + row] * std::sqrt(std::norm(sum)));
            r.size = std::max(r.size, d[slab + row] * of);
          }
        }
      }
    });
    for (const std::vector<Residual>& part : parts)
      for (size_t k = 0; k < part.size(); ++k) {
        Residual& r = all[static_cast<size_t>(begin) + k];
        r.error = std::max(r.error, part[k].error);
        r.size = std::max(r.size, part[k].size);
      }
  }
  // Nothing is smaller than the round-off of K, of which a motion that hardly strains the body may consist: with the
  // accepted residual this is a change of K by 1e-13 of its largest entry. For λ = 0 the size is that of K itself.
  constexpr double kSmallest = 1e-4;
  double largest = 0;
  for (int j = 0; j < p.K.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(p.K, j); it; ++it)
      largest = std::max(largest, d[it.row()] * std::abs(it.value()) * d[j]);
  for (size_t k = 0; k < values.size(); ++k)
    all[k].size = std::max(all[k].size, (values[k] == 0.0 ? 1 : kSmallest) * largest *
                                            scaled.col(static_cast<Eigen::Index>(k)).cwiseAbs().maxCoeff());
  return all;
}

double find_worst_residual(const QuadraticProblem& p, const QuadraticModes& modes) {
  double worst = 0;
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  for (const Residual& r : calc_residuals(p, d, modes.values, modes.vectors))
    if (r.error > 0) worst = std::max(worst, r.error / r.size);
  return worst;
}

}  // namespace elodyn
