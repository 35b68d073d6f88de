// Any bytes as a mesh file: no crash, no hang, no leak; either a mesh or errors, and a mesh whose indices are sound,
// which written to both formats reads back as it was.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "elodyn/io/read_inp.hpp"
#include "elodyn/io/read_msh.hpp"
#include "elodyn/io/write_mesh.hpp"

namespace elodyn::fuzz {

using MeshReader = std::unique_ptr<SurfaceMesh> (*)(const std::string&, std::string_view, double, Diagnostics&);

inline void require(bool good, const char* what, const std::string& more = {}) {
  if (good) return;
  std::cerr << "violated: " << what << "\n" << more << "\n";
  std::abort();
}

inline void check_indices(const SurfaceMesh& mesh) {
  const auto is_node = [&](int node) { return node >= 0 && static_cast<size_t>(node) < mesh.nodes.size(); };
  require(!mesh.elements.empty(), "there are elements");
  for (const SurfaceMesh::Node& node : mesh.nodes) require(node.x.allFinite(), "places are finite");
  for (const SurfaceMesh::Element& element : mesh.elements) {
    for (size_t k = 0; k < 8; ++k) require(is_node(element.nodes[k]) == (k < element.n_nodes()), "nodes of elements");
    require(calc_shape_quality(mesh, element) > 0, "elements are sound");
  }
  std::set<std::string> names;
  for (const SurfaceMesh::Area& area : mesh.areas) {
    require(names.insert(area.name).second && !area.elements.empty(), "areas");
    for (const int e : area.elements)
      require(e >= 0 && static_cast<size_t>(e) < mesh.elements.size(), "elements of areas");
  }
  for (const SurfaceMesh::Side& side : mesh.sides) {
    require(names.insert(side.name).second && side.nodes.size() > 1, "sides");
    for (const int node : side.nodes) require(is_node(node), "nodes of sides");
    for (const SurfaceMesh::Piece& piece : side.pieces)
      require(is_node(piece[0]) && is_node(piece[1]) && (piece[2] == -1 || is_node(piece[2])), "pieces of sides");
  }
  for (const SurfaceMesh::Point& point : mesh.points)
    require(names.insert(point.name).second && is_node(point.node), "points");
}

inline std::unique_ptr<SurfaceMesh> read_again(MeshReader read, const std::string& text) {
  Diagnostics diagnostics;
  std::unique_ptr<SurfaceMesh> mesh = read("again", text, 1, diagnostics);
  require(mesh != nullptr, "what was written can be read", diagnostics.format_all(Severity::error) + text);
  return mesh;
}

// What one writing cannot keep (an element of several groups, loose nodes) is gone after it: the next keeps all.
inline void check_round_trip(MeshReader read, std::string (*write)(const SurfaceMesh&), const SurfaceMesh& mesh) {
  const auto once = read_again(read, write(mesh));
  require(once->nodes.size() == mesh.nodes.size() && once->elements.size() == mesh.elements.size(), "sizes are kept");
  const std::string text = write(*once);
  require(is_same_mesh(*once, *read_again(read, text)), "what was written reads back the same", text);
}

inline bool has_two_spellings(const SurfaceMesh& mesh);

inline int test_one(MeshReader read, const std::uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  const auto mesh = read("mesh", text, 1e-3, diagnostics);
  require((mesh == nullptr) == (diagnostics.n_errors() > 0), "a mesh or errors");
  if (!mesh) return diagnostics.format_all(Severity::error).empty() ? -1 : 0;
  check_indices(*mesh);
  check_round_trip(read_msh, to_msh, *mesh);
  if (!has_two_spellings(*mesh)) check_round_trip(read_inp, to_inp, *mesh);
  return 0;
}

// .inp files cannot tell `A` from `a`.
inline bool has_two_spellings(const SurfaceMesh& mesh) {
  std::set<std::string> names;
  const auto is_new = [&](std::string name) {
    for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return names.insert(name).second;
  };
  for (const SurfaceMesh::Area& area : mesh.areas)
    if (!is_new(area.name)) return true;
  for (const SurfaceMesh::Side& side : mesh.sides)
    if (!is_new(side.name)) return true;
  for (const SurfaceMesh::Point& point : mesh.points)
    if (!is_new(point.name)) return true;
  return false;
}

}  // namespace elodyn::fuzz
