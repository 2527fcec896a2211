#!/usr/bin/env python3
"""Runs live tests that failed again, each alone: one of thousands that met a busy moment of the machine must not cost a landing.

usage: rerun.py BUILD-FOLDER JUNIT.xml LOG-FOLDER

Live tests drive programs, terminals, browsers and sockets (GROUPS). One that failed is run again, with nothing beside it, at most TRIES times. If it
passes then, its result in JUNIT.xml becomes that of the run that passed, with a property "flaky", which results.py prints; the log of the
first failure stays in LOG-FOLDER. Such a test is a defect whose cause is to be found: this is a net, no excuse. A test that fails every
time stays failed, and other tests are never run twice: what has no outside world in it fails for a reason.

Exit status 0 if nothing is left that failed, 1 if something is.
"""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

GROUPS = ("agent", "agents", "cli", "crypt", "documents", "fleet", "install", "integrations", "live", "mcp", "mpi", "native", "opens", "recipes",
          "redact", "runtime", "sandbox", "scripts", "truth", "view", "viewer", "web")
TRIES = 2


def has_failed(case):
    return case.find("failure") is not None or case.get("status") == "fail"


def was_held_up(case):
    """Not run, because what prepares it failed."""
    skipped = case.find("skipped")
    return skipped is not None and "Fixture" in (skipped.get("message") or "")


def is_live(name):
    return name.split("/")[0] in GROUPS


def run_alone(build, name, report):
    """The test case of one more run, or None where there is none."""
    command = ["ctest", "--test-dir", build, "-R", f"^{re.escape(name)}$", "--output-on-failure", "--no-tests=error",
               "--test-output-size-passed", "65536", "--test-output-size-failed", "65536", "--output-junit", report]
    if os.path.exists(report):
        os.remove(report)
    subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
    try:
        cases = tree.parse(report).getroot().iter("testcase")
    except (OSError, tree.ParseError):
        return None
    return next((case for case in cases if case.get("name") == name), None)  # what prepares it is in the report, too


def try_again(build, name, report):
    """The case of the run that passed, or None. A run that was skipped proves nothing."""
    for attempt in range(1, TRIES + 1):
        print(f"\n== {name} failed: running it again, alone ({attempt} of {TRIES})", flush=True)
        case = run_alone(build, name, report)
        if case is not None and case.get("status") == "run" and not has_failed(case):
            return case
    return None


def mark_flaky(case):
    properties = case.find("properties")
    if properties is None:
        properties = tree.SubElement(case, "properties")
    tree.SubElement(properties, "property", name="flaky", value="yes")


def keep_log(folder, preset, case):
    path = os.path.join(folder, f"flaky-{preset}-{case.get('name').replace('/', '-')}.log")
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.findtext("system-out") or "")


def settle(case, again, folder, preset):
    """What stands for a case from now on: the run that passed, or what it was."""
    if again is None:
        return case
    if has_failed(case):
        keep_log(folder, preset, case)
        mark_flaky(again)
    return again


def main(arguments):
    build, junit, folder = arguments
    preset = os.path.basename(junit).removesuffix(".xml")
    report = os.path.join(os.path.abspath(folder), f"{preset}.again")
    try:
        document = tree.parse(junit)
    except (OSError, tree.ParseError) as problem:
        print(f"{junit}: {problem}", file=sys.stderr)
        return 1
    suite = document.getroot()
    for place, case in enumerate(list(suite)):
        if case.tag != "testcase" or not is_live(case.get("name")) or not (has_failed(case) or was_held_up(case)):
            continue
        suite[place] = settle(case, try_again(build, case.get("name"), report), folder, preset)
    if os.path.exists(report):
        os.remove(report)
    document.write(junit, encoding="utf-8", xml_declaration=True)
    return 1 if any(has_failed(case) for case in suite.iter("testcase")) else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    sys.exit(main(sys.argv[1:]))
