// Time of one element's matrices by each formalism: Rayleigh beams in the plane and in space, a lumped mass, a spring
// to the ground; not along the body axes.
#include <benchmark/benchmark.h>

#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/laws.hpp"

namespace elodyn {
namespace {

struct Case {
  const char* element;
  int dimension, degree, n_axes;
};
constexpr Case kCases[] = {{"beam_rayleigh", 2, 3, 1}, {"beam_rayleigh", 3, 3, 1}, {"beam_rayleigh", 3, 3, 3},
                           {"beam_rayleigh", 3, 5, 3}, {"point_mass", 3, 3, 3},    {"spring", 3, 3, 3}};

void derive(benchmark::State& state, const Formalism& formalism, const Case& c) {
  const Element& element = *elements().find(c.element);
  MotionBasis basis;
  basis.origin = {0.1, 0.2, 0};
  basis.axes = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
  basis.axes.resize(static_cast<size_t>(c.n_axes));
  basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
  for (const ElementSample& sample : make_samples(element, 7)) {
    const ElementData data = bind(sample);
    if (data.dimension != c.dimension || data.degree != c.degree || data.axial_degree != 1 || !data.rotary ||
        sample.name.find("turned") == std::string::npos)
      continue;
    Stations stations;
    element.calc_stations(data, stations);
    ElementTerms terms;
    for (auto _ : state) {
      formalism.derive(stations, element.n_dofs(data), basis, terms);
      benchmark::DoNotOptimize(terms.M.data());
    }
    return;
  }
  state.SkipWithError("no such sample");
}

const bool registered = [] {
  for (const Case& c : kCases)
    for (const Formalism* formalism : formalisms().list())
      benchmark::RegisterBenchmark((std::string(c.element) + "/dimension:" + std::to_string(c.dimension) +
                                    "/degree:" + std::to_string(c.degree) + "/axes:" + std::to_string(c.n_axes) + "/" +
                                    std::string(formalism->name()))
                                       .c_str(),
                                   [formalism, &c](benchmark::State& state) { derive(state, *formalism, c); })
          ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace elodyn
