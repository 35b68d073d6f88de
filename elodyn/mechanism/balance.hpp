// Forces of a mechanism from motions of its bodies that were measured: of Newton and Euler's equations
//   M v̇ − Q = Aᵀ λ                                                                                                (1)
// those of the bodies whose motion is known, for the λ of all rows that reach one of them. Rows are those of joints, of
// gears, and of drivers, which stand for whatever acts along a coordinate and is not known. More equations than
// unknowns: least squares in the given weights; fewer, or dependent ones: the shortest λ, and null vectors that say
// what is not determined. The motion may be completed first, position, velocity and acceleration one after the other,
// with the rows of joints and gears:  min |W(S z − measured)|  with  Φ = 0, A v = 0, A v̇ = γ (2) S picking the bodies
// that were measured. What it leaves open is an error that names the bodies. Source: THEORY "liaison forces";
// docs/theory/experiment-motion.md. Limits: a joint whose directions are those of a body that is not known, and that
// the other one does not share, cannot be resolved; dry friction is not a law that can be taken out.
#pragma once

#include <string>
#include <vector>

#include "elodyn/mechanism/liaison.hpp"

namespace elodyn {

// World axes; of the centre of mass.
struct KnownMotion {
  int body = 0;
  Vec3 C = Vec3::Zero(), v = Vec3::Zero(), a = Vec3::Zero();
  Mat3 R = Mat3::Identity();
  double angle = 0;  // plane
  Vec3 w = Vec3::Zero(), e = Vec3::Zero();
  // Inverse square roots of the covariances of the body's own place, velocity, acceleration, in the order of its v;
  // empty: 1.
  MatrixX whiten[3];
};

class ForceBalance {
 public:
  // The model's drivers, and its motors and forces on coordinates but for those of `trust`, are made drivers of unknown
  // force, those of one coordinate together; Coulomb friction is left out.
  static Model make_model(const Model& model, const std::vector<std::string>& trust);

  // Of a mechanism of such a model. `start`: where the bodies are that are never known; positions are looked for from
  // it.
  ForceBalance(const Mechanism& mechanism, MechanismState start, std::vector<bool> is_known, bool completes);

  struct Solution {
    MechanismState state;
    VectorX acceleration, lambda;  // λ of rows that reach no known body: 0
    std::vector<JointLoad> loads;
  };
  // `near`: the state before; angles are counted on from it.
  Solution solve(double t, const std::vector<KnownMotion>& known, const MechanismState& near) const;

  struct Determinacy {
    int n_equations = 0, n_unknowns = 0, rank = 0;
    std::vector<bool> reached;       // joints on a known body
    std::vector<Determined> joints;  // of the force on b and the moment
    std::vector<bool> drivers;
    bool is_complete() const { return rank == n_unknowns; }
  };
  // With these bodies known, and the forces of some drivers besides, at a state.
  Determinacy find_determinacy(const MechanismState& state, const std::vector<bool>& is_known,
                               const std::vector<bool>& driver_is_known) const;
  const std::vector<bool>& is_known() const { return is_known_; }

 private:
  struct Equations {
    MatrixX E;              // rows: of known bodies; columns: unknown rows of A
    std::vector<int> rows;  // of A
    std::vector<int> columns;
  };
  Equations make_equations(const MechanismInstant& at, const std::vector<bool>& is_known,
                           const std::vector<bool>& driver_is_known) const;
  void put(const std::vector<KnownMotion>& known, MechanismState& state, VectorX& acceleration) const;
  void complete(const std::vector<KnownMotion>& known, MechanismState& state, VectorX& acceleration,
                MechanismInstant& at) const;
  VectorX solve_constrained(const std::vector<KnownMotion>& known, int order, const VectorX& measured, const MatrixX& A,
                            const VectorX& rhs) const;

  const Mechanism& mechanism_;
  MechanismState start_;
  std::vector<bool> is_known_;
  bool completes_;
  std::vector<int> kinematic_;  // rows of joints and gears
};

}  // namespace elodyn
