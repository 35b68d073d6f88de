// Runs the program as a user does: in a directory of its own, outputs and exit code caught.
#pragma once

#include <cstdlib>
#include <string>
#include <sys/wait.h>

#include "test_paths.hpp"
#include "tests/support/temp_dir.hpp"

namespace elodyn::test {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

class Shell {
 public:
  // `elodyn` in the line is the program under test.
  Outcome operator()(const std::string& line) const {
    const std::string command = "cd '" + dir_.path().string() + "' && elodyn() { '" ELODYN_PROGRAM "' \"$@\"; } && { " +
                                line + "\n} >.out 2>.err </dev/null";
    const int status = std::system(command.c_str());
    const Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(dir_ / ".out"),
                          read_text(dir_ / ".err")};
    std::filesystem::remove(dir_ / ".out");
    std::filesystem::remove(dir_ / ".err");
    return outcome;
  }
  void write(const std::string& name, const std::string& text) const { write_text(dir_ / name, text); }
  std::string read(const std::string& name) const { return read_text(dir_ / name); }
  std::string list(const std::string& name = ".") const { return list_dir(dir_ / name); }
  const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
};

// A small clamped rod; any line of it may be replaced.
inline std::string rod_toml() {
  return R"(schema = 1
title = "Rod"

[material.steel]
young = "210 GPa"
poisson = 0.3
density = "7800 kg/m^3"

[section.round]
shape = "circle"
diameter = "10 mm"

[body.rod]
element = "beam_euler_bernoulli"
dimension = 2
material = "steel"
section = "round"
line = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 4 }
clamp = ["from"]

[analysis.modes]
count = 3
)";
}

}  // namespace elodyn::test
