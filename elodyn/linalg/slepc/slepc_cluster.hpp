// The processes that mpirun started, as a Cluster: the first one reads the model, assembles and asks; the others wait
// for work. A matrix is sent to them in blocks of rows; PETSc and MUMPS factor it together, SLEPc finds modes:
//   real        K φ = ω²M φ by Krylov–Schur on K⁻¹M
//   gyroscopic  (λ²M + λC + K) φ = 0 by the two-level orthogonal Arnoldi method (TOAR) on the inverted pencil
// both with the one factorisation of K. Source: [Hernandez2005], [Campos2016].
// Limits: the matrices stand whole in the first process before they are sent, and modes come back to it; factors and
// the vectors of the iteration are spread. Single vectors may miss repeated values, so the caller counts.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "elodyn/linalg/cluster.hpp"

namespace elodyn {

// MPI, PETSc and SLEPc from construction to destruction; one in a process, in the thread that asks and serves.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  int rank_ = 0, size_ = 1;
};

// Who finds modes. The block iteration of the first process takes several vectors at once, which its factors serve much
// better than one; but it does that part alone. From some eight processes on SLEPc should be quicker.
enum class Eigensolver { by_size, block, slepc };

// Of the first process.
class SlepcCluster final : public Cluster {
 public:
  explicit SlepcCluster(const MpiSession& session, Eigensolver eigensolver = Eigensolver::by_size);
  ~SlepcCluster() override;  // the others end their service
  SlepcCluster(const SlepcCluster&) = delete;
  SlepcCluster& operator=(const SlepcCluster&) = delete;

  int n_processes() const override;
  std::unique_ptr<SharedFactor> factor(const SparseMatrix& A, Symmetry symmetry) override;
  bool finds_modes() const override;
  SharedModes solve_definite(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, int count,
                             int n_real) override;
  // What one of the others (1 … n − 1) answers. Several threads may ask, each another process.
  std::string ask(int process, const std::string& question);

 private:
  const MpiSession& session_;
  Eigensolver eigensolver_;
};

// Of the others: takes part in what the first one wants done until it ends the service.
void serve(const MpiSession& session, const std::function<std::string(const std::string& question)>& answer);

// Ends all processes at once: what this one cannot go on with.
[[noreturn]] void abort_all(const std::string& reason);

}  // namespace elodyn
