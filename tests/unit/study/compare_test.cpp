// How `compare` judges a trajectory: by what the time integration can give, and by no more.
#include "elodyn/study/compare.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace elodyn::test {
namespace {

TEST(TrajectoryBound, IsTheStrictOneWhereTheIntegrationIsAccurate) {
  for (const double growth : {1.0, 1e4}) {
    const TrajectoryBound bound = find_trajectory_bound(1e-10, growth);
    EXPECT_EQ(bound.value, kSameTrajectory);
    EXPECT_EQ(bound.note, "");
  }
}

TEST(TrajectoryBound, IsLooserWhereItIsNotAndSaysWhy) {
  const TrajectoryBound grows = find_trajectory_bound(2e-6, 2e4), stiff = find_trajectory_bound(2e-6, 1);
  EXPECT_EQ(grows.value, kWorstTrajectory);
  EXPECT_EQ(
      grows.note,
      "the motion grows 2e+04-fold, the time integration knows it to 2e-06: trajectories are compared to 1e-03 only");
  EXPECT_EQ(stiff.value, kWorstTrajectory);
  EXPECT_TRUE(stiff.note.starts_with("the motion is too stiff for explicit steps")) << stiff.note;
  // A motion by a wrong equation, which is some per cent off, still differs.
  EXPECT_LT(grows.value, 0.01);
}

TEST(TrajectoryBound, NothingIsJudgedByWhatIsNotKnown) {
  for (const double uncertainty : {0.1, HUGE_VAL, std::nan("")}) {
    const TrajectoryBound bound = find_trajectory_bound(uncertainty, 1);
    EXPECT_EQ(bound.value, HUGE_VAL);
    EXPECT_TRUE(bound.note.ends_with("shown, not judged")) << bound.note;
  }
}

}  // namespace
}  // namespace elodyn::test
