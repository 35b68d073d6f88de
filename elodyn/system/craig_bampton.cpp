#include "elodyn/system/craig_bampton.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/solve.hpp"

namespace elodyn {
namespace {

// The coordinates z on which the displacements and rotations of the points depend.
std::vector<int> find_interface(const BodySystem& s, const std::vector<std::string>& points) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> T = s.constraints.T();
  std::set<int> found;
  for (const std::string& point : points) {
    const Node& node = s.mesh.nodes[static_cast<size_t>(s.mesh.node_of_point.at(point))];
    for (const auto& dofs : {node.translations(), node.rotations()})
      for (const int dof : dofs)
        if (dof >= 0)
          for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(T, dof); it; ++it)
            if (it.value() != 0) found.insert(static_cast<int>(it.col()));
  }
  return {found.begin(), found.end()};
}

// Rows and columns of a matrix by lists of coordinates.
SparseMatrix pick(const SparseMatrix& A, const std::vector<int>& place_of_row, Eigen::Index n_rows,
                  const std::vector<int>& columns) {
  std::vector<Eigen::Triplet<double>> entries;
  for (size_t j = 0; j < columns.size(); ++j)
    for (SparseMatrix::InnerIterator it(A, columns[j]); it; ++it)
      if (const int row = place_of_row[static_cast<size_t>(it.row())]; row >= 0 && it.value() != 0)
        entries.emplace_back(row, static_cast<int>(j), it.value());
  SparseMatrix out(n_rows, static_cast<Eigen::Index>(columns.size()));
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

void factor_interior(const BodySystem& s, const SparseMatrix& K_ii, const std::vector<int>& interior,
                     CholeskySolver& solver) {
  if (solver.factor(K_ii)) return;
  const int dof = s.constraints.full_of_reduced(interior[static_cast<size_t>(solver.failed_column())]);
  throw NumericalError("body `" + s.body->name + "`: with the interface held, " + s.mesh.describe(dof) +
                       " can still move without straining; add points to the interface");
}

// What the modes lack of the shapes R = (R₀, R₁ …), R₀ = K⁻¹F, Rₖ = K⁻¹M Rₖ₋₁; Φᵀ M Φ = 1 of modes and shapes.
MatrixX make_load_shapes(const CholeskySolver& solver, const SparseMatrix& M, const MatrixX& modes, const MatrixX& F,
                         int corrections) {
  constexpr double kRounded = 1e-10, kHeld = 1e-6;  // of a shape: what the modes and the other shapes leave
  const auto norm = [&](const VectorX& x) { return std::sqrt(x.dot(M * x)); };
  const auto clear = [&](const MatrixX& of, VectorX& x) {
    for (int again = 0; again < 2; ++again) x -= of * (of.transpose() * (M * x));
  };
  MatrixX shapes(F.rows(), 0), R = F;
  for (int k = 0; k < corrections; ++k) {
    R = solver.solve(k == 0 ? R : MatrixX(M * R));
    for (Eigen::Index j = 0; j < R.cols(); ++j) {
      VectorX x = R.col(j);
      const double size = norm(x);
      clear(modes, x);
      double rest = norm(x);
      R.col(j).setZero();
      if (!(rest > kRounded * size)) continue;
      x /= rest;
      R.col(j) = x;
      clear(shapes, x);
      rest = norm(x);
      if (!(rest > kHeld)) continue;
      shapes.conservativeResize(Eigen::NoChange, shapes.cols() + 1);
      shapes.rightCols(1) = x / rest;
    }
  }
  return shapes;
}

// The lowest modes; more and more until the frequency is passed.
SymmetricModes solve_modes(const SparseMatrix& K, const SparseMatrix& M, const MatrixX& rigid, const ModesKept& kept) {
  const int n = static_cast<int>(K.rows());
  const int asked = kept.count.value_or(0);
  constexpr int kStart = 16;
  int count = std::min(n, std::max(asked, kept.up_to ? kStart : 1));
  for (;;) {
    throw_if_interrupted();
    SymmetricModes modes = solve_symmetric_modes(K, M, count, rigid);
    const auto found = static_cast<int>(modes.squares.size());
    if (!kept.up_to) return modes;
    const double limit = *kept.up_to * *kept.up_to;
    if (modes.squares[found - 1] <= limit && count < n) {
      count = std::min(n, 2 * count);
      continue;
    }
    int wanted = asked;
    while (wanted < found && modes.squares[wanted] <= limit) ++wanted;
    modes.squares.conservativeResize(wanted);
    modes.vectors.conservativeResize(Eigen::NoChange, wanted);
    return modes;
  }
}

bool is_symmetric(TermKind kind) {
  return kind == TermKind::mass || kind == TermKind::damping || kind == TermKind::elastic ||
         kind == TermKind::centrifugal_stiffness || kind == TermKind::geometric;
}

AffineEquation project_fully(const AffineEquation& equation, const MatrixX& V) {
  const auto r = V.cols();
  std::vector<int> all(static_cast<size_t>(r));
  std::iota(all.begin(), all.end(), 0);
  AffineEquation out;
  out.pattern = std::make_shared<const SparsePattern>(static_cast<int>(r), std::vector<std::vector<int>>{all});
  for (const MatrixTerm& term : equation.matrices) {
    const MatrixX AV = equation.pattern->to_matrix(term.values) * V;
    MatrixX A = V.transpose() * AV;
    // What is symmetric or skew stays so, to the last digit.
    if (is_symmetric(term.kind)) A = 0.5 * (A + A.transpose()).eval();
    if (term.kind == TermKind::coriolis) A = 0.5 * (A - A.transpose()).eval();
    MatrixTerm& reduced = out.matrices.emplace_back(term);
    reduced.values = Eigen::Map<const VectorX>(A.data(), A.size());
  }
  for (const LoadTerm& load : equation.loads) out.loads.emplace_back(load).values = V.transpose() * load.values;
  return out;
}

}  // namespace

CraigBampton reduce_body(const BodySystem& s, const std::vector<std::string>& points, const ModesKept& kept,
                         const LoadShapes& shapes) {
  const int n = s.constraints.n_reduced();
  CraigBampton out;
  out.interface = find_interface(s, points);
  std::vector<int> interior, place_of(static_cast<size_t>(n), -1);
  for (int k = 0; k < n; ++k)
    if (!std::binary_search(out.interface.begin(), out.interface.end(), k)) {
      place_of[static_cast<size_t>(k)] = static_cast<int>(interior.size());
      interior.push_back(k);
    }
  const auto n_interior = static_cast<Eigen::Index>(interior.size());
  const SparseMatrix K = s.reduced.calc_elastic(), M = s.reduced.calc_mass();
  const SparseMatrix K_ii = pick(K, place_of, n_interior, interior), M_ii = pick(M, place_of, n_interior, interior);

  MatrixX constraint_modes(n_interior, out.n_interface()), load_shapes(n_interior, 0);
  SymmetricModes modes;
  modes.vectors.resize(n_interior, 0);
  if (n_interior > 0) {
    const bool is_held = !out.interface.empty(), is_free = !is_held && s.rigid.cols() > 0;
    CholeskySolver solver;
    if (is_held || (shapes.corrections > 0 && !is_free)) factor_interior(s, K_ii, interior, solver);
    const SparseMatrix K_ib = pick(K, place_of, n_interior, out.interface);
    if (is_held) constraint_modes = -solver.solve(MatrixX(K_ib));
    // Without an interface the body keeps its rigid motions as modes.
    modes = solve_modes(K_ii, M_ii, is_held ? MatrixX(n_interior, 0) : s.rigid, kept);
    if (shapes.corrections > 0 && !is_free) {
      // The loads, and the inertia of an interface that moves.
      MatrixX F(n_interior, shapes.F.cols() + out.n_interface());
      for (Eigen::Index i = 0; i < n_interior; ++i)
        F.row(i).head(shapes.F.cols()) = shapes.F.row(interior[static_cast<size_t>(i)]);
      F.rightCols(out.n_interface()) = MatrixX(pick(M, place_of, n_interior, out.interface)) + M_ii * constraint_modes;
      load_shapes = make_load_shapes(solver, M_ii, modes.vectors, F, shapes.corrections);
    }
  }
  out.squares = modes.squares;
  out.n_load_shapes = static_cast<int>(load_shapes.cols());
  out.V.setZero(n, out.size());
  for (int b = 0; b < out.n_interface(); ++b) out.V(out.interface[static_cast<size_t>(b)], b) = 1;
  for (Eigen::Index i = 0; i < n_interior; ++i) {
    const int row = interior[static_cast<size_t>(i)];
    out.V.row(row).head(out.n_interface()) = constraint_modes.row(i);
    out.V.row(row).segment(out.n_interface(), out.n_modes()) = modes.vectors.row(i);
    out.V.row(row).tail(out.n_load_shapes) = load_shapes.row(i);
  }
  out.equation = project_fully(s.reduced, out.V);
  if (!s.modal.empty()) {
    out.modal.M_phi = out.V.transpose() * s.modal.M_phi;
    out.modal.weights = s.modal.weights;
  }
  return out;
}

MatrixX make_rigid_columns(const Mesh& mesh) {
  MatrixX columns = MatrixX::Zero(mesh.n_dofs(), 6);
  for (int i = 0; i < mesh.n_dofs(); ++i) {
    const Dof& dof = mesh.dofs[static_cast<size_t>(i)];
    if (dof.node < 0 || dof.kind > DofKind::rz) continue;
    const auto k = static_cast<int>(dof.kind);
    columns(i, k) = 1;
    if (k < 3)
      for (int axis = 0; axis < 3; ++axis)
        columns(i, 3 + axis) = Vec3::Unit(axis).cross(mesh.nodes[static_cast<size_t>(dof.node)].x)[k];
  }
  return columns;
}

}  // namespace elodyn
