#!/usr/bin/env python3
"""What tools say of the product's sources and of its command: nothing, or the test fails.

usage: tools.py cppcheck|tidy|analyzer PROJECT BUILD [FILE…]     over capture/, libdiff/ and cli/, as they are compiled in BUILD; or over these files
       tools.py valgrind                                        HSD_FAULTY: the command with the allocator of libc; HSD_LONG=1: all commands

What a tool says wrongly stands in known.table beside this file, with the reason. The first three take tens of minutes and ask all files: they run with HSD_TOOLS=1
alone, which the scoreboard sets. What a tool said of a file is kept in BUILD/tools, and told again while neither the file, nor what it includes of the project, nor how it
is compiled, nor the tool is another: a run that was stopped goes on where it stopped.
"""
import concurrent.futures
import hashlib
import inspect
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SAID = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? (?:warning|error|style|performance|portability): (?P<text>.*)$", re.MULTILINE)


def known():
    """[tool, file, part of the text]"""
    rows = []
    for line in (HERE / "known.table").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 4 or not cells[3]:
                sys.exit(f"known.table: tool | file | text | reason: {line}")
            rows.append(cells)
    return rows


def compiled(project, build):
    """{file: command without its output} of the product."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = pathlib.Path(entry["file"]).resolve()
        if file.is_relative_to(project) and file.relative_to(project).parts[0] in ("capture", "libdiff", "cli") and file.suffix == ".c":
            words = shlex.split(entry["command"])
            while os.path.basename(words[0]) in ("ccache", "sccache"):
                words.pop(0)
            at = words.index("-o")
            commands.setdefault(str(file.relative_to(project)), (words[:at] + [word for word in words[at + 2:] if word not in ("-c", entry["file"])], entry["directory"]))
    return commands


def run(words, folder):
    """(exit status, what was said)"""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout + done.stderr


class Kept:
    """What a tool said, a file for each source, named by all that decides what it says."""

    def __init__(self, tool, project, build):
        self.ask, self.project = ASK[tool], project
        self.folder = build / "tools" / tool
        self.folder.mkdir(parents=True, exist_ok=True)
        rules = (project / ".clang-tidy").read_bytes() if tool == "tidy" else b""
        self.common = run([PROGRAMS[tool], "--version"], project)[1].encode() + inspect.getsource(self.ask).encode() + rules

    def of(self, file, words):
        key = hashlib.sha256(self.common + "\0".join([str(self.project), *words]).encode())
        for name in self.read_by(file, words):
            key.update(name.encode() + b"\0" + (self.project / name).read_bytes())
        path = self.folder / key.hexdigest()
        if path.exists():
            return path.read_text(encoding="utf-8")
        status, said = self.ask(self.project, file, words)
        if status != 0:
            return f"{said}\n{file}:1: error: exit status {status}"
        beside = path.with_suffix(".new")
        beside.write_text(said, encoding="utf-8")
        beside.rename(path)
        return said

    def read_by(self, file, words):
        """The file, and what it includes but for headers of the system."""
        rule = subprocess.run([*words, "-MM", file], cwd=self.project, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if rule.returncode != 0:
            sys.exit(f"{file}: {rule.stderr}")
        return rule.stdout.replace("\\\n", " ").split(":", 1)[1].split()


# cppcheck knows no machine, and the agents refuse to be for none. Of the engine it reads what stands beside a machine's own instructions: over those it takes minutes.
MACHINE = ("-D__linux__=1", f"-D__{platform.machine()}__=1")


def cppcheck(project, file, words):
    includes = [word for word in words if word.startswith(("-I", "-D"))]
    machine = MACHINE if file.startswith("capture/") else ()
    return run(["cppcheck", "--enable=warning,performance,portability", "--inline-suppr", "--quiet", "--std=c11", "--suppress=missingIncludeSystem",
                "--template={file}:{line}:1: {severity}: {id}: {message}", *machine, *includes, file], project)


def tidy(project, file, words):
    return run(["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", file, "--", *[word for word in words[1:] if word.startswith(("-I", "-D", "-std", "-isystem"))
                or not word.startswith("-")]], project)


def analyzer(project, file, words):
    """Where it says something it is asked again, and told what it cannot see from one file (analyzed.h): most of what it says follows from a failure that it takes for a success."""
    ask = [*words, "-fanalyzer", "-Wno-error", "-fdiagnostics-color=never", "-fdiagnostics-path-format=none", "-o", os.devnull, "-c", project / file]
    status, said = run(ask, project)
    if status != 0 or "warning:" not in said:
        return status, said
    gnu = ["-D_GNU_SOURCE="] if re.search(r"^#define _GNU_SOURCE\b", (project / file).read_text(encoding="utf-8"), re.MULTILINE) else []
    return run([*ask, *gnu, "-I", project / "libdiff", "-I", project / "libdiff" / "include", "-include", HERE / "analyzed.h"], project)


ASK = {"cppcheck": cppcheck, "tidy": tidy, "analyzer": analyzer}
PROGRAMS = {"cppcheck": "cppcheck", "tidy": "clang-tidy", "analyzer": "gcc"}


def judge(tool, project, build, files):
    if shutil.which(PROGRAMS[tool]) is None:
        print(f"{PROGRAMS[tool]} is not installed: skipped")
        return 77
    commands = compiled(project, build)
    chosen = {file: commands[file] for file in (files or sorted(commands))}
    kept = Kept(tool, project, build)
    excused, reports, used = [row for row in known() if row[0] == tool], set(), set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(lambda file: kept.of(file, absolute(chosen[file])), chosen):
            for match in SAID.finditer(said):
                path = os.path.relpath(os.path.join(project, match["file"]), project)
                if path.startswith(".."):
                    continue  # of the system
                row = next((tuple(row) for row in excused if row[1] == path and row[2] in match["text"]), None)
                used.add(row)
                if row is None:
                    reports.add(f"{path}:{match['line']}: {match['text']}")
    reports |= {f"known.table: {row[1]}: {row[2]}: is not said any more" for row in excused if not files and tuple(row) not in used}
    print("\n".join(sorted(reports)[:200]))
    print(f"{tool}: {len(chosen)} files, {len(reports)} reports, {len(excused)} known to be wrong")
    return 1 if reports else 0


def absolute(command):
    """Folders of -I are those of the build."""
    words, folder = command
    made = [words[0]]
    for word, before in zip(words[1:], words):
        if word.startswith("-I") and len(word) > 2:
            made.append("-I" + os.path.normpath(os.path.join(folder, word[2:])))
        else:
            made.append(os.path.normpath(os.path.join(folder, word)) if before == "-isystem" else word)
    return made


def valgrind():
    sys.path.insert(0, str(HERE.parent / "reliability"))
    import harness
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: skipped")
        return 77
    count, reports = 0, []
    with harness.Workshop(harness.program("HSD_FAULTY")) as shop:
        commands = [command for command in shop.commands() if command.name != "demo"]
        for command in commands if harness.LONG else commands[:2]:
            result = shop.run(command, wrapper=("valgrind", "--error-exitcode=99", "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"))
            count += 1
            if result.status != 0 or b"==" in result.err:
                reports.append(f"{command.name}: exit status {result.status}: {result.err.decode(errors='replace')[:2000]}")
    print("\n".join(reports))
    print(f"valgrind: {count} commands, {len(reports)} reports")
    return 1 if reports else 0


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else ""
    if tool == "valgrind":
        return valgrind()
    if tool not in ("cppcheck", "tidy", "analyzer") or len(sys.argv) < 4:
        sys.exit(__doc__)
    if os.environ.get("HSD_TOOLS") != "1" and len(sys.argv) == 4:
        print("HSD_TOOLS=1 is not set: skipped")
        return 77
    return judge(tool, pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve(), sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
