// Files appear whole or not at all: each is written under a temporary name in its own directory, then renamed.
// What the system refuses (no permission, disk full) is an InputError with the path and the system's reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace elodyn {

// Creates the directory and its parents unless it is there already; checks that files can be made in it.
void make_output_dir(const std::filesystem::path& dir);

// Replaces a file that is there already.
void write_file(const std::filesystem::path& file, std::string_view content);

// A name from the input as a file name: letters, digits, '_', '-', '.' and non-ASCII letters stay, the rest becomes
// '_'.
std::string file_stem(std::string_view name);

}  // namespace elodyn
