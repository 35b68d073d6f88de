#include "elodyn/model/measure.hpp"

namespace elodyn {

const char* FilmRequest::file_name() const {
  if (!file.empty()) return file.c_str();
  return format == Format::tracker ? "film.txt" : "film.csv";
}

}  // namespace elodyn
