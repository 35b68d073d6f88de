#include "elodyn/io/new_model.hpp"

#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

TEST(NewModel, every_kind_reads_without_errors_and_warnings) {
  ASSERT_GE(new_kinds().size(), 4u);
  EXPECT_EQ(new_kinds()[0], "cantilever");
  for (const std::string& kind : new_kinds()) {
    Diagnostics diagnostics;
    EXPECT_TRUE(read_model("new.toml", new_model(kind), {}, diagnostics)) << kind;
    EXPECT_EQ(diagnostics.format_all(Severity::error), "") << kind;
    EXPECT_EQ(diagnostics.format_all(Severity::warning), "") << kind;
  }
  EXPECT_EQ(new_model("nonsense"), "");
}

}  // namespace
}  // namespace elodyn
