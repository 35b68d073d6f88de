// What the program says of itself, for --version and for the provenance of results.
#pragma once

#include <string>
#include <string_view>

#include "elodyn/results/results.hpp"

namespace elodyn {

// "elodyn 0.1.0 (commit a38fdb941c02, GCC 12.2.0, Release)"
std::string version_line();

// Program, version, commit, compiler, build type and the time now; the command and the input are the caller's.
Provenance make_provenance();

// Adds what identifies the input: its name and the fingerprint of its text.
void add_input(Provenance& provenance, std::string name, std::string_view text);

}  // namespace elodyn
