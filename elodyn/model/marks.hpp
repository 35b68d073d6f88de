// Where each key of a thing was written, for messages about keys that are judged together.
// Empty for a thing that was made by code.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "elodyn/base/error.hpp"

namespace elodyn {

class Marks {
 public:
  void set(const std::string& key, const Mark& mark, bool is_good) { marks_[key] = {mark, is_good}; }

  bool is_given(const std::string& key) const { return marks_.count(key) > 0; }
  // A message about this key was already given: judging its value again would only repeat it.
  bool is_bad(const std::string& key) const {
    const auto it = marks_.find(key);
    return it != marks_.end() && !it->second.is_good;
  }
  bool has_bad() const {
    return std::any_of(marks_.begin(), marks_.end(), [](const auto& item) { return !item.second.is_good; });
  }
  // The table itself is marked under the empty key.
  Mark of_table(const Mark& otherwise) const { return of("", otherwise); }
  Mark of(const std::string& key, const Mark& otherwise) const {
    const auto it = marks_.find(key);
    return it != marks_.end() ? it->second.mark : otherwise;
  }

 private:
  struct Given {
    Mark mark;
    bool is_good = true;
  };
  std::map<std::string, Given> marks_;
};

}  // namespace elodyn
