#!/usr/bin/env python3
"""The pytest plugin of the package hsdiff, installed by pip into an environment of its own: the leaking tests fail with what holds it, the others pass."""
import shutil
import sys

import kit
from kit import check, says


def environment(world):
    """The python of a venv with pytest and the package, from this tree."""
    def make(folder):
        status, output = world.run(sys.executable, "-m", "venv", folder)
        if status == 0:
            status, output = world.run(folder / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "pytest==8.4.2")
        return f"pytest cannot be had: {output[-200:]}" if status else None

    site = world.folder / "site"
    python = kit.cached(f"pytest-{sys.version_info[0]}.{sys.version_info[1]}", make) / "bin/python"
    status, output = world.run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", site, kit.PROJECT / "capture/python",
                               HSDIFF_PYTHON_AGENT=str(world.agents / "libhsdiff-python.so"))
    check(status == 0, output)
    world.environment["PYTHONPATH"] = str(site)
    return python


def shop(world):
    python = environment(world)
    here = world.folder / "project"
    shutil.copytree(kit.HERE / "pytest", here)

    def run():
        status, output = world.run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=here)
        check(status == 1, f"exit {status}\n{output}")
        says(output, "3 failed, 3 passed", "test_forgets_sessions leaks: something grew in each of", "WHAT KEEPS IT ALIVE", "shop.SESSIONS: dict",
             "test_baskets_that_listen leaks", "stock.listeners: list", "method shop.Basket.refresh (shop.py:", "unexpected keyword argument 'limit'")
        kit.report(output)
    kit.times(run)


    # without the command, the test fails with what to do
    (world.folder / "test_one.py").write_text("def test_one(noleak):\n    noleak(lambda: None)\n", encoding="utf-8")
    status, output = world.run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py", HSDIFF=None, PATH="/nowhere")
    check(status == 1, output)
    says(output, "Install it (its doc/install.md says how), or set the variable HSDIFF to its path", "1 failed")
    status, output = world.run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py", HSDIFF=str(world.folder / "nowhere"))
    check(status == 1, output)
    says(output, "Set the variable HSDIFF to the command hsdiff", "1 failed")


if __name__ == "__main__":
    kit.main({"shop": shop})
