#include "elodyn/base/error.hpp"
#include "elodyn/system/block_system.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {

std::unique_ptr<const SystemFormalism> make_maggi();
std::unique_ptr<const SystemFormalism> make_multipliers();
std::unique_ptr<const SystemFormalism> make_whittaker();

LiaisonForces SystemFormalism::find_liaison_forces(const BodySystem&, double, const VectorX&, const VectorX&) const {
  ELODYN_REQUIRE(knows_liaison_forces());
  return {};
}

const Registry<SystemFormalism>& system_formalisms() {
  static const Registry<SystemFormalism> registry = [] {
    std::vector<std::unique_ptr<const SystemFormalism>> all;
    all.push_back(make_maggi());
    all.push_back(make_multipliers());
    all.push_back(make_whittaker());
    return Registry<SystemFormalism>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
