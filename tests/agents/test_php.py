#!/usr/bin/env python3
"""Dumps of php-meminfo. The extension cannot be had from a registry, so two dumps of a PHP program that leaks (programs/php/shop.php, which says how they were made) are kept, and
larger ones are written here in the same form, with a known truth."""
import gzip
import json

import kit
from kit import check, row

DUMPS = kit.HERE / "programs" / "php"
SESSION = 72 + 72 + 2 * 16  # an object, its array, its number and the array's


def shop(tool, folder):
    """20 sessions before and 80 after, in a static array of a class."""
    before, after = DUMPS / "before.json.gz", DUMPS / "after.json.gz"
    text = tool.run(before, after).stdout
    check("growth hangs from one place: Shop\\Cache::$sessions (array)." in text, text)
    check(".cart: array" in text and "(protected)::$log: array" in text, text)
    diff = tool.diff(before, after, "--top", "all")
    check(row(diff["types"], "type", "Shop\\Session")["growth"] == {"objects": 60, "bytes": 60 * (72 + 16)}, f"{diff['types']}")
    sessions = row(diff["roots"], "root", "Shop\\Cache::$sessions")
    names = sum(len(f"user-{i}") + len(f"article-{i % 7}") for i in range(19, 79))
    # less one each time: the last one is the handler's, too
    check(sessions["growth"] == {"objects": 60 * 4, "bytes": 60 * (SESSION + 2 * 16) + names}, f"{sessions}")
    whole = json.loads(gzip.decompress(after.read_bytes()))["items"]
    sizes = [int(item["size"]) for item in whole.values()]
    check(diff["total"]["after"]["bytes"] == sum(sizes), f"{diff['total']}, not {sum(sizes)}")
    paths = tool.run("paths", after, "Shop\\Session").stdout
    check("Shop\\Cache::$sessions" in paths, paths)


def no_data(tool, folder):
    """Neither keys nor texts of the program are in a capture."""
    out = folder / "a.hs"
    tool.run("import", DUMPS / "after.json.gz", "-o", out)
    text = tool.run("dump", out).stdout
    check("user-" not in text and "article" not in text and "Session" in text, "a key is in the capture")


def otherwise(tool, folder):
    """The same with its keys sorted, without spaces, from a pipe, and cut off."""
    whole = gzip.decompress((DUMPS / "after.json.gz").read_bytes())
    plain, sorted_, cut = folder / "plain.json", folder / "sorted.json", folder / "cut.json"
    plain.write_bytes(whole)
    sorted_.write_text(json.dumps(json.loads(whole), sort_keys=True))
    # "header" begins a dump: sorted keys have it first, too
    for other in (plain, sorted_):
        diff = tool.diff(DUMPS / "after.json.gz", other, "--top", "all")
        check(all(one["growth"] == {"objects": 0, "bytes": 0} for one in diff["types"] + diff["roots"]), f"{other.name}: it is not the same")
    cut.write_bytes(whole[:len(whole) // 2])
    told = tool.run("import", cut, "-o", folder / "no.hs", expect=3).stderr
    check("--partial" in told and str(cut) in told, told)
    check("was cut off" in tool.run("import", cut, "--partial", "-o", folder / "part.hs", expect=3).stderr, "a part is taken for whole")


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (shop, no_data, otherwise)})
