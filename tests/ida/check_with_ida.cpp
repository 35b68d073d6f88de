// The dynamic motion of a mechanism once more, by IDA of SUNDIALS: an implicit multistep method of variable order with
// the multipliers as unknowns, where ours is an explicit pair on independent speeds with projection. The equations are
// those of Gear, Gupta and Leimkuhler [Gear1985], of index 2, which hold positions and velocities without projection:
//   q̇ = N(q)(v + A_hᵀμ),   M v̇ = Q(q, v, λ) + Aᵀλ,   A v = b,   Φ(q, t) = 0                                       (1)
// A_h: the holonomic rows; μ is zero but for errors. Coulomb friction takes λ as it stands in (1): nothing is iterated.
// Both take M, A, Φ, Q from the same evaluation, whose rows the law tests check against differences.
//
// usage: elodyn_ida FILE [SECONDS]
// SECONDS: the motion is cut to that length (1). Exit code 1 if positions or speeds differ by more than 1e-6 of their
// size, 2 if the file is wrong.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ida/ida.h>
#include <memory>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "app/program.hpp"

#include "elodyn/io/read_model.hpp"
#include "elodyn/mechanism/assemble.hpp"
#include "elodyn/mechanism/mechanism_motion.hpp"
#include "elodyn/study/mechanism.hpp"

namespace elodyn {
namespace {

constexpr double kOurs = 1e-11, kTheirs = 1e-10, kSame = 1e-6;

struct Context {
  SUNContext it = nullptr;
  Context() {
    if (SUNContext_Create(nullptr, &it) != 0) throw std::runtime_error("SUNContext_Create failed");
  }
  ~Context() { SUNContext_Free(&it); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

void require(int flag, const char* what) {
  if (flag < 0) throw std::runtime_error(std::string(what) + " of SUNDIALS failed: " + std::to_string(flag));
}

class IdaMotion {
 public:
  IdaMotion(const Mechanism& mechanism, const Assembly& assembly)
      : mechanism_(mechanism),
        rows_(assembly.rows),
        state_(assembly.state),
        at_(mechanism.make_instant()),
        n_q_(mechanism.n_q()),
        n_v_(mechanism.n_v()),
        n_(n_q_ + n_v_ + static_cast<int>(rows_.rows.size() + rows_.holonomic.size())),
        lambda_(VectorX::Zero(mechanism.n_rows())),
        mu_(VectorX::Zero(mechanism.n_v())) {
    y_ = N_VNew_Serial(n_, context_.it);
    y_rate_ = N_VNew_Serial(n_, context_.it);
    tolerance_ = N_VNew_Serial(n_, context_.it);
    id_ = N_VNew_Serial(n_, context_.it);
    matrix_ = SUNDenseMatrix(n_, n_, context_.it);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_.it);
    ida_ = IDACreate(context_.it);
    start();
  }
  ~IdaMotion() {
    IDAFree(&ida_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, y_rate_, tolerance_, id_}) N_VDestroy(v);
  }
  IdaMotion(const IdaMotion&) = delete;
  IdaMotion& operator=(const IdaMotion&) = delete;

  // The state at a later time.
  const MechanismInstant& go_to(double t) {
    double reached = state_.t;
    if (t > state_.t) require(IDASolve(ida_, t, &reached, y_, y_rate_, IDA_NORMAL), "IDASolve");
    take(t, map(y_));
    mechanism_.evaluate(state_, at_);
    state_.x = at_.x;
    return at_;
  }
  const MechanismState& state() const { return state_; }
  long n_steps() const {
    long steps = 0;
    IDAGetNumSteps(ida_, &steps);
    return steps;
  }

 private:
  static Eigen::Map<VectorX> map(N_Vector v) { return {N_VGetArrayPointer(v), N_VGetLength(v)}; }

  void start() {
    MotionSolver solver(mechanism_, rows_, MechanismRequest::Formalism::multipliers);
    mechanism_.evaluate(state_, at_);
    VectorX a, q_rate;
    solver.solve(at_, a);
    solver.calc_lambda(at_, a, lambda_);
    mechanism_.calc_q_rate(state_.q, state_.v, q_rate);
    auto y = map(y_), rate = map(y_rate_), tolerance = map(tolerance_), id = map(id_);
    y.setZero(), rate.setZero(), id.setZero();
    y.head(n_q_) = state_.q;
    y.segment(n_q_, n_v_) = state_.v;
    for (size_t i = 0; i < rows_.rows.size(); ++i) y[n_q_ + n_v_ + static_cast<int>(i)] = lambda_[rows_.rows[i]];
    rate.head(n_q_) = q_rate;
    rate.segment(n_q_, n_v_) = a;
    id.head(n_q_ + n_v_).setOnes();
    // Lengths by the size of the mechanism. Newton's method finds multipliers as well as it can: in steps of h their
    // round-off is that of positions over h², and no more is asked of them than that they converge.
    tolerance.head(n_q_ + n_v_).setConstant(kTheirs * std::max(1e-3, mechanism_.size()));
    tolerance.tail(n_ - n_q_ - n_v_).setConstant(1 + lambda_.lpNorm<Eigen::Infinity>());
    require(IDAInit(ida_, residual, state_.t, y_, y_rate_), "IDAInit");
    require(IDASVtolerances(ida_, kTheirs, tolerance_), "IDASVtolerances");
    require(IDASetUserData(ida_, this), "IDASetUserData");
    require(IDASetId(ida_, id_), "IDASetId");
    require(IDASetSuppressAlg(ida_, 1), "IDASetSuppressAlg");
    require(IDASetMaxNumSteps(ida_, 5'000'000), "IDASetMaxNumSteps");
    require(IDASetLinearSolver(ida_, solver_, matrix_), "IDASetLinearSolver");
  }

  void take(double t, const Eigen::Map<VectorX>& y) {
    state_.t = t;
    state_.q = y.head(n_q_);
    state_.v = y.segment(n_q_, n_v_);
  }

  static int residual(double t, N_Vector y, N_Vector rate, N_Vector out, void* self) {
    static_cast<IdaMotion*>(self)->calc_residual(t, map(y), map(rate), map(out));
    return 0;
  }

  void calc_residual(double t, const Eigen::Map<VectorX>& y, const Eigen::Map<VectorX>& rate, Eigen::Map<VectorX> out) {
    take(t, y);
    mechanism_.evaluate(state_, at_);
    const int first_lambda = n_q_ + n_v_, n_lambda = static_cast<int>(rows_.rows.size());
    for (int i = 0; i < n_lambda; ++i) lambda_[rows_.rows[static_cast<size_t>(i)]] = y[first_lambda + i];
    mu_.setZero();
    for (size_t i = 0; i < rows_.holonomic.size(); ++i)
      mu_ += y[first_lambda + n_lambda + static_cast<int>(i)] * at_.A.row(rows_.holonomic[i]).transpose();
    mechanism_.calc_q_rate(state_.q, state_.v + mu_, q_rate_);
    force_ = -at_.Q - at_.A.transpose() * lambda_;
    add_friction();
    mechanism_.add_mass_times(rate.segment(n_q_, n_v_), force_);
    out.head(n_q_) = rate.head(n_q_) - q_rate_;
    out.segment(n_q_, n_v_) = force_;
    const VectorX slip = at_.A * state_.v - at_.b;
    for (int i = 0; i < n_lambda; ++i) out[first_lambda + i] = slip[rows_.rows[static_cast<size_t>(i)]];
    for (size_t i = 0; i < rows_.holonomic.size(); ++i)
      out[first_lambda + n_lambda + static_cast<int>(i)] = at_.phi[rows_.holonomic[i]];
  }

  void add_friction() {
    for (size_t j = 0; j < mechanism_.joints().size(); ++j) {
      const auto& joint = mechanism_.joints()[j];
      if (!joint.has_coulomb()) continue;
      const double N = calc_joint_force(mechanism_, at_, static_cast<int>(j), lambda_);
      const double arm = mechanism_.coordinate_is_angle(joint.first_x) ? joint.pin_radius : 1;
      const double value = -joint.coulomb * N * arm * std::tanh(at_.x_rate[joint.first_x] / joint.smoothing);
      force_ -= value * at_.J.row(joint.first_x).transpose();
    }
  }

  const Mechanism& mechanism_;
  RowChoice rows_;
  MechanismState state_;
  MechanismInstant at_;
  int n_q_, n_v_, n_;
  VectorX lambda_, mu_, q_rate_, force_;
  Context context_;
  N_Vector y_ = nullptr, y_rate_ = nullptr, tolerance_ = nullptr, id_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void* ida_ = nullptr;
};

int check(const std::string& file, double seconds) {
  Diagnostics diagnostics;
  ReadOptions options;
  options.names = app::known_names();
  options.names.wanted = {"mechanism"};
  const Model model = load_model(file, options, diagnostics);
  Mechanism mechanism(model, calc_elastic_masses(model));
  MechanismRequest request = *model.mechanism;
  request.kind = MechanismRequest::Kind::dynamic;
  request.tolerance = kOurs;
  request.duration = std::min(request.duration, seconds);
  request.records = 100;
  const Assembly assembly = assemble(mechanism, request.start);
  const MechanismMotion motion = run_mechanism(mechanism, assembly, make_options(mechanism, request));

  IdaMotion other(mechanism, assembly);
  double position = 0, speed = 0, fastest = 0, drift = 0;
  for (size_t k = 0; k < motion.times.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const MechanismInstant& at = other.go_to(motion.times[k]);
    const VectorX v = (other.state().v - motion.v.col(column)).cwiseProduct(mechanism.units());
    fastest = std::max(fastest, motion.v.col(column).cwiseProduct(mechanism.units()).cwiseAbs().maxCoeff());
    speed = std::max(speed, v.cwiseAbs().maxCoeff());
    if (at.phi.size() > 0) drift = std::max(drift, at.phi.cwiseAbs().maxCoeff());
    for (const auto& body : mechanism.bodies())
      for (int i = 0; i < body.n_q; ++i) {
        const double scale = i < (mechanism.is_planar() ? 2 : 3) ? mechanism.size() : 1;
        position = std::max(position, std::abs(other.state().q[body.q0 + i] - motion.q(body.q0 + i, column)) / scale);
      }
  }
  if (fastest > 0) speed /= fastest;
  std::printf(
      "%s: %.3g s, %ld steps and %ld of IDA; largest difference of places and angles %.1e, of speeds %.1e of "
      "the fastest; IDA's |Phi| %.1e\n",
      file.c_str(), motion.times.back() - motion.times.front(), motion.steps, other.n_steps(), position, speed, drift);
  return position <= kSame && speed <= kSame ? 0 : 1;
}

}  // namespace
}  // namespace elodyn

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: elodyn_ida FILE [SECONDS]\n");
    return 2;
  }
  try {
    return elodyn::check(argv[1], argc > 2 ? std::atof(argv[2]) : 1);
  } catch (const elodyn::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
