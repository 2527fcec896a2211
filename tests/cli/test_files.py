#!/usr/bin/env python3
"""What the command opens and creates, as the kernel sees it (strace).

usage: test_files.py HSDIFF
Every file that is created is private from birth (O_EXCL or O_TMPFILE, mode 0600) and never widened afterwards; whatever is
opened was named on the command line, lies in the folder for temporary data, or belongs to the system. A symbolic link planted
at the name of an output is not followed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import test_cli

COMMANDS = {
    "diff": "hsdiff -q d/demo-before.hs d/demo-after.hs",
    "diff to a file": "hsdiff -q d/demo-before.hs d/demo-after.hs -o r.txt --objects o.csv",
    "diff forced": "hsdiff -q d/demo-before.hs d/demo-after.hs --force -o text.txt",
    "diff of V8 snapshots": "hsdiff -q a.heapsnapshot b.heapsnapshot --memory 16M",
    "diff of JVM dumps": "hsdiff -q a.hprof b.hprof --memory 16M",
    "summary": "hsdiff -q --summary a.hprof b.hprof",
    "series": "hsdiff -q series grow0.heapsnapshot grow1.heapsnapshot grow2.heapsnapshot --cohorts -o r.txt",
    "check": "hsdiff -q check full2.heapsnapshot full4.heapsnapshot --config series.yml -o r.txt",
    "check by a found file": "hsdiff -q check --init -o .hsdiff.yml a.heapsnapshot b.heapsnapshot && hsdiff check a.heapsnapshot b.heapsnapshot",
    "baseline": "hsdiff -q baseline a.heapsnapshot -o base.hs",
    "import": "hsdiff -q import a.hprof -o a.hs",
    "import from a pipe": "hsdiff -q import - -o a.hs < a.heapsnapshot",
    "info": "hsdiff info d/demo-after.hs",
    "dump": "hsdiff dump a.hprof",
    "verify": "hsdiff verify d/demo-after.hs",
    "salvage": "hsdiff -q salvage cut.hs -o s.hs",
    "demo": "hsdiff demo -q",
    "help": "hsdiff --help",
}

CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
SYSTEM = ("/lib", "/usr/lib", "/etc/ld.so", "/etc/localtime", "/usr/share", "/proc/", "/sys/", "/dev/null")
OPENING = ("open", "openat", "openat2", "creat")
WIDENING = ("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat")


def calls_of(runner, line, temp, umask):
    """The traced calls of a command as (name, arguments, result), and the folder it ran in."""
    where = os.path.join(tempfile.mkdtemp(dir=runner.base), "w")
    shutil.copytree(runner.inputs, where)
    log = os.path.join(os.path.dirname(where), "strace.log")
    traced = line.replace("hsdiff", f"strace -f -qq -o {log} -e trace=%file,fchmod,fchown,%network hsdiff", 1)
    environment = dict(os.environ, PATH=runner.bin + ":" + os.environ["PATH"], TMPDIR=temp,
                       ASAN_OPTIONS="detect_leaks=0")
    result = subprocess.run(["sh", "-c", traced], cwd=where, env=environment, capture_output=True, check=False, umask=umask)
    if result.returncode != 0:
        raise SystemExit(f"{line}: exit status {result.returncode}: {result.stderr.decode(errors='replace')}")
    with open(log, encoding="utf-8", errors="replace") as file:
        return [match.groups() for match in map(CALL.match, file) if match], where


def faults_of(line, calls, temp, base):
    """What a command did that it should not have done."""
    words = line.split()
    for name, arguments, result in calls:
        path = re.search(r'"([^"]*)"', arguments)
        if name in WIDENING:
            yield f"{name}({arguments})"
        if name in ("socket", "connect", "bind", "listen"):
            yield f"the network: {name}({arguments})"
        if name not in OPENING or int(result) < 0 or "O_PATH" in arguments:  # which names a file to the sandbox, and opens nothing
            continue
        if "O_CREAT" in arguments or "O_TMPFILE" in arguments or name == "creat":
            if not arguments.endswith("0600") or not ("O_EXCL" in arguments or "O_TMPFILE" in arguments):
                yield f"not private from birth: {name}({arguments})"
        if "O_CLOEXEC" not in arguments and not path.group(1).startswith(SYSTEM):
            yield f"no O_CLOEXEC: {name}({arguments})"
        named = path.group(1) in words or os.path.dirname(path.group(1)) in ("", temp) or path.group(1) == "."
        if not (named or path.group(1).startswith(SYSTEM) or path.group(1) == temp or path.group(1).startswith(base + "/bin")):
            yield f"not named by anybody: {name}({arguments})"


def check_symlinks(runner):
    """A link at the name of an output is neither followed nor replaced, with --force only itself replaced."""
    for line in ("hsdiff -q import a.hprof -o link", "hsdiff -q salvage cut.hs -o link",
                 "hsdiff -q d/demo-before.hs d/demo-after.hs -o link", "hsdiff -q d/demo-before.hs d/demo-after.hs --objects link",
                 "hsdiff -q a.heapsnapshot b.heapsnapshot -o r.txt --also json=link", "hsdiff -q baseline a.heapsnapshot -o link",
                 "hsdiff -q check --init a.heapsnapshot b.heapsnapshot -o link"):
        for target in ("nothing", "text.txt"):
            status, _, err, where = runner.run(f"ln -s {target} link; {line}")
            if status != 2 or os.path.exists(os.path.join(where, "nothing")) or not os.path.islink(os.path.join(where, "link")):
                yield f"{line}: followed or replaced a link: exit status {status}: {err}"
            status, _, err, where = runner.run(f"ln -s {target} link; {line} --force")
            with open(os.path.join(where, "text.txt"), encoding="utf-8") as file:
                if status != 0 or os.path.exists(os.path.join(where, "nothing")) or file.read() != "This is no heap.\n":
                    yield f"{line} --force: followed a link: exit status {status}: {err}"


def main():
    if not shutil.which("strace"):
        print("skipped: strace is not installed")
        return 77
    runner = test_cli.Runner(sys.argv[1])
    faults, count = [], 0
    temp = os.path.join(runner.base, "temp")
    os.mkdir(temp)
    try:
        for name, line in COMMANDS.items():
            for umask in (0o000, 0o077):
                calls, _ = calls_of(runner, line, temp, umask)
                count += sum(call[0] in OPENING for call in calls)
                faults += [f"{name}: {fault}" for fault in faults_of(line, calls, temp, runner.base)]
        faults += check_symlinks(runner)
        faults += [f"left in the folder for temporary data: {left}" for left in os.listdir(temp)]
    finally:
        runner.close()
    for fault in faults:
        print(fault)
    print(f"{len(COMMANDS)} commands, {count} files opened, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
