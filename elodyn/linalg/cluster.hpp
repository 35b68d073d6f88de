// Other processes that take part in large work. elodyn-mpi has them (linalg/slepc/); without them, and for what is
// small, this process does all by itself. The interface is what they can do; solvers ask for it, nothing else does.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/linalg/mumps.hpp"

namespace elodyn {

// The factors of a matrix, spread over the processes.
class SharedFactor {
 public:
  virtual ~SharedFactor() = default;
  virtual int n_negative() const = 0;  // of a symmetric matrix
  virtual void solve_in_place(MatrixX& B) const = 0;
};

// The lowest modes of K − ω²M + iωC with K > 0 and C = −Cᵀ, and real ones of (K, M) for those who count.
struct SharedModes {
  bool is_definite = false;   // K > 0; if not, there is nothing else
  VectorX omega, real_omega;  // ascending; as many as were found
  Eigen::MatrixXcd vectors;   // columns
  MatrixX real_vectors;
};

class Cluster {
 public:
  virtual ~Cluster() = default;
  virtual int n_processes() const = 0;
  // Null: A is singular to working precision. Of a symmetric A both triangles must be there.
  virtual std::unique_ptr<SharedFactor> factor(const SparseMatrix& A, Symmetry symmetry) = 0;
  // Modes are looked for together, too; else this process iterates, with factors that all of them have.
  virtual bool finds_modes() const = 0;
  // `count` modes if they are found, good to some 1e-10, and `n_real` real ones. A C without entries means none. They
  // come from single vectors: one of several equal ones may be missing.
  virtual SharedModes solve_definite(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, int count,
                                     int n_real) = 0;
};

inline constexpr Eigen::Index kWorthSharing = 2000;  // unknowns

// Null: there is none, or not for this thread: only the one that set it may use it.
Cluster* cluster();
void set_cluster(Cluster* cluster);
// The same if it is worth it for that many unknowns.
inline Cluster* cluster_for(Eigen::Index n) { return n >= kWorthSharing ? cluster() : nullptr; }

// Until it goes out of scope this process works alone: the others have something else to do.
class WithoutCluster {
 public:
  WithoutCluster();
  ~WithoutCluster();
  WithoutCluster(const WithoutCluster&) = delete;
  WithoutCluster& operator=(const WithoutCluster&) = delete;

 private:
  Cluster* before_;
};

}  // namespace elodyn
