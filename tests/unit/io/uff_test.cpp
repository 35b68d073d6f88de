#include "elodyn/io/uff.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "elodyn/base/random.hpp"
#include "elodyn/io/measured_file.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
constexpr double kTurn = 2 * std::numbers::pi;

MeasuredData make_data(bool is_even) {
  MeasuredData data;
  data.geometry.nodes = {{"1", {0.1, -0.25, 3}}, {"7", {1, 2, 0.001}}, {"12", {0, 0, 1e-7}}};
  data.geometry.lines = {{0, 1, 2}};
  Random random(4);
  Signal force, tacho;
  force.name = "hammer";
  force.at = {"7", -2};
  force.quantity = Measurand::force;
  force.unit = "N";
  force.start = 0.25;
  force.step = 1.0 / 12800;
  for (int i = 0; i < 37; ++i) force.values.push_back(100 * random.normal());
  tacho.name = "speed";
  tacho.at = {"shaft", 0};
  tacho.quantity = Measurand::rotation_speed;
  tacho.unit = "rad/s";
  for (int i = 0; i < 11; ++i) {
    tacho.times.push_back(0.5 * i * i + 0.125);
    tacho.values.push_back(10 + i);
  }
  if (is_even) {
    tacho.times.clear();
    tacho.step = 0.5;
  }
  data.signals = {force, tacho};
  FrfRecord frf;
  frf.name = "1:+z / 7:+x";
  frf.response = {"1", 3};
  frf.reference = {"7", 1};
  frf.added_decay = 2.5;
  for (int i = 0; i < 23; ++i) {
    frf.frequencies.push_back(kTurn * (is_even ? 0.5 * i : 0.5 * i + 0.125 * (i % 3)));
    frf.values.emplace_back(random.normal(), -1e-6 * random.normal());
    frf.coherence.push_back(random.uniform());
  }
  data.frfs = {frf};
  MeasuredMode mode;
  mode.omega = 321;
  mode.damping = 0.0125;
  for (const char* point : {"1", "7", "tip"})
    for (const int direction : {1, 3}) mode.dofs.push_back({point, direction});
  mode.shape = Eigen::VectorXcd::Random(6);
  for (Eigen::Index i = 0; i < 6; ++i) mode.shape[i] = Complex(random.normal(), random.normal());
  data.modes = {mode};
  return data;
}

std::string errors_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto data = read_uff("test.uff", text, diagnostics);
  EXPECT_EQ(!data, diagnostics.n_errors() > 0);
  return diagnostics.format_all(Severity::error);
}

MeasuredData read(const std::string& text) {
  Diagnostics diagnostics;
  const auto data = read_uff("test.uff", text, diagnostics);
  EXPECT_TRUE(data.has_value()) << diagnostics.format_all(Severity::error);
  return data.value_or(MeasuredData{});
}

TEST(Uff, RoundTripOfEveryVariant) {
  for (const bool is_even : {false, true})
    for (const bool is_double : {false, true})
      for (const bool nodes_2411 : {false, true})
        for (const UffFormat::Numbers numbers :
             {UffFormat::Numbers::text, UffFormat::Numbers::little_endian, UffFormat::Numbers::big_endian}) {
          const MeasuredData a = make_data(is_even);
          const bool is_text = numbers == UffFormat::Numbers::text;
          const std::string text = to_uff(a, {numbers, is_double, nodes_2411});
          const MeasuredData b = read(text);
          SCOPED_TRACE(std::string(is_even ? "even " : "uneven ") + (is_double ? "double " : "single ") +
                       (is_text ? "text" : "binary"));
          // Half a unit of the last printed digit: 1e-12 or 1e-5 of E20.12 and E13.5; binary single 2^-24.
          const double close = is_double ? (is_text ? 1e-12 : 0) : is_text ? 1e-5 : std::exp2(-24);
          ASSERT_EQ(b.geometry.nodes.size(), 3U);
          for (size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(a.geometry.nodes[i].name, b.geometry.nodes[i].name);
            EXPECT_LE((a.geometry.nodes[i].x - b.geometry.nodes[i].x).norm(), (nodes_2411 ? 1e-15 : 1e-5) * 3.1);
          }
          EXPECT_EQ(b.geometry.lines, a.geometry.lines);
          ASSERT_EQ(b.signals.size(), 2U);
          for (size_t s = 0; s < 2; ++s) {
            const Signal &x = a.signals[s], &y = b.signals[s];
            EXPECT_EQ(x.name, y.name);
            EXPECT_EQ(x.at.name(), y.at.name());
            EXPECT_EQ(x.quantity, y.quantity);
            EXPECT_EQ(x.unit, y.unit);
            EXPECT_EQ(x.is_even(), y.is_even());
            EXPECT_NEAR(x.step, y.step, 1e-6 * x.step);
            ASSERT_EQ(x.values.size(), y.values.size());
            for (size_t i = 0; i < x.values.size(); ++i) {
              EXPECT_NEAR(x.values[i], y.values[i], (close + 4e-16) * std::abs(x.values[i]));
              EXPECT_NEAR(x.time(i), y.time(i), 1e-6 * std::abs(x.time(i)));
            }
          }
          ASSERT_EQ(b.frfs.size(), 1U);
          const FrfRecord &f = a.frfs[0], &g = b.frfs[0];
          EXPECT_EQ(f.name, g.name);
          EXPECT_EQ(f.response.name() + f.reference.name(), g.response.name() + g.reference.name());
          EXPECT_EQ(g.added_decay, 2.5);
          EXPECT_EQ(g.response_quantity, Measurand::acceleration);
          EXPECT_EQ(g.reference_quantity, Measurand::force);
          ASSERT_EQ(f.values.size(), g.values.size());
          ASSERT_EQ(f.coherence.size(), g.coherence.size());
          for (size_t i = 0; i < f.values.size(); ++i) {
            EXPECT_NEAR(f.values[i].real(), g.values[i].real(), (close + 4e-16) * std::abs(f.values[i].real()));
            EXPECT_NEAR(f.values[i].imag(), g.values[i].imag(), (close + 4e-16) * std::abs(f.values[i].imag()));
            EXPECT_NEAR(f.frequencies[i], g.frequencies[i], 1e-6 * f.frequencies[i]);
            EXPECT_NEAR(f.coherence[i], g.coherence[i], close + 4e-16);
          }
          ASSERT_EQ(b.modes.size(), 1U);
          const MeasuredMode &m = a.modes[0], &n = b.modes[0];
          EXPECT_NEAR(m.omega, n.omega, 1e-5 * m.omega);
          EXPECT_NEAR(m.damping, n.damping, 2e-5 * m.damping);
          ASSERT_EQ(n.dofs.size(), 6U);
          for (size_t i = 0; i < 6; ++i) {
            EXPECT_EQ(m.dofs[i].name(), n.dofs[i].name());
            EXPECT_LT(std::abs(m.shape[static_cast<Eigen::Index>(i)] - n.shape[static_cast<Eigen::Index>(i)]), 2e-5);
          }
          EXPECT_EQ(to_uff(b, {numbers, is_double, nodes_2411}),
                    to_uff(read(to_uff(b, {numbers, is_double, nodes_2411})), {numbers, is_double, nodes_2411}));
        }
}

// ---- files laid out by hand as the description of the format says ----

std::string function(const std::string& data_type, const std::string& n_and_spacing, const std::string& abscissa,
                     const std::string& type, const std::string& rows) {
  const std::string none = "                    ";
  return "    -1\n    58\n"
         "Measured at the bearing                                                         \n"
         "NONE\n"
         "11-MAR-04      10:17:37\n"
         "NONE\nNONE\n" +
         type + "         1    0         0 BEARING           12   3 NONE               5  -1\n" + "         " +
         data_type + n_and_spacing + abscissa +
         "  0.00000E+00\n"
         "        18    0    0    0 Frequency            Hz                  \n"
         "        12    1    0    0 Acceleration         NONE                \n"
         "        13    0    1    0 Force                NONE                \n"
         "         0    0    0    0 NONE                 NONE                \n" +
         rows + "    -1\n";
}

TEST(UffLayout, ComplexSingleEvenFrf) {
  const MeasuredData data =
      read(function("5", "         4         1", "  1.00000E+01  2.50000E+00", "    4",
                    "  1.00000E+00 -2.00000E+00  3.00000E+00  4.00000E+00-5.000000E+00-6.000000E+00\n"
                    "  7.00000E+00  8.00000E+00\n"));
  ASSERT_EQ(data.frfs.size(), 1U);
  const FrfRecord& frf = data.frfs[0];
  EXPECT_EQ(frf.name, "Measured at the bearing");
  EXPECT_EQ(frf.response.name(), "12:+z");
  EXPECT_EQ(frf.reference.name(), "5:-x");
  EXPECT_NEAR(frf.frequencies[3], kTurn * 17.5, 1e-12);
  EXPECT_EQ(frf.values[1], Complex(3, 4));
  EXPECT_EQ(frf.values[2], Complex(-5, -6));
}

TEST(UffLayout, ComplexDoubleUnevenFrf) {
  const MeasuredData data = read(function("6", "         2         0", "  0.00000E+00  0.00000E+00", "    4",
                                          "  1.00000E+01  1.000000000001E+00 -2.000000000002E+00\n"
                                          "  1.50000E+01 -3.000000000003D-01  4.000000000004D-01\n"));
  ASSERT_EQ(data.frfs.size(), 1U);
  EXPECT_NEAR(data.frfs[0].frequencies[1], kTurn * 15, 1e-12);
  EXPECT_EQ(data.frfs[0].values[1], Complex(-0.3000000000003, 0.4000000000004));
}

TEST(UffLayout, RealSingleAndDoubleHistoriesEvenAndUneven) {
  const auto history = [&](const std::string& type, const std::string& form, const std::string& abscissa,
                           const std::string& rows) {
    std::string text = function(type, form, abscissa, "    1", rows);
    const size_t at = text.find("        18 ");
    return read(text.replace(at, 11, "        17 ")).signals.at(0);
  };
  const Signal a =
      history("2", "         7         1", "  1.00000E+00  5.00000E-01",
              "  1.00000E+00  2.00000E+00  3.00000E+00  4.00000E+00  5.00000E+00  6.00000E+00\n  7.00000E+00\n");
  EXPECT_EQ(a.values.back(), 7);
  EXPECT_DOUBLE_EQ(a.time(6), 4);
  const Signal b = history("4", "         3         1", "  0.00000E+00  5.00000E-01",
                           "  1.000000000000E+00  2.000000000000E+00  3.000000000000E+00\n");
  EXPECT_EQ(b.values.back(), 3);
  const Signal c = history("2", "         3         0", "  0.00000E+00  0.00000E+00",
                           "  0.00000E+00  1.00000E+00  1.00000E+00  2.00000E+00  3.00000E+00  5.00000E+00\n");
  EXPECT_EQ(c.times, (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(c.values, (std::vector<double>{1, 2, 5}));
  const Signal d = history("4", "         3         0", "  0.00000E+00  0.00000E+00",
                           "  0.00000E+00  1.000000000000E+00  1.00000E+00  2.000000000000E+00\n"
                           "  3.00000E+00 -5.000000000000E+00\n");
  EXPECT_EQ(d.times, (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(d.values.back(), -5);
}

TEST(UffLayout, UnitsFollowFromDataset164OrFromTheLabel) {
  const std::string units =
      "    -1\n   164\n         5MM (milli-newton)            2\n"
      "  1.00000000000000000D+03  1.00000000000000000D+03  1.00000000000000000D+00\n  2.73149999999999980D+02\n    "
      "-1\n";
  const std::string frf =
      function("5", "         1         1", "  1.00000E+01  2.50000E+00", "    4", "  3.00000E+00 -2.00000E+00\n");
  EXPECT_EQ(read(units + frf).frfs.at(0).values[0], Complex(3, -2));  // mm/s² over mN
  std::string in_g = units + frf;
  in_g.replace(in_g.find("Acceleration         NONE"), 25, "Acceleration         g   ");
  EXPECT_NEAR(read(in_g).frfs.at(0).values[0].real(), 3 * 9.80665 * 1000, 1e-9);  // label g, force in mN
  const std::string nodes =
      "    -1\n    15\n         3         1         0         8  1.50000E+03  0.00000E+00 -2.00000E+02\n    -1\n"
      "    -1\n  2411\n         4         1         1        11\n"
      "   1.0000000000000000D+03   2.0000000000000000D+03   3.0000000000000000D+03\n    -1\n";
  const MeasuredData data = read(units + nodes);
  EXPECT_LT((data.geometry.nodes.at(0).x - Vec3(1.5, 0, -0.2)).norm(), 1e-15);
  EXPECT_LT((data.geometry.nodes.at(1).x - Vec3(1, 2, 3)).norm(), 1e-15);
}

TEST(UffLayout, NormalModes) {
  const std::string text =
      "    -1\n    55\nNONE\nNONE\nNONE\nNONE\nNONE\n"
      "         1         2         2         8         2         3\n"
      "         2         4         0         1\n"
      "  1.25000E+01  1.00000E+00  2.00000E-02  0.00000E+00\n"
      "         1\n  0.00000E+00  0.00000E+00  1.00000E+00\n"
      "         2\n  0.00000E+00  0.00000E+00 -5.00000E-01\n"
      "    -1\n";
  const MeasuredData data = read(text);
  ASSERT_EQ(data.modes.size(), 1U);
  EXPECT_NEAR(data.modes[0].omega, kTurn * 12.5, 1e-12);
  EXPECT_EQ(data.modes[0].damping, 0.02);
  ASSERT_EQ(data.modes[0].dofs.size(), 2U);  // along z alone was measured
  EXPECT_EQ(data.modes[0].dofs[1].name(), "2:+z");
  EXPECT_EQ(data.modes[0].shape[1], -0.5);
}

TEST(UffLayout, BinaryUnevenDoubleWithSingleOrDoubleAbscissa) {
  // Description: the abscissa of uneven data is single; some programs write all as doubles. Both end with -1.
  const auto put = [](std::string& out, double value, bool is_double) {
    const auto bits = is_double ? std::bit_cast<std::uint64_t>(value)
                                : std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(value))};
    for (size_t k = 0; k < (is_double ? 8U : 4U); ++k) out += static_cast<char>(bits >> (8 * k) & 0xff);
  };
  for (const auto& [double_abscissa, end] : {std::pair{false, ""}, {true, ""}, {false, "\n"}, {true, "\r\n"}}) {
    std::string bytes;
    for (int i = 0; i < 3; ++i) {
      put(bytes, 1.5 * i, double_abscissa);
      put(bytes, 0.1 * i, true);
    }
    bytes += end;
    std::string text = function("4", "         3         0", "  0.00000E+00  0.00000E+00", "    1", bytes);
    text.replace(text.find("    58\n"), 7,
                 "    58b     1     2          11          24     0     0           0           0\n");
    const Signal signal = read(text).signals.at(0);
    EXPECT_EQ(signal.times, (std::vector<double>{0, 1.5, 3}));
    EXPECT_EQ(signal.values, (std::vector<double>{0, 0.1, 0.2}));
  }
}

// ---- mistakes ----

TEST(UffMistakes, AreNamedByLineAndColumn) {
  const std::string good =
      function("5", "         1         1", "  1.00000E+01  2.50000E+00", "    4", "  3.00000E+00 -2.00000E+00\n");
  const auto spoiled = [&](const std::string& what, const std::string& by) {
    std::string text = good;
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos);
    return errors_of(text.replace(at, what.size(), by));
  };
  EXPECT_NE(spoiled("-2.00000E+00", "-2.0oo00E+00")
                .find("test.uff:14:15: error: a value is `-2.0oo00E+00`, must be a number"),
            std::string::npos);
  EXPECT_NE(spoiled("         5         1         1", "         3         1         1")
                .find("test.uff:9:10: error: the type of the data is `3`, must be 2, 4, 5 or 6"),
            std::string::npos);
  EXPECT_NE(spoiled("         1         1  1.00", "         2         1  1.00").find("2 numbers, must be 4"),
            std::string::npos);
  EXPECT_NE(errors_of(function("5", "         2         1", "  1.00000E+01  0.00000E+00", "    4",
                               "  3.00000E+00 -2.00000E+00  3.00000E+00 -2.00000E+00\n"))
                .find("test.uff:9:46: error: the step of the abscissa must be above 0"),
            std::string::npos);
  EXPECT_NE(spoiled("    58\n", "  x58\n").find("test.uff:2:3: error: the number of a dataset is `x58`"),
            std::string::npos);
  EXPECT_NE(errors_of(good.substr(0, good.size() - 7)).find("the file ends within a dataset"), std::string::npos);
  EXPECT_NE(errors_of("hello\n").find("test.uff:1:1: error: between the datasets stands `hello`, must be -1"),
            std::string::npos);
  EXPECT_NE(errors_of("").find("the file has no dataset"), std::string::npos);
  EXPECT_NE(
      errors_of("    -1\n    15\n         1         0         0         0  0.00000E+00  0.00000E+00  0.00000E+00\n"
                "         1         0         0         0  0.00000E+00  0.00000E+00  0.00000E+00\n    -1\n")
          .find("test.uff:4:10: error: node 1 is given twice"),
      std::string::npos);
}

TEST(UffMistakes, NoByteOfAFileMakesTheReaderCrash) {
  Random random(9);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random.uniform() * static_cast<double>(n)); };
  size_t n_bad = 0;
  for (const UffFormat::Numbers numbers :
       {UffFormat::Numbers::text, UffFormat::Numbers::little_endian, UffFormat::Numbers::big_endian}) {
    const std::string good = to_uff(make_data(numbers != UffFormat::Numbers::text), {numbers, true, true});
    for (int round = 0; round < 400; ++round) {
      std::string text = good;
      for (size_t change = 0; change < 1 + pick(4); ++change) {
        const size_t at = pick(text.size());
        switch (pick(5)) {
          case 0:
            text[at] = static_cast<char>(pick(256));
            break;
          case 1:
            text.erase(at, 1 + pick(30));
            break;
          case 2:
            text.insert(at, std::string(1 + pick(12), "0123456789-+.E \n"[pick(16)]));
            break;
          case 3:
            text.resize(at + 1);
            break;
          default:
            text.insert(at, text.substr(pick(text.size()), pick(200)));
        }
        if (text.empty()) text = "\n";
      }
      n_bad += errors_of(text).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(n_bad, 300U);
}

TEST(UffWriting, RefusesNamesThatHaveNoPlace) {
  MeasuredData data = make_data(true);
  data.signals[1].at.point = "a name of more than ten";
  EXPECT_THROW(to_uff(data), InputError);
}

// ---- tables of text ----

MeasuredData read_table(const std::string& text) {
  Diagnostics diagnostics;
  const auto data = read_histories("test.csv", text, diagnostics);
  EXPECT_TRUE(data.has_value()) << diagnostics.format_all(Severity::error);
  return data.value_or(MeasuredData{});
}

TEST(Histories, UnitsGapsAndDecimalCommas) {
  const MeasuredData data = read_table(
      "# a remark\nt [ms];5:-z [g];1:+x [kN];speed [rpm];volts\n0;1,5;2;60;1\n0,1;;3;120;2\n0,2;0;4;180;3\n");
  ASSERT_EQ(data.signals.size(), 4U);
  EXPECT_EQ(data.signals[0].at.name(), "5:-z");
  EXPECT_EQ(data.signals[0].quantity, Measurand::acceleration);
  EXPECT_DOUBLE_EQ(data.signals[0].values[0], 1.5 * 9.80665);
  EXPECT_TRUE(std::isnan(data.signals[0].values[1]));
  EXPECT_TRUE(data.signals[0].is_even());
  EXPECT_DOUBLE_EQ(data.signals[0].step, 1e-4);
  EXPECT_DOUBLE_EQ(data.signals[1].values[2], 4000);
  EXPECT_NEAR(data.signals[2].values[1], 4 * std::numbers::pi, 1e-12);
  EXPECT_EQ(data.signals[3].name, "volts");
  EXPECT_EQ(data.signals[3].quantity, Measurand::unknown);
}

TEST(Histories, RoundTrip) {
  MeasuredData data = make_data(true);
  data.signals.resize(1);
  const MeasuredData again = read_table(to_measured_text("x.csv", data));
  ASSERT_EQ(again.signals.size(), 1U);
  EXPECT_EQ(again.signals[0].at.name(), "7:-y");
  EXPECT_EQ(again.signals[0].values, data.signals[0].values);
  EXPECT_NEAR(again.signals[0].step, data.signals[0].step, 1e-12 * data.signals[0].step);
}

TEST(Histories, MistakesAreNamedByLineAndColumn) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_histories("test.csv", "t,1:+z [m/s^2]\n0,1\n0.1,x\n0.05,2\n0.2\n", diagnostics));
  const std::string all = diagnostics.format_all(Severity::error);
  EXPECT_NE(all.find("test.csv:3:5: error: `x` must be a number, or empty"), std::string::npos) << all;
  EXPECT_NE(all.find("test.csv:4:1: error: the time `0.05` is not after that of the row before"), std::string::npos)
      << all;
  EXPECT_NE(all.find("test.csv:5:1: error: 1 cell, must be 2 as in the header"), std::string::npos) << all;
  Diagnostics other;
  EXPECT_FALSE(read_histories("test.csv", "t [m],a [kg]\n0,1\n", other));
  EXPECT_EQ(other.n_errors(), 2);
}

}  // namespace
}  // namespace elodyn
