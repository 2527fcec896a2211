#!/usr/bin/env python3
"""Two heap shots of one file of Mono's log profiler with a planted leak, compared by the command: type, root, holder and counts; objects
that moved between them are the same, and what has come to lie at their places is new.
mlpd_leak.py HSDIFF WRITE_MLPD_SAMPLES"""
import gzip
import json
import subprocess
import sys
import tempfile

hsdiff, writer = sys.argv[1:]


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, not {wanted}")


def run(*arguments, expect=0):
    done = subprocess.run([hsdiff, *arguments], capture_output=True, text=True)
    if done.returncode != expect:
        sys.exit(f"hsdiff {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([writer, folder], check=True)
    leak = f"{folder}/leak.mlpd"
    with open(leak, "rb") as plain, gzip.open(f"{folder}/leak.mlpd.gz", "wb") as packed:
        packed.write(plain.read())
    for after in (leak, f"{leak}.gz"):
        diff = json.loads(run(leak, after, "--dump", "1,2", "--format", "json").stdout)
        session = next(t for t in diff["types"] if t["type"] == "Shop.Session")
        same("sessions before", session["before"]["objects"], 300)
        same("sessions after", session["after"]["objects"], 361)
        same("sessions new", session["new"]["objects"], 61)
        same("sessions freed", session["freed"]["objects"], 0)
        same("new in all", diff["total"]["new"]["objects"], 61 + 60)
        same("freed in all", diff["total"]["freed"]["objects"], 0)
        same("matched by", (diff["match"]["basis"], diff["match"]["address"]), ("address", 602))
        root = next(r for r in diff["roots"] if r["root"] == "static Shop.Cache+0x8")
        same("growth of the root", root["growth"]["objects"], 61 + 60)
        holder = diff["holders"][0]
        same("holder", (holder["type"], holder["root"], holder["new"]["objects"]), ("Shop.Session[]", "static Shop.Cache+0x8", 61 + 60))
    refused = run("import", leak, "-o", f"{folder}/x.hs", expect=3)
    if "1 with 602, 2 with 723 objects" not in refused.stderr or "--dump" not in refused.stderr:
        sys.exit(refused.stderr)
