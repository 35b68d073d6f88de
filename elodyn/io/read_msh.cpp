#include "elodyn/io/read_msh.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "elodyn/io/mesh_builder.hpp"

namespace elodyn {
namespace {

constexpr std::array kDimensionNames = {"point", "curve", "surface", "volume"};

struct ElementType {
  int type;
  int dimension;
  int n_corners;
  bool has_middles;
};
constexpr ElementType kTypes[] = {{15, 0, 1, false}, {1, 1, 2, false}, {8, 1, 2, true}, {2, 2, 3, false},
                                  {3, 2, 4, false},  {9, 2, 3, true},  {16, 2, 4, true}};

using EntityKey = std::pair<int, std::int64_t>;  // dimension and tag

class MshReader {
 public:
  MshReader(const std::string& file_name, std::string_view text, double unit, Diagnostics& diagnostics)
      : text_(file_name, text, diagnostics), unit_(unit), size_(text.size()) {}

  std::unique_ptr<SurfaceMesh> read() {
    if (!read_format()) return nullptr;
    while (text_.next_line() && !text_.is_hopeless()) {
      const std::string_view line = text_.line();
      if (line.empty()) continue;
      if (line[0] != '$') {
        text_.fail(quote(line) + " stands outside of a section", "a section begins with $NAME and ends with $EndNAME");
        return nullptr;
      }
      const std::string section(line.substr(1));
      if (section == "PartitionedEntities") {
        text_.fail("the mesh is partitioned, which cannot be read", "save it as one part");
        return nullptr;
      }
      bool good = true;
      if (section == "PhysicalNames")
        good = once(section) && read_names();
      else if (section == "Entities")
        good = once(section) && read_entities();
      else if (section == "Nodes")
        good = once(section) && read_nodes();
      else if (section == "Elements")
        good = once(section) && read_elements();
      if (!good || !find_end(section)) return nullptr;
    }
    for (const char* section : {"Nodes", "Elements"})
      if (lines_.count(section) == 0) text_.fail_at(0, "the file has no section $" + std::string(section));
    add_groups();
    return build_mesh(std::move(draft_), text_);
  }

 private:
  bool once(const std::string& section) {
    if (lines_.emplace(section, text_.line_number()).second) return true;
    text_.fail("section $" + section + " is given twice");
    return false;
  }

  // What is not looked at, up to the section's end.
  bool find_end(const std::string& section) {
    const int begin = text_.line_number();
    const std::string end = "$End" + section;
    while (text_.next_line()) {
      if (text_.line() == end) return true;
      if (!text_.line().starts_with("$End") && (section == "Nodes" || section == "Elements") &&
          lines_.count(section) > 0 && !text_.line().empty()) {
        text_.fail("more lines in $" + section + " than its counts say");
        return false;
      }
    }
    text_.fail_at(begin, "section " + quote("$" + section) + " does not end", "its last line is $End and its name");
    return false;
  }

  bool read_format() {
    do {
      if (!text_.next_line()) {
        text_.fail_at(0, "the file is empty");
        return false;
      }
    } while (text_.line().empty());
    if (text_.line() != "$MeshFormat") {
      text_.fail("not a mesh file of Gmsh: it must begin with $MeshFormat");
      return false;
    }
    if (!next_row("$MeshFormat")) return false;
    std::string_view rest = text_.line();
    const std::string_view version = take_word(rest), type = take_word(rest);
    const char* const help =
        "save it with Mesh.MshFileVersion = 4.1 and Mesh.Binary = 0, or: gmsh -format msh41 FILE -save";
    if (version != "4.1")
      text_.fail_part(version, "version " + quote(version) + " of the format, must be 4.1", help);
    else if (type != "0")
      text_.fail_part(type, "the file is binary, must be ASCII", help);
    return text_.n_errors() == 0 && find_end("MeshFormat");
  }

  // The next line of a section that is not blank; says so if there is none.
  bool next_row(const char* section) {
    while (text_.next_line()) {
      if (text_.line().empty()) continue;
      if (text_.line()[0] != '$') return true;
      text_.fail(std::string(section) + " ends here, but its counts say that there is more");
      return false;
    }
    text_.fail_at(std::max(1, text_.line_number()), std::string("the file ends inside of ") + section);
    return false;
  }

  std::optional<std::int64_t> take_integer(std::string_view& rest, const char* what) {
    const std::string_view word = take_word(rest);
    const std::optional<std::int64_t> value = to_integer(word);
    if (!value)
      text_.fail_part(word, what + (word.empty() ? " is missing" : " = " + quote(word) + ", must be an integer"));
    return value;
  }
  std::optional<std::int64_t> take_count(std::string_view& rest, const char* what) {
    const std::string_view before = rest;
    const std::optional<std::int64_t> value = take_integer(rest, what);
    if (!value || *value >= 0) return value;
    text_.fail_part(trim(before), std::string(what) + " = " + std::to_string(*value) + ", must be at least 0");
    return std::nullopt;
  }
  std::optional<double> take_number(std::string_view& rest, const char* what) {
    const std::string_view word = take_word(rest);
    const std::optional<double> value = to_finite(word);
    if (!value)
      text_.fail_part(word, what + (word.empty() ? " is missing" : " = " + quote(word) + ", must be a finite number"));
    return value;
  }

  bool read_names() {
    if (!next_row("$PhysicalNames")) return false;
    std::string_view rest = text_.line();
    const auto count = take_count(rest, "number of names");
    for (std::int64_t i = 0; count && i < *count; ++i) {
      if (!next_row("$PhysicalNames")) return false;
      rest = text_.line();
      const auto dimension = take_integer(rest, "dimension"), tag = take_integer(rest, "tag");
      if (!dimension || !tag) return false;
      rest = trim(rest);
      if (rest.size() < 3 || rest.front() != '"' || rest.back() != '"') {
        text_.fail_part(rest, "the name of a physical group must stand in quotes");
        return false;
      }
      if (*dimension < 0 || *dimension > 3) {
        text_.fail("dimension = " + std::to_string(*dimension) + ", must be from 0 to 3");
        return false;
      }
      const std::string_view name = rest.substr(1, rest.size() - 2);
      const std::string plain = plain_name(name);
      if (plain != name)
        text_.warn_at(text_.line_number(), "group " + quote(name) + " is called `" + plain + "` here",
                      "names have letters a to z, digits, _ - and .");
      Physical& physical = physicals_[{static_cast<int>(*dimension), *tag}];
      physical.name = plain;
      physical.line = text_.line_number();
    }
    return count.has_value();
  }

  bool read_entities() {
    if (!next_row("$Entities")) return false;
    std::string_view rest = text_.line();
    std::array<std::int64_t, 4> counts{};
    for (size_t d = 0; d < 4; ++d) {
      const auto count = take_count(rest, "number of entities");
      if (!count) return false;
      counts[d] = *count;
    }
    for (int d = 0; d < 4; ++d)
      for (std::int64_t i = 0; i < counts[static_cast<size_t>(d)]; ++i) {
        if (!next_row("$Entities")) return false;
        rest = text_.line();
        const auto tag = take_integer(rest, "tag of an entity");
        for (int k = 0; tag && k < (d == 0 ? 3 : 6); ++k)
          if (!take_number(rest, "coordinate")) return false;
        const auto n_physical = tag ? take_count(rest, "number of physical tags") : std::nullopt;
        if (!n_physical) return false;
        std::vector<std::int64_t>& tags = entities_[{d, *tag}];
        for (std::int64_t k = 0; k < *n_physical; ++k) {
          const auto physical = take_integer(rest, "physical tag");
          if (!physical) return false;
          tags.push_back(*physical < 0 && *physical > INT64_MIN ? -*physical : *physical);  // negative: turned round
        }
      }
    return true;
  }

  bool read_nodes() {
    if (!next_row("$Nodes")) return false;
    std::string_view rest = text_.line();
    const auto n_blocks = take_count(rest, "number of blocks"), n_nodes = take_count(rest, "number of nodes");
    if (!n_blocks || !n_nodes) return false;
    draft_.nodes.reserve(std::min(static_cast<size_t>(*n_nodes), size_ / 8));  // no node takes less text
    for (std::int64_t b = 0; b < *n_blocks; ++b) {
      if (!next_row("$Nodes")) return false;
      rest = text_.line();
      const auto dimension = take_count(rest, "dimension of the entity"), tag = take_integer(rest, "tag of the entity");
      const auto parametric = take_count(rest, "parametric"), n = take_count(rest, "number of nodes in the block");
      if (!dimension || !tag || !parametric || !n) return false;
      const size_t first = draft_.nodes.size();
      for (std::int64_t i = 0; i < *n; ++i) {
        if (!next_row("$Nodes")) return false;
        rest = text_.line();
        const auto number = take_integer(rest, "number of a node");
        if (!number || !is_end(rest)) return false;
        draft_.nodes.push_back({*number, Vec3::Zero(), text_.line_number()});
      }
      for (size_t i = first; i < draft_.nodes.size(); ++i) {
        if (!next_row("$Nodes")) return false;
        rest = text_.line();
        for (int k = 0; k < 3; ++k) {
          const auto x = take_number(rest, "coordinate");
          if (!x) return false;
          draft_.nodes[i].x[k] = *x * unit_;
        }
        draft_.nodes[i].line = text_.line_number();
        if (*parametric == 0 && !is_end(rest)) return false;  // else the entity's own coordinates follow
      }
    }
    return check_count(*n_nodes, draft_.nodes.size(), "node", "Nodes");
  }

  bool is_end(std::string_view rest) {
    rest = trim(rest);
    if (rest.empty()) return true;
    text_.fail_part(rest, quote(rest) + " is too much in this line");
    return false;
  }

  bool check_count(std::int64_t said, size_t found, const char* what, const char* section) {
    if (said == static_cast<std::int64_t>(found)) return true;
    text_.fail_at(lines_[section], "the head of $" + std::string(section) + " says " + count_of(said, what) +
                                       ", its blocks have " + std::to_string(found));
    return false;
  }

  bool read_elements() {
    if (!next_row("$Elements")) return false;
    std::string_view rest = text_.line();
    const auto n_blocks = take_count(rest, "number of blocks"), n_elements = take_count(rest, "number of elements");
    if (!n_blocks || !n_elements) return false;
    draft_.elements.reserve(std::min(static_cast<size_t>(*n_elements), size_ / 4));
    size_t n_refused = 0;
    for (std::int64_t b = 0; b < *n_blocks; ++b) {
      if (!next_row("$Elements")) return false;
      rest = text_.line();
      const auto dimension = take_count(rest, "dimension of the entity"), tag = take_integer(rest, "tag of the entity");
      const auto type = take_count(rest, "type of the elements"),
                 n = take_count(rest, "number of elements in the block");
      if (!dimension || !tag || !type || !n) return false;
      const ElementType* known = find_type(*type, *dimension);
      if (!known && text_.is_hopeless()) return false;
      if (known && *n > 0)
        blocks_.push_back({{static_cast<int>(*dimension), *tag}, draft_.elements.size(), text_.line_number()});
      for (std::int64_t i = 0; i < *n; ++i) {
        if (!next_row("$Elements")) return false;
        if (!known)
          ++n_refused;
        else if (!read_element(*known))
          return false;
      }
    }
    return check_count(*n_elements, draft_.elements.size() + n_refused, "element", "Elements");
  }

  const ElementType* find_type(std::int64_t type, std::int64_t dimension) {
    for (const ElementType& known : kTypes)
      if (known.type == type) {
        if (known.dimension == dimension) return &known;
        text_.fail("elements of type " + std::to_string(type) + " on an entity of dimension " +
                   std::to_string(dimension) + ", must be " + std::to_string(known.dimension));
        return nullptr;
      }
    const std::string stated = "elements of type " + std::to_string(type);
    if (type == 10)
      text_.fail(stated + ": quadrilaterals of 9 nodes, there are none here",
                 "mesh again with Mesh.SecondOrderIncomplete = 1, which makes those of 8 nodes");
    else if (dimension == 3)
      text_.fail(stated + " fill a volume, only surfaces can be read",
                 "mesh with `gmsh -2`, or save only physical groups of surfaces, curves and points");
    else
      text_.fail(
          stated + " cannot be read",
          "there are triangles of 3 and 6 nodes and quadrilaterals of 4 and 8 nodes: Mesh.ElementOrder = 1 or 2");
    return nullptr;
  }

  bool read_element(const ElementType& type) {
    std::string_view rest = text_.line();
    const auto number = take_integer(rest, "number of an element");
    if (!number) return false;
    MeshDraft::Element element{*number, text_.line_number(), type.n_corners, type.has_middles,
                               draft_.connectivity.size()};
    for (size_t k = 0; k < element.n_nodes(); ++k) {
      const auto node = take_integer(rest, "node of an element");
      if (!node) return false;
      draft_.connectivity.push_back(*node);
    }
    if (!is_end(rest)) return false;
    draft_.elements.push_back(element);
    return true;
  }

  // Surfaces first, so that the areas of a mesh have their names.
  void add_groups() {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      const size_t end = b + 1 < blocks_.size() ? blocks_[b + 1].first : draft_.elements.size();
      const auto entity = entities_.find(block.entity);
      if (entity == entities_.end()) continue;
      std::vector<std::int64_t> tags = entity->second;
      std::sort(tags.begin(), tags.end());
      tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
      for (const std::int64_t tag : tags) {
        Physical& physical = physicals_[{block.entity.first, tag}];
        if (physical.name.empty()) {
          physical.name =
              std::string(kDimensionNames[static_cast<size_t>(block.entity.first)]) + "_" + std::to_string(tag);
          physical.line = block.line;
        }
        for (size_t i = block.first; i < end; ++i) physical.elements.push_back(i);
      }
    }
    for (const int dimension : {2, 1, 0})
      for (auto& [key, physical] : physicals_)
        if (key.first == dimension && !physical.elements.empty()) {
          MeshDraft::Group& group = draft_.groups.emplace_back();
          group.name = physical.name;
          group.line = physical.line;
          group.members = std::move(physical.elements);
        }
  }

  struct Physical {
    std::string name;
    int line = 0;
    std::vector<size_t> elements;
  };
  struct Block {
    EntityKey entity;
    size_t first = 0;  // element
    int line = 0;
  };

  MeshText text_;
  double unit_ = 1;
  size_t size_ = 0;  // of the text, which bounds what can be in it
  MeshDraft draft_;
  std::map<std::string, int> lines_;  // of the sections that were read
  std::map<EntityKey, Physical> physicals_;
  std::map<EntityKey, std::vector<std::int64_t>> entities_;  // physical tags
  std::vector<Block> blocks_;
};

}  // namespace

std::unique_ptr<SurfaceMesh> read_msh(const std::string& file_name, std::string_view text, double unit,
                                      Diagnostics& diagnostics) {
  std::unique_ptr<SurfaceMesh> mesh = MshReader(file_name, text, unit, diagnostics).read();
  if (mesh) mesh->file = file_name;
  return mesh;
}

}  // namespace elodyn
