#include "elodyn/io/output_dir.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const std::string& what, const fs::path& path, int reason) {
  throw InputError("cannot " + what + " `" + path.string() + "`: " + std::generic_category().message(reason));
}

// The temporary name; it is removed again unless the file was renamed.
class Draft {
 public:
  explicit Draft(const fs::path& file)
      : target_(file), path_(file.parent_path() / ("." + file.filename().string() + "." + std::to_string(getpid()))) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) refuse("write", target_, errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!done_) unlink(path_.c_str());
  }

  void append(std::string_view content) {
    while (!content.empty()) {
      const ssize_t n = write(descriptor_, content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse("write", target_, errno);
      content.remove_prefix(static_cast<size_t>(n));
    }
  }

  void publish() {
    const int failed = close(descriptor_);  // a network file system may report a full disk only here
    descriptor_ = -1;
    if (failed != 0 || rename(path_.c_str(), target_.c_str()) != 0) refuse("write", target_, errno);
    done_ = true;
  }

 private:
  fs::path target_, path_;
  int descriptor_ = -1;
  bool done_ = false;
};

}  // namespace

void make_output_dir(const fs::path& dir) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) refuse("create the output directory", dir, error.value());
  if (!fs::is_directory(dir)) refuse("create the output directory", dir, ENOTDIR);
  if (access(dir.c_str(), W_OK | X_OK) != 0) refuse("write to the output directory", dir, errno);
}

void write_file(const fs::path& file, std::string_view content) {
  Draft draft(file);
  draft.append(content);
  draft.publish();
}

std::string file_stem(std::string_view name) {
  std::string stem(name);
  std::replace_if(
      stem.begin(), stem.end(),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x80 && std::isalnum(byte) == 0 && c != '_' && c != '-' && c != '.';
      },
      '_');
  if (stem.empty() || stem.front() == '.') stem.insert(0, "_");  // neither nameless nor hidden
  return stem;
}

}  // namespace elodyn
