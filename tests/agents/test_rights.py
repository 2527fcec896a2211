#!/usr/bin/env python3
"""Who may capture whom: programs of this and that user, such as forbid their user to look into them, and such as live in a user namespace, each asked by its user, by
another one, by root with and without capabilities, and by its user from a user namespace of his own. A capture is whole, or hsdiff ends with 3, says what is
missing and what to do, and leaves nothing; the program goes on and obeys either way. Kernels with Yama: test_yama.py.

With HSD_LONG=1 programs of Node and of the JVM, too.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import kit
from kit import LONG, Failed, Program, check, main, need, say

USER, OTHER = 10001, 10002
AS_ROOT, BARE = [], ["setpriv", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
NEW_USERS = ["unshare", "-U", "-r"]
HIDES = '#include <sys/prctl.h>\n__attribute__((constructor)) static void hide(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }\n'

# What a refusal has to say, by its reason.
OTHER_USER = r"belongs to another user, \S+\.\n.*[Rr]un hsdiff as that user: sudo -u '\S+' hsdiff capture \d+"
NO_CAPABILITY = r"[Rr]un hsdiff as its user, \d+, .*sudo -u '\S+' hsdiff capture \d+; or as root with CAP_SYS_PTRACE"
LACKS_CAPABILITY = r"[Ii]t has rights that hsdiff lacks: give it CAP_SYS_PTRACE"
FORBIDDEN = r"PR_SET_DUMPABLE.*: run hsdiff as root; or start it"
OWN_NAMESPACE = r"hsdiff runs in a user namespace of its own .*: run it outside"


def as_user(uid):
    return ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups"]


def without_rights(uid):
    return [*as_user(uid), "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]


KINDS = {"of the user": without_rights(USER), "hidden": without_rights(USER), "of root": AS_ROOT, "in users of its own": [*without_rights(USER), *NEW_USERS],
         "in a rootless container": [*as_user(USER), *NEW_USERS, "-m", "-p", "-f", "--kill-child", "--mount-proc"]}
ASKERS = {"its user": without_rights(USER), "another user": without_rights(OTHER), "root without capabilities": BARE, "root": AS_ROOT,
          "its user in users of his own": [*without_rights(USER), *NEW_USERS]}


def refusal(kind, asker, has_agent):
    """None: a capture is whole. `has_agent`: one listens in the program, and nobody has to look into it."""
    has_users = kind.startswith("in ")
    if asker == "root":
        return None
    if asker == "another user" or (asker == "its user" and kind == "of root"):
        return OTHER_USER
    if asker == "its user":
        return FORBIDDEN if kind == "hidden" and not has_agent else None
    if asker == "root without capabilities":
        if has_agent:
            return NO_CAPABILITY if has_users else None
        return LACKS_CAPABILITY if kind == "of root" else NO_CAPABILITY
    return OWN_NAMESPACE if kind == "of root" or not has_agent else None


class Shop:
    """What programs and askers need, where any user can read it."""

    def __init__(self, tool, folder):
        need("setpriv", "unshare", "cc")
        if os.geteuid() != 0:
            kit.skip("root is needed to be this user and that")
        if subprocess.run([*without_rights(USER), *NEW_USERS, "true"], capture_output=True, check=False).returncode != 0:
            kit.skip("no user namespace can be made")
        self.folder, self.results = folder, folder / "results"
        folder.chmod(0o755)
        self.hsdiff = shutil.copy(tool.path, folder / "hsdiff")
        shutil.copytree(tool.agents, folder / "agents")
        self.agent, self.hides = folder / "agents" / "libhsdiff-native.so", folder / "hides.so"
        (folder / "hides.c").write_text(HIDES)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.hides, folder / "hides.c"], check=True)
        self.environment = dict(os.environ, HSDIFF_AGENTS=str(folder / "agents"), TMPDIR="/tmp")

    def copy(self, path):
        return str(shutil.copy(path, self.folder / path.name))

    def ask(self, who, pid, options):
        """(status, what it said, what it wrote)"""
        self.results.mkdir()
        self.results.chmod(0o777)
        done = subprocess.run([*who, self.hsdiff, "capture", str(pid), "-q", "-o", str(self.results / "x.hs"), *options], env=self.environment, cwd="/",
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        written = {path.name: path.read_bytes()[:4] for path in self.results.iterdir()}
        shutil.rmtree(self.results)
        return done.returncode, done.stderr, written


def inner(pid):
    """The program behind what stands in front of it."""
    while children := pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return pid


def judge(asked, wanted):
    status, said, written = asked
    if wanted is None:
        check(status == 0 and written == {"x.hs": b"\x89HSC"}, f"exit {status}, {written}: {said}")
    else:
        check(status == 3 and re.search(wanted, said, re.S) and not written, f"exit {status}, {written}, and not a word of {wanted}: {said}")


def matrix(command, preload=(), options=(), words=("leaked",)):
    def case(tool, folder):
        shop, wrong, count = Shop(tool, folder), [], 0
        has_agent = bool(preload)
        for kind, who in KINDS.items():
            libraries = [str(getattr(shop, name)) for name in (*preload, *(["hides"] if kind == "hidden" else []))]
            given = ["env", "LD_PRELOAD=" + ":".join(libraries)] if libraries else []
            with Program([*who, *given, *command(shop, tool)], cwd="/") as program:
                pid = inner(program.pid)
                for asker, how in ASKERS.items():
                    count += 1
                    try:
                        judge(shop.ask(how, pid, options), refusal(kind, asker, has_agent))
                        program.leak(1)
                        check(program.is_alive(), "the program ended")
                    except Failed as failed:
                        wrong.append(f"a program {kind}, asked by {asker}: {failed}")
                program.tell("quit")
        say(f"rights: {count - len(wrong)} of {count} as they should be")
        check(not wrong, "\n".join(wrong))
    return case


def native(shop, tool):
    built = pathlib.Path(tool.agents).parent / "tests" / "agents" / "programs" / "native_load"
    if not built.exists():
        kit.skip("the native agent was not built")
    return [shop.copy(built), "1", "2000"]


def python(shop, _):
    need("/usr/bin/python3")
    return ["/usr/bin/python3", shop.copy(kit.HERE / "programs" / "python_leak.py")]


def node(shop, _):
    need("node")
    return ["node", shop.copy(kit.HERE / "programs" / "node_leak.js")]


def jvm(shop, _):
    need("java", "javac")
    subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", shop.folder, kit.HERE / "programs" / "JvmLeak.java"], check=True, capture_output=True)
    return [os.path.realpath(shutil.which("java")), "-XX:+UseSerialGC", "-Xmx64m", "-cp", str(shop.folder), "JvmLeak", "static"]


CASES = {"native": matrix(native, ["agent"]), "python": matrix(python)}
if LONG:
    CASES |= {"node": matrix(node, options=["--open-inspector"]), "jvm": matrix(jvm)}

if __name__ == "__main__":
    main(CASES)
