#include "elodyn/io/run_dir.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/write_json.hpp"
#include "elodyn/io/writer.hpp"

namespace elodyn {
namespace fs = std::filesystem;
namespace {

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Only plain names: a run.json from elsewhere must not reach outside the directory.
void remove_old(const fs::path& dir, const std::vector<std::string>& old, const std::vector<std::string>& kept) {
  for (const std::string& name : old) {
    const bool is_plain = fs::path(name).filename() == name && file_stem(name) == name;
    std::error_code ignored;
    if (is_plain && std::find(kept.begin(), kept.end(), name) == kept.end()) fs::remove(dir / name, ignored);
  }
}

}  // namespace

std::vector<std::string> write_run(const Results& results, const std::string& input_echo, const fs::path& dir) {
  make_output_dir(dir);
  const std::vector<std::string> old = read_run_files(read_text(dir / "run.json"));
  std::vector<std::string> files = {"input.echo.toml"};
  write_file(dir / files.back(), input_echo);
  for (const Writer* writer : writers().list()) {
    const std::vector<std::string> made = writer->write(results, dir);
    files.insert(files.end(), made.begin(), made.end());
  }
  files.emplace_back("run.json");
  remove_old(dir, old, files);
  write_file(dir / files.back(), run_json(results, files));
  return files;
}

}  // namespace elodyn
