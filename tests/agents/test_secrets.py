#!/usr/bin/env python3
"""What a capture gives away, and what it measures. Programs of every runtime that is installed hold canaries in strings, keys of maps,
arrays, their environment and their arguments; by every way to their heap no canary may be in the capture, as bytes (stored without
compression) or as any text of its listing, nor in what the command prints. That the canaries are in the program's memory is looked at
first. More places, and keys that look like names: test_canaries.py. Each capture has the measurements of its runtime: METRICS says which, and one that disappears fails the test."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import kit
from kit import check, say

STEM = "zq7Canary"
ENVIRONMENT = {"SHOP_PASSWORD": STEM + "Environment"}
ARGUMENT = STEM + "Argument"
# As the text of a runtime may be stored: a byte or two a character.
LARGEST_MAPPING = 256 << 20
NEEDLES = (STEM.encode(), STEM.encode("utf-16-le"), STEM.encode("utf-16-be"))

EVERYWHERE = {"heap.used", "process.rss", "process.private", "threads", "capture.pause"}
V8_HEAP = {"heap.committed", "heap.limit", "heap.young", "heap.old", "heap.large", "heap.code", "heap.metadata", "native.used"}
HOTSPOT = {"heap.young", "heap.old", "heap.metadata", "gc.count", "gc.pause"}
# By way. A native heap has no young part and no collector; no Lua counts its collections or tells of generations; of large objects
# HotSpot tells nobody. With a heap dump what is in use is young and old together; through the inspector no collection is counted.
METRICS = {
    "native": EVERYWHERE | {"native.used", "capture.duration"},
    "jvm": EVERYWHERE | HOTSPOT | {"heap.committed", "heap.limit"},
    "hprof": EVERYWHERE - {"heap.used"} | HOTSPOT | {"capture.duration"},
    "mono": EVERYWHERE | {"heap.committed", "heap.young", "heap.large", "gc.count"},
    "node": EVERYWHERE | V8_HEAP | {"gc.count", "gc.pause", "capture.duration"},
    "node-alone": set(), # a snapshot that the helper hands to hsdiff import
    "inspector": EVERYWHERE | V8_HEAP | {"capture.duration"},
    "lua": EVERYWHERE,
}

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { struct pair *next; char *key, *value; };
struct pair *pairs;
char **array, inside[64];
static char *made(const char *kind, int i)
{
    char *text = malloc(64);
    snprintf(text, 64, "%s%s%s%d", "zq7", "Canary", kind, i);
    return text;
}
int main(void)
{
    char line[64];
    array = calloc(100, sizeof *array);
    for (int i = 0; i < 100; i++) {
        struct pair *p = malloc(sizeof *p);
        *p = (struct pair){pairs, made("Key", i), made("Value", i)};
        pairs = p;
        array[i] = made("Element", i);
    }
    strcpy(inside, array[0]);
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0) {}
    return 0;
}
"""

JAVA = r"""
import java.util.*;
public class Shop {
    static final Map<String, Object> byName = new HashMap<>();
    static final List<String[]> lists = new ArrayList<>();
    static char[] letters;
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 100; i++) {
            byName.put("zq7" + "CanaryKey" + i, "zq7" + "CanaryValue" + i);
            lists.add(new String[] {"zq7" + "CanaryElement" + i});
        }
        letters = ("zq7" + "CanaryLetters").toCharArray();
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine() && !in.nextLine().startsWith("quit")) {}
        System.exit(0);
    }
}
"""

MONO = r"""
using System;
using System.Collections.Generic;
class Shop {
    static Dictionary<string, object> byName = new Dictionary<string, object>();
    static List<string[]> lists = new List<string[]>();
    static char[] letters;
    static void Main() {
        for (int i = 0; i < 100; i++) {
            byName["zq7" + "CanaryKey" + i] = "zq7" + "CanaryValue" + i;
            lists.Add(new[] {"zq7" + "CanaryElement" + i});
        }
        letters = ("zq7CanaryLetters").ToCharArray();
        Console.WriteLine("ready");
        string line;
        while ((line = Console.ReadLine()) != null && line != "quit") {}
    }
}
"""

NODE = r"""
const flat = text => (/x/.test(text), text); // no rope
global.held = {byName: new Map(), dictionary: {}, lists: [], text: '', buffer: null};
for (let i = 0; i < 200; i++) {
  held.byName.set(flat('zq7' + 'CanaryKey' + i), flat('zq7' + 'CanaryValue' + i));
  held.dictionary['zq7' + 'CanaryProperty' + i] = {i};
  held.lists.push([flat('zq7' + 'CanaryElement' + i)]);
}
held.text = ('zq7' + 'CanaryText').repeat(1000);
held.buffer = Buffer.from('zq7' + 'CanaryBuffer');
require('readline').createInterface({input: process.stdin}).on('line', line => { if (line === 'quit') process.exit(0); });
setInterval(() => { held.scratch = Array.from({length: 1000}, (_, i) => ({i})); }, 20);
setTimeout(() => console.log('ready'), 100);
"""

LUA = r"""
assert(require("hsdiff").listen())
byName, lists = {}, {}
for i = 1, 100 do
  byName["zq7" .. "CanaryKey" .. i] = "zq7" .. "CanaryValue" .. i
  lists[i] = {"zq7" .. "CanaryElement" .. i}
end
local stop = arg[1]
io.stdout:setvbuf("line")
print("ready")
while true do
  local scratch = {}
  for i = 1, 1000 do scratch[i] = {i} end
  local file = io.open(stop)
  if file then os.exit(0, true) end
end
"""


# ---- looking for canaries

def needles_in(data):
    return sum(data.count(needle) for needle in NEEDLES)


def writable_memory(pid):
    """Mapping by mapping; what is only reserved is larger than any of ours and left out."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
            bounds, rights = line.split()[:2]
            at, high = (int(part, 16) for part in bounds.split("-"))
            if not rights.startswith("rw") or high - at > LARGEST_MAPPING:
                continue
            pieces = []
            while at < high: # a read ends early where a page cannot be had
                try:
                    piece = os.pread(memory.fileno(), min(high - at, 1 << 20), at)
                except OSError:
                    piece = b""
                pieces.append(piece)
                at += len(piece) or 4096
            yield b"".join(pieces)


def check_memory(pid):
    """The canaries are in the writable memory of the program: the test could fail."""
    missing = {b"Key", b"Value", b"Element", b"Environment", b"Argument"}
    for data in writable_memory(pid):
        text = data.replace(b"\0", b"")
        missing -= {kind for kind in missing if STEM.encode() + kind in text}
    check(not missing, f"the program holds no canary of {missing}: the test proves nothing")


def context(data, needle):
    at = data.find(needle)
    return data[max(at - 60, 0):at + 60]


def check_clean(what, data):
    for needle in NEEDLES:
        check(needle not in data, f"{what} holds a canary: {context(data, needle)!r}")


def metrics_of(listing):
    return set(re.findall(r'^metric \d+ name="([^"]+)"', listing, re.M))


def check_capture(tool, capture, way, printed):
    check_clean(f"what the command prints ({way})", printed.encode())
    check_clean(f"the capture by {way}", capture.read_bytes())
    listing = tool.run("dump", capture).stdout
    check_clean(f"the listing of the capture by {way}", listing.encode())
    for command in ("info", "verify", "top"):
        check_clean(f"{command} of the capture by {way}", tool.run(command, capture).stdout.encode())
    there = metrics_of(listing)
    check(METRICS[way] <= there, f"{way} gives no {', '.join(sorted(METRICS[way] - there))} any more, only {', '.join(sorted(there))}")
    say(f"        {way}: {len(listing.splitlines()):,} lines, 0 canaries; {' '.join(sorted(there))}")


def captures(tool, folder, pid, way, *options):
    """One that is stored as it is, one as usual: both hold nothing of it."""
    for level in ("0", "1"):
        capture = folder / f"{way}-{level}.hs"
        done = tool.capture(pid, capture, "--way", way, "--level", level, "--verbose", *options)
        check_capture(tool, capture, way, done.stdout + done.stderr)


# ---- programs

def start(command, environment=None):
    return kit.Program([*map(str, command), ARGUMENT], environment={**ENVIRONMENT, **(environment or {})})


def need_agent(tool, name):
    path = pathlib.Path(tool.agents) / name
    return path if path.exists() else None


def native(tool, folder):
    agent = need_agent(tool, "libhsdiff-native.so")
    if agent is None or not shutil.which("gcc"):
        return say("        not here: left out")
    (folder / "shop.c").write_text(C)
    subprocess.run(["gcc", "-g", "-O1", folder / "shop.c", "-o", folder / "shop"], check=True)
    saved = folder / "saved"
    saved.mkdir()
    pushes = {"LD_PRELOAD": str(agent), "HSDIFF_TO": f"dir:{saved}", "HSDIFF_EVERY": "0.5", "HSDIFF_COUNT": "1"}
    with start([folder / "shop"], pushes) as program:
        check_memory(program.pid)
        captures(tool, folder, program.pid, "native")
        until = time.monotonic() + 60
        while not list(saved.glob("*.hs")) and time.monotonic() < until:
            time.sleep(0.1)
        pushed = list(saved.glob("*.hs"))
        check(len(pushed) == 1, f"it sends {len(pushed)} captures by itself, not 1")
        check_capture(tool, pushed[0], "native", "")
        program.quit()


def jvm(tool, folder):
    if need_agent(tool, "libhsdiff-jvm.so") is None or not shutil.which("javac"):
        return say("        not here: left out")
    (folder / "Shop.java").write_text(JAVA)
    subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", folder, folder / "Shop.java"], check=True, capture_output=True)
    with start(["java", "-Xmx64m", "-cp", folder, "Shop"]) as program:
        check_memory(program.pid)
        subprocess.run(["jcmd", str(program.pid), "GC.run"], capture_output=True, timeout=60)
        for way in ("jvm", "hprof"):
            captures(tool, folder, program.pid, way)
        program.quit()


def mono(tool, folder):
    if need_agent(tool, "libmono-profiler-hsdiff.so") is None or not shutil.which("mcs"):
        return say("        not here: left out")
    (folder / "shop.cs").write_text(MONO)
    subprocess.run(["mcs", f"-out:{folder}/shop.exe", folder / "shop.cs"], check=True, capture_output=True)
    with start(["mono", "--profile=hsdiff", folder / "shop.exe"], {"LD_LIBRARY_PATH": tool.agents}) as program:
        check_memory(program.pid)
        captures(tool, folder, program.pid, "mono")
        program.quit()


def node(tool, folder):
    helper = need_agent(tool, "hsdiff.cjs")
    if helper is None or not shutil.which("node"):
        return say("        not here: left out")
    (folder / "shop.js").write_text(NODE)
    with start(["node", "--require", helper, folder / "shop.js"], {"HSDIFF": tool.path, "HSDIFF_DIR": str(folder)}) as program:
        check_memory(program.pid)
        captures(tool, folder, program.pid, "node")
        os.kill(program.pid, signal.SIGUSR2)
        alone = folder / f"shop.js-{program.pid}-0001.hs"
        until = time.monotonic() + 60
        while not alone.exists() and time.monotonic() < until:
            time.sleep(0.1)
        check(alone.exists(), f"the helper saves nothing by itself: {program.errors()}")
        check_capture(tool, alone, "node-alone", program.errors())
        # The same with what the user asks for: the test sees canaries where there are some.
        valued = folder / "valued.hs"
        tool.capture(program.pid, valued, "--way", "node", "--with-values")
        check(needles_in(tool.run("dump", valued).stdout.encode()) > 0, "with --with-values nothing is there either: the test proves nothing")
        program.quit()
    with start(["node", "--inspect=127.0.0.1:0", folder / "shop.js"]) as program:
        captures(tool, folder, program.pid, "inspector")
        program.quit()


def lua(tool, folder):
    is_here = False
    for vm, variable in {"lua5.4": "LUA_CPATH_5_4", "luajit": "LUA_CPATH"}.items():
        if need_agent(tool, f"{vm}/hsdiff.so") is None or not shutil.which(vm):
            continue
        is_here = True
        script, stop, own = folder / "shop.lua", folder / f"stop-{vm}", folder / vm
        own.mkdir()
        script.write_text(LUA)
        with start([vm, script, stop], {variable: f"{tool.agents}/{vm}/?.so;;"}) as program:
            check_memory(program.pid)
            captures(tool, own, program.pid, "lua")
            stop.write_text("")
            check(program.process.wait(60) == 0, f"{vm} ended with {program.process.returncode}")
    if not is_here:
        say("        not here: left out")


if __name__ == "__main__":
    kit.main({case.__name__: case for case in (native, jvm, mono, node, lua)})
