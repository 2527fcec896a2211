#!/usr/bin/env python3
"""Runs the programs of the corpus, captures them, and holds what hsdiff says against what is true: README.md.

    run.py --hsdiff BINARY --agents FOLDER [--quick] [--clean] [--repeat N] [--table FILE] [--prune] [--raise-floors] [--faults FILE] [--keep FOLDER]
           [RUNTIME | RUNTIME/NAME | NAME …]

Ends with 1 when a program has a fault that known.txt does not tell of; in a run of all of a runtime also when one that it tells of is
gone, or when fewer are named than floors.json demands. The last line says "N passed, N failed"."""
import argparse
import concurrent.futures
import contextlib
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import runtimes
import score
import truth
from runtimes import kit
from screen import Screen, on_terminal

HERE = pathlib.Path(__file__).resolve().parent
KNOWN = HERE / "known.txt"
FLOORS = HERE / "floors.json"
DIFF = "diff.json"  # of the first two captures, beside them for a moment


class Result:
    def __init__(self, program, faults=(), screen="", check="", missing=None, seconds=0.0):
        self.program, self.faults, self.screen, self.check = program, list(faults), screen, check
        self.missing = missing
        self.seconds = seconds

    @property
    def aspects(self):
        return {fault.aspect for fault in self.faults}

    def with_doubts(self, known):
        """The same, with the faults that it may have at any time."""
        doubts = [score.Fault(one[:-1], why) for one, why in known.get(self.program.title, {}).items() if one.endswith("?")]
        return Result(self.program, self.faults + doubts)


def captured(tool, runtime, program, folder):
    """The captures: with what was planted before the first, and with as much again before each of the others."""
    paths = [folder / f"{letter}.hs" for letter in "abcdefgh"[:program.captures]]
    with runtime.start(program, folder) as running:
        total = 0
        for i, path in enumerate(paths):
            count = program.before if i == 0 else program.leak
            total += count
            planted = running.leak(count)
            kit.check(planted == total or not program.leaks, f"the program says that {planted} are planted, not {total}")
            runtime.capture(program, running, folder, path)
        running.quit()
    return paths


def look(tool, paths):
    """What a user sees of the first two, and the gate of all."""
    names = [path.name for path in paths]
    folder = paths[0].parent
    command = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), tool.path]
    status, text = on_terminal([*command, *names[:2], "--also", f"json={DIFF}"], tool.environment)
    kit.check(status == 0, f"hsdiff {' '.join(names[:2])}: exit {status}\n{text}")
    checked = subprocess.run([*command, "check", *names], capture_output=True, text=True, errors="replace", timeout=120, env=tool.environment)
    diff = json.loads((folder / DIFF).read_text(encoding="utf-8"))
    (folder / DIFF).unlink()
    return score.Seen(Screen(text), diff, checked.returncode, checked.stdout + checked.stderr)


def one_run(tool, cache, program, keep):
    with contextlib.ExitStack() as stack:
        if keep:
            folder = keep / program.title
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.iterdir():
                old.unlink()
        else:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hsdiff-truth-")))
        runtime = runtimes.ALL[program.runtime](tool, cache)
        seen = look(tool, captured(tool, runtime, program, folder))
        return Result(program, score.judge(program, seen), seen.screen.whole, seen.check_text)


def attempt(hsdiff, agents, cache, name, captures, keep):
    """In a process of its own: the programs of two runtimes at a time. Patterns and programs do not travel, names do."""
    program = truth.programs([name])[0]
    program.captures = captures
    tool = kit.Tool(hsdiff, agents)
    started = time.monotonic()
    try:
        result = one_run(tool, cache, program, keep)
    except runtimes.Missing as error:
        result = Result(program, missing=str(error))
    except Exception as error:  # whatever it is, it is this program that cannot be judged: the others go on
        result = Result(program, [score.Fault("run", f"{type(error).__name__}: {error}")], traceback.format_exc())
    return result.faults, result.screen, result.check, result.missing, time.monotonic() - started


def build(tool, cache, found):
    """What is cheaper to build at once; a program that cannot be built fails when it starts."""
    for name in dict.fromkeys(program.runtime for program in found):
        with contextlib.suppress(runtimes.Missing, kit.Failed):
            runtimes.ALL[name](tool, cache).build([program for program in found if program.runtime == name])


def rounds(arguments, found):
    """Each program and where its captures are kept, if they are: by round where there are several."""
    for number in range(1, arguments.repeat + 1):
        keep = arguments.keep / f"round{number}" if arguments.keep and arguments.repeat > 1 else arguments.keep
        for program in found:
            yield program, keep


def forget_right(keep, result):
    """Of many rounds only the captures that show a fault are worth their room."""
    if not result.faults:
        shutil.rmtree(keep / result.program.title, ignore_errors=True)


def run_all(arguments, found):
    cache = arguments.work or pathlib.Path(arguments.agents).resolve().parent / "truth"
    cache.mkdir(parents=True, exist_ok=True)
    build(kit.Tool(arguments.hsdiff, arguments.agents), cache, found)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        waiting = [(program, keep, pool.submit(attempt, arguments.hsdiff, arguments.agents, cache, program.title, program.captures, keep))
                   for program, keep in rounds(arguments, found)]
        for program, keep, future in waiting:
            faults, text, checked, missing, seconds = future.result()
            result = Result(program, faults, text, checked, missing, seconds)
            if keep and arguments.repeat > 1:
                forget_right(keep, result)
            yield result


def known_faults():
    """title -> {aspect: why}. A line: `c/table: first, path: why`; an aspect with ? behind it may come and go."""
    found = {}
    for number, line in enumerate(KNOWN.read_text(encoding="utf-8").splitlines() if KNOWN.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+): ([a-z?, ]+): (\S.*)", line)
        if not match or not {one.strip(" ?") for one in match[2].split(",")} <= {*score.ASPECTS, "run"}:
            raise truth.Untrue(f"{KNOWN}:{number}: not `runtime/name: aspect, aspect: why`")
        found[match[1]] = {one.strip(): match[3] for one in match[2].split(",")}
    return found


def prune(gone):
    """Takes out of known.txt what is right now. gone: title -> aspects."""
    kept = []
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        title, _, rest = line.partition(": ")
        aspects, _, why = rest.partition(": ")
        if title in gone and not line.startswith("#"):
            left = [one for one in aspects.split(", ") if one not in gone[title]]
            if not left:
                continue
            line = f"{title}: {', '.join(left)}: {why}"
        kept.append(line)
    KNOWN.write_text("\n".join(kept) + "\n", encoding="utf-8")


def say_result(result, known):
    """Whether it is as it has to be; prints what is not."""
    title = result.program.title
    told = known.get(title, {})
    expected = {one.rstrip("?") for one in told}
    new = [fault for fault in result.faults if fault.aspect not in expected]
    gone = sorted(one for one in told if not one.endswith("?") and one not in result.aspects)
    word = "skipped" if result.missing else "FAILED" if new else "known" if result.faults else "ok"
    print(f"{word:8}{title} ({result.seconds:.1f} s){': ' + result.missing if result.missing else ''}")
    for fault in result.faults:
        print(f"          {fault.aspect}: {fault.why}" + ("" if fault in new else "  [known]"))
    if gone and not result.missing:
        print(f"          now right, take it off known.txt: {', '.join(gone)}")
    sys.stdout.flush()
    return not new, [] if result.missing else gone


def tally(results):
    """The score of one runtime's programs."""
    leaky = [one for one in results if one.program.leaks]
    clean = [one for one in results if not one.program.leaks]

    def right(of, *aspects):
        return sum(1 for one in of if not one.aspects & {"run", *aspects})

    def with_truth(field):
        return [one for one in leaky if any(getattr(leak, field) for leak in one.program.leaks)]

    return {"programs": len(results), "leaks": len(leaky), "first": right(leaky, "first"), "named": right(leaky, "named"),
            "path": (right(with_truth("path"), "path"), len(with_truth("path"))),
            "share": (right(with_truth("bytes"), "share"), len(with_truth("bytes"))),
            "counts": (right(with_truth("types"), "counts"), len(with_truth("types"))),
            "external": (right(with_truth("external"), "external"), len(with_truth("external"))),
            "gate": (right(leaky, "gate"), len(leaky)),
            "clean": len(clean), "false": len(clean) - right(clean, "false", "gate"), "doubt": len(results) - right(results, "doubt")}


COLUMNS = ("runtime", "programs", "leaks", "named first", "named at all", "path", "share within 1 %", "counts within 1 %", "external", "gate fails, naming it",
           "clean", "false leaks", "false warnings")


def cells(name, got):
    def of(part, whole):
        return f"{part} ({100 * part // whole} %)" if whole else "-"
    return (name, got["programs"], got["leaks"], of(got["first"], got["leaks"]), of(got["named"], got["leaks"]), of(*got["path"]), of(*got["share"]),
            of(*got["counts"]), of(*got["external"]), of(*got["gate"]), got["clean"], got["false"], got["doubt"])


def table(results):
    ran = [one for one in results if not one.missing]
    names = list(dict.fromkeys(one.program.runtime for one in ran))
    rows = [cells(name, tally([one for one in ran if one.program.runtime == name])) for name in names]
    rows.append(cells("all", tally(ran)))
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def renew_table(path, results):
    """Between the two comments of the document."""
    text = path.read_text(encoding="utf-8")
    whole = f"<!-- score -->\nOn {datetime.date.today().isoformat()}:\n\n{table(results)}\n<!-- /score -->"
    path.write_text(re.sub(r"<!-- score -->.*<!-- /score -->", lambda _: whole, text, flags=re.S), encoding="utf-8")


def write_faults(path, results):
    """For whoever mends them: each with its truth and what the first screen says."""
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"{table(results)}\n")
        for one in results:
            if not one.faults:
                continue
            out.write(f"\n## {one.program.title}\n\n{one.program.what}\n\n")
            for leak in one.program.leaks:
                out.write(f"truth: {'lost, ' if leak.lost else ''}holder {[p.pattern for p in leak.holder]}, place {[p.pattern for p in leak.place]}, "
                          f"objects {leak.objects}, bytes {leak.bytes}, types { {p.pattern: n for p, n in leak.types.items()} }\n")
            out.writelines(f"- {fault.aspect}: {fault.why}\n" for fault in one.faults)
            if "first" in one.aspects or "false" in one.aspects or "named" in one.aspects or "run" in one.aspects:
                out.write(f"\n```\n{one.screen.strip()}\n```\n")
            if "gate" in one.aspects:
                out.write(f"\n```\n{one.check.strip()}\n```\n")


def heights(results, known):
    """runtime -> column -> how many are right, of the runtimes of which all ran. What may come and go counts as wrong."""
    found = {}
    for name in dict.fromkeys(one.program.runtime for one in results):
        mine = [one.with_doubts(known) for one in results if one.program.runtime == name and not one.missing]
        if mine and len(mine) == len([one for one in truth.programs() if one.runtime == name]):
            got = tally(mine)
            found[name] = {column: got[column][0] if isinstance(got[column], tuple) else got[column] for column in ("first", "named", "share", "counts", "gate")}
    return found


def below_floors(reached, floors):
    """Fewer are right than once were."""
    for name, got in reached.items():
        for column, least in floors.get(name, {}).items():
            if got[column] < least:
                yield f"{name}: {column} is {got[column]}, and was {least} (floors.json)"


def raised(reached, floors):
    """Only ever up."""
    names = [*floors, *(name for name in reached if name not in floors)]
    return {name: {column: max(floors.get(name, {}).get(column, 0), reached.get(name, {}).get(column, 0))
                   for column in {**floors.get(name, {}), **reached.get(name, {})}} for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--agents", required=True)
    parser.add_argument("--quick", action="store_true", help="a quarter of the programs")
    parser.add_argument("--clean", action="store_true", help="those that do not leak")
    parser.add_argument("--repeat", type=int, default=1, help="so many rounds; of several, --keep leaves the captures of what failed")
    parser.add_argument("--table", type=pathlib.Path, help="put the score into this document")
    parser.add_argument("--prune", action="store_true", help="take what is right now out of known.txt")
    parser.add_argument("--raise-floors", action="store_true", help="from now on so many have to be right: floors.json")
    parser.add_argument("--faults", type=pathlib.Path, help="write each fault there, with what the first screen says")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the captures there")
    parser.add_argument("--work", type=pathlib.Path, help="where programs are built; by default beside the agents")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    if arguments.repeat > 1 and arguments.raise_floors:
        parser.error("--raise-floors counts one round")
    found = truth.programs(arguments.programs)
    found = [program for program in found if not program.leaks] if arguments.clean else found
    found = truth.quick(found) if arguments.quick else found
    known = known_faults()
    results, passed, failed, mended = [], 0, 0, {}
    for result in run_all(arguments, found):
        is_right, gone = say_result(result, known)
        results.append(result)
        title = result.program.title
        mended[title] = [one for one in gone if one in mended.get(title, gone)]  # in every round
        if not result.missing:
            is_right = is_right and (arguments.quick or not gone)
            passed, failed = passed + is_right, failed + (not is_right)
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))
    for fault in below_floors(heights(results, known), floors) if arguments.repeat == 1 else ():
        print(f"FAILED  {fault}")
        failed += 1
    if arguments.raise_floors:
        FLOORS.write_text(json.dumps(raised(heights(results, known), floors), indent=2) + "\n", encoding="utf-8")
    print(f"\n{table(results)}\n")
    if arguments.prune:
        prune(mended)
    if arguments.faults:
        write_faults(arguments.faults, results)
    if arguments.table:
        renew_table(arguments.table, results)
    print(f"{passed} passed, {failed} failed, {sum(1 for one in results if one.missing)} skipped")
    sys.exit(1 if failed else 0 if passed else kit.SKIPPED)


if __name__ == "__main__":
    main()
