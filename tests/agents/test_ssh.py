#!/usr/bin/env python3
"""hsdiff capture ssh:// and hsdiff ps ssh://, against an OpenSSH server of the test's own on the loopback: captures that are the same as those taken
there, connections that break, machines that let nobody in, and names that a shell would read."""
import contextlib
import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import kit
from kit import Program, check, main, wait_until

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
LEAKED = 20000
BLOCKS = 50000  # alive at any time: a capture of some 300 KB

# In front of the server: passes so many bytes of its answer on, says so, and stands still (or ends). The second connection is not disturbed.
PROXY = """
import os, pathlib, select, socket, sys, time
port, limit, what, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
count = len(list(folder.glob("connection-*")))
(folder / f"connection-{count}").touch()
undisturbed = what == "once" and count > 0
server = socket.create_connection(("127.0.0.1", port))
passed = 0
while True:
    for fd in select.select([0, server], [], [])[0]:
        data = os.read(0, 65536) if fd == 0 else server.recv(65536)
        if not data:
            sys.exit(0)
        if fd == 0:
            server.sendall(data)
            continue
        os.write(1, data)
        passed += len(data)
        if passed > limit and not undisturbed:
            (folder / f"stalled-{count}").touch()
            if what == "always":
                sys.exit(0)
            while folder.exists(): # the other end hears nothing, also when ssh has gone, until the test is over
                time.sleep(0.1)
            sys.exit(0)
"""


def key(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """An sshd for this user, and an `ssh` in front of PATH that knows it."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.port = tool, folder, free_port()
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # where an sshd of root locks its children up
        for name in ("host", "user", "stranger"):
            key(folder / name)
        shutil.copy(folder / "user.pub", folder / "authorized")
        (folder / "known").write_text(f"[127.0.0.1]:{self.port} " + (folder / "host.pub").read_text())
        (folder / "sshd_config").write_text(f"""
Port {self.port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
SetEnv HSDIFF_AGENTS={tool.agents}
""")
        self.log = open(folder / "sshd.log", "w")
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=self.log, stdin=subprocess.DEVNULL)
        wait_until("an ssh server", self.answers)
        self.configure()

    def answers(self):
        check(self.process.poll() is None, "sshd ended: " + (self.folder / "sshd.log").read_text())
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5):
            return True
        return False

    def configure(self, identity="user", known="known", more=""):
        """What ssh does from now on."""
        (self.folder / "ssh_config").write_text(f"""
IdentityFile {self.folder}/{identity}
IdentitiesOnly yes
UserKnownHostsFile {self.folder}/{known}
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
{more}
""")
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.folder}/ssh_config "$@"\n')
        (folder / "ssh").chmod(0o755)
        self.environment = dict(self.tool.environment, PATH=f"{folder}:{os.environ['PATH']}")
        self.environment.pop("SSH_AUTH_SOCK", None)

    def disturb(self, limit, what):
        """All bytes go through the proxy from now on."""
        (self.folder / "proxy.py").write_text(PROXY)
        for left in [*self.folder.glob("connection-*"), *self.folder.glob("stalled-*")]:
            left.unlink()
        self.configure(more=f"ProxyCommand {sys.executable} {self.folder}/proxy.py {self.port} {limit} {what} {self.folder}")

    def address(self, name, host="127.0.0.1"):
        return f"ssh://{getpass.getuser()}@{host}:{self.port}/{name}"

    def command(self, *arguments):
        return [self.tool.path, *map(str, arguments)]

    def run(self, *arguments, expect=0, remote=True, **more):
        """hsdiff, with the hsdiff of the build at the other end."""
        words = [*arguments, *(["--remote", self.tool.path] if remote else [])]
        done = subprocess.run(self.command(*words), env=self.environment, capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
                              **{"text": True, "errors": "replace", **more})
        check(done.returncode == expect, f"{words}: exit {done.returncode}, not {expect}\n{done.stdout}{done.stderr}")
        return done

    def start(self, *arguments):
        return subprocess.Popen(self.command(*arguments, "--remote", self.tool.path), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, stdin=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


def program(tool):
    return str(pathlib.Path(tool.agents).parent / "tests" / "agents" / "programs" / "native_load")


def started(tool, folder, name="ssh_load", blocks=2000):
    """A program that no other test's is called like."""
    path = folder / name
    shutil.copy(program(tool), path)
    return Program([str(path), "1", str(blocks)], environment={"LD_PRELOAD": f"{tool.agents}/libhsdiff-native.so"})


def children(pid):
    with contextlib.suppress(OSError):
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def keepers():
    """Processes that keep a capture: those of ours that listen at such a name."""
    return [line.split()[-1] for line in pathlib.Path("/proc/net/unix").read_text().splitlines() if "@hsdiff/1/keeper/" in line]


def has_no_keeper():
    return not keepers()


def nothing_left(folder):
    wait_until("no keeper is left", has_no_keeper)
    check(not list(folder.glob("*.hs")) and not list(folder.glob(".hsdiff*")), f"nothing half-written stays: {os.listdir(folder)}")


def a_leak(tool, folder):
    """Two captures over ssh say what two captures there say; what is told is told as of a program of this machine."""
    with Server(tool, folder) as server, started(tool, folder) as one:
        one.leak(1000)
        told = server.run("capture", server.address(one.pid), "-o", folder / "a.hs").stderr
        check(f"captured ssh_load (pid {one.pid}, native" in told and "Next: hsdiff top" in told, told)
        check(stat.S_IMODE((folder / "a.hs").stat().st_mode) == 0o600, "a capture is private")
        one.leak(500)
        line = json.loads(server.run("capture", server.address("ssh_load"), "-o", folder / "b.hs", "--format", "json", "--way", "native", "--level", 3).stdout)
        check(line["pid"] == one.pid and line["way"] == "native" and line["complete"] and line["pause_ns"] > 0, f"{line}")
        check(line["output_bytes"] == (folder / "b.hs").stat().st_size, f"{line}")
        tool.capture(one.pid, folder / "here.hs")
        for name in ("a", "b"):
            tool.run("verify", folder / f"{name}.hs")
        for end in ("b", "here"):
            lost = kit.row(tool.diff(folder / "a.hs", folder / f"{end}.hs")["lost"], "type", "at leak_one")
            check(lost and lost["growth"]["objects"] == 500 and lost["after"]["objects"] == 1500, f"{end}: {lost}")
        again = server.run("capture", server.address(one.pid), "-o", folder / "a.hs", expect=2)
        check("exists" in again.stderr, again.stderr)
        piped = server.run("capture", server.address(one.pid), "-q", "-o", "-", text=False, errors=None)
        check(piped.stdout[:4] == b"\x89HSC" and not piped.stderr, f"to standard output: {piped.stderr}")
        (folder / "run").mkdir()
        server.run("capture", server.address(one.pid), "--every", "50ms", "--count", "3", "-o", folder / "run/")
        check(len(list((folder / "run").iterdir())) == 3, "a series")
        wait_until("no keeper is left", has_no_keeper)
        one.quit()


def lists(tool, folder):
    with Server(tool, folder) as server, started(tool, folder) as one:
        rows = json.loads(server.run("ps", server.address("ssh_load"), "--format", "json").stdout)["processes"]
        check([row["pid"] for row in rows if row["way"] == "native"] == [one.pid], f"{rows}")
        check("ssh_load" in server.run("ps", server.address("")).stdout, "a table")
        refused = server.run("ps", server.address(""), remote=False, expect=3)
        check("there is no 'hsdiff' at" in refused.stderr, refused.stderr)
        one.quit()


def broken(tool, folder):
    """ssh is killed in the middle of the stream, then the network stands still, then it breaks each time."""
    with Server(tool, folder) as server, started(tool, folder, blocks=BLOCKS) as one:
        one.leak(LEAKED)
        server.disturb(60_000, "once")
        began = time.monotonic()
        asker = server.start("capture", server.address(one.pid), "-o", folder / "killed.hs", "--level", "0")
        wait_until("the stream has stopped in the middle", (folder / "stalled-0").exists)
        check(len(keepers()) > 0 and not (folder / "killed.hs").exists(), "it is under way, and has no name yet")
        for child in children(asker.pid):
            os.kill(child, signal.SIGKILL)
        _, said = asker.communicate(timeout=60)
        check(asker.returncode == 0 and "made anew 1 time" in said, f"it is taken up again: {asker.returncode} {said}")
        patience = 2 + 2 * int(time.monotonic() - began)  # two connections took that time: one that says nothing for longer stands still
        tool.run("verify", folder / "killed.hs")
        info = tool.info(folder / "killed.hs")
        check(info["pid"] == one.pid and (folder / "killed.hs").stat().st_size > 60_000, f"{info}")
        (folder / "killed.hs").unlink()
        nothing_left(folder)

        server.disturb(60_000, "once")
        server.run("capture", server.address(one.pid), "-o", folder / "silent.hs", "--level", "0", "--timeout", f"{patience}s")
        tool.run("verify", folder / "silent.hs")
        (folder / "silent.hs").unlink()

        server.disturb(100_000, "always")
        server.run("capture", server.address(one.pid), "-o", folder / "steps.hs", "--level", "0")
        check(len(list(folder.glob("connection-*"))) >= 3, "each connection brings some more")
        tool.run("verify", folder / "steps.hs")
        (folder / "steps.hs").unlink()
        nothing_left(folder)
        check(one.leak(5) == LEAKED + 5, "the program goes on")
        one.quit()


def ended(tool, folder):
    """Ctrl-C here, kill -9 here, and the keeper killed there: nothing stays anywhere."""
    with Server(tool, folder) as server, started(tool, folder, blocks=BLOCKS) as one:
        one.leak(LEAKED)
        for number in (signal.SIGINT, signal.SIGKILL):
            server.disturb(60_000, "once")
            asker = server.start("capture", server.address(one.pid), "-o", folder / "no.hs", "--level", "0")
            wait_until("the stream has stopped in the middle", (folder / "stalled-0").exists)
            ssh = children(asker.pid)
            check(ssh, "there is an ssh")
            asker.send_signal(number)
            asker.communicate(timeout=60)
            check(asker.returncode == -number, f"ended by {number}: {asker.returncode}")
            wait_until("ssh has ended, too", lambda: not any(pathlib.Path(f"/proc/{pid}/exe").exists() for pid in ssh))
            check(not list(folder.glob("*.hs")), f"no file: {os.listdir(folder)}")
            end_keepers(tool)
        server.disturb(60_000, "once")
        asker = server.start("capture", server.address(one.pid), "-o", folder / "no.hs", "--level", "0")
        wait_until("the stream has stopped in the middle", (folder / "stalled-0").exists)
        end_keepers(tool)
        for child in children(asker.pid):
            os.kill(child, signal.SIGKILL)
        _, said = asker.communicate(timeout=60)
        check(asker.returncode == 3 and "could not be taken up again" in said and "not kept any more" in said, f"{asker.returncode} {said}")
        nothing_left(folder)
        one.quit()


def end_keepers(tool):
    """Kills what keeps a capture, or waits until it has ended by itself: processes that run hsdiff capture --serve in a session of their own."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if words[0] == tool.path.encode() and b"--serve" in words and os.getsid(int(entry.name)) == int(entry.name):
                os.kill(int(entry.name), signal.SIGKILL)
    wait_until("no keeper is left", has_no_keeper)


def closed_doors(tool, folder):
    """Each in one sentence with what to do, and its exit status."""
    with Server(tool, folder) as server, started(tool, folder) as one:
        out = ("-o", folder / "no.hs")
        said = server.run("capture", server.address(one.pid), *out, remote=False, expect=3).stderr
        check("there is no 'hsdiff' at" in said and "--remote" in said, said)
        said = server.run("capture", server.address(999999), *out, expect=2).stderr
        check("127.0.0.1: there is no process 999999" in said, said)
        said = server.run("capture", server.address("nobody-is-called-so"), *out, expect=2).stderr
        check("127.0.0.1: there is no process called 'nobody-is-called-so'" in said and "help capture" not in said, said)
        said = server.run("capture", server.address(server.process.pid), *out, expect=3).stderr
        check("127.0.0.1: no agent is loaded in process" in said, said)
        said = server.run("capture", f"ssh://127.0.0.1:{free_port()}/1", *out, expect=4).stderr
        check("no ssh server answers at 127.0.0.1" in said, said)
        said = server.run("capture", "ssh://no-such-machine.invalid/1", *out, expect=4).stderr
        check("there is no machine called no-such-machine.invalid" in said, said)
        said = server.run("capture", server.address(one.pid), *out, "--remote", "echo hello", remote=False, expect=3).stderr
        check("'echo hello' at" in said and "is no hsdiff" in said, said)
        server.configure(identity="stranger")
        said = server.run("capture", server.address(one.pid), *out, expect=3).stderr
        check("lets nobody in" in said and "ssh-copy-id" in said, said)
        server.configure(known="nobody")
        said = server.run("capture", server.address(one.pid), *out, expect=3).stderr
        check("the host key of" in said and "fingerprint" in said, said)
        (folder / "changed").write_text(f"[127.0.0.1]:{server.port} " + (folder / "stranger.pub").read_text())
        server.configure(known="changed")
        said = server.run("capture", server.address(one.pid), *out, expect=3).stderr
        check("another host key" in said, said)
        for wrong in ("ssh://-oProxyCommand=x/1", "ssh://a;b/1", "ssh://$(id)/1", "ssh://a b/1", "ssh://-l@h/1", "ssh://h:0/1", "ssh://h:99999/1", "ssh://[::1/1", "ssh://h/-x",
                      "ssh://h/%0a", "ssh://h/%zz", "ssh:///1", "ssh://h/%00", "ssh://h"):
            server.run("capture", wrong, *out, expect=2)
        server.run("capture", server.address(1), server.address(2), *out, expect=2)
        server.run("capture", server.address(1), "--view", expect=2)
        server.run("capture", server.address(1), "--forget", expect=2)
        server.run("capture", "--serve", "no-ticket", "1", expect=2)
        check(not (folder / "no.hs").exists(), "no file")
        no_ssh = dict(server.environment, PATH=str(folder))
        done = subprocess.run(server.command("capture", server.address(one.pid)), env=no_ssh, capture_output=True, text=True, timeout=60, cwd=folder)
        check(done.returncode == 3 and "there is no ssh on this machine" in done.stderr, done.stderr)
        one.quit()


def names(tool, folder):
    """Names that a shell would read are names."""
    hostile = "it's \"a\" $(touch x);`b` \\ *"
    quoted = "".join(c if c.isalnum() else f"%{ord(c):02X}" for c in hostile)
    with Server(tool, folder) as server, started(tool, folder, hostile) as one:
        for number, name in enumerate((quoted, hostile)):
            server.run("capture", server.address(name), "-o", folder / f"{number}.hs")
            check(tool.info(folder / f"{number}.hs")["pid"] == one.pid, f"who is meant by {name}")
        server.run("capture", server.address(quoted), "--symbols", f"{folder}/it's not there", "-o", folder / "s.hs")
        told = json.loads(server.run("capture", server.address(one.pid), "--format", "json", "-o", folder / "t.hs").stdout)
        check(told["name"] == one_name(hostile), f"the name comes whole: {told}")
        home = pathlib.Path.home()
        check(not (home / "x").exists() and not (folder / "x").exists(), "nothing was run")
        one.quit()


def one_name(name):
    return name[:63]


if not SSHD or not shutil.which("ssh-keygen"):
    kit.skip("sshd is not installed")
main({case.__name__: case for case in (a_leak, lists, broken, ended, closed_doors, names)})
