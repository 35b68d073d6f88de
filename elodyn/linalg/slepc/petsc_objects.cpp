#include "elodyn/linalg/slepc/petsc_objects.hpp"

#include <type_traits>

#include <fmt/format.h>

#include "elodyn/linalg/slepc/slepc_cluster.hpp"

namespace elodyn {
namespace {

static_assert(std::is_same_v<PetscScalar, double>, "PETSc and SLEPc must be those of real numbers");

std::string first_complaint;
PetscErrorCode keep_complaint(MPI_Comm, int, const char* function, const char*, PetscErrorCode code,
                              PetscErrorType type, const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL) first_complaint = fmt::format("{}: {}", function, message ? message : "");
  return code;
}

}  // namespace

void check(PetscErrorCode code) {
  if (code != 0) abort_all(fmt::format("PETSc (error {}): {}", static_cast<int>(code), first_complaint));
}

void keep_complaints() { check(PetscPushErrorHandler(keep_complaint, nullptr)); }

}  // namespace elodyn
