#!/usr/bin/env python3
"""Draws docs/images/wind_water_pump.svg (the mechanism and the paths of points of its rod) and
docs/images/wind_water_pump_cycle.svg (hodographs, joint forces, frequencies and a spectrum over a cycle).

Usage: draw_pump_figures.py PROGRAM [FOLDER]      FOLDER: default docs/images

All of it comes from the files of one run of examples/wind_water_pump; only Python's standard library is needed.
"""
import csv
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = ROOT / "examples" / "wind_water_pump" / "model.toml"
POINTS = [("crank.B", "B"), ("rod.P1", "1"), ("rod.P2", "2"), ("rod.P3", "3"), ("rod.P4", "4"), ("lever.C", "C")]
COLOURS = ["c0", "c1", "c2", "c3", "c4", "c5"]

STYLE = """
  .page { fill: #ffffff; } .frame { fill: none; stroke: #57606a; stroke-width: 1; }
  .grid { stroke: #d8dee4; stroke-width: 1; } text { fill: #24292f; font: 14px system-ui, sans-serif; }
  .title { font-size: 16px; font-weight: 600; } .small { font-size: 12.5px; }
  .link { stroke: #24292f; stroke-width: 4; stroke-linecap: round; fill: none; } .ghost { stroke-width: 1.5; opacity: 0.25; }
  .rod { stroke: #bc4c00; } .wheel { fill: none; stroke: #8b949e; stroke-width: 1.5; }
  .pin { fill: #ffffff; stroke: #24292f; stroke-width: 2; } .mass { fill: #57606a; stroke: #24292f; stroke-width: 1.5; }
  .ground { stroke: #8b949e; stroke-width: 1.5; } .axis { stroke: #8b949e; stroke-width: 1; stroke-dasharray: 8 4 2 4; }
  .curve { fill: none; stroke-width: 2; stroke-linejoin: round; } .bar { stroke-width: 5; }
  .c0 { stroke: #0969da; } .c1 { stroke: #1b7c83; } .c2 { stroke: #2da44e; } .c3 { stroke: #9a6700; } .c4 { stroke: #bc4c00; }
  .c5 { stroke: #cf222e; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; } .frame { stroke: #8b949e; } .grid { stroke: #262c36; } text { fill: #e6edf3; }
    .link { stroke: #e6edf3; } .rod { stroke: #f0883e; } .pin { fill: #0d1117; stroke: #e6edf3; } .mass { stroke: #e6edf3; }
    .c0 { stroke: #58a6ff; } .c1 { stroke: #39c5cf; } .c2 { stroke: #56d364; } .c3 { stroke: #d29922; }
    .c4 { stroke: #f0883e; } .c5 { stroke: #ff7b72; }
  }
"""


def read_table(path):
    """{column without its unit: values}; what is no number stays text."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    names = [re.sub(r" \[.*\]$", "", name) for name in rows[0]]
    table = {name: [] for name in names}
    for row in rows[1:]:
        for name, cell in zip(names, row):
            try:
                table[name].append(float(cell))
            except ValueError:
                table[name].append(cell)
    return table


class Panel:
    """Axes in a frame; x and y of the data to those of the page."""

    def __init__(self, page, box, x_range, y_range, title, x_label, y_label, equal=False, decades=False):
        self.left, self.top, self.width, self.height = box
        (x0, x1), (y0, y1) = x_range, y_range
        if equal:  # the same scale along both
            scale = max((x1 - x0) / self.width, (y1 - y0) / self.height)
            x0, x1 = (x0 + x1 - scale * self.width) / 2, (x0 + x1 + scale * self.width) / 2
            y0, y1 = (y0 + y1 - scale * self.height) / 2, (y0 + y1 + scale * self.height) / 2
        self.range = (x0, x1, y0, y1)
        self.out = page
        bottom = self.top + self.height
        page.append(f'<text class="title" x="{self.left}" y="{self.top - 12}">{title}</text>')
        for value in ticks(x0, x1):
            page.append(f'<line class="grid" x1="{self.x(value):.1f}" y1="{self.top}" x2="{self.x(value):.1f}" y2="{bottom}"/>')
            page.append(f'<text class="small" x="{self.x(value):.1f}" y="{bottom + 17}" text-anchor="middle">{value:g}</text>')
        for value in ticks(y0, y1):
            page.append(f'<line class="grid" x1="{self.left}" y1="{self.y(value):.1f}" x2="{self.left + self.width}" y2="{self.y(value):.1f}"/>')
            page.append(f'<text class="small" x="{self.left - 7}" y="{self.y(value) + 4.5:.1f}" text-anchor="end">{10 ** value if decades else value:g}</text>')
        page.append(f'<rect class="frame" x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}"/>')
        middle = self.left + self.width / 2
        page.append(f'<text class="small" x="{middle}" y="{bottom + 35}" text-anchor="middle">{x_label}</text>')
        side, centre = self.left - 46, self.top + self.height / 2
        page.append(f'<text class="small" x="{side}" y="{centre}" text-anchor="middle" transform="rotate(-90 {side} {centre})">{y_label}</text>')

    def x(self, value):
        return self.left + self.width * (value - self.range[0]) / (self.range[1] - self.range[0])

    def y(self, value):
        return self.top + self.height * (self.range[3] - value) / (self.range[3] - self.range[2])

    def curve(self, xs, ys, name):
        points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys))
        self.out.append(f'<polyline class="curve {name}" points="{points}"/>')


def ticks(low, high):
    rough = (high - low) / 5
    step = 10 ** math.floor(math.log10(rough))
    step *= next(m for m in (1, 2, 5, 10) if m * step >= rough)
    return [round(k * step, 12) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def padded(values, share=0.06):
    low, high = min(values), max(values)
    return low - share * (high - low), high + share * (high - low)


def start_page(width, height, label):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="{label}">', f"<style>{STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}" rx="8"/>']


def thin(values, every=4):
    return values[::every] + [values[-1]]


def draw_mechanism(path):
    width, height, scale, left, ground = 760, 580, 600, 110, 255
    half = 0.24  # of the piston rod, from D
    x, y = lambda v: left + scale * v, lambda v: ground - scale * v
    column = lambda point, axis: path[point.replace(".", "_") + "_" + axis]
    place = lambda point, k: (x(column(point, "x")[k]), y(column(point, "y")[k]))
    out = start_page(width, height, "The wind water pump in four positions of its crank, and the paths of points of its rod")
    out.append('<text class="title" x="24" y="30">Transmission of a wind water pump at 140 rpm</text>')
    out.append('<text class="small" x="24" y="50">crank with flywheel, elastic rod BC, floating lever with a weight, two pumps; '
               'paths of B, C and four points between</text>')
    H = y(0.25)
    slide = column("pistons.D", "x")
    low, high = min(slide), max(slide)
    out.append(f'<line class="axis" x1="{x(low - half) - 30:.1f}" y1="{H}" x2="{x(high + half) + 30:.1f}" y2="{H}"/>')
    for side in (-1, 1):  # the cylinders, as long as the stroke
        at = x(low + side * half) - 10
        out.append(f'<rect class="wheel" x="{at:.1f}" y="{H - 14}" width="{scale * (high - low) + 20:.1f}" height="28"/>')
        out.append(f'<text class="small" x="{at:.1f}" y="{H - 20}">pump</text>')
    out.append(f'<circle class="wheel" cx="{x(0)}" cy="{y(0)}" r="{scale * 0.11}"/>')
    n = len(path["t"]) - 1
    for k, kind in [(n // 4, " ghost"), (n // 2, " ghost"), (3 * n // 4, " ghost"), (n // 8, "")]:
        lines = [("link", [(x(0), y(0)), place("crank.B", k)]), ("link rod", [place("crank.B", k), place("lever.C", k)]),
                 ("link", [place("lever.D", k), place("lever.E", k)])]
        for name, ends in lines:
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in ends)
            out.append(f'<polyline class="{name}{kind}" points="{points}"/>')
        if kind:
            continue
        D, E = place("lever.D", k), place("lever.E", k)
        ends = [D[0] - scale * half, D[0] + scale * half]
        out.append(f'<line class="link" style="stroke-width:2.5" x1="{ends[0]:.1f}" y1="{H}" x2="{ends[1]:.1f}" y2="{H}"/>')
        for end in ends:
            out.append(f'<line class="link" style="stroke-width:5" x1="{end:.1f}" y1="{H - 11}" x2="{end:.1f}" y2="{H + 11}"/>')
        out.append(f'<circle class="mass" cx="{E[0]:.1f}" cy="{E[1]:.1f}" r="15"/>')
        names = [("crank.B", "B", 8, -10), ("lever.C", "C", 10, 22), ("lever.D", "D", 8, -14), ("lever.E", "weight", 22, 5)]
        for point, text, dx, dy in names:
            a, b = place(point, k)
            if point != "lever.E":
                out.append(f'<circle class="pin" cx="{a:.1f}" cy="{b:.1f}" r="5"/>')
            out.append(f'<text x="{a + dx:.1f}" y="{b + dy:.1f}">{text}</text>')
        out.append(f'<text x="{x(0) - 22:.1f}" y="{y(0) + 5:.1f}">O</text>')
        out.append(f'<circle class="pin" cx="{x(0):.1f}" cy="{y(0):.1f}" r="6"/>')
    for (point, _), name in zip(POINTS, COLOURS):
        line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(thin(column(point, "x")), thin(column(point, "y"))))
        out.append(f'<polyline class="curve {name}" points="{line}"/>')
    return "\n".join(out + ["</svg>", ""])


def draw_cycle(path, force_b, force_c, cycle, spectrum):
    out = start_page(1010, 800, "Hodographs, accelerations, joint forces, frequencies and a spectrum of the wind water pump over a cycle")
    column = lambda point, what: thin(path[point.replace(".", "_") + "_" + what])
    for k, ((_, text), name) in enumerate(zip(POINTS, COLOURS)):
        at = 70 + 110 * k
        out.append(f'<line class="curve {name}" x1="{at}" y1="22" x2="{at + 26}" y2="22"/>')
        out.append(f'<text class="small" x="{at + 33}" y="26.5">{text if text in "BC" else "point " + text}</text>')
    lefts = (70, 405, 740)
    for part, title, unit, left in [("v", "Velocity of points of the rod", "m/s", lefts[0]),
                                    ("a", "Acceleration of points of the rod", "m/s²", lefts[1])]:
        xs = [column(point, part + "x") for point, _ in POINTS]
        ys = [column(point, part + "y") for point, _ in POINTS]
        panel = Panel(out, (left, 84, 250, 270), padded(sum(xs, [])), padded(sum(ys, [])), title,
                      f"{part}x [{unit}]", f"{part}y [{unit}]", equal=True)
        for a, b, name in zip(xs, ys, COLOURS):
            panel.curve(a, b, name)
    size = lambda xs, ys: [math.hypot(a, b) for a, b in zip(xs, ys)]
    turns = lambda values: [360 * k / (len(values) - 1) for k in range(len(values))]
    lengths = [size(column(point, "ax"), column(point, "ay")) for point, _ in POINTS]
    panel = Panel(out, (lefts[2], 84, 250, 270), (0, 360), (0, 1.08 * max(map(max, lengths))), "Its size; - · - published largest, 14.33",
                  "time, as degrees of a turn", "m/s²")
    for values, name in zip(lengths, COLOURS):
        panel.curve(turns(values), values, name)
    y = panel.y(14.33)
    out.append(f'<line class="axis" x1="{lefts[2]}" y1="{y:.1f}" x2="{lefts[2] + 250}" y2="{y:.1f}"/>')
    forces = [thin(size(table["fx"], table["fy"])) for table in (force_b, force_c)]
    panel = Panel(out, (lefts[0], 460, 250, 270), (0, 360), (0, 1.08 * max(map(max, forces))), "Forces in the joints B and C",
                  "time, as degrees of a turn", "N")
    for values, name in zip(forces, ("c0", "c5")):
        panel.curve(turns(values), values, name)
    panel = Panel(out, (lefts[1], 460, 250, 270), (0, 360), padded(cycle["f1"], 0.1), "First frequency of the rod",
                  "time, as degrees of a turn", "Hz")
    panel.curve(turns(cycle["f1"]), cycle["f1"], "c0")
    values = spectrum["M_v_accelerometer"]
    panel = Panel(out, (lefts[2], 460, 250, 270), (0, max(spectrum["frequency"]) * 1.04), (-3, 1.2), "Acceleration at mid-rod",
                  "Hz", "across the rod, m/s², 0-to-peak", decades=True)
    for hz, value in list(zip(spectrum["frequency"], values))[1:]:
        top = panel.y(max(-3, math.log10(value)))
        out.append(f'<line class="bar c0" x1="{panel.x(hz):.1f}" y1="{panel.y(-3):.1f}" x2="{panel.x(hz):.1f}" y2="{top:.1f}"/>')
    out.append('<text class="small" x="70" y="788">140 rpm on average, over the last turn. The spectrum is what an accelerometer '
               'there shows, less its mean; beside 38.9 Hz the rod swings along.</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "docs" / "images"
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([sys.argv[1], "run", MODEL, "-o", name, "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        tables = {table: read_table(pathlib.Path(name) / f"{table}.csv")
                  for table in ("mechanism_point_history", "liaison_B", "liaison_C", "rod_cycle", "rod_harmonics")}
    path = tables["mechanism_point_history"]
    pages = {"wind_water_pump.svg": draw_mechanism(path),
             "wind_water_pump_cycle.svg": draw_cycle(path, tables["liaison_B"], tables["liaison_C"], tables["rod_cycle"],
                                                     tables["rod_harmonics"])}
    for file, text in pages.items():
        (folder / file).write_text(text, encoding="utf-8")
        print(folder / file)


if __name__ == "__main__":
    main()
