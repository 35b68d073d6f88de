// Bodies of one material and section written as input, and their results by name: for tests of hinges, links, springs
// and loads against statics or dynamics by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn::test {

using std::numbers::pi;
using Complex = std::complex<double>;

// Of the material and the section of these models.
inline constexpr double kE = 2e9, kG = 0.8e9, kA = 2e-3, kIy = 5e-7, kIz = 2e-7, kJ = 6e-7, kAlpha = 1.5e-5;
inline constexpr double kStatic = 1e-9;  // of a static result: the round-off of a stiffness of some dozen unknowns
inline constexpr double kLight = 1e-7;   // kg/m³: a beam so light that only its stiffness counts

struct Kind {
  int dimension = 2, degree = 3;
  std::string text() const { return fmt::format("dimension {}, degree {}", dimension, degree); }
  bool spatial() const { return dimension == 3; }
};
inline const std::vector<Kind> kKinds = {{2, 3}, {2, 5}, {3, 3}, {3, 5}};

// A model with one body `b` of the keys and tables in `text`, and their numbers put in.
template <class... Args>
Model read(const Kind& kind, double density, const std::string& text, const Args&... args) {
  const std::string head = fmt::format(R"(schema = 1
[material.m]
young = {}
poisson = 0.25
density = {}
expansion = {}
[section.s]
shape = "general"
area = {}
Iy = {}
Iz = {}
J = {}
[body.b]
element = "beam_euler_bernoulli"
dimension = {}
degree = {}
material = "m"
section = "s"
)",
                                       kE, density, kAlpha, kA, kIy, kIz, kJ, kind.dimension, kind.degree);
  Diagnostics diagnostics;
  const std::string body = fmt::format(fmt::runtime(text), args...);
  const auto model = read_model("model.toml", head + body, {}, diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  return model.value_or(Model{});
}

inline Results solve(Model model) {  // first order
  model.terms.geometric = false;
  Results results = run_static(model);
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  return results;
}
// A light stub that carries nothing may be soft: stiff, its frequencies would drown the low ones in round-off.
inline Model soften(Model model) {
  model.materials[0].young = 1;
  return model;
}
inline Results find_modes(Model model, int count) {
  model.modes = ModesRequest{};
  model.modes->count = count;
  Results results = run_modes(model);
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  return results;
}

// Of a lumped mass, so that its turning does not have the frequencies of a body without inertia.
inline std::string inertia(bool spatial) {
  return spatial ? "inertia_tensor = [0.01, 0.01, 0.01, 0, 0, 0]" : "inertia = 0.01";
}

inline const Column* find_column(const Results& results, const std::string& table, const std::string& name) {
  const Table* t = results.find_table(table);
  if (!t) return nullptr;
  const auto it =
      std::find_if(t->columns.begin(), t->columns.end(), [&](const Column& column) { return column.name == name; });
  return it == t->columns.end() ? nullptr : &*it;
}
inline const std::vector<double>& numbers(const Results& results, const std::string& table, const std::string& name) {
  static const std::vector<double> none;
  const Column* column = find_column(results, table, name);
  EXPECT_NE(column, nullptr) << table << ", " << name;
  return column ? std::get<std::vector<double>>(column->values) : none;
}
// The value in the (first or last) row with this name.
inline double value(const Results& results, const std::string& table, const std::string& key, const std::string& row,
                    const std::string& name, bool last = false) {
  const Column* keys = find_column(results, table, key);
  const std::vector<double>& values = numbers(results, table, name);
  if (!keys || values.empty()) return NAN;
  double found = NAN;
  for (size_t i = 0; i < values.size(); ++i)
    if (std::get<std::vector<std::string>>(keys->values)[i] == row) {
      found = values[i];
      if (!last) break;
    }
  return found;
}
inline double displacement(const Results& r, const std::string& point, const std::string& name) {
  return value(r, "b_displacements", "point", point, name);
}
inline double reaction(const Results& r, const std::string& point, const std::string& name) {
  return value(r, "b_reactions", "point", point, name);
}
inline double first_force(const Results& r, const std::string& member, const std::string& name) {
  return value(r, "b_forces", "member", member, name);
}
inline double last_force(const Results& r, const std::string& member, const std::string& name) {
  return value(r, "b_forces", "member", member, name, true);
}
inline std::string moment_name(const Kind& kind) { return kind.spatial() ? "Mz" : "M"; }

#define EXPECT_RATIO(value, expected, tolerance) EXPECT_NEAR((value) / (expected), 1, tolerance)

// ω of all modes as (growth, omega), sorted by omega.
inline std::vector<Complex> eigenvalues(const Results& results) {
  std::vector<Complex> out;
  for (const Mode& mode : results.modes) out.emplace_back(mode.growth, mode.omega);
  return out;
}
// Roots of aλ² + bλ + c with their conjugates, as those with Im ≥ 0, sorted by it.
inline std::vector<Complex> roots(Complex a, Complex b, Complex c) {
  const Complex d = std::sqrt(b * b - 4.0 * a * c);
  std::vector<Complex> out;
  for (const Complex root : {(-b + d) / (2.0 * a), (-b - d) / (2.0 * a)})
    out.emplace_back(root.real(), std::abs(root.imag()));
  std::sort(out.begin(), out.end(), [](const Complex& x, const Complex& y) { return x.imag() < y.imag(); });
  return out;
}

}  // namespace elodyn::test
