#include "elodyn/io/read_model.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "elodyn/io/import_meshes.hpp"
#include "elodyn/io/model_schema.hpp"
#include "elodyn/io/read_motion_table.hpp"
#include "elodyn/io/read_tracks.hpp"
#include "elodyn/io/settings.hpp"
#include "elodyn/io/vibration_schema.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/model/used_names.hpp"

namespace elodyn {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLargestFile = size_t{64} << 20;

// The version decides what all other keys mean: with another one they are not looked at.
bool check_version(const Value& root, Diagnostics& diagnostics) {
  const std::string help = "write `schema = " + std::to_string(kSchemaVersion) + "` as the first key";
  const Entry* entry = root.find("schema");
  if (!entry) return true;  // the schema itself says that it is missing
  const Value& version = entry->value;
  if (version.is(Value::Type::integer) && version.integer != kSchemaVersion) {
    const bool newer = version.integer > kSchemaVersion;
    diagnostics.error(version.mark,
                      "schema = " + std::to_string(version.integer) + ", must be " + std::to_string(kSchemaVersion) +
                          (newer ? ": the file was written for a later version of this program"
                                 : ": no version of this program has read such files"),
                      newer ? "use a later version, or see docs/reference/input.md for the keys of this one" : help);
    return false;
  }
  if (root.entries.front().key != "schema")
    diagnostics.error(entry->mark, "`schema` must be the first key", "move it to the top of the file");
  return true;
}

// Settings that put options.formalism in the place of the file's, which may go on to derive the elements.
std::vector<std::string> choose_formalism(const ReadOptions& options, const Value& root) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> settings = {"formalism=" + toml_text(options.formalism)};
  const Entry* of_file = root.find("formalism");
  const bool is_for_systems = has(options.names.system_formalisms, options.formalism) ||
                              has(options.names.motion_formalisms, options.formalism);
  if (is_for_systems && of_file && has(options.names.formalisms, of_file->value.text) &&
      !root.find("element_formalism"))
    settings.push_back("element_formalism=" + toml_text(of_file->value.text));
  return settings;
}

// Fills in the tables that motions, drivers and motors name by their file. A file that several name is read once.
class TablesReader {
 public:
  TablesReader(const std::string& model_file, const FileReader& read_file, Diagnostics& diagnostics)
      : dir_(fs::path(model_file).parent_path()), read_file_(read_file), diagnostics_(diagnostics) {}

  void read(Model& model) {
    for (Body& body : model.bodies) {
      Motion& motion = body.motion;
      if (motion.kind != Motion::Kind::table || motion.marks.is_bad("kind")) continue;
      fill(motion, motion.mark, motions_, read_motion_table,
           [&](const std::shared_ptr<const MotionTable>& table) { motion.table = table; });
    }
    for (Driver& driver : model.drivers)
      if (driver.marks.is_given("file"))
        fill(driver, driver.mark, drivers_, read_driver_table,
             [&](const std::shared_ptr<const CubicSpline>& table) { driver.table = table; });
    for (Motor& motor : model.motors)
      if (motor.marks.is_given("file"))
        fill(motor, motor.mark, curves_, read_torque_curve, [&](const std::optional<TorqueCurve>& curve) {
          if (motor.marks.is_given("speeds") || motor.marks.is_given("torques")) return;  // validate() says so
          motor.speeds = curve->speeds;
          motor.torques = curve->torques;
        });
  }

 private:
  static constexpr int kMostErrors = 200;  // nobody reads more
  template <class Table>
  using Tables = std::map<std::string, Table>;

  // `put` gets the table, if it could be read.
  template <class Owner, class Table, class Put>
  void fill(Owner& owner, const Mark& otherwise, Tables<Table>& tables,
            Table (*parse)(const std::string&, std::string_view, Diagnostics&), const Put& put) {
    if (owner.marks.is_bad("file") || diagnostics_.n_errors() > kMostErrors) return;
    const Mark mark = owner.marks.of("file", otherwise);
    const Table table = find(owner.file, mark, tables, parse);
    if (table)
      put(table);
    else
      owner.marks.set("file", mark, false);
  }

  template <class Table>
  Table find(const std::string& name, const Mark& mark, Tables<Table>& tables,
             Table (*parse)(const std::string&, std::string_view, Diagnostics&)) {
    const std::string stated = "file = " + short_text(Value::of(name));
    if (name.empty() || name.find('\0') != name.npos) {
      diagnostics_.error(mark, stated + ", must be the name of a file");
      return {};
    }
    const std::string path = (dir_ / name).string();
    if (const auto known = tables.find(path); known != tables.end()) return known->second;
    const FileText file = read_file_(path, kLargestTable);
    if (!file.failure.empty()) {
      diagnostics_.error(mark, stated + ", cannot be read: " + file.failure,
                         path == name ? "" : "it is looked for beside the model file: " + path);
      return {};  // everyone that names it hears so
    }
    return tables[path] = parse(path, file.text, diagnostics_);
  }

  fs::path dir_;
  const FileReader& read_file_;
  Diagnostics& diagnostics_;
  Tables<std::shared_ptr<const MotionTable>> motions_;
  Tables<std::shared_ptr<const CubicSpline>> drivers_;
  Tables<std::optional<TorqueCurve>> curves_;
};

// The tree of the file with what --set and the command put in place of it.
std::optional<Entry> read_root(const std::string& file_name, const std::string& text, const ReadOptions& options,
                               Diagnostics& diagnostics) {
  const int source = diagnostics.add_source(file_name, cut_long_lines(text));
  std::optional<Value> parsed = parse_toml(text, source, diagnostics);
  if (!parsed) return std::nullopt;
  Entry root{"file", {}, std::move(*parsed)};
  root.value.mark = {source, 1, 1, 1};
  apply_settings(options.settings, root.value, diagnostics);
  if (!options.formalism.empty()) apply_settings(choose_formalism(options, root.value), root.value, diagnostics);
  if (!check_version(root.value, diagnostics)) return std::nullopt;
  return root;
}

Model read_tree(const std::string& file_name, const Entry& root, const ReadOptions& options, Diagnostics& diagnostics) {
  Model model;
  SchemaReader(diagnostics).table(model_schema(), "", root, &model);
  TablesReader(file_name, options.read_file, diagnostics).read(model);
  for (Body& body : model.bodies) body.element.value = full_element_name(body.element.value);
  import_meshes(file_name, options.read_file, model, diagnostics);
  read_vibration_files(file_name, options.read_file, options.names.wanted, model, diagnostics);
  validate(model, options.names, diagnostics);
  // Films may not be there before they are measured.
  const std::vector<std::string>& wanted = options.names.wanted;
  if (wanted.empty() || wanted.front() == "identify") read_films(file_name, options.read_file, model, diagnostics);
  return model;
}

// A number as the file would have it.
Value value_of(const SweepParameter& parameter, double number, const Mark& mark) {
  Value value = parameter.is_whole() && number == std::round(number) ? Value::of(static_cast<std::int64_t>(number))
                                                                     : Value::of(number);
  value.mark = mark;
  return value;
}

void put_parameter(const SweepParameter& parameter, const Value& value, Value& root, Diagnostics& diagnostics) {
  put_value(parameter.key, value, root, diagnostics);
  for (const Located<std::string>& key : parameter.also) put_value(key, value, root, diagnostics);
}

// What else is analysed need not go with every value. A map takes the bodies as they are; a cycle needs the motion.
void leave_out_analyses(SweepOf sweep, Entry& root) {
  if (sweep == SweepOf::stability)
    std::erase_if(root.value.entries, [](const Entry& entry) { return entry.key == "analysis"; });
  for (Entry& entry : root.value.entries)
    if (entry.key == "analysis")
      std::erase_if(entry.value.entries, [](const Entry& one) { return one.key != "mechanism" && one.key != "cycle"; });
}
const char* name_of(SweepOf sweep) { return sweep == SweepOf::stability ? "stability" : "cycle"; }
ReadOptions for_a_sweep(SweepOf sweep, ReadOptions options) {
  options.names.wanted = {name_of(sweep)};
  return options;
}

// What is varied must be numbers that stand in the equation of a body, with the dimension of the values: the file is
// read with the first and the last one put in. A file with other mistakes has those at the sweep's own places shown
// besides.
class SweepChecker {
 public:
  SweepChecker(SweepOf sweep, const std::string& file_name, const Entry& root, const Model& model,
               const ReadOptions& options, bool is_good, Diagnostics& diagnostics)
      : sweep_(sweep),
        file_name_(file_name),
        root_(root),
        used_(find_used_names(model)),
        options_(for_a_sweep(sweep, options)),
        is_good_(is_good),
        diagnostics_(diagnostics) {}

  void run(const std::string& name, const SweepParameter& parameter) {
    if (parameter.marks.has_bad()) return;
    const Entry* table = find_table(name);
    bool are_good = is_good(parameter.key);
    for (const Located<std::string>& key : parameter.also) are_good = is_good(key) && are_good;
    if (!are_good) return;
    for (const char* end : {"from", "to"})
      if (const Entry* given = table ? table->value.find(end) : nullptr) try_value(parameter, given->value);
  }

 private:
  const Entry* find_table(const std::string& name) const {
    const Entry* found = &root_;
    for (const std::string& step : {std::string("analysis"), std::string(name_of(sweep_)), name})
      if (found) found = found->value.find(step);
    return found;
  }

  bool is_good(const Located<std::string>& key) { return is_number(key) && stands_in_equation(key); }

  // A map over a number that no equation has would be one of stripes. Of those that only some bodies have, as a place
  // without gravity, the map itself says so.
  bool stands_in_equation(const Located<std::string>& key) {
    const std::vector<std::string> path = split_key(key.value);
    if (path.empty()) return true;  // said elsewhere
    const auto fail = [&](const std::string& why, const std::string& help) {
      diagnostics_.error(key.mark, "`" + key.value + "` does not change the equation of a body: " + why, help);
      return false;
    };
    const bool moves = sweep_ == SweepOf::cycle;
    const std::string varied =
        moves ? "vary a number of what moves" : "vary a number of [body], [material] or [section]";
    if (path[0] == "schema") return fail("it is the version of the file", varied);
    if (path[0] == "analysis" && !(moves && path.size() > 1 && path[1] == "mechanism"))
      return fail("[analysis] says what is computed of it", varied);
    if (moves) return true;
    for (const char* table : {"ground", "joint", "gear", "driver", "motor", "force", "spring"})
      if (path[0] == table) return fail("[" + path[0] + "] belongs to the motion of a mechanism", varied);
    if (path.size() < 2 || !is_good_) return true;  // a misspelt name would be said twice
    const auto is_unused = [&](const char* kind, const std::set<std::string>& used) {
      const Entry* all = root_.value.find(kind);
      return path[0] == kind && all && all->value.find(path[1]) && used.count(path[1]) == 0;
    };
    if (is_unused("material", used_.materials)) return fail("no body uses material `" + path[1] + "`", "");
    if (is_unused("section", used_.sections)) return fail("no body uses section `" + path[1] + "`", "");
    return true;
  }

  bool is_number(const Located<std::string>& key) {
    const Value* value = find_value(key.value, root_.value);
    const bool is_quantity =
        !value || value->is_number() ||
        (value->is(Value::Type::text) && std::holds_alternative<Quantity>(parse_quantity(value->text)));
    if (!is_quantity)
      diagnostics_.error(key.mark, "`" + key.value + "` is " + short_text(*value) + ", must be a number of the file",
                         value->is(Value::Type::array) ? "name one of its entries: " + key.value + "[0]" : "");
    return is_quantity;
  }

  void try_value(const SweepParameter& parameter, const Value& value) {
    Diagnostics tried = diagnostics_;  // the same sources
    const size_t before = tried.all().size();
    Entry varied = root_;
    put_parameter(parameter, value, varied.value, tried);
    leave_out_analyses(sweep_, varied);
    read_tree(file_name_, varied, options_, tried);
    const std::vector<Diagnostic> all = tried.all();
    for (size_t i = before; i < all.size(); ++i)
      if (all[i].severity == Severity::error && (is_good_ || is_at(all[i].mark, parameter, value))) report(all[i]);
  }

  static bool is_same(const Mark& a, const Mark& b) {
    return a.source == b.source && a.line == b.line && a.column == b.column;
  }
  static bool is_at(const Mark& mark, const SweepParameter& parameter, const Value& value) {
    return is_same(mark, parameter.key.mark) || is_same(mark, value.mark) ||
           std::any_of(parameter.also.begin(), parameter.also.end(),
                       [&](const Located<std::string>& key) { return is_same(mark, key.mark); });
  }
  void report(const Diagnostic& d) {
    for (const Diagnostic& known : diagnostics_.all())
      if (known.severity == d.severity && known.text == d.text && is_same(known.mark, d.mark)) return;
    diagnostics_.error(d.mark, d.text, d.help);
  }

  SweepOf sweep_;
  const std::string& file_name_;
  const Entry& root_;
  UsedNames used_;
  ReadOptions options_;
  bool is_good_;  // the file, but for its sweeps
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Model> read_model(const std::string& file_name, const std::string& text, const ReadOptions& options,
                                Diagnostics& diagnostics) {
  const int errors_before = diagnostics.n_errors();
  const std::optional<Entry> root = read_root(file_name, text, options, diagnostics);
  if (!root) return std::nullopt;
  Model model = read_tree(file_name, *root, options, diagnostics);
  const bool is_good = diagnostics.n_errors() == errors_before;
  if (model.stability) {
    SweepChecker sweeps(SweepOf::stability, file_name, *root, model, options, is_good, diagnostics);
    sweeps.run("x", model.stability->x);
    if (model.stability->y) sweeps.run("y", *model.stability->y);
  }
  if (model.cycle && model.cycle->over)
    SweepChecker(SweepOf::cycle, file_name, *root, model, options, is_good, diagnostics)
        .run("over", *model.cycle->over);
  if (diagnostics.n_errors() > errors_before) return std::nullopt;
  return model;
}

ModelVariants::ModelVariants(SweepOf sweep, std::string file_name, std::string text, ReadOptions options)
    : sweep_(sweep),
      file_name_(std::move(file_name)),
      text_(std::move(text)),
      options_(for_a_sweep(sweep, std::move(options))) {}

Model ModelVariants::make(const std::vector<Variation>& variations) const {
  Diagnostics diagnostics;
  std::optional<Entry> root = read_root(file_name_, text_, options_, diagnostics);
  diagnostics.throw_if_errors();
  for (const Variation& variation : variations) {
    const SweepParameter& parameter = *variation.parameter;
    put_parameter(parameter, value_of(parameter, variation.value, parameter.key.mark), root->value, diagnostics);
  }
  leave_out_analyses(sweep_, *root);
  Model model = read_tree(file_name_, *root, options_, diagnostics);
  diagnostics.throw_if_errors();
  return model;
}

double ModelVariants::value_in_file(const SweepParameter& parameter) const {
  Diagnostics diagnostics;
  const std::optional<Entry> root = read_root(file_name_, text_, options_, diagnostics);
  const Value* value = root ? find_value(parameter.key.value, root->value) : nullptr;
  if (value && value->is_number()) return value->number();
  if (!value || !value->is(Value::Type::text)) return std::nan("");
  const auto parsed = parse_quantity(value->text);
  const Quantity* quantity = std::get_if<Quantity>(&parsed);
  return quantity ? quantity->value : std::nan("");
}

Model load_model(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics) {
  const FileText file = options.read_file(path, kLargestFile);
  if (!file.failure.empty()) {
    diagnostics.error({diagnostics.add_source(path, ""), 0, 0, 0}, "cannot read the file: " + file.failure);
    diagnostics.throw_if_errors();
  }
  std::optional<Model> model = read_model(path, file.text, options, diagnostics);
  diagnostics.throw_if_errors();
  ELODYN_REQUIRE(model.has_value());
  return std::move(*model);
}

Model move_files(Model model, const std::string& from_dir, const std::string& to_dir) {
  const auto move = [&](std::string& file) {
    if (file.empty() || fs::path(file).is_absolute()) return;
    std::error_code ignored;
    const fs::path moved = fs::proximate(from_dir / fs::path(file), to_dir, ignored);
    if (!moved.empty()) file = moved.generic_string();
  };
  for (Body& body : model.bodies) {
    move(body.motion.file);
    move(body.mesh_file);
  }
  for (Driver& driver : model.drivers) move(driver.file);
  if (model.identify) {
    model.identify = std::make_shared<IdentifyRequest>(*model.identify);  // not those of the model that was given
    for (TrackFile& film : model.identify->films) move(film.file);
  }
  for (Motor& motor : model.motors) move(motor.file);
  const auto move_of = [&](auto& request) {  // copies of the model share it
    if (!request) return;
    request = std::make_shared<std::remove_reference_t<decltype(*request)>>(*request);
    move(request->file);
  };
  move_of(model.spectra);
  move_of(model.modal);
  move_of(model.correlate);
  return model;
}

std::string echo_toml(const Model& model) { return echo_toml(model_schema(), &model); }

std::string schema_json(const KnownNames& names) {
  return schema_json(model_schema(), [&](const std::string& kind) {
    if (kind == "element") {
      std::vector<std::string> all = names.elements;
      for (const char* name : {"membrane", "plate", "voids"})
        if (std::find(all.begin(), all.end(), full_element_name(name)) != all.end()) all.emplace_back(name);
      return all;
    }
    if (kind == "element formalism") return names.formalisms;
    if (kind == "integrator") return names.integrators;
    if (kind != "formalism") return std::vector<std::string>{};
    std::vector<std::string> all = names.formalisms;
    all.insert(all.end(), names.system_formalisms.begin(), names.system_formalisms.end());
    all.insert(all.end(), names.motion_formalisms.begin(), names.motion_formalisms.end());
    return all;
  });
}
std::string schema_markdown() { return schema_markdown(model_schema()); }
std::string schema_template() { return schema_template(model_schema()); }

}  // namespace elodyn
