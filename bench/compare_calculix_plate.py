#!/usr/bin/env python3
"""Compares the frequencies of a spinning plate in its plane with CalculiX: one layer of solids on the same mesh.

Usage: compare_calculix_plate.py [--elodyn PROGRAM] [--pieces NX NY | --unknowns N] [--speeds W …] [--modes N] [--keep DIR]

The plate: 0.2 x 0.16 m, 1 mm, E = 210 GPa, nu = 0.3, 7800 kg/m3, clamped on its left side, through the middle of which
the axis goes; 0, 1000 and 2000 rad/s. CalculiX: C3D20 through half the thickness, the middle surface held across the plate, *STATIC with
NLGEOM and a CENTRIF load, *FREQUENCY in a PERTURBATION step and, at speed, *COMPLEX FREQUENCY,CORIOLIS in the space of 24 of
its modes. (Its plane elements, CPS8, have half the Coriolis forces: with them the shift by these is a quarter. Its solids are
right: a shaft that spins about its axis has frequencies w0 - W and w0 + W.)
Both have the stress of the spin, the centrifugal softening and the Coriolis forces. CalculiX has the stiffness of the
stretched plate besides, which Elodyn, linear about the undeformed one, leaves out: part of the difference that goes with
the square of the speed (0.5 % at 3000 rad/s in the second mode, which stretches the plate).

With --unknowns each program gets a mesh of its own with about that many: what its own kind of elements costs at one size.

Exit codes: 0 all within 0.5 %, 1 something is off, 2 a program failed, 77 CalculiX is not installed.
"""
import pathlib
import sys
import tempfile

import programs

A, B, THICKNESS, YOUNG, POISSON, DENSITY = 0.2, 0.16, 1e-3, 210e9, 0.3, 7800
MODES, AGREEMENT = 24, 0.005


def make_deck(nx, ny, speed):
    numbers, places, elements = {}, [], []

    def node(i, j, k):  # k = 0, 1, 2: from the middle surface to a face
        if (i, j, k) not in numbers:
            places.append((A * i / (2 * nx), B * j / (2 * ny), THICKNESS * k / 4))
            numbers[i, j, k] = len(places)
        return numbers[i, j, k]

    for j in range(0, 2 * ny, 2):
        for i in range(0, 2 * nx, 2):
            corners = ((i, j), (i + 2, j), (i + 2, j + 2), (i, j + 2))
            middles = ((i + 1, j), (i + 2, j + 1), (i + 1, j + 2), (i, j + 1))
            elements.append([node(*c, 0) for c in corners] + [node(*c, 2) for c in corners] +
                            [node(*m, 0) for m in middles] + [node(*m, 2) for m in middles] +
                            [node(*c, 1) for c in corners])
    lines = ["*NODE,NSET=all"] + [f"{k + 1},{x:.12g},{y:.12g},{z:.12g}" for k, (x, y, z) in enumerate(places)]
    lines += ["*ELEMENT,TYPE=C3D20,ELSET=plate"]
    for k, e in enumerate(elements):
        lines += [",".join(map(str, [k + 1] + e[:10])) + ",", ",".join(map(str, e[10:]))]
    lines += ["*NSET,NSET=left"] + [f"{n}," for (i, _, _), n in numbers.items() if i == 0]
    lines += ["*NSET,NSET=middle"] + [f"{n}," for (_, _, k), n in numbers.items() if k == 0]
    lines += ["*MATERIAL,NAME=steel", "*ELASTIC", f"{YOUNG!r},{POISSON}", "*DENSITY", f"{DENSITY}",
              "*SOLID SECTION,ELSET=plate,MATERIAL=steel", "*BOUNDARY", "left,1,2", "middle,3,3"]
    if speed:
        lines += ["*STEP,NLGEOM", "*STATIC", "1.,1.", "*DLOAD",
                  f"plate,CENTRIF,{float(speed) ** 2!r},0,{B / 2},0,0,0,1", "*END STEP"]
    lines += ["*STEP,PERTURBATION" if speed else "*STEP", "*FREQUENCY,STORAGE=YES", f"{MODES}", "*END STEP"]
    if speed:
        lines += ["*STEP,PERTURBATION", "*COMPLEX FREQUENCY,CORIOLIS", f"{MODES - 2}", "*END STEP"]
    return "\n".join(lines) + "\n", 3 * len(places)


MODEL = """schema = 1
title = "Plate beside CalculiX"
[material.steel]
young   = {young!r}
poisson = {poisson}
density = {density}
[section.sheet]
shape     = "sheet"
thickness = {thickness}
[body.plate]
element   = "membrane_q8"
dimension = 2
material  = "steel"
section   = "sheet"
rectangle = {{ from = [0, 0, 0], to = [{a}, {b}, 0], nx = {nx}, ny = {ny} }}
clamp     = ["left"]
[body.plate.motion]
kind    = "spin"
through = [0, {middle}, 0]
speed   = {speed}
[analysis.modes]
count = {count}
"""


def main():
    parser = programs.make_parser(__doc__)
    parser.add_argument("--pieces", type=int, nargs=2, default=(30, 24), metavar=("NX", "NY"), help="default: 30 24")
    parser.add_argument("--speeds", type=int, nargs="+", default=(0, 1000, 2000), help="rad/s")
    parser.add_argument("--modes", type=int, default=6)
    parser.add_argument("--unknowns", type=int, help="of each program, on meshes of their own")
    options = parser.parse_args()
    program = programs.require_both(options.elodyn)
    count = options.modes
    nx, ny = their_nx, their_ny = options.pieces
    if options.unknowns:  # 7 nodes of 3 unknowns, and 3 of 2, belong to a piece
        their_nx, nx = (round((options.unknowns / per_piece / 0.8) ** 0.5) for per_piece in (21, 6))
        their_ny, ny = round(0.8 * their_nx), round(0.8 * nx)
    worst, times, unknowns = 0, [], 0
    print(f"{'rad/s':>6}  {'mode':>4}  {'CalculiX [Hz]':>13}  {'elodyn [Hz]':>11}  {'difference':>10}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(options.keep or name)
        folder.mkdir(parents=True, exist_ok=True)
        for speed in options.speeds:
            deck, unknowns = make_deck(their_nx, their_ny, speed)
            plain, turning, _, their_seconds = programs.run_calculix(folder, f"plate_{speed}", deck, coriolis=speed > 0)
            model = MODEL.format(young=YOUNG, poisson=POISSON, density=DENSITY, thickness=THICKNESS, a=A, b=B, nx=nx,
                                 ny=ny, middle=B / 2, speed=float(speed), count=count)
            ours, our_seconds = programs.run_elodyn(program, folder / f"plate_{speed}.toml", model)
            times.append((speed, their_seconds, our_seconds))
            theirs = (turning if speed else plain)[:count]
            if len(theirs) != count or len(ours) != count:
                print(f"error: {len(theirs)} and {len(ours)} frequencies instead of {count}")
                return 2
            for k, (their, our) in enumerate(zip(theirs, ours)):
                worst = max(worst, abs(our / their - 1))
                print(f"{speed:>6}  {k + 1:>4}  {their:13.3f}  {our:11.3f}  {100 * (our / their - 1):+9.4f} %")
    own = 2 * ((2 * nx + 1) * (2 * ny + 1) - nx * ny)
    print(f"\nCalculiX: {their_nx} x {their_ny} solids of 20 nodes, {unknowns} unknowns, one thread; "
          f"elodyn: {nx} x {ny} quadrilaterals of 8 nodes, {own} unknowns")
    for speed, their_seconds, our_seconds in times:
        print(f"{speed:>6} rad/s: CalculiX {their_seconds:.2f} s, elodyn {our_seconds:.2f} s, "
              f"ratio {their_seconds / our_seconds:.1f}")
    good = worst <= AGREEMENT
    print(f"\nlargest difference {100 * worst:.4f} %: {'fine' if good else 'off'}, the limit is {100 * AGREEMENT} %")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
