"""Memory is bounded by --memory: a pair of captures is compared with a small budget inside a memory cgroup 32 MiB above it, and without
bounds. Both must give the same bytes; the peak of resident memory stays within the budget + 16 MiB, which the program's file is part of, that of
its own memory (anonymous pages) within the budget + OWN_SLACK_MIB, temporary data within twice the input. A pair of 2,000,000 objects with 16 MiB
is where two bits an object here and there are a part of the budget that is seen. Nothing is read at random that does not fit: what a pair of 1,000,000 objects in no order reads and writes with 16 MiB is at most
TRAFFIC times its records, in calls of CALL_BYTES and more on average. Both are counts, so no load disturbs them. 250,000 objects a side with the least memory that can be
given; and 500,000 with little more than the least where they are recognised by structure, which needs more, and where no order of theirs is that of their addresses: for
these STRUCTURE_TRAFFIC times the records are the bound, of 10 M with 256 MiB, too. HSD_LONG=1: 10 M, with 25 MiB and more. Where no cgroup can be made (no right to), the bound is measured and not enforced.
A pair of 100 M objects a side with 256 MiB (form many, where it is named) is held against what its generator knows of it.

    memory.py [FORM…]  of these forms alone (ids, tight, ordinals, structure, traffic, many): at 10 M objects each takes its quarter of an hour and more
                       HSD_MANY: a folder with the pair of form many and its truth.json, which is not made then
                       HSD_CLI the command, HSD_SYNTH the generator; release builds alone (a sanitizer has memory of its own)
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "capture"))
import synth_diff  # noqa: E402

LONG = bool(os.environ.get("HSD_LONG"))
OBJECTS = 10_000_000 if LONG else 250_000
BUDGETS = (64, 256) if LONG else (16,)
TIGHT_OBJECTS, TIGHT_BUDGETS = (10_000_000, (25,)) if LONG else (2_000_000, (16,))
STRUCTURE_OBJECTS, STRUCTURE_BUDGETS = (10_000_000, (256,)) if LONG else (500_000, (26,))
MANY_OBJECTS, MANY_BUDGET = (100_000_000, 256) if LONG else (500_000, 32)
MIB = 1 << 20
SLACK_MIB = 16
OWN_SLACK_MIB = 4  # the program, its stacks, and what it says: 500 rows of everything
SAMPLES_A_SECOND = 200
TRAFFIC_OBJECTS, TRAFFIC_BUDGET = 1_000_000, 16
TRAFFIC, STRUCTURE_TRAFFIC, CALL_BYTES = 20, 28, 4096
CGROUP = "/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup"


def make_cgroup(limit):
    """A memory cgroup of our own (v1 or v2), or None."""
    folder = os.path.join(CGROUP, f"hsdiff-test-{os.getpid()}")
    version_1 = CGROUP.endswith("memory")
    try:
        os.mkdir(folder)
        with open(os.path.join(folder, "memory.limit_in_bytes" if version_1 else "memory.max"), "w") as file:
            file.write(str(limit))
        return folder
    except OSError:
        if os.path.isdir(folder):
            os.rmdir(folder)
        return None


def own_bytes(pid):
    """Of a program that runs: resident bytes that are of no file; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/status") as file:
            found = re.search(r"RssAnon:\s+(\d+) kB", file.read())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def run(command, cgroup):
    """Exit status, output, standard error, peak resident bytes and peak anonymous bytes of a run inside the cgroup, and what it read and wrote."""
    def enter():
        if cgroup:
            with open(os.path.join(cgroup, "cgroup.procs"), "w") as file:
                file.write(str(os.getpid()))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, preexec_fn=enter)
        own = 0
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            own = max(own, own_bytes(child.pid))
            time.sleep(1 / SAMPLES_A_SECOND)
        counts = io_counts(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read(), err.read().decode(errors="replace"), usage.ru_maxrss * 1024, own, counts


def io_counts(pid):
    """Bytes and calls of all reads and writes of a program that ran and was not waited for; None where the system does not count."""
    try:
        with open(f"/proc/{pid}/io") as file:
            counts = {name: int(value) for name, value in (line.split(":") for line in file)}
    except OSError:
        return None
    return counts["rchar"] + counts["wchar"], counts["syscr"] + counts["syscw"]


def count_traffic(command):
    """Exit status, output, bytes and calls of all reads and writes of a run; None for the last two where the system does not count."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and its counts are still there
        moved, calls = io_counts(child.pid) or (None, None)
        status = child.wait()
        out.seek(0)
        return status, out.read(), moved, calls


def check_traffic(hsdiff, folder, form, is_compared, problems):
    pair = [os.path.join(folder, name) for name in ("a.hs", "b.hs")]
    raw = TRAFFIC_OBJECTS * (32 + 3 * 8) * 2
    little, out, moved, calls = count_traffic([hsdiff, *pair, "--format", "json", "--memory", f"{TRAFFIC_BUDGET}M"])
    status, wanted, _, _ = count_traffic([hsdiff, *pair, "--format", "json", "--memory", "2G"]) if is_compared else (0, out, None, None)
    if status != 0 or little != 0:
        problems.append(f"{form}: exit {status} without bounds, {little} with {TRAFFIC_BUDGET}M")
    elif out != wanted:
        problems.append(f"{form} {TRAFFIC_BUDGET}M: other bytes than without bounds")
    if moved is None:
        print(f"{form}: this system does not count what a program reads")
        return
    print(f"{form}, {TRAFFIC_OBJECTS:,} objects, --memory {TRAFFIC_BUDGET}M: {moved / MIB:.0f} MiB read and written, {moved / raw:.1f} times the "
          f"records, {moved / calls:.0f} bytes a call")
    if moved > TRAFFIC * raw:
        problems.append(f"{form} {TRAFFIC_BUDGET}M: {moved / raw:.1f} times the records are read and written, more than {TRAFFIC}")
    if moved < CALL_BYTES * calls:
        problems.append(f"{form} {TRAFFIC_BUDGET}M: {moved / calls:.0f} bytes a call, less than {CALL_BYTES}")


def temp_bytes(notes):
    found = re.search(r"temporary data: ([0-9.]+) (B|KiB|MiB|GiB)", notes)
    units = {"B": 1, "KiB": 1 << 10, "MiB": MIB, "GiB": 1 << 30}
    return float(found[1]) * units[found[2]] if found else 0


def check_budget(hsdiff, folder, form, objects, budget, judge, problems):
    """One run within `budget`. judge(output) says what is wrong with the answer, and how it is called when nothing is."""
    raw = objects * (32 + 3 * 8) * 2  # what the records are before any coding: 32 bytes an object, 8 a reference
    pair = [os.path.join(folder, name) for name in ("a.hs", "b.hs")]
    cgroup = make_cgroup((budget + 32) * MIB)
    status, out, notes, peak, own, counts = run([hsdiff, *pair, "--format", "json", "--memory", f"{budget}M", "--verbose"], cgroup)
    if cgroup:
        os.rmdir(cgroup)
    wrong, right = judge(out) if status == 0 else (f"exit {status}: {notes[-300:]}", "")
    temp = temp_bytes(notes)
    print(f"{form}, {objects:,} objects, --memory {budget}M {'in a cgroup' if cgroup else 'without a cgroup'}: "
          f"peak {peak / MIB:.0f} MiB, {own / MIB:.1f} of its own, temporary {temp / MIB:.0f} MiB, {'ANOTHER ANSWER' if wrong else right}")
    if wrong:
        problems.append(f"{form} {budget}M: {wrong}")
    if peak > (budget + SLACK_MIB) * MIB:
        problems.append(f"{form} {budget}M: peak {peak / MIB:.0f} MiB passes {budget} + {SLACK_MIB}")
    if own > (budget + OWN_SLACK_MIB) * MIB:
        problems.append(f"{form} {budget}M: {own / MIB:.1f} MiB of its own pass {budget} + {OWN_SLACK_MIB}")
    if counts is not None:
        print(f"{form} {budget}M: {counts[0] / raw:.1f} times the records are read and written")
    if form == "structure" and counts is not None and counts[0] > STRUCTURE_TRAFFIC * raw:
        problems.append(f"{form} {budget}M: {counts[0] / raw:.1f} times the records are read and written, more than {STRUCTURE_TRAFFIC}")
    if temp > 2 * raw:
        problems.append(f"{form} {budget}M: {temp / MIB:.0f} MiB of temporary data for {raw / MIB:.0f} MiB of records")


def check(hsdiff, folder, form, objects, budgets, problems):
    pair = [os.path.join(folder, name) for name in ("a.hs", "b.hs")]
    status, wanted, notes, _, _, _ = run([hsdiff, *pair, "--format", "json", "--memory", "2G"], None)
    if status != 0:
        problems.append(f"{form}: exit {status} without bounds: {notes}")
        return

    def judge(out):
        return "other bytes than without bounds" if hashlib.sha256(out).digest() != hashlib.sha256(wanted).digest() else "", "same bytes"
    for budget in budgets:
        check_budget(hsdiff, folder, form, objects, budget, judge, problems)


def check_many(hsdiff, folder, problems):
    """Without bounds it would take gigabytes: the generator knows every sum."""
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        truth = json.load(file)

    def judge(out):
        wrong = list(synth_diff.differences(truth, json.loads(out)))
        return f"{len(wrong)} sums differ from what was generated: {wrong[:3]}" if wrong else "", f"every sum of {len(truth['types'])} types and {len(truth['roots'])} roots"
    check_budget(hsdiff, folder, "many", MANY_OBJECTS, MANY_BUDGET, judge, problems)


def main():
    hsdiff, synth = os.environ.get("HSD_CLI", ""), os.environ.get("HSD_SYNTH", "")
    if not os.path.exists(hsdiff) or not os.path.exists(synth):
        print("HSD_CLI or HSD_SYNTH does not name a program: skipped")
        return 77
    problems, wanted = [], set(sys.argv[1:]) or {"ids", "tight", "ordinals", "structure", "traffic"}
    cases = (("ids", ["targets=ids", "order=shuffled"], OBJECTS, BUDGETS),
             ("tight", [], TIGHT_OBJECTS, TIGHT_BUDGETS),
             ("ordinals", ["targets=ordinals", "order=id"], OBJECTS, BUDGETS),
             ("structure", ["targets=ids", "order=shuffled", "identity=moving"], STRUCTURE_OBJECTS, STRUCTURE_BUDGETS))
    for form, options, objects, budgets in cases:
        if form not in wanted:
            continue
        folder = tempfile.mkdtemp(prefix="hsd-memory-")
        try:
            subprocess.run([synth, f"objects={objects}", *options, folder], check=True, stdout=subprocess.DEVNULL)
            check(hsdiff, folder, form, objects, budgets, problems)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    if "many" in wanted:
        folder = os.environ.get("HSD_MANY") or tempfile.mkdtemp(prefix="hsd-memory-")
        try:
            if not os.environ.get("HSD_MANY"):
                subprocess.run([synth, f"objects={MANY_OBJECTS}", "shape=layers", "identity=exact", folder], check=True, stdout=subprocess.DEVNULL)
            check_many(hsdiff, folder, problems)
        finally:
            if not os.environ.get("HSD_MANY"):
                shutil.rmtree(folder, ignore_errors=True)
    for shape in ("tree", "list") if "traffic" in wanted else ():
        folder = tempfile.mkdtemp(prefix="hsd-memory-")
        try:
            subprocess.run([synth, f"objects={TRAFFIC_OBJECTS}", f"shape={shape}", "order=shuffled", "identity=address", folder], check=True,
                           stdout=subprocess.DEVNULL)
            # Trees were compared above, shuffled ones and one of twice as many objects.
            check_traffic(hsdiff, folder, f"traffic, {shape}", LONG or shape != "tree", problems)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    for problem in problems:
        print("FAILED", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
