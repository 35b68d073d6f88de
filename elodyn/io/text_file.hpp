// A whole file as text. Readers take it through a FileReader, so that a program without files can give its own.
#pragma once

#include <functional>
#include <string>

namespace elodyn {

struct FileText {
  std::string text;
  std::string failure;  // why the file cannot be read; empty: it was
};

// The path, and how many bytes are accepted.
using FileReader = std::function<FileText(const std::string& path, size_t largest)>;

FileText read_text_file(const std::string& path, size_t largest);

}  // namespace elodyn
