#!/usr/bin/env python3
"""What a leak gate says of the runs that make_runs.py made: false failures, leaks caught, and whether the right place is named.

    evaluate.py --hsdiff BINARY FOLDER [--csv FILE] [--last-only] [--jobs N] [--limit N] [-- OPTION...]

For every run it calls `hsdiff check c0.hs ... cK.hs --format json OPTION...` with K = 3 to 6, which is after rounds 2 to 5 (c1 is where round 1
begins), or after round 5 alone; without OPTIONs that is the default configuration. Exit status 0 is a pass, 1 a failure, anything else an
error that is listed and counts as neither. A row of the table is a kind and a mode: how many runs, how many failed after each number of
rounds, for leaking runs how often the first thing named, and anything named, is the planted place. Below it every clean run that
failed and what was named, and every leaking run that passed. --csv writes one line a run.

No run is looked at twice in one call; FOLDER may still be filled meanwhile.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys

LAST = 6
COLUMNS = ["kind", "mode", "seed", "collector", "leak", "by_round_2", "by_round_3", "by_round_4", "by_round_5", "first_failed", "first_named_right",
           "any_named_right", "named", "error"]

# outcome: {round: True failed, False passed, None error}; named: what failed rules name after round 5, in order
Run = collections.namedtuple("Run", "truth outcomes named error")
Named = collections.namedtuple("Named", "name root path")


# ---- what a report names ----

def named_of(finding):
    path = ", ".join(" ".join(filter(None, (step["edge"], step["type"]))) for step in finding.get("path") or [])
    return Named(finding.get("name") or "", finding.get("root") or "", path)


def named_in(text):
    """What failed rules name, the whole heap left out: it is no place."""
    try:
        rules = json.loads(text)["rules"]
    except (ValueError, KeyError):
        return []
    findings = [finding for rule in rules if rule["outcome"] == "fail" for finding in rule["findings"] if finding["state"] == "over"]
    return [named for named in map(named_of, findings) if any(named)]


def is_planted(named, leak):
    """The container itself, or by its root when that is the leak's own and not the whole service's."""
    if leak["kind"] == "threads":  # one root for all threads of the pool
        return named.root.startswith('thread "http-*"')
    if leak["root"] is not None and leak["root"] != named.root:
        return False
    return leak["path"] in f"{named.path}, {named.name}" or (leak["root"] is not None and leak["root"].startswith(("leaks.js.", "static Leaks.")))


# ---- one run ----

def check(hsdiff, folder, last, options):
    """(exit status, standard output, last line of standard error)."""
    captures = [folder / f"c{i}.hs" for i in range(last + 1)]
    done = subprocess.run([hsdiff, "check", *captures, "--format", "json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=600)
    return done.returncode, done.stdout, (done.stderr.strip().splitlines() or [""])[-1]


def evaluate(folder, args):
    truth = json.loads((folder / "truth.json").read_text())
    outcomes, named, error = {}, [], ""
    for last in range(LAST if args.last_only else 3, LAST + 1):
        status, out, said = check(args.hsdiff, folder, last, args.options)
        outcomes[last - 1] = {0: False, 1: True}.get(status)
        if outcomes[last - 1] is None:
            error = f"exit status {status}: {said}"
        if last == LAST and status == 1:
            named = named_in(out)
    return Run(truth, outcomes, named, error)


def text_of(named):
    return " | ".join(filter(None, (named.root, named.path, named.name)))


def csv_row(run):
    truth, leak = run.truth, run.truth["leak"]
    failed = [round_ for round_, has_failed in run.outcomes.items() if has_failed]
    right = [is_planted(named, leak) for named in run.named] if leak else []
    return [truth["kind"], truth["mode"], truth["seed"], truth["collector"] or "", leak["kind"] if leak else "",
            *({True: 1, False: 0, None: ""}[run.outcomes.get(round_)] for round_ in (2, 3, 4, 5)), failed[0] if failed else "",
            int(right[0]) if right else "", int(any(right)) if right else "", "; ".join(text_of(named) for named in run.named[:5]), run.error]


# ---- the table ----

def share(part, whole):
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "-"


def table_row(kind, mode, runs):
    caught = [run for run in runs if run.outcomes.get(5)]
    cells = [kind, mode, str(len(runs)), str(sum(bool(run.error) for run in runs))]
    cells += [share(sum(bool(run.outcomes.get(round_)) for run in runs), len(runs)) if any(round_ in run.outcomes for run in runs) else "-"
              for round_ in (2, 3, 4, 5)]
    if mode == "clean":
        return cells + ["-", "-"]
    first = sum(bool(run.named) and is_planted(run.named[0], run.truth["leak"]) for run in caught)
    anywhere = sum(any(is_planted(named, run.truth["leak"]) for named in run.named) for run in caught)
    return cells + [share(first, len(caught)), share(anywhere, len(caught))]


def print_table(runs):
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run.truth["kind"], run.truth["mode"]].append(run)
    rows = [["kind", "mode", "runs", "errors", "failed by round 2", "round 3", "round 4", "round 5", "place named first", "named at all"]]
    rows += [table_row(*group, groups[group]) for group in sorted(groups)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip())


def print_details(runs):
    for run in runs:
        name = f"{run.truth['kind']}-{run.truth['mode']}-{run.truth['seed']}"
        if run.error:
            print(f"error: {name}: {run.error}")
        elif run.truth["mode"] == "clean" and any(run.outcomes.values()):
            rounds = ", ".join(str(round_) for round_, has_failed in run.outcomes.items() if has_failed)
            print(f"false failure: {name}, by round {rounds}: {'; '.join(text_of(named) for named in run.named[:3])}")
        elif run.truth["mode"] == "leak" and not run.outcomes.get(5):
            print(f"missed: {name}: {run.truth['leak']['kind']} {run.truth['collector'] or ''}".rstrip())
        elif run.truth["mode"] == "leak" and not any(is_planted(named, run.truth["leak"]) for named in run.named):
            print(f"not named: {name}: {run.truth['leak']['kind']}, but {'; '.join(text_of(named) for named in run.named[:3])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="behind --: goes to hsdiff check")
    parser.add_argument("--hsdiff", type=pathlib.Path, required=True)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--last-only", action="store_true", help="after round 5 alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, help="so many runs of each kind and mode")
    args = parser.parse_args()
    args.hsdiff = args.hsdiff.resolve()
    groups = collections.defaultdict(list)
    for truth in sorted(args.folder.glob("*-*-*/truth.json"), key=lambda path: (path.parent.name.rsplit("-", 1)[0], int(path.parent.name.rsplit("-", 1)[1]))):
        groups[truth.parent.name.rsplit("-", 1)[0]].append(truth.parent)
    folders = [folder for group in groups.values() for folder in group[:args.limit]]
    if not folders:
        sys.exit(f"no runs in {args.folder}: make_runs.py makes them")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = list(pool.map(lambda folder: evaluate(folder, args), folders))
    print_table(runs)
    print_details(runs)
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *map(csv_row, runs)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
