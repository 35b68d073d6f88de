// The mesh of one body: nodes, element specs, dof map. A dof is one entry of q.
// Node of a beam: displacement u, v[, w] and rotation [rx, ry,] rz in body axes; quintic adds the curvatures
// kz = v''[, ky = w''] of the deflections along section y and z (local). Of a surface: model/surface_kind.hpp.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

// axial, twist: internal, of an element's axial displacement and torsion of degree > 1
// phi: change of the volume fraction of a material with voids; internal too if it is of degree > 1
enum class DofKind { u, v, w, rx, ry, rz, kz, ky, axial, twist, phi };
inline constexpr std::array kTranslations = {DofKind::u, DofKind::v, DofKind::w};
inline constexpr std::array kRotations = {DofKind::rx, DofKind::ry, DofKind::rz};

const char* to_string(DofKind kind);
const char* unit_of(DofKind kind);

struct Dof {
  DofKind kind = DofKind::u;
  int node = -1;     // -1: internal to an element
  int element = -1;  // owner of an internal or unshared dof; -1: shared by all elements at the node
};

struct Node {
  Vec3 x = Vec3::Zero();
  std::map<DofKind, int> dofs;  // those shared by all elements at the node
  std::string point;            // name of the input point here, or empty

  // The dofs along or about body x, y, z; −1: the node has none.
  std::array<int, 3> translations() const { return find(kTranslations); }
  std::array<int, 3> rotations() const { return find(kRotations); }
  int phi() const {
    const auto it = dofs.find(DofKind::phi);
    return it == dofs.end() ? -1 : it->second;
  }

 private:
  std::array<int, 3> find(const std::array<DofKind, 3>& kinds) const {
    std::array<int, 3> found = {-1, -1, -1};
    for (size_t k = 0; k < 3; ++k)
      if (const auto it = dofs.find(kinds[k]); it != dofs.end()) found[k] = it->second;
    return found;
  }
};

// Values at the dofs along or about x, y, z; `otherwise` where there is none.
Vec3 components(const std::array<int, 3>& dofs, const VectorX& values, double otherwise = 0);

// What to build an element from. The dofs stand in the order that the element expects:
// those of node 1, those of node 2, internal ones.
struct ElementSpec {
  std::string kind;  // name in the element registry
  std::vector<int> nodes;
  std::vector<int> dofs;
  int member = -1;                                                           // index into Body::members
  int area = -1;                                                             // index into Body::areas
  int item = -1;                                                             // index into Body::masses or Body::springs
  double begin = 0, end = 1;                                                 // part of the member
  std::array<std::array<double, 2>, 2> curvature_sign = {{{1, 1}, {1, 1}}};  // as in ElementData

  bool is_material() const { return member >= 0 || area >= 0; }  // not something at points
};

// A node that moves as one rigid body with another one: rigid links and offsets of members.
struct NodeLink {
  int root = 0, node = 0;
  std::string origin;  // for messages
};

// An element's end whose rotation is its own: tied to that of the node but for the released axes.
struct EndRelease {
  int node = 0;
  std::array<int, 3> own = {-1, -1, -1};  // dofs of the end's rotation about body x, y, z
  std::vector<Vec3> tied;                 // body axes about which the end turns with the node
  std::string origin;
};

// The nodes of a side of an area or of a group of a mesh file, and its pieces: the nodes of an element there, ends
// first.
struct Side {
  std::vector<int> nodes;
  std::vector<std::vector<int>> pieces;
};

struct Mesh {
  std::vector<Node> nodes;
  std::vector<Dof> dofs;
  std::vector<ElementSpec> elements;
  std::vector<NodeLink> links;  // every root is the root of its own body: never itself a `node`
  std::vector<EndRelease> releases;
  std::map<std::string, int> node_of_point;
  std::map<std::string, Side> sides;
  double size = 0;  // diagonal of the body's bounding box, m

  int n_dofs() const { return static_cast<int>(dofs.size()); }
  bool has_phi() const { return !nodes.empty() && nodes.front().phi() >= 0; }  // then all nodes of elements have it
  // The nodes of a point or a side.
  std::vector<int> nodes_at(const std::string& place) const;
  // "v of node 7 (point `tip`)", for messages.
  std::string describe(int dof) const;
};

Mesh make_mesh(const Body& body);

}  // namespace elodyn
