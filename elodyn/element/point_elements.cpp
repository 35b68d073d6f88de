// Elements of one node: a lumped mass with inertia, and a spring with dashpot to the body's frame.
// Dofs: u, v, rz. A point element is one station of weight 1 at its node.
#include <memory>

#include "elodyn/element/element.hpp"

namespace elodyn {
namespace {

constexpr int kDofs = 3;

void set_placement(Station& st, const ElementData& data) {
  st.weight = 1;
  st.x = data.nodes[0];
  st.mass = 0;
  st.sigma.setZero();
  st.N.setZero(3, kDofs);
  st.N(0, 0) = st.N(1, 1) = 1;
  st.N_theta.setZero(3, kDofs);
  st.N_theta(2, 2) = 1;
  st.B.resize(0, kDofs);
  st.stiffness.resize(0, 0);
  st.viscosity.resize(0, 0);
  st.L.resize(0, kDofs);
  st.Psi.clear();
}

class PointElement : public Element {
 public:
  int n_nodes() const override { return 1; }
  int n_dofs(const ElementData&) const override { return kDofs; }
  void calc_prestress(const ElementData&, const ElementState&, VectorX& p) const override { p.resize(0); }
  void calc_placement(const ElementData&, double, Matrix3X& N) const override {
    N.setZero(3, kDofs);
    N(0, 0) = N(1, 1) = 1;
  }
  std::vector<SectionForces> calc_section_forces(const ElementData&, const ElementState&,
                                                 const std::vector<double>&) const override {
    return {};
  }
};

class PointMass final : public PointElement {
 public:
  std::string_view name() const override { return "point_mass"; }
  std::string_view summary() const override { return "lumped mass and inertia at a point"; }
  std::vector<std::string_view> strain_names() const override { return {}; }
  void calc_stations(const ElementData& data, Stations& stations) const override {
    stations.resize(1);
    set_placement(stations[0], data);
    stations[0].mass = data.mass->mass;
    // Any Σ with Σxx + Σyy = inertia moves the same in the plane.
    stations[0].sigma.diagonal() << data.mass->inertia / 2, data.mass->inertia / 2, 0;
  }
};

class SpringElement final : public PointElement {
 public:
  std::string_view name() const override { return "spring"; }
  std::string_view summary() const override { return "spring and dashpot from a point to the body's frame"; }
  std::vector<std::string_view> strain_names() const override { return {"support", "support", "support"}; }
  void calc_stations(const ElementData& data, Stations& stations) const override {
    stations.resize(1);
    Station& st = stations[0];
    set_placement(st, data);
    const Spring& s = *data.spring;
    st.B = MatrixX::Identity(kDofs, kDofs);
    st.stiffness = Vec3(s.stiffness[0], s.stiffness[1], s.rotational_stiffness[2]).asDiagonal();
    st.viscosity = Vec3(s.damping[0], s.damping[1], s.rotational_damping[2]).asDiagonal();
  }
};

}  // namespace

std::unique_ptr<const Element> make_point_mass() { return std::make_unique<PointMass>(); }
std::unique_ptr<const Element> make_spring() { return std::make_unique<SpringElement>(); }

}  // namespace elodyn
