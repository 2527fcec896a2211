#!/usr/bin/env python3
"""Sets two runs of scripts/bench side by side. Rows meet by their text columns; for each numeric column that differs, the ratio
new/old is shown.

usage: bench_compare.py OLD.csv NEW.csv
"""
import csv
import sys


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def load(path):
    """Rows by what they are (their text columns), as dictionaries of numbers. A second header line starts new columns."""
    rows, header = {}, None
    with open(path, newline="", encoding="utf-8") as file:
        for cells in csv.reader(file):
            if not cells or cells[0].startswith("#"):
                continue
            if header is None or not any(number(cell) is not None for cell in cells):
                header = cells
                continue
            row = dict(zip(header, cells))
            key = tuple(f"{name}={value}" for name, value in row.items() if number(value) is None)
            rows[key] = {name: number(value) for name, value in row.items() if number(value) is not None}
    return rows


def main(old_path, new_path):
    old, new = load(old_path), load(new_path)
    for key, after in new.items():
        before = old.get(key)
        if before is None:
            print(" ".join(key), ": only in the new run")
            continue
        changes = [f"{name} {before[name]:g} -> {value:g} (x{value / before[name]:.3f})"
                   for name, value in after.items() if before.get(name) not in (None, 0, value)]
        print(" ".join(key), ":", "; ".join(changes) or "the same")
    for key in old:
        if key not in new:
            print(" ".join(key), ": only in the old run")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
