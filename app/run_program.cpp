#include <cerrno>
#include <cstdio>
#include <map>
#include <new>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/program.hpp"
#include "app/progress_bar.hpp"

#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/io/write_json.hpp"
#include "elodyn/study/version.hpp"

namespace elodyn::app {
namespace {

int dispatch(Program& program) {
  static const std::map<std::string_view, int (*)(Program&)> commands = {
      {"run", run_command},
      {"check", check_command},
      {"new", new_command},
      {"modes", modes_command},
      {"static", static_command},
      {"buckling", buckling_command},
      {"converge", converge_command},
      {"compare", compare_command},
      {"matrices", matrices_command},
      {"list", list_command},
      {"schema", schema_command},
      {"simulate", simulate_command},
      {"derive", derive_command},
      {"mesh", mesh_command},
      {"frf", frf_command},
      {"reduce", reduce_command},
      {"campbell", campbell_command},
      {"stability", stability_command},
      {"floquet", floquet_command},
      {"cycle", cycle_command},
      {"periodic", periodic_command},
      {"mechanism", mechanism_command},
      {"linkage", linkage_command},
      {"report", report_command},
      {"measure", measure_command},
      {"identify", identify_command},
      {"spectra", spectra_command},
      {"modal", modal_command},
      {"correlate", correlate_command},
  };
  return commands.at(program.line.command)(program);
}

int report_failure(const Program& program, const std::string& message) {
  Results results;
  results.outcome = {"failed", message};
  results.provenance = program.provenance;
  say_results(program, results);
  return kNumbersFailed;
}

int report_interruption(const Program& program) {
  Results results;
  results.outcome.interrupt(false);
  results.provenance = program.provenance;
  say_results(program, results);
  return kInterrupted;
}

int guarded(Program& program, const std::vector<std::string>& arguments) {
  try {
    program.line = parse_command_line(arguments, program.diagnostics);
    program.provenance.command = program.line.typed;
    program.provenance.settings = program.line.settings;
    if (program.diagnostics.n_errors() > 0) return report_input_error(program, "");
    if (!program.line.help.empty()) {
      say(program.line.help);
      return kDone;
    }
    if (const std::string wrong = describe_wrong_threads(); !wrong.empty()) throw InputError(wrong);
    const bool talks = !program.line.quiet && !program.line.json;
    if (talks && !program.is_plain) show_progress();
    catch_interrupts(talks);
    return dispatch(program);
  } catch (const Interrupted&) {
    return report_interruption(program);
  } catch (const InputError& error) {
    return report_input_error(program, error.what());
  } catch (const NumericalError& error) {
    return report_failure(program, error.what());
  } catch (const std::bad_alloc&) {
    return report_failure(program, "not enough memory for this model; try fewer elements");
  } catch (const std::exception& error) {
    return report_bug(program, error.what());
  } catch (...) {
    return report_bug(program, "an exception of unknown type");
  }
}

// A full disk behind `> file` shows only when the last text leaves the buffer.
int flushed(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const std::string reason = errno != 0 ? std::generic_category().message(errno) : "an earlier write failed";
  std::fprintf(stderr, "error: cannot write to standard output: %s\n", reason.c_str());
  return kInputWrong;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, Look look, std::vector<StabilityStudy::Helper*> helpers) {
  Program program;
  program.provenance = make_provenance();
  program.is_plain = look == Look::plain;
  program.out = program.is_plain ? Style{} : make_style(STDOUT_FILENO);
  program.err = program.is_plain ? Style{} : make_style(STDERR_FILENO);
  program.helpers = std::move(helpers);
  return flushed(guarded(program, arguments));
}

}  // namespace elodyn::app
