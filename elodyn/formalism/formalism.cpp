#include "elodyn/formalism/formalism.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "elodyn/base/counted.hpp"
#include "elodyn/base/symbolic.hpp"
#include "elodyn/element/batch_stations.hpp"

namespace elodyn {
namespace {

// Applies visit(plain, batched) to all matrices and vectors, after resize(plain, batched) of all lists.
template <class Plain, class Batched, class Resize, class Visit>
void visit_terms(Plain& a, Batched& b, const Resize& resize, const Visit& visit) {
  const auto visit_list = [&](auto& x, auto& y) {
    resize(x, y);
    for (size_t k = 0; k < x.size(); ++k) visit(x[k], y[k]);
  };
  visit(a.M, b.M);
  visit(a.D, b.D);
  visit(a.K, b.K);
  visit(a.member_load, b.member_load);
  visit_list(a.G, b.G);
  visit_list(a.E, b.E);
  visit_list(a.S, b.S);
  visit_list(a.N, b.N);
  visit_list(a.Gamma, b.Gamma);
  visit_list(a.A, b.A);
  visit_list(a.B, b.B);
  visit_list(a.H, b.H);
}

// As setZero(), at the speed of memory.
template <class Matrix>
void set_zero(Matrix& m, int rows, int columns) {
  m.resize(rows, columns);
  if constexpr (std::is_trivially_copyable_v<typename Matrix::Scalar>)
    std::memset(static_cast<void*>(m.data()), 0, static_cast<size_t>(m.size()) * sizeof(typename Matrix::Scalar));
  else
    m.setZero();
}

}  // namespace

std::string axis_name(const Vec3& axis, size_t number) {
  for (int k = 0; k < 3; ++k)
    if (axis == Vec3::Unit(k)) return std::string(1, "xyz"[k]);
  return std::to_string(number + 1);
}

void put_lane(const ElementTerms& terms, int lane, BasicElementTerms<Batch>& batch) {
  visit_terms(
      terms, batch, [](const auto& from, auto& to) { to.resize(from.size()); },
      [lane](const auto& from, auto& to) {
        if (lane == 0) to.resize(from.rows(), from.cols());
        put_lane(from, lane, to);
      });
}

void get_lane(const BasicElementTerms<Batch>& batch, int lane, ElementTerms& terms) {
  visit_terms(
      terms, batch, [](auto& to, const auto& from) { to.resize(from.size()); },
      [lane](auto& to, const auto& from) { get_lane(from, lane, to); });
}

std::vector<std::pair<int, int>> MotionBasis::pairs() const {
  std::vector<std::pair<int, int>> out;
  for (int i = 0; i < static_cast<int>(axes.size()); ++i)
    for (int j = i; j < static_cast<int>(axes.size()); ++j) out.emplace_back(i, j);
  return out;
}

template <class Scalar>
void BasicElementTerms<Scalar>::reset(const BasicStations<Scalar>& stations, int n, const MotionBasis& basis) {
  const auto reset_matrices = [n](std::vector<MatrixOf<Scalar>>& matrices, size_t count) {
    matrices.resize(count);
    for (MatrixOf<Scalar>& m : matrices) set_zero(m, n, n);
  };
  const auto reset_vectors = [n](std::vector<VectorOf<Scalar>>& vectors, size_t count) {
    vectors.resize(count);
    for (VectorOf<Scalar>& v : vectors) set_zero(v, n, 1);
  };
  const size_t n_axes = basis.axes.size(), n_pairs = n_axes * (n_axes + 1) / 2;
  for (MatrixOf<Scalar>* m : {&M, &D, &K}) set_zero(*m, n, n);
  for (auto* family : {&G, &E}) reset_matrices(*family, n_axes);
  reset_matrices(S, n_pairs);
  reset_matrices(N, stations.empty() || stations.front().transport.empty() ? 0 : n_axes);
  reset_matrices(Gamma, stations.empty() ? 0 : stations.front().Psi.size());
  reset_vectors(A, basis.accelerations.size());
  reset_vectors(B, n_axes);
  reset_vectors(H, n_pairs);
  set_zero(member_load, n, 9);
}

void Formalism::derive(const BasicStations<Counted>&, int, const MotionBasis&, BasicElementTerms<Counted>&) const {
  throw std::logic_error("formalism `" + std::string(name()) + "` cannot be counted");
}
void Formalism::derive(const BasicStations<Symbolic>&, int, const MotionBasis&, BasicElementTerms<Symbolic>&) const {
  throw std::logic_error("formalism `" + std::string(name()) + "` has no symbols");
}

void Formalism::derive(const BasicStations<Batch>& stations, int n, const MotionBasis& basis,
                       BasicElementTerms<Batch>& terms) const {
  Stations one;
  ElementTerms t;
  for (int lane = 0; lane < Batch::kLanes; ++lane) {
    get_lane(stations, lane, one);
    derive(one, n, basis, t);
    put_lane(t, lane, terms);
  }
}

Description Formalism::describe(const BasicStation<Symbolic>&, const MotionBasis&) const {
  Description out;
  out.generating.text = std::string(summary());
  out.generating.latex = "\\text{" + out.generating.text + "}";
  return out;
}

template struct BasicElementTerms<double>;
template struct BasicElementTerms<Batch>;
template struct BasicElementTerms<Counted>;
template struct BasicElementTerms<Symbolic>;

}  // namespace elodyn
