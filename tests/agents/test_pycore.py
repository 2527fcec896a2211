#!/usr/bin/env python3
"""Cores of each CPython of this machine against what the agent says of the same process, which stands still inside of its capture while its core is written: objects, types,
sizes, references with their names, roots. None may differ. A capture is made of a core as gdb's gcore writes it, and as this file does, without gdb."""
import collections
import gc
import json
import os
import re
import subprocess

import cores
import kit
import pythons
from kit import check, say

gc.disable()  # heaps are read into lists and dictionaries that stay, and have no cycles
SEEDS, FEW = 2, 1


def fields(text):
    return dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', text))


class Capture:
    """A dump with its numbers resolved: of two captures the numbers of types, labels and strings differ."""

    def __init__(self, tool, path):
        self.strings, self.types, self.labels, self.objects, self.roots, self.losses = {"0": ""}, {"0": ""}, {"0": ("",)}, {}, collections.Counter(), []
        last, ways = None, {}
        for line in tool.run("dump", path).stdout.splitlines():
            kind, _, rest = line.strip().partition(" ")
            if kind == "->":
                target, _, way = rest.partition(" ")
                if way not in ways:  # a label is defined before the first reference that has it
                    row = fields(way)
                    ways[way] = self.labels[row.get("label", "0")], row.get("index", "")
                one = (target, *ways[way])
                last[one] = last.get(one, 0) + 1
            elif kind == "string":
                number, _, text = rest.partition(" ")
                self.strings[number] = text
            elif kind == "type":
                number, _, text = rest.partition(" ")
                self.types[number] = text
            elif kind == "label":
                number, _, text = rest.partition(" ")
                row = fields(text)
                row["name"] = self.strings.get(row.get("name", "0"), row.get("name"))
                self.labels[number] = tuple(sorted(row.items()))
            elif kind == "object":
                row = dict(word.split("=") for word in rest.split()[1:])  # no texts: these are numbers of strings
                texts = tuple(self.strings.get(row.get(key, "0")) for key in ("name", "category"))
                last = {}
                self.objects[row["id"]] = (self.types[row.get("type", "0")], row.get("size"), row.get("native"), row.get("elements"), texts, last)
            elif kind == "root":
                row = fields(rest)
                row["label"] = self.strings.get(row.get("label", "0"), row.get("label"))
                self.roots[tuple(sorted((key, value) for key, value in row.items()))] += 1
            elif kind == "loss":
                self.losses.append(rest)


def named(capture, key):
    return capture.objects[key][0].split('"')[1] if key in capture.objects else "?"


def target_of(capture, reference):
    return named(capture, reference[0].removeprefix("target="))


def differences(core, agent):
    """What differs, a line each."""
    rows = []
    for key in core.objects.keys() | agent.objects.keys():
        got, want = core.objects.get(key), agent.objects.get(key)
        if got is None or want is None:
            rows.append(f"{named(agent if got is None else core, key)} {'is missing' if got is None else 'is too many'}")
        elif got[:5] != want[:5]:
            rows.append(f"{want[:5]}, not {got[:5]}")
        elif got[5] != want[5]:
            extra, lost = collections.Counter(got[5]) - collections.Counter(want[5]), collections.Counter(want[5]) - collections.Counter(got[5])
            of = lambda some, all: sorted((target_of(all, one), *one[1]) for one in some)
            rows.append(f"{want[0]}: references {of(extra, core)} too many, {of(lost, agent)} missing")
    return rows


def taken(tool, path, seed, folder, write_core):
    """The capture that the agent makes, and the core of the same process while it does."""
    capture, core = folder / f"{seed}.hs", folder / f"{seed}.core"
    program = subprocess.Popen([path, str(kit.HERE / "programs" / "python" / "core_truth.py"), pythons.agent(tool), str(seed)], stdout=subprocess.PIPE)
    try:
        first = program.stdout.read(8)
        check(len(first) == 8, "the agent wrote nothing")
        wait_for_writer(program.pid)
        write_core(program.pid, core)
        capture.write_bytes(first + program.stdout.read())
        check(program.wait(60) == 0, "the program failed")
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
    return Capture(tool, capture), core


def wait_for_writer(pid):
    """Until the pipe is full and the agent waits for its reader."""
    def waits():
        with open(f"/proc/{pid}/syscall") as file:
            return file.read().split()[0] in ("1", "7", "44", "271")
    kit.wait_until("the agent waits for its reader", waits)


def expect_same_sum(tool, core, capture, folder):
    """Totals alone have all bytes that the objects have, those outside of CPython's heap (array, mmap) with them."""
    tool.run("import", "--summary", core, "-o", folder / "summary.hs")
    told = json.loads(tool.run("top", "--format", "json", folder / "summary.hs").stdout)["captures"][0]
    outside = sum(int(one[2] or 0) for one in capture.objects.values())
    check(outside > 0 and told["bytes"] == outside + sum(int(one[1] or 0) for one in capture.objects.values()), f"{outside} bytes outside; {told}")


def truth_of(version, path, seeds, write_core):
    def case(tool, folder):
        objects = differing = 0
        for seed in range(seeds):
            agent, core = taken(tool, path, seed, folder, write_core)
            made = folder / f"{seed}.core.hs"
            tool.run("import", core, "-o", made)
            tool.run("verify", made)
            mine = Capture(tool, made)
            if seed == 0:
                expect_same_sum(tool, core, mine, folder)
            found = differences(mine, agent)
            objects += len(agent.objects)
            differing += len(found)
            if found or mine.roots != agent.roots or mine.losses:
                lines = [f"{n} x {d}" for d, n in collections.Counter(found).most_common(25)]
                lines += [f"root too many: {row}" for row in list(mine.roots - agent.roots)[:8]] + [f"root missing: {row}" for row in list(agent.roots - mine.roots)[:8]]
                raise kit.Failed(f"graph {seed} of CPython {version}: {len(found)} of {len(agent.objects)} differ\n" + "\n".join(lines + mine.losses))
        say(f"  CPython {version}: {seeds} cores, {objects:,} objects, {100 * differing / objects:.2f} % differ")
    return case


def leak_of(path):
    """Two cores of a program that leaks: what holds the growth, by name, and the count."""
    def case(tool, folder):
        program = kit.Program([path, str(kit.HERE / "programs" / "python" / "leaks.py"), pythons.agent(tool), "bus"])
        with program:
            program.leak(300)
            with cores.standing(program.pid):
                cores.by_hand(program.pid, folder / "a.core")
            program.leak(1000)
            cores.write(program.pid, folder / "b.core")
            told = tool.diff(folder / "a.core", folder / "b.core")
            grown = kit.row(told["types"], "type", "app.leaked.Leaked")
            check(grown.get("growth", {}).get("objects") == 1000, f"the growth is {grown}")
            screen = tool.run("-q", folder / "a.core", folder / "b.core").stdout
            check('app.bus.EVENTS.subscribers["order"]: list' in screen, screen)
            program.quit()
    return case


def refused(tool, folder):
    """A core of another program, and one whose interpreter is not there."""
    program = subprocess.Popen(["sleep", "60"])
    try:
        cores.by_hand(program.pid, folder / "core")
        done = tool.run("import", "--from", "pycore", folder / "core", "-o", folder / "x.hs", expect=None)
        check(done.returncode != 0 and "this core is of no CPython" in done.stderr and "--exe" in done.stderr, done.stderr)
    finally:
        program.kill()
        program.wait()


if __name__ == "__main__":
    known = pythons.found()
    cases = {f"truth_{version}": truth_of(version, path, SEEDS if i == 0 or kit.LONG else FEW, cores.write) for i, (version, path) in enumerate(known.items())}
    cases["leak"] = leak_of(next(iter(known.values())))
    cases["refused"] = refused
    kit.main(cases)
