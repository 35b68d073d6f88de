// `--set body.rod.line.elements=40`: sets any key of a TOML tree, present or not.
// The value is TOML; what is not TOML and has no brackets or quotes is taken as a text, so that neither
// `--set body.rod.element=beam_rayleigh` nor `--set "section.round.diameter=10 mm"` needs quotes within quotes.
// A number in the path counts the entries of a list from 0, to[1] or to.1; the number after the last entry adds one.
#pragma once

#include <string>
#include <vector>

#include "elodyn/io/toml.hpp"

namespace elodyn {

// Each setting becomes a source of its own, named `--set`, that marks point into.
void apply_settings(const std::vector<std::string>& settings, Value& root, Diagnostics& diagnostics);

// The same for a key that stands in the file itself, as those of a sweep do: mistakes are marked there.
void put_value(const Located<std::string>& key, const Value& value, Value& root, Diagnostics& diagnostics);
// What the tree has at a key, or null; mistakes of the key itself are not reported.
const Value* find_value(const std::string& key, const Value& root);
// body.rod.line.to[0] → body, rod, line, to, 0; nothing if it is not written as a key.
std::vector<std::string> split_key(const std::string& key);

}  // namespace elodyn
