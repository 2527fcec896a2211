#!/usr/bin/env python3
"""Annotations of GitHub, read by the rules of the runner (ActionCommand): no other commands, ten of a kind, names that come back.

usage: test_github.py FORMAT_SAMPLE
"""
import re

from kit import NAMES, fail, harmless, run, same, unmarked

MOST = 10
DATA = {"%0D": "\r", "%0A": "\n", "%25": "%"}
PROPERTY = {**DATA, "%3A": ":", "%2C": ","}


def decoded(text, table):
    """As the runner does; a percent sign that begins none of them would be taken as it stands."""
    if re.search("%(?!" + "|".join(code[1:] for code in table) + ")", text):
        fail(f"github: a bare percent sign: {text[:80]}")
    return re.sub("|".join(table), lambda match: table[match.group()], text)


def command_of(line):
    """What the runner makes of a line: (command, properties, message)."""
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        fail(f"github: no command: {line[:80]!r}")
    name, _, rest = line[2:end].partition(" ")
    properties = {}
    for part in rest.split(","):
        key, sign, value = part.partition("=")
        if not sign or key in properties or key not in ("file", "line", "title"):
            fail(f"github: property {part[:80]!r}")
        properties[key] = decoded(value, PROPERTY)
    return name, properties, decoded(line[end + 2:], DATA)


def commands(outcome, names=None):
    text = harmless("github", run("check", "github", outcome, names=names), commands=True)
    found = [command_of(line) for line in text.split("\n") if line]
    for name, properties, message in found:
        if name not in ("error", "warning", "notice") or not properties["title"].startswith("hsdiff: ") or not message:
            fail(f"github: {name} {properties}")
    return found


def check_many():
    """The tenth tells of all that would follow."""
    for outcome, kind in (("fail", "error"), ("warn", "warning"), ("unknown", "error")):
        everything = commands(outcome)
        found = [command for command in everything if command[0] != "notice"]
        if everything[:len(found)] != found or len(everything) - len(found) > MOST:
            fail(f"github: notices of {outcome}, which come last, {MOST} at most")
        if len(found) != MOST or {name for name, _, _ in found} != {kind}:
            fail(f"github: {len(found)} annotations of {outcome}")
        if outcome == "unknown":
            continue
        same("github titles", [unmarked(properties["title"].removeprefix("hsdiff: ")) for _, properties, _ in found], NAMES[:MOST])
        rest = found[-1][2].split("\n\n")
        if len(rest) != len(NAMES) - MOST + 1:
            fail(f"github: the last annotation tells of {len(rest)} rules")
        for part, name in zip(rest[1:], NAMES[MOST:]):
            if not unmarked(part).startswith(name + b": "):
                fail(f"github: {part[:80]!r} is not of {name[:80]!r}")
    if any(name != "notice" for name, _, _ in commands("ok") + commands("off")):
        fail("github: annotations without a failure")


def check_each():
    """Every name as a title, ten at a time."""
    for at in range(0, len(NAMES), MOST):
        names = NAMES[at:at + MOST]
        if len(names) < 3:
            continue
        found = [command for command in commands("fail", names) if command[0] != "notice"]
        same("github titles", [unmarked(properties["title"].removeprefix("hsdiff: ")) for _, properties, _ in found], names)
        for _, properties, message in found:
            if unmarked(properties.get("file", "")) not in (*names, b"") or not properties.get("line", "1").isdigit():
                fail(f"github: {properties} is neither where the rule stands nor a place of the program")
            if "the limit is" not in message:
                fail(f"github: {message[:80]}")


def main():
    check_many()
    check_each()
    print(f"{len(NAMES)} names came back from github")


if __name__ == "__main__":
    main()
