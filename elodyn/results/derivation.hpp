// The equation of an element as a formalism derives it, term by term, in symbols or in numbers. Data only; io/ writes
// it.
#pragma once

#include <string>
#include <vector>

#include "elodyn/base/formula.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// A matrix or a vector (one column) of the equation.
struct DerivedTerm {
  std::string name, latex_name;     // "G_z", "G_{z}"
  std::string meaning;              // "Coriolis matrix"
  std::string factor, latex_place;  // "2 omega_z", "2\omega_z G_{z}\dot q"
  std::string acts_on;              // q'', q', q; empty: a load on the right-hand side
  bool minus = false;               // as inertia loads on the right-hand side
  enum class Symmetry { none, symmetric, skew } symmetry = Symmetry::none;
  MatrixX values;
  std::vector<Formula> entries;  // by rows, without names; empty: numbers only

  const Formula& entry(Eigen::Index i, Eigen::Index j) const {
    return entries[static_cast<size_t>(i * values.cols() + j)];
  }
  std::string place() const;  // "2 omega_z G_z q'"
};

struct DerivedSymbol {
  std::string name, latex, meaning, unit;
  double value = 0;  // not a number: none
};

struct DerivedElement {
  std::string body, member, kind, section;  // member, or area, and section: empty for what stands at a point
  bool is_surface = false;                  // of an area
  int number = 0;                           // in its body, from 1
  int n_alike = 0;                          // elements of the body that have the same symbols, itself among them
  std::vector<int> nodes;                   // from 1
  bool symbolic = false;
  std::string axes;                // "element" or "body": in which the components are
  std::vector<std::string> notes;  // about axes, and why there are no symbols
  std::vector<Formula> dofs;       // name and latex_name
  std::vector<DerivedSymbol> symbols;
  std::vector<Formula> generating;
  std::vector<DerivedTerm> terms;  // those that are not zero
  std::vector<std::string> zero;   // names of the others
  OperationCount operations;       // of the same derivation in numbers

  Formula equation() const;  // from the places of the terms
};

struct Derivation {
  std::string title, formalism, summary;
  Formula system;  // how whole bodies are made of the elements' equations, for formalisms of systems
  Formula equation, generating;
  std::vector<DerivedElement> elements;
  std::vector<std::string> warnings;
  Outcome outcome;
  Provenance provenance;
};

}  // namespace elodyn
