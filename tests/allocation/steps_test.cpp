// Steps in time take no memory from the heap. Its own executable: malloc is replaced by one that counts, which sees
// operator new and Eigen's arrays alike.
#include <atomic>
#include <cstdlib>

#include "tests/support/elastic_mechanisms.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/transient.hpp"
#include <gtest/gtest.h>

namespace {
std::atomic<long> n_allocations = 0;
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* malloc(size_t size) {
  ++n_allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++n_allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  ++n_allocations;
  return __libc_realloc(old, size);
}
}
constexpr bool kCounts = true;
#else
constexpr bool kCounts = false;
#endif

namespace elodyn {
namespace {

// An elastic rod in its mechanism: motion and joint forces are splines.
TEST(Allocation, StepsOfALinkTakeNoMemory) {
  if (!kCounts) GTEST_SKIP() << "malloc cannot be replaced here";
  const test::Linked it(test::ElasticSliderCrank{}.make());
  const CanonicalEquation equation(it.system);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = false;
  const double h = 1e-4;
  VectorX x = VectorX::Zero(2 * equation.size());
  const std::unique_ptr<Stepper> stepper = integrators().find("implicit_midpoint")->start(problem, 0, h);
  for (int k = 0; k < 3; ++k) stepper->step(k * h, x);
  const long before = n_allocations;
  for (int k = 3; k < 50; ++k) stepper->step(k * h, x);
  EXPECT_EQ(n_allocations - before, 0);
  EXPECT_GT(x.norm(), 0);
}

// A rod of 201 unknowns that is spun up.
TEST(Allocation, StepsTakeNoMemory) {
  if (!kCounts) GTEST_SKIP() << "malloc cannot be replaced here";
  Model m = test::make_rod({.elements = 67});
  Motion& motion = m.bodies[0].motion;
  motion.kind = Motion::Kind::prescribed;
  motion.angular_velocity[2] = test::make_expression("100*t + 3*sin(50*t)");
  motion.angular_acceleration.emplace();
  (*motion.angular_acceleration)[2] = test::make_expression("100 + 150*cos(50*t)");
  m.bodies[0].loads = {test::make_point_load("to", {1, 1, 0})};
  m.bodies[0].loads[0].time = test::make_expression("sin(10*t)");
  m.bodies[0].damping.modal = {0.01};
  const test::Assembled a(m);
  const CanonicalEquation equation(a.system);
  ASSERT_EQ(equation.size(), 201);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = false;
  for (const char* name : {"implicit_midpoint", "gauss4", "generalized_alpha", "newmark"}) {
    const double h = 1e-3;
    VectorX x = VectorX::Zero(2 * equation.size());
    const std::unique_ptr<Stepper> stepper = integrators().find(name)->start(problem, 0, h);
    for (int k = 0; k < 3; ++k) stepper->step(k * h, x);  // work arrays grow to their sizes
    const long before = n_allocations;
    for (int k = 3; k < 50; ++k) stepper->step(k * h, x);
    EXPECT_EQ(n_allocations - before, 0) << name;
    EXPECT_GT(x.norm(), 0);
  }
  const long before = n_allocations;
  const VectorX seen = VectorX::Zero(100);
  EXPECT_EQ(n_allocations - before, 1) << "the count itself";
}

// A double pendulum, planar and spatial: ten times as many steps, no more memory.
TEST(Allocation, StepsOfAMechanismTakeNoMemory) {
  if (!kCounts) GTEST_SKIP() << "malloc cannot be replaced here";
  for (const bool planar : {true, false}) {
    Model m;
    m.gravity = Vec3(0, -9.81, 0);
    m.ground_points = test::make_points({{"O", Vec3::Zero()}});
    for (const char* name : {"upper", "lower"}) {
      const test::NamedPoints points = {{"A", Vec3::Zero()}, {"B", Vec3(1, 0, 0)}};
      Body& body = planar ? test::add_planar_body(m, name, 1, 0.1, points)
                          : test::add_body(m, name, 1, Vec3(0.01, 0.1, 0.1), points);
      body.center = Vec3(0.5, 0, 0);
    }
    test::add_joint(m, "O", Joint::Kind::revolute, "ground.O", "upper.A").axis = Vec3(0, 0, 1);
    test::add_joint(m, "A", Joint::Kind::revolute, "upper.B", "lower.A").axis = Vec3(0, 0, 1);
    Motor& motor = m.motors.emplace_back();
    motor.name = "motor";
    motor.joint.value = "O";
    motor.torque = test::expression("1 - w", kJointVariables);
    Mechanism mechanism(m);
    const Assembly assembly = assemble(mechanism, 0);
    MotionOptions options;
    long counts[2] = {0, 0}, steps[2] = {0, 0};
    for (const size_t k : {0u, 1u}) {
      options.times = {0, k == 0 ? 0.5 : 5};
      const long before = n_allocations;
      steps[k] = run_mechanism(mechanism, assembly, options).steps;
      counts[k] = n_allocations - before;
    }
    EXPECT_GT(steps[1], 4 * steps[0]);
    EXPECT_EQ(counts[1], counts[0]) << (planar ? "planar" : "spatial");
  }
}

}  // namespace
}  // namespace elodyn
