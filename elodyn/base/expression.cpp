#include "elodyn/base/expression.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <muParser.h>

#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

// "Unexpected token "sinn" found at position 2." as part of a sentence; the caret shows the position.
std::string in_our_words(std::string message) {
  if (const size_t position = message.find(" at position"); position != message.npos) message.resize(position);
  if (message.ends_with(" found")) message.resize(message.size() - 6);
  while (message.ends_with('.')) message.pop_back();
  if (!message.empty() && message[0] >= 'A' && message[0] <= 'Z')
    message[0] = static_cast<char>(message[0] - 'A' + 'a');
  return message;
}

// What muParser would take silently: assignments, several results, strings.
std::optional<Expression::ParseError> find_mistake(const std::string& text) {
  const auto mistake = [](const char* message, size_t i) {
    return Expression::ParseError{message, static_cast<int>(i)};
  };
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = i > 0 ? text[i - 1] : ' ', after = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_word && std::string("+-*/^()<>=!&|?:., \t").find(c) == std::string::npos)
      return mistake("unexpected character", i);
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth <= 0) return mistake("a comma outside of a function", i);
    if (c == '=' && after != '=' && std::string("=<>!").find(before) == std::string::npos)
      return mistake("`=` assigns, `==` compares", i);
  }
  return std::nullopt;
}

}  // namespace

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
  if (auto mistake = find_mistake(text)) return mistake;
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
    return ParseError{in_our_words(error.GetMsg()), position};
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
