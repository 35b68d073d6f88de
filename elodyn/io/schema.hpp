// Declared keys of an input file: one declaration of a key drives its reading, its checks, the JSON schema, the
// reference page, the template and the echo.
//   TableOf<Material> t;
//   t.quantity("young", &Material::young, kPressure).above(0).required().text("Young's modulus");
// The default of a key is what a fresh object holds; nowhere else is it written down.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "elodyn/base/units.hpp"
#include "elodyn/io/schema_reader.hpp"
#include "elodyn/io/toml.hpp"
#include "elodyn/model/marks.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

enum class KeyType {
  quantity,      // a number in SI or a text with a unit
  any_quantity,  // the same of any dimension
  integer,
  boolean,
  text,
  choice,       // one of a few words
  name,         // of something declared elsewhere
  names,        // a list of those
  vector,       // three quantities
  list,         // any number of quantities
  any_list,     // the same of any one dimension
  expressions,  // three, each a number or an expression
  expression,   // one of them
  table,
  named_tables,  // [material.NAME]
  tables,        // [[body.NAME.load]]
  named_vectors  // { A = [x, y, z], … }
};

struct TableSchema;

// One table below another, as the echo shows it.
struct ChildTable {
  std::string name;  // empty for the entries of a list
  std::shared_ptr<const void> object;
};

struct Key {
  std::string name;
  KeyType type = KeyType::text;
  Dimension dimension;
  std::optional<double> minimum, maximum;
  bool excludes_minimum = false, excludes_maximum = false;
  std::vector<int> integers;                   // an integer that must be one of these
  std::vector<std::string> variables = {"t"};  // of expressions
  std::vector<std::string> choices;
  std::string refers_to;  // name, names: what is named; named_tables: what one of them is called
  bool is_required = false;
  std::function<bool(const Value& table)> excuse;  // a required key may be missing from such a table
  bool is_inline = false;                          // table: written as { … }
  std::string summary;                             // one line; every key has one
  std::string sample_text;                         // TOML, for the template and for help
  std::string condition_key;                       // this key belongs to some values of that choice only
  std::vector<std::string> condition_values;
  std::shared_ptr<const TableSchema> table;

  std::function<bool(const void* object)> is_hidden;  // such an object does without it: the echo leaves it out

  std::function<bool(SchemaReader&, const Key&, const Entry&, void* object)> read;
  std::function<std::optional<Value>(const void* object)> write;        // nothing: left out
  std::function<std::vector<ChildTable>(const void* object)> children;  // table, named_tables, tables

  Key& above(double bound) { return minimum = bound, excludes_minimum = true, *this; }
  Key& at_least(double bound) { return minimum = bound, *this; }
  Key& below(double bound) { return maximum = bound, excludes_maximum = true, *this; }
  Key& at_most(double bound) { return maximum = bound, *this; }
  Key& one_of(std::vector<int> values) { return integers = std::move(values), *this; }
  Key& of(std::vector<std::string> names) { return variables = std::move(names), *this; }
  Key& required() { return is_required = true, *this; }
  Key& unless(std::function<bool(const Value& table)> reason) { return excuse = std::move(reason), *this; }
  Key& text(std::string line) { return summary = std::move(line), *this; }
  Key& sample(std::string toml) { return sample_text = std::move(toml), *this; }
  Key& only_with(std::string key, std::vector<std::string> values) {
    condition_key = std::move(key);
    condition_values = std::move(values);
    return *this;
  }

  bool is_in_range(double value) const;
  std::string range_text() const;  // "above 0", "from 1 to 100", "3 or 5"; empty without a range
  bool has_table() const { return table != nullptr; }
};

struct TableSchema {
  std::string noun = "key";  // what one of its keys is called in messages
  std::vector<Key> keys;
  std::shared_ptr<const void> defaults;
  std::function<Marks*(void* object)> marks;  // empty: places are not kept

  const Key* find(const std::string& name) const;
  // Whether the key belongs to the choice that the object has made.
  bool applies(const Key& key, const void* object) const;
  // What the key holds when it is left out. Nothing for a required key, and for a value outside of the key's range,
  // which only says that there is none.
  std::optional<Value> default_of(const Key& key) const;
};

// "a point", "an element"
std::string with_article(const std::string& noun);

std::string echo_toml(const TableSchema& schema, const void* object);
std::string schema_markdown(const TableSchema& schema);
std::string schema_template(const TableSchema& schema);
// JSON Schema, draft 2020-12. `names(kind)` lists what a name of that kind may be; empty: anything.
std::string schema_json(const TableSchema& schema,
                        const std::function<std::vector<std::string>(const std::string& kind)>& names);

// How a value lies in the struct: as it is, with its place, or optional.
namespace detail {

template <class V>
void store(V& slot, V value, const Mark&) {
  slot = std::move(value);
}
template <class V>
void store(Located<V>& slot, V value, const Mark& mark) {
  slot = {std::move(value), mark};
}
template <class V>
void store(std::optional<V>& slot, V value, const Mark&) {
  slot = std::move(value);
}
template <class V>
void store(std::optional<Located<V>>& slot, V value, const Mark& mark) {
  slot = Located<V>{std::move(value), mark};
}

template <class V>
std::optional<V> fetch(const V& slot) {
  return slot;
}
template <class V>
std::optional<V> fetch(const Located<V>& slot) {
  return slot.value;
}
template <class V>
std::optional<V> fetch(const std::optional<V>& slot) {
  return slot;
}
template <class V>
std::optional<V> fetch(const std::optional<Located<V>>& slot) {
  return slot ? std::optional<V>(slot->value) : std::nullopt;
}

Value to_value(bool value);
Value to_value(int value);
Value to_value(double value);
Value to_value(const std::string& value);
Value to_value(const Vec3& value);
Value to_value(const AnyQuantity& value);
Value to_value(const std::vector<double>& value);
Value to_value(const std::vector<double>& value, const std::optional<Dimension>& dimension);
Value to_value(const std::vector<std::string>& value);
Value to_value(const std::array<Expression, 3>& value);
Value to_value(const Expression& value);

}  // namespace detail

// The keys of a struct T.
template <class T>
class TableOf : public TableSchema {
 public:
  TableOf() {
    defaults = std::make_shared<T>();
    if constexpr (requires(T & object) { object.marks; })
      marks = [](void* object) { return &static_cast<T*>(object)->marks; };
  }

  template <class Slot>
  Key& quantity(std::string name, Slot T::*member, Dimension dimension) {
    Key& key = add_value<double>(KeyType::quantity, std::move(name), member, &SchemaReader::quantity);
    key.dimension = dimension;
    return key;
  }
  template <class Slot>
  Key& any_quantity(std::string name, Slot T::*member) {
    return add_value<AnyQuantity>(KeyType::any_quantity, std::move(name), member, &SchemaReader::any_quantity);
  }
  template <class Slot>
  Key& vector(std::string name, Slot T::*member, Dimension dimension) {
    Key& key = add_value<Vec3>(KeyType::vector, std::move(name), member, &SchemaReader::vector);
    key.dimension = dimension;
    return key;
  }
  Key& list(std::string name, std::vector<double> T::*member, Dimension dimension) {
    Key& key = add_value<std::vector<double>>(KeyType::list, std::move(name), member, &SchemaReader::list);
    key.dimension = dimension;
    return key;
  }
  // Numbers that are kept in SI, and the dimension that they were written with; nothing: plain numbers.
  Key& any_list(std::string name, std::vector<double> T::*member, std::optional<Dimension> T::*dimension) {
    Key& key = add(KeyType::any_list, std::move(name));
    key.read = [member, dimension](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      T& owner = *static_cast<T*>(object);
      return reader.any_list(self, entry.value, owner.*member, owner.*dimension);
    };
    key.write = [member, dimension](const void* object) -> std::optional<Value> {
      const T& owner = *static_cast<const T*>(object);
      if ((owner.*member).empty()) return std::nullopt;
      return detail::to_value(owner.*member, owner.*dimension);
    };
    return key;
  }
  template <class Slot>
  Key& integer(std::string name, Slot T::*member) {
    return add_value<int>(KeyType::integer, std::move(name), member, &SchemaReader::integer);
  }
  Key& boolean(std::string name, bool T::*member) {
    return add_value<bool>(KeyType::boolean, std::move(name), member, &SchemaReader::boolean);
  }
  Key& text(std::string name, std::string T::*member) {
    return add_value<std::string>(KeyType::text, std::move(name), member, &SchemaReader::text);
  }
  // An empty name is one that was not given.
  template <class Slot>
  Key& name(std::string name, Slot T::*member, std::string refers_to) {
    Key& key = add_value<std::string>(KeyType::name, std::move(name), member, &SchemaReader::name);
    key.refers_to = std::move(refers_to);
    key.write = [member](const void* object) -> std::optional<Value> {
      const std::optional<std::string> value = detail::fetch(static_cast<const T*>(object)->*member);
      return value && !value->empty() ? std::optional(detail::to_value(*value)) : std::nullopt;
    };
    return key;
  }
  template <class Slot>
  Key& expressions(std::string name, Slot T::*member, Dimension dimension) {
    Key& key =
        add_value<std::array<Expression, 3>>(KeyType::expressions, std::move(name), member, &SchemaReader::expressions);
    key.dimension = dimension;
    return key;
  }
  template <class Slot>
  Key& expression(std::string name, Slot T::*member) {
    return add_value<Expression>(KeyType::expression, std::move(name), member, &SchemaReader::one_expression);
  }
  template <class E>
  Key& choice(std::string name, E T::*member, std::vector<std::pair<std::string, E>> words) {
    Key& key = add(KeyType::choice, std::move(name));
    for (const auto& word : words) key.choices.push_back(word.first);
    key.read = [member, words](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      size_t index = 0;
      if (!reader.choice(self, entry.value, index)) return false;
      static_cast<T*>(object)->*member = words[index].second;
      return true;
    };
    key.write = [member, words](const void* object) -> std::optional<Value> {
      for (const auto& [word, value] : words)
        if (value == static_cast<const T*>(object)->*member) return detail::to_value(word);
      return std::nullopt;
    };
    return key;
  }

  // A list of names that is kept in some way of its own.
  Key& names(std::string name, std::string refers_to, std::function<void(T&, const Located<std::string>&)> put,
             std::function<std::vector<std::string>(const T&)> get) {
    Key& key = add(KeyType::names, std::move(name));
    key.refers_to = std::move(refers_to);
    key.read = [put](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      std::vector<Located<std::string>> list;
      const bool good = reader.names(self, entry.value, list);
      for (const auto& item : list) put(*static_cast<T*>(object), item);
      return good;
    };
    key.write = [get](const void* object) { return detail::to_value(get(*static_cast<const T*>(object))); };
    return key;
  }
  // { A = [x, y, z], … }: put(object, name, place of the name, the vector, whether it was read well)
  Key& named_vectors(std::string name, Dimension dimension,
                     std::function<void(T&, const std::string&, const Mark&, const Vec3&, bool)> put,
                     std::function<std::vector<std::pair<std::string, Vec3>>(const T&)> get) {
    Key& key = add(KeyType::named_vectors, std::move(name));
    key.dimension = dimension;
    key.read = [put](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      return reader.named_vectors(self, entry.value, [&](const Entry& item, const Vec3& x, bool good) {
        put(*static_cast<T*>(object), item.key, item.mark, x, good);
      });
    };
    key.write = [get](const void* object) -> std::optional<Value> {
      Value table;
      for (const auto& [item, x] : get(*static_cast<const T*>(object)))
        table.entries.push_back({item, {}, detail::to_value(x)});
      return table;
    };
    return key;
  }

  // An integer that can have but one value and is not kept.
  Key& fixed(std::string name, int only) {
    Key& key = add(KeyType::integer, std::move(name)).one_of({only});
    key.read = [](SchemaReader& reader, const Key& self, const Entry& entry, void*) {
      int ignored = 0;
      return reader.integer(self, entry.value, ignored);
    };
    key.write = [only](const void*) { return detail::to_value(only); };
    return key;
  }
  // A table whose keys fill the same object.
  Key& group(std::string name, TableOf<T> schema) {
    schema.marks = nullptr;
    Key& key = add_table(KeyType::table, std::move(name), std::move(schema));
    key.read = [](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      return reader.table(*self.table, self.name, entry, object);
    };
    key.children = [](const void* object) { return std::vector<ChildTable>{{"", borrow(object)}}; };
    return key;
  }

  template <class S>
  Key& table(std::string name, S T::*member, TableOf<S> schema) {
    Key& key = add_table(KeyType::table, std::move(name), std::move(schema));
    key.read = [member](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      S& child = static_cast<T*>(object)->*member;
      if constexpr (requires { child.mark; }) child.mark = entry.value.mark;
      return reader.table(*self.table, self.name, entry, &child);
    };
    key.children = [member](const void* object) {
      return std::vector<ChildTable>{{"", borrow(&(static_cast<const T*>(object)->*member))}};
    };
    return key;
  }
  template <class S>
  Key& table(std::string name, std::optional<S> T::*member, TableOf<S> schema) {
    return held_table(
        std::move(name), member, [](std::optional<S>& slot) -> S& { return slot.emplace(); }, std::move(schema));
  }
  template <class S>
  Key& table(std::string name, std::shared_ptr<S> T::*member, TableOf<S> schema) {
    return held_table(
        std::move(name), member, [](std::shared_ptr<S>& slot) -> S& { return *(slot = std::make_shared<S>()); },
        std::move(schema));
  }
  // A table of its own struct that is kept in some other way: put(object, struct, its place)
  template <class S>
  Key& inline_table(std::string name, TableOf<S> schema, std::function<void(T&, const S&, const Entry&)> put,
                    std::function<std::optional<S>(const T&)> get) {
    Key& key = add_table(KeyType::table, std::move(name), std::move(schema));
    key.is_inline = true;
    key.read = [put](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      S child{};
      const bool good = reader.table(*self.table, self.name, entry, &child);
      put(*static_cast<T*>(object), child, entry);
      return good;
    };
    key.children = [get](const void* object) {
      std::vector<ChildTable> children;
      if (std::optional<S> child = get(*static_cast<const T*>(object)))
        children.push_back({"", std::make_shared<const S>(std::move(*child))});
      return children;
    };
    return key;
  }
  // `n_hidden`: how many in front are shown by another key; those from a mesh file are not shown
  template <class S>
  Key& named_tables(std::string name, std::vector<S> T::*member, std::string each, TableOf<S> schema,
                    size_t (*n_hidden)(const T&) = nullptr) {
    Key& key = add_table(KeyType::named_tables, std::move(name), std::move(schema));
    key.refers_to = std::move(each);
    key.read = [member](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      return reader.named_tables(self, entry.value, [&](const Entry& item) {
        S& child = (static_cast<T*>(object)->*member).emplace_back();
        child.name = item.key;
        child.mark = item.mark;
        return reader.table(*self.table, self.name + "." + item.key, item, &child);
      });
    };
    key.children = [member, n_hidden](const void* object) {
      const T& self = *static_cast<const T*>(object);
      std::vector<ChildTable> children;
      for (size_t i = n_hidden ? n_hidden(self) : 0; i < (self.*member).size(); ++i) {
        const S& item = (self.*member)[i];
        if constexpr (requires { item.from_mesh; })
          if (item.from_mesh) continue;
        children.push_back({item.name, borrow(&item)});
      }
      return children;
    };
    return key;
  }
  // [[…]]: put(object) makes room for one and returns it; get(object) lists them.
  template <class S>
  Key& tables(std::string name, TableOf<S> schema, std::function<S*(T&)> put,
              std::function<std::vector<const S*>(const T&)> get) {
    Key& key = add_table(KeyType::tables, std::move(name), std::move(schema));
    key.read = [put](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      return reader.tables(self, entry, [&](const Entry& item) {
        S* child = put(*static_cast<T*>(object));
        if constexpr (requires { child->mark; }) child->mark = item.value.mark;
        return reader.table(*self.table, self.name, item, child);
      });
    };
    key.children = [get](const void* object) {
      std::vector<ChildTable> children;
      for (const S* child : get(*static_cast<const T*>(object))) children.push_back({"", borrow(child)});
      return children;
    };
    return key;
  }
  template <class S>
  Key& tables(std::string name, std::vector<S> T::*member, TableOf<S> schema) {
    return tables<S>(
        std::move(name), std::move(schema), [member](T& object) { return &(object.*member).emplace_back(); },
        [member](const T& object) {
          std::vector<const S*> all;
          for (const S& item : object.*member) all.push_back(&item);
          return all;
        });
  }

 private:
  Key& add(KeyType type, std::string name) {
    Key& key = keys.emplace_back();
    key.name = std::move(name);
    key.type = type;
    return key;
  }
  template <class Held, class Make, class S>
  Key& held_table(std::string name, Held T::*member, Make make, TableOf<S> schema) {
    Key& key = add_table(KeyType::table, std::move(name), std::move(schema));
    key.read = [member, make](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      return reader.table(*self.table, self.name, entry, &make(static_cast<T*>(object)->*member));
    };
    key.children = [member](const void* object) {
      std::vector<ChildTable> children;
      if (const auto& child = static_cast<const T*>(object)->*member) children.push_back({"", borrow(&*child)});
      return children;
    };
    return key;
  }
  template <class S>
  Key& add_table(KeyType type, std::string name, TableOf<S> schema) {
    Key& key = add(type, std::move(name));
    key.table = std::make_shared<TableSchema>(std::move(schema));
    return key;
  }
  template <class V, class Slot>
  Key& add_value(KeyType type, std::string name, Slot T::*member,
                 bool (SchemaReader::*reader_function)(const Key&, const Value&, V&)) {
    Key& key = add(type, std::move(name));
    key.read = [member, reader_function](SchemaReader& reader, const Key& self, const Entry& entry, void* object) {
      V value{};
      if (!(reader.*reader_function)(self, entry.value, value)) return false;
      detail::store(static_cast<T*>(object)->*member, std::move(value), entry.value.mark);
      return true;
    };
    key.write = [member](const void* object) -> std::optional<Value> {
      const std::optional<V> value = detail::fetch(static_cast<const T*>(object)->*member);
      return value ? std::optional(detail::to_value(*value)) : std::nullopt;
    };
    return key;
  }
  // Points at an object that outlives the echo.
  static std::shared_ptr<const void> borrow(const void* object) { return {std::shared_ptr<const void>{}, object}; }
};

}  // namespace elodyn
