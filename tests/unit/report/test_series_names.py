#!/usr/bin/env python3
"""Hostile names in every format of a series, read back by parsers that know nothing of hsdiff: see tests/cli/test_names.py.

usage: test_series_names.py TEST_SERIES_NAMES
"""
import csv
import io
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli"))
from test_names import NAMES, check_equal, check_harmless, unmarked  # pylint: disable=wrong-import-position

csv.field_size_limit(1 << 24)  # one of the names is long
CAPTURES = 3
TEXTS = [name.decode("utf-8", "replace") for name in NAMES]


def run(program, *arguments):
    """Bytes that the program prints for NAMES."""
    stdin = b"".join(struct.pack("<I", len(name)) + name for name in NAMES)
    result = subprocess.run([program, *arguments], input=stdin, capture_output=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{arguments}: exit status {result.returncode}: {result.stderr.decode(errors='replace')}")
    return result.stdout


def check_sums(rows, total, what):
    """Rows add up to the heap of each capture."""
    for i in range(CAPTURES):
        if sum(row["bytes"][i] for row in rows) != total["bytes"][i]:
            raise SystemExit(f"{what}: rows do not add up to capture {i}")


def check_rows(types, roots, holders, total, what):
    for name, found in (("types", [row["type"] for row in types]), ("roots", [row["root"] for row in roots]),
                        ("types of holders", [row["type"] for row in holders]), ("roots of holders", [row["root"] for row in holders]),
                        ("edges", [row["path"][0]["edge"] for row in holders])):
        check_equal(f"{what} {name}", found, TEXTS)
    for rows in (types, roots, holders):
        check_sums(rows, total, what)
        for row in rows:
            if row["trend"]["growth"] != row["bytes"][-1] - row["bytes"][0] or row["trend"]["p"] != 0.008535:
                raise SystemExit(f"{what}: {row['trend']}")


def check_json(program):
    report = json.loads(check_harmless("json", run(program, "json")))
    check_rows(report["types"], report["roots"], report["holders"], report["total"], "json")
    check_equal("json cohorts", [row["type"] for row in report["cohorts"]["types"]], TEXTS)
    check_equal("json metrics", [row["name"] for row in report["captures"][0]["metrics"]], TEXTS)
    check_equal("json labels", [row["label"] for row in report["captures"]], TEXTS[3:3 + CAPTURES])
    if [len(alive) for alive in report["cohorts"]["all"]["alive"]] != list(range(1, CAPTURES + 1)):
        raise SystemExit("json: cohorts are no triangle")
    if report["others"]:
        raise SystemExit("json: others without --top")


def check_ndjson(program):
    lines = check_harmless("ndjson", run(program, "ndjson")).split("\n")
    if lines.pop() != "":
        raise SystemExit("ndjson: no newline at the end")
    records = [json.loads(line) for line in lines]
    of_kind = {kind: [row for row in records if row["record"] == kind] for kind in {row["record"] for row in records}}
    check_rows(of_kind["type"], of_kind["root"], of_kind["holder"], of_kind["total"][0], "ndjson")
    check_equal("ndjson survivors", [row["type"] for row in of_kind["survivor"]], TEXTS)


def check_csv(program):
    for table in ("types", "roots", "holders"):
        text = check_harmless("csv", run(program, "csv", table), allowed="\r")
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        for row in rows:
            if None in row or None in row.values():
                raise SystemExit(f"csv: a row with other fields than the heading: {row}")
            if any(value.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠")) for value in row.values()):
                raise SystemExit(f"csv: a formula: {row}")
        for field in ("name", "root") if table == "holders" else ("name",):
            check_equal(f"csv {table} {field}", [unmarked(row[field].removeprefix("'")) for row in rows if row["capture"] == "2"], NAMES)


def check_plain(program):
    text = check_harmless("plain", run(program, "text", "plain"), allowed="\t")
    rows = [line.split("\t") for line in text.split("\n")]
    for kind in ("type", "root", "holder"):
        if any(len(row) != 12 + CAPTURES for row in rows if row[0] == kind):
            raise SystemExit(f"plain: {kind}s with another number of fields")
        check_equal(f"plain {kind}s", [unmarked(row[1]) for row in rows if row[0] == kind], NAMES)
    check_equal("plain cohorts", [unmarked(row[1]) for row in rows if row[0] == "cohort-type" and row[2:5] == ["1", "1", "1"]], NAMES)


def check_text(program):
    lines = check_harmless("text", run(program, "text")).split("\n")
    table = lines[[line.startswith("TYPE ") for line in lines].index(True) + 1:]
    row = re.compile(r"^(.*?) +1\.00 MiB +[\d.]+ MiB +\+[\d.]+ [MK]iB +\+[\d.]+ [MK]iB  [\u2581-\u2588]{3}    each step$", re.DOTALL)
    found = []
    for line in table[:len(NAMES)]:
        match = row.match(line)
        if not match:
            raise SystemExit(f"text: not a row: {line[:200]}")
        found.append(unmarked(match.group(1)).rstrip(b" "))
    check_equal("text", found, [name.rstrip(b" ") for name in NAMES])  # blanks at the end drown in the padding


def check_openmetrics(program):
    text = check_harmless("openmetrics", run(program, "openmetrics"))
    sample = re.compile(r'hsdiff_series_type_bytes\{type="((?:[^"\\\n]|\\["\\n])*)"\} \d+')
    found = [unmarked(re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), match[1])) for match in sample.finditer(text)]
    if len(found) != min(500, len(NAMES)):  # as many as a scrape has of one metric
        raise SystemExit(f"openmetrics: {len(found)} types")
    check_equal("openmetrics types", found, [name for name in NAMES if name in set(found)])
    if not text.endswith("\n# EOF\n") or len(set(text.split("\n"))) != text.count("\n") + 1:
        raise SystemExit("openmetrics: a line stands there twice, or the end is missing")


def check_markdown(program):
    """No name begins anything: outside of code spans there are but our own words."""
    text = check_harmless("markdown", run(program, "markdown"))
    for line in text.split("\n"):
        rest = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        if re.search(r"[<@\[\]]|https?:", rest):
            raise SystemExit(f"markdown: outside of a code span: {rest[:200]}")


def main():
    program = sys.argv[1]
    for check in (check_json, check_ndjson, check_csv, check_plain, check_text, check_openmetrics, check_markdown):
        check(program)
    print(f"{len(NAMES)} hostile names, 7 formats")
    return 0


if __name__ == "__main__":
    sys.exit(main())
