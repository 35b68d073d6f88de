#include "elodyn/linalg/slepc/slepc_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <slepceps.h>
#include <slepcpep.h>
#include <utility>
#include <vector>

#include "elodyn/linalg/slepc/petsc_objects.hpp"

namespace elodyn {
namespace {

// The factors that there are serve as the preconditioner of SLEPc's solves, which are then exact.
PetscErrorCode apply_factor(PC pc, Vec x, Vec y) {
  void* context = nullptr;
  PetscCall(PCShellGetContext(pc, &context));
  return MatSolve(static_cast<Mat>(context), x, y);
}
void use_factor(ST st, Mat F) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  check(STSetType(st, STSINVERT));
  check(STSetShift(st, 0));
  check(STGetKSP(st, &ksp));
  check(KSPSetType(ksp, KSPPREONLY));
  check(KSPGetPC(ksp, &pc));
  check(PCSetType(pc, PCSHELL));
  check(PCShellSetContext(pc, F));
  check(PCShellSetApply(pc, apply_factor));
}

constexpr double kTolerance = 1e-12;
constexpr PetscInt kMostSteps = 200;

// Some steps of inverse iteration from a vector that has a part of all modes.
double estimate_lowest(Mat K, Mat M, Mat F) {
  const PetscVector x(K), y(K);
  PetscInt first = 0, last = 0;
  check(VecGetOwnershipRange(x, &first, &last));
  double* values = nullptr;
  check(VecGetArray(x, &values));
  for (PetscInt i = first; i < last; ++i) values[i - first] = 0.5 + std::fmod(0.754877666 * i, 1.0);
  check(VecRestoreArray(x, &values));
  double square = 0;
  for (int step = 0; step < 4; ++step) {
    check(MatMult(M, x, y));
    check(MatSolve(F, y, x));
    PetscReal size = 0;
    check(VecNorm(x, NORM_2, &size));
    check(VecScale(x, 1 / size));
    PetscScalar kinetic = 0, elastic = 0;
    check(MatMult(M, x, y));
    check(VecDot(x, y, &kinetic));
    check(MatMult(K, x, y));
    check(VecDot(x, y, &elastic));
    square = std::abs(elastic / kinetic);
  }
  return square > 0 && std::isfinite(square) ? std::sqrt(square) : 1;
}

// Whole in the first process, empty in the others.
VectorX collect(Vec from) {
  VecScatter scatter = nullptr;
  Vec whole = nullptr;
  check(VecScatterCreateToZero(from, &scatter, &whole));
  check(VecScatterBegin(scatter, from, whole, INSERT_VALUES, SCATTER_FORWARD));
  check(VecScatterEnd(scatter, from, whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscInt n = 0;
  const double* values = nullptr;
  check(VecGetLocalSize(whole, &n));
  check(VecGetArrayRead(whole, &values));
  const VectorX out = Eigen::Map<const VectorX>(values, n);
  check(VecRestoreArrayRead(whole, &values));
  check(VecScatterDestroy(&scatter));
  check(VecDestroy(&whole));
  return out;
}

}  // namespace

void solve_real_modes(const WantedModes& modes, Mat K, Mat M, Mat F, VectorX& omega, MatrixX& vectors) {
  EPS eps = nullptr;
  ST st = nullptr;
  check(EPSCreate(MPI_COMM_WORLD, &eps));
  check(EPSSetOperators(eps, K, M));
  check(EPSSetProblemType(eps, EPS_GHEP));
  check(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  check(EPSSetTarget(eps, 0));
  check(EPSGetST(eps, &st));
  use_factor(st, F);
  const int wanted = std::min(modes.count, modes.n);
  check(EPSSetDimensions(eps, wanted, std::min(modes.n, std::max(2 * wanted, wanted + 20)), PETSC_DEFAULT));
  check(EPSSetTolerances(eps, kTolerance, kMostSteps));
  check(EPSSolve(eps));
  PetscInt found = 0;
  check(EPSGetConverged(eps, &found));
  const PetscVector re(K), im(K);
  omega.resize(found);
  vectors.resize(modes.is_first ? modes.n : 0, found);
  for (PetscInt k = 0; k < found; ++k) {  // SLEPc sorts them
    PetscScalar square = 0, none = 0;
    check(EPSGetEigenpair(eps, k, &square, &none, re, im));
    omega[k] = std::sqrt(std::max(0.0, square));
    vectors.col(k) = collect(re);
  }
  check(EPSDestroy(&eps));
}

// With λ = sμ, s a frequency of the size of the lowest ones, both parts (x, μx) of a state weigh alike.
void solve_gyroscopic_modes(const WantedModes& modes, Mat K, Mat C, Mat M, Mat F, SharedModes& out) {
  const double s = estimate_lowest(K, M, F);
  check(MatScale(C, s));
  check(MatScale(M, s * s));
  PEP pep = nullptr;
  ST st = nullptr;
  std::array<Mat, 3> matrices = {K, C, M};
  check(PEPCreate(MPI_COMM_WORLD, &pep));
  check(PEPSetOperators(pep, 3, matrices.data()));
  check(PEPSetProblemType(pep, PEP_GENERAL));
  check(PEPSetType(pep, PEPTOAR));
  check(PEPSetWhichEigenpairs(pep, PEP_TARGET_MAGNITUDE));
  check(PEPSetTarget(pep, 0));
  check(PEPGetST(pep, &st));
  use_factor(st, F);
  const int wanted = std::min(2 * modes.count, 2 * modes.n);  // both of a pair
  check(PEPSetDimensions(pep, wanted, std::min(2 * modes.n, std::max(2 * wanted, wanted + 30)), PETSC_DEFAULT));
  check(PEPSetTolerances(pep, kTolerance, kMostSteps));
  check(PEPSolve(pep));
  PetscInt found = 0;
  check(PEPGetConverged(pep, &found));
  const PetscVector re(K), im(K);
  std::vector<std::pair<double, Eigen::VectorXcd>> pairs;
  for (PetscInt k = 0; k < found; ++k) {
    PetscScalar real = 0, imaginary = 0;
    check(PEPGetEigenpair(pep, k, &real, &imaginary, re, im));
    if (imaginary <= 0) continue;
    const VectorX x = collect(re), y = collect(im);
    pairs.emplace_back(s * imaginary, x + std::complex<double>(0, 1) * y);
  }
  check(PEPDestroy(&pep));
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  out.omega.resize(static_cast<Eigen::Index>(pairs.size()));
  out.vectors.resize(modes.is_first ? modes.n : 0, out.omega.size());
  for (size_t k = 0; k < pairs.size(); ++k) {
    out.omega[static_cast<Eigen::Index>(k)] = pairs[k].first;
    out.vectors.col(static_cast<Eigen::Index>(k)) = pairs[k].second;
  }
}

}  // namespace elodyn
