#include "elodyn/io/new_model.hpp"

namespace elodyn {
namespace {

constexpr const char* kMaterial = R"toml([material.steel]
young   = "210 GPa"
poisson = 0.3
density = "7800 kg/m^3"

)toml";
constexpr const char* kRound = R"toml([section.round]
shape    = "circle"              # circle, tube, rectangle, general
diameter = "10 mm"
)toml";
constexpr const char* kSheet = R"toml([section.sheet]
shape     = "sheet"
thickness = "2 mm"
)toml";

// A file is its head, the material, the section and the rest.
struct Kind {
  const char* name;
  const char* head;
  const char* rest;
  const char* section = kRound;
};

constexpr Kind kKinds[] = {
    {"cantilever", R"toml(# A beam clamped at one end: frequencies, and the deflection under its weight and a force.
# Numbers are in SI and radians; a text may carry another unit: "10 mm". All keys: elodyn schema --markdown
schema = 1
title = "Cantilever"
gravity = [0, "-9.81 m/s^2", 0]  # world axes; a body's axes are the same unless it has an attitude

)toml",
     R"toml(
[body.beam]
element   = "beam_rayleigh"      # beam_euler_bernoulli, beam_rayleigh, beam_timoshenko
degree    = 3                    # of the deflection: 3 cubic, 5 quintic
dimension = 2                    # in the xy plane
material  = "steel"
section   = "round"
line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 20 }
clamp     = ["from"]             # the points of a line are "from" and "to"

[[body.beam.load]]               # as many as needed
at    = "to"
force = [0, "-10 N", 0]

[analysis.modes]
count = 9

[analysis.static]
stations = 5                     # places of each element where N, T and M are written
)toml"},
    {"spinning_rod", R"toml(# A rod that turns about an axis near its root: frequencies in the rotating frame.
# Numbers are in SI and radians; a text may carry another unit: "10 mm". All keys: elodyn schema --markdown
schema = 1
title = "Steel rod in a centrifugal field"

)toml",
     R"toml(
[body.rod]
element      = "beam_rayleigh"   # beam_euler_bernoulli, beam_rayleigh, beam_timoshenko
degree       = 5                 # of the deflection: 3 cubic, 5 quintic
axial_degree = 3                 # of the displacement along the rod: 1 to 3
dimension    = 2                 # in the xy plane
material     = "steel"
section      = "round"
line         = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 20 }
clamp        = ["from"]

[body.rod.motion]                # of the body's frame
kind    = "spin"                 # rest, spin, prescribed
axis    = [0, 0, 1]
through = [-0.1, 0, 0]           # a point of the axis, body axes: the hub has a radius of 0.1 m
speed   = "3000 rpm"

# [terms]                        # switches, to show what each term does
# coriolis = false

[analysis.modes]
count = 6
)toml"},
    {"frame", R"toml(# A plane frame of three members with a spring and a lumped mass, under its weight.
# Numbers are in SI and radians; a text may carry another unit: "10 mm". All keys: elodyn schema --markdown
schema = 1
title = "Portal frame"
gravity = [0, "-9.81 m/s^2", 0]

)toml",
     R"toml(
[section.beam]
shape  = "rectangle"
width  = "20 mm"                 # in the plane
height = "10 mm"                 # across the plane

[body.frame]
element   = "beam_euler_bernoulli"
dimension = 2
material  = "steel"
section   = "round"              # of the members that name no other
points    = { A = [0, 0, 0], B = [0, 0.4, 0], C = [0.6, 0.4, 0], D = [0.6, 0, 0], M = [0.3, 0.4, 0] }
clamp     = ["A"]
pin       = ["D"]

[body.frame.member.left]
from     = "A"
to       = "B"
elements = 10

[body.frame.member.top]
from     = "B"
to       = "C"
elements = 10
section  = "beam"

[body.frame.member.right]
from     = "C"
to       = "D"
elements = 10

[[body.frame.mass]]
at   = "M"                       # a point must lie on a node of the mesh
mass = "0.2 kg"

[[body.frame.spring]]
at        = "C"
stiffness = ["1e4 N/m", 0, 0]

[[body.frame.load]]
on               = "top"
force_per_length = [0, "-50 N/m", 0]

[body.frame.damping]             # D = mass M + stiffness K
stiffness = "1e-5 s"

[analysis.modes]
count = 6

[analysis.static]
)toml"},
    {"prescribed", R"toml(# A link whose frame moves as given over time; the equation is frozen at one instant.
# Numbers are in SI and radians; a text may carry another unit: "10 mm". All keys: elodyn schema --markdown
schema = 1
title = "Link in prescribed motion"

)toml",
     R"toml(
[body.link]
element   = "beam_rayleigh"
dimension = 2
material  = "steel"
section   = "round"
line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 20 }
pin       = ["from"]

[[body.link.roller]]
at     = "to"
normal = [0, 1, 0]               # the direction that is held

[body.link.motion]
kind             = "prescribed"
acceleration     = ["-20*cos(10*t)", "9.81 - 20*sin(10*t)", 0]  # of the origin, gravity subtracted; m/s^2, body axes
angular_velocity = [0, 0, "30 + 5*sin(10*t)"]                   # rad/s; the angular acceleration is its derivative

[analysis.modes]
count = 6
time  = "0.1 s"                  # the instant

[analysis.static]
time = "0.1 s"
)toml"},
    {"space_frame",
     R"toml(# A frame of spatial beams: bending both ways, torsion and shear; a hinge, a rigid link, a lumped body.
# Numbers are in SI and radians; a text may carry another unit: "10 mm". All keys: elodyn schema --markdown
schema = 1
title = "Space frame"
gravity = [0, 0, "-9.81 m/s^2"]  # world axes

)toml",
     R"toml(
[section.flat]
shape  = "rectangle"
width  = "20 mm"                 # along the member's y
height = "6 mm"                  # along the member's z

[section.thin]
shape  = "rectangle"
width  = "10 mm"
height = "4 mm"

[body.frame]
element      = "beam_timoshenko" # beam_euler_bernoulli, beam_rayleigh, beam_timoshenko
dimension    = 3                 # displacements and rotations along and about x, y, z
axial_degree = 2                 # of axial displacement and torsion
material     = "steel"
section      = "round"
points       = { A = [0, 0, 0], B = [0, 0, 0.4], C = [0.5, 0, 0.4], D = [0.5, 0.3, 0.4], E = [0.5, 0, 0.3] }
clamp        = ["A"]
pin          = ["D"]

[body.frame.member.post]
from     = "A"
to       = "B"
elements = 8

[body.frame.member.arm]          # tapers from `flat` to `thin`
from        = "B"
to          = "C"
elements    = 10
section     = "flat"
section_to  = "thin"
orientation = [0, 0, 1]          # a vector in the member's xz plane: its z shows upwards

[body.frame.member.strut]
from       = "C"
to         = "D"
elements   = 6
release_to = ["ry", "rz"]        # a hinge: these rotations, about the member's axes, are free

[[body.frame.link]]              # E hangs rigidly on C
from = "C"
to   = ["E"]

[[body.frame.mass]]
at             = "E"
mass           = "0.2 kg"
inertia_tensor = [2e-4, 2e-4, 3e-4, 0, 0, 0]  # Ixx, Iyy, Izz, Ixy, Iyz, Ixz

[[body.frame.load]]
on               = "arm"
force_per_length = [0, "-20 N/m", 0]

[analysis.modes]
count = 8

[analysis.static]
)toml"},
    {"plate", R"toml(# A bent plate that spins, a blade: its modes, and its stresses on both faces.
# Numbers are in SI and radians; a text may carry another unit: "10 mm". All keys: elodyn schema --markdown
schema = 1
title = "Spinning blade"

)toml",
     R"toml(
[body.blade]
element   = "plate_mitc4"        # plate_dkt: triangles; membrane_q4, voids_q4 (dimension 2): `elodyn list elements`
dimension = 3
material  = "steel"
section   = "sheet"
rectangle = { from = [0.05, -0.04, 0], to = [0.3, 0.04, 0], nx = 15, ny = 5 }
clamp     = ["left"]             # sides: bottom, right, top, left; points: bottom_left, …
# Other planes and shapes: `points` and [body.blade.area.NAME]; other meshes: mesh = "blade.msh" or "blade.inp".

[[body.blade.load]]
on             = "rectangle"
force_per_area = [0, 0, "500 Pa"]

[body.blade.motion]
kind  = "spin"
axis  = [0, 0, 1]
speed = "3000 rpm"

[analysis.modes]
count = 6

[analysis.static]
)toml",
     kSheet},
    {"mechanism",
     R"toml(# A slider-crank: a motor turns the crank, an elastic rod drives the piston. First all bodies move as rigid ones, then the
# rod bends in that motion, under the forces of its joints.
# Numbers are in SI and radians; a text may carry another unit: "10 mm". All keys: elodyn schema --markdown
schema = 1
title = "Slider-crank"
gravity = [0, "-9.81 m/s^2", 0]

)toml",
     R"toml(
[ground]
points = { O = [0, 0, 0] }       # joints name it "ground.O"

# ---- bodies: in the plane (dimension 2) or in space (3), all of them the same ----

[body.crank]                     # rigid: a mass in place of elements
dimension = 2
rigid     = { mass = "2 kg", center = [0, 0, 0], inertia = "0.02 kg*m^2" }  # inertia about z through the centre
points    = { O = [0, 0, 0], A = ["60 mm", 0, 0] }

[body.rod]                       # elastic; its mass is that of its mesh
element   = "beam_euler_bernoulli"
dimension = 2
material  = "steel"
section   = "round"
line      = { from = [0, 0, 0], to = [0.25, 0, 0], elements = 10 }
points    = { M = [0.125, 0, 0] }  # must lie on a node
pin       = ["from"]             # supports that take the rod's rigid motion in its frame; the joints hold it, these bear
roller    = [{ at = "to", normal = [0, 1, 0] }]  # nothing
damping   = { modal = [0.01, 0.01, 0.01, 0.01] }
place     = ["60 mm", 0, 0]      # of its origin: a guess, from which the mechanism is put together

[body.rod.motion]
kind = "mechanism"               # as the joints let it

[body.piston]
dimension = 2
rigid     = { mass = "0.5 kg" }
points    = { B = [0, 0, 0] }
place     = [0.31, 0, 0]

# ---- joints: a point of body a, a point of body b ----

[joint.O]                        # revolute, prismatic, fixed, point_on_line, …: elodyn schema --markdown
kind     = "revolute"
a        = "ground.O"
b        = "crank.O"
position = "0 deg"               # at the start; the assembly keeps it
speed    = "300 rpm"

[joint.A]
kind = "revolute"
a    = "crank.A"
b    = "rod.from"

[joint.B]
kind = "revolute"
a    = "rod.to"
b    = "piston.B"

[joint.guide]                    # its coordinate is the distance of the piston from O along the axis
kind     = "prismatic"
a        = "ground.O"
b        = "piston.B"
axis     = [1, 0, 0]
friction = { viscous = "5 N*s/m" }

# ---- what drives and loads them: on a joint's coordinate ----

[motor.drive]                    # increases the crank's angle
joint  = "O"
torque = "4*(1 - w/40)"          # N m, of the time t, the angle x and the speed w

# [driver.crank]                 # or a motion that is given, with kind = "inverse" below and without the joint's
# joint    = "O"                 # position and speed
# position = "31.4*t"

[force.gas]                      # along the guide; x: position, v: speed
joint = "guide"
force = "-40 + 20*tanh(v/0.1)"

# ---- what is asked for ----

[analysis.mechanism]             # elodyn mechanism: motion, forces in the joints
kind     = "dynamic"             # kinematic, inverse: all freedoms are driven
settle   = "3 s"                 # after this it runs steadily; then the last cycle is recorded
duration = "4 s"
records  = 720

[analysis.cycle]                 # elodyn cycle: frequencies of the rod over that cycle
count = 3

[analysis.periodic]              # elodyn periodic: its steady vibration and stresses
points = ["M"]
)toml"},
};

}  // namespace

std::vector<std::string> new_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

std::string new_model(const std::string& kind) {
  for (const Kind& known : kKinds)
    if (known.name == kind) return std::string(known.head) + kMaterial + known.section + known.rest;
  return {};
}

}  // namespace elodyn
