// Springs between points and to the ground, temperature, distributed couples and several bodies, each against statics
// or dynamics by hand. First-order statics where Kg is switched off.
#include "tests/support/structures.hpp"

namespace elodyn {
namespace {

using namespace test;

// ---- Springs between points ----

// Two cantilevers one above the other, their tips joined by a spring k: the load F on one goes to both.
TEST(SpringsBetween, CoupledCantilevers) {
  const double L = 1.2, k = 300, F = 8, k1 = 3 * kE * kIz / (L * L * L);
  for (const Kind& kind : kKinds)
    for (const char* key : {"stiffness = [0, 300, 0]", "axial_stiffness = 300"}) {
      const Results r =
          solve(read(kind, 1, R"(points = {{ A = [0, 0, 0], B = [{0}, 0, 0], C = [0, 0.3, 0], D = [{0}, 0.3, 0] }}
clamp = ["A", "C"]
member.lower = {{ from = "A", to = "B", elements = 2 }}
member.upper = {{ from = "C", to = "D", elements = 2 }}
spring = [{{ at = "B", to = "D", {1} }}]
load = [{{ at = "B", force = [0, {2}, 0] }}]
)",
                     L, key, F));
      const double det = (k1 + k) * (k1 + k) - k * k;
      EXPECT_RATIO(displacement(r, "B", "v"), F * (k1 + k) / det, kStatic) << kind.text() << key;
      EXPECT_RATIO(displacement(r, "D", "v"), F * k / det, kStatic);
    }
}

// A turning spring between the ends of two beams that point at each other, a negligible distance apart.
TEST(SpringsBetween, BushingThatTurns) {
  const double L = 0.9, c = 40, T = 3;
  for (const Kind& kind : kKinds) {
    const Results r =
        solve(read(kind, 1, R"(points = {{ A = [0, 0, 0], B = [{0}, 0, 0], C = [{1}, 0, 0], D = [{2}, 0, 0] }}
clamp = ["A", "D"]
member.left = {{ from = "A", to = "B", elements = 2 }}
member.right = {{ from = "C", to = "D", elements = 2 }}
spring = [{{ at = "B", to = "C", rotational_stiffness = [0, 0, {3}] }}]
load = [{{ at = "B", moment = [0, 0, {4}] }}]
)",
                   L, L + 1e-6, 2 * L + 1e-6, c, T));
    const double c1 = kE * kIz / L, det = (c1 + c) * (c1 + c) - c * c;
    EXPECT_RATIO(displacement(r, "B", "rz"), T * (c1 + c) / det, kStatic) << kind.text();
    EXPECT_RATIO(displacement(r, "C", "rz"), T * c / det, kStatic);
  }
}

// Springs between distant points do not hold the body as a whole.
TEST(SpringsBetween, RigidMotionsAreFree) {
  for (const Kind& kind : kKinds) {
    const Results r =
        find_modes(read(kind, 800, R"(points = {{ A = [0, 0, 0], B = [1, 0, 0], C = [0.3, 0.6, {0}], D = [1, 0.9, 0] }}
member.lower = {{ from = "A", to = "B", elements = 2 }}
member.upper = {{ from = "C", to = "D", elements = 2 }}
spring = [{{ at = "A", to = "C", stiffness = [1e3, 2e3, {1}], rotational_stiffness = [{2}, {2}, 50], axial_stiffness = 500 }},
          {{ at = "B", to = "D", stiffness = [4e3, 1e3, {1}], damping = [0, 0, 0] }}]
)",
                        kind.spatial() ? 0.4 : 0, kind.spatial() ? 1500 : 0, kind.spatial() ? 70 : 0),
                   kind.spatial() ? 7 : 4);
    const size_t n = kind.spatial() ? 6 : 3;
    ASSERT_GT(r.modes.size(), n);
    for (size_t k = 0; k < n; ++k) {
      EXPECT_EQ(r.modes[k].label, "rigid") << kind.text();
      EXPECT_LT(r.modes[k].omega, 1e-4 * r.modes[n].omega) << kind.text();  // the square root of round-off
    }
    EXPECT_NE(r.modes[n].label, "rigid");
  }
}

// A mass m at the end of a radial spring k from e to e + L on a spinning body, with soft springs s to the frame:
// its pull N = mΩ²(e + L)k/(k + s) gives N/L across. Out of the plane ω² = (s + N/L)/m; in it the radial and the
// tangential motion are coupled by Coriolis forces.
TEST(SpringsBetween, PullOfTheAxialSpring) {
  const double e = 0.2, L = 0.5, mass = 0.8, k = 5000, s = 30, speed = 20;
  for (const int dimension : {2, 3}) {
    const bool spatial = dimension == 3;
    const Model m = read({dimension, 3}, kLight,
                         R"(points = {{ A = [{0}, 0, 0], B = [{0}, 0.1, 0], C = [{1}, 0, 0], D = [{1}, 0.1, 0] }}
clamp = ["A"]
member.root = {{ from = "A", to = "B", elements = 1 }}
member.tip = {{ from = "C", to = "D", elements = 1 }}
mass = [{{ at = "C", mass = {2}, {8} }}]
spring = [{{ at = "A", to = "C", axial_stiffness = {3} }},
          {{ at = "C", stiffness = [{4}, {4}, {5}], rotational_stiffness = [{6}, {6}, 1000] }}]
motion = {{ kind = "spin", speed = {7} }}
)",
                         e, e + L, mass, k, s, spatial ? s : 0, spatial ? 1000 : 0, speed, inertia(spatial));
    const double w2 = speed * speed, N = mass * w2 * (e + L) * k / (k + s);
    const double kr = (k + s) / mass - w2, kt = (s + N / L) / mass - w2;
    // (x + kr)(x + kt) + 4Ω²x = 0 with x = λ²
    const double b = kr + kt + 4 * w2, root = std::sqrt(b * b / 4 - kr * kt);
    std::vector<double> expected = {std::sqrt(b / 2 - root), std::sqrt(b / 2 + root)};
    if (spatial) expected.push_back(std::sqrt((s + N / L) / mass));
    std::sort(expected.begin(), expected.end());
    const Results r = find_modes(soften(m), static_cast<int>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_RATIO(r.modes[i].omega, expected[i], 1e-6) << dimension << i;
  }
}

// A dashpot c between a mass m on a massless cantilever and a fixed point: roots of mλ² + cλ + k.
TEST(SpringsBetween, Dashpot) {
  const double L = 1, rho = 0.1, tip = 3, k = 3 * kE * kIz / (L * L * L);
  const double mass = tip + 33.0 / 140 * rho * kA * L;  // the beam's share, to the square of its part
  for (const double ratio : {0.1, 0.7}) {
    const double c = 2 * ratio * std::sqrt(k * mass);
    for (const char* key : {"damping = [0, {}, 0]", "axial_damping = {}"})
      for (const int dimension : {2, 3}) {
        const Results r =
            find_modes(read({dimension, 3}, rho,
                            R"(points = {{ A = [0, 0, 0], B = [{0}, 0, 0], C = [0, 0.4, 0], D = [{0}, 0.4, 0] }}
clamp = ["A", "C", "D"]
member.arm = {{ from = "A", to = "B", elements = 1 }}
member.wall = {{ from = "C", to = "D", elements = 2 }}
mass = [{{ at = "B", mass = {1} }}]
spring = [{{ at = "B", to = "D", {2} }}]
)",
                            L, tip, fmt::format(fmt::runtime(key), c)),
                       3);
        const Complex expected(-ratio * std::sqrt(k / mass), std::sqrt(k / mass * (1 - ratio * ratio)));
        double best = 1;
        for (const Complex& got : eigenvalues(r)) best = std::min(best, std::abs(got - expected) / std::abs(expected));
        EXPECT_LT(best, 1e-6) << ratio << key << dimension;
      }
  }
}

// ---- Springs to the ground ----

// Jeffcott's rotor seen from the turning frame, ζ = x + iy, stationary (s) and rotating (r) damping:
//   mλ² + (2imΩ + c_s + c_r)λ + k − mΩ² + iΩc_s = 0
// The stationary part always damps; the rotating one drives whirl above the critical speed ω₀(1 + c_s/c_r).
TEST(GroundSprings, JeffcottRotor) {
  const double mass = 2, k = 800, w0 = std::sqrt(k / mass);
  for (const int dimension : {2, 3})
    for (const auto& [cs, cr] : {std::pair{0.0, 0.0}, {6.0, 0.0}, {0.0, 4.0}, {3.0, 4.0}})
      for (const double speed : {0.4 * w0, 1.5 * w0, 2.5 * w0, -1.5 * w0}) {
        const bool spatial = dimension == 3;
        const Model m =
            read({dimension, 3}, kLight, R"(points = {{ A = [-0.05, 0, 0], O = [0, 0, 0], B = [0.05, 0, 0] }}
member.stub = {{ from = "A", to = "B", elements = 2 }}
mass = [{{ at = "O", mass = {0}, {7} }}]
spring = [{{ at = "O", other = "ground", stiffness = [{1}, {1}, {5}], damping = [{2}, {2}, 0] }},
          {{ at = "O", damping = [{3}, {3}, 0], rotational_stiffness = [{6}, {6}, 1000] }}]
motion = {{ kind = "spin", speed = {4} }}
)",
                 mass, k, cs, cr, speed, spatial ? 1e6 : 0, spatial ? 1000 : 0, inertia(spatial));
        const std::vector<Complex> expected =
            roots(mass, Complex(cs + cr, 2 * mass * speed), Complex(k - mass * speed * speed, speed * cs));
        const std::vector<Complex> got = eigenvalues(find_modes(soften(m), 2));
        for (size_t i = 0; i < 2; ++i)
          EXPECT_LT(std::abs(got.at(i) - expected[i]), 1e-6 * w0)
              << cs << " " << cr << " " << speed << " " << dimension;
        const bool grows = cr > 0 && std::abs(speed) > w0 * (1 + cs / cr);
        EXPECT_EQ(std::max(got[0].real(), got[1].real()) > 1e-9 * w0, grows);
      }
}

// A disc that tilts on turning springs to the ground, spin Ω about x, φ = θy + iθz in the turning frame:
//   I(λ + iΩ)² − iI_pΩ(λ + iΩ) + c(λ + iΩ) + k = 0
TEST(GroundSprings, TiltingDisc) {
  const double I = 0.03, Ip = 0.05, k = 60, mass = 2;
  for (const double c : {0.0, 0.2})
    for (const double speed : {10.0, 60.0}) {
      const Model m = read({3, 3}, kLight, R"(points = {{ A = [-0.05, 0, 0], O = [0, 0, 0], B = [0.05, 0, 0] }}
member.stub = {{ from = "A", to = "B", elements = 2 }}
mass = [{{ at = "O", mass = {0}, inertia_tensor = [{1}, {2}, {2}, 0, 0, 0] }}]
spring = [{{ at = "O", other = "ground", stiffness = [1e6, 1e6, 1e6], rotational_stiffness = [0, {3}, {3}], rotational_damping = [0, {4}, {4}] }},
          {{ at = "O", rotational_stiffness = [1e5, 0, 0] }}]
motion = {{ kind = "spin", speed = {5}, axis = [2, 0, 0] }}
)",
                           mass, Ip, I, k, c, speed);
      const Complex i(0, 1);
      const std::vector<Complex> expected = roots(I, 2.0 * i * I * speed - i * Ip * speed + c,
                                                  -I * speed * speed + Ip * speed * speed + i * c * speed + k);
      const std::vector<Complex> got = eigenvalues(find_modes(soften(m), 2));
      for (size_t j = 0; j < 2; ++j)
        EXPECT_LT(std::abs(got.at(j) - expected[j]), 1e-6 * std::abs(expected[1])) << c << " " << speed;
    }
}

// A load that turns with the rotor against a spring and a dashpot to the ground: the steady state lags behind, and
// what holds it sums up to the load and the pull of the mass.
TEST(GroundSprings, SteadyStateAndReactions) {
  const double mass = 2, k = 800, c = 6, speed = 12, F = 5;
  const Results r = run_static(read({2, 3}, kLight, R"(points = {{ A = [-0.05, 0, 0], O = [0, 0, 0], B = [0.05, 0, 0] }}
member.stub = {{ from = "A", to = "B", elements = 2 }}
mass = [{{ at = "O", mass = {0} }}]
load = [{{ at = "O", force = [{4}, 0, 0] }}]
spring = [{{ at = "O", other = "ground", stiffness = [{1}, {1}, 0], damping = [{2}, {2}, 0] }},
          {{ at = "B", rotational_stiffness = [0, 0, 1000] }}]
motion = {{ kind = "spin", speed = {3} }}
)",
                                    mass, k, c, speed, F));
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const Complex z = F / Complex(k - mass * speed * speed, c * speed);
  EXPECT_NEAR(displacement(r, "O", "u"), z.real(), 1e-7 * std::abs(z));
  EXPECT_NEAR(displacement(r, "O", "v"), z.imag(), 1e-7 * std::abs(z));
  const Complex held = -Complex(k, c * speed) * z;
  EXPECT_NEAR(reaction(r, "O", "Fx"), held.real(), 1e-7 * std::abs(held));
  EXPECT_NEAR(reaction(r, "O", "Fy"), held.imag(), 1e-7 * std::abs(held));
}

// ---- Temperature ----

TEST(Temperature, FreeBarAndHeldBar) {
  const double L = 1.4, T = 60;
  for (const Kind& kind : kKinds) {
    const std::string text = R"(points = {{ A = [0, 0, 0], B = [{}, 0, 0] }}
clamp = [{}]
member.x = {{ from = "A", to = "B", elements = 3 }}
load = [{{ on = "x", temperature = {} }}]
)";
    const Results free = solve(read(kind, 1, text, L, "\"A\"", T));
    EXPECT_RATIO(displacement(free, "B", "u"), kAlpha * T * L, kStatic) << kind.text();
    EXPECT_NEAR(first_force(free, "x", "N"), 0, kStatic * kE * kA * kAlpha * T);
    const Results held = solve(read(kind, 1, text, L, "\"A\", \"B\"", T));
    EXPECT_RATIO(first_force(held, "x", "N"), -kE * kA * kAlpha * T, kStatic) << kind.text();
    EXPECT_RATIO(last_force(held, "x", "N"), -kE * kA * kAlpha * T, kStatic);
    EXPECT_RATIO(reaction(held, "A", "Fx"), kE * kA * kAlpha * T, kStatic);
    EXPECT_RATIO(reaction(held, "B", "Fx"), -kE * kA * kAlpha * T, kStatic);
  }
}

// A bar between two clamps buckles when EAαT = 4π²EI/L².
TEST(Temperature, Buckling) {
  const double L = 1.4;
  for (const int dimension : {2, 3}) {
    Model m = read({dimension, 5}, 1, R"(points = {{ A = [0, 0, 0], B = [{}, 0, 0] }}
clamp = ["A", "B"]
member.x = {{ from = "A", to = "B", elements = 12 }}
load = [{{ on = "x", temperature = 1 }}]
)",
                   L);
    m.buckling = BucklingRequest{};
    m.buckling->vary = BucklingRequest::Vary::applied;
    const Results r = run_buckling(m);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    EXPECT_RATIO(numbers(r, "buckling", "factor").at(0), 4 * pi * pi * kIz / (L * L * kA * kAlpha), 1e-8);
  }
}

// Hotter towards +y (+z): the free beam bends away from there, v'' = −αg; held at both ends Mz = EIz αg, My = −EIy αg.
TEST(Temperature, Gradients) {
  const double L = 1.1, gy = 300, gz = -200;
  for (const Kind& kind : kKinds) {
    const std::string text = R"(points = {{ A = [0, 0, 0], B = [{}, 0, 0] }}
clamp = [{}]
member.x = {{ from = "A", to = "B", elements = 2 }}
load = [{{ on = "x", gradient_y = {}, gradient_z = {} }}]
)";
    const double of_z = kind.spatial() ? gz : 0, scale = kE * kIy * kAlpha * gy;
    const Results free = solve(read(kind, 1, text, L, "\"A\"", gy, of_z));
    EXPECT_RATIO(displacement(free, "B", "v"), -kAlpha * gy * L * L / 2, kStatic) << kind.text();
    EXPECT_RATIO(displacement(free, "B", "rz"), -kAlpha * gy * L, kStatic) << kind.text();
    EXPECT_NEAR(first_force(free, "x", moment_name(kind)), 0, kStatic * scale);
    const Results held = solve(read(kind, 1, text, L, "\"A\", \"B\"", gy, of_z));
    EXPECT_RATIO(first_force(held, "x", moment_name(kind)), kE * kIz * kAlpha * gy, kStatic) << kind.text();
    EXPECT_RATIO(last_force(held, "x", moment_name(kind)), kE * kIz * kAlpha * gy, kStatic);
    EXPECT_RATIO(reaction(held, "B", "Mz"), kE * kIz * kAlpha * gy, kStatic);
    if (!kind.spatial()) continue;
    EXPECT_RATIO(displacement(free, "B", "w"), -kAlpha * gz * L * L / 2, kStatic);
    EXPECT_RATIO(displacement(free, "B", "ry"), kAlpha * gz * L, kStatic);
    EXPECT_RATIO(first_force(held, "x", "My"), -kE * kIy * kAlpha * gz, kStatic);
    // The section turned: its z along body y, its y along −z.
    Model turned = read(kind, 1, text, L, "\"A\"", gy, of_z);
    turned.bodies[0].orientation = Vec3::UnitY();
    const Results r = solve(turned);
    EXPECT_RATIO(displacement(r, "B", "v"), -kAlpha * gz * L * L / 2, kStatic);
    EXPECT_RATIO(displacement(r, "B", "w"), kAlpha * gy * L * L / 2, kStatic);
  }
}

// A gradient on one of two members in a line: only that one bends, the other one follows straight.
TEST(Temperature, GradientOnPartOfABeam) {
  const double a = 0.6, b = 0.9, g = 400;
  for (const Kind& kind : kKinds) {
    const Results r = solve(read(kind, 1, R"(points = {{ A = [0, 0, 0], B = [{}, 0, 0], C = [{}, 0, 0] }}
clamp = ["A"]
member.hot = {{ from = "A", to = "B", elements = 2 }}
member.cold = {{ from = "B", to = "C", elements = 2 }}
load = [{{ on = "hot", gradient_y = {} }}]
)",
                                 a, a + b, g));
    EXPECT_RATIO(displacement(r, "B", "v"), -kAlpha * g * a * a / 2, kStatic) << kind.text();
    EXPECT_RATIO(displacement(r, "C", "v"), -kAlpha * g * a * (a / 2 + b), kStatic) << kind.text();
    EXPECT_NEAR(last_force(r, "hot", moment_name(kind)), 0, kStatic * kE * kIz * kAlpha * g) << kind.text();
  }
}

// ---- Distributed couples ----

// Cantilever under a couple m per length: M = m(L − x), v = m(Lx²/2 − x³/6)/EI; twist t(Lx − x²/2)/GJ.
TEST(DistributedCouples, Cantilever) {
  const double L = 1.3, mz = 4, my = -3, mx = 2;
  for (const Kind& kind : kKinds)
    for (const char* element : {"beam_euler_bernoulli", "beam_rayleigh"}) {
      Model m = read(kind, 1, R"(points = {{ A = [0, 0, 0], B = [{}, 0, 0] }}
clamp = ["A"]
member.x = {{ from = "A", to = "B", elements = 3 }}
load = [{{ on = "x", moment_per_length = [{}, {}, {}] }}]
)",
                     L, kind.spatial() ? mx : 0, kind.spatial() ? my : 0, mz);
      m.bodies[0].element.value = element;
      const Results r = solve(m);
      EXPECT_RATIO(displacement(r, "B", "v"), mz * L * L * L / (3 * kE * kIz), kStatic) << kind.text();
      EXPECT_RATIO(displacement(r, "B", "rz"), mz * L * L / (2 * kE * kIz), kStatic) << kind.text();
      EXPECT_RATIO(first_force(r, "x", moment_name(kind)), mz * L, kStatic) << kind.text();
      EXPECT_NEAR(last_force(r, "x", moment_name(kind)), 0, kStatic * mz * L) << kind.text();
      EXPECT_NEAR(first_force(r, "x", kind.spatial() ? "Ty" : "T"), 0, kStatic * mz);
      EXPECT_RATIO(reaction(r, "A", "Mz"), -mz * L, kStatic);
      if (!kind.spatial()) continue;
      EXPECT_RATIO(displacement(r, "B", "w"), -my * L * L * L / (3 * kE * kIy), kStatic);
      EXPECT_RATIO(displacement(r, "B", "ry"), my * L * L / (2 * kE * kIy), kStatic);
      EXPECT_RATIO(displacement(r, "B", "rx"), mx * L * L / (2 * kG * kJ), kStatic);
      EXPECT_RATIO(first_force(r, "x", "Mx"), mx * L, kStatic);
      EXPECT_RATIO(first_force(r, "x", "My"), my * L, kStatic);
    }
}

// ---- Several bodies ----

TEST(SeveralBodies, EachAsInAFileOfItsOwn) {
  const std::string one = R"(points = {{ A = [0, 0, 0], B = [1, 0, 0] }}
clamp = ["A"]
member.x = {{ from = "A", to = "B", elements = 4 }}
motion = {{ kind = "spin", speed = {}, through = [-0.2, 0, 0] }}
)";
  const std::string two = R"([body.c]
element = "beam_rayleigh"
dimension = 3
material = "m"
section = "s"
points = {{ A = [0, 0, 0], B = [0, 1.2, 0] }}
clamp = ["A"]
member.x = {{ from = "A", to = "B", elements = 3 }}
load = [{{ at = "B", force = [0, 0, 4] }}]
motion = {{ kind = "prescribed", acceleration = [0, 0, 3], angular_velocity = [5, 0, 0] }}
)";
  Model both = read({2, 3}, 900, one + two, 25);
  both.modes = ModesRequest{};
  both.modes->count = 8;
  both.static_ = StaticRequest{};
  const Results together = run_all(both);
  ASSERT_TRUE(together.outcome.ok()) << together.outcome.message;
  std::vector<Mode> apart;
  for (const size_t i : {0u, 1u}) {
    Model alone = both;
    alone.bodies = {both.bodies[i]};
    const Results r = run_all(alone);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    apart.insert(apart.end(), r.modes.begin(), r.modes.end());
    for (const char* name : {"_displacements", "_reactions", "_forces"}) {
      const Table *a = r.find_table(both.bodies[i].name + name), *b = together.find_table(both.bodies[i].name + name);
      ASSERT_TRUE(a && b);
      ASSERT_EQ(a->columns.size(), b->columns.size());
      for (size_t c = 0; c < a->columns.size(); ++c) EXPECT_EQ(a->columns[c].values, b->columns[c].values);
    }
  }
  std::stable_sort(apart.begin(), apart.end(), [](const Mode& a, const Mode& b) { return a.omega < b.omega; });
  ASSERT_EQ(together.modes.size(), 2 * 8u);
  ASSERT_EQ(together.modes.size(), apart.size());
  for (size_t k = 0; k < apart.size(); ++k) {
    EXPECT_EQ(together.modes[k].body, apart[k].body);
    EXPECT_DOUBLE_EQ(together.modes[k].omega, apart[k].omega);
  }
}

}  // namespace
}  // namespace elodyn
