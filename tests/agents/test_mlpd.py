#!/usr/bin/env python3
"""A real Mono program under load with Mono's own log profiler, two heap shots of it on demand, imported and compared."""
import json
import pathlib
import socket
import subprocess
import tempfile
import time

import kit
from kit import check, row, say

BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-mlpd-")
LIBRARIES = ("/usr/lib/libmono-profiler-log.so", "/usr/lib/libmono-profiler-log.so.0")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def program_file():
    path = pathlib.Path(BUILT.name) / "mono_leak.exe"
    if not path.exists():
        kit.need("mono", "mcs")
        if not any(pathlib.Path(library).exists() for library in LIBRARIES):
            kit.skip("the log profiler of Mono is not installed (libmono-profiler)")
        subprocess.run(["mcs", "-optimize+", f"-out:{path}", str(kit.HERE / "programs" / "mono_leak.cs")], check=True, capture_output=True)
    return path


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Profiled(kit.Program):
    def __init__(self, path, zipped=False, moves=True):
        self.path, self.port = path, free_port()
        asked = "nodefaults,gc," + ("gcmove," if moves else "") + "gcroot,heapshot=ondemand," + ("zip," if zipped else "")
        super().__init__(["mono", f"--profile=log:{asked}output={path},port={self.port}", str(program_file())])

    def shoot(self, tool, number):
        """Heap shot number so and so, on demand. It is over when it can be read: the profiler does not say."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as asker:
            asker.sendall(b"heapshot\n")
            for _ in range(100):
                time.sleep(0.2)
                tried = tool.run("import", self.path, "--dump", number, "-o", f"{self.path}.hs", "--force", expect=None)
                if tried.returncode == 0:
                    return
        raise kit.Failed(f"no heap shot in 20 s: {tried.stderr}")


def expect_growth(diff, name, before, new):
    kind = row(diff["types"], "type", name)
    check(kind, f"no {name}")
    same(f"{name} before", kind["before"]["objects"], before)
    same(f"{name} new", kind["new"]["objects"], new)
    same(f"{name} freed", kind["freed"]["objects"], 0)


def leak(tool, folder):
    """Type, root, holder and counts of what was planted between two shots of one file, and a file that is cut off."""
    path = folder / "leak.mlpd"
    with Profiled(path) as program:
        program.leak(2000)
        program.shoot(tool, 1)
        program.leak(500)
        program.shoot(tool, 2)
        program.quit()
    diff = json.loads(tool.run(path, path, "--dump", "1,2", "--format", "json").stdout)
    same("identity", diff["match"]["basis"], "address")
    expect_growth(diff, "Shop.Session", 2000, 500)
    expect_growth(diff, "Shop.Tag", row(diff["types"], "type", "Shop.Tag")["before"]["objects"], 500)
    # session, name, data, note, tag
    roots = [r for r in diff["roots"] if r["root"].startswith("static Shop.Cache+")]
    check(500 * 5 in [r["growth"]["objects"] for r in roots], f"roots: {roots}")
    # The queues of the threads that load it breathe by more at times.
    holder = next((one for one in diff["holders"][:4] if one["type"].startswith("System.Collections.Generic.List")), None)
    check(holder is not None, f"holders: {[(one['type'], one['root']) for one in diff['holders'][:4]]}")
    same("what it holds", holder["new"]["objects"], 500 * 5 + 1)  # and a longer array
    for number in (1, 2):
        tool.run("import", path, "--dump", number, "-o", folder / f"{number}.hs")
        tool.run("verify", folder / f"{number}.hs")
        same("losses", tool.info(folder / f"{number}.hs")["losses"], [])
    listing = tool.run("dump", folder / "2.hs").stdout
    for label in ('"load 1"', '"thread \\"load 1\\""', '"+0x10"', '"major heap"'):
        check(label in listing, f"{label} is no name of the capture")
    say(f"  {tool.info(folder / '2.hs')['objects']:,} objects, {tool.info(folder / '2.hs')['roots']:,} roots")
    cut = folder / "cut.mlpd"
    cut.write_bytes(path.read_bytes()[:-300])
    tool.run("import", cut, "--dump", 1, "-o", folder / "cut.hs")
    same("objects of a shot in front of the cut", tool.info(folder / "cut.hs")["objects"], tool.info(folder / "1.hs")["objects"])


def moving(tool, folder):
    """Collections that move objects between two shots: none of ours is new or gone."""
    path = folder / "moving.mlpd"
    with Profiled(path) as program:
        program.leak(1000)
        program.tell("shuffle")
        program.expect("shuffled")
        program.shoot(tool, 1)
        program.tell("still")
        program.expect("shuffled")
        program.shoot(tool, 2)
        program.quit()
    diff = json.loads(tool.run(path, path, "--dump", "1,2", "--format", "json").stdout)
    for name in ("Shop.Session", "Shop.Tag", "System.Int32[]"):
        kind = row(diff["types"], "type", name)
        check(kind and kind["before"]["objects"] >= 1000, f"{name}: {kind}")
        same(f"{name} new", kind["new"]["objects"], 0)
        same(f"{name} freed", kind["freed"]["objects"], 0)


def packed(tool, folder):
    """A packed file is read as any other; one that does not tell moves says that its addresses do not last."""
    path = folder / "packed.mlpd"
    program = Profiled(path, zipped=True, moves=False)
    with program:
        program.leak(50)
        with socket.create_connection(("127.0.0.1", program.port), timeout=20) as asker:
            asker.sendall(b"heapshot\n")
            time.sleep(2)
        program.quit()
    tool.run("import", path, "-o", folder / "packed.hs")
    info = tool.info(folder / "packed.hs")
    same("identity", info["identity"], "moving")
    check("Shop.Session" in tool.run("top", folder / "packed.hs").stdout or info["objects"] > 500, "no objects")


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak, moving, packed)})
