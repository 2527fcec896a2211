#!/usr/bin/env python3
"""SARIF of a check, held against what OASIS SARIF 2.1.0 asks of each object that stands in it; fingerprints that stay.

usage: test_sarif.py FORMAT_SAMPLE
"""
import json
import re

from kit import NAMES, fail, harmless, run, same

TEXTS = [name.decode("utf-8", "replace") for name in NAMES]
URI = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[A-Za-z0-9._~!$&'()*+,;=:@%-]*)?(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
                 r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?")
LEVELS = ("none", "note", "warning", "error")

# Of each object: the properties that must be there, and those that may be (section 3 of the standard, as far as we use it).
OBJECTS = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"results", "invocations"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"rules"}),
    "rule": ({"id"}, {"shortDescription", "defaultConfiguration", "properties"}),
    "configuration": (set(), {"enabled", "level"}),
    "invocation": ({"executionSuccessful"}, {"exitCode", "toolExecutionNotifications"}),
    "notification": ({"message"}, {"level", "associatedRule"}),
    "result": ({"message", "locations"}, {"ruleId", "ruleIndex", "level", "partialFingerprints", "suppressions", "properties"}),
    "message": ({"text"}, set()),
    "location": ({"physicalLocation"}, {"logicalLocations"}),  # code scanning of GitHub takes no result without a file
    "physical": ({"artifactLocation"}, {"region"}),
    "artifact": ({"uri"}, set()),
    "region": ({"startLine"}, {"startColumn"}),
    "logical": (set(), {"name", "fullyQualifiedName", "kind"}),
    "suppression": ({"kind"}, {"status", "justification"}),
}


def shaped(kind, value):
    must, may = OBJECTS[kind]
    if not isinstance(value, dict) or not must <= set(value) <= must | may:
        fail(f"sarif: {kind} has {sorted(value)}")
    return value


def check_message(value):
    if not isinstance(shaped("message", value)["text"], str) or not value["text"]:
        fail("sarif: a message without text")


def check_uri(text):
    if not URI.fullmatch(text):
        fail(f"sarif: no URI: {text[:80]!r}")


def check_location(location):
    shaped("location", location)
    if "physicalLocation" in location:
        physical = shaped("physical", location["physicalLocation"])
        check_uri(shaped("artifact", physical["artifactLocation"])["uri"])
        region = shaped("region", physical.get("region", {"startLine": 1}))
        if region["startLine"] < 1 or region.get("startColumn", 1) < 1:
            fail("sarif: lines count from 1")
    for logical in location.get("logicalLocations", []):
        shaped("logical", logical)


def check_result(result, rules):
    shaped("result", result)
    check_message(result["message"])
    if result["level"] not in LEVELS or rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        fail("sarif: level, or rule")
    for location in result.get("locations", []):
        check_location(location)
    if set(result["partialFingerprints"]) != {"hsdiffFinding/v1", "primaryLocationLineHash"}:
        fail("sarif: fingerprints")
    if not all(isinstance(value, str) for value in result["partialFingerprints"].values()):
        fail("sarif: a fingerprint is a string")
    for suppression in result.get("suppressions", []):
        if shaped("suppression", suppression)["kind"] not in ("inSource", "external"):
            fail("sarif: suppression")


def check_log(log):
    shaped("log", log)
    if log["version"] != "2.1.0" or len(log["runs"]) != 1:
        fail("sarif: version, runs")
    only = shaped("run", log["runs"][0])
    rules = shaped("driver", shaped("tool", only["tool"])["driver"])["rules"]
    for rule in rules:
        shaped("rule", rule)
        if rule["id"]:
            check_message(rule["shortDescription"])
        if shaped("configuration", rule["defaultConfiguration"])["level"] not in LEVELS:
            fail("sarif: level of a rule")
    if len({json.dumps(rule) for rule in rules}) != len(rules):
        fail("sarif: rules must differ")
    (invocation,) = only["invocations"]
    for notification in shaped("invocation", invocation)["toolExecutionNotifications"]:
        shaped("notification", notification)
        if notification["level"] not in LEVELS:
            fail("sarif: level of a notification")
    for result in only["results"]:
        check_result(result, rules)
    return rules, only["results"], invocation


def read(outcome, names=None):
    return json.loads(harmless("sarif", run("check", "sarif", outcome, names=names)))


def fingerprints(results):
    return [result["partialFingerprints"]["hsdiffFinding/v1"] for result in results]


def check_outcome(outcome):
    rules, results, invocation = check_log(read(outcome))
    same("sarif rules", [rule["id"] for rule in rules], TEXTS)
    if invocation["executionSuccessful"] != (outcome not in ("unknown", "mixed", "series")):
        fail(f"sarif: executionSuccessful of {outcome}")
    if outcome in ("unknown", "off"):
        if results:
            fail("sarif: results of what was not judged")
        return
    if outcome in ("fail", "warn", "ok"):
        same("sarif names", [result["locations"][0]["logicalLocations"][0]["name"] for result in results], TEXTS)
        if len(set(fingerprints(results))) != len(NAMES):
            fail("sarif: two findings with one fingerprint")
        levels = {result["level"] for result in results}
        if levels != {"warning" if outcome == "warn" else "error"}:
            fail(f"sarif: levels {levels} of {outcome}")
    if outcome == "ok":
        same("sarif reasons", [result["suppressions"][0]["justification"] for result in results], TEXTS)


def check_fingerprints_stay():
    """The half of the names alone: other numbers, lines and order, the same findings."""
    half = NAMES[1::2]
    all_of = dict(zip(NAMES, fingerprints(read("fail")["runs"][0]["results"])))
    for name, found in zip(half, fingerprints(read("fail", half)["runs"][0]["results"])):
        subject = NAMES.index(name) % 4 == half.index(name) % 4
        if subject and all_of[name] != found:
            fail(f"sarif: another fingerprint of {name[:80]!r}")


def main():
    for outcome in ("ok", "warn", "fail", "unknown", "off", "mixed", "series"):
        check_outcome(outcome)
    check_fingerprints_stay()
    print(f"{len(NAMES)} names came back from sarif")


if __name__ == "__main__":
    main()
