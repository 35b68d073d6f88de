// Small helpers for messages: the nearest name, lists in words, numbers as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace elodyn {

// The candidate within a third of the word's length (at least 2 edits), or empty.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean `x`?" or, when nothing is near, "known: a, b, c" (empty without candidates).
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& words, std::string_view separator);

// Shortest text that reads back to the same number ("0.1", "2.1e+11").
std::string shortest(double value);

// The whole text as a number, also with a plus in front; may be infinite or nan. Nothing if it is none.
std::optional<double> parse_number(std::string_view text);

}  // namespace elodyn
