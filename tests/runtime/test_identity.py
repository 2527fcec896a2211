#!/usr/bin/env python3
"""Shows that identity.py can fail: right figures pass every check, and each planted falsehood is found. No java and no hsdiff is needed."""
import copy
import sys

sys.dont_write_bytecode = True
import identity  # noqa: E402

PLACE = ("static Moving.LIST", "java.util.ArrayList")


def tally(right, wrong, twins_wrong, shared):
    def row(right_, wrong_):
        return {"right": right_, "wrong": wrong_, "unjudged": 5}

    def claims(said, true, right_):
        return {"said": said, "true": true, "right": right_}

    return {"shared": shared, "rungs": {"order": row(right, wrong), "twins": row(10, twins_wrong)},
            "new": claims(10, 10, 10), "freed": claims(10, 10, 10), "kept": claims(10, 10, 10)}


def report(holders):
    def growth(bytes_):
        return {"growth": {"bytes": bytes_}}

    return {"types": [{"type": "Moving$Leaked", **growth(900)}, {"type": "byte[]", **growth(100)}],
            "roots": [{"root": PLACE[0], **growth(1000)}],
            "holders": [{"root": root, "path": [{"edge": "", "type": type_}], "growth_bytes": bytes_} for root, type_, bytes_ in holders],
            "others": {"holders": {"growth_bytes": 0, "rows": 0}}}


def found(measured, said, true, planted):
    tables = identity.identity.growth_of(said), identity.identity.growth_of(true)
    return {"measured": measured, "own": identity.identity.quality(measured["own"]), "ext": identity.identity.quality(measured["ext"]),
            "errors": identity.identity.errors(*tables), "said": tables[0], "true": tables[1], "identity_known": True, "planted": planted,
            "first_said": identity.identity.first_place(said), "first_true": identity.identity.first_place(true)}


MEASURED = {"after": {"own": 40_000, "owned": 40_000}, "own": tally(985, 1, 2, 1000), "ext": tally(983, 8, 2, 1000)}
RIGHT = report([(PLACE[0], PLACE[1], 1000)])
ELSEWHERE = report([("static Moving.tree", "Moving$Tree", 995), (PLACE[0], PLACE[1], 5)])
NEAR = report([(PLACE[0], PLACE[1], 991), ("static Moving.tree", "Moving$Tree", 9)])
NOTHING = {"types": [], "roots": [], "holders": []}


def changed(**parts):
    measured = copy.deepcopy(MEASURED)
    measured.update(parts)
    return measured


FALSEHOODS = [
    ("pairs that are wrong", found(changed(own=tally(960, 40, 0, 1000)), RIGHT, RIGHT, PLACE)),
    ("pairs that were missed", found(changed(own=tally(850, 0, 0, 1000)), RIGHT, RIGHT, PLACE)),
    ("wrong pairs of owned objects", found(changed(ext=tally(960, 40, 0, 1000)), RIGHT, RIGHT, PLACE)),
    ("hardly any object with an id", found(changed(after={"own": 10, "owned": 40_000}), RIGHT, RIGHT, PLACE)),
    ("another first holder", found(MEASURED, ELSEWHERE, RIGHT, PLACE)),
    ("a truth that knows nothing of the leak", found(MEASURED, RIGHT, ELSEWHERE, PLACE)),
    ("growth that is off by two per cent", found(MEASURED, NEAR, RIGHT, PLACE)),
    ("a leak that is smaller than it is", found(MEASURED, report([(PLACE[0], PLACE[1], 988)]), RIGHT, PLACE)),
    ("no identity", found(MEASURED, RIGHT, RIGHT, PLACE) | {"identity_known": False}),
]


def main():
    floors = identity.USUAL
    wrong = identity.failures(found(MEASURED, RIGHT, RIGHT, PLACE), floors) + identity.failures(found(MEASURED, NOTHING, NOTHING, None), None)
    if wrong:
        sys.exit("right figures fail: " + "; ".join(wrong))
    for what, figures in FALSEHOODS:
        if not identity.failures(figures, floors):
            sys.exit("not found: " + what)
    for who in ((RIGHT, NOTHING), (NOTHING, RIGHT)):
        if not identity.failures(found(MEASURED, *who, None), None):
            sys.exit("not found: growth where there is none")
    print(f"2 right, {len(FALSEHOODS) + 2} falsehoods found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
