// The declarations for people: reference page and commented template.
#include <algorithm>

#include "elodyn/base/text.hpp"
#include "elodyn/io/schema.hpp"

namespace elodyn {
namespace {

std::string type_text(const Key& key) {
  const std::string unit = si_unit(key.dimension);
  const std::string in_unit = unit.empty() ? "" : " (" + unit + ")";
  switch (key.type) {
    case KeyType::quantity:
      return "number" + in_unit;
    case KeyType::any_quantity:
      return "number, or text with a unit";
    case KeyType::integer:
      return "integer";
    case KeyType::boolean:
      return "true or false";
    case KeyType::text:
      return "text";
    case KeyType::choice:
      return join(key.choices, ", ");
    case KeyType::name:
      return "name of " + with_article(key.refers_to);
    case KeyType::names:
      return "list of " + key.refers_to + " names";
    case KeyType::vector:
      return "[x, y, z]" + in_unit;
    case KeyType::list:
      return "list of numbers" + in_unit;
    case KeyType::any_list:
      return "list of numbers, or of texts with a unit";
    case KeyType::expressions:
      return "3 numbers or expressions of " + join(key.variables, ", ") + in_unit;
    case KeyType::expression:
      return "number or expression of " + join(key.variables, ", ");
    case KeyType::table:
      return "table";
    case KeyType::named_tables:
      return "tables by name";
    case KeyType::tables:
      return "list of tables";
    case KeyType::named_vectors:
      return "table of [x, y, z]" + in_unit;
  }
  return {};
}

std::optional<std::string> default_text(const TableSchema& schema, const Key& key) {
  const std::optional<Value> value = schema.default_of(key);
  return value ? std::optional(toml_text(*value)) : std::nullopt;
}

std::string escape_bars(std::string text) {
  for (size_t i = text.find('|'); i != text.npos; i = text.find('|', i + 2)) text.insert(i, "\\");
  return text;
}

std::string header_of(const Key& key, const std::string& path) {
  if (key.type == KeyType::tables) return "[[" + path + "]]";
  return key.type == KeyType::named_tables ? "[" + path + ".NAME]" : "[" + path + "]";
}

void print_markdown(const TableSchema& schema, const std::string& path, std::string& out) {
  out += "\n| key | value | default | must be | meaning |\n|---|---|---|---|---|\n";
  for (const Key& key : schema.keys) {
    if (key.has_table() && !key.is_inline) continue;
    const std::optional<std::string> standard = default_text(schema, key);
    std::string text = key.summary;
    if (!key.condition_key.empty()) text += " (" + key.condition_key + ": " + join(key.condition_values, ", ") + ")";
    out += "| `" + key.name + "` | " + type_text(key) + " | " +
           (key.is_required ? "required"
            : standard      ? "`" + *standard + "`"
                            : "–") +
           " | " + key.range_text() + " | " + escape_bars(text) + " |\n";
  }
  for (const Key& key : schema.keys) {
    if (!key.has_table()) continue;
    const std::string child = path.empty() ? key.name : path + "." + key.name;
    out += "\n## `" + (key.is_inline ? key.name + " = { … }` in `[" + path + "]`" : header_of(key, child) + "`") +
           "\n\n" + key.summary +
           (!key.is_required             ? ""
            : key.type == KeyType::table ? "; required"
                                         : "; at least one") +
           "\n";
    print_markdown(*key.table, key.type == KeyType::named_tables ? child + ".NAME" : child, out);
  }
}

// Names for the template: those that the samples of other keys refer to.
std::string sample_name(const std::string& kind) {
  return kind == "material" ? "steel" : kind == "section" ? "round" : kind == "body" ? "rod" : "arm";
}

class Template {
 public:
  std::string print(const TableSchema& schema) {
    print_values(schema, "");
    print_tables(schema, "", "");
    return out_;
  }

 private:
  // The sample file chooses the first word of each choice that has no default.
  static bool applies(const TableSchema& schema, const Key& key) {
    if (key.condition_key.empty()) return true;
    const std::optional<Value> chosen = schema.find(key.condition_key)->write(schema.defaults.get());
    return chosen && std::find(key.condition_values.begin(), key.condition_values.end(), chosen->text) !=
                         key.condition_values.end();
  }

  void print_values(const TableSchema& schema, const std::string& off) {
    for (const Key& key : schema.keys) {
      if (key.has_table() && !key.is_inline) continue;
      const bool active = (key.is_required || is_common(key)) && applies(schema, key);
      std::string value = key.sample_text;
      if (value.empty() || !active) value = default_text(schema, key).value_or(value);
      if (value.empty()) value = key.type == KeyType::quantity ? example(key.dimension) : "\"NAME\"";
      std::string line = off + (active ? "" : "# ") + key.name + " = " + value;
      line.resize(std::max<size_t>(line.size() + 2, 44), ' ');
      out_ += line + "# " + key.summary;
      if (const std::string range = key.range_text(); !range.empty()) out_ += "; " + range;
      if (!key.choices.empty()) out_ += "; " + join(key.choices, ", ");
      if (!applies(schema, key)) out_ += " (" + key.condition_key + ": " + join(key.condition_values, ", ") + ")";
      out_ += "\n";
    }
  }
  // Not required by the declarations, but every plain file has them.
  static bool is_common(const Key& key) {
    // `line` is not required, since members or areas may take its place; a body of the template needs one of them.
    return key.name == "title" || key.refers_to == "material" || key.refers_to == "section" || key.name == "clamp" ||
           key.name == "line";
  }

  void print_tables(const TableSchema& schema, const std::string& path, const std::string& off) {
    for (const Key& key : schema.keys) {
      if (!key.has_table() || key.is_inline) continue;
      std::string child = path + key.name;
      if (key.type == KeyType::named_tables) child += "." + sample_name(key.refers_to);
      // Optional tables are there to be uncommented; the first analysis is asked for.
      const bool active = off.empty() && (key.is_required || key.name == "analysis" || child == "analysis.modes");
      const std::string child_off = active ? off : "# ";
      const bool only_tables = std::all_of(key.table->keys.begin(), key.table->keys.end(),
                                           [](const Key& inner) { return inner.has_table() && !inner.is_inline; });
      if (!only_tables) {
        out_ += "\n" + child_off + (key.type == KeyType::tables ? "[[" + child + "]]" : "[" + child + "]");
        out_ += "  # " + key.summary + "\n";
        print_values(*key.table, child_off);
      }
      print_tables(*key.table, child + ".", child_off);
    }
  }

  std::string out_;
};

}  // namespace

std::string schema_markdown(const TableSchema& schema) {
  std::string out =
      "# The input file\n\n"
      "Made by `elodyn schema --markdown` from the declarations that the reader uses; do not edit.\n\n"
      "A model is a TOML file. A number is in SI units and radians; a text may carry another unit: `\"10 mm\"`, "
      "`\"210 GPa\"`, `\"140 rpm\"`.\nThe radian counts as a unit of its own, so that a frequency given for a speed of "
      "rotation is a mistake.\nUnknown keys, missing keys and wrong values are errors; nothing is guessed.\n\n"
      "Units: `" +
      join(unit_names(), "` `") +
      "`, with the prefixes p n u m k M G T before m g s rad Hz N Pa J W K; products `N*m`, quotients `kg/m^3`, powers "
      "`s^-2`.\n\n## The top of the file\n";
  print_markdown(schema, "", out);
  return out;
}

std::string schema_template(const TableSchema& schema) {
  return "# A model with every key. Lines that start with `# ` hold defaults or examples: remove the `#` to use them.\n"
         "# Numbers are in SI and radians; a text may carry a unit: \"10 mm\".\n\n" +
         Template().print(schema);
}

}  // namespace elodyn
