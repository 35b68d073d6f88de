#include "elodyn/element/plate_bending.hpp"

#include <array>
#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

using Eigen::Index;
using Eigen::Matrix2d;
using Eigen::RowVectorXd;
using Eigen::Vector2d;

// Σ of x^i y^j: one term of a polynomial deflection.
using Term = std::vector<std::array<int, 2>>;

double power(double x, int n) { return n < 0 ? 0 : std::pow(x, n); }

// The derivative of a term, dx times by x and dy times by y.
double derive(const Term& term, int dx, int dy, const Vector2d& at) {
  double sum = 0;
  for (const auto& [i, j] : term) {
    double factor = 1;
    for (int k = 0; k < dx; ++k) factor *= i - k;
    for (int k = 0; k < dy; ++k) factor *= j - k;
    if (factor != 0) sum += factor * power(at[0], i - dx) * power(at[1], j - dy);
  }
  return sum;
}

// w = Σ cₖ pₖ(x, y), θ = (w,₂ −w,₁), with the coefficients from w, θ₁, θ₂ of the nodes. x, y: from `origin` along the
// columns of `axes`, each divided by its `scale`.
class PolynomialPlate {
 public:
  PolynomialPlate(const std::vector<Term>& terms, const PlanePlaces& nodes, const Vector2d& origin,
                  const Matrix2d& axes, const Vector2d& scale)
      : terms_(terms), origin_(origin), axes_(axes), scale_(scale) {
    const auto n = static_cast<Index>(terms.size());
    ELODYN_REQUIRE(n == 3 * nodes.cols());
    MatrixX A(n, n);
    for (Index a = 0; a < nodes.cols(); ++a) {
      const Vector2d at = place(nodes.col(a));
      const RowVectorXd x = row(1, 0, at), y = row(0, 1, at);
      A.row(3 * a) = row(0, 0, at);
      A.row(3 * a + 1) = axes_(1, 0) * x + axes_(1, 1) * y;   // w,₂
      A.row(3 * a + 2) = -axes_(0, 0) * x - axes_(0, 1) * y;  // −w,₁
    }
    coefficients_ = A.partialPivLu().inverse();
  }

  BendingPoint calc(const Vector2d& x) const {
    const Vector2d at = place(x);
    const auto derivative = [&](int dx, int dy) -> RowVectorXd { return row(dx, dy, at) * coefficients_; };
    const RowVectorXd x1 = derivative(1, 0), y1 = derivative(0, 1);
    const RowVectorXd xx = derivative(2, 0), xy = derivative(1, 1), yy = derivative(0, 2);
    BendingPoint out;
    out.w = derivative(0, 0);
    out.slope.resize(2, out.w.size());
    for (int i = 0; i < 2; ++i) out.slope.row(i) = axes_(i, 0) * x1 + axes_(i, 1) * y1;
    out.turn.resize(2, out.w.size());
    out.turn << out.slope.row(1), -out.slope.row(0);
    const auto second = [&](int i, int j) -> RowVectorXd {
      return axes_(i, 0) * axes_(j, 0) * xx + (axes_(i, 0) * axes_(j, 1) + axes_(i, 1) * axes_(j, 0)) * xy +
             axes_(i, 1) * axes_(j, 1) * yy;
    };
    out.curvature.resize(3, out.w.size());
    out.curvature << -second(0, 0), -second(1, 1), -2 * second(0, 1);
    return out;
  }

 private:
  Vector2d place(const Vector2d& x) const { return (axes_.transpose() * (x - origin_)).cwiseQuotient(scale_); }
  RowVectorXd row(int dx, int dy, const Vector2d& at) const {
    RowVectorXd out(static_cast<Index>(terms_.size()));
    for (size_t k = 0; k < terms_.size(); ++k) out[static_cast<Index>(k)] = derive(terms_[k], dx, dy, at);
    return out / (std::pow(scale_[0], dx) * std::pow(scale_[1], dy));
  }

  const std::vector<Term>& terms_;
  Vector2d origin_;
  Matrix2d axes_;
  Vector2d scale_;
  MatrixX coefficients_;
};

Matrix2d axes_along(const Vector2d& direction) {
  const Vector2d e = direction.normalized();
  Matrix2d axes;
  axes << e[0], -e[1], e[1], e[0];
  return axes;
}

std::vector<BendingPoint> calc_all(const PolynomialPlate& plate, const std::vector<PlanePoint>& points) {
  std::vector<BendingPoint> out;
  for (const PlanePoint& point : points) out.push_back(plate.calc(point.x));
  return out;
}

// β = (θ₂ −θ₁) of the nodes and of the middles of the sides, rows on (w, θ₁, θ₂) of the nodes. In a middle the part
// along the side is the slope of the cubic through its ends, the part across it their mean.
std::array<Eigen::Matrix<double, 2, 9>, 6> calc_dkt_slopes(const PlanePlaces& nodes) {
  std::array<Eigen::Matrix<double, 2, 9>, 6> beta;
  for (auto& b : beta) b.setZero();
  for (Index i = 0; i < 3; ++i) {
    beta[static_cast<size_t>(i)](0, 3 * i + 2) = 1;
    beta[static_cast<size_t>(i)](1, 3 * i + 1) = -1;
  }
  for (Index i = 0; i < 3; ++i) {
    const Index j = (i + 1) % 3;
    const Vector2d d = nodes.col(j) - nodes.col(i), s = d.normalized(), n(s[1], -s[0]);
    const Eigen::Matrix<double, 2, 9> ends = beta[static_cast<size_t>(i)] + beta[static_cast<size_t>(j)];
    Eigen::Matrix<double, 1, 9> along = -s.transpose() * ends / 4;
    along[3 * i] += 1.5 / d.norm();
    along[3 * j] -= 1.5 / d.norm();
    beta[static_cast<size_t>(3 + i)] = s * along + n * (n.transpose() * ends) / 2;
  }
  return beta;
}

// w of a triangle, cubic: linear in rigid motions, slopes normal to the sides not continuous.
void calc_cubic_deflection(const PlanePlaces& nodes, const PlanePoint& point, BendingPoint& out) {
  const VectorX& L = point.N;
  const Gradients& dL = point.dN;
  out.w.setZero(9);
  out.slope.setZero(2, 9);
  const double bubble = L[0] * L[1] * L[2];
  const Vector2d bubble_slope =
      (L[1] * L[2] * dL.row(0) + L[2] * L[0] * dL.row(1) + L[0] * L[1] * dL.row(2)).transpose();
  for (Index i = 0; i < 3; ++i) {
    double w = L[i];
    Vector2d slope = dL.row(i).transpose();
    for (const Index j : {(i + 1) % 3, (i + 2) % 3}) {
      const double square = L[i] * L[i] * L[j];
      const Vector2d square_slope = (2 * L[i] * L[j] * dL.row(i) + L[i] * L[i] * dL.row(j)).transpose();
      w += square - L[i] * L[j] * L[j];
      slope += square_slope - (L[j] * L[j] * dL.row(i) + 2 * L[i] * L[j] * dL.row(j)).transpose();
      // ∇w of node i along the side to j, with w,₁ = −θ₂ and w,₂ = θ₁.
      const Vector2d d = nodes.col(j) - nodes.col(i);
      const double value = square + bubble / 2;
      const Vector2d gradient = square_slope + bubble_slope / 2;
      out.w[3 * i + 1] += value * d[1];
      out.w[3 * i + 2] -= value * d[0];
      out.slope.col(3 * i + 1) += gradient * d[1];
      out.slope.col(3 * i + 2) -= gradient * d[0];
    }
    out.w[3 * i] = w;
    out.slope.col(3 * i) = slope;
  }
}

// Shear along ξ (or η) at a place of the quadrilateral: w,ξ + β·x,ξ.
RowVectorXd covariant_shear(const PlanePlaces& nodes, const Vector2d& xi, int axis) {
  const SurfaceShape shape = calc_surface_shape(4, false, xi);
  const Vector2d along = nodes * shape.dN.col(axis);
  RowVectorXd out(12);
  for (Index a = 0; a < 4; ++a) {
    out[3 * a] = shape.dN(a, axis);
    out[3 * a + 1] = -shape.N[a] * along[1];
    out[3 * a + 2] = shape.N[a] * along[0];
  }
  return out;
}

}  // namespace

std::vector<BendingPoint> bend_acm(const PlanePlaces& nodes, const std::vector<PlanePoint>& points) {
  static const std::vector<Term> terms = {{{0, 0}}, {{1, 0}}, {{0, 1}}, {{2, 0}}, {{1, 1}}, {{0, 2}},
                                          {{3, 0}}, {{2, 1}}, {{1, 2}}, {{0, 3}}, {{3, 1}}, {{1, 3}}};
  const Vector2d a = nodes.col(1) - nodes.col(0), b = nodes.col(3) - nodes.col(0);
  return calc_all(PolynomialPlate(terms, nodes, nodes.col(0), axes_along(a), {a.norm(), b.norm()}), points);
}

std::vector<BendingPoint> bend_merged(const PlanePlaces& nodes, const std::vector<PlanePoint>& points) {
  static const std::vector<Term> terms = {{{0, 0}}, {{1, 0}}, {{0, 1}},         {{2, 0}}, {{1, 1}},
                                          {{0, 2}}, {{3, 0}}, {{1, 2}, {2, 1}}, {{0, 3}}};
  constexpr double kRight = 1e-9, kEqual = 1e-3;
  for (Index i = 0; i < 3; ++i) {
    const Vector2d a = nodes.col((i + 1) % 3) - nodes.col(i), b = nodes.col((i + 2) % 3) - nodes.col(i);
    if (std::abs(a.dot(b)) > kRight * a.norm() * b.norm()) continue;
    const double longer = std::max(a.norm(), b.norm());
    if (std::abs(a.norm() - b.norm()) < kEqual * longer)
      throw NumericalError("a triangle of `plate_merged` has equal legs, a = " + shortest(a.norm()) +
                           " m and b = " + shortest(b.norm()) +
                           " m: its polynomial has x²y + xy² as one term and cannot be found "
                           "from the nodes there; cut the area otherwise, or use `plate_dkt`");
    return calc_all(PolynomialPlate(terms, nodes, nodes.col(i), axes_along(a), {longer, longer}), points);
  }
  throw NumericalError("a triangle of `plate_merged` has no right angle, which it needs; use `plate_dkt`");
}

std::vector<BendingPoint> bend_dkt(const PlanePlaces& nodes, const std::vector<PlanePoint>& points) {
  const auto beta = calc_dkt_slopes(nodes);
  std::vector<BendingPoint> out;
  for (const PlanePoint& point : points) {
    BendingPoint& at = out.emplace_back();
    calc_cubic_deflection(nodes, point, at);
    const SurfaceShape quadratic = calc_surface_shape(3, true, point.xi);
    // ∂/∂(ξ, η) to ∂/∂(x₁, x₂): the linear shape functions say how, as ∇L₂ and ∇L₃ are ∇ξ and ∇η.
    const Gradients dN = quadratic.dN * point.dN.bottomRows(2);
    Eigen::Matrix<double, 2, 9> value = Eigen::Matrix<double, 2, 9>::Zero(), d1 = value, d2 = value;
    for (Index k = 0; k < 6; ++k) {
      value += quadratic.N[k] * beta[static_cast<size_t>(k)];
      d1 += dN(k, 0) * beta[static_cast<size_t>(k)];
      d2 += dN(k, 1) * beta[static_cast<size_t>(k)];
    }
    at.turn.resize(2, 9);
    at.turn << -value.row(1), value.row(0);
    at.curvature.resize(3, 9);
    at.curvature << d1.row(0), d2.row(1), d2.row(0) + d1.row(1);
  }
  return out;
}

std::vector<BendingPoint> bend_mitc4(const PlanePlaces& nodes, const std::vector<PlanePoint>& points) {
  const RowVectorXd below = covariant_shear(nodes, {0, -1}, 0), above = covariant_shear(nodes, {0, 1}, 0);
  const RowVectorXd left = covariant_shear(nodes, {-1, 0}, 1), right = covariant_shear(nodes, {1, 0}, 1);
  std::vector<BendingPoint> out;
  for (const PlanePoint& point : points) {
    BendingPoint& at = out.emplace_back();
    at.w.setZero(12);
    at.slope.setZero(2, 12);
    at.turn.setZero(2, 12);
    at.curvature.setZero(3, 12);
    for (Index a = 0; a < 4; ++a) {
      at.w[3 * a] = point.N[a];
      at.slope.col(3 * a) = point.dN.row(a).transpose();
      at.turn(0, 3 * a + 1) = at.turn(1, 3 * a + 2) = point.N[a];
      at.curvature(0, 3 * a + 2) = point.dN(a, 0);
      at.curvature(1, 3 * a + 1) = -point.dN(a, 1);
      at.curvature(2, 3 * a + 1) = -point.dN(a, 0);
      at.curvature(2, 3 * a + 2) = point.dN(a, 1);
    }
    Eigen::Matrix<double, 2, Eigen::Dynamic> covariant(2, 12);
    covariant << (1 - point.xi[1]) / 2 * below + (1 + point.xi[1]) / 2 * above,
        (1 - point.xi[0]) / 2 * left + (1 + point.xi[0]) / 2 * right;
    const Matrix2d J = nodes * calc_surface_shape(4, false, point.xi).dN;
    at.shear = J.transpose().inverse() * covariant;
  }
  return out;
}

}  // namespace elodyn
