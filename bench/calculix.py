"""Runs CalculiX and reads its lists of frequencies; what the comparisons share."""
import os
import re
import shutil
import subprocess
import sys
import time

MISSING = "skipped: CalculiX is not installed; on Debian: apt-get install calculix-ccx"
ROW = r"^\s+\d+" + r"\s+(-?\d\.\d+E[+-]\d+)"


def is_there():
    return shutil.which("ccx") is not None


def run(folder, name, deck, coriolis):
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
