#!/usr/bin/env python3
"""elodyn-mpi on two processes gives what elodyn gives: the same JSON to 1e-9, files, exit codes and messages.

Usage: same_results_test.py PROGRAM MPI_PROGRAM MPIRUN SOURCE_DIR
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOLERANCE = 1e-9
# What a run may differ in: who ran it and for how long, and numbers that are round-off themselves.
OWN = {"timings", "provenance", "residual", "error_bound"}

PROGRAM, MPI_PROGRAM, MPIRUN, SOURCE = sys.argv[1:5]
EXAMPLES = pathlib.Path(SOURCE) / "examples"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
failures = []


def start(program, arguments):
    return subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT, timeout=300)


def alone(*arguments):
    return start([PROGRAM], arguments)


def together(*arguments, processes=2):
    return start([MPIRUN, "-n", str(processes), MPI_PROGRAM], arguments)


def fail(case, text):
    failures.append(f"{case}: {text}")
    print(f"FAILED {failures[-1]}")


def without_bound(text):
    return re.sub(r"within \S+ of", "within it of", text) if isinstance(text, str) else text


def differences(a, b, path=""):
    if path.endswith(".shares"):  # of 1
        a, b = list(a.items()), list(b.items())
        if [x[0] for x in a] != [x[0] for x in b] or any(abs(x[1] - y[1]) > TOLERANCE for x, y in zip(a, b)):
            yield f"{path}: {a} and {b}"
    elif isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key in OWN:
                continue
            if key not in a or key not in b:
                yield f"{path}.{key} is in one of them only"
            else:
                yield from differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{path} has {len(a)} and {len(b)} entries"
        # A column is judged by its largest number: round-off of zeros counts for nothing.
        numbers = [abs(x) for x in a if isinstance(x, (int, float)) and not isinstance(x, bool)]
        size = max(numbers, default=0)
        for k, (x, y) in enumerate(zip(a, b)):
            if isinstance(x, (int, float)) and isinstance(y, (int, float)):
                if abs(x - y) > TOLERANCE * max(abs(x), size):
                    yield f"{path}[{k}]: {x!r} and {y!r}"
            else:
                yield from differences(x, y, f"{path}[{k}]")
    elif isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        if without_bound(a) != without_bound(b):
            yield f"{path}: {a!r} and {b!r}"
    elif abs(a - b) > TOLERANCE * max(abs(a), abs(b)):
        yield f"{path}: {a!r} and {b!r}"


def same(case, command, example, *settings, eigensolver="block"):
    ENVIRONMENT["ELODYN_EIGENSOLVER"] = eigensolver
    arguments = [command, EXAMPLES / example / "model.toml", "--json"]
    for setting in settings:
        arguments += ["--set", setting]
    one, two = alone(*arguments), together(*arguments)
    if one.returncode != two.returncode or one.returncode != 0:
        return fail(case, f"exit codes {one.returncode} and {two.returncode}\n{one.stderr}\n{two.stderr}")
    found = list(differences(json.loads(one.stdout), json.loads(two.stdout)))
    for text in found[:5]:
        fail(case, text)
    if not found:
        print(f"passed {case}")
    return json.loads(two.stdout)


def expect(case, is_true, text=""):
    if is_true:
        print(f"passed {case}")
    else:
        fail(case, text)


PLATE = ["body.plate.rectangle={ from = [0, 0, 0], to = [0.2, 0.16, 0], nx = 50, ny = 40 }",
         'body.plate.clamp=["left"]', "body.plate.motion.through=[-0.1, 0.08, 0]", "analysis.modes.prove=true"]

# ---- modes ----
found = same("gyroscopic modes, counted", "modes", "spinning_plate", *PLATE)
expect("their number is proven", found is not None and found.get("complete") is True, str(found)[:200])
found = same("gyroscopic modes by SLEPc", "modes", "spinning_plate", *PLATE, eigensolver="slepc")
expect("their number is proven, too", found is not None and found.get("complete") is True, str(found)[:200])
same("real modes", "modes", "spinning_plate", *PLATE, "body.plate.motion.speed=0")
square = ["body.plate.rectangle={ from = [0, 0, 0], to = [0.2, 0.2, 0], nx = 40, ny = 40 }",
          'body.plate.clamp=["left", "right", "bottom", "top"]', "body.plate.motion.speed=0",
          "analysis.modes.count=9"]
found = same("repeated modes of a square", "modes", "spinning_plate", *square)
same("repeated modes by SLEPc", "modes", "spinning_plate", *square, eigensolver="slepc")
expect("the square has two equal ones", found is not None and any(
    abs(a["omega"] / b["omega"] - 1) < 1e-9 for a, b in zip(found["modes"], found["modes"][1:])))
same("damped modes", "modes", "spinning_plate", *PLATE[:3], "body.plate.damping.stiffness=1e-8",
     "body.plate.motion.speed=2000")
same("modes of a free plate in a spin", "modes", "spinning_plate", PLATE[0])
same("modes around a target", "modes", "spinning_plate", *PLATE[:3], 'analysis.modes.target="9000 Hz"')
for solver in ("block", "slepc"):
    same(f"a shell in space, {solver}", "modes", "fan_blade", "body.blade.area.face.nx=45",
         "body.blade.area.face.ny=12", eigensolver=solver)
same("a small body, which one process does alone", "modes", "spinning_plate")

# ---- other analyses ----
same("steady state", "static", "spinning_plate", *PLATE[:3])
same("Campbell diagram", "campbell", "spinning_plate", *PLATE[:3],
     'analysis.campbell={ speeds = { from = "0 rpm", to = "20000 rpm", count = 5 }, count = 4 }')
same("stability map", "stability", "stability_domain")

# ---- files, and a map that goes on after a kill ----
with tempfile.TemporaryDirectory() as folder:
    first, second = pathlib.Path(folder) / "one", pathlib.Path(folder) / "two"
    model = EXAMPLES / "stability_domain" / "model.toml"
    one, two = alone("run", model, "-o", first), together("run", model, "-o", second)
    names = sorted(p.name for p in first.iterdir())
    expect("files of a run", one.returncode == 0 and two.returncode == 0 and
           names == sorted(p.name for p in second.iterdir()), f"{names}\n{two.stderr}")
    expect("tables of a run", all((first / n).read_text() == (second / n).read_text()
                                  for n in names if n.endswith(".csv")))

# ---- what mpirun writes to a file, though it gives the program a terminal ----
ENVIRONMENT["TERM"] = "xterm"
ENVIRONMENT.pop("NO_COLOR", None)
two = together("modes", EXAMPLES / "spinning_plate" / "model.toml")
expect("no colours in a file", two.returncode == 0 and "\x1b" not in two.stdout + two.stderr, two.stdout + two.stderr)

# ---- failures ----
one = alone("modes", EXAMPLES / "spinning_plate" / "model.toml", "--set", "body.plate.clmap=1")
two = together("modes", EXAMPLES / "spinning_plate" / "model.toml", "--set", "body.plate.clmap=1")
expect("a wrong key", two.returncode == 2 and one.returncode == 2 and one.stderr.strip() in two.stderr, two.stderr)
ENVIRONMENT["ELODYN_EIGENSOLVER"] = "lanczos"
two = together("modes", EXAMPLES / "spinning_plate" / "model.toml")
expect("a wrong eigensolver", two.returncode == 2 and "must be" in two.stderr, two.stderr)
ENVIRONMENT["ELODYN_EIGENSOLVER"] = ""
two = together("modes", EXAMPLES / "spinning_plate" / "model.toml", processes=1)
expect("one process is enough", two.returncode == 0, two.stderr)

print(f"{len(failures)} failures" if failures else "all the same")
sys.exit(1 if failures else 0)
