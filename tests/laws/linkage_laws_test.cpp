// Joined links: Maggi's projection against the multipliers that it leaves out, constraints met in position, velocity
// and acceleration, orders of the steps; and a link whose joint is a clamp, which must be what the link is for itself.
#include <cmath>
#include <random>

#include "tests/support/linkages.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using test::column;
using test::ElasticRod;
using test::ElasticSliderCrank;
using test::largest;
using test::largest_difference;

ElasticSliderCrank make_quick() {
  ElasticSliderCrank p;
  p.g = 9.81;
  p.speed = 40;
  p.rod.elements = 4;
  p.rod.width = 0.003;
  return p;
}

VectorX make_random(Eigen::Index n) {
  std::mt19937 engine(7);
  VectorX v(n);
  for (double& value : v) value = std::uniform_real_distribution<double>(-1, 1)(engine);
  return v;
}

std::vector<Model> make_models() {
  const ElasticRod rod{.elements = 4};
  return {make_quick().make(), test::make_hinged_rod(2, rod), test::make_hinged_rod(3, rod)};
}

TEST(LinkageLaws, JointRowsAndTheirRatesBelongTogether) {
  for (const Model& model : make_models()) {
    const JoinedLinks joined(model);
    const Linkage& linkage = joined.linkage();
    const double T = linkage.path().end() - linkage.path().start();
    for (const double part : {0.1234, 0.4321, 0.7777}) {
      const double t = linkage.path().start() + part * T, h = 1e-4 * T;
      LinkageTerms at, before, after;
      RowMatrix direct;
      linkage.calc_joints(t, at);
      linkage.calc_joints(t - h, before);
      linkage.calc_joints(t + h, after);
      linkage.calc_rows(t, direct);
      // Of the angle over a record, to the sixth power.
      EXPECT_LE((at.A - direct).cwiseAbs().maxCoeff(), 1e-9);
      const double rate = at.A_rate.cwiseAbs().maxCoeff(), second = at.A_second.cwiseAbs().maxCoeff();
      EXPECT_GT(rate, 0);
      EXPECT_LE(((after.A - before.A) / (2 * h) - at.A_rate).cwiseAbs().maxCoeff(), 1e-5 * rate);
      EXPECT_LE(((after.A_rate - before.A_rate) / (2 * h) - at.A_second).cwiseAbs().maxCoeff(), 1e-5 * second);
    }
  }
}

// M ÿ + C ẏ + K y = f + Aᵀδλ,  A ÿ = −2Ȧẏ − Äy, as one system.
TEST(LinkageLaws, MaggiIsTheMultiplierSolution) {
  for (const Model& model : make_models()) {
    const JoinedLinks joined(model);
    const Linkage& linkage = joined.linkage();
    const double t = linkage.path().start() + 0.371 * (linkage.path().end() - linkage.path().start());
    LinkageTerms terms;
    linkage.calc_terms(t, terms);
    LinkageChart chart(linkage);
    chart.choose(t, terms.A);
    chart.set(terms);
    const VectorX s = 1e-4 * make_random(chart.size()), w = 1e-2 * make_random(chart.size()).reverse();
    const VectorX y = chart.expand(s), y_rate = chart.expand_rate(s, w);
    const int p = linkage.n_seen(), n = linkage.n(), m = linkage.n_rows();
    const LinkageState state = calc_linkage_state(linkage, t, y, y_rate);

    const auto seen = [&](const VectorX& v) -> VectorX { return v.tail(p); };
    EXPECT_LE((terms.A * seen(y)).cwiseAbs().maxCoeff(), test::roundoff(100, y.cwiseAbs().maxCoeff()));
    const double speed = y_rate.cwiseAbs().maxCoeff() + terms.A_rate.cwiseAbs().maxCoeff() * y.cwiseAbs().maxCoeff();
    EXPECT_LE((terms.A * seen(y_rate) + terms.A_rate * seen(y)).cwiseAbs().maxCoeff(), test::roundoff(100, speed));

    MatrixX saddle = MatrixX::Zero(n + m, n + m), right = MatrixX::Zero(n + m, 1);
    saddle.topLeftCorner(n, n) = linkage.mass();
    saddle.bottomRows(m).middleCols(n - p, p) = terms.A;
    saddle.rightCols(m).middleRows(n - p, p) = -terms.A.transpose();
    right.topRows(n) = terms.f - terms.C * y_rate - terms.K * y;
    right.bottomRows(m) = -2 * terms.A_rate * seen(y_rate) - terms.A_second * seen(y);
    ASSERT_TRUE(solve_in_place(saddle, right));
    const double acceleration = state.y_second.cwiseAbs().maxCoeff(), force = state.delta_lambda.cwiseAbs().maxCoeff();
    EXPECT_GT(force, 0);
    constexpr double kOfMass = 1e-9;  // round-off over the condition of M
    EXPECT_LE((right.topRows(n) - state.y_second).cwiseAbs().maxCoeff(), kOfMass * acceleration);
    EXPECT_LE((right.bottomRows(m) - state.delta_lambda).cwiseAbs().maxCoeff(), kOfMass * force);
  }
}

// Gauss: twice their number; 0: Radau's method of order 5.
TEST(LinkageLaws, StepsHaveTheOrderOfTheirStages) {
  ElasticSliderCrank p = make_quick();
  p.rod.elements = 2;
  p.rod.young *= 1e-2;  // not stiff: all modes are resolved
  const JoinedLinks joined(p.make());
  const Linkage& linkage = joined.linkage();
  const auto n = linkage.n();
  const LinkageState start = calc_quasi_static(linkage, 0);
  const double end = 0.125 * p.period();
  const auto run = [&](int stages, int steps) {
    LinkageStepper stepper(linkage, stages > 0 ? make_gauss(stages) : make_radau());
    MatrixX X(2 * n, 1);
    X << start.y, start.y_rate;
    for (int k = 0; k < steps; ++k) stepper.step(end * k / steps, end / steps, X, true);
    return VectorX(X.topRows(n));
  };
  const VectorX exact = run(3, 2048);
  for (const auto& [stages, steps] : {std::pair{1, 512}, {2, 128}, {3, 64}, {0, 64}}) {
    const double coarse = (run(stages, steps) - exact).cwiseAbs().maxCoeff();
    const double fine = (run(stages, 2 * steps) - exact).cwiseAbs().maxCoeff();
    EXPECT_NEAR(std::log2(coarse / fine), stages > 0 ? 2 * stages : 5, 0.2) << stages;
    EXPECT_LE(fine, 1e-2 * exact.cwiseAbs().maxCoeff());
  }
}

// ---- a joint that is a clamp ----

std::vector<std::string> components_of(int dimension) {
  return dimension == 2 ? std::vector<std::string>{"C_u", "C_v"} : std::vector<std::string>{"C_u", "C_v", "C_w"};
}

// From rest; the rod for itself, clamped, and joined to the ground.
void expect_cantilever(int dimension, const Terms& terms) {
  Model model = test::make_hinged_rod(dimension, {.elements = 4});
  model.terms = terms;
  const int steps = 600, records = 60;
  Model alone = model;
  alone.simulate = SimulateRequest{};
  alone.simulate->duration = 0.3;
  alone.simulate->steps = steps;
  alone.simulate->every = steps / records;
  alone.simulate->integrator.value = "gauss4";
  const Results own = run_analysis(alone, "simulate");
  ASSERT_TRUE(own.outcome.ok()) << own.outcome.message;
  LinkageRequest request = test::make_transient(0.3, 0.3 / steps, records);
  request.initial = LinkageRequest::Initial::undeformed;
  const Results joined = test::run_linkage_of(model, request);
  double size = 0;
  for (const std::string& c : components_of(dimension)) size = std::max(size, largest(column(own, "rod_history", c)));
  EXPECT_GT(size, 1e-5);
  for (const std::string& c : components_of(dimension))
    EXPECT_LE(largest_difference(column(own, "rod_history", c), column(joined, "linkage_motion", "rod." + c)),
              1e-6 * size)
        << c;
}

TEST(LinkageLaws, RodOnADrivenHingeIsACantileverInThePlane) { expect_cantilever(2, {}); }
TEST(LinkageLaws, RodOnADrivenHingeIsACantileverInSpace) { expect_cantilever(3, {}); }
TEST(LinkageLaws, TermsCanBeSwitchedOff) {
  for (bool Terms::*term : {&Terms::coriolis, &Terms::euler, &Terms::centrifugal_stiffness, &Terms::centrifugal_load,
                            &Terms::geometric, &Terms::origin_load}) {
    Terms terms;
    terms.*term = false;
    expect_cantilever(3, terms);
  }
}

TEST(LinkageLaws, FrozenFrequenciesOfACantilever) {
  for (const int dimension : {2, 3}) {
    Model model = test::make_hinged_rod(dimension, {.elements = 4});
    model.cycle = CycleRequest{};
    model.cycle->period = 0.3;
    model.cycle->start = 0;
    model.cycle->count = 4;
    model.cycle->points = 4;
    const Results own = run_analysis(model, "cycle");
    ASSERT_TRUE(own.outcome.ok()) << own.outcome.message;
    const JoinedLinks joined(model);
    for (int k = 0; k <= 4; ++k) {
      const std::vector<double> found = calc_frozen_frequencies(joined.linkage(), 0.3 * k / 4, 4);
      for (size_t i = 0; i < 4; ++i) {
        const double want = 2 * M_PI * column(own, "rod_cycle", "f" + std::to_string(i + 1))[static_cast<size_t>(k)];
        EXPECT_NEAR(found[i], want, 1e-6 * want) << dimension << " " << k << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace elodyn
