#include "elodyn/io/output_dir.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
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

namespace {

// Whom a lock file is of: "process 17 on host".
std::string describe_self() {
  std::array<char, 256> host{};
  const bool is_known = gethostname(host.data(), host.size() - 1) == 0;
  return "process " + std::to_string(getpid()) + (is_known ? std::string(" on ") + host.data() : "");
}

std::string describe_owner(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t n = pread(descriptor, text.data(), text.size(), 0);
  return n > 0 ? " (" + std::string(text.data(), static_cast<size_t>(n)) + ")" : "";
}

// Another run may have removed the file between our opening and locking it: then the lock is worth nothing.
bool is_still_at(const fs::path& path, int descriptor) {
  struct stat ours {
  }, there{};
  return fstat(descriptor, &ours) == 0 && stat(path.c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

int lock(int descriptor) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

OutputLock::OutputLock(const fs::path& dir) : path_(dir / ".elodyn.lock") {
  for (bool is_ours = false; !is_ours;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) refuse("write to the output directory", dir, errno);
    const int reason = lock(descriptor_);
    if (reason == EWOULDBLOCK) {
      const std::string owner = describe_owner(descriptor_);
      close(descriptor_);
      throw InputError("another run is writing to the output directory `" + dir.string() + "`" + owner +
                       ": wait until it is done, or name another directory with -o");
    }
    is_ours = reason != 0 || is_still_at(path_, descriptor_);
    if (!is_ours) close(descriptor_);
  }
  const std::string self = describe_self();
  // Whose it is helps people only: what a full disk refuses is not needed.
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, self.data(), self.size(), 0) < 0) errno = 0;
}

OutputLock::~OutputLock() {
  unlink(path_.c_str());  // before the lock is given up: what is there afterwards is another run's
  close(descriptor_);
}

std::string directory_name(const fs::path& dir) {
  std::error_code ignored;
  fs::path whole = fs::absolute(dir, ignored).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  return whole.has_filename() ? whole.filename().string() : whole.string();
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
