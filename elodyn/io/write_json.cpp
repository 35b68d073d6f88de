#include "elodyn/io/write_json.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "elodyn/io/output_dir.hpp"

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;  // members in the order that people read them

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// A list of objects takes a line for each, and so does what holds such a list.
bool takes_lines(const Json& value) {
  if (value.is_array()) return !value.empty() && value.front().is_object();
  return value.is_object() && std::any_of(value.begin(), value.end(), takes_lines);
}

// A line for each small thing (a mode, a column), so that the file can be read and compared by people too.
std::string layout(const Json& value, const std::string& indent = {}) {
  const bool whole = indent.empty();
  if (!whole && !takes_lines(value)) return dump(value);
  const std::string deeper = indent + "  ";
  std::string out = value.is_object() ? "{\n" : "[\n";
  size_t left = value.size();
  for (const auto& [key, item] : value.items()) {
    out += deeper + (value.is_object() ? dump(key) + ": " : "") + layout(item, deeper);
    out += --left > 0 ? ",\n" : "\n";
  }
  return out + indent + (value.is_object() ? "}" : "]") + (whole ? "\n" : "");
}

Json json_of(const Mode& mode) {
  Json shares = Json::object();
  for (const auto& [kind, share] : mode.shares) shares[kind] = share;
  return {{"number", mode.number}, {"omega", mode.omega},      {"hz", mode.omega / (2 * std::numbers::pi)},
          {"growth", mode.growth}, {"label", mode.label},      {"body", mode.body},
          {"shares", shares},      {"residual", mode.residual}};
}

Json json_of(const Table& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    const Json values = std::visit([](const auto& list) { return Json(list); }, column.values);
    columns.push_back({{"name", column.name}, {"unit", column.unit}, {"values", values}});
  }
  return {{"name", table.name}, {"title", table.title}, {"columns", columns}};
}

Json json_of(const Provenance& p) {
  return {{"program", p.program},       {"version", p.version}, {"commit", p.commit}, {"compiler", p.compiler},
          {"build_type", p.build_type}, {"command", p.command}, {"input", p.input},   {"input_sha256", p.input_sha256},
          {"settings", p.settings},     {"started", p.started}};
}

Json json_of(const Diagnostics& all, const Diagnostic& d) {
  const std::string& file = all.source_name(d.mark.source);
  const auto place = [](int number) { return number > 0 ? Json(number) : Json(); };
  return {{"file", file.empty() ? Json() : Json(file)},
          {"line", place(d.mark.line)},
          {"column", place(d.mark.line > 0 ? d.mark.column : 0)},
          {"severity", d.severity == Severity::error ? "error" : "warning"},
          {"text", d.text},
          {"help", d.help}};
}

Json json_of(const OperationCount& count) {
  return {{"differentiations", count.differentiations},
          {"multiplications", count.multiplications},
          {"additions", count.additions}};
}

Json json_of(const FormalismReport& r) {
  Json json = {{"name", r.name}, {"level", r.level}, {"applies", r.applies}, {"reason", r.reason}};
  const auto if_known = [&](double value) { return r.applies && std::isfinite(value) ? Json(value) : Json(); };
  json["max_difference"] = if_known(r.max_difference);
  json["frequency_difference"] = if_known(r.frequency_difference);
  json["trajectory_difference"] = if_known(r.trajectory_difference);
  json["operations"] = json_of(r.operations);
  if (r.operations.multiplications == 0) json["operations"] = Json();
  json["seconds"] = if_known(r.operations.multiplications == 0 ? std::nan("") : r.seconds);
  json["motion_seconds"] = if_known(r.motion_seconds);
  return json;
}

// What is not a number becomes null.
Json json_of(const Campbell& c) {
  Json branches = Json::array(), critical = Json::array();
  for (const CampbellBranch& b : c.branches)
    branches.push_back(
        {{"label", b.label}, {"omega", b.omega}, {"growth", b.growth}, {"kind", b.kind}, {"whirl", b.whirl}});
  for (const CriticalSpeed& s : c.critical_speeds)
    critical.push_back({{"speed", s.speed},
                        {"order", s.order},
                        {"branch", s.branch},
                        {"label", c.branches[static_cast<size_t>(s.branch)].label}});
  return {{"frame", c.frame},
          {"body", c.body},
          {"speeds", c.speeds},
          {"branches", branches},
          {"critical_speeds", critical},
          {"error_bound", c.error_bound}};
}

Json json_of(const MechanismSummary& m) {
  Json joints = Json::array(), events = Json::array(), singular = Json::array();
  for (const MechanismSummary::Joint& j : m.joints)
    joints.push_back({{"name", j.name},
                      {"kind", j.kind},
                      {"peak_force", j.peak_force},
                      {"at_time", j.time_of_peak},
                      {"rms_force", j.rms_force},
                      {"peak_moment", j.peak_moment},
                      {"rms_moment", j.rms_moment},
                      {"not_determined", j.undetermined}});
  for (const MechanismSummary::Event& e : m.events)
    events.push_back({{"name", e.name}, {"time", e.t}, {"direction", e.rising ? "rising" : "falling"}});
  for (const MechanismSummary::Singular& s : m.singular) singular.push_back({{"time", s.t}, {"where", s.where}});
  return {{"kind", m.kind},
          {"formalism", m.formalism},
          {"freedoms", m.n_freedoms},
          {"redundant", m.redundant},
          {"joints", joints},
          {"events", events},
          {"stopped", m.stopped},
          {"singular", singular},
          {"steps", m.steps},
          {"rejected", m.rejected},
          {"position_drift", m.position_drift},
          {"speed_drift", m.velocity_drift},
          {"kinetic_energy", m.largest_kinetic},
          {"energy_error", m.energy_error}};
}

Json json_of(const Formula& f) { return {{"name", f.name}, {"text", f.text}, {"latex", f.latex}}; }

// Rows of entries, each by `entry(i, j)`.
template <class Entry>
Json json_of_rows(const MatrixX& shape, const Entry& entry) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < shape.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < shape.cols(); ++j) row.push_back(entry(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json json_of(const DerivedTerm& t) {
  const char* symmetry = t.symmetry == DerivedTerm::Symmetry::symmetric ? "symmetric"
                         : t.symmetry == DerivedTerm::Symmetry::skew    ? "skew"
                                                                        : "none";
  Json json = {{"name", t.name},   {"meaning", t.meaning}, {"factor", t.factor},    {"acts_on", t.acts_on},
               {"minus", t.minus}, {"symmetry", symmetry}, {"latex", t.latex_place}};
  json["values"] = json_of_rows(t.values, [&](Eigen::Index i, Eigen::Index j) { return t.values(i, j); });
  json["symbols"] = t.entries.empty()
                        ? Json()
                        : json_of_rows(t.values, [&](Eigen::Index i, Eigen::Index j) { return t.entry(i, j).text; });
  return json;
}

Json json_of(const DerivedElement& e) {
  Json json = {{"body", e.body},     {"member", e.member}, {"element", e.kind}, {"section", e.section},
               {"number", e.number}, {"alike", e.n_alike}, {"nodes", e.nodes},  {"symbolic", e.symbolic},
               {"axes", e.axes},     {"notes", e.notes}};
  json["equation"] = {{"text", e.equation().text}, {"latex", e.equation().latex}};
  json["dofs"] = Json::array();
  for (const Formula& dof : e.dofs) json["dofs"].push_back({{"name", dof.name}, {"latex", dof.latex_name}});
  json["symbols"] = Json::array();
  for (const DerivedSymbol& s : e.symbols)
    json["symbols"].push_back(
        {{"name", s.name}, {"latex", s.latex}, {"meaning", s.meaning}, {"unit", s.unit}, {"value", s.value}});
  json["generating"] = Json::array();
  for (const Formula& line : e.generating) json["generating"].push_back(json_of(line));
  json["terms"] = Json::array();
  for (const DerivedTerm& term : e.terms) json["terms"].push_back(json_of(term));
  json["zero"] = e.zero;
  json["operations"] = json_of(e.operations);
  return json;
}

Json start(const Outcome& outcome) {
  Json json = {{"status", outcome.status}};
  if (!outcome.message.empty()) json["message"] = outcome.message;
  return json;
}

void finish(Json& json, const Results& results) {
  json["warnings"] = results.warnings;
  json["timings"] = results.timings;
  json["provenance"] = json_of(results.provenance);
}

class JsonWriter final : public Writer {
 public:
  std::string_view name() const override { return "json"; }
  std::string_view summary() const override { return "results.json: everything but the fields, SI and radians"; }

  std::vector<std::string> write(const RunToWrite& run) const override {
    write_file(run.dir / "results.json", to_json(run.results));
    return {"results.json"};
  }
};

}  // namespace

std::string to_json(const Results& results) {
  Json json = start(results.outcome);
  json["title"] = results.title;
  json["modes"] = Json::array();
  for (const Mode& mode : results.modes) json["modes"].push_back(json_of(mode));
  if (results.modes_are_complete) json["complete"] = *results.modes_are_complete;
  if (!results.formalisms.empty()) json["formalisms"] = Json::array();
  for (const FormalismReport& report : results.formalisms) json["formalisms"].push_back(json_of(report));
  if (results.campbell) json["campbell"] = json_of(*results.campbell);
  if (results.mechanism) json["mechanism"] = json_of(*results.mechanism);
  json["tables"] = Json::array();
  for (const Table& table : results.tables) json["tables"].push_back(json_of(table));
  finish(json, results);
  return layout(json);
}

std::string to_json(const Derivation& derivation) {
  Json json = start(derivation.outcome);
  json["title"] = derivation.title;
  json["formalism"] = {{"name", derivation.formalism}, {"summary", derivation.summary}};
  json["equation"] = {{"text", derivation.equation.text}, {"latex", derivation.equation.latex}};
  json["generating"] = json_of(derivation.generating);
  json["system"] = derivation.system.name.empty() ? Json() : json_of(derivation.system);
  json["elements"] = Json::array();
  for (const DerivedElement& element : derivation.elements) json["elements"].push_back(json_of(element));
  json["warnings"] = derivation.warnings;
  json["provenance"] = json_of(derivation.provenance);
  return layout(json);
}

std::string run_json(const Results& results, const std::vector<std::string>& files) {
  Json json = start(results.outcome);
  json["title"] = results.title;
  finish(json, results);
  json["files"] = files;
  return layout(json);
}

std::vector<std::string> read_run_files(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  std::vector<std::string> files;
  if (!json.is_object() || !json.contains("files") || !json["files"].is_array()) return files;
  for (const Json& file : json["files"])
    if (file.is_string()) files.push_back(file.get<std::string>());
  return files;
}

std::string to_json(const Diagnostics& diagnostics, const std::string& message, const Provenance& provenance) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics.all()) list.push_back(json_of(diagnostics, d));
  if (!message.empty()) {
    Diagnostics extra;
    extra.error({}, message);
    list.push_back(json_of(extra, extra.all().front()));
  }
  const bool good = diagnostics.n_errors() == 0 && message.empty();
  return layout({{"status", good ? "ok" : "input error"}, {"diagnostics", list}, {"provenance", json_of(provenance)}});
}

std::string to_json(const std::string& list,
                    const std::vector<std::pair<std::string, std::string>>& names_and_summaries) {
  Json items = Json::array();
  for (const auto& [name, summary] : names_and_summaries) items.push_back({{"name", name}, {"summary", summary}});
  return layout({{"status", "ok"}, {list, items}});
}

std::unique_ptr<const Writer> make_json_writer() { return std::make_unique<JsonWriter>(); }

}  // namespace elodyn
