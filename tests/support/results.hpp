// Reading results in tests.
#pragma once

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn::test {

inline const Column& find_column(const Results& results, const std::string& table, const std::string& name) {
  const Table* t = results.find_table(table);
  if (!t) throw std::runtime_error("no table " + table + ": " + results.outcome.message);
  for (const Column& c : t->columns)
    if (c.name == name) return c;
  throw std::runtime_error("no column " + name + " in " + table);
}
inline const std::vector<double>& column(const Results& results, const std::string& table, const std::string& name) {
  return std::get<std::vector<double>>(find_column(results, table, name).values);
}
inline const std::vector<std::string>& text_column(const Results& results, const std::string& table,
                                                   const std::string& name) {
  return std::get<std::vector<std::string>>(find_column(results, table, name).values);
}

// One row of three columns as a vector.
inline Vec3 row(const Results& results, const std::string& table, const std::array<const char*, 3>& names, size_t i) {
  Vec3 v;
  for (size_t k = 0; k < 3; ++k) v[static_cast<int>(k)] = column(results, table, names[k]).at(i);
  return v;
}
inline constexpr std::array kDisplacement = {"u", "v", "w"}, kRotation = {"rx", "ry", "rz"},
                            kForce = {"Fx", "Fy", "Fz"}, kMoment = {"Mx", "My", "Mz"},
                            kSectionForce = {"N", "Ty", "Tz"};

// Displacement or rotation of the node at a named point of a body.
inline Vec3 at_point(const Results& results, const std::string& body, const std::array<const char*, 3>& names,
                     const std::string& point) {
  const auto& points = text_column(results, body + "_displacements", "point");
  for (size_t i = 0; i < points.size(); ++i)
    if (points[i] == point) return row(results, body + "_displacements", names, i);
  throw std::runtime_error("no point " + point);
}

// Frequencies of the modes with one label, in order.
inline std::vector<double> omegas(const Results& results, const std::string& label) {
  if (!results.outcome.ok()) throw std::runtime_error(results.outcome.message);
  std::vector<double> out;
  for (const Mode& mode : results.modes)
    if (mode.label == label) out.push_back(mode.omega);
  return out;
}

// A root of f between low and high, where its sign changes.
inline double bisect(const std::function<double(double)>& f, double low, double high) {
  const double sign = f(low);
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) * sign > 0 ? low : high) = middle;
  }
  return low;
}

// The first `count` roots above `start`, which are at least `step` apart.
inline std::vector<double> find_roots(const std::function<double(double)>& f, double start, double step, size_t count) {
  std::vector<double> roots;
  for (double x = start; roots.size() < count; x += step)
    if (f(x) * f(x + step) < 0) roots.push_back(bisect(f, x, x + step));
  return roots;
}

}  // namespace elodyn::test
