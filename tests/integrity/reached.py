#!/usr/bin/env python3
"""How much of the writer and of the reader of captures do their own tests reach? Lines and branches of capture/core and libdiff/format, as gcov counts them in a
build with HSD_COVERAGE, after the unit tests of both and the sweeps over damaged captures. Names each line that none of them reached, and fails where less
than LINES_PERCENT of the lines are reached or less than BRANCHES_PERCENT of the branches taken.

usage: reached.py PROJECT BUILD PROGRAM…
"""
import json
import pathlib
import subprocess
import sys

LINES_PERCENT, BRANCHES_PERCENT = 95, 90
FOLDERS = {"capture/core": "capture/CMakeFiles/hscapture.dir/core", "libdiff/format": "libdiff/format/CMakeFiles/hsd_format.dir"}  # source: its objects in a build


def run(words, folder, errors=subprocess.STDOUT):
    return subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace", check=False)


def failed(build, programs):
    """Programs that did not pass, in a build where nothing was counted before them."""
    for objects in FOLDERS.values():
        for counters in (build / objects).glob("*.gcda"):
            counters.unlink()
    names = []
    for program in programs:
        done = run([program], build)
        if done.returncode != 0:
            names.append(program.name)
            print(f"{program.name}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return names


def counted(build, objects):
    """[(file of the source, lines as gcov's JSON has them)]"""
    notes = sorted((build / objects).glob("*.gcno"))
    done = run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *notes], build, subprocess.DEVNULL)
    if done.returncode != 0 or not notes:
        sys.exit(f"gcov of {build / objects}: exit status {done.returncode}, {len(notes)} files")
    for text in done.stdout.splitlines():
        for file in json.loads(text)["files"]:
            yield file["file"], file["lines"]


class Figures:
    """Of lines or of branches. What is compiled into several objects, as functions of headers are, counts once."""

    def __init__(self):
        self.all, self.reached = set(), set()

    def add(self, what, count):
        self.all.add(what)
        if count > 0:
            self.reached.add(what)

    def tell(self, name, wanted):
        print(f"{len(self.reached)} {name} reached of {len(self.all)} ({100 * len(self.reached) / len(self.all):.1f} %)")
        return 100 * len(self.reached) >= wanted * len(self.all)


def figures(project, build):
    lines, branches = Figures(), Figures()
    for folder, objects in FOLDERS.items():
        for name, rows in counted(build, objects):
            path = (build / name).resolve()
            if path.parent != project / folder:
                continue
            for row in rows:
                place = path, row["line_number"]
                lines.add(place, row["count"])
                for number, branch in enumerate(row["branches"]):
                    branches.add((*place, number), branch["count"])
    return lines, branches


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    project, build, *programs = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    broken = failed(build, programs)
    lines, branches = figures(project, build)
    for path, number in sorted(lines.all - lines.reached):
        print(f"not reached: {path.relative_to(project)}:{number}: {path.read_text(encoding='utf-8').splitlines()[number - 1].strip()}")
    print(f"{len(programs) - len(broken)} programs passed, {len(broken)} failed")
    is_enough = [lines.tell("lines", LINES_PERCENT), branches.tell("branches", BRANCHES_PERCENT)]
    return 1 if broken or not all(is_enough) else 0


if __name__ == "__main__":
    sys.exit(main())
