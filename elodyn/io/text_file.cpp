#include "elodyn/io/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace elodyn {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

FileText read_text_file(const std::string& path, size_t largest) {
  const auto system_reason = [] { return std::generic_category().message(errno); };
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
  if (!file) return {"", system_reason()};
  std::string text;
  std::string block(size_t{1} << 16, '\0');
  for (;;) {
    errno = 0;
    const size_t n = std::fread(block.data(), 1, block.size(), file.get());
    text.append(block, 0, n);
    if (text.size() > largest) return {"", "it is larger than " + std::to_string(largest >> 20) + " MB"};
    if (n < block.size()) break;
  }
  if (std::ferror(file.get())) return {"", system_reason()};  // a directory opens, but does not read
  return {std::move(text), ""};
}

}  // namespace elodyn
