#!/usr/bin/env python3
"""What tests take of the processor is noted (tests/support/spent.c) and added up (scripts/results.py), and a test ends as it would without.

usage: test_spent.py SPENT"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
BURN = "import os; [None for _ in iter(lambda: sum(os.times()[:2]) < 0.3, False)]"


def run(spent, folder, name, *command):
    environment = {key: value for key, value in os.environ.items() if key != "HSD_SPENT"} | ({"HSD_SPENT": str(folder)} if folder else {})
    return subprocess.run([spent, name, *command], env=environment, capture_output=True, text=True, check=False)


def ends_alike(spent, folder):
    for where in (folder, None):
        assert run(spent, where, "a/skipped", "sh", "-c", "echo out; exit 77").returncode == 77
        assert run(spent, where, "a/killed", "sh", "-c", "kill -SEGV $$").returncode == -signal.SIGSEGV
        missing = run(spent, where, "a/missing", "/no/such/program")
        assert missing.returncode == 127 and "/no/such/program" in missing.stderr, missing
    assert run(spent, folder, "a/said", "sh", "-c", "echo out").stdout == "out\n"


def notes_children(spent, folder):
    """What a child of the command took counts, too."""
    run(spent, folder, "a/busy", "sh", "-c", f'"$0" -c "{BURN}"; true', sys.executable)
    user, system = map(float, (folder / "a~busy").read_text().split())
    assert 0.25 < user + system < 10, (user, system)
    run(spent, None, "a/unasked", "true")
    assert sorted(entry.name for entry in folder.iterdir()) == ["a~busy"]


def notes_orphans(spent, folder):
    """And what a child of the command took that nobody waited for."""
    pid = folder / "pid"
    run(spent, folder, "a/left", "sh", "-c", '("$0" -c "$1" & echo $! >"$2"); while kill -0 "$(cat "$2")"; do sleep 0.05; done', sys.executable, BURN, str(pid))
    user, system = map(float, (folder / "a~left").read_text().split())
    assert 0.25 < user + system < 10, (user, system)


def tells_what_is_left(spent, folder):
    """What still runs after its time, by its words."""
    run(spent, folder, "a/stays", "sh", "-c", 'exec >/dev/null 2>&1; sleep 3600.5 & echo $! >"$0"', str(folder / "pid"))
    pid = int((folder / "pid").read_text())
    os.kill(pid, signal.SIGKILL)
    assert (folder / "a~stays").read_text().splitlines()[1:] == ["left sleep 3600.5 "], (folder / "a~stays").read_text()


def adds_up(_, folder):
    (folder / "dev.xml").write_text('<testsuite><testcase name="a/b" status="run"/><testcase name="a/c" status="run"/></testsuite>')
    (folder / "dev.spent").mkdir()
    (folder / "dev.spent" / "a~b").write_text("20.000 5.400\n")
    (folder / "dev.spent" / "a~c").write_text("1.000 0.200\nleft sleep 60 \n")
    said = subprocess.run([sys.executable, PROJECT / "scripts/results.py", folder / "dev.xml"], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said
    assert said.stdout.splitlines() == ["costly: dev: a/b took 25 s of the processor", "left: dev: a/c left 'sleep 60' behind: a defect",
                                         "processor: dev: 27 s in 2 tests", "2 passed, 0 failed"], said.stdout


def main():
    cases = (ends_alike, notes_children, notes_orphans, tells_what_is_left, adds_up)
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="hsdiff-spent-") as folder:
            case(sys.argv[1], pathlib.Path(folder))
        print(f"ok      {case.__name__}")
    print(f"{len(cases)} passed, 0 failed")


if __name__ == "__main__":
    main()
