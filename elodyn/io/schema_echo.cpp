// The effective input as a TOML file: every key that applies, defaults marked.
#include "elodyn/io/schema.hpp"

namespace elodyn {
namespace {

bool is_same(const std::optional<Value>& a, const std::optional<Value>& b) {
  return a && b && toml_text(*a) == toml_text(*b);
}

Value inline_value(const TableSchema& schema, const void* object) {
  Value table;
  for (const Key& key : schema.keys)
    if (const auto value = key.write(object)) table.entries.push_back({key.name, {}, *value});
  return table;
}

class Echo {
 public:
  std::string print(const TableSchema& schema, const void* object) {
    print_values(schema, object);
    print_tables(schema, object, "");
    return out_;
  }

 private:
  static bool is_shown(const TableSchema& schema, const Key& key, const void* object) {
    return schema.applies(key, object) && !(key.is_hidden && key.is_hidden(object));
  }
  void print_values(const TableSchema& schema, const void* object) {
    for (const Key& key : schema.keys) {
      if (!is_shown(schema, key, object)) continue;
      if (key.is_inline) {
        for (const ChildTable& child : key.children(object))
          out_ += key.name + " = " + toml_text(inline_value(*key.table, child.object.get())) + "\n";
      } else if (!key.has_table()) {
        const std::optional<Value> value = key.write(object), standard = schema.default_of(key);
        const bool is_absent =
            !value || (!key.is_required && !standard && is_same(value, key.write(schema.defaults.get())));
        if (is_absent) continue;
        out_ += key.name + " = " + toml_text(*value) + (is_same(value, standard) ? "  # default\n" : "\n");
      }
    }
  }

  void print_tables(const TableSchema& schema, const void* object, const std::string& path) {
    for (const Key& key : schema.keys) {
      if (!key.has_table() || key.is_inline || !is_shown(schema, key, object)) continue;
      for (const ChildTable& child : key.children(object)) {
        std::string child_path = path + key.name;
        if (!child.name.empty()) child_path += "." + toml_key(child.name);
        const size_t before = out_.size();
        out_ += key.type == KeyType::tables ? "\n[[" + child_path + "]]\n" : "\n[" + child_path + "]\n";
        const size_t header_end = out_.size();
        print_values(*key.table, child.object.get());
        // A table that only holds tables needs no header of its own.
        if (out_.size() == header_end && holds_tables_only(*key.table)) out_.resize(before);
        print_tables(*key.table, child.object.get(), child_path + ".");
      }
    }
  }

  static bool holds_tables_only(const TableSchema& schema) {
    for (const Key& key : schema.keys)
      if (!key.has_table() || key.is_inline) return false;
    return true;
  }

  std::string out_;
};

}  // namespace

std::string echo_toml(const TableSchema& schema, const void* object) { return Echo().print(schema, object); }

}  // namespace elodyn
