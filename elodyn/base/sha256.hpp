// SHA-256 (FIPS 180-4): the fingerprint of an input file in the provenance of its results.
#pragma once

#include <string>
#include <string_view>

namespace elodyn {

// 64 hexadecimal digits.
std::string calc_sha256(std::string_view bytes);

}  // namespace elodyn
