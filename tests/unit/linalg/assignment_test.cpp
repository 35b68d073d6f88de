#include "elodyn/linalg/assignment.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

double cost_of(const MatrixX& cost, const std::vector<int>& columns) {
  double sum = 0;
  for (size_t i = 0; i < columns.size(); ++i) sum += cost(static_cast<Eigen::Index>(i), columns[i]);
  return sum;
}

// Every way to give the rows different columns.
double least_by_trying(const MatrixX& cost) {
  std::vector<int> order(static_cast<size_t>(cost.cols()));
  std::iota(order.begin(), order.end(), 0);
  double least = 1e300;
  do {
    least = std::min(least, cost_of(cost, {order.begin(), order.begin() + cost.rows()}));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(Assignment, IsTheBestOfAll) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> any(-1, 1);
  std::uniform_int_distribution<int> few(0, 2);  // many ties
  for (int round = 0; round < 200; ++round) {
    const Eigen::Index rows = 1 + round % 5, columns = rows + round % 3;
    MatrixX cost(rows, columns);
    for (double& c : cost.reshaped()) c = round % 2 == 0 ? any(engine) : few(engine);
    const std::vector<int> columns_of = assign_columns(cost);
    std::vector<int> sorted = columns_of;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_TRUE(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    EXPECT_TRUE(sorted.front() >= 0 && sorted.back() < columns);
    EXPECT_NEAR(cost_of(cost, columns_of), least_by_trying(cost), 1e-13) << round;
  }
}

TEST(Assignment, TakesTheDiagonalOfAPermutation) {
  MatrixX cost = MatrixX::Ones(4, 4);
  const std::vector<int> wanted = {2, 0, 3, 1};
  for (int i = 0; i < 4; ++i) cost(i, wanted[static_cast<size_t>(i)]) = 0.9;
  EXPECT_EQ(assign_columns(cost), wanted);
}

}  // namespace
}  // namespace elodyn
