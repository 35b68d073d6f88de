#include "elodyn/system/system_formalism.hpp"

namespace elodyn {

const Registry<SystemFormalism>& system_formalisms() {
  static const Registry<SystemFormalism> registry = [] {
    std::vector<std::unique_ptr<const SystemFormalism>> all;
    return Registry<SystemFormalism>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
