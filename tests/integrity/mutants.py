#!/usr/bin/env python3
"""Are the checks of the reader of captures tested? One comparison, bound or condition of libdiff/format at a time is changed, in a copy of the tree, and a
test must notice: a unit test of format/ or a sweep over damaged captures, under sanitizers.

usage: mutants.py PROJECT FOLDER

FOLDER keeps the copy, its build, and results.tsv: what is known is not tried again, as long as its line and its file's name stand. Mutants are tried in an order
without a pattern, so that a part of them is a fair sample; HSD_MUTANTS_SECONDS (1200) is the time for it. Fails when fewer than 95 % are noticed.
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time

SECONDS = int(os.environ.get("HSD_MUTANTS_SECONDS", "1200"))
SOURCES = "libdiff/format"
ELSEWHERE = ("rewrite.c", "encode.c") # which unit/symbols and unit/redact test
STALL_SECONDS = 240
NEEDED_PERCENT = 95
# What stands for what. A blank on both sides keeps arrows, shifts and #include out.
CHANGES = ((" <= ", " < "), (" >= ", " > "), (" < ", " <= "), (" > ", " >= "), (" == ", " != "), (" != ", " == "), (" && ", " || "), (" || ", " && "),
           (" + 1", ""), (" - 1", ""), (" += ", " -= "), ("return true;", "return false;"), ("return false;", "return true;"))
UNITS = ("verify", "structure", "checks", "unpack", "capture", "parts", "round_trip", "salvage", "digest", "sums", "site_totals", "verify_end")
FIRST = 3
SWEEPS = ("blocks", "lengths", "prefixes", "flips")


def command(*words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False, **options)


def must(done, what):
    if done.returncode != 0:
        sys.exit(f"{what}: {done.stdout[-3000:]}{done.stderr[-3000:]}")


def code_of(line):
    """The line without its comment; nothing where it is one, or a directive."""
    bare = re.sub(r"/\*.*?(\*/|$)", "", line)
    return "" if re.match(r"\s*(\*|#|/)", line) else bare


class Mutant:
    def __init__(self, path, number, line, changed, what):
        self.path, self.number, self.line, self.changed, self.what = path, number, line, changed, what
        self.key = hashlib.sha256(f"{path.name}\0{line.strip()}\0{changed.strip()}".encode()).hexdigest()[:16]


def mutants_of(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = code_of(line)
        for old, new in CHANGES:
            for match in re.finditer(re.escape(old), code):
                if old in (" + 1", " - 1") and code[match.end():match.end() + 1].isalnum():
                    continue
                if line.startswith(code[:match.end()]):
                    yield Mutant(path, number, line, line[:match.start()] + new + line[match.end():], f"{old.strip()} -> {new.strip() or 'nothing'}")


class Copy:
    def __init__(self, project, folder):
        self.source, self.build = folder / "source", folder / "build"
        self.results = folder / "results.tsv"
        head = command("git", "-C", project, "rev-parse", "HEAD")
        if head.returncode != 0:
            print("no repository here: skipped")
            sys.exit(77)
        mark = folder / "commit"
        self.source.mkdir(parents=True, exist_ok=True)
        if not mark.exists() or mark.read_text() != head.stdout:
            must(command("bash", "-c", f"rm -rf '{self.source}' && mkdir '{self.source}' && git -C '{project}' archive HEAD | tar -x -C '{self.source}'"), "the copy")
            mark.write_text(head.stdout)
        must(command("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Debug", "-D", "HSD_SANITIZE=ON"), "cmake")
        self.tests = [(f"test_format_{name}", [f"tests/unit/format/test_format_{name}", "--short-filename"]) for name in UNITS]
        self.tests += [(f"sweep_{name}", [f"tests/integrity/sweep_{name}"]) for name in SWEEPS]
        self.kills = dict.fromkeys((name for name, _ in self.tests), 0)
        self.environment = {**{name: value for name, value in os.environ.items() if name not in ("HSD_LONG", "HSD_SEED")},
                            "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:handle_sigill=1", "UBSAN_OPTIONS": "halt_on_error=1"}

    def build_targets(self, *names):
        return command("ninja", "-C", self.build, "-j2", *names)

    def passes(self, words):
        try:
            done = command(self.build / words[0], *words[1:], timeout=STALL_SECONDS, env=self.environment, cwd=self.build)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0 and not re.search(r"ERROR: (Address|Leak)Sanitizer|: runtime error: ", done.stdout + done.stderr)

    def check_unchanged(self):
        must(self.build_targets(*(name for name, _ in self.tests)), "the build")
        for name, words in self.tests:
            if not self.passes(words):
                sys.exit(f"{name} fails in the copy as it is")

    def known(self):
        """{key: test that noticed, "none" or "invalid"}"""
        if not self.results.exists():
            return {}
        rows = dict(line.split("\t")[:2] for line in self.results.read_text().splitlines())
        for name in rows.values():
            if name in self.kills:
                self.kills[name] += 1
        return rows

    def try_one(self, mutant):
        text = mutant.path.read_text()
        lines = text.splitlines()
        lines[mutant.number - 1] = mutant.changed
        mutant.path.write_text("\n".join(lines) + "\n")
        try:
            # What noticed most so far first: most mutants go no further.
            tests = sorted(self.tests, key=lambda test: -self.kills[test[0]])
            for some in (tests[:FIRST], tests[FIRST:]):
                if self.build_targets(*(name for name, _ in some)).returncode != 0:
                    return "invalid"
                for name, words in some:
                    if not self.passes(words):
                        self.kills[name] += 1
                        return name
            return "none"
        finally:
            mutant.path.write_text(text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    project, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if os.environ.get("HSD_LONG") != "1":
        print("runs with HSD_LONG=1 alone: skipped")
        return 77
    copy = Copy(project, folder)
    known = copy.known()
    mutants = sorted((each for path in sorted((copy.source / SOURCES).glob("*.c")) if path.name not in ELSEWHERE for each in mutants_of(path)), key=lambda each: each.key)
    copy.check_unchanged()
    until = time.monotonic() + SECONDS
    for mutant in mutants:
        if time.monotonic() > until:
            break
        if mutant.key not in known:
            known[mutant.key] = copy.try_one(mutant)
            with open(copy.results, "a", encoding="utf-8") as file:
                file.write(f"{mutant.key}\t{known[mutant.key]}\t{mutant.path.name}:{mutant.number}\t{mutant.what}\n")
    tried = [each for each in mutants if known.get(each.key, "invalid") != "invalid"]
    alive = [each for each in tried if known[each.key] == "none"]
    for each in alive:
        print(f"not noticed: {SOURCES}/{each.path.name}:{each.number}: {each.what}: {each.line.strip()[:100]}")
    print(f"{len(tried) - len(alive)} mutants noticed, of {len(tried)} tried; {len(mutants)} in all")
    return 1 if 100 * (len(tried) - len(alive)) < NEEDED_PERCENT * len(tried) or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
