#include "elodyn/io/write_measurement.hpp"

#include "elodyn/io/measured_file.hpp"
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
  if (request.records && !measurement.data.signals.empty()) {
    UffFormat format;
    format.is_double = request.records->numbers != RecordsRequest::Numbers::single_binary;
    if (request.records->numbers != RecordsRequest::Numbers::text) format.numbers = UffFormat::Numbers::little_endian;
    files.push_back(request.records->file);
    write_file(dir / files.back(), to_measured_text(files.back(), measurement.data, format));
  }
  return files;
}

}  // namespace elodyn
