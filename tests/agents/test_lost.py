#!/usr/bin/env python3
"""Lost memory in programs of C and C++: told by site and line, and failing the gate. Beside it LeakSanitizer and valgrind on the same programs:
what they call lost is lost here and the converse, but for what a conservative scan may not know, which stands below."""
import functools
import json
import os
import pathlib
import re
import subprocess
import tempfile

import kit
from kit import check, say

BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-lost-")
ROUNDS = (1500, 1500, 1500, 1500)
# A word that nobody cleared may hold what is lost, with all that hangs below it, and a list that is lost one capture later.
STALE = 8

# What is lost, by the word that a program gets: the function that allocated it, the source, blocks for each round of "leak", and what
# is round the cycle if it is one.
LOST = {
    "strdup": ("copy_field", "native_lost.c", 1, None),
    "list": ("lose_list", "native_lost.c", 1, None),
    "cycle": ("lose_cycle", "native_lost.c", 2, "node"),
    "tree": ("grow_tree", "native_lost.c", 7, None),
    "realloc": ("lose_buffer", "native_lost.c", 1, None),
    "table": ("lose_table", "native_lost.c", 1, None),
    "thread": ("work", "native_lost.c", 1, None),
    "shared": ("lose_shared", "native_lost.cpp", 2, "shop::Account"),
    "parser": ("shop::Parser::field", "native_lost.cpp", 1, None),
    "vector": ("fill", "native_lost.cpp", 2 / 16, None),
    "plugin": ("plugin_run", "native_plugin.c", 2, None),  # which is unloaded when captures are taken
    "map": ("lose_map", "native_lost.cpp", 2, None),  # its nodes lead back to their parents, and hang from the top all the same
}
KEPT = {"interior": "native_lost.c", "tls": "native_lost.c", "clean": "native_lost.c", "constant": "native_lost.c", "kept": "native_lost.cpp"}


@functools.cache
def build(source, *flags):
    compiler = "g++" if source.endswith(".cpp") else "gcc"
    kit.need(compiler)
    path = pathlib.Path(BUILT.name) / (source.replace(".", "-") + "".join(flags))
    subprocess.run([compiler, "-g", "-O1", "-fno-builtin", "-pthread", "-Wl,--build-id", *flags, kit.HERE / "programs" / source, "-o", path],
                   check=True)
    return path


def asked(word):
    """What the program gets: the word, or the library that it is to load."""
    return build("native_plugin.c", "-shared", "-fPIC", "-DPLUGIN") if word == "plugin" else word


@functools.cache
def captures(tool, source, word):
    """Four of one process, once for all cases."""
    folder = pathlib.Path(BUILT.name)
    agent = pathlib.Path(tool.agents) / "libhsdiff-native.so"
    if not agent.exists():
        kit.skip("the native agent was not built")
    paths = [folder / f"{word}-{i}.hs" for i in range(len(ROUNDS))]
    with kit.Program([build(source), asked(word)], {"LD_PRELOAD": str(agent)}) as running:
        for path, count in zip(paths, ROUNDS):
            running.leak(count)
            tool.capture(running.pid, path)
        running.quit()
    return paths


def gate(tool, *paths):
    """Whether the check passes, its rules by name, and the finding that leads."""
    done = tool.run("check", *paths, "--format", "json", expect=None)
    check(done.returncode in (0, 1), f"check: {done.returncode}\n{done.stderr}")
    rules = {r["rule"]: r for r in json.loads(done.stdout)["rules"]}
    return done.returncode == 0, rules


def loses(word):
    function, source, blocks, cycle = LOST[word]

    def case(tool, folder):
        paths = captures(tool, source, word)
        text = tool.run(paths[1], paths[3], "--also", f"json={folder / 'diff.json'}").stdout
        diff = json.loads((folder / "diff.json").read_text())
        row = diff["lost"][0]
        at = row["frames"][row["frame"]]
        check(at["function"].startswith(function), f"{word}: allocated at {at}")
        check(at["file"] == source and at["line"] > 0, f"{word}: no line: {at}")
        check((cycle or "") in (row["cycle"] or ""), f"{word}: cycle {row['cycle']}")
        check((cycle is None) == (row["cycle"] is None), f"{word}: cycle {row['cycle']}")
        grown = sum(r["growth"]["objects"] for r in diff["lost"])
        wanted = sum(ROUNDS[2:]) * blocks
        slack = STALE if word not in ("list", "map", "thread", "table") else max(ROUNDS) * blocks + STALE
        check(abs(grown - wanted) <= slack, f"{word}: {grown} more blocks are lost, not {wanted}")
        check("LOST" in text and "no pointer to it is left" in " ".join(text.split()), f"{word}: the first screen\n{text}")
        for of in ((paths[0], paths[3]), paths):
            passes, rules = gate(tool, *of)
            check(not passes and rules["nothing is lost"]["outcome"] == "fail", f"{word}: {len(of)} captures pass")
            found = rules["nothing is lost"]["findings"][0]
            frames = [f for site in found["sites"] for f in site["frames"]]
            check(frames and frames[0]["file"] == source and frames[0]["line"] > 0, f"{word}: finding {found}")
        sarif = json.loads(tool.run("check", *paths, "--format", "sarif", expect=1).stdout)
        places = [r["locations"][0]["physicalLocation"] for r in sarif["runs"][0]["results"] if r["level"] == "error"]
        check(any(p["artifactLocation"]["uri"].endswith(source) for p in places), f"{word}: SARIF points at {places}")

    return case


def keeps(word):
    def case(tool, folder):
        paths = captures(tool, KEPT[word], word)
        for of in ((paths[0], paths[3]), paths):
            _, rules = gate(tool, *of)
            check(rules["nothing is lost"]["outcome"] == "ok", f"{word}: {rules['nothing is lost']}")
        diff = tool.diff(paths[0], paths[3])
        grown = sum(r["growth"]["objects"] for r in diff["lost"])
        check(grown <= STALE, f"{word}: {grown} blocks are called lost")
        if word != "constant":
            return
        before = sum(r["before"]["bytes"] for r in diff["lost"])
        check(before > 80 << 10, f"what was lost at the start: {before} bytes")

    return case


def hidden(tool, folder):
    """Pointers that are masked: nobody who looks for words finds them, and hsdiff, LeakSanitizer and valgrind agree on what they cannot know."""
    paths = captures(tool, "native_lost.c", "xor")
    passes, _ = gate(tool, *paths)
    check(not passes, "what is hidden looks lost, as the documents say")
    check(valgrind("native_lost.c", "xor") > sum(ROUNDS) - STALE, "valgrind sees through a mask")


def rules(tool, folder):
    """lost.bytes by type and by site, and an allowance."""
    paths = captures(tool, "native_lost.cpp", "parser")
    config = folder / "rules.yml"

    def holds(text):
        config.write_text(text)
        return tool.run("check", paths[0], paths[3], "--config", config, expect=None).returncode

    check(holds("rules:\n  - metric: lost.bytes\n    max_growth: 64 KiB\n") == 1, "lost.bytes of all")
    check(holds("rules:\n  - metric: lost.objects\n    max_growth: 10000\n") == 0, "lost.objects of all")
    check(holds("rules:\n  - site: 'shop::Parser::field*'\n    max_growth: 64 KiB\n") == 1, "by site")
    check(holds("rules:\n  - site: 'elsewhere*'\n    max_growth: 64 KiB\n") == 0, "by another site")
    check(holds("rules:\n  - type: '*at shop::Parser::field'\n    metric: lost.objects\n    max_growth: 10\n") == 1, "by type")
    check(holds("rules:\n  - metric: lost.bytes\n    max_growth: 64 KiB\nallow:\n  - site: '/Parser::field/'\n    reason: interned\n") == 0,
          "allowed by site")
    check(holds("rules:\n  - root: '*'\n    metric: lost.bytes\n    max_growth: 1\n") not in (0, 1), "nothing holds what is lost")


# ---- the peers ----


def play(command, word, environment):
    """What a program that leaks the same says on its standard error."""
    lines = "".join(f"leak {count}\n" for count in ROUNDS) + "quit\n"
    done = subprocess.run([*map(str, command), asked(word)], input=lines, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, **environment))
    return done.stderr


@functools.cache
def valgrind(source, word):
    """Blocks that are definitely or indirectly lost; what is possibly lost is reached by addresses inside alone, which count here."""
    kit.need("valgrind")
    said = play(["valgrind", "--leak-check=summary", "--undef-value-errors=no", "--num-callers=1", "--read-inline-info=no", build(source)], word, {})
    return sum(int(n.replace(",", "")) for n in re.findall(r"(?:definitely|indirectly) lost: [\d,]+ bytes in ([\d,]+) blocks", said))


def sanitizer(source, word):
    said = play([build(source, "-fsanitize=leak")], word, {"LSAN_OPTIONS": "detect_leaks=1:report_objects=0"})
    if "LeakSanitizer has encountered a fatal error" in said:
        kit.skip("LeakSanitizer cannot run here")
    found = re.findall(r"SUMMARY: LeakSanitizer: \d+ byte\(s\) leaked in (\d+) allocation", said)
    return int(found[0]) if found else 0


def agree(tool, folder):
    """One program after the other, at the same moment: after all rounds. Roots differ by a word or two that nobody cleared."""
    sources = {**{w: LOST[w][1] for w in LOST}, **KEPT, "xor": "native_lost.c"}
    say(f"{'program':10} {'hsdiff':>8} {'valgrind':>9} {'LSan':>8}")
    for word, source in sources.items():
        path = captures(tool, source, word)[-1]
        ours = sum(r["after"]["objects"] for r in tool.diff(path, path)["lost"])
        theirs = {"valgrind": valgrind(source, word), "LSan": sanitizer(source, word)}
        say(f"{word:10} {ours:8} {theirs['valgrind']:9} {theirs['LSan']:8}")
        whole = max(ROUNDS) * (LOST[word][2] if word in LOST else 0)
        for peer, blocks in theirs.items():
            slack = STALE + (whole if word in ("list", "map", "thread", "table") else 0)
            check(abs(ours - blocks) <= slack, f"{word}: {ours} blocks are lost, {peer} says {blocks}")


CASES = {**{w: loses(w) for w in LOST}, **{w: keeps(w) for w in KEPT}, "hidden": hidden, "rules": rules, "agree": agree}

if __name__ == "__main__":
    kit.main(CASES)
