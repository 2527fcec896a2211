#!/usr/bin/env python3
"""hsdiff mcp: the protocol, each tool against what the command says, pages, cancelling, and how it ends."""
import json
import os
import pathlib
import signal
import subprocess
import time

import kit
from kit import PAIR, check, same

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
TOOLS = ["list_captures", "compare", "check", "look", "sql", "more"]
ALLOWED_TOOLS = TOOLS + ["list_processes", "take_capture"]


# ---- the protocol

def revisions(world):
    """initialize: the revision asked for, else one that is older, else the youngest."""
    for asked, wanted in {"2024-11-05": "2024-11-05", "2025-03-26": "2024-11-05", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
                          "2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "zzz": "2025-11-25"}.items():
        with world.server(handshake=False) as server:
            result = server.ask("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}})["result"]
            same(f"revision for {asked}", result["protocolVersion"], wanted)
            same("name", result["serverInfo"]["name"], "hsdiff")
            check("compare" in result["instructions"], "the instructions do not teach the loop")


def without_handshake(world):
    """2026-07-28: each request by itself; results say that they are complete."""
    with world.server(handshake=False) as server:
        found = server.ask("server/discover", {"_meta": MODERN})["result"]
        check("2026-07-28" in found["supportedVersions"] and found["resultType"] == "complete" and found["ttlMs"] >= 0, str(found))
        same("name", found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hsdiff")
        listed = server.ask("tools/list", {"_meta": MODERN})["result"]
        same("kind of result", listed["resultType"], "complete")
        answer = server.ask("tools/call", {"name": "compare", "arguments": {"captures": PAIR}, "_meta": MODERN})
        same("kind of result", answer["result"]["resultType"], "complete")
        check(answer["bytes"] <= kit.ANSWER_BYTES, f"{answer['bytes']} bytes")
        refused = server.ask("tools/list", {"_meta": dict(MODERN, **{"io.modelcontextprotocol/protocolVersion": "2031-01-01"})})["error"]
        same("code", refused["code"], -32022)
        check("2026-07-28" in refused["data"]["supported"], str(refused))
        for method in ("ping", "initialize"):
            same(f"{method} is gone", server.ask(method, {"_meta": MODERN})["error"]["code"], -32601)
        bare = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        same("capabilities are missing", server.ask("tools/list", {"_meta": bare})["error"]["code"], -32602)


def lists(world):
    """Tools with schemas and hints; those that capture only where they were allowed."""
    for arguments, wanted in (((), TOOLS), (("--allow-capture",), ALLOWED_TOOLS)):
        with world.server(*arguments) as server:
            tools = server.ask("tools/list")["result"]["tools"]
            same("tools", [tool["name"] for tool in tools], wanted)
            for tool in tools:
                same("schema", (tool["inputSchema"]["type"], tool["inputSchema"]["additionalProperties"]), ("object", False))
                same("changes something", not tool["annotations"]["readOnlyHint"], tool["name"] == "take_capture")
                check(len(tool["description"]) < 700, f"{tool['name']}: a long description")
    with world.server() as server:
        check("--allow-capture" in server.ask("tools/call", {"name": "take_capture", "arguments": {}})["error"]["message"], "no word of the option")


def wrong_messages(world):
    """Each wrong message has an error, and the server goes on."""
    with world.server() as server:
        for line, code in ((b"{", -32700), (b"nonsense", -32700), (b'{"a":1,}', -32700), (b'"\xff"', -32700), (b"[]", -32600), (b"[{}]", -32600),
                           (b"{}", -32600), (b"7", -32600), (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":1}', -32600), (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600), (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 1048576 + b'"}', -32600),
                           (b"[" * 40 + b"]" * 40, -32700), (b"[" + b"1," * 5000 + b"1]", -32700)):
            server.send_bytes(line + b"\n")
            got = server.take()
            same(f"{line[:40]}: code", got["error"]["code"], code)
            same("id", got["id"], None)
        same("method", server.ask("resources/list")["error"]["code"], -32601)
        same("tool", server.ask("tools/call", {"name": "nope"})["error"]["code"], -32602)
        for silent in ({"jsonrpc": "2.0", "method": "notifications/whatever"}, {"jsonrpc": "2.0", "id": 9, "result": {}},
                       {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}}):
            server.send(silent)
        server.send_bytes(b"\n \r\n")
        same("ping", server.ask("ping")["result"], {})


def ids(world):
    """Texts and numbers come back as they were."""
    with world.server() as server:
        for number in (0, -5, 2 ** 53, "", "a\"b\\\n\u00e9", 1.5):
            server.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
            same("id", server.take()["id"], number)


# ---- the tools

def compare(world):
    """The sentence first, the holder, the next call; the figures of the command."""
    told = json.loads(subprocess.run([world.hsdiff, *PAIR, "--format", "json"], cwd=world.folder, capture_output=True, check=True).stdout)
    with world.server() as server:
        result = server.call("compare", {"captures": PAIR})
        text, facts = result["content"][0]["text"], result["structuredContent"]
        check(text.startswith("Live heap grew 7.86 MiB (+581%)"), text[:80])
        check("global.sessions: SessionCache" in text and "Next: look {" in text, text)
        check(text.index("WHAT KEEPS IT ALIVE") < text.index("TYPE "), "the holders do not stand first")
        same("before", facts["before_bytes"], told["total"]["before"]["bytes"])
        same("after", facts["after_bytes"], told["total"]["after"]["bytes"])
        same("holder", facts["holders"][0]["place"], "global.sessions: SessionCache")
        same("growth of the holder", facts["holders"][0]["growth_bytes"], told["holders"][0]["growth_bytes"])
        follow(server, text)
        series = server.call("compare", {"captures": [PAIR[0], PAIR[1], PAIR[1]]})
        same("verdict", series["structuredContent"]["verdict"], "levelled")
        check("captures must" in server.text("compare", {"captures": {}}, True), "no cause")
        check("2 or more" in server.text("compare", {"captures": PAIR[:1]}, True), "no cause")
        check("warmup leaves" in server.text("compare", {"captures": PAIR, "warmup": 1}, True), "no cause")


def follow(server, text):
    """Makes each call that an answer suggests."""
    lines = [line.strip().removeprefix("Next: ") for line in text[text.index("Next: "):].splitlines() if line.strip()]
    for line in lines:
        tool, rest = line.split(" ", 1)
        arguments, _ = json.JSONDecoder().raw_decode(rest)
        server.text(tool, arguments)
    check(lines, "no next call")


def judge(world):
    """check: failed, by the rules of a file, and what it would not pass."""
    (world.folder / "loose.yml").write_text("rules:\n  - name: whole heap\n    metric: total.bytes\n    max_growth: 100 MiB\n")
    (world.folder / "wrong.yml").write_text("rules: 7\n")
    with world.server() as server:
        result = server.call("check", {"captures": PAIR})
        same("verdict", result["structuredContent"]["verdict"], "failed")
        check("global.sessions" in result["content"][0]["text"], "no holder")
        same("by a file", server.call("check", {"captures": PAIR, "rules": "loose.yml"})["structuredContent"]["verdict"], "passed")
        check("wrong.yml" in server.text("check", {"captures": PAIR, "rules": "wrong.yml"}, True), "no file named")
        check("leads out" in server.text("check", {"captures": PAIR, "rules": "/etc/hosts"}, True), "no cause")
        subprocess.run([world.hsdiff, "baseline", "-q", PAIR[0], "-o", "base.hs"], cwd=world.folder, check=True, timeout=kit.PATIENCE)
        same("series", server.call("check", {"captures": ["base.hs", *PAIR], "rules": "loose.yml"})["structuredContent"]["verdict"], "passed")
        same("one capture", server.call("check", {"captures": [PAIR[0]] * 4})["structuredContent"]["verdict"], "cannot be judged")
        (world.folder / ".hsdiff.yml").write_text((world.folder / "loose.yml").read_text())
        same("by .hsdiff.yml", server.call("check", {"captures": PAIR})["structuredContent"]["verdict"], "passed")


def look(world):
    """Everything that look can be asked for, on a pair, on a side of it, on one capture."""
    with world.server() as server:
        whole = {"captures": PAIR}
        check("SessionCache" in server.text("look", whole), "no type")
        check("global.sessions" in server.text("look", dict(whole, what="roots")), "no root")
        check("global.sessions: SessionCache" in server.text("look", dict(whole, what="holders")), "no holder")
        check("Buffer" not in server.text("look", dict(whole, text="sess")), "a type without the text")
        objects = server.text("look", dict(whole, what="objects", type="Session", state="new"))
        check("  new  " in objects and "  kept  " not in objects, objects)
        number = objects.split("\n\n")[1].splitlines()[1].split()[0]
        told = server.text("look", dict(whole, what="object", id=number))
        for part in ("PATH THAT KEEPS IT", "global.sessions  (root)", "Referred to by", "new"):
            check(part in told, f"no {part} in {told}")
        follow(server, told)
        check("kept" in server.text("look", dict(whole, what="objects", type="Session", state="kept", count=3)), "none is kept")
        freed = server.text("look", dict(whole, what="objects", type="Request", side="before", state="freed"))
        check("freed" in freed, freed)
        for what in ("referrers", "referents", "dominators", "dominated"):
            server.text("look", dict(whole, what=what, id=number))
        check("14,000 objects" in server.text("look", {"captures": PAIR[1:], "what": "paths", "type": "Session"}), "not all paths")
        server.text("look", {"captures": PAIR[1:], "what": "paths", "id": number})
        page = server.text("look", dict(whole, what="objects", type="Session", count=200))
        check("more {" in page, "200 objects are on one page")
        check("2,000" in server.text("look", {"captures": PAIR[:1], "what": "objects", "type": "Session"}), "not the first capture alone")
        server.text("look", dict(whole, what="dominated", id="root:56223"))
        for wrong, words in (({"what": "nothing"}, "must be one of"), ({"what": "objects"}, "type is missing"), ({"what": "object"}, "id is missing"),
                             ({"what": "object", "id": "xyz"}, "is no id"), ({"what": "object", "id": "0xffffffff"}, "object"),
                             ({"what": "objects", "type": "Sesion"}, "Next: look"), ({"count": 201}, "at most 200"), ({"from": -1}, "whole number"),
                             ({"from": 1.5}, "whole number"), ({"side": "left"}, "must be one of"), ({"typ": "x"}, "there is no argument 'typ'")):
            check(words in server.text("look", dict(whole, **wrong), True), f"{wrong}: no '{words}'")
        check("two captures" in server.text("look", {"captures": PAIR[1:], "what": "holders"}, True), "holders of one")


def sql(world):
    """Rows, errors with their place, nothing but reading; databases."""
    with world.server() as server:
        text = server.text("sql", {"captures": PAIR[1:], "statement": "select name, objects from types where name = 'Session'"})
        check("Session | 14000" in text, text)
        check("Session" in server.text("sql", {"captures": PAIR, "statement": "select type from growth_types"}), "no growth")
        check("wrong at: nme" in server.text("sql", {"captures": PAIR[1:], "statement": "select nme from types"}, True), "no place")
        for statement in ("create table t(a)", "attach '/etc/passwd' as x", "select load_extension('x')", "select readfile('/etc/passwd')", "pragma x=1", "select 1; select 2", "vacuum into 'x'"):
            server.text("sql", {"captures": PAIR[1:], "statement": statement}, True)
        many = server.call("sql", {"captures": PAIR[1:], "statement": "select id, bytes from objects order by id"})
        check("there are more" in many["content"][0]["text"], "56,222 rows in 32 KiB")
        subprocess.run([world.hsdiff, "export", "-q", PAIR[1], "-o", "heap.sqlite"], cwd=world.folder, check=True)
        check("14000" in server.text("sql", {"captures": ["heap.sqlite"], "statement": "select count(*) from v_objects where type = 'Session'"}), "not from a database")
        check("SQL" in server.text("compare", {"captures": ["heap.sqlite", PAIR[1]]}, True), "a database was compared")


def pages(world):
    """All pages together are the whole answer; a table goes on below its heading; old handles are gone, and say so."""
    with world.server() as server:
        statement = {"captures": PAIR[1:], "statement": "select id, bytes from objects order by id limit 1000"}
        result = server.call("sql", statement)
        rows, first = [], None
        while True:
            text = result["content"][0]["text"]
            check("COLUMNS: id | bytes" in text, f"no heading: {text[:200]}")
            rows += [line for line in text.splitlines() if " | " in line and not line.startswith("COLUMNS")]
            handle = result["structuredContent"].get("more") if "structuredContent" in result else None
            first = first or handle
            if not handle:
                break
            result = server.call("more", {"handle": handle})
        same("rows", len(rows), 1000)
        same("each once", len(set(rows)), 1000)
        check("no handle" in server.text("more", {"handle": first}, True), "a handle that was used up")
        handle = server.call("sql", statement)["structuredContent"]["more"]
        for _ in range(16):
            server.call("sql", statement)
        check("last 16" in server.text("more", {"handle": handle}, True), "more than 16 answers are kept")
        for wrong in ("", "a", "a0", "b1", "a99999999999", "a1x", "-1"):
            server.text("more", {"handle": wrong}, True)


def turned(world):
    """The younger one first: the next call turns them round."""
    with world.server() as server:
        text = server.text("compare", {"captures": PAIR[::-1]})
        check(f'Next: compare {{"captures":["{PAIR[0]}","{PAIR[1]}"]}}' in text, text)
        check("taken after" not in server.text("compare", {"captures": PAIR}), "said of the right order")


def sums(world):
    """The sums of a capture, which hsdiff watch keeps under its name, are nothing to compare it with."""
    for name in ("w/sums/a-1-0002.hs", "w/a-1-0002.hs", "w/a-1-0001.hs"):
        (world.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (world.folder / name).write_bytes(b"x")
    os.utime(world.folder / "w/a-1-0001.hs", (10 ** 9, 10 ** 9))
    with world.server("--allow", world.folder / "w") as server:
        text = server.text("list_captures")
        check('"captures":["a-1-0001.hs",' in text, text)


def files(world):
    """list_captures: youngest first, by a part of the name; nothing that is hidden or elsewhere."""
    for name in ("run/day1.hs", "run/day2.heapsnapshot", ".secret/x.hs", "run/notes.txt"):
        path = world.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    (world.outside / "theirs.hs").write_bytes(b"x")
    (world.folder / "link").symlink_to(world.outside)
    os.utime(world.folder / "run/day1.hs", (10 ** 9, 10 ** 9))
    with world.server() as server:
        text = server.text("list_captures")
        check("run/day1.hs" in text and "run/day2.heapsnapshot" in text, text)
        check("secret" not in text and "notes" not in text and "theirs" not in text, text)
        check(text.index("day2") < text.index("day1"), "not the youngest first")
        same("by name", server.call("list_captures", {"text": "day1"})["structuredContent"]["files"], 1)
    with world.server("--allow", world.folder / "run", "--allow", world.folder) as server:
        check(str(world.folder.resolve() / "demo-after.hs") in server.text("list_captures"), "no whole path")
        server.text("compare", {"captures": [str(world.folder / PAIR[0]), str(world.folder.resolve() / PAIR[1])]})
        server.text("compare", {"captures": PAIR})  # of the second folder, too


def kept(world):
    """A second question is answered from what is open; a file that changed is opened anew."""
    with world.server() as server:
        began = time.monotonic()
        server.text("compare", {"captures": PAIR})
        server.text("look", {"captures": PAIR[1:]})  # a side of the pair
        check("14,000" in server.text("look", {"captures": PAIR[1:], "text": "Session"}), "not the second capture")
        os.replace(world.folder / PAIR[0], world.folder / PAIR[1])
        check("2,000" in server.text("look", {"captures": PAIR[1:], "text": "Session"}), f"a file that changed ({time.monotonic() - began:.1f} s)")
        for i in range(6):
            (world.folder / f"copy{i}.hs").write_bytes((world.folder / PAIR[1]).read_bytes())
            server.text("look", {"captures": [f"copy{i}.hs"]})
        opened = sum(".hs" in os.readlink(f"/proc/{server.process.pid}/fd/{name}") for name in os.listdir(f"/proc/{server.process.pid}/fd"))
        check(opened <= 6, f"{opened} captures are open")


# ---- while it works, and how it ends

SLOW = {"name": "sql", "arguments": {"captures": PAIR[1:], "statement": "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"}}


def cancel(world):
    """A call that would never end is cancelled, one that waits too; pings are answered meanwhile."""
    with world.server() as server:
        server.send({"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": SLOW})
        server.send({"jsonrpc": "2.0", "id": "waits", "method": "tools/call", "params": SLOW})
        same("ping", server.ask("ping")["result"], {})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "waits"}})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 100, "reason": "enough"}})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4711}})
        check("SessionCache" in server.text("look", {"captures": PAIR}), "it does not go on")
        for number in range(200, 240):
            server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": SLOW})
        check("wait already" in server.take()["error"]["message"], "more than 32 calls wait")
        server.process.send_signal(signal.SIGTERM)
        same("exit status", server.process.wait(kit.PATIENCE), 0)


def progress(world):
    """With a token, and only then."""
    with world.server() as server:
        server.send({"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": dict(SLOW, _meta={"progressToken": "t\u00e9"})})
        told = [server.take() for _ in range(3)]
        for i, note in enumerate(told):
            same("kind", note["method"], "notifications/progress")
            same("token", note["params"]["progressToken"], "t\u00e9")
            check(i == 0 or note["params"]["progress"] > told[i - 1]["params"]["progress"], "it does not rise")
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 100}})
        server.notes.clear()
        server.text("compare", {"captures": PAIR})


def ends(world):
    """When its input ends, when nobody reads, on a signal: soon, with status 0, and with nothing left behind."""
    request = {"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": dict(SLOW, _meta={"progressToken": 1})}
    with subprocess.Popen([world.hsdiff, "mcp"], cwd=world.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as unread:
        unread.stdin.write(json.dumps(request).encode() + b"\n")
        unread.stdin.flush()
        unread.stdout.readline()
        unread.stdout.close()
        same("nobody reads: exit status", unread.wait(kit.PATIENCE), 0)
    for how in ("close", signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        server = world.server()
        server.text("compare", {"captures": PAIR})
        server.send(request)
        server.take()  # it works on it
        began = time.monotonic()
        if how == "close":
            server.process.stdin.close()
        else:
            server.process.send_signal(how)
        same(f"{how}: exit status", server.process.wait(kit.PATIENCE), 0)
        took = time.monotonic() - began
        check(took < 10, f"{how}: it took {took:.1f} s")
        same("temporary files", list(world.temp.iterdir()), [])
        same(f"{how}: standard error", server.said(), "")


def from_a_file(world):
    """Requests from a file are all answered, however long that takes."""
    requests = [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "compare", "arguments": {"captures": PAIR}}} for i in range(20)]
    (world.folder / "requests.jsonl").write_text("\n".join(map(json.dumps, requests)))
    with open(world.folder / "requests.jsonl", "rb") as lines:
        done = subprocess.run([world.hsdiff, "mcp"], cwd=world.folder, stdin=lines, capture_output=True, check=True, timeout=kit.PATIENCE)
    same("answers", [json.loads(line)["id"] for line in done.stdout.splitlines()], list(range(20)))


def usage(world):
    """Options that are wrong, and a folder that is none."""
    for words, status in ((["--allow", "/nowhere"], 4), (["--allow", ""], 2), (["capture.hs"], 2), (["--allow", "x"] * 17, 2), (["--output", "x"], 2)):
        done = subprocess.run([world.hsdiff, "mcp", *words], cwd=world.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=kit.PATIENCE, check=False)
        same(f"{words}: {done.stderr}", done.returncode, status)
        check(done.stderr.startswith("hsdiff: "), f"{words}: {done.stderr}")


def damaged(world):
    """What is cut off is refused with the way to read it, and read with it."""
    whole = (world.folder / PAIR[1]).read_bytes()
    (world.folder / "cut.hs").write_bytes(whole[: len(whole) * 2 // 3])
    with world.server() as server:
        text = server.text("compare", {"captures": [PAIR[0], "cut.hs"]}, True)
        check('"partial":true' in text, "no way out")
        same("times the byte is told", text.count(" byte "), 1)
        check("lower bound" in server.text("compare", {"captures": [PAIR[0], "cut.hs"], "partial": True}).lower()
              or "incomplete" in server.text("compare", {"captures": [PAIR[0], "cut.hs"], "partial": True}), "it does not say that it is incomplete")


if __name__ == "__main__":
    kit.main({"revisions": revisions, "without_handshake": without_handshake, "lists": lists, "wrong_messages": wrong_messages, "ids": ids, "compare": compare,
              "judge": judge, "look": look, "sql": sql, "pages": pages, "files": files, "kept": kept, "cancel": cancel, "progress": progress, "ends": ends,
              "from_a_file": from_a_file, "usage": usage, "damaged": damaged, "turned": turned, "sums": sums})
