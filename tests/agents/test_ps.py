#!/usr/bin/env python3
"""hsdiff ps: of 30 and more processes of every kind that this machine can start, all at once, the runtime, the way and what stands in the way are the true
ones. What is not installed is said and left out."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import go_programs
from kit import Program, check, main, say
from test_native_stress import preloaded, program

C = '#include <stdio.h>\nint main(void) { char l[9]; puts("ready"); fflush(stdout); return fgets(l, 9, stdin) == NULL; }\n'
GO = 'package main\n\nimport ("bufio"; "fmt"; "os")\n\nfunc main() { fmt.Println("ready"); bufio.NewReader(os.Stdin).ReadString(10) }\n'
JAVA = 'public class Shop { public static void main(String[] a) throws Exception { System.out.println("ready"); System.in.read(); } }\n'
MONO = 'class Shop { static void Main() { System.Console.WriteLine("ready"); System.Console.ReadLine(); } }\n'
LUA = 'print("ready") io.stdout:flush() io.read()\n'
NODE = 'console.log("ready"); process.stdin.once("data", () => process.exit(0));\n'
PYTHON = 'print("ready", flush=True); input()\n'
RUBY = '$stdout.sync = true; puts "ready"; gets\n'
SHELL = 'echo ready; read line'


class Kind:
    """One kind of program: how it is started, and what ps says of it. `runtime` is the beginning; `why` is in the reason, None with a way."""

    def __init__(self, name, command, runtime, way, why=None, count=2, environment=None, is_other=False):
        self.name, self.command, self.runtime, self.way, self.why = name, list(map(str, command)), runtime, way, why
        self.count, self.environment = count, environment or {}
        self.is_other = is_other  # listed with --all alone


def made(command, *needed):
    """False: a compiler is not installed, or cannot make it."""
    return all(shutil.which(one) for one in needed) and subprocess.run(list(map(str, command)), capture_output=True).returncode == 0


def of_c(tool, folder):
    source = folder / "shop.c"
    source.write_text(C)
    yield Kind("native with the agent", [program(tool, "native_load"), "1", "500"], "native", "native", environment=preloaded(tool), count=3)
    yield Kind("native", [program(tool, "native_load"), "1", "500"], "native", None, "no agent", is_other=True)
    if made(["gcc", "-static", source, "-o", folder / "static"], "gcc"):
        yield Kind("static", [folder / "static"], "native", None, "linked statically", is_other=True)
    if made(["musl-gcc", source, "-o", folder / "musl"], "musl-gcc"):
        yield Kind("musl", [folder / "musl"], "native", None, "C library musl", is_other=True)
    if made(["musl-gcc", "-static", source, "-o", folder / "both"], "musl-gcc"):
        yield Kind("musl, static", [folder / "both"], "native", None, "linked statically", is_other=True)
    yield Kind("shell", ["sh", "-c", SHELL], "native", None, "no agent", is_other=True)
    yield Kind("shell with the agent", ["bash", "-c", SHELL], "native", "native", environment=preloaded(tool))


def of_go(tool, folder):
    if shutil.which("go"):
        binary = go_programs.build(go_programs.compilers()[0], {"shop.go": GO})
        yield Kind("Go", [binary], "Go", "go")


def of_jvm(tool, folder):
    (folder / "Shop.java").write_text(JAVA)
    if not made(["javac", "-J-XX:TieredStopAtLevel=1", "--release", "17", "-d", folder, folder / "Shop.java"], "javac", "java"):
        return
    for java in {path.resolve() for path in pathlib.Path("/usr/lib/jvm").glob("*/bin/java")}:
        yield Kind(f"JVM {java.parent.parent.name}", [java, "-Xmx64m", "-cp", folder, "Shop"], "HotSpot ", "jvm")


def of_node(tool, folder):
    script = folder / "shop.js"
    script.write_text(NODE)
    if not shutil.which("node"):
        return
    yield Kind("Node", ["node", script], "Node", None, "without the helper")
    yield Kind("Node with --inspect", ["node", "--inspect=127.0.0.1:0", script], "Node", "inspector")
    yield Kind("Node with the helper", ["node", "--require", f"{tool.agents}/hsdiff.cjs", script], "Node", "node")


def of_scripts(tool, folder):
    for name, text in (("shop.py", PYTHON), ("shop.rb", RUBY), ("shop.lua", LUA)):
        (folder / name).write_text(text)
    python = [sys.executable, folder / "shop.py"]
    if (pathlib.Path(tool.agents) / "libhsdiff-python.so").exists():
        yield Kind("Python", python, "Python 3.", "python-inject")
        yield Kind("Python with its agent", python, "Python 3.", "python", environment={"PYTHONPATH": f"{tool.agents}/python/bootstrap"})
    yield Kind("Python with the native agent", python, "Python", "native", environment=preloaded(tool))
    if shutil.which("ruby"):
        yield Kind("Ruby", ["ruby", folder / "shop.rb"], "Ruby", None, "no agent")
        yield Kind("Ruby with the agent", ["ruby", folder / "shop.rb"], "Ruby", "native", environment=preloaded(tool))
    for vm, runtime, variable, init in (("lua5.4", "Lua 5.4", "LUA_CPATH_5_4", "LUA_INIT_5_4"), ("luajit", "LuaJIT", "LUA_CPATH", "LUA_INIT")):
        module = pathlib.Path(tool.agents) / vm / "hsdiff.so"
        if shutil.which(vm):
            yield Kind(vm, [vm, folder / "shop.lua"], runtime, None, "hsdiff module")
        if shutil.which(vm) and module.exists():
            listens = {variable: f"{module.parent}/?.so;;", init: "assert(require('hsdiff').listen())"}
            yield Kind(f"{vm} with the module", [vm, folder / "shop.lua"], runtime, "lua", environment=listens)


def of_mono(tool, folder):
    (folder / "shop.cs").write_text(MONO)
    if not made(["mcs", f"-out:{folder}/shop.exe", folder / "shop.cs"], "mcs", "mono"):
        return
    yield Kind("Mono", ["mono", folder / "shop.exe"], "Mono", None, "not loaded")
    if (pathlib.Path(tool.agents) / "libmono-profiler-hsdiff.so").exists():
        yield Kind("Mono with the agent", ["mono", folder / "shop.exe"], "Mono", "mono",
                   environment={"LD_LIBRARY_PATH": tool.agents, "MONO_ENV_OPTIONS": "--profile=hsdiff"})


def rows_of(tool, *words):
    return {row["pid"]: row for row in json.loads(tool.run("ps", "--format", "json", *words).stdout)["processes"]}


def wrong_of(kind, row, is_listed):
    """What ps says otherwise than it is; None if nothing."""
    if is_listed == kind.is_other:
        return "it is listed among those with a runtime" if is_listed else "it is not listed"
    is_right = row and row["runtime"].startswith(kind.runtime) and row["way"] == kind.way
    is_told = row and (row["why"] is None if kind.way else kind.why in (row["why"] or ""))
    return None if is_right and is_told else f"{row}"


def listed(tool, folder):
    kinds = [kind for make in (of_c, of_go, of_jvm, of_node, of_scripts, of_mono) for kind in make(tool, folder)]
    with contextlib.ExitStack() as all_of_them:
        started = [(kind, all_of_them.enter_context(Program(kind.command, kind.environment))) for kind in kinds for _ in range(kind.count)]
        pids = {one.pid for _, one in started}
        rows, usual = rows_of(tool, "--all"), set(rows_of(tool))
        for kind, one in started:
            wrong = wrong_of(kind, rows.get(one.pid), one.pid in usual)
            check(wrong is None, f"{kind.name} ({kind.runtime}, {kind.way}): {wrong}")
        text = tool.run("ps", "--all").stdout
        check(all(f" {pid} " in f" {text}".replace("\n", " ") for pid in pids), "the table has them all")
        for kind, one in started:
            one.tell("quit")
            one.process.wait(60)
    say(f"        {len(pids)} processes of {len(kinds)} kinds: " + ", ".join(kind.name for kind in kinds))
    check(len(kinds) < 20 or len(pids) >= 30, "so many were to be started")


if __name__ == "__main__":
    main({"listed": listed})
