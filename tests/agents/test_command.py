#!/usr/bin/env python3
"""hsdiff capture and receive as their users meet them: names of files, several processes, series, programs that are started, exit
statuses, closed gates. The programs are C programs with the native agent; what the captures hold is tested for each runtime elsewhere."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from kit import PATIENCE, Failed, Program, check, main, say, wait_until

LOAD = ["1", "2000"]


def program(tool):
    return str(pathlib.Path(tool.agents).parent / "tests" / "agents" / "programs" / "native_load")


def started(tool, **more):
    return Program([program(tool), *LOAD], environment={"LD_PRELOAD": f"{tool.agents}/libhsdiff-native.so"}, **more)


def wait_for(holds, what):
    deadline = time.monotonic() + 90
    while not holds():
        if time.monotonic() > deadline:
            raise Failed(f"{what}: not within 90 s")
        time.sleep(0.05)


def catches(pid, number):
    """A process has its own answer to the signal."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^SigCgt:\s*(\w+)", status, re.M)[1], 16) >> (number - 1) & 1


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def names_of_files(tool, folder):
    with started(tool) as one:
        pid = one.pid
        tool.run("capture", pid, "-o", folder / "one.hs")
        check(stat.S_IMODE((folder / "one.hs").stat().st_mode) == 0o600, "a capture is private")
        again = tool.run("capture", pid, "-o", folder / "one.hs", expect=2)
        check("exists" in again.stderr, f"an existing file is kept: {again.stderr}")
        tool.run("capture", pid, "-o", folder / "one.hs", "--force")
        sub = folder / "sub"
        sub.mkdir()
        tool.run("capture", pid, "-o", sub)
        tool.run("capture", pid, "-o", sub / "%n-%p-%i-%%.hs")
        tool.run("capture", pid, "-o", sub / "many.hs", "--every", "50ms", "--count", "3")
        expected = sorted([f"native_load-{pid}-0001.hs", f"native_load-{pid}-0001-%.hs", "many-0001.hs", "many-0002.hs", "many-0003.hs"])
        check(names(sub) == expected, f"{names(sub)} is not {expected}")
        tool.run("capture", pid, cwd=sub)
        check(f"native_load-{pid}-0002.hs" in names(sub), f"without -o the first free number: {names(sub)}")
        tool.run("capture", pid, "-o", f"{sub}/new/")
        check(names(sub / "new") == [f"native_load-{pid}-0001.hs"], "a folder is made")
        check(stat.S_IMODE((sub / "new").stat().st_mode) == 0o700, "and is private")
        tool.run("capture", pid, "-o", f"{sub}/new/")
        check(f"native_load-{pid}-0002.hs" in names(sub / "new"), f"in a folder the next number: {names(sub / 'new')}")
        tool.run("capture", pid, "-o", f"{sub}/not/there/", expect=4)
        wrong = tool.run("capture", pid, "-o", sub / "%z.hs", expect=2)
        check("%z means nothing" in wrong.stderr, wrong.stderr)
        piped = subprocess.run([tool.path, "capture", str(pid), "-q", "-o", "-"], env=tool.environment, capture_output=True, timeout=60)
        check(piped.returncode == 0 and piped.stdout[:4] == b"\x89HSC", f"to standard output: {piped.returncode} {piped.stderr}")
        tool.run("capture", pid, "-o", "-", "--every", "1s", expect=2)
        one.quit()


def several_processes(tool, folder):
    with started(tool) as one, started(tool) as two:
        done = tool.run("capture", one.pid, two.pid, "-o", folder / "%p.hs", "--format", "json")
        told = [json.loads(line) for line in done.stdout.splitlines()]
        check([t["pid"] for t in told] == [one.pid, two.pid], f"both are told: {told}")
        check(all(t["complete"] and t["way"] == "native" and t["objects"] > 1000 for t in told), f"{told}")
        check(names(folder) == sorted([f"{one.pid}.hs", f"{two.pid}.hs"]), names(folder))
        for t in told:
            info = tool.info(folder / f"{t['pid']}.hs")
            check(info["pid"] == t["pid"] and info["process"] == "native_load", f"tagged with name and pid: {info}")
            check(t["output_bytes"] == (folder / f"{t['pid']}.hs").stat().st_size, f"bytes on disk are those of the file: {t}")
        tool.run("capture", one.pid, two.pid, "-o", folder / "many.hs")
        many = sorted(f"many-{pid}-0001.hs" for pid in (one.pid, two.pid))
        check([name for name in names(folder) if name.startswith("many")] == many, f"one name, a file for each: {names(folder)}")
        by_name = tool.run("capture", "native_load", "-o", folder / "named-%p.hs", "--format", "json", expect=None)
        pids = {json.loads(line)["pid"] for line in by_name.stdout.splitlines()}
        check({one.pid, two.pid} <= pids, f"by name: {pids}")
        mixed = tool.run("capture", one.pid, 4000000, "-o", folder / "mixed-%p.hs", expect=2)
        check((folder / f"mixed-{one.pid}.hs").exists() and "4000000" in mixed.stderr, "what can be captured is")


def hostile_names(tool, folder):
    """What a program is called is foreign text, in a name of a file, on a terminal and in JSON."""
    path = os.path.join(os.fsencode(folder), b'a"\x1b[31m\xff\n::error')
    shutil.copy(program(tool), path)
    with Program([path, *LOAD], environment={"LD_PRELOAD": f"{tool.agents}/libhsdiff-native.so"}) as one:
        told = subprocess.run([tool.path, "capture", str(one.pid), "--format", "json"], cwd=folder, env=tool.environment,
                              capture_output=True, timeout=60)
        check(told.returncode == 0 and len(told.stdout.splitlines()) == 1, f"one line: {told}")
        line = json.loads(told.stdout)
        check(line["name"].startswith('a"\x1b['), f"the name is whole: {line}")
        check(re.fullmatch(r"[A-Za-z0-9._-]+", line["path"]), f"the file has a plain name: {line}")
        told = subprocess.run([tool.path, "capture", str(one.pid)], cwd=folder, env=tool.environment, capture_output=True, timeout=60)
        check(told.returncode == 0 and b"\x1b" not in told.stderr and b"\n::" not in told.stderr, f"nothing to obey: {told.stderr}")
        one.quit()


def threads_of_the_kernel():
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, flags = int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[6])
            if flags & 0x200000:
                yield pid


def kernel(tool, folder):
    """A thread of the kernel is told as one, and not as a program that may not be looked at."""
    pid = next(threads_of_the_kernel(), None)
    if pid is None:
        say("        skipped: this container shows no thread of the kernel")
        return
    said = tool.run("capture", pid, "-o", folder / "x.hs", expect=3).stderr
    check("is a thread of the kernel: it has no heap" in said, said)


def listing(tool, folder):
    """hsdiff ps, and names that are parts of names."""
    copy = folder / "checkout-api"
    shutil.copy(program(tool), copy)
    agent = {"LD_PRELOAD": f"{tool.agents}/libhsdiff-native.so"}
    sleeper = subprocess.Popen(["sleep", "300"])
    script = folder / "checkout_report.py"
    script.write_text("print('ready', flush=True); input()")
    try:
        with Program([str(copy), *LOAD], environment=agent) as one, Program([sys.executable, str(script)]) as python, \
                Program([sys.executable, str(script)]) as other:
            for stopped in (python, other):
                stopped.process.send_signal(signal.SIGSTOP)
                wait_until("it is stopped", lambda pid=stopped.pid: "State:\tT" in pathlib.Path(f"/proc/{pid}/status").read_text())
            rows = {row["pid"]: row for row in json.loads(tool.run("ps", "--format", "json").stdout)["processes"]}
            check(rows[one.pid]["way"] == "native" and rows[one.pid]["name"] == "checkout-api", f"an open way: {rows.get(one.pid)}")
            check(rows[one.pid]["rss_bytes"] > 1 << 20 and rows[one.pid]["why"] is None, f"{rows[one.pid]}")
            check(rows[python.pid]["runtime"].startswith("Python 3.") and rows[python.pid]["way"] is None, f"a closed way: {rows.get(python.pid)}")
            check("is stopped" in rows[python.pid]["why"] and "kill -CONT" in rows[python.pid]["hint"], f"what opens it: {rows[python.pid]}")
            check(sleeper.pid not in rows and os.getpid() in rows, "programs without agent and runtime are left out")
            both = tool.run("ps", "checkout").stdout
            check("checkout-api" in both and "checkout_report.py" in both and "[1]" in both and "[2]" not in both, f"what is said of two is told once: {both}")
            check("process PID is stopped" in both and "kill -CONT PID" in both, both)
            check(f" {sleeper.pid} " in tool.run("ps", "--all").stdout.replace("\n", " "), "--all shows every program")
            check("No program is called like" in tool.run("ps", "no-such-program-anywhere").stdout, "no such name")
            tool.run("ps", "--format", "xml", expect=2)
            tool.run("ps", "one", "two", expect=2)
            several = tool.run("capture", "checkout", "-o", folder / "x.hs", expect=2)
            check(str(one.pid) in several.stderr and str(python.pid) in several.stderr, f"who is meant: {several.stderr}")
            tool.run("capture", "checkout-a", "-o", folder / "part.hs")
            check(tool.info(folder / "part.hs")["pid"] == one.pid, "the only one that is called so")
            tool.run("capture", "", "-o", folder / "x.hs", expect=2)
            for address in (":8080", "localhost:8080", "http://localhost:8080/"):
                said = tool.run("capture", address, "-o", folder / "x.hs", expect=2).stderr
                check("ss -ltnp 'sport = :8080'" in said, f"who listens there: {said}")
            for stopped in (python, other):
                stopped.process.send_signal(signal.SIGCONT)
                stopped.tell("")
            one.quit()
    finally:
        sleeper.kill()
        sleeper.wait()


def a_series(tool, folder):
    with started(tool) as one:
        watching = subprocess.Popen([tool.path, "capture", str(one.pid), "--every", "100ms", "-o", str(folder / "s.hs")],
                                    env=tool.environment, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: one.leak(100) and len(names(folder)) >= 3, "three captures")
        one.quit()
        _, told = watching.communicate(timeout=60)
        check(watching.returncode == 0 and "has ended, after" in told, f"ends with the program: {watching.returncode} {told}")
        files = [str(file) for file in sorted(folder.iterdir())]
        check(len(files) >= 3, f"several captures: {files}")
        series = json.loads(tool.run("series", *files, "--format", "json").stdout)
        check(len(series["captures"]) == len(files), "a series of all of them")
    with started(tool) as one:
        watching = subprocess.Popen([tool.path, "capture", str(one.pid), "--every", "1h", "-q", "-o", str(folder / "t.hs")],
                                    env=tool.environment)
        wait_for((folder / "t-0001.hs").exists, "the first capture")
        itself = tool.run("capture", watching.pid, "-o", folder / "itself.hs", expect=3).stderr
        check(f"process {watching.pid} is hsdiff, which started the program" in itself, itself)
        watching.send_signal(signal.SIGINT)
        check(watching.wait(PATIENCE) == -signal.SIGINT, "a signal ends it between two captures")
        check((folder / "t-0001.hs").exists() and one.is_alive(), "and what was there stays")


def programs_that_start_again(tool, folder):
    """Named, a program is followed over its restarts; a pid ends with its process."""
    copy = folder / "restarted-api"
    shutil.copy(program(tool), copy)
    agent = {"LD_PRELOAD": f"{tool.agents}/libhsdiff-native.so"}
    saved = folder / "run"
    saved.mkdir()

    def pids():
        return {tool.info(file)["pid"] for file in saved.iterdir() if file.suffix == ".hs"}

    with Program([str(copy), *LOAD], environment=agent) as one:
        watching = subprocess.Popen([tool.path, "capture", "restarted-api", "--every", "200ms", "-o", str(saved / "s.hs")], env=tool.environment,
                                    stderr=subprocess.PIPE, text=True)
        wait_for(lambda: len(names(saved)) >= 2, "two captures")
        one.quit()
    for line in watching.stderr:
        if "waiting 60 s for it to start again" in line:
            break
    with Program([str(copy), *LOAD], environment=agent) as two:
        wait_for(lambda: pids() == {one.pid, two.pid}, "a capture of the second")
        watching.send_signal(signal.SIGINT)
        told = watching.communicate(timeout=60)[1]
        check(f"runs again (pid {two.pid})" in told, told)
        two.quit()
    numbers = sorted(int(name[2:6]) for name in names(saved))
    check(numbers == list(range(1, len(numbers) + 1)), f"numbers go on: {numbers}")


def a_count_of_what_is_started(tool, folder):
    """When all captures are taken it waits for the program, and says so."""
    run = subprocess.Popen([tool.path, "capture", "--every", "100ms", "--count", "1", "-o", str(folder), "--", program(tool), *LOAD],
                           env=tool.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(run.stdout.readline().strip() == "ready", "it runs")
    told = ""
    for line in run.stderr:
        told += line
        if "waiting for" in line:
            break
    check("all captures are taken; waiting for" in told and len(names(folder)) == 1, told)
    run.communicate("quit\n", timeout=60)
    check(run.returncode == 0, f"exit {run.returncode}")


def programs_that_are_started(tool, folder):
    load = program(tool)
    run = subprocess.Popen([tool.path, "capture", "--every", "200ms", "-o", str(folder), "--", load, *LOAD], env=tool.environment,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(run.stdout.readline().strip() == "ready", "its standard output is its own")
    wait_for(lambda: len(names(folder)) >= 2, "two captures")
    _, told = run.communicate("quit\n", timeout=60)
    check(run.returncode == 0, f"exit {run.returncode}: {told}")
    check(len(names(folder)) >= 2, f"captures while it ran: {names(folder)} {told}")
    check(tool.run("capture", "--", "sh", "-c", "exit 7", expect=7).returncode == 7, "its exit status is handed on")
    early = tool.run("capture", "--", "true")
    check("ended before its first capture" in early.stderr, early.stderr)
    asked = ("capture", "--", "sh", "-c", 'test "$G_SLICE" = "$0"')
    environment = {name: value for name, value in tool.environment.items() if name != "G_SLICE"}
    check(subprocess.run([tool.path, *asked, "always-malloc"], env=environment, capture_output=True).returncode == 0, "structures of GLib are blocks")
    check(subprocess.run([tool.path, *asked, "all"], env={**environment, "G_SLICE": "all"}, capture_output=True).returncode == 0, "as it was asked for")
    check("cannot be started" in tool.run("capture", "--", "/nowhere/at/all", expect=127).stderr, "no such program")
    (folder / "here").symlink_to("/bin/true")
    check("./here" in tool.run("capture", "--", "here", expect=127, cwd=folder).stderr, "a program of this folder")
    tool.run("capture", "--", "/etc/passwd", expect=126)
    check("standard output" in tool.run("capture", "-o", "-", "--", "true", expect=2).stderr, "its standard output is its own")
    run = subprocess.Popen([tool.path, "capture", "-q", "--", "sleep", "60"], env=tool.environment, stderr=subprocess.DEVNULL)
    wait_for(lambda: pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().strip(), "the program that it starts")
    wait_for(lambda: catches(run.pid, signal.SIGTERM), "that it is ready for signals")
    run.send_signal(signal.SIGTERM)
    check(run.wait(PATIENCE) == 128 + signal.SIGTERM, "a signal is handed on to it")


def programs_behind_a_script(tool, folder):
    load = program(tool)
    for name, script in (("waits", f"{load} 1 2000; exit 5"), ("executes", f"exec {load} 1 2000")):
        saved = folder / name
        saved.mkdir()
        run = subprocess.Popen([tool.path, "capture", "--follow", "--every", "200ms", "-o", str(saved), "--", "sh", "-c", script],
                               env=tool.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check(run.stdout.readline().strip() == "ready", "it runs")
        wait_for(lambda: len([file for file in names(saved) if file.startswith("native_load-")]) >= 2, f"{name}: what the shell started")
        _, told = run.communicate("quit\n", timeout=60)
        check(run.returncode == (5 if name == "waits" else 0), f"{name}: exit {run.returncode}: {told}")
        series = sorted(saved.glob("native_load-*"))
        check(json.loads(tool.run(series[0], series[-1], "--format", "json").stdout)["match"]["basis"] == "exact", "of one process")
    alone = tool.run("capture", "--follow", str(os.getpid()), expect=2)
    check("--follow is for programs that are started" in alone.stderr, alone.stderr)


def gates(tool, folder):
    out = folder / "x.hs"
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        wait_for(lambda: pathlib.Path(f"/proc/{sleeper.pid}/comm").read_text() == "sleep\n", "the program")  # and no copy of this one
        refused = tool.run("capture", sleeper.pid, "-o", out, expect=3)
        check("agent" in refused.stderr and "hsdiff capture" in refused.stderr, f"what opens it is said: {refused.stderr}")
        check("ptrace_scope" not in refused.stderr and "root" not in refused.stderr, refused.stderr)
        check(not out.exists(), "nothing is left")
        tool.run("capture", "--way", "jvm", sleeper.pid, "-o", out, expect=3)
        tool.run("capture", "--way", "telepathy", sleeper.pid, "-o", out, expect=2)
        tool.run("capture", "--forget", sleeper.pid, expect=3)
    finally:
        sleeper.kill()
        sleeper.wait()
    check("no process" in tool.run("capture", "3999999", "-o", out, expect=2).stderr, "no such pid")
    check("no process" in tool.run("capture", "no-such-program-anywhere", "-o", out, expect=2).stderr, "no such name")
    tool.run("capture", expect=2)
    tool.run("capture", "0", expect=2)
    with started(tool) as one:
        missing = tool.run("capture", one.pid, "-o", folder / "nowhere" / "x.hs", expect=None)
        check(missing.returncode in (2, 3, 4) and one.is_alive(), f"no such folder: {missing.returncode} {missing.stderr}")
        with open("/dev/full", "w") as full:
            told = subprocess.run([tool.path, "capture", str(one.pid), "--format", "json", "-o", str(folder / "full.hs")], stdout=full,
                                  stderr=subprocess.PIPE, env=tool.environment, timeout=60)
        check(told.returncode == 4, f"an answer that cannot be written is an error: {told.returncode}")
        check("native" in tool.run("capture", "--forget", one.pid, expect=3).stderr, "nothing to forget")


def receiving(tool, folder):
    socket, saved = folder / "heaps.sock", folder / "saved"
    saved.mkdir()
    helper = subprocess.Popen([tool.path, "receive", f"unix:{socket}", "-o", str(saved), "--count", "3"], env=tool.environment,
                              stderr=subprocess.PIPE, text=True)
    wait_for(socket.exists, "the socket")
    check(stat.S_IMODE(socket.stat().st_mode) & 0o077 == 0, "the socket is private")
    environment = {"LD_PRELOAD": f"{tool.agents}/libhsdiff-native.so", "HSDIFF_TO": f"unix:{socket}", "HSDIFF_EVERY": "1", "HSDIFF_COUNT": "3"}
    with Program([program(tool), *LOAD], environment=environment) as one:
        _, told = helper.communicate(timeout=60)
        check(helper.returncode == 0, f"ends after three: {helper.returncode} {told}")
        check(names(saved) == [f"native_load-{one.pid}-000{i}.hs" for i in (1, 2, 3)], names(saved))
        check(not socket.exists(), "the socket is gone")
        one.leak(10)
        one.quit()
    files = sorted(saved.iterdir())
    for file in files:
        tool.run("verify", file)
    named = folder / "named.hs"
    told = tool.run("symbolize", files[-1], "-o", named, "--symbols", pathlib.Path(program(tool)).parent)
    check("resolved" in told.stderr, told.stderr)
    cut = folder / "cut.hs"
    cut.write_bytes(files[-1].read_bytes()[:-100])
    told = tool.run("symbolize", cut, "-o", folder / "cut-named.hs", expect=3)
    check("was cut off" in told.stderr, told.stderr)
    refused = tool.run("receive", f"unix:{folder}/nowhere/x.sock", expect=4)
    check("waiting" not in refused.stderr, refused.stderr)
    roots = [row["root"] for row in json.loads(tool.run("top", named, "--format", "json").stdout)["roots"]]
    check(any("planted_chain" in root for root in roots), f"the variable has its name: {roots}")
    tool.run("receive", "tcp:8.8.8.8:9", "-o", saved, expect=None)
    check(tool.run("receive", "tcp:10.1.2.3:99", "-o", saved, expect=None).returncode in (2, 3), "only on the loopback")
    tool.run("receive", f"unix:{socket}", "-o", folder / "nowhere", expect=2)


if __name__ == "__main__":
    os.chdir("/")
    main({"names": names_of_files, "several": several_processes, "hostile": hostile_names, "series": a_series, "listing": listing, "kernel": kernel, "started": programs_that_are_started,
          "again": programs_that_start_again, "count": a_count_of_what_is_started, "follow": programs_behind_a_script, "gates": gates, "receive": receiving})
