#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "elodyn/io/mesh_text.hpp"
#include "elodyn/io/uff.hpp"
#include "elodyn/io/uff_codes.hpp"
#include "elodyn/results/measurand.hpp"

namespace elodyn {
namespace {

using namespace uff;

// Fixed columns of the current line.
class Fields {
 public:
  explicit Fields(std::string_view line) : line_(line) {}
  std::string_view take(size_t width) {
    const std::string_view field = line_.substr(std::min(at_, line_.size()), width);
    at_ += width;
    return trim(field);
  }

 private:
  std::string_view line_;
  size_t at_ = 0;
};

struct Axis {
  int type = 0, length = 0, force = 0, temperature = 0;
  std::string unit;  // as its label says; empty: none
};

struct FunctionHeader {
  int line = 0;  // of the dataset's number
  std::string name;
  int function = 0;
  MeasuredDof response, reference;
  int data_type = 0;
  std::int64_t n = 0;
  bool is_even = true;
  double start = 0, step = 0;
  Axis abscissa, ordinate, denominator;

  bool is_complex() const { return data_type == kComplexSingle || data_type == kComplexDouble; }
  bool is_double() const { return data_type == kRealDouble || data_type == kComplexDouble; }
  size_t per_value() const { return (is_even ? 0 : 1) + (is_complex() ? 2 : 1); }
};

struct Binary {
  bool is_big = false;
  std::int64_t n_lines = 11, n_bytes = 0;
};

class UffReader {
 public:
  UffReader(const std::string& file_name, std::string_view text, Diagnostics& diagnostics)
      : text_(file_name, text, diagnostics), file_name_(file_name) {}

  std::optional<MeasuredData> read() {
    data_.sources.push_back(file_name_);
    bool any = false;
    while (!text_.is_hopeless() && text_.next_line()) {
      if (text_.line() != "-1") {
        if (!text_.line().empty()) {
          text_.fail("between the datasets stands " + quote(text_.line()) + ", must be -1",
                     any ? "" : "a universal file begins with a line of -1");
          skip_to_end();
        }
        continue;
      }
      any = true;
      if (text_.next_line()) read_dataset();
    }
    if (!any && text_.n_errors() == 0) text_.fail_at(0, "the file has no dataset", "a universal file begins with -1");
    finish();
    if (text_.n_errors() > 0) return std::nullopt;
    return std::move(data_);
  }

 private:
  struct DatasetEnd {};  // of what cannot be read on

  void read_dataset() {
    std::string_view rest = text_.line();
    const std::string_view word = take_word(rest);
    const bool is_58b = word == "58b" || word == "58B";
    const std::optional<std::int64_t> number = is_58b ? 58 : to_integer(word);
    if (!number || *number < 0) {
      text_.fail("the number of a dataset is " + quote(word) + ", must be a whole one");
      return skip_to_end();
    }
    try {
      const bool is_binary = is_58b || (*number == 58 && trim(rest).starts_with("b"));
      if (*number == 164)
        read_units();
      else if (*number == 15)
        read_nodes(false);
      else if (*number == 2411)
        read_nodes(true);
      else if (*number == 82)
        read_lines();
      else if (*number == 55)
        read_shape();
      else if (*number == 58)
        read_function(is_binary);
      else {
        if (*number != 151 && warned_.insert(*number).second)
          text_.warn_at(text_.line_number(), "dataset " + std::to_string(*number) + " is passed over");
        skip_to_end();
      }
    } catch (const DatasetEnd&) {
      skip_to_end();
    }
  }

  [[noreturn]] void fail(std::string_view part, std::string text, std::string help = {}) {
    text_.fail_part(part, std::move(text), std::move(help));
    throw DatasetEnd();
  }
  // To the line of -1 behind the dataset.
  void skip_to_end() {
    if (text_.line() == "-1") return;
    while (text_.next_line())
      if (text_.line() == "-1") return;
  }
  // The next line of the dataset; it must be there.
  std::string_view need_line(const char* what) {
    if (!text_.next_line()) {
      text_.fail_at(text_.line_number(), std::string("the file ends before ") + what);
      throw DatasetEnd();
    }
    if (text_.line() == "-1") fail(text_.line(), std::string("the dataset ends before ") + what);
    return text_.raw_line();
  }
  bool more() {  // a line that is not the end
    if (!text_.next_line()) {
      text_.fail_at(text_.line_number(), "the file ends within a dataset", "a dataset ends with a line of -1");
      throw DatasetEnd();
    }
    return text_.line() != "-1";
  }

  std::int64_t integer(std::string_view field, const char* what) {
    if (field.empty()) return 0;
    const std::optional<std::int64_t> value = to_integer(field);
    if (!value) fail(field, std::string(what) + " is " + quote(field) + ", must be a whole number");
    return *value;
  }
  int small(std::string_view field, const char* what) {
    const std::int64_t value = integer(field, what);
    if (value < -1'000'000'000 || value > 1'000'000'000)
      fail(field, std::string(what) + " is " + quote(field) + ", must be smaller");
    return static_cast<int>(value);
  }
  double number(std::string_view field, const char* what) {
    if (field.empty()) return 0;
    const std::optional<double> value = to_finite(field);
    if (!value) fail(field, std::string(what) + " is " + quote(field) + ", must be a number");
    return *value;
  }

  // All numbers of a line: words, or, where they stand so close that they are none, fields of these widths.
  void take_numbers(std::string_view line, const std::vector<size_t>& widths, std::vector<double>& out) {
    const size_t before = out.size();
    std::string_view rest = line;
    bool are_words = true;
    for (std::string_view word = take_word(rest); !word.empty() && are_words; word = take_word(rest)) {
      const std::optional<double> value = to_finite(word);
      are_words = value.has_value();
      if (value) out.push_back(*value);
    }
    if (are_words) return;
    out.resize(before);
    Fields fields(line);
    size_t at = 0;
    for (size_t k = 0; at < line.size(); at += widths[k % widths.size()], ++k) {
      const std::string_view field = fields.take(widths[k % widths.size()]);
      if (field.empty()) continue;
      const std::optional<double> value = to_finite(field);
      if (!value) fail(field, "a value is " + quote(field) + ", must be a number");
      out.push_back(*value);
    }
  }

  void read_units() {
    Fields head(need_line("its units"));
    integer(head.take(10), "the code of the units");
    std::vector<double> factors;
    while (factors.size() < 3) take_numbers(need_line("the factors of its units"), {25}, factors);
    for (size_t k = 0; k < 2; ++k)
      if (!(factors[k] > 0)) fail(text_.line(), "a factor of the units must be above 0");
    length_ = factors[0];
    force_ = factors[1];
    has_units_ = true;
    skip_to_end();
  }

  void read_nodes(bool is_2411) {
    while (more()) {
      Fields fields(text_.raw_line());
      MeasuredGeometry::Node node;
      const std::string_view label = fields.take(10);
      const std::int64_t number_of_node = integer(label, "the number of a node");
      if (number_of_node < 1) fail(label.empty() ? text_.line() : label, "the number of a node must be above 0");
      node.name = std::to_string(number_of_node);
      std::vector<double> x;
      if (is_2411) {
        take_numbers(need_line("the place of the node"), {25}, x);
      } else {
        for (int k = 0; k < 3; ++k) fields.take(10);
        for (int k = 0; k < 3; ++k) x.push_back(number(fields.take(13), "a coordinate"));
      }
      if (x.size() != 3)
        fail(text_.line(),
             "the place of a node has " + count_of(static_cast<std::int64_t>(x.size()), "number") + ", must be 3");
      node.x = Vec3(x[0], x[1], x[2]) / length_;
      if (!node_of_.emplace(node.name, static_cast<int>(data_.geometry.nodes.size())).second)
        fail(label, "node " + node.name + " is given twice");
      data_.geometry.nodes.push_back(std::move(node));
    }
  }

  void read_lines() {
    Fields head(need_line("its numbers"));
    head.take(10);
    const std::string_view field = head.take(10);
    const std::int64_t n = integer(field, "the number of nodes");
    need_line("its identification");
    const int line = text_.line_number();
    std::vector<std::vector<std::string>> traces(1);
    std::int64_t found = 0;
    while (more()) {
      Fields fields(text_.raw_line());
      for (size_t at = 0; at < text_.raw_line().size(); at += 10) {
        const std::string_view word = fields.take(10);
        if (word.empty()) continue;
        const std::int64_t node = integer(word, "the number of a node");
        ++found;
        if (node == 0)
          traces.emplace_back();
        else
          traces.back().push_back(std::to_string(node));
      }
    }
    if (found != n)
      text_.fail_at(line, "the line has " + count_of(found, "node") + ", its head says " + std::to_string(n));
    for (std::vector<std::string>& trace : traces)
      if (trace.size() > 1) traces_.push_back({line, std::move(trace)});
  }

  // ---- 55 ----

  void read_shape() {
    const int line = text_.line_number();
    std::map<std::string, std::string> name_of;  // of points whose names are no numbers
    for (int k = 0; k < 5; ++k) {
      std::string_view id = need_line("its five lines of identification");
      if (k < 2) continue;
      for (std::string_view word = take_word(id); !word.empty(); word = take_word(id))
        if (const size_t equal = word.find('='); equal != word.npos && equal > 0 && to_integer(word.substr(0, equal)))
          name_of[std::string(word.substr(0, equal))] = std::string(word.substr(equal + 1));
    }
    Fields kind(need_line("its kind"));
    kind.take(10);
    const int analysis = small(kind.take(10), "the analysis");
    kind.take(20);
    const std::string_view type_field = kind.take(10);
    const int type = small(type_field, "the type of the data");
    const std::string_view per_node_field = kind.take(10);
    const int per_node = small(per_node_field, "the number of values at a node");
    const bool is_complex = type == kComplexSingle || type == kComplexDouble;
    if (!is_complex && type != kRealSingle && type != kRealDouble)
      fail(type_field.empty() ? text_.line() : type_field, "the type of the data must be 2 (real) or 5 (complex)");
    if (per_node < 1 || per_node > 6)
      fail(per_node_field.empty() ? text_.line() : per_node_field, "the number of values at a node must be 1 to 6");
    if (analysis != 2 && analysis != 3 && analysis != 7) {
      if (warned_shapes_.insert(analysis).second)
        text_.warn_at(
            line, "data at nodes of the analysis " + std::to_string(analysis) + " are no modes: they are passed over");
      throw DatasetEnd();
    }
    Fields counts(need_line("the numbers of its parameters"));
    const int n_integers = small(counts.take(10), "the number of integers");
    const int n_reals = small(counts.take(10), "the number of reals");
    if (n_integers < 0 || n_integers > 1000 || n_reals < 1 || n_reals > 1000)
      fail(text_.line(), "a mode must have at least 1 real parameter");
    for (int more_integers = n_integers - 6; more_integers > 0; more_integers -= 8) need_line("its parameters");
    std::vector<double> p;
    while (static_cast<int>(p.size()) < n_reals) take_numbers(need_line("its parameters"), {13}, p);
    p.resize(std::max<size_t>(p.size(), 6), 0.0);
    MeasuredMode mode;
    if (analysis == 2) {
      mode.omega = 2 * std::numbers::pi * p[0];
      mode.damping = p[2] != 0 ? p[2] : 0.5 * p[3];  // of structural damping half the loss factor
    } else {
      mode.omega = std::hypot(p[0], p[1]);
      mode.damping = mode.omega > 0 ? -p[0] / mode.omega : 0;
    }
    read_shape_values(per_node, is_complex, name_of, mode);
  }

  void read_shape_values(int per_node, bool is_complex, const std::map<std::string, std::string>& name_of,
                         MeasuredMode& mode) {
    std::vector<std::complex<double>> shape;
    const size_t wanted = static_cast<size_t>(per_node) * (is_complex ? 2 : 1);
    std::vector<double> values;
    std::set<std::int64_t> known;
    while (more()) {
      Fields head(text_.raw_line());
      const std::string_view field = head.take(10);
      const std::int64_t node = integer(field, "the number of a node");
      if (field.empty() || node < 1) fail(text_.line(), "the number of a node must be above 0");
      if (!known.insert(node).second) fail(field, "node " + std::to_string(node) + " is given twice");
      values.clear();
      while (values.size() < wanted) take_numbers(need_line("the values at its node"), {13}, values);
      if (values.size() > wanted)
        fail(text_.line(), count_of(static_cast<std::int64_t>(values.size()), "value") + " at a node, must be " +
                               std::to_string(wanted));
      const auto named = name_of.find(std::to_string(node));
      const std::string point = named == name_of.end() ? std::to_string(node) : named->second;
      for (int k = 0; k < per_node; ++k) {
        mode.dofs.push_back({point, per_node == 1 ? 0 : k + 1});
        const auto i = static_cast<size_t>(k);
        shape.push_back(is_complex ? std::complex(values[2 * i], values[2 * i + 1]) : std::complex(values[i], 0.0));
      }
    }
    mode.shape = Eigen::VectorXcd(static_cast<Eigen::Index>(shape.size()));
    for (size_t i = 0; i < shape.size(); ++i) mode.shape[static_cast<Eigen::Index>(i)] = shape[i];
    data_.modes.push_back(std::move(mode));
  }

  // ---- 58 ----

  void read_function(bool is_binary) {
    FunctionHeader head;
    head.line = text_.line_number();
    const Binary binary = is_binary ? read_binary_head() : Binary{};
    for (int k = 0; k < 5; ++k) {
      const std::string_view id = need_line("its five lines of identification");
      if (k == 0 && trim(id) != "NONE") head.name = std::string(trim(id));
      if (k == 4) take_decay(id);
    }
    read_dofs(head);
    read_form(head);
    head.abscissa = read_axis("the abscissa");
    head.ordinate = read_axis("the ordinate");
    head.denominator = read_axis("the denominator");
    read_axis("the third axis");
    for (std::int64_t k = 11; is_binary && k < binary.n_lines; ++k) need_line("its lines of text end");
    const std::vector<double> values = is_binary ? read_bytes(head, binary) : read_text(head);
    keep(head, values);
  }

  Binary read_binary_head() {
    Fields fields(text_.raw_line());
    fields.take(7);
    Binary out;
    const std::string_view order_field = fields.take(6), format_field = fields.take(6), lines_field = fields.take(12),
                           bytes_field = fields.take(12);
    const int order = small(order_field, "the order of bytes"), format = small(format_field, "the format of numbers");
    out.n_lines = integer(lines_field, "the number of lines of text");
    out.n_bytes = integer(bytes_field, "the number of bytes");
    if (order != 1 && order != 2)
      fail(order_field.empty() ? text_.line() : order_field, "the order of bytes must be 1 (little) or 2 (big)");
    if (format != 2)
      fail(format_field.empty() ? text_.line() : format_field, "the format of numbers must be 2 (IEEE 754)",
           "files of DEC and IBM machines are not read");
    if (out.n_lines < 11 || out.n_lines > 1000)
      fail(lines_field.empty() ? text_.line() : lines_field, "the number of lines of text must be 11");
    if (out.n_bytes < 0) fail(bytes_field, "the number of bytes must not be below 0");
    out.is_big = order == 2;
    return out;
  }

  void take_decay(std::string_view id) {  // of an exponential window, as the writer puts it
    decay_ = 0;
    std::string_view rest = trim(id);
    if (take_word(rest) != "DECAY") return;
    if (const std::optional<double> value = to_finite(take_word(rest)); value && *value >= 0) decay_ = *value;
  }

  MeasuredDof read_dof(Fields& fields, const char* what) {
    fields.take(1);
    const std::string entity(fields.take(10));
    const std::string_view node_field = fields.take(10), direction_field = fields.take(4);
    const std::int64_t node = integer(node_field, what);
    const int direction = small(direction_field, "a direction");
    if (direction < -6 || direction > 6) fail(direction_field, "a direction must be from -6 to 6");
    const bool has_name = !entity.empty() && entity != "NONE";
    return {node != 0 ? std::to_string(node) : has_name ? entity : "", direction};
  }

  void read_dofs(FunctionHeader& head) {
    Fields fields(need_line("its dofs"));
    head.function = small(fields.take(5), "the type of function");
    fields.take(10 + 5 + 10);
    head.response = read_dof(fields, "the node of the response");
    head.reference = read_dof(fields, "the node of the reference");
  }

  void read_form(FunctionHeader& head) {
    Fields fields(need_line("the form of its data"));
    const std::string_view type = fields.take(10), n = fields.take(10), spacing = fields.take(10);
    head.data_type = small(type, "the type of the data");
    head.n = integer(n, "the number of values");
    const int even = small(spacing, "the spacing of the abscissa");
    head.start = number(fields.take(13), "the start of the abscissa");
    const std::string_view step = fields.take(13);
    head.step = number(step, "the step of the abscissa");
    const auto or_line = [&](std::string_view field) { return field.empty() ? text_.line() : field; };
    if (head.data_type != kRealSingle && head.data_type != kRealDouble && !head.is_complex())
      fail(or_line(type), "the type of the data is " + quote(type) + ", must be 2, 4, 5 or 6");
    if (head.n < 1) fail(or_line(n), "the number of values must be above 0");
    if (even != 0 && even != 1) fail(or_line(spacing), "the spacing of the abscissa must be 0 (uneven) or 1 (even)");
    head.is_even = even == 1;
    if (head.is_even && head.n > 1 && !(head.step > 0)) fail(or_line(step), "the step of the abscissa must be above 0");
  }

  Axis read_axis(const char* what) {
    Fields fields(need_line(what));
    Axis axis;
    axis.type = small(fields.take(10), "the type of an axis");
    axis.length = exponent(fields.take(5));
    axis.force = exponent(fields.take(5));
    axis.temperature = exponent(fields.take(5));
    fields.take(21);
    const std::string_view unit = fields.take(21);
    if (unit != "NONE") axis.unit = std::string(unit);
    return axis;
  }
  int exponent(std::string_view field) {
    const int value = small(field, "an exponent");
    if (std::abs(value) > 20) fail(field, "an exponent must be from -20 to 20");
    return value;
  }

  std::vector<double> read_text(const FunctionHeader& head) {
    const size_t wanted = static_cast<size_t>(head.n) * head.per_value();
    // 6E13.5 of single numbers; 4E20.12 of double ones, whose uneven abscissa is single
    std::vector<size_t> widths = {head.is_double() ? size_t{20} : size_t{13}};
    if (head.is_double() && !head.is_even)
      widths = head.is_complex() ? std::vector<size_t>{13, 20, 20} : std::vector<size_t>{13, 20};
    std::vector<double> values;
    // No file has more numbers than half its bytes: what the head says is not believed before they are there.
    while (more()) {
      take_numbers(text_.raw_line(), widths, values);
      if (values.size() > wanted) break;
    }
    if (values.size() != wanted)
      fail(text_.line(), (values.size() > wanted ? "more than " : "") +
                             count_of(static_cast<std::int64_t>(std::min(values.size(), wanted)), "number") +
                             ", must be " + std::to_string(wanted));
    return values;
  }

  static double take_float(const char*& at, bool is_big, bool is_double) {
    const size_t size = is_double ? 8 : 4;
    std::uint64_t bits = 0;
    for (size_t k = 0; k < size; ++k) {
      const auto byte = static_cast<unsigned char>(at[is_big ? size - 1 - k : k]);
      bits |= std::uint64_t{byte} << (8 * k);
    }
    at += size;
    return is_double ? std::bit_cast<double>(bits)
                     : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }

  std::vector<double> read_bytes(const FunctionHeader& head, const Binary& binary) {
    const size_t size = head.is_double() ? 8 : 4, n = static_cast<size_t>(head.n);
    constexpr size_t kMost = std::numeric_limits<size_t>::max() / 64;
    if (n > kMost) fail(text_.line(), "the number of values is too large");
    // The abscissa of uneven double data is single in the description of the format, double as some programs write it.
    struct Layout {
      size_t bytes;
      bool double_abscissa;
    };
    std::vector<Layout> layouts = {{n * size * head.per_value(), head.is_double()}};
    if (!head.is_even && head.is_double())
      layouts.insert(layouts.begin(), {n * (size * (head.per_value() - 1) + 4), false});
    const Layout* layout = nullptr;
    for (const Layout& candidate : layouts)  // some programs state a wrong number of bytes: what follows decides
      if (!layout && ends_after(candidate.bytes)) layout = &candidate;
    if (!layout)
      fail(text_.line(),
           "the " + std::to_string(layouts.back().bytes) + " bytes of " + count_of(head.n, "value") +
               " are not followed by a line of -1",
           "the head of the dataset says " + std::to_string(binary.n_bytes) + " bytes");
    const std::string_view bytes = text_.peek_bytes(layout->bytes);
    std::vector<double> values;
    values.reserve(n * head.per_value());
    const char* at = bytes.data();
    bool is_good = true;
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < head.per_value(); ++k) {
        const bool is_abscissa = !head.is_even && k == 0;
        const double value = take_float(at, binary.is_big, is_abscissa ? layout->double_abscissa : head.is_double());
        is_good = is_good && (std::isfinite(value) || (std::isnan(value) && !is_abscissa && head.function == kHistory));
        values.push_back(value);
      }
    if (!is_good) fail(text_.line(), "among the bytes after this line are numbers that are not finite");
    text_.skip_bytes(layout->bytes);
    // the rest of the last line of bytes, then -1
    while (text_.next_line())
      if (text_.line() == "-1") break;
    return values;
  }

  bool ends_after(size_t n) const {
    constexpr size_t kEnd = 16;
    if (text_.peek_bytes(n).size() < n) return false;
    std::string_view end = text_.peek_bytes(n + kEnd).substr(n);
    end.remove_prefix(std::min(end.find_first_not_of(" \t\r\n"), end.size()));
    return end.starts_with("-1");
  }

  // How much one unit of the axis is in SI, and what it measures.
  struct Scale {
    Measurand quantity = Measurand::unknown;
    double factor = 1;
  };
  Scale find_scale(const Axis& axis, int direction) const {
    Scale out;
    const MeasurandCode* code = nullptr;
    for (const MeasurandCode& candidate : kMeasurands)
      if (!code && candidate.code == axis.type) code = &candidate;
    if (code) out.quantity = code->quantity;
    if (!axis.unit.empty())
      if (const std::optional<UnitMeaning> meaning = find_meaning(axis.unit)) {
        const bool turns = std::abs(direction) > 3;
        const bool fits =
            !code || meaning->quantity == code->quantity ||
            (turns && meaning->quantity == Measurand::angle && code->quantity == Measurand::displacement) ||
            (turns && meaning->quantity == Measurand::rotation_speed && code->quantity == Measurand::velocity);
        if (fits) return {code ? code->quantity : meaning->quantity, meaning->factor};
      }
    if (out.quantity == Measurand::rotation_speed)
      out.factor = kRpm;
    else if (has_units_)
      out.factor = std::pow(length_, -axis.length) * std::pow(force_, -axis.force);
    return out;
  }

  static double frequency_factor(const Axis& axis) {
    if (axis.unit.empty()) return 2 * std::numbers::pi;
    const auto parsed = parse_quantity("1 " + axis.unit);
    const auto* const quantity = std::get_if<Quantity>(&parsed);
    if (quantity && quantity->dimension == kAngularSpeed) return quantity->value;
    return 2 * std::numbers::pi * (quantity && quantity->dimension == kRate ? quantity->value : 1);
  }

  void keep(const FunctionHeader& head, const std::vector<double>& values) {
    const size_t n = static_cast<size_t>(head.n), per = head.per_value(), first = head.is_even ? 0 : 1;
    const auto abscissa = [&](size_t i) {
      return head.is_even ? head.start + head.step * static_cast<double>(i) : values[i * per];
    };
    for (size_t i = 1; i < n && !head.is_even; ++i)
      if (!(values[i * per] > values[(i - 1) * per])) {
        text_.fail_at(head.line,
                      "the abscissa of this function does not increase at its value " + std::to_string(i + 1));
        return;
      }
    if (head.function == kHistory && !head.is_complex()) {
      Signal signal;
      const Scale scale = find_scale(head.ordinate, head.response.direction);
      signal.name = head.name;
      signal.at = head.response;
      signal.quantity = scale.quantity;
      signal.unit = unit_of(scale.quantity, head.response.direction);
      signal.start = head.is_even ? head.start : 0;
      signal.step = head.is_even ? head.step : 0;
      signal.values.resize(n);
      for (size_t i = 0; i < n; ++i) signal.values[i] = scale.factor * values[i * per + first];
      if (!head.is_even)
        for (size_t i = 0; i < n; ++i) signal.times.push_back(abscissa(i));
      data_.signals.push_back(std::move(signal));
    } else if (head.function == kFrf && head.is_complex()) {
      FrfRecord frf;
      const Scale response = find_scale(head.ordinate, head.response.direction),
                  reference = find_scale(head.denominator, head.reference.direction);
      frf.name = head.name;
      frf.response = head.response;
      frf.reference = head.reference;
      if (response.quantity != Measurand::unknown) frf.response_quantity = response.quantity;
      if (reference.quantity != Measurand::unknown) frf.reference_quantity = reference.quantity;
      frf.added_decay = decay_;
      const double hertz = frequency_factor(head.abscissa);
      for (size_t i = 0; i < n; ++i) {
        frf.frequencies.push_back(hertz * abscissa(i));
        frf.values.push_back(response.factor / reference.factor *
                             std::complex(values[i * per + first], values[i * per + first + 1]));
      }
      data_.frfs.push_back(std::move(frf));
    } else if (head.function == kCoherence && !head.is_complex()) {
      std::vector<double> coherence;
      for (size_t i = 0; i < n; ++i) coherence.push_back(values[i * per + first]);
      coherences_.push_back({head.response.name(), head.reference.name(), std::move(coherence)});
    } else if (warned_functions_.insert(head.function).second) {
      text_.warn_at(head.line, "functions of the type " + std::to_string(head.function) +
                                   (head.is_complex() ? ", complex," : ", real,") + " are passed over");
    }
  }

  void finish() {
    for (Coherence& coherence : coherences_)
      for (FrfRecord& frf : data_.frfs)
        if (frf.coherence.empty() && frf.response.name() == coherence.response &&
            frf.reference.name() == coherence.reference && frf.values.size() == coherence.values.size()) {
          frf.coherence = coherence.values;
          break;
        }
    for (const Trace& trace : traces_) {
      std::vector<int> line;
      for (const std::string& name : trace.nodes)
        if (const auto it = node_of_.find(name); it != node_of_.end()) line.push_back(it->second);
      if (line.size() > 1) data_.geometry.lines.push_back(std::move(line));
    }
    // Directions of a shape in which no mode has anything were not measured.
    std::set<int> used;
    for (const MeasuredMode& mode : data_.modes)
      for (size_t i = 0; i < mode.dofs.size(); ++i)
        if (mode.shape[static_cast<Eigen::Index>(i)] != 0.0) used.insert(mode.dofs[i].direction);
    for (MeasuredMode& mode : data_.modes) {
      MeasuredMode kept = mode;
      kept.dofs.clear();
      Eigen::Index n = 0;
      for (size_t i = 0; i < mode.dofs.size(); ++i) {
        if (used.count(mode.dofs[i].direction) == 0) continue;
        kept.dofs.push_back(mode.dofs[i]);
        kept.shape[n++] = mode.shape[static_cast<Eigen::Index>(i)];
      }
      kept.shape.conservativeResize(n);
      mode = std::move(kept);
    }
  }

  struct Coherence {
    std::string response, reference;
    std::vector<double> values;
  };
  struct Trace {
    int line;
    std::vector<std::string> nodes;
  };

  MeshText text_;
  std::string file_name_;
  MeasuredData data_;
  double length_ = 1, force_ = 1, decay_ = 0;
  bool has_units_ = false;
  std::map<std::string, int> node_of_;
  std::vector<Coherence> coherences_;
  std::vector<Trace> traces_;
  std::set<std::int64_t> warned_;
  std::set<int> warned_shapes_, warned_functions_;
};

}  // namespace

std::optional<MeasuredData> read_uff(const std::string& file_name, std::string_view text, Diagnostics& diagnostics) {
  return UffReader(file_name, text, diagnostics).read();
}

}  // namespace elodyn
