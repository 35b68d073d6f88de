// The program: one command, one exit code.
#include "app/program.hpp"

#include "elodyn/linalg/lapack.hpp"

int main(int argc, char** argv) {
  elodyn::restart_with_fast_libraries(argv);
  elodyn::use_one_blas_thread();
  return elodyn::app::run_program({argv + 1, argv + argc});
}
