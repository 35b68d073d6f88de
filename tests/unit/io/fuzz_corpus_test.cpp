// What the fuzzer does, on the files that it starts from: no crash, and an echo that reads back.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test_paths.hpp"
#include "tests/fuzz/csv_lines.hpp"
#include "tests/fuzz/read_mesh_fuzz.hpp"
#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

TEST(FuzzCorpus, reads_or_says_why_not) {
  int n_good = 0, n_bad = 0;
  for (const auto& item : std::filesystem::directory_iterator(ELODYN_SOURCE_DIR "/tests/fuzz/corpus")) {
    std::ifstream file(item.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    ReadOptions options = sample_options();
    options.read_file = csv_lines_of(text.str());
    options.names.elements.emplace_back("membrane_q4");
    Diagnostics diagnostics;
    const auto model = read_model("f.toml", text.str(), options, diagnostics);
    EXPECT_EQ(model.has_value(), diagnostics.format_all(Severity::error).empty()) << item.path();
    ++(model ? n_good : n_bad);
    if (model) {
      const std::string echo = echo_toml(*model);
      const auto again = read_model("echo.toml", echo, options, diagnostics);
      ASSERT_TRUE(again.has_value()) << item.path() << diagnostics.format_all(Severity::error);
      EXPECT_EQ(echo_toml(*again), echo) << item.path();
    }
  }
  EXPECT_GE(n_good, 5);
  EXPECT_GE(n_bad, 5);
}

TEST(FuzzCorpus, mesh_files_too) {
  const std::pair<const char*, fuzz::MeshReader> formats[] = {{"corpus_msh", read_msh}, {"corpus_inp", read_inp}};
  for (const auto& [folder, read] : formats) {
    int n_files = 0;
    for (const auto& item :
         std::filesystem::directory_iterator(std::string(ELODYN_SOURCE_DIR "/tests/fuzz/") + folder)) {
      std::ifstream file(item.path(), std::ios::binary);
      std::stringstream stream;
      stream << file.rdbuf();
      const std::string text = stream.str();
      ++n_files;
      // Ends the program where something is violated.
      EXPECT_EQ(fuzz::test_one(read, reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0)
          << item.path();
    }
    EXPECT_GE(n_files, 4) << folder;
  }
}

}  // namespace
}  // namespace elodyn
