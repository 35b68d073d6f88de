// Wall-clock seconds of a piece of work.
#pragma once

#include <chrono>
#include <functional>

namespace elodyn::bench {

inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace elodyn::bench
