#!/usr/bin/env python3
"""A real Go program under load with the snippet of doc/capture-go.md in it, dumped twice by signal, imported and compared; the
same with types by the program (--exe), and by cores. With every Go that is here: the one of PATH and Debian's."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import go_programs
import kit
from go_programs import compilers
from kit import check, row, say


def sources():
    """The program, with the snippet as the document has it."""
    document = (kit.PROJECT / "doc" / "capture-go.md").read_text(encoding="utf-8")
    return {"main.go": (kit.HERE / "programs" / "go_leak.go").read_text(encoding="utf-8"),
            "dump.go": re.search(r"^```go\n(.*?)^```", document, re.S | re.M)[1]}


def build(go, *flags):
    return go_programs.build(go, sources(), *flags)


def symbol(go, binary, name):
    """The address of a variable, as the linker placed it."""
    for line in subprocess.run([go, "tool", "nm", str(binary)], check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if words[-1] == name:
            return int(words[0], 16)
    raise kit.Failed(f"no symbol {name}")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def dump(tool, program, pipe, out, *arguments):
    """As the document says: through a pipe into the importer."""
    with subprocess.Popen(["sh", "-c", 'pipe=$1 out=$2; shift 2; exec "$0" import - -o "$out" "$@" < "$pipe"', tool.path, str(pipe), str(out), *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as reader:
        program.process.send_signal(signal.SIGUSR2)
        said, _ = reader.communicate(timeout=60)
        check(reader.returncode == 0, said)


SESSION = "object of 112 B, pointers at 8 48 72"
TAG = "object of 80 B, pointer at 0"
WAITER = "object of 176 B, pointer at 16"


def leak_with(go, tool, folder):
    binary = build(go)
    pipe = folder / "pipe"
    os.mkfifo(pipe, 0o600)
    with kit.Program([str(binary)], {"HEAP_DUMP": str(pipe)}) as program:
        program.leak(2000)
        dump(tool, program, pipe, folder / "a.hs")
        program.leak(500)
        program.tell("large 7")
        same("large", program.expect("leaked"), "7")
        program.tell("wait 40")
        program.expect("waiting")
        dump(tool, program, pipe, folder / "b.hs")
        program.quit()
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
        info = tool.info(folder / f"{name}.hs")
        same("identity", info["identity"], "address")
        check(set(info["domain"]) != {"0"}, "the process instance is not known")
    same("process instance", tool.info(folder / "a.hs")["domain"], tool.info(folder / "b.hs")["domain"])
    diff = tool.diff(folder / "a.hs", folder / "b.hs")
    for name, count in ((SESSION, 500), (TAG, 500)):
        kind = row(diff["types"], "type", name)
        check(kind, f"no {name}")
        same(f"{name} before", kind["before"]["objects"], 2000)
        same(f"{name} new", kind["new"]["objects"], count)
        same(f"{name} freed", kind["freed"]["objects"], 0)
    place = symbol(go, binary, "main.cache") - symbol(go, binary, "runtime.bss")
    root = row(diff["roots"], "root", f"bss+{place:#x}")
    check(root, f"no root bss+{place:#x}")
    check(root["growth"]["objects"] >= 500 * 6, f"main.cache grew by {root['growth']}")
    place = symbol(go, binary, "main.blobs") - symbol(go, binary, "runtime.bss")
    blobs = row(diff["roots"], "root", f"bss+{place:#x}")
    check(blobs.get("growth", {"bytes": 0})["bytes"] >= 700_000, f"main.blobs grew by {blobs}")
    # The compiler wraps what `go` starts in a function of its own: main.main.func2 (what it calls in turn is told from gowrap2 on).
    waiting = [r for r in diff["roots"] if re.fullmatch(r"goroutines in main\.(wait|main\.func2)", r["root"])]
    same("waiting goroutines' objects", row(diff["types"], "type", WAITER)["new"]["objects"], 40)
    same("what they hold", sum(r["growth"]["objects"] for r in waiting), 160)  # and a text each, themselves, and what they wait with
    metrics = tool.run("dump", folder / "b.hs", "--only", "metrics").stdout
    for name in ("heap.used", "heap.committed", "gc.count", "gc.pause"):
        check(f'"{name}"' in metrics, f"no {name}")
    say(f"  {tool.info(folder / 'b.hs')['runtime']}: {tool.info(folder / 'b.hs')['objects']:,} objects")


def leak(tool, folder):
    """Counts, the global, the goroutines and the sizes of what was planted between two dumps."""
    for i, go in enumerate(compilers()):
        (folder / str(i)).mkdir()
        leak_with(go, tool, folder / str(i))


def instances(tool, folder):
    """Two runs of one program are two processes: what is at the same address is not taken for the same."""
    binary = build(compilers()[0])
    domains = set()
    pipe = folder / "pipe"
    os.mkfifo(pipe, 0o600)
    for i in range(4):
        with kit.Program([str(binary)], {"HEAP_DUMP": str(pipe)}) as program:
            program.leak(10)
            dump(tool, program, pipe, folder / f"{i}.hs")
            program.quit()
        domains.add(tool.info(folder / f"{i}.hs")["domain"])
    same("process instances", len(domains), 4)


def cut(tool, folder):
    """A dump that ends early is refused, and with --partial gives lower bounds that say so; the program lives on when the reader goes."""
    binary = build(compilers()[0])
    whole = folder / "whole.heap"
    with kit.Program([str(binary)], {"HEAP_DUMP": str(whole)}) as program:
        program.leak(5000)
        program.process.send_signal(signal.SIGUSR2)
        kit.wait_for_file(program, whole)
        program.quit()
    data = whole.read_bytes()
    (folder / "cut.heap").write_bytes(data[:len(data) // 2])
    refused = tool.run("import", folder / "cut.heap", "-o", folder / "cut.hs", expect=None)
    check(refused.returncode == 3 and "--partial" in refused.stderr, refused.stderr)
    tool.run("import", folder / "cut.heap", "-o", folder / "cut.hs", "--partial", expect=None)
    told = tool.run("info", folder / "cut.hs", expect=3)
    check("not complete" in told.stderr, "a cut dump is called complete")


def expect_types(diff, session, tag):
    """What was planted, by its types and its global."""
    for name, before, new in (("main.session", *session), ("main.tag", *tag), ("main.waiter", 0, 40)):
        kind = row(diff["types"], "type", name)
        check(kind, f"no {name}")
        same(f"{name} before", kind["before"]["objects"], before)
        same(f"{name} new", kind["new"]["objects"], new)
        same(f"{name} freed", kind["freed"]["objects"], 0)
    root = row(diff["roots"], "root", "main.cache")
    check(root and root["growth"]["objects"] >= 500 * 6, f"main.cache grew by {root}")
    blobs = row(diff["roots"], "root", "main.blobs")
    check(blobs and blobs["growth"]["bytes"] >= 600_000, f"main.blobs grew by {blobs}")  # a stack may hold one too


def expect_shares(tool, capture, roots):
    """Nearly all that these globals hold has a type."""
    top = json.loads(tool.run("top", capture, "--top", "all", "--format", "json").stdout)
    total = sum(row(top["roots"], "root", name)["live"]["objects"] for name in roots)
    named = sum(t["live"]["objects"] for t in top["types"] if t["type"] in ("main.session", "main.tag", "string", "[]int", "[]*main.session"))
    check(named >= 0.99 * total, f"{named} of {total} have a type")


def plant(program):
    program.leak(500)
    program.tell("large 7")
    program.expect("leaked")
    program.tell("wait 40")
    program.expect("waiting")


def expect_waiting(diff, least):
    """Goroutines are one holder, by the line that started them."""
    line = next(i for i, text in enumerate(sources()["main.go"].splitlines(), 1) if "go wait(" in text)
    name = f"goroutines in main.wait (started at main.go:{line})"
    waiting = row(diff["roots"], "root", name)
    check(waiting and waiting["growth"]["objects"] >= least, f"{name}: {waiting}")


def types_with(go, tool, folder):
    binary = build(go)
    pipe = folder / "pipe"
    os.mkfifo(pipe, 0o600)
    with kit.Program([str(binary)], {"HEAP_DUMP": str(pipe)}) as program:
        program.leak(2000)
        dump(tool, program, pipe, folder / "a.hs", "--exe", binary)
        plant(program)
        dump(tool, program, pipe, folder / "b.hs", "--exe", binary)
        program.quit()
    diff = tool.diff(folder / "a.hs", folder / "b.hs")
    expect_types(diff, (2000, 500), (2000, 500))
    expect_waiting(diff, 160)
    expect_shares(tool, folder / "b.hs", ("main.cache",))
    paths = tool.run("paths", folder / "b.hs", "main.tag").stdout
    check("main.cache" in paths and ".tag" in paths, paths)


def types(tool, folder):
    """With the program named, a dump has its types by name, its globals and its fields."""
    for i, go in enumerate(compilers()):
        (folder / str(i)).mkdir()
        types_with(go, tool, folder / str(i))


def other_program(tool, folder):
    """A program that the dump is not of, one without DWARF, and what is no program are refused, each with what to do."""
    binary, whole = build(compilers()[0]), folder / "whole.heap"
    with kit.Program([str(binary)], {"HEAP_DUMP": str(whole)}) as program:
        program.process.send_signal(signal.SIGUSR2)
        kit.wait_for_file(program, whole)
        program.quit()
    stripped = build(compilers()[0], "-ldflags", "-s -w")
    other = go_programs.build(compilers()[0], {"other.go": "package main\nvar table [1000]*int\nfunc main() { println(table[3]) }\n"})
    (folder / "other.go").write_text("package main\n", encoding="utf-8")
    for program, words in ((stripped, "-ldflags"), (other, "not of the program"), (folder / "other.go", "no ELF file"),
                           (folder / "nothing", "cannot open")):
        done = tool.run("import", whole, "--exe", program, "-o", folder / "x.hs", expect=None)
        check(done.returncode in (2, 3, 4) and words in done.stderr, f"{program}: {done.returncode} {done.stderr}")


def core(program, folder, name):
    """A core by gcore."""
    done = subprocess.run(["gcore", "-o", folder / name, str(program.pid)], capture_output=True, text=True)
    found = folder / f"{name}.{program.pid}"
    if done.returncode != 0 or not found.exists():
        kit.skip(f"gcore cannot: {(done.stderr or done.stdout).strip()[-200:]}")
    return found


def cores_with(go, tool, folder):
    binary = build(go)
    with kit.Program([str(binary)]) as program:
        program.leak(2000)
        before = core(program, folder, "a")
        plant(program)
        after = core(program, folder, "b")
        program.quit()
    diff = tool.diff(before, after, "--exe", binary)
    expect_types(diff, (2000, 500), (2000, 500))
    expect_waiting(diff, 80)  # what other stacks still point to is shared
    tool.run("import", after, "-o", folder / "b.hs")  # the core says where its program is
    tool.run("verify", folder / "b.hs")
    expect_shares(tool, folder / "b.hs", ("main.cache",))
    info = tool.info(folder / "b.hs")
    same("identity", info["identity"], "address")
    check(set(info["domain"]) != {"0"}, "the process instance is not known")
    for packer, words in (("cat", "into a file first"), ("gzip -1", "gunzip -c")):
        refused = subprocess.run(["sh", "-c", f"head -c 100000 '{after}' | {packer} | '{tool.path}' import - -o '{folder}/p.hs'"], capture_output=True, text=True)
        check(refused.returncode == 3 and words in refused.stderr, f"{packer}: {refused.returncode} {refused.stderr}")
    refused = tool.run("import", after, "--exe", "/bin/sh", "-o", folder / "x.hs", expect=None)
    check(refused.returncode == 3 and "of no Go program" in refused.stderr, refused.stderr)
    say(f"  {info['runtime']}: {info['objects']:,} objects in a core of {after.stat().st_size >> 20} MiB")


def cores(tool, folder):
    """Two cores of one process, taken by gcore: the same answer as from two dumps, with its types."""
    kit.need("gcore")
    for i, go in enumerate(compilers()):
        (folder / str(i)).mkdir()
        cores_with(go, tool, folder / str(i))


def live_with(go, tool, folder):
    binary = build(go)
    with kit.Program([str(binary)]) as program:
        program.leak(2000)
        said = tool.capture(program.pid, folder / "a.hs").stderr
        check("way go" in said and "stood still" in said, said)
        plant(program)
        tool.capture(program.pid, folder / "b.hs")
        for i in range(20): # under load, which goes on
            tool.capture(program.pid, folder / "again.hs", "--force")
        check(program.leak(1) > 0, "the program does not go on")
        status = open(f"/proc/{program.pid}/status", encoding="utf-8").read()
        check("TracerPid:\t0\n" in status, "it is still traced")
        program.quit()
    for name in ("a.hs", "b.hs"):
        tool.run("verify", folder / name)
    diff = tool.diff(folder / "a.hs", folder / "b.hs")
    same("ids", diff["match"]["basis"], "address")
    expect_types(diff, (2000, 500), (2000, 500))
    expect_waiting(diff, 80)
    expect_shares(tool, folder / "b.hs", ("main.cache",))


def live(tool, folder):
    """A running program that nobody prepared: the same answer as from its cores, and it goes on."""
    for i, go in enumerate(compilers()):
        (folder / str(i)).mkdir()
        live_with(go, tool, folder / str(i))


def live_aborted(tool, folder):
    """hsdiff is killed while the program is stopped or its memory is read: the program goes on, nothing stays, the next capture is whole."""
    binary = build(compilers()[0])
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = dict(tool.environment, TMPDIR=str(temporary))
    with kit.Program([str(binary)]) as program:
        program.leak(2000)
        began = time.monotonic()
        tool.capture(program.pid, folder / "a.hs")
        moments, cut = kit.Moments(3, time.monotonic() - began), 0
        for i in range(kit.ABORTS):
            asker = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "cut.hs"), "--force"], env=environment,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            moments.sleep(asker)
            asker.send_signal((signal.SIGKILL, signal.SIGTERM)[i % 2])
            cut += asker.wait(60) != 0
            check(program.leak(1) == 2001 + i, "the program does not go on")
        say(f"        {cut} of {kit.ABORTS} were cut")
        check(3 * cut > kit.ABORTS, f"{cut} were cut: the test proves nothing")
        same("temporary data", os.listdir(temporary), [])
        tool.capture(program.pid, folder / "b.hs")
        tool.run("verify", folder / "b.hs")
        program.quit()


def live_without_debug_info(tool, folder):
    """A stripped program cannot be read: said before it is stopped, with what works. So are those of `go run` and `go test`, by where they lie."""
    binary = build(compilers()[0], "-ldflags", "-s -w")
    for place, told in (("leak", ("gcore", "before strip", "WriteHeapDump")), (f"go/{'3f' * 32}-d/leak", ("go run", "go build")),
                        ("go-build123/b001/exe/leak", ("go run", "go build")), ("go-build123/b001/leak.test", ("go test -c",))):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(binary, path)
        with kit.Program([str(path)]) as program:
            refused = tool.capture(program.pid, folder / "x.hs", expect=3).stderr
            check("without debug info" in refused and all(one in refused for one in told), f"{place}: {refused}")
            program.quit()


def holder(diff, place):
    """What hangs from the holder whose place reads like this."""
    for found in diff["holders"]:
        if found["root"] + "".join(step["edge"] for step in found["path"]) == place:
            return found
    raise kit.Failed(f"no holder {place}: {[h['root'] + ''.join(s['edge'] for s in h['path']) for h in diff['holders'][:12]]}")


def expect_places(diff, count, with_containers):
    """Each place with all that was planted there, by its name."""
    source = (kit.HERE / "programs" / "go_places.go").read_text(encoding="utf-8").splitlines()
    line = next(i for i, text in enumerate(source, 1) if "by this line" in text)
    for name in ("main.registry", "main.nested", "main.handlers", "timer main.expire", f"goroutines in main.wait (started at main.go:{line})"):
        found = row(diff["roots"], "root", name)
        check(found and found["growth"]["objects"] >= count, f"{name}: {found}")
    check(not [r["root"] for r in diff["roots"] if re.match(r"(bss|data)\+0x", r["root"]) and r["growth"]["objects"] >= count], "a place without a name")
    for name in ("main.listed", "main.awaited"):
        same(name, row(diff["types"], "type", name)["growth"]["objects"], (2 if name == "main.listed" else 1) * count)
    check(holder(diff, "main.registry.jobs")["net"]["objects"] >= count, "main.registry.jobs")
    check(holder(diff, "main.nested.shelf.jobs")["net"]["objects"] >= count, "main.nested.shelf.jobs")
    if not with_containers:  # by the DWARF of Go 1.24 and later
        return
    same("captured", row(diff["types"], "type", "main.captured")["growth"]["objects"], count)
    same("stored", row(diff["types"], "type", "main.stored")["growth"]["objects"], count)
    check(row(diff["types"], "type", "func main.leak.func1")["growth"]["objects"] >= count, "closures")
    check(holder(diff, "main.kept")["net"]["objects"] >= 2 * count, "a sync.Map is one holder")


def places_with(go, tool, folder):
    binary = go_programs.build(go, {"main.go": (kit.HERE / "programs" / "go_places.go").read_text(encoding="utf-8")})
    version = subprocess.run([go, "version"], check=True, capture_output=True, text=True).stdout
    with_containers = int(re.search(r"go1\.(\d+)", version)[1]) >= 24
    with kit.Program([str(binary)]) as program:
        for name in "ab":
            program.leak(600)
            program.tell(f"dump {folder / name}.heap")
            program.expect("dumped")
        program.quit()
    diff = tool.diff(folder / "a.heap", folder / "b.heap", "--exe", binary)
    expect_places(diff, 600, with_containers)
    if shutil.which("gcore") is None:
        return
    with kit.Program([str(binary)]) as program:
        program.leak(600)
        before = core(program, folder, "a")
        program.leak(600)
        after = core(program, folder, "b")
        program.quit()
    expect_places(tool.diff(before, after), 600, with_containers)
    paths = tool.run("paths", after, "main.listed", "--format", "json").stdout
    same("paths to a type in two maps", len(json.loads(paths)["paths"]), 2)


def places(tool, folder):
    """Values without a name, containers of the library, closures, goroutines and timers: each by its place in the program."""
    for i, go in enumerate(compilers()):
        (folder / str(i)).mkdir()
        places_with(go, tool, folder / str(i))


LINE_OF_MAIN = (kit.HERE / "programs" / "go_locals.go").read_text(encoding="utf-8").splitlines().index("func main() {") + 1


def expect_local(diff, name, objects):
    root = row(diff["roots"], "root", f"local {name} of main.main (locals.go:{LINE_OF_MAIN})")
    check(root, f"no local {name} among {[r['root'] for r in diff['roots']]}")
    check(root["new"]["objects"] >= objects, f"what {name} holds: {root}")


def expect_written(diff):
    """What it lies in is called as the program calls it, though the compiler has a word for the hub and for the map on the stack, too, and
    a pointer for the variable that it put on the heap."""
    expect_local(diff, "answers", 900)
    expect_local(diff, "news", 1200)
    check(holder(diff, f"local news of main.main (locals.go:{LINE_OF_MAIN}).hub.topics")["net"]["objects"] >= 1200, "news.hub.topics")


def expect_orders(diff, orders):
    expect_local(diff, "s", orders * 2)
    same("orders", row(diff["types"], "type", "main.Order")["new"]["objects"], orders)


def main_locals_with(go, tool, folder):
    binary = go_programs.build(go, {"locals.go": (kit.HERE / "programs" / "go_locals.go").read_text(encoding="utf-8")})
    dumps = [folder / f"{i}.heapdump" for i in range(3)]
    with kit.Program([str(binary), *map(str, dumps)]) as program:
        for i in range(3):
            same("round", program.expect("round"), str(i + 1))
            if i > 0:
                tool.capture(program.pid, folder / f"{i}.hs")
            program.tell("on")
        program.expect("over")
    for i, orders in ((1, 4000), (2, 6000)):
        for name in (i - 1, i):
            tool.run("import", "--exe", binary, dumps[name], "-o", folder / f"dump{name}.hs", "--force")
        diff = tool.diff(folder / f"dump{i - 1}.hs", folder / f"dump{i}.hs")
        expect_orders(diff, orders)
        expect_local(diff, "names", orders // 4) # at other places Go's DWARF does not say where it is
    if "go1.19" not in subprocess.run([go, "version"], check=True, capture_output=True, text=True).stdout:
        alive = tool.diff(folder / "1.hs", folder / "2.hs")
        expect_written(alive)
        expect_orders(alive, 6000) # 1.19 does not keep where the frames of a goroutine are that reads
    blind = tool.diff(dumps[1], dumps[2])
    held = row(blind["roots"], "root", "main goroutine")
    check(held and held["new"]["objects"] >= 2 * 6000, f"without the program: {blind['roots']}")


def main_locals(tool, folder):
    """What main holds in variables of its own, one of which is on the stack with its map: by two dumps that it writes, and as it runs."""
    for i, go in enumerate(compilers()):
        (folder / str(i)).mkdir()
        main_locals_with(go, tool, folder / str(i))


DEFERRED = """package main

import ("bufio"; "fmt"; "os")

type upload struct { number int; data [500]byte }

func (u *upload) close() { u.data[0] = 0 }

func serve(lines *bufio.Scanner) {
    for round := 1; round < 3; round++ {
        for i := 0; i < 1000; i++ {
            u := &upload{number: i}
            defer u.close()
        }
        fmt.Println("round", round)
        lines.Scan()
    }
}

func main() {
    fmt.Println("ready")
    serve(bufio.NewScanner(os.Stdin))
    fmt.Println("over")
}
"""


def deferred_with(go, tool, folder):
    binary = go_programs.build(go, {"main.go": DEFERRED})
    with kit.Program([str(binary)]) as program:
        for i in (1, 2):
            same("round", program.expect("round"), str(i))
            tool.capture(program.pid, folder / f"{i}.hs")
            program.tell("on")
        program.expect("over")
    diff = tool.diff(folder / "1.hs", folder / "2.hs")
    first = diff["holders"][0]
    check(first["root"] == "main goroutine" and first["net"]["objects"] >= 2900, f"not held by the main goroutine: {first['root']} {first['net']}")
    check(any(edge["edge"] == "._defer" for edge in first["edges"]), f"not by its deferred calls: {first['edges'][:4]}")
    calls = [r for r in diff["types"] if re.match(r"func main\.serve\.\w+", r["type"]) and r["growth"]["objects"] >= 999]
    check(calls, "no type of the deferred calls")


def deferred(tool, folder):
    """Calls that a loop of main puts off to its end: held by the goroutine, and not by the thread that it runs on; called by their function."""
    for i, go in enumerate(compilers()):
        (folder / str(i)).mkdir()
        deferred_with(go, tool, folder / str(i))


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak, places, instances, cut, types, other_program, cores, live, live_aborted, live_without_debug_info, main_locals, deferred)})
