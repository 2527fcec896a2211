#!/usr/bin/env python3
"""The same bytes whichever compiler built the program: the command is built once more by the other one, clang where this build is gcc's, and both run every command
of same_bytes.py in the same circumstances.

usage: compilers.py PROJECT SCRATCH OTHER_COMPILER      HSD_CLI the command; SCRATCH keeps the other build
5 runs of each command; 25 with HSD_LONG=1.
"""
import itertools
import os
import pathlib
import shutil
import subprocess
import sys

import harness
import same_bytes


def build(project, scratch, compiler):
    for command in (["cmake", "-S", project, "-B", scratch, "-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DHSD_TESTS=OFF"],
                    ["cmake", "--build", scratch, "--target", "hsdiff_cli"]):
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return os.path.join(scratch, "cli", "hsdiff")


def compare(tally, programs, captures, runs):
    for name, (arguments, files) in same_bytes.commands(captures).items():
        for around in itertools.islice(same_bytes.circumstances(), runs):
            (ours, err), (theirs, other_err) = (same_bytes.run_once(program, arguments, files, around) for program in programs)
            problem = ours if isinstance(ours, str) else theirs if isinstance(theirs, str) else None if ours == theirs else "other bytes"
            tally.case(f"{name}, {around}", problem, err + other_err)


def main():
    project, scratch, compiler = sys.argv[1:4]
    if shutil.which(compiler) is None:
        print(f"{compiler} is not installed: skipped")
        sys.exit(77)
    ours = os.path.abspath(harness.program("HSD_CLI"))
    theirs = build(project, pathlib.Path(scratch).resolve(), compiler)
    tally = harness.Tally()
    with harness.Workshop(ours) as shop:
        for kind in ("v8", "hprof"):
            before, after = (os.path.abspath(path) for path in shop.dumps[kind])
            compare(tally, (ours, theirs), [before, after, before, after], 25 if harness.LONG else 5)
    print(f"compilers: {tally.passed} runs by two compilers, {tally.failed} differ")
    tally.close()


if __name__ == "__main__":
    main()
