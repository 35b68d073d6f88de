// The file is read back by an independent small reader: XML attributes, offsets, blocks. Where VTK's Python package is
// installed, VTK reads it too.
#include "elodyn/io/write_vtu.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>

#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

using test::TempDir;

struct Array {
  std::string type;
  int components = 0;
  std::string bytes;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};

std::map<std::string, Array> read_back(const std::string& text) {
  const std::string start = "<AppendedData encoding=\"raw\">\n_";
  const size_t data = text.find(start) + start.size();
  const std::string xml = text.substr(0, data);
  const std::regex pattern(
      "<DataArray type=\"(\\w+)\" Name=\"([^\"]*)\" NumberOfComponents=\"(\\d+)\" format=\"appended\" "
      "offset=\"(\\d+)\"/>");
  std::map<std::string, Array> arrays;
  size_t end = 0;
  for (std::sregex_iterator match(xml.begin(), xml.end(), pattern), none; match != none; ++match) {
    const size_t offset = std::stoul((*match)[4]);
    std::uint64_t length = 0;
    std::memcpy(&length, text.data() + data + offset, sizeof length);
    arrays[(*match)[2]] = {(*match)[1], std::stoi((*match)[3]), text.substr(data + offset + sizeof length, length)};
    end = std::max(end, offset + sizeof length + length);
  }
  // Nothing but the closing tags follows the last block, and a line break precedes them.
  EXPECT_EQ(text.substr(data + end), "\n</AppendedData>\n</VTKFile>\n");
  return arrays;
}

Grid example() {
  Grid grid;
  grid.name = "rod_modes";
  grid.points.resize(3, 4);
  grid.points << 0, 0.1, 0.2, 0.3,  //
      0, 0, 0, 1,                   //
      0, 0, 0, 2;
  grid.cells = {{0, 1, 2}, {2, 3}, {3}};
  grid.fields = {{"displacement", "m", MatrixX::Random(3, 4)}, {"N<1> & \"2\"", "", MatrixX::Random(1, 4)}};
  grid.fields[0].values << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;
  grid.fields[1].values << -1, 0.5, 1.0 / 3, 0;
  return grid;
}

TEST(WriteVtu, ReadBack) {
  const Grid grid = example();
  const std::string text = to_vtu(grid);
  EXPECT_NE(text.find("<Piece NumberOfPoints=\"4\" NumberOfCells=\"3\">"), std::string::npos);
  const auto arrays = read_back(text);
  ASSERT_EQ(arrays.size(), 6u);
  EXPECT_EQ(arrays.at("points").components, 3);
  EXPECT_EQ(arrays.at("points").as<double>(), (std::vector<double>{0, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 0.3, 1, 2}));
  EXPECT_EQ(arrays.at("connectivity").as<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 2, 3, 3}));
  EXPECT_EQ(arrays.at("offsets").as<std::int64_t>(), (std::vector<std::int64_t>{3, 5, 6}));
  EXPECT_EQ(arrays.at("types").type, "UInt8");
  EXPECT_EQ(arrays.at("types").as<std::uint8_t>(), (std::vector<std::uint8_t>{4, 3, 1}));
  const Array& displacement = arrays.at("displacement [m]");
  EXPECT_EQ(displacement.components, 3);
  EXPECT_EQ(displacement.as<double>(), (std::vector<double>{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
  const Array& scalar = arrays.at("N&lt;1&gt; &amp; &quot;2&quot;");
  EXPECT_EQ(scalar.components, 1);
  EXPECT_EQ(scalar.as<double>(), (std::vector<double>{-1, 0.5, 1.0 / 3, 0}));
}

// The example with a triangle, a quadrilateral and a pentagon over a fifth point.
Grid with_faces() {
  Grid grid = example();
  grid.points.conservativeResize(3, 5);
  grid.points.col(4) = Vec3(-1, 0, 1);
  grid.faces = {{0, 1, 3}, {0, 2, 3, 4}, {4, 3, 2, 1, 0}};
  for (PointField& field : grid.fields) {
    field.values.conservativeResize(Eigen::NoChange, 5);
    field.values.col(4).setConstant(7);
  }
  return grid;
}

TEST(WriteVtu, FacesFollowTheLines) {
  const std::string text = to_vtu(with_faces());
  EXPECT_NE(text.find("<Piece NumberOfPoints=\"5\" NumberOfCells=\"6\">"), std::string::npos);
  const auto arrays = read_back(text);
  EXPECT_EQ(arrays.at("connectivity").as<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 2, 2, 3, 3, 0, 1, 3, 0, 2, 3, 4, 4, 3, 2, 1, 0}));
  EXPECT_EQ(arrays.at("offsets").as<std::int64_t>(), (std::vector<std::int64_t>{3, 5, 6, 9, 13, 18}));
  EXPECT_EQ(arrays.at("types").as<std::uint8_t>(), (std::vector<std::uint8_t>{4, 3, 1, 5, 9, 7}));
  Grid only_faces = with_faces();
  only_faces.cells.clear();
  EXPECT_EQ(read_back(to_vtu(only_faces)).at("types").as<std::uint8_t>(), (std::vector<std::uint8_t>{5, 9, 7}));
}

TEST(WriteVtu, EmptyGrid) {
  const auto arrays = read_back(to_vtu(Grid{}));
  EXPECT_EQ(arrays.at("points").bytes, "");
  EXPECT_EQ(arrays.at("types").bytes, "");
}

TEST(WriteVtu, FieldsThatDoNotFitAreOurBug) {
  Grid grid = example();
  grid.fields[0].values.resize(3, 5);
  EXPECT_THROW(to_vtu(grid), std::logic_error);
  grid = example();
  grid.cells = {{0, 4}};
  EXPECT_THROW(to_vtu(grid), std::logic_error);
  grid = example();
  grid.faces = {{0, 1, 4}};
  EXPECT_THROW(to_vtu(grid), std::logic_error);
  grid.faces = {{0, 1}};
  EXPECT_THROW(to_vtu(grid), std::logic_error);
}

TEST(WriteVtu, ACollectionNamesTheParts) {
  const TempDir temp;
  Results results;
  EXPECT_TRUE(make_vtu_writer()->write({results, temp.path()}).empty());
  results.grids = {example(), example()};
  results.grids[1].name = "rod_static";
  EXPECT_EQ(make_vtu_writer()->write({results, temp.path()}),
            (std::vector<std::string>{"rod_modes.vtu", "rod_static.vtu", "results.pvd"}));
  EXPECT_EQ(test::read_text(temp / "results.pvd"),
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
            "<Collection>\n"
            "<DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"rod_modes.vtu\"/>\n"
            "<DataSet timestep=\"0\" group=\"\" part=\"1\" file=\"rod_static.vtu\"/>\n"
            "</Collection>\n</VTKFile>\n");
}

TEST(WriteVtu, VtkReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import vtk' 2>/dev/null") != 0) GTEST_SKIP() << "python3-vtk9 is not installed";
  const TempDir temp;
  Results results;
  results.grids = {example(), with_faces()};
  results.grids[1].name = "rod_faces";
  make_vtu_writer()->write({results, temp.path()});
  const std::string script =
      "import vtk, sys\n"
      "r = vtk.vtkXMLUnstructuredGridReader(); r.SetFileName(sys.argv[1]); r.Update(); g = r.GetOutput()\n"
      "a = g.GetPointData().GetArray('displacement [m]')\n"
      "ok = g.GetNumberOfPoints() == 4 and [g.GetCellType(i) for i in range(3)] == [4, 3, 1]\n"
      "ok = ok and g.GetPoint(3) == (0.3, 1, 2) and a.GetTuple(3) == (4, 8, 12)\n"
      "ok = ok and g.GetPointData().GetArray('N<1> & \"2\"').GetTuple(2) == (1 / 3,)\n"
      "r.SetFileName(sys.argv[2]); r.Update(); g = r.GetOutput()\n"
      "ok = ok and [g.GetCellType(i) for i in range(g.GetNumberOfCells())] == [4, 3, 1, 5, 9, 7]\n"
      "ok = ok and [g.GetCell(5).GetPointId(k) for k in range(5)] == [4, 3, 2, 1, 0]\n"
      "sys.exit(not ok)\n";
  test::write_text(temp / "read.py", script);
  const std::string command = "/usr/bin/python3 " + (temp / "read.py").string() + " " +
                              (temp / "rod_modes.vtu").string() + " " + (temp / "rod_faces.vtu").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace elodyn
