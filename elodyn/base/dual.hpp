// Forward-mode number a + b·ε with ε² = 0: carries a value and its derivative. Nest it for higher derivatives.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "elodyn/base/counted.hpp"

namespace elodyn {

template <class T>
struct Dual {
  T a{}, b{};
  Dual() = default;
  Dual(double x) : a(x), b(0.0) {}  // NOLINT: constants mix with duals as in the formulas
  Dual(T value, T slope) : a(value), b(slope) {}

  Dual& operator+=(const Dual& y) { return *this = *this + y; }
  friend Dual operator+(const Dual& x, const Dual& y) { return {x.a + y.a, x.b + y.b}; }
  friend Dual operator-(const Dual& x, const Dual& y) { return {x.a - y.a, x.b - y.b}; }
  friend Dual operator-(const Dual& x) { return {-x.a, -x.b}; }
  friend Dual operator*(const Dual& x, const Dual& y) { return {x.a * y.a, x.a * y.b + x.b * y.a}; }
  friend Dual operator/(const Dual& x, const Dual& y) {
    const T quotient = x.a / y.a;
    return {quotient, (x.b - quotient * y.b) / y.a};
  }
};

template <class T>
Dual<T> sin(const Dual<T>& x) {
  using std::cos, std::sin;
  return {sin(x.a), cos(x.a) * x.b};
}
template <class T>
Dual<T> cos(const Dual<T>& x) {
  using std::cos, std::sin;
  return {cos(x.a), -(sin(x.a) * x.b)};
}
template <class T>
Dual<T> sqrt(const Dual<T>& x) {
  using std::sqrt;
  const T root = sqrt(x.a);
  return {root, x.b / (root + root)};
}

// x·y for a plain number x.
inline double scaled(double y, double x) { return x * y; }
template <class S>
S scaled(const S& y, const S& x) {
  return x * y;
}
template <class T, class S>
Dual<T> scaled(const Dual<T>& y, const S& x) {
  return {scaled(y.a, x), scaled(y.b, x)};
}

// ∂²f/∂zᵢ∂zⱼ at z = 0. f takes the whole vector of variables; z is workspace of their number, all zero, and stays so.
template <class S, class Function>
S second_partial(const Function& f, std::vector<Dual<Dual<S>>>& z, std::size_t i, std::size_t j) {
  count_differentiation<S>();
  count_differentiation<S>();
  z[i].a.b = S(1.0);
  z[j].b.a = S(1.0);
  const S value = f(z).b.b;
  z[i] = z[j] = Dual<Dual<S>>();
  return value;
}

}  // namespace elodyn
