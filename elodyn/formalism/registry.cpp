#include "elodyn/formalism/registry.hpp"

namespace elodyn {

std::unique_ptr<const Formalism> make_newton_euler();

const Registry<Formalism>& formalisms() {
  static const Registry<Formalism> registry = [] {
    std::vector<std::unique_ptr<const Formalism>> all;
    all.push_back(make_newton_euler());
    return Registry<Formalism>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
