#include "elodyn/io/schema.hpp"

#include <fstream>
#include <set>
#include <sstream>

#include "test_paths.hpp"
#include "tests/unit/io/sample_model.hpp"
#include <nlohmann/json.hpp>

#include "elodyn/io/model_schema.hpp"

namespace elodyn {
namespace {

using nlohmann::json;

void visit(const TableSchema& schema, const std::string& path,
           const std::function<void(const std::string&, const Key&)>& see) {
  for (const Key& key : schema.keys) {
    see(path + key.name, key);
    if (key.has_table()) visit(*key.table, path + key.name + ".", see);
  }
}

TEST(Schema, every_key_is_declared_in_full) {
  int n_keys = 0;
  visit(model_schema(), "", [&](const std::string& path, const Key& key) {
    ++n_keys;
    EXPECT_FALSE(key.summary.empty()) << path;
    EXPECT_EQ(key.summary.find('\n'), std::string::npos) << path;
    EXPECT_TRUE(static_cast<bool>(key.read)) << path;
    EXPECT_NE(static_cast<bool>(key.write), key.has_table()) << path;
    const bool needs_sample = key.is_required && !key.has_table();
    EXPECT_TRUE(!needs_sample || !key.sample_text.empty()) << path;
  });
  EXPECT_GT(n_keys, 80);
}

TEST(Schema, keys_of_a_table_differ_and_choices_stand_first) {
  const std::function<void(const TableSchema&)> check = [&](const TableSchema& schema) {
    std::set<std::string> seen;
    for (const Key& key : schema.keys) {
      EXPECT_TRUE(seen.insert(key.name).second) << key.name;
      EXPECT_TRUE(key.condition_key.empty() || seen.count(key.condition_key) == 1) << key.name;
      if (key.has_table()) check(*key.table);
    }
  };
  check(model_schema());
}

TEST(Schema, ranges_in_words) {
  Key key;
  EXPECT_EQ(key.range_text(), "");
  EXPECT_EQ(Key().above(0).range_text(), "above 0");
  EXPECT_EQ(Key().at_least(0).below(1).range_text(), "at least 0 and below 1");
  EXPECT_EQ(Key().at_least(1).at_most(1000000).range_text(), "from 1 to 1000000");
  EXPECT_EQ(Key().above(-1).at_most(0.5).range_text(), "above -1 and at most 0.5");
  EXPECT_EQ(Key().one_of({3, 5}).range_text(), "3 or 5");
  EXPECT_FALSE(Key().above(0).is_in_range(0));
  EXPECT_FALSE(Key().below(1).is_in_range(1));
  EXPECT_TRUE(Key().at_most(1).is_in_range(1));
}

TEST(Schema, json_is_a_schema_of_draft_2020_12) {
  const json schema = json::parse(schema_json({{"beam_rayleigh"}, {}}));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["type"], "object");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["schema"]["enum"], json::array({1}));
  const json& body = schema["properties"]["body"]["additionalProperties"];
  EXPECT_EQ(body["properties"]["element"]["enum"], json::array({"beam_rayleigh"}));
  EXPECT_EQ(body["properties"]["degree"]["default"], 3);
  EXPECT_EQ(body["properties"]["line"]["required"], json::array({"from", "to", "elements"}));
  EXPECT_EQ(body["properties"]["load"]["type"], "array");
  const json& young = schema["properties"]["material"]["additionalProperties"]["properties"]["young"];
  EXPECT_EQ(young["description"], "Young's modulus (Pa)");
  EXPECT_EQ(young["anyOf"][0]["exclusiveMinimum"], 0);
  EXPECT_EQ(schema["properties"]["section"]["additionalProperties"]["required"], json::array({"shape"}));
}

// Every key of the declarations is in the JSON schema, and the other way round.
TEST(Schema, json_has_every_key) {
  const std::function<void(const TableSchema&, const json&)> check = [&](const TableSchema& schema,
                                                                         const json& object) {
    EXPECT_EQ(object["properties"].size(), schema.keys.size());
    for (const Key& key : schema.keys) {
      ASSERT_TRUE(object["properties"].contains(key.name)) << key.name;
      const json& child = object["properties"][key.name];
      EXPECT_TRUE(child.contains("description")) << key.name;
      if (key.type == KeyType::table) check(*key.table, child);
      if (key.type == KeyType::named_tables) check(*key.table, child["additionalProperties"]);
      if (key.type == KeyType::tables) check(*key.table, child["items"]);
    }
  };
  check(model_schema(), json::parse(schema_json()));
}

TEST(Schema, markdown_has_every_key) {
  const std::string page = schema_markdown();
  visit(model_schema(), "", [&](const std::string& path, const Key& key) {
    const bool found =
        key.has_table() ? page.find(key.summary) != page.npos : page.find("| `" + key.name + "` | ") != page.npos;
    EXPECT_TRUE(found) << path;
  });
  EXPECT_NE(page.find("| `density` | number (kg/m^3) | required | above 0 | mass density |"), page.npos);
  EXPECT_NE(page.find("\n## `[[body.NAME.load]]`\n"), page.npos);
}

TEST(Schema, reference_page_is_up_to_date) {
  std::ifstream file(ELODYN_SOURCE_DIR "/docs/reference/input.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), schema_markdown()) << "run: elodyn schema --markdown > docs/reference/input.md";
}

TEST(Schema, template_reads_without_errors_and_warnings) {
  EXPECT_EQ(errors(schema_template()), "");
  EXPECT_EQ(warnings(schema_template()), "");
}

// A template whose lines are all in use has every key; it must be TOML at least.
TEST(Schema, template_has_every_key) {
  const std::string text = schema_template();
  visit(model_schema(), "", [&](const std::string& path, const Key& key) {
    if (!key.has_table()) {
      EXPECT_NE(text.find(key.name + " = "), text.npos) << path;
    }
  });
  std::istringstream lines(text);
  std::string used;
  for (std::string line; std::getline(lines, line);) {
    while (line.starts_with("# ") && line.find(" = ") != line.npos) line = line.substr(2);
    if (line.starts_with("# [")) line = line.substr(2);
    used += line + "\n";
  }
  Diagnostics diagnostics;
  EXPECT_TRUE(parse_toml(used, diagnostics.add_source("template", used), diagnostics).has_value())
      << diagnostics.format_all(Severity::error);
}

}  // namespace
}  // namespace elodyn
