#include "elodyn/io/output_dir.hpp"

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

using test::list_dir;
using test::read_text;
using test::TempDir;
using test::write_text;

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(OutputDir, MakesParentsAndAcceptsWhatIsThere) {
  const TempDir temp;
  make_output_dir(temp / "a/b/c");
  make_output_dir(temp / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(temp / "a/b/c"));
}

TEST(OutputDir, BelowARegularFile) {
  const TempDir temp;
  write_text(temp / "file", "x");
  const std::string inside = (temp / "file/out").string();
  EXPECT_EQ(message_of([&] { make_output_dir(inside); }),
            "cannot create the output directory `" + inside + "`: Not a directory");
  EXPECT_EQ(message_of([&] { make_output_dir(temp / "file"); }),
            "cannot create the output directory `" + (temp / "file").string() + "`: Not a directory");
}

TEST(OutputDir, WhereTheSystemForbidsIt) {
  EXPECT_EQ(message_of([] { make_output_dir("/proc/elodyn"); }),
            "cannot create the output directory `/proc/elodyn`: No such file or directory");
  EXPECT_EQ(message_of([] { write_file("/proc/results.json", "{}"); }),
            "cannot write `/proc/results.json`: No such file or directory");
}

TEST(OutputDir, ReplacesAFileAndLeavesNothingElse) {
  const TempDir temp;
  write_file(temp / "a.csv", "old");
  write_file(temp / "a.csv", "new");
  EXPECT_EQ(read_text(temp / "a.csv"), "new");
  EXPECT_EQ(list_dir(temp.path()), "a.csv");
}

// A limit on the size of files stands for a full disk: the write fails half-way.
TEST(OutputDir, AFullDiskKeepsTheOldFile) {
  const TempDir temp;
  write_file(temp / "a.csv", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of([&] { write_file(temp / "a.csv", std::string(1000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(message, "cannot write `" + (temp / "a.csv").string() + "`: File too large");
  EXPECT_EQ(read_text(temp / "a.csv"), "old");
  EXPECT_EQ(list_dir(temp.path()), "a.csv");
}

TEST(OutputDir, HasOneRunAtATime) {
  const TempDir temp;
  {
    const OutputLock lock(temp.path());
    const std::string message = message_of([&] { const OutputLock second(temp.path()); });
    EXPECT_TRUE(message.starts_with("another run is writing to the output directory `" + temp.path().string() +
                                    "` (process " + std::to_string(getpid()) + " on "))
        << message;
    EXPECT_EQ(message_of([&] { const OutputLock third(temp.path()); }), message) << "the second took nothing away";
  }
  EXPECT_EQ(list_dir(temp.path()), "");
  const OutputLock again(temp.path());
}

// What a killed run leaves is the file, longer perhaps than ours, but no lock.
TEST(OutputDir, TakesTheLockOverFromADeadRun) {
  const TempDir temp;
  write_text(temp / ".elodyn.lock", std::string(300, 'x'));
  const OutputLock lock(temp.path());
  EXPECT_TRUE(read_text(temp / ".elodyn.lock").starts_with("process " + std::to_string(getpid())));
  EXPECT_EQ(read_text(temp / ".elodyn.lock").find("xxxx"), std::string::npos);
}

TEST(OutputDir, IsLockedOnlyIfItIsThere) {
  const TempDir temp;
  EXPECT_EQ(message_of([&] { const OutputLock lock(temp / "none"); }),
            "cannot write to the output directory `" + (temp / "none").string() + "`: No such file or directory");
}

TEST(OutputDir, FileStemsStayInTheirDirectory) {
  EXPECT_EQ(file_stem("rod_M"), "rod_M");
  EXPECT_EQ(file_stem("../../etc/passwd"), "_.._.._etc_passwd");
  EXPECT_EQ(file_stem("a b\nc"), "a_b_c");
  EXPECT_EQ(file_stem("tijă"), "tijă");
  EXPECT_EQ(file_stem(""), "_");
}

}  // namespace
}  // namespace elodyn
