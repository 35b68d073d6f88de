#include "elodyn/results/derivation.hpp"

namespace elodyn {

std::string DerivedTerm::place() const {
  return (factor.empty() ? "" : factor + " ") + name + (acts_on.empty() ? "" : " " + acts_on);
}

Formula DerivedElement::equation() const {
  Formula left, right;
  const auto add = [](Formula& side, const DerivedTerm& term) {
    const std::string sign = term.minus ? (side.text.empty() ? "-" : " - ") : (side.text.empty() ? "" : " + ");
    side.text += sign + term.place();
    side.latex += sign + term.latex_place;
  };
  for (const DerivedTerm& term : terms) add(term.acts_on.empty() ? right : left, term);
  const auto or_zero = [](const std::string& text) { return text.empty() ? std::string("0") : text; };
  return {"", or_zero(left.text) + " = " + or_zero(right.text), "", or_zero(left.latex) + " = " + or_zero(right.latex)};
}

}  // namespace elodyn
