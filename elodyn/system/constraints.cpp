#include "elodyn/system/constraints.hpp"

#include <cmath>
#include <map>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// q_pivot = Σ coefficient·q_i + constant
struct Substitution {
  std::map<int, double> coefficients;
  double constant = 0;
};

void add_scaled(Substitution& into, double factor, const Substitution& other) {
  for (const auto& [i, c] : other.coefficients) {
    double& sum = into.coefficients[i];
    sum += factor * c;
    if (sum == 0) into.coefficients.erase(i);
  }
  into.constant += factor * other.constant;
}

// Replaces coordinate `which` in `row` by its substitution, if it is there.
void substitute(Substitution& row, int which, const Substitution& by) {
  const auto it = row.coefficients.find(which);
  if (it == row.coefficients.end()) return;
  const double factor = it->second;
  row.coefficients.erase(it);
  add_scaled(row, factor, by);
}

}  // namespace

Constraints::Constraints(int n_full, const std::vector<ConstraintRow>& rows)
    : g_(VectorX::Zero(n_full)), held_(static_cast<size_t>(n_full), false) {
  std::map<int, Substitution> eliminated;  // none of them names an eliminated coordinate
  std::map<int, std::vector<int>> users;   // coordinate → the eliminated ones that name it, or did
  for (const ConstraintRow& row : rows) {
    Substitution s;  // as Σ c q + constant = 0
    double scale = 0;
    for (const auto& [i, c] : row.coefficients) {
      held_[static_cast<size_t>(i)] = true;
      s.coefficients[i] += c;
      scale = std::max(scale, std::abs(c));
    }
    s.constant = -row.value;
    for (const auto& [i, c] : std::map<int, double>(s.coefficients))
      if (const auto it = eliminated.find(i); it != eliminated.end()) substitute(s, i, it->second);
    int pivot = -1;
    double largest = 64 * kEps * scale;
    for (const auto& [i, c] : s.coefficients)
      if (std::abs(c) > largest) {
        largest = std::abs(c);
        pivot = i;
      }
    if (pivot < 0) {
      if (std::abs(s.constant) > 64 * kEps * std::max(scale, std::abs(row.value)))
        throw NumericalError(row.origin + " contradicts the other supports");
      redundant_.push_back(row.origin);
      continue;
    }
    const double c = s.coefficients[pivot];
    s.coefficients.erase(pivot);
    for (auto& entry : s.coefficients) entry.second /= -c;
    s.constant /= -c;
    for (const int i : users[pivot])
      if (Substitution& by = eliminated.at(i); by.coefficients.count(pivot)) {
        substitute(by, pivot, s);
        for (const auto& entry : s.coefficients) users[entry.first].push_back(i);
      }
    for (const auto& entry : s.coefficients) users[entry.first].push_back(pivot);
    eliminated.emplace(pivot, std::move(s));
  }

  std::vector<int> reduced_of(static_cast<size_t>(n_full), -1);
  for (int i = 0; i < n_full; ++i)
    if (!eliminated.count(i)) {
      reduced_of[static_cast<size_t>(i)] = static_cast<int>(free_.size());
      free_.push_back(i);
    }
  std::vector<Eigen::Triplet<double>> entries;
  for (const int i : free_) entries.emplace_back(i, reduced_of[static_cast<size_t>(i)], 1.0);
  for (const auto& [i, s] : eliminated) {
    for (const auto& [k, c] : s.coefficients) entries.emplace_back(i, reduced_of[static_cast<size_t>(k)], c);
    g_[i] = s.constant;
  }
  T_.resize(n_full, static_cast<Eigen::Index>(free_.size()));
  T_.setFromTriplets(entries.begin(), entries.end());
}

VectorX Constraints::restrict(const VectorX& q) const {
  VectorX z(n_reduced());
  for (int k = 0; k < n_reduced(); ++k) z[k] = q[full_of_reduced(k)];
  return z;
}

AffineEquation Constraints::reduce(const AffineEquation& full) const {
  ELODYN_REQUIRE(g_.isZero(0));  // prescribed support motion would add −K g to the loads
  return project(full, T_);
}

AffineEquation project(const AffineEquation& full, const SparseMatrix& T_columns) {
  const SparsePattern& P = *full.pattern;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> T = T_columns;
  const auto n_reduced = static_cast<int>(T.cols());
  // Row i of T lists the reduced coordinates that q_i depends on; a full nonzero (i, j) couples those of i and j.
  std::vector<std::vector<int>> pairs;
  for (int column = 0; column < P.size(); ++column)
    for (int k = P.column_begin(column); k < P.column_begin(column + 1); ++k) {
      if (P.row(k) > column) continue;
      std::vector<int> clique;
      for (decltype(T)::InnerIterator it(T, P.row(k)); it; ++it) clique.push_back(static_cast<int>(it.col()));
      for (decltype(T)::InnerIterator it(T, column); it; ++it) clique.push_back(static_cast<int>(it.col()));
      if (!clique.empty()) pairs.push_back(std::move(clique));
    }
  auto pattern = std::make_shared<const SparsePattern>(n_reduced, pairs);

  // Where each full nonzero goes, and with what weight: found once, used for every term.
  struct Move {
    int from, to;
    double weight;
  };
  std::vector<Move> moves;
  for (int column = 0; column < P.size(); ++column)
    for (int k = P.column_begin(column); k < P.column_begin(column + 1); ++k)
      for (decltype(T)::InnerIterator row(T, P.row(k)); row; ++row)
        for (decltype(T)::InnerIterator col(T, column); col; ++col)
          moves.push_back(
              {k, pattern->index(static_cast<int>(row.col()), static_cast<int>(col.col())), row.value() * col.value()});

  AffineEquation reduced;
  reduced.pattern = pattern;
  for (const MatrixTerm& term : full.matrices) {
    MatrixTerm r = term;
    r.values = VectorX::Zero(pattern->n_nonzeros());
    for (const Move& m : moves) r.values[m.to] += m.weight * term.values[m.from];
    reduced.matrices.push_back(std::move(r));
  }
  for (const LoadTerm& term : full.loads) {
    LoadTerm r = term;
    r.values = T_columns.transpose() * term.values;
    reduced.loads.push_back(std::move(r));
  }
  return reduced;
}

}  // namespace elodyn
