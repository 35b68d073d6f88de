// Membranes against closed forms, published tables and each other.
#include <cmath>
#include <complex>

#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/surfaces.hpp"
#include <Eigen/SparseLU>

namespace elodyn {
namespace {

using test::calc_stress, test::frequencies, test::kSteel;

Model read(const std::string& material, double thickness, const std::string& body) {
  return test::read_surface(2, material, thickness, body);
}

Model make_plate(const std::string& element, int nx, int ny, const std::string& more = {}) {
  return read(
      kSteel, 1e-3,
      fmt::format("element = \"{}\"\nrectangle = {{ from = [0, 0, 0], to = [0.2, 0.16, 0], nx = {}, ny = {} }}\n{}",
                  element, nx, ny, more));
}

const std::vector<std::string> kElements = {"membrane_t3", "membrane_rectangle", "membrane_q4", "membrane_t6",
                                            "membrane_q8"};

// ---- the spinning plate of the table ----

class SpinningPlate : public testing::TestWithParam<size_t> {};

// Printed to 1e-4 rad/s, so to 2e-9 of the lowest; the reference iterates to about the same.
TEST_P(SpinningPlate, AsTabulated) {
  const test::CsvRow row = test::read_csv(ELODYN_SOURCE_DIR "/tests/data/rotating_plate.csv").at(GetParam());
  const double speed = std::stod(row.at("speed"));
  const std::string held = row.at("held");
  std::string keys;
  if (!held.empty()) keys += "clamp = [\"" + held + "\"]\n";
  if (speed > 0)
    keys += fmt::format("[body.b.motion]\nkind = \"spin\"\nspeed = {}\nthrough = [{}, {}, 0]\n", speed, row.at("x"),
                        row.at("y"));
  const auto check = [&](const char* element, int nx, int ny, const char* column) {
    Model model = make_plate(element, nx, ny, keys);
    model.terms.geometric = row.at("geometric") == "1";
    const std::vector<double> got = frequencies(model, 12, 2 * speed + 1);
    ASSERT_GE(got.size(), 6u);
    for (size_t k = 0; k < 6; ++k) {
      const double want = std::stod(row.at(column + std::to_string(k + 1)));
      EXPECT_NEAR(got[k], want, 5e-9 * want) << element << ", mode " << k + 1;
    }
  };
  check("membrane_q4", 20, 16, "q4_");
  check("membrane_q8", 30, 24, "q8_");
}
INSTANTIATE_TEST_SUITE_P(Rows, SpinningPlate, testing::Range(size_t{0}, size_t{16}));

// Seen from the turning frame the translations of a free plate are at ±Ω; its rotation is held by nothing: what the
// stress stiffens the centrifugal stiffness takes away, to round-off. Without the stress it grows, which is wrong.
TEST(Membrane, FreeSpinningPlate) {
  for (const std::string& element : kElements) {
    Model model =
        make_plate(element, 6, 5, "[body.b.motion]\nkind = \"spin\"\nspeed = 1000\nthrough = [0.1, 0.08, 0]\n");
    const BodySystem s = make_body_system(model, model.bodies[0]);
    ASSERT_EQ(s.rigid.cols(), 3);
    VectorX turn = VectorX::Zero(s.mesh.n_dofs());
    for (const Node& node : s.mesh.nodes) {
      const auto u = node.translations();
      turn[u[0]] = -(node.x[1] - 0.08);
      turn[u[1]] = node.x[0] - 0.1;
    }
    const SparseMatrix K = s.full.calc_stiffness(s.calc_factors(0));
    // Products of the elastic stiffness cancel to round-off of their size.
    EXPECT_LE((K * turn).cwiseAbs().maxCoeff(), 1e-13 * (K.cwiseAbs() * turn.cwiseAbs()).maxCoeff()) << element;
    model.modes = ModesRequest{};
    model.modes->count = 4;
    const Results right = run_modes(model);
    ASSERT_TRUE(right.outcome.ok()) << right.outcome.message;
    double growth = 0;
    for (const Mode& mode : right.modes) growth = std::max(growth, mode.growth);
    EXPECT_LE(growth, 1.0) << element;
    model.terms.geometric = false;
    const Results wrong = run_modes(model);
    growth = 0;
    for (const Mode& mode : wrong.modes) growth = std::max(growth, mode.growth);
    EXPECT_NEAR(growth, 1000, 1) << element;
  }
}

// ---- patch tests ----

// A constant stress in a patch of distorted elements, by loads on its sides: linear displacements, exactly.
TEST(Membrane, PatchTest) {
  const Vec3 want(3e6, -1e6, 2e6);
  Eigen::Matrix2d sigma;
  sigma << want[0], want[2], want[2], want[1];
  const std::vector<Eigen::Vector2d> corners = {{0, 0}, {0.3, 0.05}, {0.25, 0.2}, {-0.04, 0.17}};
  for (const std::string& element : kElements)
    for (const bool incompatible : {false, true}) {
      if (element == "membrane_rectangle" || (incompatible && element != "membrane_q4")) continue;
      std::string keys =
          fmt::format("element = \"{}\"\nincompatible = {}\npin = [\"A\"]\npoints = {{", element, incompatible);
      if (!incompatible) keys = fmt::format("element = \"{}\"\npin = [\"A\"]\npoints = {{", element);
      for (size_t k = 0; k < 4; ++k)
        keys += fmt::format("{}{} = [{}, {}, 0]", k > 0 ? ", " : " ", "ABCD"[k], corners[k][0], corners[k][1]);
      keys += " }\n[[body.b.roller]]\nat = \"B\"\nnormal = [0, 1, 0]\n";
      keys += "[body.b.area.patch]\ncorners = [\"A\", \"B\", \"C\", \"D\"]\nnx = 3\nny = 2\n";
      for (size_t k = 0; k < 4; ++k) {
        const Eigen::Vector2d side = (corners[(k + 1) % 4] - corners[k]).normalized(), normal(side[1], -side[0]);
        const Eigen::Vector2d n = 2e-3 * sigma * normal;
        keys += fmt::format("[[body.b.load]]\non = \"patch.{}\"\nforce_per_length = [{}, {}, 0]\n", k + 1, n[0], n[1]);
      }
      const SurfaceStress found = calc_stress(read(kSteel, 2e-3, keys));
      ASSERT_GE(found.nodes.size(), 12u);
      for (const NodeStress& node : found.nodes)
        EXPECT_LE((node.stress - want).cwiseAbs().maxCoeff(), 1e-7 * want.norm()) << element << incompatible;
      EXPECT_LE(found.error, 1e-8) << element;
    }
}

// ---- materials ----

// A strip pulled along x, free to contract: its strain is σ/E of the direction.
double pulled_modulus(const std::string& material, const std::string& keys) {
  VectorX q;
  const Model model =
      read(material, 1e-3,
           "element = \"membrane_q4\"\nrectangle = { from = [0, 0, 0], to = [0.2, 0.1, 0], nx = 4, ny = 2 }\n" + keys +
               "pin = [\"bottom_left\"]\n[[body.b.roller]]\nat = \"top_left\"\nnormal = [1, 0, 0]\n"
               "[[body.b.load]]\non = \"right\"\nforce_per_length = [1000, 0, 0]\n"
               "[[body.b.load]]\non = \"left\"\nforce_per_length = [-1000, 0, 0]\n");
  calc_stress(model, &q);
  const BodySystem s = make_body_system(model, model.bodies[0]);
  const Node &a = s.mesh.nodes[static_cast<size_t>(s.mesh.node_of_point.at("bottom_left"))],
             &b = s.mesh.nodes[static_cast<size_t>(s.mesh.node_of_point.at("bottom_right"))];
  return 1000 / 1e-3 / ((q[b.translations()[0]] - q[a.translations()[0]]) / 0.2);
}

TEST(Membrane, PlaneStrainIsStiffer) {
  EXPECT_NEAR(pulled_modulus(kSteel, ""), 210e9, 210e9 * 1e-9);
  EXPECT_NEAR(pulled_modulus(kSteel, "plane = \"strain\"\n"), 210e9 / (1 - 0.09), 210e9 * 1e-9);
}

// 1/E(θ) = c⁴/E₁ + s⁴/E₂ + c²s² (1/G − 2ν/E₁)
TEST(Membrane, OrthotropicOffItsAxis) {
  const std::string wood = "young = 12e9\nyoung_2 = 0.8e9\npoisson = 0.4\nshear_12 = 0.7e9\ndensity = 500";
  for (const double degrees : {0.0, 20.0, 45.0, 90.0}) {
    const double angle = degrees * M_PI / 180, c = std::cos(angle), s = std::sin(angle);
    const double compliance =
        std::pow(c, 4) / 12e9 + std::pow(s, 4) / 0.8e9 + c * c * s * s * (1 / 0.7e9 - 2 * 0.4 / 12e9);
    EXPECT_NEAR(pulled_modulus(wood, fmt::format("material_axis = [{}, {}, 0]\n", c, s)) * compliance, 1, 1e-9)
        << degrees;
  }
}

TEST(Membrane, HeatedPlate) {
  const std::string load = "[[body.b.load]]\non = \"rectangle\"\ntemperature = 50\n";
  VectorX q;
  const SurfaceStress free = calc_stress(
      make_plate("membrane_q8", 3, 2, "pin = [\"bottom_left\"]\n[[body.b.roller]]\nat = \"bottom_right\"\n" + load),
      &q);
  for (const NodeStress& node : free.nodes) EXPECT_LE(node.mises, 1.0);  // of 210e9·12e-6·50 = 126 MPa
  EXPECT_NEAR(q.maxCoeff(), 12e-6 * 50 * 0.2, 1e-12);
  const SurfaceStress held =
      calc_stress(make_plate("membrane_q8", 3, 2, "clamp = [\"left\", \"right\", \"top\", \"bottom\"]\n" + load));
  for (const NodeStress& node : held.nodes) EXPECT_NEAR(node.stress[0], -210e9 / 0.7 * 12e-6 * 50, 1e3);
}

// Held across, it expands by (1 + ν)αT in its plane, and pushes with EαT across it. Held all round, −EαT/(1 − 2ν).
TEST(Membrane, HeatedInPlaneStrain) {
  const std::string load =
      "plane = \"strain\"\npin = [\"bottom_left\"]\n[[body.b.roller]]\nat = \"bottom_right\"\n"
      "[[body.b.load]]\non = \"rectangle\"\ntemperature = 50\n";
  VectorX q;
  const SurfaceStress free = calc_stress(make_plate("membrane_q4", 3, 2, load), &q);
  EXPECT_NEAR(q.maxCoeff(), 1.3 * 12e-6 * 50 * 0.2, 1e-12);
  for (const NodeStress& node : free.nodes) {
    EXPECT_LE(node.stress.norm(), 1.0);
    EXPECT_NEAR(node.across, -210e9 * 12e-6 * 50, 1.0);
  }
  const SurfaceStress held =
      calc_stress(make_plate("membrane_q4", 3, 2, "clamp = [\"left\", \"right\", \"top\", \"bottom\"]\n" + load));
  for (const NodeStress& node : held.nodes)
    for (const double stress : {node.stress[0], node.stress[1], node.across})
      EXPECT_NEAR(stress, -210e9 / 0.4 * 12e-6 * 50, 1.0);
}

// Nodes of membranes have no rotation of their own; what turns them turns the sheet there. A couple at the end of a
// strip, as a moment or as two forces on an arm, bends it as a beam; how it comes in is felt about h away.
TEST(Membrane, MomentsAndArms) {
  const double h = 0.02, moment = 10, beam = moment / (2 * 210e9 * 1e-3 * h * h * h / 12);
  const std::string strip = fmt::format(
      "element = \"membrane_q8\"\nrectangle = {{ from = [0, 0, 0], to = [1, {}, 0], nx = 50, ny = 2 }}\n"
      "clamp = [\"left\"]\npoints = {{ M = [1, {}, 0], P = [1.1, {}, 0] }}\n",
      h, h / 2, h / 2);
  const auto tip = [&](const std::string& load) {
    const Model model = read(kSteel, 1e-3, strip + load);
    VectorX q;
    calc_stress(model, &q);
    const Mesh mesh = make_mesh(model.bodies[0]);
    return q[mesh.nodes[static_cast<size_t>(mesh.node_of_point.at("M"))].translations()[1]];
  };
  EXPECT_NEAR(tip("[[body.b.load]]\nat = \"M\"\nmoment = [0, 0, 10]\n"), beam, h * beam);
  EXPECT_NEAR(tip("[[body.b.link]]\nfrom = \"M\"\nto = [\"P\"]\n[[body.b.load]]\nat = \"P\"\nforce = [0, 100, 0]\n"
                  "[[body.b.load]]\nat = \"M\"\nforce = [0, -100, 0]\n"),
              beam, h * beam);
}

// Asking for rigid motions alone needs no solution at all, however large the body.
TEST(Membrane, RigidMotionsOfALargeFreeSheet) {
  EXPECT_TRUE(frequencies(make_plate("membrane_q4", 60, 50), 3, 1).empty());
}

// ---- bending ----

// Cook's tapered panel: the deflection of the middle of its loaded side tends to 23.965, slowly because of the corner
// at the clamp: within 0.2 % of it with 16 × 16 elements of higher order.
double cook(const std::string& element, int n, bool incompatible) {
  VectorX q;
  const Model model =
      read("young = 1\npoisson = 0.3333333333333333\ndensity = 1", 1,
           fmt::format("element = \"{}\"\n{}points = {{ A = [0, 0, 0], B = [48, 44, 0], C = [48, 60, 0], "
                       "D = [0, 44, 0], M = [48, 52, 0] }}\nclamp = [\"panel.4\"]\n"
                       "[body.b.area.panel]\ncorners = [\"A\", \"B\", \"C\", \"D\"]\nnx = {}\nny = {}\n"
                       "[[body.b.load]]\non = \"panel.2\"\nforce_per_length = [0, 0.0625, 0]\n"
                       "[[body.b.load]]\nat = \"M\"\nforce = [0, 0, 0]\n",
                       element, incompatible ? "incompatible = true\n" : "", n, n));
  calc_stress(model, &q);
  const Mesh mesh = make_mesh(model.bodies[0]);
  return q[mesh.nodes[static_cast<size_t>(mesh.node_of_point.at("M"))].translations()[1]];
}
TEST(Membrane, CooksPanel) {
  constexpr double kLimit = 23.965;
  EXPECT_NEAR(cook("membrane_q8", 16, false), kLimit, 0.002 * kLimit);
  EXPECT_NEAR(cook("membrane_t6", 16, false), kLimit, 0.002 * kLimit);
  EXPECT_NEAR(cook("membrane_q4", 32, true), kLimit, 0.002 * kLimit);
  // With few elements the incompatible modes let it bend, and constant strain does not.
  EXPECT_GT(cook("membrane_q4", 4, true), 22.5);
  EXPECT_LT(cook("membrane_q4", 4, false), 19.0);
  EXPECT_LT(cook("membrane_t3", 4, false), 17.0);
}

// A slender cantilever as a beam and as a membrane. They differ in the clamp, which holds the contraction of the
// membrane's end and makes the cantilever shorter by a part of h: a difference that goes with h/L.
double compare_with_beam(double h) {
  const std::vector<double> sheet = frequencies(
      read(kSteel, 0.01,
           fmt::format(
               "element = \"membrane_q8\"\nrectangle = {{ from = [0, 0, 0], to = [1, {}, 0], nx = {}, ny = 4 }}\n"
               "clamp = [\"left\"]\n",
               h, std::lround(2 / h))),
      1, 1);
  Diagnostics diagnostics;
  const auto beam = read_model(
      "beam.toml",
      fmt::format("schema = 1\n[material.m]\n{}\n[section.s]\nshape = \"rectangle\"\nwidth = {}\nheight = 0.01\n"
                  "[body.b]\nelement = \"beam_timoshenko\"\ndimension = 2\nmaterial = \"m\"\nsection = \"s\"\n"
                  "line = {{ from = [0, 0, 0], to = [1, 0, 0], elements = 40 }}\nclamp = [\"from\"]\n",
                  kSteel, h),
      {}, diagnostics);
  EXPECT_TRUE(beam) << diagnostics.format_all(Severity::error);
  return sheet.at(0) / frequencies(*beam, 1, 1).at(0) - 1;
}
TEST(Membrane, BendsLikeABeam) {
  const double thick = compare_with_beam(0.04), thin = compare_with_beam(0.02);
  EXPECT_LT(thick, 0.05 * 0.04);
  EXPECT_NEAR(thin / thick, 0.5, 0.1);
}

// ---- convergence ----

// Between frictionless walls a plate swings as v = sin(πy/b), ω = (π/b)√(E/((1 − ν²)ρ)): its third mode. Frequencies
// converge at twice the order of the strains, 2 and 4; the next term of the error, h² smaller, changes what two meshes
// show of it by up to 0.2.
TEST(Membrane, OrdersOfFrequencies) {
  const double exact = M_PI / 0.16 * std::sqrt(210e9 / (7800 * (1 - 0.09)));
  const auto error = [&](const std::string& element, int n) {
    std::string rollers;
    for (const char* side : {"left", "right"})
      rollers += fmt::format("[[body.b.roller]]\nat = \"{}\"\nnormal = [1, 0, 0]\n", side);
    for (const char* side : {"bottom", "top"})
      rollers += fmt::format("[[body.b.roller]]\nat = \"{}\"\nnormal = [0, 1, 0]\n", side);
    return frequencies(make_plate(element, n, n, rollers), 3, 1)[2] - exact;
  };
  for (const auto& [element, order] :
       {std::pair{"membrane_t3", 2.0}, {"membrane_q4", 2.0}, {"membrane_t6", 4.0}, {"membrane_q8", 4.0}}) {
    const double coarse = error(element, 4), fine = error(element, 8);
    EXPECT_GT(fine, 0) << element << ": from above";
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.2) << element;
  }
}

// The estimate of the stress error falls with the mesh, and is near what a much finer mesh shows.
TEST(Membrane, ErrorEstimate) {
  const std::string keys = "clamp = [\"left\"]\n[[body.b.load]]\non = \"right\"\nforce_per_length = [0, -1000, 0]\n";
  const double coarse = calc_stress(make_plate("membrane_q4", 6, 5, keys)).error,
               fine = calc_stress(make_plate("membrane_q4", 24, 20, keys)).error;
  EXPECT_GT(coarse, 0.05);
  EXPECT_LT(fine, 0.5 * coarse);
}

}  // namespace
}  // namespace elodyn
