#!/usr/bin/env python3
"""Compares the frequencies of a spinning steel rod with CalculiX, which knows no beam theory: solids of 20 nodes.

Usage: compare_calculix.py [--elodyn PROGRAM] [--dimension 3|2] [--element NAME] [--slices N] [--glued] [--keep DIR]

The rod: 0.5 m, round, 10 mm, E = 210 GPa, nu = 0.3, 7800 kg/m³, clamped at the axis of rotation, which stands across it;
0, 100 and 1000 rad/s; first six frequencies (with --dimension 2 those in the plane of rotation). CalculiX: *STATIC with
NLGEOM and a CENTRIF load, then *FREQUENCY in a PERTURBATION step. That step has the stress stiffness and, as the squares
of a pair show (flap² − lag² = Ω²), the centrifugal softening, but no Coriolis forces: elodyn runs with
terms.coriolis=false. One line more has them: the first mode at the highest speed by *COMPLEX FREQUENCY,CORIOLIS, which
works in the space of the *FREQUENCY modes and may skip later ones (its Newton iteration), so that only the first counts.

The clamp is that of a beam: the end face stays plane and in place, but may contract as the pull demands (its nodes are held
along x, those of its z axis along y, those of its y axis along z). With --glued the whole face is held in all directions,
as if welded to a rigid wall. That stops the contraction, acts like a rod shorter by 0.08 % and raises all frequencies by
0.1 to 0.2 %; the first one in the plane at 1000 rad/s by 0.7 %, since there lag² = flap² − Ω² is a small difference.

Exit codes: 0 all within 0.5 %, 1 something is off, 2 a program failed, 77 CalculiX is not installed.
"""
import math
import pathlib
import re
import sys
import tempfile

import programs

LENGTH, DIAMETER, YOUNG, POISSON, DENSITY = 0.5, 0.01, 210e9, 0.3, 7800
SPEEDS = (0, 100, 1000)  # rad/s
COUNT, AGREEMENT = 6, 0.005
SIDE = 2  # elements along a side of the inner square and of each quarter of the ring
MODES = 16  # of *FREQUENCY: the first axial one must be among them, or Coriolis forces find nothing to couple


def meshed_radius():
    """Arcs are parabolas through three nodes: a radius that gives the section its true area."""
    angle = 2 * math.pi / (4 * SIDE)
    arc = math.sin(angle) / 2 + 2 / 3 * 2 * math.sin(angle / 2) * (1 - math.cos(angle / 2))
    return DIAMETER / 2 * math.sqrt(math.pi / (4 * SIDE * arc))


def make_section():
    """Points (y, z) and quadrilaterals of 8 nodes: a square inside, a ring of one element around it."""
    radius = meshed_radius()
    half = radius / 2
    numbers, points, quads = {}, [], []

    def node(y, z):
        key = (round(y / radius * 1e6), round(z / radius * 1e6))
        if key not in numbers:
            numbers[key] = len(points)
            points.append((y, z))
        return numbers[key]

    def add_patch(place, n_u, n_v):
        for i in range(n_u):
            for j in range(n_v):
                at = lambda a, b: node(*place((i + a) / n_u, (j + b) / n_v))
                quads.append([at(0, 0), at(1, 0), at(1, 1), at(0, 1), at(.5, 0), at(1, .5), at(.5, 1), at(0, .5)])

    add_patch(lambda u, v: ((2 * u - 1) * half, (2 * v - 1) * half), SIDE, SIDE)
    for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        def quarter(u, v, c=c, s=s):
            angle = (v - 0.5) * math.pi / 2
            y = (1 - u) * half + u * radius * math.cos(angle)
            z = (1 - u) * (2 * v - 1) * half + u * radius * math.sin(angle)
            return c * y - s * z, s * y + c * z
        add_patch(quarter, 1, SIDE)
    return points, quads


def make_deck(speed, slices, coriolis, glued):
    points, quads = make_section()
    n = len(points)
    number = lambda plane, i: plane * n + i + 1
    elements = []
    for k in range(slices):
        low, middle, high = 2 * k, 2 * k + 1, 2 * k + 2
        for q in quads:
            elements.append([number(low, i) for i in q[:4]] + [number(high, i) for i in q[:4]] +
                            [number(low, i) for i in q[4:]] + [number(high, i) for i in q[4:]] +
                            [number(middle, i) for i in q[:4]])
    used = {i for e in elements for i in e}
    lines = ["*NODE,NSET=all"]
    for plane in range(2 * slices + 1):
        x = LENGTH * plane / (2 * slices)
        lines += [f"{number(plane, i)},{x:.12g},{y:.12g},{z:.12g}" for i, (y, z) in enumerate(points)
                  if number(plane, i) in used]
    lines.append("*ELEMENT,TYPE=C3D20,ELSET=rod")
    for k, e in enumerate(elements):
        lines += [",".join(map(str, [k + 1] + e[:10])) + ",", ",".join(map(str, e[10:]))]
    at_root = [(i + 1, *point) for i, point in enumerate(points) if i + 1 in used]
    on_line = lambda axis: [p for p in at_root if abs(p[1 + axis]) < 1e-9]
    for name, nodes in (("root", at_root), ("root_y", on_line(0)), ("root_z", on_line(1))):
        lines += [f"*NSET,NSET={name}"] + [f"{i}," for i, *_ in nodes]
    lines += ["*MATERIAL,NAME=steel", "*ELASTIC", f"{YOUNG!r},{POISSON}", "*DENSITY", f"{DENSITY}",
              "*SOLID SECTION,ELSET=rod,MATERIAL=steel", "*BOUNDARY"] + (["root,1,3"] if glued else ["root,1,1", "root_y,2,2", "root_z,3,3"])
    if speed:
        lines += ["*STEP,NLGEOM", "*STATIC", "1.,1.", "*DLOAD", f"rod,CENTRIF,{float(speed) ** 2!r},0,0,0,0,0,1",
                  "*END STEP"]
    lines += ["*STEP,PERTURBATION" if speed else "*STEP", "*FREQUENCY,STORAGE=YES", f"{MODES}",
              "*EL PRINT,ELSET=rod,TOTALS=ONLY", "EVOL", "*END STEP"]
    if coriolis:
        lines += ["*STEP,PERTURBATION", "*COMPLEX FREQUENCY,CORIOLIS", f"{MODES - 2}", "*END STEP"]
    return "\n".join(lines) + "\n", len(elements), len(used)


def run_calculix(folder, speed, slices, coriolis, glued):
    """Frequencies in Hz; the first with Coriolis forces or None; volume; seconds; what the mesh is."""
    deck, n_elements, n_nodes = make_deck(speed, slices, coriolis, glued)
    plain, turning, text, seconds = programs.run_calculix(folder, f"rod_{speed}", deck, coriolis)
    volume = float(re.search(r"total volume.*\n\s*\n\s*(\S+)", text)[1])
    return (plain[:MODES], turning[0] if turning else None, volume, seconds,
            f"{n_elements} elements of 20 nodes, {3 * n_nodes} unknowns")


MODEL = """schema = 1
title = "Rod beside CalculiX"

[material.steel]
young   = {young!r}
poisson = {poisson}
density = {density}

[section.round]
shape    = "circle"
diameter = {diameter}

[body.rod]
element      = "{element}"
degree       = {degree}
axial_degree = 3
dimension    = {dimension}
material     = "steel"
section      = "round"
line         = {{ from = [0, 0, 0], to = [{length}, 0, 0], elements = 20 }}
clamp        = ["from"]

[body.rod.motion]
kind  = "spin"
axis  = [0, 0, 1]
speed = {speed}

[analysis.modes]
count = {count}
"""


def run_elodyn(program, folder, options, speed, coriolis):
    """Frequencies in Hz, seconds."""
    model = MODEL.format(young=YOUNG, poisson=POISSON, density=DENSITY, diameter=DIAMETER, length=LENGTH,
                         element=options.element, degree=options.degree, dimension=options.dimension,
                         speed=float(speed), count=COUNT)
    return programs.run_elodyn(program, folder / f"rod_{speed}.toml", model, "--set",
                               f"terms.coriolis={'true' if coriolis else 'false'}")


def read_options():
    parser = programs.make_parser(__doc__)
    parser.add_argument("--dimension", type=int, choices=(2, 3), default=3, help="of elodyn's body (default: 3)")
    parser.add_argument("--element", help="of elodyn (default: beam_timoshenko, in a plane beam_rayleigh)")
    parser.add_argument("--degree", type=int, choices=(3, 5), default=3, help="of elodyn's deflection (default: 3)")
    parser.add_argument("--slices", type=int, default=50, help="solids along the rod (default: 50)")
    parser.add_argument("--glued", action="store_true", help="hold the clamped face of the solids in all directions")
    options = parser.parse_args()
    options.element = options.element or ("beam_timoshenko" if options.dimension == 3 else "beam_rayleigh")
    return options


def main():
    options = read_options()
    program = programs.require_both(options.elodyn)
    rows, times, volume, mesh = [], [], 0, ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(options.keep or name)
        folder.mkdir(parents=True, exist_ok=True)
        for speed in SPEEDS:
            coriolis = speed == max(SPEEDS)
            theirs, their_first, volume, their_seconds, mesh = run_calculix(folder, speed, options.slices, coriolis,
                                                                               options.glued)
            ours, our_seconds = run_elodyn(program, folder, options, speed, coriolis=False)
            numbers = list(range(1, COUNT + 1))
            if options.dimension == 2:  # of each pair in bending the lower one lies in the plane of rotation
                numbers = numbers[::2]
            rows += [(f"{speed}", f"{k}", theirs[k - 1], our) for k, our in zip(numbers, ours)]
            if coriolis:
                rows.append((f"{speed}", "1, Coriolis", their_first,
                             run_elodyn(program, folder, options, speed, coriolis=True)[0][0]))
            times.append((speed, their_seconds, our_seconds))
    exact = math.pi * DIAMETER ** 2 / 4 * LENGTH
    print(f"CalculiX: {mesh}; volume {volume / exact - 1:+.1e} of the rod's\nelodyn: {options.element}, "
          f"dimension {options.dimension}, degree {options.degree}, 20 elements\n")
    print(f"{'rad/s':>6}  {'mode':<11}  {'CalculiX [Hz]':>13}  {'elodyn [Hz]':>11}  {'difference':>10}")
    worst = abs(volume / exact - 1)
    for speed, mode, their, our in rows:
        worst = max(worst, abs(our / their - 1))
        print(f"{speed:>6}  {mode:<11}  {their:13.4f}  {our:11.4f}  {100 * (our / their - 1):+9.3f} %")
    print()
    for speed, their_seconds, our_seconds in times:
        print(f"{speed:>6} rad/s: CalculiX {their_seconds:.2f} s, elodyn {our_seconds:.3f} s")
    good = worst <= AGREEMENT
    print(f"\nlargest difference {100 * worst:.3f} %: {'fine' if good else 'off'}, the limit is {100 * AGREEMENT} %")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
