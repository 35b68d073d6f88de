#include "elodyn/io/read_inp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "elodyn/base/text.hpp"
#include "elodyn/io/mesh_builder.hpp"

namespace elodyn {
namespace {

using Number = SurfaceMesh::Number;

struct ElementType {
  int n_corners = 3;  // 2: a line
  bool has_middles = false;
  bool is_shell = false;
  std::optional<PlaneState> plane = {};
  bool is_plain = true;  // no letters behind it
};

bool is_made_of(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == text.npos;
}

// Nothing if the type is not known; `type` in capital letters.
std::optional<ElementType> find_type(std::string_view type) {
  ElementType out;
  if (type == "STRI3" || type == "STRI65") {
    out.is_shell = true;
    out.has_middles = type == "STRI65";
    return out;
  }
  if ((type.starts_with("B2") || type.starts_with("B3")) && type.size() >= 3 && (type[2] == '1' || type[2] == '2') &&
      is_made_of(type.substr(3), "RHOS")) {
    out.n_corners = 2;
    out.has_middles = type[2] == '2';
    return out;
  }
  if (type == "T2D2" || type == "T3D2" || type == "T2D3" || type == "T3D3") {
    out.n_corners = 2;
    out.has_middles = type[3] == '3';
    return out;
  }
  std::string_view rest = type;
  if (type.starts_with("CPS") || type.starts_with("CPE")) {
    out.plane = type[2] == 'S' ? PlaneState::stress : PlaneState::strain;
    rest.remove_prefix(3);
  } else if (type.starts_with("M3D")) {
    out.is_shell = true;
    rest.remove_prefix(3);
  } else if (type.starts_with("S")) {
    out.is_shell = true;
    rest.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  if (rest.empty()) return std::nullopt;
  switch (rest[0]) {
    case '3':
      out.n_corners = 3;
      break;
    case '4':
      out.n_corners = 4;
      break;
    case '6':
      out.n_corners = 3;
      out.has_middles = true;
      break;
    case '8':
      out.n_corners = 4;
      out.has_middles = true;
      break;
    default:
      return std::nullopt;
  }
  rest.remove_prefix(1);
  out.is_plain = rest.empty();
  const bool good = out.is_shell ? is_made_of(rest, "RSW") || rest == "R5" : is_made_of(rest, "RIHM");
  return good ? std::optional(out) : std::nullopt;
}

// `*ELEMENT, TYPE=CPS4, ELSET=plate`
struct Keyword {
  std::string name;                               // capital letters, one space between words
  std::map<std::string, std::string> parameters;  // names in capital letters; values as written
  int line = 0;

  bool has(const char* parameter) const { return parameters.count(parameter) > 0; }
  std::string value(const char* parameter) const {
    const auto it = parameters.find(parameter);
    return it == parameters.end() ? std::string{} : it->second;
  }
};

// Numbers of nodes or elements, and sets before this one.
struct NumberSet {
  struct Range {
    Number first = 0, last = 0, step = 1;
  };
  std::string name;
  int line = 0;
  std::vector<Range> ranges = {};
  std::set<size_t> sets = {};  // indices, all below the own one
};

class SetTable {
 public:
  // Makes it if it is new.
  size_t find_or_add(const std::string& name, int line) {
    const auto [it, is_new] = index_.emplace(to_upper(name), sets.size());
    if (is_new) sets.push_back({plain_name(name), line});
    return it->second;
  }
  std::optional<size_t> find(std::string_view name) const {
    const auto it = index_.find(to_upper(name));
    return it == index_.end() ? std::nullopt : std::optional(it->second);
  }

  std::vector<NumberSet> sets;

 private:
  std::map<std::string, size_t> index_;
};

class InpReader {
 public:
  InpReader(const std::string& file_name, std::string_view text, double unit, Diagnostics& diagnostics)
      : text_(file_name, text, diagnostics), unit_(unit) {}

  std::unique_ptr<SurfaceMesh> read() {
    while (!text_.is_hopeless() && text_.next_line()) {
      const std::string_view line = text_.line();
      if (line.empty() || line.starts_with("**")) continue;
      if (line[0] == '*') {
        read_keyword();
        continue;
      }
      if (!has_keyword_) {
        text_.fail("not an input file of Abaqus or CalculiX: it must begin with a keyword such as *NODE");
        return nullptr;
      }
      if (on_data_ && is_done_ && !table_.empty()) leave_row();
      if (on_data_ && !is_done_) on_data_();
    }
    end_element();
    if (draft_.nodes.empty()) text_.fail_at(0, "the file has no nodes", "they stand below *NODE");
    if (text_.n_errors() > 0) return nullptr;
    report_unread();
    add_groups();
    std::unique_ptr<SurfaceMesh> mesh = build_mesh(std::move(draft_), text_);
    if (!mesh) return nullptr;
    mesh->materials = std::move(materials_);
    mesh->has_plane_strain = has_plane_[1];
    mesh->has_plane_stress = has_plane_[0];
    return mesh;
  }

 private:
  // ---- keywords ----

  void read_keyword() {
    end_element();
    has_keyword_ = true;
    on_data_ = nullptr;
    is_done_ = false;
    table_.clear();
    Keyword keyword;
    keyword.line = text_.line_number();
    std::string_view rest = text_.line().substr(1);
    keyword.name = tidy(take_cell(rest).value_or(""));
    for (;;) {
      while (const auto cell = take_cell(rest)) add_parameter(*cell, keyword);
      if (!text_.line().ends_with(',') || !next_continuation()) break;  // it goes on in the next line
      rest = text_.line();
    }
    dispatch(keyword);
  }

  bool next_continuation() {
    while (text_.next_line()) {
      if (text_.line().empty() || text_.line().starts_with("**")) continue;
      if (text_.line()[0] != '*') return true;
      text_.step_back();
      return false;
    }
    return false;
  }

  static std::string tidy(std::string_view name) {
    std::string out;
    for (std::string_view word = take_word(name); !word.empty(); word = take_word(name))
      out += (out.empty() ? "" : " ") + to_upper(word);
    return out;
  }

  static void add_parameter(std::string_view cell, Keyword& keyword) {
    if (cell.empty()) return;
    const size_t equals = std::min(cell.find('='), cell.size());
    std::string_view value = equals < cell.size() ? trim(cell.substr(equals + 1)) : std::string_view{};
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    keyword.parameters.emplace(tidy(cell.substr(0, equals)), std::string(value));
  }

  void dispatch(const Keyword& keyword) {
    using Handler = void (InpReader::*)(const Keyword&);
    static const std::map<std::string_view, Handler> handlers = {
        {"NODE", &InpReader::begin_nodes},
        {"ELEMENT", &InpReader::begin_elements},
        {"NSET", &InpReader::begin_nset},
        {"ELSET", &InpReader::begin_elset},
        {"SURFACE", &InpReader::begin_surface},
        {"MATERIAL", &InpReader::begin_material},
        {"ELASTIC", &InpReader::begin_elastic},
        {"DENSITY", &InpReader::begin_density},
        {"EXPANSION", &InpReader::begin_expansion},
        {"SHELL SECTION", &InpReader::begin_section},
        {"SOLID SECTION", &InpReader::begin_section},
        {"MEMBRANE SECTION", &InpReader::begin_section},
        {"PART", &InpReader::begin_part},
        {"INSTANCE", &InpReader::begin_instance},
        {"ASSEMBLY", &InpReader::begin_assembly},
        {"END PART", &InpReader::ignore},
        {"END INSTANCE", &InpReader::end_instance},
        {"END ASSEMBLY", &InpReader::end_assembly},
        {"HEADING", &InpReader::ignore},
        {"INCLUDE", &InpReader::refuse_include},
        {"NGEN", &InpReader::refuse_generated},
        {"NFILL", &InpReader::refuse_generated},
        {"NCOPY", &InpReader::refuse_generated},
        {"NMAP", &InpReader::refuse_generated},
        {"ELGEN", &InpReader::refuse_generated},
        {"ELCOPY", &InpReader::refuse_generated},
        {"SYSTEM", &InpReader::refuse_generated},
    };
    const auto handler = handlers.find(keyword.name);
    if (handler != handlers.end())
      (this->*handler->second)(keyword);
    else if (unread_names_.insert(keyword.name).second)
      unread_.push_back(keyword);
  }

  void ignore(const Keyword&) {}
  void refuse_include(const Keyword&) {
    text_.fail("*INCLUDE is not followed: only what stands in this file is read", "put the included text in its place");
  }
  void refuse_generated(const Keyword& keyword) {
    text_.fail("*" + keyword.name + " is not understood: it would change the mesh unseen",
               "write out all nodes and elements in one system of coordinates");
  }
  bool refuse_input(const Keyword& keyword) {
    if (!keyword.has("INPUT")) return false;
    text_.fail("*" + keyword.name + ", INPUT = " + quote(keyword.value("INPUT")) +
                   " is not followed: only what stands in this file is read",
               "put its text in this place");
    return true;
  }

  // One warning for all of them.
  void report_unread() {
    std::vector<std::string> names;
    constexpr size_t kMostNames = 12;
    for (const Keyword& keyword : unread_)
      if (names.size() < kMostNames) names.push_back(quote("*" + keyword.name));
    if (unread_.size() > kMostNames) names.push_back("and " + std::to_string(unread_.size() - kMostNames) + " more");
    if (!names.empty())
      text_.warn_at(unread_[0].line, "not read from this file: " + join(names, ", "),
                    "supports, loads and analyses stand in the model file");
    if (!impure_types_.empty())
      text_.warn_at(impure_line_, "taken as plain elements with full integration: " +
                                      join({impure_types_.begin(), impure_types_.end()}, ", "));
    if (skipped_line_ > 0)
      text_.warn_at(skipped_line_,
                    "nodes and sets of the assembly itself are left out, only those of its part are read");
    if (no_edge_line_ > 0)
      text_.warn_at(no_edge_line_, "a surface of whole faces is left out: only edges can be read",
                    "an ELSET makes an area, which takes a force per area");
  }

  // ---- parts ----

  void begin_part(const Keyword&) {
    if (++n_parts_ > 1)
      text_.fail("a second *PART: only one can be read", "give each part a file and a body of its own");
  }
  void begin_assembly(const Keyword&) { in_assembly_ = true; }
  void end_assembly(const Keyword&) { in_assembly_ = false; }
  void end_instance(const Keyword&) { in_instance_ = false; }
  void begin_instance(const Keyword&) {
    in_instance_ = has_instance_ = true;
    if (++n_instances_ > 1) text_.fail("a second *INSTANCE: only one can be read", "give each a body of its own");
    on_data_ = [this] {
      std::string_view rest = text_.line();
      while (const auto cell = take_cell(rest))
        if (const auto value = to_finite(*cell); !value || *value != 0) {
          text_.fail("the instance is moved: only one at its part's own place can be read",
                     "give the body a `place` and an `attitude` in the model file");
          is_done_ = true;
          return;
        }
    };
  }
  // What belongs to the assembly and not to its part.
  bool is_of_assembly(const Keyword& keyword) {
    const bool skip = in_assembly_ && !in_instance_ && has_instance_ && !keyword.has("INSTANCE");
    if (skip && skipped_line_ == 0) skipped_line_ = keyword.line;
    return skip;
  }

  // ---- nodes and elements ----

  void begin_nodes(const Keyword& keyword) {
    if (refuse_input(keyword) || is_of_assembly(keyword)) return;
    const std::string system = to_upper(keyword.value("SYSTEM"));
    if (!system.empty() && system != "R") {
      text_.fail("SYSTEM = " + quote(system) + ": only rectangular coordinates can be read");
      return;
    }
    std::optional<size_t> set;
    if (keyword.has("NSET")) set = add_set(nsets_, keyword, "NSET");
    on_data_ = [this, set] { read_node(set); };
  }

  void read_node(std::optional<size_t> set) {
    std::string_view rest = text_.line();
    const auto number = take_number(rest, "number of a node");
    if (!number) return;
    MeshDraft::Node node{*number, Vec3::Zero(), text_.line_number()};
    for (int k = 0; k < 3; ++k) {
      const auto cell = take_cell(rest);
      if (!cell || cell->empty()) continue;  // left out: 0
      const auto x = to_finite(*cell);
      if (!x) return text_.fail_part(*cell, "coordinate = " + quote(*cell) + ", must be a finite number");
      node.x[k] = *x * unit_;
    }
    draft_.nodes.push_back(node);
    if (set) nsets_.sets[*set].ranges.push_back({*number, *number, 1});
  }

  // A number of a node or an element; says so if it is none.
  std::optional<Number> take_number(std::string_view& rest, const char* what) {
    const auto cell = take_cell(rest);
    const auto value = cell ? to_integer(*cell) : std::nullopt;
    if (value && *value > 0) return value;
    if (!cell || cell->empty())
      text_.fail(std::string(what) + " is missing");
    else
      text_.fail_part(*cell, std::string(what) + " = " + quote(*cell) + ", must be an integer above 0");
    return std::nullopt;
  }

  void begin_elements(const Keyword& keyword) {
    if (refuse_input(keyword)) return;
    const std::string type = to_upper(keyword.value("TYPE"));
    if (type.empty()) return text_.fail("*ELEMENT without TYPE", "for example *ELEMENT, TYPE=CPS4, ELSET=plate");
    const std::optional<ElementType> known = find_type(type);
    if (!known)
      return text_.fail("elements of type " + quote(type) + " cannot be read",
                        "surfaces of 3, 4, 6 or 8 nodes: CPS, CPE, S, M3D; lines: B31, B32, T3D2, T3D3");
    type_ = *known;
    if (!known->is_plain && known->n_corners > 2) {
      impure_types_.insert(type);
      if (impure_line_ == 0) impure_line_ = keyword.line;
    }
    if (known->plane) has_plane_[*known->plane == PlaneState::strain ? 1 : 0] = true;
    std::optional<size_t> set;
    if (keyword.has("ELSET")) set = add_set(elsets_, keyword, "ELSET");
    on_data_ = [this, set] { read_element(set); };
  }

  // A line, or what is left of an element that began before.
  void read_element(std::optional<size_t> set) {
    std::string_view rest = text_.line();
    if (!is_in_element_) {
      const auto number = take_number(rest, "number of an element");
      if (!number) return;
      current_ = {*number, text_.line_number(), type_.n_corners, type_.has_middles, draft_.connectivity.size()};
      is_in_element_ = true;
      if (set) elsets_.sets[*set].ranges.push_back({*number, *number, 1});
    }
    const size_t end = current_.first + current_.n_nodes();
    while (draft_.connectivity.size() < end) {
      if (trim(rest).empty()) return;  // goes on in the next line
      const auto node = take_number(rest, "node of an element");
      if (!node) {
        is_in_element_ = false;
        draft_.connectivity.resize(current_.first);
        return;
      }
      draft_.connectivity.push_back(*node);
    }
    if (!trim(rest).empty())
      text_.fail_part(trim(rest), "element " + std::to_string(current_.number) + " has more than " +
                                      count_of(static_cast<Number>(current_.n_nodes()), "node"));
    draft_.elements.push_back(current_);
    is_shell_.push_back(type_.is_shell);
    is_in_element_ = false;
  }

  void end_element() {
    if (!is_in_element_) return;
    text_.fail_at(current_.line,
                  "element " + std::to_string(current_.number) + " has " +
                      count_of(static_cast<Number>(draft_.connectivity.size() - current_.first), "node") +
                      ", must have " + std::to_string(current_.n_nodes()));
    draft_.connectivity.resize(current_.first);
    is_in_element_ = false;
  }

  // ---- sets and surfaces ----

  std::optional<size_t> add_set(SetTable& table, const Keyword& keyword, const char* parameter) {
    const std::string name = keyword.value(parameter);
    if (name.empty()) {
      text_.fail("*" + keyword.name + " needs " + parameter + " = NAME");
      return std::nullopt;
    }
    return table.find_or_add(name, keyword.line);
  }

  void begin_nset(const Keyword& keyword) { begin_set(nsets_, keyword, "NSET"); }
  void begin_elset(const Keyword& keyword) { begin_set(elsets_, keyword, "ELSET"); }
  void begin_set(SetTable& table, const Keyword& keyword, const char* parameter) {
    if (is_of_assembly(keyword)) return;
    if (keyword.name == "NSET" && keyword.has("ELSET")) {
      text_.fail("*NSET of the nodes of an ELSET cannot be read", "list the numbers of its nodes");
      return;
    }
    const std::optional<size_t> set = add_set(table, keyword, parameter);
    if (!set) return;
    const bool generates = keyword.has("GENERATE");
    on_data_ = [this, &table, set, generates] {
      if (generates)
        read_range(table.sets[*set]);
      else
        read_set(table, *set);
    };
  }

  void read_range(NumberSet& set) {
    std::string_view rest = text_.line();
    NumberSet::Range range;
    const auto first = take_number(rest, "first number"),
               last = first ? take_number(rest, "last number") : std::nullopt;
    if (!first || !last) return;
    range.first = *first;
    range.last = *last;
    if (!trim(rest).empty()) {
      const auto step = take_number(rest, "step");
      if (!step) return;
      range.step = *step;
    }
    if (range.last < range.first)
      return text_.fail("last number = " + std::to_string(range.last) + ", must be at least the first, " +
                        std::to_string(range.first));
    set.ranges.push_back(range);
  }

  void read_set(SetTable& table, size_t own) {
    std::string_view rest = text_.line();
    while (const auto cell = take_cell(rest)) {
      if (cell->empty()) continue;
      const SetMember member = find_member(table, *cell);
      if (member.number)
        table.sets[own].ranges.push_back({*member.number, *member.number, 1});
      else if (member.set && *member.set < own)
        table.sets[own].sets.insert(*member.set);
      else
        return text_.fail_part(*cell, quote(*cell) + " is neither a number nor a set that stands before");
    }
  }

  struct SetMember {
    std::optional<Number> number;
    std::optional<size_t> set;
  };
  // Also with the name of an instance and a dot before it.
  static SetMember find_member(const SetTable& table, std::string_view cell) {
    SetMember out;
    for (;;) {
      out.number = to_integer(cell);
      if (!out.number) out.set = table.find(cell);
      if (out.number || out.set) return out;
      const size_t dot = cell.find('.');
      if (dot == cell.npos) return out;
      cell.remove_prefix(dot + 1);
    }
  }

  struct SurfaceEntry {
    SetMember member;
    int edge = -1;  // the k of Sk or Ek, counted from 0
    char letter = 'S';
    int line = 0;
  };
  struct EdgeSurface {
    std::string name;
    int line = 0;
    bool is_of_nodes = false;
    std::vector<SurfaceEntry> entries = {};
  };

  void begin_surface(const Keyword& keyword) {
    const std::string name = keyword.value("NAME"), type = to_upper(keyword.value("TYPE"));
    if (name.empty()) return text_.fail("*SURFACE needs NAME = NAME");
    if (!type.empty() && type != "ELEMENT" && type != "NODE") {
      if (unread_names_.insert(keyword.name).second) unread_.push_back(keyword);
      return;
    }
    surfaces_.push_back({plain_name(name), keyword.line, type == "NODE"});
    on_data_ = [this] { read_surface(); };
  }

  void read_surface() {
    EdgeSurface& surface = surfaces_.back();
    std::string_view rest = text_.line();
    const std::string_view cell = take_cell(rest).value_or("");
    SurfaceEntry entry;
    entry.line = text_.line_number();
    entry.member = find_member(surface.is_of_nodes ? nsets_ : elsets_, cell);
    if (!entry.member.number && !entry.member.set)
      return text_.fail_part(cell, quote(cell) + " is neither a number nor a set that stands before");
    if (!surface.is_of_nodes) {
      const std::string label = to_upper(take_cell(rest).value_or(""));
      const bool is_edge =
          label.size() == 2 && (label[0] == 'S' || label[0] == 'E') && label[1] >= '1' && label[1] <= '6';
      if (!is_edge) {
        if (label != "SPOS" && label != "SNEG")
          return text_.fail_part(text_.line(), "face " + quote(label) + " of an element, must be S1 to S6 or E1 to E4");
        if (no_edge_line_ == 0) no_edge_line_ = entry.line;
        return;
      }
      entry.letter = label[0];
      entry.edge = label[1] - '1';
    }
    surface.entries.push_back(entry);
  }

  // ---- materials and sections ----

  void begin_material(const Keyword& keyword) {
    const std::string name = keyword.value("NAME");
    if (name.empty()) return text_.fail("*MATERIAL needs NAME = NAME");
    for (const Material& material : materials_)
      if (to_upper(material.name) == to_upper(plain_name(name)))
        return text_.fail("material " + quote(name) + " is given twice");
    Material& material = materials_.emplace_back();
    material.name = plain_name(name);
    material.mark = {text_.source(), keyword.line, 1, 1};
    material.from_mesh = true;
  }

  // A second row, of another temperature.
  void leave_row() {
    const std::string name = table_ + " of other temperatures";
    if (!unread_names_.insert(name).second) return;
    Keyword& left = unread_.emplace_back();
    left.name = name;
    left.line = text_.line_number();
  }

  // Reads numbers up to `most`, over several lines, then calls; further lines (of other temperatures) are not looked
  // at.
  void read_numbers(const Keyword& keyword, size_t least, size_t most,
                    std::function<void(const std::vector<double>&)> use) {
    if (materials_.empty()) return text_.fail("*" + keyword.name + " without a *MATERIAL before it");
    numbers_.clear();
    const std::string name = keyword.name;
    table_ = name;
    on_data_ = [this, least, most, use = std::move(use), name] {
      std::string_view rest = text_.line();
      while (numbers_.size() < most) {
        const auto cell = take_cell(rest);
        if (!cell || (cell->empty() && trim(rest).empty())) break;
        const auto value = to_finite(*cell);
        if (!value) {
          is_done_ = true;
          return text_.fail_part(*cell, "*" + name + " has " + quote(*cell) + ", must be a finite number");
        }
        numbers_.push_back(*value);
      }
      if (numbers_.size() >= least) {
        use(numbers_);
        is_done_ = true;
      } else if (!text_.line().ends_with(',') && least <= 8) {
        is_done_ = true;
        text_.fail("*" + name + " has " + count_of(static_cast<Number>(numbers_.size()), "number") + ", must have " +
                   std::to_string(least));
      }
    };
  }

  double pressure() const { return 1 / (unit_ * unit_); }  // of N per unit of length squared, Pa

  void begin_elastic(const Keyword& keyword) {
    const std::string type = to_upper(keyword.value("TYPE"));
    const double p = pressure();
    if (type.empty() || type == "ISO" || type == "ISOTROPIC") {
      read_numbers(keyword, 1, 2, [this, p](const std::vector<double>& v) {
        materials_.back().young = p * v[0];
        materials_.back().poisson = v.size() > 1 ? v[1] : 0;
      });
    } else if (type == "LAMINA") {  // E1, E2, nu12, G12, G13, G23
      read_numbers(keyword, 4, 6, [this, p](const std::vector<double>& v) {
        Material& m = materials_.back();
        m.young = p * v[0];
        m.young_2 = p * v[1];
        m.poisson = v[2];
        m.shear_12 = p * v[3];
        if (v.size() > 4) m.shear_13 = p * v[4];
        if (v.size() > 5) m.shear_23 = p * v[5];
      });
    } else if (type == "ENGINEERING CONSTANTS") {  // E1, E2, E3, nu12, nu13, nu23, G12, G13, G23
      read_numbers(keyword, 9, 9, [this, p](const std::vector<double>& v) {
        Material& m = materials_.back();
        m.young = p * v[0];
        m.young_2 = p * v[1];
        m.young_3 = p * v[2];
        m.poisson = v[3];
        m.poisson_13 = v[4];
        m.poisson_23 = v[5];
        m.shear_12 = p * v[6];
        m.shear_13 = p * v[7];
        m.shear_23 = p * v[8];
      });
    } else {
      text_.fail("*ELASTIC of type " + quote(type) + " cannot be read",
                 "there are ISOTROPIC, LAMINA and ENGINEERING CONSTANTS");
    }
  }
  void begin_density(const Keyword& keyword) {
    // A mass of 1 N s² per unit of length, in a cube of it.
    read_numbers(keyword, 1, 1, [this](const std::vector<double>& v) {
      materials_.back().density = v[0] / (unit_ * unit_ * unit_ * unit_);
    });
  }
  void begin_expansion(const Keyword& keyword) {
    const std::string type = to_upper(keyword.value("TYPE"));
    if (!type.empty() && type != "ISO") {
      if (unread_names_.insert("EXPANSION, TYPE=" + type).second) {
        unread_.push_back(keyword);
        unread_.back().name += ", TYPE=" + type;
      }
      return;
    }
    read_numbers(keyword, 1, 1, [this](const std::vector<double>& v) { materials_.back().expansion = v[0]; });
  }

  struct SectionCard {
    std::string elset, material;
    double thickness = 0;
    int line = 0;
  };

  void begin_section(const Keyword& keyword) {
    if (keyword.has("COMPOSITE"))
      return text_.fail("layers (COMPOSITE) cannot be read", "give the material of the whole sheet");
    SectionCard& card = cards_.emplace_back();
    card.elset = keyword.value("ELSET");
    card.material = plain_name(keyword.value("MATERIAL"));
    card.line = keyword.line;
    if (card.elset.empty()) text_.fail("*" + keyword.name + " needs ELSET = NAME");
    for (const char* parameter : {"ORIENTATION", "OFFSET"})
      if (keyword.has(parameter) && unread_names_.insert(parameter).second) {
        unread_.push_back(keyword);
        unread_.back().name = parameter;
      }
    if (keyword.name == "SOLID SECTION") card.thickness = unit_;  // unless given
    on_data_ = [this] {
      std::string_view rest = text_.line();
      const std::string_view cell = take_cell(rest).value_or("");
      is_done_ = true;
      if (cell.empty()) return;
      const auto thickness = to_finite(cell);
      if (!thickness || !(*thickness > 0))
        return text_.fail_part(cell, "thickness = " + quote(cell) + ", must be above 0");
      cards_.back().thickness = *thickness * unit_;
    };
  }

  // ---- what has been found ----

  // Indices of those that the file has, in rising order. `resolved`: of the sets before this one.
  static std::vector<size_t> resolve(const NumberSet& set, const NumberIndex& index, const std::vector<Number>& numbers,
                                     const std::vector<std::vector<size_t>>& resolved, bool& lacks_some) {
    std::vector<size_t> out;
    for (const NumberSet::Range& range : set.ranges) {
      const bool is_short = (range.last - range.first) / range.step < 2 * static_cast<Number>(numbers.size()) + 10;
      if (is_short) {
        for (Number n = range.first;; n += range.step) {
          if (const int found = index.find(n); found >= 0)
            out.push_back(static_cast<size_t>(found));
          else
            lacks_some = true;
          if (range.last - n < range.step) break;
        }
        continue;
      }
      lacks_some = true;
      for (size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] >= range.first && numbers[i] <= range.last && (numbers[i] - range.first) % range.step == 0)
          out.push_back(i);
    }
    for (const size_t other : set.sets) out.insert(out.end(), resolved[other].begin(), resolved[other].end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  std::vector<std::vector<size_t>> resolve_all(const SetTable& table, const std::vector<Number>& numbers,
                                               const char* what) {
    NumberIndex index;
    index.build(numbers);
    std::vector<std::vector<size_t>> resolved;
    for (const NumberSet& set : table.sets) {
      bool lacks_some = false;
      resolved.push_back(resolve(set, index, numbers, resolved, lacks_some));
      if (lacks_some) text_.warn_at(set.line, "set `" + set.name + "` names " + what + " that the file does not have");
    }
    return resolved;
  }

  // Areas, edges, nodes: where names clash the first stay.
  void add_groups() {
    draft_.names_may_clash = true;
    std::vector<Number> node_numbers, element_numbers;
    for (const MeshDraft::Node& node : draft_.nodes) node_numbers.push_back(node.number);
    for (const MeshDraft::Element& element : draft_.elements) element_numbers.push_back(element.number);
    const auto nsets = resolve_all(nsets_, node_numbers, "nodes");
    const auto elsets = resolve_all(elsets_, element_numbers, "elements");
    NumberIndex node_index, element_index;
    node_index.build(node_numbers);
    element_index.build(element_numbers);
    for (size_t k = 0; k < elsets.size(); ++k) {
      MeshDraft::Group& group = draft_.groups.emplace_back();
      group.name = elsets_.sets[k].name;
      group.line = elsets_.sets[k].line;
      group.members = elsets[k];
    }
    add_cards();
    for (const EdgeSurface& surface : surfaces_) {
      MeshDraft::Group& group = draft_.groups.emplace_back();
      group.kind = surface.is_of_nodes ? MeshDraft::Group::Kind::nodes : MeshDraft::Group::Kind::edges;
      group.name = surface.name;
      group.line = surface.line;
      for (const SurfaceEntry& entry : surface.entries) {
        std::vector<size_t> members;
        if (entry.member.set) members = (surface.is_of_nodes ? nsets : elsets)[*entry.member.set];
        if (entry.member.number) {
          const int found = (surface.is_of_nodes ? node_index : element_index).find(*entry.member.number);
          if (found < 0)
            text_.fail_at(entry.line, std::string(surface.is_of_nodes ? "node " : "element ") +
                                          std::to_string(*entry.member.number) + " is not in the file");
          else
            members.push_back(static_cast<size_t>(found));
        }
        for (const size_t member : members)
          if (surface.is_of_nodes)
            group.members.push_back(member);
          else
            add_edge(group, entry, member);
      }
    }
    for (size_t k = 0; k < nsets.size(); ++k) {
      MeshDraft::Group& group = draft_.groups.emplace_back();
      group.kind = MeshDraft::Group::Kind::nodes;
      group.name = nsets_.sets[k].name;
      group.line = nsets_.sets[k].line;
      group.members = nsets[k];
    }
  }

  void add_edge(MeshDraft::Group& group, const SurfaceEntry& entry, size_t member) {
    const MeshDraft::Element& element = draft_.elements[member];
    int edge = entry.edge;
    if (is_shell_[member] && entry.letter == 'S') edge -= 2;  // S1 and S2 are its faces
    if (edge < 0) {
      if (no_edge_line_ == 0) {
        no_edge_line_ = entry.line;
        text_.warn_at(entry.line, "a surface of whole faces is left out: only edges can be read",
                      "an ELSET makes an area, which takes a force per area");
      }
    } else if (element.n_corners < 3 || edge >= element.n_corners) {
      text_.fail_at(entry.line, "element " + std::to_string(element.number) + " has no edge " + entry.letter +
                                    std::to_string(entry.edge + 1));
    } else {
      group.edges.push_back({member, edge});
    }
  }

  void add_cards() {
    std::set<size_t> seen;
    for (const SectionCard& card : cards_) {
      const auto set = elsets_.find(card.elset);
      if (!set) {
        std::vector<std::string> names;
        for (const NumberSet& known : elsets_.sets) names.push_back(known.name);
        text_.fail_at(card.line, "a section of ELSET " + quote(card.elset) + ", which the file does not have",
                      names.size() < 100 ? suggest(plain_name(card.elset), names) : "");
        continue;
      }
      if (!seen.insert(*set).second) {
        text_.fail_at(card.line, "ELSET " + quote(card.elset) + " has a section already");
        continue;
      }
      MeshDraft::Group& group = draft_.groups[*set];
      group.thickness = card.thickness;
      for (const Material& material : materials_)  // as it was spelt there
        if (to_upper(material.name) == to_upper(card.material)) group.material = material.name;
      if (group.material.empty() && !card.material.empty())
        text_.fail_at(card.line, "material " + quote(card.material) + " is not in the file");
    }
  }

  MeshText text_;
  double unit_ = 1;
  MeshDraft draft_;
  std::vector<bool> is_shell_;  // of each element
  bool has_keyword_ = false;
  std::function<void()> on_data_;  // what a line of data is given to
  bool is_done_ = false;           // further lines are not looked at
  std::string table_;              // the keyword if its rows are for temperatures; else empty
  // the element that is being read
  ElementType type_;
  MeshDraft::Element current_;
  bool is_in_element_ = false;

  SetTable nsets_, elsets_;
  std::vector<EdgeSurface> surfaces_;
  std::vector<Material> materials_;
  std::vector<double> numbers_;
  std::vector<SectionCard> cards_;
  std::array<bool, 2> has_plane_ = {false, false};  // stress, strain
  int n_parts_ = 0, n_instances_ = 0;
  bool in_assembly_ = false, in_instance_ = false, has_instance_ = false;
  // what warnings are about
  std::vector<Keyword> unread_;
  std::set<std::string> unread_names_, impure_types_;
  int impure_line_ = 0, skipped_line_ = 0, no_edge_line_ = 0;
};

}  // namespace

std::unique_ptr<SurfaceMesh> read_inp(const std::string& file_name, std::string_view text, double unit,
                                      Diagnostics& diagnostics) {
  std::unique_ptr<SurfaceMesh> mesh = InpReader(file_name, text, unit, diagnostics).read();
  if (mesh) mesh->file = file_name;
  return mesh;
}

}  // namespace elodyn
