#!/usr/bin/env python3
"""hsdiff mcp: a thousand hostile calls. Nothing outside of the allowed folders is opened, which strace sees; nothing crashes, which a server that
answers to the end and ends with status 0 shows, under sanitizers too; every answer is a page."""
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys

import kit
from kit import PAIR, check, same

COUNT = 1000
SECRET = "the secret that nobody may read"
SEED = 20261128


def plant(world):
    """What a name must not lead to, and ways to it."""
    (world.outside / "secret.hs").write_text(SECRET)
    (world.outside / "heap.hs").write_bytes((world.folder / PAIR[0]).read_bytes())
    for name, target in {"link.hs": world.outside / "heap.hs", "up": "..", "folder": world.outside, "passwd.hs": "/etc/passwd", "self": "/proc/self", "root": "/",
                         "loop.hs": "loop.hs", "null.hs": "/dev/null", "relative.hs": "../outside/heap.hs", "inside.hs": PAIR[0]}.items():
        (world.folder / name).symlink_to(target)
    os.mkfifo(world.folder / "pipe.hs")
    (world.folder / "empty.hs").write_bytes(b"")
    (world.folder / "sub").mkdir()
    (world.folder / "junk.hs").write_bytes(random.Random(SEED).randbytes(4096))
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(world.folder / "socket.hs"))


def names(world, dice):
    outside = str(world.outside)
    fixed = ["/etc/passwd", "../outside/heap.hs", "sub/../../outside/heap.hs", "link.hs", "up/outside/heap.hs", "folder/heap.hs", "passwd.hs", "self/environ", "root/etc/passwd",
             "loop.hs", "null.hs", "relative.hs", "pipe.hs", "socket.hs", "empty.hs", "junk.hs", "sub", ".", "..", "/", "", "-", "/dev/stdin", "/dev/zero", "/proc/self/mem",
             "/proc/self/fd/0", "/proc/1/environ", "self/fd/1", f"{outside}/heap.hs", f"{world.folder}/../outside/heap.hs", f"{world.folder}/link.hs", f"{world.folder}//.//{PAIR[0]}",
             f"{world.folder}x/{PAIR[0]}", "file:///etc/passwd", "ssh://localhost/x", "http://127.0.0.1:1/x", "~/.ssh/id_rsa", "$HOME/x", "`id`", "; id", "--help", "-o", "a\0b", "\u202e.hs",
             "x" * 5000, "a/" * 3000 + "x", "%2e%2e/outside/heap.hs", "..\\outside\\heap.hs", "\ud800", "\U0001f4a5.hs", "inside.hs", PAIR[0], PAIR[1], "sub/../" + PAIR[0]]
    return dice.choice(fixed)


def values(dice):
    return dice.choice([None, True, False, 0, -1, 1, 2 ** 31, 2 ** 53, 2 ** 64, -(2 ** 63), 10 ** 400, 1e308, 0.5, "", "x", "0x" + "f" * 17, "0xffffffffffffffff", "@1", "root:0", "root:4294967295",
                        "root:-1", "all", "Session", "*", "a" * 100000, "\0", "\x1b[31m", "%s%n%s", [], {}, [[]], [None], {"a": {"b": [1]}}, ["x"] * 3000, "types", "new", "9" * 30])


def arguments_of(world, tool, dice):
    """Arguments of a tool, some of them right and some of them wrong."""
    made = {}
    for name in ("captures", "what", "type", "id", "text", "order", "state", "side", "from", "count", "partial", "warmup", "rules", "statement", "handle", "pid", "file", "surplus"):
        if name in tool["inputSchema"]["properties"] and dice.random() < 0.8 or dice.random() < 0.01:
            made[name] = values(dice)
    if "captures" in made and dice.random() < 0.9:
        made["captures"] = [names(world, dice) for _ in range(dice.choice([0, 1, 2, 2, 2, 3]))]
    if "what" in made and tool["name"] == "look" and dice.random() < 0.8:
        made["what"] = dice.choice(tool["inputSchema"]["properties"]["what"]["enum"])
    if "rules" in made and dice.random() < 0.8:
        made["rules"] = names(world, dice)
    if "statement" in made:
        made["statement"] = dice.choice(["select 1", "attach '/etc/passwd' as p", "select * from p", "select load_extension('/tmp/x')", "select readfile('/etc/passwd')", "select printf('%.*c', 100000000, 'x')",
                                         "select zeroblob(900000000)", "with recursive n(i) as (select 1 union all select i+1 from n limit 100000) select max(i) from n", "select '" + "x" * 70000 + "'",
                                         "((((" * 500, "select " + "(" * 2000, "\0", "--", "", "select * from objects limit 5", "vacuum into '/tmp/x'", "pragma temp_store_directory='/'", 5])
    if "file" in made:
        made["file"] = names(world, dice)
    if "pid" in made:
        made["pid"] = dice.choice([0, -1, 2 ** 22, 2 ** 22 + 1, 2 ** 40, "1", "-1", 4194303, None])
    return made


RAW = [b"\xff\xfe\n", b"{" * 5000 + b"\n", b"[" * 100000 + b"\n", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"compare","arguments":{"captures":["\xc0\xaf"]}}}\n', b"\0\0\0\n",
       b'{"jsonrpc":"2.0","id":1,"method":"' + b"\\u0000" * 100 + b'"}\n', b"A" * (10 << 20) + b"\n", b'{"jsonrpc":"2.0","id":"' + b"x" * 2000 + b'","method":"ping"}\n',
       b'{"jsonrpc":"2.0","id":1e99999,"method":5}\n', b'{"a":' * 2000 + b"1" + b"}" * 2000 + b"\n", b'"' + b"\\ud800" * 1000 + b'"\n', b"1" * 1000000 + b"\n", b"[" + b"null," * 200000 + b"1]\n"]


def attack(world, server, count):
    """So many calls; every one is answered, by a page, and none tells what stands outside."""
    dice = random.Random(SEED)
    tools = server.ask("tools/list")["result"]["tools"]
    right = wrong = 0
    for number in range(count):
        if number % 25 == 24:
            server.send_bytes(dice.choice(RAW))
            same("code", server.take()["error"]["code"] in (-32700, -32600, -32601), True)
            continue
        tool = dice.choice(tools)
        arguments = arguments_of(world, tool, dice)
        if dice.random() < 0.02:
            arguments = values(dice)
        server.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": server.number, "method": "tools/call", "params": {"name": tool["name"], "arguments": arguments}})
        server.send_bytes(line.encode("utf-8", "surrogatepass") + b"\n")
        message = server.take()
        check(message is not None and message["id"] in (server.number, None), f"no answer to {str(arguments)[:300]}: {str(message)[:300]}")
        check(message["bytes"] <= kit.ANSWER_BYTES, f"{tool['name']} {str(arguments)[:300]}: {message['bytes']} bytes")
        told = json.dumps(message)
        check(SECRET not in told and "root:x:0" not in told, f"{tool['name']} {str(arguments)[:300]} told what it may not")
        if "result" in message and not message["result"]["isError"]:
            right += 1
        else:
            wrong += 1
            check("error" in message or "Next: " in message["result"]["content"][0]["text"], f"no next call: {told[:400]}")
    print(f"  {right} calls were answered, {wrong} refused")
    check(right > count / 20 and wrong > count / 3, "the calls are not what they should be")


def calls(world):
    """A thousand, to a server that may capture, too."""
    plant(world)
    with world.server("--allow-capture", "--allow", world.folder) as server:
        attack(world, server, COUNT)
        check("global.sessions" in server.text("compare", {"captures": PAIR}), "the server is no longer what it was")
    same("what standard error says", server.said(), "")
    same("temporary files", list(world.temp.iterdir()), [])


def opened_files(log):
    """The names of files that were opened, by descriptor and path."""
    for line in log.splitlines():
        found = re.search(r'open(?:at|at2)?\((?:([^,"]+), )?"((?:[^"\\]|\\.)*)", .*\) = (-?\d+)(<[^>]*>)?', line)
        if found and int(found[3]) >= 0 and "O_PATH" not in line:  # which names a file to the sandbox, and opens nothing
            yield (found[4] or "").strip("<>") or found[2]


def nothing_is_read(world):
    """What the system was asked for: every file that was opened is in the folder, or is one that any hsdiff opens."""
    if not shutil.which("strace"):
        kit.skip("strace is not installed")
    plant(world)
    log = world.temp.parent / "trace"
    probe = subprocess.run(["strace", "-f", "-y", "-o", log, "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        kit.skip("strace cannot trace here")
    # LeakSanitizer cannot work below a tracer
    with world.server("--allow", world.folder, command=["strace", "-f", "-y", "-qq", "-e", "trace=open,openat,openat2,creat,connect,execve", "-o", str(log)],
                      environment={"ASAN_OPTIONS": "detect_leaks=0"}) as server:
        attack(world, server, 300)
    text = log.read_text(errors="replace")
    check("connect(" not in text, "it connects to something")
    same("programs that are started", text.count("execve("), 1)
    allowed = re.compile(rf"{re.escape(str(world.folder.resolve()))}(/|$)|/(etc/ld\.so|lib|usr/lib|usr/share/zoneinfo|etc/localtime)|/proc/(self|\d+)/(cgroup|mountinfo|maps|status|auxv|limits|cmdline|environ)$|/proc/(meminfo|cpuinfo|stat)|/sys/"
                         rf"|{re.escape(str(world.temp.resolve()))}")
    outside = {path for path in opened_files(text) if not allowed.match(path)}
    mine = {path for path in outside if not path.startswith(("/proc/sys/", "/dev/urandom", "/etc/passwd~"))}
    same("opened outside of the folder", mine, set())
    check(any(str(world.folder.resolve()) in path for path in opened_files(text)), "the trace says nothing")


if __name__ == "__main__":
    kit.main({"calls": calls, "nothing_is_read": nothing_is_read})
