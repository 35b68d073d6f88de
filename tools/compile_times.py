#!/usr/bin/env python3
"""Prints the slowest sources of a Ninja build, and warns of those beyond a limit.

Usage: compile_times.py BUILD_DIR [--top N] [--limit SECONDS]
Times are those of the last compile of each object; with ccache a hit counts as fast.
"""
import argparse
import pathlib


def read_log(path):
    """object → seconds, the last entry of each object (format: start end mtime output hash)."""
    times = {}
    for line in path.read_text().splitlines():
        fields = line.split("\t")
        if line.startswith("#") or len(fields) < 4 or not fields[3].endswith(".o"):
            continue
        times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--top", type=int, default=10)
    parser.add_argument("--limit", type=float, default=60)
    options = parser.parse_args()
    log = options.build / ".ninja_log"
    if not log.is_file():
        parser.error(f"{log} is not there: build with Ninja first")
    times = sorted(read_log(log).items(), key=lambda item: -item[1])
    print(f"compile times: {len(times)} objects, {sum(t for _, t in times):.0f} s in all; the slowest:")
    for name, seconds in times[: options.top]:
        short = name.split(".dir/", 1)[-1].removesuffix(".o")
        print(f"  {seconds:6.1f} s  {short}{'   WARNING: over the limit' if seconds > options.limit else ''}")


if __name__ == "__main__":
    main()
