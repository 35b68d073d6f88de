#include "elodyn/base/progress.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace elodyn {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

ProgressSink& sink() {
  static ProgressSink the_sink;
  return the_sink;
}

// Whose progress is told: the first that begins.
std::atomic<const void*> teller = nullptr;
bool become_teller(const void* candidate) {
  const void* nobody = nullptr;
  return teller.compare_exchange_strong(nobody, candidate);
}

}  // namespace

void set_progress_sink(ProgressSink wanted) { sink() = std::move(wanted); }

Progress::Progress(std::string what, double total) : what_(std::move(what)), total_(total) { become_teller(this); }

Progress::~Progress() {
  if (teller != this) return;
  if (sink()) sink()(what_, 1, watch_.seconds());
  teller = nullptr;
}

void Progress::advance(double parts) { tell(done_.fetch_add(parts) + parts); }

void Progress::set_done(double parts) {
  done_ = parts;
  tell(parts);
}

void Progress::tell(double done) {
  constexpr double kInterval = 0.1;  // s
  if (!sink() || teller != this) return;
  const double now = watch_.seconds();
  if (now < next_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || now < next_) return;
  next_ = now + kInterval;
  sink()(what_, std::clamp(done / total_, 0.0, 0.999), now);
}

Stage::Stage(std::string what, double size) {
  if (!sink() || size <= kLarge || !become_teller(this)) return;
  what_ = std::move(what);
  sink()(what_, std::numeric_limits<double>::quiet_NaN(), 0);
}

Stage::~Stage() {
  if (what_.empty()) return;
  sink()(what_, 1, watch_.seconds());
  teller = nullptr;
}

bool is_interrupted() { return interrupted; }
void set_interrupted(bool wanted) { interrupted = wanted; }

}  // namespace elodyn
