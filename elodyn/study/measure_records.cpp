#include "elodyn/study/measure_records.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/random.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/model/measure.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// e^A by scaling, Taylor's series and squaring.
MatrixX exponential(MatrixX A) {
  const double size = A.cwiseAbs().colwise().sum().maxCoeff();
  const int squarings = std::max(0, static_cast<int>(std::ceil(std::log2(std::max(size, 1e-300)))) + 3);
  A *= std::exp2(-squarings);
  constexpr int kTerms = 14;  // (1/8)^15/15! is below round-off
  MatrixX sum = MatrixX::Identity(A.rows(), A.cols()), term = sum;
  for (int k = 1; k <= kTerms; ++k) {
    term = multiply(A, term) / k;
    sum += term;
  }
  for (int k = 0; k < squarings; ++k) sum = multiply(sum, sum);
  return sum;
}

// (1) for one force: the state (z, ż) from step to step, f straight between them.
class Stepper {
 public:
  Stepper(const VectorX& squares, const MatrixX& damping, const VectorX& load, double step) {
    const Eigen::Index m = squares.size();
    // of (z, ż, f, ḟ): the last two go on as they are
    MatrixX A = MatrixX::Zero(2 * m + 2, 2 * m + 2);
    A.block(0, m, m, m).setIdentity();
    A.block(m, 0, m, m) = -MatrixX(squares.asDiagonal());
    A.block(m, m, m, m) = -damping;
    A.block(m, 2 * m, m, 1) = load;
    A(2 * m, 2 * m + 1) = 1;
    acceleration_ = A.block(m, 0, m, 2 * m + 1);
    const MatrixX E = exponential(A * step);
    state_ = E.topLeftCorner(2 * m, 2 * m);
    now_ = E.block(0, 2 * m, 2 * m, 1) - E.block(0, 2 * m + 1, 2 * m, 1) / step;
    next_ = E.block(0, 2 * m + 1, 2 * m, 1) / step;
    x_ = VectorX::Zero(2 * m);
  }

  void advance(double f, double f_next) { x_ = (state_ * x_ + now_ * f + next_ * f_next).eval(); }
  // z̈ under the force f
  VectorX acceleration(double f) const {
    return acceleration_.leftCols(x_.size()) * x_ + acceleration_.rightCols(1) * f;
  }

 private:
  MatrixX acceleration_, state_;
  VectorX now_, next_, x_;
};

struct Place {
  std::string point;  // of the body
  int direction = 0;
};

struct Pulse {
  double start = 0, force = 0;
};

class SensorStudy {
 public:
  SensorStudy(const Model& model, MeasuredData& data, Results& results)
      : request_(*model.measure),
        records_(*request_.records),
        hammer_(*records_.hammer),
        data_(data),
        results_(results) {
    model_ = without_rigid_bodies(model);
    body_name_ = parse_body_point(hammer_.at.front().value)->body;
    for (Body& body : model_.bodies)
      if (body.name == body_name_) load_by_sensors(body);
  }

  void run() {
    const auto body =
        std::find_if(model_.bodies.begin(), model_.bodies.end(), [&](const Body& b) { return b.name == body_name_; });
    ELODYN_REQUIRE(body != model_.bodies.end());
    const BodySystem system = make_body_system(model_, *body);
    find_modes(system);
    put_geometry(system);
    std::vector<std::string> at;
    std::vector<double> blows, largest;
    for (size_t k = 0; k < hammer_.at.size(); ++k) {
      throw_if_interrupted();
      const Place place{parse_body_point(hammer_.at[k].value)->point, hammer_.direction};
      // Each record has numbers of its own, whatever the others take.
      Random random(static_cast<std::uint64_t>(request_.seed) * 1'000'003U + k);
      const std::vector<Pulse> pulses = make_pulses(random);
      record(system, place, pulses, random);
      at.push_back(MeasuredDof{place.point, place.direction}.name());
      blows.push_back(static_cast<double>(pulses.size()));
      double most = 0;
      for (const Pulse& pulse : pulses) most = std::max(most, pulse.force);
      largest.push_back(most);
    }
    results_.tables.push_back(
        {"hammer",
         fmt::format("Records of {} s at {:.6g} Hz, {} accelerometer{}, {} modes up to {:.6g} Hz", request_.duration,
                     records_.rate, records_.accelerometers.size(), records_.accelerometers.size() == 1 ? "" : "s",
                     squares_.size(), squares_.size() > 0 ? std::sqrt(squares_[squares_.size() - 1]) / kTurn : 0.0),
         {{"struck_at", "", at}, {"blows_and_bounces", "", blows}, {"largest_force", "N", largest}}});
  }

 private:
  void load_by_sensors(Body& body) const {
    for (const Accelerometer& sensor : records_.accelerometers) {
      if (!(sensor.mass > 0)) continue;
      LumpedMass& mass = body.masses.emplace_back();
      mass.at = {parse_body_point(sensor.at.value)->point, sensor.at.mark};
      mass.mass = sensor.mass;
    }
  }

  void find_modes(const BodySystem& system) {
    const QuadraticProblem p = make_mode_problem(system, 0);
    const double highest = 0.9 * 0.5 * records_.rate * kTurn;
    const auto n = static_cast<int>(p.K.rows());
    constexpr int kMostModes = 400;
    SymmetricModes modes;
    for (int count = std::min(n, 20);; count = std::min(n, 2 * count)) {
      modes = solve_symmetric_modes(p.K, p.M, count, system.rigid);
      const double last = modes.squares[modes.squares.size() - 1];
      if (last > highest * highest || count == n) break;
      if (count > kMostModes)
        throw NumericalError(fmt::format("body `{}` has more than {} modes below {:.6g} Hz: record with a lower rate",
                                         body_name_, kMostModes, highest / kTurn));
    }
    Eigen::Index kept = 0;
    while (kept < modes.squares.size() && modes.squares[kept] <= highest * highest) ++kept;
    if (kept == 0)
      throw NumericalError(
          fmt::format("body `{}` has no mode below {:.6g} Hz: record with a higher rate", body_name_, highest / kTurn));
    squares_ = modes.squares.head(kept).cwiseMax(0);
    const MatrixX Phi = modes.vectors.leftCols(kept);
    damping_ = Phi.transpose() * (p.C * Phi);
    if (p.damped.cols() > 0) {
      const MatrixX across = p.damped.transpose() * Phi;
      damping_ += across.transpose() * p.damping_weights.asDiagonal() * across;
    }
    shapes_ = system.constraints.T() * Phi;
    if (damping_.diagonal().minCoeff() <= 0)
      results_.warnings.push_back("body `" + body_name_ +
                                  "` has a mode without damping: what a blow has stirred up never ends; see [body." +
                                  body_name_ + ".damping]");
  }

  VectorX row_of(const BodySystem& system, const Place& place) const {
    const int node = system.mesh.node_of_point.at(place.point);
    const int dof =
        system.mesh.nodes[static_cast<size_t>(node)].translations()[static_cast<size_t>(std::abs(place.direction) - 1)];
    if (dof < 0)
      throw NumericalError("point `" + place.point + "` of body `" + body_name_ + "` does not move along " +
                           MeasuredDof{"", place.direction}.name());
    return (place.direction < 0 ? -1 : 1) * shapes_.row(dof).transpose();
  }

  std::vector<Pulse> make_pulses(Random& random) const {
    std::vector<Pulse> pulses;
    for (double t = hammer_.first; t + hammer_.width <= request_.duration; t += hammer_.interval.value_or(0)) {
      const double force = hammer_.force * std::max(0.05, 1 + hammer_.scatter * random.normal());
      pulses.push_back({t, force});
      if (random.uniform() < hammer_.double_hits) pulses.push_back({t + hammer_.bounce_delay, force / 3});
      if (!hammer_.interval) break;
    }
    return pulses;
  }

  double force_at(const std::vector<Pulse>& pulses, double t) const {
    double sum = 0;
    for (const Pulse& pulse : pulses)
      if (const double u = (t - pulse.start) / hammer_.width; u > 0 && u < 1)
        sum += pulse.force * 0.5 * (1 - std::cos(kTurn * u));
    return sum;
  }

  void record(const BodySystem& system, const Place& struck, const std::vector<Pulse>& pulses, Random& random) {
    constexpr int kSubsteps = 8;
    const double step = 1 / records_.rate, part = step / kSubsteps;
    const auto n = static_cast<size_t>(std::floor(request_.duration * records_.rate * (1 + 1e-12))) + 1;
    Stepper stepper(squares_, damping_, row_of(system, struck), part);
    const size_t n_sensors = records_.accelerometers.size();
    MatrixX rows(static_cast<Eigen::Index>(n_sensors), shapes_.cols());
    std::vector<Signal> signals(n_sensors + 1);
    signals[0].name = "force " + MeasuredDof{struck.point, struck.direction}.name();
    signals[0].at = {struck.point, struck.direction};
    signals[0].quantity = Measurand::force;
    signals[0].unit = "N";
    for (size_t s = 0; s < n_sensors; ++s) {
      const Accelerometer& sensor = records_.accelerometers[s];
      const Place place{parse_body_point(sensor.at.value)->point, sensor.direction};
      rows.row(static_cast<Eigen::Index>(s)) = row_of(system, place).transpose();
      signals[s + 1].at = {place.point, place.direction};
      signals[s + 1].name = "a " + signals[s + 1].at.name();
      signals[s + 1].quantity = Measurand::acceleration;
      signals[s + 1].unit = "m/s^2";
    }
    for (Signal& signal : signals) {
      signal.step = step;
      signal.values.reserve(n);
    }
    const auto cut = [](double value, double range) { return range > 0 ? std::clamp(value, -range, range) : value; };
    Progress progress("recording", static_cast<double>(n));
    double f = force_at(pulses, 0);
    for (size_t i = 0; i < n; ++i) {
      const VectorX a = rows * stepper.acceleration(f);
      signals[0].values.push_back(cut(f + hammer_.noise * random.normal(), hammer_.range));
      for (size_t s = 0; s < n_sensors; ++s) {
        const Accelerometer& sensor = records_.accelerometers[s];
        signals[s + 1].values.push_back(
            cut(sensor.gain * a[static_cast<Eigen::Index>(s)] + sensor.noise * random.normal(), sensor.range));
      }
      for (int k = 0; k < kSubsteps; ++k) {
        const double next = force_at(pulses, step * static_cast<double>(i) + part * (k + 1));
        stepper.advance(f, next);
        f = next;
      }
      constexpr size_t kLook = 4096;
      if (i % kLook == 0) {
        throw_if_interrupted();
        progress.set_done(static_cast<double>(i));
      }
    }
    std::move(signals.begin(), signals.end(), std::back_inserter(data_.signals));
  }

  // Places of what was struck or measured at, body axes.
  void put_geometry(const BodySystem& system) {
    std::vector<std::string> points;
    for (const Located<std::string>& at : hammer_.at) points.push_back(parse_body_point(at.value)->point);
    for (const Accelerometer& sensor : records_.accelerometers)
      points.push_back(parse_body_point(sensor.at.value)->point);
    for (const std::string& point : points) {
      const auto is_same = [&](const MeasuredGeometry::Node& node) { return node.name == point; };
      if (std::any_of(data_.geometry.nodes.begin(), data_.geometry.nodes.end(), is_same)) continue;
      const int node = system.mesh.node_of_point.at(point);
      data_.geometry.nodes.push_back({point, system.mesh.nodes[static_cast<size_t>(node)].x});
    }
  }

  const MeasureRequest& request_;
  const RecordsRequest& records_;
  const HammerRequest& hammer_;
  MeasuredData& data_;
  Results& results_;
  Model model_;
  std::string body_name_;
  VectorX squares_;
  MatrixX damping_, shapes_;
};

}  // namespace

void record_sensors(const Model& model, MeasuredData& data, Results& results) {
  ELODYN_REQUIRE(model.measure && model.measure->records && model.measure->records->hammer);
  SensorStudy(model, data, results).run();
}

}  // namespace elodyn
