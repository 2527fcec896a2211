#!/usr/bin/env python3
"""Snapshots that tracemalloc of each Python of this machine has written, imported and compared with what tracemalloc itself says of them: objects and bytes of
each place, over all stacks; and what grew, with the place that allocated it."""
import json
import subprocess

import kit
import pythons
from kit import check, say

PROGRAM = '''
import json, sys, tracemalloc
tracemalloc.start(6)
KEPT = []
def fill(count):
    KEPT.extend(bytearray(1000) for _ in range(count))  # the line that leaks
def dump(path):
    snapshot = tracemalloc.take_snapshot()
    snapshot.dump(path)
    total = [len(snapshot.traces), sum(trace.size for trace in snapshot.traces)]
    places = [[s.traceback[0].filename, s.traceback[0].lineno, s.count, s.size] for s in snapshot.statistics("lineno")]
    return total, places
kept = [dump(sys.argv[1])]
json.loads(json.dumps(list(range(20000)) + [str(i) for i in range(5000)]))
fill(3000)
kept.append(dump(sys.argv[2]))
print(json.dumps(kept))
'''


def types_of(tool, path):
    diff = tool.diff(path, path, "--top", "all")
    return {row["type"]: (row["after"]["objects"], row["after"]["bytes"]) for row in diff["types"]}


def place(name, line):
    parts = name.split("/")
    return f"allocated at {'/'.join(parts[-2:])}" + (f":{line}" if line else "")


def compare(tool, path, total, places, version):
    got = types_of(tool, path)
    wanted = {}
    for name, line, count, size in places:
        objects, bytes_ = wanted.get(place(name, line), (0, 0))
        wanted[place(name, line)] = (objects + count, bytes_ + size)
    differs = {key: (got.get(key), wanted.get(key)) for key in got.keys() | wanted.keys() if got.get(key) != wanted.get(key)}
    check(not differs, f"Python {version}: places that differ (told, true): {list(differs.items())[:5]}")
    check(sum(row[0] for row in got.values()) == total[0] and sum(row[1] for row in got.values()) == total[1], f"Python {version}: total {total}")


def snapshots(tool, folder):
    (folder / "shop").mkdir()
    script = folder / "shop" / "app.py"
    script.write_text(PROGRAM)
    for version, python in pythons.found().items():
        paths = [folder / "a.tracemalloc", folder / "b.tracemalloc"]
        done = subprocess.run([python, script, *paths], capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, done.stderr)
        truth = json.loads(done.stdout)
        for path, (total, places) in zip(paths, truth):
            compare(tool, path, total, places, version)
        text = tool.run(*paths).stdout
        check("shop/app.py" in text and "app.py:6" in text, f"Python {version}: the place that leaks is not told: {text}")
    say(f"        {truth[1][0][0]} traces at {len(truth[1][1])} places, 0 differing")


def hostile(tool, folder):
    """A pickle that would call something is refused by name, and calls nothing."""
    path, mark = folder / "evil.pickle", folder / "called"
    path.write_bytes(b"\x80\x04\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94\x930\x8c\x02os\x94\x8c\x06system\x94\x93\x8c" + bytes([len(f"touch {mark}")])
                     + f"touch {mark}".encode() + b"\x94\x85R.")
    done = tool.run("import", path, "-o", folder / "x.hs", expect=None)
    check(done.returncode != 0 and "os.system" in done.stderr, f"{done}")
    check(not mark.exists(), "it was called")


if __name__ == "__main__":
    kit.main({"snapshots": snapshots, "hostile": hostile})
