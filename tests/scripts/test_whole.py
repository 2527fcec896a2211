#!/usr/bin/env python3
"""Whole commands are measured, counted and judged: bench/whole/run.py and bench/history over captures of a few hundred objects, once against
the program itself and once against one that does next to nothing, of which every command takes more instructions."""
import argparse
import csv
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77


def run(o, *arguments):
    command = [sys.executable, PROJECT / "bench/whole/run.py", "--hsdiff", o.hsdiff, "--synth", o.synth, "--objects", "300", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows_of(result):
    return list(csv.DictReader(io.StringIO(result.stdout)))


def every_work_is_timed(o):
    result = run(o, "--rounds", "1", "--than", o.hsdiff)
    rows = rows_of(result)
    assert result.returncode == 0, result
    assert {"help", "top", "diff-structure", "diff-heapsnapshot", "diff-hprof"} <= {row["work"] for row in rows}, rows
    for row in rows:
        assert float(row["wall_s"]) > 0 and float(row["peak_mib"]) > 1 and row["wall_ratio"], row


def equal_programs_pass_the_gate(o):
    result = run(o, "--instructions", "--than", o.hsdiff, "diff-exact")
    assert result.returncode == 0, result
    (row,) = rows_of(result)
    assert int(row["instructions"]) > 1_000_000 and 0.99 < float(row["instructions_ratio"]) < 1.01, row


def more_instructions_fail_the_gate(o):
    result = run(o, "--instructions", "--than", shutil.which("true"), "help")
    assert result.returncode == 1 and "help: " in result.stderr and "1.03 are allowed" in result.stderr, result
    assert rows_of(result)[0]["work"] == "help", result


def what_does_not_exist_is_said(o):
    result = run(o, "diff-exakt")
    assert result.returncode == 2 and "no work is called diff-exakt" in result.stderr, result


def the_history_keeps_a_commit_once(_):
    """In a repository of its own: rows are replaced by those of the same commit, and what is not committed is not kept."""
    rows = "work,objects,wall_s,cpu_s,peak_mib,cpu_ratio\ntop,1000,0.5,{},20.0,1.0\n"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "bench/history"
        folder.mkdir(parents=True)
        shutil.copy(PROJECT / "bench/history/keep.py", folder)
        (pathlib.Path(name) / "code.c").write_text("int a;\n")

        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=name, check=True, capture_output=True)

        def keep(seconds):
            return subprocess.run([sys.executable, folder / "keep.py"], input=rows.format(seconds), capture_output=True, text=True, check=False)

        git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", "one")
        for seconds in ("0.4", "0.3"):
            assert keep(seconds).returncode == 0, keep(seconds)
        (row,) = csv.DictReader((folder / "clock.csv").read_text().splitlines())
        assert row["cpu_s"] == "0.3" and len(row["commit"]) == 10 and "cpu_ratio" not in row, row
        (pathlib.Path(name) / "code.c").write_text("int b;\n")
        refused = keep("0.2")
        assert refused.returncode == 1 and "not committed" in refused.stderr, refused


def the_page_has_a_column_for_each_commit(_):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "instructions.csv"
        path.write_text("date,commit,work,objects,instructions\n2026-01-01,aaaa,top,1000,5000000\n2026-01-02,bbbb,top,1000,4000000\n")
        page = subprocess.run([sys.executable, PROJECT / "bench/history/page.py", folder], capture_output=True, text=True, check=True).stdout
    assert "| 2026-01-01 `aaaa` | 2026-01-02 `bbbb` |" in page and "| `top` of one capture | 1,000 | 5.0 | 4.0 | -20.0 % |" in page, page


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--synth", required=True)
    o = parser.parse_args()
    tests = [every_work_is_timed, what_does_not_exist_is_said, the_history_keeps_a_commit_once, the_page_has_a_column_for_each_commit]
    if shutil.which("valgrind"):
        tests += [equal_programs_pass_the_gate, more_instructions_fail_the_gate]
    for test in tests:
        test(o)
    print(f"{len(tests)} passed")
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not there, so nothing was counted")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
