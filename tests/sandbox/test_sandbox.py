#!/usr/bin/env python3
"""What an importer that has been taken over can do. attempts.c, loaded in front of libc into the command as it is shipped, makes some 60 attempts
at the moment when the first bytes of an input are read: files elsewhere, the network, programs, other processes, the kernel. None may succeed, in
any command; without the sandbox most do, which shows that the attempts are real.

usage: test_sandbox.py HSDIFF ATTEMPTS.so
"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

LEAST_ATTEMPTS, LEAST_WITHOUT = 40, 30
PATIENCE = 240
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}")


class World:
    def __init__(self, hsdiff, attempts, folder):
        self.hsdiff, self.attempts, self.folder = hsdiff, attempts, folder
        self.outside, self.temp, self.work = (folder / name for name in ("outside", "temp", "work"))
        for made in (self.outside, self.temp, self.work):
            made.mkdir()
        for file in (self.outside / "victim", self.outside / "spare", self.temp / "victim"):
            file.write_text("a secret\n")
        self.run("demo", "-o", self.work)
        self.before, self.after = self.work / "demo-before.hs", self.work / "demo-after.hs"
        self.run("export", self.before, "--to", "heapsnapshot", "-o", self.work / "a.heapsnapshot")
        self.run("export", self.before, "--to", "hprof", "-o", self.work / "a.hprof")
        self.run("export", self.before, "--to", "sqlite", "-o", self.work / "a.db")
        self.numbers = 0
        psql = self.work / "psql"  # stands for PostgreSQL's: takes rows, and says how many captures there were
        psql.write_text("#!/bin/sh\ncat >/dev/null\necho 'A|1|1|0'\n", encoding="utf-8")
        psql.chmod(0o755)
        os.environ["HSDIFF_PSQL"] = str(psql)

    def run(self, *words, environment=None, stdin=None, status=0):
        done = subprocess.run([self.hsdiff, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=PATIENCE, cwd=self.work,
                              env={**os.environ, **(environment or {})}, input=stdin, check=False)
        if status is not None and done.returncode != status:
            check(False, f"hsdiff {' '.join(map(str, words))}: exit status {done.returncode}: {done.stderr}")
        return done

    def new(self, ending):
        self.numbers += 1
        return self.work / f"new{self.numbers}{ending}"

    def trap(self, file, helpers):
        """The environment in which the attempts are made once `file` is read."""
        victim, listener, unix = helpers
        return {"LD_PRELOAD": str(self.attempts), "HSD_ATTEMPTS_ON": os.path.realpath(file), "HSD_ATTEMPTS_OUTSIDE": str(self.outside),
                "HSD_ATTEMPTS_TEMP": str(self.temp), "TMPDIR": str(self.temp), "HSD_ATTEMPTS_PID": str(victim.pid),
                "HSD_ATTEMPTS_PORT": str(listener.getsockname()[1]), "HSD_ATTEMPTS_SOCKET": unix.getsockname()}


def commands(world):
    """(name, words, the input at which the attempts are made)"""
    before, after = world.before, world.after
    yield "diff", ["diff", before, after, "--html", world.new(".html")], after
    yield "diff of dumps", ["diff", world.work / "a.heapsnapshot", world.work / "a.hprof"], world.work / "a.hprof"
    yield "import of V8", ["import", world.work / "a.heapsnapshot", "-o", world.new(".hs")], world.work / "a.heapsnapshot"
    yield "import of HPROF", ["import", world.work / "a.hprof", "-o", world.new(".hs"), "--force"], world.work / "a.hprof"
    yield "check", ["check", before, after, "--also", f"junit={world.new('.xml')}"], after
    yield "series", ["series", before, after, before], after
    yield "baseline", ["baseline", before, "-o", world.new(".hsb")], before
    yield "top", ["top", before], before
    yield "paths", ["paths", before, "Session"], before
    yield "sql", ["sql", before, "select count(*) from objects"], before
    yield "sql of a database", ["sql", world.work / "a.db", "select count(*) from objects"], world.work / "a.db"
    yield "export to SQLite", ["export", before, "--to", "sqlite", "-o", world.new(".db")], before
    yield "export to Parquet", ["export", before, "--to", "parquet", "-o", world.new("")], before
    yield "info", ["info", before], before
    yield "dump", ["dump", before], before
    yield "verify", ["verify", before], before
    yield "salvage", ["salvage", before, "-o", world.new(".hs")], before
    yield "symbolize", ["symbolize", before, "-o", world.new(".hs"), "--symbols", world.temp], before
    yield "fleet add", ["fleet", "add", world.new(""), before, "--label", "service=shop"], before
    yield "fleet add to a database", ["fleet", "add", "postgresql://me@localhost/x", before, "--label", "service=shop"], before


def told(text):
    lines = [line.split() for line in text.splitlines() if line.startswith("attempt ")]
    return {line[1]: line[2] == "refused" for line in lines}, [" ".join(line[1:]) for line in lines if line[2] != "refused"]


def judge(name, said):
    made, succeeded = told(said)
    check(len(made) >= LEAST_ATTEMPTS, f"{name}: {len(made)} attempts were made: {said[-2000:]}")
    check(not succeeded, f"{name}: {len(succeeded)} of {len(made)} attempts succeeded: {', '.join(succeeded)}")
    return len(made)


def readers(world, helpers):
    tried = count = 0
    for name, words, file in commands(world):
        done = world.run(*words, environment=world.trap(file, helpers), status=None)
        check(done.returncode in (0, 1), f"{name}: exit status {done.returncode}: {done.stderr[-600:]}")
        tried += judge(name, done.stderr)
        count += 1
    print(f"{count} commands: {tried} attempts")


def home(world, helpers):
    """Source maps of a snapshot are looked for below the current folder: not if that is somebody's home."""
    private, dump = world.work / "private", world.work / "a.heapsnapshot"
    private.mkdir()
    for name in ("victim", "spare"):
        (private / name).write_text("a secret\n")
    trap = {**world.trap(dump, helpers), "HSD_ATTEMPTS_OUTSIDE": str(private)}
    judge("top at home", world.run("top", dump, environment={**trap, "HOME": str(world.work)}).stderr)
    read = told(world.run("top", dump, environment={**trap, "HOME": str(world.outside)}).stderr)[1]
    check(read, "in a project nothing can be read: this test cannot fail")


def viewer(world, helpers):
    with subprocess.Popen([world.hsdiff, "view", world.before, world.after], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=world.work,
                          env={**os.environ, **world.trap(world.after, helpers)}) as process:
        address = process.stdout.readline().decode()
        check(address.startswith("http://"), f"view: {address}")
        said = b""
        patience = threading.Timer(PATIENCE, process.kill)
        patience.start()
        while b"change_how_it_is_dumped" not in said:
            piece = process.stderr.readline()
            if not piece:
                break
            said += piece
        patience.cancel()
        port = int(address.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as wire:  # and it answers
            wire.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % port)
            check(wire.recv(64).startswith(b"HTTP/1.1 200"), "view: no answer")
        process.terminate()
        process.communicate(timeout=PATIENCE)
    judge("view", said.decode())


def agent(world, helpers):
    def message(number, method, **params):
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"

    ask = message(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})
    ask += message(2, "tools/call", name="compare", arguments={"captures": [world.before.name, world.after.name]})
    with subprocess.Popen([world.hsdiff, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=world.work,
                          env={**os.environ, **world.trap(world.after, helpers)}) as process:
        process.stdin.write(ask.encode())
        process.stdin.flush()
        patience = threading.Timer(PATIENCE, process.kill)
        patience.start()
        answers = [process.stdout.readline(), process.stdout.readline()]
        patience.cancel()
        said = process.communicate(timeout=PATIENCE)[1].decode()
    check(b"isError\":true" not in answers[1] and b"result" in answers[1], f"mcp: {answers[1][:600]}")
    made, succeeded = told(said)
    check(len(made) >= LEAST_ATTEMPTS, f"mcp: {len(made)} attempts were made: {said[-600:]}")
    check(not succeeded, f"mcp: {', '.join(succeeded)}")


def without(world, helpers):
    """The attempts can succeed."""
    done = world.run("info", world.before, "--no-sandbox", environment=world.trap(world.before, helpers))
    made, succeeded = told(done.stderr)
    print(f"without a sandbox {len(succeeded)} of {len(made)} attempts succeed")
    check(len(succeeded) >= LEAST_WITHOUT, f"only {len(succeeded)} of {len(made)} attempts succeed without the sandbox")
    (world.outside / "spare").write_text("a secret\n")


def says_so(world):
    for words, wanted in ((["info", world.before, "-v", "--no-sandbox"], "no sandbox: --no-sandbox was given"),
                          (["info", world.before, "-v"], "sandbox: files and system calls are restricted")):
        check(wanted in world.run(*words).stderr, f"{words[2:]} does not say: {wanted}")
    sources = pathlib.Path(__file__).resolve().parents[2] / "cli"
    commands_known = re.findall(r"X\((\w+)\)", (sources / "commands.c").read_text(encoding="utf-8").split("static const")[0])[1:]
    check(len(commands_known) >= 20, f"commands: {commands_known}")
    policy = (sources / "sandbox/policy.c").read_text(encoding="utf-8")
    for name in commands_known:
        check(f'.command = "{name}"' in policy, f"hsdiff {name} has no row in cli/sandbox/policy.c")
    check("no-sandbox" in world.run("info", "--help").stdout, "help does not name --no-sandbox")


def old_kernels(world):
    """Without Landlock, without seccomp, without both: the same answer, and --verbose says what is missing."""
    if not shutil.which("strace"):
        print("old kernels: skipped, there is no strace")
        return
    whole = world.run("top", world.before).stdout
    landlock, seccomp = "landlock_create_ruleset", "seccomp"
    for calls, said in (((landlock,), ["files are not restricted"]), ((seccomp,), ["system calls are not restricted"]),
                        ((landlock, seccomp), ["files are not restricted", "system calls are not restricted"])):
        words = ["strace", "-f", "-o", "/dev/null", *(f"--inject={call}:error=ENOSYS" for call in calls), world.hsdiff, "top", world.before, "-v"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        check(done.returncode == 0 and done.stdout == whole, f"without {', '.join(calls)}: exit status {done.returncode}: {done.stderr[-600:]}")
        for sentence in said:
            check(sentence in done.stderr, f"without {', '.join(calls)} --verbose does not say: {sentence}")


def main():
    hsdiff, attempts = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="hsd-sandbox-") as name:
        world = World(hsdiff, attempts, pathlib.Path(name))
        said = world.run("info", world.before, "-v").stderr
        if "not restricted" in said:
            print(f"skipped: {said.splitlines()[0]}")
            sys.exit(77)
        unix = socket.socket(socket.AF_UNIX)
        unix.bind(str(world.folder / "socket"))
        unix.listen()
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        victim = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        helpers = (victim, listener, unix)
        try:
            without(world, helpers)
            readers(world, helpers)
            home(world, helpers)
            viewer(world, helpers)
            agent(world, helpers)
            says_so(world)
            old_kernels(world)
        finally:
            victim.kill()
            victim.wait()
    print("FAILED" if failures else "all refused")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
