#include "elodyn/io/report_model.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/io/model_schema.hpp"
#include "elodyn/io/shown_unit.hpp"
#include "elodyn/io/toml.hpp"

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;

Json make_item(const std::string& name, const std::string& kind, const std::string& value) {
  return {{"name", name}, {"kind", kind}, {"value", value}, {"items", Json::array()}};
}

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

std::string unit_of(const Key* key) {
  if (key == nullptr) return {};
  std::string unit = si_unit(key->dimension);
  std::replace(unit.begin(), unit.end(), '*', ' ');
  return unit;
}

std::string text_of(const Value& value, const Key* key) {
  const std::string unit = unit_of(key);
  switch (value.type) {
    case Value::Type::boolean:
      return value.boolean ? "yes" : "no";
    case Value::Type::integer:
    case Value::Type::real:
      return unit.empty() ? number_text(value.number()) : show(value.number(), unit, key->name);
    case Value::Type::text:
      if (key != nullptr && key->type == KeyType::any_quantity) {
        const auto quantity = parse_quantity(value.text);
        if (const auto* known = std::get_if<Quantity>(&quantity))
          return show(known->value, si_unit(known->dimension), key->name);
      }
      return value.text;
    case Value::Type::array: {
      std::vector<std::string> parts;
      double largest = 0;
      for (const Value& item : value.items)
        if (item.is_number()) largest = std::max(largest, std::abs(item.number()));
      const ShownUnit shown = choose_unit(unit, largest, key ? key->name : "");
      for (const Value& item : value.items)
        parts.push_back(item.is_number() ? number_text(item.number() * shown.scale) : text_of(item, nullptr));
      return "[" + join(parts, ", ") + "]" + (shown.unit.empty() ? "" : " " + shown.unit);
    }
    case Value::Type::table: {
      std::vector<std::string> parts;
      for (const Entry& entry : value.entries)
        parts.push_back(entry.key + " = " +
                        text_of(entry.value, key && key->table ? key->table->find(entry.key) : nullptr));
      return join(parts, ", ");
    }
    case Value::Type::date:
      return value.text;
  }
  return {};
}

// What a table is, in a word: its element, kind or shape.
std::string summary_of(const Value& table) {
  for (const char* key : {"element", "kind", "shape"})
    if (const Entry* entry = table.find(key); entry != nullptr && entry->value.is(Value::Type::text))
      return entry->value.text;
  return table.find("rigid") != nullptr ? "rigid" : "";
}

void add_entries(const Value& table, const TableSchema* schema, Json& items);

Json make_tables_item(const std::string& name, const std::string& kind, const Value& value, const Key* key) {
  Json item = make_item(name, kind, summary_of(value));
  add_entries(value, key ? key->table.get() : nullptr, item["items"]);
  return item;
}

void add_entries(const Value& table, const TableSchema* schema, Json& items) {
  for (const Entry& entry : table.entries) {
    const Key* key = schema ? schema->find(entry.key) : nullptr;
    const Value& value = entry.value;
    const bool is_inline = key != nullptr && key->is_inline;
    const bool is_empty = (value.is(Value::Type::array) && value.items.empty()) ||
                          (value.is(Value::Type::table) && value.entries.empty());
    if (is_empty || entry.key == "schema") continue;
    if (value.is_array_of_tables) {
      for (size_t k = 0; k < value.items.size(); ++k)
        items.push_back(make_tables_item(fmt::format("{} {}", entry.key, k + 1), entry.key, value.items[k], key));
    } else if (!value.is(Value::Type::table) || is_inline) {
      items.push_back(make_item(entry.key, "", text_of(value, key)));
    } else if (key != nullptr && (key->type == KeyType::named_tables || key->type == KeyType::named_vectors)) {
      Json group = make_item(entry.key, "group", fmt::format("{}", value.entries.size()));
      for (const Entry& one : value.entries)
        group["items"].push_back(one.value.is(Value::Type::table)
                                     ? make_tables_item(one.key, entry.key, one.value, key)
                                     : make_item(one.key, entry.key, text_of(one.value, key)));
      items.push_back(std::move(group));
    } else {
      items.push_back(make_tables_item(entry.key, entry.key, value, key));
    }
  }
}

}  // namespace

Json list_model(const std::string& input_echo) {
  Diagnostics ignored;
  Json items = Json::array();
  const int source = ignored.add_source("input.echo.toml", input_echo);
  if (const std::optional<Value> root = parse_toml(input_echo, source, ignored))
    add_entries(*root, &model_schema(), items);
  return items;
}

}  // namespace elodyn
