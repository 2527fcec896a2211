#!/usr/bin/env python3
"""JUnit XML, read by libxml2, by Python's parser and by a reader of test reports: well-formed, counts that fit, names that come back.

usage: test_xml.py FORMAT_SAMPLE
"""
import shutil
import subprocess
import xml.etree.ElementTree

from kit import NAMES, debian, fail, harmless, run, same, unmarked

ELEMENTS = {"fail": "failure", "unknown": "error", "off": "skipped"}


def check_counts(suite):
    for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        if int(suite.get(attribute)) != len(suite.findall(f"testcase/{element}")):
            fail(f"junit: {attribute}=\"{suite.get(attribute)}\", and {len(suite.findall(f'testcase/{element}'))} elements")
    if int(suite.get("tests")) != len(suite.findall("testcase")):
        fail("junit: the number of tests")


def is_told(name, text):
    """Whole, or of a long name both ends: sentences for people leave out its middle past 160 columns."""
    return name in text or (len(name) > 160 and name[:40] in text and name[-20:] in text and "\u2026".encode() in text)


def check(outcome):
    data = run("check", "junit", outcome)
    harmless("junit", data)
    if shutil.which("xmllint"):
        result = subprocess.run(["xmllint", "--noout", "--huge", "-"], input=data, capture_output=True, check=False)
        if result.returncode != 0 or result.stderr:
            fail(f"junit: xmllint: {result.stderr.decode(errors='replace')[:400]}")
    root = xml.etree.ElementTree.fromstring(data)
    suite = root.find("testsuite")
    check_counts(suite)
    cases = [case for case in suite.findall("testcase") if case.get("file") is not None]
    same("junit rules", [unmarked(case.get("name")) for case in cases], NAMES)
    if {unmarked(case.get("file")) for case in cases} != {NAMES[1]}:
        fail("junit: the file of the configuration")
    if outcome in ELEMENTS and any(case.find(ELEMENTS[outcome]) is None for case in cases):
        fail(f"junit: {outcome} without <{ELEMENTS[outcome]}>")
    if outcome == "fail":
        for case, name in zip(cases, NAMES):
            if not is_told(name, unmarked(case.find("failure").text.split("\n")[0])):
                fail(f"junit: {name[:80]!r} is not in its failure")
    reader = debian("junitparser")
    if reader:
        read = reader.JUnitXml.fromstring(data)
        if sum(len(list(part)) for part in read) != len(suite.findall("testcase")):
            fail("junit: junitparser counts other cases")


def main():
    for outcome in ("ok", "warn", "fail", "unknown", "off", "mixed", "series"):
        check(outcome)
    print(f"{len(NAMES)} names came back from junit")


if __name__ == "__main__":
    main()
