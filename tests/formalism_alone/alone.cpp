// The law tests of one formalism in a program that holds no other one: it links only if the formalism stands alone.
#include <cstdio>

#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/laws.hpp"

int main() {
  using namespace elodyn;
  const std::vector<const Formalism*> all = formalisms().list();
  if (all.size() != 1 || all[0]->name() != ELODYN_ONLY) {
    std::printf("expected the one formalism %s\n", ELODYN_ONLY);
    return 1;
  }
  int held = 0, broken = 0;
  for (const Element* element : elements().list())
    for (const ElementSample& sample : make_samples(*element, 23))
      for (const LawCheck& check : check_formalism_laws(*all[0], *element, bind(sample), 29)) {
        ++(check.holds() ? held : broken);
        if (!check.holds())
          std::printf("%s, %s: %s: error %g, bound %g\n", std::string(element->name()).c_str(), sample.name.c_str(),
                      check.law.c_str(), check.error, check.bound);
      }
  std::printf("%s: %d laws held, %d broken\n", ELODYN_ONLY, held, broken);
  return broken == 0 && held > 0 ? 0 : 1;
}
