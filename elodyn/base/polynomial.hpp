// Sparse polynomials with real coefficients in few variables: exact products, sums and derivatives, by which a
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

namespace elodyn {

struct Variable {
  int shift = 0;  // first bit of the field
  int bits = 2;   // powers up to 2^bits − 1
  int order = 0;  // 1: small
  constexpr std::uint64_t one() const { return std::uint64_t{1} << shift; }
  constexpr std::uint64_t mask() const { return ((std::uint64_t{1} << bits) - 1) << shift; }
  constexpr int power_in(std::uint64_t powers) const { return static_cast<int>((powers & mask()) >> shift); }
};

class Polynomial {
 public:
  struct Term {
    std::uint64_t powers = 0;
    double factor = 0;
    int order = 0;
  };
  Polynomial() = default;
  Polynomial(double constant);           // NOLINT: constants mix with polynomials as in the formulas
  Polynomial(const Variable& variable);  // NOLINT
  explicit Polynomial(std::vector<Term> terms) : terms_(std::move(terms)) {}

  const std::vector<Term>& terms() const& { return terms_; }  // each monomial once, in no order
  const std::vector<Term>& terms() && = delete;               // would dangle in a loop over a temporary

 private:
  std::vector<Term> terms_;
};

Polynomial derivative(const Polynomial& p, const Variable& by);

// Collects products and sums; equal monomials are added up.
class PolynomialSum {
 public:
  explicit PolynomialSum(int max_order) : max_order_(max_order) {}
  void add_term(std::uint64_t powers, int order, double factor);
  void add(const Polynomial& p, double factor = 1);
  void add_product(const Polynomial& a, const Polynomial& b, double factor = 1);
  Polynomial take();  // leaves the sum empty

 private:
  void grow();
  std::size_t slot_of(std::uint64_t powers) const;

  int max_order_;
  std::vector<Polynomial::Term> terms_;
  std::vector<std::uint16_t> slots_;  // hash table of indices into terms_, +1; empty while they are few; 2^k
};

}  // namespace elodyn
