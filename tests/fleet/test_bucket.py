#!/usr/bin/env python3
"""A store in a bucket: moto's server, which speaks the protocol of S3, on this machine, and DuckDB with its extension httpfs (both from PyPI). What a
folder says of the same captures, objects that appear whole, and nothing secret in what is said."""
import atexit
import contextlib
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "export"))
import engines  # noqa: E402
import kit  # noqa: E402
from kit import check, run, same  # noqa: E402

SERVICE = "a'b,\"c\\% /?*"
PACKAGES = ("duckdb-cli==1.5.5", "duckdb-extension-httpfs==1.5.5", "moto[s3]==5.2.5", "flask==3.1.2", "flask-cors==6.0.1")
KEY, SECRET = "AKIDEXAMPLE0000", "wJalrXUtnFEMI/K7MDENG"
def programs():
    """The folder of programs, and the environment with which DuckDB finds its extension."""
    try:
        found = engines.made("bucket", PACKAGES, "moto.server, duckdb_cli, duckdb_extension_httpfs")
    except engines.Missing as why:
        kit.skip(why)
    return found


class Server:
    """moto, once for all cases; it asks nobody who they are."""
    address = None

    @classmethod
    def begin(cls, python):
        if cls.address:
            return
        cls.log = tempfile.NamedTemporaryFile(prefix="hsdiff-moto-")  # pylint: disable=consider-using-with
        cls.child = subprocess.Popen([python, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"], stdin=subprocess.DEVNULL, stdout=cls.log, stderr=cls.log)
        atexit.register(cls.child.kill)
        until = time.monotonic() + 100
        while "Running on" not in (said := pathlib.Path(cls.log.name).read_text(encoding="utf-8", errors="replace")):
            check(cls.child.poll() is None and time.monotonic() < until, f"no server: {said}")
            time.sleep(0.05)
        cls.address = said.split("Running on ")[1].split()[0]

    @classmethod
    def call(cls, method, path, data=None):
        headers = {"Authorization": f"AWS4-HMAC-SHA256 Credential={KEY}/20261129/us-east-1/s3/aws4_request", "Content-Type": "application/octet-stream"}
        request = urllib.request.Request(f"{cls.address}/{path}", method=method, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()


class Bucket:
    """A bucket, and hsdiff that knows it."""

    def __init__(self, tool, folder, name):
        self.programs, self.tool, self.folder, self.name = programs(), tool, folder, name
        Server.begin(self.programs / "python")
        Server.call("PUT", name)
        packages = next(self.programs.parent.glob("lib/python*/site-packages"))
        extension = next(packages.glob("duckdb_extension_httpfs/extensions/*/httpfs.duckdb_extension"))
        home = folder / "home"
        there = home / ".duckdb/extensions" / extension.parent.name / "linux_amd64"
        there.mkdir(parents=True)
        shutil.copy(extension, there)
        self.more = dict(os.environ, HOME=str(home), HSDIFF_DUCKDB=str(packages / "duckdb_cli/duckdb"), AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET,
                         AWS_REGION="us-east-1")
        self.more.pop("AWS_ENDPOINT_URL_S3", None)
        self.more["AWS_ENDPOINT_URL"] = Server.address

    def put(self, key, data):
        Server.call("PUT", f"{self.name}/{urllib.parse.quote(key)}", data)

    def delete(self, key):
        Server.call("DELETE", f"{self.name}/{urllib.parse.quote(key)}")

    def listed(self, prefix=""):
        """(name, bytes) of each object."""
        tree = xml.etree.ElementTree.fromstring(Server.call("GET", f"{self.name}?list-type=2&max-keys=1000&prefix={urllib.parse.quote(prefix)}"))
        space = tree.tag.split("}")[0] + "}"
        return [(one.find(f"{space}Key").text, int(one.find(f"{space}Size").text)) for one in tree.findall(f"{space}Contents")]

    def copy(self, folder, prefix):
        for path in folder.glob("**/*"):
            if path.is_file():
                self.put(prefix + str(path.relative_to(folder)), path.read_bytes())

    def run(self, action, *words, **more):
        return self.tool.run("fleet", action, *words, env=dict(self.more, **more.pop("env", {})), **more)

    def add(self, store, *captures, version="1", **more):
        return self.run("add", store, *captures, "--label", f"service={SERVICE}", "--label", f"version={version}", **more)

    def report(self, store, *words):
        return json.loads(self.run("report", store, "--format", "json", *words).stdout)

    def count(self, store):
        return json.loads(self.run("sql", store, "select count(distinct capture) as n from captures", "--format", "json").stdout)[0]["n"]


def demo(tool, folder):
    tool.run("demo", "-q", cwd=folder)
    return folder / "demo-before.hs", folder / "demo-after.hs"


def rows(bucket, store, table):
    return sorted(map(str, json.loads(bucket.run("sql", store, f"select * from {table}", "--format", "json").stdout)))


def store(tool, folder):
    """Added, once; each file as a folder has it; compacted, with rows and without."""
    before, after = demo(tool, folder)
    bucket = Bucket(tool, folder, "stores")
    url, plain = "s3://stores/a/b=c/", folder / "plain"
    for one in (url, plain):
        bucket.add(one, before, after)
    check("2 of the captures were there already" in bucket.add(url, before, after).stderr, "added twice")
    wanted = sorted((str(path.relative_to(plain)), path.stat().st_size) for path in plain.glob("**/*") if path.is_file())
    same("objects", sorted((name[len("a/b=c/"):], size) for name, size in bucket.listed("a/")), wanted)
    for table in ("captures", "rows", "names"):
        same(table, rows(bucket, url, table), rows(bucket, plain, table))
    bucket.add(url, before, version="2")
    same("report", bucket.report(url)["captures"], 3)
    same("of a service", bucket.report(url, "--service", SERVICE, "--since", "2026-11-20")["captures"], 3)
    same("later", bucket.report(url, "--since", "2026-11-21")["captures"], 0)
    bucket.put("a/b=c/service=x/date=2026-11-20/batch=1/names.parquet", b"torn")
    same("a batch without captures", bucket.report(url)["captures"], 3)
    check("1 batch, before 2" in bucket.run("compact", url).stderr, "compact")
    same("compacted", (bucket.report(url)["captures"], bucket.count(url)), (3, 3))
    check("1 batch, before 1" in bucket.run("compact", url, "--keep", "1d").stderr, "compact --keep")
    same("from sums", (bucket.report(url)["captures"], bucket.count(url)), (3, 3))
    names = [name for name, _ in bucket.listed("a/") if "batch=" in name]
    last = next(name for name in names if name.endswith("/states.parquet")).rsplit("/", 1)[0]
    older = [name for name in names if not name.startswith(last)]
    check(any(name.endswith("/replaces") for name in older), older)
    for name in sorted(older, key=lambda name: not name.endswith("/replaces")):  # in whatever order: none comes back
        bucket.delete(name)
        if name.endswith(("/replaces", "/captures.parquet")):
            same("captures", bucket.count(url), 3)
    same("temporary", [path.name for path in pathlib.Path(bucket.more.get("TMPDIR", "/var/tmp")).glob("hsdiff-batch-*")], [])


def planted(tool, folder):
    """A generated fleet, copied there: the report of the folder."""
    bucket = Bucket(tool, folder, "planteds")
    truth = run([MAKE, folder / "fleet", 40, 12, 60, 1, 1], timeout=600).splitlines()
    bucket.copy(folder / "fleet", "fleet/")
    found = bucket.report("s3://planteds/fleet")
    same("report", found, bucket.report(folder / "fleet"))
    same("the planted place", found["findings"][0]["name"], truth[1])
    words = ("--baseline", "2.4.0", "--candidate", "2.4.1", "--format", "junit")
    same("check", bucket.run("check", "s3://planteds/fleet", *words, expect=1).stdout, bucket.run("check", folder / "fleet", *words, expect=1).stdout)


def killed(tool, folder):
    """Four at once, and some that are ended at any moment: what was told as added is there, and all can be read."""
    before, after = demo(tool, folder)
    bucket = Bucket(tool, folder, "killeds")
    url, chance = "s3://killeds/fleet", random.Random(5)
    words = lambda version: [tool.path, "fleet", "add", url, str(before), str(after), "--label", "service=shop", "--label", f"version={version}"]
    start = lambda version: subprocess.Popen(words(version), env=bucket.more, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began = time.monotonic()
    same("writers", [child.wait(timeout=120) for child in [start(version) for version in (1, 1, 2, 3)]], [0] * 4)
    took = time.monotonic() - began
    same("captures", bucket.count(url), 6)
    added = {1, 2, 3}
    for version in range(4, 60 if kit.LONG else 8):
        child = start(version)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=chance.random() * took)
        child.send_signal(signal.SIGKILL)
        if child.wait() == 0:
            added.add(version)
    got = {int(row["version"]): row["n"] for row in json.loads(bucket.run("sql", url, "select version, count(*) as n from captures group by all", "--format", "json").stdout)}
    check(added <= set(got) and set(got.values()) == {2}, f"{added} were told as added, and there are {got}")
    for path in pathlib.Path(bucket.more.get("TMPDIR", "/var/tmp")).glob("hsdiff-batch-*"):  # of those that were ended
        shutil.rmtree(path)


class Refusing(http.server.BaseHTTPRequestHandler):
    """Says no, and repeats all that it was told."""

    def refuse(self):
        body = f"<Error><Code>InvalidAccessKeyId</Code><Message>{KEY} {SECRET}</Message></Error>".encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = refuse

    def log_message(self, *_):
        pass


def refused(tool, folder):
    """Each reason in words, and no secret in them."""
    before, _ = demo(tool, folder)
    bucket = Bucket(tool, folder, "refuseds")
    tried = []

    def wrong(said, store, status, *words, **environment):
        done = bucket.run(*(words or ("report",)), store, *((before, "--label", "service=shop") if words else ()), expect=status, env=environment)
        tried.append(done.stdout + done.stderr)
        check(said in done.stderr, f"{said!r} is not in {done.stderr!r}")

    wrong("there is no such fleet store", "s3://refuseds/none", 2)
    wrong("there is no such bucket", "s3://nobody/none", 2)
    wrong("there is no such bucket", "s3://nobody/none", 2, "add")
    for address in ("s3://", "s3:///x", "s3://refuseds/a*", "s3://refuseds//a", f"s3://{KEY}:{SECRET}@fleets/x", f"s3://refuseds/x?s3_secret_access_key={SECRET}", "s3://refuseds/a'b"):
        wrong("no address of a bucket", address, 3)
    bucket.put("mine/letter.txt", b"dear")
    wrong("holds other things", "s3://refuseds/mine", 3, "add")
    wrong("no fleet store", "s3://refuseds/mine", 3)
    bucket.add("s3://refuseds/fleet", before)
    for name in ("letter.txt", "service=a/letter.txt", "service=a/date=1/batch=2/letter.txt", "service=a'b/date=1/batch=2/rows.parquet"):
        bucket.put(f"fleet/{name}", b"dear")
        wrong(name, "s3://refuseds/fleet", 3)
        bucket.delete(f"fleet/{name}")
    bucket.put("fleet/service=a/date=2026-11-20/batch=2/replaces", b"../../x\n")
    wrong("replaces", "s3://refuseds/fleet", 3)
    bucket.delete("fleet/service=a/date=2026-11-20/batch=2/replaces")
    for text, said in (("nothing", "says something else"), ("hsdiff fleet store, version 99\n", "a version that this hsdiff does not know")):
        bucket.put("fleet/hsdiff-fleet", text.encode())
        wrong(said, "s3://refuseds/fleet", 3)
        wrong(said, "s3://refuseds/fleet", 3, "add")
    wrong("httpfs", "s3://refuseds/fleet", 2, HOME=str(folder))
    wrong("AWS_ENDPOINT_URL is no address", "s3://refuseds/fleet", 3, AWS_ENDPOINT_URL="http://x'; select 1")
    wrong("cannot be reached", "s3://refuseds/fleet", 4, AWS_ENDPOINT_URL="http://127.0.0.1:1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        wrong("the bucket refuses", "s3://refuseds/fleet", 4, AWS_ENDPOINT_URL=f"http://127.0.0.1:{server.server_port}")
        wrong("the bucket refuses", "s3://refuseds/fleet", 4, "add", AWS_ENDPOINT_URL=f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    for text in tried:
        check(SECRET not in text and KEY not in text, text)


if __name__ == "__main__":
    MAKE = sys.argv.pop(1)
    kit.main({"store": store, "planted": planted, "killed": killed, "refused": refused})
