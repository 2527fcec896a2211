#!/usr/bin/env python3
"""Shows that run.py can fail: a right report passes every check, and each planted falsehood is found.

The report and the truth are small and made here; no runtime and no hsdiff is needed.
"""
import contextlib
import copy
import io
import sys

sys.dont_write_bytecode = True
import run  # noqa: E402


def amount(objects, bytes_):
    return {"objects": objects, "bytes": bytes_}


def row(before, after, new, freed, resized, **name):
    growth = amount(after[0] - before[0], after[1] - before[1])
    return {**name, "before": amount(*before), "after": amount(*after), "growth": growth,
            "new": amount(*new), "freed": amount(*freed), "resized_bytes": resized,
            "unreached": {"before": amount(0, 0), "after": amount(0, 0)}}


def held(type_, objects, bytes_, new, freed):
    return {"type": type_, "objects": objects, "bytes": bytes_, "new": amount(*new), "freed": amount(*freed)}


def holder(type_, root, path, new, freed, resized, types, edges=()):
    net = amount(new[0] - freed[0], new[1] - freed[1])
    return {"type": type_, "object": "0x1", "root": root, "path": path, "new": amount(*new), "freed": amount(*freed), "net": net,
            "resized_bytes": resized, "growth_bytes": net["bytes"] + resized, "types": types, "edges": list(edges)}


TRUTH = {
    "runtime": "node", "before": "before.heapsnapshot", "after": "after.heapsnapshot", "root": "global.sessions",
    "growing": ["Session"], "shrinking": ["Ticket"], "soft": "Session",
    "holders": [
        {"root": "global.sessions", "path": "Cache, .map Map", "items": "[*] Session", "types": ["Session"]},
        {"root": "global.tickets", "path": "", "items": None, "types": ["Ticket"]},
    ],
    "types": {"Session": {"before": 10, "after": 60, "new": 55, "freed": 5},
              "Ticket": {"before": 9, "after": 4, "new": 0, "freed": 5}},
}
REPORT = {
    "schema": "hsdiff.diff/1", "identity_known": True, "match": {"basis": "exact"},
    "captures": [{"path": "/x/" + TRUTH[side], "complete": True, "identity": "exact", "unreached": amount(0, 0),
                  "soft": amount(TRUTH["types"]["Session"][side] + 3, 0)} for side in ("before", "after")],
    "total": row((20, 500), (65, 1900), (55, 1600), (10, 216), 16),
    "types": [row((10, 300), (60, 1800), (55, 1600), (5, 100), 0, type="Session"),
              row((1, 20), (1, 36), (0, 0), (0, 0), 16, type="Array"),
              row((9, 180), (4, 64), (0, 0), (5, 116), 0, type="Ticket")],
    "roots": [row((11, 320), (61, 1836), (55, 1600), (5, 100), 16, root="global.sessions"),
              row((9, 180), (4, 64), (0, 0), (5, 116), 0, root="global.tickets")],
    "holders": [
        holder("Map", "global.sessions", [{"edge": "", "type": "Cache"}, {"edge": ".map", "type": "Map"}], (55, 1600), (5, 100), 0,
               [held("Session", 50, 1500, (55, 1600), (5, 100))],
               [{"depth": 1, "edge": "[*]", "type": "Session", "before": amount(10, 300), "after": amount(60, 1800)}]),
        holder(None, "global.tickets", [], (0, 0), (5, 116), 0, [held("Ticket", -5, -116, (0, 0), (5, 116))])],
    "others": {"holders": {**holder(None, "", [], (0, 0), (0, 0), 16, []), "rows": 1}},
}


def failures(report, truth=TRUTH):
    fail = run.Failures()
    with contextlib.redirect_stdout(io.StringIO()):
        for check in (run.check_captures, run.check_planted, run.check_root, run.check_holders, run.check_soft):
            check(report, truth, fail)
    run.check_sums(report, fail)
    return fail.found


def set_path(report, path, value):
    for key in path[:-1]:
        report = report[key]
    report[path[-1]] = value


FALSEHOODS = [
    ("another schema", ["schema"], "hsdiff.diff/2"),
    ("an incomplete capture", ["captures", 0, "complete"], False),
    ("identity that is not the runtime's", ["captures", 1, "identity"], "moving"),
    ("unknown identity with new objects all the same", ["identity_known"], False),
    ("objects recognised by something else", ["match", "basis"], "structure"),
    ("one new object too few", ["types", 0, "new", "objects"], 54),
    ("one freed object too many", ["types", 2, "freed", "objects"], 6),
    ("growth that is not after - before", ["types", 0, "growth", "objects"], 49),
    ("bytes that do not add up to the total", ["types", 1, "after", "bytes"], 40),
    ("resized bytes left out", ["types", 1, "resized_bytes"], 0),
    ("a planted type under another name", ["types", 0, "type"], "Object"),
    ("a root under another name", ["roots", 0, "root"], "(GC roots)"),
    ("a root that is missing", ["roots"], REPORT["roots"][:1]),
    ("a type that is missing", ["types"], REPORT["types"][:2]),
    ("a total that lost an object", ["total", "before", "objects"], 19),
    ("no holders", ["holders"], None),
    ("a first holder that is not the container", ["holders"], list(reversed(REPORT["holders"]))),
    ("a holder that is missing", ["holders"], REPORT["holders"][:1]),
    ("a holder under another root", ["holders", 0, "root"], "(GC roots)"),
    ("a holder of another type", ["holders", 0, "type"], "Cache"),
    ("a path with another edge", ["holders", 0, "path", 1, "edge"], ".list"),
    ("a path with another type", ["holders", 0, "path", 0, "type"], "Object"),
    ("a path that repeats a step", ["holders", 0, "path", 1, "repeat"], 2),
    ("a path to what should be the root itself", ["holders", 1, "path"], [{"edge": "", "type": "Array"}]),
    ("a holder of one object too few", ["holders", 0, "types", 0, "objects"], 49),
    ("a holder of bytes that are not the type's", ["holders", 0, "types", 0, "bytes"], 1499),
    ("a holder that calls a new object kept", ["holders", 0, "types", 0, "new", "objects"], 54),
    ("holders that do not add up to the growth", ["holders", 0, "growth_bytes"], 1501),
    ("holders that do not add up to the new objects", ["holders", 1, "new", "objects"], 1),
    ("holders without the rest", ["others"], {}),
    ("a growth edge that is missing", ["holders", 0, "edges"], []),
    ("a growth edge that counts wrongly", ["holders", 0, "edges", 0, "before", "objects"], 9),
    ("softly held objects that are missing", ["captures", 1, "soft", "objects"], 2),
    ("everything held softly", ["captures", 0, "soft", "objects"], 100_000),
]


def main():
    wrong = failures(REPORT)
    if wrong:
        sys.exit("the right report fails: " + "; ".join(wrong))
    for what, path, value in FALSEHOODS:
        report = copy.deepcopy(REPORT)
        set_path(report, path, value)
        if not failures(report):
            sys.exit("not found: " + what)
    print(f"1 right report, {len(FALSEHOODS)} falsehoods found")
    for said, written in (("[Ldemo.Session;", "demo.Session[]"), ("[[I", "int[][]"), ("demo.A$$Lambda$1/0x00007f", "lambda in demo.A"), ("[Ldemo.A$$Lambda+0x7f;", "lambda in demo.A[]")):
        if run.java_name(said) != written:
            sys.exit(f"{said} is read as {run.java_name(said)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
