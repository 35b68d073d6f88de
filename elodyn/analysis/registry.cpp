#include "elodyn/analysis/analysis.hpp"

namespace elodyn {

std::unique_ptr<const Analysis> make_modes_analysis();
std::unique_ptr<const Analysis> make_static_analysis();
std::unique_ptr<const Analysis> make_buckling_analysis();
std::unique_ptr<const Analysis> make_simulate_analysis();
std::unique_ptr<const Analysis> make_campbell_analysis();
std::unique_ptr<const Analysis> make_frf_analysis();
std::unique_ptr<const Analysis> make_reduction_analysis();
std::unique_ptr<const Analysis> make_floquet_analysis();
std::unique_ptr<const Analysis> make_cycle_analysis();
std::unique_ptr<const Analysis> make_periodic_analysis();

const Registry<Analysis>& analyses() {
  static const Registry<Analysis> registry = [] {
    std::vector<std::unique_ptr<const Analysis>> all;
    all.push_back(make_modes_analysis());
    all.push_back(make_static_analysis());
    all.push_back(make_buckling_analysis());
    all.push_back(make_simulate_analysis());
    all.push_back(make_campbell_analysis());
    all.push_back(make_frf_analysis());
    all.push_back(make_reduction_analysis());
    all.push_back(make_floquet_analysis());
    all.push_back(make_cycle_analysis());
    all.push_back(make_periodic_analysis());
    return Registry<Analysis>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
