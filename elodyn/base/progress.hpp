// How far long work has come, and whether the user wants it to end.
//   Progress progress("stability", n_points);
//   parallel_for(n_points, [&](int k) { if (is_interrupted()) return; …; progress.advance(); });
//   const Stage stage("factoring", n);  // one step that tells nothing until it is done
// Of work within work only the outermost is told.
// The library draws nothing: the program sets a sink that shows a bar. Without one, all this costs an atomic addition.
// Work that ends early keeps what is finished and says so: outcome "interrupted".
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>

#include "elodyn/base/stopwatch.hpp"

namespace elodyn {

// What is done, how much of it (0 to 1; NaN: not known), and for how long in all; share 1 is told once, at the end of
// the work.
using ProgressSink = std::function<void(const std::string& what, double share, double seconds)>;
void set_progress_sink(ProgressSink sink);

// Work of a known number of equal parts. Parts may be done by several threads.
class Progress {
 public:
  Progress(std::string what, double total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(double parts = 1);
  void add_total(double parts) { total_.fetch_add(parts); }  // refinement finds more to do
  void set_done(double parts);                               // of work that counts for itself

 private:
  void tell(double done);

  std::string what_;
  std::atomic<double> total_, done_ = 0;
  Stopwatch watch_;
  std::mutex mutex_;
  std::atomic<double> next_ = 0;  // s, when it is told again
};

// A step of unknown length, told at once if it is large. `size`: number of unknowns.
class Stage {
 public:
  static constexpr double kLarge = 5000;  // below it takes no time that people notice
  Stage(std::string what, double size);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  std::string what_;  // empty: not told
  Stopwatch watch_;
};

// Set by the program at Ctrl-C; long loops look at it between parts.
bool is_interrupted();
void set_interrupted(bool interrupted);  // safe in a signal handler

// Where nothing can be kept. The program says so and ends with the exit code of an interrupted run.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};
inline void throw_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

}  // namespace elodyn
