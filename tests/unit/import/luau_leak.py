#!/usr/bin/env python3
"""A pair of Luau heap dumps with a planted leak, compared by the command: type, holder, path and counts.
luau_leak.py HSDIFF WRITE_LUAU_SAMPLES"""
import json
import subprocess
import sys
import tempfile

hsdiff, writer = sys.argv[1:]


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, not {wanted}")


def run(*arguments, expect=0, **more):
    done = subprocess.run([hsdiff, *arguments], capture_output=True, text=True, **more)
    if done.returncode != expect:
        sys.exit(f"hsdiff {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([writer, folder], check=True)
    before, after = f"{folder}/before.json", f"{folder}/after.json"
    diff = json.loads(run(before, after, "--format", "json").stdout)
    session = next(t for t in diff["types"] if t["type"] == "Session")
    same("sessions before", session["before"]["objects"], 40)
    same("sessions new", session["new"]["objects"], 60)
    same("sessions freed", session["freed"]["objects"], 0)
    same("bytes of new sessions", session["new"]["bytes"], 60 * (48 + 2 * 32))
    same("new in all", diff["total"]["new"]["objects"], 120)
    same("matched by address", diff["match"]["basis"], "address")
    holder = diff["holders"][0]
    same("holder", (holder["type"], holder["object"], holder["new"]["objects"]), ("table", "0x7f0000002000", 120))
    # The list hangs from the local variable of the main thread as well as from the global one.
    same("path", [edge["type"] for edge in holder["path"]][-1:], ["table"])
    paths = run("paths", after, "Session").stdout
    if "sessions" not in paths or "100 objects" not in paths:
        sys.exit(f"paths:\n{paths}")
    same("the same from a pipe", subprocess.run(f'cat {after} | "{hsdiff}" import - -o {folder}/piped.hs', shell=True, check=False).returncode, 0)
    run("verify", f"{folder}/piped.hs")
    cut = open(after, "rb").read()[:-2000]
    open(f"{folder}/cut.json", "wb").write(cut)
    refused = run("import", f"{folder}/cut.json", "-o", f"{folder}/cut.hs", expect=3)
    if "--partial" not in refused.stderr:
        sys.exit(refused.stderr)
    run("import", f"{folder}/cut.json", "-o", f"{folder}/cut.hs", "--partial", expect=3)
