#!/usr/bin/env python3
"""Heap dumps that `hsdiff export --to hprof` wrote: there and back, and opened by VisualVM's heap library.

VisualVM is the Debian package `visualvm`; where it is not installed the cases that need it are skipped.
"""
import collections
import pathlib
import re

import kit

MODULES = pathlib.Path("/usr/share/visualvm/visualvm/modules")
JAVA = """
import java.lang.ref.*;
import java.util.*;
public class Shop {
    static final Map<String, Session> SESSIONS = new HashMap<>();
    static final Thread WORKER = new Thread(() -> {
        Object[] local = new Object[100000];
        for (int i = 0; i < local.length; i += 7) local[i] = new Item(null, i);
        synchronized (local) { try { Thread.sleep(600000); } catch (InterruptedException gone) { local[0] = null; } }
    }, "night shift");
    static class Item { Session of; int number; double price; Item(Session of, int number) { this.of = of; this.number = number; } }
    static class Session extends ArrayList<Item> {
        String name; WeakReference<Object> weak; SoftReference<Object> soft; Item[] first = new Item[4]; byte[] bytes;
    }
    static void step(int i) throws Exception {
        for (int s = 0; s < 2000; s++) {
            Session session = new Session();
            session.name = "session " + s;
            session.weak = new WeakReference<>(session);
            session.soft = new SoftReference<>(new Item(session, -1));
            session.bytes = new byte[s % 100];
            for (int n = 0; n < 5; n++) session.add(new Item(session, n));
            session.first[2] = session.get(0);
            SESSIONS.put(session.name, session);
        }
        WORKER.setDaemon(true);
        WORKER.start();
        while (WORKER.getState() != Thread.State.TIMED_WAITING) Thread.sleep(5);
    }
}
"""
NODE = """
class Session { constructor(n) { this.number = n; this.tags = ['a' + n, 'b' + n]; this.text = ('text ' + n).repeat(50); } }
global.sessions = new Map();
function step(i) { for (let n = 0; n < 2000; n++) sessions.set('session ' + n, new Session(n)); }
"""
SLASH = "\u2215"  # for the slash, which tools take for a dot
MADE_UP = {"java.lang.Class", "(elements)[]", "byte[]", "char[]", "java.lang.String", "java.lang.Thread"}


def there_and_back(tool, folder, dump):
    """(capture, exported dump, capture of that)"""
    first, out, second = folder / "first.hs", folder / "out.hprof", folder / "second.hs"
    tool.import_(dump, first)
    tool.export(first, "hprof", out)
    tool.import_(out, second)
    return first, out, second


def amounts(tool, capture):
    """{type: objects} of every object in the file, whatever holds it, and {(kind, target)} of the roots."""
    names, counts, roots = {}, collections.Counter(), collections.Counter()
    for line in tool.dump(capture):
        if line.startswith("object "):
            counts[re.search(r" type=(\d+)", line)[1]] += 1
        elif line.startswith("type "):
            names[line.split(None, 2)[1]] = re.search(r'name="(.*)"', line)[1]
        elif line.startswith("root "):
            roots[line.split()[1]] += 1
    by_name = collections.Counter() # types of one name are one
    for number, count in counts.items():
        by_name[names[number]] += count
    return by_name, roots


def jvm_there_and_back(tool, folder):
    dump = kit.java_dump(folder, JAVA, "Shop", options=["-Xmx128m"])[0]
    first, _, second = there_and_back(tool, folder, dump)
    report = tool.diff(first, second)
    for row in report["types"]:
        kit.same(f"growth of {row['type']} in objects", row["growth"]["objects"], 0)
        kit.same(f"growth of {row['type']} in bytes", row["growth"]["bytes"], 0)
    for row in report["roots"]:
        kit.same(f"growth of root {row['root']} in objects", row["growth"]["objects"], 0)
    kit.same("kinds of roots", amounts(tool, second)[1], amounts(tool, first)[1])
    before, after = tool.info(first), tool.info(second)
    kit.check(after["references"] <= before["references"], "references came from nowhere")
    dangling = report["captures"][0].get("dangling", before["references"] - after["references"])
    kit.same("references that lead somewhere", after["references"], before["references"] - dangling)


def node_there_and_back(tool, folder):
    dump = kit.node_dump(folder, NODE)[0]
    first, _, second = there_and_back(tool, folder, dump)
    before, after = amounts(tool, first)[0], amounts(tool, second)[0]
    turned = collections.Counter({name.replace("/", SLASH): count for name, count in before.items()})
    for name in set(turned) | set(after):
        if name in MADE_UP:
            kit.check(after[name] >= turned[name], f"{name} got fewer")
        else:
            kit.same(f"objects of {name}", after[name], turned[name])


def library(folder, dump, *classes):
    """What VisualVM's heap library says of a dump: {fact: {name: [numbers]}}."""
    kit.need("java")
    if not (MODULES / "org-graalvm-visualvm-lib-jfluid-heap.jar").exists():
        kit.skip("visualvm is not installed (apt-get install visualvm)")
    jars = [MODULES / "org-graalvm-visualvm-lib-jfluid-heap.jar", MODULES / "org-graalvm-visualvm-lib-jfluid.jar"]
    jars += sorted((MODULES.parent.parent / "platform" / "lib").glob("*.jar"))
    copy = folder / ("library-" + dump.name)  # it keeps its indexes beside the dump
    copy.write_bytes(dump.read_bytes())
    said = kit.run(["java", "-Xmx512m", "-XX:+UseSerialGC", f"-Djava.io.tmpdir={folder}", "-cp", ":".join(map(str, jars)),
                    kit.HERE / "HeapOf.java", copy, *classes])
    facts = collections.defaultdict(dict)
    for line in said.splitlines():
        fact, *rest = line.split("\t")
        if fact == "total":
            facts[fact] = [int(x) for x in rest]
        else:
            facts[fact][rest[0]] = [int(x) for x in rest[1:]]
    return facts


def by_class(facts):
    """{class: instances} without the addresses of hidden classes and the numbers of lambdas."""
    counts = collections.Counter()
    for name, (instances, _) in facts["class"].items():
        counts[re.sub(r"(\$\$Lambda)(\$\d+)?", r"\1", re.sub(r"[+/.]0x[0-9a-f]+", "", name))] += instances
    return counts


def visualvm_opens_jvm(tool, folder):
    dump = kit.java_dump(folder, JAVA, "Shop", options=["-Xmx128m"])[0]
    _, out, _ = there_and_back(tool, folder, dump)
    asked = ["Shop$Session", "Shop$Item"]
    given, written = library(folder, dump, *asked), library(folder, out, *asked)
    kit.same("instances", written["total"][0], given["total"][0])
    wanted, got = by_class(given), by_class(written)
    kit.same("instances by class", {n: got[n] for n in got if got[n] != wanted[n]}, {n: wanted[n] for n in wanted if got[n] != wanted[n]})
    kit.same("roots by kind", written["root"], given["root"])
    kit.same("threads and how deep they are", written["thread"], given["thread"])
    kit.check("night shift" in written["thread"], f"no thread of that name: {written['thread']}")
    for name in asked:
        got, wanted = written["retained"][name][0], given["retained"][name][0]
        kit.check(abs(got - wanted) <= wanted // 10, f"retained by {name}: {got}, not about {wanted}")


def visualvm_opens_node(tool, folder):
    dump = kit.node_dump(folder, NODE)[0]
    first, out, _ = there_and_back(tool, folder, dump)
    facts = library(folder, out, "Session")
    counts = amounts(tool, first)[0]
    kit.same("sessions", facts["class"]["Session"][0], counts["Session"])
    kit.check(facts["retained"]["Session"][0] > 2000 * 100, f"retained by sessions: {facts['retained']['Session']}")


if __name__ == "__main__":
    kit.main({"jvm_there_and_back": jvm_there_and_back, "node_there_and_back": node_there_and_back,
              "visualvm_opens_jvm": visualvm_opens_jvm, "visualvm_opens_node": visualvm_opens_node})
