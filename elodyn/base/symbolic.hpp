// A number that is an expression of symbols, exact: rational coefficients, GiNaC underneath. Sums and products of
// polynomials are kept expanded, quotients in normal form, so that what is zero looks zero.
// Constants come in exactly: every double is a fraction with a power of two below; write 1/3 as Symbolic(1) / 3.
// GiNaC orders the terms of a sum by addresses, anew in every run; text() and latex() sort them.
#pragma once

#include <ginac/ginac.h>
#include <map>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

class Symbolic {
 public:
  Symbolic() = default;
  Symbolic(double value);              // NOLINT: constants mix with symbols as in the formulas
  Symbolic(int value) : ex_(value) {}  // NOLINT
  explicit Symbolic(GiNaC::ex ex) : ex_(std::move(ex)) {}
  // A new symbol; two of the same name are different.
  static Symbolic symbol(const std::string& name, const std::string& latex);

  const GiNaC::ex& ex() const { return ex_; }
  bool is_zero() const { return ex_.is_zero(); }
  bool is_sum() const { return GiNaC::is_a<GiNaC::add>(ex_); }
  // In normal form: one fraction, expanded above and, if a sum stands below, in factors there.
  Symbolic simplified() const;
  double evaluate(const std::vector<std::pair<Symbolic, double>>& values) const;
  std::string text() const;   // 13*A*L*rho/35
  std::string latex() const;  // \frac{13 A L \rho}{35}

  friend Symbolic operator+(const Symbolic& a, const Symbolic& b) { return Symbolic(a.ex_ + b.ex_); }
  friend Symbolic operator-(const Symbolic& a, const Symbolic& b) { return Symbolic(a.ex_ - b.ex_); }
  friend Symbolic operator*(const Symbolic& a, const Symbolic& b);
  friend Symbolic operator/(const Symbolic& a, const Symbolic& b);
  Symbolic operator-() const { return Symbolic(-ex_); }
  Symbolic& operator+=(const Symbolic& b) { return *this = *this + b; }
  Symbolic& operator-=(const Symbolic& b) { return *this = *this - b; }
  Symbolic& operator*=(const Symbolic& b) { return *this = *this * b; }
  Symbolic& operator/=(const Symbolic& b) { return *this = *this / b; }
  friend bool operator==(const Symbolic& a, const Symbolic& b) { return (a.ex_ - b.ex_).is_zero(); }
  friend Symbolic sqrt(const Symbolic& a) { return Symbolic(GiNaC::sqrt(a.ex_)); }

 private:
  GiNaC::ex ex_;  // 0
};

// Whether the determinant is not the zero function: found at values of the symbols that have no meaning.
bool is_regular(const MatrixOf<Symbolic>& matrix);

// A scalar in its simplest form; numbers are already.
inline double simplified(double x) { return x; }
template <class S>
S simplified(const S& x) {
  if constexpr (requires { x.simplified(); })
    return x.simplified();
  else
    return x;
}

}  // namespace elodyn

template <>
struct Eigen::NumTraits<elodyn::Symbolic> : Eigen::GenericNumTraits<elodyn::Symbolic> {
  using Real = elodyn::Symbolic;
  using NonInteger = elodyn::Symbolic;
  using Nested = elodyn::Symbolic;
  enum {
    ReadCost = 10,
    AddCost = 100,
    MulCost = 100,
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1
  };
};
