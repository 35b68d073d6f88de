#include "elodyn/mechanism/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

// Rows of unit length whose rest after elimination is below this depend on the others; positions are met to round-off.
constexpr double kDependent = 1e-9;

// A value that a coordinate shall have.
struct Wish {
  int x = 0;
  double value = 0;
};

std::string describe_wish(const Mechanism& mechanism, const Wish& wish, const char* what) {
  return fmt::format("joint {}, its given {}", mechanism.coordinate_name(wish.x), what);
}

// Two axes of a joint that have the same sense: column of its axes.
struct Sense {
  size_t joint = 0;
  int column = 0;
};

class Assembler {
 public:
  Assembler(Mechanism& mechanism, double t)
      : mechanism_(mechanism), at_(mechanism.make_instant()), state_(mechanism.make_guess(t)) {
    mechanism.set_offsets(state_);
    for (const auto& joint : mechanism.joints())
      for (int k = 0; k < joint.n_x; ++k) {
        const auto i = static_cast<size_t>(k);
        if (joint.position[i]) positions_.push_back({joint.first_x + k, *joint.position[i]});
        if (joint.speed[i]) speeds_.push_back({joint.first_x + k, *joint.speed[i]});
      }
    for (size_t j = 0; j < mechanism.joints().size() && !mechanism.is_planar(); ++j) {
      const Joint::Kind kind = mechanism.joints()[j].kind;
      const bool holds_turn = kind == Joint::Kind::prismatic || kind == Joint::Kind::fixed;
      if (holds_turn || kind == Joint::Kind::revolute || kind == Joint::Kind::cylindrical) senses_.push_back({j, 2});
      if (holds_turn) senses_.insert(senses_.end(), {{j, 0}, {j, 1}});
    }
  }

  Assembly run() {
    Assembly out;
    out.iterations = find_positions_from_near();
    mechanism_.evaluate(state_, at_);
    // A gear keeps what the positions give it.
    for (size_t g = 0; g < mechanism_.gears().size(); ++g) {
      const auto& gear = mechanism_.gears()[g];
      mechanism_.set_gear_constant(static_cast<int>(g), at_.x[gear.x1] - gear.ratio * at_.x[gear.x2]);
    }
    mechanism_.evaluate(state_, at_);
    state_.x = at_.x;
    require_sense();
    choose_rows(out);
    find_velocities();
    out.state = state_;
    return out;
  }

 private:
  bool is_gear(int row) const {
    return std::any_of(mechanism_.gears().begin(), mechanism_.gears().end(),
                       [&](const auto& gear) { return gear.row == row; });
  }

  Vec3 calc_axis(const Sense& sense, int side) const {
    const auto& joint = mechanism_.joints()[sense.joint];
    const auto& end = side == 0 ? joint.a : joint.b;
    return mechanism_.calc_R(at_, end.body) * end.axes.col(sense.column);
  }

  // Φ without gears, then the positions that are given, then u_b − u_a of axes that shall have the same sense, which
  // the rows of Φ do not know; in units of length.
  void calc_gaps(VectorX& gaps, MatrixX* A) {
    mechanism_.evaluate(state_, at_);
    const int m = mechanism_.n_holonomic(), wishes = m + static_cast<int>(positions_.size());
    const int n = wishes + 3 * static_cast<int>(senses_.size());
    gaps.resize(n);
    if (A) A->setZero(n, mechanism_.n_v());
    const auto put = [&](int row, double gap, const auto& entries) {
      // Rows of angles are made as long as those of lengths.
      const double length = entries.cwiseQuotient(mechanism_.units().transpose()).norm();
      const double scale = length > 0 ? 1 / length : 1;
      gaps[row] = gap * scale;
      if (A) A->row(row) = entries * scale;
    };
    for (int i = 0; i < m; ++i) {
      put(i, at_.phi[i], at_.A.row(i));
      if (is_gear(i)) {
        gaps[i] = 0;
        if (A) A->row(i).setZero();
      }
    }
    for (size_t i = 0; i < positions_.size(); ++i)
      put(m + static_cast<int>(i), at_.x[positions_[i].x] - positions_[i].value, at_.J.row(positions_[i].x));
    for (size_t i = 0; i < senses_.size(); ++i) {
      const int row = wishes + 3 * static_cast<int>(i);
      gaps.segment<3>(row) = mechanism_.size() * (calc_axis(senses_[i], 1) - calc_axis(senses_[i], 0));
      if (!A) continue;
      const auto& joint = mechanism_.joints()[senses_[i].joint];
      for (const int side : {0, 1}) {
        const int body = (side == 0 ? joint.a : joint.b).body;
        if (body == mechanism_.n_bodies()) continue;
        // d u = ω × u
        const Mat3 turn = (side == 0 ? 1 : -1) * mechanism_.size() * skew(calc_axis(senses_[i], side));
        A->block<3, 3>(row, mechanism_.bodies()[static_cast<size_t>(body)].v0 + 3) =
            turn * mechanism_.calc_R(at_, body);
      }
    }
  }

  // A guess that is symmetric or stretched may hold the method where no joint closes: steps aside, growing, free it.
  int find_positions_from_near() {
    constexpr int kMostTries = 10;
    const MechanismState guess = state_;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    VectorX aside(mechanism_.n_v());
    VectorX first_gaps;
    for (int k = 0, iterations = 0; k < kMostTries; ++k) {
      if (k > 0) {
        for (double& step : aside) step = number(random);
        state_ = guess;
        mechanism_.add_step(state_.q,
                            0.02 * std::exp2(k) * mechanism_.size() * aside.cwiseQuotient(mechanism_.units()));
      }
      iterations += find_positions();
      if (is_closed_) return iterations;
      if (k == 0) first_gaps = gaps_;
    }
    throw_not_closed(first_gaps);
  }

  int find_positions() {
    constexpr int kMostIterations = 500;
    const double met = 64 * kEps * mechanism_.size() * std::max(1, mechanism_.n_v());
    const VectorX inverse = mechanism_.units().cwiseInverse();
    VectorX gaps, trial;
    MatrixX A;
    double damping = 1e-3;
    int iteration = 0;
    calc_gaps(gaps, &A);
    double now = gaps.norm();
    int without_gain = 0;
    for (; iteration < kMostIterations && now > 0; ++iteration) {
      const MatrixX scaled = A * inverse.asDiagonal();
      const MechanismState before = state_;
      const double previous = now;
      // Close to the solution the damping goes with the gap, so that the steps become those of Newton.
      const double extra = damping * std::min(1.0, now / mechanism_.size());
      MatrixX normal = scaled.transpose() * scaled;
      normal.diagonal().array() += std::max(extra, 1e-14);
      MatrixX step = -scaled.transpose() * gaps;
      if (!cholesky_in_place(normal)) {
        damping *= 10;
        continue;
      }
      solve_lower(normal, step);
      solve_lower_transposed(normal, step);
      mechanism_.add_step(state_.q, step.col(0).cwiseProduct(inverse));
      calc_gaps(trial, &A);
      if (trial.norm() < now) {
        gaps = trial;
        now = trial.norm();
        damping = std::max(1e-12, damping / 10);
        state_.x = at_.x;
        without_gain = now > 0.5 * previous && now < met ? without_gain + 1 : 0;
        if (without_gain > 2) break;
      } else {
        state_ = before;
        calc_gaps(gaps, &A);
        if (now < met) break;
        damping *= 10;
        if (damping > 1e12) break;
      }
    }
    is_closed_ = now <= 1e4 * met;
    gaps_ = gaps;
    return iteration;
  }

  [[noreturn]] void throw_not_closed(const VectorX& gaps) {
    Eigen::Index worst = 0;
    const double gap = gaps.cwiseAbs().maxCoeff(&worst);
    const size_t m = static_cast<size_t>(mechanism_.n_holonomic()), row = static_cast<size_t>(worst);
    const std::string where =
        row < m ? mechanism_.row_name(static_cast<int>(row))
        : row < m + positions_.size()
            ? describe_wish(mechanism_, positions_[row - m], "position")
            : "joint " + mechanism_.joints()[senses_[(row - m - positions_.size()) / 3].joint].name;
    std::vector<std::string> given;
    for (const auto& driver : mechanism_.drivers()) given.push_back(describe_driver(driver));
    for (const Wish& wish : positions_) given.push_back("joint " + mechanism_.coordinate_name(wish.x));
    throw NumericalError(fmt::format(
        "the mechanism cannot be assembled at t = {:.6g} s: a gap of {:.4g} m is left, the largest in {}; check the "
        "lengths of the bodies{}, or start from better places and attitudes",
        state_.t, gap, where, given.empty() ? "" : " and the positions that are given (" + join(given, ", ") + ")"));
  }

  std::string describe_driver(const Mechanism::DriverBlock& driver) const {
    return "driver " + driver.name + " of joint " + mechanism_.coordinate_name(driver.x);
  }

  // What does not go together, as the rest of least squares has it: rows that have none of it are not to blame. Drivers
  // and given speeds if there are any, since they are what can be changed; else the row with the largest rest.
  std::string describe_conflict(const VectorX& rest) const {
    const int m = mechanism_.n_rows();
    Eigen::Index worst = 0;
    const double largest = rest.cwiseAbs().maxCoeff(&worst);
    constexpr double kShare = 1e-3;
    std::vector<std::string> names;
    for (const auto& driver : mechanism_.drivers())
      if (std::abs(rest[driver.row]) > kShare * largest) names.push_back(describe_driver(driver));
    for (size_t i = 0; i < speeds_.size(); ++i)
      if (std::abs(rest[m + static_cast<Eigen::Index>(i)]) > kShare * largest)
        names.push_back(describe_wish(mechanism_, speeds_[i], "speed"));
    if (names.size() > 1) return join(names, " and ") + " contradict each other";
    if (names.size() == 1) return names.front() + " contradicts the joints";
    return mechanism_.row_name(static_cast<int>(worst)) + " contradicts the others";
  }

  // Axes that must be along each other could meet the wrong way round just as well.
  void require_sense() {
    for (const Sense& sense : senses_)
      if (calc_axis(sense, 0).dot(calc_axis(sense, 1)) < 0)
        throw NumericalError(fmt::format(
            "joint {} is assembled with the axes of its bodies the wrong way round; start from attitudes that are "
            "nearer to the position that is meant",
            mechanism_.joints()[sense.joint].name));
    constexpr double kFlat = 1e-6;
    if (const std::string flat = find_flat_disk(mechanism_, at_, kFlat); !flat.empty())
      throw NumericalError(fmt::format(
          "the disk of rolling joint {} lies flat on its plane, where it has no point of contact; start with its axis "
          "inclined to the normal of the plane",
          flat));
  }

  int calc_rank(Elimination& elimination, const std::vector<int>& rows) {
    elimination.factor(at_.A, rows, mechanism_.units(), kDependent);
    return elimination.rank();
  }

  // Independent rows, as many as there are. Where drivers contradict or repeat each other, it is a driver that is left
  // out and not a joint.
  std::vector<int> find_independent(Elimination& elimination) {
    std::vector<int> all(static_cast<size_t>(mechanism_.n_rows()));
    std::iota(all.begin(), all.end(), 0);
    const int rank = calc_rank(elimination, all);
    const auto list = [](const Elimination& of) {
      std::vector<int> rows;
      for (int k = 0; k < of.rank(); ++k) rows.push_back(of.row(k));
      return rows;
    };
    if (rank == mechanism_.n_rows() || mechanism_.drivers().empty()) return list(elimination);
    for (const auto& driver : mechanism_.drivers()) std::erase(all, driver.row);
    Elimination part;
    calc_rank(part, all);
    std::vector<int> kept = list(part);
    for (const auto& driver : mechanism_.drivers()) {
      kept.push_back(driver.row);
      if (calc_rank(part, kept) < static_cast<int>(kept.size())) kept.pop_back();
    }
    if (static_cast<int>(kept.size()) == rank && calc_rank(part, kept) == rank) elimination = part;
    return list(elimination);
  }

  void choose_rows(Assembly& out) {
    Elimination elimination;
    std::vector<int> kept = find_independent(elimination);
    int rank = elimination.rank();
    if (rank < mechanism_.n_rows() && rank < mechanism_.n_v()) {
      // Beside the position: some admissible step and back onto the constraints.
      const MechanismState here = state_;
      std::mt19937 random(1);
      std::uniform_real_distribution<double> number(-1, 1);
      VectorX step = VectorX::Zero(mechanism_.n_v());
      for (int k = 0; k < elimination.n_free(); ++k) {
        const VectorX column = elimination.complement().col(k);
        step += 1e-2 * mechanism_.size() * number(random) * column / column.cwiseProduct(mechanism_.units()).norm();
      }
      mechanism_.add_step(state_.q, step);
      std::vector<Wish> none;
      none.swap(positions_);
      find_positions();
      mechanism_.evaluate(state_, at_);
      Elimination beside;
      if (const std::vector<int> rows = find_independent(beside); is_closed_ && beside.rank() > rank) {
        out.is_singular = true;
        elimination = beside;
        rank = beside.rank();
        kept = rows;
      }
      none.swap(positions_);
      state_ = here;
      mechanism_.evaluate(state_, at_);
    }
    std::sort(kept.begin(), kept.end());
    for (int row = 0; row < mechanism_.n_rows(); ++row)
      (std::binary_search(kept.begin(), kept.end(), row) ? out.rows.rows : out.rows.redundant).push_back(row);
    for (const int row : out.rows.rows)
      if (row < mechanism_.n_holonomic()) out.rows.holonomic.push_back(row);
    for (const int row : out.rows.redundant) out.redundant.push_back(mechanism_.row_name(row));
    out.rows.n_free = mechanism_.n_v() - rank;
    out.rows.pivot = elimination.last_pivot();
  }

  void find_velocities() {
    const int m = mechanism_.n_rows(), n = m + static_cast<int>(speeds_.size());
    if (n == 0) return;
    MatrixX A(n, mechanism_.n_v());
    VectorX want(n);
    A.topRows(m) = at_.A;
    want.head(m) = at_.b;
    for (size_t i = 0; i < speeds_.size(); ++i) {
      A.row(m + static_cast<Eigen::Index>(i)) = at_.J.row(speeds_[i].x);
      want[m + static_cast<Eigen::Index>(i)] = speeds_[i].value;
    }
    const VectorX inverse = mechanism_.units().cwiseInverse();
    A = A * inverse.asDiagonal();
    for (int i = 0; i < n; ++i)
      if (const double length = A.row(i).norm(); length > 0) {
        A.row(i) /= length;
        want[i] /= length;
      }
    const VectorX v = least_squares(A, want);
    const VectorX rest = A * v - want;
    if (rest.cwiseAbs().maxCoeff() > 1e-9 * (v.norm() + want.norm()))
      throw NumericalError(fmt::format(
          "no velocities satisfy the joints at t = {:.6g} s: {}; give fewer speeds or drivers, or start from another "
          "position",
          state_.t, describe_conflict(rest)));
    state_.v = v.cwiseProduct(inverse);
    mechanism_.evaluate(state_, at_);
  }

  Mechanism& mechanism_;
  MechanismInstant at_;
  MechanismState state_;
  std::vector<Wish> positions_, speeds_;
  std::vector<Sense> senses_;
  VectorX gaps_;
  bool is_closed_ = false;
};

}  // namespace

std::string find_flat_disk(const Mechanism& mechanism, const MechanismInstant& at, double least) {
  if (mechanism.is_planar()) return {};
  for (const auto& joint : mechanism.joints()) {
    if (joint.kind != Joint::Kind::rolling) continue;
    const Vec3 normal = mechanism.calc_R(at, joint.a.body) * joint.a.axes.col(2);
    const Vec3 axis = mechanism.calc_R(at, joint.b.body) * joint.b.axes.col(2);
    if (normal.cross(axis).norm() < least) return joint.name;
  }
  return {};
}

Assembly assemble(Mechanism& mechanism, double t) { return Assembler(mechanism, t).run(); }

}  // namespace elodyn
