// Hinges, offsets and rigid links, each against statics or dynamics by hand. First-order statics where Kg is switched
// off.
#include "tests/support/structures.hpp"

namespace elodyn {
namespace {

using namespace test;

// ---- Hinges ----

// Clamped at A, hinged in B, on rollers in C; a load per length on BC. The hinge passes on half of that load.
TEST(Releases, GerberBeam) {
  const double a = 1.2, b = 0.8, w = 30;
  for (const Kind& kind : kKinds) {
    Model m = read(kind, 1, R"(points = {{ A = [0, 0, 0], B = [{}, 0, 0], M = [{}, 0, 0], C = [{}, 0, 0] }}
clamp = ["A"]
[[body.b.roller]]
at = "C"
normal = [0, 1, 0]
[body.b.member.arm]
from = "A"
to = "B"
elements = 3
release_to = ["rz"{}]
[body.b.member.span]
from = "B"
to = "C"
elements = 4
[[body.b.load]]
on = "span"
force_per_length = [0, -{}, {}]
{})",
                   a, a + b / 2, a + b, kind.spatial() ? ", \"ry\"" : "", w, kind.spatial() ? 2 * w : 0,
                   kind.spatial() ? "[[body.b.roller]]\nat = \"C\"\nnormal = [0, 0, 1]\n" : "");
    const Results r = solve(m);
    const auto check = [&](double q, double I, const char* v, const char* F) {
      const double V = q * b / 2, tip = V * a * a * a / (3 * kE * I);
      EXPECT_RATIO(displacement(r, "B", v), tip, kStatic) << kind.text() << v;
      EXPECT_RATIO(displacement(r, "M", v), tip / 2 + 5 * q * std::pow(b, 4) / (384 * kE * I), kStatic) << kind.text();
      EXPECT_RATIO(reaction(r, "A", F), -V, kStatic) << kind.text();
      EXPECT_RATIO(reaction(r, "C", F), -V, kStatic) << kind.text();
    };
    check(-w, kIz, "v", "Fy");
    EXPECT_RATIO(reaction(r, "A", "Mz"), w * b / 2 * a, kStatic);
    if (kind.spatial()) {
      check(2 * w, kIy, "w", "Fz");
      EXPECT_RATIO(reaction(r, "A", "My"), w * b * a, kStatic);
      EXPECT_NEAR(last_force(r, "arm", "My"), 0, kStatic * w);
    }
    EXPECT_NEAR(last_force(r, "arm", moment_name(kind)), 0, kStatic * w) << kind.text();
    EXPECT_NEAR(first_force(r, "span", moment_name(kind)), 0, kStatic * w) << kind.text();
    EXPECT_RATIO(first_force(r, "arm", moment_name(kind)), -w * b / 2 * a, kStatic) << kind.text();
  }
}

// Three-hinged frame of height h and span l under a load w on its beam: thrust H = wl²/8h, corner moment Hh.
TEST(Releases, ThreeHingedFrame) {
  const double h = 2, l = 3, w = 50;
  for (const int degree : {3, 5}) {
    const Results r = solve(
        read({2, degree}, 1,
             R"(points = {{ A = [0, 0, 0], B = [0, {1}, 0], C = [{2}, {1}, 0], D = [{0}, {1}, 0], E = [{0}, 0, 0] }}
pin = ["A", "E"]
member.left = {{ from = "A", to = "B", elements = 2 }}
member.beam1 = {{ from = "B", to = "C", elements = 2 }}
member.beam2 = {{ from = "C", to = "D", elements = 2, release_from = ["rz"] }}
member.right = {{ from = "D", to = "E", elements = 2 }}
load = [{{ on = "beam1", force_per_length = [0, -{3}, 0] }}, {{ on = "beam2", force_per_length = [0, -{3}, 0] }}]
)",
             l, h, l / 2, w));
    const double H = w * l * l / (8 * h);
    EXPECT_RATIO(reaction(r, "A", "Fx"), H, kStatic);
    EXPECT_RATIO(reaction(r, "E", "Fx"), -H, kStatic);
    EXPECT_RATIO(reaction(r, "A", "Fy"), w * l / 2, kStatic);
    EXPECT_NEAR(last_force(r, "beam1", "M"), 0, kStatic * H * h);
    EXPECT_RATIO(first_force(r, "beam1", "M"), -H * h, kStatic);
    EXPECT_RATIO(last_force(r, "beam1", "N"), -H, kStatic);
  }
}

// Clamped at both ends with a hinge about one axis in the middle, in any direction: half of the load on each side as
// on a cantilever (rz, ry), or all of a torque on the side that the node belongs to (rx).
TEST(Releases, OneAxisInASkewDirection) {
  const double a = 0.7, F = 12;
  const Eigen::AngleAxisd turns[] = {Eigen::AngleAxisd::Identity(),
                                     Eigen::AngleAxisd(1.1, Vec3(0.3, -0.5, 0.8).normalized())};
  for (const int degree : {3, 5})
    for (const Eigen::AngleAxisd& turn : turns)
      for (int axis = 0; axis < 3; ++axis) {
        const Mat3 R = turn.toRotationMatrix();
        Model m = read({3, degree}, 1, R"(points = {{ A = [-1, 0, 0], B = [0, 0, 0], C = [1, 0, 0] }}
clamp = ["A", "C"]
orientation = [0, 0, 1]
member.left = {{ from = "A", to = "B", elements = 2 }}
member.right = {{ from = "B", to = "C", elements = 2, release_from = ["{}"] }}
load = [{{ at = "B", force = [0, 1, 0], moment = [1, 0, 0] }}]
)",
                       std::array{"rx", "ry", "rz"}[static_cast<size_t>(axis)]);
        Body& body = m.bodies[0];
        for (Point& p : body.points) p.x = R * (a * p.x);
        body.orientation = R * Vec3::UnitZ();
        body.loads[0].force = R * Vec3(0, F, F);
        body.loads[0].moment = R * Vec3(F, 0, 0);
        const Results r = solve(m);
        const Vec3 u =
            R.transpose() * Vec3(displacement(r, "B", "u"), displacement(r, "B", "v"), displacement(r, "B", "w"));
        const Vec3 t =
            R.transpose() * Vec3(displacement(r, "B", "rx"), displacement(r, "B", "ry"), displacement(r, "B", "rz"));
        const auto deflection = [&](double I, bool hinged) { return F * a * a * a / ((hinged ? 6 : 24) * kE * I); };
        EXPECT_RATIO(u[1], deflection(kIz, axis == 2), kStatic) << axis;
        EXPECT_RATIO(u[2], deflection(kIy, axis == 1), kStatic) << axis;
        EXPECT_RATIO(t[0], F * a / (kG * kJ) / (axis == 0 ? 1 : 2), kStatic) << axis;
        const char* const moments[] = {"Mx", "My", "Mz"};
        for (int k = 0; k < 3; ++k) {
          const double M = first_force(r, "right", moments[k]);
          if (k == axis)
            EXPECT_NEAR(M, 0, 1e-9 * F);
          else
            EXPECT_GT(std::abs(M), 0.1 * F * a / 8) << axis << k;
        }
      }
}

// Members hinged at both ends are bars: u = (Σ EA/L ttᵀ)⁻¹F and N = EA/L t·u.
TEST(Releases, TripodOfBars) {
  const Vec3 apex(0.2, 0.1, 1.5), F(3, -4, -20);
  const Vec3 feet[] = {{1, 0, 0}, {-0.6, 0.9, 0.1}, {-0.5, -0.8, 0}};
  for (const int degree : {3, 5})
    for (const int elements : {1, 3}) {
      std::string text = R"(points = {{ P = [0, 0, 0], A = [0, 0, 0], B = [0, 0, 0], C = [0, 0, 0] }}
clamp = ["A", "B", "C"]
load = [{{ at = "P", force = [{}, {}, {}] }}]
)";
      for (const char* foot : {"A", "B", "C"})
        text += fmt::format(
            "[body.b.member.{0}]\nfrom = \"{0}\"\nto = \"P\"\nelements = {1}\nrelease_from = [\"ry\", \"rz\"]\n"
            "release_to = [\"rx\", \"ry\", \"rz\"]\n",
            foot, elements);
      const std::string places =
          fmt::format("points = {{{{ P = [{}, {}, {}], A = [{}, {}, {}], B = [{}, {}, {}], C = [{}, {}, {}] }}}}\n",
                      apex[0], apex[1], apex[2], feet[0][0], feet[0][1], feet[0][2], feet[1][0], feet[1][1], feet[1][2],
                      feet[2][0], feet[2][1], feet[2][2]);
      text.replace(0, text.find('\n') + 1, places);
      const Results r = solve(read({3, degree}, 1, text, F[0], F[1], F[2]));
      Mat3 K = Mat3::Zero();
      for (const Vec3& foot : feet) {
        const Vec3 d = apex - foot;
        K += kE * kA / std::pow(d.norm(), 3) * d * d.transpose();
      }
      const Vec3 u = K.inverse() * F;
      const Vec3 got(displacement(r, "P", "u"), displacement(r, "P", "v"), displacement(r, "P", "w"));
      EXPECT_LT((got - u).norm(), kStatic * u.norm());
      for (int k = 0; k < 3; ++k) {
        const Vec3 d = apex - feet[k];
        const std::string name(1, static_cast<char>('A' + k));
        EXPECT_NEAR(first_force(r, name, "N"), kE * kA * d.dot(u) / d.squaredNorm(), 1e-8 * F.norm());
        for (const char* other : {"Ty", "Tz", "Mx", "My", "Mz"})
          EXPECT_NEAR(first_force(r, name, other), 0, 1e-8 * F.norm());
      }
    }
}

TEST(Releases, TwoBarsInThePlane) {
  const double h = 1, l = 0.75, F = 9;
  for (const int degree : {3, 5}) {
    const Results r = solve(read({2, degree}, 1, R"(points = {{ A = [-{0}, 0, 0], B = [{0}, 0, 0], P = [0, {1}, 0] }}
pin = ["A", "B"]
member.left = {{ from = "A", to = "P", elements = 2, release_from = ["rz"], release_to = ["rz"] }}
member.right = {{ from = "B", to = "P", elements = 2, release_from = ["rz"], release_to = ["rz"] }}
load = [{{ at = "P", force = [0, -{2}, 0] }}]
)",
                                 l, h, F));
    const double L = std::hypot(h, l), N = -F / 2 * L / h;
    EXPECT_RATIO(first_force(r, "left", "N"), N, kStatic);
    EXPECT_RATIO(displacement(r, "P", "v"), N * L / (kE * kA) * L / h, kStatic);
    EXPECT_TRUE(std::isnan(displacement(r, "P", "rz")));  // nothing there has a rotation of its own
  }
}

// A hinge at a clamp is a pin: ω = (nπ/L)²√(EI/ρA) of a beam with one at each end.
TEST(Releases, HingedBeamVibrates) {
  const double L = 1.5, rho = 800;
  for (const int dimension : {2, 3}) {
    const Model m = read({dimension, 5}, rho, R"(points = {{ A = [0, 0, 0], B = [{}, 0, 0] }}
clamp = ["A", "B"]
member.x = {{ from = "A", to = "B", elements = 8, release_from = ["rz"], release_to = ["rz"] }}
)",
                         L);
    int n = 0;
    for (const Mode& mode : find_modes(m, 6).modes) {
      const double first = mode.omega / (pi * pi / (L * L) * std::sqrt(kE * kIz / (rho * kA)));
      const double order = std::round(std::sqrt(first));
      if (mode.label != (dimension == 2 ? "bending" : "lag") || order > 3) continue;
      ++n;
      EXPECT_NEAR(std::sqrt(first), order, 1e-6) << dimension;
    }
    EXPECT_EQ(n, 3);
  }
}

// Two free beams on a hinge swing against each other; an inertia on a node that turns no member spins. Neither strains.
TEST(Releases, SwingingPartsAreRigid) {
  const Results pair = find_modes(read({2, 3}, 800, R"(points = {{ A = [0, 0, 0], B = [1, 0, 0], C = [2, 0, 0] }}
member.x = {{ from = "A", to = "B", elements = 4, release_to = ["rz"] }}
member.y = {{ from = "B", to = "C", elements = 4 }}
)"),
                                  5);
  const Results spinning = find_modes(read({2, 3}, 800, R"(points = {{ A = [0, 0, 0], B = [1, 0, 0] }}
clamp = ["A"]
member.x = {{ from = "A", to = "B", elements = 2, release_to = ["rz"] }}
mass = [{{ at = "B", mass = 1, inertia = 0.1 }}]
)"),
                                      2);
  ASSERT_EQ(pair.modes.size(), 5u);
  for (size_t k = 0; k < 5; ++k) EXPECT_EQ(pair.modes[k].label, k < 4 ? "rigid" : "bending") << k;
  ASSERT_EQ(spinning.modes.size(), 2u);
  EXPECT_EQ(spinning.modes[0].label, "rigid");
  EXPECT_EQ(spinning.modes[0].omega, 0);
  EXPECT_EQ(spinning.modes[1].label, "bending");
}

// ---- Offsets ----

const std::vector<const char*> kDisplacements2 = {"u", "v", "rz"}, kDisplacements3 = {"u", "v", "w", "rx", "ry", "rz"};

// A blade on a hinge at the distance e from the axis, held by nothing but its pull. Rigid, of length l:
//   flap ω² = Ω²(1 + 3e/2l),  lag ω² = Ω² 3e/2l.
// The blade bends a little: by an amount that goes with Ω² against the square of its first bending frequency, 600 Ω².
TEST(Releases, HingedBladeInASpin) {
  const double e = 0.2, l = 1, Omega = 1;
  for (const Kind& kind : kKinds)
    for (const char* axes : {"\"rz\"", "\"ry\"", "\"ry\", \"rz\""}) {
      const bool lag = std::string(axes).find("rz") != std::string::npos,
                 flap = std::string(axes).find("ry") != std::string::npos;
      if (flap && !kind.spatial()) continue;
      Model m = read(kind, 1000, R"(
points = {{ A = [0, 0, 0], B = [{}, 0, 0], C = [{}, 0, 0] }}
clamp = ["A"]
[body.b.member.hub]
from = "A"
to = "B"
elements = 1
[body.b.member.blade]
from = "B"
to = "C"
elements = 6
release_from = [{}]
[body.b.motion]
kind = "spin"
speed = {}
)",
                     e, e + l, axes, Omega);
      const Results r = find_modes(m, 3);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      std::vector<double> want;
      if (lag) want.push_back(Omega * std::sqrt(1.5 * e / l));
      if (flap) want.push_back(Omega * std::sqrt(1 + 1.5 * e / l));
      for (size_t k = 0; k < want.size(); ++k) {
        EXPECT_NEAR(r.modes[k].omega / want[k], 1, 2e-3) << kind.text() << ", " << axes;
        EXPECT_EQ(r.modes[k].label, "rigid");
      }
      // The hub is pulled by the blade's ρA l Ω² (e + l/2), and by its own mass.
      const Results still = run_static(m);
      ASSERT_TRUE(still.outcome.ok()) << still.outcome.message;
      const auto& N = std::get<std::vector<double>>(still.find_table("static")->columns[2].values);
      EXPECT_NEAR(N[0] / (1000 * kA * Omega * Omega * (l * (e + l / 2) + e * e / 2)), 1, 1e-5);  // it stretches
      m.bodies[0].motion.speed = 0;
      const Results rest = find_modes(m, 3);
      for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(rest.modes[k].omega, 0);
    }
}

// Two members that are both hinged about one axis where they meet are as if one were: the node between them stays
// still.
TEST(Releases, HingesOfBothMembers) {
  for (const Kind& kind : kKinds) {
    const auto frame = [&](const char* first, const char* second) {
      return find_modes(read(kind, 1000, R"(
points = {{ A = [0, 0, 0], B = [1, 0, 0], C = [2, 0, 0] }}
clamp = ["A", "C"]
[body.b.member.left]
from = "A"
to = "B"
elements = 4
release_to = [{}]
[body.b.member.right]
from = "B"
to = "C"
elements = 4
release_from = [{}]
)",
                             first, second),
                        6);
    };
    const Results one = frame("\"rz\"", ""), both = frame("\"rz\"", "\"rz\"");
    ASSERT_TRUE(one.outcome.ok() && both.outcome.ok()) << both.outcome.message;
    for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(both.modes[k].omega / one.modes[k].omega, 1, 1e-8) << kind.text() << k;
  }
}

// A free bar that is pushed along its axis is pressed where it is pushed, and its loads balance its acceleration; that
// the pressure also meets a turn of the whole bar does not matter.
TEST(Releases, FreeBarPushedAlongItsAxis) {
  for (const Kind& kind : kKinds) {
    const Model m = read(kind, 1000, R"(
line = {{ from = [0, 0, 0], to = [1, 0, 0], elements = 4 }}
[[body.b.load]]
at = "from"
force = [10, 0, 0]
)");
    const Results r = run_static(m);
    ASSERT_TRUE(r.outcome.ok()) << kind.text() << r.outcome.message;
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_NE(r.warnings[0].find("free to move"), std::string::npos);
    const Table& forces = *r.find_table("b_forces");
    const auto &s = std::get<std::vector<double>>(forces.columns[2].values),
               &N = std::get<std::vector<double>>(forces.columns[3].values);
    for (size_t k = 0; k < s.size(); k += 5) {  // the first station of each element
      const double at = static_cast<double>(k / 5) / 4;
      EXPECT_NEAR(s[k], at, 1e-12);
      EXPECT_NEAR(N[k], -10 * (1 - at), 1e-8) << kind.text();
    }
  }
}

// A beam on offsets equals the same beam with rigid links, loaded, at rest and spinning.
TEST(Offsets, EqualRigidLinks) {
  for (const Kind& kind : kKinds) {
    const double z1 = kind.spatial() ? 0.07 : 0, z2 = kind.spatial() ? -0.05 : 0;
    const std::string points =
        "points = {{ A = [0, 0, 0], B = [1, 0.2, 0], A2 = [0.1, 0.15, {0}], B2 = [0.9, 0.3, {1}] }}\nclamp = [\"A\"]\n";
    const std::string rest = R"(load = [{{ at = "B", force = [20, 3, 0], moment = [0, 0, 2] }}]
mass = [{{ at = "B", mass = 0.4 }}]
motion = {{ kind = "spin", speed = 12, through = [-0.3, 0, 0] }}
)";
    const Model offset = read(
        kind, 700,
        points +
            R"(member.x = {{ from = "A", to = "B", elements = 4, offset_from = [0.1, 0.15, {0}], offset_to = [-0.1, 0.1, {1}] }}
)" + rest,
        z1, z2);
    const Model link = read(kind, 700, points + R"(member.x = {{ from = "A2", to = "B2", elements = 4 }}
link = [{{ from = "A", to = ["A2"] }}, {{ from = "B", to = ["B2"] }}]
)" + rest,
                            z1, z2);
    const Results a = run_static(offset), b = run_static(link);
    ASSERT_TRUE(a.outcome.ok() && b.outcome.ok()) << a.outcome.message << b.outcome.message;
    const double size = std::abs(displacement(b, "B", "v"));
    for (const char* name : kind.spatial() ? kDisplacements3 : kDisplacements2)
      EXPECT_NEAR(displacement(a, "B", name), displacement(b, "B", name), kStatic * size) << kind.text() << name;
    for (const char* name : {"Fx", "Fy", "Mz"}) EXPECT_NEAR(reaction(a, "A", name), reaction(b, "A", name), 1e-7);
    const Results va = find_modes(offset, 5), vb = find_modes(link, 5);
    for (size_t k = 0; k < 5; ++k) EXPECT_RATIO(va.modes[k].omega, vb.modes[k].omega, 1e-8) << kind.text();
  }
}

// A pull P at a distance e from the axis bends by M = Pe everywhere.
TEST(Offsets, EccentricTension) {
  const double L = 2, e = 0.1, f = 0.06, P = 40;
  for (const Kind& kind : kKinds) {
    const Results r = solve(read(kind, 1, R"(points = {{ A = [0, 0, 0], B = [{0}, 0, 0] }}
clamp = ["A"]
load = [{{ at = "B", force = [{1}, 0, 0] }}]
member.x = {{ from = "A", to = "B", elements = 2, offset_from = [0, {2}, {3}], offset_to = [0, {2}, {3}] }}
)",
                                 L, P, e, kind.spatial() ? f : 0));
    // The axis lies at y = e above the line of the force: M about z = e × (−P at y) turns the tip by +Pe L/EI.
    EXPECT_RATIO(first_force(r, "x", moment_name(kind)), P * e, kStatic) << kind.text();
    EXPECT_RATIO(displacement(r, "B", "rz"), P * e * L / (kE * kIz), kStatic);
    EXPECT_RATIO(displacement(r, "B", "v"), P * e * L * L / (2 * kE * kIz), kStatic);
    // The force acts below the axis: it moves by the stretch and by the turn.
    EXPECT_RATIO(displacement(r, "B", "u") - (kind.spatial() ? P * f * f * L / (kE * kIy) : 0),
                 P * L / (kE * kA) + P * e * e * L / (kE * kIz), kStatic);
    EXPECT_RATIO(reaction(r, "A", "Fx"), -P, kStatic);
    EXPECT_NEAR(reaction(r, "A", "Mz"), 0, kStatic * P);  // the same line of force
    if (kind.spatial()) {
      EXPECT_RATIO(displacement(r, "B", "ry"), -P * f * L / (kE * kIy), kStatic);
      EXPECT_RATIO(displacement(r, "B", "w"), P * f * L * L / (2 * kE * kIy), kStatic);
      EXPECT_RATIO(first_force(r, "x", "My"), -P * f, kStatic);
    }
  }
}

double composite_tip(const Kind& kind, int elements, double h, double L, double force, double moment) {
  std::string text = "points = {{ P0 = [0, 0, 0]";
  for (int i = 1; i <= elements; ++i) text += fmt::format(", P{} = [{}, 0, 0]", i, L * i / elements);
  text += " }}\nclamp = [\"P0\"]\n";
  for (int i = 0; i < elements; ++i)
    for (const int side : {-1, 1})
      text += fmt::format(
          "member.{2}{0} = {{{{ from = \"P{0}\", to = \"P{1}\", elements = 1, offset_from = [0, {3}, 0], offset_to = "
          "[0, "
          "{3}, 0] }}}}\n",
          i, i + 1, side > 0 ? "top" : "bottom", side * h / 2);
  text += fmt::format("load = [{{{{ at = \"P{}\", force = [0, {}, 0], moment = [0, 0, {}] }}}}]\n", elements, force,
                      moment);
  return displacement(solve(read(kind, 1, text)), fmt::format("P{}", elements), "v");
}

// Two beams h apart, tied at every node, are one of EI = 2(EI₁ + EA h²/4): exactly for a constant moment; for a shear
// force the push between nodes is passed on in steps, and the error goes with the square of their distance.
TEST(Offsets, ParallelAxes) {
  const double h = 0.2, L = 2, EI = 2 * (kE * kIz + kE * kA * h * h / 4);
  for (const Kind& kind : kKinds) {
    EXPECT_RATIO(composite_tip(kind, 4, h, L, 0, 5), 5 * L * L / (2 * EI), kStatic) << kind.text();
    const double exact = 5 * L * L * L / (3 * EI), coarse = composite_tip(kind, 8, h, L, 5, 0) - exact,
                 fine = composite_tip(kind, 16, h, L, 5, 0) - exact;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.02) << kind.text();
  }
}

// ---- Rigid links ----

// A mass on a link below a pin, with a spring against turning: (c + mgl)/(ml² + J). The stub of a beam that the program
// asks for has no weight.
TEST(Links, Pendulum) {
  const double l = 0.8, mass = 1.5, g = 9.81;
  for (const double c : {0.0, 4.0, 20.0})
    for (const int sign : {-1, 1}) {  // hanging, standing
      const double J = 0.05, K = c - sign * mass * g * l;
      Model m = read({2, 3}, kLight, R"(points = {{ A = [0, 0, 0], B = [0.1, 0, 0], C = [0, {}, 0] }}
pin = ["A"]
member.stub = {{ from = "A", to = "B", elements = 1 }}
link = [{{ from = "A", to = ["C"] }}]
mass = [{{ at = "C", mass = {}, inertia = {} }}]
spring = [{{ at = "A", rotational_stiffness = [0, 0, {}] }}]
)",
                     sign * l, mass, J, c);
      m.gravity = {0, -g, 0};
      const Mode mode = find_modes(m, 1).modes[0];
      EXPECT_RATIO(K > 0 ? mode.omega : mode.growth, std::sqrt(std::abs(K) / (mass * l * l + J)), 1e-7) << c << sign;
      EXPECT_NEAR(K > 0 ? mode.growth : mode.omega, 0, 1e-7);
    }
}

// In space, with a full inertia tensor: K = mgl on both turns across the link, M = ml² + I.
TEST(Links, SpatialPendulumWithATensor) {
  const double l = 0.8, mass = 1.5, g = 9.81;
  for (const bool chain : {false, true}) {
    Model m = read(
        {3, 3}, kLight, R"(points = {{ A = [0, 0, 0], B = [0.1, 0, 0], H = [0.3, 0, -0.2], C = [0, 0, -{}] }}
pin = ["A"]
member.stub = {{ from = "A", to = "B", elements = 1 }}
link = [{}]
mass = [{{ at = "C", mass = {}, inertia_tensor = [0.2, 0.3, 0.25, 0.06, 0.0, 0.0] }}]
spring = [{{ at = "A", rotational_stiffness = [0, 0, 5] }}]
)",
        l, chain ? R"({ from = "H", to = ["C"] }, { from = "A", to = ["H"] })" : R"({ from = "A", to = ["C"] })", mass);
    m.gravity = {0, 0, -g};
    Eigen::Matrix2d M;
    M << mass * l * l + 0.2, 0.06, 0.06, mass * l * l + 0.3;
    const Eigen::Vector2d mu = M.selfadjointView<Eigen::Lower>().eigenvalues();
    std::vector<double> expected = {std::sqrt(mass * g * l / mu[1]), std::sqrt(mass * g * l / mu[0]),
                                    std::sqrt(5 / 0.25)};
    std::sort(expected.begin(), expected.end());
    const Results r = find_modes(m, 3);
    for (size_t k = 0; k < 3; ++k) EXPECT_RATIO(r.modes[k].omega, expected[k], 1e-6) << chain << k;
  }
}

// A flat rigid body hinged at a distance e from the axis of a spin Ω about z, its mass centre l further out:
//   flap ω² = Ω²(1 + e m l/Jy), lag ω² = Ω² e m l/Jz, twist ω = Ω, with Jy = ml² + Iy, Jz = ml² + Iz.
TEST(Links, FlapLagAndTwistInASpin) {
  const double e = 0.3, l = 0.9, mass = 2, speed = 15, Ix = 0.02, Iy = 0.15, Iz = Ix + Iy;
  const Model m = read({3, 3}, kLight, R"(points = {{ A = [{0}, 0, 0], B = [{0}, 0.1, 0], C = [{1}, 0, 0] }}
pin = ["A"]
member.stub = {{ from = "A", to = "B", elements = 1 }}
link = [{{ from = "A", to = ["C"] }}]
mass = [{{ at = "C", mass = {2}, inertia_tensor = [{3}, {4}, {5}, 0, 0, 0] }}]
motion = {{ kind = "spin", speed = {6} }}
)",
                       e, e + l, mass, Ix, Iy, Iz, speed);
  const double Jy = mass * l * l + Iy, Jz = mass * l * l + Iz, h = e * mass * l;
  std::vector<double> expected = {speed * std::sqrt(1 + h / Jy), speed * std::sqrt(h / Jz), speed};
  std::sort(expected.begin(), expected.end());
  const Results r = find_modes(soften(m), 3);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_RATIO(r.modes[k].omega, expected[k], 1e-6) << k;
    EXPECT_NEAR(r.modes[k].growth, 0, 1e-6 * speed);
  }
}

// A rigid bar on a turning spring c buckles at P = c/l.
TEST(Links, RigidBarBuckles) {
  const double l = 0.7, c = 35;
  for (const int dimension : {2, 3}) {
    Model m = read({dimension, 3}, 1, R"(points = {{ A = [0, 0, 0], B = [0.1, 0, 0], C = [{0}, {1}, 0] }}
pin = ["A"]
member.stub = {{ from = "A", to = "B", elements = 1 }}
link = [{{ from = "A", to = ["C"] }}]
load = [{{ at = "C", force = [{2}, {3}, 0] }}]
spring = [{{ at = "A", rotational_stiffness = [{4}, {4}, {5}] }}]
)",
                   0.6 * l, 0.8 * l, -0.6, -0.8, dimension == 3 ? 2 * c : 0, c);
    m.buckling = BucklingRequest{};
    m.buckling->count = 2;
    const Results r = run_buckling(m);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    const std::vector<double>& factors = numbers(r, "buckling", "factor");
    EXPECT_RATIO(factors[0], c / l, kStatic);
    if (dimension == 3) {
      EXPECT_RATIO(factors.at(1), 2 * c / l, kStatic);
    }
  }
}

// What a link carries reaches the clamp that holds the link.
TEST(Links, ReactionsIncludeTheirLoads) {
  for (const Kind& kind : kKinds) {
    const double z = kind.spatial() ? 0.4 : 0, Fz = kind.spatial() ? 7 : 0;
    Model m = read(kind, 1e-3, R"(points = {{ A = [0, 0, 0], B = [1, 0, 0], C = [0.2, -0.5, {0}] }}
clamp = ["A"]
member.x = {{ from = "A", to = "B", elements = 1 }}
link = [{{ from = "A", to = ["C"] }}]
mass = [{{ at = "C", mass = 2 }}]
load = [{{ at = "C", force = [3, 5, {1}], moment = [0, 0, 1] }}]
)",
                   z, Fz);
    m.gravity = {0, -10, 0};
    const Results r = solve(m);
    const double weight = 1e-3 * kA * 10;
    const Vec3 F(3, 5 - 20, Fz), d(0.2, -0.5, z), M = d.cross(F) + Vec3(0, 0, 1);
    EXPECT_RATIO(reaction(r, "A", "Fx"), -F[0], kStatic);
    EXPECT_RATIO(reaction(r, "A", "Fy"), -F[1] + weight, kStatic);
    EXPECT_RATIO(reaction(r, "A", "Mz"), -M[2] + weight / 2, kStatic);
    if (!kind.spatial()) continue;
    EXPECT_RATIO(reaction(r, "A", "Fz"), -F[2], kStatic);
    EXPECT_RATIO(reaction(r, "A", "Mx"), -M[0], kStatic);
    EXPECT_RATIO(reaction(r, "A", "My"), -M[1], kStatic);
  }
}

// The largest displacement may be that of a link's far end, which lies on no member.
TEST(Links, LargestDisplacement) {
  const Results r = solve(read({2, 3}, 1, R"(points = {{ A = [0, 0, 0], B = [1, 0, 0], C = [3, 0, 0] }}
clamp = ["A"]
member.x = {{ from = "A", to = "B", elements = 2 }}
link = [{{ from = "B", to = ["C"] }}]
load = [{{ at = "B", force = [0, 2, 0] }}]
)"));
  const double v = displacement(r, "B", "v") + 2 * displacement(r, "B", "rz");
  EXPECT_RATIO(displacement(r, "C", "v"), v, kStatic);
  EXPECT_RATIO(numbers(r, "static", "displacement").at(0), v, kStatic);
}

}  // namespace
}  // namespace elodyn
