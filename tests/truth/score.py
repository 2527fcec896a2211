"""Holds what hsdiff says of a program against what is true of it. Each fault is a word, one of ASPECTS:

    first     the first sentence or the first row of the holders does not name the holder, or its place in code is not on the first screen
    named     the holder is nowhere on the first screen
    path      the last steps to what leaked are not on the first screen
    share     the bytes that the first row naming the holder has are not those of the leak, give or take 1 %; for lost memory, those lost
    counts    the objects that came, of each type that the truth tells, are not those planted, give or take 1 %
    external  bytes outside of the heap are not told, give or take 1 %
    false     no leak, and the first screen blames a holder for half of the growth or more
    doubt     a warning that captures of one process look like those of two
    gate      `hsdiff check` passes a leak, fails without naming it, or fails where there is none
"""
import dataclasses
import re

ASPECTS = ("first", "named", "path", "share", "counts", "external", "false", "doubt", "gate")
NEAR = 0.01
LOST = re.compile(r"\b[Ll]ost\b")
# Who reads that blames no row.
NOBODY = re.compile(r"is (program code: what the runtime compiled and noted meanwhile|the runtime's own: what Go keeps of threads, and of goroutines that have "
                    r"ended); nothing else grew by more than noise\.")


def near(got, wanted):
    return got is not None and abs(got - wanted) <= abs(wanted) * NEAR


@dataclasses.dataclass
class Fault:
    aspect: str
    why: str


@dataclasses.dataclass
class Seen:
    """What was said of the captures of one program: the Screen and the diff of the first two, and the check of all."""
    screen: object
    diff: dict
    check_status: int
    check_text: str


def all_in(patterns, text):
    flat = " ".join(text.split())
    return all(pattern.search(flat) for pattern in patterns)


def rows_for(leak, screen):
    return screen.lost if leak.lost else screen.holders


def row_names(leak, row):
    """One holder has to stand in the line itself; several may stand below it."""
    return all_in(leak.holder, row.line if len(leak.holder) == 1 else row.text)


def sentence_names(leak, screen):
    if leak.lost and not LOST.search(screen.answer):
        return False
    return all_in(leak.holder, screen.answer)


def place_told(leak, screen):
    flat = " ".join(screen.text.split())
    return not leak.place or any(place.search(flat) for place in leak.place)


def named_first(leak, rank, screen):
    """The n-th leak by size has n rows to be named in."""
    return sentence_names(leak, screen) or any(row_names(leak, row) for row in rows_for(leak, screen)[:rank])


def judge_names(leak, rank, seen):
    screen = seen.screen
    if not named_first(leak, rank, screen):
        yield Fault("first", "neither the first sentence nor the first row names the holder")
    elif not place_told(leak, screen):
        yield Fault("first", "the place in code is not on the first screen")
    if not all_in(leak.holder, screen.text):
        yield Fault("named", "the holder is not on the first screen")
    if leak.path and not all_in(leak.path, screen.text):
        yield Fault("path", "the last steps are not on the first screen")


def grown(counts):
    """(objects, bytes) of a row of types: live ones and those that nothing reaches."""
    lost = counts.get("unreached", {})
    return [counts["growth"][unit] + (lost["after"][unit] - lost["before"][unit] if lost else 0) for unit in ("objects", "bytes")]


def lost_bytes(leak, diff):
    """Of the types that the truth tells; of all without them."""
    rows = [row for row in diff["types"] if not leak.types or any(pattern.search(row["type"]) for pattern in leak.types)]
    return sum(row["unreached"]["after"]["bytes"] - row["unreached"]["before"]["bytes"] for row in rows if row.get("unreached"))


def held_row(leak, seen):
    """The row of the report that is the first on the screen to name the holder. Rows of both stand in the same order."""
    rows = seen.diff["holders"] or []  # none where there are no references
    for row, told in zip(seen.screen.holders, rows):
        if row_names(leak, row):
            return told
    if rows and sentence_names(leak, seen.screen):
        return rows[0]
    return None


def judge_share(leak, seen):
    if leak.bytes is None:
        return
    if leak.lost:
        told = lost_bytes(leak, seen.diff)
        if not near(told, leak.bytes):
            yield Fault("share", f"{told:,} B are lost in the report, {leak.bytes:,.0f} B in truth")
        return
    row = held_row(leak, seen)
    if row is None:
        yield Fault("share", "no row has it")
    elif not near(row["growth_bytes"], leak.bytes) and not (leak.external and near(row["growth_bytes"], leak.bytes + leak.external)):
        yield Fault("share", f"{row['growth_bytes']:,} B in the row, {leak.bytes:,.0f} B in truth")


def judge_counts(leak, seen):
    row = held_row(leak, seen)
    if leak.objects is not None and row is not None and not near(row["net"]["objects"], leak.objects):
        yield Fault("counts", f"{row['net']['objects']:,} objects in the row, {leak.objects:,} in truth")
    for pattern, wanted in leak.types.items():
        got = sum(grown(row)[0] for row in seen.diff["types"] if pattern.search(row["type"]))
        if not near(got, wanted):
            yield Fault("counts", f"{got:,} of {pattern.pattern}, {wanted:,} in truth")


def external_growth(diff):
    """Of all, as the total has it."""
    total = diff["total"]
    for side in ("external", "external_bytes"):
        if isinstance(total.get(side), int):
            return total[side]
        if isinstance(total.get(side), dict):
            return total[side].get("growth", total[side].get("bytes"))
        if isinstance(total["growth"].get(side), int):
            return total["growth"][side]
    return None


def judge_external(leak, seen):
    if not leak.external:
        return
    row = held_row(leak, seen)
    inside = row is not None and near(row["growth_bytes"], (leak.bytes or 0) + leak.external)
    if not inside and not near(external_growth(seen.diff), leak.external):
        yield Fault("external", f"{leak.external:,.0f} B outside of the heap are not told")


def judge_gate(program, seen):
    status, text = seen.check_status, seen.check_text
    if program.gate == "either" and status == 0:
        return
    if program.gate == "passes":
        if status != 0:
            yield Fault("gate", f"check ends with {status} where nothing leaks")
    elif status != 1:
        yield Fault("gate", f"check ends with {status}")
    else:
        for leak in program.leaks:
            if not all_in(leak.holder, text):
                yield Fault("gate", "check fails and does not name the holder")


def judge_clean(seen):
    for row in seen.screen.holders[:1]:
        if row.share >= 50 and not (row.line.startswith("(program code)") and NOBODY.search(seen.screen.answer)):
            yield Fault("false", f"blames {row.line}")


def judge(program, seen):
    """The faults, the gravest of each aspect first."""
    faults = []
    ranked = sorted(program.leaks, key=lambda leak: -((leak.bytes or 0) + (leak.external or 0)))
    for rank, leak in enumerate(ranked, 1):
        for found in (judge_names(leak, rank, seen), judge_share(leak, seen), judge_counts(leak, seen), judge_external(leak, seen)):
            faults += found
    if not program.leaks:
        faults += judge_clean(seen)
    if "different processes" in seen.screen.warnings:
        faults.append(Fault("doubt", seen.screen.warnings))
    return faults + list(judge_gate(program, seen))
