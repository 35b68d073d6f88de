// elodyn-mpi: the same program on the processes that mpirun started. The first one does what elodyn does; large
// factorisations and modes are done by all of them together, parts of stability maps by each.
#include <memory>

#include "app/part_server.hpp"
#include "app/program.hpp"

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/slepc/slepc_cluster.hpp"

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
  SlepcCluster cluster(session);
  std::vector<std::unique_ptr<app::RemoteHelper>> remote;
  std::vector<StabilityStudy::Helper*> helpers;
  for (int process = 1; process < session.size(); ++process) {
    remote.push_back(std::make_unique<app::RemoteHelper>(
        "process " + std::to_string(process),
        [&cluster, process](const std::string& question) { return cluster.ask(process, question); }));
    helpers.push_back(remote.back().get());
  }
  set_cluster(&cluster);
  const int code = app::run_program(arguments, helpers);
  set_cluster(nullptr);
  return code;
}
