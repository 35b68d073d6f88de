#include "elodyn/base/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <muParser.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/smooth_formula.hpp"
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
  Parser(const std::string& text, std::vector<std::string> variables)
      : names(std::move(variables)), values(names.size(), 0.0) {
    for (size_t i = 0; i < names.size(); ++i) mu.DefineVar(names[i], &values[i]);
    mu.DefineConst("pi", std::numbers::pi);
    mu.SetExpr(text);
  }
  std::vector<std::string> names;
  std::vector<double> values;
  mu::Parser mu;
  std::optional<SmoothFormula> formula;  // of the only variable

  // One that muParser does not understand in the same way is not taken.
  void find_formula(const std::string& text) {
    if (names.size() != 1) return;
    formula = SmoothFormula::parse(text, names[0]);
    for (const double t : {0.0, 0.37, 1.9, 20.3, 1234.5, -0.61}) {
      if (!formula) return;
      values[0] = t;
      const double known = mu.Eval(), found = (*formula)(t).value;
      constexpr double kSame = 1e-12;
      const bool is_same = std::abs(known - found) <= kSame * std::abs(known) || known == found ||
                           (std::isnan(known) && std::isnan(found));
      if (!is_same) formula.reset();
    }
  }

  // Where the formula has branches the differences tell whether one is at t.
  Derivative find_derivative(double t, double Taylor::*part, const auto& by_differences) const {
    if (!formula) return by_differences();
    const double value = (*formula)(t).*part;
    if (!std::isfinite(value)) return {std::nan(""), INFINITY};
    return {value, formula->is_without_branches() ? 0 : by_differences().error};
  }
};

Expression::Expression() : Expression(0.0) {}
Expression::Expression(double constant) : text_(shortest(constant)), constant_(constant) {}
Expression::~Expression() = default;
Expression::Expression(const Expression& other)
    : text_(other.text_),
      constant_(other.constant_),
      parser_(other.parser_ ? std::make_unique<Parser>(other.text_, other.parser_->names) : nullptr) {
  if (parser_) parser_->formula = other.parser_->formula;
}
Expression& Expression::operator=(const Expression& other) {
  if (this != &other) *this = Expression(other);
  return *this;
}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

std::optional<Expression::ParseError> Expression::parse(const std::string& text, std::vector<std::string> variables) {
  if (auto mistake = find_mistake(text)) return mistake;
  try {
    auto parser = std::make_unique<Parser>(text, std::move(variables));
    const double at_zero = parser->mu.Eval();  // compiles, so that mistakes show here
    const bool constant = parser->mu.GetUsedVar().empty();
    text_ = text;
    constant_ = at_zero;
    parser_ = constant ? nullptr : std::move(parser);
    if (parser_) parser_->find_formula(text);
    return std::nullopt;
  } catch (const mu::ParserError& error) {
    const int end = static_cast<int>(text.size());
    const int position = std::clamp(static_cast<int>(error.GetPos()), 0, std::max(0, end - 1));
    return ParseError{in_our_words(error.GetMsg()), position};
  }
}

double Expression::operator()(double t) const {
  if (!parser_) return constant_;
  ELODYN_ASSERT(parser_->values.size() == 1);
  parser_->values[0] = t;
  return parser_->mu.Eval();
}

double Expression::operator()(std::span<const double> values) const {
  if (!parser_) return constant_;
  ELODYN_ASSERT(values.size() == parser_->values.size());
  std::copy(values.begin(), values.end(), parser_->values.begin());
  return parser_->mu.Eval();
}

bool Expression::uses(const std::string& variable) const {
  return parser_ && parser_->mu.GetUsedVar().count(variable) > 0;
}

Expression::Derivative Expression::derivative(double t) const {
  // (45(f₁−f₋₁) − 9(f₂−f₋₂) + (f₃−f₋₃))/60h
  const auto by_differences = [&] {
    return differentiate(
        t,
        [](const double* f, double h) { return (45 * (f[4] - f[2]) - 9 * (f[5] - f[1]) + (f[6] - f[0])) / (60 * h); },
        1);
  };
  return parser_ ? parser_->find_derivative(t, &Taylor::first, by_differences) : Derivative{0, 0};
}

Expression::Derivative Expression::second_derivative(double t) const {
  // (−490f₀ + 270(f₁+f₋₁) − 27(f₂+f₋₂) + 2(f₃+f₋₃))/180h², of differences from f₀, which lose less
  const auto by_differences = [&] {
    return differentiate(
        t,
        [](const double* f, double h) {
          const double one = (f[4] - f[3]) + (f[2] - f[3]), two = (f[5] - f[3]) + (f[1] - f[3]),
                       three = (f[6] - f[3]) + (f[0] - f[3]);
          return (270 * one - 27 * two + 2 * three) / (180 * h * h);
        },
        2);
  };
  return parser_ ? parser_->find_derivative(t, &Taylor::second, by_differences) : Derivative{0, 0};
}

// Sixth-order central differences on ever smaller steps. Three neighbours that agree, measured by the slope that the
// samples themselves have, stand between truncation and round-off.
Expression::Derivative Expression::differentiate(double t, Stencil stencil, int order) const {
  constexpr double kRatio = 2.6457513;  // √7: no step is a multiple of a later one, which a period could hide behind
  Derivative best{std::nan(""), INFINITY};
  double previous = std::nan(""), previous_change = std::nan(""), best_agreement = INFINITY;
  const double start = 0.1 * std::max(1.0, std::abs(t)), smallest = 1e4 * 2.2e-16 * std::max(1e-6, std::abs(t));
  for (double h = start; h > smallest; h /= kRatio) {
    const double step = (t + h) - t;  // what the rounded times really differ by
    std::array<double, 7> f{};
    for (int k = -3; k <= 3; ++k) f[static_cast<size_t>(k + 3)] = (*this)(t + k * step);
    const double value = stencil(f.data(), step);
    const auto [low, high] = std::minmax_element(f.begin(), f.end());
    const double change = std::abs(value - previous);
    double worse = change > previous_change ? change : previous_change;  // two agree by chance too often
    // Second differences of tiny steps lose a small part of f whole, and then agree: their round-off counts too.
    if (order == 2) worse += 16 * 2.2e-16 * std::max(std::abs(*low), std::abs(*high)) / (step * step);
    const double slope = order == 1 ? (*high - *low) / step : 1;
    const double agreement = worse == 0 ? 0 : worse / slope;
    if (agreement < best_agreement) {
      best_agreement = agreement;
      best = {previous, worse};  // the middle one of three
    }
    previous = value;
    previous_change = change;
  }
  return best;
}

}  // namespace elodyn
