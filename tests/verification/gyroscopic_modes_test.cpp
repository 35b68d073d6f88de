// Modes of spinning bodies with many unknowns: bound of the Coriolis forces, free bodies, targets, beyond divergence,
// damping, threads.
#include <cmath>

#include "tests/support/models.hpp"
#include "tests/support/surfaces.hpp"
#include <gtest/gtest.h>

#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using test::kSteel;
using test::read_surface;

Model read(const std::string& text) {
  Diagnostics diagnostics;
  const auto model = read_model("model.toml", text, {}, diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  return model.value_or(Model{});
}

const std::string kRod = R"(schema = 1
[material.m]
young = 210e9
poisson = 0.3
density = 7800
[section.s]
shape = "rectangle"
width = 0.02
height = 0.01
)";

std::string spin(double speed, const char* axis = "[0, 0, 1]") {
  return "[body.b.motion]\nkind = \"spin\"\naxis = " + std::string(axis) + "\nspeed = " + std::to_string(speed) + "\n";
}

// The largest |x*Cx| / x*Mx, C = 2ΩG, divided by the bound 2|Ω| that the proof of completeness takes.
double calc_bound_ratio(const Model& model) {
  const BodySystem s = make_body_system(model, model.bodies[0]);
  const QuadraticProblem p = make_mode_problem(s, 0);
  EXPECT_GT(p.velocity_bound, 0);
  MatrixX L = MatrixX(p.M);
  EXPECT_TRUE(cholesky_in_place(L));
  const MatrixX scaled = congruence(L, MatrixX(p.C));
  Eigen::MatrixXcd H = Eigen::MatrixXcd::Zero(scaled.rows(), scaled.cols()), vectors;
  H.imag() = 0.5 * (scaled - scaled.transpose());
  VectorX values;
  const int n = static_cast<int>(H.rows());
  hermitian_eigen(H, 0, n - 1, values, vectors);
  return values.cwiseAbs().maxCoeff() / p.velocity_bound;
}

TEST(GyroscopicModes, CoriolisForcesAreBoundedByTheMass) {
  const std::string beam =
      "[body.b]\ndimension = 3\nmaterial = \"m\"\nsection = \"s\"\n"
      "line = {from = [0.1, 0, 0], to = [0.6, 0.1, 0.2], elements = 4}\nclamp = [\"from\"]\n"
      "[[body.b.mass]]\nat = \"to\"\nmass = 0.3\ninertia_tensor = [2e-3, 1e-3, 1.5e-3, 1e-4, 0, 2e-4]\n";
  for (const char* element : {"beam_euler_bernoulli", "beam_rayleigh", "beam_timoshenko"})
    for (const char* axis : {"[0, 0, 1]", "[1, 0, 0]", "[1, 2, 3]"}) {
      std::string text = kRod + beam;
      text.insert(text.find("dimension = 3"), "element = \"" + std::string(element) + "\"\n");
      EXPECT_LE(calc_bound_ratio(read(text + spin(300, axis))), 1 + 1e-12) << element << " " << axis;
    }
  const std::string sheet = "rectangle = {from = [0, 0, 0], to = [0.2, 0.16, 0], nx = 3, ny = 3}\nclamp = [\"left\"]\n";
  for (const char* element : {"membrane_q4", "membrane_t6"})
    EXPECT_LE(calc_bound_ratio(
                  read_surface(2, kSteel, 1e-3, "element = \"" + std::string(element) + "\"\n" + sheet + spin(300))),
              1 + 1e-12)
        << element;
  for (const char* element : {"plate_mitc4", "plate_dkt", "plate_acm"})
    for (const char* axis : {"[0, 0, 1]", "[1, 0, 0]", "[1, 2, 3]"})
      for (const char* mass : {"true", "false"})
        EXPECT_LE(calc_bound_ratio(read_surface(3, kSteel, 1e-2,
                                                "element = \"" + std::string(element) + "\"\nlumped_mass = " + mass +
                                                    "\n" + sheet + spin(300, axis))),
                  1 + 1e-12)
            << element << " " << axis << " " << mass;
}

Model make_spinning_plate(int nx, int ny, const std::string& more) {
  return read_surface(2, kSteel, 1e-3,
                      "element = \"membrane_q4\"\nrectangle = {from = [0.02, -0.08, 0], to = [0.22, 0.08, 0], nx = " +
                          std::to_string(nx) + ", ny = " + std::to_string(ny) + "}\nclamp = [\"left\"]\n" + more);
}

// 2480 unknowns: the iteration with its proof, around a target, and the same on one and two threads.
TEST(GyroscopicModes, AroundATargetAreThoseOfTheWholeList) {
  Model model = make_spinning_plate(40, 30, spin(5000));
  model.modes = ModesRequest{};
  model.modes->count = 12;
  const Results lowest = run_modes(model);
  ASSERT_TRUE(lowest.outcome.ok()) << lowest.outcome.message;
  model.modes->count = 4;
  model.modes->target = 0.3 * lowest.modes[6].omega / (2 * M_PI) + 0.7 * lowest.modes[7].omega / (2 * M_PI);
  const Results near = run_modes(model);
  ASSERT_TRUE(near.outcome.ok()) << near.outcome.message;
  ASSERT_EQ(near.modes.size(), 4u);
  std::vector<double> distances, want;
  const double target = 2 * M_PI * *model.modes->target;
  for (const Mode& mode : lowest.modes) distances.push_back(std::abs(mode.omega - target));
  std::sort(distances.begin(), distances.end());
  for (const Mode& mode : lowest.modes)
    if (std::abs(mode.omega - target) <= distances[3]) want.push_back(mode.omega);
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(near.modes[k].omega, want[k], 1e-9 * want[k]) << k;
}

TEST(GyroscopicModes, AreTheSameDigitsOnOneAndTwoThreads) {
  Model model = make_spinning_plate(80, 64, spin(5000));  // 10400 unknowns: two parts of the rows
  std::vector<std::vector<double>> omega;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    omega.push_back(test::frequencies(model, 6, 0));
  }
  set_threads(0);
  EXPECT_EQ(omega[0], omega[1]);
}

// Beyond divergence with full matrices on 40 elements and by the Krylov iteration on 250 and 1000 unknowns.
TEST(GyroscopicModes, BeyondDivergenceOfManyUnknowns) {
  const auto solve = [](int elements, double speed) {
    Model model = read(kRod +
                       "[body.b]\nelement = \"beam_euler_bernoulli\"\ndegree = 3\naxial_degree = 3\ndimension = 2\n"
                       "material = \"m\"\nsection = \"s\"\nclamp = [\"from\"]\n"
                       "line = {from = [0.5, 0, 0], to = [0, 0, 0], elements = " +
                       std::to_string(elements) + "}\n" + spin(speed));
    model.modes = ModesRequest{};
    model.modes->count = 5;
    const Results results = run_modes(model);
    EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
    return results;
  };
  const Results coarse = solve(40, 900), fine = solve(160, 900);  // 200 and 800 unknowns
  ASSERT_GE(fine.modes.size(), 5u);
  EXPECT_GT(fine.modes[0].growth, 0);
  EXPECT_EQ(fine.modes[0].omega, 0);
  for (size_t k = 0; k < 5; ++k) {
    // Cubic elements: an error of h⁴, 1e-6 of the fifth mode on 40 elements.
    EXPECT_NEAR(fine.modes[k].omega, coarse.modes[k].omega, 1e-5 * (coarse.modes[k].omega + 1)) << k;
    EXPECT_NEAR(fine.modes[k].growth, coarse.modes[k].growth, 1e-5 * (std::abs(coarse.modes[k].growth) + 1)) << k;
  }
}

// A disc in the middle of a shaft that is not round and weighs next to nothing: with k = 48EI/(L³m) in its two planes
//   λ⁴ + (k₁ + k₂ + 2Ω²)λ² + (k₁ − Ω²)(k₂ − Ω²) = 0.
// The modes of the shaft itself lie ten thousand times higher and must not hide what the disc does.
TEST(GyroscopicModes, DiscOnALightShaft) {
  const double m = 10, E = 210e9, k1 = 48 * E * 0.02 * std::pow(0.01, 3) / 12 / m,
               k2 = 48 * E * 0.01 * std::pow(0.02, 3) / 12 / m;
  std::string text = kRod;
  text.replace(text.find("7800"), 4, "1e-3");
  text.replace(text.find("0.02"), 4, "0.01");
  text.replace(text.find("height = 0.01"), 13, "height = 0.02");
  text += R"([body.b]
element = "beam_euler_bernoulli"
dimension = 3
material = "m"
section = "s"
points = { a = [0, 0, 0], m = [0.5, 0, 0], c = [1, 0, 0] }
member.p = { from = "a", to = "m", elements = 3 }
member.q = { from = "m", to = "c", elements = 3 }
pin = ["a"]
roller = [{ at = "c", normal = [0, 1, 0] }, { at = "c", normal = [0, 0, 1] }]
spring = [{ at = "a", rotational_stiffness = [1e6, 0, 0] }]
mass = [{ at = "m", mass = 10 }]
[analysis.modes]
count = 3
)";
  for (const double speed : {30.0, 50.0, 60.0, 70.0, 100.0}) {
    const Results r = run_modes(read(text + spin(speed, "[1, 0, 0]")));
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    const double b = k1 + k2 + 2 * speed * speed, c = (k1 - speed * speed) * (k2 - speed * speed);
    const double low = -0.5 * b + std::sqrt(0.25 * b * b - c), high = -0.5 * b - std::sqrt(0.25 * b * b - c);
    const Mode &first = r.modes.front(), &last = r.modes.back();
    EXPECT_NEAR(low < 0 ? first.omega : first.growth, std::sqrt(std::abs(low)), 1e-6 * std::sqrt(std::abs(low)));
    EXPECT_EQ(low < 0 ? first.growth : first.omega, 0) << speed;
    EXPECT_NEAR(r.modes.at(low < 0 ? 1 : 2).omega, std::sqrt(-high), 1e-6 * std::sqrt(-high)) << speed;
    EXPECT_EQ(last.growth, 0);
    EXPECT_EQ(r.warnings.empty(), low < 0) << speed;
  }
}

// Beyond divergence every growing mode has its mirror image, however few modes are asked for.
TEST(GyroscopicModes, RealPairsAreNotCut) {
  for (const int count : {1, 2, 3, 5}) {
    Model model = read_surface(3, kSteel, 1e-3,
                               "element = \"plate\"\nrectangle = { from = [0, 0, 0], to = [0.2, 0.2, 0], nx = 20, ny = "
                               "20 }\nclamp = [\"left\"]\n" +
                                   spin(10000, "[1, 0, 0]"));
    model.modes = ModesRequest{};
    model.modes->count = count;
    const Results r = run_modes(model);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    double sum = 0, largest = 0;
    for (const Mode& mode : r.modes)
      if (mode.omega == 0) {
        sum += mode.growth;
        largest = std::max(largest, std::abs(mode.growth));
      }
    ASSERT_GT(largest, 0) << "thin across its axis, it diverges";
    EXPECT_NEAR(sum, 0, 1e-9 * largest) << count;
  }
}

// D = αM + βK: λ² + (α + βω²)λ + ω² = 0 with the frequencies ω without damping.
TEST(GyroscopicModes, RayleighDampingOfManyUnknowns) {
  Model model = make_spinning_plate(24, 20, "");  // 1008 unknowns, at rest
  const std::vector<double> omega = test::frequencies(model, 8, 0);
  Model damped = model;
  const double alpha = 300, beta = 2e-7;
  damped.bodies[0].damping.mass = alpha;
  damped.bodies[0].damping.stiffness = beta;
  damped.modes = ModesRequest{};
  damped.modes->count = 8;
  const Results results = run_modes(damped);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  ASSERT_EQ(results.modes.size(), 8u);
  for (size_t k = 0; k < 8; ++k) {
    const double c = 0.5 * (alpha + beta * omega[k] * omega[k]);
    EXPECT_NEAR(results.modes[k].growth, -c, 1e-8 * omega[k]) << k;
    EXPECT_NEAR(results.modes[k].omega, std::sqrt(omega[k] * omega[k] - c * c), 1e-9 * omega[k]) << k;
  }
  EXPECT_TRUE(results.warnings.empty()) << results.warnings.front();
}

// ---- free bodies ----
// A free rod that spins about the z axis through its middle, b × h = 0.02 × 0.01 (h along z). Seen from the spin: what
// rests beside it goes round with Ω, twice (it may drift); along the axis and about it nothing holds it, λ = 0 twice;
// tilted, its axis of spin goes round with Ω; rolled, λ² = −Ω²(b² − h²)/(b² + h²), and about y the other way: unstable.
Results solve_free_rod(int elements, const char* axis, const std::string& more = "", int count = 9) {
  Model model = read(kRod +
                     "[body.b]\nelement = \"beam_euler_bernoulli\"\ndimension = 3\nmaterial = \"m\"\nsection = \"s\"\n"
                     "line = {from = [-0.5, 0, 0], to = [0.5, 0, 0], elements = " +
                     std::to_string(elements) + "}\n" + more + spin(100, axis));
  model.modes = ModesRequest{};
  model.modes->count = count;
  const Results results = run_modes(model);
  EXPECT_TRUE(results.outcome.ok()) << elements << ": " << results.outcome.message;
  return results;
}

TEST(FreeBodies, RodKeepsItsRigidModesOnAnyMesh) {
  const double roll = std::sqrt((4.0 - 1) / (4 + 1));
  for (const int elements : {4, 60, 200}) {
    const Results results = solve_free_rod(elements, "[0, 0, 1]");
    ASSERT_EQ(results.modes.size(), 9u);
    // ω² of the softest motions is lost in ε of the stiffest, (π/h)⁴: 1e-12 of it on 4 elements, 1e-6 on 200.
    const double lost = 4e-15 * std::pow(elements, 4);
    const double want[] = {0, 0, roll, 1, 1, 1};
    for (size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(results.modes[k].label, "rigid") << elements << " " << k;
      EXPECT_NEAR(results.modes[k].omega, 100 * want[k], 100 * (1e-12 + lost)) << elements << " " << k;
      EXPECT_EQ(results.modes[k].growth, 0) << elements << " " << k;
    }
    EXPECT_NE(results.modes[6].label, "rigid");
    EXPECT_TRUE(results.warnings.empty()) << results.warnings.front();
  }
}

TEST(FreeBodies, RodRollsOverAboutItsMiddleAxis) {
  const Results results = solve_free_rod(10, "[0, 1, 0]");
  ASSERT_EQ(results.modes.size(), 9u);
  EXPECT_NEAR(results.modes[0].growth, 100 * std::sqrt(0.6), 1e-8);
  EXPECT_NEAR(results.modes[3].growth, -100 * std::sqrt(0.6), 1e-8);
  for (const size_t k : {1, 2}) EXPECT_EQ(std::abs(results.modes[k].growth) + results.modes[k].omega, 0) << k;
  for (const size_t k : {4, 5, 6}) {
    EXPECT_NEAR(results.modes[k].omega, 100, 1e-8) << k;
    EXPECT_EQ(results.modes[k].growth, 0) << k;
  }
}

// Damping of the material does not act on rigid motions; of the elastic ones λ² + βω²λ + ω² = 0 at rest.
TEST(FreeBodies, MaterialDampingLeavesRigidModesAlone) {
  const Results spinning = solve_free_rod(30, "[0, 0, 1]", "damping = {stiffness = 1e-6}\n");
  for (size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(spinning.modes[k].growth, 0, k < 2 ? 0 : 1e-7) << k << " " << spinning.modes[k].omega;
  EXPECT_LT(spinning.modes[6].growth, 0);
  Model model = read(kRod +
                     "[body.b]\nelement = \"beam_euler_bernoulli\"\ndimension = 3\nmaterial = \"m\"\nsection = \"s\"\n"
                     "line = {from = [-0.5, 0, 0], to = [0.5, 0, 0], elements = 10}\n");
  const std::vector<double> omega = test::frequencies(model, 10, 1);
  model.bodies[0].damping.stiffness = 1e-6;
  model.modes = ModesRequest{};
  model.modes->count = 10;
  const Results results = run_modes(model);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  ASSERT_EQ(results.modes.size(), 10u);
  for (size_t k = 0; k < 6; ++k) EXPECT_EQ(std::abs(results.modes[k].growth) + results.modes[k].omega, 0) << k;
  for (size_t k = 6; k < 10; ++k) {
    const double w = omega[k - 6], c = 0.5e-6 * w * w;
    EXPECT_NEAR(results.modes[k].growth, -c, 1e-9 * w) << k;
    EXPECT_NEAR(results.modes[k].omega, std::sqrt(w * w - c * c), 1e-9 * w) << k;
  }
}

// 16 × 8 elements with full matrices, 40 × 30 (7 600 unknowns) by the Krylov iteration; in the plane alone, too.
TEST(FreeBodies, PlatesOfManyUnknowns) {
  for (const auto& [nx, ny] : {std::pair(16, 8), std::pair(40, 30)}) {
    Model model = read_surface(3, kSteel, 1e-3,
                               fmt::format("element = \"plate_mitc4\"\nrectangle = {{from = [-0.1, -0.08, 0], to = "
                                           "[0.1, 0.08, 0], nx = {}, ny = {}}}\n",
                                           nx, ny) +
                                   spin(100));
    model.modes = ModesRequest{};
    model.modes->count = 8;
    const Results results = run_modes(model);
    ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
    ASSERT_EQ(results.modes.size(), 8u);
    for (const size_t k : {0, 1}) EXPECT_EQ(std::abs(results.modes[k].growth) + results.modes[k].omega, 0) << k;
    // A lamina has C = A + B: its axis nutates with nearly Ω, less what the rotary inertia t²/12 adds.
    for (size_t k = 2; k < 6; ++k) {
      EXPECT_NEAR(results.modes[k].omega, 100, 0.01) << k;
      EXPECT_EQ(results.modes[k].growth, 0) << k;
    }
    EXPECT_GT(results.modes[6].omega, 600);
    EXPECT_TRUE(results.warnings.empty()) << results.warnings.front();
  }
  Model sheet = read_surface(2, kSteel, 1e-3,
                             "element = \"membrane_q4\"\nrectangle = {from = [0, 0, 0], to = [0.2, 0.16, 0], nx = 40, "
                             "ny = 32}\n" +
                                 spin(1000));
  sheet.modes = ModesRequest{};
  sheet.modes->count = 5;
  const Results results = run_modes(sheet);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  ASSERT_EQ(results.modes.size(), 5u);
  EXPECT_EQ(results.modes[0].omega, 0);
  for (const size_t k : {1, 2}) EXPECT_NEAR(results.modes[k].omega, 1000, 1e-9) << k;
}

TEST(FreeBodies, BranchesOfTheCampbellDiagram) {
  Model model =
      read(kRod +
           "[body.b]\nelement = \"beam_euler_bernoulli\"\ndimension = 3\nmaterial = \"m\"\nsection = \"s\"\n"
           "line = {from = [-0.5, 0, 0], to = [0.5, 0, 0], elements = 12}\n" +
           spin(100) + "[analysis.campbell]\nspeeds = {from = 0, to = \"200 rad/s\", count = 11}\ncount = 8\n");
  const Results results = run_analysis(model, "campbell");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  ASSERT_TRUE(results.campbell.has_value());
  const Campbell& c = *results.campbell;
  std::vector<double> slopes;
  for (const CampbellBranch& branch : c.branches) {
    if (branch.kind != "rigid") continue;
    slopes.push_back(branch.omega.back() / c.speeds.back());
    for (size_t k = 0; k < c.speeds.size(); ++k) {
      EXPECT_NEAR(branch.omega[k], slopes.back() * c.speeds[k], 1e-7 * 200) << branch.label;
      EXPECT_EQ(branch.growth[k], 0) << branch.label;
    }
  }
  std::sort(slopes.begin(), slopes.end());
  const std::vector<double> want = {0, 0, std::sqrt(0.6), 1, 1, 1};
  ASSERT_EQ(slopes.size(), want.size());
  for (size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(slopes[k], want[k], 1e-7) << k;
  EXPECT_TRUE(c.critical_speeds.empty());  // a branch that lies on ω = Ω does not cross it
}

}  // namespace
}  // namespace elodyn
