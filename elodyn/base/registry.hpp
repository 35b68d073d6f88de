// Registry<Interface>: the named implementations of a plug-in point, in one const list.
// One line of registry.cpp adds one; the command line, the input check and the law tests read it.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace elodyn {

// Interface must offer name() and summary(). The objects are stateless and shared.
template <class Interface>
class Registry {
 public:
  explicit Registry(std::vector<std::unique_ptr<const Interface>> items) : items_(std::move(items)) {}

  const Interface* find(std::string_view name) const {
    for (const auto& item : items_)
      if (item->name() == name) return item.get();
    return nullptr;
  }
  std::vector<const Interface*> list() const {
    std::vector<const Interface*> all;
    for (const auto& item : items_) all.push_back(item.get());
    return all;
  }

 private:
  std::vector<std::unique_ptr<const Interface>> items_;
};

}  // namespace elodyn
