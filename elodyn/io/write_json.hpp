// Results as JSON, SI and radians; a number that is not finite is null. Members:
//   status, message (if any), title, modes[] = {number, omega, hz, growth, label, body, shares, residual},
//   tables[] = {name, title, columns[] = {name, unit, values}}, warnings[], timings{}, provenance{}
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/io/writer.hpp"
#include "elodyn/results/derivation.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

std::string to_json(const Results& results);

// status, title, formalism{name, summary}, equation{text, latex}, generating{name, text, latex}, system (null but for
// formalisms of whole bodies), elements[] = {body, member, element, section, number, alike, nodes, symbolic, axes,
// notes, equation, dofs[], symbols[] = {name, latex, meaning, unit, value}, generating[], terms[] = {name, meaning,
// factor, acts_on, minus, symmetry, latex, values, symbols}, zero[], operations{}}, warnings[], provenance{}
std::string to_json(const Derivation& derivation);

// What run.json keeps beside the results: outcome, warnings, timings, provenance, and the names of the files.
std::string run_json(const Results& results, const std::vector<std::string>& files);
// The names of the files in the text of a run.json; none if it cannot be read.
std::vector<std::string> read_run_files(const std::string& text);

// status "input error" (or "ok" without errors) with
// diagnostics[] = {file, line, column, severity, text, help}; null where there is no place.
// `message` stands for an error that is not among the diagnostics; it may be empty.
std::string to_json(const Diagnostics& diagnostics, const std::string& message, const Provenance& provenance);

// {"status": "ok", LIST: [{"name": …, "summary": …}, …]}
std::string to_json(const std::string& list,
                    const std::vector<std::pair<std::string, std::string>>& names_and_summaries);

std::unique_ptr<const Writer> make_json_writer();

}  // namespace elodyn
