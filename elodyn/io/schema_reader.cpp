#include "elodyn/io/schema_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/io/schema.hpp"

namespace elodyn {
namespace {

constexpr int kMostErrors = 200;
constexpr size_t kLongestName = 64;
constexpr size_t kLongestExpression = 1000;

std::string quoted(const std::string& word) { return "`" + word + "`"; }

std::string in_words(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words, "");
  return join({words.begin(), words.end() - 1}, ", ") + " or " + words.back();
}

std::string state(const std::string& label, const Value& value) { return label + " = " + short_text(value); }

}  // namespace

bool SchemaReader::fail(const Mark& mark, std::string text, std::string help) {
  // Nobody reads more; a hostile file could have millions.
  if (diagnostics_.n_errors() == kMostErrors)
    diagnostics_.error(mark, "too many errors: those after this one are not shown");
  if (diagnostics_.n_errors() < kMostErrors) diagnostics_.error(mark, std::move(text), std::move(help));
  return false;
}

std::string SchemaReader::here() const { return path_.empty() ? "the file" : "[" + join(path_, ".") + "]"; }

bool SchemaReader::table(const TableSchema& schema, const std::string& path, const Entry& entry, void* object) {
  const Value& value = entry.value;
  if (!value.is(Value::Type::table)) return fail(value.mark, state(entry.key, value) + ", must be a table");
  if (!path.empty()) path_.push_back(path);
  Marks* marks = schema.marks ? schema.marks(object) : nullptr;
  if (marks) marks->set("", value.mark, true);
  bool all_good = true;
  std::set<std::string> bad;
  // In the order of the declarations: a choice stands before the keys that depend on it.
  for (const Key& key : schema.keys) {
    const Entry* found = value.find(key.name);
    const bool is_judged = key.condition_key.empty() || bad.count(key.condition_key) == 0;
    if (is_judged && !schema.applies(key, object)) {
      if (!found) continue;
      const Key* choice = schema.find(key.condition_key);
      const std::optional<Value> chosen = choice->write(object);
      all_good =
          fail(found->mark, quoted(key.name) + " does not belong to " + key.condition_key + " = " +
                                (chosen ? toml_text(*chosen) : "?") + ", only to " + in_words(key.condition_values));
      continue;
    }
    if (found) {
      const bool good = key.read(*this, key, *found, object);
      if (!good) bad.insert(key.name);
      if (marks) marks->set(key.name, found->value.mark, good);
      all_good = all_good && good;
    } else if (key.is_required && is_judged && !(key.excuse && key.excuse(value))) {
      bad.insert(key.name);
      if (marks) marks->set(key.name, value.mark, false);
      std::string help = key.summary;
      if (!key.sample_text.empty()) help += ", for example " + key.name + " = " + key.sample_text;
      all_good = fail(value.mark, "missing key " + quoted(key.name) + " in " + here(), help);
    }
  }
  for (const Entry& given : value.entries) {
    if (schema.find(given.key)) continue;
    report_unknown(schema, given, object, bad.empty());
    all_good = false;
  }
  if (!path.empty()) path_.pop_back();
  return all_good;
}

void SchemaReader::report_unknown(const TableSchema& schema, const Entry& entry, const void* object,
                                  bool choices_known) {
  if (diagnostics_.n_errors() > kMostErrors) return;  // before the work of a suggestion
  std::vector<std::string> known;
  for (const Key& key : schema.keys)
    if (!choices_known || schema.applies(key, object)) known.push_back(key.name);
  fail(entry.mark, "unknown " + schema.noun + " " + quoted(entry.key) + " in " + here(), suggest(entry.key, known));
}

bool SchemaReader::quantity(const Key& key, const Value& value, double& out) {
  return quantity(key, key.name, value, out);
}

bool SchemaReader::quantity(const Key& key, const std::string& label, const Value& value, double& out) {
  const std::string wanted = describe(key.dimension);
  const std::string sample = "for example " + example(key.dimension);
  double number = 0;
  if (value.is_number()) {
    number = value.number();
    if (!std::isfinite(number)) return fail(value.mark, state(label, value) + ", must be finite");
  } else if (value.is(Value::Type::text)) {
    const auto parsed = parse_quantity(value.text);
    if (const UnitError* error = std::get_if<UnitError>(&parsed))
      return fail(value.mark_in_text(error->offset, error->length), state(label, value) + ", " + error->text,
                  error->help.empty() ? sample : error->help);
    const Quantity& quantity = std::get<Quantity>(parsed);
    if (quantity.dimension != key.dimension) {
      if (quantity.dimension == kPlainNumber)
        return fail(value.mark, state(label, value) + ", must have a unit: " + wanted,
                    sample + "; a number without quotes is in " + si_unit(key.dimension));
      Dimension without_angle = quantity.dimension;
      without_angle.power[3] = key.dimension.power[3];
      return fail(value.mark, state(label, value) + ", must be " + wanted + ", not " + describe(quantity.dimension),
                  (without_angle == key.dimension ? "the radian counts as a unit, " : "") + sample);
    }
    number = quantity.value;
  } else {
    return fail(value.mark, state(label, value) + ", must be " + wanted,
                key.dimension == kPlainNumber ? sample : "a number in SI or a text with its unit, " + sample);
  }
  if (!key.is_in_range(number)) return fail(value.mark, state(label, value) + ", must be " + key.range_text());
  out = number + 0.0;  // -0 becomes 0
  return true;
}

bool SchemaReader::any_quantity(const Key& key, const Value& value, AnyQuantity& out) {
  return any_quantity(key, key.name, value, out);
}

bool SchemaReader::any_quantity(const Key& key, const std::string& label, const Value& value, AnyQuantity& out) {
  if (value.is_number()) {
    if (!std::isfinite(value.number())) return fail(value.mark, state(label, value) + ", must be finite");
    out = {value.number() + 0.0, {}, false, value.is(Value::Type::integer)};
    return true;
  }
  if (!value.is(Value::Type::text))
    return fail(value.mark, state(label, value) + ", must be a number or a text with its unit",
                "for example " + key.sample_text);
  const auto parsed = parse_quantity(value.text);
  if (const UnitError* error = std::get_if<UnitError>(&parsed))
    return fail(value.mark_in_text(error->offset, error->length), state(label, value) + ", " + error->text,
                error->help.empty() ? "for example " + key.sample_text : error->help);
  const Quantity& quantity = std::get<Quantity>(parsed);
  out = {quantity.value + 0.0, quantity.dimension, !(quantity.dimension == kPlainNumber), false};
  return true;
}

bool SchemaReader::three_entries(const std::string& label, const Value& value, const std::string& each) {
  if (!value.is(Value::Type::array))
    return fail(value.mark, state(label, value) + ", must be a list [x, y, z] of " + each);
  if (value.items.size() != 3)
    return fail(value.mark, state(label, value) + ", must have 3 entries, not " + std::to_string(value.items.size()));
  return true;
}

bool SchemaReader::vector(const Key& key, const Value& value, Vec3& out) {
  if (!three_entries(key.name, value,
                     key.dimension == kPlainNumber ? "plain numbers" : "numbers in " + si_unit(key.dimension)))
    return false;
  bool good = true;
  constexpr const char* kAxes[] = {"[x]", "[y]", "[z]"};
  for (size_t i = 0; i < 3; ++i)
    good = quantity(key, key.name + kAxes[i], value.items[i], out[static_cast<Eigen::Index>(i)]) && good;
  return good;
}

bool SchemaReader::list(const Key& key, const Value& value, std::vector<double>& out) {
  if (!value.is(Value::Type::array)) return fail(value.mark, state(key.name, value) + ", must be a list of numbers");
  bool good = true;
  out.clear();
  for (const Value& item : value.items) {
    out.push_back(0);
    good = quantity(key, key.name + " entry " + std::to_string(out.size()), item, out.back()) && good;
  }
  return good;
}

bool SchemaReader::any_list(const Key& key, const Value& value, std::vector<double>& out,
                            std::optional<Dimension>& dimension) {
  if (!value.is(Value::Type::array)) return fail(value.mark, state(key.name, value) + ", must be a list of numbers");
  bool good = true;
  out.clear();
  dimension.reset();
  for (const Value& item : value.items) {
    AnyQuantity quantity;
    const std::string label = key.name + " entry " + std::to_string(out.size() + 1);
    const bool item_good = any_quantity(key, label, item, quantity);
    const auto own = quantity.has_unit ? std::optional(quantity.dimension) : std::nullopt;
    if (out.empty()) dimension = own;
    if (item_good && own != dimension)
      fail(item.mark, state(label, item) + ", must have the unit of entry 1", "write all of them with the same unit");
    good = item_good && own == dimension && good;
    out.push_back(quantity.value);
  }
  return good;
}

bool SchemaReader::integer(const Key& key, const Value& value, int& out) {
  const bool too_large = value.is(Value::Type::integer) && (value.integer > std::numeric_limits<int>::max() ||
                                                            value.integer < std::numeric_limits<int>::min());
  if (!value.is(Value::Type::integer)) return fail(value.mark, state(key.name, value) + ", must be an integer");
  if (too_large || !key.is_in_range(static_cast<double>(value.integer))) {
    const std::string range = key.range_text();
    return fail(value.mark, state(key.name, value) + ", must be " + (range.empty() ? "smaller" : range));
  }
  out = static_cast<int>(value.integer);
  return true;
}

bool SchemaReader::boolean(const Key& key, const Value& value, bool& out) {
  if (!value.is(Value::Type::boolean)) return fail(value.mark, state(key.name, value) + ", must be true or false");
  out = value.boolean;
  return true;
}

bool SchemaReader::text(const Key& key, const Value& value, std::string& out) {
  if (!value.is(Value::Type::text)) return fail(value.mark, state(key.name, value) + ", must be a text in quotes");
  out = value.text;
  return true;
}

bool SchemaReader::name(const Key& key, const Value& value, std::string& out) {
  if (!value.is(Value::Type::text) || value.text.empty())
    return fail(value.mark,
                state(key.name, value) + ", must be the name of " + with_article(key.refers_to) + ", in quotes");
  out = value.text;
  return true;
}

bool SchemaReader::choice(const Key& key, const Value& value, size_t& index) {
  if (value.is(Value::Type::text)) {
    const auto it = std::find(key.choices.begin(), key.choices.end(), value.text);
    index = static_cast<size_t>(it - key.choices.begin());
    if (it != key.choices.end()) return true;
  }
  const std::string near = value.is(Value::Type::text) ? nearest_name(value.text, key.choices) : std::string{};
  return fail(value.mark, state(key.name, value) + ", must be " + in_words(key.choices),
              near.empty() ? near : "did you mean " + quoted(near) + "?");
}

bool SchemaReader::names(const Key& key, const Value& value, std::vector<Located<std::string>>& out) {
  if (!value.is(Value::Type::array))
    return fail(value.mark, state(key.name, value) + ", must be a list of names",
                "for example " + key.name + " = [\"A\"]");
  bool good = true;
  for (const Value& item : value.items) {
    std::string word;
    if (name(key, item, word))
      out.push_back({word, item.mark});
    else
      good = false;
  }
  return good;
}

bool SchemaReader::expressions(const Key& key, const Value& value, std::array<Expression, 3>& out) {
  if (!three_entries(key.name, value, "numbers or expressions of " + join(key.variables, ", "))) return false;
  bool good = true;
  constexpr const char* kAxes[] = {"[x]", "[y]", "[z]"};
  for (size_t i = 0; i < 3; ++i) good = expression(key, key.name + kAxes[i], value.items[i], out[i]) && good;
  return good;
}

bool SchemaReader::one_expression(const Key& key, const Value& value, Expression& out) {
  return expression(key, key.name, value, out);
}

bool SchemaReader::expression(const Key& key, const std::string& label, const Value& value, Expression& out) {
  const std::string of = join(key.variables, ", ");
  const std::string sample = key.variables.size() == 1 ? "\"10*sin(2*pi*t)\"" : key.sample_text;
  if (value.is_number()) {
    if (!std::isfinite(value.number())) return fail(value.mark, state(label, value) + ", must be finite");
    out = Expression(value.number() + 0.0);
    return true;
  }
  if (!value.is(Value::Type::text))
    return fail(value.mark, state(label, value) + ", must be a number or an expression of " + of + " in quotes",
                "for example " + sample + "; SI and radians");
  if (value.text.size() > kLongestExpression)
    return fail(value.mark,
                state(label, value) + ", must have at most " + std::to_string(kLongestExpression) + " characters");
  if (const auto error = out.parse(value.text, key.variables))
    return fail(value.mark_in_text(static_cast<size_t>(error->position), 1),
                state(label, value) + ", " + error->message,
                "an expression of " + of + " in SI" +
                    (key.variables.size() > 1 ? " (time, the joint's coordinate x, its speed v or w)" : "") +
                    ", for example " + sample);
  if (out.is_constant() && !std::isfinite(out(0))) return fail(value.mark, state(label, value) + ", must be finite");
  return true;
}

bool SchemaReader::is_good_name(const Entry& entry, const std::string& kind) {
  const bool good = !entry.key.empty() && entry.key.size() <= kLongestName && toml_key(entry.key) == entry.key;
  // Names become names of files and columns.
  if (!good)
    fail(entry.mark, short_text(Value::of(entry.key)) + " as the name of a " + kind +
                         ", must be letters a to z, digits, _ and -, at most " + std::to_string(kLongestName));
  return good;
}

bool SchemaReader::named_vectors(const Key& key, const Value& value,
                                 const std::function<void(const Entry&, const Vec3&, bool)>& put) {
  if (!value.is(Value::Type::table))
    return fail(value.mark, state(key.name, value) + ", must be a table of points",
                "for example " + key.name + " = { A = [0, 0, 0] }");
  bool all_good = true;
  for (const Entry& entry : value.entries) {
    Key item = key;
    item.name = entry.key;
    Vec3 x = Vec3::Zero();
    const bool good_name = is_good_name(entry, "point");
    const bool good = vector(item, entry.value, x);
    if (good_name) put(entry, x, good);
    all_good = all_good && good && good_name;
  }
  return all_good;
}

bool SchemaReader::named_tables(const Key& key, const Value& value, const std::function<bool(const Entry&)>& read_one) {
  if (!value.is(Value::Type::table))
    return fail(value.mark, state(key.name, value) + ", must be a table of tables [" + key.name + ".NAME]");
  bool good = true;
  for (const Entry& entry : value.entries) {
    good = is_good_name(entry, key.refers_to) && good;
    good = read_one(entry) && good;
  }
  return good;
}

bool SchemaReader::tables(const Key& key, const Entry& entry, const std::function<bool(const Entry&)>& read_one) {
  const std::string header = "[[" + (path_.empty() ? "" : join(path_, ".") + ".") + key.name + "]]";
  if (!entry.value.is(Value::Type::array))
    return fail(entry.value.mark, state(key.name, entry.value) + ", must be a list of tables", "write " + header);
  bool good = true;
  for (const Value& item : entry.value.items) good = read_one({entry.key, item.mark, item}) && good;
  return good;
}

}  // namespace elodyn
