// An element with symbols for its lengths, moduli and sections, in its own axes. Its stations stand at fractions of the
// length with the weights of an interpolatory rule that is exact for its polynomials, so that sums over them are the
// integrals, exactly. Any formalism turns them into matrices of symbols.
#pragma once

#include "elodyn/base/symbolic.hpp"
#include "elodyn/element/element.hpp"

namespace elodyn {

struct ElementSymbol {
  Symbolic symbol;
  std::string name, latex;
  std::string meaning, unit;
  double value = 0;  // of the element it was made from
};

struct SymbolicElement {
  BasicStations<Symbolic> stations;
  std::vector<ElementSymbol> symbols;
  std::vector<std::string> dofs;  // names of q, in order
  Mat3 axes = Mat3::Identity();   // its own axes, columns in body axes

  Symbolic add(const std::string& name, const std::string& latex, const std::string& meaning, const std::string& unit,
               double value);
  double evaluate(const Symbolic& x) const;  // at the values of the symbols
};

struct SymbolicPoint {
  Symbolic xi, weight;
};
// Points at k/degree on [0, 1]: exact for polynomials up to `degree`.
std::vector<SymbolicPoint> exact_rule(int degree);

}  // namespace elodyn
