// From films to forces: what [analysis.identify] asks for.
//   tracks → pose of each filmed body → its motion with bands → liaison forces with bands → elastic bodies in that
//   motion
// The forces are a function of the motions of the filmed bodies; their covariance is carried through its derivatives,
// by differences of the size of the errors.
// Twice the square of what the changes of all coordinates (differentiate.hpp) make together is added.
// Bands are 1.96 standard deviations. Source:
// docs/theory/experiment-motion.md. Limits: as those of experiment/differentiate.hpp, experiment/rigid_fit.hpp and
// mechanism/balance.hpp; errors of the drawing (lengths, masses) are in no band.
#pragma once

#include <string>
#include <vector>

#include "elodyn/experiment/body_motion.hpp"
#include "elodyn/mechanism/balance.hpp"
#include "elodyn/model/identify.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/results/record.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

struct FilmedBody {
  std::string name;
  std::vector<std::string> markers;
  PoseHistory poses;
  BodyMotion motion;
};

struct Identification {
  std::vector<double> times;  // at which all filmed bodies are known
  std::vector<FilmedBody> bodies;
  std::vector<int> frames;  // of the film, of each time
  // On b, world axes: force x, y, z, moment; a column for each time; NaN: not determined, or not reached.
  struct Force {
    std::string name;
    Matrix6X value, sigma;
  };
  std::vector<Force> joints;
  struct Drive {
    std::string name, unit;
    VectorX value, sigma;
  };
  std::vector<Drive> drives;  // what acts along coordinates and is not trusted
  std::vector<ForceBalance::Solution> solutions;
};

// Of tracks instead of those that the request has; warnings and tables go to the results.
Identification identify(const Model& model, const IdentifyRequest& request, const MarkerTracks& tracks,
                        Results& results);

void add_identify(const Model& model, Results& results);
Results run_identify(const Model& model);  // numerical trouble is the outcome

}  // namespace elodyn
