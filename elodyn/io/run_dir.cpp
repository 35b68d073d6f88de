#include "elodyn/io/run_dir.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "elodyn/base/error.hpp"
#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/results_hdf5.hpp"
#include "elodyn/io/text_file.hpp"
#include "elodyn/io/write_json.hpp"
#include "elodyn/io/write_report.hpp"
#include "elodyn/io/writer.hpp"

namespace elodyn {
namespace fs = std::filesystem;
namespace {

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// A file that must be there.
std::string read_whole(const fs::path& file) {
  constexpr size_t kLargest = size_t{4} << 30;
  FileText text = read_text_file(file.string(), kLargest);
  if (!text.failure.empty()) throw InputError("cannot read `" + file.string() + "`: " + text.failure);
  return std::move(text.text);
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
    const std::vector<std::string> made = writer->write({results, dir, input_echo, files});
    files.insert(files.end(), made.begin(), made.end());
  }
  files.emplace_back("run.json");
  remove_old(dir, old, files);
  write_file(dir / files.back(), run_json(results, files));
  return files;
}

RunDir read_run(const fs::path& dir) {
  const std::string name = dir.string();
  std::error_code ignored;
  if (!fs::is_directory(dir, ignored)) throw InputError("`" + name + "` is not a directory");
  if (!fs::exists(dir / "run.json", ignored))
    throw InputError("`" + name + "` is not the directory of a finished run: it has no run.json; `elodyn run FILE -o " +
                     name + "` makes one");
  RunDir run;
  run.files = read_run_files(read_whole(dir / "run.json"));
  if (run.files.empty()) throw InputError("`" + (dir / "run.json").string() + "` is damaged: it lists no files");
  // The report lists what was there before it.
  run.files.erase(std::find(run.files.begin(), run.files.end(), kReportFile), run.files.end());
  for (const char* needed : {"results.h5", "input.echo.toml"})
    if (!fs::exists(dir / needed, ignored))
      throw InputError("`" + name + "` has no " + needed + ", which a report needs; run the file again");
  run.input_echo = read_whole(dir / "input.echo.toml");
  run.results = from_hdf5((dir / "results.h5").string(), read_whole(dir / "results.h5"));
  return run;
}

}  // namespace elodyn
