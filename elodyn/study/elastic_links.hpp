// Elastic bodies of a mechanism: from the rigid stage to the loads of each link in its own moving frame.
//   motion   a = Rᵀ(r̈_O − g), ω, ω̇ of the body's frame, body axes, as a MotionTable                              (1)
//   loads    what every joint, spring and force of the mechanism does to the body, at the joint's point, body axes,
//            one load for each component, with its history as factor                                               (2)
// Both are splines through the records of the rigid motion, which are made denser where they are not met. (1) and (2)
// balance, since the rigid body has the mass of the mesh: supports that only take away the rigid motion of the link
// bear nothing but what its deformation adds. Kg follows, linear in each component of (2).
// Source: THEORY "rod driven by the rigid stage", docs/theory/elastic-mechanisms.md.
// Limits: one way: the deformation does not change the motion of the mechanism. Between records that jump (dry
// friction without smoothing) splines overshoot; the error that is found says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/mechanism/liaison.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

// Whether a body is to move as the mechanism does, and does not know how yet.
bool has_elastic_links(const Model& model);

// A mechanism with a motion whose records lie densely enough.
struct RigidStage {
  Mechanism mechanism;
  Assembly assembly;
  MechanismMotion motion;
  double interpolation_error = 0;  // largest of splines through the records, relative to the size of each quantity
};
// Throws NumericalError as the parts do. At least the records of the request.
RigidStage run_rigid_stage(const Model& model);
// The same with the records that are asked for, whatever their error.
RigidStage run_rigid_stage(const Model& model, int records);

// The last cycle of a motion, counted by a joint that turns over and over, a driven one first: one turn of it or as
// many, up to four, as position, speeds, accelerations and forces need to return; nothing if no joint turns over.
// `error`: to which the motion is known between its records; 10 times that still counts as the same.
std::optional<Cycle> find_cycle(const Mechanism& mechanism, const MechanismMotion& motion, double error);

// The model with (1) and (2) put in, for bodies with motion.kind mechanism.
struct ElasticLinks {
  Model model;
  double interpolation_error = 0;
  int records = 0;
  std::vector<std::string> warnings;
};
ElasticLinks make_elastic_links(const Model& model, const RigidStage& rigid);
ElasticLinks make_elastic_links(const Model& model);

// The elastic bodies alone, each in its motion.
Model make_elastic_bodies(const Model& model);

}  // namespace elodyn
