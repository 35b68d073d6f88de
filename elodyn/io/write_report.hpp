// report.html: one page with its data in it, for any browser, without a server or a network. The page itself is
// viewer/dist/report.html, part of this library; viewer/src/data.ts says what the data are. They come from what a run
// directory holds, so that `elodyn report` makes the same bytes again.
// Histories that are very long are thinned: every k-th row stays, and those where a column is largest or least.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "elodyn/io/writer.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

struct ReportedRun {
  std::string name;  // of its directory
  const Results& results;
  std::string input_echo;
  std::vector<std::string> files;  // beside the page
};

// Report of viewer/src/data.ts.
std::string to_report_json(const std::vector<ReportedRun>& runs);
// The page with it; several runs stand side by side.
std::string to_report_page(const std::vector<ReportedRun>& runs);
// A JSON text that may stand in a <script> of HTML: the same text to who reads JSON.
std::string escape_for_script(std::string_view json);

inline constexpr const char* kReportFile = "report.html";
std::unique_ptr<const Writer> make_report_writer();

}  // namespace elodyn
