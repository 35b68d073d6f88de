// A slider-crank without mistakes, for tests of the reader and of validate().
#pragma once

#include <string>

#include "tests/unit/io/sample_model.hpp"

namespace elodyn {

inline constexpr char kSliderCrank[] = R"toml(schema = 1
title = "Slider-crank"
gravity = [0, -9.81, 0]
[ground]
points = { O = [0, 0, 0] }
[body.crank]
dimension = 2
rigid = { mass = "2 kg", center = ["10 mm", 0, 0], inertia = "0.02 kg*m^2" }
points = { O = [0, 0, 0], A = ["60 mm", 0, 0] }
[body.rod]
dimension = 2
rigid = { mass = 0.6, center = [0.125, 0, 0], inertia = 0.003 }
points = { A = [0, 0, 0], B = [0.25, 0, 0] }
place = [0.06, 0, 0]
[body.piston]
dimension = 2
rigid = { mass = 0.5 }
points = { B = [0, 0, 0] }
place = [0.31, 0, 0]
[joint.O]
kind = "revolute"
a = "ground.O"
b = "crank.O"
[joint.A]
kind = "revolute"
a = "crank.A"
b = "rod.A"
friction = { coulomb = 0.1, radius = "5 mm", smoothing = "0.01 rad/s" }
[joint.B]
kind = "revolute"
a = "rod.B"
b = "piston.B"
[joint.guide]
kind = "prismatic"
a = "ground.O"
b = "piston.B"
axis = [1, 0, 0]
friction = { viscous = "5 N*s/m" }
[motor.drive]
joint = "O"
torque = "4*(1 - w/40)"
[force.gas]
joint = "guide"
force = "v > 0 ? -20 : -60"
[spring.return]
a = "ground.O"
b = "piston.B"
stiffness = "10 N/m"
free_length = "0.2 m"
[analysis.mechanism]
duration = "0.1 s"
records = 20
)toml";

// The slider-crank with one piece of text exchanged for another.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}
inline std::string crank_with(const std::string& from, const std::string& to) { return with(kSliderCrank, from, to); }

}  // namespace elodyn
