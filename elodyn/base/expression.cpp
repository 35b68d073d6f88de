#include "elodyn/base/expression.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <muParser.h>

#include "elodyn/base/text.hpp"

namespace elodyn {

struct Expression::Parser {
  explicit Parser(const std::string& text) {
    mu.DefineVar("t", &t);
    mu.DefineConst("pi", std::numbers::pi);
    mu.SetExpr(text);
  }
  double t = 0;
  mu::Parser mu;
};

Expression::Expression() : Expression(0.0) {}
Expression::Expression(double constant) : text_(shortest(constant)), constant_(constant) {}
Expression::~Expression() = default;
Expression::Expression(const Expression& other)
    : text_(other.text_),
      constant_(other.constant_),
      parser_(other.parser_ ? std::make_unique<Parser>(other.text_) : nullptr) {}
Expression& Expression::operator=(const Expression& other) {
  if (this != &other) *this = Expression(other);
  return *this;
}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

std::optional<Expression::ParseError> Expression::parse(const std::string& text) {
  try {
    auto parser = std::make_unique<Parser>(text);
    const double at_zero = parser->mu.Eval();  // compiles, so that mistakes show here
    const bool constant = parser->mu.GetUsedVar().empty();
    text_ = text;
    constant_ = at_zero;
    parser_ = constant ? nullptr : std::move(parser);
    return std::nullopt;
  } catch (const mu::ParserError& error) {
    const int end = static_cast<int>(text.size());
    const int position = std::clamp(static_cast<int>(error.GetPos()), 0, std::max(0, end - 1));
    return ParseError{error.GetMsg(), position};
  }
}

double Expression::operator()(double t) const {
  if (!parser_) return constant_;
  parser_->t = t;
  return parser_->mu.Eval();
}

double Expression::derivative(double t) const {
  if (!parser_) return 0;
  // (1/60)(−f₋₃ + 9f₋₂ − 45f₋₁ + 45f₁ − 9f₂ + f₃)/h; h balances h⁶ against round-off.
  const double h = std::pow(2.2e-16, 1.0 / 7) * std::max(1.0, std::abs(t)) * 0.25;
  const auto f = [&](double k) { return (*this)(t + k * h); };
  return (45 * (f(1) - f(-1)) - 9 * (f(2) - f(-2)) + (f(3) - f(-3))) / (60 * h);
}

}  // namespace elodyn
