#include "elodyn/io/mesh_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "elodyn/base/text.hpp"
#include "elodyn/model/message_text.hpp"

namespace elodyn {
namespace {

constexpr size_t kLongestName = 64;
constexpr size_t kMostNodes = 100'000'000;  // numbers of elements and nodes stay within int

class MeshBuilder {
 public:
  MeshBuilder(MeshDraft draft, MeshText& text)
      : draft_(std::move(draft)), text_(text), mesh_(std::make_unique<SurfaceMesh>()) {
    mesh_->source = text.source();
  }

  std::unique_ptr<SurfaceMesh> run() {
    if (draft_.nodes.size() > kMostNodes || draft_.elements.size() > kMostNodes) {
      text_.fail_at(0, "the mesh has too many nodes or elements, at most " + std::to_string(kMostNodes));
      return nullptr;
    }
    if (!find_numbers() || !look_up_nodes()) return nullptr;
    add_nodes();
    add_elements();
    if (mesh_->elements.empty()) {
      text_.fail_at(0, "the file has no elements of surfaces", "triangles or quadrilaterals, with 3, 4, 6 or 8 nodes");
      return nullptr;
    }
    check_elements();
    if (text_.n_errors() > 0) return nullptr;
    find_corners();
    for (const MeshDraft::Group& group : draft_.groups) add_group(group);
    if (text_.n_errors() > 0) return nullptr;
    return std::move(mesh_);
  }

 private:
  using Group = MeshDraft::Group;
  using Piece = SurfaceMesh::Piece;

  bool find_numbers() {
    std::vector<MeshDraft::Number> numbers(draft_.nodes.size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = draft_.nodes[i].number;
    if (const int twice = node_index_.build(numbers); twice >= 0) {
      const MeshDraft::Node& node = draft_.nodes[static_cast<size_t>(twice)];
      text_.fail_at(node.line, "node " + std::to_string(node.number) + " is given twice");
    }
    numbers.resize(draft_.elements.size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = draft_.elements[i].number;
    if (const int twice = NumberIndex().build(numbers); twice >= 0) {
      const MeshDraft::Element& element = draft_.elements[static_cast<size_t>(twice)];
      text_.fail_at(element.line, "element " + std::to_string(element.number) + " is given twice");
    }
    return text_.n_errors() == 0;
  }

  bool look_up_nodes() {
    found_.resize(draft_.connectivity.size());
    for (const MeshDraft::Element& element : draft_.elements)
      for (size_t k = 0; k < element.n_nodes(); ++k) {
        const MeshDraft::Number number = draft_.connectivity[element.first + k];
        int& found = found_[element.first + k] = node_index_.find(number);
        if (found < 0) {
          text_.fail_at(element.line, "element " + std::to_string(element.number) + " has node " +
                                          std::to_string(number) + ", which the file does not have");
          if (text_.is_hopeless()) return false;
        }
        for (size_t j = 0; j < k && found >= 0; ++j)
          if (found_[element.first + j] == found)
            text_.fail_at(element.line,
                          "element " + std::to_string(element.number) + " has node " + std::to_string(number) +
                              " twice: it is degenerate",
                          element.n_corners == 4 ? "write it as a triangle" : "");
        if (text_.is_hopeless()) return false;
      }
    return text_.n_errors() == 0;
  }

  static bool is_surface(const MeshDraft::Element& element) { return element.n_corners > 2; }

  // Those of surfaces, in the order of the file.
  void add_nodes() {
    node_of_.assign(draft_.nodes.size(), -1);
    for (const MeshDraft::Element& element : draft_.elements)
      if (is_surface(element))
        for (size_t k = 0; k < element.n_nodes(); ++k) node_of_[static_cast<size_t>(found_[element.first + k])] = 0;
    for (size_t i = 0; i < draft_.nodes.size(); ++i) {
      if (node_of_[i] < 0) continue;
      node_of_[i] = static_cast<int>(mesh_->nodes.size());
      mesh_->nodes.push_back({draft_.nodes[i].x, draft_.nodes[i].number});
    }
    flatten();
  }

  // Programs that turn and scale leave round-off in the z of a mesh in the xy plane.
  void flatten() {
    constexpr double kRoundOff = 1e-12;  // of the mesh's size
    Eigen::AlignedBox3d box;
    for (const SurfaceMesh::Node& node : mesh_->nodes) box.extend(node.x);
    if (box.isEmpty()) return;
    const double close = kRoundOff * box.diagonal().norm();
    if (!std::isfinite(close) || box.max().z() > close || box.min().z() < -close) return;
    for (SurfaceMesh::Node& node : mesh_->nodes) node.x.z() = 0;
  }

  // Of a draft's element, in the mesh's numbers; −1: not a node of a surface.
  int node_of(const MeshDraft::Element& element, size_t k) const {
    return node_of_[static_cast<size_t>(found_[element.first + k])];
  }

  void add_elements() {
    element_of_.assign(draft_.elements.size(), -1);
    for (size_t i = 0; i < draft_.elements.size(); ++i) {
      const MeshDraft::Element& from = draft_.elements[i];
      if (!is_surface(from)) continue;
      element_of_[i] = static_cast<int>(mesh_->elements.size());
      SurfaceMesh::Element element;
      element.number = from.number;
      element.n_corners = from.n_corners;
      element.has_middles = from.has_middles;
      element.line = from.line;
      for (size_t k = 0; k < from.n_nodes(); ++k) element.nodes[k] = node_of(from, k);
      mesh_->elements.push_back(element);
    }
  }

  void check_elements() {
    for (const SurfaceMesh::Element& element : mesh_->elements) {
      if (calc_shape_quality(*mesh_, element) > 0) continue;
      text_.fail_at(element.line,
                    "element " + std::to_string(element.number) + " at " + place_text(mesh_->centre_of(element)) +
                        " is crossed, not convex or has no area",
                    "check the places and the order of its nodes");
      if (text_.is_hopeless()) return;
    }
    // The edges of groups go by the draft's order, so elements are turned in a copy of their nodes.
    const auto [first, count] = turn_counterclockwise(*mesh_);
    if (count > 0) {
      const SurfaceMesh::Element& element = mesh_->elements[static_cast<size_t>(first)];
      text_.warn_at(element.line, count_of(count, "element") + " went round clockwise and " +
                                      (count == 1 ? "is" : "are") + " turned, the first is element " +
                                      std::to_string(element.number));
    }
  }

  // Elements at each node, as compressed rows: those of which it is a corner.
  void find_corners() {
    rows_.assign(mesh_->nodes.size() + 1, 0);
    for (const SurfaceMesh::Element& element : mesh_->elements)
      for (int k = 0; k < element.n_corners; ++k)
        ++rows_[static_cast<size_t>(element.nodes[static_cast<size_t>(k)]) + 1];
    for (size_t i = 1; i < rows_.size(); ++i) rows_[i] += rows_[i - 1];
    touching_.resize(rows_.back());
    std::vector<size_t> next(rows_.begin(), rows_.end() - 1);
    for (size_t e = 0; e < mesh_->elements.size(); ++e)
      for (int k = 0; k < mesh_->elements[e].n_corners; ++k)
        touching_[next[static_cast<size_t>(mesh_->elements[e].nodes[static_cast<size_t>(k)])]++] = {static_cast<int>(e),
                                                                                                    k};
  }

  // Edge k of an element, from corner k to the next.
  Piece edge_of(const SurfaceMesh::Element& element, int k) const {
    const int n = element.n_corners;
    return {element.nodes[static_cast<size_t>(k)], element.nodes[static_cast<size_t>((k + 1) % n)],
            element.has_middles ? element.nodes[static_cast<size_t>(n + k)] : -1};
  }

  struct FoundEdge {
    Piece piece = {-1, -1, -1};
    int count = 0;  // elements that have it
  };
  // Between a and b, as the first of its elements has it.
  FoundEdge find_edge(int a, int b) const {
    FoundEdge out;
    for (size_t i = rows_[static_cast<size_t>(a)]; i < rows_[static_cast<size_t>(a) + 1]; ++i) {
      const auto& [e, k] = touching_[i];
      const SurfaceMesh::Element& element = mesh_->elements[static_cast<size_t>(e)];
      for (const int edge : {k, (k + element.n_corners - 1) % element.n_corners}) {
        const Piece piece = edge_of(element, edge);
        if ((piece[0] == a ? piece[1] : piece[0]) != b) continue;
        if (out.count++ == 0) out.piece = piece;
      }
    }
    return out;
  }

  // Of a line. Programs disagree on where its middle stands, but only two of its nodes can be corners.
  FoundEdge find_edge_of(const MeshDraft::Element& line) const {
    for (size_t j = 1; j < line.n_nodes(); ++j)
      for (size_t i = 0; i < j; ++i) {
        const int a = node_of(line, i), b = node_of(line, j);
        const FoundEdge edge = a >= 0 && b >= 0 ? find_edge(a, b) : FoundEdge{};
        if (edge.count > 0) return edge;
      }
    return {};
  }

  Mark mark_of(const Group& group) const { return {text_.source(), group.line, 1, 1}; }

  // Whether a group can have its name; says so if not.
  bool take_name(const Group& group) {
    if (group.name.size() > kLongestName) {
      text_.fail_at(group.line, "group " + quote(group.name) + " has a name of " + std::to_string(group.name.size()) +
                                    " characters, at most " + std::to_string(kLongestName));
      return false;
    }
    const auto [it, is_new] = names_.emplace(group.name, group.line);
    if (is_new) return true;
    const std::string what =
        "group " + tick(group.name) + " has the name of the group of line " + std::to_string(it->second);
    if (draft_.names_may_clash)
      text_.warn_at(group.line, what + " and is left out", "rename it to hold or load it");
    else
      text_.fail_at(group.line, what, "rename one of them");
    return false;
  }

  void add_group(const Group& group) {
    if (text_.is_hopeless()) return;
    if (group.kind == Group::Kind::elements) return add_group_of_elements(group);
    if (group.kind == Group::Kind::edges) {
      SurfaceMesh::Side side{group.name, mark_of(group)};
      for (const MeshDraft::Edge& edge : group.edges) {
        const MeshDraft::Element& from = draft_.elements[edge.element];
        const auto next = static_cast<size_t>((edge.number + 1) % from.n_corners);
        side.pieces.push_back(find_edge(node_of(from, static_cast<size_t>(edge.number)), node_of(from, next)).piece);
      }
      return add_side(group, std::move(side));
    }
    SurfaceMesh::Side side{group.name, mark_of(group)};
    for (const size_t node : group.members)
      if (node_of_[node] >= 0) side.nodes.push_back(node_of_[node]);
    sort(side.nodes);
    if (side.nodes.size() > 1) find_edges_between(side);
    add_side(group, std::move(side));
  }

  void add_group_of_elements(const Group& group) {
    SurfaceMesh::Area area{group.name, mark_of(group)};
    area.material = group.material;
    area.thickness = group.thickness;
    SurfaceMesh::Side side{group.name, mark_of(group)};
    int left_out = 0;
    for (const size_t i : group.members) {
      const MeshDraft::Element& element = draft_.elements[i];
      if (is_surface(element)) {
        area.elements.push_back(element_of_[i]);
        continue;
      }
      if (element.n_corners == 1) {
        if (const int node = node_of(element, 0); node >= 0)
          side.nodes.push_back(node);
        else
          ++left_out;
        continue;
      }
      const FoundEdge edge = find_edge_of(element);
      if (edge.count > 0)
        side.pieces.push_back(edge.piece);
      else
        ++left_out;
    }
    if (!area.elements.empty()) {
      sort(area.elements);
      if (take_name(group)) mesh_->areas.push_back(std::move(area));
      return;
    }
    if (left_out > 0)
      text_.warn_at(group.line, count_of(left_out, "element") + " of group " + tick(group.name) +
                                    (left_out == 1 ? " lies" : " lie") + " on no side of an element of a surface and " +
                                    (left_out == 1 ? "is" : "are") + " left out");
    add_side(group, std::move(side));
  }

  // With the nodes of its pieces; one of a single node is a point, one of nothing is left out.
  void add_side(const Group& group, SurfaceMesh::Side side) {
    drop_repeated(side.pieces);
    for (const Piece& piece : side.pieces)
      for (const int node : piece)
        if (node >= 0) side.nodes.push_back(node);
    sort(side.nodes);
    if (side.nodes.empty() || (draft_.names_may_clash && has_same_nodes(side)) || !take_name(group)) return;
    if (side.nodes.size() == 1)
      mesh_->points.push_back({group.name, mark_of(group), side.nodes[0]});
    else
      mesh_->sides.push_back(std::move(side));
  }

  // Whether the group that has the name already is made of the same nodes: then the other adds nothing.
  bool has_same_nodes(const SurfaceMesh::Side& side) const {
    if (const SurfaceMesh::Side* other = mesh_->find_side(side.name)) return other->nodes == side.nodes;
    const SurfaceMesh::Area* area = mesh_->find_area(side.name);
    if (!area || mesh_->count_nodes(*area) != side.nodes.size()) return false;
    return std::all_of(area->elements.begin(), area->elements.end(), [&](int e) {
      const SurfaceMesh::Element& element = mesh_->elements[static_cast<size_t>(e)];
      return std::all_of(element.nodes.begin(), element.nodes.begin() + static_cast<std::ptrdiff_t>(element.n_nodes()),
                         [&](int node) { return std::binary_search(side.nodes.begin(), side.nodes.end(), node); });
    });
  }

  void find_edges_between(SurfaceMesh::Side& side) {
    if (is_inside_.empty()) is_inside_.assign(mesh_->nodes.size(), false);
    for (const int node : side.nodes) is_inside_[static_cast<size_t>(node)] = true;
    std::vector<Piece> outer, inner;
    for (const int a : side.nodes)
      for (size_t i = rows_[static_cast<size_t>(a)]; i < rows_[static_cast<size_t>(a) + 1]; ++i) {
        const auto& [e, k] = touching_[i];
        const Piece piece = edge_of(mesh_->elements[static_cast<size_t>(e)], k);
        if (!is_inside_[static_cast<size_t>(piece[1])] || (piece[2] >= 0 && !is_inside_[static_cast<size_t>(piece[2])]))
          continue;
        const FoundEdge edge = find_edge(piece[0], piece[1]);
        (edge.count == 1 ? outer : inner).push_back(edge.piece);
      }
    for (const int node : side.nodes) is_inside_[static_cast<size_t>(node)] = false;
    side.pieces = outer.empty() ? std::move(inner) : std::move(outer);
  }

  // An edge counts once, also if both of its elements name it: the first stays.
  static void drop_repeated(std::vector<Piece>& pieces) {
    std::vector<size_t> order(pieces.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto ends = [&](size_t i) { return std::pair(std::minmax(pieces[i][0], pieces[i][1])); };
    std::sort(order.begin(), order.end(),
              [&](size_t i, size_t j) { return std::pair(ends(i), i) < std::pair(ends(j), j); });
    std::vector<bool> is_first(pieces.size(), true);
    for (size_t k = 1; k < order.size(); ++k) is_first[order[k]] = ends(order[k]) != ends(order[k - 1]);
    size_t n = 0;
    for (size_t i = 0; i < pieces.size(); ++i)
      if (is_first[i]) pieces[n++] = pieces[i];
    pieces.resize(n);
  }

  static void sort(std::vector<int>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }

  MeshDraft draft_;
  MeshText& text_;
  std::unique_ptr<SurfaceMesh> mesh_;
  NumberIndex node_index_;
  std::vector<int> found_;                     // connectivity as indices of the draft's nodes
  std::vector<int> node_of_;                   // of a node of the draft; −1: left out
  std::vector<int> element_of_;                // of an element of the draft; −1: not of a surface
  std::vector<size_t> rows_;                   // of each node
  std::vector<std::pair<int, int>> touching_;  // element and which of its corners
  std::vector<bool> is_inside_;
  std::map<std::string, int> names_;  // and the line of the group
};

}  // namespace

int NumberIndex::build(const std::vector<SurfaceMesh::Number>& numbers) {
  const auto n = static_cast<SurfaceMesh::Number>(numbers.size());
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  int twice = -1;
  if (n > 0 && *low >= 0 && *high <= 8 * n + 1000) {
    dense_.assign(static_cast<size_t>(*high) + 1, -1);
    for (size_t i = 0; i < numbers.size(); ++i) {
      int& slot = dense_[static_cast<size_t>(numbers[i])];
      if (slot >= 0 && twice < 0) twice = static_cast<int>(i);
      if (slot < 0) slot = static_cast<int>(i);
    }
    return twice;
  }
  for (size_t i = 0; i < numbers.size(); ++i) sorted_.emplace_back(numbers[i], static_cast<int>(i));
  std::sort(sorted_.begin(), sorted_.end());
  for (size_t i = 1; i < sorted_.size() && twice < 0; ++i)
    if (sorted_[i].first == sorted_[i - 1].first) twice = sorted_[i].second;
  return twice;
}

int NumberIndex::find(SurfaceMesh::Number number) const {
  if (!dense_.empty())
    return number >= 0 && number < static_cast<SurfaceMesh::Number>(dense_.size()) ? dense_[static_cast<size_t>(number)]
                                                                                   : -1;
  const auto it = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{number, std::numeric_limits<int>::min()});
  return it != sorted_.end() && it->first == number ? it->second : -1;
}

std::unique_ptr<SurfaceMesh> build_mesh(MeshDraft draft, MeshText& text) {
  if (text.n_errors() > 0) return nullptr;
  return MeshBuilder(std::move(draft), text).run();
}

std::string plain_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  return out;
}

}  // namespace elodyn
