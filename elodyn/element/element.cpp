#include "elodyn/element/element.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {

void Element::calc_placement(const ElementData&, double, Matrix3X&, Matrix3X&) const {
  ELODYN_REQUIRE(false && "a surface has no line of places");
}

VectorX Element::calc_phi(const ElementData&, double) const { return {}; }

std::vector<SectionForces> Element::calc_section_forces(const ElementData&, const ElementState&,
                                                        const std::vector<double>&) const {
  return {};
}

SheetStress Element::calc_sheet_stress(const ElementData&, const ElementState&) const { return {}; }

}  // namespace elodyn
