#!/usr/bin/env python3
"""Portable heap dumps of OpenJ9, by an independent writer (phd_writer.py), since no such JVM comes in a registry's package: each width and version, with a truth."""
import gzip
import subprocess

import kit
import phd_writer as phd
from kit import check, row

HOLDER = "class com.acme.Shop -> java.util.HashMap"
PAIR = (500, 2000)
FORMS = {"64": {}, "32": {"is_64": False}, "short hashes": {"short_hashes": True}, "5": {"version": 5}}


def write(folder, name, sessions, orders=100, noise=0, **options):
    path = folder / name
    records = phd.heap(sessions, orders, noise=noise)
    path.write_bytes(phd.write(records, **options))
    return path, records


def shop(tool, folder):
    """A HashMap in a static field."""
    for name, options in FORMS.items():
        before, _ = write(folder, "before.phd", PAIR[0], **options)
        after, records = write(folder, "after.phd", PAIR[1], noise=37, **options)
        text = " ".join(tool.run(before, after).stdout.split())
        check(f"All of the growth hangs from one place: {HOLDER}." in text, f"{name}: {text[:800]}")
        diff = tool.diff(before, after, "--top", "all")
        new = PAIR[1] - PAIR[0]
        for of, size in (("com.acme.Session", 24), ("java.util.HashMap$Node", 24)):
            check(row(diff["types"], "type", of)["growth"] == {"objects": new, "bytes": new * size}, f"{name}: {row(diff['types'], 'type', of)}")
        check(diff["total"]["after"]["objects"] == len(records), f"{name}: {diff['total']['after']}, not {len(records)}")
        check(row(diff["roots"], "root", "class com.acme.Shop")["growth"]["objects"] == 7 * new, f"{name}: {diff['roots']}")


def stack(tool, folder):
    """What only the stack of a thread refers to is live, and hangs together."""
    before, _ = write(folder, "before.phd", 50, orders=100)
    after, _ = write(folder, "after.phd", 50, orders=900)
    text = " ".join(tool.run(before, after).stdout.split())
    check("hangs from one place: (stack or JVM) ->" in text or "hangs from one place: (stack or JVM)" in text, text[:800])
    diff = tool.diff(before, after, "--top", "all")
    check(row(diff["types"], "type", "com.acme.Order")["growth"] == {"objects": 800, "bytes": 800 * 24}, f"{diff['types']}")
    check(all(side["unreached"]["objects"] == 0 for side in diff["captures"]), f"{diff['captures']}")


def circle(tool, folder):
    """The same where each order refers back to the list: nothing in the heap is at its beginning."""
    paths = []
    for name, count in (("before.phd", 100), ("after.phd", 900)):
        records = phd.heap(50, count)
        orders = [i for i, record in enumerate(records) if record[0] == "object" and record[2] == phd.CLASSES["com/acme/Order"]]
        kept = next(record for record in records if record[0] == "object" and record[2] == phd.CLASSES["java/util/ArrayList"])
        for i in orders:
            records[i] = (*records[i][:3], [kept[1]], *records[i][4:])
        del records[orders[-1]]
        paths.append(folder / name)
        paths[-1].write_bytes(phd.write(records))
    text = " ".join(tool.run(*paths).stdout.split())
    check("All of the growth hangs from one place: (stack or JVM)" in text, text[:800])
    diff = tool.diff(*paths, "--top", "all")
    check(row(diff["types"], "type", "com.acme.Order")["growth"] == {"objects": 800, "bytes": 800 * 24}, f"{diff['types']}")
    check(all(side["unreached"]["objects"] == 0 for side in diff["captures"]), f"{diff['captures']}")


def otherwise(tool, folder):
    """Packed, from standard input, cut off; a part of a dump has no classes."""
    plain, records = write(folder, "plain.phd", 300)
    packed, cut = folder / "packed.phd.gz", folder / "cut.phd"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    diff = tool.diff(plain, packed, "--top", "all")
    check(all(one["growth"] == {"objects": 0, "bytes": 0} for one in diff["types"] + diff["roots"]), "packed it is not the same")
    cut.write_bytes(plain.read_bytes()[:-700])
    told = tool.run("import", cut, "-o", folder / "no.hs", expect=3).stderr
    check("--partial" in told and str(cut) in told, told)
    told = tool.run("import", cut, "--partial", "-o", folder / "part.hs", expect=3).stderr
    check("its classes stood at its end" in told or "was cut off" in told, told)
    with plain.open("rb") as file:
        done = subprocess.run([tool.path, "import", "-", "-o", folder / "piped.hs"], stdin=file, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0 and f"{len(records):,} objects" in done.stderr, done.stderr)


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (shop, stack, circle, otherwise)})
