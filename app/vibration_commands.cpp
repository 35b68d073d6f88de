// Commands of measured vibration: spectra, modal, correlate.
#include "app/program.hpp"
#include <fmt/format.h>

#include "elodyn/io/measured_file.hpp"
#include "elodyn/io/output_dir.hpp"
#include "elodyn/study/vibration.hpp"

namespace elodyn::app {
namespace {

int vibration_command(Program& program, const std::string& name, const std::string& next) {
  const Model model = load_model(program);
  MeasuredData data;
  const Results results =
      solve(program, model, [&](const Model& of_file) { return run_vibration(of_file, name, data); });
  const std::string& output = program.line.output;
  const bool is_written = !output.empty() && results.outcome.ok();
  if (is_written) write_file(output, to_measured_text(output, data));
  if (!program.line.quiet || program.line.json || !results.outcome.ok()) say_results(program, results);
  if (is_written && !program.line.quiet && !program.line.json)
    say(fmt::format(
        "\n{}: {}\n", output,
        name == "spectra" ? fmt::format("{} FRFs", data.frfs.size()) : fmt::format("{} modes", data.modes.size())));
  if (results.outcome.ok()) suggest_next(program, next + " " + program.line.file);
  return exit_code(results);
}

}  // namespace

int spectra_command(Program& program) { return vibration_command(program, "spectra", "elodyn run"); }
int modal_command(Program& program) { return vibration_command(program, "modal", "elodyn correlate"); }
int correlate_command(Program& program) { return vibration_command(program, "correlate", "elodyn run"); }

}  // namespace elodyn::app
