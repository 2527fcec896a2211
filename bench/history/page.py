#!/usr/bin/env python3
"""The history as tables of Markdown: a row for each work, a column for each commit, oldest first, and how the last differs from the first that has
the row. Times are of the machine that measured them: of two columns only those compare that came from one machine. Instructions always do.

usage: page.py [FOLDER]
"""
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# What the works are (bench/whole/run.py).
WORKS = {
    "help": "`hsdiff --help`", "summary": "`--summary` of two captures", "diff-exact": "two captures, exact ids", "diff-address": "two captures, addresses",
    "diff-structure": "two captures, by structure", "check": "`check` of two captures", "top": "`top` of one capture",
    "import-heapsnapshot": "import of a V8 dump", "diff-heapsnapshot": "two V8 dumps", "import-hprof": "import of an HPROF dump",
    "diff-hprof": "two HPROF dumps",
}
TABLES = (
    ("instructions.csv", "instructions", "Instructions, one thread, in millions", lambda text: f"{int(text) / 1e6:,.1f}"),
    ("clock.csv", "cpu_s", "Processor time, seconds", lambda text: f"{float(text):.3f}"),
    ("clock.csv", "wall_s", "Wall time, seconds", lambda text: f"{float(text):.3f}"),
    ("clock.csv", "peak_mib", "Peak memory, MiB", lambda text: f"{float(text):.1f}"),
)


def load(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def changed(values):
    """Of the last to the first, in percent; nothing where there is one alone."""
    known = [float(value) for value in values if value is not None]
    return f"{(known[-1] / known[0] - 1) * 100:+.1f} %" if len(known) > 1 and known[0] > 0 else ""


def table(rows, column, title, written):
    commits = list(dict.fromkeys((row["date"], row["commit"]) for row in rows))
    cells = {(row["work"], row["objects"], row["commit"]): row[column] for row in rows}
    lines = [f"## {title}", "", "| work | objects | " + " | ".join(f"{date} `{commit}`" for date, commit in commits) + " | change |",
             "|---|--:|" + "--:|" * (len(commits) + 1)]
    for work, objects in dict.fromkeys((row["work"], row["objects"]) for row in rows):
        values = [cells.get((work, objects, commit)) for _, commit in commits]
        shown = [written(value) if value is not None else "" for value in values]
        lines.append(f"| {WORKS.get(work, work)} | {int(objects):,} | " + " | ".join(shown) + f" | {changed(values)} |")
    return lines + [""]


def main(folder):
    lines = ["# What whole commands took", "", "Made by `scripts/bench history > bench/history/README.md` of what `scripts/bench whole --keep` has added.", ""]
    for file, column, title, written in TABLES:
        if rows := load(folder / file):
            lines += table(rows, column, title, written)
    print("\n".join(lines if len(lines) > 4 else lines + ["Nothing was kept yet: scripts/bench whole --keep"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE))
