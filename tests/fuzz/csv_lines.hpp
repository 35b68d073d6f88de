// A model text that carries the table of motion or the mesh which it names: its lines `#csv …` are that file, whatever
// the name. No file is read.
#pragma once

#include <sstream>

#include "elodyn/io/text_file.hpp"

inline elodyn::FileReader csv_lines_of(const std::string& text) {
  std::string table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#csv ")) table += line.substr(5) + "\n";
  return [table](const std::string&, size_t) -> elodyn::FileText {
    if (table.empty()) return {"", "there are no lines `#csv`"};
    return {table, ""};
  };
}
