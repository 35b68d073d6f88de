// `--set body.rod.line.elements=40`: sets any key of a TOML tree, present or not.
// The value is TOML; what is not TOML and has no brackets or quotes is taken as a text, so that neither
// `--set body.rod.element=beam_rayleigh` nor `--set "section.round.diameter=10 mm"` needs quotes within quotes.
// A number in the path counts the entries of a list from 0; the number after the last entry adds one.
#pragma once

#include <string>
#include <vector>

#include "elodyn/io/toml.hpp"

namespace elodyn {

// Each setting becomes a source of its own, named `--set`, that marks point into.
void apply_settings(const std::vector<std::string>& settings, Value& root, Diagnostics& diagnostics);

}  // namespace elodyn
