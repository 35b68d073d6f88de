#include "elodyn/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace elodyn {
namespace {

std::atomic<int> chosen_threads = 0;

std::string_view threads_text() {
  const char* text = std::getenv("ELODYN_THREADS");
  return text ? text : "";
}

// 0: no whole number above 0.
int parse_threads(std::string_view text) {
  int n = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  return problem == std::errc{} && stop == text.data() + text.size() ? std::max(0, n) : 0;
}

int default_threads() {
  constexpr int kMost = 256;
  if (const int n = parse_threads(threads_text()); n > 0) return std::min(n, kMost);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMost);
}

}  // namespace

int n_threads() {
  static const int standard = default_threads();
  const int chosen = chosen_threads;
  return chosen > 0 ? chosen : standard;
}

std::string describe_wrong_threads() {
  const std::string text(threads_text());
  if (text.empty() || parse_threads(text) > 0) return {};
  return "ELODYN_THREADS = " + text + ", must be a whole number above 0";
}

void set_threads(int n) { chosen_threads = std::max(0, n); }

void parallel_for(int n, const std::function<void(int)>& work) { parallel_for(n, n_threads(), work); }

void parallel_for(int n, int threads, const std::function<void(int)>& work) {
  parallel_for(n, threads, [&](int k, int) { work(k); });
}

void parallel_for(int n, int threads, const std::function<void(int, int)>& work) {
  if (threads <= 1 || n <= 1) {
    for (int k = 0; k < n; ++k) work(k, 0);
    return;
  }
  std::atomic<int> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  int failed = n;
  const auto run = [&](int thread) {
    for (int k = next++; k < n; k = next++) try {
        work(k, thread);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (k < failed) {
          failed = k;
          failure = std::current_exception();
        }
        next = n;  // parts before this one have begun, so that the lowest is found
      }
  };
  std::vector<std::thread> helpers;
  for (int t = 1; t < std::min(threads, n); ++t) helpers.emplace_back(run, t);
  run(0);
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace elodyn
