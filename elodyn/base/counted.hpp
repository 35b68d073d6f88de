// A number that counts what is done with it: run a computation with Counted instead of double and read the count.
// A division counts as a multiplication; constants take part like other numbers, so an operation is counted if it is
// executed, also one with 0 or 1. Derivatives are counted by those who take them (count_differentiation).
// The count belongs to the thread.
#pragma once

#include <cmath>
#include <type_traits>

#include "elodyn/base/types.hpp"

namespace elodyn {

struct OperationCount {
  long differentiations = 0, multiplications = 0, additions = 0;

  OperationCount& operator+=(const OperationCount& other) {
    differentiations += other.differentiations;
    multiplications += other.multiplications;
    additions += other.additions;
    return *this;
  }
  OperationCount operator-(const OperationCount& other) const {
    return {differentiations - other.differentiations, multiplications - other.multiplications,
            additions - other.additions};
  }
};

class Counted {
 public:
  Counted() = default;
  Counted(double value) : value_(value) {}  // NOLINT: constants mix with numbers as in the formulas
  double value() const { return value_; }

  static OperationCount& count() {
    thread_local OperationCount count;
    return count;
  }

  friend Counted operator+(const Counted& a, const Counted& b) { return added(a.value_ + b.value_); }
  friend Counted operator-(const Counted& a, const Counted& b) { return added(a.value_ - b.value_); }
  friend Counted operator*(const Counted& a, const Counted& b) { return multiplied(a.value_ * b.value_); }
  friend Counted operator/(const Counted& a, const Counted& b) { return multiplied(a.value_ / b.value_); }
  Counted operator-() const { return {-value_}; }
  Counted& operator+=(const Counted& b) { return *this = *this + b; }
  Counted& operator-=(const Counted& b) { return *this = *this - b; }
  Counted& operator*=(const Counted& b) { return *this = *this * b; }
  Counted& operator/=(const Counted& b) { return *this = *this / b; }
  friend bool operator==(const Counted& a, const Counted& b) { return a.value_ == b.value_; }
  friend auto operator<=>(const Counted& a, const Counted& b) { return a.value_ <=> b.value_; }
  friend Counted sqrt(const Counted& a) { return multiplied(std::sqrt(a.value_)); }
  friend Counted abs(const Counted& a) { return {std::abs(a.value_)}; }

 private:
  static Counted added(double value) {
    ++count().additions;
    return {value};
  }
  static Counted multiplied(double value) {
    ++count().multiplications;
    return {value};
  }
  double value_ = 0;
};

// Said by whatever differentiates a scalar once.
template <class S>
void count_differentiation() {
  if constexpr (std::is_same_v<S, Counted>) ++Counted::count().differentiations;
}

}  // namespace elodyn

template <>
struct Eigen::NumTraits<elodyn::Counted> : Eigen::NumTraits<double> {
  using Real = elodyn::Counted;
  using NonInteger = elodyn::Counted;
  using Nested = elodyn::Counted;
  enum {
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1,
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1
  };
};
