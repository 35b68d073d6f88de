// A formalism from one derivation for all scalars. `Derivation` has kName, kSummary and
//   template <class S> static void derive(const BasicStations<S>&, int n, const MotionBasis&, BasicElementTerms<S>&);
// for double, Counted, Symbolic and Batch; and, to be written out by `elodyn derive`,
//   static Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis);
#pragma once

#include <memory>

#include "elodyn/base/batch.hpp"
#include "elodyn/base/counted.hpp"
#include "elodyn/base/symbolic.hpp"
#include "elodyn/formalism/formalism.hpp"

namespace elodyn {

template <class Derivation>
class ElementFormalism final : public Formalism {
 public:
  std::string_view name() const override { return Derivation::kName; }
  std::string_view summary() const override { return Derivation::kSummary; }
  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& terms) const override {
    Derivation::derive(stations, n, basis, terms);
  }
  void derive(const BasicStations<Counted>& stations, int n, const MotionBasis& basis,
              BasicElementTerms<Counted>& terms) const override {
    Derivation::derive(stations, n, basis, terms);
  }
  void derive(const BasicStations<Symbolic>& stations, int n, const MotionBasis& basis,
              BasicElementTerms<Symbolic>& terms) const override {
    Derivation::derive(stations, n, basis, terms);
  }
  void derive(const BasicStations<Batch>& stations, int n, const MotionBasis& basis,
              BasicElementTerms<Batch>& terms) const override {
    try {
      Derivation::derive(stations, n, basis, terms);
    } catch (const LanesDiffer&) {
      Formalism::derive(stations, n, basis, terms);
    }
  }
  Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) const override {
    if constexpr (requires { Derivation::describe(station, basis); })
      return Derivation::describe(station, basis);
    else
      return Formalism::describe(station, basis);
  }
};

}  // namespace elodyn
