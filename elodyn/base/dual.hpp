// Forward-mode number a + b·ε with ε² = 0: carries a value and its derivative. Nest it for higher derivatives.
#pragma once

#include <cmath>

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

}  // namespace elodyn
