#!/usr/bin/env python3
"""Encrypted captures and dumps as a user has them: written by hsdiff and read by age, written by age and read by hsdiff, and each way in which it can fail.

    test_age.py --hsdiff PROGRAM --synth HSD_SYNTH

Without the program age what needs it is left out, and a line says so.
"""
import argparse
import gzip
import os
import pathlib
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time

SUPPORT = pathlib.Path(__file__).resolve().parent.parent / "support"
CASES = []


class Fault(Exception):
    pass


def case(function):
    CASES.append(function)
    return function


def expect(truth, what):
    if not truth:
        raise Fault(what)


def of_age(function):
    """A case that needs the program."""
    def run(world):
        if not shutil.which("age"):
            print(f"left out, for there is no age: {function.__name__}")
            return
        function(world)
    run.__name__ = function.__name__
    return case(run)


class World:
    def __init__(self, program, synth, folder):
        self.program, self.folder = os.path.abspath(program), folder
        samples = (SUPPORT / "age_samples.h").read_text()
        self.identity = re.search(r'AGE_IDENTITY\s+"([^"]+)"', samples)[1]
        self.recipient = re.search(r'AGE_RECIPIENT\s+"([^"]+)"', samples)[1]
        (folder / "id").write_text(f"# a comment\n{self.identity}\n")
        (folder / "id").chmod(0o600)
        subprocess.run([synth, "objects=30000", "identity=exact", "seed=5", folder], check=True, capture_output=True)
        (folder / "dump.json").write_text(heap_snapshot())
        self.run("import", "-q", "dump.json", "-o", "dump.hs")
        self.run("redact", "-q", "--new-key", "key")
        self.run("redact", "-q", "a.hs", "-o", "a.age.hs", "--key", "key", "--encrypt-to", self.recipient)
        self.run("redact", "-q", "a.hs", "-o", "a-redacted.hs", "--key", "key")
        self.run("redact", "-q", "b.hs", "-o", "b-redacted.hs", "--key", "key")

    def run(self, *arguments, status=0, says=None, stdin=None, environment=None):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, input=stdin or b"", timeout=120, check=False,
                              env={**os.environ, **(environment or {})})
        error = done.stderr.decode(errors="replace")
        expect(self.identity[20:] not in error + done.stdout.decode(errors="replace"), f"{arguments}: tells a key")
        if done.returncode != status:
            raise Fault(f"{arguments}: exit status {done.returncode}, not {status}: {error}")
        if says and not re.search(says, " ".join(error.split())):
            raise Fault(f"{arguments}: says nothing of {says!r}: {error}")
        return done.stdout

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def age(self, *arguments, stdin=b""):
        return subprocess.run(["age", *arguments], cwd=self.folder, input=stdin, capture_output=True, check=True).stdout


def heap_snapshot():
    """A snapshot of V8 with 300 objects of a root."""
    count = 300
    nodes = [9, 0, 1, 0, count, 0, 0] + [v for i in range(count) for v in (3, 1, 3 + 2 * i, 32, 0, 0, 0)]
    edges = [v for i in range(count) for v in (1, i, 7 * (i + 1))]
    fields = '"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string","number","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]'
    return f'{{"snapshot":{{"meta":{{{fields}}},"node_count":{count + 1},"edge_count":{count}}},"nodes":{nodes},"edges":{edges},"strings":["(root)","CanaryOfTheDump"]}}'


@case
def answers_are_those_of_the_plain_capture(world):
    plain = world.run("-q", "--bytes", "a-redacted.hs", "b-redacted.hs")
    world.run("symbolize", "-q", "b-redacted.hs", "-o", "b.age.hs", "--encrypt-to", world.recipient)
    expect(not world.bytes_of("a.age.hs").startswith(b"\x89HSC"), "it is not encrypted")
    sealed = world.run("-q", "--bytes", "a.age.hs", "b.age.hs", "--identity", "id")
    expect(plain.splitlines()[3:] == sealed.splitlines()[3:], "another answer")
    by_variable = world.run("-q", "--bytes", "a.age.hs", "b.age.hs", environment={"HSDIFF_IDENTITY": "id"})
    expect(by_variable == sealed, "HSDIFF_IDENTITY is another answer")
    for command in ("top", "info", "verify", "dump"):
        one = world.run(command, "-q", "a-redacted.hs")
        other = world.run(command, "-q", "a.age.hs", "--identity", "id")
        expect(one.splitlines()[3:] == other.splitlines()[3:], f"{command}: another answer")


@case
def every_command_that_writes_captures_encrypts(world):
    to = ("--encrypt-to", world.recipient)
    world.run("import", "-q", "dump.json", "-o", "i.hs", *to)
    world.run("salvage", "-q", "a.hs", "-o", "s.hs", *to)
    world.run("baseline", "-q", "a.hs", "-o", "base.hs", *to)
    world.run("symbolize", "-q", "a.hs", "-o", "y.hs", *to)
    for name in ("i.hs", "s.hs", "base.hs", "y.hs", "a.age.hs"):
        data = world.bytes_of(name)
        expect(data.startswith(b"age-encryption.org/v1\n-> X25519 ") and b"HSC\r\n" not in data, f"{name} is in clear")
        expect((world.folder / name).stat().st_mode & 0o777 == 0o600, f"{name} can be read by others")
        world.run("verify", "-q", name, "--identity", "id")
        world.run("info", "-q", name, status=3, says="is encrypted .age., and no identity was given.*--identity FILE")
    world.run("check", "-q", "--init", "-o", "rules.yml", "base.hs", "b.hs", "--identity", "id")
    world.run("check", "-q", "--update-baseline", "--config", "rules.yml", "base.hs", "b.hs", "--identity", "id")


@case
def names_are_turned_back_by_encrypted_originals(world):
    world.run("symbolize", "-q", "a.hs", "-o", "original.hs", "--encrypt-to", world.recipient)
    report = world.run("top", "-q", "--wide", "a-redacted.hs")
    (world.folder / "report.txt").write_bytes(report)
    plain = world.run("unredact", "-q", "report.txt", "a.hs", "--key", "key")
    expect(plain != report, "no name is turned back")
    expect(world.run("unredact", "-q", "report.txt", "original.hs", "--key", "key", "--identity", "id") == plain, "another answer")
    world.run("unredact", "-q", "report.txt", "original.hs", "--key", "key", status=3, says="no identity was given")


@case
def pipes_are_read(world):
    expect(world.run("info", "-q", "-", "--identity", "id", stdin=world.bytes_of("a.age.hs")), "nothing is said")
    world.run("top", "-q", "-", "--identity", "id", stdin=world.bytes_of("a.age.hs"))
    world.run("info", "-q", "-", stdin=world.bytes_of("a.age.hs"), status=3, says="no identity was given")
    out = world.run("import", "-q", "dump.json", "-o", "-", "--encrypt-to", world.recipient)
    expect(out.startswith(b"age-"), "standard output is in clear")
    world.run("verify", "-q", "-", "--identity", "id", stdin=out)


@case
def each_fault_is_told(world):
    whole = world.bytes_of("a.age.hs")
    header = whole.index(b"\n--- ") + 49
    payload = header + 16
    bad = world.folder / "bad.hs"

    def told(data, says, status=3):
        bad.write_bytes(data)
        for command in (("info", "-q", "bad.hs"), ("-q", "bad.hs", "b.hs"), ("verify", "-q", "bad.hs"), ("redact", "-q", "bad.hs", "-o", "never.hs", "--key", "key")):
            world.run(*command, "--identity", "id", status=status, says=says)
        expect(not (world.folder / "never.hs").exists(), "a copy of what is damaged")

    changed = bytearray(whole)
    changed[header - 10] ^= 1
    told(changed, r"MAC is wrong|neither a stanza")
    changed = bytearray(whole)
    changed[-1] ^= 1
    told(changed, r"last chunk \(\d+ of \d+\) is damaged, or the file was cut short")
    told(whole[:-1], "cut short")
    told(whole[:payload], "cut short: it ends before its first chunk")
    told(whole[:header - 3], "cut short: it ends inside its header")
    expect(len(whole) > payload + 2 * 65552, "the capture is too small for this test")
    told(whole[:payload + 65552], "cut short: it ends behind a chunk that is not the last")
    changed = bytearray(whole)
    changed[payload + 65552 + 100] ^= 0x40
    bad.write_bytes(changed)
    world.run("verify", "-q", "bad.hs", "--identity", "id", status=3)
    world.run("-q", "bad.hs", "b.hs", "--identity", "id", status=3, says=r"chunk 2 of \d+ is damaged")


@case
def keys_are_looked_after(world):
    other = world.folder / "other"
    world.run("info", "a.age.hs", "--identity", "nowhere", status=4, says="the file of keys cannot be opened")
    world.run("info", "a.age.hs", status=4, says="cannot be opened", environment={"HSDIFF_IDENTITY": "nowhere"})
    other.write_text("hello\n")
    world.run("info", "a.age.hs", "--identity", "other", status=2, says="no identity of age")
    other.write_text(world.identity + "\n")
    other.chmod(0o644)
    world.run("info", "a.age.hs", "--identity", "other", says="read by others than its owner: chmod 600")
    world.run("import", "dump.json", "-o", "never.hs", "--encrypt-to", world.identity, status=2, says="secret key is no recipient")
    world.run("import", "dump.json", "-o", "never.hs", "--encrypt-to", "age1qqqq", status=2, says="no recipient of age")
    world.run("import", "dump.json", "-o", "id", "--force", "--encrypt-to", world.recipient, "--identity", "id", status=2, says="is an input")
    expect(not (world.folder / "never.hs").exists(), "something was written")
    expect(world.identity.encode() in world.bytes_of("id"), "the identity is gone")


@of_age
def age_reads_what_is_written(world):
    expect(world.age("-d", "-i", "id", "a.age.hs") == world.bytes_of("a-redacted.hs"), "age reads something else")
    made = subprocess.run(["age-keygen"], capture_output=True, check=True, text=True).stdout
    (world.folder / "second").write_text(made)
    (world.folder / "second").chmod(0o600)
    public = re.search(r"public key: (age1\w+)", made)[1]
    (world.folder / "team").write_text(f"# the team\n{world.recipient}\n\n{public}\n")
    world.run("redact", "-q", "a.hs", "-o", "both.hs", "--key", "key", "--encrypt-to", "team")
    world.run("redact", "-q", "a.hs", "-o", "twice.hs", "--key", "key", "--encrypt-to", world.recipient, "--encrypt-to", public)
    for name in ("both.hs", "twice.hs"):
        for key in ("id", "second"):
            expect(world.age("-d", "-i", key, name) == world.bytes_of("a-redacted.hs"), f"{name} is not for {key}")
            world.run("verify", "-q", name, "--identity", key)
    world.run("info", "a.age.hs", "--identity", "second", status=3, says="to none of the identities that were given")


@of_age
def what_age_wrote_is_read(world):
    for name, data in {"v.hs": world.bytes_of("a.hs"), "v.json": world.bytes_of("dump.json"), "v.gz": gzip.compress(world.bytes_of("dump.json"))}.items():
        (world.folder / name).write_bytes(world.age("-r", world.recipient, stdin=data))
    plain = world.run("-q", "--bytes", "a.hs", "b.hs")
    expect(world.run("-q", "--bytes", "v.hs", "b.hs", "--identity", "id").splitlines()[3:] == plain.splitlines()[3:], "another answer")
    plain = world.run("top", "-q", "dump.json")
    for name in ("v.json", "v.gz"):
        expect(b"CanaryOfTheDump" in plain, "the dump has no canary")
        expect(world.run("top", "-q", name, "--identity", "id").splitlines()[3:] == plain.splitlines()[3:], f"{name}: another answer")
        world.run("top", "-q", "-", "--identity", "id", stdin=world.bytes_of(name))
        world.run("import", "-q", name, "-o", f"{name}.hs", "--identity", "id")
        world.run("import", "-q", "-", "-o", f"{name}.2.hs", "--identity", "id", stdin=world.bytes_of(name))
        world.run("import", "-q", name, "-o", "never.hs", status=3, says="no identity was given")
    armoured = world.age("-a", "-r", world.recipient, stdin=world.bytes_of("a.hs"))
    (world.folder / "armoured").write_bytes(armoured)
    world.run("info", "armoured", "--identity", "id", status=3, says="age file in ASCII armour")


@case
def a_baseline_is_held_against_its_signature(world):
    if not shutil.which("minisign"):
        print("left out, for there is no minisign")
        return

    def minisign(*arguments):
        subprocess.run(["minisign", *arguments], cwd=world.folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)

    minisign("-G", "-f", "-W", "-p", "sign.pub", "-s", "sign.key")
    minisign("-G", "-f", "-W", "-p", "other.pub", "-s", "other.key")
    world.run("baseline", "-q", "a.hs", "-o", "good.hs")
    key = (world.folder / "sign.pub").read_text().splitlines()[1]
    signed = ("check", "-q", "good.hs", "b.hs", "--signed-by")
    world.run(*signed, "sign.pub", status=3, says="is not signed: there is no good.hs.minisig")
    minisign("-S", "-s", "sign.key", "-m", "good.hs", "-t", "of the last release")
    plain = subprocess.run([world.program, *signed[:-1]], cwd=world.folder, capture_output=True, check=False)
    expect(plain.returncode in (0, 1), "the check does not judge")
    for who in ("sign.pub", key):
        expect(world.run(*signed, who, status=plain.returncode) == plain.stdout, "a signed baseline is another one")
    world.run(*signed, "other.pub", status=3, says="good.hs is signed by another key")
    world.run(*signed, "RWQ", status=3, says="no public key of minisign")
    world.run(*signed, "nowhere.pub", status=4, says="cannot be opened")
    world.run("check", "-q", "-", "b.hs", "--signed-by", "sign.pub", status=2, says="BEFORE is standard input", stdin=b"x")
    world.run("check", "--update-baseline", "good.hs", "b.hs", "--signed-by", "sign.pub", says="sign it again")
    world.run(*signed, "sign.pub", status=3, says="not what was signed")
    minisign("-S", "-l", "-s", "sign.key", "-m", "good.hs")
    world.run(*signed, "sign.pub", status=3, says="old form")
    minisign("-S", "-s", "sign.key", "-m", "good.hs")
    world.run(*signed, "sign.pub", status=0)
    text = (world.folder / "good.hs.minisig").read_text().replace("timestamp", "Timestamp")
    (world.folder / "good.hs.minisig").write_text(text)
    world.run(*signed, "sign.pub", status=3, says="trusted comment was changed")


@case
def hsdiff_signs_as_minisign_does(world):
    """Keys and signatures of either are those of the other; nothing is replaced without being told to."""
    world.run("baseline", "-q", "a.hs", "-o", "mine.hs")
    world.run("sign", "-q", "--new-key", "mine.key")
    expect(stat.S_IMODE((world.folder / "mine.key").stat().st_mode) == 0o600, "others can read the key")
    signed = ("check", "-q", "mine.hs", "b.hs", "--signed-by", "mine.key.pub")
    world.run(*signed, status=3, says="hsdiff sign FILE --key SECRET signs it")
    world.run("sign", "mine.hs", "--key", "mine.key", says="mine.hs is signed: mine.hs.minisig")
    world.run(*signed)
    world.run("sign", "-q", "mine.hs", "--key", "mine.key", status=2, says="exists")
    world.run("sign", "-q", "mine.hs", "a.hs", "--key", "mine.key", "--force")
    world.run("sign", "-q", "--new-key", "mine.key", status=2, says="never replaced")
    world.run("sign", "-q", "--new-key", "-", status=2, says="a key goes into a file")
    world.run("sign", "-q", "--new-key", "x.key", "a.hs", status=2, says="signs nothing")
    world.run("sign", "-q", "a.hs", status=2, says="needs the file of a secret key")
    world.run("sign", "-q", "-", "--key", "mine.key", status=2, says="standard input is none")
    world.run("sign", "-q", "nowhere.hs", "--key", "mine.key", status=3, says="nowhere.hs")
    world.run("sign", "-q", "a.hs", "--key", "mine.key.pub", status=2, says="no secret key of minisign")
    world.run("sign", "-q", "a.hs", "--key", "id", status=2, says="no secret key of minisign")
    (world.folder / "mine.key").chmod(0o644)
    world.run("sign", "mine.hs", "--key", "mine.key", "--force", says="can be read by others")
    data = bytearray(world.bytes_of("mine.hs"))
    data[-1] ^= 1
    (world.folder / "mine.hs").write_bytes(data)
    world.run(*signed, status=3, says="not what was signed")
    if not shutil.which("minisign"):
        print("left out, for there is no minisign: what it says of these")
        return

    def minisign(*arguments, stdin=b""):
        subprocess.run(["minisign", *arguments], cwd=world.folder, input=stdin, capture_output=True, check=True)

    minisign("-V", "-m", "a.hs", "-p", "mine.key.pub")
    minisign("-S", "-s", "mine.key", "-m", "b.hs")
    minisign("-V", "-m", "b.hs", "-p", "mine.key.pub")
    minisign("-G", "-f", "-W", "-p", "its.pub", "-s", "its.key")
    world.run("sign", "-q", "a.hs", "--key", "its.key", "--force")
    minisign("-V", "-m", "a.hs", "-p", "its.pub")
    if os.environ.get("HSD_LONG"): # a password takes a gigabyte, and seconds
        minisign("-G", "-f", "-p", "locked.pub", "-s", "locked.key", stdin=b"sesame\nsesame\n")
        world.run("sign", "-q", "a.hs", "--key", "locked.key", "--force", stdin=b"sesame\n")
        minisign("-V", "-m", "a.hs", "-p", "locked.pub")
        world.run("sign", "-q", "a.hs", "--key", "locked.key", "--force", stdin=b"Sesame\n", status=2, says="the password is wrong")
        world.run("sign", "-q", "a.hs", "--key", "locked.key", "--force", status=2, says="standard input has none")


@case
def exports_are_encrypted_as_they_are_written(world):
    for name in ("plain.heapsnapshot", "plain.collapsed"):
        sealed = name.replace("plain", "sealed")
        world.run("export", "-q", "a.hs", "-o", name)
        world.run("export", "-q", "a.hs", "-o", sealed, "--encrypt-to", world.recipient)
        expect(world.bytes_of(sealed).startswith(b"age-encryption.org/v1\n"), f"{sealed} is not encrypted")
        if shutil.which("age"):
            expect(world.age("-d", "-i", "id", sealed) == world.bytes_of(name), f"{sealed} is another file than {name}")
    world.run("export", "-q", "a.hs", "-o", "sealed.sqlite", "--encrypt-to", world.recipient, status=3, says="cannot be encrypted on the way.*age -r")
    expect(not (world.folder / "sealed.sqlite").exists(), "something is left")


def connected(place):
    """To who listens there, once somebody does: the file is there a moment before that."""
    until = time.monotonic() + 60
    while True:
        wire = socket.socket(socket.AF_UNIX)
        try:
            wire.connect(str(place))
            return wire
        except (FileNotFoundError, ConnectionRefusedError):
            wire.close()
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


@case
def what_programs_send_is_encrypted_as_it_is_received(world):
    place = world.folder / "received"
    place.mkdir()
    receiver = subprocess.Popen([world.program, "receive", f"unix:{world.folder}/sock", "-o", place, "--count", "3", "--encrypt-to", world.recipient], cwd=world.folder, stderr=subprocess.PIPE)
    try:
        for _ in range(3):
            with connected(world.folder / "sock") as wire:
                wire.sendall(world.bytes_of("a.hs"))
        said = receiver.communicate(timeout=100)[1]
    finally:
        receiver.kill()
    expect(receiver.returncode == 0, said.decode())
    found = sorted(place.iterdir())
    expect(len(found) == 3, f"{len(found)} captures are there, not 3: {said.decode()}")
    for path in found:
        expect(path.read_bytes().startswith(b"age-encryption.org/v1\n"), f"{path} is not encrypted")
        world.run("verify", "-q", path, "--identity", "id")
        world.run("verify", "-q", path, status=3, says="no identity was given")
        if shutil.which("age"):
            expect(world.age("-d", "-i", "id", str(path)) == world.bytes_of("a.hs"), f"{path} is another capture")


@of_age
def the_sandbox_stays_closed(world):
    said = subprocess.run([world.program, "-v", "info", "a.age.hs", "--identity", "id"], cwd=world.folder, capture_output=True, check=True).stderr.decode()
    plain = subprocess.run([world.program, "-v", "info", "a.hs"], cwd=world.folder, capture_output=True, check=True).stderr.decode()
    words = [line for line in said.splitlines() if "sandbox" in line]
    expect(len(words) == len([line for line in plain.splitlines() if "sandbox" in line]), f"the sandbox is another one: {words}")


@case
def nothing_in_clear_reaches_the_disk(world):
    """Every byte that is written to a file while an encrypted dump is read, by a tracer."""
    if not shutil.which("strace"):
        print("left out, for there is no strace")
        return
    world.run("import", "-q", "dump.json", "-o", "t.hs", "--encrypt-to", world.recipient)

    def traced(*command):
        done = subprocess.run(["strace", "-f", "-qq", "-s", "1000000", "-e", "trace=write,pwrite64,writev,pwritev", "-o", "trace", world.program, *command, "--identity", "id"],
                              cwd=world.folder, capture_output=True, check=False)
        if done.returncode != 0 and b"ptrace" in done.stderr:
            return None
        expect(done.returncode == 0, done.stderr.decode(errors="replace"))
        lines = (world.folder / "trace").read_text(errors="replace").splitlines()
        return [line for line in lines if "CanaryOfTheDump" in line and not re.search(r"write\w*\([12],", line)]

    control = traced("top", "-q", "dump.json")
    if control is None:
        print("left out, for nothing can be traced here")
        return
    expect(control, "the tracer does not see what is in clear: the test is blind")
    commands = [("-q", "t.hs", "t.hs"), ("redact", "-q", "t.hs", "-o", "t2.hs", "--key", "key", "--encrypt-to", world.recipient)]
    if shutil.which("age"):
        (world.folder / "t.json").write_bytes(world.age("-r", world.recipient, stdin=world.bytes_of("dump.json")))
        (world.folder / "t.gz").write_bytes(world.age("-r", world.recipient, stdin=gzip.compress(world.bytes_of("dump.json"))))
        commands += [("sql", "-q", "t.json", "select count(*) from objects"), ("top", "-q", "t.json"), ("-q", "t.json", "t.gz"), ("redact", "-q", "t.json", "-o", "t3.hs", "--key", "key", "--encrypt-to", world.recipient),
                     ("import", "-q", "t.gz", "-o", "t4.hs", "--encrypt-to", world.recipient), ("baseline", "-q", "t.json", "-o", "t5.hs", "--encrypt-to", world.recipient)]
    for command in commands:
        found = traced(*command)
        expect(not found, f"{command}: {found[0][:300] if found else ''}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--synth", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        world = World(args.hsdiff, args.synth, pathlib.Path(folder))
        for function in CASES:
            if args.only not in function.__name__:
                continue
            try:
                function(world)
            except Fault as fault:
                failed += 1
                print(f"{function.__name__}: {fault}")
    print(f"{len(CASES)} cases, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
