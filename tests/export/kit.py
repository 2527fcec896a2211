"""Exports of real heaps, opened by the programs that read them.

A test is a table of cases, name -> function(tool, folder): `kit.main(cases)` runs each in a folder of its own and says how long it took.
Real heaps come from `node_dump` and `java_dump`; a case whose program is not installed is skipped, and a test all of whose cases are is
skipped as a whole. `Tool` is the command under test.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LONG = bool(os.environ.get("HSD_LONG"))
HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def skip(why):
    raise Skipped(why)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not installed")


def say(text):
    print(text, flush=True)


def check(holds, what):
    if not holds:
        raise Failed(what)


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def run(command, timeout=120, **more):
    """A program of somebody else's, which must succeed: what it printed."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=timeout, stdin=subprocess.DEVNULL,
                          **more)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


class Tool:
    """The command."""

    def __init__(self, hsdiff):
        self.path = str(pathlib.Path(hsdiff).resolve())

    def run(self, *arguments, expect=0, timeout=120, **more):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=timeout,
                              stdin=subprocess.DEVNULL, **more)
        if expect is not None and done.returncode != expect:
            raise Failed(f"hsdiff {' '.join(map(str, arguments))}: exit {done.returncode}, not {expect}\n{done.stdout}{done.stderr}")
        return done

    def export(self, capture, to, out, *arguments, after=None, **more):
        """capture (and `after`, for growth) -> the file `out` of the format `to`."""
        captures = [capture] if after is None else [capture, after]
        return self.run("export", *captures, "--to", to, "-o", out, *arguments, **more)

    def import_(self, dump, out, *arguments, **more):
        return self.run("import", dump, "-o", out, *arguments, **more)

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--format", "json").stdout)

    def info(self, capture):
        return self.json("info", capture)

    def top(self, capture, *arguments):
        return self.json("top", capture, *arguments)

    def diff(self, before, after, *arguments):
        return self.json(before, after, *arguments)

    def dump(self, capture, *arguments):
        """Every record of a capture: `hsdiff dump` as lines."""
        return self.run("dump", capture, *arguments).stdout.splitlines()


def row(rows, key, value):
    """The row of a table of the report whose `key` is `value`; an empty one if there is none."""
    return next((r for r in rows if r.get(key) == value), {})


# ---- real heaps

def node_dump(folder, source, name="heap", dumps=1):
    """Runs `source`, a node program whose function step(i) is called before dump i: [snapshot, …]."""
    need("node")
    script = folder / f"{name}.js"
    script.write_text(source + f"""
for (let i = 0; i < {dumps}; i++) {{
  step(i);
  require('v8').writeHeapSnapshot({json.dumps(str(folder / name))} + i + '.heapsnapshot');
}}
""", encoding="utf-8")
    run(["node", "--expose-gc", script], cwd=folder)
    return [folder / f"{name}{i}.heapsnapshot" for i in range(dumps)]


def java_dump(folder, source, class_name, dumps=1, options=()):
    """Runs `source`, a Java file whose class has `static void step(int i)`, called before dump i: [hprof, …]."""
    need("java", "javac")
    dumper = """
import com.sun.management.HotSpotDiagnosticMXBean;
public class Dumper {
    public static void main(String[] a) throws Exception {
        HotSpotDiagnosticMXBean bean = java.lang.management.ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        for (int i = 0; i < Integer.parseInt(a[1]); i++) { STEP.step(i); bean.dumpHeap(a[0] + i + ".hprof", true); }
    }
}
""".replace("STEP", class_name)
    (folder / f"{class_name}.java").write_text(source, encoding="utf-8")
    (folder / "Dumper.java").write_text(dumper, encoding="utf-8")
    run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", folder, folder / f"{class_name}.java", folder / "Dumper.java"], cwd=folder)
    run(["java", *options, "-cp", folder, "Dumper", folder / "heap", dumps], cwd=folder)
    return [folder / f"heap{i}.hprof" for i in range(dumps)]


def main(cases):
    """`test_x.py --hsdiff BINARY [CASE …]`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    tool = Tool(arguments.hsdiff)
    failed = done = 0
    for name in arguments.cases or cases:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hsdiff-export-") as folder:
            try:
                cases[name](tool, pathlib.Path(folder))
                done += 1
                say(f"ok      {name} ({time.monotonic() - started:.1f} s)")
            except Skipped as why:
                say(f"skipped {name}: {why}")
            except (Failed, subprocess.TimeoutExpired) as error:
                failed += 1
                say(f"FAILED  {name}: {error}")
    sys.exit(1 if failed else 0 if done else SKIPPED)
