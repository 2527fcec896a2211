#!/usr/bin/env python3
"""HotSpot, by tags (way jvm) and by heap dumps through a pipe (way hprof): real JVMs with planted leaks under load. Each case says what it
holds against what; HSD_LONG=1 adds the large heaps and more aborted captures."""
import glob
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

import kit
from kit import check, row, say

LONG = bool(os.environ.get("HSD_LONG"))
MIB = 1 << 20
BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-jvm-", dir="/var/tmp")  # other-space has a /tmp of its own
COLLECTORS = {"serial": "-XX:+UseSerialGC", "parallel": "-XX:+UseParallelGC", "g1": "-XX:+UseG1GC", "z": "-XX:+UseZGC"}
CGROUP = pathlib.Path("/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup")
IS_V1 = CGROUP.name == "memory"


def classes():
    folder = pathlib.Path(BUILT.name)
    if not (folder / "JvmLeak.class").exists():
        kit.need("java", "javac")
        subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", str(folder), str(kit.HERE / "programs" / "JvmLeak.java")], check=True, capture_output=True)
    return folder


def start(kind, *arguments, collector="serial", options=("-Xmx256m",), wrap=(), **more):
    return kit.Program([*wrap, "java", COLLECTORS[collector], *options, "-cp", str(classes()), "JvmLeak", kind, *map(str, arguments)], **more)


def need_agent(tool):
    kit.need("java", "javac")
    if not (pathlib.Path(tool.agents) / "libhsdiff-jvm.so").exists():
        kit.skip("the agent for the JVM was not built: no jvmti.h")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def metric(tool, capture, name):
    found = re.search(rf'^metric (\d+) name="{re.escape(name)}"', tool.run("dump", capture, "--only", "metrics").stdout, re.M)
    check(found, f"no metric {name}")
    return int(found[1])


def rss(pid, key="VmRSS"):
    return int(re.search(rf"{key}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024


# ---- leaks

def two_captures(tool, folder, program, way, first=1500, more=700):
    """Captured, leaked, captured again; the diff."""
    program.leak(first)
    tool.capture(program.pid, folder / "a.hs", *way)
    program.leak(more)
    tool.capture(program.pid, folder / "b.hs", *way)
    check(program.is_alive(), "the program ended")
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
    return tool.diff(folder / "a.hs", folder / "b.hs")


def steps(holder):
    return [(step["edge"], step["type"]) for step in holder["path"]]


def check_leak(diff, type_, root, holder, is_exact, first=1500, more=700):
    """The planted type with exact counts, the root that grew most, and the holder under it."""
    found = row(diff["types"], "type", type_)
    same(f"{type_} before", found["before"]["objects"], first)
    same(f"{type_} after", found["after"]["objects"], first + more)
    if is_exact:
        same("basis", diff["match"]["basis"], "exact")
        same(f"{type_} new", (found["new"]["objects"], found["freed"]["objects"]), (more, 0))
    grown = max(diff["roots"], key=lambda one: one["growth"]["objects"])
    same("root that grew most", grown["root"], root)
    check(grown["growth"]["objects"] >= more, f"{root} grew by {grown['growth']['objects']}")
    first_holder = max(diff["holders"], key=lambda one: one["net"]["objects"])
    same("holder", (first_holder["root"], first_holder["type"]), (root, holder))


WHERE = {
    "static": ("JvmLeak$Session", "static JvmLeak.cache", "java.util.HashMap"),
    "threadlocal": ("JvmLeak$Session", "ThreadLocal JvmLeak.mine.value", "java.util.ArrayList"),
}


def leak_case(kind, collector, way):
    def case(tool, folder):
        need_agent(tool)
        with start(kind, collector=collector) as program:
            diff = two_captures(tool, folder, program, ("--way", way))
            program.quit()
        check_leak(diff, *WHERE[kind], is_exact=way == "jvm")
    case.__doc__ = f"{kind}, {collector}, by {way}: type, root, holder, counts"
    return case


def first_holder(diff):
    """The holder of most bytes, and its part of the growth."""
    found = max(diff["holders"], key=lambda one: one["growth_bytes"])
    return found, found["growth_bytes"] / diff["total"]["growth"]["bytes"]


def held_case(kind, way, type_, root, least, first=300, more=700):
    """What is planted hangs from one place, whatever ways lead there."""
    def case(tool, folder):
        need_agent(tool)
        with start(kind) as program:
            diff = two_captures(tool, folder, program, ("--way", way), first, more)
            program.quit()
        found, share = first_holder(diff)
        same("holder", found["root"], root)
        check(share >= least, f"{root} holds {share:.3f} of the growth")
        grown = row(diff["types"], "type", type_)
        same(f"{type_} grew by", grown["after"]["objects"] - grown["before"]["objects"], more)
        return found, grown
    case.__doc__ = f"{kind}, by {way}: {root}"
    return case


def plugins(way):
    return held_case("plugins", way, "JvmLeak$Plugin", "static JvmLeak$Server.plugins", 0.97)


def listeners(way):
    return held_case("listeners", way, "lambda in JvmLeak", "static JvmLeak$Server.listeners", 0.95, 3000, 7000)


def direct(way):
    """Buffers by what they own outside the heap, each stretch of memory once, held by the list."""
    def case(tool, folder):
        need_agent(tool)
        with start("direct") as program:
            diff = two_captures(tool, folder, program, ("--way", way), 300, 600)
            program.quit()
        found, share = first_holder(diff)
        same("holder", found["root"], "static JvmLeak$Server.buffers")
        check(share >= 0.95, f"the list holds {share:.3f} of the growth")
        totals = [tool.run("dump", folder / f"{name}.hs", "--only", "totals").stdout for name in "ab"]
        before, after = (sum(map(int, re.findall(r"^total type=.* native=(\d+)", text, re.M))) for text in totals)
        same("bytes outside the heap", after - before, 600 * 10_000)
        check(3_000_000 <= before < 3_100_000, f"{before} bytes outside the heap before")
    case.__doc__ = f"direct, by {way}: 600 buffers of 10,000 bytes, slices and read-only views of them"
    return case


def shared(way):
    """What two statics of one class hold is held by that class, called by its name."""
    def case(tool, folder):
        need_agent(tool)
        with start("shared") as program:
            diff = two_captures(tool, folder, program, ("--way", way), 3000, 7000)
            program.quit()
        found = row(diff["holders"], "root", "class JvmLeak$Directory")
        sessions = row(found["types"], "type", "JvmLeak$Session")
        same("sessions", sessions["objects"], 7000)
        same("name of the class", found["path"][0].get("name"), "JvmLeak$Directory")
    case.__doc__ = f"shared, by {way}: the class is the holder"
    return case


def local(tool, folder):
    """A list in a local variable: the root names thread, method and line."""
    need_agent(tool)
    with start("local") as program:
        diff = two_captures(tool, folder, program, ("--way", "jvm"))
        program.quit()
    source = (kit.HERE / "programs" / "JvmLeak.java").read_text().splitlines()
    line = next(i for i, text in enumerate(source, 1) if "static void work()" in text) + 3
    check_leak(diff, "JvmLeak$Session", f'thread "worker", JvmLeak.work(JvmLeak.java:{line})', "java.util.ArrayList", True)


def newest_jdk():
    """The folder of the commands of the newest JDK of this machine, and its version."""
    found = [(0, pathlib.Path())]
    for javac in [*glob.glob("/usr/lib/jvm/*/bin/javac"), shutil.which("javac")]:
        said = subprocess.run([javac, "-version"], capture_output=True, text=True)
        version = re.search(r"javac (\d+)", said.stdout + said.stderr)
        if version and (pathlib.Path(javac).parent / "java").exists():
            found.append((int(version[1]), pathlib.Path(javac).parent))
    return max(found)


def virtual(way):
    """Thousands of virtual threads that wait: called by the place where they do, and each looked for no more than any other object."""
    def run(tool, folder):
        need_agent(tool)
        version, commands = newest_jdk()
        if version < 21:
            kit.skip(f"the newest JDK is {version}, and has no virtual threads")
        source = kit.HERE / "programs" / "VirtualWaits.java"
        subprocess.run([commands / "javac", "-J-XX:TieredStopAtLevel=1", "-d", BUILT.name, source], check=True, capture_output=True)
        with kit.Program([str(commands / "java"), "-Xmx256m", "-cp", BUILT.name, "VirtualWaits"]) as program:
            diff = two_captures(tool, folder, program, ("--way", way), 300, 700)
            program.quit()
        line = next(i for i, text in enumerate(source.read_text().splitlines(), 1) if "// waits" in text)
        found, share = first_holder(diff)
        same("holder", found["root"], f"virtual threads in VirtualWaits.awaitAnswer(VirtualWaits.java:{line})")
        check(share >= 0.95, f"{found['root']} holds {share:.3f} of the growth")
        payment = row(diff["types"], "type", "VirtualWaits$Payment")
        same("payments grew by", payment["growth"]["objects"], 700)
    return run


def virtual_compiled(tool, folder):
    """Of a method that is compiled and has no variables the JVM does not say where virtual threads stand in it: it is no native one."""
    need_agent(tool)
    version, commands = newest_jdk()
    if version < 21:
        kit.skip(f"the newest JDK is {version}, and has no virtual threads")
    subprocess.run([commands / "javac", "-J-XX:TieredStopAtLevel=1", "-d", BUILT.name, kit.HERE / "programs" / "VirtualWaits.java"], check=True, capture_output=True)
    options = ("-Xmx256m", "-Xcomp", "-XX:CompileOnly=VirtualWaits::awaitAll", "-XX:TieredStopAtLevel=1")
    with kit.Program([str(commands / "java"), *options, "-cp", BUILT.name, "VirtualWaits", "together"]) as program:
        program.leak(1000)
        tool.capture(program.pid, folder / "a.hs", "--way", "jvm")
        program.quit()
    names = tool.run("dump", folder / "a.hs", "--only", "strings").stdout
    check("virtual threads in VirtualWaits" in names and "VirtualWaits.awaitAll(Native Method)" not in names, "awaitAll is called a native method")


def finalizer(tool, folder):
    """What waits behind a finalizer that hangs is held by the queue, with the Finalizer that it waits in."""
    need_agent(tool)
    with start("finalizer") as program:
        diff = two_captures(tool, folder, program, ("--way", "jvm"), more=9000)
        program.quit()
    first = diff["holders"][0]
    queue = "static java.lang.ref.Finalizer.queue"
    check(queue in [first["root"], *(one["root"] for one in first.get("held_by", []))], f"the first holder is {first['root']}")
    same("held by the queue: a handle and its Finalizer each", first["net"]["objects"], 2 * 9000)
    found = row(diff["types"], "type", "JvmLeak$Handle")
    same("handles", (found["before"]["objects"], found["after"]["objects"]), (1500, 10500))


def alike(tool, folder):
    """Both ways say the same of one moment of a quiet program, but for what only one of them can see."""
    need_agent(tool)
    with start("quiet", 5000) as program:
        program.tell("gc")
        program.expect("collected")
        tool.capture(program.pid, folder / "a.hs", "--way", "jvm")
        tool.capture(program.pid, folder / "b.hs", "--way", "hprof")
        program.quit()
    diff = tool.diff(folder / "a.hs", folder / "b.hs")
    # class objects that no dump lists, filler arrays of the dump's collection, caches that it empties
    other = [one for one in diff["types"] if one["growth"]["objects"] != 0
             and not re.match(r"java\.lang\.(Class|Object\[\]|ref\.|invoke\.)|int\[\]|byte\[\]|java\.lang\.String$|java\.util\.", one["type"])]
    check(len(other) <= 6, f"types that differ: {[(one['type'], one['growth']['objects']) for one in other]}")
    for name in ("JvmLeak$Session", "java.util.HashMap$Node[]"):
        found = row(diff["types"], "type", name)
        same(f"bytes of {name}", found["before"]["bytes"], found["after"]["bytes"])
    found = row(diff["roots"], "root", "static JvmLeak.cache")
    same("static JvmLeak.cache", found["before"], found["after"])
    say(f"        objects: {diff['total']['before']['objects']:,} by jvm, {diff['total']['after']['objects']:,} by hprof")


# ---- identity

def identity(tool, folder):
    """200,000 objects, with HSD_LONG 1 M, full collections between two captures: no object is new and none is gone."""
    sessions = 340_000 if LONG else 60_000
    need_agent(tool)
    for collector in COLLECTORS if LONG else ("serial", "g1"):
        with start("quiet", sessions, collector=collector, options=("-Xmx512m",)) as program:
            for name in ("warm", "a", "b"):
                (folder / f"{name}.hs").unlink(missing_ok=True)
            tool.capture(program.pid, folder / "warm.hs", "--way", "jvm")  # makes the JVM's thread for attaching and what that makes
            tool.capture(program.pid, folder / "a.hs", "--way", "jvm")
            for _ in range(2):
                program.tell("gc")
                program.expect("collected")
            tool.capture(program.pid, folder / "b.hs", "--way", "jvm")
            pause = metric(tool, folder / "a.hs", "capture.pause") / 1e9
            program.quit()
        diff = tool.diff(folder / "a.hs", folder / "b.hs", "--no-holders")
        new = {one["type"]: one["new"]["objects"] for one in diff["types"] if one["new"]["objects"]}
        say(f"        {collector}: {diff['total']['after']['objects']:,} objects, new {new or 'none'}, pause {pause:.2f} s")
        check(diff["total"]["after"]["objects"] > 3 * sessions, "there are fewer objects than were made")
        # Between the captures the program itself reads "gc" and prints "collected": its reader's and writer's objects, nothing else.
        own = ("java.lang.String", "byte[]", "java.nio.HeapCharBuffer")
        strangers = {name: count for name, count in new.items() if name not in own or count > 4}
        check(not strangers, f"new objects: {strangers}")
        same("sessions", row(diff["types"], "type", "JvmLeak$Session")["new"]["objects"], 0)


def forget(tool, folder):
    """Tags are given back: native memory of the JVM falls by most of what the capture took; later ids are another domain's."""
    need_agent(tool)
    def tags(program):
        said = subprocess.run(["jcmd", str(program.pid), "VM.native_memory", "summary"], capture_output=True, text=True).stdout
        found = re.search(r"Serviceability \(reserved=(\d+)KB", said)
        return int(found[1]) * 1024 if found else 0
    kit.need("jcmd")
    sessions = 300_000 if LONG else 100_000
    with start("quiet", sessions, options=("-Xmx512m", "-XX:NativeMemoryTracking=summary")) as program:
        tool.run("capture", "--forget", program.pid)  # nothing was captured: nothing to do
        before, resident = tags(program), rss(program.pid)
        tool.capture(program.pid, folder / "a.hs", "--way", "jvm")
        held, resident_held = tags(program), rss(program.pid)
        tool.run("capture", "--forget", program.pid)
        after, resident_after = tags(program), rss(program.pid)
        program.tell("gc")
        program.expect("collected")
        kit.wait_until("tags stay behind the next collection", lambda: tags(program) < before + MIB)
        rest = tags(program)
        tool.capture(program.pid, folder / "b.hs", "--way", "jvm")
        program.quit()
    say(f"        tags {before / MIB:.1f} -> {held / MIB:.1f} -> {after / MIB:.1f} MiB, {rest / MIB:.1f} behind the next collection, "
        f"resident {resident / MIB:.0f} -> {resident_held / MIB:.0f} -> {resident_after / MIB:.0f} MiB")
    check(held > before + sessions * 64, "the tags took nothing: the test proves nothing")
    check(after < before + (held - before) / 3 and rest < before + MIB, f"of {held - before} bytes of tags {after} stay, and then {rest}")
    check(resident_after < resident + (resident_held - resident) / 2, "the process is as big as before")
    diff = tool.diff(folder / "a.hs", folder / "b.hs", "--no-holders")
    check(diff["match"]["basis"] != "exact", "ids that were given back are taken for those that came later")


# ---- gates

def refused(tool, folder, program, *words, way=()):
    done = tool.run("capture", program.pid, "-o", folder / "x.hs", *way, expect=None)
    check(done.returncode != 0, "captured, though the gate is closed")
    for word in words:
        check(word in done.stderr + done.stdout, f"no '{word}' in: {done.stderr}{done.stdout}")
    time.sleep(0.3)
    check(program.is_alive(), "the JVM ended")


def gates(tool, folder):
    """A closed gate is named with what opens it, by either way, also where the option stands in a file. With -Xrs the signal would end the JVM: none
    is sent. A JVM that loads no agents is dumped, unless the agent was asked for."""
    need_agent(tool)
    (folder / "options").write_text("-XX:+DisableAttachMechanism")
    for option in ("-XX:+DisableAttachMechanism", f"@{folder}/options"):
        with start("static", options=("-Xmx64m", option)) as program:
            for way in ((), ("--way", "jvm"), ("--way", "hprof")):
                refused(tool, folder, program, "DisableAttachMechanism", "without that option", way=way)
            program.quit()
    with start("static", options=("-Xmx64m", "-XX:-EnableDynamicAgentLoading")) as program:
        refused(tool, folder, program, "EnableDynamicAgentLoading", "--way hprof", way=("--way", "jvm"))
        said = tool.capture(program.pid, folder / "dumped.hs")
        check("taken by the way hprof" in said.stderr, said.stderr)
        tool.run("verify", folder / "dumped.hs")
        program.quit()
    with start("static", options=("-Xmx64m", "-Xrs")) as program:
        for way in ("jvm", "hprof"):
            tool.capture(program.pid, folder / f"{way}.hs", "--way", way)
        program.quit()


def other_space(tool, folder):
    """A JVM with a /tmp and pids of its own, as in a container: captured by both ways, nothing left in it."""
    need_agent(tool)
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return say("        not root: left out")
    agents = pathlib.Path(BUILT.name) / "agents"
    shutil.copytree(tool.agents, agents)
    tool = kit.Tool(tool.path, agents)
    program = start("static", 10, options=("-Xmx64m",),
                    wrap=("unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c", 'mount -t tmpfs none /tmp && exec "$@"', "sh"),
                    cwd="/")
    with program:
        inner = int(pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()[0])
        for way in ("jvm", "hprof"):
            tool.capture(inner, folder / f"{way}.hs", "--way", way)
            said = tool.diff(folder / f"{way}.hs", folder / f"{way}.hs")
            same(f"sessions by {way}", row(said["types"], "type", "JvmLeak$Session")["before"]["objects"], 10)
        left = [name for name in os.listdir(f"/proc/{inner}/root/tmp") if name.startswith((".attach", ".hsdiff"))]
        check(not left, f"left in the other /tmp: {left}")
        program.quit()


# ---- aborted captures

def left_behind():
    return {*glob.glob("/tmp/.attach_pid*"), *glob.glob("/tmp/.hsdiff-dump-*"), *glob.glob(f"{os.getcwd()}/.attach_pid*")}


def what_stays(found):
    """Of what is found: those of other tests come and go."""
    deadline, left = time.monotonic() + kit.PATIENCE, found()
    while left and time.monotonic() < deadline:
        time.sleep(0.1)
        left &= found()
    return left


def aborted(way):
    def case(tool, folder):
        need_agent(tool)
        before, tries = left_behind(), 100 if LONG else 12
        cut = 0
        with start("quiet", 100_000) as program:
            tool.capture(program.pid, folder / "a.hs", "--way", way)
            started = time.monotonic()
            tool.capture(program.pid, folder / "b.hs", "--way", way)
            moments = kit.Moments(6, time.monotonic() - started)
            for i in range(tries):
                client = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "cut.hs"), "--force", "--way", way],
                                          env=tool.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                moments.sleep(client)
                client.kill()
                cut += client.wait() != 0
                (folder / "cut.hs").unlink(missing_ok=True)
            check(cut > tries / 2, f"only {cut} of {tries} were cut: the test proves nothing")
            check(program.is_alive(), "the JVM ended")
            same("files left behind", what_stays(lambda: left_behind() - before), set())
            same("files beside the captures", sorted(p.name for p in folder.iterdir()), ["a.hs", "b.hs"])
            tool.capture(program.pid, folder / "c.hs", "--way", way)
            tool.run("verify", folder / "c.hs")
            program.quit()
        say(f"        {cut} of {tries} were cut, the JVM lives")
    case.__doc__ = f"The asker is killed at any moment, by {way}: the JVM goes on, nothing is left, the next capture is whole."
    return case


def target_killed(tool, folder):
    """The JVM is killed in the middle: the asker says so, keeps no capture, and nothing is left in /tmp."""
    need_agent(tool)
    draw, ended = random.Random(7), 0
    tries = 20 if LONG else 4
    for i in range(tries):
        way = ("jvm", "hprof")[i % 2]
        with start("quiet", 400_000, options=("-Xmx512m",)) as program:
            client = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "x.hs"), "--way", way],
                                      env=tool.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            time.sleep(0.05 + draw.random() * 0.4)
            program.process.kill()
            said = client.communicate(timeout=60)[0]
            if client.returncode != 0:
                ended += 1
                check(not (folder / "x.hs").exists(), f"a cut capture stayed: {said}")
                left = what_stays(lambda pid=program.pid: {*glob.glob(f"/tmp/.*pid{pid}"), *glob.glob("/tmp/.hsdiff-dump-*")})
                check(not left, f"left: {left} ({way}): {said}")
            (folder / "x.hs").unlink(missing_ok=True)
    say(f"        {ended} of {tries} were cut")
    check(ended > 0, "none was cut: the test proves nothing")


def full_disk(tool, folder):
    """No room for the capture: said so, nothing kept, the JVM goes on; by both ways."""
    need_agent(tool)
    small = folder / "small"
    small.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)], capture_output=True).returncode != 0:
        return say("        no small file system can be made: left out")
    try:
        with start("quiet", 100_000) as program:
            for way in ("jvm", "hprof"):
                done = tool.run("capture", program.pid, "-o", small / "x.hs", "--way", way, expect=None)
                check(done.returncode != 0 and "o space left" in done.stdout + done.stderr, f"{way}: {done.returncode} {done.stdout}{done.stderr}")
                same("left on the disk", list(small.iterdir()), [])
            tool.capture(program.pid, folder / "a.hs", "--way", "jvm")
            same("answers", program.leak(1), 100_001)
            program.quit()
    finally:
        subprocess.run(["umount", str(small)])


def slow_reader(tool, folder):
    """An asker that is stopped in the middle and then killed: the JVM stands still no longer than it lives."""
    need_agent(tool)
    with start("quiet", 300_000, options=("-Xmx512m",)) as program:
        client = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "x.hs"), "--way", "jvm"],
                                  env=tool.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.25)
        client.send_signal(signal.SIGSTOP)
        time.sleep(1)
        client.kill()
        client.wait()
        same("answers again", program.leak(1), 300_001)
        program.quit()


# ---- memory

class Group:
    """A memory cgroup of our own; None where there is no right to one."""

    def __init__(self):
        self.folder = CGROUP / f"hsdiff-jvm-{os.getpid()}"

    def __enter__(self):
        try:
            self.folder.mkdir()
        except OSError:
            return None
        return self

    def limit(self, size):
        (self.folder / ("memory.limit_in_bytes" if IS_V1 else "memory.max")).write_text(str(size))

    def usage(self):
        return int((self.folder / ("memory.usage_in_bytes" if IS_V1 else "memory.current")).read_text())

    def peak(self):
        path = self.folder / ("memory.max_usage_in_bytes" if IS_V1 else "memory.peak")
        return int(path.read_text()) if path.exists() else 0

    def reset_peak(self):
        if IS_V1:
            (self.folder / "memory.max_usage_in_bytes").write_text("0")

    def __exit__(self, *_):
        for _ in range(50):
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.1)


def in_group(heap, count, size, options=()):
    def case(tool, folder):
        need_agent(tool)
        for way in ("jvm", "hprof"):
            with Group() as group:
                if group is None:
                    return say("        no cgroup can be made: left out")
                wrap = ("sh", "-c", f'echo $$ > {group.folder}/cgroup.procs && exec "$@"', "sh")
                with start("bulk", count, size, options=(f"-Xms{heap}m", f"-Xmx{heap}m", "-XX:+AlwaysPreTouch", *options), wrap=wrap, wait=120) as program:
                    time.sleep(1)
                    used, resident = group.usage(), rss(program.pid)
                    group.limit(used + 64 * MIB)
                    group.reset_peak()
                    started = time.monotonic()
                    tool.capture(program.pid, folder / f"{way}.hs", "--way", way, timeout=300)
                    took = time.monotonic() - started
                    check(program.is_alive(), "the JVM was killed")
                    say(f"        {way}: heap {heap} MiB, {count:,} arrays of {size:,}: {took:.1f} s, "
                        f"pause {metric(tool, folder / f'{way}.hs', 'capture.pause') / 1e9:.2f} s, cgroup +{(group.peak() - used) / MIB:.1f} MiB, "
                        f"resident +{(rss(program.pid, 'VmHWM') - resident) / MIB:.1f} MiB")
                    group.limit(used + 512 * MIB)
                    program.quit()
            tool.run("verify", folder / f"{way}.hs", timeout=300)
            (folder / f"{way}.hs").unlink()
    case.__doc__ = "A JVM with 64 MiB to spare is captured without being killed, by both ways."
    return case


def chosen(tool, folder):
    """Where the tags would not fit and no way is named, the heap is dumped and a note says why."""
    need_agent(tool)
    with Group() as group:
        if group is None:
            return say("        no cgroup can be made: left out")
        wrap = ("sh", "-c", f'echo $$ > {group.folder}/cgroup.procs && exec "$@"', "sh")
        with start("quiet", 200_000, options=("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch"), wrap=wrap) as program:
            program.tell("gc")
            program.expect("collected")
            group.limit(group.usage() + 32 * MIB)
            done = tool.capture(program.pid, folder / "a.hs")
            check("--way jvm to insist" in done.stdout + done.stderr, f"no note: {done.stdout}{done.stderr}")
            same("identity", tool.info(folder / "a.hs")["identity"], "moving")
            group.limit(group.usage() + 1024 * MIB)
            tool.capture(program.pid, folder / "b.hs")
            same("identity", tool.info(folder / "b.hs")["identity"], "exact")
            group.limit(group.usage() + 16 * MIB)  # the tags are there: they stay what it is done by
            tool.capture(program.pid, folder / "c.hs")
            same("basis", tool.diff(folder / "b.hs", folder / "c.hs", "--no-holders")["match"]["basis"], "exact")
            group.limit(group.usage() + 1024 * MIB)
            program.quit()


def large(tool, folder):
    """A heap of 4 GiB in under a minute, by both ways."""
    need_agent(tool)
    for way in ("jvm", "hprof"):
        with start("bulk", 2_000_000, 2000, collector="parallel", options=("-Xms4700m", "-Xmx4700m"), wait=300) as program:
            resident = rss(program.pid)
            started = time.monotonic()
            tool.capture(program.pid, folder / "a.hs", "--way", way, "--force", timeout=300)
            took = time.monotonic() - started
            say(f"        {way}: {took:.1f} s, pause {metric(tool, folder / 'a.hs', 'capture.pause') / 1e9:.2f} s, "
                f"resident +{(rss(program.pid, 'VmHWM') - resident) / MIB:.0f} MiB")
            check(took < 60, f"{took:.1f} s for 4 GiB")
            program.quit()


CASES = {f"leak-{collector}": leak_case("static", collector, "jvm") for collector in COLLECTORS}
CASES |= {"leak-threadlocal": leak_case("threadlocal", "g1", "jvm"), "leak-local": local, "leak-virtual": virtual("jvm"), "compiled-virtual": virtual_compiled,
          "dump-virtual": virtual("hprof"),
          "leak-finalizer": finalizer,
          "dump-serial": leak_case("static", "serial", "hprof"), "dump-g1": leak_case("static", "g1", "hprof"), "alike": alike,
          "identity": identity, "forget": forget, "gates": gates, "other-space": other_space, "aborted-jvm": aborted("jvm"),
          "aborted-hprof": aborted("hprof"), "target-killed": target_killed, "full-disk": full_disk, "slow-reader": slow_reader, "chosen": chosen,
          "memory": in_group(256, 50_000, 4000)}
for _way in ("jvm", "hprof"):
    CASES |= {f"plugins-{_way}": plugins(_way), f"listeners-{_way}": listeners(_way), f"direct-{_way}": direct(_way), f"shared-{_way}": shared(_way)}
if LONG:
    CASES |= {"memory-2g": in_group(2300, 500_000, 4300), "large": large}

if __name__ == "__main__":
    kit.main(CASES)
