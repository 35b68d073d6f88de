#!/usr/bin/env python3
"""Draws docs/images/energy.svg: how far the energy of a small spinning rod drifts over a million time steps, with the
implicit midpoint rule and with the classical Runge-Kutta method.

Usage: draw_energy_figure.py PROGRAM [OUTPUT]      OUTPUT: default docs/images/energy.svg

Every curve is a run of the program; only Python's standard library is needed.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEPS = 1_000_000
ROWS = 500
HIGHEST_MODE = 3  # of one element in the plane: bending, bending, stretching
PHASE = 0.1       # of that mode in a step, rad
MODEL = """schema = 1
[material.steel]
young   = "210 GPa"
density = "7800 kg/m^3"
[section.round]
shape    = "circle"
diameter = "10 mm"
[terms]
centrifugal_load = false
[body.rod]
element   = "beam_rayleigh"
dimension = 2
material  = "steel"
section   = "round"
line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 1 }
clamp     = ["from"]
[body.rod.motion]
kind  = "spin"
speed = "300 rad/s"
[analysis.modes]
count = 3
"""
CURVES = [("implicit_midpoint", "implicit midpoint", "#0b6e4f"), ("gauss4", "gauss4", "#7a9e1f"), ("rk4", "rk4", "#b3261e")]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 340, 74, 44, 30, 48
LOWEST, HIGHEST = -16, -1  # decades


def run(program, *arguments):
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout)


def trace(program, model, integrator, omega):
    """[(step, |change of the energy|)]"""
    settings = {"steps": STEPS, "duration": STEPS * PHASE / omega, "every": STEPS // ROWS, "initial_mode": HIGHEST_MODE,
                "initial_amplitude": 1e-4, "integrator": f'"{integrator}"', "points": '["to"]'}
    words = [word for key, value in settings.items() for word in ("--set", f"analysis.simulate.{key}={value}")]
    tables = {table["name"]: table for table in run(program, "simulate", model, *words)["tables"]}
    columns = {column["name"]: column["values"] for column in tables["rod_history"]["columns"]}
    return [(k * (STEPS // ROWS), abs(change)) for k, change in enumerate(columns["energy_change"])]


def draw(curves):
    x = lambda step: LEFT + (WIDTH - LEFT - RIGHT) * step / STEPS
    y = lambda change: TOP + (HEIGHT - TOP - BOTTOM) * (HIGHEST - math.log10(change)) / (HIGHEST - LOWEST)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
           '<title>Relative change of the energy over a million time steps</title>',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for decade in range(LOWEST, HIGHEST + 1, 3):
        out.append(f'<path d="M{LEFT} {y(10.0 ** decade):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y(10.0 ** decade) + 4:.1f}" text-anchor="end">1e{decade}</text>')
    for part in range(0, 6):
        step = STEPS * part // 5
        out.append(f'<text x="{x(step):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{step:,}</text>'.replace(",", " "))
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">time step</text>')
    out.append(f'<text x="{LEFT}" y="{TOP - 10}">relative change of the energy since the start</text>')
    for (_, legend, colour), points in curves:
        visible = [(x(step), y(change)) for step, change in points if change > 10.0 ** LOWEST]
        path = "L".join(f"{a:.0f} {b:.1f}" for a, b in visible)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.2"/>')
        a, b = visible[-1]
        out.append(f'<text x="{a - 4:.0f}" y="{min(v for _, v in visible[-60:]) - 7:.0f}" text-anchor="end" fill="{colour}">{legend}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve()
    output = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "docs" / "images" / "energy.svg"
    with tempfile.TemporaryDirectory() as name:
        model = pathlib.Path(name) / "rod.toml"
        model.write_text(MODEL + '[analysis.simulate]\nduration = 1\n', encoding="utf-8")
        omega = run(program, "modes", model, "--set", "analysis.simulate.steps=1")["modes"][HIGHEST_MODE - 1]["omega"]
        curves = []
        for curve in CURVES:
            curves.append((curve, trace(program, model, curve[0], omega)))
            print(curve[0], "%.2e" % max(change for _, change in curves[-1][1]))
    output.write_text(draw(curves), encoding="utf-8")


if __name__ == "__main__":
    main()
