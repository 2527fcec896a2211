"""Reads the code blocks of documents, and runs what stands in them as a reader would: one shell for a page, one command after the other.

A command is a line of a fenced block

    $ hsdiff a.hs b.hs          in a block where some line begins with "$ ": what follows up to the next such line is its output
    hsdiff a.hs b.hs            in a block `sh`, and in one without a language where the first word is that of a program

Lines that end with a backslash, and here-documents, go on. Behind a command may stand a remark: `# exit 1` is the status that it ends with
(else 0), any other is for the reader; in a block without a language three spaces begin a remark, too.
"""
import contextlib
import fnmatch
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import string
import subprocess
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
SERVICES = PROJECT / "doc" / "examples" / "services"
SKIPPED = 77
PATIENCE = 180

# First words by which a line of a block without a language is told to be a command.
PROGRAMS = set("""apt apt-get bench build/dev build/release bash cargo cat cc cd chmod clang cmake cp ctest curl docker dotnet dotnet-gcdump dotnet-trace echo export firefox-esr for
g++ gcc gcore git go google-pprof gunzip head helm hsdiff java javac jcmd jeprof jmap kill kubectl ln lua5.1 lua5.2 lua5.3 lua5.4 luajit make memray mkdir mkfifo mkdocs mono mv node npm npx nsenter
pip podman printf ps pypy3 pytest python python3 rm ruby scripts sed seq sh sleep sqlite3 ssh strace sudo sysctl tar tests tools valgrind wget while xdg-open zstd""".split())


class Failed(Exception):
    pass


class Command:
    """One command of a document: where it stands, its text, its expected status, what the page shows of its output, and whether it is one
    of those with `$ ` in front, which stand with their output."""

    def __init__(self, document, line, text, marked, is_shell):
        self.document, self.line, self.shown, self.shown_at, self.marked = document, line, [], [], marked
        self.whole = text.rstrip()
        body, remark = self.whole, ""
        cut = re.search(r" +# (.*)$" if "\n" not in body else r"\Z(.)", body)
        if not cut and not marked and not is_shell and "\n" not in body:
            cut = re.search(r" {3,}(\S.*)$", body)
        if cut:
            body, remark = body[:cut.start()], cut[1]
        self.text = body.rstrip()
        status = re.match(r"exit (\d+)", remark)
        self.status = int(status[1]) if status else 0

    def __str__(self):
        return f"{self.document}:{self.line}: {self.text}"


class Patch:
    """A block `diff`: the change that the page makes to a program."""

    def __init__(self, line, text):
        self.line, self.text = line, text


def documents():
    """All that people read as documents: those that lie beside the code of a folder for its authors, too."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=PROJECT, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout.strip():
        return sorted(name for name in listed.stdout.split("\n") if name)
    return sorted(str(path.relative_to(PROJECT)) for path in PROJECT.rglob("*.md") if not path.relative_to(PROJECT).parts[0] in ("build", ".git"))


def fences(text):
    """(number of the first line, language, lines) of each fenced block."""
    block = None
    for number, line in enumerate(text.split("\n"), 1):
        fence = re.match(r"\s*(```+)\s*([\w+-]*)", line)
        if block is None and fence:
            block = (number + 1, fence[2], [])
        elif block is not None and fence:
            yield block
            block = None
        elif block is not None:
            block[2].append(line)
    if block is not None:
        raise Failed(f"a block that begins in line {block[0] - 1} has no end")


def first_word(line):
    words = [word for word in line.split() if not re.match(r"^\w+=", word)]
    return re.split(r"(?<=scripts)/|(?<=tests)/|(?<=bench)/|(?<=tools)/|(?<=build/dev)/|(?<=build/release)/", words[0])[0] if words else ""


def is_command(line):
    return first_word(line) in PROGRAMS or bool(re.match(r"(\./|[\w.-]+/bin/)\w", first_word(line)))


def goes_on(lines):
    """Whether a command of these lines needs the next line."""
    here = re.search(r"<<-?\s*'?(\w+)'?", lines[0])
    return lines[-1].endswith("\\") or bool(here and lines[-1].strip() != here[1])


def commands_of(document, text):
    """Commands and patches of a document, in order."""
    for number, language, lines in fences(text):
        if language == "diff":
            yield Patch(number, "\n".join(lines) + "\n")
        if language not in ("", "sh", "console", "bash"):
            continue
        marked = any(line.startswith("$ ") for line in lines)
        last, at = None, 0
        while at < len(lines):
            line, begin = lines[at], at
            at += 1
            if marked and not line.startswith("$ "):
                if last:
                    last.shown.append(line)
                    last.shown_at.append(number + begin)
                continue
            line = line.removeprefix("$ ") if marked else line
            if not line.strip() or line.startswith("#") or (language == "" and not marked and not is_command(line)):
                continue
            whole = [line]
            while goes_on(whole) and at < len(lines):
                whole.append(lines[at].removeprefix("> ") if marked else lines[at])
                at += 1
            while marked and at < len(lines) and lines[at].startswith("> "):
                whole.append(lines[at][2:])
                at += 1
            # A text in quotes may have several lines, too.
            while sum(part.count('"') - part.count('\\"') for part in whole) % 2 and "<<" not in whole[0] and at < len(lines):
                whole.append(lines[at])
                at += 1
            last = Command(document, number + begin, "\n".join(whole), marked, language != "")
            yield last


# ---- who runs what ----

PAGES = {  # what documents/pages runs: the name of a page -> the programs that it needs
    "doc/tutorials/node.md": ["node", "curl"], "doc/tutorials/jvm.md": ["java", "javac", "curl"], "doc/tutorials/python.md": ["python3", "curl"],
    "doc/tutorials/go.md": ["go", "curl"], "doc/tutorials/c-and-cpp.md": ["cc", "curl"], "doc/tutorials/ruby.md": ["ruby", "curl"],
    "doc/tutorials/lua.md": ["lua5.4"], "doc/tutorials/dotnet.md": ["mono", "mcs", "curl"], "doc/tutorials/dart.md": [], "doc/tutorials/browser.md": ["chromium"], "README.md": ["node"], "doc/faq.md": [],
}
# Files that a page begins with, and that no program here can write: what makes them in its folder.
BEGINNINGS = {"doc/tutorials/dart.md": [["tests/support/dart_snapshot.py", "--rounds=500", "subscriptions", ".", "visits500", "visits1000", "visits1500", "visits2000"],
                                        ["tests/support/dart_snapshot.py", "--rounds=500", "cancelled", ".", "mended500", "mended50000", "mended1500", "mended5000000"]],
              "doc/tutorials/browser.md": [["tests/support/browser.py", "charts.html", "profile", "document.getElementById('next').click()", "20",
                                            "one.heapsnapshot", "twenty.heapsnapshot", "forty.heapsnapshot"]]}
TABLE = pathlib.Path(__file__).resolve().parent / "elsewhere.table"


class Row:
    """A line of elsewhere.table: the tests that run a command in another form, or why none does."""

    def __init__(self, text):
        self.text = text
        self.document, _, rest = text.partition(" | ")
        self.command, _, said = rest.rpartition(" | ")
        how, _, what = said.partition(" ")
        if how not in ("run", "not") or not what:
            raise Failed(f"{TABLE.name}: neither 'run TEST…' nor 'not REASON': {text}")
        self.tests = what.split() if how == "run" else []
        self.reason = what if how == "not" else ""

    def fits(self, command):
        return fnmatch.fnmatchcase(command.document, self.document) and fnmatch.fnmatchcase(command.text, self.command)


def rows():
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [Row(line) for line in lines if line.strip() and not line.startswith("#")]


def all_commands():
    """Of all documents, without patches."""
    for document in documents():
        for step in commands_of(document, (PROJECT / document).read_text(encoding="utf-8")):
            if isinstance(step, Command):
                yield step


def is_of_page(command):
    return command.document in PAGES and command.marked


# ---- outputs ----

def rounded(number):
    """To two digits: one object more or less is the garbage collector's, or an address that was used again."""
    value = int(number.replace(",", ""))
    return str(round(value, 2 - len(str(value))))


def plain(line):
    """A line without what differs from run to run: sizes, percentages, times, pids, the padding of tables. Names, signs and numbers of
    objects that came stay."""
    line = re.sub(r"[\d,.]+ (B|KiB|MiB|GiB|KB|MB)\b", "SIZE", line)
    line = re.sub(r"\b(pid|port) \d+", r"\1 N", line)
    line = re.sub(r"\d\d:\d\d:\d\dZ|\d{4}-\d\d-\d\d", "TIME", line)
    line = re.sub(r"[+-]?\d[\d,.]*( ms| s\b|%| %)", "N", line)
    line = re.sub(r"x\d+|\bNEW\b|<N", "N", line)
    if re.search(r"\d (items|new)\b", line):
        line = re.sub(r"\b\d[\d,]*(?= (->|items|new)\b)", lambda number: rounded(number[0]), line)
    else:
        line = re.sub(r"[+-]?\d[\d,.]*", "N", line)
    return re.sub(r"\s+", " ", line).strip()


def lines_found(shown, output):
    """For each line that a page shows, the line of the output that it stands for, in their order; None where there is none. Of what need not be
    there ("...", an empty line) it is the line of the page."""
    lines, at, found = output.split("\n"), 0, []
    there = [plain(line) for line in lines]
    for line in shown:
        wanted = plain(line)
        if not wanted or wanted in ("...", "…"):
            found.append(line)
            continue
        place = next((i for i in range(at, len(there)) if there[i] == wanted), None)
        found.append(None if place is None else lines[place])
        at = at if place is None else place + 1
    return found


def missing_lines(shown, output):
    """What of the lines that a page shows is not in the output."""
    return [line for line, found in zip(shown, lines_found(shown, output)) if found is None]


# ---- running ----

def free_port():
    """Of four digits, as 8080 has."""
    for _ in range(200):
        port = random.randint(2000, 9999)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                with contextlib.suppress(OSError):
                    probe.bind(("127.0.0.1", port))
                    return port
    raise Failed("no port is free")


class Page:
    """A document that is run: a folder with the programs of doc/examples/services, and a shell in it.

    Others may run the same page on this machine, and hsdiff finds programs by name: here the programs called checkout have another name
    of the same length, and port 8080 is another. Outputs are read with the names of the page again. With `columns` each command has a
    terminal as wide as that."""

    def __init__(self, hsdiff, agents, scratch, path=(), environment=None, word="checkout", columns=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="page-", dir=scratch))
        self.word = word
        self.unique = word[0] + "".join(random.choices(string.ascii_lowercase, k=len(word) - 1))
        self.port = str(free_port())
        tools = self.folder / ".bin"
        tools.mkdir()
        (tools / "hsdiff").symlink_to(pathlib.Path(hsdiff).resolve())
        self.environment = {"HOME": str(self.folder), "PATH": ":".join([str(tools), *map(str, path), os.environ["PATH"]]), "LC_ALL": "C.UTF-8",
                            "SHELL": "/bin/bash", "TERM": "dumb", "NO_COLOR": "1", "HSDIFF_AGENTS": str(pathlib.Path(agents).resolve()), "CI": "true", **(environment or {})}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "JAVA_HOME", "TMPDIR"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.columns = columns
        self.rewritten = {}  # number of a line of the page -> what came
        self.count = 0
        self.shell = None

    def there(self, text):
        """As the page says it -> as it is called here."""
        return text.replace("/usr/lib/hsdiff/", self.environment["HSDIFF_AGENTS"] + "/").replace(self.word, self.unique).replace(self.word.capitalize(), self.unique.capitalize()).replace("8080", self.port)

    def here(self, text):
        return text.replace(self.unique, self.word).replace(self.unique.capitalize(), self.word.capitalize()).replace(self.port, "8080")

    def put(self, name, text):
        path = self.folder / self.there(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.there(text), encoding="utf-8")

    def __enter__(self):
        self.shell = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, start_new_session=True)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.shell.pid, signal.SIGKILL)
        self.shell.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, text):
        """(status, output) of a command in the page's shell."""
        self.count += 1
        script, output = self.folder / f".{self.count}.sh", self.folder / f".{self.count}.txt"
        script.write_text(self.there(text) + "\n", encoding="utf-8")
        if self.columns:
            line = f"script -qefc 'stty cols {self.columns}; source {script}' {output} >/dev/null </dev/null"
        else:
            line = f"source {script} >{output} 2>&1 </dev/null"
        self.shell.stdin.write(f"{line}; rc=$?; echo; echo done $rc\n")
        self.shell.stdin.flush()
        timer = signal.signal(signal.SIGALRM, self.too_long)
        signal.alarm(PATIENCE)
        try:
            line = ""
            while not line.startswith("done "):
                line = self.shell.stdout.readline()
                if not line:
                    raise Failed(f"the shell ended at: {text}\n{self.read(output)}")
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, timer)
        return int(line.split()[1]), self.read(output)

    def too_long(self, *_):
        raise Failed(f"not through after {PATIENCE} s")

    def read(self, path):
        return self.here(path.read_text(encoding="utf-8", errors="replace").replace("\r", ""))

    def wait_for_port(self, is_open, output):
        """Nobody connects to it: a request more would be in the figures of the page."""
        end = time.monotonic() + PATIENCE
        ending = f":{int(self.port):04X}"
        while True:
            sockets = [line.split() for table in ("tcp", "tcp6") for line in pathlib.Path("/proc/net", table).read_text(encoding="ascii").splitlines()[1:]]
            if any(words[1].endswith(ending) and words[3] == "0A" for words in sockets) == is_open:
                return
            if time.monotonic() > end:
                raise Failed(f"the service {'does not listen' if is_open else 'still listens'}:\n{self.read(output)}")
            time.sleep(0.02)

    def patch(self, change):
        done = subprocess.run(["patch", "-p0", "--no-backup-if-mismatch"], cwd=self.folder, input=self.there(change.text), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"line {change.line}: the change cannot be made: {done.stdout}{done.stderr}")

    def follow(self, steps):
        """Runs commands and makes changes, in order. The number of commands that ran."""
        for step in steps:
            if isinstance(step, Patch):
                self.patch(step)
                continue
            status, output = self.run(step.whole)
            if status != step.status:
                raise Failed(f"{step}: exit status {status}, not {step.status}\n{output}")
            if re.search(r"&$", step.text):
                self.wait_for_port(True, self.folder / f".{self.count}.txt")
            if step.text == "kill $!":
                self.wait_for_port(False, self.folder / f".{self.count}.txt")
            self.rewritten |= {at: line.rstrip() for at, line in zip(step.shown_at, lines_found(step.shown, output)) if line is not None}
            missing = missing_lines(step.shown, output)
            if missing:
                raise Failed(f"{step}: the page shows what is not in the output:\n" + "\n".join(missing) + f"\n---- the output is\n{output}")
        return sum(isinstance(step, Command) for step in steps)
