// Orders at which displacements and stresses of sheets and plates converge, on distorted meshes.
#include <cmath>

#include "tests/support/surfaces.hpp"

#include "elodyn/base/surface_shapes.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace {

constexpr double kA = 0.3, kB = 0.2, kYoung = 210e9, kPoisson = 0.3, kDensity = 7800, kSpeed = 500;
constexpr double kLaw = kYoung / (1 - kPoisson * kPoisson);

// Between frictionless walls all round and in the centrifugal field of an axis through a corner, u depends on x alone,
//   kLaw u'' + ρΩ²x = 0,   u(0) = u(a) = 0,   σxx = kLaw (u' + ν v'),    and v on y in the same way.            (1)
double displacement(double x, double length) {
  return kDensity * kSpeed * kSpeed / (6 * kLaw) * x * (length * length - x * x);
}
double strain(double x, double length) {
  return kDensity * kSpeed * kSpeed / (6 * kLaw) * (length * length - 3 * x * x);
}

// The rectangle in four areas around a point that is not its middle: no element is a parallelogram.
Model make_sheet(const std::string& element, int n) {
  std::string keys = fmt::format(
      "element = \"{}\"\npoints = {{ A = [0, 0, 0], B = [0.15, 0, 0], C = [{a}, 0, 0], D = [{a}, 0.1, 0], E = [{a}, "
      "{b}, 0], "
      "F = [0.15, {b}, 0], G = [0, {b}, 0], H = [0, 0.1, 0], M = [0.17, 0.09, 0] }}\n",
      element, fmt::arg("a", kA), fmt::arg("b", kB));
  const char* corners[] = {"A B M H", "B C D M", "M D E F", "H M F G"};
  for (size_t k = 0; k < 4; ++k) {
    const std::string c = corners[k];
    keys += fmt::format("[body.b.area.p{}]\ncorners = [\"{}\", \"{}\", \"{}\", \"{}\"]\nnx = {n}\nny = {n}\n", k + 1,
                        c[0], c[2], c[4], c[6], fmt::arg("n", n));
  }
  for (const char* side : {"p1.4", "p4.4", "p2.2", "p3.2"})
    keys += fmt::format("[[body.b.roller]]\nat = \"{}\"\nnormal = [1, 0, 0]\n", side);
  for (const char* side : {"p1.1", "p2.1", "p3.3", "p4.3"})
    keys += fmt::format("[[body.b.roller]]\nat = \"{}\"\nnormal = [0, 1, 0]\n", side);
  keys += fmt::format("[body.b.motion]\nkind = \"spin\"\nspeed = {}\n", kSpeed);
  Model model = test::read_surface(2, test::kSteel, 1e-3, keys);
  model.terms.centrifugal_stiffness = false;  // (1) is of the undeformed sheet
  return model;
}

struct Errors {
  double displacement = 0, stress = 0;  // L2
};

// With a rule of more points than the element's own, so that places where stresses are better are not preferred.
Errors calc_errors(const std::string& element, int n) {
  const Model model = make_sheet(element, n);
  VectorX q;
  test::calc_stress(model, &q);
  const Mesh mesh = make_mesh(model.bodies[0]);
  const SurfaceKind& kind = *find_surface_kind(element);
  Errors sum;
  for (const ElementSpec& spec : mesh.elements)
    for (const SurfacePoint& point : surface_rule(kind.n_corners, kind.n_corners == 3 ? 12 : 16)) {
      const SurfaceShape shape = calc_surface_shape(kind.n_corners, kind.has_middles, point.xi);
      Eigen::Matrix2Xd x(2, kind.n_nodes()), u(2, kind.n_nodes());
      for (Eigen::Index a = 0; a < x.cols(); ++a) {
        const Node& node = mesh.nodes[static_cast<size_t>(spec.nodes[static_cast<size_t>(a)])];
        x.col(a) = node.x.head<2>();
        u.col(a) << q[node.translations()[0]], q[node.translations()[1]];
      }
      const Eigen::Matrix2d J = x * shape.dN, gradient = u * shape.dN * J.inverse();
      const Eigen::Vector2d at = x * shape.N, moved = u * shape.N;
      const double weight = point.weight * J.determinant();
      const Eigen::Vector2d want(displacement(at[0], kA), displacement(at[1], kB));
      const double stress = kLaw * (gradient(0, 0) + kPoisson * gradient(1, 1));
      const double exact = kLaw * (strain(at[0], kA) + kPoisson * strain(at[1], kB));
      sum.displacement += weight * (moved - want).squaredNorm();
      sum.stress += weight * (stress - exact) * (stress - exact);
    }
  return {std::sqrt(sum.displacement), std::sqrt(sum.stress)};
}

// p + 1 and p for shape functions that are complete to degree p. Serendipity quadrilaterals keep this under bilinear
// maps that, as here, become parallelograms when the mesh is refined. Two meshes show it to a tenth or two.
TEST(SurfaceOrders, DisplacementAndStressOfSheets) {
  for (const auto& [element, degree] :
       {std::pair{"membrane_t3", 1}, {"membrane_q4", 1}, {"membrane_t6", 2}, {"membrane_q8", 2}}) {
    const Errors coarse = calc_errors(element, 4), fine = calc_errors(element, 8);
    EXPECT_NEAR(std::log2(coarse.displacement / fine.displacement), degree + 1, 0.2) << element;
    EXPECT_NEAR(std::log2(coarse.stress / fine.stress), degree, 0.2) << element;
  }
}

// A hinged square plate under a pressure q: w and M of the centre by Navier's series, M₁₁ = D(w,₁₁ + νw,₂₂).
struct Centre {
  double w = 0, moment = 0;  // of qa⁴/D and qa²
};
Centre navier() {
  Centre sum;
  for (int m = 1; m < 400; m += 2)
    for (int n = 1; n < 400; n += 2) {
      const double square = m * m + n * n, sign = (m + n) / 2 % 2 == 1 ? 1 : -1;
      const double factor = 16 * sign / (std::pow(M_PI, 6) * m * n * square * square);
      sum.w += factor;
      sum.moment += factor * M_PI * M_PI * (m * m + kPoisson * n * n);
    }
  return sum;
}

TEST(SurfaceOrders, DeflectionAndMomentOfPlates) {
  const Centre exact = navier();
  EXPECT_NEAR(exact.w, 0.00406235, 1e-8);
  EXPECT_NEAR(exact.moment, 0.0478864, 1e-6);
  constexpr double t = 1e-3;
  const double D = kYoung * t * t * t / 12 / (1 - kPoisson * kPoisson);
  const auto errors = [&](const std::string& element, int n) {
    std::string keys = fmt::format(
        "element = \"{}\"\nrectangle = {{ from = [0, 0, 0], to = [1, 1, 0], nx = {}, ny = {} }}\n", element, n, n);
    for (const char* side : {"left", "right", "bottom", "top"})
      keys += fmt::format("[[body.b.hinge]]\nat = \"{}\"\n", side);
    keys += "[[body.b.load]]\non = \"rectangle\"\nforce_per_area = [0, 0, 1]\n";
    const Model model = test::read_surface(3, test::kSteel, t, keys);
    VectorX q;
    const SurfaceStress stress = test::calc_stress(model, &q);
    const Mesh mesh = make_mesh(model.bodies[0]);
    Centre error;
    for (const NodeStress& node : stress.nodes) {
      const Node& at = mesh.nodes[static_cast<size_t>(node.node)];
      if ((at.x - Vec3(0.5, 0.5, 0)).norm() > 1e-9 || node.face != NodeStress::Face::top) continue;
      error.w = q[at.translations()[2]] * D / exact.w - 1;
      error.moment = node.stress[0] * t * t / 6 / exact.moment - 1;
    }
    return error;
  };
  for (const char* element : {"plate_dkt", "plate_mitc4", "plate_acm"}) {
    const Centre coarse = errors(element, 8), fine = errors(element, 16);
    EXPECT_LT(std::abs(fine.w), 0.01) << element;
    EXPECT_LT(std::abs(fine.moment), 0.01) << element;
    EXPECT_NEAR(std::log2(coarse.w / fine.w), 2, 0.3) << element;
    EXPECT_GT(std::log2(coarse.moment / fine.moment), 2 - 0.3) << element;  // MITC4's are better in the middle
  }
}

}  // namespace
}  // namespace elodyn
