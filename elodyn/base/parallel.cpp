#include "elodyn/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <unistd.h>
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

using Work = std::function<void(int)>;

// A thread that waits for work, so that none is made for each of the many short pieces: to make and join one takes as
// long as some 100 000 products. It looks for a while before it sleeps, for the next piece mostly comes at once.
class Helper {
 public:
  explicit Helper(int number) : number_(number) {
    std::thread([this] {
      for (;;) {
        const Work* work = wait_while(nullptr);
        (*work)(number_);
        slot_.store(nullptr, std::memory_order_release);
        slot_.notify_one();
      }
    }).detach();
  }
  void start(const Work& work) {
    slot_.store(&work, std::memory_order_release);
    slot_.notify_one();
  }
  void finish(const Work& work) { wait_while(&work); }

 private:
  const Work* wait_while(const Work* value) {
    constexpr int kLooks = 5000;  // about 50 µs
    for (int k = 0; k < kLooks; ++k) {
      if (const Work* now = slot_.load(std::memory_order_acquire); now != value) return now;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
    slot_.wait(value, std::memory_order_acquire);
    return slot_.load(std::memory_order_acquire);
  }

  alignas(64) std::atomic<const Work*> slot_ = nullptr;  // what it works on; null: it waits
  int number_;
};

// They live as long as the process. A process that was forked off has none of its parent's.
struct Helpers {
  pid_t process = getpid();
  std::mutex in_use;
  std::vector<std::unique_ptr<Helper>> all;

  static Helpers& get() {
    static std::atomic<Helpers*> helpers = new Helpers;
    Helpers* found = helpers;
    if (found->process != getpid()) helpers = found = new Helpers;
    return *found;
  }
};

thread_local bool is_part = false;  // of some parallel_for()

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
  Helpers* helpers = threads <= 1 || n <= 1 || is_part ? nullptr : &Helpers::get();
  std::unique_lock<std::mutex> lock;
  if (helpers) lock = std::unique_lock(helpers->in_use, std::try_to_lock);
  if (!lock) {
    for (int k = 0; k < n; ++k) work(k, 0);
    return;
  }
  std::atomic<int> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  int failed = n;
  const Work run = [&](int thread) {
    is_part = true;
    for (int k = next++; k < n; k = next++) try {
        work(k, thread);
      } catch (...) {
        const std::lock_guard guard(mutex);
        if (k < failed) {
          failed = k;
          failure = std::current_exception();
        }
        next = n;  // parts before this one have begun, so that the lowest is found
      }
    is_part = false;
  };
  const auto n_helpers = static_cast<size_t>(std::min(threads, n) - 1);
  while (helpers->all.size() < n_helpers)
    helpers->all.push_back(std::make_unique<Helper>(static_cast<int>(helpers->all.size()) + 1));
  for (size_t h = 0; h < n_helpers; ++h) helpers->all[h]->start(run);
  run(0);
  for (size_t h = 0; h < n_helpers; ++h) helpers->all[h]->finish(run);
  lock.unlock();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace elodyn
