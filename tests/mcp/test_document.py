#!/usr/bin/env python3
"""doc/agents.md: its configuration starts the server, its requests are answered, its command runs, its table of tools is what there is."""
import json
import re
import shlex
import subprocess

import kit
from kit import check, same

DOCUMENT = kit.pathlib.Path(__file__).resolve().parents[2] / "doc" / "agents.md"


def blocks(language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S)
    return [text for name, text in found if name == language]


def configuration(world):
    """What clients are given starts a server."""
    entry = json.loads(blocks("json")[0])["mcpServers"]["hsdiff"]
    same("command", entry["command"], "hsdiff")
    with world.server(*entry["args"][1:]) as server:
        server.text("compare", {"captures": kit.PAIR})
    same("the command", entry["args"][0], "mcp")
    for words in re.findall(r"`\w+ mcp add hsdiff -- (hsdiff mcp)`", DOCUMENT.read_text(encoding="utf-8")):
        same("what is added", shlex.split(words), ["hsdiff", "mcp"])


def requests(world):
    """By hand: each message is answered, and the answers say what the document says they do."""
    for given, shown in zip(kit.PAIR, ("before.hs", "after.hs")):
        (world.folder / shown).write_bytes((world.folder / given).read_bytes())
    (world.folder / "requests.jsonl").write_text(blocks("json")[1])
    (command,) = [line for block in blocks("") for line in block.splitlines() if line.startswith("hsdiff mcp")]
    done = subprocess.run(["bash", "-c", command.replace("hsdiff", shlex.quote(world.hsdiff), 1)], cwd=world.folder, capture_output=True, text=True, check=True, timeout=kit.PATIENCE)
    answers = {message["id"]: message["result"] for message in map(json.loads, done.stdout.splitlines())}
    same("answers", sorted(answers), [1, 2, 3, 4])
    check("global.sessions: SessionCache" in answers[2]["content"][0]["text"], "compare names no holder")
    check("  new  " in answers[3]["content"][0]["text"], "look shows no new object")
    same("verdict", answers[4]["structuredContent"]["verdict"], "failed")


def tools(world):
    """The table has every tool with all its arguments, and no others."""
    told = {}
    for name, arguments in re.findall(r"^\| `(\w+)` \| ([^|]*) \|", DOCUMENT.read_text(encoding="utf-8"), re.M):
        told[name] = set(re.findall(r"`(\w+)`", arguments))
    with world.server("--allow-capture") as server:
        there = {tool["name"]: set(tool["inputSchema"]["properties"]) for tool in server.ask("tools/list")["result"]["tools"]}
    same("tools", sorted(told), sorted(there))
    for name, arguments in there.items():
        same(name, told[name], arguments)
    check(all(what in DOCUMENT.read_text(encoding="utf-8") for what in ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28")), "a revision is not told")


if __name__ == "__main__":
    kit.main({"configuration": configuration, "requests": requests, "tools": tools})
