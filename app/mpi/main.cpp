// elodyn-mpi: the same program on the processes that mpirun started. The first one does what elodyn does; large
// factorisations and modes are done by all of them together, parts of stability maps by each.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "app/part_server.hpp"
#include "app/program.hpp"

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/slepc/slepc_cluster.hpp"

namespace {

// ELODYN_EIGENSOLVER says who finds modes. Nothing: it says something else.
std::optional<elodyn::Eigensolver> read_eigensolver() {
  const char* text = std::getenv("ELODYN_EIGENSOLVER");
  const std::string name = text ? text : "";
  if (name.empty()) return elodyn::Eigensolver::by_size;
  if (name == "block") return elodyn::Eigensolver::block;
  if (name == "slepc") return elodyn::Eigensolver::slepc;
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace elodyn;
  restart_with_fast_libraries(argv);
  use_one_blas_thread();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const MpiSession session;
  if (session.rank() != 0) {
    app::PartServer server(arguments);
    serve(session, [&](const std::string& question) { return server.answer(question); });
    return 0;
  }
  const std::optional<Eigensolver> eigensolver = read_eigensolver();
  SlepcCluster cluster(session, eigensolver.value_or(Eigensolver::by_size));
  if (!eigensolver) {
    std::fprintf(stderr, "error: ELODYN_EIGENSOLVER = %s, must be \"block\" or \"slepc\"\n",
                 std::getenv("ELODYN_EIGENSOLVER"));
    return app::kInputWrong;
  }
  std::vector<std::unique_ptr<app::RemoteHelper>> remote;
  std::vector<StabilityStudy::Helper*> helpers;
  for (int process = 1; process < session.size(); ++process) {
    remote.push_back(std::make_unique<app::RemoteHelper>(
        "process " + std::to_string(process),
        [&cluster, process](const std::string& question) { return cluster.ask(process, question); }));
    helpers.push_back(remote.back().get());
  }
  set_cluster(&cluster);
  // mpirun may give this process a terminal of its own, whatever becomes of the text.
  const int code = app::run_program(arguments, app::Look::plain, helpers);
  set_cluster(nullptr);
  return code;
}
