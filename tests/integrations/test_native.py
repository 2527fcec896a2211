#!/usr/bin/env python3
"""integrations/native in real Catch2 and GoogleTest of Debian, and in C with no framework: what leaks fails with the holder, or with where it was allocated if
it is lost; the others pass. Catch2, which takes the compiler 20 s, with HSD_LONG alone."""
import pathlib

import kit
from kit import check, says

SOURCES = kit.HERE / "native"
HEADERS = kit.INTEGRATIONS / "native"
FLAGS = ["-g", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}"]


def compile(world, name, compiler, source, *words):
    program = world.folder / name
    status, output = world.run(compiler, *FLAGS, SOURCES / source, *words, "-ldl", "-pthread", "-o", program)
    check(status == 0, output)
    return program


def need_header(path, package):
    if not pathlib.Path("/usr/include", path).exists():
        kit.skip(f"{package} is not installed")


def run(world, program, *words, **variables):
    return world.run(program, *words, LD_PRELOAD=str(world.agents / "libhsdiff-native.so"), **variables)


def plain(world):
    kit.need("cc")
    program = compile(world, "plain", "cc", "test_plain.c", "-std=c11")

    def once():
        status, output = run(world, program)
        check(status == 0, output)
        says(output, "let_go passed", "forget leaks: something grew in each of", "hangs from one place: open_sessions.", "-> session",
             "allocated at forget (test_plain.c:")
        kit.report(output)
    kit.times(once)
    status, output = world.run(program)
    check(status == 0, output)
    says(output, "the native agent of hsdiff is not in this program: link libhsdiff-native.so, or start the program with LD_PRELOAD")
    status, output = run(world, program, HSDIFF=str(world.folder / "nowhere"))
    says(output, "Install it (its doc/install.md says how), or set the variable HSDIFF to its path")


def catch2(world):
    kit.need("c++")
    need_header("catch2/catch.hpp", "catch2")

    def make(folder):  # the main() of Catch2 takes the compiler 20 s
        status, output = world.run("c++", "-std=c++17", "-O1", "-c", SOURCES / "catch2_main.cpp", "-o", folder / "main.o")
        return output[-400:] if status else None

    program = compile(world, "catch2", "c++", "test_catch2.cpp", "-std=c++17", kit.cached("catch2-2.13.10", make) / "main.o")

    def once():
        status, output = run(world, program)
        check(status == 2, f"exit {status}\n{output}")  # the number of failures
        says(output, "test cases: 3 | 1 passed | 2 failed", "sessions are forgotten leaks: something grew in each of", "invoices are lost leaks",
             "Shop::serve", "Session", "Invoice", "nothing more is lost after each round")
        kit.report(output)
    kit.times(once)


def gtest(world):
    kit.need("c++")
    need_header("gtest/gtest.h", "libgtest-dev")
    program = compile(world, "gtest", "c++", "test_gtest.cpp", "-std=c++14", "-lgtest", "-lgtest_main")

    def once():
        status, output = run(world, program)
        check(status == 1, f"exit {status}\n{output}")
        says(output, "Shop.ForgetsListeners leaks: something grew in each of", "shop_of_all: Shop", "std::make_shared<std::string>", "[ PASSED ] 1 test.",
             "[ FAILED ] 1 test, listed below: [ FAILED ] Shop.ForgetsListeners")
        kit.report(output)
    kit.times(once)


if __name__ == "__main__":
    kit.main({"plain": plain, "catch2": catch2, "gtest": gtest} if kit.LONG else {"plain": plain, "gtest": gtest})
