#include "elodyn/io/write_vtu.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/io/output_dir.hpp"

namespace elodyn {
namespace {

constexpr const char* kByteOrder = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string opening(const std::string& type) {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type + "\" version=\"1.0\" byte_order=\"" + kByteOrder +
         "\" header_type=\"UInt64\">\n";
}

// The binary part: blocks of a length in bytes and the bytes; the XML points at them by offset.
class Appended {
 public:
  template <class T>
  std::string add(const char* type, const std::string& name, int components, const T* data, size_t n) {
    const std::string offset = std::to_string(bytes_.size());
    const std::uint64_t length = n * sizeof(T);
    append(&length, sizeof length);
    append(data, length);
    return std::string("<DataArray type=\"") + type + "\" Name=\"" + escaped(name) + "\" NumberOfComponents=\"" +
           std::to_string(components) + "\" format=\"appended\" offset=\"" + offset + "\"/>\n";
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, size_t n) {
    if (n == 0) return;
    const size_t old = bytes_.size();
    bytes_.resize(old + n);
    std::memcpy(bytes_.data() + old, data, n);
  }
  std::string bytes_;
};

// VTK's cell types: a point, a line, a polyline.
std::uint8_t cell_type(const std::vector<int>& cell) {
  ELODYN_REQUIRE(!cell.empty());
  constexpr std::uint8_t kVertex = 1, kLine = 3, kPolyLine = 4;
  return cell.size() == 1 ? kVertex : cell.size() == 2 ? kLine : kPolyLine;
}

// The same for faces: a triangle, a quadrilateral, a polygon.
std::uint8_t face_type(const std::vector<int>& face) {
  ELODYN_REQUIRE(face.size() >= 3);
  constexpr std::uint8_t kTriangle = 5, kPolygon = 7, kQuad = 9;
  return face.size() == 3 ? kTriangle : face.size() == 4 ? kQuad : kPolygon;
}

std::string cells_xml(const Grid& grid, Appended& appended) {
  std::vector<std::int64_t> connectivity, offsets;
  std::vector<std::uint8_t> types;
  const auto add = [&](const std::vector<int>& points, std::uint8_t type) {
    for (const int point : points) {
      ELODYN_REQUIRE(point >= 0 && point < grid.points.cols());
      connectivity.push_back(point);
    }
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
    types.push_back(type);
  };
  for (const std::vector<int>& cell : grid.cells) add(cell, cell_type(cell));
  for (const std::vector<int>& face : grid.faces) add(face, face_type(face));
  return appended.add("Int64", "connectivity", 1, connectivity.data(), connectivity.size()) +
         appended.add("Int64", "offsets", 1, offsets.data(), offsets.size()) +
         appended.add("UInt8", "types", 1, types.data(), types.size());
}

std::string field_xml(const PointField& field, Eigen::Index n_points, Appended& appended) {
  ELODYN_REQUIRE(field.values.cols() == n_points && (field.values.rows() == 1 || field.values.rows() == 3));
  return appended.add("Float64", field.unit.empty() ? field.name : field.name + " [" + field.unit + "]",
                      static_cast<int>(field.values.rows()), field.values.data(),
                      static_cast<size_t>(field.values.size()));
}

class VtuWriter final : public Writer {
 public:
  std::string_view name() const override { return "vtu"; }
  std::string_view summary() const override {
    return "a .vtu file for each grid of fields, results.pvd and NAME.pvd of an animation (ParaView)";
  }

  std::vector<std::string> write(const RunToWrite& run) const override {
    struct Frames {
      std::vector<std::string> files;
      std::vector<double> times;
    };
    std::vector<std::string> files, parts;
    std::map<std::string, Frames> animations;
    for (const Grid& grid : run.results.grids) {
      files.push_back(file_stem(grid.name) + ".vtu");
      write_file(run.dir / files.back(), to_vtu(grid));
      if (grid.animation.empty()) {
        parts.push_back(files.back());
      } else {
        animations[grid.animation].files.push_back(files.back());
        animations[grid.animation].times.push_back(grid.time);
      }
    }
    const auto add = [&](const std::string& name, const std::string& collection) {
      files.push_back(name + ".pvd");
      write_file(run.dir / files.back(), collection);
    };
    if (!parts.empty()) add("results", to_pvd(parts));
    for (const auto& [name, frames] : animations) add(file_stem(name), to_pvd(frames.files, frames.times));
    return files;
  }
};

}  // namespace

std::string to_vtu(const Grid& grid) {
  Appended appended;
  const std::string points =
      appended.add("Float64", "points", 3, grid.points.data(), static_cast<size_t>(grid.points.size()));
  const std::string cells = cells_xml(grid, appended);
  std::string fields;
  for (const PointField& field : grid.fields) fields += field_xml(field, grid.points.cols(), appended);
  return opening("UnstructuredGrid") + "<UnstructuredGrid>\n<Piece NumberOfPoints=\"" +
         std::to_string(grid.points.cols()) + "\" NumberOfCells=\"" +
         std::to_string(grid.cells.size() + grid.faces.size()) + "\">\n<PointData>\n" + fields +
         "</PointData>\n<Points>\n" + points + "</Points>\n<Cells>\n" + cells +
         "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_" + appended.bytes() +
         // meshio cuts the last value unless a line break precedes the end tag.
         "\n</AppendedData>\n</VTKFile>\n";
}

std::string to_pvd(const std::vector<std::string>& files, const std::vector<double>& times) {
  std::string out = opening("Collection") + "<Collection>\n";
  for (size_t part = 0; part < files.size(); ++part)
    out += "<DataSet timestep=\"" + (times.empty() ? "0" : shortest(times[part])) + "\" group=\"\" part=\"" +
           std::to_string(times.empty() ? part : 0) + "\" file=\"" + escaped(files[part]) + "\"/>\n";
  return out + "</Collection>\n</VTKFile>\n";
}

std::unique_ptr<const Writer> make_vtu_writer() { return std::make_unique<VtuWriter>(); }

}  // namespace elodyn
