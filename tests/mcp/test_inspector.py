#!/usr/bin/env python3
"""The official inspector, on its command line: it lists the tools and their schemas, and calls one."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import kit
from kit import check, same

PACKAGE = "@modelcontextprotocol/inspector"


def inspector():
    """Its program, installed once and kept."""
    if not shutil.which("npm") or not shutil.which("node"):
        kit.skip("npm is not installed")
    where = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-mcp-inspector-{os.getuid()}"
    program = where / "node_modules/.bin/mcp-inspector"
    if program.exists():
        return program
    made = pathlib.Path(tempfile.mkdtemp(prefix="hsdiff-mcp-inspector-"))
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", made, PACKAGE], capture_output=True, text=True, timeout=400, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0 or not (made / "node_modules/.bin/mcp-inspector").exists():
        shutil.rmtree(made)
        kit.skip(f"the inspector cannot be had: {done.stderr.strip()[-200:]}")
    shutil.rmtree(where, ignore_errors=True)
    made.rename(where)
    return program


def inspect(world, *words):
    done = subprocess.run([inspector(), "--cli", world.hsdiff, "mcp", *words], cwd=world.folder, capture_output=True, text=True, timeout=180, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0 and "requires Node" in done.stderr + done.stdout:
        kit.skip("this Node is too old for the inspector")
    same(f"exit status ({done.stderr[-400:]})", done.returncode, 0)
    return json.loads(done.stdout)


def lists(world):
    """Its own parser takes every tool with its schema."""
    tools = inspect(world, "--method", "tools/list")["tools"]
    same("tools", [tool["name"] for tool in tools], ["list_captures", "compare", "check", "look", "sql", "more"])


def calls(world):
    """And an answer."""
    result = inspect(world, "--method", "tools/call", "--tool-name", "compare", "--tool-arg", f"captures={json.dumps(kit.PAIR)}")
    check("global.sessions: SessionCache" in result["content"][0]["text"], "no holder")
    same("holder", result["structuredContent"]["holders"][0]["place"], "global.sessions: SessionCache")


if __name__ == "__main__":
    kit.main({"lists": lists, "calls": calls})
