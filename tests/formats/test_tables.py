#!/usr/bin/env python3
"""CSV and plain records of a check: as many fields as the heading names, no formulas, and every name comes back.

usage: test_tables.py FORMAT_SAMPLE
"""
import csv
import io

from kit import NAMES, fail, harmless, run, same, unmarked

FORMULAS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
csv.field_size_limit(1 << 20)
TEXT_FIELDS = ("rule", "pattern", "why_unknown", "name", "root", "place", "reason", "site_file")


def csv_rows(outcome):
    text = harmless("csv", run("check", "csv", outcome), allowed="\r")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        if None in row or None in row.values():
            fail(f"csv: other fields than in the heading: {str(row)[:200]}")
        for field in TEXT_FIELDS:
            if row[field].startswith(FORMULAS):
                fail(f"csv: a formula: {row[field][:80]}")
    return rows


def names_of(rows, field):
    return [unmarked(row[field].removeprefix("'") if row[field][:2].startswith("'") else row[field]) for row in rows]


def check_csv():
    for outcome in ("ok", "warn", "fail", "unknown", "off", "mixed"):
        rows = csv_rows(outcome)
        same(f"csv {outcome} rules", names_of(rows, "rule"), NAMES)
        if outcome in ("ok", "warn", "fail"):
            same("csv names", names_of(rows, "name"), NAMES)
            same("csv roots", names_of(rows, "root"), NAMES)
        if outcome == "ok":
            same("csv reasons", names_of(rows, "reason"), NAMES)
        if outcome == "unknown":
            same("csv why", names_of(rows, "why_unknown"), NAMES)
            if any(row["found"] or row["over"] or row["name"] for row in rows):
                fail("csv: figures of what is not known")


def check_plain():
    for outcome in ("ok", "fail", "unknown", "mixed"):
        lines = harmless("plain", run("check", "plain", outcome), allowed="\t").removesuffix("\n").split("\n")
        headings = {line.split("\t")[0][2:]: line.count("\t") for line in lines if line.startswith("# ")}
        records = {}
        for line in lines:
            fields = line.split("\t")
            records.setdefault(fields[0], []).append(fields)
            if fields[0] in headings and len(fields) - 1 != headings[fields[0]]:
                fail(f"plain: {len(fields)} fields of {fields[0]}, {headings[fields[0]] + 1} in the heading")
        same("plain rules", [unmarked(fields[2]) for fields in records["rule"]], NAMES)
        same("plain notes", [unmarked(fields[1]) for fields in records["note"]], NAMES)
        if outcome in ("ok", "fail"):
            same("plain names", [unmarked(fields[3]) for fields in records["finding"]], NAMES)
            same("plain roots", [unmarked(fields[4]) for fields in records["finding"]], NAMES)
        if outcome == "unknown":
            same("plain why", [unmarked(fields[-1]) for fields in records["rule"]], NAMES)
            same("plain problems", [unmarked(fields[1]) for fields in records["problem"]], NAMES)


def check_text():
    """The screen: nothing that a terminal or a build server obeys."""
    for outcome in ("ok", "warn", "fail", "unknown", "off", "mixed", "series"):
        harmless("text", run("check", "text", outcome))


def main():
    check_csv()
    check_plain()
    check_text()
    print(f"{len(NAMES)} names came back from csv and plain records")


if __name__ == "__main__":
    main()
