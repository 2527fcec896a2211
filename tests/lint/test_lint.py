#!/usr/bin/env python3
"""Shows that the lint can fail: a small clean tree passes, and each planted breach is found, at its place, alone."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lint  # noqa: E402

OPENING = "/*\n * A file of the clean tree, which the tests below break in one place at a time.\n */\n"
CLEAN = {
    "capture/include/hscapture/hscapture.h": OPENING + "/* Opens it. */\nHSC_API int hsc_open(void);\n",
    "capture/core/layout.h": OPENING + "#define HSC_ONE 1\n",
    "capture/core/codec.c": OPENING + "#include <zstd.h>\n#include \"layout.h\"\n",
    "libdiff/include/hsdiff/status.h": OPENING + "/* What is returned. */\ntypedef enum hsd_status {\n    HSD_OK\n} hsd_status;\n",
    "libdiff/base/check.h": OPENING + "#include <stdint.h>\n",
    "libdiff/base/check.c": OPENING + "#include \"base/check.h\"\n",
    "libdiff/io/source.c": OPENING + "#include \"base/check.h\"\n#include <hsdiff/status.h>\n",
    "libdiff/sort/run.h": OPENING,
    "libdiff/sort/run.c": "#define _GNU_SOURCE\n" + OPENING + "#include \"sort/run.h\"\n/* strcpy(a, b) is only spoken of */\n"
                          "void g(int a) { HSD_ASSERT(a >= 1 && a != 3 && hsd_run_is_open(a) && a == hsd_min_u64(a, 9)); }\n",
    "libdiff/graph/owner.c": OPENING + "#include \"base/check.h\"\nconst char *text = \"atoi(\";\n",
    "libdiff/format/reader.c": OPENING + "#include \"core/layout.h\"\n",
    "libdiff/import/registry.c": OPENING + "#include <hscapture/hscapture.h>\nrows[] = {\n    &hsd_import_hprof,\n};\n",
    "cli/main.c": OPENING + "#include <hsdiff/status.h>\nint main(void) { printf(\"x\"); return 0; }\n",
    "tests/fuzz/CMakeLists.txt": "hsd_add_fuzz(hprof)\n",
    "tests/fuzz/fuzz_hprof.c": OPENING,
    "tests/spec/second_reader.c": OPENING + "#include <stdio.h>\n",
    "tests/unit/sort/test_run.c": OPENING + "#include <criterion/criterion.h>\n#include \"sort/run.h\"\n",
}


def append(path, text):
    return {path: CLEAN.get(path, OPENING) + text}


# name, files changed (None removes one), what the one breach must say
BREACHES = [
    ("sort includes graph", append("libdiff/sort/run.c", "#include \"graph/owner.h\"\n"), "sort may not include libdiff/graph"),
    ("base includes io", append("libdiff/base/check.c", "#include \"io/source.h\"\n"), "base may not include libdiff/io"),
    ("graph includes sort", append("libdiff/graph/owner.c", "#include \"sort/run.h\"\n"), "graph may not include libdiff/sort"),
    ("cli looks behind the public headers", append("cli/main.c", "#include \"base/check.h\"\n"), "cli may not include libdiff/base"),
    ("format includes more of capture than layout.h", append("libdiff/format/reader.c", "#include \"core/codec.h\"\n"), "format may not include"),
    ("capture includes libdiff", append("capture/core/codec.c", "#include <hsdiff/status.h>\n"), "capture/core may not include"),
    ("an agent includes another", append("capture/jvm/agent.c", "#include \"../node/agent.h\"\n"), "agent may not include capture/node"),
    ("the second reader shares code", append("tests/spec/second_reader.c", "#include \"core/layout.h\"\n"), "second reader may not include"),
    ("a second includer of zstd", append("libdiff/io/source.c", "#include <zstd.h>\n"), "has one includer"),
    ("an unknown third party", append("libdiff/io/source.c", "#include <glib.h>\n"), "neither libc nor"),
    ("a folder outside the table", {"libdiff/extra/x.c": OPENING}, "includes.table does not name"),
    ("no opening comment", {"libdiff/sort/run.h": "#define X 1\n"}, "does not open with a comment"),
    ("an opening comment without content", {"libdiff/sort/run.h": "/* run.h */\n"}, "does not open with a comment"),
    ("an open end", append("libdiff/sort/run.c", "/* TO" "DO: later */\n"), "an open end"),
    ("an open end in a script", {"scripts/x.sh": "# FIX" "ME\n"}, "an open end"),
    ("a long file", append("libdiff/sort/run.c", "int x;\n" * 701), "lines: is it one thing?"),
    ("a tab", append("libdiff/sort/run.c", "\tint x;\n"), "a tab"),
    ("white space at the end", append("libdiff/sort/run.c", "int x; \n"), "white space at the end"),
    ("no newline at the end", append("libdiff/sort/run.c", "int x;"), "no newline"),
    ("strcpy", append("libdiff/sort/run.c", "void f(void) { strcpy(a, b); }\n"), "strcpy: writes"),
    ("atoi", append("cli/main.c", "int g(char *a) { return atoi(a); }\n"), "atoi: cannot"),
    ("a library prints", append("libdiff/sort/run.c", "void f(void) { printf(\"x\"); }\n"), "a library never prints"),
    ("a library exits", append("capture/core/codec.c", "void f(void) { exit(1); }\n"), "a library returns a status"),
    ("an assertion that counts", append("libdiff/sort/run.c", "void f(int a) { HSD_ASSERT(a++ < 3); }\n"), "HSD_ASSERT changes something"),
    ("an assertion that assigns", append("libdiff/sort/run.c", "void f(int a) { HSD_ASSERT(a = 3); }\n"), "HSD_ASSERT changes something"),
    ("an assertion that does work", append("libdiff/sort/run.c", "void f(int a) { HSD_ASSERT(take(a) == 3); }\n"), "calls take"),
    ("an assertion that is not always there", append("libdiff/sort/run.c", "void f(int a) { assert(a); }\n"), "assert: HSD_ASSERT"),
    ("an importer without a fuzz target", {"tests/fuzz/fuzz_hprof.c": None}, "has no fuzz target"),
    ("a fuzz target that nobody runs", {"tests/fuzz/CMakeLists.txt": "#\n"}, "not listed"),
    ("a registry that the lint cannot read", {"libdiff/import/registry.c": OPENING}, "no row of an importer"),
    ("a public function without a comment", append("libdiff/include/hsdiff/status.h", "\nHSD_API int hsd_bare(void);\n"),
     "hsd_bare is public and has no comment"),
    ("a public function that shares the comment of another", append("capture/include/hscapture/hscapture.h", "HSC_API int hsc_close(void);\n"),
     "hsc_close is public and has no comment"),
    ("a public function with a comment behind it", append("libdiff/include/hsdiff/status.h", "\nHSD_API int hsd_bare(void); /* it is bare */\n"),
     "hsd_bare is public and has no comment"),
    ("a public function below a heading", append("libdiff/include/hsdiff/status.h", "\n/* ---- texts of it ---- */\nHSD_API int hsd_bare(void);\n"),
     "the comment above it says nothing"),
    ("a public function that does not say how it fails",
     append("libdiff/include/hsdiff/status.h", "\n/* Reads the next byte. */\nHSD_API hsd_status hsd_next(void);\n"), "does not say which"),
    ("a public function without its mark", append("libdiff/include/hsdiff/status.h", "\n/* It is not seen. */\nint hsd_hidden(void);\n"),
     "hsd_hidden is public and not marked"),
]


# folders with a static function of this name each, folders left out, what the breaches must say
PLACES = ("libdiff/base/a.c", "libdiff/io/b.c", "libdiff/sort/c.c", "libdiff/graph/d.c")
STATIC_NAMES = [
    ("a bare name in four files", "take", PLACES, ["take is a static function of 4 files"] * 4),
    ("a name of verbs in four files", "look_at", PLACES, ["look_at is a static function of 4 files"] * 4),
    ("a bare name in three files", "take", PLACES[:3], []),
    ("a name with a noun in four files", "take_root", PLACES, []),
]


# name, rows of an include table, the circle in them
CIRCLES = [
    ("arrows that run down", {"l/base": [], "l/io": ["l/base"], "l/top": ["<hsdiff>", "l/io", "l/base"]}, None),
    ("two folders", {"l/base": [], "l/walk": ["l/base", "l/paths"], "l/paths": ["l/walk"]}, ["l/walk", "l/paths", "l/walk"]),
    ("all the way round, by one header", {"l/a": ["l/b"], "l/b": ["l/c"], "l/c": ["l/a/x.h"]}, ["l/a", "l/b", "l/c", "l/a"]),
]


def found_in(files):
    root = tempfile.mkdtemp(prefix="hsd-lint-")
    try:
        for path, text in files.items():
            if text is None:
                continue
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return list(lint.breaches(root))
    finally:
        shutil.rmtree(root)


def main():
    failed = 0
    clean = found_in(CLEAN)
    if clean:
        failed += 1
        print("the clean tree has breaches:", *clean, sep="\n  ")
    for name, change, expected in BREACHES:
        found = found_in({**CLEAN, **change})
        if len(found) != 1 or expected not in found[0]:
            failed += 1
            print(f"{name}: expected one breach with '{expected}', found {found}")
    for name, function, places, expected in STATIC_NAMES:
        found = found_in({**CLEAN, **{place: OPENING + f"static int {function}(int a)\n{{\n    return a;\n}}\n" for place in places}})
        if len(found) != len(expected) or not all(words in line for words, line in zip(expected, found)):
            failed += 1
            print(f"{name}: expected {expected}, found {found}")
    for name, table, expected in CIRCLES:
        found = lint.circle_of({folder: ("", words) for folder, words in table.items()})
        if found != expected:
            failed += 1
            print(f"{name}: expected {expected}, found {found}")
    print(f"{len(BREACHES) + len(STATIC_NAMES) + len(CIRCLES) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
