// Commands that solve or write something: run, modes, static, buckling, simulate, mechanism, frf, reduce, converge,
// matrices, derive, mesh.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "app/program.hpp"
#include <fmt/format.h>

#include "elodyn/base/sha256.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/io/checkpoint_dir.hpp"
#include "elodyn/io/journal.hpp"
#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/read_model.hpp"
#include "elodyn/io/run_dir.hpp"
#include "elodyn/io/text_file.hpp"
#include "elodyn/io/write_derivation.hpp"
#include "elodyn/io/write_json.hpp"
#include "elodyn/io/write_matrices.hpp"
#include "elodyn/io/write_measurement.hpp"
#include "elodyn/io/write_mesh.hpp"
#include "elodyn/io/write_report.hpp"
#include "elodyn/mesh/surface_mesh_of.hpp"
#include "elodyn/model/identify.hpp"
#include "elodyn/study/compare.hpp"
#include "elodyn/study/cycle_sweep.hpp"
#include "elodyn/study/derive.hpp"
#include "elodyn/study/elastic_links.hpp"
#include "elodyn/study/identify.hpp"
#include "elodyn/study/measure.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/study/version.hpp"

namespace elodyn::app {
namespace fs = std::filesystem;
namespace {

bool talks(const Program& program) { return !program.line.quiet && !program.line.json; }

std::vector<std::string> write_results(const Program& program, const Model& model, const Results& results,
                                       const fs::path& dir) {
  const std::string echo =
      echo_toml(move_files(model, fs::path(program.line.file).parent_path().string(), dir.string()));
  return write_run(with_reader_warnings(program, results), echo, dir);
}

// Writes a directory too if one is named.
int print_analysis(Program& program, const std::function<Results(const Model&)>& analysis, const std::string& next) {
  // Elastic links need the bodies that move them.
  const Model model = load_model(program);
  const std::string& dir = program.line.output;
  std::optional<OutputLock> lock;
  if (!dir.empty()) {
    make_output_dir(dir);
    lock.emplace(dir);
  }
  const Results results = solve(program, has_elastic_links(model) ? model : without_rigid_bodies(model), analysis);
  if (!program.line.json) say_results(program, results);
  std::vector<std::string> files;
  if (!dir.empty()) files = write_results(program, model, results, dir);
  if (program.line.json) say_results(program, results);
  if (talks(program) && !files.empty()) say(fmt::format("\n{}: {}\n", dir, join(files, ", ")));
  if (results.outcome.ok()) suggest_next(program, next + " " + program.line.file);
  return exit_code(results);
}

// All that the numbers of a run depend on: the effective keys, the files they name, the program.
std::string everything_of(const Program& program, const Model& model) {
  const Provenance& p = program.provenance;
  std::string text =
      echo_toml(model) + "\n" + p.version + " " + p.commit + " " + p.compiler + " " + p.build_type + "\n";
  constexpr size_t kLargest = size_t{1} << 30;
  const fs::path dir = fs::path(program.line.file).parent_path();
  for (const Body& body : model.bodies)
    for (const std::string& name : {body.mesh_file, body.motion.file})
      if (!name.empty()) text += read_text_file((dir / name).string(), kLargest).text;
  for (const Driver& driver : model.drivers)
    if (!driver.file.empty()) text += read_text_file((dir / driver.file).string(), kLargest).text;
  for (const Motor& motor : model.motors)
    if (!motor.file.empty()) text += read_text_file((dir / motor.file).string(), kLargest).text;
  if (model.identify)
    for (const TrackFile& film : model.identify->films)
      text += read_text_file((dir / film.file).string(), kLargest).text;
  return text;
}

// The frames of an animation as one.
std::vector<std::string> shorten(const std::vector<std::string>& files, const Results& results) {
  std::map<std::string, std::string> animation_of;  // by file
  std::map<std::string, size_t> n_frames;
  for (const Grid& grid : results.grids)
    if (!grid.animation.empty()) {
      animation_of[file_stem(grid.name) + ".vtu"] = grid.animation;
      ++n_frames[grid.animation];
    }
  std::vector<std::string> out;
  for (const std::string& file : files) {
    const auto it = animation_of.find(file);
    if (it == animation_of.end())
      out.push_back(file);
    else if (size_t& n = n_frames[it->second]; n > 0)
      out.push_back(fmt::format("{}_*.vtu ({})", it->second, std::exchange(n, 0)));
  }
  return out;
}

}  // namespace

static std::shared_ptr<const ModelVariants> make_variants(const Program& program, SweepOf sweep, const char* what) {
  constexpr size_t kLargest = size_t{64} << 20;
  const FileText file = read_text_file(program.line.file, kLargest);
  if (!file.failure.empty() || file.text.empty())
    throw InputError(program.line.file + " cannot be read a second time, as " + what +
                     " needs: " + (file.failure.empty() ? "it is empty now" : file.failure));
  return std::make_shared<const ModelVariants>(sweep, program.line.file, file.text, read_options(program));
}

StabilityStudy make_stability_study(const Program& program, const Model& model, Journal* journal) {
  const auto variants = make_variants(program, SweepOf::stability, "a stability map");
  StabilityStudy study;
  const std::vector<const SweepParameter*> parameters = model.stability->parameters();
  study.make = [variants, parameters](const std::vector<double>& values) {
    std::vector<Variation> variations;
    for (size_t p = 0; p < parameters.size(); ++p) variations.push_back({parameters[p], values[p]});
    return make_elastic_bodies(variants->make(variations));
  };
  for (const SweepParameter* parameter : parameters) study.in_file.push_back(variants->value_in_file(*parameter));
  study.journal = journal;
  study.helpers = program.helpers;
  return study;
}

// The cycles of [analysis.cycle.over], besides what a command has of the file's own values.
static void add_sweep_of_cycles(const Program& program, const Model& model, Results& results) {
  if (!model.cycle || !model.cycle->over || results.outcome.status == "interrupted") return;
  const SweepParameter& over = *model.cycle->over;
  const auto variants = make_variants(program, SweepOf::cycle, "a sweep of cycles");
  add_cycle_sweep(
      over,
      [&](double value) {
        return variants->make({{&over, value}});
      },
      results);
}

int run_command(Program& program) {
  const Model model = load_model(program);
  const fs::path dir =
      program.line.output.empty() ? fs::path(program.line.file).stem().string() + ".out" : program.line.output;
  make_output_dir(dir);        // before the work: an hour of it must not be lost to a mistyped path
  const OutputLock lock(dir);  // nor to a second run that writes over it
  // What was killed goes on from what it had finished.
  const std::string everything = everything_of(program, model);
  CheckpointDir checkpoints(dir, everything);
  if (model.simulate) set_checkpoint_store(&checkpoints);
  std::unique_ptr<FileJournal> journal;
  if (model.stability) journal = std::make_unique<FileJournal>(dir / "stability.journal", calc_sha256(everything));
  Measurement measurement;
  const Results results = solve(program, model, [&](const Model& of_file) {
    Results all = run_all(of_file);
    if (of_file.measure && all.outcome.status != "interrupted") add_measure(of_file, measurement, all);
    if (of_file.stability && all.outcome.status != "interrupted")  // it needs no other analysis
      add_stability(make_elastic_bodies(of_file), make_stability_study(program, of_file, journal.get()), all);
    add_sweep_of_cycles(program, of_file, all);
    return all;
  });
  set_checkpoint_store(nullptr);
  for (const std::string& message : checkpoints.messages()) warn(program, "note: " + message + "\n");
  const auto say_all = [&] { say_results(program, results, dir.string()); };
  // People see the results even if the disk is full; the JSON says "ok" only when the files are there.
  if (!program.line.json && (!program.line.quiet || !results.outcome.ok())) say_all();
  std::vector<std::string> files = write_results(program, model, results, dir);
  if (model.measure)
    for (const std::string& file : write_measurement(*model.measure, measurement, dir)) files.push_back(file);
  if (journal && results.outcome.ok()) journal->remove();
  if (results.outcome.status != "interrupted") checkpoints.remove_all();
  if (program.line.json) say_all();
  const char* gap = results.modes.empty() && results.tables.empty() ? "" : "\n";
  if (talks(program)) say(fmt::format("{}{}: {}\n", gap, dir.string(), join(shorten(files, results), ", ")));
  suggest_next(program, "xdg-open " + (dir / kReportFile).string());
  return exit_code(results);
}

int modes_command(Program& program) { return print_analysis(program, run_modes, "elodyn converge"); }
int static_command(Program& program) { return print_analysis(program, run_static, "elodyn run"); }
int buckling_command(Program& program) { return print_analysis(program, run_buckling, "elodyn run"); }

namespace {

std::function<Results(const Model&)> one(const char* name) {
  return [name](const Model& model) { return run_analysis(model, name); };
}

}  // namespace

int campbell_command(Program& program) { return print_analysis(program, one("campbell"), "elodyn run"); }
int simulate_command(Program& program) { return print_analysis(program, one("simulate"), "elodyn run"); }
int mechanism_command(Program& program) {
  const Results results = solve(program, load_model(program), one("mechanism"));
  say_results(program, results);
  if (results.outcome.ok()) suggest_next(program, "elodyn run " + program.line.file);
  return exit_code(results);
}
int frf_command(Program& program) { return print_analysis(program, one("frf"), "elodyn run"); }

int reduce_command(Program& program) {
  const Model model = make_elastic_bodies(load_model(program));
  std::optional<OutputLock> lock;
  if (!program.line.output.empty()) {
    make_output_dir(program.line.output);
    lock.emplace(program.line.output);
  }
  const Results results = solve(program, model, one("reduction"));
  std::vector<std::string> files;
  if (results.outcome.ok() && !program.line.output.empty())
    files = write_matrices(calc_reduced_matrices(model), program.line.output);
  if (!program.line.quiet || program.line.json || !results.outcome.ok()) say_results(program, results);
  if (talks(program) && !files.empty()) say(fmt::format("\n{} files in {}\n", files.size(), program.line.output));
  return exit_code(results);
}

int stability_command(Program& program) {
  return print_analysis(
      program,
      [&](const Model& model) {
        return run_stability(make_elastic_bodies(model), make_stability_study(program, model, nullptr));
      },
      "elodyn run");
}

int floquet_command(Program& program) { return print_analysis(program, one("floquet"), "elodyn run"); }
int cycle_command(Program& program) {
  return print_analysis(
      program,
      [&](const Model& model) {
        Results results = run_analysis(model, "cycle");
        add_sweep_of_cycles(program, model, results);
        return results;
      },
      "elodyn floquet");
}
int linkage_command(Program& program) { return print_analysis(program, one("linkage"), "elodyn run"); }
int periodic_command(Program& program) { return print_analysis(program, one("periodic"), "elodyn run"); }

int measure_command(Program& program) {
  const Model model = load_model(program);
  const fs::path dir =
      program.line.output.empty() ? fs::path(program.line.file).stem().string() + ".measured" : program.line.output;
  make_output_dir(dir);
  const OutputLock lock(dir);
  Measurement measurement;
  const Results results = solve(program, model, [&](const Model& stand) { return run_measure(stand, measurement); });
  std::vector<std::string> files;
  if (results.outcome.ok()) files = write_measurement(*model.measure, measurement, dir);
  if (!program.line.quiet || program.line.json || !results.outcome.ok()) say_results(program, results);
  if (talks(program) && !files.empty()) say(fmt::format("\n{}: {}\n", dir.string(), join(files, ", ")));
  if (results.outcome.ok()) suggest_next(program, "elodyn identify " + program.line.file);
  return exit_code(results);
}

int identify_command(Program& program) {
  const Results results = solve(program, load_model(program), run_identify);
  say_results(program, results);
  if (results.outcome.ok()) suggest_next(program, "elodyn run " + program.line.file);
  return exit_code(results);
}

int converge_command(Program& program) {
  const ConvergeOptions options{program.line.levels};
  return print_analysis(
      program, [&](const Model& model) { return run_converge(model, options); }, "elodyn run");
}

int compare_command(Program& program) { return print_analysis(program, run_compare, "elodyn modes"); }

namespace {

void say_latex(const Program& program, const Derivation& derivation) {
  const LatexDocument document = derivation_latex(derivation);
  say(document.text);
  if (!document.replaced.empty())
    warn(program,
         "warning: pdflatex cannot set these signs, each is a ? in the document: " + join(document.replaced, " "));
}

}  // namespace

int derive_command(Program& program) {
  const Model model = make_elastic_bodies(load_model(program));
  Derivation derivation = derive_elements(model, {program.line.numbers});
  derivation.provenance = program.provenance;
  derivation.warnings = reader_warnings(program);
  if (program.line.json)
    say(to_json(derivation));
  else if (program.line.latex)
    say_latex(program, derivation);
  else
    say(format_derivation(derivation, program.out));
  if (!program.line.latex)
    suggest_next(program, "elodyn derive " + program.line.file + " --latex > equation.tex; pdflatex equation.tex");
  return kDone;
}

int matrices_command(Program& program) {
  const Model model = make_elastic_bodies(load_model(program));
  make_output_dir(program.line.output);
  const OutputLock lock(program.line.output);
  const MatrixExport matrices = calc_matrices(model);
  const std::vector<std::string> files = write_matrices(matrices, program.line.output);
  Results results;
  results.title = model.title;
  results.outcome.status = "ok";
  results.provenance = program.provenance;
  Table table{"matrices", "Matrices", {}};
  std::vector<std::string> names, meanings;
  std::vector<double> rows, entries;
  for (const NamedMatrix& named : matrices.matrices) {
    names.push_back(named.name + ".mtx");
    rows.push_back(static_cast<double>(named.matrix.rows()));
    entries.push_back(static_cast<double>((named.matrix.coeffs() != 0).count()));  // what the file holds
    meanings.push_back(named.meaning);
  }
  table.columns = {{"file", "", names}, {"rows", "", rows}, {"entries", "", entries}, {"meaning", "", meanings}};
  results.tables.push_back(std::move(table));
  if (!program.line.quiet || program.line.json) say_results(program, results);
  if (talks(program))
    say(fmt::format("\n{} file{} in {}\n", files.size(), files.size() == 1 ? "" : "s", program.line.output));
  return kDone;
}

namespace {

// The body of --body, or the only one; it must have areas.
const Body& choose_body(Program& program, const Model& model) {
  std::vector<std::string> names;
  for (const Body& body : model.bodies) names.push_back(body.name);
  const std::string& wanted = program.line.body;
  const auto it = std::find_if(model.bodies.begin(), model.bodies.end(), [&](const Body& body) {
    return body.name == wanted || (wanted.empty() && model.bodies.size() == 1);
  });
  if (it == model.bodies.end())
    program.diagnostics.error({},
                              wanted.empty() ? "the model has several bodies: --body says whose mesh"
                                             : "unknown body `" + wanted + "` after --body",
                              wanted.empty() ? "bodies: " + join(names, ", ") : suggest(wanted, names));
  else if (it->areas.empty())
    program.diagnostics.error({}, "body `" + it->name + "` has no areas, only meshes of surfaces can be written");
  program.diagnostics.throw_if_errors();
  return *it;
}

}  // namespace

int mesh_command(Program& program) {
  const Model model = without_rigid_bodies(load_model(program));
  const Body& body = choose_body(program, model);
  const SurfaceMesh mesh = make_surface_mesh(model, body, make_mesh(body));
  write_file(program.line.output, program.line.output.ends_with(".msh") ? to_msh(mesh) : to_inp(mesh));
  Results results;
  results.title = model.title;
  results.outcome.status = "ok";
  results.provenance = program.provenance;
  if (program.line.output.ends_with(".inp"))
    for (const Material& material : mesh.materials) {
      if (material.has_all_void_constants())
        results.warnings.push_back("material `" + material.name + "`: its void constants are not written");
      if (material.is_orthotropic())
        results.warnings.push_back("material `" + material.name +
                                   "`: material_axis is not written; give an *ORIENTATION");
    }
  std::vector<std::string> names, kinds;
  std::vector<double> nodes, elements;
  const auto add = [&](const std::string& name, const char* kind, size_t n_nodes, size_t n_elements) {
    names.push_back(name);
    kinds.emplace_back(kind);
    nodes.push_back(static_cast<double>(n_nodes));
    elements.push_back(static_cast<double>(n_elements));
  };
  for (const SurfaceMesh::Area& area : mesh.areas) add(area.name, "area", mesh.count_nodes(area), area.elements.size());
  for (const SurfaceMesh::Side& side : mesh.sides) add(side.name, "side", side.nodes.size(), side.pieces.size());
  for (const SurfaceMesh::Point& point : mesh.points) add(point.name, "point", 1, 0);
  results.tables.push_back(
      {"mesh",
       "Groups",
       {{"group", "", names}, {"kind", "", kinds}, {"nodes", "", nodes}, {"elements", "", elements}}});
  if (!program.line.quiet || program.line.json) say_results(program, results);
  if (talks(program))
    say(fmt::format("\n{}: {} nodes, {} elements\n", program.line.output, mesh.nodes.size(), mesh.elements.size()));
  return kDone;
}

}  // namespace elodyn::app
