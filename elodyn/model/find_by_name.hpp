// The item of that name, or null.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace elodyn {

template <class T>
const T* find_by_name(const std::vector<T>& items, const std::string& name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
  return it == items.end() ? nullptr : &*it;
}

}  // namespace elodyn
