#!/usr/bin/env python3
"""Every example of the help, of the manual pages and of the documents runs as it stands there.

usage: test_examples.py HSDIFF
The files that an example names are made before, of the kind that their names say. What needs a running program, another machine or a
desktop is read and accepted with all its options (--help behind it); tests/agents, tests/view and tests/recipes run such commands.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "documents"))
import inputs
import kit

LIVE = {"capture", "watch", "ps", "receive", "view", "mcp", "fleet"}
GLOBS = {"day*.hs": 3, "day*.hprof": 3, "run/*.heapsnapshot": 3, "run/*.hs": 3, "shop-4121/sums/*.hs": 3, "c?.hs": 7}
# What an example names that the inputs of this test do not have, and what is answered then.
ABSENT = {"hsdiff paths heap.hprof 'com.shop.*'": "com.shop.*", "hsdiff paths heap.heapsnapshot @8123": "@8123"}
LEFT_OUT = {  # run elsewhere, or no whole command
    "doc/sql.md": "tests/export/test_sqlite.py",
    "doc/ci.md": "tests/recipes",
    "doc/agents.md": "tests/mcp/test_document.py",
}
INPUT = re.compile(r"[\w./-]+\.(?:hs|hprof|heapsnapshot|heapdump|prom|sqlite)\b(?!\.)")


def run(command, folder, path):
    environment = {"PATH": f"{path}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False, timeout=120)


def examples_of_help(hsdiff):
    """(where, command) of each example of the manual pages; help shows the same rows."""
    text = subprocess.run([hsdiff, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", text.split("Commands:\n")[1].split("\n\n")[0], re.M)
    for command in commands:
        page = subprocess.run([hsdiff, "--generate", "man", command], capture_output=True, text=True, check=True).stdout
        shown = subprocess.run([hsdiff, "help", command], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^\.TP\n\\fB(.*)\\fR$", page.split(".SH EXAMPLES")[1], re.M)
        if not found:
            raise SystemExit(f"no example on the page of {command}")
        for line in found:
            line = line.replace("\\-", "-").replace("\\e", "\\").replace("\\(cq", "'").replace("\\(aq", "'")
            if f"  {line}" not in shown:
                raise SystemExit(f"help of {command} does not show: {line}")
            yield f"help {command}", line


def examples_of_documents():
    """(where, command, whether it is run) of each command of a document that begins with hsdiff and no other test runs as it stands."""
    elsewhere, seen = kit.rows(), set()
    for command in kit.all_commands():
        if command.document not in LEFT_OUT and not kit.is_of_page(command) and command.text.startswith("hsdiff ") and command.text not in seen:
            seen.add(command.text)
            yield f"{command.document}:{command.line}", command.text, not any(row.fits(command) for row in elsewhere)
    # And in the sentences and tables of pages for newcomers.
    for document in kit.PAGES:
        for text in re.findall(r"`(hsdiff [a-z-][^`…]*)`", (kit.PROJECT / document).read_text(encoding="utf-8")):
            if text not in seen:
                seen.add(text)
                yield document, text, False


def command_of(words):
    return next((word for word in words[1:] if not word.startswith("-")), "")


def is_live(line):
    try:
        words = shlex.split(line.split("|")[0])
    except ValueError:
        return False
    return command_of(words) in LIVE or "--open" in words or "$(" in line or " &" in line.replace("&&", "") or "--pid" in words or "--exe" in words


def make_inputs(folder, path):
    """A folder with captures of a toy before and after it leaked, and both as dumps of other tools."""
    for command in ("hsdiff demo -q", "hsdiff export -q demo-before.hs -o before.hprof && hsdiff export -q demo-after.hs -o after.hprof",
                    "hsdiff export -q demo-after.hs -o after.sqlite", "hsdiff baseline -q demo-before.hs -o sums.hs", "head -c 2500 demo-after.hs > cut.hs"):
        result = run(command, folder, path)
        if result.returncode != 0:
            raise SystemExit(f"{command}: {result.stderr}")
    inputs.v8_snapshot(folder / "before.heapsnapshot", 100)
    inputs.v8_snapshot(folder / "after.heapsnapshot", 400)
    inputs.jvm_dump(folder / "several.hprof", 100, 200)
    return folder


def is_first(name):
    return bool(re.search(r"before|base|good|warm|monday|\ba\d?\.|\bb\d\.|c0|day1|baseline", name))


def place(folder, made, name, is_baseline=False, is_round=False):
    """The file `name`, of the kind that its suffix says."""
    to, kind = folder / name, name.rsplit(".", 1)[1]
    moment = "before" if is_first(name) else "after"
    source = {"hs": f"demo-{moment}.hs", "hprof": f"{moment}.hprof", "heapsnapshot": f"{moment}.heapsnapshot", "prom": None, "sqlite": "after.sqlite", "heapdump": None}[kind]
    if name == "cut.hs":
        source = "cut.hs"
    if name == "base.hs" and is_baseline:
        source = "sums.hs"
    if name == "all.hprof":
        source = "several.hprof"
    if (is_round or re.fullmatch(r"(warm|r\d)\.hs", name)) and not to.exists():  # rounds: no two are one capture
        subprocess.run([made.parent / "bin" / "hsdiff", "import", "-q", made / f"{moment}.heapsnapshot", "-o", to], check=True)
    if source and not to.exists():
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(made / source, to)


def outputs_of(line):
    """Files that the command writes, which are not there before. A baseline that is replaced is."""
    found = set(re.findall(r"(?:-o|--output|--html|--objects|--retained) ([\w./%-]+)", line)) | set(re.findall(r"=([\w./-]+)", line)) | set(re.findall(r"> *([\w./~-]+)", line))
    return found if "--force" not in line else set()


def prepare(folder, made, line):
    for pattern, count in GLOBS.items():
        for number in range(count if pattern in line else 0):
            place(folder, made, pattern.replace("*", str(number + 1)).replace("?", str(number)), is_round=pattern == "c?.hs")
    for name in INPUT.findall(line):
        if name not in outputs_of(line) and "*" not in name and "%" not in name:
            place(folder, made, name, "--update-baseline" in line)
    if "before.*" in line:
        place(folder, made, "before.hs")
        place(folder, made, "after.hs")
    for name in re.findall(r"--symbols ([\w./-]+)", line):
        (folder / name).mkdir(exist_ok=True)
    if "*.hs" in line.split():
        place(folder, made, "x.hs")
    if ".zst" in line:
        place(folder, made, "heap.hprof")
        subprocess.run(["zstd", "-q", "--rm", folder / "heap.hprof"], check=True)
    for name in re.findall(r"(?<!new)(?<!-)--key ([\w./-]+\.key)", line) if "hsdiff sign" not in line else []:
        (folder / name).write_text("0123456789abcdef" * 4)
        (folder / name).chmod(0o600)
    signs = re.search(r"hsdiff sign (?=.*--key)|hsdiff check (?=.*--signed-by [\w-]+\.key\.pub)", line)
    if signs:
        for words in (["--new-key", "team.key"], *([["before.hs", "--key", "team.key"]] if "check" in signs[0] else [])):
            subprocess.run([made.parent / "bin" / "hsdiff", "sign", "-q", *words], cwd=folder, check=True)
    if "unredact" in line:
        (folder / line.split()[2]).write_text("no pseudonym in here")
    if "question.sql" in line:
        (folder / "question.sql").write_text("select name from types")
    for target in re.findall(r"> *(~?/?[\w./-]+)/[\w.-]+", line):
        pathlib.Path(str(folder) + target[1:] if target.startswith("~") else folder / target).mkdir(parents=True, exist_ok=True)


def accepted(line, folder, path):
    """Its words, and --help: what the parser refuses is refused."""
    words = shlex.split(re.sub(r"\$\(pidof \w+\)|\bPID\b", "4121", line).split("|")[0].split(" &")[0].split(" <")[0])
    at = words.index("--") if "--" in words else len(words)
    result = run(shlex.join([*words[:at], "-o", "help.txt", "--help"]), folder, path)
    page = folder / "help.txt"
    shown = page.read_text(encoding="utf-8") if page.exists() else ""
    if result.returncode != 0 or (f"Usage: hsdiff {command_of(words)}" not in shown and "Options of hsdiff BEFORE AFTER:" not in shown):
        return f"refused: {result.stderr}"
    return None


def ran(line, folder, path):
    result = run(line.replace("--temp-dir /scratch", "--temp-dir .").replace("-o /tmp", "-o ."), folder, path)
    if line in ABSENT:
        return None if result.returncode == 2 and ABSENT[line] in result.stderr else f"exit status {result.returncode}: {result.stderr}"
    wanted = {0, 1} if re.search(r"hsdiff check\b", line) else {0}  # a check of captures that grew says so
    if result.returncode not in wanted:
        return f"exit status {result.returncode}: {result.stderr}"
    for name in outputs_of(line):
        if not name.startswith("-") and not (folder / name.replace("~", ".")).exists():
            return f"{name} was not written: {result.stderr}"
    return None


def main():
    hsdiff = os.path.abspath(sys.argv[1])
    failures, count, live = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="hsdiff-examples-") as top:
        top = pathlib.Path(top)
        (top / "bin").mkdir()
        (top / "bin" / "hsdiff").symlink_to(hsdiff)
        (top / "made").mkdir()
        made = make_inputs(top / "made", top / "bin")
        for where, line, is_run in [*((where, line, True) for where, line in examples_of_help(hsdiff)), *examples_of_documents()]:
            folder = top / f"{count}"
            folder.mkdir()
            count += 1
            if is_live(line) or not is_run:
                live += 1
                wrong = accepted(line, folder, top / "bin")
            else:
                prepare(folder, made, line)
                wrong = ran(line, folder, top / "bin")
            if wrong:
                failures.append(f"{where}: {line}\n    {wrong.strip()}")
    print(f"{count - live} examples ran, {live} were read with all their options, {len(failures)} failed")
    for failure in failures:
        print(failure)
    if count - live < 60 or live < 40:
        raise SystemExit("examples were not found where they stand")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
