// Commands that describe: check, new, list, schema.
#include <algorithm>

#include "app/program.hpp"
#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/integrator.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/io/new_model.hpp"
#include "elodyn/io/read_model.hpp"
#include "elodyn/io/write_json.hpp"
#include "elodyn/io/writer.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn::app {
namespace {

using Item = std::pair<std::string, std::string>;  // name and summary

template <class Interface>
std::vector<Item> items_of(const Registry<Interface>& registry) {
  std::vector<Item> items;
  for (const Interface* item : registry.list()) items.emplace_back(item->name(), item->summary());
  return items;
}

// Those that take assembled bodies, and that of the bodies as a mechanism.
std::vector<Item> analysis_items() {
  std::vector<Item> items = items_of(analyses());
  items.emplace_back("mechanism", "motion of bodies that joints connect, and the forces in the joints");
  items.emplace_back("linkage", "vibration of all elastic links of a mechanism together, joints as constraints");
  return items;
}

// Of elements, then of systems; the summary begins with the level and, of these, what they can be chosen for.
std::vector<Item> formalism_items() {
  std::vector<Item> items;
  for (const auto& [name, summary] : items_of(formalisms())) items.emplace_back(name, "element: " + summary);
  for (const SystemFormalism* item : system_formalisms().list())
    items.emplace_back(item->name(),
                       (item->makes_matrices() ? "system (matrices, motion): " : "system (motion only): ") +
                           std::string(item->summary()));
  return items;
}

std::string plural(size_t n, const std::string& noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

size_t count_elements(const Body& body) {
  size_t count = 0;
  for (const Member& member : body.members) count += static_cast<size_t>(member.elements.value);
  const SurfaceKind* kind = find_surface_kind(body.element.value);
  for (const Area& area : body.areas)
    count += area.elements.size() + static_cast<size_t>(area.nx.value) * static_cast<size_t>(area.ny.value) *
                                        (kind && kind->n_corners == 3 ? 2 : 1);
  return count;
}

// "1 body, 20 elements; analyses: modes, static"
std::string outline(const Model& model) {
  size_t n_elements = 0;
  for (const Body& body : model.bodies) n_elements += count_elements(body);
  const std::vector<std::string> analyses = model.asked();
  const std::string bodies = model.bodies.size() == 1 ? "1 body" : fmt::format("{} bodies", model.bodies.size());
  const std::string joints = model.joints.empty() ? "" : ", " + plural(model.joints.size(), "joint");
  return bodies + (model.has_elastic_body() ? ", " + plural(n_elements, "element") : "") + joints +
         (analyses.empty() ? "; no analysis asked for" : "; analyses: " + join(analyses, ", "));
}

}  // namespace

int check_command(Program& program) {
  const Model model = load_model(program);
  if (program.line.json) {
    say(to_json(program.diagnostics, "", program.provenance));
    return kDone;
  }
  if (!program.line.quiet) say(program.line.file + ": no mistakes found: " + outline(model) + "\n");
  suggest_next(program, "elodyn run " + program.line.file);
  return kDone;
}

int new_command(Program& program) {
  const std::vector<std::string> kinds = new_kinds();
  const std::string kind = program.line.kind.empty() ? kinds.front() : program.line.kind;
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    program.diagnostics.error({}, "unknown kind `" + kind + "` of `elodyn new`", suggest(kind, kinds));
    program.diagnostics.throw_if_errors();
  }
  say(new_model(kind));
  suggest_next(program, "elodyn new " + kind + " > model.toml; elodyn run model.toml");
  return kDone;
}

int list_command(Program& program) {
  const std::vector<std::pair<std::string, std::vector<Item>>> all = {{"elements", items_of(elements())},
                                                                      {"formalisms", formalism_items()},
                                                                      {"analyses", analysis_items()},
                                                                      {"integrators", items_of(integrators())},
                                                                      {"writers", items_of(writers())}};
  for (const auto& [what, items] : all) {
    if (what != program.line.kind) continue;
    if (program.line.json) {
      say(to_json(what, items));
      return kDone;
    }
    size_t width = 0;
    for (const auto& [name, summary] : items) width = std::max(width, name.size());
    for (const auto& [name, summary] : items) say(fmt::format("{:{}}  {}\n", name, width, summary));
    return kDone;
  }
  std::vector<std::string> known;
  for (const auto& entry : all) known.push_back(entry.first);
  program.diagnostics.error({}, "unknown list `" + program.line.kind + "`", suggest(program.line.kind, known));
  program.diagnostics.throw_if_errors();
  return kInputWrong;
}

int schema_command(Program& program) {
  if (program.line.json)
    say(schema_json(known_names()));
  else
    say(program.line.file_template ? schema_template() : schema_markdown());
  return kDone;
}

}  // namespace elodyn::app
