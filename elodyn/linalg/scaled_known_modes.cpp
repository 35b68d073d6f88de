#include "elodyn/linalg/scaled_known_modes.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

}  // namespace

ScaledKnownModes::ScaledKnownModes(const KnownModes& known, const VectorX& d) {
  VectorX twice(2 * d.size());
  twice << d, d;
  if (known.empty()) return;
  V_ = twice.cwiseInverse().asDiagonal() * known.states;
  W_ = twice.asDiagonal() * known.momenta;
}

void ScaledKnownModes::remove_from(MatrixX& inverse) const {
  if (size() == 0) return;
  inverse -= V_ * (W_.transpose() * inverse);
  inverse -= (inverse * V_) * W_.transpose();
}

Eigen::VectorXcd ScaledKnownModes::clean(Complex lambda, const Eigen::VectorXcd& x) const {
  if (size() == 0) return x;
  Eigen::VectorXcd state(2 * x.size());
  state << x, lambda * x;
  return x - V_.topRows(x.size()).cast<Complex>() * (W_.transpose().cast<Complex>() * state);
}

void add_known(const QuadraticProblem& p, const KnownModes& known, int count, QuadraticModes& out) {
  if (known.empty()) return;
  std::vector<Complex> values = known.values;
  std::vector<Eigen::VectorXcd> vectors;
  const auto roots = p.M.diagonal().cwiseSqrt().cast<Complex>().asDiagonal();
  for (const auto& vector : known.vectors.colwise()) vectors.emplace_back((roots * vector).normalized());
  // Where nearly all modes are asked for, lifted motions are among what was solved.
  const MatrixX apart = known.motions.leftCols(known.n_apart);
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  const auto is_lifted = [&](const Eigen::VectorXcd& scaled) {
    const Eigen::VectorXcd x = d.cast<Complex>().cwiseProduct(scaled), M_x = p.M.cast<Complex>() * x;
    return (apart.transpose().cast<Complex>() * M_x).squaredNorm() > 0.5 * x.dot(M_x).real();
  };
  for (size_t k = 0; k < out.values.size(); ++k) {
    const Eigen::VectorXcd vector = out.vectors.col(static_cast<Eigen::Index>(k));
    if ((values.size() < static_cast<size_t>(count) || out.values[k].real() > 0) && !is_lifted(vector)) {
      values.push_back(out.values[k]);
      vectors.push_back(vector);
    }
  }
  out.values = values;
  out.vectors.resize(p.K.rows(), static_cast<Eigen::Index>(values.size()));
  for (size_t k = 0; k < vectors.size(); ++k) out.vectors.col(static_cast<Eigen::Index>(k)) = vectors[k];
}

}  // namespace elodyn
