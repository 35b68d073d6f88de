// All bodies of a mechanism together, small motions beside its rigid motion: elastic links with all their coordinates
// in their moving frames, rigid bodies with three (six) each, nothing held but by the joints.
//   M ÿ + C(t) ẏ + K(t) y = f(t) + A(t)ᵀδλ,   A(t) y = 0,   differentiated  A ẏ + Ȧ y = 0                          (1)
// y: z of the links and δ of the rigid bodies. Loads f of a link are those of the rigid stage, its joints' forces λ
// among them (study/elastic_links.hpp), so that f has no resultant; rigid bodies have none at all. What the joints
// transmit is λ + δλ. Rows of A: what a joint's row of the rigid mechanism does to a body, moved to the joint's point,
//   row·(v_C, ω) = f·v_C + m_C·ω,   m_P = m_C − (P − C) × f   ⇒   (Rᵀf)·u_P + (Rᵀm_P)·θ_P                        (2)
// Drivers and gears are rows like others. Freedoms that neither have are held where the rigid motion has them, along
// coordinates of joints: those with a motor first, then those whose start is given.
// Maggi's projection: the coordinates D that the rows determine are eliminated,
//   y = 𝓑(t) s,  𝓑 = [1; N],  N = −A_D⁻¹A_I,   A_D Ṅ = −(Ȧ_I + Ȧ_D N),  A_D N̈ = −(Ä_I + 2Ȧ_D Ṅ + Ä_D N)
//   𝓑ᵀM𝓑 s̈ + 𝓑ᵀ(C𝓑 + 2M𝓑̇) ṡ + 𝓑ᵀ(K𝓑 + C𝓑̇ + M𝓑̈) s = 𝓑ᵀf                                              (3)
// so position and velocity meet the joints exactly, and no multiplier appears; δλ follows from Aᵀδλ = Mÿ + Cẏ + Ky − f.
// Rigid bodies: δ along world axes and, in space, about body axes; forces that act on one with a lever turn with it,
//   planar   m δ̈ = …,  J φ̈ + (Σ ρ·F) φ = …                                                                       (4)
//   spatial  J φ̈ + [J ω]φ̇ … : J(φ̈ + ω̇×φ + ω×φ̇) + (φ̇ + ω×φ)×Jω + ω×J(φ̇ + ω×φ) + Σ r×(φ×F) + φ×m = …           (5)
// The force of a joint that slides on a moving body turns with that body (planar).
// Sources: [Maggi1901]; docs/theory/elastic-mechanisms.md. Limits: first order in y; motors, springs, friction and
// other applied forces are those of the rigid motion; joints of velocities (rolling, knife edge) are not taken; in
// space the axes of joints are those of the rigid motion; full matrices, so hundreds of coordinates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/LU>

#include "elodyn/base/spline.hpp"
#include "elodyn/mechanism/liaison.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

// Functions of time between records, quintics with value, slope and curvature of both ends: what is evaluated and its
// first two derivatives belong together exactly.
class QuinticCourses {
 public:
  QuinticCourses() = default;
  // A row for each function, a column for each record.
  QuinticCourses(std::vector<double> times, MatrixX values, MatrixX rates, MatrixX seconds);
  const std::vector<double>& times() const { return times_; }
  void calc(double t, VectorX& value, VectorX& rate, VectorX& second) const;
  // value + rate τ + second τ²/2 at a record
  void calc_beside(size_t record, double tau, VectorX& value) const;

 private:
  std::vector<double> times_;
  MatrixX values_, rates_, seconds_;
};

// q(t) of the rigid motion between its records, and x; v is not set.
class RigidPath {
 public:
  RigidPath(const Mechanism& mechanism, const MechanismMotion& motion);
  double start() const { return times().front(); }
  double end() const { return times().back(); }
  const std::vector<double>& times() const { return q_.times(); }
  void calc(double t, MechanismState& state) const;
  // A parabola through a record, whose first two derivatives there are those of the motion.
  void calc_beside(size_t record, double tau, MechanismState& state) const;

 private:
  void set_rest(double t, Eigen::Index record, MechanismState& state) const;

  const Mechanism& mechanism_;
  QuinticCourses q_;
  MatrixX x_;
};

// (1) at one instant. Joints see only the last coordinates of y, and A has these columns alone.
struct LinkageTerms {
  MatrixX C, K;
  VectorX f;
  RowMatrix A, A_rate, A_second;  // rows × n_seen
};

class Linkage {
 public:
  inline static constexpr int kMostCoordinates = 600;

  // A link of the mechanism: free, with its loads; and the damping of its modes.
  struct Link {
    const BodySystem* system = nullptr;
    MatrixX damping;  // on the reduced coordinates of the system, added to C
  };
  // All must live longer. Throws NumericalError that names the joint if it cannot be taken.
  Linkage(const Mechanism& mechanism, const MechanismMotion& motion, const RowChoice& rows, std::vector<Link> links);

  // y begins with the coordinates that no joint sees, all of them of links.
  int n() const { return n_; }
  int n_seen() const { return n_seen_; }
  int n_inner() const { return n_ - n_seen_; }
  int n_rows() const { return static_cast<int>(rows_.size()); }
  const MatrixX& mass() const { return M_; }
  const VectorX& units() const { return units_; }
  std::string row_name(int row) const { return rows_[static_cast<size_t>(row)].name; }
  const std::vector<std::string>& held() const { return held_; }  // coordinates of joints that nothing drives
  // The mechanism moves from and to; beyond the end a motion that repeats itself goes on (MotionTable::fold).
  const RigidPath& path() const { return path_; }

  // In place; nothing is allocated after the first time.
  void calc_terms(double t, LinkageTerms& out) const;
  void calc_joints(double t, LinkageTerms& out) const;    // A, Ȧ, Ä alone
  void calc_matrices(double t, LinkageTerms& out) const;  // C, K, f alone
  // A as the rigid motion has it at t, which calc_joints has between its records to their order.
  void calc_rows(double t, RowMatrix& A) const;

  // z of a link, or δ of a rigid body.
  VectorX pick(const std::string& body, const VectorX& y) const;
  const std::vector<Link>& links() const { return links_; }

  // What δλ does to body b of a joint at its point, world axes.
  Wrench calc_joint_force(double t, int joint, const VectorX& delta_lambda) const;

 private:
  // A row of A is a sum of rows of the mechanism's A or J, each seen by the two bodies of one joint.
  struct Part {
    int joint = 0, row = 0;  // of A, or a coordinate
    bool is_coordinate = false;
    double factor = 1;
  };
  struct Row {
    std::string name;
    std::vector<Part> parts;
  };
  // A place where a joint takes hold of a body: displacement and rotation there, of the body's coordinates that it
  // sees.
  struct Port {
    int body = 0;              // of the mechanism; the ground: none
    int link = -1;             // −1: rigid
    bool turns = true;         // elastic: it has the rotations that a joint may hold
    std::vector<int> columns;  // elastic: of z, then of y
    RowMatrix displacement;    // 3 × columns, elastic: body axes
    RowMatrix rotation;        // 3 × columns, elastic: body axes
  };
  struct Course {  // an entry of a matrix over time
    int row = 0, column = 0;
    CubicSpline values;
  };
  // The sums of one link, on its own pattern.
  struct LinkSums {
    std::vector<Eigen::Index> place;                     // of each nonzero in an n × n matrix
    std::vector<int> rows;                               // of its coordinates, in y
    std::vector<const MatrixTerm*> velocity, stiffness;  // those that vary
    mutable VectorX values, load;
  };

  void count_bodies();
  void number_bodies();
  void set_constant();
  void make_rows();
  void add_held_rows();
  void make_ports();
  class EntryHistories;
  void calc_port(const Mechanism::Side& side, const Port& port, Matrix6X& out) const;
  void add_sliding(size_t joint, size_t record, const Vec3& F, EntryHistories& K) const;
  void add_rigid_courses(const MechanismMotion& motion, const RowChoice& rows);
  void make_joint_courses(const MechanismMotion& motion);
  std::vector<std::pair<int, int>> find_joint_pattern() const;
  void set_rows(const MechanismState& state, RowMatrix& A) const;
  void add_side(const Part& part, const Mechanism::Side& side, const Port& port, int row, RowMatrix& A) const;
  double fold(double t) const;
  int joint_of(int x) const;

  const Mechanism& mechanism_;
  RigidPath path_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> place_;  // of each body of the mechanism: its coordinates in y
  std::vector<int> link_of_;             // −1: rigid
  int n_ = 0, n_seen_ = 0;
  MatrixX M_, C_constant_, K_constant_;
  VectorX units_;
  std::vector<Row> rows_;
  std::vector<std::string> held_;
  std::vector<std::array<Port, 2>> ports_;  // of each joint: a, b
  std::vector<Course> K_courses_, C_courses_;
  std::vector<LinkSums> sums_;
  std::vector<std::pair<int, int>> joint_pattern_;  // entries of A: row, column less those not seen
  QuinticCourses joint_courses_;                    // of each of them
  mutable VectorX entry_, entry_rate_, entry_second_;
  mutable MechanismInstant at_;
  mutable MechanismState state_;
  mutable FactorValues factors_;
};

// (3) at one instant: which coordinates are eliminated is chosen where `choose` is called, and kept.
class LinkageChart {
 public:
  explicit LinkageChart(const Linkage& linkage);

  // Throws NumericalError naming the row and the time if a row has come to depend on others.
  void choose(double t, const RowMatrix& A);
  void set(const LinkageTerms& terms);  // N, Ṅ, N̈

  Eigen::Index size() const { return linkage_.n_inner() + static_cast<Eigen::Index>(free_.size()); }
  struct Reduced {
    MatrixX M, C, K;
    VectorX f;
  };
  void reduce(const LinkageTerms& terms, Reduced& out) const;
  // (3) with 𝓑̇ = 𝓑̈ = 0: joints as they stand.
  void reduce_frozen(const LinkageTerms& terms, Reduced& out) const;

  // Columns: s, ṡ, s̈ ↔ y, ẏ, ÿ.
  MatrixX restrict(const MatrixX& y) const;
  MatrixX expand(const MatrixX& s) const;
  MatrixX expand_rate(const MatrixX& s, const MatrixX& s_rate) const;
  MatrixX expand_second(const MatrixX& s, const MatrixX& s_rate, const MatrixX& s_second) const;
  // δλ of each row; zero for rows that depend on others.
  VectorX calc_delta_lambda(const LinkageTerms& terms, const VectorX& y, const VectorX& y_rate,
                            const VectorX& y_second) const;

 private:
  void gather(const RowMatrix& A, const std::vector<int>& columns, MatrixX& out) const;
  void set_B(const MatrixX& N, double free, MatrixX& B) const;
  void project(const MatrixX& X, MatrixX& out) const;                                   // 𝓑ᵀX𝓑
  void add(double factor, const MatrixX& X, const MatrixX& right, MatrixX& out) const;  // 𝓑ᵀX 𝓑̇ or 𝓑ᵀX 𝓑̈
  void project_load(const VectorX& f, VectorX& out) const;

  const Linkage& linkage_;
  Elimination elimination_;
  VectorX units_;
  int rank_ = -1;                                        // of A; the same at all times
  std::vector<int> all_rows_, rows_, dependent_, free_;  // rows that count; columns of A
  MatrixX A_D_, A_I_;
  mutable MatrixX product_;
  Eigen::PartialPivLU<MatrixX> factor_;
  MatrixX N_, N_rate_, N_second_;
  MatrixX B_, B_rate_, B_second_;  // 𝓑 of the coordinates that joints see
};

}  // namespace elodyn
