#!/usr/bin/env python3
"""Compiles every public header alone, as C11 and as C++11, with warnings as errors: whoever embeds hsdiff includes one header
and needs no other first.

usage: headers.py PROJECT C-COMPILER C++-COMPILER
"""
import glob
import os
import subprocess
import sys

LANGUAGES = (
    ("C", ["-x", "c", "-std=c11", "-Wstrict-prototypes"]),
    ("C++", ["-x", "c++", "-std=c++11"]),
)
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def main(project, *compilers):
    folders = [os.path.join(project, "libdiff/include"), os.path.join(project, "capture/include")]
    headers = sorted(path for folder in folders for path in glob.glob(folder + "/**/*.h", recursive=True))
    passed = failed = 0
    for header in headers:
        name = os.path.relpath(header, next(folder for folder in folders if header.startswith(folder)))
        for (language, flags), compiler in zip(LANGUAGES, compilers):
            # Twice in one unit: the include guard must hold.
            unit = f"#include <{name}>\n#include <{name}>\nint hsd_not_empty(void);\n"
            command = [compiler, *flags, *FLAGS, *("-I" + folder for folder in folders), "-"]
            result = subprocess.run(command, input=unit, text=True, capture_output=True)
            if result.returncode == 0:
                passed += 1
            else:
                failed += 1
                print(f"{name} alone as {language}:\n{result.stderr}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
