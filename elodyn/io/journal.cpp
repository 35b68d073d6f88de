#include "elodyn/io/journal.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "elodyn/base/sha256.hpp"

namespace elodyn {
namespace fs = std::filesystem;
namespace {

std::string checksum(const std::string& text) { return calc_sha256(text).substr(0, 16); }

// Nothing if a word is no number.
std::optional<std::vector<double>> read_values(std::istringstream& words) {
  std::vector<double> values;
  for (std::string word; words >> word;) {
    char* end = nullptr;
    values.push_back(std::strtod(word.c_str(), &end));
    if (end != word.c_str() + word.size()) return std::nullopt;
  }
  return values;
}

}  // namespace

FileJournal::FileJournal(fs::path file, const std::string& fingerprint) : path_(std::move(file)) {
  const std::string header = "elodyn journal 1 " + fingerprint;
  const bool goes_on = read(header);
  file_.reset(std::fopen(path_.c_str(), goes_on ? "a" : "w"));
  if (!file_) return;
  // After a line that was cut the next one begins on its own.
  std::fputs(goes_on ? "\n" : (header + "\n").c_str(), file_.get());
  std::fflush(file_.get());
}

bool FileJournal::read(const std::string& header) {
  std::ifstream stream(path_, std::ios::binary);
  std::string line;
  if (!stream || !std::getline(stream, line) || line != header) return false;
  while (std::getline(stream, line)) {
    const size_t space = line.rfind(' ');
    if (space == line.npos || checksum(line.substr(0, space)) != line.substr(space + 1)) continue;
    std::istringstream words(line.substr(0, space));
    std::string part;
    words >> part;
    if (std::optional<std::vector<double>> values = read_values(words)) found_[part] = std::move(*values);
  }
  return true;
}

std::optional<std::vector<double>> FileJournal::find(const std::string& part) const {
  const auto it = found_.find(part);
  return it == found_.end() ? std::nullopt : std::optional(it->second);
}

void FileJournal::add(const std::string& part, const std::vector<double>& values) {
  std::string line = part;
  for (const double value : values) line += fmt::format(" {:a}", value);
  line += " " + checksum(line) + "\n";
  const std::lock_guard lock(mutex_);
  if (!file_) return;
  // A full disk ends the journal, not the work.
  if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) file_.reset();
}

void FileJournal::remove() {
  file_.reset();
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace elodyn
