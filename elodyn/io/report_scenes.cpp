#include "elodyn/io/report_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "elodyn/base/error.hpp"
#include "elodyn/io/report_numbers.hpp"

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;
using Index = Eigen::Index;
using Floats = std::vector<float>;
using Indices = std::vector<std::uint32_t>;

constexpr size_t kMostNumbers = 8'000'000;  // of the shapes of a scene: 40 MB of text

// From column `first` on, for all columns in turn.
void append(const MatrixX& values, Floats& out) {
  for (Index i = 0; i < values.size(); ++i) out.push_back(static_cast<float>(values.data()[i]));
}

Json numbers(const MatrixX& values) {
  Floats out;
  append(values, out);
  return picture_numbers(out);
}

std::string title_of(const std::string& field) {
  static const std::map<std::string, std::string> known = {
      {"von_mises", "von Mises stress"},
      {"section_von_mises", "largest von Mises stress of the section"},
      {"normal_stress", "normal stress"},
      {"principal_1", "larger principal stress"},
      {"principal_2", "smaller principal stress"},
      {"phi", "change of the volume fraction"},
      {"liaison_force", "force"},
      {"liaison_moment", "moment"}};
  if (const auto it = known.find(field); it != known.end()) return it->second;
  std::string text = field;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// ---- lines, triangles and outlines ----

struct Edge {
  std::uint32_t a = 0, b = 0;  // a < b
  std::uint32_t face = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

Vec3 normal_of(const Matrix3X& points, const std::vector<int>& face) {
  Vec3 sum = Vec3::Zero();  // Newell's: of a face that is not quite plane too
  for (size_t k = 0; k < face.size(); ++k) {
    const Vec3 a = points.col(face[k]), b = points.col(face[(k + 1) % face.size()]);
    sum += a.cross(b);
  }
  return sum.norm() > 0 ? Vec3(sum.normalized()) : sum;
}

// Every edge of elements; of other faces those where the surface bends by more than 30° or ends. Pairs of points.
Indices find_edges(const Grid& grid) {
  constexpr double kSmooth = 0.866;
  std::vector<Edge> edges;
  std::vector<Vec3> normals;
  for (size_t f = 0; f < grid.faces.size(); ++f) {
    const std::vector<int>& face = grid.faces[f];
    normals.push_back(normal_of(grid.points, face));
    for (size_t k = 0; k < face.size(); ++k) {
      const auto [a, b] = std::minmax(face[k], face[(k + 1) % face.size()]);
      edges.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(f)});
    }
  }
  std::sort(edges.begin(), edges.end());
  Indices out;
  for (size_t first = 0, end = 0; first < edges.size(); first = end) {
    const Edge& edge = edges[first];
    while (end < edges.size() && edges[end].a == edge.a && edges[end].b == edge.b) ++end;
    bool is_shown = end - first == 1 || edge.face < static_cast<std::uint32_t>(grid.n_element_faces);
    for (size_t k = first; k < end; ++k)
      is_shown = is_shown || normals[edge.face].dot(normals[edges[k].face]) < kSmooth;
    if (is_shown) out.insert(out.end(), {edge.a, edge.b});
  }
  return out;
}

Json make_part(const Grid& grid, const std::string& name) {
  Indices segments, triangles;
  for (const std::vector<int>& cell : grid.cells)
    for (size_t k = 0; k + 1 < cell.size(); ++k) {
      segments.push_back(static_cast<std::uint32_t>(cell[k]));
      segments.push_back(static_cast<std::uint32_t>(cell[k + 1]));
    }
  for (const std::vector<int>& face : grid.faces)
    for (size_t k = 1; k + 1 < face.size(); ++k)
      for (const int point : {face[0], face[k], face[k + 1]}) triangles.push_back(static_cast<std::uint32_t>(point));
  return {{"name", name},
          {"points", numbers(grid.points)},
          {"segments", index_numbers(segments)},
          {"triangles", index_numbers(triangles)},
          {"edges", index_numbers(find_edges(grid))}};
}

Json empty_scene(const std::string& name, const std::string& title) {
  return {
      {"name", name}, {"title", title}, {"parts", Json::array()}, {"fields", Json::array()}, {"shapes", Json::array()}};
}

// ---- shapes ----

const PointField* find_field(const Grid& grid, const std::string& name) {
  for (const PointField& field : grid.fields)
    if (field.name == name) return &field;
  return nullptr;
}

class ShapeScene {
 public:
  ShapeScene(const std::string& kind, std::vector<std::string>& notes) : notes_(notes) {
    static const std::map<std::string, std::string> titles = {
        {"mode", "Modes"}, {"campbell", "Modes over the speed"}, {"static", "Steady state"}, {"buckling", "Buckling"}};
    const auto it = titles.find(kind);
    scene_ = empty_scene(kind, it == titles.end() ? kind : it->second);
  }

  void add(const Grid& grid) {
    const size_t part = scene_["parts"].size();
    scene_["parts"].push_back(make_part(grid, grid.body.empty() ? grid.name : grid.body));
    for (const GridShape& shape : grid.shapes) {
      const PointField *re = find_field(grid, shape.field + "_re"), *im = find_field(grid, shape.field + "_im");
      if (re == nullptr) re = find_field(grid, shape.field);
      if (re == nullptr || re->values.rows() != 3) continue;
      const size_t size = static_cast<size_t>(re->values.size() + (im ? im->values.size() : 0));
      if (n_numbers_ + size > kMostNumbers && n_numbers_ > 0) {
        ++n_left_out_;
        continue;
      }
      n_numbers_ += size;
      const size_t displacement = add_field(part, shape.field, "displacement", *re, im);
      Json colours = Json::array();
      for (const PointField& field : grid.fields)
        if (field.values.rows() == 1 && belongs_to(field, shape, grid)) {
          if (const size_t colour = add_colour(part, field, grid); colour != kNone) colours.push_back(colour);
        }
      add_shape(shape, displacement, colours);
    }
  }

  // Nothing if there is no shape to see.
  void finish(Json& scenes) {
    if (n_left_out_ > 0)
      notes_.push_back(
          fmt::format("the page leaves out {} shapes of `{}` that would make it too large; all are in the "
                      ".vtu files and in results.h5",
                      n_left_out_, scene_["title"].get<std::string>()));
    if (!scene_["parts"].empty()) scenes.push_back(std::move(scene_));
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // mode_1_phi_re is of mode_1; von_mises is of all shapes.
  static bool belongs_to(const PointField& field, const GridShape& shape, const Grid& grid) {
    if (field.name.ends_with("_im") || field.name.starts_with("axis_")) return false;
    if (field.name.starts_with(shape.field + "_")) return true;
    return std::none_of(grid.shapes.begin(), grid.shapes.end(),
                        [&](const GridShape& other) { return field.name.starts_with(other.field + "_"); });
  }

  size_t add_field(size_t part, const std::string& name, const std::string& title, const PointField& re,
                   const PointField* im) {
    Json field = {{"name", name}, {"title", title},           {"unit", re.unit},
                  {"part", part}, {"size", re.values.rows()}, {"re", numbers(re.values)}};
    if (im != nullptr && im->values.rows() == re.values.rows()) field["im"] = numbers(im->values);
    scene_["fields"].push_back(std::move(field));
    return scene_["fields"].size() - 1;
  }

  // Those of all shapes of a grid are added once.
  size_t add_colour(size_t part, const PointField& field, const Grid& grid) {
    if (!field.values.allFinite()) return kNone;
    const auto [it, is_new] = colours_.try_emplace({part, field.name}, 0);
    if (!is_new) return it->second;
    const bool is_complex = field.name.ends_with("_re");
    const std::string name = is_complex ? field.name.substr(0, field.name.size() - 3) : field.name;
    const bool is_phi = name == "phi" || name.ends_with("_phi");
    n_numbers_ += static_cast<size_t>(field.values.size());
    it->second = add_field(part, name, title_of(is_phi ? "phi" : name), field,
                           is_complex ? find_field(grid, name + "_im") : nullptr);
    return it->second;
  }

  // Steady states of all bodies are seen together.
  void add_shape(const GridShape& shape, size_t displacement, const Json& colours) {
    Json& shapes = scene_["shapes"];
    if (shape.kind == "static" && !shapes.empty()) {
      shapes[0]["title"] = "steady state";
      shapes[0]["displacements"].push_back(displacement);
      for (const Json& colour : colours) shapes[0]["colours"].push_back(colour);
      return;
    }
    Json out = {{"title", shape.title},
                {"kind", shape.kind == "campbell" ? "mode" : shape.kind},
                {"displacements", Json::array({displacement})},
                {"colours", colours}};
    if (shape.mode > 0) out["mode"] = shape.mode;
    if (std::isfinite(shape.omega)) out["omega"] = shape.omega;
    if (std::isfinite(shape.growth)) out["growth"] = shape.growth;
    if (shape.branch >= 0) out["campbell"] = {{"branch", shape.branch}, {"speed", shape.speed}};
    shapes.push_back(std::move(out));
  }

  std::vector<std::string>& notes_;
  Json scene_;
  std::map<std::pair<size_t, std::string>, size_t> colours_;
  size_t n_numbers_ = 0, n_left_out_ = 0;
};

// ---- animations ----

// Bodies of a frame, by its field `body`; all in one without it. A cell of one point is where a joint is: an arrow.
class FramesScene {
 public:
  FramesScene(const std::string& name, std::vector<const Grid*> frames) : name_(name), frames_(std::move(frames)) {}

  Json make() {
    const Grid& first = *frames_.front();
    std::erase_if(frames_, [&](const Grid* g) { return g->points.cols() != first.points.cols(); });
    split(first);
    Json scene = empty_scene(name_, name_ == "mechanism" ? "Motion of the mechanism" : name_);
    for (const Body& body : bodies_) scene["parts"].push_back(make_part(grid_of(body, first), body.name));
    Json frames;
    Floats times;
    for (const Grid* frame : frames_) times.push_back(static_cast<float>(frame->time));
    frames["times"] = picture_numbers(times);
    frames["points"] = Json::array();
    for (const Body& body : bodies_)
      frames["points"].push_back(picture_numbers(follow(body.points, [](const Grid& g) { return MatrixX(g.points); })));
    frames["colours"] = list_colours(first);
    frames["arrows"] = list_arrows(first);
    frames["trails"] = list_trails(first);
    scene["frames"] = std::move(frames);
    return scene;
  }

 private:
  struct Body {
    std::string name;
    std::vector<int> points;
    std::vector<std::vector<int>> cells, faces;
  };

  void split(const Grid& first) {
    const PointField* owner = find_field(first, "body");
    std::map<double, size_t> part_of;
    std::map<int, int> number_of;  // of a point in its part
    const auto add = [&](const std::vector<int>& cell, std::vector<std::vector<int>> Body::*list) {
      const double key = owner ? owner->values(0, cell.front()) : 0;
      const auto [it, is_new] = part_of.try_emplace(key, bodies_.size());
      if (is_new) bodies_.push_back({name_of(first, cell, bodies_.size()), {}, {}, {}});
      Body& body = bodies_[it->second];
      std::vector<int>& own = (body.*list).emplace_back();
      for (const int point : cell) {
        const auto [number, is_first] = number_of.try_emplace(point, static_cast<int>(body.points.size()));
        if (is_first) body.points.push_back(point);
        own.push_back(number->second);
      }
    };
    for (const std::vector<int>& cell : first.cells)
      if (cell.size() < 2)
        places_.push_back(cell.front());
      else
        add(cell, &Body::cells);
    for (const std::vector<int>& face : first.faces) add(face, &Body::faces);
  }
  // "rod.M" is a point of rod.
  static std::string name_of(const Grid& grid, const std::vector<int>& cell, size_t number) {
    for (const int point : cell)
      if (!grid.point_names.empty())
        if (const std::string& name = grid.point_names[static_cast<size_t>(point)]; !name.empty())
          return name.substr(0, name.rfind('.'));
    return fmt::format("body {}", number + 1);
  }

  static Grid grid_of(const Body& body, const Grid& frame) {
    Grid grid;
    grid.points = frame.points(Eigen::all, body.points);
    grid.cells = body.cells;
    grid.faces = body.faces;
    return grid;
  }

  // The columns of these points, frame by frame.
  template <class Values>
  Floats follow(const std::vector<int>& points, const Values& values) const {
    Floats out;
    for (const Grid* frame : frames_) append(values(*frame)(Eigen::all, points), out);
    return out;
  }

  const PointField& field_of(const Grid& frame, size_t f) const {
    ELODYN_REQUIRE(f < frame.fields.size());
    return frame.fields[f];
  }

  static constexpr float kRoundOff = 1e-6F;
  static float largest_of(const Floats& values) {
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::abs(value));
    return largest;
  }

  static bool is_of_joints(const PointField& field) { return field.name.starts_with("liaison_"); }

  Json list_colours(const Grid& first) const {
    Json out = Json::array();
    for (size_t f = 0; f < first.fields.size(); ++f) {
      const PointField& field = first.fields[f];
      if (field.name == "body" || is_of_joints(field)) continue;
      Json values = Json::array();
      for (const Body& body : bodies_)
        values.push_back(picture_numbers(follow(body.points, [&](const Grid& g) { return field_of(g, f).values; })));
      out.push_back({{"name", field.name},
                     {"title", title_of(field.name)},
                     {"unit", field.unit},
                     {"size", field.values.rows()},
                     {"values", values}});
    }
    return out;
  }

  Json list_arrows(const Grid& first) const {
    Json out = Json::array();
    for (const int place : places_)
      for (size_t f = 0; f < first.fields.size(); ++f) {
        const PointField& field = first.fields[f];
        if (!is_of_joints(field)) continue;
        const Floats values = follow({place}, [&](const Grid& g) { return field_of(g, f).values; });
        if (largest_of(values) <=
            kRoundOff * largest_of(follow(places_, [&](const Grid& g) { return field_of(g, f).values; })))
          continue;
        const std::string name = first.point_names.empty() ? "" : first.point_names[static_cast<size_t>(place)];
        out.push_back({{"name", name},
                       {"title", title_of(field.name) + " in " + name},
                       {"unit", field.unit},
                       {"at", picture_numbers(follow({place}, [](const Grid& g) { return MatrixX(g.points); }))},
                       {"value", picture_numbers(values)}});
      }
    return out;
  }

  Json list_trails(const Grid& first) const {
    Json out = Json::array();
    for (const Body& body : bodies_)
      for (const int point : body.points) {
        if (first.point_names.empty() || first.point_names[static_cast<size_t>(point)].empty()) continue;
        out.push_back({{"name", first.point_names[static_cast<size_t>(point)]},
                       {"points", picture_numbers(follow({point}, [](const Grid& g) { return MatrixX(g.points); }))}});
      }
    return out;
  }

  std::string name_;
  std::vector<const Grid*> frames_;
  std::vector<Body> bodies_;
  std::vector<int> places_;
};

}  // namespace

Json list_scenes(const std::vector<Grid>& grids, std::vector<std::string>& notes) {
  Json scenes = Json::array();
  std::vector<std::string> kinds, animations;  // in the order of their first grids
  const auto kind_of = [](const Grid& grid) { return grid.shapes.empty() ? grid.name : grid.shapes.front().kind; };
  const auto add = [](std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const Grid& grid : grids) grid.animation.empty() ? add(kinds, kind_of(grid)) : add(animations, grid.animation);
  for (const std::string& name : animations) {
    std::vector<const Grid*> frames;
    for (const Grid& grid : grids)
      if (grid.animation == name) frames.push_back(&grid);
    scenes.push_back(FramesScene(name, std::move(frames)).make());
  }
  for (const std::string& kind : kinds) {
    ShapeScene scene(kind, notes);
    for (const Grid& grid : grids)
      if (grid.animation.empty() && kind_of(grid) == kind) scene.add(grid);
    scene.finish(scenes);
  }
  return scenes;
}

}  // namespace elodyn
