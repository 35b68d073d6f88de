#include "elodyn/base/symbolic.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace elodyn {
namespace {

bool is_integer_power(const GiNaC::ex& e) {
  return GiNaC::is_a<GiNaC::power>(e) && GiNaC::is_a<GiNaC::numeric>(e.op(1)) &&
         GiNaC::ex_to<GiNaC::numeric>(e.op(1)).is_integer();
}

// A product taken apart: a fraction of whole numbers, and factors above and below, sorted by name.
struct Factored {
  GiNaC::numeric number = 1;
  std::vector<std::pair<GiNaC::ex, int>> factors;  // base and power
};

std::string name_of(const GiNaC::ex& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}

class Printer {
 public:
  explicit Printer(bool latex) : latex_(latex) {}

  std::string sum(const GiNaC::ex& e) const {
    if (!GiNaC::is_a<GiNaC::add>(e)) return term(take_apart(e), true);
    std::string out;
    for (const Factored& parts : sorted_terms(e)) out += term(parts, out.empty());
    return out;
  }

 private:
  // Terms in the order of their text without the sign and number, so that it is the same in every run.
  std::vector<Factored> sorted_terms(const GiNaC::ex& e) const {
    std::vector<std::pair<std::string, Factored>> terms;
    for (size_t i = 0; i < e.nops(); ++i) {
      Factored parts = take_apart(e.op(i)), key = parts;
      key.number = 1;
      terms.emplace_back(product(key), std::move(parts));
    }
    std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Factored> out;
    for (auto& entry : terms) out.push_back(std::move(entry.second));
    return out;
  }

  Factored take_apart(const GiNaC::ex& e) const {
    Factored out;
    split(e, 1, out);
    return out;
  }
  void split(const GiNaC::ex& e, int exponent, Factored& out) const {
    if (GiNaC::is_a<GiNaC::numeric>(e)) {
      out.number *= GiNaC::ex_to<GiNaC::numeric>(e).power(GiNaC::numeric(exponent));
    } else if (GiNaC::is_a<GiNaC::mul>(e)) {
      for (size_t i = 0; i < e.nops(); ++i) split(e.op(i), exponent, out);
    } else if (is_integer_power(e)) {
      split(e.op(0), exponent * GiNaC::ex_to<GiNaC::numeric>(e.op(1)).to_int(), out);
    } else if (GiNaC::is_a<GiNaC::add>(e) && sorted_terms(e).front().number.is_negative()) {
      // a − b and b − a are the same factor but for the sign: written with its first term positive.
      if (exponent % 2 != 0) out.number = -out.number;
      out.factors.emplace_back((-e).expand(), exponent);
    } else {
      out.factors.emplace_back(e, exponent);
    }
  }

  std::string term(Factored parts, bool first) const {
    const bool negative = parts.number.is_negative();
    if (negative) parts.number = -parts.number;
    const std::string sign = negative ? (first ? "-" : " - ") : (first ? "" : " + ");
    return sign + product(parts);
  }

  std::string power(const GiNaC::ex& base, int exponent) const {
    std::string text;
    if (GiNaC::is_a<GiNaC::add>(base)) {
      text = latex_ ? "\\left(" + sum(base) + "\\right)" : "(" + sum(base) + ")";
    } else if (latex_) {
      std::ostringstream out;
      out << GiNaC::latex << base;
      text = out.str();
    } else {
      text = name_of(base);
    }
    if (exponent == 1) return text;
    return latex_ ? text + "^{" + std::to_string(exponent) + "}" : text + "^" + std::to_string(exponent);
  }

  std::string product(const Factored& parts) const {
    std::vector<std::string> above, below;
    for (const auto& [base, exponent] : parts.factors)
      (exponent > 0 ? above : below).push_back(power(base, std::abs(exponent)));
    std::sort(above.begin(), above.end());
    std::sort(below.begin(), below.end());
    const std::string times = latex_ ? " " : "*";
    const auto join = [&](const GiNaC::numeric& number, const std::vector<std::string>& factors) {
      std::string out = number.is_equal(1) && !factors.empty() ? "" : name_of(number);
      for (const std::string& factor : factors) out += (out.empty() ? "" : times) + factor;
      return out;
    };
    const std::string top = join(parts.number.numer(), above), bottom = join(parts.number.denom(), below);
    if (bottom == "1") return top;
    if (latex_) return "\\frac{" + without_brackets(top) + "}{" + without_brackets(bottom) + "}";
    const bool compound = below.size() + (parts.number.denom().is_equal(1) ? 0 : 1) > 1;
    return top + "/" + (compound ? "(" + bottom + ")" : bottom);
  }

  // A fraction needs none around a sum that stands alone above or below.
  static std::string without_brackets(const std::string& part) {
    const std::string left = "\\left(", right = "\\right)";
    const bool alone = part.starts_with(left) && part.find(right) == part.size() - right.size();
    return alone ? part.substr(left.size(), part.size() - left.size() - right.size()) : part;
  }

  bool latex_;
};

}  // namespace

Symbolic::Symbolic(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);  // value = mantissa 2^exponent
  constexpr int kBits = 53;
  ex_ =
      GiNaC::numeric(static_cast<long>(std::ldexp(mantissa, kBits))) * GiNaC::pow(GiNaC::numeric(2), exponent - kBits);
}

Symbolic Symbolic::symbol(const std::string& name, const std::string& latex) {
  return Symbolic(GiNaC::symbol(name, latex));
}

Symbolic operator*(const Symbolic& a, const Symbolic& b) { return Symbolic((a.ex_ * b.ex_).expand()); }
Symbolic operator/(const Symbolic& a, const Symbolic& b) {
  if (GiNaC::is_a<GiNaC::numeric>(b.ex_)) return Symbolic((a.ex_ / b.ex_).expand());
  return Symbolic((a.ex_ / b.ex_).normal());
}

Symbolic Symbolic::simplified() const {
  const GiNaC::ex fraction = ex_.normal().numer_denom();
  const GiNaC::ex below = fraction.op(1).expand();
  if (GiNaC::is_a<GiNaC::add>(below)) return Symbolic(fraction.op(0).expand() / GiNaC::factor(below));
  return Symbolic((fraction.op(0).expand() / below).expand());
}

double Symbolic::evaluate(const std::vector<std::pair<Symbolic, double>>& values) const {
  GiNaC::exmap map;
  for (const auto& [symbol, value] : values) map[symbol.ex()] = GiNaC::numeric(value);
  return GiNaC::ex_to<GiNaC::numeric>(ex_.subs(map).evalf()).to_double();
}

bool is_regular(const MatrixOf<Symbolic>& matrix) {
  std::map<std::string, GiNaC::ex> symbols;
  for (const Symbolic& x : matrix.reshaped())
    for (auto it = x.ex().preorder_begin(); it != x.ex().preorder_end(); ++it)
      if (GiNaC::is_a<GiNaC::symbol>(*it)) symbols.emplace(name_of(*it), *it);
  GiNaC::exmap values;
  int k = 0;
  for (const auto& [name, symbol] : symbols) {
    ++k;
    values[symbol] = GiNaC::numeric(7 * k * k + 11 * k + 5, 3 * k * k + 8);
  }
  const auto n = static_cast<unsigned>(matrix.rows());
  GiNaC::matrix numbers(n, n);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) numbers(i, j) = matrix(i, j).ex().subs(values).normal();
  return n == 0 || !numbers.determinant().is_zero();
}

std::string Symbolic::text() const { return Printer(false).sum(ex_); }
std::string Symbolic::latex() const { return Printer(true).sum(ex_); }

}  // namespace elodyn
