// A model file without mistakes, and what the reader says of it after changes.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"

namespace elodyn {

inline const std::string kSample = R"toml(schema = 1
title = "Steel rod in a centrifugal field"

[material.steel]
young   = "210 GPa"
poisson = 0.3
density = "7800 kg/m^3"

[section.round]
shape    = "circle"
diameter = "10 mm"

[body.rod]
element   = "beam_rayleigh"
degree    = 3
axial_degree = 1
dimension = 2
material  = "steel"
section   = "round"
line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 20 }
clamp     = ["from"]

[body.rod.motion]
kind    = "spin"
axis    = [0, 0, 1]
through = [-0.1, 0, 0]
speed   = "1000 rad/s"

[analysis.modes]
count = 9
)toml";

inline ReadOptions sample_options(std::vector<std::string> settings = {}) {
  return {std::move(settings), {{"beam_euler_bernoulli", "beam_rayleigh", "beam_timoshenko"}, {"virtual_work"}}};
}

// The sample with one piece of text exchanged for another.
inline std::string changed(const std::string& from, const std::string& to) {
  std::string text = kSample;
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

inline std::string messages(const std::string& text, Severity severity, std::vector<std::string> settings = {}) {
  Diagnostics diagnostics;
  const auto model = read_model("rod.toml", text, sample_options(std::move(settings)), diagnostics);
  EXPECT_EQ(model.has_value(), diagnostics.n_errors() == 0);
  return diagnostics.format_all(severity);
}
inline std::string errors(const std::string& text, std::vector<std::string> settings = {}) {
  return messages(text, Severity::error, std::move(settings));
}
inline std::string warnings(const std::string& text, std::vector<std::string> settings = {}) {
  return messages(text, Severity::warning, std::move(settings));
}

// Reads a file without mistakes.
inline Model read_good(const std::string& text, std::vector<std::string> settings = {}) {
  Diagnostics diagnostics;
  auto model = read_model("rod.toml", text, sample_options(std::move(settings)), diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  return model.value_or(Model{});
}

}  // namespace elodyn
