// The virtual stand: what [analysis.measure] asks for is simulated, and its records are made as those of a laboratory,
// with noise, gaps and wrong values of its seed.
// Film: the mechanism moves as [analysis.mechanism] says; at t = start + k / rate each marker is where its point is,
//   p = x + σ n,  then rounded to whole pixels                                                                    (1)
// n normal. Limits: markers of elastic bodies are where a rigid body would have them; no distortion by a lens, no blur.
#pragma once

#include "elodyn/mechanism/mechanism_motion.hpp"
#include "elodyn/model/measure.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/results/measurement.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// A mechanism and its motion at given times.
struct StandMotion {
  Mechanism mechanism;
  Assembly assembly;
  MechanismMotion motion;
};
// When the records begin.
double find_start(const Model& model, const MeasureRequest& request);
StandMotion move_stand(const Model& model, const std::vector<double>& times);

// Places of the film's markers without noise, and what the film shows of them.
MarkerTracks trace_markers(const StandMotion& stand, const std::vector<Located<std::string>>& markers);
void spoil_tracks(const FilmRequest& film, std::uint64_t seed, MarkerTracks& tracks);

// All of model.measure; tables say what was recorded. Numerical trouble is the outcome.
Results run_measure(const Model& model, Measurement& measurement);
void add_measure(const Model& model, Measurement& measurement, Results& results);

}  // namespace elodyn
