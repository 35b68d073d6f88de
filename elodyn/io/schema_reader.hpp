// Values of a TOML tree → values of structs, by the declaration of their key. Each function reports what is wrong and
// returns false; the caller goes on, so that one run shows every mistake.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/expression.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/base/units.hpp"
#include "elodyn/io/toml.hpp"

namespace elodyn {

struct AnyQuantity;
struct Key;
struct TableSchema;

class SchemaReader {
 public:
  explicit SchemaReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  bool table(const TableSchema& schema, const std::string& path, const Entry& entry, void* object);

  bool quantity(const Key& key, const Value& value, double& out);
  bool any_quantity(const Key& key, const Value& value, AnyQuantity& out);
  bool vector(const Key& key, const Value& value, Vec3& out);
  bool list(const Key& key, const Value& value, std::vector<double>& out);
  bool any_list(const Key& key, const Value& value, std::vector<double>& out, std::optional<Dimension>& dimension);
  bool integer(const Key& key, const Value& value, int& out);
  bool boolean(const Key& key, const Value& value, bool& out);
  bool text(const Key& key, const Value& value, std::string& out);
  bool name(const Key& key, const Value& value, std::string& out);
  bool choice(const Key& key, const Value& value, size_t& index);
  bool names(const Key& key, const Value& value, std::vector<Located<std::string>>& out);
  bool expressions(const Key& key, const Value& value, std::array<Expression, 3>& out);
  bool one_expression(const Key& key, const Value& value, Expression& out);
  bool named_vectors(const Key& key, const Value& value,
                     const std::function<void(const Entry&, const Vec3&, bool good)>& put);
  bool named_tables(const Key& key, const Value& value, const std::function<bool(const Entry&)>& read_one);
  bool tables(const Key& key, const Entry& entry, const std::function<bool(const Entry&)>& read_one);

 private:
  bool quantity(const Key& key, const std::string& label, const Value& value, double& out);
  bool any_quantity(const Key& key, const std::string& label, const Value& value, AnyQuantity& out);
  bool expression(const Key& key, const std::string& label, const Value& value, Expression& out);
  bool three_entries(const std::string& label, const Value& value, const std::string& each);
  bool is_good_name(const Entry& entry, const std::string& kind);
  bool fail(const Mark& mark, std::string text, std::string help = {});
  void report_unknown(const TableSchema& schema, const Entry& entry, const void* object, bool choices_known);
  std::string here() const;  // "[body.rod]" or "the file"

  Diagnostics& diagnostics_;
  std::vector<std::string> path_;
};

}  // namespace elodyn
