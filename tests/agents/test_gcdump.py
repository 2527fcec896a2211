#!/usr/bin/env python3
"""Two .gcdump files of a real .NET program with a planted leak, compared.

dotnet-gcdump itself comes from a package registry that tests do not ask. It makes its files of the same heap events that hsdiff captures, so
the heap is captured by hsdiff and written as a .gcdump by a program of the tests; the importer is held against what was planted."""
import pathlib
import subprocess
import tempfile

import dotnet_runtime
import kit
from kit import check, row

SESSIONS = "static var System.Collections.Generic.Dictionary<System.Int32, Shop.Session>.Sessions"
BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-gcdump-")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def start(tool):
    runtime = dotnet_runtime.install(pathlib.Path(tool.agents).parent / "runtimes")
    program = dotnet_runtime.compile_program(runtime, kit.HERE / "programs" / "dotnet_leak.cs", pathlib.Path(BUILT.name))
    return kit.Program([str(runtime / "dotnet"), "exec", str(program)],
                       {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "TMPDIR": BUILT.name})


def dump(tool, program, folder, name):
    """NAME.gcdump as dotnet-gcdump would have written it at this moment."""
    converter = pathlib.Path(tool.agents).parent / "tests" / "support" / "hsd_gcdump_of_capture"
    if not converter.exists():
        kit.skip(f"{converter} is not built")
    tool.capture(program.pid, folder / f"live_{name}.hs")
    subprocess.run([converter, folder / f"live_{name}.hs", folder / f"{name}.gcdump"], check=True)
    live = tool.info(folder / f"live_{name}.hs")
    tool.run("import", folder / f"{name}.gcdump", "-o", folder / f"{name}.hs")
    tool.run("verify", folder / f"{name}.hs")
    made = tool.info(folder / f"{name}.hs")
    same("bytes of the heap", made["bytes"], live["bytes"])
    same("identity", made["identity"], "moving")


def leak(tool, folder):
    """The type that leaked, its count, what holds it and from where."""
    with start(tool) as program:
        program.leak(20000)
        dump(tool, program, folder, "a")
        program.leak(777)
        dump(tool, program, folder, "b")
        program.quit()
    diff = tool.diff(folder / "a.gcdump", folder / "b.gcdump")
    session = row(diff["types"], "type", "Shop.Session")
    same("sessions before", session["before"]["objects"], 20000)
    same("sessions after", session["after"]["objects"], 20777)
    same("new less freed", session["new"]["objects"] - session["freed"]["objects"], 777)
    same("bytes of the growth", session["growth"]["bytes"], 777 * 32)
    root = row(diff["roots"], "root", SESSIONS)
    check(root, f"no {SESSIONS} among {[r['root'] for r in diff['roots']][:10]}")
    same("objects under the dictionary", root["growth"]["objects"], 777 * 3)
    holders = [h for h in diff["holders"] if h["root"] == SESSIONS]
    check(holders and holders[0]["type"] == "System.Collections.Generic.Dictionary<System.Int32, Shop.Session>", f"holders {holders}")
    check(not [t for t in diff["types"] if "(Bytes > " in t["type"]], "sizes in the names of types")
    # what the file cannot say would show here: it is the same heap
    live = tool.diff(folder / "live_a.hs", folder / "live_b.hs")
    same("types", diff["types"], live["types"])
    same("what was recognised", diff["match"], live["match"])


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak,)})
