#include "app/program.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

#include "elodyn/analysis/integrator.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/read_model.hpp"
#include "elodyn/io/stability_map.hpp"
#include "elodyn/io/write_json.hpp"
#include "elodyn/study/version.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn::app {
namespace {

constexpr size_t kRowsOfARun = 12;  // a summary: the tables themselves are written

// Colours the word that opens a message; the lines below it start with a space.
std::string painted(const std::string& text, const Style& style) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const auto paint = [&](const std::string& word, const std::string& colour) {
      const size_t at = line.find(word);
      if (at == std::string::npos || line.front() == ' ') return;
      line.insert(at + word.size() - 1, style.reset);  // before the space
      line.insert(at, colour);
    };
    if (line.find("error: ") != std::string::npos)
      paint("error: ", style.red);
    else
      paint("warning: ", style.yellow);
    out += line + "\n";
  }
  return out;
}

void say_error(const std::string& text, const Style& style) {
  std::fflush(stdout);  // keeps the order where both go to one terminal
  std::fputs(painted(text, style).c_str(), stderr);
}

// A second reading, for the fingerprint; what cannot be read twice (a pipe) has none.
std::string text_of(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

void say(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void warn(const Program& program, const std::string& text) {
  if (!program.line.quiet && !program.line.json && !text.empty()) say_error(text, program.err);
}

void suggest_next(const Program& program, const std::string& text) {
  if (!program.line.quiet && !program.line.json && !program.is_plain && isatty(STDERR_FILENO) == 1)
    say_error(program.err.dim + "next: " + text + program.err.reset + "\n", program.err);
}

void say_results(const Program& program, const Results& results, const std::string& dir) {
  if (program.line.json) {
    say(to_json(with_reader_warnings(program, results)));
    return;
  }
  TextTableOptions options;
  options.style = program.out;
  if (!dir.empty()) options.max_rows = kRowsOfARun;
  std::string gap;
  if (!results.title.empty() && (!results.modes.empty() || !results.tables.empty())) {
    say(program.out.bold + results.title + program.out.reset + "\n");
    gap = "\n";
  }
  if (!results.modes.empty()) {
    say(gap + format_modes(results.modes, options));
    if (results.modes_are_complete.value_or(false) && program.proof_is_wanted) say("no mode is missed: counted\n");
    gap = "\n";
  }
  for (const Table& table : results.tables) {
    if (table.name == "modes" && !results.modes.empty()) continue;
    if (table.name == "stability") {
      say(gap + format_stability_map(table, program.out));
      gap = "\n";
      continue;
    }
    if (table.is_history) continue;
    options.where_all = dir.empty() ? "; `elodyn run` writes all" : " in " + dir + "/" + file_stem(table.name) + ".csv";
    say(gap + format_table(table, options));
    gap = "\n";
  }
  for (const std::string& warning : results.warnings) warn(program, "warning: " + warning + "\n");
  if (results.outcome.ok()) return;
  std::istringstream failures(results.outcome.message);
  for (std::string failure; std::getline(failures, failure);) say_error("error: " + failure + "\n", program.err);
}

int report_input_error(const Program& program, const std::string& message) {
  const Diagnostics& diagnostics = program.diagnostics;
  // An InputError that was made of the diagnostics says nothing new.
  const std::string extra = diagnostics.n_errors() > 0 ? std::string{} : message;
  if (program.line.json) {
    say(to_json(diagnostics, extra, program.provenance));
    return kInputWrong;
  }
  warn(program, diagnostics.format_all(Severity::warning));
  say_error(diagnostics.format_all(Severity::error), program.err);
  if (!extra.empty()) say_error("error: " + extra + "\n", program.err);
  return kInputWrong;
}

int report_bug(const Program& program, const std::string& message) {
  if (program.line.json) {
    Results results;
    results.outcome = {"bug", message};
    results.provenance = program.provenance;
    say(to_json(results));
    return kOurBug;
  }
  say_error("error: this is a bug of elodyn, not of your input: " + message +
                "\n  Please report it with the input file, the command and this line:\n  " + version_line() +
                "\n  command: " + program.line.typed + "\n",
            program.err);
  return kOurBug;
}

int exit_code(const Results& results) {
  if (results.outcome.status == "interrupted") return kInterrupted;
  return results.outcome.ok() ? kDone : kNumbersFailed;
}

std::vector<std::string> reader_warnings(const Program& program) {
  std::vector<std::string> warnings;
  for (const Diagnostic& d : program.diagnostics.all()) {
    if (d.severity != Severity::warning) continue;
    const std::string place = program.diagnostics.source_name(d.mark.source) + ":" + std::to_string(d.mark.line) + ":" +
                              std::to_string(d.mark.column) + ": ";
    warnings.push_back((d.mark.line > 0 ? place : "") + d.text);
  }
  return warnings;
}

Results with_reader_warnings(const Program& program, Results results) {
  const std::vector<std::string> warnings = reader_warnings(program);
  results.warnings.insert(results.warnings.begin(), warnings.begin(), warnings.end());
  return results;
}

KnownNames known_names() {
  KnownNames names;
  for (const Element* element : elements().list())
    if (element->makes_members()) names.elements.emplace_back(element->name());
  for (const Formalism* formalism : formalisms().list()) names.formalisms.emplace_back(formalism->name());
  for (const Integrator* integrator : integrators().list()) names.integrators.emplace_back(integrator->name());
  for (const SystemFormalism* formalism : system_formalisms().list())
    (formalism->makes_matrices() ? names.system_formalisms : names.motion_formalisms).emplace_back(formalism->name());
  return names;
}

// What the command computes, whatever the file asks for; nothing: what the file asks for.
static std::vector<std::string> wanted_by(const std::string& command) {
  if (command == "run" || command == "check" || command == "mesh") return {};
  if (command == "reduce") return {"reduction"};
  return {command == "converge" ? "modes" : command};
}

ReadOptions read_options(const Program& program) {
  ReadOptions options{program.line.settings, known_names()};
  options.names.wanted = wanted_by(program.line.command);
  options.formalism = program.line.formalism.value_or("");
  return options;
}

Model load_model(Program& program) {
  program.provenance.input = program.line.file;
  const ReadOptions options = read_options(program);
  if (program.line.formalism) {
    if (system_formalisms().find(options.formalism) == nullptr && formalisms().find(options.formalism) == nullptr) {
      std::vector<std::string> known = options.names.formalisms;
      for (const SystemFormalism* formalism : system_formalisms().list()) known.emplace_back(formalism->name());
      program.diagnostics.error({}, "unknown formalism `" + options.formalism + "` after --formalism",
                                suggest(options.formalism, known));
    }
    program.diagnostics.throw_if_errors();
  }
  Model model = elodyn::load_model(program.line.file, options, program.diagnostics);
  program.proof_is_wanted = model.modes && model.modes->prove;
  add_input(program.provenance, program.line.file, text_of(program.line.file));
  if (program.line.command == "simulate" && !model.simulate) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.simulate]",
                              "say how long and in which steps: duration = \"1 s\", step = \"1 ms\"");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "mechanism" && !model.mechanism) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.mechanism]",
                              "say how long: duration = \"2 s\"");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "campbell" && !model.campbell) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.campbell]",
                              "say which speeds: speeds = { from = \"0 rpm\", to = \"9000 rpm\", count = 61 }");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "frf" && !model.frf) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.frf]",
                              "say where it is driven and up to which frequency: frequencies = { to = \"500 Hz\" } and "
                              "[[analysis.frf.excitation]]");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "reduce" && !model.reduction) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.reduction]",
                              "say what stays as it is and how many modes: points = [\"POINT\"], modes = 20");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "stability" && !model.stability) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.stability]",
                              "say what is varied: x = { key = \"body.NAME.motion.speed\", from = \"0 rpm\", to = "
                              "\"3000 rpm\", count = 41 }");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "floquet" && !model.floquet) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.floquet]",
                              "say after which time everything repeats itself: period = \"20 ms\"");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "cycle" && !model.cycle) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.cycle]", "say how many modes: count = 6");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "linkage" && !model.linkage) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.linkage]",
                              "say how many frequencies: count = 6");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "periodic" && !model.periodic) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.periodic]",
                              "say how many times of the cycle are recorded: records = 360");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "measure" && !model.measure) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.measure]",
                              "say how long and what is recorded: duration = \"2 s\" and [analysis.measure.film]");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "identify" && !model.identify) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.identify]",
                              "say where the tracks are: film.NAME = { file = \"film.txt\" }");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "spectra" && !model.spectra) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.spectra]",
                              "say where the records are: file = \"records.uff\"");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "modal" && !model.modal) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.modal]",
                              "say where the FRFs are: file = \"frfs.uff\", or write [analysis.spectra.frf] besides");
    program.diagnostics.throw_if_errors();
  }
  if (program.line.command == "correlate" && !model.correlate) {
    program.diagnostics.error({}, program.line.file + " has no [analysis.correlate]",
                              "say where the modes are: file = \"modes.uff\", or write [analysis.modal] besides");
    program.diagnostics.throw_if_errors();
  }
  warn(program, program.diagnostics.format_all(Severity::warning));
  return model;
}

Results solve(const Program& program, const Model& model, const std::function<Results(const Model&)>& analysis) {
  const Stopwatch watch;
  Results results = analysis(model);
  results.timings["total"] = watch.seconds();
  results.provenance = program.provenance;
  return results;
}

}  // namespace elodyn::app
