#include "elodyn/laws.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "elodyn/base/rotation.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace {

constexpr double kRoundOff = 1e-12;  // 64·ε·n with n ≈ 100 sums; coordinates are scaled

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 planar(double size) { return {in(-size, size), in(-size, size), 0}; }
  Vec3 vector(double size, int dimension) {
    if (dimension == 1) return {in(-size, size), 0, 0};
    return dimension == 2 ? planar(size) : Vec3(in(-size, size), in(-size, size), in(-size, size));
  }

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
    rows.middleRows(r + 3, 3) = stations[k].R_theta;
    wanted.segment(r + 3, 3) = *theta;
  }
  VectorX scale = rows.colwise().norm();
  for (double& s : scale) s = s > 0 ? 1 / s : 0;  // what moves nothing stays as it is
  const MatrixX scaled = rows * scale.asDiagonal();
  const VectorX q = scale.cwiseProduct(least_squares(scaled, wanted));
  error = relative((rows * q - wanted).lpNorm<Eigen::Infinity>(), wanted.lpNorm<Eigen::Infinity>());
  return q;
}

// Axes along which a body of this dimension can move, and about which it can turn; 1: a bar that moves along x alone.
std::vector<Vec3> translations(int dimension) {
  std::vector<Vec3> axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  axes.resize(static_cast<size_t>(dimension));
  return axes;
}
std::vector<Vec3> rotations(int dimension) {
  if (dimension == 1) return {};
  if (dimension == 2) return {Vec3::UnitZ()};
  return {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
}

// Rigid motions: translations, then rotations about `origin`.
MatrixX rigid_motions(const Stations& stations, int n, int dimension, const Vec3& origin, double& error) {
  const auto along = translations(dimension), about = rotations(dimension);
  MatrixX Phi(n, static_cast<Eigen::Index>(along.size() + about.size()));
  const Vec3 none = Vec3::Zero();
  double e = 0;
  error = 0;
  Eigen::Index column = 0;
  for (const Vec3& d : along) {
    Phi.col(column++) = fit(
        stations, n, [&](const Vec3&) { return d; }, &none, e);
    error = std::max(error, e);
  }
  for (const Vec3& axis : about) {
    Phi.col(column++) = fit(
        stations, n, [&](const Vec3& x) { return Vec3(axis.cross(x - origin)); }, &axis, e);
    error = std::max(error, e);
  }
  return Phi;
}

bool tied_to_frame(const Element& element, const ElementData& data) {
  const auto names = element.strain_names(data);
  return std::find(names.begin(), names.end(), "support") != names.end();
}

// The whole mass and its moments: what rigid motions must feel.
struct MassMoments {
  double mass = 0;
  Vec3 first = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about the origin of the basis
  Mat3 second = Mat3::Zero();   // ∫x xᵀ of the axis alone
};
MassMoments sum_mass(const Stations& stations, const Vec3& origin) {
  MassMoments sum;
  for (const Station& st : stations) {
    const Vec3 x = st.x - origin;
    sum.mass += st.weight * st.mass;
    sum.first += st.weight * st.mass * x;
    sum.second += st.weight * st.mass * x * x.transpose();
    sum.inertia += st.weight * (st.mass * (x.squaredNorm() * Mat3::Identity() - x * x.transpose()) +
                                st.sigma.trace() * Mat3::Identity() - st.sigma);
  }
  return sum;
}

// A rigid body with inertia I in a frame that turns with ω, ε, itself turned in it by exp(φ̂). From m = IΩ̇ + Ω × IΩ
// with Ω = ω + ω×φ + φ̇, and the virtual rotation δφ − ½φ×δφ, to first order:  I φ̈ + C φ̇ + K φ + μ,
//   μ = Iε + ω×Iω,   C = Iω̂ + ω̂I − (Iω)^,   K = Iε̂ + ω̂Iω̂ − (Iω)^ω̂ − ½μ̂.
struct EulerEquations {
  Mat3 C, K;
  Vec3 load;
};
EulerEquations calc_euler_equations(const Mat3& I, const Vec3& w, const Vec3& e) {
  const Mat3 W = skew(w), momentum = skew(I * w);
  const Vec3 mu = I * e + w.cross(I * w);
  return {I * W + W * I - momentum, I * skew(e) + W * I * W - momentum * W - 0.5 * skew(mu), mu};
}

MatrixX columns(const std::vector<Vec3>& vectors) {
  MatrixX m(3, static_cast<Eigen::Index>(vectors.size()));
  for (size_t i = 0; i < vectors.size(); ++i) m.col(static_cast<Eigen::Index>(i)) = vectors[i];
  return m;
}

}  // namespace

ElementData bind(const ElementSample& sample) {
  ElementData data = sample.data;
  data.mass = &sample.mass;
  data.spring = &sample.spring;
  return data;
}

// Strongly coupled, but of positive energy.
static void set_void_constants(Random& random, Material& material) {
  const double bulk = material.young / (3 * (1 - 2 * material.poisson));
  material.void_xi = random.in(0.5, 2) * bulk;
  material.void_beta = random.in(0.3, 0.9) * std::sqrt(bulk * *material.void_xi);
  material.void_alpha = random.in(0.5, 2) * 1e-4 * bulk;
  material.void_kappa = random.in(0.5, 2) * 1e-4;
  material.void_tau = random.in(1, 2) * 1e4;
}

// The bar moves along x alone: dimension 1.
static std::vector<ElementSample> make_bar_samples(Random& random) {
  std::vector<ElementSample> samples;
  for (const int degree : {1, 2, 3})
    for (const bool backwards : {false, true}) {
      ElementSample s;
      s.name = "degree " + std::to_string(degree) + (backwards ? ", backwards, tapered" : "");
      s.data.dimension = 1;
      s.data.axial_degree = degree;
      s.data.density = random.in(2, 9) * 1e3;
      s.data.expansion = 1e-5;
      Material material;
      material.young = random.in(1, 3) * 1e11;
      material.poisson = random.in(0.1, 0.4);
      set_void_constants(random, material);
      const PlaneState state = backwards ? PlaneState::strain : PlaneState::stress;
      s.data.young = calc_uniaxial_modulus(material, state);
      s.data.voids = calc_void_law(material, void_state(state, true));
      s.data.section.A = random.in(1, 2) * 1e-4;
      const Vec3 at = random.planar(1);
      s.data.nodes = {at, at + (backwards ? -1 : 1) * random.in(0.1, 0.5) * Vec3::UnitX()};
      if (backwards) {
        Section from, to;
        from.shape = to.shape = Section::Shape::rectangle;
        from.width = from.height = 0.01, to.width = to.height = 0.015;
        s.data.taper = {from, to, material.poisson};
        s.data.section = s.data.section_at(0.5);
      }
      samples.push_back(std::move(s));
    }
  return samples;
}

// Surfaces: a square-ish element, turned and distorted, of an isotropic and an orthotropic material.
static std::vector<ElementSample> make_surface_samples(const SurfaceKind& kind, Random& random) {
  std::vector<ElementSample> samples;
  for (const bool distorted : {false, true})
    for (const bool orthotropic : {false, true})
      for (const bool incompatible : {false, true}) {
        if (incompatible && kind.name != "membrane_q4" && kind.name != "plate_mitc4") continue;
        if (orthotropic && kind.has_voids) continue;
        ElementSample s;
        s.name = std::string(distorted ? "distorted" : "rectangular") + (orthotropic ? ", orthotropic" : "") +
                 (incompatible ? ", incompatible modes" : "");
        s.data.dimension = kind.dimension();
        s.data.density = random.in(2, 9) * 1e3;
        s.data.expansion = 1e-5;
        Material material;
        material.young = random.in(1, 3) * 1e11;
        material.poisson = random.in(0.1, 0.4);
        if (orthotropic) {
          material.young_2 = 0.3 * material.young;
          material.shear_12 = 0.2 * material.young;
          s.data.sheet.axis_1 = random.planar(1);
        }
        if (kind.has_voids) {
          set_void_constants(random, material);
          s.data.sheet.voids = calc_void_law(material, VoidState::plane_stress);
        }
        s.data.sheet.law = calc_plane_law(material, PlaneState::stress);
        s.data.sheet.shear_law = calc_shear_law(material);
        s.data.sheet.thickness = random.in(0.001, 0.01);
        s.data.sheet.incompatible = incompatible;
        const double a = random.in(0.1, 0.4), b = random.in(0.1, 0.4), angle = distorted ? random.in(0, 6) : 0;
        const Vec3 at = random.vector(1, kind.dimension());
        const Vec3 about = distorted && kind.bends ? random.vector(1, 3).normalized() : Vec3(Vec3::UnitZ());
        const Eigen::AngleAxisd turn(angle, about);
        const std::array<Vec3, 4> corners = {Vec3(0, 0, 0), Vec3(a, 0, 0), Vec3(a, b, 0), Vec3(0, b, 0)};
        for (size_t k = 0; k < static_cast<size_t>(kind.n_corners); ++k) {
          const bool moves = distorted && !kind.only_rectangles;
          s.data.nodes.push_back(at +
                                 turn * (corners[k] + (moves ? random.planar(0.15 * std::min(a, b)) : Vec3::Zero())));
        }
        for (size_t k = 0; kind.has_middles && k < static_cast<size_t>(kind.n_corners); ++k)
          s.data.nodes.push_back((s.data.nodes[k] + s.data.nodes[(k + 1) % static_cast<size_t>(kind.n_corners)]) / 2);
        samples.push_back(std::move(s));
      }
  return samples;
}

std::vector<ElementSample> make_samples(const Element& element, unsigned seed) {
  Random random(seed);
  if (const SurfaceKind* kind = find_surface_kind(element.name())) return make_surface_samples(*kind, random);
  if (element.name() == kVoidsBar) return make_bar_samples(random);
  std::vector<ElementSample> samples;
  for (const int dimension : {2, 3})
    for (const int degree : {3, 5})
      for (const int axial : {1, 2, 3})
        for (const bool rotary : {true, false})
          for (const bool turned : {false, true}) {
            if (degree == 5 && element.name() == "beam_timoshenko") continue;  // refused by validate()
            ElementSample s;
            s.name = "dimension " + std::to_string(dimension) + ", degree " + std::to_string(degree) +
                     ", axial degree " + std::to_string(axial) + (rotary ? ", rotary" : "") +
                     (turned ? ", turned" : "");
            s.data.dimension = dimension;
            s.data.degree = degree;
            s.data.axial_degree = axial;
            s.data.rotary = rotary;
            s.data.young = random.in(1, 3) * 1e11;
            s.data.shear = s.data.young / random.in(2.2, 3);
            s.data.density = random.in(2, 9) * 1e3;
            const double d = random.in(0.005, 0.05), d4 = d * d * d * d;
            s.data.section.A = d * d;
            s.data.section.Iy = d4 / 12;
            s.data.section.Iz = d4 / 9;
            s.data.section.J = d4 / 8;
            s.data.section.shear_y = random.in(0.5, 1);
            s.data.section.shear_z = random.in(0.5, 1);
            const double L = random.in(0.1, 2);
            const Vec3 at = random.vector(1, dimension);
            const Vec3 direction = turned ? random.vector(1, dimension).normalized() : Vec3(Vec3::UnitX());
            s.data.nodes = {at};
            if (element.n_nodes() == 2) s.data.nodes.push_back(at + L * direction);
            if (turned && dimension == 3) s.data.orientation = random.vector(1, 3);
            s.data.curvature_sign = {{{1, turned ? -1.0 : 1.0}, {turned ? -1.0 : 1.0, 1}}};
            const bool tapers = turned && axial == 2;
            if (tapers && element.n_nodes() == 2) {
              Section from, to;
              from.shape = to.shape = Section::Shape::rectangle;
              from.width = d, from.height = 1.5 * d, to.width = 0.7 * d, to.height = 1.2 * d;
              s.data.taper = {from, to, 0.3};
              s.data.section = s.data.section_at(0.5);
              s.name += ", tapered";
            }
            s.mass.mass = random.in(0.1, 5);
            if (dimension == 2)
              s.mass.inertia = random.in(0.001, 0.1);
            else
              s.mass.inertia_tensor = {
                  0.05, 0.06, 0.07, random.in(-0.01, 0.01), random.in(-0.01, 0.01), random.in(-0.01, 0.01)};
            const auto positive = [&](const std::vector<Vec3>& axes) {
              Vec3 v = Vec3::Zero();
              for (const Vec3& axis : axes) v += random.in(1, 9) * axis;
              return v;
            };
            s.spring.stiffness = positive(translations(dimension));
            s.spring.rotational_stiffness = positive(rotations(dimension));
            s.spring.damping = positive(translations(dimension));
            s.spring.rotational_damping = positive(rotations(dimension));
            if (element.n_nodes() == 2) s.spring.axial_stiffness = random.in(1, 9);
            if (turned && element.n_nodes() == 1) s.spring.other = Spring::Other::ground;
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
  const MatrixX Phi = rigid_motions(stations, n, data.dimension, Vec3::Zero(), fit_error);
  checks.push_back({"a rigid motion is represented exactly", fit_error, kRoundOff});

  // A finite rotation φ about a moves the points by φ a×x + ½φ² a×(a×x): to second order e + η must vanish, for the
  // strain that the first prestress works with: axial of a beam, the last one of a spring.
  const Vec3 a = data.dimension == 3 ? Vec3(0.36, -0.48, 0.8) : Vec3(Vec3::UnitZ());
  double q2_error = 0;
  const VectorX q2 = fit(
      stations, n, [&](const Vec3& x) { return Vec3(0.5 * a.cross(a.cross(x))); }, nullptr, q2_error);
  VectorX turn = VectorX::Zero(n);
  const auto about = rotations(data.dimension);
  for (size_t k = 0; k < about.size(); ++k)
    turn += about[k].dot(a) * Phi.col(Phi.cols() - static_cast<Eigen::Index>(about.size() - k));

  double strain = 0, second = 0, negative = 0, mass = 0;
  for (const Station& st : stations) {
    mass = std::max({mass, -st.mass, -st.phi_mass});
    negative = std::max({negative, negativity(st.stiffness), negativity(st.viscosity), negativity(st.sigma)});
    if (tied_to_frame(element, data) || st.B.rows() == 0) continue;
    // Rounded sums of terms of size |B||Φ|; each strain is measured against its largest over the rigid motions.
    const VectorX size = (st.B.cwiseAbs() * Phi.cwiseAbs()).rowwise().maxCoeff().cwiseMax(1e-300);
    strain = std::max(strain, ((st.B * Phi).cwiseAbs().rowwise().maxCoeff().array() / size.array()).maxCoeff());
    if (st.Psi.empty()) continue;
    const VectorX Lq = st.L * turn;
    const auto see = [&](Eigen::Index row, double eta, double largest_eta) {
      second = std::max({second, q2_error, std::abs((st.B * q2)[row] + eta) / largest_eta});
    };
    if (find_surface_kind(
            element.name())) {  // shapes in sets of three: those of the same strain add up to a uniform one
      Vec3 eta = Vec3::Zero();
      for (size_t j = 0; j < st.Psi.size(); ++j)
        if (st.Psi[j].size() > 0) eta[static_cast<Eigen::Index>(j % 3)] += 0.5 * Lq.dot(st.Psi[j] * Lq);
      for (Eigen::Index row = 0; row < 3; ++row) see(row, eta[row], eta.cwiseAbs().maxCoeff());
      continue;
    }
    const Eigen::Index row = element.strain_names(data).front() == "axial" ? 0 : st.B.rows() - 1;
    const double eta = 0.5 * Lq.dot(st.Psi[0] * Lq);  // the first shape is a uniform prestress
    see(row, eta, eta);
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
  const int n = element.n_dofs(data), dimension = data.dimension;
  MotionBasis basis;
  basis.origin = random.vector(1, dimension);
  basis.axes = rotations(std::max(dimension, 2));
  basis.accelerations = translations(dimension);
  const auto pairs = basis.pairs();
  ElementTerms t;
  formalism.derive(stations, n, basis, t);
  // The same without the inertia of the turning sections.
  Stations points = stations;
  for (Station& st : points) st.sigma.setZero();
  ElementTerms p;
  formalism.derive(points, n, basis, p);

  // Coordinates scaled by diag(M)^½, as far as they carry mass.
  VectorX d = t.M.diagonal();
  for (double& v : d) v = v > 0 ? 1 / std::sqrt(v) : 1;
  const auto scaled = [&](const MatrixX& m) { return MatrixX(d.asDiagonal() * m * d.asDiagonal()); };
  const auto worst = [&](const std::vector<MatrixX>& matrices, double (*measure)(const MatrixX&)) {
    double error = 0;
    for (const MatrixX& m : matrices) error = std::max(error, measure(scaled(m)));
    return error;
  };
  const MassMoments moments = sum_mass(stations, basis.origin);

  checks.push_back({"M is symmetric", asymmetry(scaled(t.M)), kRoundOff});
  if (moments.mass > 0) {
    const bool positive =
        eigenvalues(scaled(t.M))[0] > 0 || data.mass != nullptr;  // a point mass without inertia may be semidefinite
    checks.push_back({"M is positive", positive ? 0.0 : 1.0, 0});
  }
  checks.push_back({"K is symmetric", asymmetry(scaled(t.K)), kRoundOff});
  checks.push_back({"K is not negative", negativity(scaled(t.K)), kRoundOff});
  checks.push_back({"D is symmetric and not negative", std::max(asymmetry(t.D), negativity(t.D)), kRoundOff});
  checks.push_back({"G is skew", worst(t.G, non_skewness), kRoundOff});
  checks.push_back({"E is skew but for the turning of the sections", worst(p.E, non_skewness), kRoundOff});
  if (dimension == 2) checks.push_back({"E is skew in plane motion", worst(t.E, non_skewness), kRoundOff});
  checks.push_back({"S is symmetric", worst(t.S, asymmetry), kRoundOff});
  checks.push_back({"the geometric matrices are symmetric", worst(t.Gamma, asymmetry), kRoundOff});
  if (moments.mass == 0) return checks;

  // Rigid motions Φ feel the whole mass and its moments.
  double error = 0;
  const MatrixX Phi = rigid_motions(stations, n, dimension, basis.origin, error);
  const MatrixX along = columns(basis.accelerations), about = columns(rotations(dimension));
  const MatrixX Phi_t = Phi.leftCols(along.cols()), Phi_r = Phi.rightCols(about.cols());
  double coriolis = 0, centrifugal = 0, euler_load = 0, centrifugal_load = 0, origin_load = 0;
  const double first = std::max(moments.first.norm(), moments.mass * 1e-3);
  const auto project = [&](const Mat3& X) { return MatrixX(along.transpose() * X * along); };
  for (size_t i = 0; i < basis.axes.size(); ++i) {
    const Mat3 W = skew(basis.axes[i]);
    coriolis = std::max(coriolis, largest(Phi_t.transpose() * t.G[i] * Phi_t - moments.mass * project(W)));
    euler_load = std::max(euler_load, largest(Phi_t.transpose() * t.B[i] - along.transpose() * (W * moments.first)));
  }
  for (size_t k = 0; k < pairs.size(); ++k) {
    const Mat3 Wi = skew(basis.axes[static_cast<size_t>(pairs[k].first)]),
               Wj = skew(basis.axes[static_cast<size_t>(pairs[k].second)]);
    const Mat3 X = pairs[k].first == pairs[k].second ? Mat3(Wi * Wi) : Mat3(Wi * Wj + Wj * Wi);
    centrifugal = std::max(centrifugal, largest(Phi_t.transpose() * t.S[k] * Phi_t - moments.mass * project(X)));
    centrifugal_load =
        std::max(centrifugal_load, largest(Phi_t.transpose() * t.H[k] - along.transpose() * (X * moments.first)));
  }
  for (size_t j = 0; j < basis.accelerations.size(); ++j)
    origin_load = std::max(
        origin_load, largest(Phi_t.transpose() * t.A[j] - moments.mass * along.transpose() * basis.accelerations[j]));
  const MatrixX one = MatrixX::Identity(along.cols(), along.cols());
  checks.push_back({"translations feel the whole mass",
                    largest(Phi_t.transpose() * t.M * Phi_t - moments.mass * one) / moments.mass, kRoundOff});
  checks.push_back({"translations feel the whole Coriolis force", coriolis / moments.mass, kRoundOff});
  checks.push_back({"translations feel the whole centrifugal force", centrifugal / moments.mass, kRoundOff});
  checks.push_back({"the load of the frame's acceleration is m a", origin_load / moments.mass, kRoundOff});
  checks.push_back({"the centrifugal load is m ω² r, outward", centrifugal_load / first, kRoundOff});
  checks.push_back({"the Euler load is m ε × r", euler_load / first, kRoundOff});
  const bool all_turn = dimension > 1 && std::all_of(stations.begin(), stations.end(), [](const Station& st) {
                          return st.sigma.isZero(0) || (st.N_theta - st.R_theta).isZero(0);
                        });
  if (all_turn) {
    const MatrixX inertia = about.transpose() * moments.inertia * about;
    checks.push_back({"rotations feel the moments of inertia",
                      largest(Phi_r.transpose() * t.M * Phi_r - inertia) / largest(inertia), kRoundOff});
  }

  // Turned as a rigid body by exp(φ̂), the material obeys Euler's equations about the origin of the basis.
  if (all_turn) {
    const Vec3 w = columns(basis.axes) * random.vector(5, 3).head(about.cols()),
               e = columns(basis.axes) * random.vector(20, 3).head(about.cols());
    const EulerEquations want = calc_euler_equations(moments.inertia, w, e);
    MatrixX C = MatrixX::Zero(n, n), K = MatrixX::Zero(n, n);
    VectorX load = VectorX::Zero(n);
    for (size_t i = 0; i < basis.axes.size(); ++i) {
      C += 2 * w.dot(basis.axes[i]) * t.G[i];
      K += e.dot(basis.axes[i]) * t.E[i];
      load += e.dot(basis.axes[i]) * t.B[i];
    }
    for (size_t k = 0; k < pairs.size(); ++k) {
      const double ww = w.dot(basis.axes[static_cast<size_t>(pairs[k].first)]) *
                        w.dot(basis.axes[static_cast<size_t>(pairs[k].second)]);
      K += ww * t.S[k];
      load += ww * t.H[k];
    }
    // The second-order displacement ½φ×(φ×x) of the axis is not in N; its work against Bx is added here.
    const Mat3 BX = (skew(e) + skew(w) * skew(w)) * moments.second;
    const Mat3 axis = 0.5 * (BX + BX.transpose()) - BX.trace() * Mat3::Identity();
    const auto missed = [&](const MatrixX& got, const Mat3& exact) {
      return largest(got - about.transpose() * exact * about) /
             (largest(moments.inertia) * (w.squaredNorm() + e.norm()));
    };
    checks.push_back({"rigid rotations feel the gyroscopic couple of Euler's equations",
                      missed(w.norm() * Phi_r.transpose() * C * Phi_r, w.norm() * want.C), kRoundOff});
    checks.push_back({"rigid rotations feel the centrifugal and Euler couple of Euler's equations",
                      missed(Phi_r.transpose() * K * Phi_r + about.transpose() * axis * about, want.K), kRoundOff});
    checks.push_back({"the load on rigid rotations is that of Euler's equations",
                      largest(Phi_r.transpose() * load - about.transpose() * want.load) /
                          (largest(moments.inertia) * (w.squaredNorm() + e.norm())),
                      kRoundOff});
  }

  // Free field: y = x + u = Cx + c at rest in the world, seen from a frame in any motion.
  const auto combine = [&](const std::vector<Vec3>& axes, double size) {
    Vec3 v = Vec3::Zero();
    for (const Vec3& axis : axes) v += random.in(-size, size) * axis;
    return v;
  };
  const Vec3 w = combine(rotations(dimension), 5), e = combine(rotations(dimension), 20),
             a = random.vector(10, dimension), v = random.vector(3, dimension), shift = random.vector(1, dimension);
  Mat3 C = Mat3::Identity();
  for (int i = 0; i < dimension; ++i)
    for (int j = 0; j < dimension; ++j) C(i, j) += random.in(-1, 1);
  const Mat3 W = skew(w), E = skew(e);
  const auto y = [&](const Vec3& x) { return Vec3(C * (x - basis.origin) + shift); };
  const auto yd = [&](const Vec3& x) { return Vec3(-W * y(x) - v); };
  const auto ydd = [&](const Vec3& x) { return Vec3(-E * y(x) - W * yd(x) - (a - W * v)); };
  double e0 = 0, e1 = 0, e2 = 0;
  const VectorX q = fit(
      points, n, [&](const Vec3& x) { return Vec3(y(x) - (x - basis.origin)); }, nullptr, e0);
  const VectorX qd = fit(points, n, yd, nullptr, e1), qdd = fit(points, n, ydd, nullptr, e2);
  std::vector<VectorX> terms = {p.M * qdd};
  for (size_t i = 0; i < basis.axes.size(); ++i) {
    const double wi = w.dot(basis.axes[i]), ei = e.dot(basis.axes[i]);
    terms.emplace_back(2 * wi * p.G[i] * qd + ei * p.E[i] * q);
    terms.emplace_back(ei * p.B[i]);
  }
  for (size_t k = 0; k < pairs.size(); ++k) {
    const double ww = w.dot(basis.axes[static_cast<size_t>(pairs[k].first)]) *
                      w.dot(basis.axes[static_cast<size_t>(pairs[k].second)]);
    terms.emplace_back(ww * p.S[k] * q);
    terms.emplace_back(ww * p.H[k]);
  }
  for (size_t j = 0; j < basis.accelerations.size(); ++j) terms.emplace_back(a.dot(basis.accelerations[j]) * p.A[j]);
  VectorX sum = VectorX::Zero(n);
  double scale = 0;
  for (const VectorX& term : terms) {
    sum += term;
    scale = std::max(scale, d.cwiseProduct(term).lpNorm<Eigen::Infinity>());
  }
  checks.push_back({"matter at rest in the world feels no force in a moving frame",
                    std::max({e0, e1, e2, d.cwiseProduct(sum).lpNorm<Eigen::Infinity>() / scale}), 1e-11});
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
