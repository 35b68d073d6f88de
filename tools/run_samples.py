#!/usr/bin/env python3
"""Runs the sample commands of a page, as a reader would type them. Run by ctest as `samples.…`.

Usage: run_samples.py PROGRAM PAGE.md [FOLDER]

Convention: every line that begins, after its indentation, with `$ elodyn ` or `$ sed ` is a sample run, in a fenced or an
indented block. It is typed in a copy of FOLDER, else of the folder of the page. A trailing comment `# exit 2` says which exit code is right (else 0).
The lines up to the next `$` or the end of the block, if any, must all appear in the output, in their order, apart
from runs of spaces; a line `...` stands for any number of lines. The commands run one after the other in a copy of
the folder, so that a sample may use what an earlier one wrote, and nothing is left behind.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def read_samples(text):
    """[(line number, command, exit code, expected lines)]"""
    samples = []
    fence = None  # the indentation-free fence that is open
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fence = None if fence else stripped
            samples.append(None)  # ends the expected output
            continue
        inside = fence or line.startswith("    ")
        match = re.match(r"\$ ((?:elodyn|sed) .*?)(?:\s+# exit (\d+))?$", stripped)
        if inside and match:
            samples.append((number, match[1], int(match[2] or 0), []))
        elif inside and stripped and not stripped.startswith("$ ") and samples and samples[-1]:
            samples[-1][3].append(stripped)
        elif not inside or stripped.startswith("$ "):
            samples.append(None)
    return [s for s in samples if s]


def missing_line(expected, output):
    """The first expected line that the output does not have at or after its place, or None."""
    squeeze = lambda line: " ".join(line.split())
    lines = iter([squeeze(line) for line in output.splitlines()])
    for wanted in map(squeeze, expected):
        if wanted != "..." and not any(line == wanted for line in lines):
            return wanted
    return None


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, readme = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    source = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) == 4 else readme.parent
    samples = read_samples(readme.read_text(encoding="utf-8"))
    if not samples:
        sys.exit(f"{readme}: error: no sample runs (lines `$ elodyn …`)")
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / source.name
        shutil.copytree(source, folder)
        for number, command, code, expected in samples:
            typed = re.sub("^elodyn", lambda _: f"'{program}'", command)
            done = subprocess.run(typed, shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
            wanted = missing_line(expected, done.stdout + done.stderr)
            good = done.returncode == code and wanted is None
            print(f"{'ok  ' if good else 'FAIL'} $ {command}")
            if not good:
                failures += 1
                reason = f"exit code {done.returncode}, not {code}" if done.returncode != code else f"no line `{wanted}`"
                print(f"{readme}:{number}: error: {reason}\n{done.stdout}{done.stderr}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
