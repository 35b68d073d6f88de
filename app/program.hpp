// What the commands share: what was typed, what is wrong with the input, and how things are said to people.
// Results go to stdout; warnings, errors and hints to stderr. With --json there is one JSON text on stdout, nothing
// else.
#pragma once

#include <functional>
#include <string>

#include "app/command_line.hpp"

#include "elodyn/io/read_model.hpp"
#include "elodyn/io/text_table.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/model/validate.hpp"
#include "elodyn/results/results.hpp"
#include "elodyn/study/stability.hpp"

namespace elodyn::app {

enum ExitCode { kDone = 0, kInputWrong = 2, kNumbersFailed = 3, kOurBug = 70, kInterrupted = 130 };

struct Program {
  CommandLine line;
  Diagnostics diagnostics;
  Provenance provenance;
  Style out, err;                                // of stdout and stderr
  bool is_plain = false;                         // no hints and no progress bar, terminal or not
  bool proof_is_wanted = false;                  // that no mode is missed
  std::vector<StabilityStudy::Helper*> helpers;  // other processes that do parts of a stability map
};

// `plain`: no colours, hints and progress bar, though stdout and stderr look like a terminal.
enum class Look { of_terminal, plain };

// All of it, with an exit code.
int run_program(const std::vector<std::string>& arguments, Look look = Look::of_terminal,
                std::vector<StabilityStudy::Helper*> helpers = {});

// ---- saying things ----
void say(const std::string& text);                                   // stdout
void warn(const Program& program, const std::string& text);          // stderr, unless --quiet or --json
void suggest_next(const Program& program, const std::string& text);  // stderr, if a person sits there
// Tables or JSON; warnings; what failed. `dir`: where all rows of a long table are; empty: not written.
void say_results(const Program& program, const Results& results, const std::string& dir = {});
// What the diagnostics and the message say; the exit code is kInputWrong.
int report_input_error(const Program& program, const std::string& message);
int report_bug(const Program& program, const std::string& message);
int exit_code(const Results& results);
// For files and JSON, which know no stderr: the reader's warnings, and a result with them before those of the analysis.
std::vector<std::string> reader_warnings(const Program& program);
Results with_reader_warnings(const Program& program, Results results);

// ---- the model ----
KnownNames known_names();
// Reads and checks FILE with --set and --formalism, says its warnings; InputError if something is wrong.
Model load_model(Program& program);
// The models of a stability map: the file read again with other numbers. The model must live longer.
StabilityStudy make_stability_study(const Program& program, const Model& model, Journal* journal);
// How load_model() reads: what was set, what is known by name.
ReadOptions read_options(const Program& program);
// The analysis, its time and provenance.
Results solve(const Program& program, const Model& model, const std::function<Results(const Model&)>& analysis);

// ---- the commands, in files by what they do ----
int run_command(Program& program);  // solve_commands.cpp
int modes_command(Program& program);
int static_command(Program& program);
int buckling_command(Program& program);
int simulate_command(Program& program);
int campbell_command(Program& program);
int mechanism_command(Program& program);
int frf_command(Program& program);
int reduce_command(Program& program);
int stability_command(Program& program);
int floquet_command(Program& program);
int cycle_command(Program& program);
int periodic_command(Program& program);
int linkage_command(Program& program);
int report_command(Program& program);
int measure_command(Program& program);
int identify_command(Program& program);
int spectra_command(Program& program);  // vibration_commands.cpp
int modal_command(Program& program);
int correlate_command(Program& program);
int converge_command(Program& program);
int compare_command(Program& program);
int matrices_command(Program& program);
int derive_command(Program& program);
int mesh_command(Program& program);
int check_command(Program& program);  // describe_commands.cpp
int new_command(Program& program);
int list_command(Program& program);
int schema_command(Program& program);

}  // namespace elodyn::app
