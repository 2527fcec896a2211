#!/usr/bin/env python3
"""Programs in namespaces of their own, as containers make them, captured from outside by the pid that they have here. Root alone may make some of
these spaces; what cannot be made is said and left out."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from kit import Program, check, main, need, say

KINDS = {
    "pids": ("-p", "-f", "--mount-proc"),
    "network": ("-n", "-f"),
    "user": ("-U", "-r", "-f"),
    "all": ("-U", "-r", "-p", "-m", "-n", "-f", "--mount-proc"),
}
NODE = """
const kept = new Map(); let planted = 0;
class Session { constructor(i) { this.id = i; } }
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'quit') process.exit(0);
  const count = Number(line.split(' ')[1]);
  for (let i = 0; i < count; i++) kept.set(planted, new Session(planted++));
  console.log('leaked ' + planted);
});
console.log('ready');
"""


def can_make(flags):
    return subprocess.run(["unshare", *flags, "true"], capture_output=True).returncode == 0


def inner_of(one):
    """The pid that the program in the space has out here: unshare waits for it, and a shell may stand between."""
    pid = one.pid
    while children := pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return pid


def load_of(tool):
    """The program with the agent: what stands in front of it, as unshare, has none."""
    program = pathlib.Path(tool.agents).parent / "tests" / "agents" / "programs" / "native_load"
    return ["env", f"LD_PRELOAD={tool.agents}/libhsdiff-native.so", str(program), "1", "2000"]


def in_spaces(tool, command, look):
    """`look(kind, program, pid)` for the program in each kind of space."""
    need("unshare")
    for kind, flags in KINDS.items():
        if not can_make(flags):
            say(f"        {kind}: cannot be made here")
            continue
        up = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"] if "-n" in flags else []
        with Program(["unshare", *flags, *up, *map(str, command)]) as one:
            look(kind, one, inner_of(one))
            one.tell("quit")


def native(tool, folder):
    def look(kind, one, pid):
        tool.capture(pid, folder / f"{kind}-a.hs")
        one.leak(1000)
        tool.capture(pid, folder / f"{kind}-b.hs")
        said = tool.diff(folder / f"{kind}-a.hs", folder / f"{kind}-b.hs")
        check(said["identity_known"] and said["captures"][0]["process"] == "native_load", f"{kind}: {said['captures'][0]}")

    in_spaces(tool, load_of(tool), look)


def inspector(tool, folder):
    need("node")
    script = folder / "shop.js"
    script.write_text(NODE)

    def look(kind, one, pid):
        one.leak(10)
        tool.capture(pid, folder / f"{kind}-a.hs", "--way", "inspector")
        one.leak(1000)
        tool.capture(pid, folder / f"{kind}-b.hs", "--way", "inspector")
        grown = [t for t in tool.diff(folder / f"{kind}-a.hs", folder / f"{kind}-b.hs")["types"] if t["type"] == "Session"]
        check(grown and grown[0]["growth"]["objects"] == 1000, f"{kind}: {grown}")

    in_spaces(tool, ["node", "--inspect=127.0.0.1:0", script], look)


def listed(tool, folder):
    """hsdiff ps shows them like all others."""
    def look(kind, one, pid):
        rows = {row["pid"]: row for row in json.loads(tool.run("ps", "--format", "json").stdout)["processes"]}
        check(rows.get(pid, {}).get("way") == "native", f"{kind}: {rows.get(pid)}")

    in_spaces(tool, load_of(tool), look)


def read_only(tool, folder):
    """A program that can write nowhere."""
    need("unshare")
    if os.geteuid() != 0:
        return say("        not root: left out")
    wrap = ["unshare", "-m", "sh", "-c", 'mount -o remount,ro,bind / 2>/dev/null || mount --bind / / && mount -o remount,ro,bind /; exec "$@"', "sh"]
    with Program([*wrap, *load_of(tool)]) as one:
        tool.capture(inner_of(one), folder / "a.hs")
        check(tool.info(folder / "a.hs")["complete"], "whole")
        one.quit()


def least_rights(tool, folder):
    """What doc/kubernetes.md says that a debug container needs: the user of the program and no capability, in other mounts, where nothing can be written but one
    folder. And root without CAP_SYS_PTRACE is told what is missing."""
    need("unshare", "setpriv", "node", "java", "javac")
    if os.geteuid() != 0:
        return say("        not root: left out")
    os.chmod(folder, 0o755)
    (folder / "app.js").write_text("const kept = []; setInterval(() => kept.push({}), 10); console.log('ready');")
    (folder / "A.java").write_text('public class A { public static void main(String[] a) throws Exception { System.out.println("ready"); Thread.sleep(600000); } }')
    subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", folder, folder / "A.java"], check=True)
    own = ["setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
    java = os.path.realpath(shutil.which("java"))
    programs = {"native": load_of(tool), "node": ["node", str(folder / "app.js")], "jvm": [java, "-cp", str(folder), "A"]}
    pod = ["unshare", "-m", "sh", "-c", 'mount --bind / /mnt && mount -o remount,bind,ro /mnt && mount -t tmpfs tmpfs /mnt/tmp && chmod 1777 /mnt/tmp && mount --bind /proc /mnt/proc &&'
           ' mount --bind /dev /mnt/dev && mkdir /mnt/tmp/agents && cp -r "$HSDIFF_AGENTS"/. /mnt/tmp/agents && cp "$1" /mnt/tmp/hsdiff && shift &&'
           ' HSDIFF_AGENTS=/tmp/agents exec chroot /mnt "$@"', "sh", tool.path]
    for kind, command in programs.items():
        with Program([*own, *command]) as one:
            asked = ["/tmp/hsdiff", "capture", str(one.pid), "-q", "-o", "-", *(["--open-inspector"] if kind == "node" else [])]
            done = subprocess.run([*pod, *own, *asked], env=tool.environment, capture_output=True, timeout=120, cwd="/")
            check(done.returncode == 0 and done.stdout[:4] == b"\x89HSC", f"{kind}: {done.returncode} {done.stderr}")
            if kind == "jvm":
                bare = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
                done = subprocess.run([*bare, tool.path, "capture", str(one.pid)], env=tool.environment, capture_output=True, text=True, timeout=60, cwd=folder)
                check(done.returncode == 3 and "as its user, 10001" in done.stderr and "CAP_SYS_PTRACE" in done.stderr, done.stderr)


def musl(tool, folder):
    """A program of another C library: the agent, which is of glibc, does not come into it, and that is said."""
    need("musl-gcc")
    source, program = folder / "m.c", folder / "m"
    source.write_text('#include <stdio.h>\nint main(void) { char l[9]; puts("ready"); fflush(stdout); return fgets(l, 9, stdin) == NULL; }\n')
    for flags, reason in ((["-static"], "linked statically"), ([], "C library musl")):
        subprocess.run(["musl-gcc", *flags, source, "-o", program], check=True)
        with Program([str(program)]) as one:
            done = tool.run("capture", one.pid, "-o", folder / "x.hs", expect=3)
            check(reason in done.stderr, done.stderr)
            one.tell("x")
        done = tool.run("capture", "-o", folder / "x.hs", "--", program, expect=3)
        check(reason in done.stderr, f"nor is it started: {done.stderr}")


if __name__ == "__main__":
    main({case.__name__: case for case in (native, inspector, listed, read_only, least_rights, musl)})
