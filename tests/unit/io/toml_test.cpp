#include "elodyn/io/toml.hpp"

#include <gtest/gtest.h>

namespace elodyn {
namespace {

std::string error_of(const std::string& text) {
  Diagnostics diagnostics;
  const int source = diagnostics.add_source("f.toml", text);
  EXPECT_FALSE(parse_toml(text, source, diagnostics).has_value());
  return diagnostics.format_all(Severity::error);
}

Value parse(const std::string& text) {
  Diagnostics diagnostics;
  const int source = diagnostics.add_source("f.toml", text);
  auto value = parse_toml(text, source, diagnostics);
  EXPECT_TRUE(value.has_value()) << diagnostics.format_all(Severity::error);
  return value.value_or(Value{});
}

TEST(Toml, keeps_the_order_of_the_text_and_places) {
  const Value root = parse("zulu = 1\nalpha = \"x\"\n[b.a]\n  list = [1, 2.5]\n[[b.c]]\nt = true\n");
  ASSERT_EQ(root.entries.size(), 3u);
  EXPECT_EQ(root.entries[0].key, "zulu");
  EXPECT_EQ(root.entries[1].key, "alpha");
  EXPECT_EQ(root.entries[1].value.mark.line, 2);
  EXPECT_EQ(root.entries[1].value.mark.column, 9);
  EXPECT_EQ(root.entries[1].value.mark.length, 3);
  const Value& b = root.entries[2].value;
  const Value& list = b.find("a")->value.find("list")->value;
  EXPECT_EQ(list.mark.column, 10);
  EXPECT_EQ(list.items[1].mark.column, 14);
  EXPECT_EQ(list.items[1].number(), 2.5);
  EXPECT_TRUE(b.find("c")->value.is_array_of_tables);
  EXPECT_EQ(b.find("a")->value.mark.length, 5);
}

TEST(Toml, columns_inside_texts) {
  const Value root = parse("a = \"10 mm\"\nb = \"\\u0031 mm\"\n\"ä\" = '5 µm x'\n");
  const Mark inside = root.entries[0].value.mark_in_text(3, 2);
  EXPECT_EQ(inside.column, 9);
  EXPECT_EQ(inside.length, 2);
  EXPECT_EQ(root.entries[1].value.mark_in_text(2, 2).column, 5);   // escapes: the whole text
  EXPECT_EQ(root.entries[2].value.mark_in_text(6, 1).column, 13);  // characters, not bytes
}

TEST(Toml, says_that_units_need_quotes) {
  EXPECT_EQ(error_of("a = 1\nlength = 0.5 m\n"),
            "f.toml:2:14: error: not TOML: expected a comment or whitespace, saw 'm'\n"
            "  2 | length = 0.5 m\n"
            "    |              ^\n"
            "  help: a value with a unit is written as a string: \"0.5 m\"\n");
  EXPECT_EQ(error_of("name = steel\n"),
            "f.toml:1:8: error: not TOML: could not determine value type\n"
            "  1 | name = steel\n"
            "    |        ^\n"
            "  help: a text is written in quotes: \"steel\"\n");
}

TEST(Toml, says_where_a_key_is_given_twice) {
  EXPECT_EQ(error_of("[x]\na = 1\n[y]\n  b = 2\n  b = 3\n"),
            "f.toml:5:3: error: `b` is given twice\n"
            "  5 |   b = 3\n"
            "    |   ^\n");
  EXPECT_EQ(error_of("[x]\na = 1\n[x]\n"),
            "f.toml:3:1: error: `x` is given twice\n"
            "  3 | [x]\n"
            "    | ^^^\n");
}

TEST(Toml, refuses_what_is_not_text) {
  EXPECT_EQ(error_of("a = 1\nb = \"\xff\"\n"),
            "f.toml:2:6: error: not UTF-8 text\n  2 | b = \"\xff\"\n    |      ^\n"
            "  help: save the file with the encoding UTF-8\n");
  EXPECT_NE(error_of(std::string("a = 1\0", 6)), "");
  EXPECT_EQ(find_invalid_utf8("äµ·\xF0\x9F\x98\x80"), std::string::npos);
  for (const char* bad : {"\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xF8"})
    EXPECT_EQ(find_invalid_utf8(std::string("ab") + bad), 2u);
}

TEST(Toml, deep_nesting_is_refused) {
  const std::string too_deep = "nested too deep: up to 32 brackets and 16 parts of a dotted key\n";
  EXPECT_NE(error_of("a = " + std::string(100000, '[')).find("f.toml:1:37: error: " + too_deep), std::string::npos);
  std::string dotted = "a";
  for (int i = 0; i < 1000000; ++i) dotted += ".a";
  EXPECT_NE(error_of(dotted + " = 1").find("f.toml:1:32: error: " + too_deep), std::string::npos);
  EXPECT_NE(error_of("x = { y = { " + dotted + " = 1 } }").find(too_deep), std::string::npos);
  std::string quoted = "\"=\"";
  for (int i = 0; i < 1000; ++i) quoted += " . '#['";
  EXPECT_NE(error_of("[" + quoted + "]").find(too_deep), std::string::npos);
}

TEST(Toml, floods_are_refused) {
  std::string list = "a = [";
  for (int i = 0; i < 1000001; ++i) list += "1,";
  EXPECT_EQ(error_of(list + "]").substr(0, 50), "f.toml:1: error: too many values: up to 1000000\n  ");
  const std::string line = "a = \"" + std::string(30000, 'x') + "\"\n";
  EXPECT_EQ(cut_long_lines("b\n" + line + "c"), "b\n" + line.substr(0, 20000) + "…\nc\n");
  EXPECT_EQ(cut_long_lines("ä\n\nö\n"), "ä\n\nö\n");
}

TEST(Toml, dots_and_brackets_in_texts_and_comments_are_free) {
  const std::string dots(100, '.'), brackets(100, '[');
  const Value root = parse("# " + dots + brackets + "\na = \"" + dots + brackets + "\"\nb = '''" + dots + "\n" +
                           brackets + "'''\nc = \"\"\"\\\"\"\"" + brackets + "\"\"\"\nd = [0.1, 0.2, 0.3]\n");
  EXPECT_EQ(root.entries.size(), 4u);
}

TEST(Toml, prints_what_reads_back) {
  for (const double x : {0.1, -2.1e11, 1e15, 12345678901234567000.0, 1.7976931348623157e308, 5e-324, 3.0, -0.0}) {
    const Value root = parse("x = " + toml_text(x) + "\n");
    EXPECT_EQ(root.entries[0].value.number(), x) << toml_text(x);
  }
  for (const std::string text : {"a\"b\\c", "tab\tline\nreturn\r\x01\x7f", "ä…"})
    EXPECT_EQ(parse("x = " + toml_text(text)).entries[0].value.text, text);
  for (const std::string key : {"a-b_1", "", "a b", "ä", "a.b", "\""})
    EXPECT_EQ(parse(toml_key(key) + " = 1").entries[0].key, key);
}

TEST(Toml, values_of_their_own) {
  const auto list = parse_toml_value("[1, \"ab\"]", 7, 20);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->mark.source, 7);
  EXPECT_EQ(list->mark.column, 20);
  EXPECT_EQ(list->items[1].mark.column, 24);
  EXPECT_EQ(list->items[1].mark_in_text(1, 1).column, 26);
  EXPECT_FALSE(parse_toml_value("beam_rayleigh", 7, 1).has_value());
  EXPECT_FALSE(parse_toml_value("1\nb = 2", 7, 1).has_value());
  EXPECT_FALSE(parse_toml_value("", 7, 1).has_value());
}

}  // namespace
}  // namespace elodyn
