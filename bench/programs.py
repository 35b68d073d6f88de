"""Runs CalculiX and elodyn and reads their frequencies: what the comparisons share."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

DEFAULT = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "bin" / "elodyn"
MISSING = "skipped: CalculiX is not installed; on Debian: apt-get install calculix-ccx"
ROW = r"^\s+\d+" + r"\s+(-?\d\.\d+E[+-]\d+)"


def make_parser(text):
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--elodyn", default=str(DEFAULT), help="the program (default: %(default)s)")
    parser.add_argument("--keep", help="keep the files of both programs in this folder")
    return parser


def require_both(elodyn):
    """The path of elodyn; leaves with 77 if there is no CalculiX, with 2 if there is no elodyn."""
    if shutil.which("ccx") is None:
        print(MISSING)
        sys.exit(77)
    if shutil.which(elodyn) is None:
        print(f"error: there is no program {elodyn}; build it or say --elodyn PROGRAM")
        sys.exit(2)
    return str(pathlib.Path(shutil.which(elodyn)).resolve())


def run_elodyn(program, path, model, *options):
    """Frequencies in Hz of a model, which is written to the path, and seconds."""
    path.write_text(model, encoding="utf-8")
    start = time.perf_counter()
    done = subprocess.run([program, "modes", path, "--json", *options], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        print(f"error: elodyn modes failed (exit code {done.returncode}):\n{done.stdout}{done.stderr}")
        sys.exit(2)
    return [mode["hz"] for mode in json.loads(done.stdout)["modes"]], seconds


def run_calculix(folder, name, deck, coriolis):
    """Frequencies in Hz of *FREQUENCY and of *COMPLEX FREQUENCY (or None), the text before the lists of each, seconds."""
    (folder / f"{name}.inp").write_text(deck, encoding="ascii")
    start = time.perf_counter()
    done = subprocess.run(["ccx", name], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    seconds = time.perf_counter() - start
    results = folder / f"{name}.dat"
    lists = re.split(r"E I G E N V A L U E   O U T P U T", results.read_text() if results.exists() else "")[1:]
    if len(lists) != (2 if coriolis else 1):
        print(f"error: ccx {name} failed (exit code {done.returncode}):\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        sys.exit(2)
    first = lists[0].split("P A R T I C I P A T I O N")[0]
    plain = [float(m[3]) for m in re.finditer(ROW + r"\s+(\S+)\s+(\S+)\s+\S+\s*$", first, re.MULTILINE)]
    turning = None
    if coriolis:  # omega, frequency, growth
        turning = [float(m[2]) for m in re.finditer(ROW + r"\s+(\S+)\s+\S+\s*$",
                                                    lists[1].split("P A R T I C I P A T I O N")[0], re.MULTILINE)]
    return plain, turning, lists[0], seconds
