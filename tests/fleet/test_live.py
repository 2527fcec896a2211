#!/usr/bin/env python3
"""A fleet of real processes: a service in Node and one in Java, of versions of which one leaks, captured from outside while they serve and added to
one store. The report has to name that version and that place, and nothing of versions that do not leak. HSD_LONG=1: 20 such processes, and 20
fleets that are clean; without it the fleet of Node, whose captures cost most, has no third version, that is clean."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "agents"))
import engines  # noqa: E402
import kit  # noqa: E402
from kit import check  # noqa: E402

PROCESSES = 5 if kit.LONG else 4  # of a version; with fewer than four a side Mann-Whitney never has 5 %
CAPTURES = 5 if kit.LONG else 4  # what four processes of a version need (doc/fleet.md)
REQUESTS = 6000  # between two captures
WARM = 30_000  # requests before the first one that counts: what V8 compiles and counts on the way up takes 90 KiB, and it is another in each version
BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-fleet-java-")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def node(tool, leaks):
    return kit.Program(["node", "--require", f"{tool.agents}/hsdiff.cjs", str(HERE / "programs/service.js"), *leaks])


def java(_, leaks):
    if not os.listdir(BUILT.name):
        subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", BUILT.name, str(HERE / "programs/Service.java")], check=True, capture_output=True)
    return kit.Program(["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", BUILT.name, "Service", *leaks])


RUNTIMES = {"node": (node, "front", "sessions"), "jvm": (java, "back", "sessions")}


def begin(tool):
    """What the test needs, or it is skipped."""
    kit.need("node", "java", "javac")
    for agent in ("hsdiff.cjs", "libhsdiff-jvm.so"):
        if not (pathlib.Path(tool.agents) / agent).exists():
            kit.skip(f"{agent} was not built")
    try:
        engines.use_duckdb()
    except engines.Missing as why:
        kit.skip(why)
    tool.environment["HSDIFF_DUCKDB"] = os.environ["HSDIFF_DUCKDB"]


def run_fleet(tool, folder, runtime, versions, warm=WARM):
    """Processes of versions, name -> (number, leaks), that serve, and are captured in turn: version -> the captures of each process. Captures of a
    process are at least two seconds apart, as the clock says: the report counts in seconds."""
    start = RUNTIMES[runtime][0]
    with contextlib.ExitStack() as stack:
        running = []
        for version, (number, leaks) in versions.items():
            for i in range(number):
                running.append((version, [], stack.enter_context(start(tool, ["leaks", str(warm)] if leaks else [])), f"{runtime}-{version}-{i}"))
        for _, _, program, name in running:
            program.tell(f"serve {warm}")
            same("served", program.expect("served"), str(warm))
            tool.capture(program.pid, folder / f"{name}-warm.hs", "--way", runtime)  # the agent comes in with it
        begun = 0.0
        for turn in range(CAPTURES):
            kit.wait_until("the clock stands", lambda: time.time() >= begun + 2)
            begun = time.time()
            for _, captures, program, name in running:
                program.tell(f"serve {REQUESTS}")
                same("served", program.expect("served"), str(warm + REQUESTS * (turn + 1)))
                captures.append(folder / f"{name}-{turn}.hs")
                tool.capture(program.pid, captures[-1], "--way", runtime)
        for _, _, program, _ in running:
            program.quit()
    fleet = {}
    for version, captures, _, _ in running:
        fleet.setdefault(version, []).append(captures)
    return fleet


def add(tool, store, service, version, captures, host):
    tool.run("fleet", "add", store, *captures, "--label", f"service={service}", "--label", f"version={version}", "--label", f"host={host}")


def report(tool, store, *arguments):
    return json.loads(tool.run("fleet", "report", store, "--format", "json", *arguments).stdout)


def told(found):
    return [(f["kind"], f["version"], f["name"]) for f in found["findings"]]


def has_clean_pair(runtime):
    return kit.LONG or runtime != "node"


def leak(tool, folder):
    """2.4.1 leaks, in both runtimes: right version, right place. 2.4.0 and 2.4.2, as a service of their own, do not."""
    begin(tool)
    store = folder / "store"
    for runtime, (_, service, _) in RUNTIMES.items():
        clean_pair = {"2.4.2": (PROCESSES, False)} if has_clean_pair(runtime) else {}
        fleet = run_fleet(tool, folder, runtime, {"2.4.0": (PROCESSES, False), "2.4.1": (PROCESSES, True), **clean_pair})
        for version, processes in fleet.items():
            for i, captures in enumerate(processes):
                if version != "2.4.2":
                    add(tool, store, service, version, captures, f"web-{i}")
                if version != "2.4.1" and clean_pair:
                    add(tool, store, f"{service}-clean", version, captures, f"web-{i}")
    for runtime, (_, service, place) in RUNTIMES.items():
        found = report(tool, store, "--service", service)
        same("processes", (found["processes"], found["captures"]), (2 * PROCESSES, 2 * PROCESSES * CAPTURES))
        check(found["findings"], f"{runtime}: nothing grows")
        kit.say(f"        {runtime}: {told(found)}")
        same("versions", {f["version"] for f in found["findings"]}, {"2.4.1"})
        places = [f for f in found["findings"] if f["kind"] == "place"]
        same(f"{runtime}: places in {told(found)}", len(places), 1)
        same("first", found["findings"][0], places[0])
        check(place in places[0]["name"], f"{runtime}: {place} is not in {places[0]['name']}")
        same("growers", (places[0]["processes"], places[0]["judged"]), (PROCESSES, PROCESSES))
        check(any("Session" in f["name"] for f in found["findings"] if f["kind"] == "type"), f"{runtime}: no Session in {told(found)}")
        tool.run("fleet", "check", store, "--service", service, "--baseline", "2.4.0", "--candidate", "2.4.1", expect=1)
        tool.run("fleet", "check", store, "--service", service, "--baseline", "2.4.1", "--candidate", "2.4.0")
        if has_clean_pair(runtime):
            same(f"{runtime}: clean", told(report(tool, store, "--service", f"{service}-clean")), [])
            tool.run("fleet", "check", store, "--service", f"{service}-clean", "--baseline", "2.4.0", "--candidate", "2.4.2")


def clean(tool, folder):
    """20 fleets whose versions do the same, and 10 that are captured from the 200th request on: how many are told as growing?"""
    if not kit.LONG:
        return kit.say("        HSD_LONG is not set")
    begin(tool)
    wrong = []
    for turn in range(30):
        runtime, warm = ("node", "jvm")[turn % 2], WARM if turn < 20 else 200
        here = folder / str(turn)
        here.mkdir()
        for version, processes in run_fleet(tool, here, runtime, {"1": (PROCESSES, False), "2": (PROCESSES, False)}, warm).items():
            for i, captures in enumerate(processes):
                add(tool, here / "store", "shop", version, captures, f"web-{i}")
        found = told(report(tool, here / "store"))
        if found:
            wrong.append((runtime, warm, found))
        for path in here.glob("*.hs"):
            path.unlink()
        kit.say(f"        {runtime}, fleet {turn}, after {warm} requests: {found or 'nothing grows'}")
    return same("fleets told as growing", wrong, [])


if __name__ == "__main__":
    kit.main({"leak": leak, "clean": clean})
