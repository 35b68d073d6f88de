#include "elodyn/base/smooth_formula.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr int kMostWaiting = 64;

// φ(x) with φ′ and φ″ of the value of x (1).
Taylor chain(const Taylor& x, double value, double first, double second) {
  return {value, first * x.first, second * x.first * x.first + first * x.second};
}
// What is not moved by x.
Taylor constant(double value) { return {value, 0, 0}; }

Taylor multiply(const Taylor& x, const Taylor& y) {
  return {x.value * y.value, x.first * y.value + x.value * y.first,
          x.second * y.value + 2 * x.first * y.first + x.value * y.second};
}
Taylor divide(const Taylor& x, const Taylor& y) {
  const double value = x.value / y.value, first = (x.first - value * y.first) / y.value;
  return {value, first, (x.second - 2 * first * y.first - value * y.second) / y.value};
}
Taylor logarithm(const Taylor& x) { return chain(x, std::log(x.value), 1 / x.value, -1 / (x.value * x.value)); }
Taylor power(const Taylor& x, const Taylor& y) {
  const double value = std::pow(x.value, y.value);
  if (y.first == 0 && y.second == 0) {
    const double n = y.value, first = n == 0 ? 0 : n * std::pow(x.value, n - 1);
    return chain(x, value, first, n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(x.value, n - 2));
  }
  const Taylor exponent = multiply(y, logarithm(x));
  return chain(exponent, value, value, value);
}

}  // namespace

// Recursive descent, the loosest operators first.
struct SmoothFormula::Reader {
  std::string_view text;
  std::string_view variable;
  SmoothFormula out;
  size_t at = 0;
  int waiting = 0;
  bool is_good = true;

  void skip_blanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (!text.substr(at).starts_with(token)) return false;
    at += token.size();
    return true;
  }
  // <operands> are replaced by one.
  void put(Kind kind, int operands, double number = 0) {
    out.steps_.push_back({kind, number});
    waiting += 1 - operands;
    out.depth_ = std::max(out.depth_, waiting);
    if (out.depth_ > kMostWaiting) is_good = false;
  }
  void put_branch(Kind kind, int operands) {
    out.has_branches_ = true;
    put(kind, operands);
  }

  void read_choice() {
    read_or();
    if (!is_good || !take("?")) return;
    read_choice();
    if (!take(":")) is_good = false;
    if (is_good) read_choice();
    put_branch(Kind::choose, 3);
  }
  void read_or() {
    read_and();
    while (is_good && take("||")) read_and(), put_branch(Kind::logical_or, 2);
  }
  void read_and() {
    read_comparison();
    while (is_good && take("&&")) read_comparison(), put_branch(Kind::logical_and, 2);
  }
  void read_comparison() {
    static constexpr std::array<std::pair<std::string_view, Kind>, 6> kAll = {{{"<=", Kind::less_equal},
                                                                               {">=", Kind::greater_equal},
                                                                               {"==", Kind::equal},
                                                                               {"!=", Kind::not_equal},
                                                                               {"<", Kind::less},
                                                                               {">", Kind::greater}}};
    read_sum();
    for (bool goes_on = true; is_good && goes_on;) {
      goes_on = false;
      for (const auto& [token, kind] : kAll)
        if (take(token)) {
          read_sum();
          put_branch(kind, 2);
          goes_on = true;
          break;
        }
    }
  }
  void read_sum() {
    read_product();
    while (is_good) {
      if (take("+"))
        read_product(), put(Kind::add, 2);
      else if (take("-"))
        read_product(), put(Kind::subtract, 2);
      else
        return;
    }
  }
  void read_product() {
    read_signed();
    while (is_good) {
      if (take("*"))
        read_signed(), put(Kind::multiply, 2);
      else if (take("/"))
        read_signed(), put(Kind::divide, 2);
      else
        return;
    }
  }
  // −a^b is −(a^b).
  void read_signed() {
    if (++nesting_ > kMostWaiting) is_good = false;
    if (!is_good) return;
    if (take("-")) {
      read_signed();
      put(Kind::minus, 1);
    } else if (take("+")) {
      read_signed();
    } else {
      read_operand();
      if (is_good && take("^")) read_signed(), put(Kind::power, 2);  // from the right: a^b^c = a^(b^c)
    }
    --nesting_;
  }
  void read_operand() {
    skip_blanks();
    if (at >= text.size()) {
      is_good = false;
    } else if (take("(")) {
      read_choice();
      if (!take(")")) is_good = false;
    } else if (const char c = text[at]; (c >= '0' && c <= '9') || c == '.') {
      double number = 0;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
      if (error != std::errc()) is_good = false;
      at = static_cast<size_t>(end - text.data());
      put(Kind::number, 0, number);
    } else {
      read_name();
    }
  }
  void read_name() {
    const size_t start = at;
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (at < text.size() && is_part(text[at])) ++at;
    const std::string_view name = text.substr(start, at - start);
    if (name == variable) return put(Kind::variable, 0);
    if (name == "pi" || name == "_pi") return put(Kind::number, 0, std::numbers::pi);
    if (name == "_e") return put(Kind::number, 0, std::numbers::e);
    read_call(name);
  }
  void read_call(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Kind>, 23> kOfOne = {
        {{"sin", Kind::sin},   {"cos", Kind::cos},     {"tan", Kind::tan},     {"asin", Kind::asin},
         {"acos", Kind::acos}, {"atan", Kind::atan},   {"sinh", Kind::sinh},   {"cosh", Kind::cosh},
         {"tanh", Kind::tanh}, {"asinh", Kind::asinh}, {"acosh", Kind::acosh}, {"atanh", Kind::atanh},
         {"log2", Kind::log2}, {"log10", Kind::log10}, {"log", Kind::log},     {"ln", Kind::log},
         {"exp", Kind::exp},   {"sqrt", Kind::sqrt},   {"sign", Kind::sign},   {"rint", Kind::rint},
         {"abs", Kind::abs},   {"min", Kind::min},     {"max", Kind::max}}};
    if (!take("(")) return void(is_good = false);
    int n = 0;
    do {
      read_choice();
      ++n;
    } while (is_good && take(","));
    if (!is_good || !take(")")) return void(is_good = false);
    if (name == "atan2" && n == 2) return put(Kind::atan2, 2);
    if (name == "sum" || name == "avg") {
      for (int k = 1; k < n; ++k) put(Kind::add, 2);
      if (name == "avg") put(Kind::number, 0, n), put(Kind::divide, 2);
      return;
    }
    for (const auto& [known, kind] : kOfOne) {
      if (known != name) continue;
      if (kind == Kind::min || kind == Kind::max) {
        for (int k = 1; k < n; ++k) put_branch(kind, 2);
        return;
      }
      if (n != 1) break;
      if (kind == Kind::sign || kind == Kind::rint || kind == Kind::abs) return put_branch(kind, 1);
      return put(kind, 1);
    }
    is_good = false;
  }

 private:
  int nesting_ = 0;
};

std::optional<SmoothFormula> SmoothFormula::parse(const std::string& text, const std::string& variable) {
  Reader reader;
  reader.text = text;
  reader.variable = variable;
  reader.read_choice();
  reader.skip_blanks();
  if (!reader.is_good || reader.at != text.size()) return std::nullopt;
  ELODYN_REQUIRE(reader.waiting == 1);
  return std::move(reader.out);
}

Taylor SmoothFormula::operator()(double t) const {
  std::array<Taylor, kMostWaiting> waiting;
  Taylor* top = waiting.data() - 1;  // the last operand
  for (const Step& step : steps_) {
    if (step.kind == Kind::number) {
      *++top = constant(step.number);
      continue;
    }
    if (step.kind == Kind::variable) {
      *++top = {t, 1, 0};
      continue;
    }
    if (step.kind == Kind::choose) {
      top -= 2;
      *top = top->value != 0 ? top[1] : top[2];
      continue;
    }
    if (step.kind >= Kind::add) --top;
    Taylor& x = *top;          // the first or only operand, then the result
    const Taylor& y = top[1];  // the second one
    const double a = x.value;
    switch (step.kind) {
      case Kind::minus:
        x = {-x.value, -x.first, -x.second};
        break;
      case Kind::sin:
        x = chain(x, std::sin(a), std::cos(a), -std::sin(a));
        break;
      case Kind::cos:
        x = chain(x, std::cos(a), -std::sin(a), -std::cos(a));
        break;
      case Kind::tan: {
        const double f = std::tan(a), slope = 1 + f * f;
        x = chain(x, f, slope, 2 * f * slope);
        break;
      }
      case Kind::asin: {
        const double slope = 1 / std::sqrt(1 - a * a);
        x = chain(x, std::asin(a), slope, a * slope * slope * slope);
        break;
      }
      case Kind::acos: {
        const double slope = 1 / std::sqrt(1 - a * a);
        x = chain(x, std::acos(a), -slope, -a * slope * slope * slope);
        break;
      }
      case Kind::atan: {
        const double slope = 1 / (1 + a * a);
        x = chain(x, std::atan(a), slope, -2 * a * slope * slope);
        break;
      }
      case Kind::sinh:
        x = chain(x, std::sinh(a), std::cosh(a), std::sinh(a));
        break;
      case Kind::cosh:
        x = chain(x, std::cosh(a), std::sinh(a), std::cosh(a));
        break;
      case Kind::tanh: {
        const double f = std::tanh(a), slope = 1 - f * f;
        x = chain(x, f, slope, -2 * f * slope);
        break;
      }
      case Kind::asinh: {
        const double slope = 1 / std::sqrt(a * a + 1);
        x = chain(x, std::asinh(a), slope, -a * slope * slope * slope);
        break;
      }
      case Kind::acosh: {
        const double slope = 1 / std::sqrt(a * a - 1);
        x = chain(x, std::acosh(a), slope, -a * slope * slope * slope);
        break;
      }
      case Kind::atanh: {
        const double slope = 1 / (1 - a * a);
        x = chain(x, std::atanh(a), slope, 2 * a * slope * slope);
        break;
      }
      case Kind::log:
        x = logarithm(x);
        break;
      case Kind::log2:
        x = multiply(constant(std::numbers::log2e), logarithm(x));
        break;
      case Kind::log10:
        x = multiply(constant(std::numbers::log10e), logarithm(x));
        break;
      case Kind::exp:
        x = chain(x, std::exp(a), std::exp(a), std::exp(a));
        break;
      case Kind::sqrt: {
        const double f = std::sqrt(a);
        x = chain(x, f, 0.5 / f, -0.25 / (f * a));
        break;
      }
      case Kind::sign:
        x = constant(a < 0 ? -1 : a > 0 ? 1 : 0);
        break;
      case Kind::rint:
        x = constant(std::rint(a));
        break;
      case Kind::abs:
        if (a < 0) x = {-x.value, -x.first, -x.second};
        break;
      case Kind::add:
        x = {x.value + y.value, x.first + y.first, x.second + y.second};
        break;
      case Kind::subtract:
        x = {x.value - y.value, x.first - y.first, x.second - y.second};
        break;
      case Kind::multiply:
        x = multiply(x, y);
        break;
      case Kind::divide:
        x = divide(x, y);
        break;
      case Kind::power:
        x = power(x, y);
        break;
      case Kind::atan2: {  // of y/x in the usual names: ḟ = (x ẏ − y ẋ)/(x² + y²)
        const double squares = x.value * x.value + y.value * y.value;
        const double first = (y.value * x.first - x.value * y.first) / squares;
        const double second =
            (y.value * x.second - x.value * y.second - 2 * first * (x.value * x.first + y.value * y.first)) / squares;
        x = {std::atan2(x.value, y.value), first, second};
        break;
      }
      case Kind::min:
        if (y.value < a) x = y;
        break;
      case Kind::max:
        if (y.value > a) x = y;
        break;
      case Kind::less:
        x = constant(a < y.value);
        break;
      case Kind::less_equal:
        x = constant(a <= y.value);
        break;
      case Kind::greater:
        x = constant(a > y.value);
        break;
      case Kind::greater_equal:
        x = constant(a >= y.value);
        break;
      case Kind::equal:
        x = constant(a == y.value);
        break;
      case Kind::not_equal:
        x = constant(a != y.value);
        break;
      case Kind::logical_and:
        x = constant(a != 0 && y.value != 0);
        break;
      case Kind::logical_or:
        x = constant(a != 0 || y.value != 0);
        break;
      case Kind::number:
      case Kind::variable:
      case Kind::choose:
        break;  // above
    }
  }
  return *top;
}

}  // namespace elodyn
