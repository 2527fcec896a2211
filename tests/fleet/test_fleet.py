#!/usr/bin/env python3
"""hsdiff fleet against stores whose truth is known, hostile names, torn files, writers that are killed, and several at once. The tables are read
by pyarrow and by DuckDB, and keys are worked out again from doc/fleet.md alone."""
import collections
import email
import html.parser
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "export"))
import engines  # noqa: E402
import kit  # noqa: E402
from kit import check, run, same  # noqa: E402

READ = """
import json, sys, glob
import duckdb, pyarrow.parquet
store = sys.argv[1]
for table in ("captures", "rows", "names"):
    rows = []
    for path in sorted(glob.glob(glob.escape(store) + f"/service=*/date=*/batch=*/{table}.parquet")):
        file = pyarrow.parquet.ParquetFile(path)
        rows += file.read().to_pylist()
    duck = duckdb.sql(f"select * from read_parquet('{store}/service=*/date=*/batch=*/{table}.parquet', hive_partitioning=false)")
    names = [column[0] for column in duck.description]
    assert sorted(map(repr, duck.fetchall())) == sorted(repr(tuple(row[name] for name in names)) for row in rows), table
    print(json.dumps([table, rows]))
"""
KEYS = """
import json, struct, sys, xxhash
def key(kind, step, parent, edge, name):
    value = xxhash.xxh3_64_intdigest(struct.pack("<BBQI", kind, step, parent & (2**64 - 1), len(edge)) + edge + name)
    value = value or 1
    return value - 2**64 if value >= 2**63 else value
for kind, step, parent, edge, name in json.load(sys.stdin):
    print(key(kind, step, parent, edge.encode(), name.encode()))
"""


def readers():
    try:
        return engines.readers()
    except engines.Missing as why:
        return kit.skip(why)


def need_engine():
    try:
        engines.use_duckdb()
    except engines.Missing as why:
        kit.skip(why)


def read(store):
    return {line[0]: line[1] for line in map(json.loads, run([readers() / "python", "-c", READ, store]).splitlines())}


def make(folder, processes=40, captures=12, leaves=60, seed=1, planted=1):
    store = folder / f"fleet-{seed}-{planted}"
    told = run([MAKE, store, processes, captures, leaves, seed, planted], timeout=600).splitlines()
    rows, size = (int(word) for word in told[0].replace(" rows,", "").replace(" bytes", "").split())
    return store, {"rows": rows, "bytes": size, "holder": told[1], "place": told[2], "type": told[3]}


def report(tool, store, *arguments):
    return tool.json("fleet", "report", store, *arguments)


def demo(tool, folder):
    tool.run("demo", "-q", cwd=folder)
    return folder / "demo-before.hs", folder / "demo-after.hs"


def add(tool, store, *captures, service="shop", version="1", **more):
    return tool.run("fleet", "add", store, *captures, "--label", f"service={service}", "--label", f"version={version}", **more)


# ---- the tables

def check_retained(got):
    """What a place retains is what stands there and what the places below it retain, each below one place alone."""
    parents = {row["key"]: row["parent"] for row in got["names"] if row["kind"] == "place"}
    for capture in got["captures"]:
        rows = [row for row in got["rows"] if row["kind"] == "place" and row["capture"] == capture["capture"]]
        retained = {row["key"]: row["bytes"] if row["retained"] is None else row["retained"] for row in rows}
        sums = {row["key"]: row["bytes"] for row in rows}
        for key, size in retained.items():
            if parents[key] is not None:
                sums[parents[key]] += size
        same("retained", retained, sums)


def tables(tool, folder):
    """What is added is read by others, and its sums are whole."""
    before, after = demo(tool, folder)
    add(tool, folder / "store", before, after, "--label", "host=web-1", "--label", "rack=a,'\"b")
    got = read(folder / "store")
    same("captures", len(got["captures"]), 2)
    for capture, path in zip(sorted(got["captures"], key=lambda row: row["time"]), (before, after)):
        top = tool.top(path)["captures"][0]
        same("live", capture["live"], top["bytes"])
        same("labels", (capture["service"], capture["version"], capture["host"], json.loads(capture["labels"])), ("shop", "1", "web-1", {"rack": "a,'\"b"}))
        same("process", (capture["pid"], capture["complete"], capture["places"]), (4121, 1, 1))
        for kind in ("type", "root", "place"):
            rows = [row for row in got["rows"] if row["capture"] == capture["capture"] and row["kind"] == kind]
            same(f"bytes by {kind}", sum(row["bytes"] for row in rows), capture["live"])
            same(f"objects by {kind}", sum(row["objects"] for row in rows), capture["live_objects"])
            check(len({row["key"] for row in rows}) == len(rows), f"{kind}: a key stands twice")
    same("the process", len({row["process"] for row in got["captures"]}), 1)
    check(any(row["other"] > 0 for row in got["rows"]), "nothing was under the floor")
    check_retained(got)
    named = {(row["kind"], row["key"]) for row in got["names"]}
    check(all((row["kind"], row["key"]) in named for row in got["rows"]), "a row without a name")
    check("global.sessions > SessionCache" in {row["text"] for row in got["names"]}, "no path")
    holder = next(row["key"] for row in got["names"] if row["text"] == "global.sessions > SessionCache")
    same("single", {row["single"] for row in got["rows"] if row["key"] == holder}, {1})
    same("once", add(tool, folder / "store", before, after, "--label", "host=web-1", "--label", "rack=a,'\"b").stderr.count("there already"), 1)
    same("captures", len(read(folder / "store")["captures"]), 2)


def keys(tool, folder):
    """Two machines agree: keys by doc/fleet.md, worked out by another program."""
    before, after = demo(tool, folder)
    add(tool, folder / "store", before, after)
    names = [row for row in read(folder / "store")["names"] if row["type"] != "(other)"]
    heap = next(row["key"] for row in names if row["text"] == "(heap)")
    asked = []
    for row in names:
        kind = {"type": 1, "root": 2, "place": 3}[row["kind"]]
        is_heap = kind == 3 and row["key"] == heap
        asked.append([kind, 0, row["parent"] or 0, row["edge"] or "", "" if is_heap else row["type"]])
    done = subprocess.run([readers() / "python", "-c", KEYS], input=json.dumps(asked), capture_output=True, text=True, check=True)
    said = [int(line) for line in done.stdout.split()]
    rooted = subprocess.run([readers() / "python", "-c", KEYS], input=json.dumps([[k, 1, p, e, n] for k, _, p, e, n in asked]), capture_output=True, text=True,
                            check=True)
    said_root = [int(line) for line in rooted.stdout.split()]
    for row, plain, root in zip(names, said, said_root):
        wanted = root if row["kind"] == "place" and row["parent"] == heap and row["key"] != plain else plain
        same(f"key of {row['kind']} {row['text']}", row["key"], wanted)
    check(said[0] in {row["key"] for row in names}, "no key was the plain one")


# ---- what grows

def planted(tool, folder):
    """The planted place alone, and first; compacted or not; and from sums alone."""
    need_engine()
    for seed in (1, 2, 3):
        store, truth = make(folder, seed=seed)
        found = report(tool, store)
        same("what is found", [(f["kind"], f["name"]) for f in found["findings"]], [("place", truth["holder"]), ("type", truth["type"])])
        place = found["findings"][0]
        same("what accumulates", place["held"], truth["place"])
        same("version", (place["version"], place["before"]["version"]), ("2.4.1", "2.4.0"))
        check(2_000_000 < place["per_hour"] < 2_800_000, f"{place['per_hour']} an hour, not 2,400,000")
        check(place["processes"] * 2 > place["judged"] > 15, f"{place['processes']} of {place['judged']}")
        same("versions", [v["version"] for v in found["versions"]], ["2.4.0", "2.4.1"])
        tool.run("fleet", "compact", store)
        same("compacted", report(tool, store), found)
        same("batches", len(list(store.glob("service=*/date=*/batch=*"))), 1)
        tool.run("fleet", "compact", store, "--keep", "1d")
        from_sums = report(tool, store)
        same("from sums", [f["name"] for f in from_sums["findings"]], [truth["holder"], truth["type"]])
        same("again", tool.run("fleet", "compact", store, "--keep", "1d").returncode, 0)
        same("from sums", report(tool, store), from_sums)
    text = tool.run("fleet", "report", store).stdout
    check(truth["holder"] in text and "2.4.1" in text and "1. " in text, text)
    check(re.match(re.escape(truth["holder"]) + r" grows in \d+ of \d+ processes of \S+ 2\.4\.1, and in \d+ of \d+ of 2\.4\.0\.\n\n", text), text[:500])


def clean(tool, folder):
    """Fleets in which nothing new grows."""
    need_engine()
    for seed in range(100, 120 if kit.LONG else 105):
        store, _ = make(folder, seed=seed, planted=0)
        same(f"seed {seed}", report(tool, store)["findings"], [])


def large(tool, folder):
    """1,000 processes, 12 captures each, 400 rows a capture."""
    if not kit.LONG:
        kit.skip("HSD_LONG is not set")
    need_engine()
    store, truth = make(folder, 1000, 12, 303)
    check(truth["bytes"] <= 6 * truth["rows"], f"{truth['bytes'] / truth['rows']:.2f} bytes a row")
    took = []
    for _ in range(5):
        began = time.monotonic()
        found = report(tool, store)
        took.append(time.monotonic() - began)
    same("what is found", [f["name"] for f in found["findings"]], [truth["holder"], truth["type"]])
    tool.run("fleet", "compact", store, timeout=600)
    size = sum(path.stat().st_size for path in store.glob("**/*.parquet"))
    check(size <= 6 * truth["rows"], f"{size / truth['rows']:.2f} bytes a row")
    same("compacted", report(tool, store), found)
    kit.say(f"        {truth['rows']} rows, {truth['bytes'] / truth['rows']:.2f} bytes a row, compacted {size / truth['rows']:.2f}; a report in {sorted(took)[2]:.2f} s")


def check_sarif(log, findings):
    same("version", (log["version"], len(log["runs"])), ("2.1.0", 1))
    only = log["runs"][0]
    rules = only["tool"]["driver"]["rules"]
    same("exit code", only["invocations"], [{"executionSuccessful": True, "exitCode": int(bool(findings))}])
    same("results", [result["locations"][0]["logicalLocations"][0]["name"] for result in only["results"]], [f["name"] for f in findings])
    for result, f in zip(only["results"], findings):
        same("rule", (rules[result["ruleIndex"]]["id"], result["level"]), (result["ruleId"], "error"))
        check(f["name"] in result["message"]["text"] and f"of {f['service']} {f['version']}" in result["message"]["text"], result["message"])
        same("fingerprint", result["partialFingerprints"]["hsdiffFinding/v1"], f"{f['service']}:{f['kind']}:{f['key'] % 2**64:016x}")
        same("growth", (result["properties"]["perHour"], result["properties"]["growth"]), (f["per_hour"], f["growth"]))


def judge(tool, folder):
    need_engine()
    store, truth = make(folder)
    asked = ("fleet", "check", store, "--baseline", "2.4.0", "--candidate", "2.4.1")
    check(truth["holder"] in tool.run(*asked, expect=1).stdout, "the holder is not named")
    same("the other way round", tool.run("fleet", "check", store, "--baseline", "2.4.1", "--candidate", "2.4.0").returncode, 0)
    tree = xml.etree.ElementTree.fromstring(tool.run(*asked, "--format", "junit", expect=1).stdout)
    same("suite", (tree[0].get("tests"), tree[0].get("failures")), ("1", "1"))
    check(truth["holder"] in tree.find(".//failure").get("message"), "no holder in the failure")
    check_sarif(json.loads(tool.run(*asked, "--format", "sarif", expect=1).stdout), report(tool, store)["findings"])
    check_sarif(json.loads(tool.run("fleet", "check", store, "--baseline", "2.4.1", "--candidate", "2.4.0", "--format", "sarif").stdout), [])
    for wrong in (("fleet", "check", store, "--candidate", "2.4.1"), ("fleet", "check", store), ("fleet", "report"), ("fleet", "grow", store),
                  ("fleet", "report", store, "--since", "yesterday"), ("fleet", "report", store, "--since", "2026-02-30"), ("fleet", "report", store, "--format", "junit"), ("fleet", "compact", store, "--keep", "x")):
        tool.run(*wrong, expect=2)
    done = tool.run("fleet", "report", store, "--candidate", "9.9", expect=2)
    check("no captures of the version 9.9" in done.stderr, done.stderr)
    done = tool.run("fleet", "report", store, "--service", "none", expect=2)
    check("no captures of the service none" in done.stderr, done.stderr)
    same("later", report(tool, store, "--since", "2030-01-01")["captures"], 0)
    same("earlier", report(tool, store, "--since", "2020-01-01"), report(tool, store))


def few(tool, folder):
    """A canary of three processes: with three captures each nobody can tell, and nobody says that nothing grows."""
    need_engine()
    store, _ = make(folder, processes=6, captures=3)
    asked = ("fleet", "check", store, "--baseline", "2.4.0", "--candidate", "2.4.1")
    text = tool.run(*asked, expect=3).stdout
    check("too few to tell, 4 captures of each would do" in text and "Nothing is proven to grow, and of some versions" in text, text)
    check("Nothing is proven" in tool.run("fleet", "report", store).stdout, "a report says more")
    tree = xml.etree.ElementTree.fromstring(tool.run(*asked, "--format", "junit", expect=3).stdout)
    same("suite", [tree[0].get(name) for name in ("tests", "failures", "errors")], ["1", "0", "1"])
    check("4 of each process" in tree.find(".//error").get("message"), "no error in the case")
    invocation = json.loads(tool.run(*asked, "--format", "sarif", expect=3).stdout)["runs"][0]["invocations"][0]
    same("invocation", (invocation["executionSuccessful"], invocation["exitCode"], len(invocation["toolExecutionNotifications"])), (False, 3, 1))
    check("<h1>Nothing is proven to grow" in tool.run(*asked, "--format", "html", expect=3).stdout, "the page says more")
    same("needed", [version["captures_needed"] for version in report(tool, store)["versions"]], [4, 4])
    store, truth = make(folder, processes=6, captures=12, seed=2)
    check(truth["holder"] in tool.run("fleet", "check", store, "--baseline", "2.4.0", "--candidate", "2.4.1", expect=1).stdout, "three of three are not told")


def ask(tool, folder):
    need_engine()
    before, after = demo(tool, folder)
    add(tool, folder / "store", before, after)
    rows = json.loads(tool.run("fleet", "sql", folder / "store", "select count(*) as n, min(service) as s from captures", "--format", "json").stdout)
    same("rows", rows, [{"n": 2, "s": "shop"}])
    check("n\n2" in tool.run("fleet", "sql", folder / "store", "select count(*) as n from captures", "--format", "csv").stdout.replace("\r", ""), "csv")
    same("escaped", "\x1b" in tool.run("fleet", "sql", folder / "store", "select chr(27) || '[31m'").stdout, False)
    done = tool.run("fleet", "sql", folder / "store", "select * from nothing", expect=2)
    check("nothing" in done.stderr, done.stderr)


# ---- hostile

def labels(tool, folder):
    need_engine()
    before, after = demo(tool, folder)
    names = ["../../x", "a'b; drop table rows; --", "a\n.shell touch hacked\n", "a\"b,c", "..", ".", "%2F", "-", "\u00e9\U0001f600", "x" * 1000, "\x1b[31m", "a|b", "service=", "*?["]
    for i, name in enumerate(names):
        add(tool, folder / "store", before, service=name, version=name)
        got = report(tool, folder / "store", "--service", name, "--candidate", name)
        same("service", [(v["service"], v["version"], v["captures"]) for v in got["versions"]], [(name, name, 1)])
        same("services", len(report(tool, folder / "store")["versions"]), i + 1)
    tool.run("fleet", "compact", folder / "store", "--keep", "1d")
    same("services", {v["service"] for v in report(tool, folder / "store")["versions"]}, set(names))
    check("\x1b" not in tool.run("fleet", "report", folder / "store").stdout, "an escape reached the terminal")
    check(not list(folder.glob("**/hacked")), "a shell was reached")
    same("outside", sorted(path.name for path in folder.iterdir()), ["demo-after.hs", "demo-before.hs", "store"])
    for wrong in (["--label", "version=1"], ["--label", "service="], ["--label", "service"], ["--label", "=x"], ["--label", "service=" + "x" * 100_000],
                  ["--label", "service=a", "--label", "service=b"], ["--label", "service=a", "--label", "x" * 2000 + "=1"]):
        done = tool.run("fleet", "add", folder / "other", before, *wrong, expect=None)
        check(done.returncode == 2 and not (folder / "other").exists(), f"{wrong}: {done.returncode}: {done.stderr}")
    bad = subprocess.run([tool.path, "fleet", "add", str(folder / "store"), str(before), "--label", b"service=\xff\xfe|'"], capture_output=True, check=False)
    same("no UTF-8", bad.returncode, 0)
    found = subprocess.run([tool.path, "fleet", "report", str(folder / "store"), "--service", b"\xff\xfe|'", "--format", "json"], capture_output=True, check=True)
    same("no UTF-8", json.loads(found.stdout)["captures"], 1)


def names(tool, folder):
    """Names of a capture that are SQL, paths, or very long."""
    need_engine()
    hostile = ["'; drop table rows; --", "../../../etc/passwd", "a\nb|c", "x" * 100_000, "\u00e9\U0001f600", "a\",b", ".shell touch hacked", "nul\u0000l"]
    lines = [{"type": "ROOT", "root": "vm", "references": [hex(0x1000 * (i + 1) + 0x100) for i in range(len(hostile))]}]
    for i, name in enumerate(hostile):
        lines.append({"address": hex(0x1000 * (i + 1)), "type": "CLASS", "class": "0x90000", "name": name, "memsize": 40})
        lines.append({"address": hex(0x1000 * (i + 1) + 0x100), "type": "OBJECT", "class": hex(0x1000 * (i + 1)), "memsize": 4000})
    (folder / "ruby.json").write_text("".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    add(tool, folder / "store", folder / "ruby.json", "--floor", "1")
    got = {row["type"] for row in read(folder / "store")["names"] if row["kind"] == "type"}
    for name in hostile[:3] + hostile[4:7]:
        check({name, json.dumps(name)[1:-1]} & got, f"no type {name!r} in {[word[:40] for word in got]}")
    check(any(name.startswith("xxx") and len(name) < 5000 for name in got), "the long name was not cut")
    tool.run("fleet", "compact", folder / "store", "--keep", "1d")
    same("names", {row["type"] for row in read(folder / "store")["names"] if row["kind"] == "type"}, got)
    report(tool, folder / "store")


def torn(tool, folder):
    """What is none of ours, or torn, is named."""
    need_engine()
    before, _ = demo(tool, folder)
    add(tool, folder / "store", before)
    store = folder / "store"
    batch = next(store.glob("service=*/date=*/batch=*"))

    def wrong(what, *arguments, status=3):
        done = tool.run(*(arguments or ("fleet", "report", store)), expect=status)
        check(what in done.stderr and "Traceback" not in done.stderr, f"{what!r} is not in {done.stderr!r}")

    for place in (store, batch.parent.parent, batch.parent, batch):
        (place / "letter.txt").write_text("dear", encoding="utf-8")
        wrong("letter.txt")
        (place / "letter.txt").unlink()
    for table in ("captures", "rows", "names"):
        path = batch / f"{table}.parquet"
        data = path.read_bytes()
        for cut in (data[:-1], data[:11], b"", b"PAR1" + b"\xff" * 8 + b"PAR1"):
            path.write_bytes(cut)
            wrong(f"{table}.parquet")
        path.write_bytes(data[:8] + bytes(byte ^ 0x55 for byte in data[8:-8]) + data[-8:])
        wrong("DuckDB cannot read the store")
        path.unlink()
        wrong("missing")
        path.symlink_to("/etc/passwd")
        wrong(f"{table}.parquet")
        path.unlink()
        path.write_bytes(data)
    shutil.copy(batch / "names.parquet", batch / "rows.parquet.keep")
    wrong("rows.parquet.keep")
    (batch / "rows.parquet.keep").unlink()
    (batch / "replaces").write_bytes(b"../../x\n\xff")
    wrong("replaces")
    (batch / "replaces").unlink()
    report(tool, store)
    same("added", add(tool, store, folder / "demo-after.hs").returncode, 0)
    for text, said in (("nothing\n", "says something else"), ("hsdiff fleet store, version 99\n", "version")):
        mark = (store / "hsdiff-fleet").read_text(encoding="utf-8")
        (store / "hsdiff-fleet").write_text(text, encoding="utf-8")
        wrong(said)
        (store / "hsdiff-fleet").write_text(mark, encoding="utf-8")
    wrong("there is no such fleet store", "fleet", "report", folder / "none", status=2)
    (folder / "mine").mkdir()
    (folder / "mine/letter.txt").write_text("dear", encoding="utf-8")
    wrong("no fleet store", "fleet", "add", folder / "mine", before, "--label", "service=a")
    same("left alone", [path.name for path in (folder / "mine").iterdir()], ["letter.txt"])
    wrong("none.hs", "fleet", "add", folder / "fresh", folder / "none.hs", "--label", "service=a")


def room(tool, folder):
    """An engine may make the folder for what its memory does not hold, one of its own each time; and that it has no room is not the store's fault."""
    before, _ = demo(tool, folder)
    add(tool, folder / "store", before)
    engine, temp = folder / "engine", folder / "temp"
    temp.mkdir()

    def ask(script, *more):
        engine.write_text(f"#!/bin/sh\nfolder=$(sed -n \"s/^SET temp_directory='\\(.*\\)';/\\1/p\")\n{script}\nexit 1\n", encoding="utf-8")
        engine.chmod(0o755)
        done = subprocess.run([tool.path, "fleet", "report", str(folder / "store"), *more], capture_output=True, text=True, check=False,
                              env={**os.environ, "HSDIFF_DUCKDB": str(engine), "TMPDIR": str(temp)})
        check(done.returncode != 0, done.stdout)
        return done.stderr

    made = [ask('mkdir "$folder" && echo made > "$folder/a" && cat "$folder/a" >&2 && rm -r "$folder" && echo "${folder##*/}" >&2') for _ in range(2)]
    for said in made:
        check("made" in said and "hsdiff-duckdb-" in said, said)
    check(made[0] != made[1], "two engines had one folder")
    same("left", list(temp.iterdir()), [])
    said = ask('echo "IO Error: No space left on device: $folder/file" >&2')
    check("no room for temporary files" in said and "--temp-dir DIR" in said and "bad copy" not in said, said)
    said = ask('echo "Out of Memory Error: failed to pin block Possible solutions: * SET threads" >&2')
    check("Out of Memory" in said and "--memory 512M" in said and "SET threads" not in said, said)


def no_engine(tool, folder):
    before, _ = demo(tool, folder)
    add(tool, folder / "store", before)
    (folder / "store/duckdb").write_text("#!/bin/sh\ntouch hacked\n", encoding="utf-8")
    (folder / "store/duckdb").chmod(0o755)
    for environment in ({"PATH": "/nowhere"}, {"PATH": ".", "HSDIFF_DUCKDB": ""}, {"PATH": "/usr/bin", "HSDIFF_DUCKDB": "/nowhere/duckdb"}):
        (folder / "store/duckdb").rename(folder / "duckdb")
        done = subprocess.run([tool.path, "fleet", "report", str(folder / "store")], env=environment, capture_output=True, text=True, check=False)
        (folder / "duckdb").rename(folder / "store/duckdb")
        same("status", done.returncode, 2)
        check("duckdb-cli" in done.stderr and "HSDIFF_DUCKDB" in done.stderr, done.stderr)
    check(not (folder / "store/hacked").exists(), "a program in the store was run")
    (folder / "store/duckdb").unlink()
    (folder / "liar").write_text("#!/bin/sh\necho 'hello|world'\n", encoding="utf-8")
    (folder / "liar").chmod(0o755)
    done = subprocess.run([tool.path, "fleet", "report", str(folder / "store")], env={"HSDIFF_DUCKDB": str(folder / "liar")}, capture_output=True, text=True, check=False)
    check(done.returncode == 3 and "not what was asked for" in done.stderr, done.stderr)


# ---- several at once, and ends that nobody chose

def count(tool, store):
    return json.loads(tool.run("fleet", "sql", store, "select count(distinct capture) as n from captures", "--format", "json").stdout)[0]["n"]


def two_writers(tool, folder):
    """Four add, one compacts, all at once: nothing is lost."""
    need_engine()
    before, after = demo(tool, folder)
    store = folder / "store"
    rounds = 12 if kit.LONG else 4
    script = 'for i in $(seq "$2"); do "$0" fleet add -q "$1" "$4" "$5" --label service=shop --label version=1 --label host=$3-$i || exit 1; done'
    writers = [subprocess.Popen(["bash", "-c", script, tool.path, str(store), str(rounds), f"web-{i}", str(before), str(after)]) for i in range(4)]
    while any(writer.poll() is None for writer in writers):
        if (store / "hsdiff-fleet").exists():
            tool.run("fleet", "compact", "-q", store)
            count(tool, store)
    same("writers", [writer.returncode for writer in writers], [0] * 4)
    same("captures", count(tool, store), 4 * rounds * 2)
    tool.run("fleet", "compact", store)
    same("captures", count(tool, store), 4 * rounds * 2)
    same("batches", len(list(store.glob("service=*/date=*/batch=*"))), 1)


def killed(tool, folder):
    """Writers and compacting, ended at any moment: what was told as added is there, and no file is torn."""
    need_engine()
    before, after = demo(tool, folder)
    store = folder / "store"
    chance = random.Random(7)
    began = time.monotonic()
    add(tool, store, before, after, version="0")
    took = time.monotonic() - began
    began = time.monotonic()
    count(tool, store)
    took_compact = max(0.05, time.monotonic() - began) * 2
    added = 2
    for turn in range(500 if kit.LONG else 24):
        compacts = turn % 3 == 2
        words = ["fleet", "compact", store] if compacts else ["fleet", "add", store, before, after, "--label", "service=shop", "--label", f"version={turn + 1}"]
        child = subprocess.Popen([tool.path, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try: # some come to their end, whatever else the machine has to do
            child.wait(timeout=chance.random() * 1.5 * (took_compact if compacts else took) if turn % 5 else 60)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        was = child.wait() == 0
        now = None if turn % 7 and not was else count(tool, store)
        if now is not None:
            check(now >= added, f"turn {turn}: {now} captures, and {added} were added")
            added = now
        if was and not compacts:
            got = json.loads(tool.run("fleet", "sql", store, f"select count(*) as n from captures where version = '{turn + 1}'", "--format", "json").stdout)[0]["n"]
            check(got >= 2, f"turn {turn}: {got} captures of 2 that were told as added")
    last = count(tool, store)
    check(last > 2, "no writer came to its end")
    check(last >= added, f"{last} captures, and {added} were added")
    tool.run("fleet", "compact", store)
    same("captures", count(tool, store), last)
    same("left behind", [path.name for path in store.glob(".hsdiff*")], [])
    report(tool, store)
    kit.say(f"        {last} captures in the store")


def dumps(tool, folder):
    """Five snapshots of each of three processes that leak: what is added are dumps of another tool."""
    need_engine()
    leak = "globalThis.kept = [];\nclass Session { constructor(i) { this.cart = [i, i + 1, i + 2]; } }\nfunction step(i) { for (let n = 0; n < 5000; n++) globalThis.kept.push(new Session(n)); }\n"
    for run_ in range(3):
        paths = kit.node_dump(folder, leak, dumps=5, name=f"run{run_}-")
        for i, path in enumerate(paths):
            os.utime(path, (1795132800 + i * 3600 + run_, 1795132800 + i * 3600 + run_))
        add(tool, folder / "store", *paths, "--label", f"host=web-{run_}", version="1")
    got = report(tool, folder / "store")
    same("processes", (got["processes"], got["captures"]), (3, 15))
    check(any("Session" == f["name"] for f in got["findings"] if f["kind"] == "type"), got["findings"])
    same("places", [f["name"] for f in got["findings"] if f["kind"] == "place"], ["global.kept > Array"])
    check_retained(read(folder / "store"))  # V8 has `global.kept` below `global`


class Page(html.parser.HTMLParser):
    """What a page says, and which elements it is made of."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.text = collections.Counter(), [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements[tag] += 1
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def page(tool, folder):
    """The report as a page: the same findings, curves within their frames, names of the fleet as text alone, nothing from outside."""
    need_engine()
    store, truth = make(folder)
    text = tool.run("fleet", "report", store, "--format", "html").stdout
    told = Page(text)
    wanted = report(tool, store)
    for finding in wanted["findings"]:
        check(finding["name"] in told.text, f"{finding['name']} is not told")
        check(f"grows in {finding['processes']} of {finding['judged']} processes" in told.text, finding)
    check("1 place and 1 type grow" in told.text and truth["place"] in told.text, told.text[:600])
    same("curves", (told.elements["figure"], told.elements["polyline"]), (4 * 7, 4 * 7))
    points = [tuple(map(float, point.split(","))) for name, value in told.attributes if name == "points" for point in value.split()]
    check(len(points) > 100 and all(0 <= x <= 132 and 0 <= y <= 44 for x, y in points), points[:9])
    check(not re.search(r"https?:|src=|<script", text), "something from outside")
    before, after = demo(tool, folder)
    add(tool, folder / "hostile", before, after, service='<script>alert(1)</script>"&', version="<b>1")
    told = Page(tool.run("fleet", "report", folder / "hostile", "--format", "html").stdout)
    same("elements of names", (told.elements["script"], told.elements["b"]), (0, 0))
    check('<script>alert(1)</script>"&' in told.text and "Nothing is proven to grow" in told.text, told.text)
    tool.run("fleet", "check", store, "--baseline", "2.4.0", "--candidate", "2.4.1", "--format", "html", "-o", folder / "check.html", expect=1)
    check(truth["holder"].replace(">", "&gt;") in (folder / "check.html").read_text(encoding="utf-8"), "check.html")


METRICS = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
print(json.dumps([[family.name, family.type, [[sample.name, sample.labels, sample.value] for sample in family.samples]] for family in families(sys.stdin.read())]))
"""


def metrics(tool, folder):
    """The report as OpenMetrics, read by the client of Prometheus, has the figures of the JSON; the dashboard asks for nothing else."""
    try:
        python = engines.made("metrics", ("prometheus_client==0.26.0",), "prometheus_client.openmetrics.parser") / "python"
    except engines.Missing as why:
        kit.skip(why)
    need_engine()
    store, truth = make(folder)
    text = tool.run("fleet", "report", store, "--format", "openmetrics").stdout
    check(text.endswith("# EOF\n"), text[-100:])
    got = {name: samples for name, _, samples in json.loads(subprocess.run([python, "-c", METRICS], input=text, capture_output=True, text=True, check=True).stdout)}
    wanted = report(tool, store)
    same("processes", {(s[1]["service"], s[1]["version"]): s[2] for s in got["hsdiff_fleet_processes"]}, {(v["service"], v["version"]): v["processes"] for v in wanted["versions"]})
    same("rates", [(s[1]["kind"], s[1]["key"], s[2]) for s in got["hsdiff_fleet_growth_bytes_per_hour"]],
         [(f["kind"], f"{f['key'] % 2**64:016x}", f["per_hour"]) for f in wanted["findings"]])
    same("the place", got["hsdiff_fleet_growing_processes"][0][1]["name"], truth["holder"])
    same("places", {s[1]["version"]: s[2] for s in got["hsdiff_fleet_growing_places"]}, {"2.4.0": 0, "2.4.1": 1})
    before, after = demo(tool, folder)
    hostile = 'sh"o\\p {x}\n#'
    add(tool, folder / "hostile", before, after, service=hostile, version="€" * 300)
    text = tool.run("fleet", "report", folder / "hostile", "--format", "openmetrics").stdout
    samples = json.loads(subprocess.run([python, "-c", METRICS], input=text, capture_output=True, text=True, check=True).stdout)[0][2]
    same("hostile", samples[0][1]["service"], hostile)
    version = samples[0][1]["version"]
    check(len(version.encode()) <= 170 and set(version) == {"€", "…"}, version)
    dashboard = json.loads((HERE.parent.parent / "doc/grafana/hsdiff-fleet.json").read_text(encoding="utf-8"))
    asked = set(re.findall(r"hsdiff_fleet_\w+", json.dumps(dashboard)))
    check(asked <= set(got), asked - set(got))
    same("panels", len({panel["id"] for panel in dashboard["panels"]}), len(dashboard["panels"]))


class Ingest(http.server.BaseHTTPRequestHandler):
    """Pyroscope's /ingest as its server API documents it: a form with a file called profile; what it is in the query."""
    got = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        form = email.message_from_bytes(b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n" + body)
        parts = {part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in form.get_payload()}
        Ingest.got.append((urllib.parse.urlsplit(self.path), parts))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def pyroscope(tool, folder):
    """Growth as pprof, sent by the command of doc/fleet.md."""
    kit.need("curl", "bash")
    demo(tool, folder)
    document = (HERE.parent.parent / "doc/fleet.md").read_text(encoding="utf-8")
    command = re.search(r"```\n(hsdiff export .*?curl.*?)```", document, re.S)[1]
    with http.server.HTTPServer(("127.0.0.1", 0), Ingest) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = command.replace("http://pyroscope:4040", f"http://127.0.0.1:{server.server_port}").replace("before.hs", "demo-before.hs").replace("after.hs", "demo-after.hs")
        run(["bash", "-ec", command], cwd=folder, env=dict(os.environ, PATH=f"{pathlib.Path(tool.path).parent}:{os.environ['PATH']}"))
        server.shutdown()
    same("requests", len(Ingest.got), 1)
    url, parts = Ingest.got[0]
    query = dict(urllib.parse.parse_qsl(url.query))
    same("what it is", (url.path, query["format"], query["name"]), ("/ingest", "pprof", "shop.growth"))
    check(int(query["from"]) < int(query["until"]), query)
    (folder / "got.pb.gz").write_bytes(parts["profile"])
    grown = tool.diff(folder / "demo-before.hs", folder / "demo-after.hs")["total"]
    top = tool.top(folder / "got.pb.gz")["captures"][0]
    check(grown["growth"]["bytes"] <= top["bytes"] <= grown["new"]["bytes"], f"{top['bytes']} bytes of {grown}")


if __name__ == "__main__":
    MAKE = sys.argv.pop(1)
    kit.main({"tables": tables, "keys": keys, "planted": planted, "clean": clean, "large": large, "judge": judge, "few": few, "ask": ask, "labels": labels, "names": names,
              "page": page, "metrics": metrics, "pyroscope": pyroscope, "torn": torn, "room": room, "no_engine": no_engine, "two_writers": two_writers, "killed": killed, "dumps": dumps})
