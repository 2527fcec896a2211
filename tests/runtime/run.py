#!/usr/bin/env python3
"""Real leaks in real runtimes, held against what hsdiff says.

    run.py CASE --hsdiff BINARY [--work FOLDER]     one case; exit 0 passed, 1 failed, 77 the runtime is not installed
    run.py --list                                   names of the cases

A case runs a real program (node/*.js, java/demo/*.java) that plants a leak, takes two dumps of itself and writes truth.json: the
objects of each planted class before and after, from its own counters, the root that holds them, and the containers that do. Then hsdiff
compares the dumps and every claim of its JSON is checked: types and counts, sizes, the root's name, the holders with their
paths and what grew under them, and that the rows add up to the totals.

Sizes have a truth of their own. Node: bench/peers/devtools/reference.py, the rules of the DevTools Comparison view,
for every class. Java: the JVM's class histogram of the same moment, for every class but those whose objects have fields
that no dump lists.
"""
import argparse
import collections
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
sys.path.insert(0, str(PROJECT / "bench" / "peers" / "devtools"))
sys.dont_write_bytecode = True

NODE = ["array_growth", "map_growth", "linked_list", "listeners", "shrink_and_grow", "module_const", "closure_variable",
        "closure_replaced", "containers"]
JAVA = ["ArrayGrowth", "Cache", "LinkedJobs", "Listeners", "Worker", "ShrinkAndGrow", "StaticArray", "PoolWorker", "DeepListeners",
        "FinalizerQueue", "SoftCache", "Containers"]
COLLECTORS = {"serial": "-XX:+UseSerialGC", "parallel": "-XX:+UseParallelGC", "g1": "-XX:+UseG1GC", "z": "-XX:+UseZGC"}

# case name -> (runtime, program, options of the JVM, arguments of the program)
CASES = {"node-" + name.replace("_", "-"): ("node", name, [], []) for name in NODE}
CASES |= {"java-" + re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower(): ("java", name, [COLLECTORS["serial"]], [])
          for name in JAVA}
CASES |= {"java-cache-" + name: ("java", "Cache", [option], []) for name, option in COLLECTORS.items() if name != "serial"}
CASES |= {"java-cache-gz": ("java", "Cache", [COLLECTORS["serial"]], ["-gz=1"])}

# Classes whose objects carry fields that the JVM injects or pads (@Contended) and that its dumps do not list, and mirrors, which
# a dump writes as class records; so their bytes, and of mirrors and filler arrays the counts, cannot be known from a dump.
UNLISTED_FIELDS = re.compile(
    r"^java\.lang\.(Class|Module|invoke\.(MemberName|ResolvedMethodName|MethodHandleNatives\$CallSiteContext))$"
    r"|Thread$|ClassLoader$|^java\.lang\.ref\.Reference\$ReferenceHandler$"
    r"|^java\.util\.concurrent\.(ForkJoinPool(\$WorkQueue)?|Exchanger\$Node|ConcurrentHashMap\$CounterCell)$"
    r"|^jdk\.internal\.loader\.ClassLoaders\$")
UNCOUNTED = {"java.lang.Class", "int[]"}

# The share of the planted growth that the first holder must explain.
EXPLAINED = 0.95


class Failures:
    """Collects what does not hold, so that one run shows everything that is wrong with a case."""

    def __init__(self):
        self.found = []

    def check(self, holds, message):
        if not holds:
            self.found.append(message)

    def equal(self, what, expected, found):
        self.check(expected == found, f"{what}: expected {expected}, hsdiff says {found}")


def skip(message):
    print("skipped:", message)
    sys.exit(77)


def run(command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **options)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


# ---- making the dumps ----

def compile_java(work):
    """All programs at once, into a folder that the cases of one build share."""
    classes = work.parent / "java-classes"
    classes.mkdir(parents=True, exist_ok=True)
    sources = sorted((HERE / "java" / "demo").glob("*.java"))
    with open(classes / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = classes / ".stamp"
        if not stamp.exists() or stamp.stat().st_mtime < max(s.stat().st_mtime for s in sources):
            run(["javac", "-J-XX:TieredStopAtLevel=1", "-Xlint:all", "-Werror", "-d", classes, *sources])
            stamp.touch()
    return classes


def plant(runtime, program, options, arguments, work):
    if runtime == "node":
        if not shutil.which("node"):
            skip("node is not installed (apt-get install nodejs)")
        run(["node", "--expose-gc", HERE / "node" / (program + ".js"), work])
    else:
        if not shutil.which("javac"):
            skip("javac is not installed (apt-get install openjdk-17-jdk-headless)")
        classes = compile_java(work)
        run(["java", "-Xmx256m", *options, "-cp", classes, "demo." + program, work, *arguments])
    return json.loads((work / "truth.json").read_text())


# ---- what the JVM itself says ----

def java_name(name):
    """The name of a class as hsdiff writes it: java.lang.String, int[], without the address of a hidden class, lambda in demo.A."""
    name = re.sub(r"[+/.]0x[0-9a-f]+$", "", name)
    depth = len(name) - len(name.lstrip("["))
    if depth:
        name = name[depth:]
        short = dict(Z="boolean", C="char", F="float", D="double", B="byte", S="short", I="int", J="long")
        name = short.get(name) or name[1:-1]
    name = re.sub(r"^(.+?)\$\$Lambda.*$", r"lambda in \1", name)
    return name + "[]" * depth


def read_histogram(path):
    """{class: (objects, bytes)}"""
    table = collections.defaultdict(lambda: [0, 0])
    for line in path.read_text().splitlines():
        found = re.match(r"\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", line)
        if found:
            row = table[java_name(found[3])]
            row[0] += int(found[1])
            row[1] += int(found[2])
    return {name: tuple(row) for name, row in table.items()}


# ---- the checks ----

def pair(cell):
    return (cell["objects"], cell["bytes"])


def everything(row, side):
    """Live and unreached objects and bytes of a type: what is in the dump, whatever holds it."""
    return tuple(row[side][unit] + row["unreached"][side][unit] for unit in ("objects", "bytes"))


PLACED_FUNCTION = re.compile(r"Function .* \(.*:\d+\)|Function .* \(.*:\d+:\d+\)")


def add_up(into, row):
    """Adds the numbers of one row to those of another, at any depth; what is null in one is null."""
    for key, value in row.items():
        if isinstance(value, dict):
            add_up(into[key], value) if isinstance(into.get(key), dict) else into.setdefault(key, value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            into[key] = into.get(key, 0) + value


def merge_functions(rows):
    merged = {}
    for row in rows:
        if row["type"] in merged:
            add_up(merged[row["type"]], row)
        else:
            merged[row["type"]] = row
    return list(merged.values())


def without_places(value):
    """The report with all functions of V8 as one type, as DevTools has them: what is planted says nothing of lines."""
    if isinstance(value, list):
        rows = [without_places(one) for one in value]
        is_table = any(isinstance(row, dict) and row.get("type") == "Function" and "edge" not in row and "path" not in row for row in rows)
        return merge_functions(rows) if is_table else rows
    if not isinstance(value, dict):
        return value
    plain = {key: without_places(one) for key, one in value.items()}
    if isinstance(plain.get("type"), str) and PLACED_FUNCTION.fullmatch(plain["type"]):
        plain["type"] = "Function"
    return plain


def check_captures(report, truth, fail):
    fail.equal("schema", "hsdiff.diff/1", report["schema"])
    fail.equal("number of captures", 2, len(report["captures"]))
    fail.equal("identity_known", True, report["identity_known"])
    fail.equal("match.basis", "exact" if truth["runtime"] == "node" else "structure", report["match"]["basis"])
    for capture, side in zip(report["captures"], ("before", "after")):
        fail.equal(f"{side}: complete", True, capture["complete"])
        fail.equal(f"{side}: file", truth[side], os.path.basename(capture["path"]))
        fail.equal(f"{side}: identity", "exact" if truth["runtime"] == "node" else "moving", capture["identity"])


def check_sums(report, fail):
    """Rows add up; growth = after - before everywhere, and = new - freed for each type and in total, in bytes with resized."""
    total = report["total"]
    columns = ["before", "after", "growth"] + (["new", "freed"] if report["identity_known"] else [])
    for table in ("types", "roots"):
        for column in columns:
            for unit in ("objects", "bytes"):
                fail.equal(f"sum of {table}[].{column}.{unit}", total[column][unit],
                           sum(row[column][unit] for row in report[table]))
    for row in report["types"] + report["roots"] + [total]:
        name = row.get("type") or row.get("root") or "total"
        for unit in ("objects", "bytes"):
            fail.equal(f"{name}: growth.{unit}", row["after"][unit] - row["before"][unit], row["growth"][unit])
    if not report["identity_known"]:
        return check_unclaimed(report, fail)
    # Not for roots: a kept object that another root holds now is new under none and freed under none.
    for row in report["types"] + [total]:
        name = row.get("type") or "total"
        fail.equal(f"{name}: new - freed objects", row["growth"]["objects"], row["new"]["objects"] - row["freed"]["objects"])
        fail.equal(f"{name}: new - freed + resized bytes", row["growth"]["bytes"],
                   row["new"]["bytes"] - row["freed"]["bytes"] + row["resized_bytes"])


def check_unclaimed(report, fail):
    """Where objects cannot be recognised, new, freed and kept are not known, and 0 would be a claim: they are null."""
    rows = report["types"] + report["roots"] + [report["total"]]
    for column in ("new", "freed", "kept", "resized_bytes"):
        claimed = sum(1 for row in rows if row.get(column) is not None)
        fail.check(claimed == 0, f"{column} is not known in a moving heap, but {claimed} rows claim one")


def check_planted(report, truth, fail):
    rows = {row["type"]: row for row in report["types"]}
    for name, counts in truth["types"].items():
        row = rows.get(name)
        if row is None:
            fail.check(False, f"type {name} is not in the report")
            continue
        fail.equal(f"{name}: before.objects", counts["before"], row["before"]["objects"])
        fail.equal(f"{name}: after.objects", counts["after"], row["after"]["objects"])
        fail.equal(f"{name}: growth.objects", counts["after"] - counts["before"], row["growth"]["objects"])
        if "new" in counts:
            fail.equal(f"{name}: new.objects", counts["new"], row["new"]["objects"])
            fail.equal(f"{name}: freed.objects", counts["freed"], row["freed"]["objects"])
    by_growth = sorted(report["types"], key=lambda row: row["growth"]["bytes"])
    if truth["growing"]:
        fail.equal("type that grew most", truth["growing"], [by_growth[-1]["type"]])
    if truth["shrinking"]:
        fail.equal("type that shrank most", truth["shrinking"], [by_growth[0]["type"]])


def check_root(report, truth, fail):
    if truth["root"] is None:
        return
    top = max(report["roots"], key=lambda row: row["growth"]["bytes"])
    said = f"{top['root']} (+{top['growth']['objects']} objects, +{top['growth']['bytes']} bytes)"
    print("root that grew most:", said)
    # A thread's root says which of its fields, too; every other root is exactly its name.
    is_thread = "." not in truth["root"]
    fail.check(truth["root"] in top["root"] if is_thread else truth["root"] == top["root"], f"root that grew most: expected {truth['root']}, hsdiff says {said}")
    grown = sum(counts["after"] - counts["before"] for counts in truth["types"].values() if counts["after"] > counts["before"])
    fail.check(top["growth"]["objects"] >= grown, f"{top['root']}: grew by {top['growth']['objects']} objects, "
               f"but {grown} were planted under it")


def check_node_sizes(report, truth, work, fail):
    import reference
    sides = [reference.aggregates(work / truth[side])[0] for side in ("before", "after")]
    rows, _ = reference.compare(*sides)
    found = {row["type"]: row for row in report["types"]}
    for name in sorted(set(rows) | set(found)):
        for side, suffix in (("before", "Before"), ("after", "After")):
            fail.equal(f"{name}: {side} (objects, bytes) by the DevTools rules",
                       tuple(rows[name][key + suffix] for key in ("count", "size")) if name in rows else (0, 0),
                       everything(found[name], side) if name in found else (0, 0))


def check_java_sizes(report, truth, work, fail):
    for side in ("before", "after"):
        histogram = read_histogram(work / (side + ".histogram.txt"))
        found = collections.defaultdict(lambda: (0, 0))
        for row in report["types"]:
            name = java_name(row["type"])
            found[name] = tuple(map(sum, zip(found[name], everything(row, side))))
        for name in sorted((set(histogram) | set(found)) - UNCOUNTED):
            count, bytes_ = histogram.get(name, (0, 0))
            fail.equal(f"{name}: {side}.objects by the JVM's histogram", count, found[name][0])
            if not UNLISTED_FIELDS.search(name):
                fail.equal(f"{name}: {side}.bytes by the JVM's histogram", bytes_, found[name][1])


# ---- who holds it ----

def parse_path(text):
    """The steps of "Object, .head ListNode, .next ListNode x2500": (edge, type, how often in a row)."""
    steps = []
    for step in text.split(", ") if text else []:
        words = step.split(" ")
        repeat = int(words.pop()[1:]) if re.fullmatch(r"x\d+", words[-1]) else 1
        steps.append((words[0] if len(words) == 2 else "", words[-1], repeat))
    return steps


def path_of(holder):
    return [(step["edge"], step["type"], step.get("repeat", 1)) for step in holder["path"]]


def show(holder):
    steps = "".join(f", {edge} {type_}{f' x{repeat}' if repeat > 1 else ''}" for edge, type_, repeat in path_of(holder))
    return f"{holder['root']}{steps} ({holder['growth_bytes']:+,} bytes)"


def check_holder_sums(report, fail):
    """Holders are complete: with those that are no rows they add up to the growth of the heap."""
    total = report["total"]
    rows = report["holders"] + [other for other in [report.get("others", {}).get("holders")] if other]
    fail.equal("sum of holders[].growth_bytes", total["growth"]["bytes"], sum(row["growth_bytes"] for row in rows))
    columns = {"net": "growth"} | ({"new": "new", "freed": "freed"} if report["identity_known"] else {})
    for column, of_total in columns.items():
        fail.equal(f"sum of holders[].{column}.objects", total[of_total]["objects"], sum(row[column]["objects"] for row in rows))
    for row in report["holders"]:
        fail.equal(f"{show(row)}: net + resized", row["growth_bytes"], row["net"]["bytes"] + row["resized_bytes"])
        fail.equal(f"{show(row)}: sum of its types", pair(row["net"]),
                   tuple(sum(type_[unit] for type_ in row["types"]) for unit in ("objects", "bytes")))
        if report["identity_known"]:
            fail.equal(f"{show(row)}: new - freed", row["net"]["objects"], row["new"]["objects"] - row["freed"]["objects"])
        else:
            fail.check(row["new"] is None and row["freed"] is None, f"{show(row)}: new or freed is claimed in a moving heap")


def is_holder(row, expected):
    return row["root"] == expected["root"] and path_of(row) == parse_path(expected["path"])


def find_holder(report, expected):
    """The row, and who of those that it names is the one: itself, or one of several that hold it together."""
    for row in report["holders"]:
        for one in [row, *(row.get("held_by") or [])]:
            if is_holder(one, expected):
                return row, one
    return None, None


def check_holder(report, truth, expected, fail):
    where = f"{expected['root']}: {expected['path']}"
    row, one = find_holder(report, expected)
    if row is None:
        near = [show(row) for row in report["holders"] if row["root"] == expected["root"]]
        return fail.check(False, f"no holder {where}; of that root: {'; '.join(near) or 'none'}")
    steps = parse_path(expected["path"])
    fail.equal(f"{where}: type", steps[-1][1] if steps else None, one["type"])
    types = {type_["type"]: type_ for type_ in row["types"]}
    of_heap = {type_["type"]: type_ for type_ in report["types"]}
    for name in expected["types"]:
        counts, found = truth["types"][name], types.get(name, {"objects": 0, "bytes": 0})
        fail.equal(f"{where}: net objects of {name}", counts["after"] - counts["before"], found["objects"])
        if name in of_heap:
            fail.equal(f"{where}: net bytes of {name}", of_heap[name]["growth"]["bytes"], found["bytes"])
        if "new" in counts and name in types:
            fail.equal(f"{where}: new and freed {name}", (counts["new"], counts["freed"]),
                       (found["new"]["objects"], found["freed"]["objects"]))
    if expected["items"]:
        check_items(row, truth, expected, fail)


def check_items(row, truth, expected, fail):
    """The growth edge by which the planted objects hang from the container, with how many there were and are."""
    edge, type_ = expected["items"].split(" ")
    counts = truth["types"].get(type_, {"before": None})
    said = [(found["edge"], found["type"], found["before"]["objects"], found["after"]["objects"]) for found in row["edges"]]
    if counts["before"] is not None:
        wanted = (edge, type_, counts["before"], counts["after"])
        fail.check(wanted in said, f"{show(row)}: no growth edge {wanted} among {said}")


def check_holders(report, truth, fail):
    if not report.get("holders"):
        return fail.check(False, f"no holders: {report.get('why_no_holders')}")
    print("first holder:", show(report["holders"][0]))
    check_holder_sums(report, fail)
    for expected in truth["holders"]:
        check_holder(report, truth, expected, fail)
    if truth["growing"]:
        check_first_holder(report, truth, fail)


def check_first_holder(report, truth, fail):
    first, expected = report["holders"][0], truth["holders"][0]
    fail.check(find_holder(report, expected)[0] is first, f"first holder: expected {expected['root']}: {expected['path']}, "
               f"hsdiff says {show(first)}")
    planted = sum(row["growth"]["bytes"] for row in report["types"] if row["type"] in expected["types"])
    fail.check(first["growth_bytes"] >= EXPLAINED * planted, f"first holder: {show(first)} of {planted:,} planted bytes")


def check_soft(report, truth, fail):
    """Softly held objects are counted apart: the planted ones, and some of the JVM's own, which hardly change."""
    name = truth.get("soft")
    if not name:
        return
    others = [capture["soft"]["objects"] - truth["types"][name][side] for capture, side in zip(report["captures"], ("before", "after"))]
    fail.check(0 <= others[0] <= 2000 and abs(others[1] - others[0]) <= 50,
               f"softly held objects before and after, without the planted {name}: {others}")


def check_text(hsdiff, work, truth, fail):
    """The plain report names the type and the root in words."""
    text = run([hsdiff, work / truth["before"], work / truth["after"]])
    for name in [*truth["growing"], truth["root"]] if truth["growing"] else []:
        fail.check(name in text, f"the text report does not name {name}:\n{text}")


def check_mirror(hsdiff, work, truth, report, fail):
    """diff(b, a) is diff(a, b) with before and after changed places."""
    back = without_places(json.loads(run([hsdiff, work / truth["after"], work / truth["before"], "--format", "json"])))
    for table, key in (("types", "type"), ("roots", "root")):
        forth = {row[key]: (pair(row["before"]), pair(row["after"])) for row in report[table]}
        mirrored = {row[key]: (pair(row["after"]), pair(row["before"])) for row in back[table]}
        fail.check(forth == mirrored, f"{table}: the diff of after and before is not the mirror image")


def check_case(name, hsdiff, work):
    truth = plant(*CASES[name], work)
    report = without_places(json.loads(run([hsdiff, work / truth["before"], work / truth["after"], "--format", "json"])))
    fail = Failures()
    check_captures(report, truth, fail)
    check_sums(report, fail)
    check_planted(report, truth, fail)
    check_root(report, truth, fail)
    check_holders(report, truth, fail)
    check_soft(report, truth, fail)
    (check_node_sizes if truth["runtime"] == "node" else check_java_sizes)(report, truth, work, fail)
    check_text(hsdiff, work, truth, fail)
    check_mirror(hsdiff, work, truth, report, fail)
    return fail.found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="?", choices=sorted(CASES))
    parser.add_argument("--hsdiff", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="folder for dumps, kept; else a temporary one")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        print("\n".join(CASES))
        return 0
    if not args.case or not args.hsdiff:
        parser.error("a case and --hsdiff are needed")
    with tempfile.TemporaryDirectory(prefix="hsdiff-runtime-") as scratch:
        work = (args.work or pathlib.Path(scratch) / args.case).resolve()
        work.mkdir(parents=True, exist_ok=True)
        found = check_case(args.case, args.hsdiff.resolve(), work)
    for message in found[:40]:
        print("FAIL:", message)
    if len(found) > 40:
        print(f"FAIL: and {len(found) - 40} more")
    print(f"{args.case}: {'failed' if found else 'passed'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
