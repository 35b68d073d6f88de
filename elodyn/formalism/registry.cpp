#include "elodyn/formalism/registry.hpp"

namespace elodyn {

std::unique_ptr<const Formalism> make_newton_euler();
std::unique_ptr<const Formalism> make_lagrange();
std::unique_ptr<const Formalism> make_hamilton();
std::unique_ptr<const Formalism> make_gibbs_appell();
std::unique_ptr<const Formalism> make_kane();

const Registry<Formalism>& formalisms() {
  static const Registry<Formalism> registry = [] {
    std::vector<std::unique_ptr<const Formalism>> all;
    all.push_back(make_newton_euler());
    all.push_back(make_lagrange());
    all.push_back(make_hamilton());
    all.push_back(make_gibbs_appell());
    all.push_back(make_kane());
    return Registry<Formalism>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
