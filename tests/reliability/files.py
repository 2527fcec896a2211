#!/usr/bin/env python3
"""Which files a run touches (reliability rows 22 and 25), as strace saw it. With umask 000 every file is created 0600, exclusively or
without a name, and its mode never changes afterwards; a symbolic link planted at a name is not followed. Nothing is opened but
what the arguments name, the temporary folder, and what the C library and the machine's description need.
"""
import os
import re
import shutil
import sys

import harness

CALLS = "open,openat,openat2,creat,chmod,fchmod,fchmodat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,connect,bind,execve"
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+|\?)")
# The dynamic linker, the locale, the size of the machine and its control group, the terminal.
SYSTEM = re.compile(r"^(/lib|/lib64|/usr/lib|/usr/share/(locale|zoneinfo|terminfo)|/etc/(ld\.so|localtime|terminfo)|/proc/(self|meminfo|cpuinfo|stat|mounts|sys|\d+)"
                    r"|/sys/(fs/cgroup|devices/system/cpu|kernel/mm)|/dev/(null|tty|urandom|random)|/proc$|/sys$)")


def traced(shop, command, log, umask="000"):
    if os.path.exists(log):
        os.unlink(log)
    wrapper = ("sh", "-c", f'umask {umask}; exec strace -f -qq -s 4096 -e trace={CALLS} -o "{log}" "$0" "$@"')
    result = shop.run(command, {"ASAN_OPTIONS": "detect_leaks=0"}, wrapper=wrapper)
    with open(log, encoding="utf-8", errors="replace") as file:
        return result, [match.groups() for match in map(CALL.match, file) if match]


def path_in(arguments, cwd):
    match = re.search(r'"((?:[^"\\]|\\.)*)"', arguments)
    return os.path.normpath(os.path.join(cwd, match.group(1))) if match else None


def creation_problem(call, arguments):
    creates = "O_CREAT" in arguments or "O_TMPFILE" in arguments or call == "creat"
    if call in ("chmod", "fchmod", "fchmodat"):
        return f"changes a mode: {call}({arguments})"
    if not creates:
        return None
    if not re.search(r", 0600$", arguments):
        return f"creates with a wider mode: {call}({arguments})"
    if "O_TMPFILE" not in arguments and "O_EXCL" not in arguments:
        return f"creates without O_EXCL: {call}({arguments})"
    if "O_CLOEXEC" not in arguments:
        return f"creates without O_CLOEXEC: {call}({arguments})"
    return None


def opening_problem(shop, command, call, arguments):
    if call in ("connect", "bind"):
        return f"talks to the network: {call}({arguments})"
    if not call.startswith("open") or "O_PATH" in arguments:  # which names a file to the sandbox, and opens nothing
        return None
    path = path_in(arguments, shop.root)
    if path is None or SYSTEM.match(path) or path.startswith((shop.temps, shop.results)):
        return None
    # The program itself and its folder (the linker looks beside it); arguments; the folder that an output goes to.
    told = [os.path.normpath(os.path.join(shop.root, word)) for word in command.arguments]
    if path in told or path == shop.program or path in (os.path.dirname(word) for word in told):
        return None
    return f"opens what nobody named: {call}({arguments})"


def check_traces(shop, tally):
    log = os.path.join(shop.root, "trace")
    for command in shop.commands():
        result, calls = traced(shop, command, log)
        problem = harness.crash_of(result) or (None if result.status == 0 else f"exit status {result.status}")
        tally.case(f"{command.name} under strace", problem, result.err)
        made = [problem for problem in (creation_problem(call, arguments) for call, arguments, _ in calls) if problem]
        tally.case(f"{command.name}: private files", made[0] if made else None)
        opened = [problem for problem in (opening_problem(shop, command, call, arguments) for call, arguments, _ in calls) if problem]
        tally.case(f"{command.name}: opens only what it was told to", opened[0] if opened else None)
        modes = [path for path in result.outputs if os.stat(path).st_mode & 0o777 != 0o600]
        tally.case(f"{command.name}: outputs are 0600", f"wider: {modes}" if modes else None)


def check_links(shop, tally):
    """A link at the output's name points to somebody's file: refused, with and without --force never written through."""
    victim = os.path.join(shop.root, "victim")
    for command in (command for command in shop.commands() if command.outputs):
        for force in ([], ["--force"]):
            with open(victim, "w", encoding="ascii") as file:
                file.write("mine")
            shop.clear()
            os.symlink(victim, command.outputs[0])
            shop.clear = lambda: None
            try:
                result = shop.run(harness.Command(command.name, command.arguments + force, command.outputs))
            finally:
                del shop.clear
            with open(victim, encoding="ascii") as file:
                kept = file.read() == "mine"
            problem = harness.crash_of(result) or (None if kept else "wrote through the link")
            if not force and result.status == 0:
                problem = problem or "replaced an existing name without --force"
            tally.case(f"{command.name} {' '.join(force)} onto a link", problem, result.err)
            shop.clear()


def main():
    if shutil.which("strace") is None:
        print("strace not found: skipped")
        sys.exit(77)
    tally = harness.Tally()
    with harness.Workshop(harness.program("HSD_CLI")) as shop:
        check_traces(shop, tally)
        check_links(shop, tally)
    tally.close()


if __name__ == "__main__":
    main()
