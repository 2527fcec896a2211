#!/usr/bin/env python3
"""integrations/junit, built by Maven with a project that uses it: JUnit 5 itself runs the tests in a JVM of Surefire. What leaks fails with the holder."""
import os
import pathlib
import re
import shutil
import tempfile

import kit
from kit import check, says

BRIEF = "-XX:TieredStopAtLevel=1"
REPOSITORY = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-integrations-{os.getuid()}" / "m2"


def project(world):
    kit.need("mvn", "javac")
    here = world.folder / "project"
    shutil.copytree(kit.HERE / "junit", here)
    shutil.copytree(kit.INTEGRATIONS / "junit", here / "hsdiff-junit", ignore=shutil.ignore_patterns("target"))
    test = here / "shop/src/test/java/shop/ShopTest.java"
    test.write_text(test.read_text(encoding="utf-8").replace("ROUNDS = 5", f"ROUNDS = {kit.ROUNDS}"), encoding="utf-8")
    return here


def maven(world, here, *words, **variables):
    """Without asking the network, where all that it needs is there already. JVMs that live for seconds are not to be made fast."""
    command = ["mvn", "-B", "-ntp", f"-Dmaven.repo.local={REPOSITORY}", f"-DargLine={BRIEF}"]
    variables.setdefault("MAVEN_OPTS", f"{BRIEF} -XX:+UseSerialGC")
    status, output = world.run(*command, "-o", *words, cwd=here, **variables)
    if "Cannot access" in output or "offline mode" in output:
        status, output = world.run(*command, *words, cwd=here, **variables)
        if re.search(r"Could not (transfer|find) artifact|Unknown host", output):
            kit.skip(f"Maven cannot fetch what it needs: {output[-300:]}")
    return status, output


def shop(world):
    here = project(world)

    def run():
        status, output = maven(world, here, "test")
        check(status == 1, f"exit {status}\n{output}")
        says(output, "Tests run: 4, Failures: 2, Errors: 0, Skipped: 0", "ShopTest.sessionsAreForgotten leaks: something grew in each of",
             "ShopTest.listenersAreForgotten leaks", ".shop.sessions: j", ".shop.stockListeners: j", "[*].value: shop.Shop$Session",
             "WHAT KEEPS IT ALIVE")
        kit.report(output)
    kit.times(run)


def command(world):
    """Without the command each test says what to do."""
    here = project(world)
    status, output = maven(world, here, "test", "-Dtest=ShopTest#letsGo", "-Dsurefire.failIfNoSpecifiedTests=false", HSDIFF=str(world.folder / "nowhere"))
    check(status == 1, output)
    says(output, "Install it (its doc/install.md says how), or set the variable HSDIFF to its path", "Errors: 1")


def built(world):
    """Maven builds the jar that would be published: with its classes, its name as a module, the same bytes again."""
    here = project(world)
    jar = here / "hsdiff-junit/target/hsdiff-junit-0.1.0.jar"
    seen = set()
    for _ in range(2):
        status, output = maven(world, here / "hsdiff-junit", "clean", "package")
        check(status == 0, output)
        seen.add(jar.read_bytes())
    check(len(seen) == 1, "two builds differ")


CASES = {"shop": shop}
if kit.LONG:
    CASES |= {"command": command, "built": built}
if __name__ == "__main__":
    kit.main(CASES)
