#include "elodyn/laws.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "elodyn/base/rotation.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

constexpr double kRoundOff = 1e-12;  // 64·ε·n with n ≈ 100 sums; coordinates are scaled

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 planar(double size) { return {in(-size, size), in(-size, size), 0}; }

 private:
  std::mt19937 engine_;
};

double largest(const MatrixX& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }
double relative(double error, double scale) { return scale > 0 ? error / scale : error; }
double asymmetry(const MatrixX& m) { return relative(largest(m - m.transpose()), largest(m)); }
double non_skewness(const MatrixX& m) { return relative(largest(m + m.transpose()), largest(m)); }

VectorX eigenvalues(const MatrixX& m) {  // of the symmetric part, ascending
  MatrixX A = 0.5 * (m + m.transpose()), vectors;
  VectorX values;
  symmetric_eigen(A, 0, static_cast<int>(m.rows()) - 1, values, vectors);
  return values;
}

// Negative part of a symmetric matrix's spectrum, relative to its largest eigenvalue.
double negativity(const MatrixX& m) {
  if (m.size() == 0 || largest(m) == 0) return 0;
  const VectorX e = eigenvalues(m);
  return std::max(0.0, -e[0]) / std::max(-e[0], e[e.size() - 1]);
}

// The q that moves the stations' reference points by u(x) (and, if asked, turns the sections by θ), least squares,
// with the columns scaled to unit size. `error`: how far from exact.
VectorX fit(const Stations& stations, int n, const std::function<Vec3(const Vec3&)>& u, const Vec3* theta,
            double& error) {
  const auto per = theta ? 6 : 3;
  MatrixX rows(per * static_cast<Eigen::Index>(stations.size()), n);
  VectorX wanted(rows.rows());
  for (size_t k = 0; k < stations.size(); ++k) {
    const auto r = static_cast<Eigen::Index>(k) * per;
    rows.middleRows(r, 3) = stations[k].N;
    wanted.segment(r, 3) = u(stations[k].x);
    if (!theta) continue;
    rows.middleRows(r + 3, 3) = stations[k].N_theta;
    wanted.segment(r + 3, 3) = *theta;
  }
  VectorX scale = rows.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const MatrixX scaled = rows * scale.asDiagonal();
  const VectorX q = scale.cwiseProduct(least_squares(scaled, wanted));
  error = relative((rows * q - wanted).lpNorm<Eigen::Infinity>(), wanted.lpNorm<Eigen::Infinity>());
  return q;
}

// Rigid motions of the plane: two translations, the rotation about the body's origin.
MatrixX rigid_motions(const Stations& stations, int n, double& error) {
  MatrixX Phi(n, 3);
  const Vec3 none = Vec3::Zero(), z = Vec3::UnitZ();
  double e = 0;
  error = 0;
  for (int k = 0; k < 2; ++k) {
    Phi.col(k) = fit(
        stations, n, [&](const Vec3&) { return Vec3(Vec3::Unit(k)); }, &none, e);
    error = std::max(error, e);
  }
  Phi.col(2) = fit(
      stations, n, [&](const Vec3& x) { return Vec3(z.cross(x)); }, &z, e);
  error = std::max(error, e);
  return Phi;
}

bool tied_to_frame(const Element& element) {
  const auto names = element.strain_names();
  return std::find(names.begin(), names.end(), "support") != names.end();
}

}  // namespace

ElementData bind(const ElementSample& sample) {
  ElementData data = sample.data;
  data.mass = &sample.mass;
  data.spring = &sample.spring;
  return data;
}

std::vector<ElementSample> make_samples(const Element& element, unsigned seed) {
  Random random(seed);
  std::vector<ElementSample> samples;
  for (const int degree : {3, 5})
    for (const int axial : {1, 2, 3})
      for (const bool rotary : {true, false})
        for (const bool turned : {false, true}) {
          ElementSample s;
          s.name = "degree " + std::to_string(degree) + ", axial degree " + std::to_string(axial) +
                   (rotary ? ", rotary" : "") + (turned ? ", turned" : "");
          s.data.degree = degree;
          s.data.axial_degree = axial;
          s.data.rotary = rotary;
          s.data.young = random.in(1, 3) * 1e11;
          s.data.density = random.in(2, 9) * 1e3;
          const double d = random.in(0.005, 0.05);
          s.data.section = {d * d, d * d * d * d / 12, d * d * d * d / 9, d * d * d * d / 8, d / 2, d / 2, 1, 1};
          const double L = random.in(0.1, 2), angle = turned ? random.in(0, 6.28) : 0;
          const Vec3 at = random.planar(1);
          s.data.nodes = {at};
          if (element.n_nodes() == 2) s.data.nodes.push_back(at + L * Vec3(std::cos(angle), std::sin(angle), 0));
          s.data.kz_sign = {1, turned ? -1.0 : 1.0};
          s.mass.mass = random.in(0.1, 5);
          s.mass.inertia = random.in(0.001, 0.1);
          s.spring.stiffness = {random.in(1, 9), random.in(1, 9), 0};
          s.spring.rotational_stiffness = {0, 0, random.in(1, 9)};
          s.spring.damping = {random.in(1, 9), random.in(1, 9), 0};
          s.spring.rotational_damping = {0, 0, random.in(1, 9)};
          samples.push_back(std::move(s));
        }
  return samples;
}

std::vector<LawCheck> check_element_laws(const Element& element, const ElementData& data) {
  std::vector<LawCheck> checks;
  Stations stations;
  element.calc_stations(data, stations);
  const int n = element.n_dofs(data);
  double fit_error = 0;
  const MatrixX Phi = rigid_motions(stations, n, fit_error);
  checks.push_back({"a rigid motion is represented exactly", fit_error, kRoundOff});

  double strain = 0, second = 0, negative = 0, mass = 0;
  for (const Station& st : stations) {
    mass = std::max(mass, -st.mass);
    negative = std::max({negative, negativity(st.stiffness), negativity(st.viscosity), negativity(st.sigma)});
    if (tied_to_frame(element) || st.B.rows() == 0) continue;
    // Rounded sums of terms of size |B||Φ|; each strain is measured against its largest over the rigid motions.
    const VectorX size = (st.B.cwiseAbs() * Phi.cwiseAbs()).rowwise().maxCoeff();
    strain = std::max(strain, ((st.B * Phi).cwiseAbs().rowwise().maxCoeff().array() / size.array()).maxCoeff());
    if (st.Psi.empty()) continue;
    // A finite rotation φ moves the points by φ ẑ×x − ½φ² x: to second order e + η must vanish.
    double error = 0;
    const VectorX q2 = fit(
        stations, n, [](const Vec3& x) { return Vec3(-0.5 * Vec3(x[0], x[1], 0)); }, nullptr, error);
    const VectorX Lq = st.L * Phi.col(2);
    const double eta = 0.5 * Lq.dot(st.Psi[0] * Lq);  // the first shape is a uniform prestress
    second = std::max({second, error, std::abs((st.B * q2)[0] + eta) / eta});
  }
  checks.push_back({"a rigid motion gives no strain", strain, kRoundOff});
  checks.push_back({"a finite rotation gives no strain to second order", second, 1e-11});
  checks.push_back({"stiffness, viscosity and section inertia are not negative", negative, kRoundOff});
  checks.push_back({"mass is not negative", std::max(0.0, mass), 0});
  return checks;
}

std::vector<LawCheck> check_formalism_laws(const Formalism& formalism, const Element& element, const ElementData& data,
                                           unsigned seed) {
  std::vector<LawCheck> checks;
  Random random(seed);
  Stations stations;
  element.calc_stations(data, stations);
  const int n = element.n_dofs(data);
  MotionBasis basis;
  basis.origin = random.planar(1);
  basis.axes = {Vec3::UnitZ()};
  basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
  ElementTerms t;
  formalism.derive(stations, n, basis, t);

  // Coordinates scaled by diag(M)^½, as far as they carry mass.
  VectorX d = t.M.diagonal();
  for (double& v : d) v = v > 0 ? 1 / std::sqrt(v) : 1;
  const auto scaled = [&](const MatrixX& m) { return MatrixX(d.asDiagonal() * m * d.asDiagonal()); };
  double total_mass = 0;
  Vec3 first_moment = Vec3::Zero();
  for (const Station& st : stations) {
    total_mass += st.weight * st.mass;
    first_moment += st.weight * st.mass * (st.x - basis.origin);
  }

  checks.push_back({"M is symmetric", asymmetry(scaled(t.M)), kRoundOff});
  if (total_mass > 0) {
    const bool positive =
        eigenvalues(scaled(t.M))[0] > 0 || data.mass != nullptr;  // a point mass without inertia may be semidefinite
    checks.push_back({"M is positive", positive ? 0.0 : 1.0, 0});
  }
  checks.push_back({"K is symmetric", asymmetry(scaled(t.K)), kRoundOff});
  checks.push_back({"K is not negative", negativity(scaled(t.K)), kRoundOff});
  checks.push_back({"D is symmetric and not negative", std::max(asymmetry(t.D), negativity(t.D)), kRoundOff});
  checks.push_back({"G is skew", non_skewness(scaled(t.G[0])), kRoundOff});
  checks.push_back({"E is skew in plane motion", non_skewness(scaled(t.E[0])), kRoundOff});
  checks.push_back({"S is symmetric", asymmetry(scaled(t.S[0])), kRoundOff});
  double gamma = 0;
  for (const MatrixX& m : t.Gamma) gamma = std::max(gamma, asymmetry(scaled(m)));
  checks.push_back({"the geometric matrices are symmetric", gamma, kRoundOff});

  if (total_mass > 0) {
    // Translations Φ: ΦᵀMΦ = m, ΦᵀGΦ = m ẑ×, ΦᵀSΦ = −m, and the loads are those of the whole mass.
    double error = 0;
    const MatrixX Phi = rigid_motions(stations, n, error).leftCols(2);
    const Eigen::Matrix2d one = Eigen::Matrix2d::Identity(), J = (Eigen::Matrix2d() << 0, -1, 1, 0).finished();
    const auto compare = [&](const MatrixX& got, const MatrixX& want) {
      return relative(largest(got - want), largest(want));
    };
    checks.push_back(
        {"translations feel the whole mass", compare(Phi.transpose() * t.M * Phi, total_mass * one), kRoundOff});
    checks.push_back({"translations feel the whole Coriolis force",
                      compare(Phi.transpose() * t.G[0] * Phi, total_mass * J), kRoundOff});
    checks.push_back({"translations feel the whole centrifugal force",
                      compare(Phi.transpose() * t.S[0] * Phi, -total_mass * one), kRoundOff});
    MatrixX A(n, 2);
    A << t.A[0], t.A[1];
    checks.push_back(
        {"the load of the frame's acceleration is m a", compare(Phi.transpose() * A, total_mass * one), kRoundOff});
    const Eigen::Vector2d c = first_moment.head<2>();
    const double size = std::max(c.norm(), total_mass * 1e-3);
    checks.push_back(
        {"the centrifugal load is m ω² r, outward", largest(Phi.transpose() * t.H[0] + c) / size, kRoundOff});
    checks.push_back({"the Euler load is m ε × r", largest(Phi.transpose() * t.B[0] - J * c) / size, kRoundOff});

    // Free field: y = x + u = Cx + c at rest in the world, seen from a frame in any plane motion.
    Stations points = stations;
    for (Station& st : points) st.sigma.setZero();
    ElementTerms p;
    formalism.derive(points, n, basis, p);
    const double w = random.in(-5, 5), e = random.in(-20, 20);
    const Vec3 a = random.planar(10), v = random.planar(3), shift = random.planar(1);
    Mat3 C = Mat3::Identity();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) C(i, j) += random.in(-1, 1);
    const Mat3 W = skew({0, 0, w}), E = skew({0, 0, e});
    const auto y = [&](const Vec3& x) { return Vec3(C * (x - basis.origin) + shift); };
    const auto yd = [&](const Vec3& x) { return Vec3(-W * y(x) - v); };
    const auto ydd = [&](const Vec3& x) { return Vec3(-E * y(x) - W * yd(x) - (a - W * v)); };
    double e0 = 0, e1 = 0, e2 = 0;
    const VectorX q = fit(
        points, n, [&](const Vec3& x) { return Vec3(y(x) - (x - basis.origin)); }, nullptr, e0);
    const VectorX qd = fit(points, n, yd, nullptr, e1), qdd = fit(points, n, ydd, nullptr, e2);
    const VectorX terms[] = {p.M * qdd, 2 * w * p.G[0] * qd, e * p.E[0] * q, w * w * p.S[0] * q,
                             a[0] * p.A[0] + a[1] * p.A[1] + e * p.B[0] + w * w * p.H[0]};
    VectorX sum = VectorX::Zero(n);
    double scale = 0;
    for (const VectorX& term : terms) {
      sum += term;
      scale = std::max(scale, d.cwiseProduct(term).lpNorm<Eigen::Infinity>());
    }
    checks.push_back({"matter at rest in the world feels no force in a moving frame",
                      std::max({e0, e1, e2, d.cwiseProduct(sum).lpNorm<Eigen::Infinity>() / scale}), 1e-11});
  }
  return checks;
}

std::vector<LawCheck> check_constraint_laws(int n_full, const std::vector<ConstraintRow>& rows, unsigned seed) {
  std::vector<LawCheck> checks;
  Random random(seed);
  const Constraints constraints(n_full, rows);
  VectorX z(constraints.n_reduced());
  for (double& v : z) v = random.in(-1, 1);
  const VectorX q = constraints.expand(z);
  checks.push_back({"restrict∘expand is the identity", largest(constraints.restrict(q) - z), 0});
  checks.push_back({"expand∘restrict is the identity on the admissible set",
                    largest(constraints.expand(constraints.restrict(q)) - q), kRoundOff * (1 + largest(q))});
  double violation = 0;
  for (const ConstraintRow& row : rows) {
    double sum = -row.value, size = std::abs(row.value);
    for (const auto& [i, c] : row.coefficients) {
      sum += c * q[i];
      size += std::abs(c * q[i]);
    }
    violation = std::max(violation, relative(std::abs(sum), size));
  }
  checks.push_back({"every row holds", violation, kRoundOff});
  const int independent = static_cast<int>(rows.size() - constraints.redundant().size());
  checks.push_back({"each independent row takes one coordinate",
                    static_cast<double>(std::abs(n_full - independent - constraints.n_reduced())), 0});

  if (constraints.g().isZero(0)) {
    AffineEquation full;
    std::vector<int> all(static_cast<size_t>(n_full));
    for (int i = 0; i < n_full; ++i) all[static_cast<size_t>(i)] = i;
    full.pattern = std::make_shared<const SparsePattern>(n_full, std::vector<std::vector<int>>{all});
    VectorX values(full.pattern->n_nonzeros());
    for (double& v : values) v = random.in(-1, 1);
    full.matrices = {{"A", TermKind::elastic, {}, 1, values}};
    const MatrixX want = MatrixX(constraints.T()).transpose() * MatrixX(full.calc_elastic()) * MatrixX(constraints.T());
    checks.push_back({"reduce is the congruence TᵀAT",
                      relative(largest(MatrixX(constraints.reduce(full).calc_elastic()) - want), largest(want)),
                      kRoundOff});
  }
  return checks;
}

}  // namespace elodyn
