#!/usr/bin/env python3
"""Runs every command of doc/ci.md in its order, in one scratch repository, and holds it against the exit status that stands behind it
(`# exit 1`; 0 where none does). What the manual shows of an answer must be in the answer before it, and its configuration must be read.

usage: test_manual.py …
"""
import re

from kit import MANUAL, Scratch, arguments, fail, need, says


def blocks():
    """(language, text) of all blocks."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", MANUAL.read_text(), re.M | re.S)


def main():
    need("native")
    scratch = Scratch(arguments())
    scratch.environment["REQUESTS"] = "100"
    folder, output, count = scratch.repository, "", 0
    for language, text in blocks():
        if language == "text":
            missing = [line for line in text.splitlines() if not says(output, line.strip())]
            if missing:
                fail(f"not in the answer: {missing}\n{output}")
        if language == "yaml":
            (folder / "manual.yml").write_text(text)
            scratch.run(["hsdiff", "baseline", "-q", "r0.hs", "--force", "-o", "sums.hs"], folder)
            status, read = scratch.run(["hsdiff", "check", "--config", "manual.yml", "sums.hs", "r0.hs"], folder)
            if status != 0:
                fail(f"the configuration of the manual: exit status {status}\n{read}")
        for line in text.splitlines() if language == "sh" else []:
            command, _, remark = line.partition(" #")
            expected = re.match(r" exit (\d)", remark)
            if command.startswith("cd "):
                folder /= command[3:].strip()
                continue
            status, output = scratch.run(["sh", "-c", command], folder)
            if status != int(expected[1] if expected else 0):
                fail(f"{command}: exit status {status}\n{output}")
            count += 1
    if count < 10:
        fail("the commands of the manual were not found")


main()
