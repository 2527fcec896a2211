"""What the reliability tests share: a workshop folder with inputs in it, the commands to try, running one of them with faults or
limits, and the three questions asked after each run: did it crash, did it lie, did it leave anything behind.

Environment: HSD_CLI the command, HSD_FAULTY the same with tests/support/fault.c inside, HSD_LONG=1 the full sweeps,
HSD_SEED another draw where a sweep draws.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import inputs  # noqa: E402

LONG = bool(os.environ.get("HSD_LONG"))
SANITIZER = re.compile(rb"(ERROR: (Address|Leak|Memory)Sanitizer|WARNING: ThreadSanitizer|: runtime error: )")
LIMIT_SECONDS = 60


def program(variable):
    path = os.environ.get(variable)
    if not path or not os.path.exists(path):
        print(f"{variable} does not name a program: skipped")
        sys.exit(77)
    return path


def seed(built_in):
    return int(os.environ.get("HSD_SEED", built_in))


class Command:
    """One way to use the program: its arguments, and the files that it writes. One with several results, of which the last may be
    standard output, keeps what is whole when a later one fails."""

    def __init__(self, name, arguments, outputs=(), has_several_results=False):
        self.name, self.arguments, self.outputs = name, list(arguments), tuple(outputs)
        self.has_several_results = has_several_results


class Result:
    def __init__(self, command, status, out, err, outputs, leftovers):
        self.command, self.status, self.out, self.err = command, status, out, err
        self.outputs, self.leftovers = outputs, leftovers


class Workshop:
    """A folder with dumps, an empty folder for results and one for temporary data. Both must be as expected after each run."""

    def __init__(self, program_path, scale=1):
        self.program = program_path
        self.root = tempfile.mkdtemp(prefix="hsd-reliability-")
        self.results, self.temps = os.path.join(self.root, "results"), os.path.join(self.root, "temps")
        os.mkdir(self.results)
        os.mkdir(self.temps)
        self.dumps = inputs.write_inputs(self.root, scale)
        self.servers = {}
        self.captures = self._import()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.kill()
            server.communicate()
        shutil.rmtree(self.root, ignore_errors=True)

    def _import(self):
        paths = []
        for dump in self.dumps["v8"]:
            path = os.path.splitext(dump)[0] + ".hs"
            result = self.run(Command("import", ["import", dump, "-o", path]))
            if result.status != 0:
                raise SystemExit(f"cannot make the inputs: {result.err.decode(errors='replace')}")
            paths.append(path)
        return tuple(paths)

    def result(self, name):
        return os.path.join(self.results, name)

    def commands(self):
        """Every command of the program on captures, and the ones that import on the way."""
        before, after = self.captures
        new = self.result("new.hs")
        table = [
            Command("diff", [before, after]),
            Command("diff-json", [before, after, "--format", "json"]),
            Command("diff-csv", [before, after, "--format", "csv"]),
            Command("diff-v8", [*self.dumps["v8"], "--format", "json"]),
            Command("diff-hprof", [*self.dumps["hprof"], "--format", "json"]),
            Command("summary", [before, after, "--summary"]),
            Command("diff-to-file", [before, after, "--format", "json", "-o", self.result("diff.json")], [self.result("diff.json")]),
            Command("import-v8", ["import", self.dumps["v8"][0], "-o", new], [new]),
            Command("import-hprof", ["import", self.dumps["hprof"][0], "-o", new], [new]),
            Command("info", ["info", before]),
            Command("top", ["top", after, "--format", "json"]),
            Command("top-retained", ["top", after, "--retained", self.result("retained.csv")], [self.result("retained.csv")], True),
            Command("paths", ["paths", after, "*", "--format", "json"]),
            Command("dump", ["dump", before]),
            Command("verify", ["verify", before]),
            Command("salvage", ["salvage", before, "-o", new], [new]),
            Command("diff-objects", [before, after, "--objects", self.result("objects.csv")], [self.result("objects.csv")], True),
            Command("demo", ["demo", "-o", self.results], [self.result("demo-before.hs"), self.result("demo-after.hs")], True),
        ]
        return table

    def command(self, name):
        return next(command for command in self.commands() if command.name == name)

    def clear(self):
        for folder in (self.results, self.temps):
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))

    def environment(self, extra):
        plain = {name: value for name, value in os.environ.items() if not name.startswith("HSD_FAULT")}
        asan = plain.get("ASAN_OPTIONS", "") + ":exitcode=99:allocator_may_return_null=1"
        return {**plain, "TMPDIR": self.temps, "ASAN_OPTIONS": asan, "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
                "LC_ALL": "C.UTF-8", "CI": "true", "MALLOC_PERTURB_": "165", **extra}

    def run(self, command, extra_environment=None, stdout=subprocess.PIPE, wrapper=()):
        self.clear()
        process = subprocess.Popen([*wrapper, self.program, *command.arguments], stdin=subprocess.DEVNULL, stdout=stdout,
                                   stderr=subprocess.PIPE, env=self.environment(extra_environment or {}), cwd=self.root)
        try:
            out, err = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Result(command, "stalled", b"", b"", {}, [])
        return self.inspect(command, process.returncode, out or b"", err)

    def run_faulty(self, command, faults):
        """The same for a program with tests/support/fault.c inside, which starts once for each command and forks for each run: under sanitizers the
        start takes longer than the run. Standard output is a file."""
        self.clear()
        folder = os.path.join(self.root, "serve-" + command.name)
        if command.name not in self.servers:
            os.mkdir(folder)
            self.servers[command.name] = subprocess.Popen(
                [self.program, *command.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.root,
                env=self.environment({"HSD_FAULT_SERVE": folder}))
        server = self.servers[command.name]
        server.stdin.write(" ".join(f"{name}={value}" for name, value in faults.items()) + "\n")
        server.stdin.flush()
        status = os.waitstatus_to_exitcode(int(server.stdout.readline()))
        with open(os.path.join(folder, "out"), "rb") as out, open(os.path.join(folder, "err"), "rb") as err:
            return self.inspect(command, "stalled" if status == -signal.SIGALRM else status, out.read(), err.read())

    def inspect(self, command, status, out, err):
        """What stands in the folders now, apart from the outputs that the command may leave."""
        outputs, leftovers = {}, []
        for folder in (self.results, self.temps):
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                if path in command.outputs:
                    with open(path, "rb") as file:
                        outputs[path] = file.read()
                else:
                    leftovers.append(path)
        return Result(command, status, out, err, outputs, leftovers)


class Tally:
    """Counts cases, prints the first failures whole, and closes with the line that scripts/test reads."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def case(self, name, problem, err=b""):
        if problem is None:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= int(os.environ.get("HSD_SHOW", "20")):
            print(f"{name}: {problem}")
            if err:
                print("    " + err.decode(errors="replace").strip()[:2000].replace("\n", "\n    "))

    def skip(self, name, reason):
        self.skipped += 1
        print(f"{name}: skipped, {reason}")

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else ""), flush=True)
        sys.exit(1 if self.failed else 0)


def crash_of(result):
    """The problem, if the run ended in a way that no input and no machine may cause."""
    if result.status == "stalled":
        return f"not done after {LIMIT_SECONDS} s"
    if SANITIZER.search(result.err):
        return "a sanitizer spoke"
    if result.status < 0:
        return f"died of signal {-result.status}"
    if result.status > 4:
        return f"exit status {result.status}"
    return None


def verdict(result, good, statuses):
    """None, or what is wrong with a run under a fault whose undisturbed twin is `good`.

    It may succeed, and then with the same answer; or fail with one of `statuses`, a message, and nothing left behind, but for what a
    command with several results had finished before.
    """
    problem = crash_of(result)
    if problem:
        return problem
    if result.leftovers:
        return f"left behind: {', '.join(result.leftovers)}"
    if result.status == good.status:
        if result.out != good.out:
            return f"exit status {result.status} with another answer on standard output"
        if sorted(result.outputs) != sorted(good.outputs):
            return f"exit status {result.status} without its output file"
        if any(len(data) != len(good.outputs[path]) for path, data in result.outputs.items()):
            return f"exit status {result.status} with another output file"
        return None
    if result.status not in statuses:
        return f"exit status {result.status}, expected {' or '.join(map(str, statuses))}"
    for path, data in result.outputs.items():
        if not result.command.has_several_results:
            return f"exit status {result.status} and yet {os.path.basename(path)}"
        if len(data) != len(good.outputs.get(path, b"")):
            return f"exit status {result.status} and yet a part of {os.path.basename(path)}"
    if not result.err.strip() and not result.out.strip():
        return f"exit status {result.status} without a word"
    return None
