#!/usr/bin/env python3
"""A real Ruby program under load with the snippet of doc/capture-ruby.md in it, dumped twice by signal, imported and compared."""
import os
import re
import signal
import stat
import subprocess
import time

import kit
from kit import check, row, say

kit.need("ruby")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def snippet(folder):
    """The lines of the document, as it has them."""
    document = (kit.PROJECT / "doc" / "capture-ruby.md").read_text(encoding="utf-8")
    (folder / "heap_dump.rb").write_text(re.search(r"^```ruby\n(.*?)^```", document, re.S | re.M)[1], encoding="utf-8")
    return folder / "heap_dump.rb"


def start(folder, target, **environment):
    return kit.Program(["ruby", "-r", str(snippet(folder)), str(kit.HERE / "programs" / "ruby_leak.rb")],
                       {"HEAP_DUMP": str(target), "RUBYOPT": "", **environment})


def dump(tool, program, pipe, out):
    """As the document says: through a pipe into the importer."""
    with subprocess.Popen(["sh", "-c", 'exec "$0" import - -o "$2" < "$1"', tool.path, str(pipe), str(out)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as reader:
        program.process.send_signal(signal.SIGUSR2)
        said, _ = reader.communicate(timeout=120)
        check(reader.returncode == 0, said)


def expect_growth(diff, name, before, new):
    kind = row(diff["types"], "type", name)
    check(kind, f"no {name}")
    same(f"{name} before", kind["before"]["objects"], before)
    same(f"{name} new", kind["new"]["objects"], new)
    same(f"{name} freed", kind["freed"]["objects"], 0)


def leak_with(tool, folder, **environment):
    pipe = folder / "pipe"
    os.mkfifo(pipe, 0o600)
    with start(folder, pipe, **environment) as program:
        program.leak(2000)
        dump(tool, program, pipe, folder / "a.hs")
        program.leak(500)
        program.tell("keep 70")
        same("kept", program.expect("kept"), "70")
        program.tell("wait 4")
        program.expect("waiting")
        dump(tool, program, pipe, folder / "b.hs")
        program.quit()
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
        info = tool.info(folder / f"{name}.hs")
        same("identity", info["identity"], "address")
        check(set(info["domain"]) != {"0"}, "the process instance is not known")
    same("process instance", tool.info(folder / "a.hs")["domain"], tool.info(folder / "b.hs")["domain"])
    diff = tool.diff(folder / "a.hs", folder / "b.hs", "--top", "1000")
    expect_growth(diff, "Session", 2000, 500)
    expect_growth(diff, "Tag", 2000, 500)
    same("Kept new", row(diff["types"], "type", "Kept")["new"]["objects"], 70)
    same("Waiter new", row(diff["types"], "type", "Waiter")["new"]["objects"], 4)
    # A session, its tag, the text of that and its data.
    cache = row(diff["roots"], "root", "Shop::Cache.(state)")
    check(cache, f"no Shop::Cache.(state) among {[r['root'] for r in diff['roots']][:20]}")
    same("what Shop::Cache holds", cache["growth"]["objects"], 500 * 4)
    same("what global variables hold", row(diff["roots"], "root", "global_tbl")["growth"]["objects"], 70)
    return diff


def leak(tool, folder):
    """Counts, the class that holds and the global variables of what was planted between two dumps."""
    leak_with(tool, folder)
    say(f"  {tool.info(folder / 'b.hs')['objects']:,} objects")


def sites(tool, folder):
    """The same with allocation sites."""
    leak_with(tool, folder, HEAP_DUMP_SITES="1")
    told = tool.run("dump", folder / "b.hs").stdout
    check("ruby_leak.rb" in told, "no allocation site in the program")


def whole_dump(program, path):
    program.process.send_signal(signal.SIGUSR2)
    size, waited = -1, 0
    while size != (size := path.stat().st_size if path.exists() else -2) or size <= 0:
        time.sleep(0.5)
        waited += 1
        check(waited < 100, "no dump")


def cut(tool, folder):
    """A dump in a file is private; one that ends early is refused, and with --partial gives lower bounds that say so."""
    path = folder / "whole.json"
    with start(folder, path) as program:
        program.leak(5000)
        whole_dump(program, path)
        same("mode of the file", stat.S_IMODE(path.stat().st_mode), 0o600)
        program.quit()
    data = path.read_bytes()
    (folder / "cut.json").write_bytes(data[:len(data) // 2 - data[:len(data) // 2][::-1].index(b"\n") + 20])
    refused = tool.run("import", folder / "cut.json", "-o", folder / "cut.hs", expect=None)
    check(refused.returncode == 3 and "--partial" in refused.stderr, refused.stderr)
    tool.run("import", folder / "cut.json", "-o", folder / "cut.hs", "--partial", expect=None)
    told = tool.run("info", folder / "cut.hs", expect=3)
    check("not complete" in told.stderr, "a cut dump is called complete")


def instances(tool, folder):
    """Runs of one program are processes of their own: what is at the same address is not taken for the same."""
    domains = set()
    pipe = folder / "pipe"
    os.mkfifo(pipe, 0o600)
    for i in range(3):
        with start(folder, pipe) as program:
            program.leak(10)
            dump(tool, program, pipe, folder / f"{i}.hs")
            program.quit()
        domains.add(tool.info(folder / f"{i}.hs")["domain"])
    same("process instances", len(domains), 3)


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak, sites, cut, instances)})
