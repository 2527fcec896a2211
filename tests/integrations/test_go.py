#!/usr/bin/env python3
"""integrations/go, by `go test` itself: it links without names, so the tests run once more with them. What leaks fails with the holder, the others pass."""
import os
import pathlib
import shutil
import tempfile

import kit
from kit import check, says

CACHE = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-go-{os.getuid()}"  # that of tests/agents: the standard library takes longer than all tests


def module(world):
    kit.need("go")
    here = world.folder / "project"
    shutil.copytree(kit.HERE / "go/shop", here)
    text = (here / "go.mod").read_text(encoding="utf-8")
    (here / "go.mod").write_text(text.replace("../../../../integrations/go", str(kit.INTEGRATIONS / "go")), encoding="utf-8")
    world.environment |= {"GOCACHE": str(CACHE), "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "CGO_ENABLED": "0"}
    return here


def fails(world, here, *command):
    status, output = world.run(*command, cwd=here)
    check(status == 1, f"exit {status}\n{output}")
    check(output.count("--- FAIL") == 3 and "TestLetsGo" not in output and "TestMayKeepSessions" not in output, output)  # a subtest fails its test, too
    says(output, "TestForgetsSessions leaks: something grew in each of", "WHAT KEEPS IT ALIVE", "example.org/shop.sessions: map[string]*example.org/shop.Session",
         "TestListens/for_ever leaks", ".stock.listeners: []func(string)", "func example.org/shop.(*Session).refresh")
    kit.report(output)


def shop(world):
    here = module(world)
    kit.times(lambda: fails(world, here, "go", "test", "-count=1", "."))


def named(world):
    """A program with names: the rounds run in it."""
    here = module(world)
    fails(world, here, "go", "test", "-count=1", "-o", world.folder / "shop.test", ".")


def neat(world):
    here = module(world)
    for folder in (here, kit.INTEGRATIONS / "go"):
        status, output = world.run("go", "vet", "./...", cwd=folder)
        check(status == 0, output)
        status, output = world.run("gofmt", "-l", ".", cwd=folder)
        check(status == 0 and not output, f"gofmt: {output}")


def command(world):
    here = module(world)
    status, output = world.run("go", "test", "-count=1", "-run", "TestLetsGo", ".", cwd=here, HSDIFF=str(world.folder / "nowhere"))
    check(status == 1, output)
    says(output, "Install it (its doc/install.md says how), or set the variable HSDIFF to its path")


CASES = {"shop": shop, "command": command}
if kit.LONG:
    CASES |= {"named": named, "neat": neat}
if __name__ == "__main__":
    kit.main(CASES)
