#!/usr/bin/env python3
"""Holds the table of fields (format/forms.c) against FORMAT.md, section 6: the same columns in each type of block, and the same tables of numbers.

usage: test_forms.py FORMAT.md forms_list
"""
import re
import subprocess
import sys

TABLES = ("string", "type", "label", "site", "thread")
TO_SAY = 17  # types of blocks with columns: a parser that finds none proves nothing
OF_TWO_TABLES = {(130, 32)}  # KEY of a place: a type, or of a root a string


def section_six(text):
    return text.split("\n## 6.")[1].split("\n## 7.")[0]


def said(text):
    """{type of block: {column: table, or None}} of the document."""
    blocks = {}
    for paragraph in re.split(r"\n\*\*6\.\d+\*\* ", section_six(text)):
        head = re.match(r"[A-Z_]+ \((\d+)\)", paragraph)
        if head is None:
            continue
        columns = {int(number): word if word in TABLES else None
                   for number, word in re.findall(r"\b[A-Z][A-Z_0-9]+ \((\d+)\)(?: ([a-z]+))?", paragraph[head.end():])}
        for numbers, words in re.findall(r"^\| [A-Z_, ]+ \| ([\d, ]+) \| ([^|]*) \|", paragraph, re.M):
            for number in numbers.split(", "):
                word = re.match(r"[a-z]*", words)[0]
                columns[int(number)] = word if word in TABLES else None
        if columns:
            blocks[int(head[1])] = columns
    return blocks


def main(document, program):
    listed, failed, passed = {}, 0, 0
    with open(document, encoding="utf-8") as file:
        wanted = said(file.read())
    wanted.pop(15, None)  # INDEX: section 9
    for line in subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        block, column, table = line.split()
        listed.setdefault(int(block), {})[int(column)] = None if table == "-" else table
    listed.pop(15)
    assert len(wanted) == TO_SAY, f"{len(wanted)} types of blocks with columns in FORMAT.md"
    for block in sorted(wanted.keys() | listed.keys()):
        there, here = wanted.get(block, {}), listed.get(block, {})
        wrong = [f"columns {sorted(there)} in FORMAT.md, {sorted(here)} in the table"] if there.keys() != here.keys() else []
        wrong += [f"column {column}: {word} in FORMAT.md, {here[column]} in the table" for column, word in there.items()
                  if word and column in here and here[column] != word and (block, column) not in OF_TWO_TABLES]
        for what in wrong:
            print(f"FAILED  block {block}: {what}")
        failed, passed = failed + bool(wrong), passed + (not wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
