"""What hsdiff promises about trust, and which test counts it: the table behind doc/reliability.md.

A row has its promise, the figure that a release asks for, and checks. A check is one test of ctest in one preset, run at its full size
(HSD_LONG=1), and how its output says the number of cases: a pattern whose groups are added up, or an environment variable that sets
the number. A check that draws at random is run again and again with other seeds (HSD_SEED), and its numbers add up (cases that have numbers, the seed the first of
them, count once, and a run begins behind those before); one that failed is run again with its seed on the next commit. Any other tries
the same cases each time, so its last number stands. What no test counts is said in `missing`.
"""
from dataclasses import dataclass, field

CASES = r"^([\d,]+) passed, 0 failed"  # the closing line of a test script
UNITS = r"(base|browse|check|diff|export|format|graph|import|io|match|report|series|sort|symbols)/[a-z0-9_]+"  # the library, folder by folder
CUT = r"^ +(\d+) of \d+ were cut"
RIGHTS = r"^rights: (\d+) of \d+ as they should be"
FUZZED = r"\d+ files, (\d+) inputs"


@dataclass(frozen=True)
class Check:
    counter: str  # what is counted: "prefixes"
    preset: str
    test: str  # the name of the test, or a pattern of names
    pattern: str = CASES
    wanted: int = 0  # by a release; 0: all that there are
    environment: dict = field(default_factory=dict, hash=False)
    counted_by: str = ""  # the variable of the environment that says the number, where the output does not
    is_random: bool = False
    part: str = ""  # what is built for it alone, where that is less than its preset's (PARTS)


@dataclass(frozen=True)
class Row:
    number: int
    group: str
    promise: str
    checks: tuple
    missing: str = ""


def pairs(counter, test, count, wanted):
    return Check(counter, "release", test, wanted=wanted, environment={"HSD_PAIRS": str(count)}, counted_by="HSD_PAIRS", is_random=True)


# Presets of which a part is built, and as which target: the fuzz targets, those of them that the memory sanitizer can look at (cmake/HsdFuzz.cmake), what
# reaches reader and writer of captures (tests/integrity), or unit tests alone.
PARTS = {"fuzz": "fuzz_targets", "afl": "fuzz_targets", "msan": "fuzz_reader", "coverage": "reaching", "tsan": "units"}
OF_OWN = ("capture|index|records|salvage|elf|zstd|lz4|hprof|v8|perfetto|goheap|gocore|pycore|pyheap|dart|ruby|pprof|luau|mlpd|gcdump|firefox|tracemalloc|heapprofile|"
          "massif|dhat|memray|heaptrack|meminfo|phd|nettrace|graph|user_keys|live|inspector")


def guided(preset, engine):
    """What an engine that is guided by coverage tried, in slices of all targets: half of a release's 10^9 inputs and 72 hours each. And of those
    that read captures alone, where a minute of each is worth most."""
    checks = []
    for where, test, part, seconds, inputs, time in (("", "fuzz/[a-z0-9_]+", "", 20, 500_000_000, 129_600),
                                                     (" in captures", "fuzz/(capture|index|records|salvage)", "fuzz_captures", 60, 0, 0)):
        same = {"preset": preset, "test": test, "part": part, "environment": {"HSD_FUZZ_SECONDS": str(seconds)}, "is_random": True}
        checks += [Check(f"inputs of {engine}{where}", pattern=r"^(\d+) inputs guided", wanted=inputs, **same),
                   Check(f"CPU seconds of {engine}{where}", pattern=r"in (\d+) CPU seconds", wanted=time, **same)]
    return checks


ROWS = (
    Row(1, "Integrity", "Every prefix of a capture gives a salvage report or a clear error that names byte and block",
        (Check("prefixes", "release", "integrity/prefixes", r"prefixes: (\d+) tried", 1_500_000),)),
    Row(2, "Integrity", "Every flipped bit is detected before anything is unpacked",
        (Check("flips", "release", "integrity/flips", r"bit flips: (\d+) tried", 12_500_000),
         Check("bursts", "release", "integrity/flips", r"bursts: (\d+) tried", 1_000_000))),
    Row(3, "Integrity", "Misplaced, repeated, swapped, zeroed and stale blocks are detected",
        (Check("edits", "release", "integrity/blocks", r"misplaced blocks: (\d+) tried", 100_000),)),
    Row(4, "Integrity", "One bad block costs one block",
        (Check("blocks destroyed", "release", "integrity/blocks", r"destroyed blocks: (\d+) tried"),)),
    Row(5, "Integrity", "Old captures stay readable",
        (Check("captures of two readers", "release", "integrity/agreement", r"agreement: (\d+) captures compared, 0 differ"),
         Check("captures on a big-endian machine (s390x) and one of 32 bits (i386)", "release", "cross/machines", r"machines: (\d+) captures on \w+, 0 differ")),
        "captures of released versions: there is none yet"),
    Row(6, "Correct answers", "A diff equals that of a naive program in memory, to the byte",
        (pairs("pairs by identity", "property/diff", 2_000, 100_000), pairs("pairs by structure", "property/structure", 1_000, 100_000),
         pairs("heaps of one side", "property/top", 1_000, 0), pairs("series", "property/series", 300, 0))),
    Row(7, "Correct answers", "The same bytes come out whatever the threads, the memory, the language and the temporary folder",
        (Check("runs", "release", "reliability/same_bytes", r"(\d+) runs, 1 answer\b", 1_000),
         Check("runs by gcc and by clang", "release", "reliability/compilers", r"compilers: (\d+) runs by two compilers, 0 differ"))),
    Row(8, "Failure of the machine", "Memory that runs out at any call: an exit status, a message, nothing left",
        (Check("allocations failed", "dev", "reliability/memory_faults"), Check("mappings failed", "release", "reliability/failing_maps"))),
    Row(9, "Failure of the machine", "Any call of input or output that fails or falls short, at any time",
        (Check("calls failed", "dev", "reliability/io_faults"), Check("full disks", "release", "reliability/full_disk"))),
    Row(10, "Failure of the machine", "Two faults at once",
        (Check("pairs of faults", "release", "reliability/fault_pairs", wanted=100_000, is_random=True),
         Check("pairs under sanitizers", "dev", "reliability/fault_pairs", wanted=6_000, is_random=True))),
    Row(11, "Failure of the machine", "Killed at any moment: no temporary name, no half of an output",
        (Check("signals", "release", "reliability/kills", r"of (\d+) signals", 13_000, is_random=True),)),
    Row(12, "Failure of the machine", "An error of standard output is an error",
        (Check("streams", "release", "reliability/streams"),)),
    Row(13, "Failure of the machine", "Memory stays under --memory, and the answer is the same",
        (*(Check(f"budgets kept by 10 M objects, {form}", "release", f"reliability/memory_of_{form}", r"(?:peak .*, )(same) bytes", count)
           for form, count in (("ids", 2), ("tight", 1), ("ordinals", 2), ("structure", 1))),
         Check("budgets kept by 100 M objects", "release", "reliability/memory_of_many", r"(?:100,000,000 objects, .*peak .*, )(every sum) of", 1),
         Check("heaps read in large pieces", "release", "reliability/memory_of_traffic", r"(bytes) a call$", 2)),),
    Row(14, "Failure of the machine", "Hostile lengths and bombs cost nothing",
        (Check("fields of captures", "release", "integrity/lengths", r"hostile fields: (\d+) tried"),
         Check("hostile inputs", "release", "reliability/hostile_(captures|hprof|gzip|v8)"))),
    Row(15, "Failure of the machine", "No shape of a heap stalls it",
        tuple(Check(f"heaps of 10 M objects by {form}, within 3 times the time of a random one", "release", f"property/shapes_by_{form}", r"[\d.]+ (of) a random heap", 9)
              for form in ("id", "ordinal"))),
    Row(16, "Fuzzing and code", "Fuzzed clean",
        (*guided("fuzz", "libFuzzer"), *guided("afl", "AFL++"),
         *(Check(counter, "msan", f"fuzz/({OF_OWN})", pattern, environment={"HSD_FUZZ_SECONDS": "20"}, is_random=True)
           for counter, pattern in (("inputs under the memory sanitizer", r"^(\d+) inputs guided"),
                                    ("CPU seconds under the memory sanitizer", r"in (\d+) CPU seconds"))),
         *(Check(f"{counter} in captures", "msan", "fuzz/(capture|index|records|salvage)", pattern, environment={"HSD_FUZZ_SECONDS": "60"}, is_random=True, part="fuzz_captures")
           for counter, pattern in (("inputs under the memory sanitizer", r"^(\d+) inputs guided"),)),
         Check("mutations under sanitizers", "dev", "fuzz/[a-z0-9_]+", FUZZED, environment={"HSD_LONG": "0"}, is_random=True, part="fuzz_targets"),
         Check("mutations", "release", "fuzz/[a-z0-9_]+", FUZZED, environment={"HSD_LONG": "0"}, is_random=True, part="fuzz_targets")),
        "the memory sanitizer for what goes through libsodium, libyaml, libdw, SQLite and libmicrohttpd, which are not built with it"),
    Row(17, "Fuzzing and code", "Reader and writer are exercised whole",
        (Check("mutants of both noticed (95 % of those tried, or it fails)", "release", "integrity/mutants", r"^(\d+) mutants noticed", 1_300),
         *(Check(f"{what} of both reached by their tests ({percent} % of them, or it fails)", "coverage", "integrity/reached", rf"^(\d+) {what} reached", environment={"HSD_LONG": "0"})
           for what, percent in (("lines", 95), ("branches", 90))))),
    Row(18, "Fuzzing and code", "Clean under tools",
        (Check("cases under the address and undefined behaviour sanitizers", "dev", UNITS, r"Passing: (\d+) \| Failing: 0", environment={"HSD_LONG": "0"}),
         Check("cases under the thread sanitizer", "tsan", UNITS, r"Passing: (\d+) \| Failing: 0", environment={"HSD_LONG": "0"}),
         Check("commands under valgrind", "release", "tools/valgrind", r"valgrind: (\d+) commands, 0 reports"),
         *(Check(f"files under {name}", "release", f"tools/{tool}", rf"{tool}: (\d+) files, 0 reports", environment={"HSD_TOOLS": "1"})
           for tool, name in (("analyzer", "gcc -fanalyzer"), ("tidy", "clang-tidy"), ("cppcheck", "cppcheck"))))),
    Row(19, "Security", "Hostile names are harmless in every output",
        (Check("names by tables and text", "release", "cli/names", r": (\d+) names came back", 6_000),)),
    Row(20, "Security", "A report needs no network", (Check("pages", "release", "web/safety", r"^ℹ pass (\d+)"),)),
    Row(21, "Security", "The viewer serves its user alone", (Check("cases", "release", "viewer/security", r"^(ok) "),)),
    Row(22, "Security", "Files are private from birth, and no link is followed", (Check("runs traced", "release", "reliability/files"),)),
    Row(23, "Security", "A default capture holds no values",
        (Check("canaries in captures of programs", "release", "agents/canaries", r"^canaries: (\d+) looked for in .*, 0 found", 12_000),
         Check("cases of redacted captures", "release", "redact/canaries", r"Passing: (\d+) \| Failing: 0")),),
    Row(24, "Security", "Attaching is polite: an aborted capture stops no program",
        (*(Check(f"captures of C programs cut off, {what}", "release", f"agents/cut_aborts_{case}", CUT, wanted, is_random=True)
           for case, what, wanted in (("killed", "hsdiff killed", 300), ("terminated", "hsdiff told to end", 200), ("child_killed", "the writer killed", 200),
                                      ("full_disk", "no room", 100), ("closed_socket", "the receiver gone", 200), ("target_killed", "the program killed", 30))),
         Check("captures of six runtimes cut off", "release", "agents/cut_(node|dotnet|jvm|go|python_ways|ruby)_[a-z_]+", CUT, 350),
         Check("ways to ask without and with the right", "release", "agents/rights", RIGHTS, 100),
         Check("the same under Yama", "release", "agents/yama", RIGHTS, 16))),
    Row(25, "Security", "It opens what it was told to, and nothing else",
        (Check("attempts from inside", "release", "sandbox/attempts", r"commands: (\d+) attempts"),)),
    Row(26, "Security", "The build is what the source says",
        (*(Check(f"two builds by {compiler}, equal in all files", "release", f"install/package_{compiler}", r"^(ok) +two builds", 1) for compiler in ("gcc", "clang")),
         Check("steps with what was built, its lists of parts among them", "release", "install/package_made", r"^(ok)\b", 8),
         Check("marks of hardening", "release", "sandbox/hardening", r"^(ok)\b"))),
    Row(27, "Security", "A bug is fixed when a test shows it", (Check("commits that mend a defect", "release", "scripts/fixes"),)),
)
