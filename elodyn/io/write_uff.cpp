#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/io/uff.hpp"
#include "elodyn/io/uff_codes.hpp"
#include "elodyn/results/measurand.hpp"

namespace elodyn {
namespace {

using namespace uff;

constexpr size_t kLongestName = 10;  // of an entity

std::optional<int> to_node(const std::string& name) {
  int value = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), value);
  const bool is_plain = failure == std::errc{} && end == name.data() + name.size() && value > 0 && name[0] != '0';
  return is_plain ? std::optional(value) : std::nullopt;
}

const MeasurandCode* find_code(Measurand quantity) {
  for (const MeasurandCode& code : kMeasurands)
    if (code.quantity == quantity) return &code;
  return nullptr;
}

// What fits on one line of 80 letters of plain text.
std::string line_of(const std::string& text) {
  std::string out = text.substr(0, 80);
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~'; }, '?');
  return (out.empty() || out.find_first_not_of(' ') == out.npos ? std::string("NONE") : out) + "\n";
}

class UffWriter {
 public:
  UffWriter(const MeasuredData& data, const UffFormat& format) : data_(data), format_(format) { number_points(); }

  std::string write() {
    write_head();
    write_units();
    write_nodes();
    for (const MeasuredMode& mode : data_.modes) write_shape(mode);
    for (const Signal& signal : data_.signals) write_signal(signal);
    for (const FrfRecord& frf : data_.frfs) write_frf(frf);
    return std::move(out_);
  }

 private:
  // Points with a name that is no number get free numbers, in the order in which they come.
  void number_points() {
    std::set<int> taken;
    std::vector<std::string> others;
    const auto see = [&](const std::string& name) {
      if (name.empty() || number_of_.count(name) > 0) return;
      if (const std::optional<int> number = to_node(name)) {
        number_of_[name] = *number;
        taken.insert(*number);
      } else {
        number_of_[name] = 0;
        others.push_back(name);
      }
    };
    for (const auto& node : data_.geometry.nodes) see(node.name);
    for (const MeasuredMode& mode : data_.modes)
      for (const MeasuredDof& dof : mode.dofs) see(dof.point);
    int next = 1;
    for (const std::string& name : others) {
      while (taken.count(next) > 0) ++next;
      taken.insert(next);
      number_of_[name] = next;
    }
  }

  void begin(const std::string& head) { out_ += "    -1\n" + head + "\n"; }
  void end() { out_ += "    -1\n"; }

  void write_head() {
    begin("   151");
    for (const char* line : {"elodyn", "NONE", "elodyn", "NONE", "NONE", "elodyn", "NONE"})
      out_ += fmt::format("{:<80}\n", line);
    end();
  }

  void write_units() {
    begin("   164");
    out_ += fmt::format("{:10}{:<20}{:10}\n", 1, "SI: Meter (newton)", 2);
    out_ += "    1.00000000000000000D+00  1.00000000000000000D+00  1.00000000000000000D+00\n";
    out_ += "    2.73149999999999977D+02\n";
    end();
  }

  static std::string fortran(double value) {
    std::string text = fmt::format("{:25.16E}", value);
    std::replace(text.begin(), text.end(), 'E', 'D');
    return text;
  }

  void write_nodes() {
    if (data_.geometry.nodes.empty()) return;
    begin(format_.nodes_2411 ? "  2411" : "    15");
    for (const auto& node : data_.geometry.nodes) {
      out_ += fmt::format("{:10}{:10}{:10}{:10}", number_of_.at(node.name), 1, 1, 11);
      out_ += format_.nodes_2411 ? "\n" + fortran(node.x[0]) + fortran(node.x[1]) + fortran(node.x[2]) + "\n"
                                 : fmt::format("{:13.5E}{:13.5E}{:13.5E}\n", node.x[0], node.x[1], node.x[2]);
    }
    end();
    int number = 0;
    for (const std::vector<int>& line : data_.geometry.lines) {
      begin("    82");
      out_ += fmt::format("{:10}{:10}{:10}\n", ++number, line.size(), 11) + line_of("");
      for (size_t i = 0; i < line.size(); ++i) {
        out_ += fmt::format("{:10}", number_of_.at(data_.geometry.nodes[static_cast<size_t>(line[i])].name));
        if (i % 8 == 7 || i + 1 == line.size()) out_ += "\n";
      }
      end();
    }
  }

  // "1=tip 2=root": names that are no numbers, on up to three lines.
  std::string name_lines(const MeasuredMode& mode) const {
    std::vector<std::string> lines(3);
    size_t at = 0;
    std::set<std::string> seen;
    for (const MeasuredDof& dof : mode.dofs) {
      if (to_node(dof.point) || !seen.insert(dof.point).second) continue;
      const std::string word = fmt::format("{}={}", number_of_.at(dof.point), dof.point);
      if (word.find_first_of(" \t\n") != word.npos)
        throw InputError("the point `" + dof.point + "` has a blank in its name, which a universal file cannot keep");
      if (lines[at].size() + word.size() + 1 > 80) ++at;
      if (at == lines.size() || word.size() > 80)
        throw InputError(
            "the names of the points do not fit into a universal file; give them numbers, which are names too");
      lines[at] += (lines[at].empty() ? "" : " ") + word;
    }
    std::string out;
    for (const std::string& line : lines) out += line_of(line);
    return out;
  }

  void write_shape(const MeasuredMode& mode) {
    int number = 1 + static_cast<int>(&mode - data_.modes.data()), per_node = 3;
    // In the order in which the points come; of one with a sign, along the axis.
    std::vector<std::string> points;
    std::map<std::string, std::array<std::complex<double>, 6>> of_point;
    for (size_t i = 0; i < mode.dofs.size(); ++i) {
      const MeasuredDof& dof = mode.dofs[i];
      const int axis = std::max(1, std::abs(dof.direction));
      if (of_point.count(dof.point) == 0) points.push_back(dof.point);
      of_point[dof.point][static_cast<size_t>(axis - 1)] =
          (dof.direction < 0 ? -1.0 : 1.0) * mode.shape[static_cast<Eigen::Index>(i)];
      if (axis > 3) per_node = 6;
    }
    begin("    55");
    out_ += line_of(fmt::format("mode {}", number)) + line_of("") + name_lines(mode);
    const double decay = mode.damping * mode.omega,
                 damped = mode.omega * std::sqrt(std::max(0.0, 1 - mode.damping * mode.damping));
    out_ += fmt::format("{:10}{:10}{:10}{:10}{:10}{:10}\n", 1, 3, per_node == 6 ? 3 : 2, 8, kComplexSingle, per_node);
    out_ += fmt::format("{:10}{:10}{:10}{:10}\n", 2, 6, 1, number);
    out_ += fmt::format("{:13.5E}{:13.5E}{:13.5E}{:13.5E}{:13.5E}{:13.5E}\n", -decay, damped, 0.0, 0.0, 0.0, 0.0);
    for (const std::string& point : points) {
      out_ += fmt::format("{:10}\n", number_of_.at(point));
      int on_line = 0;
      for (int k = 0; k < per_node; ++k)
        for (const double part :
             {of_point[point][static_cast<size_t>(k)].real(), of_point[point][static_cast<size_t>(k)].imag()}) {
          out_ += fmt::format("{:13.5E}", part);
          if (++on_line % 6 == 0) out_ += "\n";
        }
    }
    end();
  }

  std::string entity(const MeasuredDof& dof) const {
    const std::optional<int> node = to_node(dof.point);
    const bool is_named = !node && !dof.point.empty();
    if (is_named && (dof.point.size() > kLongestName || dof.point == "NONE" || line_of(dof.point) != dof.point + "\n" ||
                     dof.point.front() == ' ' || dof.point.back() == ' '))
      throw InputError("the point `" + dof.point + "` cannot be named in a universal file: ten plain letters at most");
    return fmt::format(" {:<10}{:10}{:4}", is_named ? dof.point : "NONE", node.value_or(0), dof.direction);
  }

  std::string axis(Measurand quantity, int direction) const {
    const MeasurandCode* const code = find_code(quantity);
    const bool turns = std::abs(direction) > 3;
    const std::string unit = quantity == Measurand::rotation_speed ? "rpm" : unit_of(quantity, direction);
    const int length = !code ? 0 : turns ? code->force : code->length, force = code ? code->force : 0;
    return axis(code ? code->code : quantity == Measurand::unknown ? 0 : 1, length, force, to_string(quantity), unit);
  }
  static std::string axis(int type, int length, int force, const std::string& label, const std::string& unit) {
    return fmt::format("{:10}{:5}{:5}{:5} {:<20} {:<20}\n", type, length, force, 0, label.empty() ? "NONE" : label,
                       unit.empty() ? "NONE" : unit);
  }

  // In 13 columns with a blank in front: a digit more than E13.5 for what is not negative.
  static std::string short_number(double value) {
    return value < 0 ? fmt::format("{:13.5E}", value) : fmt::format("{:13.6E}", value);
  }

  struct Function {
    int type = 0;
    std::string name, note;
    MeasuredDof response, reference;
    bool is_complex = false;
    double start = 0, step = 0;
    std::vector<double> abscissa;  // empty: even
    std::string axes;              // abscissa, ordinate, denominator
  };

  // `values`: real, or pairs
  void write_function(const Function& f, const std::vector<double>& values) {
    const size_t per = f.is_complex ? 2 : 1, n = values.size() / per;
    const bool is_even = f.abscissa.empty(), is_binary = format_.numbers != UffFormat::Numbers::text;
    const size_t size = format_.is_double ? 8 : 4;
    const size_t n_bytes = n * (per * size + (is_even ? 0 : 4));
    begin(is_binary ? fmt::format("    58b{:6}{:6}{:12}{:12}{:6}{:6}{:12}{:12}",
                                  format_.numbers == UffFormat::Numbers::big_endian ? 2 : 1, 2, 11, n_bytes, 0, 0, 0, 0)
                    : "    58");
    out_ += line_of(f.name) + line_of("") + line_of("") + line_of("") + line_of(f.note);
    out_ += fmt::format("{:5}{:10}{:5}{:10}", f.type, 0, 0, 0) + entity(f.response) + entity(f.reference) + "\n";
    const int type = f.is_complex ? (format_.is_double ? kComplexDouble : kComplexSingle)
                                  : (format_.is_double ? kRealDouble : kRealSingle);
    out_ += fmt::format("{:10}{:10}{:10}", type, n, is_even ? 1 : 0) + short_number(f.start) + short_number(f.step) +
            short_number(0) + "\n";
    out_ += f.axes + axis(0, 0, 0, "", "");
    if (is_binary)
      put_bytes(f, values, per);
    else
      put_text(f, values, per);
    end();
  }

  void put_float(double value, bool is_double) {
    const std::uint64_t bits = is_double ? std::bit_cast<std::uint64_t>(value)
                                         : std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(value))};
    const size_t size = is_double ? 8 : 4;
    for (size_t k = 0; k < size; ++k) {
      const size_t byte = format_.numbers == UffFormat::Numbers::big_endian ? size - 1 - k : k;
      out_ += static_cast<char>(static_cast<unsigned char>(bits >> (8 * byte)));
    }
  }
  void put_bytes(const Function& f, const std::vector<double>& values, size_t per) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i % per == 0 && !f.abscissa.empty()) put_float(f.abscissa[i / per], false);
      put_float(values[i], format_.is_double);
    }
  }

  void put_text(const Function& f, const std::vector<double>& values, size_t per) {
    const bool is_even = f.abscissa.empty();
    // numbers on a line: 6E13.5; 4E20.12; 2(E13.5,E20.12); E13.5,2E20.12
    const size_t on_line = !format_.is_double ? 6 : is_even ? 4 : f.is_complex ? 3 : 4;
    size_t count = 0;
    const auto put = [&](double value, bool is_double) {
      out_ += is_double ? fmt::format("{:20.12E}", value) : short_number(value);
      if (++count % on_line == 0) out_ += "\n";
    };
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw InputError("`" + f.name +
                         "` has a gap, which a universal file cannot keep as text; write it in binary numbers");
      if (i % per == 0 && !is_even) put(f.abscissa[i / per], false);
      put(values[i], format_.is_double);
    }
    if (count % on_line != 0) out_ += "\n";
  }

  void write_signal(const Signal& signal) {
    if (signal.values.empty()) return;
    Function f;
    f.type = kHistory;
    f.name = signal.name;
    f.response = signal.at;
    f.start = signal.start;
    f.step = signal.step;
    f.abscissa = signal.times;
    f.axes = axis(kTimeAxis, 0, 0, "time", "s") + axis(signal.quantity, signal.at.direction) + axis(0, 0, 0, "", "");
    std::vector<double> values = signal.values;
    if (signal.quantity == Measurand::rotation_speed)
      for (double& value : values) value /= kRpm;
    write_function(f, values);
  }

  void write_frf(const FrfRecord& frf) {
    if (frf.values.empty()) return;
    Function f;
    f.type = kFrf;
    f.name = frf.name;
    if (frf.added_decay > 0) f.note = fmt::format("DECAY {} 1/s was added by an exponential window", frf.added_decay);
    f.response = frf.response;
    f.reference = frf.reference;
    f.is_complex = true;
    put_frequencies(frf.frequencies, f);
    f.axes = axis(kFrequencyAxis, 0, 0, "frequency", "Hz") + axis(frf.response_quantity, frf.response.direction) +
             axis(frf.reference_quantity, frf.reference.direction);
    std::vector<double> values;
    for (const std::complex<double>& value : frf.values) {
      values.push_back(value.real());
      values.push_back(value.imag());
    }
    write_function(f, values);
    if (frf.coherence.size() != frf.values.size()) return;
    f.type = kCoherence;
    f.is_complex = false;
    f.axes = axis(kFrequencyAxis, 0, 0, "frequency", "Hz") + axis(1, 0, 0, "coherence", "") + axis(0, 0, 0, "", "");
    write_function(f, frf.coherence);
  }

  static void put_frequencies(const std::vector<double>& omega, Function& f) {
    const double hertz = 1 / (2 * std::numbers::pi);
    f.start = omega.front() * hertz;
    f.step = omega.size() > 1 ? (omega.back() - omega.front()) * hertz / static_cast<double>(omega.size() - 1) : 1;
    const auto is_even = [&](double w) {
      const double steps = f.step > 0 ? (w * hertz - f.start) / f.step : 0;
      return std::abs(steps - std::round(steps)) <= 1e-6;
    };
    if (std::all_of(omega.begin(), omega.end(), is_even)) return;
    for (const double w : omega) f.abscissa.push_back(w * hertz);
    f.start = f.step = 0;
  }

  const MeasuredData& data_;
  const UffFormat& format_;
  std::map<std::string, int> number_of_;
  std::string out_;
};

}  // namespace

std::string to_uff(const MeasuredData& data, const UffFormat& format) { return UffWriter(data, format).write(); }

}  // namespace elodyn
