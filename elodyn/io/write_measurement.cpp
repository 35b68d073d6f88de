#include "elodyn/io/write_measurement.hpp"

#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/write_tracks.hpp"

namespace elodyn {

std::vector<std::string> write_measurement(const MeasureRequest& request, const Measurement& measurement,
                                           const std::filesystem::path& dir) {
  std::vector<std::string> files;
  if (measurement.film && request.film) {
    files.emplace_back(request.film->file_name());
    write_file(dir / files.back(), to_text(*measurement.film, request.film->format, request.film->unit));
  }
  return files;
}

}  // namespace elodyn
