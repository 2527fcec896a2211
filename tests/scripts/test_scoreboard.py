#!/usr/bin/env python3
"""The scoreboard (scripts/scoreboard) tells what was kept and nothing else: on records that are made up, in a copy of its files; and the project's own page
is what its records say, by tests that exist.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "date\tcommit\trow\tpreset\ttest\tcounter\tcases\tfailures\tseconds\tseed\n"
PREFIXES = "2026-01-0{day}\t0123abcd\t1\trelease\tintegrity/prefixes\tprefixes\t{cases}\t{failures}\t3600\t0\n"
SIGNALS = "2026-01-02\t0123abcd\t11\trelease\treliability/kills\tsignals\t{cases}\t{failures}\t60\t{seed}\n"


class Copy:
    def __init__(self, folder, records):
        self.at = pathlib.Path(folder)
        (self.at / "scripts").mkdir()
        (self.at / "doc").mkdir()
        shutil.copy(PROJECT / "scripts" / "scoreboard", self.at / "scripts")
        shutil.copytree(PROJECT / "scripts" / "scoreboard.d", self.at / "scripts" / "scoreboard.d")
        (self.at / "doc" / "reliability.tsv").write_text(records)

    def run(self, *words):
        return subprocess.run([self.at / "scripts" / "scoreboard", *words], capture_output=True, text=True, check=False)

    def with_tests(self, prefixes):
        """A project that needs no build and has one test, which says what `prefixes`, a line of shell, prints."""
        (self.at / "scripts" / "lib.sh").write_text("configure_and_build() { :; }\n")
        (self.at / "build" / "release").mkdir(parents=True, exist_ok=True)
        (self.at / "build" / "release" / "CTestTestfile.cmake").write_text(f"add_test(integrity/prefixes sh -c [==[{prefixes}]==])\n")
        git = ["git", "-C", self.at, "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        for words in (["init", "-q"], ["add", "scripts"], ["commit", "-q", "--allow-empty", "-m", "x"]):
            subprocess.run([*git, *words], check=True)
        return self

    def kept(self):
        return [line.split("\t") for line in (self.at / "doc" / "reliability.tsv").read_text().splitlines()[1:]]

    def row(self, number):
        assert self.run("page").returncode == 0
        text = (self.at / "doc" / "reliability.md").read_text()
        return re.search(rf"^\| {number} \|.*$", text, re.MULTILINE)[0]


def the_last_run_of_a_fixed_sweep_stands(folder):
    row = Copy(folder, HEAD + PREFIXES.format(day=1, cases=2_000_000, failures=3) + PREFIXES.format(day=2, cases=1_600_000, failures=0)).row(1)
    assert "1,600,000 prefixes, 0 failed | yes |" in row and "2026-01-02, 0123abcd, 1.0 h" in row, row


def seeds_add_up(folder):
    row = Copy(folder, HEAD + SIGNALS.format(cases=6_000, failures=0, seed=1) + SIGNALS.format(cases=8_000, failures=0, seed=2)).row(11)
    assert "14,000 signals, 0 failed | yes |" in row, row


PAIRS = "2026-01-02\t{commit}\t6\trelease\tproperty/top\theaps of one side\t{cases}\t{failures}\t60\t{seed}\n"


def numbers_count_once(folder):
    """Heaps 1,000 to 1,999 and 1,001 to 2,000 are 1,001 heaps; what begins behind them adds up."""
    kept = [(1000, 1000), (1000, 1001), (500, 5000)]
    row = Copy(folder, HEAD + "".join(PAIRS.format(commit="0123abcd", cases=cases, failures=0, seed=seed) for cases, seed in kept)).row(6)
    assert "1,501 heaps of one side, 0 failed" in row, row


def what_failed_is_tried_again(folder):
    """And stands as it ended the second time; another draw that passes proves nothing of it."""
    failed = PAIRS.format(commit="0123abcd", cases=0, failures=1, seed=1000)
    passed = PAIRS.format(commit="89abcdef", cases=1000, failures=0, seed=2000)
    copy = Copy(folder, HEAD + failed + passed)
    assert "1,000 heaps of one side, 1 failed" in copy.row(6), copy.row(6)
    (copy.at / "doc" / "reliability.tsv").write_text(HEAD + failed + passed + PAIRS.format(commit="89abcdef", cases=1000, failures=0, seed=1000))
    assert "2,000 heaps of one side, 0 failed" in copy.row(6), copy.row(6)


def too_few_are_not_met(folder):
    row = Copy(folder, HEAD + SIGNALS.format(cases=6_000, failures=0, seed=1)).row(11)
    assert "6,000 of 13,000 signals, 0 failed | no |" in row, row


def one_failure_is_not_met(folder):
    row = Copy(folder, HEAD + SIGNALS.format(cases=60_000, failures=0, seed=1) + SIGNALS.format(cases=1_000, failures=1, seed=2)).row(11)
    assert "61,000 signals, 1 failed | no |" in row, row


def what_was_never_run_is_said(folder):
    assert "prefixes: not run | no |" in Copy(folder, HEAD).row(1)


def a_changed_page_is_found(folder):
    copy = Copy(folder, HEAD)
    copy.run("page")
    assert copy.run("check").returncode == 0, copy.run("check").stdout
    page = copy.at / "doc" / "reliability.md"
    page.write_text(page.read_text().replace("not run", "1 tried", 1))
    done = copy.run("check")
    assert done.returncode == 1 and "scripts/scoreboard page" in done.stdout, done.stdout


def records_that_are_none_are_refused(folder):
    for text, said in ((HEAD + "2026-01-01\tx\n", "line 2"), ("date\n", "line 1")):
        with tempfile.TemporaryDirectory(dir=folder) as inner:
            done = Copy(inner, text).run("page")
            assert done.returncode != 0 and said in done.stderr, done.stderr


def a_record_without_a_check_is_found(folder):
    copy = Copy(folder, HEAD + "2026-01-01\tx\t1\trelease\tintegrity/gone\tprefixes\t1\t0\t1\t0\n")
    copy.run("page")
    done = copy.run("check")
    assert done.returncode == 1 and "integrity/gone" in done.stdout, done.stdout


def a_run_keeps_what_the_test_counted(folder):
    copy = Copy(folder, HEAD).with_tests("echo prefixes: 2000000 tried")
    done = copy.run("run", "--hours", "0.1", "1")
    assert done.returncode == 0 and "row 1: 2,000,000 prefixes, 0 failed" in done.stdout, done
    assert [each[2:8] for each in copy.kept()] == [["1", "release", "integrity/prefixes", "prefixes", "2000000", "0"]], copy.kept()
    assert "2,000,000 prefixes, 0 failed | yes |" in copy.row(1)
    copy.run("run", "1")  # it has what a release asks for, on this commit
    assert len(copy.kept()) == 1, copy.kept()


def one_run_answers_each_check_of_its_test(folder):
    copy = Copy(folder, HEAD).with_tests("")
    test = copy.at / "build" / "release" / "CTestTestfile.cmake"
    test.write_text("add_test(integrity/blocks sh -c [==[echo misplaced blocks: 7 tried; echo destroyed blocks: 5 tried]==])\n")
    done = copy.run("run", "4")
    assert [(each[2], each[6], each[7]) for each in copy.kept()] == [("3", "7", "0"), ("4", "5", "0")], (done, copy.kept())


def a_run_that_fails_or_counts_nothing_is_a_failure(folder):
    for prefixes, said in (("echo broken; exit 1", "broken"), ("echo prefixes: many tried", "counted nothing")):
        with tempfile.TemporaryDirectory(dir=folder) as inner:
            copy = Copy(inner, HEAD).with_tests(prefixes)
            done = copy.run("run", "1")
            assert said in done.stdout and [each[6:8] for each in copy.kept()] == [["0", "1"]], (done, copy.kept())
            assert "0 of 1,500,000 prefixes, 1 failed | no |" in copy.row(1), copy.row(1)


def fuzzed(copy, *lines):
    """A project whose preset afl has these fuzz targets, which say what these lines of shell print."""
    copy.with_tests("")
    (copy.at / "build" / "afl").mkdir()
    (copy.at / "build" / "afl" / "CTestTestfile.cmake").write_text("".join(f"add_test(fuzz/t{i} sh -c [==[{line}]==])\n" for i, line in enumerate(lines)))
    return copy


SEARCHED = "echo {inputs} inputs guided by coverage, 1 edges, in {seconds} CPU seconds"


def the_time_is_over_between_two_targets(folder):
    """And what was counted up to there is kept. Another seed begins with another target."""
    copy = fuzzed(Copy(folder, HEAD), *(SEARCHED.format(inputs=1 << i, seconds=1) for i in range(6)))
    for _ in range(4):  # the second has no targets that read captures
        copy.run("run", "--preset", "afl", "--hours", "0", "16")
    kept = [each for each in copy.kept() if each[5] == "inputs of AFL++"]
    assert len(kept) == 3 and all(int(each[6]).bit_count() == 1 for each in kept) and len({each[6] for each in kept}) > 1, copy.kept()
    assert not any(each[3] != "afl" for each in copy.kept()), copy.kept()


def words_choose_what_is_counted(folder):
    copy = fuzzed(Copy(folder, HEAD), SEARCHED.format(inputs=1, seconds=1))
    (copy.at / "scripts" / "lib.sh").write_text('configure_and_build() { echo "$@" >>built; }\nneed() { :; }\n')
    copy.run("run", "--preset", "afl", "--only", "in captures", "--hours", "0", "16")
    assert {each[5] for each in copy.kept()} == {"inputs of AFL++ in captures", "CPU seconds of AFL++ in captures"}, copy.kept()
    assert (copy.at / "built").read_text() == "afl fuzz_captures\n", (copy.at / "built").read_text()
    assert copy.run("run", "--only", "no such words").returncode != 0
    for _ in range(2):  # one run is enough, and who names it wants more
        copy.run("run", "--preset", "afl", "--only", "in captures", "--hours", "0", "16")
    assert len(copy.kept()) == 6, copy.kept()


def of_targets_that_fail_the_others_count(folder):
    enough = 1_000_000_000
    copy = fuzzed(Copy(folder, HEAD), SEARCHED.format(inputs=enough, seconds=enough), "echo crash; exit 1", SEARCHED.format(inputs=1, seconds=1))
    done = copy.run("run", "--preset", "afl", "16")
    first = [each for each in copy.kept() if each[5] == "inputs of AFL++"][0]
    assert first[6:8] == [str(enough + 1), "1"] and "crash" in done.stdout, (done, copy.kept())


def a_fix_without_a_test_is_found(folder):
    at = pathlib.Path(folder)
    git = ["git", "-C", at, "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    (at / "tests" / "scripts").mkdir(parents=True)
    (at / "tests" / "scripts" / "fixes.table").write_text("sort: a defect of old | tests/old.c | shows it\n")

    def commit(subject, *names):
        for name in names:
            with open(at / name, "a", encoding="utf-8") as file:
                file.write("x\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", subject], check=True)
        done = subprocess.run([sys.executable, PROJECT / "tests" / "scripts" / "test_fixes.py", at], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    assert commit("a.c was wrong", "a.c", "tests/a.c") == (0, "1 passed, 0 failed")
    assert commit("a feature", "b.c") == (0, "1 passed, 0 failed")
    assert commit("sort: a defect of old", "a.c") == (1, "1 passed, 1 failed")
    assert commit("the file that fixes.table names", "tests/old.c") == (0, "2 passed, 0 failed")
    assert commit("a crash", "b.c") == (1, "2 passed, 1 failed")


def the_own_page_is_true(_folder):
    done = subprocess.run([PROJECT / "scripts" / "scoreboard", "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


CASES = [the_last_run_of_a_fixed_sweep_stands, seeds_add_up, numbers_count_once, what_failed_is_tried_again, too_few_are_not_met, one_failure_is_not_met, what_was_never_run_is_said,
         a_changed_page_is_found, records_that_are_none_are_refused, a_record_without_a_check_is_found, a_run_keeps_what_the_test_counted,
         one_run_answers_each_check_of_its_test,
         a_run_that_fails_or_counts_nothing_is_a_failure, the_time_is_over_between_two_targets, words_choose_what_is_counted,
         of_targets_that_fail_the_others_count, a_fix_without_a_test_is_found, the_own_page_is_true]


def main():
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="hsd-scoreboard-") as folder:
            try:
                case(folder)
                print(f"ok      {case.__name__}")
            except AssertionError as problem:
                failed += 1
                print(f"FAILED  {case.__name__}: {problem}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
