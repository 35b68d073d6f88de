// Steps in time take no memory from the heap. Its own executable: malloc is replaced by one that counts, which sees
// operator new and Eigen's arrays alike.
#include <atomic>
#include <cstdlib>

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

}  // namespace
}  // namespace elodyn
