// Vectors of FIPS 180-4 (NIST's examples for SHA-256) and every length around the edges of a block.
#include "elodyn/base/sha256.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(calc_sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(calc_sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(calc_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(calc_sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, LengthsAroundABlockDiffer) {
  std::set<std::string> seen;
  for (size_t n = 0; n <= 200; ++n) seen.insert(calc_sha256(std::string(n, '\0')));
  EXPECT_EQ(seen.size(), 201u);
}

}  // namespace
}  // namespace elodyn
