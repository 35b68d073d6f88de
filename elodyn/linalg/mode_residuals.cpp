#include "elodyn/linalg/mode_residuals.hpp"

#include <algorithm>
#include <cmath>

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// max d_i |K_ij| d_j
double find_largest(const SparseMatrix& K, const VectorX& d) {
  std::vector<double> largest(static_cast<size_t>(n_row_parts(K.cols())), 0);
  for_row_parts(K.cols(), [&](int part, Eigen::Index first, Eigen::Index last) {
    double& most = largest[static_cast<size_t>(part)];
    for (Eigen::Index j = first; j < last; ++j)
      for (SparseMatrix::InnerIterator it(K, j); it; ++it)
        most = std::max(most, d[it.row()] * std::abs(it.value()) * d[j]);
  });
  return *std::max_element(largest.begin(), largest.end());
}

}  // namespace

std::vector<Residual> calc_residuals(const RowPencil& pencil, const SparseMatrix& K, const VectorX& d,
                                     const std::vector<Complex>& values, const RowBlock& X,
                                     const Eigen::MatrixXcd& damping) {
  const Eigen::Index n = X.rows(), count = static_cast<Eigen::Index>(values.size());
  const int width = static_cast<int>(X.cols()), sizes_width = padded(count), n_matrices = pencil.n_matrices();
  RowBlock sizes(n, sizes_width);
  for_row_parts(n, [&](int, Eigen::Index first, Eigen::Index last) {
    for (Eigen::Index row = first; row < last; ++row) {
      for (Eigen::Index k = 0; k < count; ++k)
        sizes(row, k) = std::sqrt(std::norm(Complex(X(row, 2 * k), X(row, 2 * k + 1))));
      for (Eigen::Index k = count; k < sizes_width; ++k) sizes(row, k) = 0;
    }
  });
  struct Largest {
    Residual residual;
    double component = 0;  // of the vector, scaled
  };
  std::vector<std::vector<Largest>> parts(static_cast<size_t>(n_row_parts(n)));
  for_row_parts(n, [&](int part, Eigen::Index first, Eigen::Index last) {
    std::vector<Largest>& largest = parts[static_cast<size_t>(part)];
    largest.resize(static_cast<size_t>(count));
    RowBlock Z(kSlab, n_matrices * width), Z_sizes(kSlab, n_matrices * sizes_width);
    for (Eigen::Index slab = first; slab < last; slab += kSlab) {
      const Eigen::Index end = std::min(last, slab + kSlab);
      pencil.multiply(X.data(), width, slab, end, Z.data());
      pencil.multiply_sizes(sizes.data(), sizes_width, slab, end, Z_sizes.data());
      for (Eigen::Index k = 0; k < count; ++k) {
        const Complex l = values[static_cast<size_t>(k)], square = l * l;
        const double size = std::abs(l);
        Largest& of_mode = largest[static_cast<size_t>(k)];
        Residual& r = of_mode.residual;
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
          const double d_row = d[slab + row];
          r.error = std::max(r.error, d_row * std::sqrt(std::norm(sum)));
          r.size = std::max(r.size, d_row * of);
          of_mode.component = std::max(of_mode.component, sizes(slab + row, k) / d_row);
        }
      }
    }
  });
  // Nothing is smaller than the round-off of K, of which a motion that hardly strains the body may consist: with the
  // accepted residual this is a change of K by 1e-13 of its largest entry. For λ = 0 the size is that of K itself.
  constexpr double kSmallest = 1e-4;
  const double largest_of_K = find_largest(K, d);
  std::vector<Residual> out(values.size());
  for (size_t k = 0; k < out.size(); ++k) {
    double component = 0;
    for (const std::vector<Largest>& part : parts) {
      out[k].error = std::max(out[k].error, part[k].residual.error);
      out[k].size = std::max(out[k].size, part[k].residual.size);
      component = std::max(component, part[k].component);
    }
    out[k].size = std::max(out[k].size, (values[k] == 0.0 ? 1 : kSmallest) * largest_of_K * component);
  }
  return out;
}

std::vector<Residual> calc_residuals(const QuadraticProblem& p, const VectorX& d, const std::vector<Complex>& values,
                                     const Eigen::MatrixXcd& scaled) {
  constexpr Eigen::Index kModes = 8;  // at once
  const auto n = p.K.rows();
  const bool general = p.structure == Structure::general;
  const RowPencil pencil(p.K, p.M, p.C, general ? RowPencil::Symmetry::general : RowPencil::Symmetry::conservative);
  std::vector<Residual> all;
  for (Eigen::Index begin = 0; begin < scaled.cols(); begin += kModes) {
    const Eigen::Index here = std::min(kModes, scaled.cols() - begin);
    RowBlock X = RowBlock::Zero(n, padded(2 * here));
    for_row_parts(n, [&](int, Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index row = first; row < last; ++row)
        for (Eigen::Index k = 0; k < here; ++k) {
          const Complex x = d[row] * scaled(row, begin + k);
          X(row, 2 * k) = x.real();
          X(row, 2 * k + 1) = x.imag();
        }
    });
    Eigen::MatrixXcd damping;  // of the modes, besides C
    if (p.damped.cols() > 0) {
      const Eigen::MatrixXcd x = d.cast<Complex>().asDiagonal() * scaled.middleCols(begin, here);
      damping = p.damped.cast<Complex>() *
                (p.damping_weights.cast<Complex>().asDiagonal() * (p.damped.transpose().cast<Complex>() * x));
    }
    const auto first = values.begin() + begin;
    const std::vector<Residual> some = calc_residuals(pencil, p.K, d, {first, first + here}, X, damping);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

double find_worst_residual(const QuadraticProblem& p, const QuadraticModes& modes) {
  if (!modes.residuals.empty()) return *std::max_element(modes.residuals.begin(), modes.residuals.end());
  double worst = 0;
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  for (const Residual& r : calc_residuals(p, d, modes.values, modes.vectors)) worst = std::max(worst, r.relative());
  return worst;
}

}  // namespace elodyn
