// Files appear whole or not at all: each is written under a temporary name in its own directory, then renamed.
// What the system refuses (no permission, disk full) is an InputError with the path and the system's reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace elodyn {

// Creates the directory and its parents unless it is there already; checks that files can be made in it.
void make_output_dir(const std::filesystem::path& dir);

// While it lives, no other run gets the directory: one that asks for it throws InputError, which names the process that
// has it. The system frees the lock when its process ends, however that is; the file `.elodyn.lock` that bears it is
// removed when it is given up, and of a killed run taken over. Limits: a file system without locks gives none, and the
// work goes on; on a network file system it depends on the server whether other machines see it.
class OutputLock {
 public:
  // The directory must be there.
  explicit OutputLock(const std::filesystem::path& dir);
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  ~OutputLock();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// The last part of its path, however it is written: "out" for out, out/ and out/../out; "/" for the root.
std::string directory_name(const std::filesystem::path& dir);

// Replaces a file that is there already.
void write_file(const std::filesystem::path& file, std::string_view content);

// A name from the input as a file name: letters, digits, '_', '-', '.' and non-ASCII letters stay, the rest becomes
// '_'.
std::string file_stem(std::string_view name);

}  // namespace elodyn
