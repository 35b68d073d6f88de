// Sparse polynomials with coefficients of any scalar in few variables: exact products, sums and derivatives, by which a
// formalism differentiates its generating quantity without a formula for the result.
//
// A monomial is one 64-bit word in which every variable has its own field of bits for its power, so that a product
// of monomials is a sum of words. A variable may be small: its order counts, and products above a given order are
// dropped, which is how an expansion is cut off.
// Limit: a power must fit its field; the caller chooses fields that are wide enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "elodyn/base/counted.hpp"

namespace elodyn {

struct Variable {
  int shift = 0;  // first bit of the field
  int bits = 2;   // powers up to 2^bits − 1
  int order = 0;  // 1: small
  constexpr std::uint64_t one() const { return std::uint64_t{1} << shift; }
  constexpr std::uint64_t mask() const { return ((std::uint64_t{1} << bits) - 1) << shift; }
  constexpr int power_in(std::uint64_t powers) const { return static_cast<int>((powers & mask()) >> shift); }
};

template <class S>
class BasicPolynomial {
 public:
  struct Term {
    std::uint64_t powers = 0;
    S factor{0};
    int order = 0;
  };
  BasicPolynomial() = default;
  BasicPolynomial(const S& constant) {  // NOLINT: constants mix with polynomials as in the formulas
    if (!(constant == S(0))) terms_.push_back({0, constant, 0});
  }
  BasicPolynomial(const Variable& variable) : terms_{{variable.one(), S(1), variable.order}} {}  // NOLINT
  explicit BasicPolynomial(std::vector<Term> terms) : terms_(std::move(terms)) {}

  const std::vector<Term>& terms() const& { return terms_; }  // each monomial once, in no order
  const std::vector<Term>& terms() && = delete;               // would dangle in a loop over a temporary

 private:
  std::vector<Term> terms_;
};

template <class S>
BasicPolynomial<S> derivative(const BasicPolynomial<S>& p, const Variable& by) {
  count_differentiation<S>();
  std::vector<typename BasicPolynomial<S>::Term> terms;
  for (const auto& term : p.terms())
    if (const int power = by.power_in(term.powers); power > 0)
      terms.push_back(
          {term.powers - by.one(), power == 1 ? term.factor : S(power) * term.factor, term.order - by.order});
  return BasicPolynomial<S>(std::move(terms));
}

// Collects products and sums; equal monomials are added up.
template <class S>
class BasicPolynomialSum {
 public:
  explicit BasicPolynomialSum(int max_order) : max_order_(max_order) {}

  void add_term(std::uint64_t powers, int order, const S& factor) {
    if (order > max_order_ || factor == S(0)) return;
    if (terms_.size() < kFew) {
      for (auto& term : terms_)
        if (term.powers == powers) {
          term.factor += factor;
          return;
        }
      terms_.push_back({powers, factor, order});
      return;
    }
    if (2 * terms_.size() >= slots_.size()) grow();
    const std::size_t slot = slot_of(powers);
    if (slots_[slot] != 0) {
      terms_[slots_[slot] - 1U].factor += factor;
      return;
    }
    terms_.push_back({powers, factor, order});
    slots_[slot] = static_cast<std::uint16_t>(terms_.size());
  }
  void add(const BasicPolynomial<S>& p) {
    for (const auto& term : p.terms()) add_term(term.powers, term.order, term.factor);
  }
  void add(const BasicPolynomial<S>& p, const S& factor) {
    for (const auto& term : p.terms()) add_term(term.powers, term.order, factor * term.factor);
  }
  void add_product(const BasicPolynomial<S>& a, const BasicPolynomial<S>& b, const S& factor = S(1)) {
    for (const auto& x : a.terms()) {
      const S scaled = factor * x.factor;
      for (const auto& y : b.terms())
        if (x.order + y.order <= max_order_) add_term(x.powers + y.powers, x.order + y.order, scaled * y.factor);
    }
  }
  BasicPolynomial<S> take() {  // leaves the sum empty
    slots_.clear();
    return BasicPolynomial<S>(std::exchange(terms_, {}));
  }

 private:
  static constexpr std::size_t kFew = 8;  // searched one by one, without the table

  // Where the monomial stands in the table, or the free place where it would.
  std::size_t slot_of(std::uint64_t powers) const {
    std::size_t at = (powers * 0x9E3779B97F4A7C15U) >> 40;
    for (;; ++at) {
      at &= slots_.size() - 1;
      if (slots_[at] == 0 || terms_[slots_[at] - 1U].powers == powers) return at;
    }
  }
  void grow() {
    slots_.assign(slots_.empty() ? 4 * kFew : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < terms_.size(); ++i)
      slots_[slot_of(terms_[i].powers)] = static_cast<std::uint16_t>(i + 1);
  }

  int max_order_;
  std::vector<typename BasicPolynomial<S>::Term> terms_;
  std::vector<std::uint16_t> slots_;  // hash table of indices into terms_, +1; empty while they are few; 2^k
};

using Polynomial = BasicPolynomial<double>;
using PolynomialSum = BasicPolynomialSum<double>;

}  // namespace elodyn
