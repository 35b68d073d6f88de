// The mesh of one body: nodes, element specs, dof map. A dof is one entry of q.
// Planar beam node: u, v (body axes), rz = v'; quintic adds kz = v'' (local, along the element).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

enum class DofKind { u, v, rz, kz, axial };  // axial: internal, of an element's axial field of degree > 1

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
};

// What to build an element from. The dofs stand in the order that the element expects:
// those of node 1, those of node 2, internal ones.
struct ElementSpec {
  std::string kind;  // name in the element registry
  std::vector<int> nodes;
  std::vector<int> dofs;
  int member = -1;                         // index into Body::members
  int item = -1;                           // index into Body::masses or Body::springs
  std::array<double, 2> kz_sign = {1, 1};  // +1: the shared v'' is counted along this element
};

struct Mesh {
  std::vector<Node> nodes;
  std::vector<Dof> dofs;
  std::vector<ElementSpec> elements;
  std::map<std::string, int> node_of_point;
  double size = 0;  // diagonal of the body's bounding box, m

  int n_dofs() const { return static_cast<int>(dofs.size()); }
  // "v of node 7 (point `tip`)", for messages.
  std::string describe(int dof) const;
};

Mesh make_mesh(const Body& body);

}  // namespace elodyn
