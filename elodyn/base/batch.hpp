// A number for each of several elements that are computed with at once: one operation of a derivation does the work
// of kLanes, so that what a derivation spends on finding out what to do is shared by them.
// Every lane gets the digits that it would get alone, but for the order of sums where one lane is zero and another is
// not: a == b holds if it holds in all lanes, so that a branch `if (x == 0)` leaves out nothing.
#pragma once

#include <array>
#include <cmath>
#include <cstring>

#include "elodyn/base/types.hpp"

namespace elodyn {

class Batch {
 public:
  static constexpr int kLanes = 8;

  Batch() : Batch(0.0) {}
  Batch(double value) {  // NOLINT: constants mix with numbers as in the formulas
    for (Pair& p : pairs_) p = Pair{value, value};
  }
  double lane(int k) const {
    double value;  // read from memory: no pair needs to be taken apart
    std::memcpy(&value, reinterpret_cast<const char*>(pairs_.data()) + sizeof(double) * static_cast<size_t>(k),
                sizeof value);
    return value;
  }
  void set_lane(int k, double value) { pairs_[static_cast<size_t>(k / 2)][k % 2] = value; }

  Batch& operator+=(const Batch& b) {
    for (size_t p = 0; p < kPairs; ++p) pairs_[p] += b.pairs_[p];
    return *this;
  }
  Batch& operator-=(const Batch& b) {
    for (size_t p = 0; p < kPairs; ++p) pairs_[p] -= b.pairs_[p];
    return *this;
  }
  Batch& operator*=(const Batch& b) {
    for (size_t p = 0; p < kPairs; ++p) pairs_[p] *= b.pairs_[p];
    return *this;
  }
  Batch& operator/=(const Batch& b) {
    for (size_t p = 0; p < kPairs; ++p) pairs_[p] /= b.pairs_[p];
    return *this;
  }
  friend Batch operator+(Batch a, const Batch& b) { return a += b; }
  friend Batch operator-(Batch a, const Batch& b) { return a -= b; }
  friend Batch operator*(Batch a, const Batch& b) { return a *= b; }
  friend Batch operator/(Batch a, const Batch& b) { return a /= b; }
  friend Batch operator-(Batch a) {
    for (Pair& p : a.pairs_) p = -p;
    return a;
  }
  friend bool operator==(const Batch& a, const Batch& b) {
    for (int k = 0; k < kLanes; ++k)
      if (a.lane(k) != b.lane(k)) return false;
    return true;
  }
  friend Batch sqrt(Batch a) {
    for (int k = 0; k < kLanes; ++k) a.set_lane(k, std::sqrt(a.lane(k)));
    return a;
  }

 private:
  using Pair = double __attribute__((vector_size(16)));  // what every 64-bit processor computes with at once
  static constexpr size_t kPairs = kLanes / 2;
  std::array<Pair, kPairs> pairs_;
};

// Thrown where the lanes would have to go different ways; they are then computed one by one.
struct LanesDiffer {};

}  // namespace elodyn

template <>
struct Eigen::NumTraits<elodyn::Batch> : Eigen::NumTraits<double> {
  using Real = elodyn::Batch;
  using NonInteger = elodyn::Batch;
  using Nested = elodyn::Batch;
  enum {
    ReadCost = elodyn::Batch::kLanes / 2,
    AddCost = elodyn::Batch::kLanes / 2,
    MulCost = elodyn::Batch::kLanes / 2,
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0
  };
};
