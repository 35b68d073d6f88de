#include "app/progress_bar.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "elodyn/base/progress.hpp"

namespace elodyn::app {
namespace {

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

void draw(const std::string& what, double share, double seconds) {
  static bool drawn = false;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  constexpr double kLong = 1;  // s
  constexpr int kWidth = 30;
  if (share >= 1) {
    if (drawn) std::fputs("\r\033[K", stderr);
    drawn = false;
  } else if (std::isnan(share)) {
    std::fputs(("\r\033[K" + what + " …").c_str(), stderr);
    drawn = true;
  } else if (seconds > kLong) {
    const auto full = static_cast<int>(share * kWidth);
    const std::string left = share > 0 ? clock_text(seconds * (1 - share) / share) + " left" : "";
    std::fputs(fmt::format("\r\033[K{} [{}{}] {:3.0f} %  {}", what, std::string(static_cast<size_t>(full), '#'),
                           std::string(static_cast<size_t>(kWidth - full), '.'), 100 * share, left)
                   .c_str(),
               stderr);
    drawn = true;
  }
  std::fflush(stderr);
}

bool says_so = false;

// Only what is safe in a signal handler.
void interrupt(int) {
  if (is_interrupted()) _exit(128 + SIGINT);
  set_interrupted(true);
  constexpr std::string_view kText =
      "\ninterrupted: the current step is being finished; Ctrl-C again ends the program at once\n";
  const int saved = errno;
  if (says_so && write(STDERR_FILENO, kText.data(), kText.size()) < 0) errno = saved;
  errno = saved;
}

}  // namespace

void show_progress() {
  if (isatty(STDERR_FILENO) == 1) set_progress_sink(draw);
}

void catch_interrupts(bool talks) {
  says_so = talks;
  struct sigaction action {};
  action.sa_handler = interrupt;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace elodyn::app
