"""The native agent under load: many captures of a program that allocates in four threads, and programs that must not notice it.

    table      the table as the child of a capture finds it: no block twice, none over another, no lock held, no thread missed
    planted    what is reached and what is not, in captures by the agent as it is shipped: exactly what was planted
    programs   bash, git, python3, node, java and gcc print the same with the agent as without, and end alike
    running    … and can be captured while they run
    signalled  the same where threads are stopped by a signal
    deaf       a thread that cannot be stopped is counted; a forked child can be captured too, also one that only waits
    alone      what a program may do that has one thread, and rights that it keeps when it changes its user
    executed   what a program executes has the agent only with follow=1
    death      of the program, of the child and of the reader: the others go on, and a cut capture is seen to be one
    inside     a program that is linked with the agent captures itself
    sampled    counts are scaled to what is there
    limited    the address space of the program is limited: most of it stays the program's

HSD_LONG=1 takes 1,000 captures where 12 are taken else.
"""
import bisect
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

from kit import HERE, PATIENCE, Failed, Program, check, main, say

ROUNDS = 1000 if os.environ.get("HSD_LONG") else 12
LEAK_BYTES, KEPT_BYTES, KEPT = 1237, 2312, 100
FLAT_OUT = {"FLAT_OUT": "1"}  # its threads allocate as fast as they can: programs/native_load.c
RECORD = re.compile(r"(\w+)=(\S+)")


def agent_of(tool, name="libhsdiff-native.so"):
    return str(pathlib.Path(tool.agents) / name)


def program(tool, name):
    return str(pathlib.Path(tool.agents).parent / "tests" / "agents" / "programs" / name)


def preloaded(tool, settings="", agent=None):
    return {"LD_PRELOAD": agent or agent_of(tool), "HSDIFF_NATIVE": settings}


def connect(pid, wait=0):
    """To the agent of a process; tried again for `wait` seconds."""
    until = time.monotonic() + wait
    while True:
        asked = socket.socket(socket.AF_UNIX)
        asked.settimeout(120)
        try:
            asked.connect(f"\0hsdiff/1/native/{pid}")
            return asked
        except OSError:
            asked.close()
            if time.monotonic() >= until:
                raise Failed(f"process {pid} has no agent that listens")
            time.sleep(0.05)


def ask(pid, path, wait=0):
    """Captures a process into a file; what the agent answered."""
    with connect(pid, wait) as asked:
        asked.sendall(b"hsdiff 1 capture\n")
        answer = b""
        while piece := asked.recv(1 << 20):
            answer += piece
    check(answer.startswith(b"ok\n"), f"the agent answered {answer[:200]!r}")
    path.write_bytes(answer[3:])


class Dump:
    """Records of a capture, from `hsdiff dump`: sizes and ids by ordinal, references, targets of roots, metrics, losses."""

    def __init__(self, tool, path):
        self.ids, self.sizes, self.ages, self.references, self.roots, self.metrics, self.losses = [], [], [], [], [], {}, []
        for line in tool.run("dump", path).stdout.splitlines():
            word = line.split(None, 1)[0]
            if word == "object":
                fields = dict(RECORD.findall(line))
                self.ids.append(int(fields["id"], 16))
                self.sizes.append(int(fields.get("size", 0)))
                self.ages.append(int(fields.get("age", 0)))
                self.references.append([])
            elif word == "->":
                self.references[-1].append(int(re.search(r"#(\d+)", line).group(1)))
            elif word == "root":
                self.roots.append(int(re.search(r"target=#(\d+)", line).group(1)))
            elif word == "metric":
                value, name = re.match(r'metric (\d+) name="([^"]*)"', line).groups()
                self.metrics[name] = int(value)
            elif word == "loss":
                self.losses.append(line)

    def reached(self):
        seen, waiting = set(self.roots), list(self.roots)
        while waiting:
            for target in self.references[waiting.pop()]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def of_size(self, size):
        return [i for i, s in enumerate(self.sizes) if s == size]


def say_pauses(what, pauses):
    pauses = [p / 1e6 for p in pauses]
    say(f"        {what}: {len(pauses)} captures, pause median {statistics.median(pauses):.2f} ms, max {max(pauses):.2f} ms")


def check_table(dump, number):
    check(len(set(dump.ids)) == len(dump.ids), f"capture {number}: an address is there twice")
    check(len(set(dump.ages)) == len(dump.ages), f"capture {number}: a number was given out twice")
    blocks = sorted(zip(dump.ids, dump.sizes))
    over = [(a, b) for a, b in zip(blocks, blocks[1:]) if a[0] + a[1] > b[0]]
    check(not over, f"capture {number}: {len(over)} blocks lie over others, as {over[:2]}")
    wanted = {"threads.missed": 0, "locks.held": 0, "blocks.not_found": 0, "blocks.counted": len(blocks)}
    found = {name: dump.metrics.get(name) for name in wanted}
    check(found == wanted, f"capture {number}: {found}, not {wanted}")


def table(tool, folder, settings="stop=trace"):
    agent = program(tool, "libhsdiff-native-table.so")
    pauses = []
    with Program([program(tool, "native_load"), "4", "2000"], {**preloaded(tool, settings, agent=agent), **FLAT_OUT}) as load:
        for number in range(ROUNDS):
            ask(load.pid, folder / "table.hs")
            dump = Dump(tool, folder / "table.hs")
            check_table(dump, number)
            pauses.append(dump.metrics["capture.pause"])
        load.quit()
    say_pauses(f"the table, four threads, {settings}", pauses)


def signalled(tool, folder):
    table(tool, folder, "stop=signal")


def planted(tool, folder):
    pauses, numbers = [], set()
    with Program([program(tool, "native_load"), "4", "8000"], {**preloaded(tool), **FLAT_OUT}) as load:
        for number in range(ROUNDS):
            leaked = load.leak(3)
            ask(load.pid, folder / "planted.hs")
            dump = Dump(tool, folder / "planted.hs")
            reached = dump.reached()
            leaks, kept = dump.of_size(LEAK_BYTES), dump.of_size(KEPT_BYTES)
            check(len(leaks) == leaked, f"capture {number}: {len(leaks)} of {leaked} planted blocks")
            wrong = len(reached.intersection(leaks))
            check(wrong == 0, f"capture {number}: {wrong} of the planted blocks are reached")
            check(len(kept) == KEPT and reached.issuperset(kept), f"capture {number}: the chain of {KEPT} is not whole")
            now = {dump.ids[i] for i in leaks}
            check(numbers <= now, f"capture {number}: a planted block has another identity than before")
            check(len(set(dump.ids)) == len(dump.ids), f"capture {number}: an identity is there twice")
            check(not dump.losses, f"capture {number}: {dump.losses}")
            numbers = now
            pauses.append(dump.metrics["capture.pause"])
        load.quit()
    say_pauses("planted, four threads", pauses)


SOURCE = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(\"compiled\"); return 7; }\n"
JAVA = "public class Hello { public static void main(String[] a) { var l = new java.util.ArrayList<String>(); " \
       "for (int i = 0; i < 50000; i++) l.add(\"x\" + i); System.out.println(l.size()); } }\n"


def commands(folder):
    (folder / "hello.c").write_text(SOURCE)
    (folder / "Hello.java").write_text(JAVA)
    return {
        "bash": ["bash", "-c", "for i in $(seq 50); do x=$(echo $i | cat); done; echo $x; (exit 3)"],
        "git": ["sh", "-c", "rm -rf repo && git init -q repo && cd repo && git -c user.name=a -c user.email=a@b commit -q --allow-empty "
                "--date=2026-01-01T00:00Z -m one && git log --format=%s && git fsck 2>&1"],
        "python3": ["python3", "-c", "import threading, subprocess, json\nt = [threading.Thread(target=lambda: json.dumps(list(range(9999)))) "
                    "for _ in range(8)]\n[x.start() for x in t]\n[x.join() for x in t]\n"
                    "print(subprocess.check_output(['echo', 'child']))\nraise SystemExit(5)"],
        "node": ["node", "-e", "const a=[];for(let i=0;i<2e5;i++)a.push({i});console.log(a.length, Buffer.alloc(1e6).length);"
                 "require('child_process').execSync('true');process.exitCode=4"],
        "java": ["java", "-Xmx128m", "Hello.java"],
        "gcc": ["sh", "-c", "gcc -O2 hello.c -o hello && ./hello"],
    }


def programs(tool, folder):
    for name, command in commands(folder).items():
        if not shutil.which(name):
            say(f"        {name} is not installed")
            continue
        results = []
        for settings in (None, "", "follow=1 stacks=fp", "follow=1 sample=4096"):
            environment = dict(os.environ, **({} if settings is None else preloaded(tool, settings)))
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
            results.append((done.returncode, done.stdout, done.stderr))
        check(all(r == results[0] for r in results), f"{name} runs otherwise with the agent: {results}")


# They pause between bursts: who waits for a capture would else wait for them.
LONG = {
    "bash": ["bash", "-c", "while :; do for i in 1 2 3 4 5; do x=$(echo y); done; sleep 0.03; done"],
    "python3": ["python3", "-c", "import time\nkept = []\nwhile True: kept = [str(i) for i in range(100000)]; time.sleep(0.03)"],
    "node": ["node", "-e", "setInterval(() => { const a = []; for (let i = 0; i < 1e4; i++) a.push({i}); }, 10)"],
    "java": ["java", "-Xmx128m", "Busy.java"],
    "gcc": ["sh", "-c", "exec $(gcc -print-prog-name=cc1) -quiet - -o /dev/null"],
    "git": ["git", "cat-file", "--batch"],
}
BUSY = "public class Busy { public static void main(String[] a) throws Exception { var l = new java.util.ArrayList<byte[]>(); " \
       "for (;;) { l.add(new byte[1000]); if (l.size() > 10000) { l.clear(); Thread.sleep(10); } } } }\n"


def running(tool, folder):
    (folder / "Busy.java").write_text(BUSY)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for name, command in LONG.items():
        if not shutil.which(name):
            continue
        process = subprocess.Popen(command, cwd=folder, env=dict(os.environ, **preloaded(tool, "follow=1")), stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(3):
                time.sleep(0.3)
                ask(process.pid, folder / "running.hs", wait=PATIENCE)
                tool.run("verify", folder / "running.hs")
            check(process.poll() is None, f"{name} ended with {process.poll()}")
        finally:
            process.kill()
            process.wait()
            process.stdin.close()


def deaf(tool, folder):
    with Program([program(tool, "native_deaf")], preloaded(tool)) as one:
        ask(one.pid, folder / "traced.hs")
        check(not Dump(tool, folder / "traced.hs").losses, "a thread that blocks all signals is not stopped by a tracer")
        one.quit()
    with Program([program(tool, "native_deaf")], preloaded(tool, "stop=signal")) as one:
        ask(one.pid, folder / "deaf.hs")
        dump = Dump(tool, folder / "deaf.hs")
        check(dump.losses == ['loss 1 what="threads that did not stop in time"'], f"a deaf thread is not counted: {dump.losses}")
        check(dump.metrics["capture.pause"] < 100e6, "a deaf thread was waited for")
        for kind in ("fork idle", "fork reading", "fork"):
            one.tell(kind)
            ask(int(one.expect("forked")), folder / f"{kind}.hs", wait=PATIENCE)
            dump = Dump(tool, folder / f"{kind}.hs")
            kept = dump.of_size(5003)
            check(len(kept) == 30 and dump.reached().issuperset(kept), f"{kind}: the blocks of a forked child are not in its capture")
        one.quit()


KEEPS_RIGHTS = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
def rights(change):
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, data)
    if change: data[0] = data[1]
    return libc.capset(header, data) if change else data[0]
keeps = 8
libc.prctl(keeps, 1, 0, 0, 0)
status = [libc.setresuid(65534, 65534, 65534), rights(True), libc.prctl(keeps, 0, 0, 0, 0), libc.setgroups(0, None), libc.setresgid(65534, 65534, 65534)]
print("ready", flush=True)
print("leaked", *status, os.getresgid(), rights(False) != 0, flush=True)
sys.stdin.readline()
"""


def alone(tool, folder):
    for command in (["unshare", "-Ur", "id", "-u"], ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "id", "-u"]):
        if not shutil.which(command[0]) or subprocess.run(command, capture_output=True, timeout=60).returncode != 0:
            say(f"skipped: {command[0]} is not here, or may not do that")
            continue
        plain, under = (subprocess.run(command, capture_output=True, text=True, timeout=60, env=dict(os.environ, **more))
                        for more in ({}, preloaded(tool, "follow=1")))
        check((plain.returncode, plain.stdout) == (under.returncode, under.stdout), f"{command}: {under.returncode} {under.stdout} {under.stderr}")
    if os.geteuid() != 0:
        return
    with Program([os.path.realpath(sys.executable), "-c", KEEPS_RIGHTS], preloaded(tool)) as one:
        said = one.expect("leaked")
        check(said == "0 0 0 0 0 (65534, 65534, 65534) True", f"it keeps its rights: {said}")
        ask(one.pid, folder / "kept.hs", wait=PATIENCE)


def executed(tool, folder):
    show = ["sh", "-c", "echo $LD_PRELOAD; grep -c hsdiff-native /proc/self/maps"]
    for settings, wanted in (("", False), ("follow=1", True)):
        done = subprocess.run(show, env=dict(os.environ, **preloaded(tool, settings)), capture_output=True, text=True, timeout=60)
        check((agent_of(tool) in done.stdout) == wanted and done.stdout.endswith("0\n") != wanted,
              f"HSDIFF_NATIVE={settings}: {done.stdout!r} {done.stderr!r}")
    # what becomes another program is not what was meant
    done = subprocess.run(["nice", "setsid", "-w", *show], env=dict(os.environ, **preloaded(tool, "")), capture_output=True, text=True, timeout=60)
    check(done.stdout == "\n0\n", f"behind wrappers the agent is to be in the shell, and not in what that starts: {done.stdout!r} {done.stderr!r}")
    done = subprocess.run(["nice", "setsid", "-w", "cat", "/proc/self/maps"], env=dict(os.environ, **preloaded(tool, "")), capture_output=True, text=True, timeout=60)
    check("libhsdiff-native.so" in done.stdout, "wrappers do not pass the agent on")
    both = dict(os.environ, LD_PRELOAD=f"{agent_of(tool)}:{program(tool, 'libhsdiff-native-table.so')}", HSDIFF_NATIVE="listen=0")
    done = subprocess.run(["sh", "-c", "echo $LD_PRELOAD"], env=both, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"two agents at once: {done}")
    # GCC's AddressSanitizer ends a program in which another library comes first: it is not started so
    source, sanitized = folder / "empty.c", folder / "sanitized"
    source.write_text("int main(void) { return 0; }\n")
    if subprocess.run(["gcc", "-fsanitize=address", source, "-o", sanitized], check=False, capture_output=True).returncode == 0:
        done = tool.run("capture", "-o", folder / "x.hs", "--", sanitized, expect=3)
        check("AddressSanitizer" in done.stderr and "runtime does not come first" not in done.stderr, done.stderr)


def is_there(pid):
    try:
        return "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def children(pid):
    """Pids of the children that write captures: the first to go where memory runs out. A program may have others."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(p) for p in (task / "children").read_text().split()
                      if is_there(p) and pathlib.Path(f"/proc/{p}/oom_score_adj").read_text() == "1000\n"]
        except OSError:
            pass
    return found


def begin_capture(pid):
    """A capture of which only the beginning has been read, and its child."""
    asked = connect(pid)
    asked.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    asked.sendall(b"hsdiff 1 capture\n")
    until = time.monotonic() + PATIENCE
    while not (found := children(pid)) and time.monotonic() < until:
        time.sleep(0.002)
    check(found, "a capture has no child")
    return asked, found[0]


def wait_until_gone(pid, what):
    until = time.monotonic() + PATIENCE
    while is_there(pid):
        check(time.monotonic() < until, f"{what}: the child {pid} of the capture is still there")
        time.sleep(0.01)


def rest(asked):
    answer = b""
    try:
        while piece := asked.recv(1 << 20):
            answer += piece
    except OSError:
        pass
    asked.close()
    return answer


def check_cut(tool, folder, answer):
    (folder / "cut.hs").write_bytes(answer[3:])
    tool.run("info", folder / "cut.hs", expect=None if len(answer) < 100 else 3)


def death(tool, folder):
    command, environment = [program(tool, "native_load"), "2", "200000"], preloaded(tool)
    with Program(command, environment) as load:
        for _ in range(10):
            asked, child = begin_capture(load.pid)
            os.kill(child, signal.SIGKILL)
            check_cut(tool, folder, rest(asked))
            asked, child = begin_capture(load.pid)
            asked.close()
            wait_until_gone(child, "the reader went away")
        load.leak(1)
        ask(load.pid, folder / "after.hs")
        tool.run("verify", folder / "after.hs")
        check(not children(load.pid), "children are left behind")
        load.quit()
    for _ in range(5):
        with Program(command, environment) as load:
            time.sleep(0.2)
            asked, child = begin_capture(load.pid)
            os.kill(load.pid, signal.SIGKILL)
            wait_until_gone(child, "the program was killed")
            check_cut(tool, folder, rest(asked))


def inside(tool, folder):
    done = subprocess.run([program(tool, "native_inside"), str(folder / "inside.hs")], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, HSDIFF_NATIVE="listen=0"))
    check(done.returncode == 0, f"native_inside: {done}")
    dump = Dump(tool, folder / "inside.hs")
    held = dump.of_size(3331)
    check(len(held) == 50 and dump.reached().issuperset(held), f"{len(held)} blocks, not 50")
    check(not dump.of_size(4447), "what was allocated between hsn_pause and hsn_resume is there")


def total_of(tool, path):
    """Objects and bytes, of all types."""
    rows = re.findall(r"^total .*?objects=(\d+) bytes=(\d+)", tool.run("dump", path).stdout, re.M)
    return [sum(int(row[column]) for row in rows) for column in (0, 1)]


def sampled(tool, folder):
    """200,000 blocks of 150 bytes on average, 1 in 4,096 bytes: some 7,000 samples, so sums within 5 parts in 100."""
    with Program([program(tool, "native_load"), "4", "200000"], preloaded(tool, "sample=4096")) as load:
        ask(load.pid, folder / "sampled.hs")
        load.quit()
    with Program([program(tool, "native_load"), "4", "200000"], preloaded(tool)) as load:
        ask(load.pid, folder / "exact.hs")
        load.quit()
    check(tool.info(folder / "sampled.hs")["sampled"], "the capture does not say that it is sampled")
    scaled, exact = (total_of(tool, folder / f"{name}.hs") for name in ("sampled", "exact"))
    say(f"        blocks and bytes: {scaled} by samples, {exact} there")
    for estimate, truth in zip(scaled, exact):
        check(0.9 < estimate / truth < 1.1, f"{estimate} by samples, {truth} there")


def address_space(pid):
    return int(re.search(r"^VmSize:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]) << 10


def limited(tool, folder):
    """An address space that is limited (ulimit -v): the agent leaves most of it to the program, records all the same, and captures are whole. Of
    150 MiB the map has no room."""
    # One arena of glibc: how many there are, 64 MiB each, depends on how its threads meet.
    command = [program(tool, "native_load"), "2", "8000"]
    environment = {"MALLOC_ARENA_MAX": "1"}
    with Program(command, environment) as load:
        alone = address_space(load.pid)
        load.quit()
    for mib in (150, 300, 500, 1000):
        under = ["sh", "-c", f'ulimit -v {mib << 10}; LD_PRELOAD={agent_of(tool)} exec "$@"', "sh", *command]
        with Program(under, environment) as load:
            taken = address_space(load.pid) - alone
            check(mib < 300 or taken <= (mib << 20) * 0.45, f"of {mib} MiB the agent takes {taken >> 20}")
            leaked = load.leak(30)
            ask(load.pid, folder / "limited.hs")
            dump = Dump(tool, folder / "limited.hs")
            check(len(dump.of_size(LEAK_BYTES)) == leaked and not dump.losses, f"of {mib} MiB: not the planted blocks, or {dump.losses}")
            load.quit()


if __name__ == "__main__":
    main({"table": table, "signalled": signalled, "planted": planted, "programs": programs, "running": running, "deaf": deaf, "alone": alone, "executed": executed,
          "death": death, "inside": inside, "sampled": sampled, "limited": limited})
