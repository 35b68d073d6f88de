// Linear buckling: by which factor λ may the loads grow until a neighbouring state is in balance too?
//   (K0 + λ K1) φ = 0,   λ > 0
// K1: what grows, the geometric stiffness of the loads that vary and, with the motion, the centrifugal stiffness S;
// K0: elastic stiffness and all terms that stay. Spinning, λ goes with the square of the speed.
// Limits: small displacements before buckling; dead loads (constant in body axes); conservative loads only. An angular
// acceleration makes a circulatory (skew) stiffness E, under which a body may flutter without any such λ: refused.
// Coriolis forces do no work and do not enter: λ is where the lowest static stiffness is lost.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/each_body.hpp"
#include "elodyn/analysis/shapes.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {
namespace {

using Vary = BucklingRequest::Vary;

bool varies(const MatrixTerm& term, Vary vary) {
  const bool applied = term.factor.kind == Factor::Kind::load;
  switch (term.kind) {
    case TermKind::geometric:
      return vary == Vary::all || applied == (vary == Vary::applied);
    case TermKind::centrifugal_stiffness:
      return vary != Vary::applied;
    default:
      return false;
  }
}

struct Split {
  SparseMatrix K0, K1;
  bool has_load = false;  // something varies
};

Split split_stiffness(const BodySystem& s, const BucklingRequest& request) {
  const FactorValues at = s.calc_factors(request.time);
  const AffineEquation& equation = s.reduced;
  VectorX fixed = VectorX::Zero(equation.pattern->n_nonzeros()), varying = fixed;
  for (const MatrixTerm& term : equation.matrices) {
    if (!acts_on_displacement(term.kind)) continue;
    const double factor = term.coefficient * at(term.factor);
    const bool euler = term.kind == TermKind::euler, ground = term.kind == TermKind::circulatory;
    if ((euler || ground) && factor != 0 && !term.values.isZero(0))
      throw NumericalError("body `" + s.body->name + "` has " +
                           (euler ? "an angular acceleration" : "dashpots to the ground that see it turn") +
                           ": its stiffness is circulatory (skew) and buckling factors do not decide stability; look "
                           "at the growth of the modes (elodyn modes), or " +
                           (euler ? "choose an instant without it" : "leave the dashpots out"));
    (varies(term, request.vary) ? varying : fixed) += factor * term.values;
  }
  return {equation.pattern->to_matrix(fixed), equation.pattern->to_matrix(varying), !varying.isZero(0)};
}

BucklingModes solve_body(const BodySystem& s, const Split& split, const BucklingRequest& request) {
  const std::string body = "body `" + s.body->name + "`";
  if (s.rigid.cols() > 0 && is_null(split.K0, s.rigid))
    throw NumericalError(body +
                         (s.rigid_twist.cols() > 0
                              ? " can move as a whole without straining: buckling needs a held body; add supports"
                              : " has parts that hinges let swing: buckling needs them held; add supports, or "
                                "leave what pulls them fixed by `vary`"));
  if (std::optional<BucklingModes> modes = solve_buckling(split.K0, split.K1, request.count)) return *modes;
  const StaticSolver elastic(s, s.reduced.calc_elastic());  // says which dof if the body itself is loose
  throw NumericalError(body +
                       ": the stiffness is not positive under the loads that stay fixed: the body is already beyond "
                       "buckling under them alone; make them smaller, or choose another `vary`");
}

bool has_buckling_speed(const BodySystem& s, const BucklingRequest& request) {
  const Motion& motion = s.body->motion;
  return request.vary != Vary::applied && motion.kind == Motion::Kind::spin && motion.speed != 0;
}

// A factor has the round-off of the elastic energy of its shape.
void warn_of_round_off(const BodySystem& s, const Eigen::VectorXcd& q, std::vector<std::string>& warnings) {
  constexpr double kWorthSaying = 1e-6;
  if (const double estimate = estimate_round_off(s, q); estimate > kWorthSaying)
    warnings.push_back(
        fmt::format("body `{}`: the elements are so short that round-off may change the lowest buckling factor by "
                    "{:.0e} of its value; use fewer elements or a higher degree",
                    s.body->name, estimate));
}

class BucklingAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "buckling"; }
  std::string_view summary() const override { return "factors of the loads at which a body buckles, and its shapes"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    const BucklingRequest request = bodies.front().model->buckling.value_or(BucklingRequest{});
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> number, factor, speed;
    std::vector<std::string> body;
    const auto add_body = [&](const BodySystem& s) {
      const Split split = split_stiffness(s, request);
      const BucklingModes modes = solve_body(s, split, request);
      const DrawingGrid drawing = make_drawing_grid(s);
      std::vector<PointField> fields;
      std::vector<GridShape> shapes;
      const auto add_row = [&](double k, double value) {
        number.push_back(k);
        body.push_back(s.body->name);
        factor.push_back(value);
        speed.push_back(has_buckling_speed(s, request) ? std::abs(s.body->motion.speed) * std::sqrt(value) : kNone);
      };
      for (Eigen::Index k = 0; k < modes.factors.size(); ++k) {
        add_row(static_cast<double>(k) + 1, modes.factors[k]);
        const Eigen::VectorXcd q = (s.constraints.T() * modes.vectors.col(k)).cast<std::complex<double>>();
        if (k == 0) warn_of_round_off(s, q, results.warnings);
        const std::string field = fmt::format("buckling_{}", k + 1);
        add_shape(drawing, field, q, fields);
        shapes.push_back(
            {"buckling", fmt::format("{}, shape {}, factor {:.4g}", s.body->name, k + 1, modes.factors[k]), field});
      }
      if (modes.factors.size() == 0) {
        add_row(kNone, kNone);
        results.warnings.push_back(
            fmt::format("body `{}`: nothing buckles: {}", s.body->name,
                        split.has_load ? "the loads only stiffen"
                                       : "no load that varies pulls or presses it along its members (lateral "
                                         "buckling by bending or torque is not looked for)"));
      } else {
        results.grids.push_back(
            make_grid(s, drawing, s.body->name + "_buckling", std::move(fields), std::move(shapes)));
      }
    };
    EachBody each;
    for (const BodySystem& s : bodies) each.run([&] { add_body(s); });
    if (body.empty()) each.rethrow();
    Table table{"buckling", "Buckling factors", {{"number", "", number}, {"body", "", body}, {"factor", "", factor}}};
    if (std::any_of(bodies.begin(), bodies.end(), [&](const BodySystem& s) { return has_buckling_speed(s, request); }))
      table.columns.push_back({"speed", "rad/s", speed});
    results.tables.push_back(std::move(table));
    each.rethrow();
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_buckling_analysis() { return std::make_unique<BucklingAnalysis>(); }

}  // namespace elodyn
