#!/usr/bin/env python3
"""Runs a model file and checks what is written: the values of the page are those of results.json, `elodyn report` makes
the same page, and VTK's own reader finds points, cells, fields and times in every .vtu and .pvd.

Usage: check_report.py PROGRAM MODEL.toml
Run by a Python that has vtk (Debian: /usr/bin/python3 with python3-vtk9); without it the last part is left out, which
is said, and fails if the variable ELODYN_NEEDS_VTK is set.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import vtk
except ImportError:
    vtk = None

problems = []
# Examples that measure themselves before they read what was measured, and where to.
MEASURED = {"hammer_test": ".", "pump_film": "film"}


def check(right, what):
    if not right:
        problems.append(what)


def decode(values):
    """Numbers of the page as a list."""
    if isinstance(values, list):
        return values
    (kind, text), = values.items()
    data = base64.b64decode(text)
    letter = {"f32": "f", "f64": "d", "u32": "I"}[kind]
    numbers = struct.unpack("<%d%s" % (len(data) // struct.calcsize(letter), letter), data)
    return [None if x != x or x in (float("inf"), -float("inf")) else x for x in numbers]


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def check_page(directory):
    results = json.loads((directory / "results.json").read_text())
    report = data_of((directory / "report.html").read_text())
    run, = report["runs"]
    for member in ("title", "status", "warnings", "timings", "provenance"):
        check(run[member] == results[member], f"{member} of the page is not that of results.json")
    check(len(run["modes"]) == len(results["modes"]), "number of modes")
    for shown, mode in zip(run["modes"], results["modes"]):
        check(all(shown[key] == mode[key] for key in shown), f"mode {mode['number']}: {shown}")
    check(run.get("campbell") == results.get("campbell"), "campbell")
    tables = {table["name"]: table for table in run["tables"]}
    for table in results["tables"]:
        shown = tables.get(table["name"])
        if shown is None:
            problems.append(f"table {table['name']} is not in the page")
            continue
        check(shown["title"] == table["title"], f"title of {table['name']}")
        for ours, theirs in zip(shown["columns"], table["columns"]):
            where = f"table {table['name']}, column {theirs['name']}"
            check((ours["name"], ours["unit"]) == (theirs["name"], theirs["unit"]), f"{where}: name or unit")
            check(decode(ours["values"]) == theirs["values"], f"{where}: values")
    check(bool(run["verdicts"]) or bool(run["plots"]) or bool(run["tables"]), "an empty page")
    check_links(run, tables)
    check(set(run["files"]) <= {path.name for path in directory.iterdir()}, "a file that the page lists is missing")


def check_links(run, tables):
    """What points at something else points at something."""
    for plot in run["plots"]:
        columns = {column["name"] for column in tables[plot["table"]]["columns"]}
        used = [plot["x"]["column"]] + [y["column"] for y in plot["y"]] + plot.get("group", [])
        used += [plot[axis]["column"] for axis in ("z", "phase") if axis in plot]
        check(set(used) <= columns, f"plot {plot['name']}: unknown column")
    check(len({plot["name"] for plot in run["plots"]}) == len(run["plots"]), "plots of one name")
    numbers = {mode["number"]: mode for mode in run["modes"]}
    for scene in run["scenes"]:
        sizes = [len(decode(part["points"])) // 3 for part in scene["parts"]]
        for part, size in zip(scene["parts"], sizes):
            for kind, width in (("segments", 2), ("triangles", 3), ("edges", 2)):
                indices = decode(part[kind])
                check(len(indices) % width == 0 and all(0 <= i < size for i in indices), f"{part['name']}: {kind}")
        for field in scene["fields"]:
            for name in ("re", "im"):
                if name in field:
                    check(len(decode(field[name])) == field["size"] * sizes[field["part"]], f"field {field['name']}")
        for shape in scene["shapes"]:
            fields = [scene["fields"][k] for k in shape["displacements"]]
            check(fields and all(field["size"] == 3 for field in fields), f"shape {shape['title']}")
            if "mode" in shape:
                check(numbers[shape["mode"]]["omega"] == shape["omega"], f"shape {shape['title']}: frequency")
            if "campbell" in shape:
                at = shape["campbell"]
                branch = run["campbell"]["branches"][at["branch"]]
                check(branch["label"] in shape["title"], f"shape {shape['title']}: branch")
                check(branch["growth"][at["speed"]] is not None, f"shape {shape['title']}: a speed without this branch")
        frames = scene.get("frames")
        if frames:
            n = len(decode(frames["times"]))
            for points, size in zip(frames["points"], sizes):
                check(len(decode(points)) == 3 * n * size, f"frames of {scene['name']}")
            for row in frames["arrows"]:
                check(len(decode(row["at"])) == 3 * n == len(decode(row["value"])), f"arrow {row['name']}")
            for row in frames["trails"]:
                check(len(decode(row["points"])) == 3 * n, f"trail {row['name']}")


def read_vtu(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    check(reader.GetErrorCode() == 0 and grid.GetNumberOfPoints() > 0, f"{path.name}: VTK finds no points")
    check(grid.GetNumberOfCells() > 0, f"{path.name}: VTK finds no cells")
    data = grid.GetPointData()
    check(data.GetNumberOfArrays() > 0, f"{path.name}: VTK finds no fields")
    for k in range(data.GetNumberOfArrays()):
        array = data.GetArray(k)
        check(array.GetNumberOfTuples() == grid.GetNumberOfPoints(), f"{path.name}: field {array.GetName()}")
    return grid


def check_vtk(directory):
    series = 0
    grids = {path.name: read_vtu(path) for path in sorted(directory.glob("*.vtu"))}
    collected = set()
    for path in sorted(directory.glob("*.pvd")):
        sets = ElementTree.parse(path).getroot().findall(".//DataSet")
        names = [item.get("file") for item in sets]
        times = [float(item.get("timestep")) for item in sets]
        check(names and set(names) <= set(grids), f"{path.name}: files that are not there")
        collected |= set(names)
        if path.name != "results.pvd":
            check(all(a < b for a, b in zip(times, times[1:])), f"{path.name}: times do not grow")
            check(len({grids[name].GetNumberOfPoints() for name in names}) == 1, f"{path.name}: points change")
        series += 1
    check(collected == set(grids), "a .vtu file that no .pvd names")
    return len(grids), series


def make_records(program, model):
    """Measured files that are not there are those that the example measures on its own virtual stand."""
    for name in re.findall(r'^file *= *"([^"]+)"', model.read_text(), re.M):
        place = model.parent / name
        if not place.exists() and "[analysis.measure" in model.read_text():
            subprocess.run([program, "measure", model, "-o", place.parent, "--quiet"], check=True, cwd=model.parent)


def main():
    program, given = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as temp:
        shutil.copytree(given.parent, pathlib.Path(temp) / "example")
        model = pathlib.Path(temp) / "example" / given.name
        make_records(program, model)
        out = pathlib.Path(temp) / "out"
        if model.parent.name in MEASURED:
            folder = pathlib.Path(shutil.copytree(model.parent, pathlib.Path(temp) / model.parent.name))
            model = folder / model.name
            subprocess.run([program, "measure", model, "-o", folder / MEASURED[folder.name], "--quiet"], check=True, capture_output=True)
        ran = subprocess.run([program, "run", model, "-o", out, "--quiet"], capture_output=True, text=True)
        if ran.returncode not in (0, 3):
            sys.exit(f"elodyn run ends with {ran.returncode}: {ran.stderr}")
        check_page(out)
        page = (out / "report.html").read_bytes()
        subprocess.run([program, "report", out, "--quiet"], check=True)
        check((out / "report.html").read_bytes() == page, "elodyn report makes another page")
        said = "python3-vtk9 is not installed: files for ParaView are not checked"
        if vtk is not None:
            said = "VTK reads %d files, %d series" % check_vtk(out)
        elif os.environ.get("ELODYN_NEEDS_VTK"):
            problems.append(said)
    for problem in problems:
        print("error:", problem)
    print(f"{given}: page of {len(page)} bytes, {said}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
