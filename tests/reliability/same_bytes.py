#!/usr/bin/env python3
"""The same bytes for any number of threads, memory, locale, time zone and folder for temporary data: diff, check, series and baseline in several
formats, each run with other circumstances.

usage: same_bytes.py [FOLDER…]
A FOLDER holds captures of one program (*.hs, in the order of their names); without any, small dumps are made. 50 runs of each
command with HSD_LONG=1 or with folders, else 2.
"""
import glob
import hashlib
import itertools
import os
import subprocess
import sys
import tempfile

import harness
from harness import inputs

THREADS = ("1", "2", "3", "7", None)
MEMORY = ("32M", "48M", "64M", "200M", "1G", None)
LOCALES = ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.ISO-8859-9", "POSIX", "ja_JP.eucJP", "")
ZONES = ("UTC", "Asia/Tokyo", "America/St_Johns")


def circumstances():
    """Endless, and no two of the first 200 alike: the lengths of the lists have few factors in common."""
    lists = [itertools.cycle(values) for values in (THREADS, MEMORY, LOCALES, ZONES, ("TMPDIR", "--temp-dir"), (0o022, 0o077))]
    return zip(*lists)


def commands(captures):
    """name: (arguments, files that it writes)"""
    first, last = captures[0], captures[-1]
    pair, series = [first, last], list(captures)
    table = {f"diff {name}": ([*pair, "--format", name], ()) for name in ("text", "json", "csv", "markdown", "html")}
    table["diff tree"] = ([*pair, "--format", "json", "--tree", "--objects", "objects.csv"], ("objects.csv",))
    table["diff by structure"] = ([*pair, "--match", "structure", "--format", "json"], ())
    table["series"] = (["series", *series, "-o", "series.txt"] +
                       [word for name in ("json", "csv", "openmetrics", "html") for word in ("--also", f"{name}=series.{name}")],
                       ("series.txt", "series.json", "series.csv", "series.openmetrics", "series.html"))
    table["series by structure"] = (["series", *series[:3], "--cohorts", "--format", "ndjson"], ())
    table["two groups"] = (["--format", "json", *series[:len(series) // 2], "--", *series[len(series) // 2:]], ())
    table["check"] = (["check", *pair, "-o", "pair.txt", "--also", "sarif=pair.sarif", "--html", "pair.html"], ("pair.txt", "pair.sarif", "pair.html"))
    table["check of a series"] = (["check", *series, "--format", "junit", "--also", "json=check.json", "--also", "text=check.txt"],
                                  ("check.json", "check.txt"))
    table["init"] = (["check", "--init", *series, "-o", "-"], ())
    table["baseline"] = (["baseline", last, "-o", "base.hs"], ("base.hs",))
    table["top"] = (["top", last, "--format", "json", "--retained", "retained.csv"], ("retained.csv",))
    return table


def with_options(arguments, options):
    """The command line with options in front of a "--"."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return [*arguments[:at], *options, *arguments[at:]]


def run_once(program, arguments, files, around):
    """(exit status, hash of all that came out) of one run in a folder of its own, or what went wrong."""
    threads, memory, locale, zone, temp_by, umask = around
    with tempfile.TemporaryDirectory(prefix="hsd-same-") as folder, tempfile.TemporaryDirectory(prefix="hsd-same-temp-") as temp:
        options = ["-q"] + (["--threads", threads] if threads else []) + (["--memory", memory] if memory else [])
        options += ["--temp-dir", temp] if temp_by == "--temp-dir" else []
        environment = {**os.environ, "LC_ALL": locale, "TZ": zone, "LANG": locale, "SOURCE_DATE_EPOCH": "1795166042"}
        environment["TMPDIR"] = temp if temp_by == "TMPDIR" else "/nowhere"
        result = subprocess.run([program, *with_options(arguments, options)], cwd=folder, env=environment, capture_output=True, umask=umask,
                                stdin=subprocess.DEVNULL, check=False)
        if result.returncode not in (0, 1) or harness.SANITIZER.search(result.stderr):
            return f"exit status {result.returncode}", result.stderr
        digest = hashlib.sha256(result.stdout)
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(b"\0" + file.read())
        return (result.returncode, digest.hexdigest()), result.stderr


def check_all(tally, program, captures, runs):
    for name, (arguments, files) in commands(captures).items():
        wanted, answers = None, set()
        for around in itertools.islice(circumstances(), runs):
            got, err = run_once(program, arguments, files, around)
            wanted = wanted or got
            answers.add(got)
            problem = got if isinstance(got, str) else None if got == wanted else f"other bytes than with {next(circumstances())}"
            tally.case(f"{os.path.dirname(captures[0])}: {name}, {around}", problem, err)
        if runs >= 50:
            print(f"{name}: {runs} runs, {len(answers)} answer{'' if len(answers) == 1 else 's'}", flush=True)


def main():
    tally, folders = harness.Tally(), sys.argv[1:]
    program = os.path.abspath(harness.program("HSD_CLI"))
    for folder in folders:
        check_all(tally, program, sorted(glob.glob(os.path.join(os.path.abspath(folder), "*.hs"))), 50)
    if not folders:
        with harness.Workshop(program) as shop, tempfile.TemporaryDirectory(prefix="hsd-same-more-") as folder:
            larger = inputs.write_inputs(folder, 2)
            for kind in ("v8", "hprof"):
                captures = [os.path.abspath(path) for path in (*shop.dumps[kind], *larger[kind])]
                check_all(tally, program, captures, 50 if harness.LONG else 2)
    tally.close()


if __name__ == "__main__":
    main()
