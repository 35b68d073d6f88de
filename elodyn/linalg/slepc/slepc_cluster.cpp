#include "elodyn/linalg/slepc/slepc_cluster.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <slepcsys.h>
#include <thread>
#include <vector>

#include "elodyn/linalg/slepc/messages.hpp"
#include "elodyn/linalg/slepc/petsc_objects.hpp"
#include "elodyn/linalg/slepc/shared_factors.hpp"
#include "elodyn/linalg/zero.hpp"

namespace elodyn {
namespace {

std::unique_ptr<SharedFactors>& shared_factors() {
  static std::unique_ptr<SharedFactors> instance;
  return instance;
}

// MPI is called by one thread at a time.
std::mutex& mpi_mutex() {
  static std::mutex mutex;
  return mutex;
}

void tell_others(const MpiSession& session, const Command& command) {
  for (int r = 0; r < session.size(); ++r)
    if (r != session.rank()) MPI_Send(&command, sizeof command, MPI_BYTE, r, kCommandTag, MPI_COMM_WORLD);
}

// MPI itself would wait with all its might, and take a core from those that work.
void wait_for_message(int process, int tag, std::mutex* mutex) {
  using namespace std::chrono_literals;
  for (auto pause = 20us;; pause = std::min<std::chrono::microseconds>(2 * pause, 1ms)) {
    int is_there = 0;
    {
      std::unique_lock<std::mutex> lock;
      if (mutex) lock = std::unique_lock(*mutex);
      MPI_Iprobe(process, tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    }
    if (is_there != 0) return;
    std::this_thread::sleep_for(pause);
  }
}

class FactorOfAll final : public SharedFactor {
 public:
  FactorOfAll(const MpiSession& session, int id, int n, int n_negative)
      : session_(session), id_(id), n_(n), n_negative_(n_negative) {}
  ~FactorOfAll() override {
    Command c;
    c.kind = Command::Kind::release;
    c.id = id_;
    if (!shared_factors()) return;
    const std::lock_guard lock(mpi_mutex());
    tell_others(session_, c);
    shared_factors()->release(c);
  }
  FactorOfAll(const FactorOfAll&) = delete;
  FactorOfAll& operator=(const FactorOfAll&) = delete;

  int n_negative() const override { return n_negative_; }
  void solve_in_place(MatrixX& B) const override {
    Command c;
    c.kind = Command::Kind::solve;
    c.id = id_;
    c.n = n_;
    c.n_columns = static_cast<int>(B.cols());
    const std::lock_guard lock(mpi_mutex());
    tell_others(session_, c);
    shared_factors()->solve(c, &B);
  }

 private:
  const MpiSession& session_;
  int id_, n_, n_negative_;
};

}  // namespace

void abort_all(const std::string& reason) {
  std::fprintf(stderr, "error: %s\n", reason.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 70);
  std::abort();
}

MpiSession::MpiSession() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  check(SlepcInitializeNoArguments());
  keep_complaints();
  set_mumps_communicator(MPI_Comm_c2f(MPI_COMM_SELF));
  shared_factors() = std::make_unique<SharedFactors>(rank_, size_);
  if (provided < MPI_THREAD_SERIALIZED) abort_all("this MPI cannot be called from several threads in turn");
}

MpiSession::~MpiSession() {
  shared_factors().reset();
  SlepcFinalize();
  MPI_Finalize();
}

SlepcCluster::SlepcCluster(const MpiSession& session, Eigensolver eigensolver)
    : session_(session), eigensolver_(eigensolver) {}

SlepcCluster::~SlepcCluster() { tell_others(session_, Command{}); }

int SlepcCluster::n_processes() const { return session_.size(); }

std::unique_ptr<SharedFactor> SlepcCluster::factor(const SparseMatrix& A, Symmetry symmetry) {
  const std::lock_guard lock(mpi_mutex());
  static int next = 0;
  Command c;
  c.kind = Command::Kind::factor;
  c.id = next++;
  c.n = static_cast<int>(A.rows());
  c.is_symmetric = symmetry == Symmetry::symmetric ? 1 : 0;
  tell_others(session_, c);
  const SharedFactors::Factored done = shared_factors()->factor(c, &A);
  if (done.status == 2) throw std::bad_alloc();
  if (done.status != 0) return nullptr;
  return std::make_unique<FactorOfAll>(session_, c.id, c.n, done.n_negative);
}

bool SlepcCluster::finds_modes() const {
  constexpr int kMany = 8;
  return eigensolver_ == Eigensolver::by_size ? session_.size() >= kMany : eigensolver_ == Eigensolver::slepc;
}

SharedModes SlepcCluster::solve_definite(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, int count,
                                         int n_real) {
  const std::lock_guard lock(mpi_mutex());
  Command c;
  c.kind = Command::Kind::definite;
  c.n = static_cast<int>(K.rows());
  c.is_symmetric = 1;
  c.has_C = is_zero(C) ? 0 : 1;
  c.count = count;
  c.n_real = n_real;
  tell_others(session_, c);
  return shared_factors()->solve_definite(c, &K, &C, &M);
}

std::string SlepcCluster::ask(int process, const std::string& question) {
  Command c;
  c.kind = Command::Kind::question;
  {
    const std::lock_guard lock(mpi_mutex());
    MPI_Send(&c, sizeof c, MPI_BYTE, process, kCommandTag, MPI_COMM_WORLD);
    send(std::vector<char>(question.begin(), question.end()), process);
  }
  wait_for_message(process, kAnswerTag, &mpi_mutex());
  const std::lock_guard lock(mpi_mutex());
  int ready = 0;
  MPI_Recv(&ready, 1, MPI_INT, process, kAnswerTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const std::vector<char> answer = receive<char>(process);
  return {answer.begin(), answer.end()};
}

void serve(const MpiSession& session, const std::function<std::string(const std::string&)>& answer) {
  static_cast<void>(session);
  for (;;) {
    wait_for_message(kFirst, kCommandTag, nullptr);
    Command c;
    MPI_Recv(&c, sizeof c, MPI_BYTE, kFirst, kCommandTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    switch (c.kind) {
      case Command::Kind::factor:
        shared_factors()->factor(c, nullptr);
        break;
      case Command::Kind::solve:
        shared_factors()->solve(c, nullptr);
        break;
      case Command::Kind::release:
        shared_factors()->release(c);
        break;
      case Command::Kind::definite:
        try {
          shared_factors()->solve_definite(c, nullptr, nullptr, nullptr);
        } catch (const std::bad_alloc&) {  // all of them see it, and the first one says so
        }
        break;
      case Command::Kind::question: {
        const std::vector<char> question = receive<char>(kFirst);
        const std::string text = answer({question.begin(), question.end()});
        const int ready = 1;
        MPI_Send(&ready, 1, MPI_INT, kFirst, kAnswerTag, MPI_COMM_WORLD);
        send(std::vector<char>(text.begin(), text.end()), kFirst);
        break;
      }
      case Command::Kind::end:
        return;
    }
  }
}

}  // namespace elodyn
