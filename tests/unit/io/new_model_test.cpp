#include "elodyn/io/new_model.hpp"

#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

TEST(NewModel, every_kind_reads_without_errors_and_warnings) {
  ASSERT_GE(new_kinds().size(), 4u);
  EXPECT_EQ(new_kinds()[0], "cantilever");
  for (const std::string& kind : new_kinds()) {
    EXPECT_EQ(errors(new_model(kind)), "") << kind;
    EXPECT_EQ(warnings(new_model(kind)), "") << kind;
  }
  EXPECT_EQ(new_model("nonsense"), "");
}

}  // namespace
}  // namespace elodyn
