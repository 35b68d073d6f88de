#include "elodyn/linalg/slepc/slepc_cluster.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <slepceps.h>
#include <slepcpep.h>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

static_assert(std::is_same_v<PetscScalar, double>, "PETSc and SLEPc must be those of real numbers");

constexpr int kCommandTag = 1, kAnswerTag = 2, kDataTag = 3;
constexpr int kFirst = 0;  // the process that asks

// Where PETSc found something wrong, and what.
std::string first_complaint;
PetscErrorCode keep_complaint(MPI_Comm, int, const char* function, const char*, PetscErrorCode code,
                              PetscErrorType type, const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL) first_complaint = fmt::format("{}: {}", function, message ? message : "");
  return code;
}

// A failure that is no matter of the numbers: a bug of ours, or a process was lost.
void check(PetscErrorCode code) {
  if (code != 0) abort_all(fmt::format("PETSc (error {}): {}", static_cast<int>(code), first_complaint));
}

// ---- what the processes do together ----

struct Command {
  enum class Kind : int { factor, solve, release, definite, question, end };
  Kind kind = Kind::end;
  int id = 0;  // of a factor
  int n = 0, n_columns = 0;
  int is_symmetric = 0, has_C = 0;
  int count = 0, n_real = 0;
};

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

struct Rows {
  int first, last;
};
Rows rows_of(int rank, int size, int n) {
  const auto at = [&](int r) { return static_cast<int>(static_cast<long long>(n) * r / size); };
  return {at(rank), at(rank + 1)};
}

template <class T>
void send(const std::vector<T>& data, int process) {
  const auto bytes = static_cast<long long>(data.size() * sizeof(T));
  MPI_Send(&bytes, 1, MPI_LONG_LONG, process, kDataTag, MPI_COMM_WORLD);
  constexpr long long kChunk = 1 << 30;  // MPI counts in ints
  for (long long at = 0; at < bytes; at += kChunk)
    MPI_Send(reinterpret_cast<const char*>(data.data()) + at, static_cast<int>(std::min(kChunk, bytes - at)), MPI_BYTE,
             process, kDataTag, MPI_COMM_WORLD);
}
template <class T>
std::vector<T> receive(int process) {
  long long bytes = 0;
  MPI_Recv(&bytes, 1, MPI_LONG_LONG, process, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::vector<T> data(static_cast<size_t>(bytes) / sizeof(T));
  constexpr long long kChunk = 1 << 30;
  for (long long at = 0; at < bytes; at += kChunk)
    MPI_Recv(reinterpret_cast<char*>(data.data()) + at, static_cast<int>(std::min(kChunk, bytes - at)), MPI_BYTE,
             process, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return data;
}

// The same in every process but for `from`, which only the first one has.
class Together {
 public:
  explicit Together(const MpiSession& session) : rank_(session.rank()), size_(session.size()) {}

  // 0: done, 1: singular, 2: not enough memory
  struct Factored {
    int status = 0;
    int n_negative = 0;
  };
  Factored factor(const Command& c, const SparseMatrix* from) {
    const PetscMatrix A = spread(c, from);
    Factored out;
    PetscMatrix F = factorize(A, c.is_symmetric != 0, out);
    if (out.status == 0) factors_[c.id] = std::move(F);
    return out;
  }

  void release(const Command& c) { factors_.erase(c.id); }

  void solve(const Command& c, MatrixX* B) {
    const Mat F = factors_.at(c.id);
    const Rows own = rows_of(rank_, size_, c.n);
    std::vector<double> b = is_first() ? std::vector<double>() : receive<double>(kFirst);
    if (is_first())
      for (int r = size_ - 1; r >= 0; --r) {
        const Rows rows = rows_of(r, size_, c.n);
        const MatrixX block = B->middleRows(rows.first, rows.last - rows.first);
        std::vector<double> values(block.data(), block.data() + block.size());
        if (r == kFirst)
          b = std::move(values);
        else
          send(values, r);
      }
    std::vector<double> x(b.size());
    PetscMatrix right, solution;
    const auto wrap = [&](std::vector<double>& values, PetscMatrix& m) {
      check(MatCreateDense(MPI_COMM_WORLD, own.last - own.first, PETSC_DECIDE, c.n, c.n_columns, values.data(),
                           m.address()));
    };
    wrap(b, right);
    wrap(x, solution);
    check(MatMatSolve(F, right, solution));
    if (!is_first()) return send(x, kFirst);
    for (int r = 0; r < size_; ++r) {
      const Rows rows = rows_of(r, size_, c.n);
      const std::vector<double> part = r == kFirst ? std::move(x) : receive<double>(r);
      B->middleRows(rows.first, rows.last - rows.first) =
          Eigen::Map<const MatrixX>(part.data(), rows.last - rows.first, c.n_columns);
    }
  }

  SharedModes solve_definite(const Command& c, const SparseMatrix* K_from, const SparseMatrix* C_from,
                             const SparseMatrix* M_from) {
    SharedModes out;
    const PetscMatrix K = spread(c, K_from);
    Factored state;
    const PetscMatrix F = factorize(K, true, state);
    if (state.status == 2) throw std::bad_alloc();
    out.is_definite = state.status == 0 && state.n_negative == 0;
    if (!out.is_definite) return out;
    const PetscMatrix M = spread(c, M_from);
    if (c.n_real > 0) solve_real(c, c.n_real, K, M, F, out.real_omega, out.real_vectors);
    if (c.has_C == 0) {
      MatrixX vectors;
      solve_real(c, c.count, K, M, F, out.omega, vectors);
      out.vectors = vectors.cast<std::complex<double>>();
    } else {
      const PetscMatrix C = spread(c, C_from);
      solve_gyroscopic(c, K, C, M, F, out);
    }
    return out;
  }

 private:
  bool is_first() const { return rank_ == kFirst; }

  // Block of rows by block of rows.
  PetscMatrix spread(const Command& c, const SparseMatrix* from) const {
    using ByRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    std::vector<int> starts, columns;
    std::vector<double> values;
    if (is_first()) {
      ByRows A = *from;
      A.makeCompressed();
      for (int r = size_ - 1; r >= 0; --r) {
        const Rows rows = rows_of(r, size_, c.n);
        const int *outer = A.outerIndexPtr(), begin = outer[rows.first], end = outer[rows.last];
        starts.assign(outer + rows.first, outer + rows.last + 1);
        for (int& start : starts) start -= begin;
        columns.assign(A.innerIndexPtr() + begin, A.innerIndexPtr() + end);
        values.assign(A.valuePtr() + begin, A.valuePtr() + end);
        if (r == kFirst) break;
        send(starts, r);
        send(columns, r);
        send(values, r);
      }
    } else {
      starts = receive<int>(kFirst);
      columns = receive<int>(kFirst);
      values = receive<double>(kFirst);
    }
    const auto m = static_cast<PetscInt>(starts.size()) - 1;
    PetscMatrix out;
    check(MatCreateMPIAIJWithArrays(MPI_COMM_WORLD, m, m, c.n, c.n, starts.data(), columns.data(), values.data(),
                                    out.address()));
    return out;
  }

  PetscMatrix factorize(Mat A, bool is_symmetric, Factored& out) const {
    check(MatSetOption(A, MAT_SYMMETRIC, is_symmetric ? PETSC_TRUE : PETSC_FALSE));
    PetscMatrix F;
    PetscInt more = 60;  // % of memory above what was foreseen, for pivoting
    for (int attempt = 0; attempt < 6; ++attempt, more *= 2) {
      F = PetscMatrix();
      check(MatGetFactor(A, MATSOLVERMUMPS, is_symmetric ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU, F.address()));
      check(MatMumpsSetIcntl(F, 7, 5));   // METIS
      check(MatMumpsSetIcntl(F, 13, 1));  // the last block is not split, or negative pivots in it would not be counted
      check(MatMumpsSetIcntl(F, 14, more));
      MatFactorInfo info;
      check(MatFactorInfoInitialize(&info));
      if (is_symmetric) {
        check(MatCholeskyFactorSymbolic(F, A, nullptr, &info));
        check(MatCholeskyFactorNumeric(F, A, &info));
      } else {
        check(MatLUFactorSymbolic(F, A, nullptr, nullptr, &info));
        check(MatLUFactorNumeric(F, A, &info));
      }
      PetscInt status = 0;
      check(MatMumpsGetInfog(F, 1, &status));
      constexpr PetscInt kWorkspaceTooSmall = -9, kStackTooSmall = -8, kNoMemory = -13;
      if (status == kWorkspaceTooSmall || status == kStackTooSmall) continue;
      out.status = status >= 0 ? 0 : status == kNoMemory ? 2 : 1;
      break;
    }
    if (out.status != 0) return PetscMatrix();
    if (is_symmetric) {
      PetscInt negative = 0;
      check(MatMumpsGetInfog(F, 12, &negative));
      out.n_negative = static_cast<int>(negative);
    }
    return F;
  }

  // The factors that there are serve as the preconditioner of SLEPc's solves, which are then exact.
  static PetscErrorCode apply_factor(PC pc, Vec x, Vec y) {
    void* context = nullptr;
    PetscCall(PCShellGetContext(pc, &context));
    return MatSolve(static_cast<Mat>(context), x, y);
  }
  static void use_factor(ST st, Mat F) {
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

  static constexpr double kTolerance = 1e-12;
  static constexpr PetscInt kMostSteps = 200;

  void solve_real(const Command& c, int count, Mat K, Mat M, Mat F, VectorX& omega, MatrixX& vectors) const {
    EPS eps = nullptr;
    ST st = nullptr;
    check(EPSCreate(MPI_COMM_WORLD, &eps));
    check(EPSSetOperators(eps, K, M));
    check(EPSSetProblemType(eps, EPS_GHEP));
    check(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    check(EPSSetTarget(eps, 0));
    check(EPSGetST(eps, &st));
    use_factor(st, F);
    const int wanted = std::min(count, c.n);
    check(EPSSetDimensions(eps, wanted, std::min(c.n, std::max(2 * wanted, wanted + 20)), PETSC_DEFAULT));
    check(EPSSetTolerances(eps, kTolerance, kMostSteps));
    check(EPSSolve(eps));
    PetscInt found = 0;
    check(EPSGetConverged(eps, &found));
    const PetscVector re(K), im(K);
    omega.resize(found);
    vectors.resize(is_first() ? c.n : 0, found);
    for (PetscInt k = 0; k < found; ++k) {  // SLEPc sorts them
      PetscScalar square = 0, none = 0;
      check(EPSGetEigenpair(eps, k, &square, &none, re, im));
      omega[k] = std::sqrt(std::max(0.0, square));
      vectors.col(k) = collect(re);
    }
    check(EPSDestroy(&eps));
  }

  // With λ = sμ, s a frequency of the size of the lowest ones, both parts (x, μx) of a state weigh alike.
  void solve_gyroscopic(const Command& c, Mat K, Mat C, Mat M, Mat F, SharedModes& out) const {
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
    const int wanted = std::min(2 * c.count, 2 * c.n);  // both of a pair
    check(PEPSetDimensions(pep, wanted, std::min(2 * c.n, std::max(2 * wanted, wanted + 30)), PETSC_DEFAULT));
    check(PEPSetTolerances(pep, kTolerance, kMostSteps));
    check(PEPSolve(pep));
    PetscInt found = 0;
    check(PEPGetConverged(pep, &found));
    const PetscVector re(K), im(K);
    std::vector<std::pair<double, Eigen::VectorXcd>> modes;
    for (PetscInt k = 0; k < found; ++k) {
      PetscScalar real = 0, imaginary = 0;
      check(PEPGetEigenpair(pep, k, &real, &imaginary, re, im));
      if (imaginary <= 0) continue;
      const VectorX x = collect(re), y = collect(im);
      modes.emplace_back(s * imaginary, x + std::complex<double>(0, 1) * y);
    }
    check(PEPDestroy(&pep));
    std::stable_sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    out.omega.resize(static_cast<Eigen::Index>(modes.size()));
    out.vectors.resize(is_first() ? c.n : 0, out.omega.size());
    for (size_t k = 0; k < modes.size(); ++k) {
      out.omega[static_cast<Eigen::Index>(k)] = modes[k].first;
      out.vectors.col(static_cast<Eigen::Index>(k)) = modes[k].second;
    }
  }

  // Some steps of inverse iteration from a vector that has a part of all modes.
  static double estimate_lowest(Mat K, Mat M, Mat F) {
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
  VectorX collect(Vec from) const {
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

  int rank_, size_;
  std::map<int, PetscMatrix> factors_;
};

std::unique_ptr<Together>& together() {
  static std::unique_ptr<Together> instance;
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
    if (!together()) return;
    const std::lock_guard lock(mpi_mutex());
    tell_others(session_, c);
    together()->release(c);
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
    together()->solve(c, &B);
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
  check(PetscPushErrorHandler(keep_complaint, nullptr));
  set_mumps_communicator(MPI_Comm_c2f(MPI_COMM_SELF));
  together() = std::make_unique<Together>(*this);
  if (provided < MPI_THREAD_SERIALIZED) abort_all("this MPI cannot be called from several threads in turn");
}

MpiSession::~MpiSession() {
  together().reset();
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
  const Together::Factored done = together()->factor(c, &A);
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
  c.has_C = C.nonZeros() > 0 && !C.coeffs().isZero(0) ? 1 : 0;
  c.count = count;
  c.n_real = n_real;
  tell_others(session_, c);
  return together()->solve_definite(c, &K, &C, &M);
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
        together()->factor(c, nullptr);
        break;
      case Command::Kind::solve:
        together()->solve(c, nullptr);
        break;
      case Command::Kind::release:
        together()->release(c);
        break;
      case Command::Kind::definite:
        try {
          together()->solve_definite(c, nullptr, nullptr, nullptr);
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
