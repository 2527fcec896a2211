#!/usr/bin/env python3
"""The agent's table of structures against the headers of each CPython that has them here."""
import re
import subprocess

import kit
import pythons
from kit import check, say

TABLE = kit.PROJECT / "capture" / "python" / "layouts.c"
FIELD = re.compile(r"\.(\w+) = (\d+)")


def rows():
    """{minor: {field: offset}} of the agent."""
    text = TABLE.read_text(encoding="utf-8")
    return {int(re.match(r" = (\d+)", part)[1]): dict(FIELD.findall(part)) for part in text.split("{.minor")[1:]}


def headers_of(path):
    done = subprocess.run([path, "-c", "import sysconfig; print(sysconfig.get_path('include'))"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def layouts(tool, folder):
    table, held = rows(), 0
    for version, path in pythons.found().items():
        include, program = headers_of(path), folder / version
        built = subprocess.run(["cc", "-w", f"-I{include}", f"-I{include}/internal", str(kit.HERE / "programs" / "python" / "measure_layouts.c"), "-o", str(program),
                                "-Wl,--unresolved-symbols=ignore-all"], capture_output=True, text=True)
        if built.returncode != 0:
            check("No such file" in built.stderr, built.stderr)
            say(f"  skipped: no headers of CPython {version} (python3-dev)")
            continue
        measured = dict(FIELD.findall(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout))
        measured.pop("minor")
        differ = {field: (table[int(version[2:])].get(field, "0"), value) for field, value in measured.items() if table[int(version[2:])].get(field, "0") != value}
        check(not differ, f"CPython {version}: (table, headers) {differ}")
        held += 1
    if held == 0:
        kit.skip("no headers of any CPython are installed (python3-dev)")
    say(f"  {held} versions as their headers say")


if __name__ == "__main__":
    kit.main({"layouts": layouts})
