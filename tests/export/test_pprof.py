"""Exports of stacks: pprof opened by go tool pprof, collapsed stacks and Speedscope held against what they must be.

What they add up to is compared with the tables of hsdiff itself; profiles of a real Go program go in and come out again.
"""
import json
import re

import kit

SCHEMA = "https://www.speedscope.app/file-format-schema.json"

NODE = """
class Session { constructor(i) { this.id = i; this.cart = [i, i + 1]; } }
globalThis.sessions = new Map();
const evil = 'ev;il"\\n\\x1b[31m';
globalThis[evil] = {x: [1]};
function step(i) { for (let k = 0; k < 500; k++) sessions.set(i * 500 + k, new Session(k)); }
"""

GO = """
package main

import (
    "os"
    "runtime"
    "runtime/pprof"
)

type session struct{ name [96]byte }

var sessions []*session
var cache [][]byte

//go:noinline
func serve(n int) {
    for i := 0; i < n; i++ {
        sessions = append(sessions, &session{})
    }
}

//go:noinline
func fill(n int) {
    for i := 0; i < n; i++ {
        cache = append(cache, make([]byte, 1024))
    }
}

func dump(path string) {
    f, _ := os.Create(path)
    runtime.GC()
    pprof.Lookup("heap").WriteTo(f, 0)
    f.Close()
}

func main() {
    runtime.MemProfileRate = 1
    fill(300)
    serve(1000)
    dump(os.Args[1])
    cache = cache[:100]
    for i := 100; i < 300; i++ {
        cache[:300][i] = nil
    }
    serve(2000)
    dump(os.Args[2])
}
"""


# ---- readers

class Profile:
    """What go tool pprof -raw says: samples of (values, frames from the innermost out, labels)."""

    def __init__(self, path):
        text = kit.run(["go", "tool", "pprof", "-raw", path])
        head, rest = text.split("Samples:\n", 1)
        samples, rest = rest.split("Locations\n", 1)
        self.comments = re.findall(r"^Comment: (.*)$", head, re.M)
        self.columns = [c.removesuffix("[dflt]") for c in samples.splitlines()[0].split()]
        names = {}
        for line in rest.split("Mappings\n")[0].splitlines():
            location = re.match(r"\s*(\d+): 0x[0-9a-f]+ M=\d+ (.*?) s=\d+(?:\(.*\))?$", line)
            kit.check(location, f"a location: {line}")
            names[int(location[1])] = location[2]
        self.samples = []
        for line in samples.splitlines()[1:]:
            sample = re.match(r"\s*(-?\d+)\s+(-?\d+): ?([\d ]*)$", line)
            if sample:
                frames = [names[int(f)] for f in sample[3].split()]
                self.samples.append(((int(sample[1]), int(sample[2])), frames, {}))
            else:
                self.samples[-1][2].update(re.findall(r"(\w+):\[(.*?)\](?= \w+:\[|\s*$)", line))

    def total(self):
        return tuple(sum(s[0][i] for s in self.samples) for i in (0, 1))

    def by(self, key):
        sums = {}
        for (objects, size), _, labels in self.samples:
            had = sums.get(labels.get(key), (0, 0))
            sums[labels.get(key)] = (had[0] + objects, had[1] + size)
        return sums


def collapsed(path):
    stacks = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        stack, weight = line.rsplit(" ", 1)
        kit.check(int(weight) > 0 and stack not in stacks, f"a line of weight and once: {line[:200]}")
        stacks[stack] = int(weight)
    return stacks


def speedscope(path):
    """Checked by the facts of the schema: what must be there, of what type, and that numbers lead somewhere."""
    file = json.loads(path.read_text(encoding="utf-8"))
    kit.same("the schema", file["$schema"], SCHEMA)
    frames = file["shared"]["frames"]
    for frame in frames:
        kit.check(isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}, f"a frame: {frame}")
        kit.check(all(isinstance(frame[k], int) for k in ("line", "col") if k in frame), f"numbers of a frame: {frame}")
    for profile in file["profiles"]:
        kit.same("what a profile has", set(profile), {"type", "name", "unit", "samples", "weights", "startValue", "endValue"})
        kit.check(profile["type"] == "sampled" and profile["unit"] in ("bytes", "none"), f"a profile: {profile['name']}")
        kit.same("as many weights as samples", len(profile["weights"]), len(profile["samples"]))
        kit.same("the end", profile["endValue"] - profile["startValue"], sum(profile["weights"]))
        kit.check(all(w > 0 for w in profile["weights"]), "weights above 0")
        kit.check(all(0 <= f < len(frames) for s in profile["samples"] for f in s), "frames that are there")
    kit.check(0 <= file["activeProfileIndex"] < len(file["profiles"]), "the active profile")
    return {p["name"]: p for p in file["profiles"]}, [f["name"] for f in frames]


# ---- cases

def paths_add_up(tool, folder):
    """A heap of Node by path: the same live bytes and objects as hsdiff top, by type and in all."""
    kit.need("go")
    dump, = kit.node_dump(folder, NODE)
    capture, profile = folder / "heap.hs", folder / "heap.pb.gz"
    tool.import_(dump, capture)
    tool.export(capture, "pprof", profile)
    got, top = Profile(profile), tool.top(capture, "--top", "all")
    kit.same("columns", got.columns, ["inuse_objects/count", "inuse_space/bytes"])
    kit.same("the live heap", got.total(), (top["captures"][0]["objects"], top["captures"][0]["bytes"]))
    types = got.by("type")
    session = kit.row(top["types"], "type", "Session")["live"]
    kit.same("sessions", types["Session"], (session["objects"], session["bytes"]))
    kit.check(any('ev;il"\\x0a\\x1b[31m' in frame for _, frames, _ in got.samples for frame in frames), "a name with what no terminal should see")
    holders = [frames for _, frames, labels in got.samples if labels.get("type") == "Session"]
    kit.check(any("sessions" in frame for frame in holders[0][1:]), f"the map that holds them: {holders[0]}")
    text, scope = folder / "heap.collapsed", folder / "heap.speedscope.json"
    tool.export(capture, "collapsed", text)
    tool.export(capture, "speedscope", scope)
    kit.same("bytes of the collapsed stacks", sum(collapsed(text).values()), top["captures"][0]["bytes"])
    kit.check(any('ev\\x3bil"\\x0a\\x1b[31m' in stack for stack in collapsed(text)), "the odd name in a collapsed stack")
    profiles, names = speedscope(scope)
    kit.check(any('ev;il"\\x0a' in name for name in names), "the odd name in Speedscope")
    kit.same("bytes of Speedscope", profiles["bytes"]["endValue"], top["captures"][0]["bytes"])
    kit.same("objects of Speedscope", profiles["objects"]["endValue"], top["captures"][0]["objects"])


def growth_adds_up(tool, folder):
    """Growth by path between two heaps of Node: what hsdiff says grew."""
    kit.need("go")
    before, after = (folder / name for name in ("before.hs", "after.hs"))
    for dump, capture in zip(kit.node_dump(folder, NODE, dumps=2), (before, after)):
        tool.import_(dump, capture)
    profile, text, scope = (folder / name for name in ("growth.pb.gz", "growth.collapsed", "growth.speedscope.json"))
    done = [tool.export(before, to, out, after=after) for to, out in (("pprof", profile), ("collapsed", text), ("speedscope", scope))]
    diff = tool.diff(before, after, "--top", "all")
    got = Profile(profile)
    change = diff["total"]["live"] if "live" in diff["total"] else diff["total"]
    kit.same("growth", got.total(), (change["after"]["objects"] - change["before"]["objects"], change["after"]["bytes"] - change["before"]["bytes"]))
    kit.same("growth of sessions", got.by("type")["Session"][0], 500)
    kit.check("growth between two captures" in got.comments, f"comments {got.comments}")
    grew, shrank = (sum(abs(s[0][1]) for s in got.samples if (s[0][1] > 0) == is_growth) for is_growth in (True, False))
    kit.same("collapsed growth", sum(collapsed(text).values()), grew)
    kit.check(shrank == 0 or f"by {shrank} byte" in done[1].stderr, f"what shrank is told: {shrank}, {done[1].stderr}")
    profiles, _ = speedscope(scope)
    kit.same("Speedscope", (profiles["bytes that grew"]["endValue"], profiles["bytes that shrank"]["endValue"]), (grew, shrank))


def go_profiles(tool, folder):
    """Profiles that a Go program wrote, imported and exported again: go tool pprof sees the same in both."""
    kit.need("go")
    (folder / "heap.go").write_text(GO, encoding="utf-8")
    kit.run(["go", "build", "-o", folder / "heap", folder / "heap.go"], cwd=folder)
    ours = []
    kit.run([folder / "heap", folder / "0.pb.gz", folder / "1.pb.gz"])
    for i in (0, 1):
        tool.import_(folder / f"{i}.pb.gz", folder / f"{i}.hs")
        tool.export(folder / f"{i}.hs", "pprof", folder / f"ours{i}.pb.gz")
        ours.append(Profile(folder / f"ours{i}.pb.gz"))
        for what in ("inuse_space", "inuse_objects"):
            same_top(folder / f"{i}.pb.gz", folder / f"ours{i}.pb.gz", what)
    tool.export(folder / "0.hs", "pprof", folder / "growth.pb.gz", after=folder / "1.hs")
    growth = Profile(folder / "growth.pb.gz")
    kit.same("growth", growth.total(), tuple(ours[1].total()[i] - ours[0].total()[i] for i in (0, 1)))
    of = {name: sum(s[0][1] for s in growth.samples if s[1] and any(f"main.{name} " in f for f in s[1][:1])) for name in ("serve", "fill")}
    kit.check(of["serve"] >= 2000 * 96 and of["fill"] <= -200 * 1024, f"what grew and what shrank: {of}")
    same_growth(folder)


def rows(*arguments):
    """name -> flat, cumulative of go tool pprof -top, exact to the byte."""
    text = kit.run(["go", "tool", "pprof", "-top", "-unit=B", "-nodecount=100000", "-nodefraction=0", *arguments])
    found = re.findall(r"^\s*(-?\d+)B?\s+\S+\s+\S+\s+(-?\d+)B?\s+\S+\s+(.*)$", text, re.M)
    return {name.removesuffix(" (inline)"): (int(flat), int(cumulative)) for flat, cumulative, name in found}


def same_top(theirs, ours, what):
    wanted, got = (rows(f"-sample_index={what}", path) for path in (theirs, ours))
    kit.check(len(wanted) > 2, f"rows: {wanted}")
    kit.same(what, got, {name: amounts for name, amounts in wanted.items() if amounts != (0, 0)})


def same_growth(folder):
    """Our growth is what the tool finds with -diff_base."""
    theirs, ours = rows("-sample_index=inuse_space", f"-diff_base={folder}/0.pb.gz", folder / "1.pb.gz"), rows(folder / "growth.pb.gz")
    kit.same("growth by function", ours, {name: amounts for name, amounts in theirs.items() if amounts != (0, 0)})


def there_and_back(tool, folder):
    """Stacks of a heap of Node as a profile, imported and exported again: each stack with the same objects and bytes, and each type. Marks
    of the odd name are marked again, so that no two names become one."""
    kit.need("go")
    dump, = kit.node_dump(folder, NODE)
    tool.import_(dump, folder / "heap.hs")
    tool.export(folder / "heap.hs", "pprof", folder / "there.pb.gz", "--stacks", "paths")
    tool.import_(folder / "there.pb.gz", folder / "back.hs")
    tool.export(folder / "back.hs", "pprof", folder / "back.pb.gz")
    there, back = (by_stack(Profile(folder / f"{name}.pb.gz")) for name in ("there", "back"))
    kit.check(len(there) > 100, f"stacks: {len(there)}")
    types = [{row["type"]: (row["after"]["objects"], row["after"]["bytes"]) for row in tool.diff(folder / f"{name}.hs", folder / f"{name}.hs")["types"]
              if row["after"]["objects"] > 0 and "ev;il" not in row["type"] and "\\" not in row["type"]} for name in ("heap", "back")]
    kit.same("objects and bytes by type", types[1], types[0])
    other = {stack: (there.get(stack), back.get(stack)) for stack in {*there, *back} if there.get(stack) != back.get(stack)
             and not any("ev;il" in frame for frame in stack)}
    kit.check(not other, f"{len(other)} of {len(there)} stacks differ: {sorted(other.items())[:3]}")


def by_stack(profile):
    sums = {}
    for (objects, size), frames, _ in profile.samples:
        had = sums.get(tuple(frames), (0, 0))
        sums[tuple(frames)] = (had[0] + objects, had[1] + size)
    return sums


def same_bytes(tool, folder):
    """The same capture gives the same bytes, to a file and to standard output, with little memory and much."""
    dump, = kit.node_dump(folder, NODE)
    tool.import_(dump, folder / "heap.hs")
    for to in ("pprof", "collapsed", "speedscope"):
        tool.export(folder / "heap.hs", to, folder / "a")
        tool.export(folder / "heap.hs", to, folder / "b", "--memory", "4GiB")
        kit.same(to, (folder / "a").read_bytes(), (folder / "b").read_bytes())
        with open(folder / "c", "wb") as file:
            kit.subprocess.run([tool.path, "export", folder / "heap.hs", "--to", to, "-o", "-"], stdout=file, check=True)
        kit.same(f"{to} to standard output", (folder / "a").read_bytes(), (folder / "c").read_bytes())
        for name in "ab":
            (folder / name).unlink()


kit.main({"paths_add_up": paths_add_up, "growth_adds_up": growth_adds_up, "go_profiles": go_profiles, "there_and_back": there_and_back,
          "same_bytes": same_bytes})
