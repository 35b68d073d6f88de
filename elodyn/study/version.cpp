#include "elodyn/study/version.hpp"

#include <ctime>

#include "elodyn/base/sha256.hpp"

#ifndef ELODYN_VERSION  // defined by CMake; a plain compile of this file still works
#define ELODYN_VERSION "unknown"
#define ELODYN_COMMIT "unknown"
#define ELODYN_BUILD_TYPE "unknown"
#endif

namespace elodyn {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, n};
}

std::string compiler() {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

std::string version_line() {
  return "elodyn " ELODYN_VERSION " (commit " ELODYN_COMMIT ", " + compiler() + ", " ELODYN_BUILD_TYPE ")";
}

Provenance make_provenance() {
  Provenance provenance;
  provenance.program = "elodyn";
  provenance.version = ELODYN_VERSION;
  provenance.commit = ELODYN_COMMIT;
  provenance.compiler = compiler();
  provenance.build_type = ELODYN_BUILD_TYPE;
  provenance.started = utc_now();
  return provenance;
}

void add_input(Provenance& provenance, std::string name, std::string_view text) {
  provenance.input = std::move(name);
  provenance.input_sha256 = calc_sha256(text);
}

}  // namespace elodyn
