// The laws that every element, formalism and set of constraints must keep, shipped so that the author of a new one
// gets the check in one line. Each law returns how far it is missed and how far round-off lets it be.
// The tests run them for everything that is registered.
#pragma once

#include <string>
#include <vector>

#include "elodyn/element/element.hpp"
#include "elodyn/formalism/formalism.hpp"
#include "elodyn/system/constraints.hpp"

namespace elodyn {

struct LawCheck {
  std::string law;   // what must hold, in words
  double error = 0;  // relative to the largest quantity that enters
  double bound = 0;
  bool holds() const { return error <= bound; }  // false for NaN
};

// Seeded, reproducible data that the element can be built from: every degree, straight and turned, with and without
// rotary inertia.
struct ElementSample {
  std::string name;
  ElementData data;
  LumpedMass mass;
  Spring spring;
};
std::vector<ElementSample> make_samples(const Element& element, unsigned seed);
// Pointers inside `data` are set to the sample's own mass and spring; call after copying a sample.
ElementData bind(const ElementSample& sample);

// Rigid motion is represented exactly and gives no strain, to first and second order; stiffnesses are not negative.
std::vector<LawCheck> check_element_laws(const Element& element, const ElementData& data);

// M symmetric and positive, G and E skew, S symmetric, K and D symmetric and not negative, Γ symmetric; translation
// identities of mass, Coriolis and loads; Euler's equations for rigid rotations, sections included; the free field:
// matter at rest in the world feels no force in any frame.
std::vector<LawCheck> check_formalism_laws(const Formalism& formalism, const Element& element, const ElementData& data,
                                           unsigned seed);

// expand∘restrict = identity on the admissible set, the rows hold, reduce is the congruence TᵀAT.
std::vector<LawCheck> check_constraint_laws(int n_full, const std::vector<ConstraintRow>& rows, unsigned seed);

}  // namespace elodyn
