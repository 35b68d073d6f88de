#include "elodyn/study/version.hpp"

#include <regex>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

TEST(Version, LineNamesVersionCommitAndCompiler) {
  EXPECT_TRUE(std::regex_match(version_line(), std::regex(R"(elodyn \S+ \(commit \S+, (GCC|Clang) .*, \w+\))")))
      << version_line();
}

TEST(Version, ProvenanceHasTimeAndFingerprint) {
  Provenance provenance = make_provenance();
  add_input(provenance, "rod.toml", "abc");
  EXPECT_EQ(provenance.program, "elodyn");
  EXPECT_EQ(provenance.input, "rod.toml");
  EXPECT_EQ(provenance.input_sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(std::regex_match(provenance.started, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
}

}  // namespace
}  // namespace elodyn
