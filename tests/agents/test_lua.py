#!/usr/bin/env python3
"""Lua 5.1 to 5.4 and LuaJIT: programs that leak under load, captured from outside by way lua, and by themselves."""
import concurrent.futures
import multiprocessing
import os
import pathlib
import random
import re
import signal
import subprocess
import time

import kit
from kit import check, row, say

PROGRAM = kit.HERE / "programs" / "lua_leak.lua"
VMS = {"lua5.1": "LUA_CPATH", "lua5.2": "LUA_CPATH_5_2", "lua5.3": "LUA_CPATH_5_3", "lua5.4": "LUA_CPATH_5_4", "luajit": "LUA_CPATH"}
FIRST, MORE = 1500, 700
LONG = bool(os.environ.get("HSD_LONG"))


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def machines(tool):
    """The VMs that are here, with what finds the module."""
    found = {}
    for name, variable in VMS.items():
        if kit.shutil.which(name) and (pathlib.Path(tool.agents) / name / "hsdiff.so").exists():
            found[name] = {variable: f"{tool.agents}/{name}/?.so;;"}
    if not found:
        kit.skip("no Lua is here, or no module was built")
    return found.items()


class Lua(kit.InTurns):
    def __init__(self, vm, environment, folder, *words):
        lines = folder / f"lines-{vm}-{time.monotonic_ns()}"
        super().__init__([vm, str(PROGRAM), str(lines), *words], lines, environment)


def metric(tool, capture, name):
    found = re.search(rf'^metric (\d+) name="{re.escape(name)}"', tool.run("dump", capture, "--only", "metrics").stdout, re.M)
    check(found, f"no metric {name}")
    return int(found[1])


def check_leak(diff):
    found = row(diff["types"], "type", "Session")
    same("Session before", found["before"]["objects"], FIRST)
    same("Session after", found["after"]["objects"], FIRST + MORE)
    same("Session new", found["new"]["objects"], MORE)
    same("Session freed", found["freed"]["objects"], 0)
    named = [one for one in diff["roots"] if one["kind"] != "shared"]
    root = max(named, key=lambda one: one["growth"]["objects"])
    same("the root that grew most", root["root"], "global sessions")
    same("its growth: Session, user and a name each", root["growth"]["objects"], 3 * MORE)
    holder = diff["holders"][0]
    same("the root of the first holder", holder["root"], "global sessions")
    check(any(edge["edge"] == ".user" for edge in holder["edges"]), f"no .user among {[e['edge'] for e in holder['edges']]}")


def leak(tool, folder):
    """Two captures of a program that works, from outside."""
    for vm, environment in machines(tool):
        with Lua(vm, environment, folder, "listen") as program:
            program.leak(FIRST)
            tool.capture(program.pid, folder / f"{vm}-a.hs")
            program.leak(MORE)
            tool.capture(program.pid, folder / f"{vm}-b.hs")
            for name in "ab":
                tool.run("verify", folder / f"{vm}-{name}.hs")
            check_leak(tool.diff(folder / f"{vm}-a.hs", folder / f"{vm}-b.hs"))
            b = folder / f"{vm}-b.hs"
            total = tool.diff(folder / f"{vm}-a.hs", b)["total"]["after"]["bytes"]
            say(f"        {vm}: pause {metric(tool, b, 'capture.pause') / 1e6:.1f} ms, {total} B seen of {metric(tool, b, 'heap.used')} B in use")
            program.quit()


def started(tool, folder):
    """hsdiff capture -- lua: LUA_INIT has the module listen."""
    for vm, _ in machines(tool):
        script = folder / "app.lua"
        script.write_text("kept = {} for i = 1, 1000 do kept[i] = setmetatable({}, {__name = 'Kept'}) end\n"
                          "local ends = os.time() + 60\n"
                          "while os.time() < ends and not io.open(arg[1]) do local t = {} for i = 1, 100 do t[i] = {} end os.execute('exec sleep 0.03') end\n")
        tool.run("capture", "--every", "1s", "--count", "1", "-o", str(folder / f"{vm}.hs"), "--", vm, str(script), str(folder / f"{vm}-0001.hs"))
        saved = list(folder.glob(f"{vm}*.hs"))
        same("captures", len(saved), 1)
        tool.run("verify", saved[0])


def own_capture(tool, folder):
    """hsdiff.capture(path): deep lists, weak tables, coroutines, errors; no table of the walk is in it, no key of data is told."""
    script = folder / "own.lua"
    script.write_text("""
local hsdiff = require "hsdiff"
deep = nil for i = 1, 100000 do deep = {next = deep} end
weak = setmetatable({}, {__mode = "v"}) weak[1] = {1} weak[2] = deep
ephemeron = setmetatable({}, {__mode = "k"}) do local key = {} ephemeron[key] = {key} end
people = {} for i = 1, 40 do people["ann" .. i .. "@example.org"] = {number = i, common = {}} end
rare = {["secret" .. "_" .. "word"] = {}}
world = {moving = {{}}, [arg[3]] = {}}
local Enemy = {} Enemy.__index = Enemy function Enemy.new() return setmetatable({}, Enemy) end
package.loaded["game.unit"] = {} do local M = package.loaded["game.unit"] M.__index = M function M.new() return setmetatable({}, M) end end
Squad = {__index = {size = function(self) return #self end}}
defaults = {} for i = 1, 3 do defaults[i] = setmetatable({}, {__index = {}}) end
units = {} for i = 1, 5 do units[i] = {Enemy.new(), package.loaded["game.unit"].new(), setmetatable({}, Squad)} end
setmetatable(_G, {__index = function(_, name) error("a metamethod ran for " .. tostring(name)) end})
coroutine.wrap(function() pending = coroutine.running() local held = {{}} coroutine.yield(held) end)()
assert(hsdiff.capture(arg[1]) == true)
local ok, why = hsdiff.capture(arg[1])
assert(ok == nil and why == "File exists", tostring(why))
ok, why = hsdiff.capture("/nowhere/x.hs")
assert(ok == nil and why, "no error")
assert(hsdiff.capture(arg[2]) == true)
""")
    for vm, environment in machines(tool):
        a, b = folder / f"{vm}-a.hs", folder / f"{vm}-b.hs"
        done = subprocess.run([vm, str(script), str(a), str(b), "of_a_user"], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=60)
        same(f"{vm} {done.stderr}", done.returncode, 0)
        tool.run("verify", a)
        names = tool.run("dump", a).stdout
        for secret in ("example.org", "secret_word", "of_a_user"):
            check(secret not in names, f"the key {secret} is in the capture")
        check("common" in names, "a key of 40 tables is not told")
        check("moving" in names, "a key that code mentions is not told")
        diff = tool.diff(a, b, "--top", "all")
        types = {one["type"]: one["before"]["objects"] for one in diff["types"]}
        for one in ("Enemy", "game.unit", "Squad"):
            same(f"{vm}: objects of {one}, by what code calls it", types.get(one), 5)
        check(diff["total"]["growth"]["objects"] <= 10, f"a capture left {diff['total']['growth']['objects']} objects behind")
        same("freed between", diff["total"]["freed"]["objects"] <= 10, True)


def exact_sizes(tool, folder):
    """On Lua 5.4 the growth of the captures is the growth that the VM counts, to the byte: tables of all shapes, strings, coroutines."""
    script = folder / "sizes.lua"
    script.write_text("""
local hsdiff = require "hsdiff"
kept = {}
local function plant(n)
  for i = 1, n do
    local t = {}
    for j = 1, i % 40 do t[j] = j end
    for j = 1, i % 17 do t["k" .. j] = j end
    kept[#kept + 1] = t
    kept[#kept + 1] = ("text " .. i):rep(i % 30)
    if i % 10 == 0 then kept[#kept + 1] = coroutine.create(print) end
  end
end
plant(500)
local function used() collectgarbage() collectgarbage() return collectgarbage("count") * 1024 end
used() collectgarbage("stop")
assert(hsdiff.capture(arg[1]))
local before = used()
plant(700)
local after = used()
assert(hsdiff.capture(arg[2]))
io.write(string.format("%d\\n", after - before))
""")
    environment = dict(machines(tool)).get("lua5.4")
    if environment is None:
        kit.skip("no lua5.4")
    a, b = folder / "a.hs", folder / "b.hs"
    done = subprocess.run(["lua5.4", str(script), str(a), str(b)], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=60)
    same(done.stderr, done.returncode, 0)
    diff = tool.diff(a, b)
    grown = diff["total"]["growth"]["bytes"]
    counted = int(done.stdout)
    say(f"        {grown} B grown in the captures, {counted} B counted by Lua")
    # The table of interned strings grows beside them; it is no object.
    check(0 <= counted - grown <= 64 * 1024, f"{grown} B of growth in the captures, {counted} B counted by Lua")
    table = row(diff["types"], "type", "table")
    same("tables new", table["new"]["objects"], 700)


def weak_keys(tool, folder):
    """Values that refer to their own keys, in a table with weak keys: with ephemerons they go with the keys, without they are held by the table for ever."""
    script = folder / "weak.lua"
    script.write_text("""
local hsdiff = require "hsdiff"
cache = setmetatable({}, {__mode = "k"})
assert(hsdiff.capture(arg[1]))
for i = 1, 100 do local key = setmetatable({}, {__name = "Key"}) cache[key] = setmetatable({key = key}, {__name = "Value"}) end
collectgarbage() collectgarbage()
assert(hsdiff.capture(arg[2]))
""")
    for vm, environment in machines(tool):
        a, b = folder / f"{vm}-a.hs", folder / f"{vm}-b.hs"
        done = subprocess.run([vm, str(script), str(a), str(b), "of_a_user"], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=60)
        same(f"{vm} {done.stderr}", done.returncode, 0)
        diff = tool.diff(a, b)
        wanted = 100 if vm in ("lua5.1", "luajit") else 0
        for kind in ("Key", "Value"):
            same(f"{vm}: {kind}", row(diff["types"], "type", kind).get("growth", {"objects": 0})["objects"], wanted)
        if wanted:
            same(f"{vm}: holder", diff["holders"][0]["root"], "global cache")


def at_once(case, tool, folder):
    """A case that is mostly waiting, of each VM at the same time."""
    found = machines(tool)
    processes = multiprocessing.get_context("fork")  # a program is waited for by an alarm, and a process has one
    with concurrent.futures.ProcessPoolExecutor(len(found), processes) as pool:
        for done in [pool.submit(case, tool, folder, vm, environment) for vm, environment in found]:
            done.result()


def asleep_one(tool, folder, vm, environment):
    out = folder / f"no-{vm}.hs"
    with Lua(vm, environment, folder, "listen") as program:
        children = pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children")
        program.tell("sleep 600")
        program.expect("sleeping")
        kit.wait_until("it sleeps", lambda: children.read_text().strip())
        refused = tool.capture(program.pid, out, expect=None)
        check(refused.returncode != 0 and "executed no instruction" in refused.stderr, refused.stderr)
        os.kill(int(children.read_text().split()[0]), signal.SIGTERM)
        program.expect("awake")
        same("after its sleep", program.leak(10), 10)
        tool.capture(program.pid, folder / f"{vm}.hs")
        program.quit()
    preloaded = as_embedded(tool, vm)
    with Lua(vm, environment | preloaded, folder) as program:
        refused = tool.capture(program.pid, out, "--way", "lua", expect=None)
        check(refused.returncode != 0 and 'require("hsdiff").listen()' in refused.stderr, refused.stderr)
        if preloaded:
            told = tool.capture(program.pid, folder / f"native-{vm}.hs", "--way", "native").stderr
            check("runs Lua" in told and 'require("hsdiff").listen()' in told, told)
        program.quit()
    check(not out.exists(), "a file was left behind")


def as_embedded(tool, vm):
    """A program of C that has Lua as a library, and the agent of C: nothing where the library or the agent is not there."""
    library = next(iter(sorted(pathlib.Path("/usr/lib").glob(f"*/lib{vm}.so.0"))), None)
    agent = pathlib.Path(tool.agents) / "libhsdiff-native.so"
    return {"LD_PRELOAD": f"{agent}:{library}"} if library and agent.exists() else {}


def asleep(tool, folder):
    """A VM that waits in C does not answer: said so, and it goes on. So does a program without the module."""
    at_once(asleep_one, tool, folder)


NEVER_OUTSIDE = """
local hsdiff = require "hsdiff"
assert(hsdiff.listen())
local lines = assert(io.open(arg[2]))
local counted = 0
coroutine.wrap(function()
  debug.sethook(function() counted = counted + 1 end, "", 1000)
  print("ready") -- here: outside it would answer
  io.stdout:flush()
  for round = 1, math.huge do
    local kept = {} for i = 1, 100 do kept[i] = tostring(i) end
    if arg[1] == "poll" then hsdiff.poll() end
    if round % 4 == 0 then lines:read("*l") end -- a tick: one that waits for an answer in vain does so for seconds
  end
end)()
"""


def coroutines_of(tool, folder, vm, environment):
    script = folder / f"coroutines-{vm}.lua"
    script.write_text(NEVER_OUTSIDE)
    for word in ("poll", "none"):
        lines = folder / f"lines-{vm}-{word}"
        with kit.InTurns([vm, str(script), word, str(lines)], lines, environment) as program:
            done = tool.capture(program.pid, folder / f"{vm}-{word}.hs", expect=None)
            if word == "poll" or vm == "luajit":
                same(f"{vm} {word} {done.stderr}", done.returncode, 0)
                tool.run("verify", folder / f"{vm}-{word}.hs")
            else:
                check(done.returncode != 0 and "hsdiff.poll()" in done.stderr, done.stderr)


def coroutines(tool, folder):
    """A program that never leaves a coroutine: LuaJIT answers, the others where the program polls. A hook of the program's own stays."""
    at_once(coroutines_of, tool, folder)


def aborted(tool, folder):
    """Captures cut off by kill -9 of the collector: the program works on, and the next capture is whole."""
    for vm, environment in machines(tool):
        with Lua(vm, environment, folder, "listen") as program:
            program.leak(FIRST * 20)
            dice = random.Random(8)
            for i in range(kit.ABORTS):
                collector = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / f"x{i}.hs"), "--force"],
                                             env=tool.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(dice.random() * 0.08)
                collector.kill()
                collector.wait()
            same("planted", program.leak(MORE), FIRST * 20 + MORE)
            tool.capture(program.pid, folder / f"{vm}.hs")
            tool.run("verify", folder / f"{vm}.hs")
            for left in folder.glob("x*"):
                tool.run("verify", left)
                left.unlink()
            descriptors = len(os.listdir(f"/proc/{program.pid}/fd"))
            check(descriptors < 20, f"{descriptors} descriptors are open in the program")
            program.quit()


def target_killed(tool, folder):
    """SIGKILL of the program in mid-capture: said, and nothing left."""
    dice = random.Random(9)
    for vm, environment in machines(tool):
        for i in range(100 if LONG else 10):
            with Lua(vm, environment, folder, "listen") as program:
                program.leak(FIRST * 20)
                out = folder / f"{vm}-t{i}.hs"
                collector = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(out)], env=tool.environment,
                                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                time.sleep(dice.random() * 0.08)
                program.process.kill()
                said = collector.communicate(timeout=kit.PATIENCE)[1]
                if collector.returncode != 0:
                    check(said.strip() != "" and not out.exists(), f"exit {collector.returncode}: {said}")
                else:
                    tool.run("verify", out)


kit.main({case.__name__: case for case in (leak, started, own_capture, exact_sizes, weak_keys, asleep, coroutines, aborted, target_killed)})
