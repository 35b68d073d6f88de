// validate_motion alone, since it does not need an element: bodies of dimension 3, tables.
#include <cmath>

#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

std::string complaints(const Model& m, Severity severity = Severity::error) {
  Diagnostics diagnostics;
  validate_motion(m, m.bodies[0], {}, diagnostics);
  return diagnostics.format_all(severity);
}

Model spatial(Motion::Kind kind) {
  Model m = test::make_rod({});
  m.bodies[0].dimension = 3;
  m.bodies[0].motion.kind = kind;
  return m;
}

CubicSpline column(const std::vector<double>& values) {
  return {std::make_shared<const std::vector<double>>(std::vector<double>{0, 1, 2, 3}), values};
}

std::shared_ptr<MotionTable> four_rows() {
  auto table = std::make_shared<MotionTable>();
  table->end = 3;
  return table;
}

TEST(ValidateMotion, spatial_bodies_may_move_in_every_way) {
  Model m = spatial(Motion::Kind::prescribed);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_FALSE(m.bodies[0].motion.angular_velocity[i].parse("3*sin(t)"));
    ASSERT_FALSE(m.bodies[0].motion.acceleration[i].parse("t"));
  }
  EXPECT_EQ(complaints(m) + complaints(m, Severity::warning), "");
  m.bodies[0].motion.angular_acceleration.emplace();
  EXPECT_TRUE(complaints(m, Severity::warning).starts_with("warning: angular_acceleration[x] = 0 at t = 0 s"));
  m = spatial(Motion::Kind::spin);
  m.bodies[0].motion.speed = 100;
  m.bodies[0].motion.axis = {1, 1, 0};
  EXPECT_EQ(complaints(m), "");
}

TEST(ValidateMotion, gravity_and_a_spin_in_space) {
  Model m = spatial(Motion::Kind::spin);
  m.bodies[0].motion.speed = 100;
  m.bodies[0].motion.axis = {0, 2, 0};
  m.gravity = {0, -9.81, 0};
  EXPECT_EQ(complaints(m) + complaints(m, Severity::warning), "");  // along the axis: a load, not a warning
  m.gravity = {0, -9.81, 1e-3};
  EXPECT_TRUE(complaints(m).starts_with("error: gravity across the spin axis of body `rod`, must be along it"));
  m.bodies[0].motion.speed = 0;
  EXPECT_EQ(complaints(m), "");
}

TEST(ValidateMotion, table_in_the_plane) {
  Model m = test::make_rod({});
  Motion& motion = m.bodies[0].motion;
  motion.kind = Motion::Kind::table;
  auto table = four_rows();
  for (size_t i = 0; i < 3; ++i) {
    table->w[i] = column({0, 0, 0, 0});
    table->e[i] = column({0, 0, 0, 0});
  }
  table->w[2] = column({1, 2, 3, 4});
  motion.table = table;
  EXPECT_EQ(complaints(m) + complaints(m, Severity::warning), "");
  table->w[0] = column({0, 0, 1, 0});
  table->e[1] = column({1, 0, 0, 0});
  table->a[2] = column({9.81, 9.81, 9.81, 9.81});
  EXPECT_EQ(complaints(m),
            "error: column `wx` is not zero, must be zero for a body of dimension 2\n"
            "error: column `ey` is not zero, must be zero for a body of dimension 2\n");
  EXPECT_EQ(complaints(m, Severity::warning), "warning: column `az` does nothing in a body of dimension 2\n");
  m.bodies[0].dimension = 3;
  EXPECT_EQ(complaints(m) + complaints(m, Severity::warning), "");
}

TEST(ValidateMotion, times_of_the_analyses_are_in_the_table) {
  Model m = spatial(Motion::Kind::table);
  EXPECT_EQ(complaints(m), "error: the motion of body `rod` is a table, but has none\n");
  m.bodies[0].motion.table = four_rows();
  m.modes->time = 3;
  m.static_ = StaticRequest{};
  EXPECT_EQ(complaints(m), "");
  m.modes->time = 3.5;
  m.static_->time = -1;
  m.buckling = BucklingRequest{};
  m.buckling->time = 4;
  const std::string rest = ", must be from 0 to 3 s, the times in the table of body `rod`\n";
  EXPECT_EQ(complaints(m), "error: time = 3.5 s of analysis `modes`" + rest +
                               "error: time = -1 s of analysis `static`" + rest +
                               "error: time = 4 s of analysis `buckling`" + rest);
}

TEST(ValidateMotion, gravity_with_a_table) {
  Model m = spatial(Motion::Kind::table);
  m.bodies[0].motion.table = four_rows();
  m.gravity = {0, 0, -9.81};
  EXPECT_EQ(complaints(m),
            "error: gravity with the table of motion of body `rod`, must be left out\n"
            "  help: the attitude of the frame over time is not known: subtract gravity in the columns ax, ay, az, in "
            "body axes\n");
}

TEST(ValidateMotion, spline_that_overflows) {
  Model m = spatial(Motion::Kind::table);
  auto table = four_rows();
  table->a[0] = column({-1.7e308, 1.7e308, -1.7e308, 1.7e308});
  m.bodies[0].motion.table = table;
  m.modes->time = 0.5;
  EXPECT_EQ(complaints(m), "error: the spline through the table is not finite at t = 0.5 s, must be finite\n");
}

}  // namespace
}  // namespace elodyn
