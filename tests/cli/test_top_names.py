#!/usr/bin/env python3
"""Hostile names in every format of top and paths, read back by parsers that know nothing of hsdiff: see test_names.py.

usage: test_top_names.py TOP_NAMES
"""
import csv
import io
import json
import struct
import subprocess
import sys

from test_names import NAMES, check_equal, check_harmless, unmarked


csv.field_size_limit(1 << 24)  # a path repeats names, and one of them is long


def run(program, *arguments):
    """Bytes that the program prints for NAMES."""
    stdin = b"".join(struct.pack("<I", len(name)) + name for name in NAMES)
    result = subprocess.run([program, *arguments], input=stdin, capture_output=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{arguments}: exit status {result.returncode}: {result.stderr.decode(errors='replace')}")
    return result.stdout


def check_json(program):
    wanted = [name.decode("utf-8", "replace") for name in NAMES]
    top = json.loads(check_harmless("top json", run(program, "top", "json")))
    paths = json.loads(check_harmless("paths json", run(program, "paths", "json")))
    for what, found in (("types", [row["type"] for row in top["types"]]), ("roots", [row["root"] for row in top["roots"]]),
                        ("types of objects", [row["type"] for row in top["objects"]]), ("edges", [row["path"][1]["edge"] for row in top["objects"]]),
                        ("paths", [row["path"][0]["edge"] for row in paths["paths"]]), ("ends", [row["path"][1]["type"] for row in paths["paths"]]),
                        ("beginnings", [row["root"] for row in paths["paths"]])):
        check_equal(f"json {what}", found, wanted)


def csv_column(program, field, *arguments):
    text = check_harmless(f"csv {arguments}", run(program, *arguments), allowed="\r")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        if None in row or None in row.values():
            raise SystemExit(f"csv: a row with other fields than the heading: {row}")
        if any(value.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠")) for value in row.values()):
            raise SystemExit(f"csv: a formula: {row}")
    return [unmarked(row[field].removeprefix("'")) for row in rows]


def check_csv(program):
    check_equal("csv types", csv_column(program, "name", "top", "csv"), NAMES)
    check_equal("csv roots", csv_column(program, "name", "top", "csv", "roots"), NAMES)
    check_equal("csv objects", csv_column(program, "type", "top", "csv", "objects"), NAMES)
    check_equal("csv paths", csv_column(program, "root", "paths", "csv"), NAMES)
    check_equal("csv ends", csv_column(program, "type", "paths", "csv"), NAMES)


def check_plain(program):
    text = check_harmless("plain", run(program, "top", "text", "plain"), allowed="\t")
    rows = [line.split("\t") for line in text.split("\n")]
    for row in rows:
        if row[0] in ("type", "root", "object") and len(row) != 7:
            raise SystemExit(f"plain: {len(row)} fields: {row[:3]}")
    for kind, field in (("type", 1), ("root", 1), ("object", 2)):
        check_equal(f"plain {kind}s", [unmarked(row[field]) for row in rows if row[0] == kind], NAMES)
    text = check_harmless("plain paths", run(program, "paths", "text", "plain"), allowed="\t")
    rows = [line.split("\t") for line in text.split("\n") if line.startswith("path\t")]
    if len(rows) != len(NAMES) or any(len(row) != 5 for row in rows):
        raise SystemExit(f"plain: {len(rows)} paths, or other fields than five")


def main():
    program = sys.argv[1]
    for check in (check_json, check_csv, check_plain):
        check(program)
    for command in ("top", "paths"):
        check_harmless(f"{command} text", run(program, command, "text"))
    print(f"{len(NAMES)} hostile names, 2 commands, 4 formats")
    return 0


if __name__ == "__main__":
    sys.exit(main())
