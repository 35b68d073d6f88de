#include "app/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

#include <CLI/CLI.hpp>

#include "elodyn/base/text.hpp"
#include "elodyn/io/new_model.hpp"
#include "elodyn/study/version.hpp"

namespace elodyn::app {
namespace {

constexpr const char* kLists = "elements, formalisms, analyses, integrators or writers";
constexpr int kFewestLevels = 2, kMostLevels = 10;  // each level doubles the elements

// A line of the help: what the command does and how it is typed.
struct Command {
  const char* name;
  const char* summary;
  const char* example;
};
constexpr Command kCommands[] = {
    {"run", "every analysis that the file asks for; writes tables, fields and report.html",
     "elodyn run rod.toml -o out"},
    {"check", "all mistakes of the file, no solve", "elodyn check rod.toml"},
    {"new", "a commented file to start from", "elodyn new > rod.toml"},
    {"modes", "frequencies, growth and kind of each mode", "elodyn modes rod.toml --set body.rod.line.elements=40"},
    {"static", "deflection, reactions, section forces, stresses", "elodyn static rod.toml"},
    {"buckling", "factors of the loads at which a body buckles", "elodyn buckling column.toml"},
    {"campbell", "frequencies over the speed of a spinning body, critical speeds", "elodyn campbell rotor.toml"},
    {"simulate", "motion in time from an initial state", "elodyn simulate spin_up.toml"},
    {"mechanism", "motion of bodies that joints connect, and the forces in the joints", "elodyn mechanism crank.toml"},
    {"frf", "steady response to harmonic loads and shaking", "elodyn frf beam.toml"},
    {"reduce", "Craig and Bampton's reduction, as Matrix Market files", "elodyn reduce blade.toml -o reduced"},
    {"stability", "map of what is stable over one or two numbers of the file", "elodyn stability blade.toml"},
    {"floquet", "does a motion grow whose coefficients repeat themselves?", "elodyn floquet pulsating.toml"},
    {"cycle", "frequencies over one cycle of a motion, frozen at instants", "elodyn cycle crank.toml"},
    {"linkage", "vibration of all elastic links of a mechanism together", "elodyn linkage crank.toml"},
    {"periodic", "steady vibration in a motion that repeats itself", "elodyn periodic crank.toml"},
    {"report", "the page of a run again, without solving; of several runs side by side", "elodyn report out"},
    {"measure", "an experiment that is simulated: films and records as files", "elodyn measure crank.toml -o measured"},
    {"identify", "motion and joint forces from films of markers", "elodyn identify crank.toml"},
    {"spectra", "spectra, waterfalls, orders and FRFs of measured records", "elodyn spectra test.toml -o frfs.uff"},
    {"modal", "modes from measured FRFs", "elodyn modal test.toml -o modes.uff"},
    {"correlate", "measured modes beside computed ones: MAC, frequencies", "elodyn correlate test.toml"},
    {"converge", "frequencies on refined meshes, observed orders", "elodyn converge rod.toml --levels 5"},
    {"compare", "every formalism that applies: differences, operations, time", "elodyn compare rod.toml"},
    {"derive", "the equation of an element term by term, in symbols", "elodyn derive rod.toml --formalism lagrange"},
    {"matrices", "the matrices of the equation as Matrix Market files", "elodyn matrices rod.toml -o matrices"},
    {"mesh", "the mesh of a body as a .msh or .inp file", "elodyn mesh plate.toml -o plate.msh"},
    {"list", "what can be chosen by name", "elodyn list formalisms"},
    {"schema", "every key of the input file", "elodyn schema --markdown"},
};

bool takes_file(const std::string& command) {
  return command != "new" && command != "list" && command != "schema" && command != "report";
}

std::string shell_quoted(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./=,:+@%").find(c) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The options of CLI11, bound to the struct. `levels` is text here: its message is ours.
struct Parser {
  CLI::App app{"Finite elements for machines whose parts bend while they move", "elodyn"};
  std::string levels;
  bool version = false;

  explicit Parser(CommandLine& line) {
    app.add_flag("--version", version, "version, commit and compiler");
    app.footer(
        "`elodyn COMMAND --help` shows the options and an example.\n"
        "Exit codes: 0 done, 2 the input is wrong, 3 the numbers failed, 70 a bug of ours.");
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    for (const Command& command : kCommands) add(command, line);
  }

 private:
  void add(const Command& command, CommandLine& line) {
    const std::string name = command.name;
    CLI::App& sub = *app.add_subcommand(name, command.summary);
    sub.group("Commands");
    sub.footer(std::string("Example:\n  ") + command.example);
    if (takes_file(name)) {
      sub.add_option("FILE", line.file, "the model (TOML)")->type_name("");
      sub.add_option("--set", line.settings, "set a key of the file: --set body.rod.degree=5 (repeatable)")
          ->expected(1)
          ->allow_extra_args(false)  // what follows is FILE
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->type_name("KEY=VALUE");
      if (name != "compare")  // which takes them all
        sub.add_option("--formalism", line.formalism,
                       "the formalism that derives the equation; of those for systems simulate takes all, others need "
                       "one with matrices (elodyn list formalisms)")
            ->type_name("NAME");
    }
    if (name == "run")
      sub.add_option("-o,--output", line.output, "where the results go (default: model.out for model.toml)")
          ->type_name("DIR");
    if (name == "mesh") {
      sub.add_option("-o,--output", line.output, "the file: .msh for Gmsh 4.1, .inp for Abaqus and CalculiX")
          ->type_name("FILE");
      sub.add_option("--body", line.body, "whose mesh; needed if there are several")->type_name("NAME");
    }
    if (name == "converge" || name == "compare")
      sub.add_option("-o,--output", line.output, "where tables and a page of them go (default: none are written)")
          ->type_name("DIR");
    if (name == "report") {
      sub.add_option("DIR", line.dirs, "directories that `elodyn run` wrote")->type_name("");
      sub.add_option("-o,--output", line.output,
                     "the page (default: report.html in DIR; of several runs in the working directory)")
          ->type_name("FILE");
    }
    if (name == "reduce")
      sub.add_option("-o,--output", line.output, "where the matrices go (default: none are written)")->type_name("DIR");
    if (name == "measure")
      sub.add_option("-o,--output", line.output, "where the records go (default: model.measured for model.toml)")
          ->type_name("DIR");
    if (name == "spectra" || name == "modal")
      sub.add_option("-o,--output", line.output, "universal file for the FRFs or the modes (default: none is written)")
          ->type_name("FILE");
    if (name == "matrices") sub.add_option("-o,--output", line.output, "where the files go")->type_name("DIR");
    if (name == "converge") sub.add_option("--levels", levels, "number of meshes, 2 to 10 (default 4)")->type_name("N");
    if (name == "derive") {
      sub.add_flag("--latex", line.latex, "as a LaTeX document");
      sub.add_flag("--numbers", line.numbers, "matrices in numbers instead of symbols, in body axes");
    }
    if (name == "new")
      sub.add_option("KIND", line.kind,
                     "what to start from (default: " + new_kinds().front() + "): " + join(new_kinds(), ", "))
          ->type_name("");
    if (name == "list") sub.add_option("WHAT", line.kind, kLists)->type_name("");
    if (name == "schema") {
      sub.add_flag("--json", line.json, "as JSON Schema, for editors");
      sub.add_flag("--markdown", line.markdown, "as a page (default)");
      sub.add_flag("--template", line.file_template, "as a file with every key, commented");
    } else {
      if (name != "new") sub.add_flag("--json", line.json, "print JSON on stdout and nothing else; SI and radians");
      sub.add_flag("--quiet", line.quiet, "no warnings, hints or summaries");
    }
  }
};

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// Checks the words after the command before CLI11 sees them; false if something is wrong.
bool check_words(const CLI::App& sub, const std::vector<std::string>& words, Diagnostics& diagnostics) {
  const int before = diagnostics.n_errors();
  const std::string command = "elodyn " + sub.get_name();
  const std::vector<const CLI::Option*> options = sub.get_options();
  const auto n_places =
      std::count_if(options.begin(), options.end(), [](const CLI::Option* option) { return option->get_positional(); });
  const bool takes_many = std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->get_positional() && option->get_expected_max() > 1;
  });
  int n_given = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      if (++n_given > n_places && !takes_many)
        diagnostics.error({}, "unexpected argument `" + word + "` of `" + command + "`");
      continue;
    }
    const bool is_long = word.starts_with("--");
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const CLI::Option* option = sub.get_option_no_throw(name);
    if (option == nullptr) {
      const std::vector<std::string> known = option_names(sub);  // every letter is near every other: list them
      diagnostics.error({}, "unknown option `" + name + "` of `" + command + "`",
                        is_long ? suggest(name, known) : "known: " + join(known, ", "));
      continue;
    }
    const bool has_value = word.size() > name.size();
    if (option->get_expected_max() == 0 || has_value) continue;
    if (++i == words.size())
      diagnostics.error({}, "option `" + name + "` needs a value: " + name + " " + option->get_type_name());
  }
  return diagnostics.n_errors() == before;
}

void check_values(const Parser& parser, CommandLine& line, Diagnostics& diagnostics) {
  const Command& command = *std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [&](const Command& candidate) { return line.command == candidate.name; });
  const std::string example = std::string("for example: ") + command.example;
  if (takes_file(line.command) && line.file.empty())
    diagnostics.error({}, "`elodyn " + line.command + "` needs a FILE", example);
  if (line.command == "report" && line.dirs.empty())
    diagnostics.error({}, "`elodyn report` needs a directory that `elodyn run` wrote", example);
  if (line.command == "matrices" && line.output.empty())
    diagnostics.error({}, "`elodyn matrices` needs an output directory", example);
  if (line.command == "mesh" && !line.output.ends_with(".msh") && !line.output.ends_with(".inp"))
    diagnostics.error({}, "`elodyn mesh` needs -o with a file that ends in .msh or .inp", example);
  if ((line.command == "spectra" || line.command == "modal") && !line.output.empty() &&
      !line.output.ends_with(".uff") && !line.output.ends_with(".unv"))
    diagnostics.error(
        {}, "`elodyn " + line.command + "` writes a universal file: -o with a name that ends in .uff or .unv", example);
  if (line.command == "list" && line.kind.empty()) diagnostics.error({}, "`elodyn list` needs to know what", kLists);
  if (line.command == "schema" && int{line.json} + int{line.markdown} + int{line.file_template} > 1)
    diagnostics.error({}, "`elodyn schema` prints one form", "choose --json, --markdown or --template");
  if (line.command == "derive" && line.json && line.latex)
    diagnostics.error({}, "`elodyn derive` prints one form", "choose --json or --latex; the JSON has LaTeX in it too");
  if (!parser.levels.empty()) {
    const char* end = parser.levels.data() + parser.levels.size();
    const auto [stop, problem] = std::from_chars(parser.levels.data(), end, line.levels);
    if (problem != std::errc{} || stop != end || line.levels < kFewestLevels || line.levels > kMostLevels)
      diagnostics.error({}, "--levels = " + parser.levels + ", must be a whole number from 2 to 10");
  }
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments, Diagnostics& diagnostics) {
  CommandLine line;
  line.typed = "elodyn";
  for (const std::string& argument : arguments) line.typed += " " + shell_quoted(argument);
  // Known before anything is judged, so that mistakes of the command line are reported as JSON too.
  line.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();

  Parser parser(line);
  std::vector<std::string> words = arguments;
  if (!words.empty() && words[0] == "help") {  // `elodyn help modes` is `elodyn modes --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty()) {
    diagnostics.error({}, "a command is missing", "`elodyn --help` lists them");
    return line;
  }
  const std::string first = words[0];
  if (first == "--help" || first == "-h") line.help = parser.app.help();
  if (first == "--version") line.help = version_line() + "\n";
  if (!line.help.empty()) return line;
  if (first.starts_with("-")) {
    diagnostics.error({}, "unknown option `" + first + "` before the command",
                      "write `elodyn COMMAND` first, then its options; `elodyn --help` lists the commands");
    return line;
  }
  const std::vector<std::string> known = command_names();
  if (std::find(known.begin(), known.end(), first) == known.end()) {
    const std::string near = nearest_name(first, known);
    const bool is_file = first.ends_with(".toml");
    diagnostics.error({}, "unknown command `" + first + "`",
                      is_file        ? "write `elodyn run " + first + "` to run a file"
                      : near.empty() ? "commands: " + join(known, ", ")
                                     : "did you mean `" + near + "`?");
    return line;
  }
  line.command = first;
  const CLI::App* sub = parser.app.get_subcommand(first);
  if (std::any_of(words.begin(), words.end(),
                  [](const std::string& word) { return word == "--help" || word == "-h"; })) {
    line.help = sub->help("elodyn");
    return line;
  }
  if (!check_words(*sub, {words.begin() + 1, words.end()}, diagnostics)) return line;
  // `elodyn new mechanism`: a kind that is the name of a command, too
  if (first == "new" && words.size() == 2 && !words[1].starts_with("-")) words.insert(words.begin() + 1, "--");
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    parser.app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {  // what our own checks did not foresee
    diagnostics.error({}, error.what(), "`elodyn " + first + " --help` shows the options");
    return line;
  }
  check_values(parser, line, diagnostics);
  return line;
}

}  // namespace elodyn::app
