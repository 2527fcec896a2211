#!/usr/bin/env python3
"""The first stage of a report by the SQL of doc/fleet.md, "Other engines", in DuckDB, ClickHouse (chdb), a PostgreSQL server and Spark: the same rows from
the same store, and the places that hsdiff itself chooses. The same server is a store itself (databases.py)."""
import csv
import io
import json
import math
import os
import pathlib
import pwd
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "export"))
import databases  # noqa: E402
import engines  # noqa: E402
import kit  # noqa: E402
from kit import check, run, same  # noqa: E402

SERVICE = "a'b,\"c\\%"
MOST = 256  # rows of the first stage
WHO = "SELECT service, version, count(*) AS n FROM captures GROUP BY service, version ORDER BY service, version"
CLICKHOUSE = """
import json, sys
from chdb import session
views, *questions = json.load(sys.stdin)
clickhouse = session.Session()
clickhouse.query("CREATE DATABASE fleet")
clickhouse.query("USE fleet")
for statement in views:
    clickhouse.query(statement)
print(json.dumps([str(clickhouse.query(question, "CSV")) for question in questions]))
"""

SPARK = """
import csv, io, json, sys
from pyspark.sql import SparkSession
script, *questions = json.load(sys.stdin)
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1").config(
    "spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "4").getOrCreate()
exec(script)
answers = []
for question in questions:
    out = io.StringIO()
    csv.writer(out).writerows(spark.sql(question).collect())
    answers.append(out.getvalue())
print(json.dumps(answers))
"""


def documented():
    """The blocks: SQL of the first stage, of ClickHouse, of PostgreSQL; Python of Spark."""
    section = (kit.PROJECT / "doc/fleet.md").read_text(encoding="utf-8").split("\n## Other engines\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```(?:sql|python)\n(.*?)^```$", section, re.S | re.M)
    same("blocks", len(blocks), 4)
    return blocks


def need_duckdb():
    try:
        engines.use_duckdb()
    except engines.Missing as why:
        kit.skip(why)


def make(tool, folder):
    """Fleets with a planted place, and a service with names that no engine may trip over."""
    need_duckdb()
    store = folder / "fleet"
    truth = run([MAKE, store, 1000 if kit.LONG else 40, 12, 60, 1, 1], timeout=600).splitlines()
    tool.run("demo", "-q", cwd=folder)
    tool.run("fleet", "add", store, folder / "demo-before.hs", folder / "demo-after.hs", "--label", f"service={SERVICE}", "--label", "version=1\n'2")
    return store, truth[1]


def rows_of(text):
    """CSV without a header: (service, version, kind, key, growers, total)."""
    return [(service, version, kind, int(key), int(growers), float(total)) for service, version, kind, key, growers, total in csv.reader(io.StringIO(text.strip()))]


def first_stage(tool, store):
    text = tool.run("fleet", "sql", store, documented()[0], "--format", "csv").stdout
    same("columns", text.split("\n")[0].strip(), "service,version,kind,key,growers,total")
    return rows_of(text.split("\n", 1)[1])


def who(text):
    return list(csv.reader(io.StringIO(text.strip())))


def same_captures(engine, got, tool, store):
    """Names come through as they are."""
    wanted = who(tool.run("fleet", "sql", store, WHO, "--format", "csv").stdout)[1:]
    check(any(row[0] == SERVICE and row[2] == "2" for row in wanted), f"no {SERVICE} in {wanted}")
    same(f"{engine}: captures", who(got), wanted)


def same_rows(engine, got, wanted):
    check(len(wanted) > 3, f"{len(wanted)} rows")
    same(f"{engine}: rows", sorted(row[:5] for row in got), sorted(row[:5] for row in wanted))
    totals = {row[:4]: row[5] for row in wanted}
    for row in got:
        check(math.isclose(row[5], totals[row[:4]], rel_tol=1e-9), f"{engine}: {row}, not {totals[row[:4]]}")
    kit.say(f"        {engine}: {len(got)} rows")


def duckdb(tool, folder):
    """What hsdiff asks DuckDB for, as a report runs, and what the document gives."""
    store, holder = make(tool, folder)
    answer = folder / "temp" / "answer"  # where a program that hsdiff starts may write: SECURITY.md
    answer.parent.mkdir()
    (folder / "tee").write_text(f"#!/bin/bash\nset -o pipefail\n'{os.environ['HSDIFF_DUCKDB']}' \"$@\" | tee -a '{answer}'\n", encoding="utf-8")
    (folder / "tee").chmod(0o755)
    true = os.environ["HSDIFF_DUCKDB"]
    os.environ["HSDIFF_DUCKDB"] = str(folder / "tee")
    found = tool.json("fleet", "report", store, "--temp-dir", answer.parent)
    os.environ["HSDIFF_DUCKDB"] = true
    lines = [line.split("|") for line in answer.read_text(encoding="utf-8").splitlines()]
    versions = {line[1]: (bytes.fromhex(line[7]).decode(), bytes.fromhex(line[8]).decode()) for line in lines if line[0] == "V"}
    chosen = [(*versions[line[2]], line[3], int(line[4])) for line in lines if line[0] == "W"]
    got = first_stage(tool, store)
    check(3 < len(got) < MOST, f"{len(got)} rows")
    same("what hsdiff chooses", sorted(chosen), sorted(row[:4] for row in got))
    same("the planted place", [f["name"] for f in found["findings"] if f["kind"] == "place"], [holder])
    for finding in found["findings"]:
        check((finding["version"], finding["kind"], finding["key"]) in {row[1:4] for row in got}, f"no row of {finding['name']}")


def clickhouse(tool, folder):
    store, _ = make(tool, folder)
    try:
        programs = engines.clickhouse()
    except engines.Missing as why:
        kit.skip(why)
    statement, views, _, _ = documented()
    asked = json.dumps([[view for view in views.replace("STORE", str(store)).split(";") if view.strip()], statement, WHO])
    done = subprocess.run([programs / "python", "-c", CLICKHOUSE], input=asked, capture_output=True, text=True, timeout=300, check=False, cwd=folder)
    check(done.returncode == 0, done.stderr[-3000:])
    answers = json.loads(done.stdout)
    same_rows("ClickHouse", rows_of(answers[0]), first_stage(tool, store))
    same_captures("ClickHouse", answers[1], tool, store)


def spark(tool, folder):
    """By the same files; half a minute of the processor, and 300 MB to fetch."""
    if not kit.LONG:
        kit.skip("HSD_LONG is not set")
    kit.need("java")
    store, _ = make(tool, folder)
    try:
        programs = engines.spark()
    except engines.Missing as why:
        kit.skip(why)
    statement, _, _, script = documented()
    asked = json.dumps([script.replace("STORE", str(store)), statement.replace("DOUBLE PRECISION", "DOUBLE"), WHO])
    done = subprocess.run([programs / "python", "-c", SPARK], input=asked, capture_output=True, text=True, timeout=900, check=False, cwd=folder)
    check(done.returncode == 0, done.stderr[-3000:])
    answers = json.loads(done.stdout.splitlines()[-1])
    same_rows("Spark", rows_of(answers[0]), first_stage(tool, store))
    same_captures("Spark", answers[1], tool, store)


class Server:
    """A PostgreSQL of our own, by a socket in a folder."""

    def __init__(self, folder):
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        if not found:
            kit.skip("PostgreSQL is not installed")
        self.programs = found[-1].parent
        self.folder = folder / "postgres"
        self.folder.mkdir()
        self.more = {"env": {name: value for name, value in os.environ.items() if not name.startswith("PG")}, "cwd": self.folder,
                     "stdin": subprocess.DEVNULL}
        if os.geteuid() == 0:  # it does not run as root
            account = pwd.getpwnam("postgres")
            self.more.update(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            folder.chmod(0o711)

    def call(self, program, *arguments):
        done = subprocess.run([self.programs / program, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False, **self.more)
        check(done.returncode == 0, f"{program}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def __enter__(self):
        self.call("initdb", "-D", "data", "-E", "UTF8", "--locale=C", "-A", "trust", "-N")
        rules = self.folder / "data/pg_hba.conf"
        rules.write_text("local all secretive scram-sha-256\n" + rules.read_text(encoding="utf-8"), encoding="utf-8")
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off"
        # pg_ctl comes back when the server answers; what it prints goes to a file, for the server would hold the pipe
        self.call("pg_ctl", "-D", "data", "-l", "log", "-w", "-t", "120", "-o", options, "start")
        return self

    def __exit__(self, *_):
        self.call("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")

    def run(self, script, *options):
        path = self.folder / "script.sql"
        path.write_text(script, encoding="utf-8")
        path.chmod(0o644)
        return self.call("psql", "-h", self.folder, "-X", "-q", "-v", "ON_ERROR_STOP=1", *options, "-f", path, "postgres")


def postgresql(tool, folder):
    store, _ = make(tool, folder)
    statement, _, tables, _ = documented()
    with Server(folder) as server:
        for table in ("captures", "rows"):
            out = server.folder / f"{table}.csv"
            tool.run("fleet", "sql", store, f"select * from {table}", "--format", "csv", "-o", out)
            out.chmod(0o644)
        server.run(tables)
        same_captures("PostgreSQL", server.run(WHO, "--csv", "-t"), tool, store)
        same_rows("PostgreSQL", rows_of(server.run(statement, "--csv", "-t")), first_stage(tool, store))
        databases.store(server, tool, folder, MAKE)


if __name__ == "__main__":
    MAKE = sys.argv.pop(1)
    kit.main({"duckdb": duckdb, "clickhouse": clickhouse, "postgresql": postgresql, "spark": spark})
