"""Captures of running programs that are encrypted as they are taken (--encrypt-to): straight into the file, and through temporary files where names are
resolved or the result is a pipe; without the identity nothing can be read of them, and with it they say what was planted.

    files     of a Python: type and count are exact, the file is of age
    pipe      to standard output
    names     of a program in C, whose names are resolved on the way
    watched   by a watch, which reads them again
    written   by a tracer: no name of the program reaches a disk in clear
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

from kit import Program, check, main, say

ROOT = pathlib.Path(__file__).resolve().parents[1]
SAMPLES = (ROOT / "support/age_samples.h").read_text()
IDENTITY = re.search(r'AGE_IDENTITY\s+"([^"]+)"', SAMPLES)[1]
RECIPIENT = re.search(r'AGE_RECIPIENT\s+"([^"]+)"', SAMPLES)[1]
LEAKS = """
import sys
class CanaryOfHeap:
    pass
kept = [CanaryOfHeap() for _ in range(777)]
print("ready", flush=True)
for line in sys.stdin:
    if line.startswith("quit"):
        sys.exit(0)
"""


def python():
    return Program([sys.executable, "-c", LEAKS])


def check_planted(tool, folder, name):
    """777 of them, for who has the identity; nothing for others."""
    (folder / "id").write_text(IDENTITY + "\n")
    (folder / "id").chmod(0o600)
    data = (folder / name).read_bytes()
    check(data.startswith(b"age-encryption.org/v1\n") and b"Canary" not in data, f"{name} is not encrypted")
    tool.run("info", "-q", folder / name, expect=3)
    report = json.loads(tool.run("top", "-q", folder / name, "--identity", folder / "id", "--format", "json").stdout)
    found = [row for row in report["types"] if "CanaryOfHeap" in str(row.get("type", row))]
    check("777" in str(found), f"what was planted is not there: {found}")


def files(tool, folder):
    with python() as program:
        tool.capture(program.pid, folder / "python.hs", "-q", "--encrypt-to", RECIPIENT)
    check_planted(tool, folder, "python.hs")


def pipe(tool, folder):
    with python() as program:
        done = subprocess.run([tool.path, "capture", "-q", str(program.pid), "-o", "-", "--encrypt-to", RECIPIENT], env=tool.environment, capture_output=True, check=True, timeout=120)
    (folder / "piped.hs").write_bytes(done.stdout)
    check_planted(tool, folder, "piped.hs")


def names(tool, folder):
    """A program in C: names are put to addresses by way of temporary files."""
    agent = pathlib.Path(tool.agents) / "libhsdiff-native.so"
    if not agent.exists():
        say("no native agent: left out")
        return
    tool.run("capture", "-q", "--count", "1", "--after", "1s", "-o", str(folder) + "/", "--encrypt-to", RECIPIENT, "--", "/bin/sleep", "4")
    (capture,) = folder.glob("*.hs")
    check(capture.read_bytes().startswith(b"age-encryption.org/v1\n"), "it is not encrypted")
    (folder / "id").write_text(IDENTITY + "\n")
    (folder / "id").chmod(0o600)
    tool.run("verify", "-q", capture, "--identity", folder / "id")


def written(tool, folder):
    if not shutil.which("strace"):
        say("no strace: left out")
        return
    trace = folder / "trace"
    for out in (str(folder / "traced.hs"), "-"):
        with python() as program:
            subprocess.run(["strace", "-f", "-qq", "-y", "-s", "1000000", "-e", "trace=write,pwrite64,writev,pwritev", "-o", trace, tool.path, "capture", "-q", str(program.pid), "-o", out,
                            "--level", "0", "--encrypt-to", RECIPIENT], env=tool.environment, capture_output=True, check=True, timeout=120)
        lines = [line for line in trace.read_text(errors="replace").splitlines() if "CanaryOfHeap" in line]
        check(lines, "the tracer does not see how it passes through the pipe to be encrypted: the test is blind")
        clear = [line for line in lines if not re.search(r"write\w*\(\d+<(pipe|socket|UNIX)", line)]
        check(not clear, f"in clear: {clear[:1]}"[:400])


def watched(tool, folder):
    """A watch compares what it encrypted, more often than it remembers keys of files; captures and sums are for who has the identity."""
    kept = folder / "kept"
    with python() as program:
        done = tool.run("watch", program.pid, "--into", kept, "--every", "300ms", "--budget", "100%", "--count", "8", "--keep", "3", "--encrypt-to", RECIPIENT)
    files_there = sorted(kept.rglob("*.hs"))
    check("before" in done.stdout and len(files_there) >= 3 + 8, f"{len(files_there)} files: {done.stdout}{done.stderr}")
    for path in files_there:
        check(path.read_bytes().startswith(b"age-encryption.org/v1\n"), f"{path} is not encrypted")
    (folder / "last.hs").write_bytes(sorted(kept.glob("*.hs"))[-1].read_bytes())
    check_planted(tool, folder, "last.hs")


if __name__ == "__main__":
    main({"watched": watched, "files": files, "pipe": pipe, "names": names, "written": written})
