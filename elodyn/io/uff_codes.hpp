// Numbers that universal files have for what was measured, and how units follow from them; for reader and writer.
#pragma once

#include <array>
#include <string>

#include "elodyn/results/record.hpp"

namespace elodyn::uff {

// Function types of dataset 58.
inline constexpr int kHistory = 1, kFrf = 4, kCoherence = 6;
// Specific data types of an abscissa.
inline constexpr int kTimeAxis = 17, kFrequencyAxis = 18;
// Ordinate data types.
inline constexpr int kRealSingle = 2, kRealDouble = 4, kComplexSingle = 5, kComplexDouble = 6;

struct MeasurandCode {
  int code;
  Measurand quantity;
  int length, force;  // exponents, of translations
};
inline constexpr std::array kMeasurands = {
    MeasurandCode{8, Measurand::displacement, 1, 0},   MeasurandCode{11, Measurand::velocity, 1, 0},
    MeasurandCode{12, Measurand::acceleration, 1, 0},  MeasurandCode{13, Measurand::force, 0, 1},
    MeasurandCode{9, Measurand::force, 0, 1},          MeasurandCode{3, Measurand::strain, 0, 0},
    MeasurandCode{19, Measurand::rotation_speed, 0, 0}};
inline constexpr double kRpm = 0.10471975511965977;  // rad/s: rotation speeds are in rpm

}  // namespace elodyn::uff
