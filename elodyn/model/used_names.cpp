#include "elodyn/model/used_names.hpp"

#include <algorithm>

namespace elodyn {

UsedNames find_used_names(const Model& model) {
  UsedNames used;
  for (const Body& body : model.bodies) {
    const bool inherits_material = std::any_of(body.members.begin(), body.members.end(),
                                               [](const Member& member) { return member.material.value.empty(); });
    const bool inherits_section = std::any_of(body.members.begin(), body.members.end(),
                                              [](const Member& member) { return member.section.value.empty(); });
    if (inherits_material || body.members.empty()) used.materials.insert(body.material.value);
    if (inherits_section || body.members.empty()) used.sections.insert(body.section.value);
    for (const Area& area : body.areas) {
      used.materials.insert(area.material.value);
      used.sections.insert(area.section.value);
    }
    for (const Member& member : body.members) {
      used.materials.insert(member.material.value);
      used.sections.insert(member.section.value);
      used.sections.insert(member.section_to.value);
    }
  }
  return used;
}

}  // namespace elodyn
