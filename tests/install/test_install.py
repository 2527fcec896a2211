#!/usr/bin/env python3
"""Installs a build into a prefix, moves the prefix, and builds and runs doc/examples against it as others would.

usage: test_install.py PROJECT BUILD
"""
import os
import pathlib
import re
import sys
import tempfile

from systems import Failed, agents_ask_for_old_names, check, run

EXAMPLES = ("diff", "walk", "gate", "emit")


def install(build, folder):
    """Into one place, and then moved: a tarball is unpacked anywhere."""
    first = folder / "first"
    run("cmake", "--install", build, "--prefix", first)
    prefix = folder / "moved" / "usr"
    prefix.parent.mkdir()
    first.rename(prefix)
    return prefix


def what_was_not_built_is_left_out(project):
    """scripts/demo builds two targets, and what stands in the rules of the others is not there then."""
    rules = [(path, line) for path in (project / "capture").rglob("*") if path.name in ("CMakeLists.txt", "install.cmake")
             for line in path.read_text().splitlines() if line.strip().startswith("install(TARGETS")]
    check(len(rules) >= 4, f"{len(rules)} rules")
    for path, line in rules:
        check("OPTIONAL" in line, f"{path}: an install behind scripts/demo fails at: {line}")


def libraries_of(prefix):
    return next(path.parent for path in prefix.rglob("libhsdiff.so"))


def public_names(project, folder, prefix):
    text = "\n".join(path.read_text() for path in (project / folder / "include").rglob("*.h"))
    return set(re.findall(rf"^{prefix}_API [^;{{]*?\b(hs[cdn]_\w+)\(", text, re.M))


def exported(library):
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    return {words[2].split("@")[0] for words in map(str.split, lines) if len(words) == 3 and words[1] != "A"}


def only_public_names(project, libraries):
    wanted = public_names(project, "libdiff", "HSD")
    check(len(wanted) > 100, f"{len(wanted)} names in the headers")
    seen = exported(libraries / "libhsdiff.so")
    check(seen == wanted, f"the library has {sorted(seen - wanted)} more and {sorted(wanted - seen)} less than the headers")
    wanted = {name for name in public_names(project, "capture", "HSC") if name.startswith("hsc_")}
    seen = exported(libraries / "libhscapture.so")
    check(seen == wanted, f"the library has {sorted(seen - wanted)} more and {sorted(wanted - seen)} less than the headers")


def header_version(prefix):
    return re.search(r'define HSDIFF_VERSION +"(.*?)"', (prefix / "include/hsdiff/version.h").read_text())[1]


def with_pkg_config(project, prefix, libraries, folder, compiler, *options):
    """The examples as pkg-config says; which names {example: program}."""
    environment = dict(os.environ, PKG_CONFIG_PATH=str(libraries / "pkgconfig"))
    check(run("pkg-config", "--modversion", "hsdiff", env=environment).strip() == header_version(prefix), "the version is that of the headers")
    static = ["--static"] if "-static" in options else []
    programs = {}
    for name in EXAMPLES:
        package = "hscapture" if name == "emit" else "hsdiff"
        flags = run("pkg-config", "--cflags", "--libs", *static, package, env=environment).split()
        if static:  # ours as archives, the system's as they are
            flags = [{"-lhsdiff": "-l:libhsdiff.a", "-lhscapture": "-l:libhscapture.a"}.get(flag, flag) for flag in flags]
        programs[name] = folder / name
        run(*compiler, project / "doc/examples" / f"{name}.c", "-o", programs[name], *flags, f"-Wl,-rpath,{libraries}")
    return programs


def with_cmake(project, prefix, folder):
    run("cmake", "-S", project / "doc/examples", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", folder, "-j2")
    return {name: folder / name for name in EXAMPLES}


def try_them(programs, folder):
    before, after = folder / "before.hs", folder / "after.hs"
    run(programs["emit"], 1000, before)
    run(programs["emit"], 30000, after)
    said = run(programs["diff"], before, after)
    check("grew by +1.33 MiB" in said and "app.sessions" in said, said)
    said = run(programs["walk"], after)
    check("30000 objects, 29999 references, 1440000 bytes" in said, said)
    said = run(programs["gate"], before, after, expect=1)
    check("failed: " in said, said)
    run(programs["emit"], 30001, folder / "again.hs")
    run(programs["gate"], after, folder / "again.hs")
    run(programs["gate"], after, after, expect=3)  # one capture, twice
    for name, program in programs.items():
        check(f"usage: {name} " in run(program, expect=2), f"{name} does not say how it is used")
    check("again.hs: File exists" in run(programs["emit"], 1, folder / "again.hs", expect=2), "emit does not say why it fails")
    said = run(programs["diff"], folder / "nowhere", after, expect=1)
    check("nowhere: cannot be opened" in said, said)


def main(project, build):
    project, build = pathlib.Path(project).resolve(), pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory(prefix="hsdiff-install-") as name:
        folder = pathlib.Path(name)
        what_was_not_built_is_left_out(project)
        prefix = install(build, folder)
        libraries = libraries_of(prefix)
        run(prefix / "bin" / "hsdiff", "--version")
        only_public_names(project, libraries)
        agents_ask_for_old_names(libraries / "hsdiff", 2)
        ways = [("cmake", lambda at: with_cmake(project, prefix, at))]
        for language, compiler in (("c", ["cc", "-std=c11"]), ("c++", ["c++", "-std=c++11", "-x", "c++"])):
            ways.append((language, lambda at, c=compiler: with_pkg_config(project, prefix, libraries, at, c)))
        ways.append(("static", lambda at: with_pkg_config(project, prefix, libraries, at, ["cc", "-std=c11"], "-static")))
        for word, way in ways:
            at = folder / word
            at.mkdir()
            try_them(way(at), at)
            print(f"ok      {word}")
    print(f"{len(ways)} passed, 0 failed")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failed as failed:
        print(f"FAILED  {failed}")
        sys.exit(1)
