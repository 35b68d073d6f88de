#include "elodyn/io/write_mesh.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

void add_number(std::string& out, std::int64_t number) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}
void add_number(std::string& out, double number) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

template <class... Numbers>
void add_row(std::string& out, const char* separator, const Numbers&... numbers) {
  bool is_first = true;
  const auto add = [&](const auto& number) {
    if (!is_first) out += separator;
    is_first = false;
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(number)>>)
      add_number(out, number);
    else
      add_number(out, static_cast<std::int64_t>(number));
  };
  (add(numbers), ...);
}

int msh_type(const SurfaceMesh::Element& element) {
  if (element.n_corners == 3) return element.has_middles ? 9 : 2;
  return element.has_middles ? 16 : 3;
}

// The first area of each element; −1: none.
std::vector<int> find_areas(const SurfaceMesh& mesh) {
  std::vector<int> area_of(mesh.elements.size(), -1);
  for (size_t a = 0; a < mesh.areas.size(); ++a)
    for (const int e : mesh.areas[a].elements)
      if (area_of[static_cast<size_t>(e)] < 0) area_of[static_cast<size_t>(e)] = static_cast<int>(a);
  return area_of;
}

class MshWriter {
 public:
  explicit MshWriter(const SurfaceMesh& mesh) : mesh_(mesh), area_of_(find_areas(mesh)) {}

  std::string write() {
    out_ = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    for (const SurfaceMesh::Side& side : mesh_.sides) (side.pieces.empty() ? node_sides_ : sides_).push_back(&side);
    write_names();
    write_entities();
    write_nodes();
    write_elements();
    return std::move(out_);
  }

 private:
  size_t n_points() const { return mesh_.points.size() + node_sides_.size(); }
  bool has_rest() const { return std::find(area_of_.begin(), area_of_.end(), -1) != area_of_.end(); }
  size_t n_surfaces() const { return mesh_.areas.size() + (has_rest() ? 1 : 0); }

  // Tags count from 1 in each dimension; that of a group is that of its entity.
  void write_names() {
    out_ += "$PhysicalNames\n";
    add_number(out_, static_cast<std::int64_t>(n_points() + sides_.size() + mesh_.areas.size()));
    out_ += "\n";
    const auto add = [&](int dimension, size_t tag, const std::string& name) {
      add_row(out_, " ", dimension, tag);
      out_ += " \"" + name + "\"\n";
    };
    size_t tag = 0;
    for (const SurfaceMesh::Point& point : mesh_.points) add(0, ++tag, point.name);
    for (const SurfaceMesh::Side* side : node_sides_) add(0, ++tag, side->name);
    for (size_t k = 0; k < sides_.size(); ++k) add(1, k + 1, sides_[k]->name);
    for (size_t k = 0; k < mesh_.areas.size(); ++k) add(2, k + 1, mesh_.areas[k].name);
    out_ += "$EndPhysicalNames\n";
  }

  void write_entities() {
    Eigen::AlignedBox3d box;
    for (const SurfaceMesh::Node& node : mesh_.nodes) box.extend(node.x);
    const Vec3 low = mesh_.nodes.empty() ? Vec3::Zero() : Vec3(box.min());
    const Vec3 high = mesh_.nodes.empty() ? Vec3::Zero() : Vec3(box.max());
    out_ += "$Entities\n";
    add_row(out_, " ", n_points(), sides_.size(), n_surfaces(), 0);
    out_ += "\n";
    for (size_t k = 0; k < n_points(); ++k) {
      const int node = k < mesh_.points.size() ? mesh_.points[k].node : node_sides_[k - mesh_.points.size()]->nodes[0];
      const Vec3& x = mesh_.nodes[static_cast<size_t>(node)].x;
      add_row(out_, " ", k + 1, x.x(), x.y(), x.z(), 1, k + 1);
      out_ += "\n";
    }
    const auto add = [&](size_t tag, bool has_group) {
      add_row(out_, " ", tag, low.x(), low.y(), low.z(), high.x(), high.y(), high.z());
      out_ += " ";
      if (has_group)
        add_row(out_, " ", 1, tag, 0);
      else
        add_row(out_, " ", 0, 0);
      out_ += "\n";
    };
    for (size_t k = 0; k < sides_.size(); ++k) add(k + 1, true);
    for (size_t k = 0; k < n_surfaces(); ++k) add(k + 1, k < mesh_.areas.size());
    out_ += "$EndEntities\n";
  }

  void write_nodes() {
    out_ += "$Nodes\n";
    add_row(out_, " ", 1, mesh_.nodes.size(), 1, mesh_.nodes.size());
    out_ += "\n2 1 0 ";
    add_number(out_, static_cast<std::int64_t>(mesh_.nodes.size()));
    out_ += "\n";
    for (size_t i = 0; i < mesh_.nodes.size(); ++i) {
      add_number(out_, static_cast<std::int64_t>(i + 1));
      out_ += "\n";
    }
    for (const SurfaceMesh::Node& node : mesh_.nodes) {
      add_row(out_, " ", node.x.x(), node.x.y(), node.x.z());
      out_ += "\n";
    }
    out_ += "$EndNodes\n";
  }

  // A block is a run of one type on one entity, so that the elements keep their order.
  void write_elements() {
    std::string body;
    size_t n_blocks = 0, number = 0;
    const auto begin = [&](int dimension, size_t tag, int type, size_t count) {
      ++n_blocks;
      add_row(body, " ", dimension, tag, type, count);
      body += "\n";
    };
    const auto add = [&](auto first, auto last) {
      add_number(body, static_cast<std::int64_t>(++number));
      for (; first != last; ++first) {
        body += " ";
        add_number(body, static_cast<std::int64_t>(*first + 1));
      }
      body += "\n";
    };
    const auto& elements = mesh_.elements;
    const auto is_one_block = [&](size_t i, size_t j) {
      return area_of_[i] == area_of_[j] && msh_type(elements[i]) == msh_type(elements[j]);
    };
    for (size_t i = 0; i < elements.size();) {
      size_t end = i + 1;
      while (end < elements.size() && is_one_block(i, end)) ++end;
      begin(2, area_of_[i] < 0 ? n_surfaces() : static_cast<size_t>(area_of_[i]) + 1, msh_type(elements[i]), end - i);
      for (; i < end; ++i)
        add(elements[i].nodes.begin(), elements[i].nodes.begin() + static_cast<std::ptrdiff_t>(elements[i].n_nodes()));
    }
    for (size_t k = 0; k < sides_.size(); ++k) {
      const auto& pieces = sides_[k]->pieces;
      for (size_t i = 0; i < pieces.size();) {
        const bool has_middle = pieces[i][2] >= 0;
        size_t end = i + 1;
        while (end < pieces.size() && (pieces[end][2] >= 0) == has_middle) ++end;
        begin(1, k + 1, has_middle ? 8 : 1, end - i);
        for (; i < end; ++i) add(pieces[i].begin(), pieces[i].begin() + (has_middle ? 3 : 2));
      }
    }
    for (size_t k = 0; k < n_points(); ++k) {
      const std::vector<int> nodes = k < mesh_.points.size() ? std::vector<int>{mesh_.points[k].node}
                                                             : node_sides_[k - mesh_.points.size()]->nodes;
      begin(0, k + 1, 15, nodes.size());
      for (const int node : nodes) add(&node, &node + 1);
    }
    out_ += "$Elements\n";
    add_row(out_, " ", n_blocks, number, 1, number);
    out_ += "\n" + body + "$EndElements\n";
  }

  const SurfaceMesh& mesh_;
  std::vector<int> area_of_;
  std::vector<const SurfaceMesh::Side*> sides_, node_sides_;  // with edges, without
  std::string out_;
};

class InpWriter {
 public:
  explicit InpWriter(const SurfaceMesh& mesh) : mesh_(mesh), area_of_(find_areas(mesh)) {}

  std::string write() {
    out_ = "*HEADING\nlengths in m, forces in N\n*NODE\n";
    for (size_t i = 0; i < mesh_.nodes.size(); ++i) {
      const Vec3& x = mesh_.nodes[i].x;
      add_row(out_, ", ", i + 1, x.x(), x.y(), x.z());
      out_ += "\n";
    }
    write_elements();
    write_sets();
    write_materials();
    return std::move(out_);
  }

 private:
  const char* family() const { return mesh_.has_plane_strain ? "CPE" : mesh_.has_plane_stress ? "CPS" : "S"; }
  bool is_plane() const { return mesh_.has_plane_strain || mesh_.has_plane_stress; }

  std::string type_of(const SurfaceMesh::Element& element) const {
    const bool is_reduced = !is_plane() && element.n_nodes() == 8;  // the only shell of 8 nodes there
    return family() + std::to_string(element.n_nodes()) + (is_reduced ? "R" : "");
  }

  void write_elements() {
    const auto& elements = mesh_.elements;
    for (size_t i = 0; i < elements.size(); ++i) {
      const bool goes_on =
          i > 0 && area_of_[i] == area_of_[i - 1] && elements[i].n_nodes() == elements[i - 1].n_nodes();
      if (!goes_on) {
        out_ += "*ELEMENT, TYPE=" + type_of(elements[i]);
        if (area_of_[i] >= 0) out_ += ", ELSET=" + mesh_.areas[static_cast<size_t>(area_of_[i])].name;
        out_ += "\n";
      }
      add_number(out_, static_cast<std::int64_t>(i + 1));
      for (size_t k = 0; k < elements[i].n_nodes(); ++k) {
        out_ += ", ";
        add_number(out_, static_cast<std::int64_t>(elements[i].nodes[k] + 1));
      }
      out_ += "\n";
    }
  }

  void write_nset(const std::string& name, const std::vector<int>& nodes) {
    out_ += "*NSET, NSET=" + name + "\n";
    constexpr size_t kMostInLine = 16;
    for (size_t i = 0; i < nodes.size(); ++i) {
      add_number(out_, static_cast<std::int64_t>(nodes[i] + 1));
      out_ += i + 1 == nodes.size() || (i + 1) % kMostInLine == 0 ? "\n" : ", ";
    }
  }

  // The element and its edge, counted from 1, of each pair of corners.
  using Edges = std::map<std::pair<int, int>, std::pair<size_t, int>>;
  Edges find_edges() const {
    Edges edges;
    std::vector<bool> is_needed(mesh_.nodes.size(), false);
    for (const SurfaceMesh::Side& side : mesh_.sides)
      for (const int node : side.nodes) is_needed[static_cast<size_t>(node)] = true;
    for (size_t e = 0; e < mesh_.elements.size(); ++e) {
      const SurfaceMesh::Element& element = mesh_.elements[e];
      for (int k = 0; k < element.n_corners; ++k) {
        const int a = element.nodes[static_cast<size_t>(k)],
                  b = element.nodes[static_cast<size_t>((k + 1) % element.n_corners)];
        if (is_needed[static_cast<size_t>(a)] && is_needed[static_cast<size_t>(b)])
          edges.emplace(std::pair{a, b}, std::pair{e, k + 1});
      }
    }
    return edges;
  }

  static bool has_other_nodes(const SurfaceMesh::Side& side) {
    std::vector<int> nodes;
    for (const SurfaceMesh::Piece& piece : side.pieces)
      for (const int node : piece)
        if (node >= 0) nodes.push_back(node);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes != side.nodes;
  }

  void write_sets() {
    const Edges edges = find_edges();
    for (const SurfaceMesh::Side& side : mesh_.sides) {
      if (has_other_nodes(side)) {
        write_nset(side.name, side.nodes);
        continue;
      }
      out_ += "*SURFACE, NAME=" + side.name + ", TYPE=ELEMENT\n";
      for (const SurfaceMesh::Piece& piece : side.pieces) {
        auto edge = edges.find({piece[0], piece[1]});
        if (edge == edges.end()) edge = edges.find({piece[1], piece[0]});
        ELODYN_REQUIRE(edge != edges.end());
        add_number(out_, static_cast<std::int64_t>(edge->second.first + 1));
        out_ += ", S";  // CalculiX: S1 and S2 of a shell are its faces
        add_number(out_, static_cast<std::int64_t>(edge->second.second + (is_plane() ? 0 : 2)));
        out_ += "\n";
      }
    }
    for (const SurfaceMesh::Point& point : mesh_.points) write_nset(point.name, {point.node});
  }

  void write_materials() {
    for (const Material& m : mesh_.materials) {
      out_ += "*MATERIAL, NAME=" + m.name + "\n";
      if (!m.is_orthotropic()) {
        out_ += "*ELASTIC\n";
        add_row(out_, ", ", m.young, m.poisson);
      } else if (m.young_3 && m.poisson_13 && m.poisson_23) {
        out_ += "*ELASTIC, TYPE=ENGINEERING CONSTANTS\n";
        add_row(out_, ", ", m.young, *m.young_2, *m.young_3, m.poisson, *m.poisson_13, *m.poisson_23,
                m.shear_12.value_or(0), m.shear_13.value_or(m.shear_12.value_or(0)));
        out_ += "\n";
        add_row(out_, ", ", m.shear_23.value_or(m.shear_12.value_or(0)));
      } else {
        out_ += "*ELASTIC, TYPE=LAMINA\n";
        add_row(out_, ", ", m.young, *m.young_2, m.poisson, m.shear_12.value_or(0),
                m.shear_13.value_or(m.shear_12.value_or(0)), m.shear_23.value_or(m.shear_12.value_or(0)));
      }
      out_ += "\n*DENSITY\n";
      add_number(out_, m.density);
      out_ += "\n";
      if (m.expansion != 0) {
        out_ += "*EXPANSION\n";
        add_number(out_, m.expansion);
        out_ += "\n";
      }
    }
    for (size_t a = 0; a < mesh_.areas.size(); ++a) {
      const SurfaceMesh::Area& area = mesh_.areas[a];
      const bool is_there = std::find(area_of_.begin(), area_of_.end(), static_cast<int>(a)) != area_of_.end();
      if (!is_there || area.material.empty() || !(area.thickness > 0)) continue;
      out_ += std::string(is_plane() ? "*SOLID" : "*SHELL") + " SECTION, ELSET=" + area.name +
              ", MATERIAL=" + area.material + "\n";
      add_number(out_, area.thickness);
      out_ += "\n";
    }
  }

  const SurfaceMesh& mesh_;
  std::vector<int> area_of_;
  std::string out_;
};

}  // namespace

std::string to_msh(const SurfaceMesh& mesh) { return MshWriter(mesh).write(); }
std::string to_inp(const SurfaceMesh& mesh) { return InpWriter(mesh).write(); }

}  // namespace elodyn
