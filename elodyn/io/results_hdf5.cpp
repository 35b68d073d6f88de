#include "elodyn/io/results_hdf5.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "elodyn/base/error.hpp"
#include "elodyn/io/hdf5_file.hpp"
#include "elodyn/io/output_dir.hpp"

namespace elodyn {
namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;
using Lists = std::vector<std::vector<int>>;

constexpr const char* kFormat = "elodyn results";

// One member of each item of a list.
template <class Value, class Item, class Get>
std::vector<Value> collect(const std::vector<Item>& items, const Get& get) {
  std::vector<Value> out;
  out.reserve(items.size());
  for (const Item& item : items) out.push_back(static_cast<Value>(get(item)));
  return out;
}

// Names of links in one group: readable, and each once.
class LinkNames {
 public:
  std::string make(const std::string& name) {
    const std::string stem = file_stem(name);
    std::string out = stem;
    for (int k = 2; !used_.insert(out).second; ++k) out = stem + "_" + std::to_string(k);
    return out;
  }

 private:
  std::set<std::string> used_;
};

// ---- writing ----

void put_lists(Hdf5Writer& file, const std::string& path, const Lists& lists) {
  Integers flat, sizes;
  for (const std::vector<int>& list : lists) {
    flat.insert(flat.end(), list.begin(), list.end());
    sizes.push_back(static_cast<std::int64_t>(list.size()));
  }
  file.put(path, flat);
  file.put(path + "_sizes", sizes);
}

void put_provenance(Hdf5Writer& file, const Provenance& p) {
  file.add_group("/provenance");
  file.set("/provenance", "program", p.program);
  file.set("/provenance", "version", p.version);
  file.set("/provenance", "commit", p.commit);
  file.set("/provenance", "compiler", p.compiler);
  file.set("/provenance", "build_type", p.build_type);
  file.set("/provenance", "command", p.command);
  file.set("/provenance", "input", p.input);
  file.set("/provenance", "input_sha256", p.input_sha256);
  file.set("/provenance", "started", p.started);
  file.put("/provenance/settings", p.settings);
}

void put_modes(Hdf5Writer& file, const std::vector<Mode>& modes) {
  if (modes.empty()) return;
  file.add_group("/modes");
  file.put("/modes/number", collect<std::int64_t>(modes, [](const Mode& m) { return m.number; }));
  file.put("/modes/body", collect<std::string>(modes, [](const Mode& m) { return m.body; }));
  file.put("/modes/omega", collect<double>(modes, [](const Mode& m) { return m.omega; }));
  file.set("/modes/omega", "unit", std::string("rad/s"));
  file.put("/modes/growth", collect<double>(modes, [](const Mode& m) { return m.growth; }));
  file.set("/modes/growth", "unit", std::string("1/s"));
  file.put("/modes/label", collect<std::string>(modes, [](const Mode& m) { return m.label; }));
  file.put("/modes/residual", collect<double>(modes, [](const Mode& m) { return m.residual; }));
  Integers of_mode;
  Texts kinds;
  Numbers shares;
  for (size_t k = 0; k < modes.size(); ++k)
    for (const auto& [kind, share] : modes[k].shares) {
      of_mode.push_back(static_cast<std::int64_t>(k));
      kinds.push_back(kind);
      shares.push_back(share);
    }
  file.put("/modes/share_of_mode", of_mode);
  file.put("/modes/share_kind", kinds);
  file.put("/modes/share", shares);
}

void put_formalisms(Hdf5Writer& file, const std::vector<FormalismReport>& reports) {
  if (reports.empty()) return;
  using Report = FormalismReport;
  const std::string at = "/formalisms/";
  file.add_group("/formalisms");
  file.put(at + "name", collect<std::string>(reports, [](const Report& r) { return r.name; }));
  file.put(at + "level", collect<std::string>(reports, [](const Report& r) { return r.level; }));
  file.put(at + "applies", collect<std::int64_t>(reports, [](const Report& r) { return r.applies; }));
  file.put(at + "reason", collect<std::string>(reports, [](const Report& r) { return r.reason; }));
  const auto put = [&](const char* name, double Report::*member) {
    file.put(at + name, collect<double>(reports, [&](const Report& r) { return r.*member; }));
  };
  put("max_difference", &Report::max_difference);
  put("frequency_difference", &Report::frequency_difference);
  put("trajectory_difference", &Report::trajectory_difference);
  put("seconds", &Report::seconds);
  put("motion_seconds", &Report::motion_seconds);
  const auto put_count = [&](const char* name, long OperationCount::*member) {
    file.put(at + name, collect<std::int64_t>(reports, [&](const Report& r) { return r.operations.*member; }));
  };
  put_count("differentiations", &OperationCount::differentiations);
  put_count("multiplications", &OperationCount::multiplications);
  put_count("additions", &OperationCount::additions);
}

void put_campbell(Hdf5Writer& file, const Campbell& c) {
  const std::string at = "/campbell";
  file.add_group(at);
  file.set(at, "body", c.body);
  file.set(at, "frame", c.frame);
  file.set(at, "error_bound", c.error_bound);
  file.put(at + "/speeds", c.speeds);
  file.set(at + "/speeds", "unit", std::string("rad/s"));
  file.put(at + "/label", collect<std::string>(c.branches, [](const CampbellBranch& b) { return b.label; }));
  file.put(at + "/kind", collect<std::string>(c.branches, [](const CampbellBranch& b) { return b.kind; }));
  file.put(at + "/whirl", collect<std::string>(c.branches, [](const CampbellBranch& b) { return b.whirl; }));
  const auto put = [&](const std::string& name, const char* unit, std::vector<double> CampbellBranch::*member) {
    Numbers all;
    for (const CampbellBranch& b : c.branches) {
      ELODYN_REQUIRE((b.*member).size() == c.speeds.size());
      all.insert(all.end(), (b.*member).begin(), (b.*member).end());
    }
    file.put_rows(at + name, all.data(), c.branches.size(), c.speeds.size());
    file.set(at + name, "unit", std::string(unit));
  };
  put("/omega", "rad/s", &CampbellBranch::omega);
  put("/growth", "1/s", &CampbellBranch::growth);
  file.add_group(at + "/critical");
  file.put(at + "/critical/speed", collect<double>(c.critical_speeds, [](const CriticalSpeed& s) { return s.speed; }));
  file.set(at + "/critical/speed", "unit", std::string("rad/s"));
  file.put(at + "/critical/order", collect<double>(c.critical_speeds, [](const CriticalSpeed& s) { return s.order; }));
  file.put(at + "/critical/branch",
           collect<std::int64_t>(c.critical_speeds, [](const CriticalSpeed& s) { return s.branch; }));
}

using Joint = MechanismSummary::Joint;
constexpr std::pair<const char*, double Joint::*> kJointNumbers[] = {{"peak_force", &Joint::peak_force},
                                                                     {"rms_force", &Joint::rms_force},
                                                                     {"peak_moment", &Joint::peak_moment},
                                                                     {"rms_moment", &Joint::rms_moment},
                                                                     {"time_of_peak", &Joint::time_of_peak}};
constexpr std::pair<const char*, double MechanismSummary::*> kMechanismNumbers[] = {
    {"position_drift", &MechanismSummary::position_drift},
    {"velocity_drift", &MechanismSummary::velocity_drift},
    {"energy_error", &MechanismSummary::energy_error},
    {"largest_kinetic", &MechanismSummary::largest_kinetic}};

void put_mechanism(Hdf5Writer& file, const MechanismSummary& m) {
  const std::string at = "/mechanism";
  file.add_group(at);
  file.set(at, "kind", m.kind);
  file.set(at, "formalism", m.formalism);
  file.set(at, "freedoms", std::int64_t{m.n_freedoms});
  file.set(at, "steps", std::int64_t{m.steps});
  file.set(at, "rejected", std::int64_t{m.rejected});
  file.set(at, "stopped", std::int64_t{m.stopped});
  for (const auto& [name, member] : kMechanismNumbers) file.set(at, name, m.*member);
  file.put(at + "/redundant", m.redundant);
  file.add_group(at + "/joints");
  file.put(at + "/joints/name", collect<std::string>(m.joints, [](const Joint& j) { return j.name; }));
  file.put(at + "/joints/kind", collect<std::string>(m.joints, [](const Joint& j) { return j.kind; }));
  for (const auto& one : kJointNumbers)
    file.put(at + "/joints/" + one.first, collect<double>(m.joints, [&](const Joint& j) { return j.*one.second; }));
  Integers of_joint;
  Texts open;
  for (size_t j = 0; j < m.joints.size(); ++j)
    for (const std::string& component : m.joints[j].undetermined) {
      of_joint.push_back(static_cast<std::int64_t>(j));
      open.push_back(component);
    }
  file.put(at + "/joints/undetermined_of_joint", of_joint);
  file.put(at + "/joints/undetermined", open);
  using Event = MechanismSummary::Event;
  file.add_group(at + "/events");
  file.put(at + "/events/name", collect<std::string>(m.events, [](const Event& e) { return e.name; }));
  file.put(at + "/events/time", collect<double>(m.events, [](const Event& e) { return e.t; }));
  file.put(at + "/events/rising", collect<std::int64_t>(m.events, [](const Event& e) { return e.rising; }));
  using Singular = MechanismSummary::Singular;
  file.add_group(at + "/singular");
  file.put(at + "/singular/time", collect<double>(m.singular, [](const Singular& s) { return s.t; }));
  file.put(at + "/singular/where", collect<std::string>(m.singular, [](const Singular& s) { return s.where; }));
}

void put_table(Hdf5Writer& file, const std::string& path, const Table& table) {
  file.add_group(path);
  file.set(path, "name", table.name);
  file.set(path, "title", table.title);
  file.set(path, "history", std::int64_t{table.is_history});
  LinkNames names;
  for (const Column& column : table.columns) {
    const std::string at = path + "/" + names.make(column.name);
    std::visit([&](const auto& values) { file.put(at, values); }, column.values);
    file.set(at, "name", column.name);
    file.set(at, "unit", column.unit);
  }
}

bool has_same_cells(const Grid& a, const Grid& b) { return a.cells == b.cells && a.faces == b.faces; }

// `like`: the grid before, at `like_path`; frames of an animation share their cells.
void put_grid(Hdf5Writer& file, const std::string& path, const Grid& grid, const Grid* like,
              const std::string& like_path) {
  file.add_group(path);
  file.set(path, "name", grid.name);
  file.set(path, "body", grid.body);
  file.set(path, "animation", grid.animation);
  file.set(path, "time", grid.time);
  file.set(path, "element_faces", std::int64_t{grid.n_element_faces});
  file.put_rows(path + "/points", grid.points.data(), static_cast<size_t>(grid.points.cols()), 3);
  file.set(path + "/points", "unit", std::string("m"));
  if (like != nullptr && has_same_cells(*like, grid)) {
    for (const char* name : {"/cells", "/cells_sizes", "/faces", "/faces_sizes"})
      file.link(path + name, like_path + name);
  } else {
    put_lists(file, path + "/cells", grid.cells);
    put_lists(file, path + "/faces", grid.faces);
  }
  if (!grid.point_names.empty()) {
    if (like != nullptr && like->point_names == grid.point_names)
      file.link(path + "/point_names", like_path + "/point_names");
    else
      file.put(path + "/point_names", grid.point_names);
  }
  file.add_group(path + "/fields");
  LinkNames names;
  for (const PointField& field : grid.fields) {
    const std::string at = path + "/fields/" + names.make(field.name);
    file.put_rows(at, field.values.data(), static_cast<size_t>(field.values.cols()),
                  static_cast<size_t>(field.values.rows()));
    file.set(at, "name", field.name);
    file.set(at, "unit", field.unit);
  }
  if (grid.shapes.empty()) return;
  const std::string at = path + "/shapes/";
  file.add_group(path + "/shapes");
  file.put(at + "kind", collect<std::string>(grid.shapes, [](const GridShape& s) { return s.kind; }));
  file.put(at + "title", collect<std::string>(grid.shapes, [](const GridShape& s) { return s.title; }));
  file.put(at + "field", collect<std::string>(grid.shapes, [](const GridShape& s) { return s.field; }));
  file.put(at + "mode", collect<std::int64_t>(grid.shapes, [](const GridShape& s) { return s.mode; }));
  file.put(at + "omega", collect<double>(grid.shapes, [](const GridShape& s) { return s.omega; }));
  file.put(at + "growth", collect<double>(grid.shapes, [](const GridShape& s) { return s.growth; }));
  file.put(at + "branch", collect<std::int64_t>(grid.shapes, [](const GridShape& s) { return s.branch; }));
  file.put(at + "speed", collect<std::int64_t>(grid.shapes, [](const GridShape& s) { return s.speed; }));
}

// ---- reading ----

// Lists that describe the same items must be of one length.
class Reader {
 public:
  Reader(const std::string& file_name, std::string content) : file_(file_name, std::move(content)) {}

  Results read() {
    if (!file_.has("/", "format") || file_.text("/", "format") != kFormat) file_.refuse("has no results of elodyn");
    if (const std::int64_t version = file_.integer("/", "version"); version != kResultsLayout)
      file_.refuse("has layout " + std::to_string(version) + ", this program reads layout " +
                   std::to_string(kResultsLayout));
    Results results;
    results.title = file_.text("/", "title");
    results.outcome = {file_.text("/", "status"), file_.text("/", "message")};
    results.warnings = file_.texts("/warnings");
    for (const std::string& name : file_.attributes_of("/timings"))
      results.timings[name] = file_.number("/timings", name);
    results.provenance = read_provenance();
    if (file_.has("/modes")) results.modes = read_modes();
    if (file_.has("/", "modes_are_complete"))
      results.modes_are_complete = file_.integer("/", "modes_are_complete") != 0;
    if (file_.has("/formalisms")) results.formalisms = read_formalisms();
    if (file_.has("/campbell")) results.campbell = read_campbell();
    if (file_.has("/mechanism")) results.mechanism = read_mechanism();
    for (const std::string& name : file_.names_in("/tables")) results.tables.push_back(read_table("/tables/" + name));
    for (const std::string& name : file_.names_in("/grids")) results.grids.push_back(read_grid("/grids/" + name));
    return results;
  }

 private:
  template <class T>
  const T& sized(const T& list, size_t wanted, const std::string& path) const {
    if (list.size() != wanted)
      file_.refuse(path + " has " + std::to_string(list.size()) + " values where " + std::to_string(wanted) +
                   " are needed");
    return list;
  }
  Numbers numbers(const std::string& path, size_t n) const { return sized(file_.numbers(path), n, path); }
  Texts texts(const std::string& path, size_t n) const { return sized(file_.texts(path), n, path); }
  Integers integers(const std::string& path, size_t n) const { return sized(file_.integers(path), n, path); }

  int small(std::int64_t value, std::int64_t least, std::int64_t beyond, const std::string& path) const {
    if (value < least || value >= beyond) file_.refuse(path + " holds " + std::to_string(value) + ", out of its range");
    return static_cast<int>(value);
  }
  static constexpr std::int64_t kMost = std::numeric_limits<int>::max();

  Provenance read_provenance() const {
    const auto text = [&](const char* name) { return file_.text("/provenance", name); };
    Provenance p;
    p.program = text("program");
    p.version = text("version");
    p.commit = text("commit");
    p.compiler = text("compiler");
    p.build_type = text("build_type");
    p.command = text("command");
    p.input = text("input");
    p.input_sha256 = text("input_sha256");
    p.started = text("started");
    p.settings = file_.texts("/provenance/settings");
    return p;
  }

  std::vector<Mode> read_modes() const {
    const Integers number = file_.integers("/modes/number");
    std::vector<Mode> modes(number.size());
    const Texts body = texts("/modes/body", modes.size()), label = texts("/modes/label", modes.size());
    const Numbers omega = numbers("/modes/omega", modes.size()), growth = numbers("/modes/growth", modes.size()),
                  residual = numbers("/modes/residual", modes.size());
    for (size_t k = 0; k < modes.size(); ++k)
      modes[k] = {small(number[k], 0, kMost, "/modes/number"), body[k], omega[k], growth[k], label[k], {}, residual[k]};
    const Integers of_mode = file_.integers("/modes/share_of_mode");
    const Texts kind = texts("/modes/share_kind", of_mode.size());
    const Numbers share = numbers("/modes/share", of_mode.size());
    for (size_t i = 0; i < of_mode.size(); ++i) {
      const int k = small(of_mode[i], 0, static_cast<std::int64_t>(modes.size()), "/modes/share_of_mode");
      modes[static_cast<size_t>(k)].shares.emplace_back(kind[i], share[i]);
    }
    return modes;
  }

  std::vector<FormalismReport> read_formalisms() const {
    const std::string at = "/formalisms/";
    const Texts name = file_.texts(at + "name");
    std::vector<FormalismReport> reports(name.size());
    const size_t n = reports.size();
    const Texts level = texts(at + "level", n), reason = texts(at + "reason", n);
    const Integers applies = integers(at + "applies", n), d = integers(at + "differentiations", n),
                   m = integers(at + "multiplications", n), a = integers(at + "additions", n);
    const Numbers difference = numbers(at + "max_difference", n), frequency = numbers(at + "frequency_difference", n),
                  trajectory = numbers(at + "trajectory_difference", n), seconds = numbers(at + "seconds", n),
                  motion = numbers(at + "motion_seconds", n);
    for (size_t k = 0; k < n; ++k)
      reports[k] = {name[k],      level[k],      applies[k] != 0,    reason[k],  difference[k],
                    frequency[k], trajectory[k], {d[k], m[k], a[k]}, seconds[k], motion[k]};
    return reports;
  }

  Campbell read_campbell() const {
    const std::string at = "/campbell";
    Campbell c;
    c.body = file_.text(at, "body");
    c.frame = file_.text(at, "frame");
    c.error_bound = file_.number(at, "error_bound");
    c.speeds = file_.numbers(at + "/speeds");
    const Texts label = file_.texts(at + "/label");
    c.branches.resize(label.size());
    const size_t n = c.branches.size(), s = c.speeds.size();
    const Texts kind = texts(at + "/kind", n), whirl = texts(at + "/whirl", n);
    const Numbers omega = numbers(at + "/omega", n * s), growth = numbers(at + "/growth", n * s);
    const auto row = [&](const Numbers& all, size_t k) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * s);
      return Numbers(first, first + static_cast<std::ptrdiff_t>(s));
    };
    for (size_t k = 0; k < n; ++k) c.branches[k] = {label[k], kind[k], whirl[k], row(omega, k), row(growth, k)};
    const Numbers speed = file_.numbers(at + "/critical/speed"), order = numbers(at + "/critical/order", speed.size());
    const Integers branch = integers(at + "/critical/branch", speed.size());
    for (size_t k = 0; k < speed.size(); ++k)
      c.critical_speeds.push_back(
          {speed[k], order[k], small(branch[k], 0, static_cast<std::int64_t>(n), at + "/critical/branch")});
    return c;
  }

  MechanismSummary read_mechanism() const {
    const std::string at = "/mechanism";
    MechanismSummary m;
    m.kind = file_.text(at, "kind");
    m.formalism = file_.text(at, "formalism");
    m.n_freedoms = small(file_.integer(at, "freedoms"), 0, kMost, at);
    m.steps = static_cast<long>(file_.integer(at, "steps"));
    m.rejected = static_cast<long>(file_.integer(at, "rejected"));
    m.stopped = file_.integer(at, "stopped") != 0;
    for (const auto& [name, member] : kMechanismNumbers) m.*member = file_.number(at, name);
    m.redundant = file_.texts(at + "/redundant");
    const Texts name = file_.texts(at + "/joints/name"), kind = texts(at + "/joints/kind", name.size());
    for (size_t j = 0; j < name.size(); ++j) {
      m.joints.emplace_back();
      m.joints.back().name = name[j];
      m.joints.back().kind = kind[j];
    }
    for (const auto& [column, member] : kJointNumbers) {
      const Numbers values = numbers(at + "/joints/" + column, m.joints.size());
      for (size_t j = 0; j < m.joints.size(); ++j) m.joints[j].*member = values[j];
    }
    const Integers of_joint = file_.integers(at + "/joints/undetermined_of_joint");
    const Texts open = texts(at + "/joints/undetermined", of_joint.size());
    for (size_t i = 0; i < open.size(); ++i) {
      const int j = small(of_joint[i], 0, static_cast<std::int64_t>(m.joints.size()), at + "/joints");
      m.joints[static_cast<size_t>(j)].undetermined.push_back(open[i]);
    }
    const Texts events = file_.texts(at + "/events/name");
    const Numbers times = numbers(at + "/events/time", events.size());
    const Integers rising = integers(at + "/events/rising", events.size());
    for (size_t k = 0; k < events.size(); ++k) m.events.push_back({events[k], times[k], rising[k] != 0});
    const Numbers singular = file_.numbers(at + "/singular/time");
    const Texts where = texts(at + "/singular/where", singular.size());
    for (size_t k = 0; k < singular.size(); ++k) m.singular.push_back({singular[k], where[k]});
    return m;
  }

  Table read_table(const std::string& path) const {
    Table table;
    table.name = file_.text(path, "name");
    table.title = file_.text(path, "title");
    table.is_history = file_.integer(path, "history") != 0;
    for (const std::string& link : file_.names_in(path)) {
      const std::string at = path + "/" + link;
      Column column{file_.text(at, "name"), file_.text(at, "unit"), {}};
      if (file_.is_text(at))
        column.values = file_.texts(at);
      else
        column.values = file_.numbers(at);
      table.columns.push_back(std::move(column));
      std::visit([&](const auto& values) { sized(values, table.n_rows(), at); }, table.columns.back().values);
    }
    return table;
  }

  Lists read_lists(const std::string& path, std::int64_t n_points) const {
    const Integers flat = file_.integers(path), sizes = file_.integers(path + "_sizes");
    Lists lists;
    size_t next = 0;
    for (const std::int64_t size : sizes) {
      if (size < 0 || static_cast<size_t>(size) > flat.size() - next)
        file_.refuse(path + "_sizes does not fit " + path);
      std::vector<int>& list = lists.emplace_back();
      for (std::int64_t k = 0; k < size; ++k) list.push_back(small(flat[next++], 0, n_points, path));
    }
    if (next != flat.size()) file_.refuse(path + "_sizes does not fit " + path);
    return lists;
  }

  MatrixX read_rows(const std::string& path, size_t n_points) const {
    const auto [rows, columns] = file_.shape(path);
    if (rows != n_points || (columns != 1 && columns != 3)) file_.refuse(path + " does not fit the points of its grid");
    const Numbers values = file_.numbers(path);
    MatrixX out(static_cast<Eigen::Index>(columns), static_cast<Eigen::Index>(rows));
    std::copy(values.begin(), values.end(), out.data());
    return out;
  }

  Grid read_grid(const std::string& path) const {
    Grid grid;
    grid.name = file_.text(path, "name");
    grid.body = file_.text(path, "body");
    grid.animation = file_.text(path, "animation");
    grid.time = file_.number(path, "time");
    const auto [n_points, columns] = file_.shape(path + "/points");
    if (columns != 3) file_.refuse(path + "/points has no three columns");
    grid.points = read_rows(path + "/points", n_points);
    grid.cells = read_lists(path + "/cells", static_cast<std::int64_t>(n_points));
    grid.faces = read_lists(path + "/faces", static_cast<std::int64_t>(n_points));
    grid.n_element_faces = small(file_.integer(path, "element_faces"), 0,
                                 static_cast<std::int64_t>(grid.faces.size()) + 1, path + " `element_faces`");
    if (file_.has(path + "/point_names")) grid.point_names = texts(path + "/point_names", n_points);
    for (const std::string& link : file_.names_in(path + "/fields")) {
      const std::string at = path + "/fields/" + link;
      grid.fields.push_back({file_.text(at, "name"), file_.text(at, "unit"), read_rows(at, n_points)});
    }
    if (file_.has(path + "/shapes")) grid.shapes = read_shapes(path + "/shapes/");
    return grid;
  }

  std::vector<GridShape> read_shapes(const std::string& at) const {
    const Texts kind = file_.texts(at + "kind");
    const size_t n = kind.size();
    const Texts title = texts(at + "title", n), field = texts(at + "field", n);
    const Integers mode = integers(at + "mode", n), branch = integers(at + "branch", n),
                   speed = integers(at + "speed", n);
    const Numbers omega = numbers(at + "omega", n), growth = numbers(at + "growth", n);
    std::vector<GridShape> shapes;
    for (size_t k = 0; k < n; ++k)
      shapes.push_back({kind[k], title[k], field[k], small(mode[k], 0, kMost, at + "mode"), omega[k], growth[k],
                        small(branch[k], -1, kMost, at + "branch"), small(speed[k], -1, kMost, at + "speed")});
    return shapes;
  }

  Hdf5Reader file_;
};

class Hdf5ResultsWriter final : public Writer {
 public:
  std::string_view name() const override { return "hdf5"; }
  std::string_view summary() const override { return "results.h5: everything, to the last bit"; }

  std::vector<std::string> write(const RunToWrite& run) const override {
    write_file(run.dir / "results.h5", to_hdf5(run.results));
    return {"results.h5"};
  }
};

}  // namespace

std::string to_hdf5(const Results& results) {
  Hdf5Writer file;
  file.set("/", "format", std::string(kFormat));
  file.set("/", "version", std::int64_t{kResultsLayout});
  file.set("/", "title", results.title);
  file.set("/", "status", results.outcome.status);
  file.set("/", "message", results.outcome.message);
  if (results.modes_are_complete) file.set("/", "modes_are_complete", std::int64_t{*results.modes_are_complete});
  file.put("/warnings", results.warnings);
  file.add_group("/timings");
  for (const auto& [name, seconds] : results.timings) file.set("/timings", name, seconds);
  put_provenance(file, results.provenance);
  put_modes(file, results.modes);
  put_formalisms(file, results.formalisms);
  if (results.campbell) put_campbell(file, *results.campbell);
  if (results.mechanism) put_mechanism(file, *results.mechanism);
  file.add_group("/tables");
  LinkNames tables, grids;
  for (const Table& table : results.tables) put_table(file, "/tables/" + tables.make(table.name), table);
  file.add_group("/grids");
  const Grid* before = nullptr;
  std::string before_path;
  for (const Grid& grid : results.grids) {
    const std::string path = "/grids/" + grids.make(grid.name);
    put_grid(file, path, grid, before, before_path);
    before = &grid;
    before_path = path;
  }
  return file.finish();
}

Results from_hdf5(const std::string& file_name, std::string content) {
  return Reader(file_name, std::move(content)).read();
}

std::unique_ptr<const Writer> make_hdf5_writer() { return std::make_unique<Hdf5ResultsWriter>(); }

}  // namespace elodyn
