#include "elodyn/base/progress.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "elodyn/base/parallel.hpp"

namespace elodyn {
namespace {

struct Told {
  std::string what;
  double share;
};

TEST(Progress, TellsSharesThatGrowAndEndAtOne) {
  std::vector<Told> told;
  set_progress_sink([&](const std::string& what, double share, double) { told.push_back({what, share}); });
  {
    Progress progress("points", 4000);
    parallel_for(4000, 2, [&](int) { progress.advance(); });
  }
  set_progress_sink({});
  ASSERT_GE(told.size(), 2u);
  EXPECT_EQ(told.front().what, "points");
  EXPECT_GT(told.front().share, 0);
  for (size_t k = 1; k < told.size(); ++k) EXPECT_GE(told[k].share, told[k - 1].share);
  EXPECT_EQ(told.back().share, 1);
}

TEST(Progress, OnlyTheOutermostAndLargeStagesAreTold) {
  std::vector<Told> told;
  set_progress_sink([&](const std::string& what, double share, double) { told.push_back({what, share}); });
  {
    const Stage small("small", Stage::kLarge);
    const Stage large("large", Stage::kLarge + 1);
    Progress inner("inner", 2);
    inner.advance();
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].what, "large");
  EXPECT_TRUE(std::isnan(told[0].share));
  EXPECT_EQ(told[1].what, "large");
  EXPECT_EQ(told[1].share, 1);
  told.clear();
  {
    Progress counted("counted", 2);
    counted.add_total(2);
    counted.set_done(1);
  }
  set_progress_sink({});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].share, 0.25);
}

TEST(Interruption, IsThrownOnlyOnceAsked) {
  EXPECT_NO_THROW(throw_if_interrupted());
  set_interrupted(true);
  EXPECT_THROW(throw_if_interrupted(), Interrupted);
  set_interrupted(false);
  EXPECT_FALSE(is_interrupted());
}

}  // namespace
}  // namespace elodyn
