#include "elodyn/system/system_formalism.hpp"

namespace elodyn {

std::unique_ptr<const SystemFormalism> make_maggi();
std::unique_ptr<const SystemFormalism> make_multipliers();
std::unique_ptr<const SystemFormalism> make_whittaker();

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
