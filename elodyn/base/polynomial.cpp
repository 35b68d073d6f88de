#include "elodyn/base/polynomial.hpp"

namespace elodyn {
namespace {
constexpr std::size_t kFew = 8;  // searched one by one, without the table
}

Polynomial::Polynomial(double constant) {
  if (constant != 0) terms_.push_back({0, constant, 0});
}
Polynomial::Polynomial(const Variable& variable) : terms_{{variable.one(), 1.0, variable.order}} {}

Polynomial derivative(const Polynomial& p, const Variable& by) {
  std::vector<Polynomial::Term> terms;
  for (const Polynomial::Term& term : p.terms())
    if (const int power = by.power_in(term.powers); power > 0)
      terms.push_back({term.powers - by.one(), power * term.factor, term.order - by.order});
  return Polynomial(std::move(terms));
}

// Where the monomial stands in the table, or the free place where it would.
std::size_t PolynomialSum::slot_of(std::uint64_t powers) const {
  std::size_t at = (powers * 0x9E3779B97F4A7C15U) >> 40;
  for (;; ++at) {
    at &= slots_.size() - 1;
    if (slots_[at] == 0 || terms_[slots_[at] - 1U].powers == powers) return at;
  }
}

void PolynomialSum::grow() {
  slots_.assign(slots_.empty() ? 4 * kFew : 2 * slots_.size(), 0);
  for (std::size_t i = 0; i < terms_.size(); ++i) slots_[slot_of(terms_[i].powers)] = static_cast<std::uint16_t>(i + 1);
}

void PolynomialSum::add_term(std::uint64_t powers, int order, double factor) {
  if (order > max_order_ || factor == 0) return;
  if (terms_.size() < kFew) {
    for (Polynomial::Term& term : terms_)
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

void PolynomialSum::add(const Polynomial& p, double factor) {
  for (const Polynomial::Term& term : p.terms()) add_term(term.powers, term.order, factor * term.factor);
}

void PolynomialSum::add_product(const Polynomial& a, const Polynomial& b, double factor) {
  for (const Polynomial::Term& x : a.terms())
    for (const Polynomial::Term& y : b.terms())
      if (x.order + y.order <= max_order_)
        add_term(x.powers + y.powers, x.order + y.order, factor * x.factor * y.factor);
}

Polynomial PolynomialSum::take() {
  slots_.clear();
  return Polynomial(std::exchange(terms_, {}));
}

}  // namespace elodyn
