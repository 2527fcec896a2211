#!/usr/bin/env python3
"""JSON and NDJSON of a check and of one capture, NDJSON of a diff, read by Python's parser: every name comes back wherever it stands.

usage: test_json.py FORMAT_SAMPLE
"""
import json

from kit import NAMES, fail, harmless, run, same

TEXTS = [name.decode("utf-8", "replace") for name in NAMES]


def no_constants(word):
    fail(f"json: {word} is no number")


def read(what, text):
    """Numbers must be integers: no float may have crept in."""
    return json.loads(text, parse_constant=no_constants, parse_float=lambda word: fail(f"{what}: {word} is no integer"))


def lines(what, *arguments):
    records = [read(what, line) for line in harmless(what, run(*arguments)).removesuffix("\n").split("\n")]
    for record in records:
        if list(record)[:2] != ["schema", "record"]:
            fail(f"{what}: a record begins with {list(record)[:2]}")
    return records


def check_findings(what, findings):
    same(f"{what} names", [finding["name"] for finding in findings], TEXTS)
    same(f"{what} roots", [finding["root"] or "" for finding in findings], TEXTS)
    same(f"{what} edges", [finding["path"][0]["edge"] for finding in findings], TEXTS)
    same(f"{what} types", [finding["path"][0]["type"] for finding in findings], TEXTS)
    same(f"{what} files", [finding["sites"][0]["frames"][0]["file"] for finding in findings if finding["sites"]], TEXTS[::2])
    for finding in findings:
        if finding["after"] - finding["before"] != finding["growth"]:
            fail(f"{what}: numbers do not add up")


def check_check(outcome):
    report = read("json", harmless("json", run("check", "json", outcome)))
    same("json rules", [rule["rule"] for rule in report["rules"]], TEXTS)
    same("json notes", report["notes"], TEXTS)
    same("json ignore", report["config"]["ignore"], TEXTS)
    if report["schema"] != "hsdiff.check/1":
        fail(f"json: schema {report['schema']}")
    counts = report["result"]["rules"]
    if sum(counts[word] for word in ("failed", "warned", "passed", "unknown", "off")) != counts["all"]:
        fail("json: outcomes do not add up")
    findings = [finding for rule in report["rules"] for finding in rule["findings"]]
    if outcome in ("fail", "warn", "ok"):
        check_findings("json", findings)
    if outcome == "ok":
        same("json reasons", [finding["allowed"]["reason"] for finding in findings], TEXTS)
    if outcome == "unknown":
        same("json why", [rule["why_unknown"] or "" for rule in report["rules"]], TEXTS)
        same("json problems", report["problems"], TEXTS)
    return report


def check_lines(outcome, report):
    records = lines("ndjson", "check", "ndjson", outcome)
    rules = [record for record in records if record["record"] == "rule"]
    same("ndjson rules", [record["rule"] for record in rules], TEXTS)
    found = [record for record in records if record["record"] == "finding"]
    if len(found) != sum(len(rule["findings"]) for rule in report["rules"]):
        fail("ndjson: other findings than in the document")
    for record, rule in zip(rules, report["rules"]):
        if any(record[key] != value for key, value in rule.items() if key != "findings"):
            fail(f"ndjson: {record} is not what the document says")
    same("ndjson notes", [record["text"] for record in records if record["record"] == "note"], TEXTS)


def check_diff():
    records = lines("ndjson", "diff", "ndjson", "all")
    of = {}
    for record in records:
        of.setdefault(record["record"], []).append(record)
    for kind, fields in (("type", ("type",)), ("root", ("root",)), ("holder", ("type", "root"))):
        for field in fields:
            same(f"ndjson {kind} {field}", [record[field] for record in of[kind]], TEXTS)
    same("ndjson tree", [record["edge"] for record in of["tree"] if record["depth"] > 0], TEXTS)
    same("ndjson warnings", of["match"][0]["warnings"], TEXTS)
    total = of["total"][0]["growth"]["bytes"]
    for kind in ("type", "root"):
        if sum(record["growth"]["bytes"] for record in of[kind]) != total:
            fail(f"ndjson: {kind}s do not add up")
    if [record["side"] for record in of["capture"]] != ["before", "after"]:
        fail("ndjson: captures")


def check_sites():
    """Stacks as they are, and rows that add up, also where some are left out."""
    records = lines("ndjson", "sites", "ndjson", "all")
    total = [record for record in records if record["record"] == "total"][0]["growth"]
    sites = [record for record in records if record["record"] == "site"]
    same("ndjson functions", [site["frames"][0]["function"] for site in sites], TEXTS)
    same("ndjson files", [site["frames"][1]["file"] for site in sites], TEXTS)
    document = read("json", harmless("json", run("sites", "json", "all")))
    if [{key: site[key] for key in ("frames", "frame", "before", "after", "growth")} for site in sites] != document["sites"]:
        fail("ndjson: other sites than in the document")
    for key in ("objects", "bytes"):
        if sum(site["growth"][key] for site in sites) != total[key]:
            fail(f"ndjson: {key} of sites do not add up")


def check_same_rows(what, records, rows):
    """The rows of the document, with what tells a record apart in front."""
    if [{key: value for key, value in record.items() if key not in ("schema", "record")} for record in records] != rows:
        fail(f"{what}: other rows than in the document")


def check_capture(what, tables):
    """Every row of every table is a record, and names come back from where they stand."""
    records = lines(f"ndjson {what}", what, "ndjson", "all")
    document = read("json", harmless("json", run(what, "json", "all")))
    for kind, member, fields in tables:
        rows = [record for record in records if record["record"] == kind]
        check_same_rows(f"ndjson {what} {member}", rows, document[member])
        for field in fields:
            same(f"ndjson {what} {kind} {field}", [row[field] for row in rows], TEXTS)
        for field in ("edge", "type"):
            if "path" in rows[0]:
                same(f"ndjson {what} {kind} path {field}", [row["path"][-1][field] for row in rows], TEXTS)
    same(f"ndjson {what} warnings", [record["text"] for record in records if record["record"] == "warning"], TEXTS)
    same(f"json {what} warnings", document["warnings"], TEXTS)


def main():
    for outcome in ("ok", "warn", "fail", "unknown", "off", "mixed", "series"):
        check_lines(outcome, check_check(outcome))
    check_diff()
    check_sites()
    check_capture("top", (("type", "types", ["type"]), ("root", "roots", ["root"]), ("object", "objects", ["type", "root"])))
    check_capture("paths", (("path", "paths", ["root"]),))
    print(f"{len(NAMES)} names came back from json and ndjson")


if __name__ == "__main__":
    main()
