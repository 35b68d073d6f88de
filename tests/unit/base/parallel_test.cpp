#include "elodyn/base/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

TEST(ParallelFor, DoesEveryPartOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_for(1000, threads, [&](int k) { ++done[static_cast<size_t>(k)]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  parallel_for(0, 2, [](int) { FAIL(); });
}

TEST(ParallelFor, ThrowsWhatAPartThrew) {
  for (const int threads : {1, 3}) {
    std::string message;
    try {
      parallel_for(100, threads, [](int k) {
        if (k >= 5) throw std::runtime_error("part " + std::to_string(k));
      });
    } catch (const std::runtime_error& e) {
      message = e.what();
    }
    EXPECT_EQ(message, "part 5");  // the lowest that threw
  }
}

TEST(ParallelFor, NumberOfThreadsCanBeSet) {
  set_threads(3);
  EXPECT_EQ(n_threads(), 3);
  set_threads(0);
  EXPECT_GE(n_threads(), 1);
}

}  // namespace
}  // namespace elodyn
