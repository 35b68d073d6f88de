#include "elodyn/base/progress.hpp"

#include <algorithm>
#include <utility>

namespace elodyn {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

ProgressSink& sink() {
  static ProgressSink the_sink;
  return the_sink;
}

}  // namespace

void set_progress_sink(ProgressSink wanted) { sink() = std::move(wanted); }

Progress::Progress(std::string what, double total) : what_(std::move(what)), total_(total) {}

Progress::~Progress() {
  if (sink()) sink()(what_, 1, watch_.seconds());
}

void Progress::advance(double parts) {
  constexpr double kInterval = 0.1;  // s
  double done = done_.load();
  while (!done_.compare_exchange_weak(done, done + parts)) {
  }
  if (!sink()) return;
  const double now = watch_.seconds();
  if (now < next_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || now < next_) return;
  next_ = now + kInterval;
  sink()(what_, std::clamp((done + parts) / total_, 0.0, 0.999), now);
}

bool is_interrupted() { return interrupted; }
void set_interrupted(bool wanted) { interrupted = wanted; }

}  // namespace elodyn
