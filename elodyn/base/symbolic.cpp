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

void split(const GiNaC::ex& e, Factored& out) {
  if (GiNaC::is_a<GiNaC::numeric>(e)) {
    out.number *= GiNaC::ex_to<GiNaC::numeric>(e);
  } else if (GiNaC::is_a<GiNaC::mul>(e)) {
    for (size_t i = 0; i < e.nops(); ++i) split(e.op(i), out);
  } else if (is_integer_power(e)) {
    out.factors.emplace_back(e.op(0), GiNaC::ex_to<GiNaC::numeric>(e.op(1)).to_int());
  } else {
    out.factors.emplace_back(e, 1);
  }
}

std::string name_of(const GiNaC::ex& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}

class Printer {
 public:
  explicit Printer(bool latex) : latex_(latex) {}

  // Terms in the order of their text without the sign and number, so that it is the same in every run.
  std::string sum(const GiNaC::ex& e) const {
    if (!GiNaC::is_a<GiNaC::add>(e)) return term(e, true);
    std::vector<std::pair<std::string, GiNaC::ex>> terms;
    for (size_t i = 0; i < e.nops(); ++i) {
      Factored parts;
      split(e.op(i), parts);
      parts.number = 1;
      terms.emplace_back(product(parts), e.op(i));
    }
    std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string out;
    for (size_t i = 0; i < terms.size(); ++i) out += term(terms[i].second, i == 0);
    return out;
  }

 private:
  std::string term(const GiNaC::ex& e, bool first) const {
    Factored parts;
    split(e, parts);
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
    if (latex_) return "\\frac{" + top + "}{" + bottom + "}";
    const bool compound = below.size() + (parts.number.denom().is_equal(1) ? 0 : 1) > 1;
    return top + "/" + (compound ? "(" + bottom + ")" : bottom);
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
  if (GiNaC::is_a<GiNaC::add>(below)) return Symbolic(fraction.op(0).expand() / fraction.op(1));
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
