// What all processes do together, at a command of the first one: matrices are spread in blocks of rows, PETSc and MUMPS
// factor them, and the factors serve for solutions and modes.
#pragma once

#include <map>

#include "elodyn/linalg/cluster.hpp"
#include "elodyn/linalg/slepc/messages.hpp"
#include "elodyn/linalg/slepc/petsc_objects.hpp"

namespace elodyn {

// The same calls in every process; what a matrix is `from` only the first one has, and null the others.
class SharedFactors {
 public:
  SharedFactors(int rank, int size) : rank_(rank), size_(size) {}

  // 0: done, 1: singular, 2: not enough memory
  struct Factored {
    int status = 0;
    int n_negative = 0;
  };
  Factored factor(const Command& c, const SparseMatrix* from);
  void release(const Command& c) { factors_.erase(c.id); }
  void solve(const Command& c, MatrixX* B);
  SharedModes solve_definite(const Command& c, const SparseMatrix* K_from, const SparseMatrix* C_from,
                             const SparseMatrix* M_from);

 private:
  bool is_first() const { return rank_ == kFirst; }
  // Block of rows by block of rows.
  PetscMatrix spread(const Command& c, const SparseMatrix* from) const;

  int rank_, size_;
  std::map<int, PetscMatrix> factors_;
};

}  // namespace elodyn
