#include "elodyn/element/symbolic_element.hpp"

namespace elodyn {

std::unique_ptr<SymbolicElement> Element::make_symbolic(const ElementData&) const { return nullptr; }

Symbolic SymbolicElement::add(const std::string& name, const std::string& latex, const std::string& meaning,
                              const std::string& unit, double value) {
  symbols.push_back({Symbolic::symbol(name, latex), name, latex, meaning, unit, value});
  return symbols.back().symbol;
}

double SymbolicElement::evaluate(const Symbolic& x) const {
  std::vector<std::pair<Symbolic, double>> values;
  for (const ElementSymbol& s : symbols) values.emplace_back(s.symbol, s.value);
  return x.evaluate(values);
}

// The weight of ξₖ is the integral of its Lagrange polynomial.
std::vector<SymbolicPoint> exact_rule(int degree) {
  std::vector<SymbolicPoint> rule;
  for (int k = 0; k <= degree; ++k) {
    std::vector<Symbolic> c = {1};  // ascending coefficients of Π (ξ − ξⱼ)/(ξₖ − ξⱼ)
    for (int j = 0; j <= degree; ++j) {
      if (j == k) continue;
      const Symbolic at = Symbolic(j) / Symbolic(degree), distance = Symbolic(k - j) / Symbolic(degree);
      c.emplace_back(0);
      for (size_t i = c.size() - 1; i > 0; --i) c[i] = (c[i - 1] - at * c[i]) / distance;
      c[0] = -at * c[0] / distance;
    }
    Symbolic integral = 0;
    for (size_t i = 0; i < c.size(); ++i) integral += c[i] / Symbolic(static_cast<int>(i + 1));
    rule.push_back({Symbolic(k) / Symbolic(degree), integral});
  }
  return rule;
}

}  // namespace elodyn
