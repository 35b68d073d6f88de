#include "elodyn/io/read_model.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "elodyn/io/model_schema.hpp"
#include "elodyn/io/settings.hpp"

namespace elodyn {
namespace {

constexpr size_t kLargestFile = size_t{64} << 20;

// The version decides what all other keys mean: with another one they are not looked at.
bool check_version(const Value& root, Diagnostics& diagnostics) {
  const std::string help = "write `schema = " + std::to_string(kSchemaVersion) + "` as the first key";
  const Entry* entry = root.find("schema");
  if (!entry) return true;  // the schema itself says that it is missing
  const Value& version = entry->value;
  if (version.is(Value::Type::integer) && version.integer != kSchemaVersion) {
    const bool newer = version.integer > kSchemaVersion;
    diagnostics.error(version.mark,
                      "schema = " + std::to_string(version.integer) + ", must be " + std::to_string(kSchemaVersion) +
                          (newer ? ": the file was written for a later version of this program"
                                 : ": no version of this program has read such files"),
                      newer ? "use a later version, or see docs/reference/input.md for the keys of this one" : help);
    return false;
  }
  if (root.entries.front().key != "schema")
    diagnostics.error(entry->mark, "`schema` must be the first key", "move it to the top of the file");
  return true;
}

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string read_file(const std::string& path, Diagnostics& diagnostics) {
  const auto fail = [&](const std::string& reason) {
    diagnostics.error({diagnostics.add_source(path, ""), 0, 0, 0}, "cannot read the file: " + reason);
    diagnostics.throw_if_errors();
  };
  const auto system_reason = [] { return std::generic_category().message(errno); };
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(system_reason());
  std::string text;
  std::string block(size_t{1} << 16, '\0');
  for (;;) {
    errno = 0;
    const size_t n = std::fread(block.data(), 1, block.size(), file.get());
    text.append(block, 0, n);
    if (text.size() > kLargestFile) fail("it is larger than " + std::to_string(kLargestFile >> 20) + " MB");
    if (n < block.size()) break;
  }
  if (std::ferror(file.get())) fail(system_reason());  // a directory opens, but does not read
  return text;
}

}  // namespace

std::optional<Model> read_model(const std::string& file_name, const std::string& text, const ReadOptions& options,
                                Diagnostics& diagnostics) {
  const int errors_before = diagnostics.n_errors();
  const int source = diagnostics.add_source(file_name, cut_long_lines(text));
  std::optional<Value> parsed = parse_toml(text, source, diagnostics);
  if (!parsed) return std::nullopt;
  Entry root{"file", {}, std::move(*parsed)};
  root.value.mark = {source, 1, 1, 1};
  apply_settings(options.settings, root.value, diagnostics);
  if (!check_version(root.value, diagnostics)) return std::nullopt;

  Model model;
  SchemaReader(diagnostics).table(model_schema(), "", root, &model);
  validate(model, options.names, diagnostics);
  if (diagnostics.n_errors() > errors_before) return std::nullopt;
  return model;
}

Model load_model(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics) {
  std::optional<Model> model = read_model(path, read_file(path, diagnostics), options, diagnostics);
  diagnostics.throw_if_errors();
  ELODYN_REQUIRE(model.has_value());
  return std::move(*model);
}

std::string echo_toml(const Model& model) { return echo_toml(model_schema(), &model); }

std::string schema_json(const KnownNames& names) {
  return schema_json(model_schema(), [&](const std::string& kind) {
    return kind == "element" ? names.elements : kind == "formalism" ? names.formalisms : std::vector<std::string>{};
  });
}
std::string schema_markdown() { return schema_markdown(model_schema()); }
std::string schema_template() { return schema_template(model_schema()); }

}  // namespace elodyn
