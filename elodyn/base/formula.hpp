// A formula for people: what it is called and what it says, as text and as LaTeX (without the dollars).
#pragma once

#include <string>

namespace elodyn {

struct Formula {
  std::string name, text;              // "T", "A*rho*u'^2/2"; name may be empty
  std::string latex_name, latex = {};  // "T", "\frac{A \rho \dot u^{2}}{2}"
};

}  // namespace elodyn
