#include "tests/fuzz/read_mesh_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  return elodyn::fuzz::test_one(elodyn::read_msh, data, size);
}
