// The parts of validate() that look at one body.
#pragma once

#include "elodyn/model/surface_kind.hpp"
#include "elodyn/model/validate.hpp"

namespace elodyn {

// Names, geometry, supports, masses, loads.
void validate_body(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics);

// Areas and what belongs to surfaces alone.
void validate_areas(const Model& model, const Body& body, Diagnostics& diagnostics);

// Materials with voids or pores, the bar with voids, and what holds φ.
void validate_voids(const Model& model, const Body& body, Diagnostics& diagnostics);
// A mesh that was read from a file, as elements of that kind.
void validate_mesh(const Body& body, const SurfaceKind& kind, Diagnostics& diagnostics);

// What is asked of [analysis.simulate].
void validate_simulate(const Model& model, const KnownNames& names, Diagnostics& diagnostics);

// What is asked of [analysis.campbell].
void validate_campbell(const Model& model, Diagnostics& diagnostics);

// What is asked of [analysis.frf] and [analysis.reduction].
void validate_frf(const Model& model, const KnownNames& names, Diagnostics& diagnostics);

// What is asked of [analysis.stability], and of one sweep there or elsewhere; its keys are tried by who reads the file.
void validate_stability(const Model& model, Diagnostics& diagnostics);
void validate_sweep(const SweepParameter& parameter, Diagnostics& diagnostics);

// What is asked of [analysis.floquet], [analysis.cycle] and [analysis.periodic].
void validate_floquet(const Model& model, Diagnostics& diagnostics);

// The motion of the body's frame, and gravity in it.
void validate_motion(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics);

// Rigid bodies, joints and what drives and loads them, and what is asked of [analysis.mechanism].
void validate_mechanism(const Model& model, const KnownNames& names, Diagnostics& diagnostics);

// What is asked of [analysis.measure] and [analysis.identify].
void validate_measure(const Model& model, Diagnostics& diagnostics);
void validate_identify(const Model& model, Diagnostics& diagnostics);

// What is asked of [analysis.spectra], [analysis.modal], [analysis.correlate] and [analysis.measure.records].
void validate_vibration(const Model& model, Diagnostics& diagnostics);

// Of a real body ∫ρxx, which is ½tr(I)1 − I, is not negative: no moment of inertia exceeds the sum of the others.
bool is_real_inertia(const Mat3& I);

// A direction must have a length.
bool check_direction(const Vec3& v, const char* key, const Marks& marks, const Mark& mark, Diagnostics& diagnostics);

}  // namespace elodyn
