// A scalar function of the time t (s), or of named variables, written as text: "10*sin(2*pi*t)", "12*(1 - w/17.5)".
// Functions and constants: those of muParser (sin, cos, exp, sqrt, abs, min, max, a ? b : c …, pi).
// Limits: evaluation is not thread-safe on one object (copy it).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace elodyn {

class Expression {
 public:
  Expression();  // zero
  explicit Expression(double constant);
  ~Expression();
  Expression(const Expression& other);
  Expression& operator=(const Expression& other);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  struct ParseError {
    std::string message;
    int position = 0;  // offset into the text
  };
  // Replaces the function; on failure the object keeps the old one and the error is returned.
  std::optional<ParseError> parse(const std::string& text, std::vector<std::string> variables = {"t"});

  double operator()(double t) const;                        // of the first variable, where it is the only one
  double operator()(std::span<const double> values) const;  // one for each variable
  // d/dt, exact (smooth_formula.hpp) or, for what that cannot read, by differences. The error: estimated by differences
  // where the text has branches, else 0; not finite where the function has no derivative or is not defined around t.
  struct Derivative {
    double value = 0, error = 0;
    // False at a jump, a kink, an end of the domain.
    bool is_resolved(double scale) const { return error <= 1e-6 * scale; }
  };
  Derivative derivative(double t) const;
  Derivative second_derivative(double t) const;
  const std::string& text() const { return text_; }
  bool is_constant() const { return parser_ == nullptr; }
  bool uses(const std::string& variable) const;

 private:
  struct Parser;
  using Stencil = double (*)(const double* f, double h);  // of values at t − 3h … t + 3h
  Derivative differentiate(double t, Stencil stencil, int order) const;
  std::string text_;
  double constant_ = 0;
  std::unique_ptr<Parser> parser_;
};

}  // namespace elodyn
