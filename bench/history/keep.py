#!/usr/bin/env python3
"""Adds rows of bench/whole/run.py (standard input) to the history, with the commit they are of and its date. Rows of one commit, work and
size that are there already are replaced. A tree with changes that are not committed is not kept: nobody could measure it again.

usage: keep.py [FOLDER]        FOLDER: where clock.csv and instructions.csv are; this one
"""
import csv
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FILES = {
    "clock.csv": ["date", "commit", "work", "objects", "wall_s", "cpu_s", "peak_mib"],
    "instructions.csv": ["date", "commit", "work", "objects", "instructions"],
}
KEY = ("commit", "work", "objects")


def git(*arguments):
    return subprocess.run(["git", "-C", HERE, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def load(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main(folder):
    if git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)bench/history"):
        sys.exit("keep.py: the tree has changes that are not committed; nothing was kept")
    stamp = {"date": git("log", "-1", "--format=%cs"), "commit": git("log", "-1", "--format=%h", "--abbrev=10")}
    rows = [{**stamp, **row} for row in csv.DictReader(sys.stdin)]
    if not rows:
        sys.exit("keep.py: no rows on standard input")
    name = "instructions.csv" if "instructions" in rows[0] else "clock.csv"
    path = folder / name
    new = {tuple(row[k] for k in KEY) for row in rows}
    kept = [row for row in load(path) if tuple(row[k] for k in KEY) not in new] + rows
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FILES[name], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    print(f"{len(rows)} rows of {stamp['commit']} are in {path.name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE))
