#!/usr/bin/env python3
"""Runs a document as its reader does: every command in one shell, every change that it makes to a program, and holds what the
page shows of the answers against what comes.

usage: test_page.py --hsdiff BINARY --agents FOLDER --work FOLDER [--show] [--rewrite] DOCUMENT…

--show prints each command with its whole output, to write a page from. --rewrite puts the lines that came in place of those that the page shows.
"""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import kit

class Shown(kit.Page):
    """Prints all that it does."""

    def run(self, text):
        status, output = super().run(text)
        print(f"$ {text}\n{output}" + (f"[exit status {status}]\n" if status else ""), flush=True)
        return status, output


def environment():
    """Go keeps what it has built between runs, with that of tests/agents: the standard library takes longer than all programs."""
    return {"GOCACHE": f"{tempfile.gettempdir()}/hsdiff-go-{os.getuid()}", "GOTOOLCHAIN": "local", "GOFLAGS": "", "GO111MODULE": "off", "CGO_ENABLED": "0"}


def run_page(args, document):
    steps = [step for step in kit.commands_of(document, (kit.PROJECT / document).read_text(encoding="utf-8")) if isinstance(step, kit.Patch) or step.marked]
    with (Shown if args.show else kit.Page)(args.hsdiff, args.agents, args.work, environment=environment(), columns=80 if document == "README.md" else None) as page:
        for program in sorted(kit.SERVICES.iterdir()):
            if program.is_file() and program.suffix != ".md":
                page.put(program.name, program.read_text(encoding="utf-8"))
        shutil.copytree(kit.PROJECT / "scripts" / "demo.d", page.folder / "scripts" / "demo.d")
        for script, *arguments in kit.BEGINNINGS.get(document, []):
            subprocess.run([sys.executable, kit.PROJECT / script, *arguments], cwd=page.folder, check=True, timeout=kit.PATIENCE)
        count = page.follow(steps)
    if args.rewrite:
        path = kit.PROJECT / document
        lines = path.read_text(encoding="utf-8").split("\n")
        path.write_text("\n".join(page.rewritten.get(number, line) for number, line in enumerate(lines, 1)), encoding="utf-8")
    return count


def main():
    parser = argparse.ArgumentParser()
    for option in ("--hsdiff", "--agents", "--work"):
        parser.add_argument(option, required=True, type=pathlib.Path)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("pages", nargs="+")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started ends with the test
    args.work.mkdir(parents=True, exist_ok=True)
    failed, skipped = 0, 0
    for page in args.pages:
        lacking = [program for program in kit.PAGES[page] + ["patch"] if not shutil.which(program)]
        if lacking:
            print(f"skipped: {page}: {', '.join(lacking)} not installed")
            skipped += 1
            continue
        try:
            count = run_page(args, page)
        except kit.Failed as error:
            print(f"failed: {page}: {error}", flush=True)
            failed += 1
            continue
        print(f"{page}: {count} commands", flush=True)
        if count < 3:
            print(f"failed: {page}: its commands were not found")
            failed += 1
    sys.exit(1 if failed else kit.SKIPPED if skipped == len(args.pages) else 0)


if __name__ == "__main__":
    main()
