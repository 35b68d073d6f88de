// The material with voids of Cowin and Nunziato against closed forms [CowinNunziato1983], and the published table of a
// bar with voids [Mare2024].
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elodyn/formalism/registry.hpp"
#include "elodyn/io/read_model.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/surface_recovery.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using test::column;

// The material of tests/data/voids_bar.csv: E = μ(3λ + 2μ)/(λ + μ), ν = λ/(2(λ + μ)).
struct Constants {
  double rho = 2000, lambda = 3e9, mu = 2e9, alpha = 8e3, beta = 2e9, xi = 4e9, kappa = 1e-6, tau = 0;

  double modulus() const { return lambda + 2 * mu; }
  std::string keys() const {
    return fmt::format(
        "young = {}\npoisson = {}\ndensity = {}\nvoid_alpha = {}\nvoid_beta = {}\nvoid_xi = {}\nvoid_kappa = {}\n"
        "void_tau = {}\n",
        mu * (3 * lambda + 2 * mu) / (lambda + mu), lambda / (2 * (lambda + mu)), rho, alpha, beta, xi, kappa, tau);
  }
  // Plane waves along x, u = a sin kx, φ = b cos kx: the two roots of
  //   (M k² − ρω²)(ξ + αk² − ρκω²) = β²k².
  double wave(double k, bool void_branch) const {
    const double a = modulus() * k * k / rho, b = (xi + alpha * k * k) / (rho * kappa),
                 c = beta * beta * k * k / (rho * rho * kappa);
    const double root = std::hypot((a - b) / 2, std::sqrt(c));
    if (void_branch) return std::sqrt((a + b) / 2 + root);
    return std::sqrt((a * b - c) / ((a + b) / 2 + root));
  }
};

Model read(const Constants& material, const std::string& section, const std::string& body) {
  const std::string text = fmt::format(
      "schema = 1\n[material.m]\n{}[section.s]\n{}\n[body.b]\ndimension = 2\nmaterial = \"m\"\nsection = \"s\"\n{}",
      material.keys(), section, body);
  Diagnostics diagnostics;
  const auto model = read_model("model.toml", text, {}, diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  return model.value_or(Model{});
}

constexpr double kLength = 0.1, kArea = 1e-4;
Model make_bar(const Constants& material, int elements, const std::string& keys, const char* uniaxial = "strain",
               int degree = 3) {
  return read(material, "shape = \"rectangle\"\nwidth = 0.01\nheight = 0.01",
              fmt::format("element = \"voids_bar\"\nuniaxial = \"{}\"\naxial_degree = {}\n"
                          "line = {{ from = [0, 0, 0], to = [{}, 0, 0], elements = {} }}\n{}",
                          uniaxial, degree, kLength, elements, keys));
}

Model make_plate(const Constants& material, const std::string& element, const char* plane, double a, double b, int nx,
                 int ny, const std::string& keys) {
  return read(material, "shape = \"sheet\"\nthickness = 0.002",
              fmt::format("element = \"{}\"\nplane = \"{}\"\n"
                          "rectangle = {{ from = [0, 0, 0], to = [{}, {}, 0], nx = {}, ny = {} }}\n{}",
                          element, plane, a, b, nx, ny, keys));
}

std::vector<double> frequencies(Model model, int count) {
  model.modes = ModesRequest{};
  model.modes->count = count;
  const Results results = run_modes(model);
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  std::vector<double> out;
  for (const Mode& mode : results.modes) out.push_back(mode.omega);
  return out;
}
double nearest(const std::vector<double>& found, double want) {
  return *std::min_element(found.begin(), found.end(),
                           [&](double a, double b) { return std::abs(a - want) < std::abs(b - want); });
}

// ---- bars ----

const std::map<std::string, std::string> kEnds = {{"fixed", "clamp = [\"from\", \"to\"]"},
                                                  {"held", "clamp = [\"from\"]\nvoid = [\"to\"]"},
                                                  {"natural", "clamp = [\"from\"]"}};

// Error of cubic elements: (3!/6!)²/7 (kh)⁶/2 of a frequency, 1e-10 for n = 6 on 120 elements.
TEST(Voids, BarFrequencies) {
  constexpr double kDigits = 5e-9;
  std::map<std::string, std::vector<double>> found;
  for (const auto& [name, ends] : kEnds) found[name] = frequencies(make_bar({}, 120, ends), 42);
  int compared = 0;
  for (const test::CsvRow& row : test::read_csv(ELODYN_SOURCE_DIR "/tests/data/voids_bar.csv"))
    for (const char* branch : {"acoustic", "voids"}) {
      const auto cell = row.find(branch);
      if (cell == row.end() || cell->second.empty()) continue;
      const double want = std::stod(cell->second);
      EXPECT_NEAR(nearest(found.at(row.at("case")), want), want, kDigits * want)
          << row.at("case") << " " << row.at("n") << ", " << branch;
      ++compared;
    }
  EXPECT_EQ(compared, 28);
}

// Standing waves between fixed ends: every k = nπ/L is on both branches.
TEST(Voids, Dispersion) {
  Constants slow;
  slow.kappa = 1e-4;  // the branches come near each other
  slow.alpha = 8e5;
  const std::vector<double> found = frequencies(make_bar(slow, 120, kEnds.at("fixed")), 30);
  for (int n = 1; n <= 12; ++n)
    for (const bool void_branch : {false, true}) {
      const double want = slow.wave(n * pi / kLength, void_branch);
      EXPECT_NEAR(nearest(found, want), want, 1e-8 * want) << n << (void_branch ? ", void branch" : "");
    }
  // k = 0: nothing but φ moves.
  EXPECT_NEAR(nearest(found, std::sqrt(slow.xi / (slow.rho * slow.kappa))),
              std::sqrt(slow.xi / (slow.rho * slow.kappa)), 1e-3);
}

double elongation(const Constants& material, const std::string& keys, const char* uniaxial = "strain",
                  int elements = 120) {
  const Model model =
      make_bar(material, elements,
               keys + fmt::format("\n[[body.b.load]]\nat = \"to\"\nforce = [{}, 0, 0]\n", 1e6 * kArea), uniaxial);
  const Results results = run_static(model);
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  return column(results, "b_displacements", "u").back();
}

TEST(Voids, StaticElongation) {
  const Constants m;
  const double stress = 1e6, M = m.modulus(), soft = M - m.beta * m.beta / m.xi;
  EXPECT_NEAR(elongation(m, "clamp = [\"from\"]"), stress * kLength / soft, 1e-12 * 1.7e-5);
  EXPECT_NEAR(elongation(m, "clamp = [\"from\"]"), 1.66666666666667e-5, 1e-12 * 1.7e-5);
  // φ held at both ends: layers of the depth ℓ = 1.5 mm, in which it grows to its value far away; two elements and
  // more resolve them.
  const double depth = std::sqrt(m.alpha / (m.xi - m.beta * m.beta / M)), half = kLength / (2 * depth);
  const double free_part = m.beta * m.beta / (M * M * (m.xi - m.beta * m.beta / M));
  const double want = stress * kLength * (1 / M + free_part * (1 - std::tanh(half) / half));
  EXPECT_NEAR(want, 1.65939273699213e-5, 1e-13 * want);
  EXPECT_NEAR(elongation(m, "clamp = [\"from\"]\nvoid = [\"from\", \"to\"]"), want, 2e-9 * want);
  Constants none = m;
  none.beta = 0;
  EXPECT_NEAR(elongation(none, "clamp = [\"from\"]"), 1.42857142857143e-5, 1e-12 * 1.5e-5);
  // Free sides: E falls from 5.2 to 5 GPa.
  EXPECT_NEAR(elongation(m, "clamp = [\"from\"]", "stress"), stress * kLength / 5.0e9, 1e-12 * 2e-5);
  EXPECT_NEAR(elongation(none, "clamp = [\"from\"]", "stress"), stress * kLength / 5.2e9, 1e-12 * 2e-5);
}

// Between held sides the stress across is λe + βφ = σ − 2μe, so von Mises' is 2μe; between free ones it is σ.
TEST(Voids, StressOfABar) {
  const Constants m;
  for (const bool held : {true, false}) {
    const Model model = make_bar(m, 4, "clamp = [\"from\"]\n[[body.b.load]]\nat = \"to\"\nforce = [100, 0, 0]\n",
                                 held ? "strain" : "stress");
    const Results results = run_static(model);
    ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
    const double want = held ? 2 * m.mu * 1e6 / (m.modulus() - m.beta * m.beta / m.xi) : 1e6;
    for (const double mises : column(results, "b_forces", "von_mises")) EXPECT_NEAR(mises, want, 1e-8 * want);
  }
}

// φ that can hardly have a gradient and is held somewhere stays zero: the classical bar. What is left is of the order
// β²L²/(αM).
TEST(Voids, StiffGradientIsClassical) {
  Constants m;
  m.alpha = 1e13;
  const double left = m.beta * m.beta * kLength * kLength / (m.alpha * m.modulus());
  EXPECT_NEAR(elongation(m, "clamp = [\"from\"]\nvoid = [\"from\"]", "strain", 10), 1e6 * kLength / m.modulus(),
              2 * left * 1.5e-5);
  // Not held, φ is uniform: the bar is soft.
  EXPECT_NEAR(elongation(m, "clamp = [\"from\"]", "strain", 10), 1e6 * kLength / (m.modulus() - m.beta * m.beta / m.xi),
              1e-8 * 1.7e-5);
}

// In a frame that accelerates or spins the section forces are those of the inertia.
TEST(Voids, BarInMovingFrames) {
  const double m = 2000 * kArea * kLength;
  Model model = make_bar({}, 6, "clamp = [\"from\"]");
  model.gravity = {-10, 0, 0};
  const Results pushed = run_static(model);
  ASSERT_TRUE(pushed.outcome.ok()) << pushed.outcome.message;
  EXPECT_NEAR(column(pushed, "b_forces", "N").front(), -10 * m, 1e-10 * m);
  EXPECT_NEAR(column(pushed, "b_reactions", "Fx").front(), 10 * m, 1e-9 * m);
  // ρω²(x + u) pulls: N(0) = ½mω²L but for the stretch, (ωL)²ρ/M = 3e-5 at 100 rad/s.
  model = make_bar({}, 6, "clamp = [\"from\"]\n[body.b.motion]\nkind = \"spin\"\nspeed = 100\n");
  const Results spun = run_static(model);
  ASSERT_TRUE(spun.outcome.ok()) << spun.outcome.message;
  EXPECT_NEAR(column(spun, "b_forces", "N").front(), m * 1e4 * kLength / 2, 5e-5 * m * 1e4 * kLength / 2);
  EXPECT_NEAR(column(spun, "b_forces", "N").back(), 0, 1e-9 * m * 1e4 * kLength);
  // A free bar balances its loads by its acceleration.
  model = make_bar({}, 6, "[[body.b.load]]\nat = \"to\"\nforce = [100, 0, 0]\n");
  const Results free = run_static(model);
  ASSERT_TRUE(free.outcome.ok()) << free.outcome.message;
  const auto& N = column(free, "b_forces", "N");
  EXPECT_NEAR(N.front(), 0, 1e-9);
  EXPECT_NEAR(N[N.size() / 2], 50, 1e-9);
  EXPECT_NEAR(N.back(), 100, 1e-9);
}

// ---- energy ----

// What void damping takes is ∫τφ̇²: the implicit midpoint rule keeps to that in every step, with φ̇ its difference
// quotient, so that nothing but round-off is left.
TEST(Voids, EnergyBalance) {
  Constants m;
  m.kappa = 1e-4;
  m.tau = 2e4;
  const int n = 4;
  Model model = make_bar(
      m, n, "clamp = [\"from\"]\npoints = { A = [0.025, 0, 0], B = [0.05, 0, 0], C = [0.075, 0, 0] }\n", "strain", 1);
  SimulateRequest request;
  request.duration = 1e-3;
  request.steps = 400;
  request.integrator.value = "implicit_midpoint";
  request.initial_mode = 1;
  request.initial_amplitude = 1e-6;
  model.simulate = request;
  const Results results = run_analysis(model, "simulate");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto& energy = column(results, "b_history", "energy");
  const auto& time = column(results, "b_history", "time");
  std::vector<std::vector<double>> phi;
  for (const char* point : {"from", "A", "B", "C", "to"})
    phi.push_back(column(results, "b_history", std::string(point) + "_phi"));
  double lost = 0;
  for (size_t k = 1; k < time.size(); ++k) {
    const double h = time[k] - time[k - 1];
    for (size_t e = 0; e < static_cast<size_t>(n); ++e) {  // φ is linear in an element
      const double a = (phi[e][k] - phi[e][k - 1]) / h, b = (phi[e + 1][k] - phi[e + 1][k - 1]) / h;
      lost += h * m.tau * kArea * kLength / n * (a * a + a * b + b * b) / 3;
    }
    EXPECT_NEAR(energy[0] - energy[k], lost, 1e-9 * energy[0]) << k;
  }
  EXPECT_GT(lost, 0.1 * energy[0]);
}

// ---- plates ----

const std::vector<std::string> kElements = {"voids_t3", "voids_q4", "voids_t6", "voids_q8"};

// The stress of a uniform state: λ becomes λ − β²/ξ, and so the bulk modulus K − β²/ξ, in plane strain and in plane
// stress; exactly, in all elements.
TEST(Voids, UniformStateIsSofter) {
  const Constants m;
  const double lambda = m.lambda - m.beta * m.beta / m.xi, E = m.mu * (3 * lambda + 2 * m.mu) / (lambda + m.mu),
               nu = lambda / (2 * (lambda + m.mu));
  for (const std::string& element : kElements)
    for (const bool strain : {true, false}) {
      Model model = make_plate(m, element, strain ? "strain" : "stress", 0.1, 0.08, 3, 2,
                               "[[body.b.roller]]\nat = \"left\"\nnormal = [1, 0, 0]\n"
                               "[[body.b.roller]]\nat = \"bottom\"\nnormal = [0, 1, 0]\n"
                               "[[body.b.load]]\non = \"right\"\nforce_per_length = [6000, 0, 0]\n"
                               "[[body.b.load]]\non = \"top\"\nforce_per_length = [0, 2000, 0]\n");
      model.terms.geometric = false;
      const Results results = run_static(model);
      ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
      const double sx = 3e6, sy = 1e6;
      const double x = strain ? ((1 - nu * nu) * sx - nu * (1 + nu) * sy) / E : (sx - nu * sy) / E,
                   y = strain ? ((1 - nu * nu) * sy - nu * (1 + nu) * sx) / E : (sy - nu * sx) / E;
      const auto &u = column(results, "b_displacements", "u"), &v = column(results, "b_displacements", "v"),
                 &phi = column(results, "b_displacements", "phi");
      EXPECT_NEAR(*std::max_element(u.begin(), u.end()), 0.1 * x, 1e-11 * 0.1 * x) << element;
      EXPECT_NEAR(*std::min_element(v.begin(), v.end()), std::min(0.0, 0.08 * y), 1e-10 * 0.1 * x) << element;
      const double z = strain ? 0 : -nu * (sx + sy) / E, fraction = -m.beta * (x + y + z) / m.xi;
      for (const double value : phi) EXPECT_NEAR(value, fraction, 1e-10 * std::abs(fraction)) << element;
      for (const double s : column(results, "b_stresses", "sxx")) EXPECT_NEAR(s, sx, 1e-9 * sx) << element;
      for (const double s : column(results, "b_stresses", "syy")) EXPECT_NEAR(s, sy, 1e-9 * sx) << element;
      for (const double s : column(results, "b_stresses", "szz"))
        EXPECT_NEAR(s, strain ? nu * (sx + sy) : 0, 1e-9 * sx) << element;
    }
}

// On a plate with rollers round it in plane strain, cos(k₁x) cos(k₂y) is the potential of an exact mode, for both
// branches of the waves with k² = k₁² + k₂². Returns how far the computed frequency lies off.
double plate_error(const std::string& element, int n, bool void_branch) {
  Constants m;
  m.kappa = 1e-4;
  m.alpha = 8e5;
  const double a = 0.1, b = 0.08, k1 = 2 * pi / a, k2 = pi / b, k = std::hypot(k1, k2);
  std::string rollers;
  for (const char* side : {"left", "right"})
    rollers += fmt::format("[[body.b.roller]]\nat = \"{}\"\nnormal = [1, 0, 0]\n", side);
  for (const char* side : {"bottom", "top"})
    rollers += fmt::format("[[body.b.roller]]\nat = \"{}\"\nnormal = [0, 1, 0]\n", side);
  const Model model = make_plate(m, element, "strain", a, b, 2 * n, n, rollers);
  const BodySystem s = make_body_system(model, model.bodies[0]);
  const double want = m.wave(k, void_branch);
  VectorX shape = VectorX::Zero(s.mesh.n_dofs());
  // u = ∇ψ, and φ from (ρω² − Mk²)ψ + βφ = 0 for ψ = cos cos.
  const double phi = (m.modulus() * k * k - m.rho * want * want) / m.beta;
  for (const Node& node : s.mesh.nodes) {
    const double x = node.x[0], y = node.x[1];
    shape[node.translations()[0]] = -k1 * std::sin(k1 * x) * std::cos(k2 * y);
    shape[node.translations()[1]] = -k2 * std::cos(k1 * x) * std::sin(k2 * y);
    shape[node.phi()] = phi * std::cos(k1 * x) * std::cos(k2 * y);
  }
  const SparseMatrix M = s.reduced.calc_mass();
  const SymmetricModes modes =
      solve_symmetric_modes(s.reduced.calc_elastic(), M, std::min(60, s.constraints.n_reduced()), s.rigid);
  const VectorX overlap = (modes.vectors.transpose() * (M * s.constraints.restrict(shape))).cwiseAbs();
  Eigen::Index best = 0;
  overlap.maxCoeff(&best);
  return std::sqrt(modes.squares[best]) / want - 1;
}

TEST(Voids, ManufacturedWavesConverge) {
  for (const std::string& element : kElements) {
    const bool quadratic = element == "voids_t6" || element == "voids_q8";
    for (const bool void_branch : {false, true}) {
      const int n = quadratic ? 4 : 8;
      const double coarse = plate_error(element, n, void_branch), fine = plate_error(element, 2 * n, void_branch);
      const double order = std::log2(coarse / fine);
      EXPECT_GT(fine, 0) << element;
      EXPECT_LT(fine, quadratic ? 1e-3 : 1e-2) << element;
      EXPECT_NEAR(order, quadratic ? 4 : 2, 0.25) << element << (void_branch ? ", void branch" : ", acoustic");
      RecordProperty(element + (void_branch ? "_void" : "_acoustic"), std::to_string(order));
    }
  }
}

// Without coupling the displacements are those of the membrane, in every matrix of the moving frame, and with the
// geometric stiffness of the spin.
TEST(Voids, WithoutCouplingIsTheMembrane) {
  Constants m;
  m.beta = 0;
  for (const std::string& element : kElements) {
    const auto make = [&](const std::string& name) {
      return make_plate(m, name, "stress", 0.1, 0.08, 3, 2,
                        "clamp = [\"left\"]\n[body.b.motion]\nkind = \"spin\"\nspeed = 500\naxis = [0.3, 0.5, 1]\n");
    };
    const Model with = make(element), without = make("membrane" + element.substr(5));
    const BodySystem a = make_body_system(with, with.bodies[0]), b = make_body_system(without, without.bodies[0]);
    const auto compare = [&](const SparseMatrix& x, const SparseMatrix& y, const char* what) {
      const MatrixX full(x), want(y);
      double worst = 0;
      for (size_t i = 0; i < a.mesh.nodes.size(); ++i)
        for (size_t j = 0; j < a.mesh.nodes.size(); ++j)
          for (size_t r = 0; r < 2; ++r) {
            const int row = a.mesh.nodes[i].translations()[r], own = b.mesh.nodes[i].translations()[r];
            for (size_t c = 0; c < 2; ++c)
              worst = std::max(worst, std::abs(full(row, a.mesh.nodes[j].translations()[c]) -
                                               want(own, b.mesh.nodes[j].translations()[c])));
            worst = std::max(worst, std::abs(full(row, a.mesh.nodes[j].phi())));
          }
      EXPECT_LE(worst, 1e-12 * want.cwiseAbs().maxCoeff()) << element << ", " << what;
    };
    compare(a.full.calc_mass(), b.full.calc_mass(), "M");
    compare(a.full.calc_stiffness(a.calc_factors(0)), b.full.calc_stiffness(b.calc_factors(0)), "stiffness");
    compare(a.full.calc_velocity(a.calc_factors(0)), b.full.calc_velocity(b.calc_factors(0)), "Coriolis");
  }
}

// All formalisms give the same modes of a spinning plate; a few digits are lost in the eigenproblem.
TEST(Voids, FormalismsAgreeOnASpinningPlate) {
  Constants m;
  m.kappa = 1e-4;
  Model model = make_plate(m, "voids_q4", "stress", 0.1, 0.08, 3, 2,
                           "clamp = [\"left\"]\n[body.b.motion]\nkind = \"spin\"\nspeed = 2000\n");
  const std::vector<double> want = frequencies(model, 12);
  for (const Formalism* formalism : formalisms().list()) {
    model.formalism.value = std::string(formalism->name());
    const std::vector<double> got = frequencies(model, 12);
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-9 * want[k]) << formalism->name();
  }
  // Projected from free elements too.
  model.formalism.value = "maggi";
  const std::vector<double> projected = frequencies(model, 12);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(projected[k], want[k], 1e-9 * want[k]);
}

// The stress of a spinning disc-like plate holds its turn: as for membranes, K + Ω²S + Kg maps the turn of a free plate
// to zero, now that part βφ of the stress is in Kg.
TEST(Voids, FreeSpinningPlate) {
  for (const std::string& element : kElements) {
    const Model model = make_plate({}, element, "stress", 0.1, 0.08, 4, 3,
                                   "[body.b.motion]\nkind = \"spin\"\nspeed = 1000\nthrough = [0.05, 0.04, 0]\n");
    const BodySystem s = make_body_system(model, model.bodies[0]);
    ASSERT_EQ(s.rigid.cols(), 3);
    VectorX turn = VectorX::Zero(s.mesh.n_dofs());
    for (const Node& node : s.mesh.nodes) {
      turn[node.translations()[0]] = -(node.x[1] - 0.04);
      turn[node.translations()[1]] = node.x[0] - 0.05;
    }
    const SparseMatrix K = s.full.calc_stiffness(s.calc_factors(0));
    EXPECT_LE((K * turn).cwiseAbs().maxCoeff(), 1e-13 * (K.cwiseAbs() * turn.cwiseAbs()).maxCoeff()) << element;
  }
}

// ---- pores: the published table ----

const std::vector<std::pair<std::string, PorosityModel>> kModels = {
    {"mori_tanaka_holes", PorosityModel::mori_tanaka_holes},
    {"dilute_holes", PorosityModel::dilute_holes},
    {"mori_tanaka_spheres", PorosityModel::mori_tanaka_spheres},
    {"dilute_spheres", PorosityModel::dilute_spheres}};

// Displacement [mm] of a bar with 0 to 4 % voids, as printed in Table 1 of [Mare2024].
const std::vector<double> kPublished = {0.5126, 0.5322, 0.5524, 0.5586, 0.5723};

// A pulled bar grows longer by pores as its compliance does, whatever its length and load; ν = 0.3.
double growth(PorosityModel porosity_model, double porosity) {
  Model m = test::make_rod({.elements = 1});
  m.bodies[0].loads = {test::make_point_load("to", {1000, 0, 0})};
  const auto pull = [&] { return column(run_static(m), "rod_displacements", "u").back(); };
  const double dense = pull();
  m.materials[0].porosity = porosity;
  m.materials[0].porosity_model = porosity_model;
  return 100 * (pull() / dense - 1);
}

// The page has a row for each share of voids: printed growth, then those of the models, in %, in the order of kModels.
TEST(Voids, PublishedTable) {
  std::ifstream page(ELODYN_SOURCE_DIR "/docs/theory/voids.md");
  std::string text((std::istreambuf_iterator<char>(page)), {});
  std::vector<double> furthest(kModels.size(), 0);
  for (size_t percent = 1; percent <= 4; ++percent) {
    const double printed = 100 * (kPublished[percent] / kPublished[0] - 1);
    std::string row = fmt::format("| {} % | {:.2f} |", percent, printed);
    for (size_t k = 0; k < kModels.size(); ++k) {
      const double found = growth(kModels[k].second, 0.01 * static_cast<double>(percent));
      furthest[k] = std::max(furthest[k], std::abs(found - printed));
      row += fmt::format(" {:.2f} |", found);
    }
    EXPECT_NE(text.find(row), std::string::npos) << "not on the page: " << row;
  }
  std::string row = "| furthest | |";
  for (const double off : furthest) row += fmt::format(" {:.2f} |", off);
  EXPECT_NE(text.find(row), std::string::npos) << "not on the page: " << row;
  EXPECT_EQ(std::min_element(furthest.begin(), furthest.end()) - furthest.begin(), 0);  // Mori and Tanaka, holes
}

}  // namespace
}  // namespace elodyn
