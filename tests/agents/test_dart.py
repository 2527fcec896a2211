#!/usr/bin/env python3
"""Heap snapshots of Dart, of programs in the VM of tests/support/dart_snapshot.py: what they leak is in the first sentences by the names that a user of Dart knows, and what is new
and what was freed is held against who was there. There is no Dart here: no registry of packages has a VM that writes such snapshots."""
import csv
import gzip
import os
import pathlib
import re
import subprocess
import sys

import kit
from kit import check, say

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import dart_snapshot as dart  # pylint: disable=wrong-import-position

FIRST, THEN = 500, 1000
# precision and recall of what is called new or freed, over objects that have no hash; measured 0.9993 and 1
LEAST = 0.995


class Pair:
    """Two snapshots of a program, and who is in them."""

    def __init__(self, folder, program, first=FIRST, then=THEN, seed=1, form="vm", **shape):
        self.shop = dart.PROGRAMS[program](seed)
        for key, value in shape.items():
            setattr(self.shop.vm, key, value)
        self.paths, self.numbers, self.objects = [], [], []
        for name, rounds in (("before", first), ("after", then)):
            self.shop.work(rounds)
            numbers = {}
            path = folder / f"{program}-{name}.data"
            path.write_bytes(self.shop.vm.snapshot(numbers=numbers, form=form))
            self.paths.append(path)
            self.numbers.append(numbers)
            self.objects.append(list(self.shop.vm.heap))  # keeps ids of objects apart

    def truth(self):
        """Numbers of what is new and of what was freed, and which of them have hashes."""
        before, after = self.numbers
        new = {after[key] for key in after.keys() - before.keys()}
        freed = {before[key] for key in before.keys() - after.keys()}
        hashed = [{numbers[id(obj)] for obj in objects if obj.hash} for numbers, objects in zip(self.numbers, self.objects)]
        return freed, new, hashed

    def sizes(self):
        return [sum(obj.size + obj.external for obj in objects) for objects in self.objects]


def words_of(text):
    return re.sub(r"\s+", " ", text)


def changes(tool, folder, pair):
    """Numbers of objects that the command calls freed and new."""
    out = folder / "changed.csv"
    tool.run("-q", *pair.paths, "--objects", out, "--force")
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{int(row["id"], 16) for row in rows if row["change"] == kind} for kind in ("freed", "new")]


def leaks(tool, folder):
    """Each planted leak is named first, with all that it holds; and sums are those of the VM."""
    for program in ("static-list", "global-map", "timers", "subscriptions", "images"):
        pair = Pair(folder, program)
        diff = tool.diff(*pair.paths, "--top", "all")
        sizes = pair.sizes()
        for side, size, objects in zip(("before", "after"), sizes, pair.objects):
            check(diff["total"][side] == {"objects": len(objects), "bytes": size}, f"{program}: {diff['total'][side]}, the VM has {len(objects)} of {size}")
        text = words_of(tool.run("-q", *pair.paths).stdout)
        sentence = re.search(r"(All|\d+%) of the growth hangs from one place: .*?(?= TYPE | [\d.]+ MiB of the growth is external)", text)
        check(sentence is not None and EXPECTED[program] in sentence[0], f"{program}: {text[:600]}")
        say(f"        {program}: {sentence[0]}")
        check(all(word in text.split("WHAT KEEPS IT ALIVE")[1] for word in CLOSURES.get(program, [])), f"{program}: {text}")
        check(HOLDS[program] in text.split("WHAT KEEPS IT ALIVE")[1], f"{program}: {text}")
        check(sentence[1] == "All" or int(sentence[1][:-1]) >= 95, sentence[0])


EXPECTED = {"static-list": "static Session.log (shop/src/cart.dart) (List)", "global-map": "static sessions (shop/main.dart) (Map)", "timers": "static _Timer._heap",
            "subscriptions": "static EventBus.instance (shop/ui/home.dart)._controller (StreamController)", "images": "static Product.images (shop/src/cart.dart) (Map)"}
CLOSURES = {"timers": ["._callback: Closure in _HomePageState.initState (shop/ui/home.dart)"], "subscriptions": ["._onData: Closure _HomePageState._onEvent (shop/ui/home.dart)"]}
HOLDS = {"static-list": "[*]: Session (shop/src/cart.dart)", "global-map": "[*]: Session (shop/src/cart.dart)", "timers": "[*]: Timer",
         "subscriptions": "-> StreamSubscription", "images": "[*]: ExternalUint8Array"}


def identity(tool, folder):
    """What has a hash is known exactly; what has none, by structure."""
    for program in ("clean", "static-list", "timers"):
        pair = Pair(folder, program)
        *wanted, hashed = pair.truth()
        got = changes(tool, folder, pair)
        for side, name in enumerate(("freed", "new")):
            exact, said = wanted[side] & hashed[side], got[side] & hashed[side]
            check(exact == said, f"{program}: {len(exact)} with a hash were {name}, {len(said)} are told, {len(exact & said)} of them rightly")
            rest, told = wanted[side] - hashed[side], got[side] - hashed[side]
            right = len(rest & told)
            precision, recall = right / max(len(told), 1), right / max(len(rest), 1)
            say(f"        {program}: {len(exact)} {name} by their hashes, exactly; {len(rest)} without, precision {precision:.4f}, recall {recall:.4f}")
            check(min(precision, recall) >= LEAST, f"{program}: {name} {precision} {recall}")


def collisions(tool, folder):
    """Hashes of 6 bits: most stand twice in a snapshot, and say nothing then."""
    pair = Pair(folder, "static-list", hash_bits=6)
    *wanted, hashed = pair.truth()
    got = changes(tool, folder, pair)
    wrong = [len(got[side] - wanted[side]) + len(wanted[side] - got[side]) for side in (0, 1)]
    say(f"        of {len(wanted[0])} freed and {len(wanted[1])} new, {wrong[0]} and {wrong[1]} are told wrongly")
    check(wrong[0] <= len(wanted[0]) * 0.05 and wrong[1] <= len(wanted[1]) * 0.05, f"{wrong}")
    check(hashed[1], "nobody has a hash")
    exact = tool.diff(*pair.paths)["match"]["exact"]
    check(exact < len(hashed[0]) / 4, f"{exact} were matched by hashes that stand twice")


def processes(tool, folder):
    """Hashes of another process say nothing, and those of a run can be left out."""
    one, other = Pair(folder, "static-list", seed=1), folder / "other.data"
    other.write_bytes(dart.pair("static-list", FIRST, THEN, seed=2)[1])
    match = tool.diff(one.paths[0], other)["match"]
    check(match["exact"] == 0, f"{match}")
    check("identity hash" not in tool.run("-q", one.paths[0], other).stdout, "hashes of two processes were compared")
    match = tool.diff(*one.paths, "--match", "structure")["match"]
    check(match["exact"] == 0 and match["structure"] > 0, f"{match}")
    check("same process (Dart)" in words_of(tool.run("-q", *one.paths).stdout), "the port of the isolate is not used")


def older(tool, folder):
    """VMs before 2.14 tell neither isolates nor hashes: everything goes by structure, and roots have no names."""
    pair = Pair(folder, "global-map", has_isolates=False, has_hashes=False)
    diff = tool.diff(*pair.paths)
    check(diff["match"]["exact"] == 0 and diff["match"]["structure"] > 0, f"{diff['match']}")
    check(diff["total"]["growth"]["bytes"] == pair.sizes()[1] - pair.sizes()[0], f"{diff['total']}")
    check("Map" in words_of(tool.run("-q", *pair.paths).stdout).split("TYPE ")[0], "the map is not named")


def exports(tool, folder):
    """What DevTools writes anew: with texts as names, and with no data at all, where classes and the names of functions are not known."""
    for form, sentence in (("devtools", "static Session.log (shop/src/cart.dart) (List)"), ("bare", "static log (List)")):
        pair = Pair(folder, "static-list", form=form)
        *wanted, hashed = pair.truth()
        got = changes(tool, folder, pair)
        for side in (0, 1):
            exact, said = wanted[side] & hashed[side], got[side] & hashed[side]
            right = len(wanted[side] & got[side])
            check(exact == said, f"{form}: {len(exact)} with a hash, {len(said)} are told")
            check(min(right / len(wanted[side]), right / len(got[side])) >= LEAST, f"{form}: {len(wanted[side])}, {len(got[side])} are told, {right} rightly")
        diff = tool.diff(*pair.paths)
        check(diff["total"]["after"] == {"objects": len(pair.objects[1]), "bytes": pair.sizes()[1]}, f"{form}: {diff['total']}")
        check(sentence in words_of(tool.run("-q", *pair.paths).stdout), f"{form}: {tool.run('-q', *pair.paths).stdout[:800]}")


def same(tool, folder):
    """From a pipe, packed, in little memory and on one thread it is the same; no text of the program is in a capture, and a pseudonymous one can be compared, too."""
    pair = Pair(folder, "static-list")
    wanted = tool.run("-q", *pair.paths, "--format", "json", "--top", "all").stdout
    packed = [folder / f"{path.name}.gz" for path in pair.paths]
    for path, gz in zip(pair.paths, packed):
        gz.write_bytes(gzip.compress(path.read_bytes()))
    pieces = r'"digest": "[^"]*", '
    plain = [re.sub(pieces, "", text) for text in (wanted, tool.run("-q", *packed, "--format", "json", "--top", "all").stdout.replace(".data.gz", ".data"),
                                                     tool.run("-q", *pair.paths, "--format", "json", "--top", "all", "--memory", "48M", "--threads", "1").stdout)]
    check(plain[0] == plain[1] == plain[2], "it is not the same")
    with pair.paths[0].open("rb") as file:
        done = subprocess.run([tool.path, "-q", "import", "-", "-o", folder / "pipe.hs"], stdin=file, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, done.stderr)
    info = tool.info(folder / "pipe.hs")
    check("dart" in str(info), f"{info}")
    data = tool.run("dump", folder / "pipe.hs").stdout
    check("Session" in data and "user 1" not in data and "Product 1" not in data, "texts of the program are in the capture")
    hidden, key = [folder / "a.hs", folder / "b.hs"], folder / "key"
    tool.run("redact", "--new-key", key)
    for path, out in zip(pair.paths, hidden):
        tool.run("-q", "redact", path, "-o", out, "--key", key)
    text = tool.run("-q", *hidden).stdout
    check("Session" not in text and "identity hash" in text, text)


def damage(tool, folder):
    """Where it is, what it is, and what to do."""
    pair = Pair(folder, "clean", first=20, then=20)
    data = pair.paths[0].read_bytes()
    cut = folder / "cut.data"
    cut.write_bytes(data[:len(data) // 2])
    told = tool.run(cut, pair.paths[1], expect=3).stderr
    check(re.search(r"cut\.data.*byte \d+|cut\.data.*offset \d+", words_of(told)) and "--partial" in told, told)
    text = tool.run("-q", cut, pair.paths[1], "--partial", expect=None).stdout
    check("lower bound" in text or "incomplete" in text or "cut off" in text, text[:500])


def large(tool, folder):
    """A snapshot of 16 MiB (147 MiB with HSD_LONG) is imported in 64 MiB of memory: the same node over and over, in a list, each with a hash."""
    size = (147 if kit.LONG else 16) << 20
    head = b"dartheap\0" + dart.utf8("main") + b"\0\0\0"
    unit = dart.uleb(3) + dart.uleb(64) + b"\0" + dart.uleb(12) + b"\x01\x02\x83\x80\x80\x00\x84\x80\x80\x00" + b"\x01" * 8
    units = size // (len(unit) + 5)
    table = dart.uleb(3) + b"".join(b"\0" + dart.utf8(name) + dart.utf8("") + dart.utf8(library) + dart.utf8("") + dart.uleb(0)
                                    for name, library in (("Root", ""), ("Null", "dart:core"), ("Product", dart.SHOP)))
    path = folder / "large.data"
    with path.open("wb") as file:
        file.write(head + table + dart.uleb(12 * units) + dart.uleb(units + 2) + b"\x01\0\0\x01\x03" + b"\x02\0\x01\0")
        for i in range(0, units, 1 << 15):  # in pieces: a child is said to have had the memory of whom it was forked from
            file.write(unit * min(1 << 15, units - i))
        file.write(b"\0\0\0")
        for i in range(0, units, 1 << 16):
            file.write(b"".join((0x80808080 | (k & 0x7f) | (k >> 7 & 0x7f) << 8 | (k >> 14 & 0x7f) << 16 | (k >> 21 & 0x7f) << 24).to_bytes(4, "little") + b"\x01"
                                for k in range(i, min(i + (1 << 16), units))))
    child = subprocess.Popen([tool.path, "-q", "import", path, "-o", folder / "large.hs", "--memory", "48M"])
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    say(f"        {path.stat().st_size >> 20} MiB, {units:,} objects: {usage.ru_maxrss >> 10} MiB of memory, {usage.ru_utime + usage.ru_stime:.2f} s of the processor")
    check(status == 0, f"exit status {status}")
    check(usage.ru_maxrss <= 64 << 10, f"{usage.ru_maxrss} KiB")
    check(tool.info(folder / "large.hs")["objects"] == units + 2, "objects are missing")  # the root and null among them


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leaks, identity, collisions, processes, older, exports, same, damage, large)})
