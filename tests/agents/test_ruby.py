#!/usr/bin/env python3
"""Real Ruby programs under load: captured by the agent, and dumped with the snippet of doc/capture-ruby.md by a signal, imported and compared."""
import os
import re
import signal
import stat
import subprocess

import kit
from kit import check, row, say

kit.need("ruby")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def snippet(folder):
    """The lines of the document, as it has them."""
    document = (kit.PROJECT / "doc" / "capture-ruby.md").read_text(encoding="utf-8")
    (folder / "heap_dump.rb").write_text(re.search(r"^```ruby\n(.*?)^```", document, re.S | re.M)[1], encoding="utf-8")
    return folder / "heap_dump.rb"


def start(folder, target, **environment):
    return kit.Program(["ruby", "-r", str(snippet(folder)), str(kit.HERE / "programs" / "ruby_leak.rb")],
                       {"HEAP_DUMP": str(target), "RUBYOPT": "", **environment})


def dump(tool, program, pipe, out):
    """As the document says: through a pipe into the importer."""
    with subprocess.Popen(["sh", "-c", 'exec "$0" import - -o "$2" < "$1"', tool.path, str(pipe), str(out)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as reader:
        program.process.send_signal(signal.SIGUSR2)
        said, _ = reader.communicate(timeout=120)
        check(reader.returncode == 0, said)


def expect_growth(diff, name, before, new):
    kind = row(diff["types"], "type", name)
    check(kind, f"no {name}")
    same(f"{name} before", kind["before"]["objects"], before)
    same(f"{name} new", kind["new"]["objects"], new)
    same(f"{name} freed", kind["freed"]["objects"], 0)


def leak_with(tool, folder, **environment):
    pipe = folder / "pipe"
    os.mkfifo(pipe, 0o600)
    with start(folder, pipe, **environment) as program:
        program.leak(2000)
        dump(tool, program, pipe, folder / "a.hs")
        program.leak(500)
        program.tell("keep 70")
        same("kept", program.expect("kept"), "70")
        program.tell("wait 4")
        program.expect("waiting")
        dump(tool, program, pipe, folder / "b.hs")
        program.quit()
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
        info = tool.info(folder / f"{name}.hs")
        same("identity", info["identity"], "address")
        check(set(info["domain"]) != {"0"}, "the process instance is not known")
    same("process instance", tool.info(folder / "a.hs")["domain"], tool.info(folder / "b.hs")["domain"])
    diff = tool.diff(folder / "a.hs", folder / "b.hs", "--top", "1000")
    expect_growth(diff, "Session", 2000, 500)
    expect_growth(diff, "Tag", 2000, 500)
    same("Kept new", row(diff["types"], "type", "Kept")["new"]["objects"], 70)
    same("Waiter new", row(diff["types"], "type", "Waiter")["new"]["objects"], 4)
    # A session, its tag, the text of that and its data.
    cache = row(diff["roots"], "root", "Shop::Cache.(state)")
    check(cache, f"no Shop::Cache.(state) among {[r['root'] for r in diff['roots']][:20]}")
    same("what Shop::Cache holds", cache["growth"]["objects"], 500 * 4)
    same("what global variables hold", row(diff["roots"], "root", "global_tbl")["growth"]["objects"], 70)
    return diff


def leak(tool, folder):
    """Counts, the class that holds and the global variables of what was planted between two dumps."""
    leak_with(tool, folder)
    say(f"  {tool.info(folder / 'b.hs')['objects']:,} objects")


def sites(tool, folder):
    """The same with allocation sites."""
    leak_with(tool, folder, HEAP_DUMP_SITES="1")
    told = tool.run("dump", folder / "b.hs").stdout
    check("ruby_leak.rb" in told, "no allocation site in the program")


def whole_dump(program, path):
    program.process.send_signal(signal.SIGUSR2)
    kit.wait_for_file(program, path)


def cut(tool, folder):
    """A dump in a file is private; one that ends early is refused, and with --partial gives lower bounds that say so."""
    path = folder / "whole.json"
    with start(folder, path) as program:
        program.leak(5000)
        whole_dump(program, path)
        same("mode of the file", stat.S_IMODE(path.stat().st_mode), 0o600)
        program.quit()
    data = path.read_bytes()
    (folder / "cut.json").write_bytes(data[:len(data) // 2 - data[:len(data) // 2][::-1].index(b"\n") + 20])
    refused = tool.run("import", folder / "cut.json", "-o", folder / "cut.hs", expect=None)
    check(refused.returncode == 3 and "--partial" in refused.stderr, refused.stderr)
    tool.run("import", folder / "cut.json", "-o", folder / "cut.hs", "--partial", expect=None)
    told = tool.run("info", folder / "cut.hs", expect=3)
    check("not complete" in told.stderr, "a cut dump is called complete")


def instances(tool, folder):
    """Runs of one program are processes of their own: what is at the same address is not taken for the same."""
    domains = set()
    pipe = folder / "pipe"
    os.mkfifo(pipe, 0o600)
    for i in range(3):
        with start(folder, pipe) as program:
            program.leak(10)
            dump(tool, program, pipe, folder / f"{i}.hs")
            program.quit()
        domains.add(tool.info(folder / f"{i}.hs")["domain"])
    same("process instances", len(domains), 3)


# ---- the agent ----


def environment(tool):
    folder = f"{tool.agents}/ruby"
    if not os.path.exists(f"{folder}/hsdiff.rb"):
        kit.skip("no agent was built: ruby-dev")
    return {"RUBYLIB": folder, "RUBYOPT": "-rhsdiff"}


def with_agent(tool, name, **more):
    return kit.Program(["ruby", str(kit.HERE / "programs" / f"{name}.rb")], {**environment(tool), **more})


def agent_leak(tool, folder):
    """Exact counts, the constant that holds, and the way by names of variables."""
    with with_agent(tool, "ruby_leak") as program:
        program.leak(2000)
        tool.capture(program.pid, folder / "a.hs")
        program.leak(500)
        program.tell("keep 70")
        program.expect("kept")
        tool.capture(program.pid, folder / "b.hs")
        program.quit()
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
    diff = tool.diff(folder / "a.hs", folder / "b.hs", "--top", "1000")
    expect_growth(diff, "Session", 2000, 500)
    expect_growth(diff, "Tag", 2000, 500)
    cache = row(diff["roots"], "root", "Shop::Cache.SESSIONS")
    same("what the constant holds: sessions, tags, their texts and data", cache["growth"]["objects"], 500 * 4)
    same("what the global variable holds", row(diff["roots"], "root", "$kept")["growth"]["objects"], 70)
    screen = tool.run(folder / "a.hs", folder / "b.hs").stdout
    check("Shop::Cache.SESSIONS: Array" in screen and "[*]: Session" in screen and ".@tag: Tag" in screen and ".@text: String" in screen, screen)


def agent_places(tool, folder):
    """Each kind of place by its name; nothing of the program runs, and nothing in it changes."""
    with with_agent(tool, "ruby_shapes") as program:
        tool.capture(program.pid, folder / "a.hs")
        program.leak(40)
        tool.capture(program.pid, folder / "b.hs")
        program.tell("told")
        same("threads, autoload, the collector", program.expect("told"), "1 autoload false true")
        program.tell("deadlock")
        same("all threads wait", program.expect("deadlock"), "fatal")
        program.quit()
    diff = tool.diff(folder / "a.hs", folder / "b.hs", "--top", "1000")
    for kind in ("Shared", "OnClass", "Key", "Value", "Member", "Generic", "Closure", "Local", "Kept", "Read"):
        same(f"Of{kind}", row(diff["types"], "type", f"Of{kind}")["growth"]["objects"], 40)
    weak = tool.run("paths", folder / "b.hs", "OfWeak", expect=None).stdout  # a word that was left on the C stack may look like one of them
    check("WEAK" not in weak, weak)
    roots = {r["root"]: r["growth"]["objects"] for r in diff["roots"]}
    for root, least in (("static Holder.@@shared", 40), ("static Holder.@on_class", 40), ("static HASH", 80), ("static POINTS", 80), ("static TEXT", 40), ("static CLOSURES", 120), ("main.locals", 40), ("main thread[:visits]", 40), ("main thread[*]", 40)):
        found = [count for name, count in roots.items() if name == root or name.endswith("." + root.split(" ")[-1]) or name.endswith(root)]
        check(found and max(found) >= least, f"{root}: {found} of {[n for n, c in roots.items() if c > 0]}")
    screen = tool.run("paths", folder / "b.hs", "OfLocal").stdout
    check("main.locals" in screen, screen)
    path = tool.run("paths", folder / "b.hs", "OfMember").stdout
    check(".place" in path, path)
    growth = diff["total"]["growth"]["objects"]
    check(growth < 40 * 19, f"the capture left {growth} objects behind")


def agent_locals(tool, folder):
    """Local variables of a method that runs on the main thread, and of a block in it; what the capture looked at is not left behind."""
    with with_agent(tool, "ruby_locals") as program:
        program.leak(300)
        tool.capture(program.pid, folder / "a.hs")
        program.leak(200)
        for name in "bc":
            tool.capture(program.pid, folder / f"{name}.hs")
        program.tell("quit")
        same("the program goes on", program.expect("over"), "500")
    diff = tool.diff(folder / "a.hs", folder / "b.hs", "--top", "1000")
    for place, kind, least in (("local sessions of serve (ruby_locals.rb:6)", "OfMethod", 200), ("local queue of block in serve (ruby_locals.rb:8)", "OfBlock", 200)):
        same(kind, row(diff["types"], "type", kind)["new"]["objects"], 200)
        root = row(diff["roots"], "root", place)
        check(root and root["new"]["objects"] >= least, f"{place}: {[(r['root'], r['growth']['objects']) for r in diff['roots']]}")
    growth = tool.diff(folder / "b.hs", folder / "c.hs")["total"]["growth"]["objects"]
    check(abs(growth) < 20, f"a capture left {growth} objects behind")


def agent_asked(tool, folder):
    """A program that sleeps answers; one in C code that keeps the lock does not, and goes on; children of fork answer for themselves."""
    with with_agent(tool, "ruby_shapes") as program:
        program.tell("fork")
        child = int(program.expect("forked"))
        kit.wait_until("the child listens", lambda: f"@hsdiff/1/ruby/{child}" in open("/proc/net/unix").read())
        done = None
        for _ in range(100):
            done = tool.capture(child, folder / "child.hs", "--force", expect=None)
            same(done.stderr, done.returncode, 0)
            values = row(tool.diff(folder / "child.hs", folder / "child.hs", "--top", "1000")["types"], "type", "OfValue").get("after", {"objects": 0})["objects"]
            if values == 500:
                break
        same("what the child alone has", values, 500)
        os.kill(child, signal.SIGKILL)
        program.tell("busy 8")
        program.expect("busy")
        refused = tool.capture(program.pid, folder / "busy.hs", "--timeout", "30s", expect=None)
        if refused.returncode != 0:
            check("ran no instruction" in refused.stderr and not (folder / "busy.hs").exists(), refused.stderr)
        program.expect("done")
        tool.capture(program.pid, folder / "after.hs")
        program.quit()
    with kit.Program(["ruby", str(kit.HERE / "programs" / "ruby_shapes.rb")], {"RUBYOPT": "", "RUBYLIB": ""}) as program:
        refused = tool.capture(program.pid, folder / "no.hs", expect=3)
        check("hsdiff capture -- ruby" in refused.stderr, refused.stderr)
        program.quit()


def agent_aborted(tool, folder):
    """Askers that are killed at any moment: the program goes on, and the next capture is whole."""
    with with_agent(tool, "ruby_leak") as program:
        program.leak(20000)
        moments, cut = kit.Moments(11, 0.2), 0
        for i in range(kit.ABORTS):
            asker = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / f"x{i}.hs")], env=tool.environment,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            moments.sleep(asker)
            asker.kill()
            cut += asker.wait() != 0
        say(f"        {cut} of {kit.ABORTS} were cut")
        for left in folder.glob("x*"):
            tool.run("verify", left)
        same("planted", program.leak(100), 20100)
        tool.capture(program.pid, folder / "whole.hs")
        tool.run("verify", folder / "whole.hs")
        program.quit()


def agent_started(tool, folder):
    """hsdiff capture -- ruby, and a script that says that it is Ruby's; what RUBYOPT had stays."""
    environment(tool)
    script = folder / "app"
    script.write_text("#!/usr/bin/env ruby\nKEPT = Array.new(1000) { Object.new }\nputs $DEBUG_APP.inspect, $VERBOSE.inspect\nends = Time.now + 4\nsleep 0.1 while Time.now < ends\n")
    script.chmod(0o755)
    for number, command in enumerate((["ruby", str(script)], [str(script)])):
        done = tool.run("capture", "--every", "1s", "--count", "1", "-o", folder / f"{number}.hs", "--", *command)
        check("way ruby" in done.stderr, done.stderr)
        saved = list(folder.glob(f"{number}*.hs"))
        same("captures", len(saved), 1)
        tool.run("verify", saved[0])
    kept = dict(tool.environment)
    tool.environment = dict(kept, RUBYOPT="-W2")
    done = tool.run("capture", "--every", "1s", "--count", "1", "-o", folder / "w.hs", "--", "ruby", str(script))
    check("true" in done.stdout, f"-W2 is still there: {done.stdout}")
    tool.environment = kept


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak, sites, cut, instances, agent_leak, agent_places, agent_locals, agent_asked, agent_aborted, agent_started)})
