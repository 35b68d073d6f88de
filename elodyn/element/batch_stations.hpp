// One element of a batch: its stations as plain numbers.
#pragma once

#include "elodyn/base/batch.hpp"
#include "elodyn/element/element.hpp"

namespace elodyn {

// False, with the batch as it was, if the stations differ in number or sizes from those that are there; lane 0 sets
// them.
bool put_lane(const Stations& stations, int lane, BasicStations<Batch>& batch);
void get_lane(const BasicStations<Batch>& batch, int lane, Stations& stations);

// The same for matrices and vectors; put_lane() expects the right size.
template <class From, class To>
void put_lane(const Eigen::MatrixBase<From>& from, int lane, Eigen::MatrixBase<To>& to) {
  for (Eigen::Index j = 0; j < from.cols(); ++j)
    for (Eigen::Index i = 0; i < from.rows(); ++i) to(i, j).set_lane(lane, from(i, j));
}
template <class From, class To>
void get_lane(const Eigen::MatrixBase<From>& from, int lane, Eigen::PlainObjectBase<To>& to) {
  to.resize(from.rows(), from.cols());
  for (Eigen::Index j = 0; j < from.cols(); ++j)
    for (Eigen::Index i = 0; i < from.rows(); ++i) to(i, j) = from(i, j).lane(lane);
}

}  // namespace elodyn
