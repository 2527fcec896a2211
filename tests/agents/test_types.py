#!/usr/bin/env python3
"""Types by debug information: what a block is, by who asked for it, in programs of C and C++. Every kind of block that a program plants has its type, with all its
objects and bytes, and at least 90 % of all live bytes are of a type of the program. Without debug information everything is as before."""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import kit
from kit import check, say

BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-types-")
COUNT = 2000
LEAST_TYPED = 0.9
PLACE = re.compile(r"<=\d+ B( at |$)|\{allocated\}")  # what a block is called that has no type


def build(name, compiler, source, *flags):
    kit.need(compiler[0])
    path = pathlib.Path(BUILT.name) / name
    subprocess.run([*compiler, *flags, kit.HERE / "programs" / source, "-o", path], check=True, cwd=BUILT.name)
    return path


def capture(tool, folder, program, *arguments):
    """Objects and bytes by type, of a capture of a program that has planted COUNT of each kind."""
    agent = pathlib.Path(tool.agents) / "libhsdiff-native.so"
    if not agent.exists():
        kit.skip("the native agent was not built")
    out = folder / f"{program.name}.hs"
    with kit.Program([program], {"LD_PRELOAD": str(agent)}) as running:
        check(running.leak(COUNT) == COUNT, "planted")
        tool.capture(running.pid, out, *arguments)
        running.quit()
    text = tool.run("dump", out).stdout
    names = dict(re.findall(r'^type (\d+) (?:flags=\S+ )?name="(.*)"$', text, re.M))
    objects, bytes_ = collections.Counter(), collections.Counter()
    for key, size in re.findall(r"^object #\d+ \S+ type=(\d+)(?: size=(\d+))?", text, re.M):
        objects[names[key]] += 1
        bytes_[names[key]] += int(size or 0)
    return objects, bytes_


def share(bytes_):
    return 1 - sum(b for name, b in bytes_.items() if PLACE.match(name)) / sum(bytes_.values())


def has(what, objects, bytes_, wanted, total=()):
    """`wanted`: type -> (objects for each that was planted, bytes of one); `total`: types of few large blocks."""
    for name, (each, size) in wanted.items():
        check((objects[name], bytes_[name]) == (each * COUNT, each * COUNT * size), f"{what}: {name}: {objects[name]} objects, {bytes_[name]} bytes of {list(objects)}")
    for name in total:
        check(objects[name] > 0, f"{what}: no {name} among {list(objects)}")
    typed = share(bytes_)
    left = sorted(((b, name) for name, b in bytes_.items() if PLACE.match(name)), reverse=True)[:5]
    say(f"  {what}: {typed:.1%} of the bytes have a type; without one: {left}")
    check(typed >= LEAST_TYPED, f"{what}: {typed:.1%} of the bytes have a type")


C_TYPES = {"order": (3, 96), "line": (2, 128), "point[]": (1, 576), "packet": (1, 116), "circle": (1, 96), "session": (1, 56), "order *[]": (1, 32),
           "char[] at make_session": (1, 40), "tag": (1, 16), "ticket": (1, 168), "stub": (1, 136), "char[] at new_text": (1, (75 + 376) / 2)}
CPP_TYPES = {"shop::Order": (1, 96), "shop::Visit": (1, 112), "shop::Account": (1, 72), "std::make_shared<shop::Order>": (1, 112), "shop::Item[]": (1, 384),
             "node of std::map<long, shop::Session>": (1, 128), "node of std::unordered_map<long, shop::Visit>": (1, 128), "node of std::list<shop::Item>": (1, 64),
             "long int[] at shop::session": (1, 160), "shop::Card": (1, 152), "shop::Lane": (1, 168), "shop::Mark": (1, 184), "shop::Rule": (1, 200),
             "<=48 B at shop::pointers": (1, 48)}


def c(tool, folder):
    """C: by the variable, member or element that the block is stored in, and through functions that return void *."""
    for name, *flags in (("c0", "-O0"), ("c1", "-O1"), ("c2", "-O2"), ("c3", "-O3", "-no-pie"), ("c4", "-O2", "-gdwarf-4"), ("c5", "-Os", "-fno-plt")):
        program = build(name, ["gcc"], "types_leak.c", "-g", "-Wl,--build-id", *flags)
        has(f"gcc {' '.join(flags)}", *capture(tool, folder, program), C_TYPES)


def clang(tool, folder):
    """The same by another compiler."""
    for name, *flags in (("l0", "-O0"), ("l2", "-O2")):
        program = build(name, ["clang"], "types_leak.c", "-g", "-Wl,--build-id", *flags)
        has(f"clang {' '.join(flags)}", *capture(tool, folder, program), C_TYPES)


def cpp(tool, folder):
    """C++: new, make_unique, make_shared and containers, of classes without virtual functions."""
    for name, compiler, flag in (("cpp0", "g++", "-O0"), ("cpp2", "g++", "-O2"), ("cppl", "clang++", "-O2")):
        program = build(name, [compiler, "-std=c++17"], "types_leak.cpp", "-g", "-Wl,--build-id", flag)
        objects, bytes_ = capture(tool, folder, program)
        check(objects["std::string at shop::session"] == COUNT, f"texts: {list(objects)}")
        wanted = CPP_TYPES if compiler == "g++" else {re.sub("^long int", "long", name): each for name, each in CPP_TYPES.items()}
        has(f"{compiler} {flag}", objects, bytes_, wanted, ("shop::Order*[]", "buckets of std::unordered_map<long, shop::Visit>"))


def llvm(tool, folder):
    """The C++ library of LLVM: nothing that its nodes lead to is lost, and what they hold has its names. Debian's cannot be beside libunwind-dev, which another test needs."""
    kit.need("clang++")
    try:
        program = build("llvm", ["clang++", "-stdlib=libc++"], "types_llvm.cpp", "-g", "-std=c++17", "-Wl,--build-id")
    except subprocess.CalledProcessError:
        say("  not tried: clang++ has no -stdlib=libc++ here")
        return
    objects, _ = capture(tool, folder, program)
    nodes = {"map<long, Session>": 1, "set<std::string>": 1, "list<Session>": 1, "forward_list<long>": 1, "unordered_map<long, Session>": 1}
    for name, each in nodes.items():
        check(objects[f"node of std::{name}"] == each * COUNT, f"{name}: {objects}")
    check(objects["buckets of std::unordered_map<long, Session>"] == 1, f"{objects}")
    top = json.loads(tool.run("top", folder / "llvm.hs", "--format", "json").stdout)
    check(top["captures"][0]["unreached"]["objects"] == 0, f"lost: {top['captures']}")
    said = tool.run("dump", folder / "llvm.hs").stdout
    check('text="[*].visits"' in said and 'text="[*].name"' in said, "members of what nodes hold")


def stripped(tool, folder):
    """Without debug information types are size classes and places, as far as there are symbols. Where there are none, names can be put later."""
    program = build("bare", ["gcc"], "types_leak.c", "-O2", "-Wl,--build-id")
    (folder / "whole").mkdir()
    shutil.copy(program, folder / "whole")
    objects, bytes_ = capture(tool, folder, program)
    check(objects["<=96 B at new_order"] == 3 * COUNT and share(bytes_) == 0, f"{list(objects)}")
    kit.need("strip")
    subprocess.run(["strip", program], check=True)
    (folder / "stripped").mkdir()
    objects, bytes_ = capture(tool, folder / "stripped", program)
    at = r"bare\+0x[0-9a-f]+\{[0-9a-f]{40}\}"
    check(sum(objects[name] for name in objects if re.fullmatch(rf"{{allocated}} <=96 B at {at}( < {at})*", name)) == 4 * COUNT, f"{list(objects)}")
    raw = folder / "stripped" / "bare.hs"
    shown = tool.run("top", raw).stdout
    check(re.search(r"<=96 B at bare\+0x[0-9a-f]+ ", shown) and "{" not in shown.split("Next:")[0], f"the screen has build ids:\n{shown}")
    tool.run("symbolize", raw, "-o", folder / "later.hs", "--symbols", folder / "whole")
    check("<=96 B at new_order" in tool.run("top", folder / "later.hs").stdout, "names that come later")


def apart(tool, folder):
    """Debug information in a folder of its own: the code is read from the program, the types from there."""
    kit.need("objcopy", "strip")
    program, debug = build("apart", ["gcc"], "types_leak.c", "-g", "-O2", "-Wl,--build-id"), folder / "debug"
    debug.mkdir()
    subprocess.run(["objcopy", "--only-keep-debug", program, debug / "apart.debug"], check=True)
    subprocess.run(["strip", program], check=True)
    has("debug information apart", *capture(tool, folder, program, "--symbols", debug), C_TYPES)


if __name__ == "__main__":
    kit.main({"c": c, "clang": clang, "cpp": cpp, "llvm": llvm, "stripped": stripped, "apart": apart})
