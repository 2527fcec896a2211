#!/usr/bin/env python3
"""Are the reader and the writer of captures tested? One comparison, bound or condition of libdiff/format and capture/core at a time is changed, in a copy of the
tree, and a test must notice: a unit test of format/ or capture/, or a sweep over damaged captures, under sanitizers. A test that takes many times what it takes else has
noticed, too.

usage: mutants.py PROJECT FOLDER [FILE…]          of these files alone
       mutants.py PROJECT FOLDER FILE:LINE…       those of these lines alone are tried, and what each test says of them
       mutants.py PROJECT                         is each row of equivalent.table a change of what stands there now?

All changes are built at once, and a variable of the environment says which one holds (switched.py). Each case of a test runs first with none, and notes where a change would have
made a difference: it is asked of those alone. FOLDER keeps the copy, its build, and results.tsv: what was noticed is not tried again, as long as its line and its file's
name stand, and what was not is tried again on another commit. Mutants are tried in an order without a pattern, so that a part of them is a fair sample;
HSD_MUTANTS_SECONDS (3000) is the time for it, HSD_MUTANTS_AT_ONCE (as many as there are cores) how many are tried beside each other. Fails when fewer than 95 % are noticed.
Changes that cannot make a difference stand in equivalent.table with the reason. They are asked of the quick tests and not counted; one that is noticed is a failure.
"""
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time

import switched

SECONDS = int(os.environ.get("HSD_MUTANTS_SECONDS", "3000"))
AT_ONCE = int(os.environ.get("HSD_MUTANTS_AT_ONCE", str(os.cpu_count())))
SOURCES = ("libdiff/format", "capture/core")
ELSEWHERE = ("libdiff/format/rewrite.c", "libdiff/format/encode.c") # which unit/symbols and unit/redact test
STALL_SECONDS = 240
# What a test may take of the processor where it took no time before; else so many times as much, too. What runs for ever does not wait for STALL_SECONDS.
LEAST_CPU_SECONDS, TIMES_THE_CPU = 4, 8
NEEDED_PERCENT = 95
# What stands for what. A blank on both sides keeps arrows, shifts and #include out.
CHANGES = ((" <= ", " < "), (" >= ", " > "), (" < ", " <= "), (" > ", " >= "), (" == ", " != "), (" != ", " == "), (" && ", " || "), (" || ", " && "),
           (" + 1", ""), (" - 1", ""), (" += ", " -= "), ("return true;", "return false;"), ("return false;", "return true;"))
UNITS = {"format": ("verify", "structure", "checks", "unpack", "capture", "parts", "round_trip", "salvage", "digest", "sums", "site_totals", "verify_end", "verify_totals", "verify_damage", "tables", "order",
                    "limits", "scan", "survey", "dump", "written", "salvage_blocks"),
         "capture": ("helper", "column", "allocator", "totals", "codec", "hash", "output", "sums", "site_totals", "references", "writer", "faults", "block", "stage")}
WRITTEN = ("roundtrip", "agree")  # what the library writes, read again: tests/capture
SWEEPS = ("blocks", "lengths", "prefixes", "flips")
SLOW_SECONDS = 0.7  # tests that take more of the processor are asked in the second round
UNNOTICED = ("quick", "none")  # by quick tests, and by slow ones, too
EQUIVALENT = "tests/integrity/equivalent.table"


def command(*words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False, **options)


def must(done, what):
    if done.returncode != 0:
        sys.exit(f"{what}: {done.stdout[-3000:]}{done.stderr[-3000:]}")


def code_of(line):
    """The line without its comment; nothing where it is one, or a directive, or an assertion, which what is shipped has not."""
    bare = re.sub(r"/\*.*?(\*/|$)", "", line)
    return "" if re.match(r"\s*(\*|#|/|HSD_ASSERT)", line) else bare


class Mutant:
    def __init__(self, name, number, column, line, old, new):
        self.name, self.number, self.column, self.line, self.old, self.new = name, number, column, line, old, new
        self.what = f"{old.strip()} -> {new.strip() or 'nothing'}"
        changed = line[:column] + new + line[column + len(old):]
        self.key = hashlib.sha256(f"{name}\0{line.strip()}\0{changed.strip()}".encode()).hexdigest()[:16]


def mutants_in(source):
    """In an order without a pattern; lines that are alike count once."""
    files = sorted(path for folder in SOURCES for path in (source / folder).glob("*.c"))
    names = [name for name in (str(path.relative_to(source)) for path in files) if name not in ELSEWHERE]
    return sorted({each.key: each for name in names for each in mutants_of((source / name).read_text(), name)}.values(), key=lambda each: each.key)


def mutants_of(text, name):
    for number, line in enumerate(text.splitlines(), 1):
        code = code_of(line)
        for old, new in CHANGES:
            for match in re.finditer(re.escape(old), code):
                if old in (" + 1", " - 1") and code[match.end():match.end() + 1].isalnum():
                    continue
                if line.startswith(code[:match.end()]):
                    yield Mutant(name, number, match.start(), line, old, new)


def equivalent_in(source, mutants):
    """{key: reason} of the changes that make no difference. Rows of the table: file, text of the line, change, reason, with tabs between; where a line has the same
    change more than once, its number follows: "== -> != 2"."""
    of_place, reasons = collections.defaultdict(list), {}
    for each in sorted(mutants, key=lambda each: (each.number, each.column)):
        of_place[each.name, each.line.strip(), each.what].append(each)
    for number, line in enumerate((source / EQUIVALENT).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 4 or not all(cells):
            sys.exit(f"{EQUIVALENT}:{number}: not four cells with tabs between")
        name, text, change, reason = cells
        what, _, which = re.fullmatch(r"(.*?)( (\d+))?", change).groups()
        found = of_place[name, text, what]
        if len(found) < int(which or 1) or which is None and len(found) > 1:
            sys.exit(f"{EQUIVALENT}:{number}: {len(found)} such changes of this line in {name}: {text}")
        each = found[int(which or 1) - 1]
        if each.key in reasons:
            sys.exit(f"{EQUIVALENT}:{number}: stands there twice")
        reasons[each.key] = reason
    return reasons


class Copy:
    """The tree with all mutants in it, and what is known of them."""

    def __init__(self, project, folder):
        self.source, self.build, self.results, self.seen, self.table = (
            folder / name for name in ("source", "build", "results.tsv", "seen", "seen.json"))
        head = command("git", "-C", project, "rev-parse", "HEAD")
        if head.returncode != 0:
            print("no repository here: skipped")
            sys.exit(77)
        self.commit = head.stdout.strip()
        self.seen.mkdir(parents=True, exist_ok=True)
        self.source.mkdir(parents=True, exist_ok=True)
        mark = folder / "commit"  # the same commit: what is changed there comes back, and the rest need not be built again
        again = mark.exists() and mark.read_text() == head.stdout
        clear = ":" if again else f"rm -rf '{self.source}' && mkdir '{self.source}'"
        must(command("bash", "-c", f"set -o pipefail; {clear}; git -C '{project}' archive HEAD {' '.join(SOURCES) if again else ''} | tar -x -m -C '{self.source}'"), "the copy")
        mark.write_text(head.stdout)
        self.mutants = mutants_in(self.source)
        self.equivalent = equivalent_in(self.source, self.mutants)
        kit = self.source / "tests" / "integrity"
        self.header, self.linked = kit / "mutant.h", folder / "mutant.o"
        must(command("cc", "-O1", "-c", kit / "mutant.c", "-o", self.linked), "mutant.c")
        must(command("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Debug", "-D", "HSD_SANITIZE=ON", "-D", "CMAKE_EXPORT_COMPILE_COMMANDS=ON",
                     "-D", f"CMAKE_EXE_LINKER_FLAGS={self.linked}", "-D", f"CMAKE_SHARED_LINKER_FLAGS={self.linked}"), "cmake")
        self.programs = [f"tests/unit/{of}/test_{of}_{name}" for of, names in UNITS.items() for name in names] + [f"tests/capture/test_capture_{name}" for name in WRITTEN]
        self.sweeps = [f"tests/integrity/sweep_{name}" for name in SWEEPS]
        self.tests = {}  # name: words
        self.kills = collections.Counter()  # of (file, test) and, for files of which nothing is known, of (folder, test)
        self.cpu_seconds, self.cost, self.seen_by = {}, {}, {}
        self.environment = {**{name: value for name, value in os.environ.items() if name not in ("HSD_LONG", "HSD_SEED", "HSD_MUTANT", "HSD_MUTANTS_SEEN")},
                            "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:handle_sigill=1:symbolize=0:clear_shadow_mmap_threshold=16777216", "UBSAN_OPTIONS": "halt_on_error=1"}

    def switch(self):
        """All changes into the sources: {number: mutant} of those that can be."""
        numbered = dict(enumerate(self.mutants, 1))
        commands = {entry["file"]: entry for entry in json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))}
        possible = {}
        for name in sorted({each.name for each in self.mutants}):
            path = self.source / name
            text = switched.Switched(path.read_text())
            inside = {number for number, each in numbered.items() if each.name == name and text.add(number, each.number, each.column, each.old, each.new)}
            words = [word for word in shlex.split(commands[str(path)]["command"]) if os.path.basename(word) not in ("ccache", "sccache") and word not in ("-Werror", "-g")]
            words = words[:words.index("-o")]
            unchanged = self.code_from(words, path)
            left_out = set()
            while True:
                path.write_text(text.made(self.header, left_out))
                wrong = self.wrong_lines(words, path)
                if wrong is None:
                    break
                more = {number for number in inside - left_out if wrong & set(range(text.places[number][0], text.places[number][1] + 1))}
                left_out |= more or inside
            if self.code_from([*words, "-DHSD_MUTANTS_OFF"], path) != unchanged:
                sys.exit(f"{name}: with macros for its operators it is another program")
            possible.update((number, numbered[number]) for number in inside - left_out)
        return {number: possible[number] for number in sorted(possible)}

    @staticmethod
    def code_from(words, path):
        done = subprocess.run([*words, "-w", "-g0", "-O0", "-fno-sanitize=all", "-S", "-o", "-", path], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{path}: {done.stderr.decode(errors='replace')[:2000]}")
        return done.stdout

    @staticmethod
    def wrong_lines(words, path):
        """Those of which the compiler complains; None where it does not."""
        done = command(*words, "-w", "-fsyntax-only", path)
        if done.returncode == 0:
            return None
        return {int(line) for line in re.findall(rf"^{re.escape(str(path))}:(\d+):\d+: error:", done.stderr, re.MULTILINE)} | \
               {int(line) for line in re.findall(rf"^ *{re.escape(str(path))}:(\d+):", done.stderr, re.MULTILINE)}

    def passes(self, test, **environment):
        limit = ["prlimit", f"--cpu={self.cpu_seconds[test]}"] if test in self.cpu_seconds else []
        program, *words = self.tests[test]
        try:
            done = command(*limit, self.build / program, *words, timeout=STALL_SECONDS, env={**self.environment, **environment}, cwd=self.build)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0 and not re.search(r"ERROR: (Address|Leak)Sanitizer|: runtime error: ", done.stdout + done.stderr)

    def list_tests(self):
        must(command("ninja", "-C", self.build, f"-j{os.cpu_count()}", *(program.rsplit("/", 1)[1] for program in self.programs + self.sweeps)), "the build")
        for program in self.programs:
            told = command(self.build / program, "--list", env=self.environment, cwd=self.build)
            must(told, program)
            self.tests.update({f"{program.rsplit('/', 1)[1]} {case}": [program, "--short-filename", "--filter", case] for case in told.stdout.split()})
        self.tests.update({program.rsplit("/", 1)[1]: [program] for program in self.sweeps})

    def run_unchanged(self):
        """Each test with no change: what it takes, and which changes it can notice. Of the same commit it is kept."""
        self.list_tests()
        told = json.loads(self.table.read_text(encoding="utf-8")) if self.table.exists() else {}
        if told.get("commit") != self.commit or set(told["tests"]) != set(self.tests):
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                told = {"commit": self.commit, "tests": dict(zip(self.tests, pool.map(self.look, self.tests)))}
            self.table.write_text(json.dumps(told), encoding="utf-8")
        for name, (seconds, seen) in told["tests"].items():
            self.cpu_seconds[name], self.seen_by[name] = LEAST_CPU_SECONDS + round(TIMES_THE_CPU * seconds), set(seen)
            self.cost[name] = seconds

    def look(self, name):
        """[seconds of the processor, numbers of changes that it can notice]"""
        program, *words = self.tests[name]
        with tempfile.NamedTemporaryFile(dir=self.seen) as file:
            file.write(bytes(len(self.mutants) + 1))
            file.flush()
            with subprocess.Popen([self.build / program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.build,
                                  env={**self.environment, "HSD_MUTANTS_SEEN": file.name}) as process:
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise SystemExit(f"{name} fails in the copy as it is: {process.returncode}")
            file.seek(0)
            return [used.ru_utime + used.ru_stime, [number for number, seen in enumerate(file.read()) if seen]]

    def known(self):
        """{key: test that noticed, "none", or "quick" where a slow one may yet}"""
        if not self.results.exists():
            return {}
        rows = [line.split("\t") for line in self.results.read_text().splitlines()]
        for _, test, place, *_ in rows:
            self.note(place.split(":")[0], test)
        return {key: test for key, test, _, _, commit in rows if test not in UNNOTICED or commit == self.commit}

    def keep(self, mutant, test):
        with open(self.results, "a", encoding="utf-8") as file:
            file.write(f"{mutant.key}\t{test}\t{mutant.name}:{mutant.number}\t{mutant.what}\t{self.commit}\n")

    def note(self, name, test):
        self.kills[name, test] += 1
        self.kills[name.rsplit("/", 1)[0], test] += 1

    def likeliest_first(self, name, number):
        """Of those that can notice it: what noticed most changes of this file for what it takes, then of its folder."""
        def worth(test):
            return -(self.kills[name, test] + self.kills[name.rsplit("/", 1)[0], test] / 100 + 0.01) / (self.cost[test] + 0.02)
        return sorted((test for test in self.tests if number in self.seen_by[test]), key=worth)

    def notices(self, test, number):
        return not self.passes(test, HSD_MUTANT=str(number))

    def try_one(self, number, mutant, is_slow):
        for test in self.likeliest_first(mutant.name, number):
            if (self.cost[test] > SLOW_SECONDS) == is_slow and self.notices(test, number):
                self.note(mutant.name, test)
                return test
        return UNNOTICED[is_slow]

    def try_all(self, possible, until):
        """{key: what is known}: with quick tests all of them, and with slow ones, which take seconds, what those left. Until it is time."""
        known, lock = self.known(), threading.Lock()
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for is_slow in (False, True):
                def try_it(number, mutant, is_slow=is_slow):
                    if time.monotonic() > until:
                        return
                    found = self.try_one(number, mutant, is_slow)
                    with lock:
                        known[mutant.key] = found
                        self.keep(mutant, found)
                left = [(number, mutant) for number, mutant in possible.items() if known.get(mutant.key) == (UNNOTICED[False] if is_slow else None)
                        and not (is_slow and mutant.key in self.equivalent)]
                for done in [pool.submit(try_it, *each) for each in left]:
                    done.result()
        return known


def tell_lines(copy, possible, places):
    for number, each in possible.items():
        if f"{each.name}:{each.number}" in places:
            print(f"{each.name}:{each.number}: {each.what}: HSD_MUTANT={number}")
            for test in copy.likeliest_first(each.name, number):
                print(f"  {test} {'notices' if copy.notices(test, number) else 'does not notice'}", flush=True)
    return 0


def tell(copy, possible, known, out_of):
    """What the tests say of those that were tried: whether enough are noticed."""
    equivalent = {number: each for number, each in possible.items() if each.key in copy.equivalent}
    counted = {number: each for number, each in possible.items() if number not in equivalent}
    tried = {number: each for number, each in counted.items() if each.key in known}
    alive = {number: each for number, each in tried.items() if known[each.key] in UNNOTICED}
    wrong = [each for each in equivalent.values() if known.get(each.key, UNNOTICED[0]) not in UNNOTICED]
    reached = set().union(*copy.seen_by.values())
    for number, each in sorted(alive.items(), key=lambda pair: (pair[1].name, pair[1].number)):
        print(f"{'not noticed' if number in reached else 'makes no difference in any test'}: {each.name}:{each.number}: {each.what}: {each.line.strip()[:100]}")
    for each in wrong:
        print(f"equivalent, says {EQUIVALENT}, and noticed by {known[each.key]}: {each.name}:{each.number}: {each.what}: {each.line.strip()[:100]}")
    noticed = len(tried) - len(alive)
    print(f"{noticed} mutants noticed, of {len(tried)} tried{interval(noticed, len(tried), len(counted))}; {len(out_of)} in all, "
          f"of which {len(out_of) - len(possible)} cannot be switched and {len(equivalent)} are equivalent")
    return bool(tried) and not wrong and 100 * noticed >= NEEDED_PERCENT * len(tried)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    project, places = pathlib.Path(sys.argv[1]), sys.argv[3:]
    if len(sys.argv) == 2:
        print(f"{len(equivalent_in(project, mutants_in(project)))} equivalent mutants stand where {EQUIVALENT} says")
        return 0
    if os.environ.get("HSD_LONG") != "1" and not places:
        print("runs with HSD_LONG=1 alone: skipped")
        return 77
    copy = Copy(project, pathlib.Path(sys.argv[2]))
    possible = copy.switch()
    copy.run_unchanged()
    if any(":" in place for place in places):
        return tell_lines(copy, possible, places)
    if places:
        possible = {number: each for number, each in possible.items() if each.name in places}
    known = copy.try_all(possible, time.monotonic() + SECONDS)
    return 0 if tell(copy, possible, known, [each for each in copy.mutants if not places or each.name in places]) else 1


def interval(noticed, tried, possible):
    """Where a sample says of all of them, in 95 of 100 samples (Wilson)."""
    if tried == possible or not tried:
        return ""
    share, z = noticed / tried, 1.96
    middle, half = share + z * z / (2 * tried), z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    low, high = ((middle + sign * half) / (1 + z * z / tried) for sign in (-1, 1))
    return f" (a sample: {100 * low:.1f} to {100 * high:.1f} % of {possible})"


if __name__ == "__main__":
    sys.exit(main())
