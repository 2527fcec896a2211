#!/usr/bin/env python3
"""Leaks that programs of six runtimes plant while they run, found through the server alone, by the client of the official SDK: two captures and
one comparison, three calls, and the answer names the holder. Usage: test_leaks.py --hsdiff BINARY --agents FOLDER [CASE ...]"""
import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "agents"))
import kit  # noqa: E402  (of tests/agents)

PROGRAMS = kit.HERE / "programs"
FIRST, MORE = 1500, 3000


def become_sdk():
    """Goes on in a Python that has the SDK, with the programs of the tests of agents in reach."""
    python = subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import kit; print(kit.sdk_python())", str(HERE)], capture_output=True, text=True, check=False)
    if python.returncode == kit.SKIPPED:
        kit.skip(python.stdout.strip())
    if python.returncode != 0:
        raise SystemExit(python.stderr)
    os.execv(python.stdout.split()[-1], [python.stdout.split()[-1], __file__, *sys.argv[1:]])


try:
    import mcp
except ImportError:
    become_sdk()


def agent(tool, name):
    path = pathlib.Path(tool.agents) / name
    return path if path.exists() else None


# ---- programs: how each is started, None where this machine or this build has it not

def node(tool, _):
    helper = agent(tool, "hsdiff.cjs")
    return kit.Program(["node", "--require", str(helper), str(PROGRAMS / "node_leak.js")]) if helper and kit.shutil.which("node") else None


def jvm(tool, folder):
    if not agent(tool, "libhsdiff-jvm.so") or not kit.shutil.which("javac"):
        return None
    subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", str(folder), str(PROGRAMS / "JvmLeak.java")], check=True, capture_output=True)
    return kit.Program(["java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", str(folder), "JvmLeak", "static"])


def python(tool, _):
    if not agent(tool, "libhsdiff-python.so") and not agent(tool, "python"):
        return None
    return kit.Program(["/usr/bin/python3", str(PROGRAMS / "python_leak.py")])


def lua(tool, folder):
    lines = folder / "lines"
    command = ["lua5.4", str(PROGRAMS / "lua_leak.lua"), str(lines), "listen"]
    return kit.InTurns(command, lines, {"LUA_CPATH_5_4": f"{tool.agents}/lua5.4/?.so;;"}) if agent(tool, "lua5.4/hsdiff.so") and kit.shutil.which("lua5.4") else None


def native(tool, folder):
    preload = agent(tool, "libhsdiff-native.so")
    if not preload:
        return None
    subprocess.run(["gcc", "-g", "-pthread", "-Wl,--build-id", PROGRAMS / "native_leak.c", "-o", folder / "leak"], check=True)
    return kit.Program([str(folder / "leak")], {"LD_PRELOAD": str(preload)})


GO_CACHE = f"{tempfile.gettempdir()}/hsdiff-go-{os.getuid()}"  # that of tests/agents


def go(_, folder):
    compiler = kit.shutil.which("go")
    if not compiler:
        return None
    built = subprocess.run([compiler, "build", "-o", str(folder / "leak"), str(PROGRAMS / "go_leak.go")], capture_output=True, text=True, check=False,
                           env=dict(os.environ, GOFLAGS="", GO111MODULE="off", GOTOOLCHAIN="local", CGO_ENABLED="0", GOCACHE=GO_CACHE))
    return kit.Program([str(folder / "leak")]) if built.returncode == 0 else None


# Where each keeps what it leaks.
HOLDERS = {"node": (node, "sessions"), "jvm": (jvm, "JvmLeak"), "python": (python, "SESSIONS"), "lua": (lua, "sessions"), "native": (native, "thread-local notes"), "go": (go, "main.cache")}


# ---- the client

async def ask(client, calls, name, arguments):
    calls.append(name)
    result = await client.call_tool(name, arguments)
    text = result.content[0].text
    kit.check(not result.is_error, f"{name}: {text}")
    kit.check(len(text.encode()) < 4096, f"{name}: {len(text.encode())} bytes")
    return text, result.structured_content


async def find_leak(tool, folder, program, holder, mode):
    calls = []
    server = mcp.StdioServerParameters(command=tool.path, args=["mcp", "--allow-capture"], cwd=str(folder), env=tool.environment)
    async with mcp.Client(server, mode=mode) as client:
        program.leak(FIRST)
        said, _ = await ask(client, calls, "take_capture", {"pid": program.pid, "file": "before.hs"})
        kit.check("captured" in said, said)
        program.leak(MORE)
        await ask(client, calls, "take_capture", {"pid": program.pid, "file": "after.hs"})
        text, facts = await ask(client, calls, "compare", {"captures": ["before.hs", "after.hs"]})
        kit.check(len(calls) <= 3, f"{calls}")
        kit.check(holder in text.split("TYPE ")[0], f"the holder {holder} is not named:\n{text}")
        kit.check(facts["holders"] and facts["growth_objects"] >= MORE, f"{facts}")
        place = facts["holders"][0]["place"]
        kit.check(any(holder in one["place"] for one in facts["holders"]), f"{holder} is not among {facts['holders']}")
        again = await client.call_tool("take_capture", {"pid": program.pid, "file": "after.hs"})
        kit.check(again.is_error and "there already" in again.content[0].text, "a file was replaced")
        await ask(client, calls, "look", {"captures": ["before.hs", "after.hs"], "what": "holders", "count": 3})
    kit.say(f"  {place}, {len(calls) - 1} calls")


def case(name):
    start, holder = HOLDERS[name]

    def run(tool, folder):
        program = start(tool, folder)
        if program is None:
            kit.say(f"  no {name} here")
            return
        with program:
            asyncio.run(asyncio.wait_for(find_leak(tool, folder, program, holder, "auto" if name != "jvm" else "legacy"), 240))
        done.append(name)
    return run


done = []


def enough(_tool, _folder):
    """Five runtimes at least."""
    kit.check(len(done) >= 5 or "enough" in sys.argv, f"only {done} were tried")


def cancelled(tool, folder):
    """A capture that is cancelled ends, and leaves no file."""
    program = python(tool, folder)
    if program is None:
        kit.say("  no python here")
        return

    async def go_away():
        server = mcp.StdioServerParameters(command=tool.path, args=["mcp", "--allow-capture"], cwd=str(folder), env=tool.environment)
        async with mcp.Client(server) as client:
            with program:
                program.leak(400000)
                task = asyncio.create_task(client.call_tool("take_capture", {"pid": program.pid, "file": "cut.hs"}))
                await asyncio.sleep(0.15)
                task.cancel()
                processes = await client.call_tool("list_processes", {"text": "python_leak"})
                kit.check(str(program.pid) in processes.content[0].text, processes.content[0].text)
    asyncio.run(asyncio.wait_for(go_away(), 120))
    end = time.monotonic() + 120
    while [path for path in folder.iterdir() if "cut" in path.name] and time.monotonic() < end:
        time.sleep(0.1)
    left = [path.name for path in folder.iterdir()]
    kit.check(not left or left == ["cut.hs"], f"{left} is left")


if __name__ == "__main__":
    kit.main({**{name: case(name) for name in HOLDERS}, "enough": enough, "cancelled": cancelled})
