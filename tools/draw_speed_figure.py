#!/usr/bin/env python3
"""Draws docs/images/spinning_rod.svg: the first frequency of the example rod against its speed, with the right pull in
the geometric stiffness, with each element's own pull only (a published mistake), and without geometric stiffness.

Usage: draw_speed_figure.py PROGRAM [OUTPUT]      OUTPUT: default docs/images/spinning_rod.svg

Every point is a run of the program; only Python's standard library is needed.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = ROOT / "examples" / "spinning_rod" / "model.toml"
HIGHEST_RPM = 4000
STEPS = 80
# (class of the line, legend, settings)
CURVES = [
    ("right", "whole pull (right)", []),
    ("own", "own-element pull (wrong)", ['terms.pull="own_element"']),
    ("none", "no geometric stiffness", ["terms.geometric=false"]),
]


def first_frequency(program, rpm, settings):
    """Hz of the first mode, or None if the body is beyond divergence."""
    command = [program, "modes", MODEL, "--json", "--set", "analysis.modes.count=1",
               "--set", f'body.rod.motion.speed="{rpm} rpm"']
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    mode = json.loads(done.stdout)["modes"][0]
    return None if mode["growth"] > 0 else mode["hz"]


def trace(program, settings):
    """[(rpm, Hz)] up to the highest speed, or to the speed of divergence, where it ends in 0 Hz."""
    points = []
    for k in range(STEPS + 1):
        rpm = HIGHEST_RPM * k / STEPS
        hz = first_frequency(program, rpm, settings)
        if hz is not None:
            points.append((rpm, hz))
            continue
        low, high = points[-1][0], rpm  # the curve falls steeply here: every step of the bisection is a point of it
        while high - low > 0.05:
            middle = (low + high) / 2
            hz = first_frequency(program, middle, settings)
            if hz is None:
                high = middle
            else:
                low = middle
                points.append((middle, hz))
        points.append((high, 0.0))
        break
    return points


STYLE = """
  .page { fill: #ffffff; } .frame { fill: none; stroke: #57606a; stroke-width: 1; }
  .grid { stroke: #d8dee4; stroke-width: 1; } text { fill: #24292f; font: 14px system-ui, sans-serif; }
  .title { font-size: 16px; font-weight: 600; } .small { font-size: 12.5px; }
  .curve { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
  .right { stroke: #0969da; } .own { stroke: #bc4c00; stroke-dasharray: 9 5; }
  .none { stroke: #6e7781; stroke-dasharray: 2 5; } .dot { stroke: none; }
  .dot.own { fill: #bc4c00; } .dot.none { fill: #6e7781; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; } .frame { stroke: #8b949e; } .grid { stroke: #262c36; } text { fill: #e6edf3; }
    .right { stroke: #58a6ff; } .own { stroke: #f0883e; } .none { stroke: #9ea7b3; }
    .dot.own { fill: #f0883e; } .dot.none { fill: #9ea7b3; }
  }
"""


def draw(curves):
    width, height = 760, 440
    left, right, top, bottom = 66, 24, 62, 56
    highest_hz = 10 * (1 + int(max(hz for points in curves for _, hz in points) / 10))
    x = lambda rpm: left + (width - left - right) * rpm / HIGHEST_RPM
    y = lambda hz: height - bottom - (height - top - bottom) * hz / highest_hz
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'role="img" aria-label="First in-plane frequency of the example rod against its speed">',
           f"<style>{STYLE}</style>", f'<rect class="page" width="{width}" height="{height}" rx="8"/>',
           f'<text class="title" x="{left}" y="28">First in-plane frequency of a steel rod that spins with its hub</text>',
           f'<text class="small" x="{left}" y="48">length 0.5 m, diameter 10 mm, root 0.1 m from the axis; '
           '20 cubic elements</text>']
    for rpm in range(0, HIGHEST_RPM + 1, 500):
        out.append(f'<line class="grid" x1="{x(rpm):.1f}" y1="{top}" x2="{x(rpm):.1f}" y2="{height - bottom}"/>')
        out.append(f'<text class="small" x="{x(rpm):.1f}" y="{height - bottom + 19}" text-anchor="middle">{rpm}</text>')
    for hz in range(0, highest_hz + 1, 10):
        out.append(f'<line class="grid" x1="{left}" y1="{y(hz):.1f}" x2="{width - right}" y2="{y(hz):.1f}"/>')
        out.append(f'<text class="small" x="{left - 9}" y="{y(hz) + 4.5:.1f}" text-anchor="end">{hz}</text>')
    out.append(f'<rect class="frame" x="{left}" y="{top}" width="{width - left - right}" height="{height - top - bottom}"/>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">speed [rpm]</text>')
    out.append(f'<text x="20" y="{(top + height - bottom) / 2}" text-anchor="middle" '
               f'transform="rotate(-90 20 {(top + height - bottom) / 2})">frequency [Hz]</text>')
    for (name, _, _), points in zip(CURVES, curves):
        line = " ".join(f"{x(rpm):.1f},{y(hz):.1f}" for rpm, hz in points)
        out.append(f'<polyline class="curve {name}" points="{line}"/>')
    # Where a curve ends in zero the wrong model calls the rod unstable.
    ends = [(name, points[-1][0]) for (name, _, _), points in zip(CURVES, curves) if points[-1][1] == 0]
    for name, rpm in ends:
        out.append(f'<circle class="dot {name}" cx="{x(rpm):.1f}" cy="{y(0):.1f}" r="4.5"/>')
    if ends:
        speeds = " and ".join(f"{rpm:.0f}" for rpm in sorted(rpm for _, rpm in ends))
        at = x(max(rpm for _, rpm in ends)) + 16
        for line, text in enumerate(["the wrong models call the rod", f"unstable from {speeds} rpm on"]):
            out.append(f'<text class="small" x="{at:.1f}" y="{y(0) - 34 + 18 * line:.1f}">{text}</text>')
    out.append(f'<rect class="page" x="{left + 10}" y="{top + 8}" width="268" height="{24 * len(CURVES) + 8}"/>')
    for k, (name, legend, _) in enumerate(CURVES):
        at = top + 24 + 24 * k
        out.append(f'<line class="curve {name}" x1="{left + 18}" y1="{at}" x2="{left + 62}" y2="{at}"/>')
        out.append(f'<text x="{left + 72}" y="{at + 5}">{legend}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "docs" / "images" / "spinning_rod.svg"
    output.write_text(draw([trace(sys.argv[1], settings) for _, _, settings in CURVES]), encoding="utf-8")
    print(output)


if __name__ == "__main__":
    main()
