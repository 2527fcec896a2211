#!/usr/bin/env python3
"""A bug is fixed when a test shows it (scoreboard, row 27): each commit of the history whose words tell of a defect and which changes the product
touches a test, or fixes.table names the file that shows it. A clone without history is skipped.

usage: test_fixes.py [FOLDER]
"""
import pathlib
import re
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
WORDS = (r"\b(bugs?|crash(es|ed)?|defects?|fix(es|ed)?|hangs? for ever|hung|mend(s|ed)|never ended|overflow(s|ed)?|regressions?|SIGSEGV|stalled|undefined "
         r"behaviour|use after free|wrong(ly)?)\b")
SOURCE = re.compile(r"\.(c|h|cc|cpp|cs|go|java|js|mjs|lua|py|rb|rs)$")
MARK = "\x1e"


def is_test(path):
    return "tests" in pathlib.PurePosixPath(path).parts


def is_product(path):
    return SOURCE.search(path) is not None and not is_test(path) and not path.startswith(("bench/", "scripts/"))


def fixes(folder):
    """(hash, subject, files) of each commit that tells of a defect and changes the product; None where there is no history."""
    git = ["git", "-C", folder]
    done = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stdout.strip() != "false":
        return None
    log = subprocess.run([*git, "log", "--no-merges", "--name-only", f"--format={MARK}%h%n%s%n%b%x00"], capture_output=True, text=True, errors="replace",
                         check=True).stdout
    found = []
    for entry in log.split(MARK)[1:]:
        message, _, names = entry.partition("\0")
        short, subject = message.split("\n")[:2]
        files = [name for name in names.split("\n") if name]
        if re.search(WORDS, message, re.IGNORECASE) and any(map(is_product, files)):
            found.append((short, subject, files))
    return found


def read_table(path):
    rows = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split(" | ")]
            if len(cells) != 3:
                raise SystemExit(f"{path}: line {number}: {len(cells)} cells, not 3")
            rows[cells[0]] = cells[1]
    return rows


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT
    table = read_table(folder / "tests" / "scripts" / "fixes.table")
    found = fixes(folder)
    if found is None:
        print("no history here: skipped")
        return 77
    shown = none = failed = 0
    for short, subject, files in found:
        by_table = table.get(subject)
        if by_table == "not":
            none += 1
        elif any(map(is_test, files)) or (by_table and (folder / by_table).exists()):
            shown += 1
        else:
            failed += 1
            print(f"{short} {subject}: tells of a defect, and no test was touched: say in fixes.table what shows it")
    print(f"{none} commits with such words mend nothing")
    print(f"{shown} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
