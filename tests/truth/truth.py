"""The programs of the corpus and what is true of them.

A program is a file of the folder of its runtime (or a folder of its own, with a main file in it), and NAME.truth.json beside it says
what it does to the heap between two captures. README.md explains the fields; this reads them and refuses what it does not know."""
import json
import math
import pathlib
import re

import layouts

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = {"what", "source", "before", "leak", "captures", "options", "arguments", "way", "leaks", "gate"}
LEAK_FIELDS = {"holder", "place", "path", "types", "objects", "bytes", "external", "lost"}


class Untrue(Exception):
    """A file of truth that cannot be read."""


def power_of_two(number):
    """The smallest power of two that is not below."""
    return 1 << max(0, math.ceil(number) - 1).bit_length()


def marks(files):
    """name -> "file.c:45" for each comment `truth: name` of the sources: what stands on that line is called by it."""
    found = {}
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in re.findall(r"truth: ([\w-]+)", line):
                found[name] = f"{path.name}:{number}"
    return found


class Leak:
    """One that was planted. Expressions are of N, the number planted between two captures, and B, that before the first."""

    def __init__(self, said, program):
        unknown = set(said) - LEAK_FIELDS
        if unknown or "holder" not in said:
            raise Untrue(f"{program.path}: a leak with {', '.join(sorted(unknown)) or 'no holder'}")
        self.program = program
        self.holder = [program.pattern(one) for one in listed(said["holder"])]
        self.place = [program.pattern(one) for one in listed(said.get("place", []))]
        self.path = [program.pattern(one) for one in listed(said.get("path", []))]
        self.types = {program.pattern(name): program.number(count) for name, count in said.get("types", {}).items()}
        self.objects = program.number(said.get("objects"))
        self.bytes = program.number(said.get("bytes"))
        self.external = program.number(said.get("external"))
        self.lost = bool(said.get("lost"))


def name_at(path):
    return path.name.removesuffix(".truth.json")


class Program:
    def __init__(self, path):
        self.path = path
        self.runtime = path.parent.name
        self.name = name_at(path)
        self.title = f"{self.runtime}/{self.name}"
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise Untrue(f"{path}: {error}") from None
        unknown = set(said) - FIELDS
        if unknown or "what" not in said or "leaks" not in said:
            raise Untrue(f"{path}: {', '.join(sorted(unknown)) or 'what or leaks is missing'}")
        self.sources = [path.parent / said["source"]] if "source" in said else self.find_sources()
        self.marks = marks(self.sources)
        self.what = said["what"]
        self.before = said.get("before", 3000)
        self.leak = said.get("leak", 3000)
        self.captures = said.get("captures", 4)
        self.options = said.get("options", [])      # of the compiler or the runtime
        self.arguments = said.get("arguments", [])  # of the program
        self.way = said.get("way")                  # of the capture, where the runtime has several
        self.leaks = [Leak(one, self) for one in said["leaks"]]
        self.gate = said.get("gate", "fails" if self.leaks else "passes")
        if self.gate not in ("fails", "passes", "either"):
            raise Untrue(f"{path}: gate {self.gate}")

    def find_sources(self):
        """The main file first."""
        folder = self.path.parent / self.name
        if folder.is_dir():
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            return sorted(files, key=lambda path: path.stem.lower() != "main")
        files = [path for path in self.path.parent.iterdir() if path.is_file() and path.stem == self.name and path != self.path]
        if len(files) != 1:
            raise Untrue(f"{self.path}: {len(files)} programs of that name")
        return files

    @property
    def source(self):
        return self.sources[0]

    def pattern(self, text):
        """A regular expression in which {name} is the line of that mark."""
        for name, place in self.marks.items():
            text = text.replace("{" + name + "}", re.escape(place) + r"(?!\d)")
        try:
            return re.compile(text)
        except re.error as error:
            raise Untrue(f"{self.path}: {text}: {error}") from None

    def number(self, text):
        if text is None or isinstance(text, (int, float)):
            return text
        names = {"N": self.leak, "B": self.before, "pow2": power_of_two, "ceil": math.ceil, "floor": math.floor, "max": max, "min": min,
                 "sum": sum, "range": range, "len": len, "str": str, **layouts.NAMES}
        return eval(text, {"__builtins__": {}, **names})  # the files of this folder are as trusted as its programs


def listed(said):
    return said if isinstance(said, list) else [said]


def programs(wanted=()):
    """All of them, or those whose runtime, runtime/name or name is wanted, in order."""
    paths = sorted(HERE.glob("*/*.truth.json"))
    if wanted:  # only these are read: 355 take a fifth of a second
        paths = [path for path in paths if {path.parent.name, name_at(path), f"{path.parent.name}/{name_at(path)}"} & set(wanted)]
    return [Program(path) for path in paths]


def quick(found):
    """A quarter of each runtime's, of those that leak and of those that do not: each third one in the order of names, so that it changes only
    where programs come and go, and of these three in four. Of Node half of that: a capture of it, by a copy that writes a heap snapshot, takes half a
    second of the processor. What leaks is captured three times: the gate judges two rounds of it, as of four captures, of which the first is warm-up."""
    kept = []
    for runtime, leaks in dict.fromkeys((one.runtime, bool(one.leaks)) for one in found):
        some = [one for one in found if (one.runtime, bool(one.leaks)) == (runtime, leaks)][::quick_step(runtime)]
        kept += [one for number, one in enumerate(some) if number % 4 != 3]
    for one in kept:
        if one.leaks and one.gate == "fails":
            one.captures = min(one.captures, 3)
    return kept


def quick_step(runtime):
    return 6 if runtime == "node" else 3
