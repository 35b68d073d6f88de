#include "elodyn/io/checkpoint_dir.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "elodyn/base/sha256.hpp"
#include "elodyn/io/output_dir.hpp"

namespace elodyn {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFirstLine = "elodyn checkpoint 1\n";

// The text up to the end of the line; the rest stays.
std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

CheckpointDir::CheckpointDir(fs::path dir, const std::string& input)
    : dir_(std::move(dir)), fingerprint_(calc_sha256(input)) {}

fs::path CheckpointDir::file(const std::string& name) const { return dir_ / (file_stem(name) + ".checkpoint"); }

void CheckpointDir::save(const std::string& name, std::string_view bytes) {
  std::string text(kFirstLine);
  text += fingerprint_ + "\n" + calc_sha256(bytes) + "\n";
  text += bytes;
  write_file(file(name), text);
  files_.push_back(file(name));
}

std::string CheckpointDir::load(const std::string& name) {
  std::ifstream stream(file(name), std::ios::binary);
  if (!stream) return {};
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  files_.push_back(file(name));
  std::string_view rest = text;
  const auto refuse = [&](const char* why) {
    messages_.push_back(file(name).string() + why);
    return std::string{};
  };
  if (!rest.starts_with(kFirstLine)) return refuse(" is not a checkpoint of this version and is not used");
  rest.remove_prefix(kFirstLine.size());
  if (take_line(rest) != fingerprint_)
    return refuse(" is of another model or version: the run starts from the beginning");
  const std::string_view sum = take_line(rest);
  if (sum != calc_sha256(rest)) return refuse(" is damaged and is not used");
  messages_.push_back("the run goes on from " + file(name).string());
  return std::string(rest);
}

void CheckpointDir::remove_all() {
  std::error_code ignored;
  for (const fs::path& path : files_) fs::remove(path, ignored);
  files_.clear();
}

}  // namespace elodyn
