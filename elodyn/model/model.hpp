// What the engineer describes: plain structs, SI units, filled by the reader, trusted after validate().
// Marks say where a thing stands in the input, for messages about things judged later.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/expression.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/base/units.hpp"
#include "elodyn/model/any_quantity.hpp"
#include "elodyn/model/marks.hpp"
#include "elodyn/model/material.hpp"
#include "elodyn/model/mechanism.hpp"
#include "elodyn/model/motion_table.hpp"
#include "elodyn/model/section.hpp"
#include "elodyn/model/surface_mesh.hpp"

namespace elodyn {

// A named place of a body, body axes.
struct Point {
  std::string name;
  Mark mark;
  Vec3 x = Vec3::Zero();  // m
  int mesh_node = -1;     // of the body's mesh file, which names it; −1: the node at x
  Marks marks;
};

// Rotations of a member's end that are not passed on to its node, about the member's own x, y, z.
struct Release {
  std::array<bool, 3> axis = {false, false, false};
  std::vector<Located<std::string>> given;  // as written: "rx", "ry", "rz"
  bool any() const { return axis[0] || axis[1] || axis[2]; }
  bool operator[](int k) const { return axis[static_cast<size_t>(k)]; }
};

// A straight piece between two points, cut into equal elements.
// Its axis runs from `from` + offset_from to `to` + offset_to; the offsets are rigid. Local x: along the axis,
// z: the part of the orientation vector across it, y = z × x.
struct Member {
  std::string name;
  Mark mark;
  Located<std::string> from, to;
  Located<int> elements;
  Located<std::string> material, section;  // empty: those of the body
  Located<std::string> section_to;         // tapered: dimensions change linearly to those at `to`; empty: uniform
  std::optional<Vec3> orientation;         // absent: that of the body
  Vec3 offset_from = Vec3::Zero(), offset_to = Vec3::Zero();  // m, body axes
  Release release_from, release_to;
  Marks marks;
};

// A piece of a surface with four straight sides, cut into nx pieces from corner 1 to 2 and ny from corner 2 to 3;
// triangles are two to a piece. Side k goes from corner k to the next one. Or a group of elements of the body's mesh
// file.
struct Area {
  std::string name;
  Mark mark;
  std::vector<Located<std::string>> corners;  // four points, round it
  Located<int> nx, ny;
  std::array<std::string, 4> sides;        // names of their own; empty: NAME.1 … NAME.4
  Located<std::string> material, section;  // empty: those of the body
  std::vector<int> elements;               // of the mesh file, by index; then without corners and cuts
  bool from_mesh = false;                  // not in the model file
  Marks marks;

  bool is_patch() const { return elements.empty(); }
  std::string side_name(size_t k) const { return sides[k].empty() ? name + "." + std::to_string(k + 1) : sides[k]; }
};

// What the supports hold. All act between the body and its moving frame.
struct Support {
  enum class Kind { clamp, pin, roller, hinge, voids };
  // clamp: displacement and rotation (never v''); pin: displacement; roller: the displacement along `normal`; hinge:
  // the displacement and the rotations across `axis`; voids: the change φ of the volume fraction, which the others
  // leave free
  Kind kind = Kind::clamp;
  Located<std::string> at;      // a point, or a side of an area
  Vec3 normal = Vec3::UnitY();  // roller only
  std::optional<Vec3> axis;     // hinge only; absent: along the side
  Marks marks;

  const char* kind_name() const;
};

// A spring, and a dashpot in parallel, from a point to the body's frame, to the ground or to another point.
// Between points the components act at `to`, on what carries `at`; the axial ones along the line between them.
struct Spring {
  enum class Other { frame, ground };  // ground: does not turn with a spinning frame
  Mark mark;
  Located<std::string> at;
  std::optional<Located<std::string>> to;
  Other other = Other::frame;
  Vec3 stiffness = Vec3::Zero();             // N/m
  Vec3 rotational_stiffness = Vec3::Zero();  // N m/rad
  Vec3 damping = Vec3::Zero();               // N s/m
  Vec3 rotational_damping = Vec3::Zero();    // N m s/rad
  double axial_stiffness = 0;                // N/m, along the line to `to`
  double axial_damping = 0;                  // N s/m
  Marks marks;
};

struct LumpedMass {
  Mark mark;
  Located<std::string> at;
  double mass = 0;                     // kg
  double inertia = 0;                  // kg m², about z through the point; dimension 2
  std::vector<double> inertia_tensor;  // Ixx, Iyy, Izz, Ixy, Iyz, Ixz through the point, kg m²; dimension 3, or empty
  Marks marks;

  // I in body axes: diagonal ∫(y²+z²)…, off the diagonal −∫xy… as given; zero without inertia.
  Mat3 calc_inertia() const;
};

// Points that move as one rigid body with the point `from`.
struct RigidLink {
  Mark mark;
  Located<std::string> from;
  std::vector<Located<std::string>> to;
  Marks marks;
};

// A load whose components are constant in body axes, or go with one factor of the time.
struct Load {
  Mark mark;
  std::optional<Located<std::string>> at;  // a point: force and moment
  std::optional<Located<std::string>> on;  // a member or the side of an area: per length; an area: per area
  Vec3 force = Vec3::Zero();               // N
  Vec3 moment = Vec3::Zero();              // N m
  Vec3 force_per_length = Vec3::Zero();    // N/m
  Vec3 force_per_area = Vec3::Zero();      // Pa
  Vec3 moment_per_length = Vec3::Zero();   // N
  double temperature = 0;                  // K above the stress-free state, on the axis
  double gradient_y = 0, gradient_z = 0;   // K/m along the section's y and z; z: a plate's normal
  std::optional<Expression> time;          // factor of all this, a function of t; absent: 1
  // In place of `time`, over the times of the body's motion in its mechanism; set by the program, not by the reader.
  std::shared_ptr<const CubicSpline> history;
  Marks marks;

  bool is_constant() const { return !history && (!time || time->is_constant()); }
};

// Loads that go with one factor of the time share a case. Case 0: those that are constant.
struct LoadFactor {
  std::optional<Expression> time;  // one of the two
  std::shared_ptr<const CubicSpline> history;
};
struct LoadCases {
  std::vector<LoadFactor> factors;  // of cases 1, 2, …
  std::vector<int> of_load;         // the case of each load
};
LoadCases find_load_cases(const std::vector<Load>& loads);

// D = mass·M + stiffness·K (Rayleigh), and a ratio ζ of critical for the modes of the body at rest.
struct Damping {
  double mass = 0;            // 1/s
  double stiffness = 0;       // s
  std::vector<double> modal;  // ζ of modes 1, 2, …; modes after the last have none
};

// Motion of the body's frame B in the world W; vectors in body axes.
struct Motion {
  // mechanism: as the rigid stage finds it; its table and the forces of the joints are made from that
  enum class Kind { rest, spin, prescribed, table, mechanism };
  Mark mark;
  Kind kind = Kind::rest;
  Vec3 axis = Vec3::UnitZ();                   // spin
  Vec3 through = Vec3::Zero();                 // spin: a point of the axis, m
  double speed = 0;                            // spin, rad/s
  std::array<Expression, 3> acceleration;      // prescribed: of the origin, gravity subtracted, m/s²
  std::array<Expression, 3> angular_velocity;  // prescribed, rad/s
  std::optional<std::array<Expression, 3>> angular_acceleration;  // prescribed; left out: the derivative, rad/s²
  std::string file;                                               // table: where it was read from, as written
  std::shared_ptr<const MotionTable> table;                       // table, mechanism; copies of the model share it
  Marks marks;

  bool is_steady() const { return kind == Kind::rest || kind == Kind::spin; }  // ω and the accelerations never change
  bool has_table() const { return kind == Kind::table || kind == Kind::mechanism; }
};

struct Body {
  std::string name;
  Mark mark;
  Located<std::string> element;
  int degree = 3;        // of the Hermite deflection: 3 or 5
  int axial_degree = 1;  // 1 to 3
  int dimension = 2;     // 2: u, v, v' in the xy plane; 3: the full spatial element
  Located<std::string> material, section;
  std::optional<Vec3> orientation;  // of the members that name none; absent: body z, body y for members along z
  // of surfaces
  PlaneState plane = PlaneState::stress;
  bool incompatible = false;                 // modes inside quadrilaterals that let them bend
  bool lumped_mass = false;                  // at the nodes, and loads per area too
  Vec3 material_axis = Vec3::UnitX();        // direction 1 of an orthotropic material
  PlaneState uniaxial = PlaneState::stress;  // of a bar with voids: its sides are free, or held
  std::string mesh_file;                     // as written; empty: none
  std::string mesh_unit = "m";               // of its lengths
  std::shared_ptr<const SurfaceMesh> mesh;   // read from the file; copies of the model share it
  std::vector<Point> points;
  std::vector<Member> members;
  std::vector<Area> areas;
  std::vector<Support> supports;
  std::vector<Spring> springs;
  std::vector<LumpedMass> masses;
  std::vector<RigidLink> links;
  std::vector<Load> loads;
  Damping damping;
  Motion motion;
  // In a mechanism a guess, which the assembly corrects.
  Vec3 place = Vec3::Zero();     // of the body's origin in the world, m
  Vec3 attitude = Vec3::Zero();  // rotation vector from world to body axes, rad
  // A rigid body has a mass in place of elements.
  std::optional<double> mass;          // kg
  Vec3 center = Vec3::Zero();          // of mass, body axes, m
  double inertia = 0;                  // dimension 2: about z through the centre, kg m²
  std::vector<double> inertia_tensor;  // dimension 3: as that of a LumpedMass, through the centre
  Marks rigid_marks;                   // of these four
  Marks marks;

  bool is_rigid() const { return mass.has_value(); }
  MassProperties calc_mass_properties() const;  // of a rigid body
  const Point* find_point(const std::string& wanted) const;
  const Member* find_member(const std::string& wanted) const;
  const Area* find_area(const std::string& wanted) const;
  // Members in the body's xy plane move in it alone, whatever turns them.
  bool moves_in_plane() const { return dimension == 2 && areas.empty(); }
  bool has_side(const std::string& wanted) const;
  // A vector in the member's xz plane; t: the unit vector along its axis.
  Vec3 calc_orientation(const Member& member, const Vec3& t) const;
};

// Switches, so that the effect of each term can be shown.
struct Terms {
  bool coriolis = true;
  bool euler = true;                  // stiffness E and load B
  bool centrifugal_stiffness = true;  // S
  bool centrifugal_load = true;       // H on the right-hand side; its pull stays in Kg
  bool geometric = true;              // Kg
  bool rotary = true;                 // inertia of the turning section
  bool origin_load = true;            // A: acceleration of the origin and gravity
  // Where the pull in Kg comes from. Anything but `accumulated` is a published mistake, kept to show its effect.
  enum class Pull { accumulated, own_element, reversed };
  Pull pull = Pull::accumulated;
};

struct ModesRequest {
  // Whose eigenvalues: of the equation in q, or of Hamilton's equations in (q, p).
  enum class Form { second_order, canonical };
  int count = 10;
  double time = 0;  // s: the instant at which a motion over time is frozen
  Form form = Form::second_order;
  std::optional<double> target;  // Hz: the modes nearest to this frequency; absent: the lowest
  bool prove = false;            // that none is missed, of large bodies too
  Marks marks;
};

struct StaticRequest {
  double time = 0;   // s
  int stations = 5;  // per element, ends included, where N, T, M are printed to files
  Marks marks;
};

// Factor λ by which loads may grow until the body buckles: K + fixed part + λ·(what varies) is singular.
struct BucklingRequest {
  enum class Vary { all, applied, inertia };  // inertia: what the motion and gravity cause; λ goes with speed²
  int count = 3;
  double time = 0;  // s
  Vary vary = Vary::all;
  Marks marks;
};

// Frequencies of a spinning body over its speed. The swept speed stands in place of that of its motion.
struct CampbellRequest {
  static constexpr int kMostSpeeds = 100'000;
  // rotating: the frame that turns with the body; fixed: seen from the ground, a whirl of frequency ω at |ω ± Ω|
  enum class Frame { rotating, fixed };
  struct Speeds {
    double from = 0, to = 0;  // rad/s
    int count = 61;
    Marks marks;
  };
  Located<std::string> body;  // whose speed is swept; empty: the one that spins
  Speeds speeds;
  int count = 10;                       // branches, the lowest at the first speed
  std::vector<double> orders = {1, 2};  // k of the critical speeds ω = kΩ
  Frame frame = Frame::rotating;
  double smallest_step = 1e-6;  // of the range of speeds: speeds added between are no nearer
  Marks marks;
};

// The motion of each body in time, from an initial state.
struct SimulateRequest {
  static constexpr int kMostSteps = 100'000'000, kMostRows = 2'000'000;
  enum class Initial { rest, equilibrium };  // undeformed, or deformed by the loads and the motion; without velocity
  double start = 0;                          // s
  double duration = 0;                       // s
  std::optional<double> step;                // s, at most; one of the three is given
  std::optional<int> steps;
  std::optional<double> tolerance;        // of a step, relative; the steps are found
  int records = 200;                      // with tolerance: at so many equal intervals
  Located<std::string> integrator;        // empty: the program's first
  std::optional<double> spectral_radius;  // of generalized_alpha for fast modes
  std::optional<double> newmark_beta, newmark_gamma;
  Initial initial = Initial::rest;
  std::optional<int> initial_mode;  // added: counted from 1, at the start
  double initial_amplitude = 0;     // its largest displacement as it swings, m
  double initial_phase = 0;         // rad: how far it has swung from there at the start
  struct PointVelocity {
    Located<std::string> point;
    Vec3 velocity = Vec3::Zero();  // m/s, relative to the frame
  };
  std::vector<PointVelocity> initial_velocity;  // added: the body moves as forces at these points would bend it
  std::vector<Located<std::string>> points;     // that are recorded; empty: all that the file names
  int every = 1;                                // k-th step is recorded
  std::string checkpoint;                       // how often the state is saved: "1000 steps", "60 s"; empty: never
  Marks marks;

  int n_steps() const;  // whole steps that are not longer than `step`; 0: cannot be said; with tolerance: intervals
  // Steps, or seconds of the clock on the wall, between two checkpoints; the other is 0. Nothing: not understood.
  struct Interval {
    long steps = 0;
    double seconds = 0;
  };
  std::optional<Interval> parse_checkpoint() const;
};

// Growth over one period of a motion or loads that repeat themselves.
struct FloquetRequest {
  std::optional<double> period;  // s; absent: the turn of the one body that spins in gravity
  double start = 0;              // s, of the period
  int count = 6;                 // slowest modes that are shown; those that grow come besides
  double tolerance = 1e-7;       // of multipliers, by which steps and basis are refined
  std::optional<int> basis;      // number of modes at rest that carry the motion; absent: found
  Marks marks;
};

// A number of the file that is varied in equal steps, from `from` to `to`, both included.
struct SweepParameter {
  static constexpr int kMostSteps = 100'000;
  Mark mark;
  Located<std::string> key;                // as with --set
  std::vector<Located<std::string>> also;  // other keys that get the same value
  std::string label;                       // in tables; empty: the last words of the key
  AnyQuantity from, to;
  int count = 41;
  Marks marks;

  double value(int k) const;
  bool is_whole() const { return from.is_integer && to.is_integer; }  // values without fraction are integers
  std::string name() const;                                           // the label, or what the key ends with
  std::string unit() const { return from.has_unit ? si_unit(from.dimension) : ""; }
};

// Frequencies of a body frozen at many instants of one cycle of its motion.
struct CycleRequest {
  static constexpr int kMostPoints = 1'000'000;
  std::optional<double> period;  // s; absent: that of the mechanism
  std::optional<double> start;   // s, of the cycle; absent: of the last one of the mechanism, else 0
  int count = 6;                 // modes
  int points = 72;               // equal intervals of the cycle
  // a number of the file, such as the speed of a driver: a cycle for each of its values
  std::optional<SweepParameter> over;
  Marks marks;
};

// All elastic links of a mechanism together, their joints as constraints.
struct LinkageRequest {
  static constexpr int kMostRecords = 100'000;
  static constexpr double kMostSteps = 1e8;
  enum class Kind { periodic, transient };
  enum class Initial { quasi_static, undeformed };
  Kind kind = Kind::periodic;
  std::optional<double> period, start;       // s; as those of CycleRequest; a transient starts with the motion
  std::optional<double> duration, step;      // s; transient
  Initial initial = Initial::quasi_static;   // transient
  double tolerance = 1e-6;                   // periodic: of the displacements, by which steps are refined
  int records = 180;                         // equal intervals
  int count = 6;                             // frequencies frozen at instants; 0: none
  std::vector<Located<std::string>> points;  // "rod.M"; empty: all of the links
  Marks marks;
};

// The vibration that remains in a motion that repeats itself, when all that the start has stirred up has died out.
struct PeriodicRequest {
  static constexpr int kMostRecords = 100'000;
  std::optional<double> period, start;       // as those of CycleRequest
  double tolerance = 1e-6;                   // of the displacements, by which steps and basis are refined
  std::optional<int> basis;                  // modes that swing; the others follow their loads; absent: found
  int records = 360;                         // equal intervals of the cycle
  int harmonics = 20;                        // of the spectra
  int stations = 5;                          // per element, ends included, where stresses are looked for
  std::vector<Located<std::string>> points;  // whose displacements and spectra are given; empty: all of the file
  Marks marks;
};

// A load that swings as cos(Ωt + phase): one of a Load, or a small motion of the body's frame besides its steady one.
// Vectors are 0-to-peak amplitudes of components in body axes.
struct HarmonicLoad : Load {
  Vec3 base_displacement = Vec3::Zero();          // m
  Vec3 base_acceleration = Vec3::Zero();          // m/s²
  Vec3 base_rotation = Vec3::Zero();              // rad, about the body's origin; of a spin about a point of its axis
  Vec3 base_angular_acceleration = Vec3::Zero();  // rad/s²
  double phase = 0;                               // rad

  bool moves_base() const {
    return !base_displacement.isZero(0) || !base_acceleration.isZero(0) || !base_rotation.isZero(0) ||
           !base_angular_acceleration.isZero(0);
  }
};

// Frequencies Ω/2π of a response, Hz.
struct FrequencyRange {
  enum class Spacing { linear, logarithmic };
  static constexpr int kMost = 1'000'000;
  double from = 0, to = 0;
  int count = 201;
  Spacing spacing = Spacing::linear;
  bool cluster = true;  // more of them near natural frequencies
  Marks marks;
};

// Steady response of one body to harmonic loads.
struct FrfRequest {
  enum class Method { direct, modal, craig_bampton };
  enum class Output { displacement, velocity, acceleration };
  enum class RelativeTo { frame, ground };
  Located<std::string> body;  // empty: the only one
  Method method = Method::direct;
  FrequencyRange frequencies;
  std::vector<HarmonicLoad> excitations;     // all act together
  std::vector<Located<std::string>> points;  // whose response is given; empty: all that the file names
  Output output = Output::displacement;
  RelativeTo relative_to = RelativeTo::frame;
  double loss_factor = 0;       // η of the elastic stiffness K (1 + iη)
  std::optional<int> modes;     // modal, craig_bampton: how many are kept
  std::optional<double> up_to;  // or all up to this frequency, Hz; neither: well beyond the highest of the response
  int corrections = 2;          // terms of the series that stands for the modes that are left out
  bool reactions = false;       // of the supports
  Marks marks;
};

// Craig and Bampton's reduction of one body.
struct ReductionRequest {
  static constexpr int kDefaultModes = 20;
  Located<std::string> body;                 // empty: the only one
  std::vector<Located<std::string>> points;  // of the interface
  std::optional<int> modes;                  // of the body with its interface held; absent: 20, or by up_to
  std::optional<double> up_to;               // Hz
  int compare = 10;                          // frequencies, with those of the full body; 0: none
  Marks marks;
};

// Where in a plane of two numbers of the file, or along one, the body is stable.
struct StabilityRequest {
  static constexpr int kMostPoints = 10'000'000;
  SweepParameter x;
  std::optional<SweepParameter> y;
  double tolerance = 1e-6;  // of from … to, within which a boundary is found
  Marks marks;

  std::vector<const SweepParameter*> parameters() const;
};

// What is asked of measurements, each in a header of its own: whoever computes need not know them.
struct IdentifyRequest;   // model/identify.hpp
struct SpectraRequest;    // model/spectra.hpp
struct ModalRequest;      // model/modal.hpp
struct CorrelateRequest;  // model/correlate.hpp
struct MeasureRequest;    // model/measure.hpp

struct Model {
  std::string title;
  Vec3 gravity = Vec3::Zero();  // m/s², world axes
  Located<std::string> formalism;
  Located<std::string> element_formalism;  // for the blocks of a formalism for systems
  Terms terms;
  std::vector<Material> materials;
  std::vector<Section> sections;
  std::vector<Body> bodies;
  std::vector<Point> ground_points;  // world axes; joints name them "ground.NAME"
  std::vector<Joint> joints;
  std::vector<Gear> gears;
  std::vector<Driver> drivers;
  std::vector<Motor> motors;
  std::vector<MechanismForce> forces;
  std::vector<MechanismSpring> springs;
  std::optional<MechanismRequest> mechanism;
  std::optional<ModesRequest> modes;
  std::optional<StaticRequest> static_;
  std::optional<BucklingRequest> buckling;
  std::optional<SimulateRequest> simulate;
  std::optional<CampbellRequest> campbell;
  std::optional<StabilityRequest> stability;
  std::optional<FloquetRequest> floquet;
  std::optional<CycleRequest> cycle;
  std::optional<PeriodicRequest> periodic;
  std::optional<LinkageRequest> linkage;
  std::shared_ptr<IdentifyRequest> identify;
  std::shared_ptr<SpectraRequest> spectra;
  std::shared_ptr<ModalRequest> modal;
  std::shared_ptr<CorrelateRequest> correlate;
  std::shared_ptr<MeasureRequest> measure;
  Marks marks;
  std::optional<FrfRequest> frf;
  std::optional<ReductionRequest> reduction;

  // Names in [analysis] of what is asked for, in the order in which it is done.
  std::vector<std::string> asked() const;
  std::vector<std::string> requested() const;  // the same; modes if nothing is asked for
  bool has_elastic_body() const;
  const Body* find_body(const std::string& name) const;
  const Joint* find_joint(const std::string& name) const;
  bool is_planar() const;  // the mechanism: all bodies have dimension 2
  const Material* find_material(const std::string& name) const;
  const Section* find_section(const std::string& name) const;
  // Whose speed [analysis.campbell] sweeps: the body it names, or the only one that spins; null if there is none.
  const Body* find_swept_body() const;
  // Whether the body spins at some speed that is asked for.
  bool turns(const Body& body) const;
};

// For what needs a mesh.
Model without_rigid_bodies(Model model);

// World from body: columns are the body's axes in world components (attitude as a rotation vector).
Mat3 calc_R_WB(const Body& body);

}  // namespace elodyn
