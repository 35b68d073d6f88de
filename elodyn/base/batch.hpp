// A number for each of several elements that are computed with at once: one operation of a derivation does the work
// of kLanes, so that what a derivation spends on finding out what to do is shared by them.
// Every lane gets the digits that it would get alone, but for the order of sums where one lane is zero and another is
// not: a == b holds if it holds in all lanes, so that a branch `if (x == 0)` leaves out nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "elodyn/base/types.hpp"

namespace elodyn {

// A function that computes with batches, and all that it calls in its own source, for processors that compute with 2, 4
// and 8 numbers at once; the program takes the best version when it starts. The digits are the same, because products
// and sums are never contracted (CMakeLists.txt). The sanitizers cannot start with such functions.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ELODYN_WIDE __attribute__((target_clones("default", "avx2", "avx512f"), flatten))
#else
#define ELODYN_WIDE
#endif

class Batch {
 public:
  static constexpr int kLanes = 8;

  Batch() : Batch(0.0) {}
  Batch(double value) {  // NOLINT: constants mix with numbers as in the formulas
    all() = Lanes{value, value, value, value, value, value, value, value};
  }
  double lane(int k) const { return values_[static_cast<size_t>(k)]; }
  void set_lane(int k, double value) { values_[static_cast<size_t>(k)] = value; }

  Batch& operator+=(const Batch& b) {
    all() += b.all();
    return *this;
  }
  Batch& operator-=(const Batch& b) {
    all() -= b.all();
    return *this;
  }
  Batch& operator*=(const Batch& b) {
    all() *= b.all();
    return *this;
  }
  Batch& operator/=(const Batch& b) {
    all() /= b.all();
    return *this;
  }
  friend Batch operator+(Batch a, const Batch& b) { return a += b; }
  friend Batch operator-(Batch a, const Batch& b) { return a -= b; }
  friend Batch operator*(Batch a, const Batch& b) { return a *= b; }
  friend Batch operator/(Batch a, const Batch& b) { return a /= b; }
  friend Batch operator-(Batch a) {
    a.all() = -a.all();
    return a;
  }
  friend bool operator==(const Batch& a, const Batch& b) {
    if (a.values_[0] != b.values_[0]) return false;  // says it all, mostly
    Mask differ = a.pair(0) != b.pair(0);
    for (size_t p = 1; p < kLanes / 2; ++p) differ |= a.pair(p) != b.pair(p);
    return (differ[0] | differ[1]) == 0;
  }
  friend Batch sqrt(Batch a) {
    for (double& value : a.values_) value = std::sqrt(value);
    return a;
  }

 private:
  // Seen as vectors, which the compiler splits for processors with shorter ones; kept as numbers, so that every
  // version of a function passes batches alike.
  using Lanes = double __attribute__((vector_size(64), aligned(16), may_alias));
  using Pair = double __attribute__((vector_size(16), may_alias));
  using Mask = long long __attribute__((vector_size(16)));
  Lanes& all() { return *reinterpret_cast<Lanes*>(values_.data()); }
  const Lanes& all() const { return *reinterpret_cast<const Lanes*>(values_.data()); }
  const Pair& pair(size_t p) const { return *reinterpret_cast<const Pair*>(values_.data() + 2 * p); }

  alignas(16) std::array<double, kLanes> values_;
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

// Matrices of batches start where a line of the cache does, so that no batch lies on two of them.
namespace Eigen::internal {

template <>
inline elodyn::Batch* conditional_aligned_new_auto<elodyn::Batch, true>(std::size_t size) {
  if (size == 0) return nullptr;
  check_size_for_overflow<elodyn::Batch>(size);
  return static_cast<elodyn::Batch*>(
      ::operator new(size * sizeof(elodyn::Batch), std::align_val_t(sizeof(elodyn::Batch))));
}
template <>
inline void conditional_aligned_delete_auto<elodyn::Batch, true>(elodyn::Batch* from, std::size_t) {
  ::operator delete(from, std::align_val_t(sizeof(elodyn::Batch)));
}
template <>
inline elodyn::Batch* conditional_aligned_realloc_new_auto<elodyn::Batch, true>(elodyn::Batch* from, std::size_t size,
                                                                                std::size_t old_size) {
  elodyn::Batch* to = conditional_aligned_new_auto<elodyn::Batch, true>(size);
  std::copy(from, from + std::min(size, old_size), to);
  conditional_aligned_delete_auto<elodyn::Batch, true>(from, old_size);
  return to;
}

}  // namespace Eigen::internal
