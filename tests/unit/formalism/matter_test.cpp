#include "elodyn/formalism/matter.hpp"

#include <gtest/gtest.h>

#include "elodyn/base/rotation.hpp"

namespace elodyn {
namespace {

// The part of a polynomial that is one given product of variables.
double coefficient(const Polynomial& p, std::initializer_list<Variable> product) {
  std::uint64_t powers = 0;
  for (const Variable& variable : product) powers += variable.one();
  for (const Polynomial::Term& term : p.terms())
    if (term.powers == powers) return term.factor;
  return 0;
}

Station make_station() {
  Station st;
  st.weight = 1;
  st.x = {1, 2, 3};
  st.mass = 2;
  st.sigma << 0.5, 0.1, 0.2, 0.1, 0.7, -0.1, 0.2, -0.1, 0.9;
  st.N = MatrixX::Identity(3, 6);
  st.N_theta = MatrixX::Identity(6, 6).bottomRows(3);
  return st;
}

TEST(Matter, DirectorsCarryTheSecondMoments) {
  const Station st = make_station();
  Matter<double> matter;
  calc_matter(st, Vec3(0, 0, 1), matter);
  ASSERT_EQ(matter.particles.size(), 4u);
  EXPECT_EQ(matter.active, (std::vector{0, 1, 2, 3, 4, 5}));
  Mat3 sum = Mat3::Zero();
  for (const Particle<double>& particle : matter.particles) {
    const Vec3 at(coefficient(particle.r[0], {}), coefficient(particle.r[1], {}), coefficient(particle.r[2], {}));
    if (particle.feels_origin)
      EXPECT_EQ(at, Vec3(1, 2, 2));
    else
      sum += particle.mass * at * at.transpose();
  }
  EXPECT_LE((sum - st.sigma).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Matter, LeavesOutWhatDoesNotMove) {
  Station st = make_station();
  st.N.row(2).setZero();
  st.N_theta.topRows(2).setZero();
  Matter<double> matter;
  calc_matter(st, Vec3::Zero(), matter);
  EXPECT_EQ(matter.active, (std::vector{0, 1, 5}));
  st.sigma.setZero();
  calc_matter(st, Vec3::Zero(), matter);
  EXPECT_EQ(matter.active, (std::vector{0, 1}));
  st.mass = 0;
  calc_matter(st, Vec3::Zero(), matter);
  EXPECT_TRUE(matter.active.empty() && matter.particles.empty());
}

// The rate of the components of v_O is a − ω × v_O; w about z.
TEST(MovingFrame, RateOfTheOriginsVelocity) {
  const MovingFrame<double> frame({Vec3::Zero(), {Vec3::UnitZ()}, {Vec3::UnitX()}});
  const Polynomial x = frame.rate(frame.velocity()[0]), y = frame.rate(frame.velocity()[1]);
  EXPECT_EQ(coefficient(x, {origin_a(0)}), 1);
  EXPECT_EQ(coefficient(x, {spin(0), origin_v(1)}), 1);
  EXPECT_EQ(coefficient(y, {origin_a(0)}), 0);
  EXPECT_EQ(coefficient(y, {spin(0), origin_v(0)}), -1);
}

TEST(MovingFrame, RatesOfProducts) {
  const MovingFrame<double> frame({Vec3::Zero(), {Vec3::UnitZ()}, {}});
  PolynomialSum sum(2);
  sum.add_product(spin(0), place(1), 3);  // 3 w y
  const Polynomial rate = frame.rate(sum.take());
  EXPECT_EQ(coefficient(rate, {euler(0), place(1)}), 3);
  EXPECT_EQ(coefficient(rate, {spin(0), speed(1)}), 3);
  EXPECT_EQ(coefficient(frame.rate(rate), {spin(0), second(1)}), 3);
}

TEST(MovingFrame, RefusesMoreAxesThanSpaceHas) {
  const std::vector<Vec3> four(4, Vec3::UnitX());
  EXPECT_THROW(MovingFrame<double>({Vec3::Zero(), four, {}}), std::invalid_argument);
  EXPECT_THROW(MovingFrame<double>({Vec3::Zero(), {}, four}), std::invalid_argument);
}

TEST(LocalEquation, RefusesATermWithoutAPlace) {
  LocalEquation<double> equation({Vec3::Zero(), {Vec3::UnitZ()}, {}}, 6);
  PolynomialSum sum(2);
  sum.add_product(place(0), place(1));
  EXPECT_THROW(equation.read(0, sum.take()), std::logic_error);
  sum.add_product(spin(0), place(1));
  EXPECT_THROW(equation.read(0, sum.take()), std::logic_error);
}

}  // namespace
}  // namespace elodyn
