// The declared keys of a mechanism (model/mechanism.hpp): joints, what drives and loads them, what is asked for.
#pragma once

#include "elodyn/io/schema.hpp"

namespace elodyn {

// `rigid = { … }` of a body; a body that has it has no element.
struct RigidPart {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  double inertia = 0;
  std::vector<double> inertia_tensor;
  Marks marks;
};
TableOf<RigidPart> rigid_schema();
void put_rigid(Body& body, const RigidPart& part, const Entry& entry);
std::optional<RigidPart> get_rigid(const Body& body);

// [ground], [joint.NAME], [gear.NAME], [driver.NAME], [motor.NAME], [force.NAME], [spring.NAME]
void add_mechanism_tables(TableOf<Model>& t);

// [analysis.mechanism]
TableOf<MechanismRequest> mechanism_schema();

}  // namespace elodyn
