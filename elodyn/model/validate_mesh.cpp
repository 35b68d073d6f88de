#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

constexpr int kMostErrors = 20;
constexpr double kRightAngle = 1e-9;  // of the product of the sides' lengths

class MeshValidator {
 public:
  MeshValidator(const Body& body, const SurfaceKind& kind, Diagnostics& diagnostics)
      : body_(body), mesh_(*body.mesh), kind_(kind), diagnostics_(diagnostics) {}

  void run() {
    check_place();
    for (const SurfaceMesh::Element& element : mesh_.elements) {
      check_kind(element);
      if (n_errors_ > kMostErrors) break;
    }
    if (n_errors_ > 0) return;
    if (const int parts = count_parts(mesh_); parts > 1)
      diagnostics_.warning(
          mark(), "mesh " + tick(body_.mesh_file) + " has " + std::to_string(parts) + " parts that share no nodes",
          "nodes at one place are not joined; join them where the mesh is made");
    if (mesh_.has_plane_strain && body_.plane == PlaneState::stress && kind_.dimension() == 2)
      diagnostics_.warning(
          mark(),
          "mesh " + tick(body_.mesh_file) + " has elements of plane strain (CPE), but the body is in plane stress",
          "plane = \"strain\"");
    if (mesh_.has_plane_stress && body_.plane == PlaneState::strain && kind_.dimension() == 2)
      diagnostics_.warning(mark(), "mesh " + tick(body_.mesh_file) +
                                       " has elements of plane stress (CPS), but the body is in plane strain");
  }

 private:
  Mark mark() const { return body_.marks.of("mesh", body_.mark); }
  void fail(const Mark& mark, std::string text, std::string help = {}) {
    if (++n_errors_ > kMostErrors + 1) return;
    if (n_errors_ > kMostErrors)
      diagnostics_.error(mark, "too many errors: those after this one are not shown");
    else
      diagnostics_.error(mark, std::move(text), std::move(help));
  }
  std::string describe(const SurfaceMesh::Element& element) const {
    return "element " + std::to_string(element.number) + " at " + place_text(mesh_.centre_of(element));
  }

  void check_place() {
    if (kind_.dimension() != 2) return;
    for (const SurfaceMesh::Node& node : mesh_.nodes)
      if (node.x.z() != 0)
        return fail(mark(), "node " + std::to_string(node.number) + " of " + tick(body_.mesh_file) +
                                " has z = " + shortest(node.x.z()) + " m, must be 0 in a body of dimension 2");
  }

  void check_kind(const SurfaceMesh::Element& element) {
    if (element.has_middles != kind_.has_middles) {
      if (!said_order_)
        fail(mesh_.mark_of(element),
             describe(element) + " has " + std::to_string(element.n_nodes()) + " nodes, " + tick(kind_.name) +
                 " needs " + (kind_.has_middles ? "middles of the sides: 6 or 8 nodes" : "corners only: 3 or 4 nodes"),
             kind_.has_middles ? "mesh it with quadratic elements, or choose an element of 3 or 4 nodes"
                               : "mesh it with linear elements, or choose an element of 6 or 8 nodes");
      said_order_ = true;  // of one all will be so
      return;
    }
    if (!find_surface_kind(kind_, element.n_corners)) {
      if (!said_shape_)
        fail(mesh_.mark_of(element), describe(element) + " is a " +
                                         (element.n_corners == 3 ? "triangle" : "quadrilateral") + ", " +
                                         tick(kind_.name) + " knows none");
      said_shape_ = true;
      return;
    }
    const auto n_corners = static_cast<size_t>(element.n_corners);
    if (kind_.only_rectangles && count_right_angles(element) < (n_corners == 4 ? 4 : 1))
      fail(mesh_.mark_of(element), describe(element) + (n_corners == 4 ? " is no rectangle" : " has no right angle") +
                                       ", which " + tick(kind_.name) + " needs");
    if (kind_.bends && n_corners == 4) check_warp(element);
  }

  const Vec3& corner(const SurfaceMesh::Element& element, size_t k) const {
    return mesh_.nodes[static_cast<size_t>(element.nodes[k % static_cast<size_t>(element.n_corners)])].x;
  }
  int count_right_angles(const SurfaceMesh::Element& element) const {
    int count = 0;
    for (size_t k = 0; k < static_cast<size_t>(element.n_corners); ++k) {
      const Vec3 before = corner(element, k + 1) - corner(element, k),
                 after = corner(element, k + 2) - corner(element, k + 1);
      if (std::abs(before.dot(after)) <= kRightAngle * before.norm() * after.norm()) ++count;
    }
    return count;
  }

  void check_warp(const SurfaceMesh::Element& element) {
    const auto x = [&](size_t k) -> const Vec3& { return corner(element, k); };
    const double height = calc_warp(x(0), x(1), x(2), x(3));
    if (height > kMostWarp)
      fail(mesh_.mark_of(element),
           describe(element) + " is warped: its corners lie " + shortest(std::round(1000 * height) / 10) +
               " % of its size out of one plane, at most " + shortest(100 * kMostWarp) + " %",
           "use triangles there, or smaller elements");
  }

  const Body& body_;
  const SurfaceMesh& mesh_;
  const SurfaceKind& kind_;
  Diagnostics& diagnostics_;
  int n_errors_ = 0;
  bool said_order_ = false, said_shape_ = false;
};

}  // namespace

void validate_mesh(const Body& body, const SurfaceKind& kind, Diagnostics& diagnostics) {
  MeshValidator(body, kind, diagnostics).run();
}

}  // namespace elodyn
