#include "elodyn/base/error.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace elodyn {
namespace {

std::string printable(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  for (char& c : line)  // what would steer a terminal is not printed
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = '?';
  return line;
}

}  // namespace

int Diagnostics::add_source(std::string name, std::string text) {
  Source source{std::move(name), {}};
  std::istringstream stream(text);
  int number = 0;
  for (std::string line; std::getline(stream, line);) source.lines[++number] = printable(std::move(line));
  sources_.push_back(std::move(source));
  return static_cast<int>(sources_.size()) - 1;
}

void Diagnostics::add_line(int source, int line, std::string text) {
  ELODYN_REQUIRE(source >= 0 && static_cast<size_t>(source) < sources_.size() && line > 0);
  sources_[static_cast<size_t>(source)].lines[line] = printable(std::move(text));
}

void Diagnostics::error(const Mark& mark, std::string text, std::string help) {
  all_.push_back({Severity::error, mark, std::move(text), std::move(help)});
  ++n_errors_;
}

void Diagnostics::warning(const Mark& mark, std::string text, std::string help) {
  all_.push_back({Severity::warning, mark, std::move(text), std::move(help)});
}

const std::string& Diagnostics::source_name(int source) const {
  static const std::string none;
  const bool known = source >= 0 && source < static_cast<int>(sources_.size());
  return known ? sources_[static_cast<size_t>(source)].name : none;
}

std::string Diagnostics::format(const Diagnostic& d) const {
  std::ostringstream out;
  out << source_name(d.mark.source);
  if (d.mark.line > 0) out << ':' << d.mark.line;
  if (d.mark.line > 0 && d.mark.column > 0) out << ':' << d.mark.column;
  if (out.tellp() > 0) out << ": ";
  out << (d.severity == Severity::error ? "error: " : "warning: ") << d.text << '\n';
  if (const std::string* line = source_line(d.mark)) {
    // Of a long line only the surroundings of the caret are shown.
    constexpr int kBefore = 80, kShown = 160;
    const int start = static_cast<int>(line->size()) > kShown ? std::max(0, d.mark.column - 1 - kBefore) : 0;
    const std::string shown = line->substr(std::min(static_cast<size_t>(start), line->size()), kShown);
    const std::string cut_before = start > 0 ? "…" : "";
    const bool cut_after = static_cast<size_t>(start) + shown.size() < line->size();
    const std::string number = std::to_string(d.mark.line);
    out << "  " << number << " | " << cut_before << shown << (cut_after ? "…" : "") << '\n';
    if (d.mark.column > 0) {
      out << "  " << std::string(number.size(), ' ') << " | " << (start > 0 ? " " : "");
      // Tabs are kept so that the caret stands below what it means.
      const int column = d.mark.column - 1 - start;
      for (int i = 0; i < column; ++i)
        out << (static_cast<size_t>(i) < shown.size() && shown[static_cast<size_t>(i)] == '\t' ? '\t' : ' ');
      const int room = static_cast<int>(shown.size()) - column;
      out << std::string(static_cast<size_t>(std::max(1, std::min(d.mark.length, room))), '^') << '\n';
    }
  }
  if (!d.help.empty()) out << "  help: " << d.help << '\n';
  return out.str();
}

const std::string* Diagnostics::source_line(const Mark& mark) const {
  if (mark.source < 0 || static_cast<size_t>(mark.source) >= sources_.size() || mark.line <= 0) return nullptr;
  const auto& lines = sources_[static_cast<size_t>(mark.source)].lines;
  const auto it = lines.find(mark.line);
  return it == lines.end() ? nullptr : &it->second;
}

std::string Diagnostics::format_all(Severity severity) const {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& d : all_)
    if (d.severity == severity) sorted.push_back(&d);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::tie(a->mark.source, a->mark.line, a->mark.column) <
           std::tie(b->mark.source, b->mark.line, b->mark.column);
  });
  std::string out;
  for (const Diagnostic* d : sorted) out += format(*d);
  return out;
}

void Diagnostics::throw_if_errors() const {
  if (n_errors_ > 0) throw InputError(format_all(Severity::error));
}

void fail_requirement(const char* file, int line, const char* what) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": requires " + what);
}

}  // namespace elodyn
