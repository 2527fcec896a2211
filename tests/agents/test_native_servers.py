#!/usr/bin/env python3
"""Programs of others under the native agent, captured every second: they answer as they do without it. What they do is repeated until enough captures
were taken, and each answer, status and exit status is held against a run without agent and captures.

    redis      scripted commands (scripts, transactions, blocking ones that time out, a save by fork) and redis-benchmark
    sqlite     a long script of SQL, to a file
    nginx      files, errors, redirections, pages through itself as a proxy; workers with the rights of their master
    dropped    ... and with those of another user, so that they may not be traced
    postgres   a script of SQL (sorts on disk, joins, functions, timeouts, errors), pgbench and the sums that it must leave

HSD_LONG=1 takes 60 captures in each where 10 are taken else. Of programs that fork each process is captured.
"""
import contextlib
import hashlib
import http.client
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from kit import LONG, Failed, check, main, say, wait_until
from test_native_stress import preloaded

CAPTURES = 60 if LONG else 10
EVERY_S = 1.0


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def tree(pid):
    """A process and all that came of it."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                found += tree(int(child))
    return found


def wait_for(status, what):
    check(status == 0, f"{what} ended with {status}")


class Captures:
    """Of a program and its children, every second, by a thread; a context manager. A child may end before it is captured, or begin to."""

    def __init__(self, tool, folder, pid):
        self.tool, self.folder, self.pid = tool, folder, pid
        self.taken = self.gone = self.signalled = 0
        self.wrong, self.captured = [], set()
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def one(self, pid):
        path = self.folder / f"capture-{pid}.hs"
        done = self.tool.capture(pid, path, "--force", expect=None)
        is_there = pathlib.Path(f"/proc/{pid}/exe").exists()
        if done.returncode == 0 and self.tool.run("verify", path, expect=None).returncode == 0:
            self.taken += 1
            self.captured.add(pid)
            self.signalled += 'name="threads.signalled"' in self.tool.run("dump", path, "--only", "metrics").stdout
        elif not is_there or "no agent is loaded" in done.stderr or "does not listen" in done.stderr:
            self.gone += 1  # ended, or not yet half a second old
        else:
            self.wrong.append(f"{pid}: {done.returncode} {done.stderr}")
        path.unlink(missing_ok=True)

    def run(self):
        while not self.is_over.wait(EVERY_S):
            for pid in tree(self.pid):
                self.one(pid)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def told(self):
        check(not self.wrong, f"captures that failed: {self.wrong[:3]}")
        return f"{self.taken} captures of {len(self.captured)} processes ({self.signalled} by signals), {self.gone} of processes that came and went"


def first_difference(wanted, got):
    for i, (a, b) in enumerate(zip(wanted, got)):
        if a != b:
            return f"answer {i}: {b!r:.300}, not {a!r:.300}"
    return f"{len(got)} answers, not {len(wanted)}"


def compare(what, tool, folder, run_once, start, environment):
    """`start(environment)` gives a running server; `run_once(server)` a list of answers, the same each time."""
    with start({}) as server:
        wanted = run_once(server)
        check(run_once(server) == wanted, f"{what}: not the same twice, even without captures")
    rounds = 0
    with start(environment) as server, Captures(tool, folder, server.pid) as captures:
        while captures.taken < CAPTURES or rounds < 2:
            got = run_once(server)
            rounds += 1
            check(got == wanted, f"{what}, round {rounds}, after {captures.taken} captures: {first_difference(wanted, got)}")
            check(server.poll() is None, f"{what} ended with {server.poll()}")
    say(f"        {what}: {rounds} rounds of {len(wanted)} answers, all the same; {captures.told()}")


@contextlib.contextmanager
def served(command, environment, is_up, stop="TERM", **more):
    """Runs a server until the end of the block, and wants it to end in order."""
    server = subprocess.Popen(list(map(str, command)), env=dict(os.environ, **environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, **more)
    log = []
    reader = threading.Thread(target=lambda: log.extend(server.stdout))
    reader.start()
    try:
        wait_until(f"{command[0]} does not answer: {log}", lambda: server.poll() is not None or is_up(), 60)
        check(server.poll() is None, f"{command[0]} ended with {server.poll()}: {''.join(log)}")
        yield server
        server.send_signal(getattr(__import__("signal"), f"SIG{stop}"))
        check(server.wait(60) == 0, f"{command[0]} ended with {server.returncode}: {''.join(log)[-2000:]}")
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()
        reader.join()


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


# ---- redis

def words_of(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (str(w).encode() for w in words))


def read_answer(file):
    line = file.readline()
    kind, rest = line[:1], line[1:].strip()
    if kind == b"$":
        return None if rest == b"-1" else file.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return None if rest == b"-1" else [read_answer(file) for _ in range(int(rest))]
    return line.strip()


def redis_commands():
    yield "FLUSHALL",
    for i in range(3000):
        yield "SET", f"key:{i}", f"value {i} " + "x" * (i % 500)
        yield "APPEND", f"key:{i % 700}", f"+{i}"
        yield "LPUSH", f"list:{i % 20}", i
        yield "ZADD", "scores", (i * 7919) % 10007, f"member:{i}"
        yield "HSET", f"hash:{i % 50}", f"field:{i}", i * i
        yield "INCRBY", "counter", i
        if i % 3 == 0:
            yield "DEL", f"key:{i // 3}"
        if i % 100 == 0:
            yield "EVAL", "local s = 0 for i = 1, 5000 do s = s + #redis.call('GET', KEYS[1]) end return s", 1, f"key:{i}"
            yield "LRANGE", f"list:{i % 20}", 0, -1
            yield "ZRANGEBYSCORE", "scores", i, i + 300
            yield "SORT", "list:1", "DESC"
            yield "MULTI",
            yield "GET", "counter"
            yield "HLEN", "hash:7"
            yield "EXEC",
            yield "LPOP", "counter"
    for _ in range(3):
        yield "BLPOP", "nothing", 0.4
    yield "BLPOP", "list:3", 1
    yield "DBSIZE",
    yield "SAVE",
    yield "DEBUG", "DIGEST"


def redis(tool, folder):
    if not shutil.which("redis-server") or not shutil.which("redis-benchmark"):
        return say("        redis is not installed")
    port = free_port()

    def start(environment):
        return served(["redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--enable-debug-command", "yes"], environment,
                      lambda: listens(port))

    def run_once(server):
        answers = []
        with socket.create_connection(("127.0.0.1", port), timeout=120) as one, one.makefile("rb") as file:
            for words in redis_commands():
                one.sendall(words_of(*words))
                answers.append(read_answer(file))
        bench = subprocess.run(["redis-benchmark", "-p", str(port), "-n", "20000", "-c", "30", "-P", "8", "--csv", "-t",
                                "set,get,incr,lpush,rpop,sadd,hset,zadd,lrange_100,mset"], capture_output=True, text=True, timeout=300)
        answers.append((bench.returncode, bench.stderr, re.findall(r'^"([^"]*)"', bench.stdout, re.M)))
        cli = subprocess.run(["redis-cli", "-p", str(port)], input="LRANGE list:5 0 20\nGET key:7\nNOSUCH\nPING\n", capture_output=True, text=True,
                             timeout=60)
        return answers + [(cli.returncode, cli.stdout, cli.stderr)]

    compare("redis", tool, folder, run_once, start, preloaded(tool))
    return None


# ---- sqlite

SQL = """
PRAGMA cache_size = 200;
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, born INT, notes TEXT);
CREATE TABLE sale(id INTEGER PRIMARY KEY, person INT REFERENCES person, cents INT, day TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
  INSERT INTO person SELECT i, printf('name %05d', i * 7919 % 60013), 1900 + i % 120, hex(zeroblob(i % 40)) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
  INSERT INTO sale SELECT i, 1 + i * 31 % 60000, i * 17 % 10000, date('2020-01-01', printf('+%d days', i % 1000)) FROM n;
CREATE INDEX sale_day ON sale(day); CREATE INDEX person_name ON person(name);
SELECT count(*), sum(cents), min(day), max(day) FROM sale;
SELECT p.born, count(*), sum(s.cents) FROM sale s JOIN person p ON p.id = s.person GROUP BY p.born ORDER BY 3 DESC LIMIT 20;
SELECT day, sum(cents) OVER (ORDER BY day ROWS 3 PRECEDING) FROM (SELECT day, sum(cents) cents FROM sale GROUP BY day) LIMIT 30;
BEGIN; UPDATE sale SET cents = cents + 1 WHERE id % 3 = 0; DELETE FROM sale WHERE id % 7 = 0; ROLLBACK;
SELECT sum(cents), count(*) FROM sale;
BEGIN; UPDATE sale SET cents = cents + 1 WHERE id % 3 = 0; DELETE FROM sale WHERE id % 7 = 0; COMMIT;
SELECT sum(cents), count(*) FROM sale;
SELECT group_concat(name, ',') FROM (SELECT name FROM person WHERE name LIKE '%77%' ORDER BY name DESC LIMIT 40);
SELECT json_extract(json_group_array(born), '$[17]') FROM person;
INSERT INTO person(id) VALUES (1);
SELECT * FROM nowhere;
VACUUM; PRAGMA integrity_check;
WITH RECURSIVE c(x, y, i, a, b) AS (SELECT * FROM (WITH RECURSIVE g(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM g WHERE k < 2499)
    SELECT (k % 50) / 20.0 - 2, (k / 50) / 20.0 - 1.2, 0, 0.0, 0.0 FROM g)
  UNION ALL SELECT x, y, i + 1, a*a - b*b + x, 2*a*b + y FROM c WHERE i < 60 AND a*a + b*b < 4)
  SELECT y, group_concat(substr(' .+*#', min(4, m / 12) + 1, 1), '') FROM (SELECT x, y, max(i) m FROM c GROUP BY y, x) GROUP BY y;
"""


def sqlite(tool, folder):
    if not shutil.which("sqlite3"):
        return say("        sqlite3 is not installed")
    file, script = folder / "shop.db", folder / "shop.sql"
    script.write_text(SQL * 1 + ".sha3sum\n")

    def run(environment, look):
        file.unlink(missing_ok=True)
        with script.open() as source:
            process = subprocess.Popen(["sqlite3", str(file)], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       env=dict(os.environ, **environment))
            with look(process.pid):
                told = process.communicate(timeout=300)[0]
        return process.returncode, told, hashlib.sha256(file.read_bytes()).hexdigest()

    wanted, rounds, taken, gone = run({}, lambda pid: contextlib.nullcontext()), 0, 0, 0
    while taken < CAPTURES:
        captures = []
        got = run(preloaded(tool), lambda pid: captures.append(Captures(tool, folder, pid)) or captures[0])
        rounds += 1
        check(got == wanted, f"sqlite3, round {rounds}: {first_difference(wanted, got)}")
        captures[0].told()
        taken += captures[0].taken
        gone += captures[0].gone
        check(rounds < 10 * CAPTURES, "sqlite3 ends before a capture of it")
    say(f"        sqlite3: {rounds} rounds, {len(wanted[1].splitlines())} lines and the file all the same; {taken} captures")
    return None


# ---- nginx

CONFIGURATION = """
%(user)s daemon off; worker_processes 2; pid %(folder)s/nginx.pid; error_log %(folder)s/error.log;
events { worker_connections 256; }
http {
  access_log off; root %(folder)s/pages; default_type application/octet-stream;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy; fastcgi_temp_path %(folder)s/fastcgi; uwsgi_temp_path %(folder)s/uwsgi;
  scgi_temp_path %(folder)s/scgi;
  gzip on; gzip_types *; gzip_min_length 100; keepalive_requests 50;
  server {
    listen 127.0.0.1:%(port)d;
    location /old { return 301 /small.txt; }
    location /gone { return 410 "gone"; }
    location /list/ { alias %(folder)s/pages/; autoindex on; autoindex_exact_size on; }
    location /again/ { proxy_pass http://127.0.0.1:%(port)d/; proxy_buffers 4 4k; }
    location /slow/ { limit_rate 400k; alias %(folder)s/pages/; }
    location /nobody/ { proxy_pass http://127.0.0.1:1/; }
  }
}
"""
PATHS = ["/small.txt", "/big.bin", "/again/small.txt", "/again/big.bin", "/old", "/gone", "/list/", "/nothing", "/slow/middle.bin", "/nobody/", "/again/again/middle.bin"]


def fetch(port, wanted_range, out, number):
    """All paths a few times on connections that are kept; what came."""
    got = []
    one = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for turn in range(4):
        for path in PATHS:
            headers = {"Accept-Encoding": "gzip"} if turn % 2 else {}
            if turn == 2 and path.endswith(".bin"):
                headers["Range"] = wanted_range
            one.request("GET", path, headers=headers)
            answer = one.getresponse()
            got.append((path, answer.status, answer.headers.get("Content-Type"), answer.headers.get("Content-Encoding"),
                        hashlib.sha256(answer.read()).hexdigest()))
    one.close()
    out[number] = got


def serve_pages(tool, folder, user):
    if not shutil.which("nginx"):
        return say("        nginx is not installed")
    port = free_port()
    pages = folder / "pages"
    pages.mkdir()
    (pages / "small.txt").write_text("a small page\n" * 20)
    for name, size in (("middle.bin", 150_000), ("big.bin", 3_000_000)):
        (pages / name).write_bytes(b"".join(hashlib.sha256(f"{name} {i}".encode()).digest() for i in range(size // 32)))
    for file in pages.iterdir():
        os.utime(file, (1_600_000_000, 1_600_000_000))
    for path in (folder, pages):
        path.chmod(0o755)
    (folder / "nginx.conf").write_text(CONFIGURATION % {"folder": folder, "port": port, "user": f"user {user};" if user else ""})

    def start(environment):
        return served([shutil.which("nginx"), "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"], environment, lambda: listens(port),
                      stop="QUIT")

    def run_once(server):
        out = {}
        threads = [threading.Thread(target=fetch, args=(port, f"bytes={1000 * i}-{50_000 + i}", out, i)) for i in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return [answer for i in range(4) for answer in out.get(i, ["nothing: the client failed"])]

    compare(f"nginx, {f'workers of {user}' if user else 'rights of its master'}", tool, folder, run_once, start, preloaded(tool))
    return None


def nginx(tool, folder):
    return serve_pages(tool, folder, "root" if os.geteuid() == 0 else None)


def dropped(tool, folder):
    if os.geteuid() != 0:
        return say("        not root: left out")
    return serve_pages(tool, folder, "nobody nogroup")


# ---- postgres

QUERIES = r"""
\set ON_ERROR_STOP off
SET client_min_messages = warning;
SET work_mem = '256kB'; SET max_parallel_workers_per_gather = 2;
DROP TABLE IF EXISTS sale, person CASCADE;
CREATE TABLE person AS SELECT i AS id, md5(i::text) AS name, 1900 + i % 120 AS born FROM generate_series(1, 30000) i;
CREATE TABLE sale AS SELECT i AS id, 1 + i * 31 % 30000 AS person, (i::bigint * 7919 % 10007)::int AS cents FROM generate_series(1, 150000) i;
ALTER TABLE person ADD PRIMARY KEY (id); CREATE INDEX ON sale (person); ANALYZE;
SELECT count(*), sum(cents), min(cents), max(cents) FROM sale;
SELECT born, count(*), sum(cents) FROM sale JOIN person ON person.id = sale.person GROUP BY born ORDER BY 3 DESC, 1 LIMIT 15;
SELECT name, sum(cents) OVER (PARTITION BY born ORDER BY name) FROM person JOIN sale ON sale.person = person.id ORDER BY name, 2 LIMIT 25;
SELECT md5(string_agg(name, ',' ORDER BY name DESC)) FROM person;
WITH RECURSIVE t(n, s) AS (SELECT 1, 1::numeric UNION ALL SELECT n + 1, s * (n + 1) FROM t WHERE n < 300) SELECT max(s) FROM t;
CREATE OR REPLACE FUNCTION collatz(n bigint) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ DECLARE c int := 0; BEGIN
  WHILE n <> 1 LOOP n := CASE WHEN n % 2 = 0 THEN n / 2 ELSE 3 * n + 1 END; c := c + 1; END LOOP; RETURN c; END $$;
SELECT max(collatz(i)), sum(collatz(i)) FROM generate_series(1, 3000) i;
SELECT jsonb_object_agg(id, name) -> '77' FROM person WHERE id < 2000;
SELECT 1 / (cents - cents) FROM sale LIMIT 1;
SELECT * FROM nowhere;
INSERT INTO person VALUES (1, 'again', 2000);
SET statement_timeout = '300ms'; SELECT pg_sleep(30); RESET statement_timeout;
SELECT clock_timestamp() - now() >= '0.5 s' FROM pg_sleep(0.5);
BEGIN; DELETE FROM sale WHERE id % 2 = 0; SELECT count(*) FROM sale; SAVEPOINT a; TRUNCATE person; ROLLBACK TO a; SELECT count(*) FROM person; ROLLBACK;
SELECT count(*), sum(cents) FROM sale;
DO $$ BEGIN FOR i IN 1..50 LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
VACUUM FULL sale; REINDEX TABLE person; SELECT count(*) FROM sale WHERE person BETWEEN 100 AND 200;
\copy (SELECT * FROM sale ORDER BY id LIMIT 1000) TO STDOUT
"""
SUMS = ("SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history), "
        "(SELECT sum(tbalance) FROM pgbench_tellers) = (SELECT sum(delta) FROM pgbench_history), "
        "(SELECT sum(bbalance) FROM pgbench_branches) = (SELECT sum(delta) FROM pgbench_history), "
        "(SELECT count(*) FROM pgbench_history) = {}")


def postgres_programs():
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return folders[-1].parent if folders else None


def postgres(tool, folder):
    bin_ = postgres_programs()
    if bin_ is None:
        return say("        postgres is not installed")
    port, data = free_port(), folder / "data"
    more = {}
    if os.geteuid() == 0:  # it does not run as root
        account = pwd.getpwnam("postgres")
        more = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        os.chown(folder, account.pw_uid, account.pw_gid)
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PG")}

    def client(*command, **others):
        return subprocess.run([str(bin_ / command[0]), "-h", str(folder), "-p", str(port), *map(str, command[1:])], capture_output=True, text=True,
                              timeout=300, env=dict(bare, PGDATABASE="postgres"), cwd=folder, stdin=others.pop("stdin", subprocess.DEVNULL), **more)

    made = subprocess.run([str(bin_ / "initdb"), "-D", str(data), "-E", "UTF8", "--locale=C", "-A", "trust", "-N"], capture_output=True, text=True,
                          cwd=folder, **more)
    check(made.returncode == 0, f"initdb: {made.stdout}{made.stderr}")
    (folder / "queries.sql").write_text(QUERIES)
    (folder / "queries.sql").chmod(0o644)

    def start(environment):
        return served([bin_ / "postgres", "-D", data, "-p", port, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "autovacuum_naptime=1s"],
                      environment, lambda: client("psql", "-c", "SELECT 1").returncode == 0, stop="INT", cwd=folder, **more)

    def run_once(server):
        done = client("psql", "-X", "-f", folder / "queries.sql")
        answers = [done.returncode, *done.stdout.splitlines(), *done.stderr.splitlines()]
        filled = client("pgbench", "-i", "-s", "2", "-q")
        bench = client("pgbench", "-c", "6", "-j", "2", "-t", "400")
        found = re.search(r"actually processed: (\d+)/(\d+)", bench.stdout)
        failed = re.search(r"failed transactions: (\d+)", bench.stdout)
        check(found is not None, f"pgbench: {bench.stdout}{bench.stderr}")
        answers += [filled.returncode, bench.returncode, found.group(1), failed and failed.group(1)]
        return answers + client("psql", "-X", "-A", "-t", "-c", SUMS.format(found.group(1))).stdout.splitlines()

    compare("postgres", tool, folder, run_once, start, preloaded(tool))
    return None


if __name__ == "__main__":
    main({"redis": redis, "sqlite": sqlite, "nginx": nginx, "dropped": dropped, "postgres": postgres})
