// Matrices and vectors of PETSc that are destroyed where they go out of scope, and its error codes.
#pragma once

#include <petscmat.h>
#include <string>
#include <utility>

namespace elodyn {

// Ends all processes where the code is none of success: a bug of ours, or a process was lost; no matter of the numbers.
void check(PetscErrorCode code);
// So that check can say where PETSc found something wrong, and what.
void keep_complaints();

class PetscMatrix {
 public:
  PetscMatrix() = default;
  ~PetscMatrix() { check(MatDestroy(&mat_)); }
  PetscMatrix(PetscMatrix&& other) noexcept : mat_(std::exchange(other.mat_, nullptr)) {}
  PetscMatrix& operator=(PetscMatrix&& other) noexcept {
    std::swap(mat_, other.mat_);
    return *this;
  }
  operator Mat() const { return mat_; }
  Mat* address() { return &mat_; }

 private:
  Mat mat_ = nullptr;
};

class PetscVector {
 public:
  explicit PetscVector(Mat like) { check(MatCreateVecs(like, nullptr, &vec_)); }
  ~PetscVector() { check(VecDestroy(&vec_)); }
  PetscVector(const PetscVector&) = delete;
  PetscVector& operator=(const PetscVector&) = delete;
  operator Vec() const { return vec_; }

 private:
  Vec vec_ = nullptr;
};

}  // namespace elodyn
