// elodyn report: the page of one run, or of several side by side, from their directories.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/program.hpp"
#include <fmt/format.h>

#include "elodyn/base/text.hpp"
#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/run_dir.hpp"
#include "elodyn/io/write_report.hpp"

namespace elodyn::app {
namespace fs = std::filesystem;

int report_command(Program& program) {
  const std::vector<std::string>& dirs = program.line.dirs;
  std::vector<RunDir> runs;
  runs.reserve(dirs.size());
  std::vector<ReportedRun> reported;
  std::vector<std::string> names, titles, states;
  for (const std::string& dir : dirs) {
    const RunDir& run = runs.emplace_back(read_run(dir));
    // Where two directories have one name, their paths tell them apart.
    std::string name = directory_name(dir);
    if (std::find(names.begin(), names.end(), name) != names.end()) name = dir;
    reported.push_back({name, run.results, run.input_echo, run.files});
    names.push_back(name);
    titles.push_back(run.results.title);
    states.push_back(run.results.outcome.status);
  }
  const fs::path page = !program.line.output.empty() ? fs::path(program.line.output)
                        : dirs.size() == 1           ? fs::path(dirs.front()) / kReportFile
                                                     : fs::path(kReportFile);
  std::optional<OutputLock> lock;
  if (program.line.output.empty() && dirs.size() == 1) {
    make_output_dir(dirs.front());
    lock.emplace(dirs.front());
  }
  write_file(page, to_report_page(reported));
  Results results;
  results.outcome.status = "ok";
  results.provenance = program.provenance;
  results.tables.push_back(
      {"report", page.string(), {{"directory", "", dirs}, {"title", "", titles}, {"status", "", states}}});
  if (program.line.json)
    say_results(program, results);
  else if (!program.line.quiet)
    say(fmt::format("{}: {}\n", page.string(), join(names, ", ")));
  suggest_next(program, "xdg-open " + page.string());
  return kDone;
}

}  // namespace elodyn::app
