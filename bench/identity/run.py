#!/usr/bin/env python3
"""How well hsdiff recognises objects across two dumps of a collector that moves them, held against the truth.

    run.py --hsdiff BINARY --tools FOLDER [--work FOLDER] [--objects N] [--keep] [CASE...]

For each case Moving.java or Records.java makes two dumps whose objects have ids, hsd_blind takes the ids out, hsd_measure compares every pair that the
diff makes with them, and writes the same two heaps with true ids; what hsdiff says of those is the truth for growth by type, root
and holder. Without cases: USUAL. Prints a table, and with --csv FILE its figures.

CASE is NAME or NAME:COLLECTOR (serial, parallel, g1, z); names are those of CASES.
"""
import argparse
import collections
import fcntl
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Serial leaves 5 % of a heap dead where it lies rather than move what is above, unless it is told not to.
COLLECTORS = {"serial": ["-XX:+UseSerialGC", "-XX:MarkSweepDeadRatio=0"], "parallel": ["-XX:+UseParallelGC"], "g1": ["-XX:+UseG1GC"],
              "z": ["-XX:+UseZGC"]}

# name -> (collector, arguments of the program, two processes). What is written to while it stays is made by Records.java, the rest by Moving.java.
CASES = {
    "list": ("serial", ["leak=list"], False),
    "map": ("parallel", ["leak=map"], False),
    "listeners": ("g1", ["leak=listeners"], False),
    "chain": ("z", ["leak=chain"], False),
    "worker": ("serial", ["leak=worker"], False),
    "array": ("serial", ["leak=array"], False),
    "churn": ("parallel", ["mode=churn"], False),
    "process": ("serial", ["leak=map"], True),
    **{f"{form}-{store}": ("g1", [f"form={form}", f"store={store}"], False) for form in ("same", "touched", "rewritten")
       for store in ("map", "named", "table", "list")},
    "adds": ("g1", ["form=touched", "store=map", "churn=0", "growth=0.3"], False),
}
OTHERS = ("others", "")
Case = collections.namedtuple("Case", "name collector arguments two_processes")

# Without cases on the command line: one leak under every collector, then the others.
USUAL = [f"list:{collector}" for collector in COLLECTORS] + [name for name in CASES if name != "list"]


def program_of(case):
    return "Records" if any(word.startswith("form=") for word in case.arguments) else "Moving"


def find_case(text):
    name, _, collector = text.partition(":")
    usual, arguments, two_processes = CASES[name]
    return Case(text, collector or usual, arguments, two_processes)


def execute(command):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1200)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


# ---- dumps ----

def compile_program(classes):
    """Once for all cases that share the folder."""
    sources = [HERE / "Moving.java", HERE / "Records.java"]
    classes.mkdir(parents=True, exist_ok=True)
    with open(classes / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = classes / ".stamp"
        if not stamp.exists() or stamp.stat().st_mtime < max(source.stat().st_mtime for source in sources):
            execute(["javac", "-Xlint:all", "-Werror", "-d", classes, *sources])
            stamp.touch()
    return classes


def make_dumps(case, objects, seed, classes, work):
    java = ["java", "-Xmx3g" if objects > 300_000 else "-Xmx256m", *COLLECTORS[case.collector], "-cp", classes, program_of(case), work,
            f"objects={objects}", f"seed={seed}", *case.arguments]
    if case.two_processes:
        execute([*java, "dumps=A", "noise=11"])
        execute([*java, "dumps=B", "noise=812"])
    else:
        execute(java)
    return json.loads((work / "truth.json").read_text())


def blind_and_measure(hsdiff, tools, work):
    for side in "AB":
        execute([tools / "hsd_blind", work / f"{side}.hprof", work / f"{side}.blind.hprof", "__id", work / f"{side}.ids"])
        (work / f"{side}.hprof").unlink()
        execute([hsdiff, "import", work / f"{side}.blind.hprof", "-o", work / f"{side}.hs", "--force", "-q"])
    said = execute([tools / "hsd_measure", work / "A.hs", work / "A.ids", work / "B.hs", work / "B.ids", work / "A.exact.hs",
                    work / "B.exact.hs"])
    return json.loads(said)


# ---- pairs ----

def share(part, whole):
    return 1.0 if whole == 0 else part / whole


def quality(tally):
    """Of one set of objects: precision and recall of pairs, with those that are counted as ambiguous and without; of new and freed."""
    def of_pairs(rungs):
        right, wrong = (sum(tally["rungs"][rung][key] for rung in rungs) for key in ("right", "wrong"))
        return {"pairs": right + wrong, "precision": share(right, right + wrong), "recall": share(right, tally["shared"])}
    certain = [rung for rung in tally["rungs"] if rung != "twins"]
    found = {"all": of_pairs(tally["rungs"]), "certain": of_pairs(certain)}
    for what in ("new", "freed", "kept"):
        row = tally[what]
        found[what] = {"precision": share(row["right"], row["said"]), "recall": share(row["right"], row["true"])}
    return found


# ---- growth ----

def path_text(holder):
    return ", ".join(" ".join(filter(None, (step["edge"], step["type"], f"x{step['repeat']}" if step.get("repeat", 1) > 1 else "")))
                     for step in holder["path"])


def place_of(holder):
    """Root and path; a frame of the program's own without its line."""
    return (re.sub(r"\(Moving\.java:\d+\)", "", holder["root"]), path_text(holder))


def growth_of(report):
    """{table: {row: bytes}}; holders of one place are one row. "program": those below the statics of the program and its thread."""
    tables = {name: collections.Counter() for name in ("type", "root", "holder", "program")}
    for row in report["types"]:
        tables["type"][row["type"]] += row["growth"]["bytes"]
    for row in report["roots"]:
        tables["root"][row["root"]] += row["growth"]["bytes"]
    for row in report.get("holders") or []:
        tables["holder"][place_of(row)] += row["growth_bytes"]
        if re.match(r'static Moving|thread "worker"', row["root"]):
            tables["program"][place_of(row)] += row["growth_bytes"]
    others = (report.get("others") or {}).get("holders")
    if others and others.get("rows", 1):
        tables["holder"][OTHERS] += others["growth_bytes"]
        tables["program"][OTHERS] = 0
    return tables


def fold(said, truth):
    """A report has no more than a thousand holders: what one of the two adds up in "others" is added up in the other, too."""
    for cut, whole in ((said, truth), (truth, said)):
        if OTHERS in cut:
            for key in [key for key in whole if key not in cut]:
                whole[OTHERS] += whole.pop(key)


def errors(said, truth):
    """For each table the sum of all differences as a share of all that truly grew, and the rows that differ most."""
    found = {}
    for table in truth:
        fold(said[table], truth[table])
        keys = (set(said[table]) | set(truth[table])) - ({OTHERS} if table == "program" else set())
        apart = sorted(((said[table][key] - truth[table][key], key) for key in keys), key=lambda row: (-abs(row[0]), str(row[1])))
        grown = sum(value for value in truth[table].values() if value > 0)
        bytes_ = sum(abs(row[0]) for row in apart)
        found[table] = {"share": bytes_ / max(1, grown), "bytes": bytes_, "grown": grown,
                        "rows": [row for row in apart[:3] if row[0] != 0]}
    return found


def first_place(report):
    return place_of(report["holders"][0]) if report.get("holders") else None


def check_case(case, hsdiff, tools, work, objects, seed=1):
    """Everything that is known about a case: measured, said and true."""
    work.mkdir(parents=True, exist_ok=True)
    planted = make_dumps(case, objects, seed, compile_program(work.parent / "identity-classes"), work)
    measured = blind_and_measure(hsdiff, tools, work)
    said = json.loads(execute([hsdiff, work / "A.blind.hprof", work / "B.blind.hprof", "--format", "json", "-q"]))
    true = json.loads(execute([hsdiff, work / "A.exact.hs", work / "B.exact.hs", "--format", "json", "-q"]))
    tables = growth_of(said), growth_of(true)
    return {"case": case.name, "collector": case.collector, "measured": measured, "own": quality(measured["own"]),
            "ext": quality(measured["ext"]), "errors": errors(*tables), "said": tables[0], "true": tables[1],
            "identity_known": said["identity_known"], "planted": planted["leak"] and tuple(planted["leak"].values()),
            "first_said": first_place(said), "first_true": first_place(true)}


# ---- the table ----

COLUMNS = ["case", "collector", "objects", "P own", "R own", "P ext", "R ext", "P ext*", "R ext*", "P new", "R new", "P freed", "R freed",
           "ambiguous", "type", "root", "holder", "program", "first"]


def percent(value):
    return f"{100 * value:.2f}"


def apart_text(found, table):
    """In percent of the growth, or in bytes where nothing grows."""
    error = found["errors"][table]
    return f"{error['bytes']} B" if "churn" in found["case"] else percent(error["share"])


def row_of(found):
    own, ext, measured = found["own"], found["ext"], found["measured"]
    is_right = found["planted"] in (None, found["first_true"]) and found["first_said"] == found["first_true"]
    return [found["case"], found["collector"], f"{measured['before']['objects']}>{measured['after']['objects']}",
            *(percent(of[key]) for of in (own["all"], ext["all"], ext["certain"], ext["new"], ext["freed"]) for key in ("precision", "recall")),
            str(measured["ambiguous"]), *(apart_text(found, table) for table in ("type", "root", "holder", "program")),
            "-" if "churn" in found["case"] else "right" if is_right else "WRONG"]


def print_details(found):
    measured = found["measured"]
    for rung, verdicts in measured["ext"]["rungs"].items():
        if any(verdicts.values()):
            print(f"    {rung:13} {verdicts['right']:9} right {verdicts['wrong']:7} wrong {verdicts['unjudged']:7} unjudged")
    worst = sorted(measured["types"], key=lambda row: row["right"] - row["shared"] - row["wrong"])[:6]
    for row in worst:
        if row["wrong"] or row["right"] < row["shared"]:
            print(f"    {row['type']:40} {row['shared'] - row['right']:7} missed {row['wrong']:7} wrong of {row['shared']}")
    for table in ("root", "holder", "program"):
        for apart, key in found["errors"][table]["rows"]:
            print(f"    {table} {key}: {apart:+,} bytes from the truth ({found['true'][table][key]:+,})")
    if found["first_said"] != found["first_true"] and "churn" not in found["case"]:
        print(f"    first holder: said {found['first_said']}, true {found['first_true']}")


def print_table(rows):
    widths = [max(len(row[i]) for row in [COLUMNS, *rows]) for i in range(len(COLUMNS))]
    for row in [COLUMNS, *rows]:
        print("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print("P precision, R recall in percent: own = objects with an id, ext = those too that follow from one, * = without pairs called\n"
          "ambiguous. type, root, holder, program (holders below its own roots): difference from the\ntruth in percent of what grew. first: first holder and its path.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--hsdiff", type=pathlib.Path, required=True)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="folder with hsd_blind and hsd_measure")
    parser.add_argument("--work", type=pathlib.Path, help="folder for dumps; else a temporary one")
    parser.add_argument("--keep", action="store_true", help="leave the dumps there")
    parser.add_argument("--objects", type=int, default=1_200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=pathlib.Path)
    args = parser.parse_args()
    if not shutil.which("javac"):
        sys.exit("javac is not installed: apt-get install openjdk-17-jdk-headless")
    rows = []
    with tempfile.TemporaryDirectory(prefix="hsdiff-identity-") as scratch:
        for text in args.cases or USUAL:
            case = find_case(text)
            work = (args.work or pathlib.Path(scratch)).resolve() / text.replace(":", "-")
            found = check_case(case, args.hsdiff.resolve(), args.tools.resolve(), work, args.objects, args.seed)
            rows.append(row_of(found))
            print("  ".join(rows[-1]), flush=True)
            print_details(found)
            if not args.keep:
                shutil.rmtree(work)
    print_table(rows)
    if args.csv:
        args.csv.write_text("".join(",".join(row) + "\n" for row in [COLUMNS, *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
