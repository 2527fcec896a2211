#!/usr/bin/env python3
"""Live tests that failed are run again, and nothing else is: scripts/rerun.py and scripts/results.py over suites of ctest whose tests
fail a given number of times."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent

# Counts its runs in a file and fails the first N of them.
FAILS = 'n=$(cat {counter} 2>/dev/null || echo 0); echo $((n + 1)) >{counter}; echo "run $n"; [ "$n" -ge {times} ]'


class Suite:
    """A folder of ctest, its report, and what became of it."""

    def __init__(self, ctest, folder, tests, more=""):
        self.folder = pathlib.Path(folder)
        lines = []
        for name, times in tests.items():
            script = FAILS.format(counter=self.counter(name), times=times)
            lines.append(f'add_test({name} sh -c [==[{script}]==])')
        (self.folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n" + more + "\n")
        (self.folder / "results").mkdir()
        self.report = self.folder / "results" / "dev.xml"
        environment = dict(os.environ, PATH=f"{pathlib.Path(ctest).parent}{os.pathsep}{os.environ['PATH']}")
        self.first = subprocess.run([ctest, "--test-dir", folder, "--output-junit", str(self.report)], capture_output=True, check=False)
        self.again = subprocess.run([sys.executable, PROJECT / "scripts/rerun.py", folder, self.report, self.folder / "results"],
                                    capture_output=True, text=True, check=False, env=environment)
        self.results = subprocess.run([sys.executable, PROJECT / "scripts/results.py", self.report], capture_output=True, text=True, check=False)

    def counter(self, name):
        return self.folder / name.replace("/", "-")

    def runs(self, name):
        return int(self.counter(name).read_text())

    def closing(self):
        return self.results.stdout.splitlines()[-1]


def a_live_test_that_passes_then_is_flaky(ctest, folder):
    suite = Suite(ctest, folder, {"agents/busy": 2, "agents/good": 0})
    assert suite.again.returncode == 0, suite.again
    assert suite.runs("agents/busy") == 3 and suite.runs("agents/good") == 1
    assert suite.results.returncode == 0 and suite.closing() == "2 passed, 0 failed", suite.results
    flaky = [line for line in suite.results.stdout.splitlines()[:-1] if line.startswith("flaky: dev: agents/busy: a defect")]
    assert len(flaky) == 1, suite.results
    assert "flaky: dev: agents/good" not in suite.results.stdout
    log = suite.folder / "results" / "flaky-dev-agents-busy.log"
    assert "run 0" in log.read_text(), "the log of the first failure is kept"
    strict = subprocess.run([sys.executable, PROJECT / "scripts/results.py", "--no-flakes", suite.report], capture_output=True, text=True, check=False)
    assert strict.returncode == 1 and strict.stdout.splitlines()[-1] == "1 passed, 1 failed", strict


def three_failures_fail(ctest, folder):
    suite = Suite(ctest, folder, {"web/broken": 3, "view/good": 0})
    assert suite.again.returncode == 1 and suite.runs("web/broken") == 3, suite.again
    assert suite.results.returncode == 1 and suite.closing() == "1 passed, 1 failed", suite.results
    assert "flaky" not in suite.results.stdout


def what_is_not_live_is_not_run_again(ctest, folder):
    suite = Suite(ctest, folder, {"sort/wrong": 1, "agenda/wrong": 1})
    assert suite.again.returncode == 1, suite.again
    assert suite.runs("sort/wrong") == 1 and suite.runs("agenda/wrong") == 1
    assert suite.closing() == "0 passed, 2 failed"


def what_waits_for_a_flaky_test_is_run(ctest, folder):
    more = ("set_tests_properties(web/prepare PROPERTIES FIXTURES_SETUP pages)\n"
            "set_tests_properties(web/pages PROPERTIES FIXTURES_REQUIRED pages)")
    suite = Suite(ctest, folder, {"web/prepare": 1, "web/pages": 0}, more)
    assert suite.again.returncode == 0 and suite.runs("web/pages") == 1, suite.again
    assert suite.closing() == "2 passed, 0 failed", suite.results
    assert "flaky: dev: web/prepare" in suite.results.stdout and "flaky: dev: web/pages" not in suite.results.stdout


def a_skipped_run_proves_nothing(ctest, folder):
    suite = Suite(ctest, folder, {}, "add_test(runtime/gone sh -c [==[test -e gone && exit 77; touch gone; exit 1]==])\n"
                                     "set_tests_properties(runtime/gone PROPERTIES SKIP_RETURN_CODE 77)")
    assert suite.again.returncode == 1 and suite.closing() == "0 passed, 1 failed", suite.results


def a_report_that_is_none_fails(_ctest, folder):
    path = pathlib.Path(folder) / "dev.xml"
    path.write_text("<testsuite")
    done = subprocess.run([sys.executable, PROJECT / "scripts/rerun.py", folder, path, folder], capture_output=True, check=False)
    assert done.returncode == 1, done


CASES = [a_live_test_that_passes_then_is_flaky, three_failures_fail, what_is_not_live_is_not_run_again,
         what_waits_for_a_flaky_test_is_run, a_skipped_run_proves_nothing, a_report_that_is_none_fails]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ctest", required=True)
    ctest = parser.parse_args().ctest
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(ctest, folder)
            except AssertionError as problem:
                print(f"FAIL {case.__name__}: {problem}")
                failed += 1
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
