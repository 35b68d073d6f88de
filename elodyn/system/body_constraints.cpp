#include "elodyn/system/body_constraints.hpp"

#include <algorithm>

#include "elodyn/base/rotation.hpp"

namespace elodyn {
namespace {

using Dofs = std::array<int, 3>;

const Node& node_of(const Mesh& mesh, int number) { return mesh.nodes[static_cast<size_t>(number)]; }

void add(ConstraintRow& row, int dof, double coefficient) {
  if (dof >= 0 && coefficient != 0) row.coefficients.emplace_back(dof, coefficient);
}

// Along a side at one of its nodes: the mean of the pieces that meet there.
Vec3 calc_tangent(const Mesh& mesh, const std::string& side, int node) {
  Vec3 sum = Vec3::Zero();
  for (const std::vector<int>& piece : mesh.sides.at(side).pieces) {
    if (std::find(piece.begin(), piece.end(), node) == piece.end()) continue;
    const Vec3 along = node_of(mesh, piece[1]).x - node_of(mesh, piece[0]).x;
    sum += along.dot(sum) < 0 ? Vec3(-along) : along;
  }
  return sum;
}

// Rotations across a hinge's axis.
void add_hinge_rows(const Vec3& axis, const Node& node, const std::string& origin, std::vector<ConstraintRow>& rows) {
  const Dofs r = node.rotations();
  Eigen::Index least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Mat3 axes = make_beam_axes(axis.normalized(), Vec3::Unit(least));
  for (const int column : {1, 2}) {
    ConstraintRow row{{}, 0, origin};
    for (int k = 0; k < 3; ++k) add(row, r[static_cast<size_t>(k)], axes(k, column));
    if (!row.coefficients.empty()) rows.push_back(std::move(row));
  }
}

void add_support_rows(const Support& support, const Mesh& mesh, int number, std::vector<ConstraintRow>& rows) {
  const Node& node = node_of(mesh, number);
  const std::string origin = describe(support);
  if (support.kind == Support::Kind::roller) {
    const Vec3 n = support.normal.normalized();
    ConstraintRow row{{}, 0, origin};
    const Dofs u = node.translations();
    for (int k = 0; k < 3; ++k) add(row, u[static_cast<size_t>(k)], n[k]);
    rows.push_back(std::move(row));
    return;
  }
  if (support.kind == Support::Kind::voids) {
    if (node.phi() >= 0) rows.push_back({{{node.phi(), 1.0}}, 0, origin});
    return;
  }
  const auto hold = [&](const Dofs& dofs) {
    for (const int dof : dofs)
      if (dof >= 0) rows.push_back({{{dof, 1.0}}, 0, origin});
  };
  hold(node.translations());
  if (support.kind == Support::Kind::clamp) hold(node.rotations());
  if (support.kind == Support::Kind::hinge)
    add_hinge_rows(support.axis ? *support.axis : calc_tangent(mesh, support.at.value, number), node, origin, rows);
}

void add_link_rows(const NodeLink& link, const Mesh& mesh, std::vector<ConstraintRow>& rows) {
  const Node &root = node_of(mesh, link.root), &node = node_of(mesh, link.node);
  const Mat3 lever = -skew(node.x - root.x);  // θ × d = −d̂ θ
  const Dofs u1 = root.translations(), r1 = root.rotations(), u2 = node.translations(), r2 = node.rotations();
  for (int k = 0; k < 3; ++k) {
    const auto c = static_cast<size_t>(k);
    if (u2[c] >= 0) {
      ConstraintRow row{{{u2[c], 1.0}}, 0, link.origin};
      add(row, u1[c], -1);
      for (int j = 0; j < 3; ++j) add(row, r1[static_cast<size_t>(j)], -lever(k, j));
      rows.push_back(std::move(row));
    }
    if (r2[c] >= 0) rows.push_back({{{r2[c], 1.0}, {r1[c], -1.0}}, 0, link.origin});
  }
}

void add_release_rows(const EndRelease& release, const Mesh& mesh, std::vector<ConstraintRow>& rows) {
  const Dofs of_node = node_of(mesh, release.node).rotations();
  for (const Vec3& n : release.tied) {
    ConstraintRow row{{}, 0, release.origin};
    for (int k = 0; k < 3; ++k) {
      add(row, release.own[static_cast<size_t>(k)], n[k]);
      add(row, of_node[static_cast<size_t>(k)], -n[k]);
    }
    rows.push_back(std::move(row));
  }
}

void give(const Dofs& dofs, const Vec3& v, VectorX& values) {
  for (int k = 0; k < 3; ++k)
    if (const int dof = dofs[static_cast<size_t>(k)]; dof >= 0) values[dof] += v[k];
}

}  // namespace

std::string describe(const Support& support) {
  return std::string(support.kind_name()) + " at `" + support.at.value + "`";
}

std::vector<ConstraintRow> make_constraint_rows(const Body& body, const Mesh& mesh) {
  std::vector<ConstraintRow> rows;
  for (const NodeLink& link : mesh.links) add_link_rows(link, mesh, rows);
  for (const EndRelease& release : mesh.releases) add_release_rows(release, mesh, rows);
  for (const Support& support : body.supports)
    for (const int node : mesh.nodes_at(support.at.value)) add_support_rows(support, mesh, node, rows);
  return rows;
}

VectorX carry_to_roots(const Mesh& mesh, VectorX r) {
  for (const EndRelease& release : mesh.releases) {
    const Vec3 moment = components(release.own, r);
    for (const Vec3& n : release.tied) give(node_of(mesh, release.node).rotations(), n.dot(moment) * n, r);
    give(release.own, -moment, r);
  }
  for (const NodeLink& link : mesh.links) {
    const Node &root = node_of(mesh, link.root), &node = node_of(mesh, link.node);
    const Vec3 force = components(node.translations(), r), moment = components(node.rotations(), r);
    give(root.translations(), force, r);
    give(root.rotations(), moment + (node.x - root.x).cross(force), r);
    give(node.translations(), -force, r);
    give(node.rotations(), -moment, r);
  }
  return r;
}

std::vector<LinkStiffness> calc_link_stiffness(const Mesh& mesh, const VectorX& r) {
  std::vector<LinkStiffness> out;
  for (const NodeLink& link : mesh.links) {
    const Node &root = node_of(mesh, link.root), &node = node_of(mesh, link.node);
    const Vec3 d = node.x - root.x, F = -components(node.translations(), r);
    const Mat3 Fd = F * d.transpose();
    out.push_back({root.rotations(), F.dot(d) * Mat3::Identity() - 0.5 * (Fd + Fd.transpose())});
  }
  return out;
}

}  // namespace elodyn
