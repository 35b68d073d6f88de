// The declarations for editors: JSON Schema, draft 2020-12.
#include <cmath>

#include <nlohmann/json.hpp>

#include "elodyn/io/schema.hpp"

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::function<std::vector<std::string>(const std::string& kind)>;

Json value_json(const Value& value) {
  switch (value.type) {
    case Value::Type::boolean:
      return value.boolean;
    case Value::Type::integer:
      return value.integer;
    case Value::Type::real:
      return std::floor(value.real) == value.real && std::abs(value.real) < 1e15
                 ? Json(static_cast<std::int64_t>(value.real))
                 : Json(value.real);
    case Value::Type::text:
      return value.text;
    case Value::Type::array: {
      Json array = Json::array();
      for (const Value& item : value.items) array.push_back(value_json(item));
      return array;
    }
    case Value::Type::table: {
      Json object = Json::object();
      for (const Entry& entry : value.entries) object[entry.key] = value_json(entry.value);
      return object;
    }
    case Value::Type::date:
      break;
  }
  return nullptr;
}

Json quantity_json(const Key& key) {
  Json number = {{"type", "number"}};
  if (key.minimum) number[key.excludes_minimum ? "exclusiveMinimum" : "minimum"] = *key.minimum;
  if (key.maximum) number[key.excludes_maximum ? "exclusiveMaximum" : "maximum"] = *key.maximum;
  const Json text = {{"type", "string"},
                     {"pattern", "^[ \\t]*[-+]?[0-9.]"},
                     {"examples", Json::array({Json::parse(example(key.dimension))})}};
  return {{"anyOf", {number, text}}};
}

Json any_quantity_json() {
  return {{"anyOf", {{{"type", "number"}}, {{"type", "string"}, {"pattern", "^[ \\t]*[-+]?[0-9.]"}}}}};
}

Json three(Json item) { return {{"type", "array"}, {"items", std::move(item)}, {"minItems", 3}, {"maxItems", 3}}; }

const char* const kNamePattern = "^[A-Za-z0-9_-]{1,64}$";

Json table_json(const TableSchema& schema, const Names& names);

Json name_json(const Key& key, const Names& names) {
  Json json = {{"type", "string"}, {"minLength", 1}};
  const std::vector<std::string> known = names(key.refers_to);
  if (!known.empty()) json["enum"] = known;
  return json;
}

Json type_json(const Key& key, const Names& names) {
  switch (key.type) {
    case KeyType::quantity:
      return quantity_json(key);
    case KeyType::any_quantity:
      return any_quantity_json();
    case KeyType::integer: {
      Json json = {{"type", "integer"}};
      if (!key.integers.empty()) json["enum"] = key.integers;
      if (key.minimum) json["minimum"] = static_cast<std::int64_t>(*key.minimum);
      if (key.maximum) json["maximum"] = static_cast<std::int64_t>(*key.maximum);
      return json;
    }
    case KeyType::boolean:
      return {{"type", "boolean"}};
    case KeyType::text:
      return {{"type", "string"}};
    case KeyType::choice:
      return {{"type", "string"}, {"enum", key.choices}};
    case KeyType::name:
      return name_json(key, names);
    case KeyType::names:
      return {{"type", "array"}, {"items", name_json(key, names)}};
    case KeyType::vector:
      return three(quantity_json(key));
    case KeyType::list:
      return {{"type", "array"}, {"items", quantity_json(key)}};
    case KeyType::any_list:
      return {{"type", "array"}, {"items", any_quantity_json()}};
    case KeyType::expressions:
      return three({{"type", {"number", "string"}}});
    case KeyType::expression:
      return {{"type", {"number", "string"}}};
    case KeyType::table:
      return table_json(*key.table, names);
    case KeyType::named_tables:
      return {{"type", "object"},
              {"propertyNames", {{"pattern", kNamePattern}}},
              {"additionalProperties", table_json(*key.table, names)}};
    case KeyType::tables:
      return {{"type", "array"}, {"items", table_json(*key.table, names)}};
    case KeyType::named_vectors:
      return {{"type", "object"},
              {"propertyNames", {{"pattern", kNamePattern}}},
              {"additionalProperties", three(quantity_json(key))}};
  }
  return Json::object();
}

// if the choice is one of its values then the key is required, or else forbidden
void add_condition(const TableSchema& schema, const Key& key, Json& conditions) {
  const Key* choice = schema.find(key.condition_key);
  Json chosen = {{"properties", {{choice->name, {{"enum", key.condition_values}}}}}};
  chosen["required"] = Json::array({choice->name});
  Json condition = {{"if", chosen}};
  if (key.is_required) condition["then"] = {{"required", Json::array({key.name})}};
  condition["else"] = {{"properties", {{key.name, false}}}};
  conditions.push_back(condition);
}

Json table_json(const TableSchema& schema, const Names& names) {
  Json properties = Json::object();
  Json required = Json::array(), conditions = Json::array();
  for (const Key& key : schema.keys) {
    Json json = type_json(key, names);
    const std::string unit = si_unit(key.dimension);
    json["description"] = key.summary + (unit.empty() ? "" : " (" + unit + ")");
    if (const auto standard = schema.default_of(key)) json["default"] = value_json(*standard);
    properties[key.name] = json;
    if (key.is_required && !key.excuse && key.condition_key.empty()) required.push_back(key.name);
    if (!key.condition_key.empty()) add_condition(schema, key, conditions);
  }
  Json json = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) json["required"] = required;
  if (!conditions.empty()) json["allOf"] = conditions;
  return json;
}

}  // namespace

std::string schema_json(const TableSchema& schema, const Names& names) {
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Elodyn model"}};
  json.update(table_json(schema, names));
  return json.dump(2) + "\n";
}

}  // namespace elodyn
