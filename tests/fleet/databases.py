"""A store in a PostgreSQL server: what a folder says of the same captures, whatever happens to those who write, and nothing secret in what is said."""
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import urllib.parse

import kit
import test_received
from kit import check, run, same

SERVICE = "a'b,\"c\\%\n\t\\N\\."
SECRET = "geheim/@:%1"
TABLES = ("captures", "rows", "names", "states")
LOGGER = """#!/bin/sh
for word; do printf '%s\\n' "$word" >>'{log}'; done
exec psql "$@"
"""


class Database:
    """One of the server, and hsdiff with it as a store."""

    def __init__(self, server, tool, name):
        server.run(f"CREATE DATABASE {name};")
        self.server, self.tool, self.name = server, tool, name
        self.url = self.of("postgres")

    def of(self, user, password=None):
        word = user if password is None else f"{user}:{urllib.parse.quote(password, safe='')}"
        return f"postgresql://{word}@{urllib.parse.quote(str(self.server.folder), safe='')}/{self.name}"

    def query(self, statement):
        return self.server.call("psql", "-h", self.server.folder, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement, self.name)

    def add(self, *captures, version="1", **more):
        return self.tool.run("fleet", "add", self.url, *captures, "--label", f"service={SERVICE}", "--label", f"version={version}", "--label", "rack=x", **more)

    def report(self, *arguments):
        return self.tool.json("fleet", "report", self.url, *arguments)


def table(tool, store, name):
    """All rows of a table, by whichever engine the store has."""
    columns = {"captures": "capture, time, process, service, version, host, pod, pid, uptime, runtime, domain, complete, places, live, live_objects, unreached, "
                           "digest, labels",
               "rows": "capture, kind, key, objects, bytes, retained, single, other", "names": "key, kind, text, parent, edge, type"}[name]
    rows = json.loads(tool.run("fleet", "sql", store, f"select distinct {columns} from {name}", "--format", "json").stdout or "[]")
    return sorted((tuple(row.items()) for row in rows), key=repr)


def as_folder(server, tool, folder, make):
    """The same fleet in both: the same report, with rows and from sums; the same checks; the first stage as documented."""
    for seed, planted in ((1, 1), (100, 0)):
        database = Database(server, tool, f"fleet{seed}")
        store = folder / f"fleet-{seed}"
        words = (1000 if kit.LONG else 40, 12, 303 if kit.LONG else 60, seed, planted)
        truth = run([make, store, *words], timeout=600)
        began = time.monotonic()
        told = run([make, database.url, *words], timeout=1200, env=server.more["env"])
        took = time.monotonic() - began
        same("truth", told.splitlines()[1:], truth.splitlines()[1:])
        wanted = tool.json("fleet", "report", store)
        began = time.monotonic()
        got = database.report()
        kit.say(f"        {told.splitlines()[0].split()[0]} rows: added in {took:.1f} s, a report in {time.monotonic() - began:.1f} s")
        same("report", got, wanted)
        same("findings", bool(got["findings"]), bool(planted))
        for more in (("--since", "2026-11-20"), ("--since", "2030-01-01"), ("--service", "shop"), ("--candidate", "2.4.1"), ("--candidate", "2.4.0", "--baseline", "2.4.1")):
            same(f"report {more}", database.report(*more), tool.json("fleet", "report", store, *more))
        check_words = ("--baseline", "2.4.0", "--candidate", "2.4.1", "--format", "sarif")
        same("check", tool.run("fleet", "check", database.url, *check_words, expect=planted).stdout, tool.run("fleet", "check", store, *check_words, expect=planted).stdout)
        for store_ in (store, database.url):
            tool.run("fleet", "compact", store_, "--keep", "1d", timeout=600)
        same("from sums", database.report(), tool.json("fleet", "report", store))
        same("rows", database.query("select count(*) from hsdiff_fleet.rows").strip(), "0")
        same("again", tool.run("fleet", "compact", database.url, "--keep", "1d").returncode, 0)


def tables(database, tool, folder, captures):
    """Each row as in a folder, with names that no engine may trip over; added once, however often."""
    database.add(captures[0])
    check("already" not in database.add(*captures).stderr.replace("1 of the captures were there already", ""), "more was known than one")
    check("2 of the captures were there already" in database.add(*captures, captures[0]).stderr, "added twice")
    plain = folder / "plain"
    tool.run("fleet", "add", plain, *captures, "--label", f"service={SERVICE}", "--label", "version=1", "--label", "rack=x")
    for name in ("captures", "rows", "names"):
        got, wanted = (table(tool, store, name) for store in (database.url, plain))
        check(got, f"no {name}")
        same(name, got, wanted)
    same("service", database.report("--service", SERVICE)["captures"], 2)


def questions(database, tool):
    box = tool.run("fleet", "sql", database.url, "select chr(27) || '[31m' as red, null as none;").stdout
    check("\x1b" not in box and "NULL" in box, box)
    same("csv", tool.run("fleet", "sql", database.url, "select 1 as a, 'x,y' as b", "--format", "csv").stdout, 'a,b\n1,"x,y"\n')
    for statement, said in (("select * from nothing", "nothing"), ("\\! touch hacked", "syntax error"), ("select 1; \\! touch hacked", "syntax error"),
                            ("select 1 -- ; drop", None)):
        done = tool.run("fleet", "sql", database.url, statement, expect=None)
        same(statement, done.returncode, 2 if said else 0)
        check(said is None or said in done.stderr, done.stderr)
    same("json", json.loads(tool.run("fleet", "sql", database.url, "select 1 as a where false ;", "--format", "json").stdout), [])


def whole(database):
    """Captures without rows: there are none, at no moment."""
    return database.query("select count(*) from hsdiff_fleet.captures c where not exists (select from hsdiff_fleet.rows r where r.capture = c.capture)").strip()


def several(server, tool, captures):
    """Six who make the store and add the same captures at once, and two who add others."""
    database = Database(server, tool, "several")
    words = [[tool.path, "fleet", "add", database.url, *map(str, captures), "--label", "service=shop", "--label", f"version={version}"] for version in "11111123"]
    writers = [subprocess.Popen(one, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for one in words]
    same("writers", [(writer.communicate(timeout=120)[1], writer.returncode)[1] for writer in writers], [0] * 8)
    same("captures", database.query("select version, count(*) from hsdiff_fleet.captures group by 1 order by 1").split(), ["1|2", "2|2", "3|2"])
    same("whole", whole(database), "0")


def killed(server, tool, captures):
    """Ended at any moment: what was told as added is there, no capture is there in part, and a second time adds it."""
    database = Database(server, tool, "killed")
    chance = random.Random(11)
    began = time.monotonic()
    database.add(*captures, version="0")
    took = time.monotonic() - began
    for turn in range(1, 101 if kit.LONG else 13):
        words = [tool.path, "fleet", "add", database.url, *map(str, captures), "--label", "service=shop", "--label", f"version={turn}"]
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=chance.random() * 1.2 * took)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        if child.wait() == 0:
            same("told as added", database.query(f"select count(*) from hsdiff_fleet.captures where version = '{turn}'").strip(), "2")
        same("whole", whole(database), "0")
    database.add(*captures, version="1")
    same("captures", database.query(f"select count(*) from hsdiff_fleet.captures where version = '1'").strip() in ("2", "4"), True)


def refused(server, tool, folder, captures):
    """Each reason in words; and nowhere a password."""
    database = Database(server, tool, "refused")
    server.run(f"CREATE ROLE secretive LOGIN PASSWORD '{SECRET}'; CREATE ROLE guest LOGIN;")
    tried = []

    def wrong(said, store, *words, status, **more):
        done = tool.run("fleet", *(words or ("report",)), store, *(more.pop("behind", ())), expect=status, **more)
        tried.append(done.stdout + done.stderr)
        check(said in done.stderr, f"{said!r} is not in {done.stderr!r}")

    def adds(user, said, status, **more):
        wrong(said, database.of(user), "add", status=status, behind=(captures[0], "--label", "service=shop"), **more)

    wrong("there is no fleet store", database.url, status=2)
    adds("guest", "does not let this user do it", 4)
    database.add(captures[0])
    wrong("does not let this user do it", database.of("guest"), status=4)
    adds("guest", "does not let this user do it", 4)
    wrong("cannot connect", database.of("secretive", "another"), status=4)
    wrong("cannot connect", database.of("secretive"), status=4)
    wrong("cannot connect", f"postgresql://secretive:{SECRET[:3]}@127.0.0.1:1/x", status=4)
    wrong("an @ where none can be", f"postgresql://secretive:{SECRET}@host/x", status=3)
    wrong("two digits", "postgresql://me:sec%zz@host/x", status=3)
    wrong("sslpassword", "postgresql://me@host/x?sslpassword=sec", status=3)
    wrong("postgresql-client", database.url, status=2, env=dict(os.environ, HSDIFF_PSQL="/nowhere/psql"))
    database.query("GRANT USAGE ON SCHEMA hsdiff_fleet TO secretive; GRANT SELECT ON ALL TABLES IN SCHEMA hsdiff_fleet TO secretive;")
    log = folder / "words"
    (folder / "psql").write_text(LOGGER.format(log=log), encoding="utf-8")
    (folder / "psql").chmod(0o755)
    for url in (database.of("secretive", SECRET), database.of("secretive") + "?password=" + urllib.parse.quote(SECRET, safe="") + "&application_name=mine"):
        done = tool.run("fleet", "report", "--no-sandbox", url, "-v", env=dict(os.environ, HSDIFF_PSQL=str(folder / "psql")))
        tried.append(done.stdout + done.stderr)
        check("1 capture" in done.stdout, done.stdout)
    tried.append(tool.run("fleet", "add", database.of("secretive", SECRET), captures[0], "--label", f"service={SERVICE}", "--label", "version=1", "--label", "rack=x",
                          expect=4).stderr)
    tried.append(tool.run("fleet", "report", database.of("secretive", SECRET), "--format", "html", "-v").stdout)
    tried.append(log.read_text(encoding="utf-8"))
    check("application_name=mine" in tried[-1], "psql was not asked")
    for text in tried:
        check(SECRET not in text and urllib.parse.quote(SECRET, safe="") not in text and "geheim" not in text, text)
    database.query("UPDATE hsdiff_fleet.store SET version = 99")
    wrong("a version that this hsdiff does not know", database.url, status=3)
    adds("postgres", "a version that this hsdiff does not know", 3)
    database.query("DROP TABLE hsdiff_fleet.store")
    wrong("there is no fleet store", database.url, status=2)
    adds("postgres", "is no fleet store", 3)


def received(server, tool, folder, captures):
    """hsdiff receive --fleet into a database: no connection is held while nothing comes."""
    database = Database(server, tool, "received")
    receiver = test_received.Receiver(tool, folder, "--count", "3", "--label", "version=2.4.1", store=database.of("postgres"))
    receiver.send(captures[0].read_bytes())
    test_received.wait_until("it is added", lambda: database.query("select count(*) from hsdiff_fleet.captures").strip() == "1")
    test_received.wait_until("nobody is connected", lambda: server.call(
        "psql", "-h", server.folder, "-X", "-A", "-t", "-c", "select count(*) from pg_stat_activity where datname = 'received'", "postgres").strip() == "0")
    receiver.send(captures[1].read_bytes(), captures[0].read_bytes())
    _, added = receiver.end()
    same("added", sorted((line["known"], line["deleted"], line["error"]) for line in added), [(False, True, ""), (False, True, ""), (True, True, "")])
    same("rows", all(line["rows"] > 0 for line in added if not line["known"]), True)
    same("left", receiver.files(), [])
    same("captures", database.report()["captures"], 2)


def store(server, tool, folder, make):
    """All of it, with one server."""
    tool.run("demo", "-q", "--force", cwd=folder)
    captures = [pathlib.Path(folder / f"demo-{name}.hs") for name in ("before", "after")]
    as_folder(server, tool, folder, make)
    database = Database(server, tool, "mine")
    tables(database, tool, folder, captures)
    questions(database, tool)
    several(server, tool, captures)
    killed(server, tool, captures)
    refused(server, tool, folder, captures)
    received(server, tool, folder, captures)
    check(not list(folder.glob("**/hacked")), "a shell was reached")
