#!/usr/bin/env python3
"""Captures as folders of Parquet files: every table read by pyarrow and by DuckDB, and held against the SQLite database of the same capture;
questions over several captures at once; real heaps; and a run that is killed.
"""
import collections
import json
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import kit
from kit import check, run, same

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fleet"))
import engines  # noqa: E402

LEAK = """
const kept = globalThis.kept = new Map();
class Session { constructor(i) { this.user = 'user ' + i; this.cart = [i, i + 1]; } }
function step(i) { for (let n = 0; n < COUNT; n++) kept.set(i * COUNT + n, new Session(i * COUNT + n)); }
"""
ROWS = """
import sys, json
import duckdb, pyarrow.parquet
folder, tables = sys.argv[1], sys.argv[2].split(",")
for table in tables:
    path = f"{folder}/{table}.parquet"
    file = pyarrow.parquet.ParquetFile(path)
    names = file.schema_arrow.names
    duck = duckdb.sql(f"select * from '{path}'").fetchall()
    assert list(zip(*(column.to_pylist() for column in file.read().columns))) == duck, table
    assert duckdb.sql(f"select count(*) from '{path}'").limit(1).fetchall()[0][0] == file.metadata.num_rows, table
    print(json.dumps([table, names, duck]))
"""


def readers():
    """A Python with the readers, that of tests/fleet."""
    try:
        return engines.readers() / "python"
    except engines.Missing as why:
        return kit.skip(str(why))


def tables_of(database):
    connection = sqlite3.connect(database)
    connection.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
    tables = {}
    for (name,) in connection.execute("select name from sqlite_schema where type = 'table'").fetchall():
        cursor = connection.execute(f"select * from {name}")
        tables[name] = [column[0] for column in cursor.description], cursor.fetchall()
    return tables


def in_any_order(rows):
    return collections.Counter(map(tuple, rows))


def compare(tool, folder, *captures):
    python = readers()
    before, after = captures if len(captures) == 2 else (captures[0], None)
    tool.export(before, "parquet", folder / "heap.parquet", after=after)
    tool.export(before, "sqlite", folder / "heap.sqlite", after=after)
    wanted = tables_of(folder / "heap.sqlite")
    same("tables", sorted(path.stem for path in (folder / "heap.parquet").iterdir()), sorted(wanted))
    read = run([python, "-c", ROWS, folder / "heap.parquet", ",".join(sorted(wanted))], timeout=400)
    count = 0
    for line in read.splitlines():
        table, names, rows = json.loads(line)
        same(f"columns of {table}", names, wanted[table][0])
        check(in_any_order(rows) == in_any_order(wanted[table][1]), f"rows of {table} differ")
        count += len(rows)
    check(count > 100, f"{count} rows are no heap")
    parquet = sum(path.stat().st_size for path in (folder / "heap.parquet").iterdir())
    kit.say(f"        {len(wanted)} tables, {count} rows, {parquet / count:.1f} bytes a row; {(folder / 'heap.sqlite').stat().st_size / count:.1f} in SQLite")
    return count


def demo_pair(tool, folder):
    tool.run("demo", cwd=folder)
    compare(tool, folder, folder / "demo-before.hs", folder / "demo-after.hs")


def node_pair(tool, folder):
    dumps = kit.node_dump(folder, LEAK.replace("COUNT", "5000"), dumps=2)
    captures = []
    for dump in dumps:
        captures.append(dump.with_suffix(".hs"))
        tool.import_(dump, captures[-1])
    count = compare(tool, folder, *captures)
    check(count > 400_000, f"{count} rows")
    asked = run([readers(), "-c", f"import duckdb; print(duckdb.sql(\"select root, sum(net_bytes) > 500000 from '{folder}/heap.parquet/holders.parquet' "
                 "group by 1 order by sum(net_bytes) desc limit 1\").fetchall())"])
    check("True" in asked, asked)


def hostile_names(tool, folder):
    """Names that are SQL or no ASCII."""
    names = ["'; drop table objects; --", "\u00e9\U0001f600", "a\tb"]
    lines = [{"type": "ROOT", "root": "vm", "references": [hex(0x1000 * (i + 1)) for i in range(len(names))]}]
    for i, name in enumerate(names):
        lines.append({"address": hex(0x1000 * (i + 1)), "type": "CLASS", "class": "0x9000", "name": name, "memsize": 40})
        lines.append({"address": hex(0x1000 * (i + 1) + 0x100), "type": "OBJECT", "class": hex(0x1000 * (i + 1)), "memsize": 40})
    (folder / "ruby.json").write_text("".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    tool.export(folder / "ruby.json", "parquet", folder / "n.parquet")
    found = json.loads(run([readers(), "-c", f"import duckdb, json; print(json.dumps(duckdb.sql(\"select name from '{folder}/n.parquet/types.parquet'\").fetchall()))"]))
    for name in names:
        check([name.replace("\t", "\\t")] in found, f"no type {name!r} in {found}")


def several_captures(tool, folder):
    """One question over many captures, which is what the files are for."""
    tool.run("demo", cwd=folder)
    for name in ("before", "after"):
        tool.export(folder / f"demo-{name}.hs", "parquet", folder / f"{name}.parquet")
    asked = run([readers(), "-c", f"""
import duckdb
print(duckdb.sql("select filename like '%before%', sum(bytes) from read_parquet('{folder}/*.parquet/objects.parquet', filename=true) group by 1 order by 1").fetchall())
"""])
    sizes = [sum(row[0] for row in tool.json("sql", folder / f"demo-{name}.hs", "select bytes from objects")["rows"]) for name in ("after", "before")]
    same("bytes", asked.strip(), str([(False, sizes[0]), (True, sizes[1])]))


def same_bytes(tool, folder):
    tool.run("demo", cwd=folder)
    for name, options in (("one", ["--threads", "1"]), ("little", ["--memory", "16M"])):
        tool.export(folder / "demo-before.hs", "parquet", folder / f"{name}.parquet", *options, after=folder / "demo-after.hs")
    for path in (folder / "one.parquet").iterdir():
        check(path.read_bytes() == (folder / "little.parquet" / path.name).read_bytes(), f"{path.name} depends on memory or threads")


def refusals(tool, folder):
    tool.run("demo", cwd=folder)
    done = tool.run("export", folder / "demo-after.hs", "--to", "parquet", "-o", "-", expect=2)
    check("cannot go to standard output" in done.stderr, done.stderr)
    (folder / "mine").mkdir()
    (folder / "mine/letter.txt").write_text("dear", encoding="utf-8")
    done = tool.run("export", folder / "demo-after.hs", "--to", "parquet", "-o", folder / "mine", expect=2)
    check("--force" in done.stderr, done.stderr)
    done = tool.run("export", folder / "demo-after.hs", "--to", "parquet", "-o", folder / "mine", "--force", expect=4)
    check("holds other things" in done.stderr and (folder / "mine/letter.txt").exists(), done.stderr)
    done = tool.run("export", folder / "none.hs", "-o", folder / "x.parquet", expect=3)
    check(not (folder / "x.parquet").exists(), "a folder of nothing")


def killed(tool, folder):
    """Wherever a run is ended, there is the whole folder or nothing, and no other name beside it; but SIGKILL in the instant in which the new
    folder gets its files leaves that."""
    dump = kit.node_dump(folder, LEAK.replace("COUNT", "20000"))[0]
    capture = folder / "heap.hs"
    tool.import_(dump, capture)
    names = {path.name for path in folder.iterdir()}
    began = time.monotonic()
    tool.export(capture, "parquet", folder / "whole.parquet")
    took = time.monotonic() - began
    files = {path.name for path in (folder / "whole.parquet").iterdir()}
    shutil.rmtree(folder / "whole.parquet")
    for round_ in range(12):
        child = subprocess.Popen([tool.path, "export", "-q", capture, "-o", folder / "out.parquet"], stdin=subprocess.DEVNULL)
        time.sleep(took * round_ / 12)
        child.send_signal(signal.SIGKILL if round_ % 2 else signal.SIGTERM)
        child.wait()
        if (folder / "out.parquet").exists():
            same("files", {path.name for path in (folder / "out.parquet").iterdir()}, files)
            shutil.rmtree(folder / "out.parquet")
        left = {path.name for path in folder.iterdir()} - names
        if round_ % 2:
            left = {name for name in left if not name.startswith(".hsdiff-")}
        check(not left, f"left behind: {left}")


if __name__ == "__main__":
    kit.main({"demo_pair": demo_pair, "node_pair": node_pair, "hostile_names": hostile_names, "several_captures": several_captures,
              "same_bytes": same_bytes, "refusals": refusals, "killed": killed})
