#!/usr/bin/env python3
"""The scorer itself: that it can fail. Screens and diffs as hsdiff writes them, with one thing wrong in each."""
import json
import pathlib
import sys
import tempfile
import unittest

import run
import score
import truth
from screen import Screen

SCREEN = """before  a.hs  2026-11-23 16:21:44Z  791.0 KiB   7,187 objects
after   b.hs  2026-11-23 16:21:44Z   1.09 MiB  13,187 objects
        same process (shop, pid 8090), in the same second, both complete

Live heap grew 322.3 KiB (+41%): 718.8 KiB new, 396.5 KiB freed.
All of the growth hangs from one place: {place}.

TYPE                        BEFORE      AFTER      GROWTH      %  OBJECTS
<=88 B at open_session   257.8 KiB  515.6 KiB  +257.8 KiB  +100%   +3,000
TOTAL                    791.0 KiB   1.09 MiB  +322.3 KiB   +41%   +6,000

WHAT KEEPS IT ALIVE                 OBJECTS      GROWTH  SHARE
{place}                              +6,000  +322.3 KiB   100%
  -> <=88 B at open_session       3,000 new  +322.3 KiB
    .user: <=24 B at open_session 3,000 new   +64.5 KiB
3 other holders                           0           0     0%

Objects matched by exact id 6,035; only before 1,152, only after 7,152.

Next:  hsdiff paths b.hs sessions_elsewhere
"""


def both(objects, size):
    return {"objects": objects, "bytes": size}


def diff_of(objects=3000, size=330000):
    return {"total": {"growth": both(2 * objects, size)},
            "types": [{"type": "<=88 B at open_session", "growth": both(objects, size),
                       "unreached": {"before": both(0, 0), "after": both(0, 0)}}],
            "holders": [{"growth_bytes": size, "net": both(2 * objects, size)}]}


def seen(place="sessions", diff=None, status=1, check="sessions: over"):
    return score.Seen(Screen(SCREEN.format(place=place)), diff or diff_of(), status, check)


class Truth:
    """A program of the corpus that lives in a temporary folder."""

    def __init__(self, leaks, **more):
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name) / "shop.truth.json"
        (path.parent / "shop.c").write_text("int x;\nopen(); /* truth: made */\n")
        path.write_text(json.dumps({"what": "a shop", "leaks": leaks, **more}))
        self.program = truth.Program(path)

    def aspects(self, what):
        return [fault.aspect for fault in score.judge(self.program, what)]


LEAK = {"holder": r"\bsessions\b", "place": "open_session", "path": r"\.user\b", "types": {"88 B at open_session": "N"}, "objects": "2*N", "bytes": "N*110"}


class Scorer(unittest.TestCase):
    def expect(self, leaks, what, *aspects, **more):
        self.assertEqual(sorted(Truth(leaks, **more).aspects(what)), sorted(aspects))

    def test_right_is_right(self):
        self.expect([LEAK], seen())

    def test_a_wrong_holder(self):
        self.expect([LEAK], seen("timers", check="timers"), "first", "named", "share", "gate")

    def test_a_holder_among_other_words(self):
        self.expect([LEAK], seen("old_sessions"), "first", "named", "share")

    def test_a_name_below_the_tables_does_not_count(self):
        self.expect([dict(LEAK, holder="sessions_elsewhere")], seen(check="sessions_elsewhere"), "first", "named", "share")

    def test_two_holders_need_both(self):
        self.expect([dict(LEAK, holder=[r"\bsessions\b", r"\bages\b"])], seen(), "first", "named", "share", "gate")
        self.expect([dict(LEAK, holder=[r"\bsessions\b", r"\bages\b"])], seen("sessions and ages", check="sessions, ages"))

    def test_a_place_that_is_not_told(self):
        self.expect([dict(LEAK, place="{made}")], seen(), "first")
        self.expect([dict(LEAK, place=["{made}", "open_session"])], seen())

    def test_a_path_that_is_not_told(self):
        self.expect([dict(LEAK, path=r"\.owner\b")], seen(), "path")

    def test_a_share_that_is_off(self):
        self.expect([LEAK], seen(diff=diff_of(size=300000)), "share")
        self.expect([LEAK], seen(diff=diff_of(size=328000)))

    def test_counts_that_are_off(self):
        self.expect([LEAK], seen(diff=diff_of(objects=3100)), "counts", "counts")

    def test_external_bytes(self):
        self.expect([dict(LEAK, external=10**6)], seen(), "external")
        told = diff_of()
        told["total"]["external"] = {"growth": 10**6}
        self.expect([dict(LEAK, external=10**6)], seen(diff=told))

    def test_a_gate_that_passes_a_leak(self):
        self.expect([LEAK], seen(status=0), "gate")
        self.expect([LEAK], seen(status=0), gate="passes")
        self.expect([LEAK], seen(status=0), gate="either")

    def test_a_clean_program_that_is_blamed(self):
        self.expect([], seen(status=0), "false")
        self.expect([], seen(status=1), "false", "gate")

    def test_program_code_blames_nobody_where_the_sentence_says_so(self):
        what = seen("(program code)", status=0)
        self.expect([], what, "false")
        sentence = "All of the growth is program code: what the runtime compiled and noted meanwhile; nothing else grew by more than noise."
        what.screen = Screen(SCREEN.format(place="(program code)").replace("All of the growth hangs from one place: (program code).", sentence))
        self.expect([], what)
        what.screen = Screen(SCREEN.format(place="sessions").replace("All of the growth hangs from one place: sessions.", sentence))
        self.expect([], what, "false")
        of_go = "All of the growth is the runtime's own: what Go keeps of threads, and of goroutines that have ended; nothing else grew by more than noise."
        what.screen = Screen(SCREEN.format(place="(program code)").replace("All of the growth hangs from one place: (program code).", of_go))
        self.expect([], what)

    def test_a_false_warning(self):
        what = seen()
        what.screen = Screen("! the captures share only 35 objects: they look like two different processes\n\n" + SCREEN.format(place="sessions"))
        self.expect([LEAK], what, "doubt")

    def test_lost_memory_is_called_lost(self):
        lost = dict(LEAK, holder="open_session", lost=True, path=[], bytes="N*88", objects=None)
        told = diff_of()
        told["types"][0].update(growth=both(0, 0), unreached={"before": both(0, 0), "after": both(3000, 3000 * 88)})
        self.expect([lost], seen("open_session", diff=told, check="open_session"), "first")
        self.expect([lost], seen("lost_alone.c:3, open_session", diff=told, check="open_session"), "first")
        self.expect([lost], seen("322 KiB lost, allocated at open_session", diff=told, check="open_session"))

    def test_marks_are_lines(self):
        self.assertEqual(Truth([]).program.marks, {"made": "shop.c:2"})

    def test_a_truth_that_is_misspelt(self):
        with self.assertRaises(truth.Untrue):
            Truth([dict(LEAK, plaec="x")])

    def test_the_quarter_is_of_each_runtime(self):
        found = truth.programs()
        for name in {one.runtime for one in found}:
            for leaks in (True, False):
                whole = [one for one in found if one.runtime == name and bool(one.leaks) == leaks]
                some = [one for one in truth.quick(found) if one.runtime == name and bool(one.leaks) == leaks]
                third = -(-len(whole) // truth.quick_step(name))
                self.assertEqual(len(some), third - third // 4)

    def test_floors_only_go_up(self):
        floors = {"c": {"first": 5, "gate": 7}}
        self.assertEqual(list(run.below_floors({"c": {"first": 5, "gate": 8}}, floors)), [])
        self.assertEqual(len(list(run.below_floors({"c": {"first": 4, "gate": 8}}, floors))), 1)
        self.assertEqual(run.raised({"c": {"first": 4, "gate": 8}, "go": {"first": 1}}, floors), {"c": {"first": 5, "gate": 8}, "go": {"first": 1}})

    def test_what_is_known_to_be_wrong_can_be_read(self):
        titles = {one.title for one in truth.programs()}
        for title in run.known_faults():
            self.assertIn(title, titles)


if __name__ == "__main__":
    done = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(Scorer))
    bad = len(done.failures) + len(done.errors)
    print(f"{done.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
