#!/usr/bin/env python3
"""Are the reader and the writer of captures tested? One comparison, bound or condition of libdiff/format and capture/core at a time is changed, in a copy of the
tree, and a test must notice: a unit test of format/ or capture/, or a sweep over damaged captures, under sanitizers. A test that takes many times what it takes else has
noticed, too.

usage: mutants.py PROJECT FOLDER

FOLDER keeps the copy, its build, and results.tsv: what is known is not tried again, as long as its line and its file's name stand. Mutants are tried in an order
without a pattern, so that a part of them is a fair sample; HSD_MUTANTS_SECONDS (1200) is the time for it. Fails when fewer than 95 % are noticed.
"""
import collections
import hashlib
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

SECONDS = int(os.environ.get("HSD_MUTANTS_SECONDS", "1200"))
SOURCES = ("libdiff/format", "capture/core")
ELSEWHERE = ("libdiff/format/rewrite.c", "libdiff/format/encode.c") # which unit/symbols and unit/redact test
STALL_SECONDS = 240
# What a test may take of the processor where it took no time before; else so many times as much, too. What runs for ever does not wait for STALL_SECONDS.
LEAST_CPU_SECONDS, TIMES_THE_CPU = 4, 8
NEEDED_PERCENT = 95
# What stands for what. A blank on both sides keeps arrows, shifts and #include out.
CHANGES = ((" <= ", " < "), (" >= ", " > "), (" < ", " <= "), (" > ", " >= "), (" == ", " != "), (" != ", " == "), (" && ", " || "), (" || ", " && "),
           (" + 1", ""), (" - 1", ""), (" += ", " -= "), ("return true;", "return false;"), ("return false;", "return true;"))
UNITS = {"format": ("verify", "structure", "checks", "unpack", "capture", "parts", "round_trip", "salvage", "digest", "sums", "site_totals", "verify_end", "tables", "order"),
         "capture": ("helper", "column", "allocator", "totals", "codec", "hash", "output", "sums", "site_totals", "writer", "faults")}
FIRST = 2
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


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Mutant:
    def __init__(self, path, name, number, line, changed, what):
        self.path, self.name, self.number, self.line, self.changed, self.what = path, name, number, line, changed, what
        self.key = hashlib.sha256(f"{name}\0{line.strip()}\0{changed.strip()}".encode()).hexdigest()[:16]


def mutants_in(source):
    files = sorted(path for folder in SOURCES for path in (source / folder).glob("*.c"))
    for path in files:
        name = str(path.relative_to(source))
        if name not in ELSEWHERE:
            yield from mutants_of(path, name)


def mutants_of(path, name):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = code_of(line)
        for old, new in CHANGES:
            for match in re.finditer(re.escape(old), code):
                if old in (" + 1", " - 1") and code[match.end():match.end() + 1].isalnum():
                    continue
                if line.startswith(code[:match.end()]):
                    yield Mutant(path, name, number, line, line[:match.start()] + new + line[match.end():], f"{old.strip()} -> {new.strip() or 'nothing'}")


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
        self.tests = [(f"test_{of}_{name}", [f"tests/unit/{of}/test_{of}_{name}", "--short-filename"]) for of, names in UNITS.items() for name in names]
        self.tests += [(f"sweep_{name}", [f"tests/integrity/sweep_{name}"]) for name in SWEEPS]
        self.kills = collections.Counter()  # of (file, test) and, for files of which nothing is known, of (folder, test)
        self.cpu_seconds = {}
        self.environment = {**{name: value for name, value in os.environ.items() if name not in ("HSD_LONG", "HSD_SEED")},
                            "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:handle_sigill=1", "UBSAN_OPTIONS": "halt_on_error=1"}

    def build_targets(self, *names):
        return command("ninja", "-C", self.build, "-j2", *names)

    def passes(self, words):
        seconds = self.cpu_seconds.get(words[0])
        limit = None if seconds is None else lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        try:
            done = command(self.build / words[0], *words[1:], timeout=STALL_SECONDS, env=self.environment, cwd=self.build, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0 and not re.search(r"ERROR: (Address|Leak)Sanitizer|: runtime error: ", done.stdout + done.stderr)

    def check_unchanged(self):
        must(self.build_targets(*(name for name, _ in self.tests)), "the build")
        for name, words in self.tests:
            before = cpu_of_children()
            if not self.passes(words):
                sys.exit(f"{name} fails in the copy as it is")
            self.cpu_seconds[words[0]] = LEAST_CPU_SECONDS + round(TIMES_THE_CPU * (cpu_of_children() - before))

    def known(self):
        """{key: test that noticed, "none" or "invalid"}"""
        if not self.results.exists():
            return {}
        rows = [line.split("\t") for line in self.results.read_text().splitlines()]
        for _, test, place, *_ in rows:
            self.note(place.split(":")[0], test)
        return {key: test for key, test, *_ in rows}

    def note(self, name, test):
        self.kills[name, test] += 1
        self.kills[name.rsplit("/", 1)[0], test] += 1

    def likeliest_first(self, name):
        """What noticed most changes of this file first, then of its folder: most mutants go no further."""
        return sorted(self.tests, key=lambda test: (-self.kills[name, test[0]], -self.kills[name.rsplit("/", 1)[0], test[0]]))

    def try_one(self, mutant):
        text = mutant.path.read_text()
        lines = text.splitlines()
        lines[mutant.number - 1] = mutant.changed
        mutant.path.write_text("\n".join(lines) + "\n")
        try:
            tests = self.likeliest_first(mutant.name)
            for some in (tests[:FIRST], tests[FIRST:]):
                if self.build_targets(*(name for name, _ in some)).returncode != 0:
                    return "invalid"
                for name, words in some:
                    if not self.passes(words):
                        self.note(mutant.name, name)
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
    mutants = sorted({each.key: each for each in mutants_in(copy.source)}.values(), key=lambda each: each.key)  # lines that are alike count once
    copy.check_unchanged()
    until = time.monotonic() + SECONDS
    for mutant in mutants:
        if time.monotonic() > until:
            break
        if mutant.key not in known:
            known[mutant.key] = copy.try_one(mutant)
            with open(copy.results, "a", encoding="utf-8") as file:
                file.write(f"{mutant.key}\t{known[mutant.key]}\t{mutant.name}:{mutant.number}\t{mutant.what}\n")
    tried = [each for each in mutants if known.get(each.key, "invalid") != "invalid"]
    alive = [each for each in tried if known[each.key] == "none"]
    for each in alive:
        print(f"not noticed: {each.name}:{each.number}: {each.what}: {each.line.strip()[:100]}")
    print(f"{len(tried) - len(alive)} mutants noticed, of {len(tried)} tried; {len(mutants)} in all")
    return 1 if 100 * (len(tried) - len(alive)) < NEEDED_PERCENT * len(tried) or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
