// The text of a function of one variable (expression.hpp) with its first two derivatives, exact but for round-off: each
// number of the calculation carries f, ḟ and f̈ along,
//   (f g)¨ = f̈ g + 2 ḟ ġ + f g̈,   φ(f)¨ = φ″(f) ḟ² + φ′(f) f̈                                                   (1)
// Knows the operators, functions and constants of muParser; at a branch (a ? b : c, abs, min, max, sign, rint) it is
// the derivative of the side that is taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace elodyn {

struct Taylor {
  double value = 0, first = 0, second = 0;
};

class SmoothFormula {
 public:
  // Nothing: it is written in a way that is not known here.
  static std::optional<SmoothFormula> parse(const std::string& text, const std::string& variable);

  Taylor operator()(double t) const;
  // False: somewhere there may be a jump or a kink.
  bool is_without_branches() const { return !has_branches_; }

 private:
  enum class Kind {
    number,
    variable,  // no operand
    minus,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    asinh,
    acosh,
    atanh,  // one
    log2,
    log10,
    log,
    exp,
    sqrt,
    sign,
    rint,
    abs,
    add,
    subtract,
    multiply,
    divide,
    power,
    atan2,
    min,
    max,  // two
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    choose  // three
  };
  struct Step {
    Kind kind;
    double number = 0;
  };
  struct Reader;
  std::vector<Step> steps_;  // operands before what is done with them
  int depth_ = 0;            // the most operands that wait at a time
  bool has_branches_ = false;
};

}  // namespace elodyn
