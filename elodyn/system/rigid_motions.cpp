#include "elodyn/system/rigid_motions.hpp"

#include <algorithm>
#include <numeric>

#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

constexpr size_t kMostParts = 300;

class PartFinder {
 public:
  explicit PartFinder(const BodySystem& s)
      : s_(s), n_elements_(s.mesh.elements.size()), root_(n_elements_ + s.mesh.nodes.size()) {
    std::iota(root_.begin(), root_.end(), 0);
    join();
    number();
    if (n_parts_ > kMostParts) {
      std::fill(root_.begin(), root_.end(), 0);
      number();
    }
  }
  size_t n_parts() const { return n_parts_; }
  size_t of_element(int e) const { return part_[static_cast<size_t>(e)]; }
  size_t of_node(int n) const { return part_[n_elements_ + static_cast<size_t>(n)]; }

  // Whether the element turns at one of its ends apart from the node.
  bool is_released(const ElementSpec& spec, size_t end) const {
    return std::any_of(spec.dofs.begin(), spec.dofs.end(), [&](int i) {
      const Dof& dof = s_.mesh.dofs[static_cast<size_t>(i)];
      return dof.node == spec.nodes[end] && dof.element >= 0 && dof.kind <= DofKind::rz;
    });
  }

 private:
  void join() {
    for (size_t e = 0; e < n_elements_; ++e) {
      const ElementSpec& spec = s_.mesh.elements[e];
      if (!spec.is_material()) continue;
      for (size_t end = 0; end < spec.nodes.size(); ++end)
        if (!is_released(spec, end)) merge(e, n_elements_ + static_cast<size_t>(spec.nodes[end]));
    }
    for (const NodeLink& link : s_.mesh.links)
      merge(n_elements_ + static_cast<size_t>(link.root), n_elements_ + static_cast<size_t>(link.node));
    // An element at points moves with its first one.
    for (size_t e = 0; e < n_elements_; ++e)
      if (!s_.mesh.elements[e].is_material()) merge(e, n_elements_ + static_cast<size_t>(s_.mesh.elements[e].nodes[0]));
  }
  size_t find(size_t i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }
  void merge(size_t a, size_t b) { root_[find(a)] = find(b); }
  void number() {
    std::vector<size_t> number_of(root_.size(), root_.size());
    part_.resize(root_.size());
    n_parts_ = 0;
    for (size_t i = 0; i < root_.size(); ++i) {
      size_t& number = number_of[find(i)];
      if (number == root_.size()) number = n_parts_++;
      part_[i] = number;
    }
  }

  const BodySystem& s_;
  size_t n_elements_;
  std::vector<size_t> root_, part_;
  size_t n_parts_ = 0;
};

// The conditions (1) on the twists of all parts; twist about `centre`, rotations times `size`.
class Conditions {
 public:
  Conditions(const BodySystem& s, const PartFinder& parts)
      : s_(s), parts_(parts), per_part_(s.body->dimension == 3 ? 6 : 3), size_(s.mesh.size) {
    for (const Node& node : s.mesh.nodes) centre_ += node.x / static_cast<double>(s.mesh.nodes.size());
  }
  Eigen::Index n_unknowns() const { return per_part_ * static_cast<Eigen::Index>(parts_.n_parts()); }
  const Vec3& centre() const { return centre_; }

  // The twist of a part, from all unknowns.
  Vec6 twist(size_t part, const VectorX& y) const {
    const VectorX own = y.segment(per_part_ * static_cast<Eigen::Index>(part), per_part_);
    Vec6 t = Vec6::Zero();
    if (per_part_ == 6)
      t << own.head<3>(), own.tail<3>() / size_;
    else
      t << own[0], own[1], 0, 0, 0, own[2] / size_;
    return t;
  }
  double value(int dof, const Vec6& twist) const {
    const Dof& d = s_.mesh.dofs[static_cast<size_t>(dof)];
    if (d.node < 0 || d.kind > DofKind::rz) return 0;
    const Vec3 v = twist.head<3>(), w = twist.tail<3>();
    if (d.kind <= DofKind::w)
      return (v + w.cross(s_.mesh.nodes[static_cast<size_t>(d.node)].x - centre_))[static_cast<int>(d.kind)];
    return w[static_cast<int>(d.kind) - static_cast<int>(DofKind::rx)];
  }
  size_t owner(int dof) const {
    const Dof& d = s_.mesh.dofs[static_cast<size_t>(dof)];
    return d.element >= 0 ? parts_.of_element(d.element) : parts_.of_node(d.node);
  }
  bool is_rotation(int dof) const { return s_.mesh.dofs[static_cast<size_t>(dof)].kind >= DofKind::rx; }

  // AᵀA of all rows.
  MatrixX calc_normal(const std::vector<ConstraintRow>& rows) {
    normal_.setZero(n_unknowns(), n_unknowns());
    for (const ConstraintRow& row : rows) add_row(row.coefficients);
    for (const ElementSpec& spec : s_.mesh.elements)
      if (spec.is_material())
        keep_on_nodes(spec);
      else
        keep_unstrained(spec);
    hold_idle_nodes();
    hold_missing_directions();
    return normal_;
  }

 private:
  // Coefficients of a dof's value on the unknowns of a part.
  VectorX unit_values(int dof) const {
    VectorX values(per_part_);
    for (Eigen::Index k = 0; k < per_part_; ++k) values[k] = value(dof, twist(0, VectorX::Unit(n_unknowns(), k)));
    return values;
  }
  void add(const std::vector<std::pair<size_t, VectorX>>& blocks) {  // Σ block·unknowns of its part = 0
    for (const auto& [p, a] : blocks)
      for (const auto& [q, b] : blocks)
        normal_.block(per_part_ * static_cast<Eigen::Index>(p), per_part_ * static_cast<Eigen::Index>(q), per_part_,
                      per_part_) += a * b.transpose();
  }
  void add_row(const std::vector<std::pair<int, double>>& coefficients) {
    std::vector<std::pair<size_t, VectorX>> blocks;
    bool turns = true;  // a row of rotations only is measured as the distance at the body's size
    for (const auto& [dof, c] : coefficients) {
      if (s_.mesh.dofs[static_cast<size_t>(dof)].node < 0) return;
      turns = turns && is_rotation(dof);
      blocks.emplace_back(owner(dof), c * unit_values(dof));
    }
    if (turns)
      for (auto& block : blocks) block.second *= size_;
    add(blocks);
  }
  void keep_on_nodes(const ElementSpec& spec) {
    const size_t part = parts_.of_element(static_cast<int>(&spec - s_.mesh.elements.data()));
    for (const int number : spec.nodes) {
      if (parts_.of_node(number) == part) continue;
      for (const int dof : s_.mesh.nodes[static_cast<size_t>(number)].translations())
        if (dof >= 0) add({{part, unit_values(dof)}, {parts_.of_node(number), -unit_values(dof)}});
    }
  }
  void keep_unstrained(const ElementSpec& spec) {
    Stations stations;
    s_.element_of(spec).calc_stations(s_.make_element_data(spec), stations);
    const Station& st = stations[0];
    for (Eigen::Index r = 0; r < st.B.rows(); ++r) {
      if (!(st.stiffness(r, r) > 0)) continue;
      std::vector<std::pair<int, double>> row;
      for (size_t i = 0; i < spec.dofs.size(); ++i)
        if (const double c = st.B(r, static_cast<Eigen::Index>(i)); c != 0) row.emplace_back(spec.dofs[i], c);
      add_row(row);
    }
  }
  // A node that only hinged ends meet has no rotation of its own; one of an area turns with it.
  void hold_idle_nodes() {
    std::vector<bool> of_area(s_.mesh.nodes.size(), false);
    for (const ElementSpec& spec : s_.mesh.elements)
      if (spec.area >= 0)
        for (const int node : spec.nodes) of_area[static_cast<size_t>(node)] = true;
    for (size_t n = 0; n < s_.mesh.nodes.size(); ++n) {
      if (of_area[n]) continue;
      const auto rotations = s_.mesh.nodes[n].rotations();
      const bool none = std::all_of(rotations.begin(), rotations.end(), [](int dof) { return dof < 0; });
      const auto first = per_part_ * static_cast<Eigen::Index>(parts_.of_node(static_cast<int>(n)));
      if (none)
        for (Eigen::Index k = per_part_ == 6 ? 3 : 2; k < per_part_; ++k) normal_(first + k, first + k) += 1;
    }
  }

  // Along which no node moves: across a bar with voids.
  void hold_missing_directions() {
    for (Eigen::Index k = 0; k < (per_part_ == 6 ? 3 : 2); ++k) {
      const DofKind kind = kTranslations[static_cast<size_t>(k)];
      if (std::any_of(s_.mesh.dofs.begin(), s_.mesh.dofs.end(), [&](const Dof& d) { return d.kind == kind; })) continue;
      for (Eigen::Index row = k; row < n_unknowns(); row += per_part_) normal_(row, row) += 1;
    }
  }

  const BodySystem& s_;
  const PartFinder& parts_;
  Eigen::Index per_part_;
  double size_;
  Vec3 centre_ = Vec3::Zero();
  MatrixX normal_;
};

}  // namespace

RigidMotions find_rigid_motions(const BodySystem& s, const std::vector<ConstraintRow>& rows) {
  const PartFinder parts(s);
  Conditions conditions(s, parts);
  MatrixX normal = conditions.calc_normal(rows);
  const Eigen::Index n = conditions.n_unknowns();
  MatrixX free = MatrixX::Identity(n, n);
  constexpr double kNothing = 1e-18, kFree = 1e-12;  // squares of lengths: rounding leaves about ε²
  if (normal.cwiseAbs().maxCoeff() > kNothing) {
    VectorX values;
    MatrixX vectors;
    symmetric_eigen(normal, 0, static_cast<int>(n) - 1, values, vectors);
    const auto n_free =
        std::count_if(values.begin(), values.end(), [&](double v) { return v <= kFree * values.maxCoeff(); });
    free = vectors.leftCols(n_free);
    // The squares have cost digits: take out what the conditions still see of it.
    const MatrixX rest = vectors.rightCols(n - n_free);
    const VectorX inverse = values.tail(n - n_free).cwiseInverse();
    const MatrixX normal_again = conditions.calc_normal(rows);
    for (int pass = 0; pass < 2; ++pass)
      free -= rest * (inverse.asDiagonal() * (rest.transpose() * (normal_again * free))).eval();
  }
  RigidMotions out;
  out.motions.setZero(s.mesh.n_dofs(), free.cols());
  out.twists.resize(6, parts.n_parts() == 1 ? free.cols() : 0);
  for (Eigen::Index c = 0; c < free.cols(); ++c) {
    std::vector<Vec6> twists;
    for (size_t p = 0; p < parts.n_parts(); ++p) twists.push_back(conditions.twist(p, free.col(c)));
    for (int dof = 0; dof < s.mesh.n_dofs(); ++dof)
      if (s.mesh.dofs[static_cast<size_t>(dof)].node >= 0)
        out.motions(dof, c) = conditions.value(dof, twists[conditions.owner(dof)]);
    if (out.twists.cols() == 0) continue;
    out.twists.col(c) = twists[0];
    out.twists.col(c).head<3>() -= twists[0].tail<3>().cross(conditions.centre());
  }
  return out;
}

}  // namespace elodyn
