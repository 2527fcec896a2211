#!/usr/bin/env python3
"""Adds up what ctest reported and prints one closing line: "N passed, N failed" (", N skipped" when some were).

usage: results.py [--no-flakes] JUNIT.xml...              add up; with --no-flakes, a live test that passed alone has failed
       results.py --record-failure JUNIT.xml NAME         write a report with one failed test

A test program that runs many cases says so in its output: Criterion in its "Synthesis" line, the scripts of tests/ in a line
"N passed, N failed". Such a program counts with its cases, any other as one. A program that failed without a failing
case (a leak, a timeout) counts as one failure more. What tests took of the processor (the folder PRESET.spent beside PRESET.xml, by
tests/support/spent.c) is added up; a test that took over SECONDS_OF_A_TEST is named: CONTRIBUTING.md says what it may take; and what one left behind that
still ran. A live test that failed and then passed alone (rerun.py) has passed, and is named
as the defect that it is. Exit status 1 if anything failed or nothing ran.
"""
import os
import re
import sys
import xml.etree.ElementTree as tree
from xml.sax.saxutils import quoteattr

SECONDS_OF_A_TEST = 20
SYNTHESIS = re.compile(r"Synthesis: Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", re.MULTILINE)


def cases_of(output):
    """(passed, failed, skipped) as the program itself counted them, or None."""
    synthesis = SYNTHESIS.findall(output)
    if synthesis:
        tested, passing, failing, _crashing = map(int, synthesis[-1])
        return passing, max(failing, tested - passing), 0
    closing = CLOSING.findall(output)
    if closing:
        passed, failed, skipped = closing[-1]
        return int(passed), int(failed), int(skipped or 0)
    return None


def count(testcase, is_strict):
    status = testcase.get("status")
    if status == "disabled":
        return 0, 0, 1
    if testcase.find("skipped") is not None or status == "notrun":
        return 0, 0, 1
    failed_as_program = testcase.find("failure") is not None or status == "fail" or (is_strict and is_flaky(testcase))
    cases = cases_of(testcase.findtext("system-out") or "")
    if cases is None:
        return (0, 1, 0) if failed_as_program else (1, 0, 0)
    passed, failed, skipped = cases
    if failed_as_program and failed == 0:
        failed = 1
    if not failed_as_program and failed > 0:
        print(f"{testcase.get('name')}: reports {failed} failed cases and exit status 0", file=sys.stderr)
    return passed, failed, skipped


def is_flaky(testcase):
    """It failed, and passed when rerun.py ran it again."""
    return any(entry.get("name") == "flaky" for entry in testcase.iter("property"))


def spent_by_tests(path):
    """[(seconds of the processor, test, what it left behind)], most first, of the tests of a report."""
    folder = path.removesuffix(".xml") + ".spent"
    found = []
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        with open(os.path.join(folder, name), encoding="ascii") as file:
            seconds, *left = file.read().splitlines()
            found.append((sum(map(float, seconds.split())), name.replace("~", "/"), [line.removeprefix("left ").strip() for line in left]))
    return sorted(found, reverse=True)


def say_spent(paths):
    for path in paths:
        preset, spent = os.path.basename(path).removesuffix(".xml"), spent_by_tests(path)
        for seconds, name, _ in spent:
            if seconds > SECONDS_OF_A_TEST:
                print(f"costly: {preset}: {name} took {seconds:.0f} s of the processor")
        for _, name, left in spent:
            for process in left:
                print(f"left: {preset}: {name} left '{process[:100]}' behind: a defect")
        if spent:
            print(f"processor: {preset}: {sum(seconds for seconds, _, _ in spent):.0f} s in {len(spent)} tests")


def add_up(paths, is_strict=False):
    passed = failed = skipped = 0
    for path in paths:
        try:
            root = tree.parse(path).getroot()
        except (OSError, tree.ParseError) as problem:
            print(f"{path}: {problem}", file=sys.stderr)
            failed += 1
            continue
        for testcase in root.iter("testcase"):
            a, b, c = count(testcase, is_strict)
            passed, failed, skipped = passed + a, failed + b, skipped + c
            if b:
                print(f"failed: {os.path.basename(path).removesuffix('.xml')}: {testcase.get('name')}")
            elif c:
                print(f"skipped: {testcase.get('name')}")
            if is_flaky(testcase):
                print(f"flaky: {os.path.basename(path).removesuffix('.xml')}: {testcase.get('name')}: a defect. It failed, and passed when it ran again, alone")
    say_spent(paths)
    if passed + failed == 0:
        print("no test ran", file=sys.stderr)
        failed = 1
    sys.stderr.flush()
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 1 if failed else 0


def record_failure(path, name):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<testsuite name="build"><testcase name={quoteattr(name)} status="fail">'
                   "<failure/></testcase></testsuite>\n")
    return 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--record-failure":
        return record_failure(arguments[1], arguments[2])
    is_strict = arguments[:1] == ["--no-flakes"]
    return add_up(arguments[is_strict:], is_strict)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
