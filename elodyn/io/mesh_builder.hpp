// What a reader has found in a mesh file → SurfaceMesh: numbers become indices, nodes that no element of a surface uses
// are left out, elements are judged and turned (model/surface_mesh.hpp), groups are looked up.
//   group of elements   an area, if there are elements of surfaces in it; else of lines: a side, of single nodes:
//   points group of edges      a side group of nodes      one node: a point; else a side with the edges all of whose
//   nodes are in it: those of the outline
//                       (that belong to one element) or, if there are none of these, those inside
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "elodyn/io/mesh_text.hpp"
#include "elodyn/model/surface_mesh.hpp"

namespace elodyn {

struct MeshDraft {
  using Number = SurfaceMesh::Number;
  struct Node {
    Number number = 0;
    Vec3 x = Vec3::Zero();
    int line = 0;
  };
  struct Element {
    Number number = 0;
    int line = 0;
    int n_corners = 3;  // 1: a single node, 2: a line
    bool has_middles = false;
    size_t first = 0;  // in connectivity; nodes in the order of SurfaceMesh, of a line in any order

    size_t n_nodes() const {
      const int middles = n_corners == 2 ? 1 : n_corners;
      return static_cast<size_t>(has_middles ? n_corners + middles : n_corners);
    }
  };
  struct Edge {
    size_t element = 0;  // index
    int number = 0;      // from corner `number`, counted from 0, to the next
  };
  struct Group {
    enum class Kind { elements, edges, nodes };
    Kind kind = Kind::elements;
    std::string name;
    int line = 0;
    std::vector<size_t> members = {};  // indices of elements or of nodes
    std::vector<Edge> edges = {};
    std::string material = {};  // of elements: what the file says of them
    double thickness = 0;
  };

  std::vector<Node> nodes;
  std::vector<Element> elements;
  std::vector<Number> connectivity;  // numbers of nodes
  std::vector<Group> groups;         // names taken twice: the first stays
  bool names_may_clash = false;      // a group with a name that is taken is left out with a warning; else an error
};

// A number → its index, whether the numbers are dense or not.
class NumberIndex {
 public:
  // Returns the index of a number that was there before, or −1.
  int build(const std::vector<SurfaceMesh::Number>& numbers);
  int find(SurfaceMesh::Number number) const;  // −1: unknown

 private:
  std::vector<int> dense_;
  std::vector<std::pair<SurfaceMesh::Number, int>> sorted_;
};

// Nothing if there are mistakes; they are reported through the text.
std::unique_ptr<SurfaceMesh> build_mesh(MeshDraft draft, MeshText& text);

// A group's name as it can be used: letters, digits, _ - and . stay, the rest becomes _.
std::string plain_name(std::string_view name);

}  // namespace elodyn
