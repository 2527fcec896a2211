"""Rounds of a function, a capture behind each, and what `hsdiff check` says of them: pytest_plugin.py is built on this.

The first capture is warm-up and does not count. It fails what grew in every round, by more than the limit in each: a cache that fills and levels off
passes, and so does what grows once.
"""
import gc
import json
import os
import re
import shutil
import tempfile

import hsdiff

LEAST_ROUNDS = 2


class Settings:
    """What a test may say; ValueError where it says something else."""

    def __init__(self, rounds=5, calls=1, max_growth="auto", allow=()):
        if not isinstance(rounds, int) or rounds < LEAST_ROUNDS:
            raise ValueError("rounds is a number: two rounds at least")
        if not isinstance(calls, int) or calls < 1:
            raise ValueError("calls is a number: one call at least")
        self.rounds, self.calls, self.max_growth, self.allow = rounds, calls, max_growth, [allow] if isinstance(allow, str) else list(allow)

    def rules(self):
        def limit(usual):
            return usual if self.max_growth == "auto" else "%s per round" % self.max_growth

        return {
            "check": {"warmup": 1},
            "rules": [
                {"name": "nothing holds more after each round", "holder": "*", "max_growth": limit("auto")},
                {"name": "the heap is no larger after each round", "metric": "total.bytes", "max_growth": limit("1 % per round")},
            ],
            "allow": [{"holder": holder, "reason": "allowed by the test"} for holder in self.allow],
        }


def _take(function, settings, folder):
    captures = []
    for number in range(settings.rounds + 2):
        for _ in range(settings.calls):
            function()
        gc.collect()
        captures.append(hsdiff.capture(os.path.join(folder, "round-%d.hs" % number)))
    return captures


def _keep(page, name, reports):
    os.makedirs(reports, exist_ok=True)
    kept = os.path.join(os.path.abspath(reports), (re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")[:80] or "leak") + ".html")
    shutil.copyfile(page, kept)
    return kept


def _held_by(before, after):
    """Of the diff of the first and the last round: its answer, and what keeps it alive."""
    parts = hsdiff._run("-q", "--color", "never", before, after).stdout.split("\n\n")
    return [part for part in parts if part.startswith(("Live heap", "WHAT KEEPS IT ALIVE"))]


def _message(settings, name, verdict, captures, report):
    rules = [part for part in verdict.split("\n\n") if part.lstrip().startswith("RULE ")]
    first = "%s leaks: something grew in each of %d rounds." % (name, settings.rounds)
    return "\n\n".join(part.rstrip() for part in [first, *_held_by(captures[1], captures[-1]), *rules, "Report: " + report])


def demand_no_leak(function, settings, name, reports):
    """hsdiff.Grown, with who holds it and a page in `reports`, where the function leaves something behind in every round."""
    hsdiff.command()
    with tempfile.TemporaryDirectory(prefix="hsdiff-") as folder:
        captures = _take(function, settings, folder)
        rules, page = os.path.join(folder, "rules.yml"), os.path.join(folder, "page.html")
        with open(rules, "w", encoding="utf-8") as file:
            json.dump(settings.rules(), file)
        done = hsdiff._run("check", "-q", "--top", "1", "--color", "never", "--config", rules, "--html", page, *captures, expect=(0, 1))
        if done.returncode == 1:
            raise hsdiff.Grown(_message(settings, name, done.stdout, captures, _keep(page, name, reports)))
