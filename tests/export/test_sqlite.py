#!/usr/bin/env python3
"""Captures as SQLite databases: opened by sqlite3 and by Python's module, the recipes of doc/sql.md run as they stand there, real heaps of
Node and of a JVM asked for a leak that is known, hostile statements, and a disk that is full.
"""
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import kit
from kit import check, need, run, same

LEAK = """
const kept = globalThis.kept = new Map();
class Session { constructor(i) { this.user = 'user ' + i; this.cart = [i, i + 1]; } }
function step(i) { for (let n = 0; n < 500; n++) kept.set(i * 500 + n, new Session(i * 500 + n)); }
"""

JAVA = """
import java.util.*;
public class Shop {
    static class Session { byte[] cart = new byte[100]; String user; Session(String user) { this.user = user; } }
    static List<Session> kept = new ArrayList<>();
    static void step(int i) { for (int n = 0; n < 400; n++) kept.add(new Session(new String(("visitor number " + n % 7).toCharArray()))); }
}
"""


def demo(tool, folder):
    tool.run("demo", cwd=folder)
    return folder / "demo-before.hs", folder / "demo-after.hs"


def rows(tool, *words):
    return tool.json("sql", *words)["rows"]


# ---- what others read

def opens(tool, folder):
    need("sqlite3")
    before, after = demo(tool, folder)
    tool.export(after, "sqlite", folder / "one.db")
    tool.export(before, "sqlite", folder / "two.sqlite", after=after)
    for name in ("one.db", "two.sqlite"):
        same("integrity", run(["sqlite3", folder / name, "pragma integrity_check"]).strip(), "ok")
        same("version", run(["sqlite3", folder / name, "pragma user_version"]).strip(), "1")
    same("files", sorted(os.listdir(folder)), ["demo-after.hs", "demo-before.hs", "one.db", "two.sqlite"])
    facts = tool.top(after)
    with sqlite3.connect(f"file:{folder / 'one.db'}?mode=ro", uri=True) as database:
        same("objects", database.execute("select count(*) from objects").fetchone()[0], facts["captures"][0]["objects"])
        types = database.execute("select type, live_objects, live_bytes, retained_bytes from heap_types").fetchall()
        told = [(t["type"], t["live"]["objects"], t["live"]["bytes"], t["retained_bytes"]) for t in facts["types"]]
        same("types", sorted(types), sorted(told))
    with sqlite3.connect(f"file:{folder / 'two.sqlite'}?mode=ro", uri=True) as database:
        told = [(t["type"], t["growth"]["objects"], t["growth"]["bytes"]) for t in tool.diff(before, after)["types"]]
        same("growth", sorted(database.execute("select type, growth_objects, growth_bytes from growth_types")), sorted(told))


def same_bytes(tool, folder):
    before, after = demo(tool, folder)
    files = []
    for number, options in enumerate((["--memory", "32M", "--threads", "1"], ["--memory", "1G"])):
        files.append(folder / f"{number}.sqlite")
        tool.export(before, "sqlite", files[-1], *options, after=after)
    check(files[0].read_bytes() == files[1].read_bytes(), "the same captures gave other bytes")


# ---- the manual

def recipes(tool, folder):
    text = (kit.PROJECT / "doc" / "sql.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "hsdiff").symlink_to(tool.path)
    environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    output, count = "", 0
    for language, block in blocks:
        if language == "text":
            same("the answer in the manual", output, block)
            continue
        done = subprocess.run(["bash", "-e", "-c", block], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
        same(block, (done.returncode, "Sanitizer" in done.stderr), (0, False))
        output, count = done.stdout, count + 1
    check(count >= 15, f"{count} commands were found")


# ---- real heaps

def node_leak(tool, folder):
    first, second = kit.node_dump(folder, LEAK, dumps=2)
    same("growth", rows(tool, first, second, "select growth_objects from growth_types where type = 'Session'"), [[500]])
    path = rows(tool, first, second, "select path from v_holders limit 1")[0][0]
    check("kept" in path, f"the path {path!r} does not name what was leaked")
    same("references", rows(tool, second, "select edge, count(*) from v_references where source_type = 'Session' and edge = '.user' group by 1"),
         [[".user", 1000]])


def java_duplicates(tool, folder):
    dump = kit.java_dump(folder, JAVA, "Shop")[0]
    recipe = re.search(r"^(select t\.name, count\(\*\) as copies.*?)\nEND$", (kit.PROJECT / "doc" / "sql.md").read_text(encoding="utf-8"), re.M | re.S)
    check(recipe, "the recipe is not in the manual")
    found = rows(tool, dump, recipe[1])
    copies = [row[1] for row in found]
    check(any(50 <= n <= 60 for n in copies), f"seven texts of 57 or 58 copies each: {found}")
    same("threads", rows(tool, dump, "select count(*) > 0 from v_frames where thread_name is not null or function is not null"), [[1]])
    asked = "select count(*) > 0 from objects where value is not null"
    same("values are kept when asked for", [rows(tool, dump, asked), rows(tool, dump, asked, "--with-values")], [[[0]], [[1]]])
    same("a static field", rows(tool, dump, "select target_type from v_references where kind = 'static' and edge = '.kept'"), [["java.util.ArrayList"]])


# ---- statements of enemies

def hostile(tool, folder):
    _, after = demo(tool, folder)
    for statement in ("attach 'x.db' as x", "pragma writable_schema=1", "select load_extension('/tmp/x.so')", "vacuum into 'x.db'", "delete from types",
                      "create table x(a)", "select 1; drop table types", "select writefile('x', 'y')", "\x1b[31m", "select '"):
        done = tool.run("sql", after, statement, expect=2, cwd=folder)
        check(done.stdout == "" and "\x1b" not in done.stderr and done.stderr.startswith(("hsdiff: ", "  ")), f"{statement}: {done.stderr!r}")
    same("files", sorted(os.listdir(folder)), ["demo-after.hs", "demo-before.hs"])
    for form in ([], ["--plain"], ["--format", "csv"], ["--format", "json"]):
        done = tool.run("sql", after, "select char(27) || '[31m' as \"\x1b[1m\", '=1+1' as sum, char(10) || '::error::x' as command", *form)
        check("\x1b" not in done.stdout and "\n::error" not in done.stdout, f"{form}: what a terminal obeys came through")
    same("a formula", tool.run("sql", after, "select '=1+1' as sum, -1 as number", "--format", "csv").stdout, "sum,number\n\"'=1+1\",-1\n")


def endless(tool, folder):
    _, after = demo(tool, folder)
    statement = "with recursive c(x) as (select 1 union all select x + 1 from c) select max(x) from c"
    with subprocess.Popen([tool.path, "sql", after, statement], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=120)
    same("ends by the signal", (running.returncode, out), (-signal.SIGINT, b""))
    check(b"Sanitizer" not in err, err)


def wrong_words(tool, folder):
    before, after = demo(tool, folder)
    done = tool.run("sql", before, after, expect=2)
    check("the statement is missing" in done.stderr, done.stderr)
    done = tool.run("sql", after, "select nam from types", expect=2)
    check("  select nam from types\n         ^\n" in done.stderr, done.stderr)
    done = tool.run("sql", folder / "nowhere.hs", "select 1", expect=3)
    check("nowhere.hs" in done.stderr, done.stderr)
    (folder / "other.db").write_bytes(b"SQLite format 3\0" + bytes(4080))
    tool.run("sql", folder / "other.db", "select 1", expect=3)
    done = tool.run("export", after, "--to", "sqlite", "-o", "-", expect=2)
    check("cannot go to standard output" in done.stderr, done.stderr)


# ---- a full disk

def full_disk(tool, folder):
    _, after = demo(tool, folder)
    small = folder / "small"
    small.mkdir()
    script = ("mount -t tmpfs -o size=64k tmpfs small || exit 77; "
              f"'{tool.path}' export demo-after.hs -o small/a.sqlite; s=$?; ls -A small; umount small; exit $s")
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode in (1, 77):
        kit.skip("cannot mount here")
    same("exit status and files", (done.returncode, done.stdout), (4, ""))
    check("No space left" in done.stderr, done.stderr)
    script = script.replace("export demo-after.hs -o small/a.sqlite", "sql --temp-dir small demo-after.hs 'select count(*) from refs'")
    done = subprocess.run(["unshare", "-m", "sh", "-c", script.replace("64k", "16k")], cwd=folder, capture_output=True, text=True, check=False)
    same("temporary data", (done.returncode, done.stdout), (4, ""))
    shutil.rmtree(small)


kit.main({"opens": opens, "same_bytes": same_bytes, "recipes": recipes, "node_leak": node_leak, "java_duplicates": java_duplicates,
          "hostile": hostile, "endless": endless, "wrong_words": wrong_words, "full_disk": full_disk})
