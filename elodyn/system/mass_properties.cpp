#include "elodyn/system/mass_properties.hpp"

namespace elodyn {
namespace {

// What a coordinate is in the unit motion k: 0 to 2 along the axes, 3 to 5 about them.
double value_of(const BodySystem& s, int dof, int k) {
  const Dof& d = s.mesh.dofs[static_cast<size_t>(dof)];
  if (d.node < 0 || d.kind > DofKind::rz) return 0;
  const Vec3 v = k < 3 ? Vec3(Vec3::Unit(k)) : Vec3(Vec3::Zero()),
             w = k < 3 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit(k - 3));
  if (d.kind <= DofKind::w) return (v + w.cross(s.mesh.nodes[static_cast<size_t>(d.node)].x))[static_cast<int>(d.kind)];
  return w[static_cast<int>(d.kind) - static_cast<int>(DofKind::rx)];
}

}  // namespace

MassProperties calc_mass_properties(const BodySystem& s) {
  const int n = s.mesh.n_dofs();
  MatrixX R(n, 6);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 6; ++k) R(i, k) = value_of(s, i, k);
  const Eigen::Matrix<double, 6, 6> rigid = R.transpose() * (s.full.calc_mass() * R);

  const bool planar = s.body->dimension == 2;
  MassProperties out;
  out.mass = rigid(0, 0);
  ELODYN_REQUIRE(out.mass > 0);
  if (planar) {
    out.center = Vec3(rigid(5, 1), -rigid(5, 0), 0) / out.mass;
    out.inertia(2, 2) = rigid(5, 5) - out.mass * out.center.squaredNorm();
    return out;
  }
  const Mat3 moment = rigid.block<3, 3>(3, 0);  // m [c]ₓ
  out.center =
      Vec3(moment(2, 1) - moment(1, 2), moment(0, 2) - moment(2, 0), moment(1, 0) - moment(0, 1)) / (2 * out.mass);
  const Vec3& c = out.center;
  out.inertia = rigid.block<3, 3>(3, 3) - out.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  return out;
}

}  // namespace elodyn
