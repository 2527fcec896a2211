#!/usr/bin/env python3
"""What the command is hardened with, as it stands in the binary and in the flags of every source of cli/ and libdiff/. What the compiler of this
build does not know is named.

usage: test_hardening.py HSDIFF SOURCE_FOLDER BUILD_FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys

CHECKED_STAGES = re.compile(r"/libdiff/(walk|holders|graph|sort|match)/")  # cmake/HsdLayer.cmake
failures = []


def check(name, holds, what=""):
    print(f"{'ok    ' if holds else 'FAILED'}  {name} {what if not holds else ''}")
    if not holds:
        failures.append(name)


def readelf(*words):
    return subprocess.run(["readelf", "-W", *map(str, words)], capture_output=True, text=True, check=True).stdout


def segments(text):
    """type -> flags of each"""
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s+([A-Z_]+)\s+0x\S+ 0x\S+ 0x\S+ 0x\S+ 0x\S+ ([R ][W ][E ])", line)
        if match:
            found.setdefault(match.group(1), []).append(match.group(2).replace(" ", ""))
    return found


def flags_of(build):
    """The flags that the sources of cli/ and libdiff/ are compiled with."""
    found = {}
    for unit in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = unit["command"].split()
        if re.match(r"(cli|libdiff)/", words[words.index("-o") + 1]):
            found[unit["file"]] = words
    return found


def main():
    program, source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    machine = readelf("-h", program)
    headers, dynamic = segments(readelf("-l", program)), readelf("-d", program)
    names = readelf("--dyn-syms", program)
    check("position independent (PIE)", "DYN (" in machine and "PIE" in dynamic)
    check("GNU_RELRO", "GNU_RELRO" in headers)
    check("BIND_NOW", "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*NOW", dynamic))
    check("the table of functions is read-only with it", ".got.plt" not in readelf("-S", program), "there is a .got.plt")
    check("no code on the stack", headers.get("GNU_STACK") == ["RW"], headers.get("GNU_STACK"))
    check("no segment to write and run", not [flags for of_type in headers.values() for flags in of_type if "W" in flags and "E" in flags])
    check("no text relocations", "TEXTREL" not in dynamic)
    check("no search path for libraries", not re.search(r"R(UN)?PATH", dynamic), dynamic)
    check("stack protector", "__stack_chk_fail" in names)
    wrapped = sorted(set(re.findall(r"(__\w+_chk)@", names)) - {"__stack_chk_fail"})
    check("checked calls of libc (_FORTIFY_SOURCE)", len(wrapped) >= 5, wrapped)
    units = flags_of(build)
    check("compile commands", len(units) > 300, len(units))
    known = {line.partition(":")[0] for line in (build / "CMakeCache.txt").read_text(encoding="utf-8").splitlines() if line.endswith("=1")}
    for flag, variable in (("-fstack-clash-protection", "HSD_HAS__fstack_clash_protection"), ("-fcf-protection=full", "HSD_HAS__fcf_protection_full"),
                           ("-ftrivial-auto-var-init=zero", "HSD_HAS__ftrivial_auto_var_init_zero"), ("-D_FORTIFY_SOURCE=3", "HSD_HAS_FORTIFY_3"),
                           ("-fstack-protector-strong", None)):
        if variable and variable not in known:
            print(f"not known to this compiler: {flag}")
            continue
        without = [file for file, flags in units.items() if flag not in flags and not ("auto-var-init" in flag and CHECKED_STAGES.search(file))]
        check(flag, not without, f"{len(without)} of {len(units)} files: {without[:3]}")
    data = program.read_bytes()
    for path in {str(source), str(build)}:
        check(f"{path} stands nowhere in the binary", path.encode() not in data)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
