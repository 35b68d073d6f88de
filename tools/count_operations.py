#!/usr/bin/env python3
"""Writes the table of operation counts of docs/theory/operation-counts.md, from a run of `elodyn compare`.

Usage: count_operations.py PROGRAM            writes the table
       count_operations.py PROGRAM --check    exit 1 if the page has another one
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/theory/operation-counts.md"
BEGIN, END = "<!-- counts -->\n", "<!-- end of counts -->\n"
SETTINGS = ["body.rod.line.elements=1", "body.rod.degree=3", "body.rod.axial_degree=1"]


def run(program):
    command = [program, "compare", str(ROOT / "examples/spinning_rod/model.toml"), "--json"]
    for setting in SETTINGS:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def make_table(results):
    counts = next(table for table in results["tables"] if table["name"] == "operations")
    columns = {column["name"]: column["values"] for column in counts["columns"]}
    names = [report["name"] for report in results["formalisms"] if report["level"] == "element"]
    lines = ["| elements | | " + " | ".join(f"`{name}`" for name in names) + " |",
             "|---|---|" + "---|" * len(names)]
    for row, n in enumerate(columns["elements"]):
        for kind in ("differentiations", "multiplications", "additions"):
            cells = " | ".join(str(int(columns[f"{name}_{kind}"][row])) for name in names)
            lines.append(f"| {int(n) if kind == 'differentiations' else ''} | {kind} | {cells} |")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[2] != "--check"):
        sys.exit(__doc__)
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    table = make_table(run(sys.argv[1]))
    if len(sys.argv) == 3:
        if text[begin:end] != table:
            sys.exit(f"{PAGE.name} has other counts; `tools/count_operations.py PROGRAM` writes them:\n{table}")
        return
    PAGE.write_text(text[:begin] + table + text[end:], encoding="utf-8")


main()
