#!/usr/bin/env python3
"""Every command of every document is run by some test: as it stands by documents/pages or cli/examples, or in another form by a test that
elsewhere.table names. What is not run at all stands there with its reason.

usage: test_commands.py [BUILD]        the folder of a build, whose ctest knows what tests there are
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import kit
import test_examples

REASONS_MOST = 12  # a list that grows is no list of exceptions


def tests_of(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    return {line.split(": ", 1)[1].strip() for line in listed.splitlines() if ": " in line and line.lstrip().startswith("Test ")}


def is_run_as_it_stands(command):
    if kit.is_of_page(command):
        return True
    return command.document not in test_examples.LEFT_OUT and command.text.startswith("hsdiff ") and not test_examples.is_live(command.text)


def judge(commands, rows, tests):
    """(what is wrong, how many commands each way)."""
    wrong, used, ways = [], set(), {"as they stand": 0, "in another form": 0, "not": 0}
    for command in commands:
        row = next((row for row in rows if row.fits(command)), None)
        if row:
            used.add(row.text)
            ways["in another form" if row.tests else "not"] += 1
        elif is_run_as_it_stands(command):
            ways["as they stand"] += 1
        else:
            wrong.append(f"no test runs {command}")
    wrong += [f"no command of a document is meant any more: {row.text}" for row in rows if row.text not in used]
    for row in rows:
        wrong += [f"this build has no test {test}: {row.text}" for test in row.tests if tests and test not in tests]
    if sum(bool(row.reason) for row in rows) > REASONS_MOST:
        wrong.append(f"more than {REASONS_MOST} rows say that nothing runs a command")
    return wrong, ways


def check_that_it_finds():
    """A command that nobody runs is told, and a row that nothing fits."""
    text = "```\nhsdiff capture PID --force\nkubectl delete everything\n$x\n```\n\n```sh\nrm -r x   # exit 1\n```\n\n```\n$ ls\nnothing\n```\n"
    found = list(kit.commands_of("x.md", text))
    if [command.text for command in found] != ["hsdiff capture PID --force", "kubectl delete everything", "rm -r x", "ls"]:
        raise SystemExit(f"commands were not found: {[command.text for command in found]}")
    if found[2].status != 1 or found[3].shown != ["nothing"]:
        raise SystemExit("a status or an output was not found")
    wrong, _ = judge(found, [kit.Row("y.md | * | not here")], set())
    if len(wrong) != 5:
        raise SystemExit(f"what nobody runs was not told: {wrong}")
    if not kit.missing_lines(["a 3 new"], "a 4 new") or kit.missing_lines(["a  3.0 KiB 50%"], "b\na 4.1 MiB 7%") or kit.missing_lines(["8,000 new"], "7,999 new"):
        raise SystemExit("outputs are not compared")


def main():
    check_that_it_finds()
    commands = list(kit.all_commands())
    wrong, ways = judge(commands, kit.rows(), tests_of(sys.argv[1]) if len(sys.argv) > 1 else set())
    print(f"{len(commands)} commands of documents: " + ", ".join(f"{count} run {way}" if way != "not" else f"{count} not run, for a reason" for way, count in ways.items()))
    for what in wrong:
        print(what)
    if len(commands) < 250:
        raise SystemExit("commands were not found where they stand")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
