#!/usr/bin/env python3
"""What the viewer answers is what the commands say of the same heap, and hangs together by itself.

Usage: test_answers.py --hsdiff FILE [--only CASE]
"""
import gzip
import json
import urllib.parse

import kit
from kit import check, same

HOSTILE = ["<script>alert(1)</script>", "a\"b\\c", "\u202eevil\u202c", "\x1b[31mred\x07", "line\nbreak\r\n", "=cmd|' /C calc'!A0", "</title><img>",
           "naïve ☃ 😀", "100%&a=b#c+d", "null\ttab", "\u2028\u2029", "A" * 2000, "'; drop table types; --", "{{7*7}}", "${jndi:x}"]


def query(path, **parameters):
    return f"{path}?{urllib.parse.urlencode(parameters)}"


def every(viewer, path, **parameters):
    """All nodes or types of a list, page by page."""
    found, kind = [], "types" if path == "/api/types" else "nodes"
    while True:
        answer = viewer.ask(query(path, **parameters, **{"from": len(found), "count": 500}))
        same(f"{path}: from", answer["from"], len(found))
        found += answer[kind]
        if not answer[kind] or len(found) >= answer["total"]:
            same(f"{path}: total", len(found), answer["total"])
            return found


def tells_the_state(world):
    with world.view() as viewer:
        state = viewer.until_ready()
        same("captures", [capture["name"] for capture in state["captures"]], [str(world.before), str(world.after)])
        same("report", state["report"], "diff")
        live = {"before": 0, "after": 0}
        for row in world.json(world.before, world.after, "--top", "all")["types"]:
            for side in live:
                live[side] += row[side]["bytes"]
        same("sides", state["sides"], [{"side": side, "browsable": True, "why_not": None, "live_bytes": live[side]} for side in ["before", "after"]])
        same("others", (state["error"], state["why_not"], state["version"]), (None, None, world.run("--version").stdout.split()[1]))
    with world.view(world.after) as viewer:
        state = viewer.until_ready()
        same("of one", (state["report"], [side["side"] for side in state["sides"]]), (None, ["after"]))
        viewer.ask("/api/report", expect=404)


def has_the_report_of_the_command(world):
    wanted = [json.loads(line) for line in world.run(world.before, world.after, "--format", "ndjson", "--tree").stdout.splitlines()]
    with world.view() as viewer:
        viewer.until_ready()
        answer = viewer.get("/api/report")
        same("its type", answer.headers["content-type"], "application/octet-stream")
        check("content-encoding" not in answer.headers, "an encoding that the browser would take away")
        same("its length", int(answer.headers["content-length"]), len(answer.body))
        records = [json.loads(line) for line in gzip.decompress(answer.body).decode().splitlines()]
    same("the first record", records[0]["record"], "page")
    for kind in ["capture", "match", "total", "holder", "root", "type"]:
        same(f"records of kind {kind}", [record for record in records if record["record"] == kind],
             [record for record in wanted if record["record"] == kind])


def has_the_types_of_top(world):
    for side, capture in [("before", world.before), ("after", world.after)]:
        top = {row["type"]: row for row in world.json("top", capture, "--top", "all")["types"]}
        with world.view() as viewer:
            viewer.until_ready()
            types = every(viewer, "/api/types", side=side)
            live = {name: row for name, row in top.items() if row["live"]["objects"] > 0}
            same(f"types {side}", {row["name"]: (row["objects"], row["bytes"], row["retained"]) for row in types},
                 {name: (row["live"]["objects"], row["live"]["bytes"], row["retained_bytes"]) for name, row in live.items()})
            for order in ["retained", "bytes", "objects"]:
                values = [row[order] for row in every(viewer, "/api/types", side=side, order=order)]
                same(f"order {order}", values, sorted(values, reverse=True))
            names = [row["name"] for row in every(viewer, "/api/types", side=side, order="name")]
            same("order name", names, sorted(names, key=str.encode))
            some = {row["name"] for row in every(viewer, "/api/types", side=side, text="SESS")}
            same("with sess in it", some, {name for name in live if "sess" in name.lower()})
            same("none", every(viewer, "/api/types", side=side, text="nothing is called that"), [])


def adds_up(world):
    """Objects of the types, and what hangs from all roots, are the live heap."""
    diff = world.json(world.before, world.after)
    rows = {row["type"]: row for row in diff["types"]}
    with world.view() as viewer:
        viewer.until_ready()
        for number, side in enumerate(["before", "after"]):
            live = diff["captures"][number]
            types = every(viewer, "/api/types", side=side)
            same(f"{side}: bytes of types", sum(row["bytes"] for row in types), live["bytes"])
            all_roots = every(viewer, "/api/dominated", side=side, of="all")
            same(f"{side}: retained from all roots", sum(node["retained"] for node in all_roots), live["bytes"])
            same(f"{side}: objects from all roots", sum(node["retained_objects"] for node in all_roots), live["objects"])
            for row in types:
                if row["objects"] > 4000:
                    continue
                nodes = every(viewer, "/api/objects", side=side, type=row["name"])
                same(f"{row['name']}: objects", (len(nodes), sum(node["bytes"] for node in nodes)), (row["objects"], row["bytes"]))
                same(f"{row['name']}: order", [node["retained"] for node in nodes], sorted((node["retained"] for node in nodes), reverse=True))
                apart = "freed" if side == "before" else "new"
                told = rows.get(row["name"], {}).get(apart)
                if told is not None:
                    same(f"{row['name']}: {apart}", sum(node["state"] == apart for node in nodes), told["objects"])


def walks_the_heap(world):
    with world.view() as viewer:
        viewer.until_ready()
        biggest = world.json("top", world.after, "--top", "5")["objects"]
        check(biggest, "no objects of hsdiff top")
        for told in biggest:
            one = viewer.ask(query("/api/object", side="after", of=told["object"]))
            node = one["node"]
            same("of and id", (node["of"], node["id"], node["is_root"], node["kind"]), (told["object"], told["object"], False, None))
            same("type and bytes", (node["type"], node["bytes"]), (told["type"], told["bytes"]))
            same("retained", (node["retained_objects"], node["retained"]), (told["retained"]["objects"], told["retained"]["bytes"]))
            check(one["owner"], "an owner")
            check_surroundings(viewer, one)
            check_path(viewer, node)


def check_surroundings(viewer, one):
    of, side = one["node"]["of"], "after"
    for path in ["referents", "referrers", "dominated"]:
        nodes = every(viewer, f"/api/{path}", side=side, of=of)
        same(f"{path} of {of}", len(nodes), one[path])
    dominated = every(viewer, "/api/dominated", side=side, of=of)
    same("what it dominates and itself", sum(node["retained"] for node in dominated) + one["node"]["bytes"], one["node"]["retained"])
    for referent in [node for node in every(viewer, "/api/referents", side=side, of=of) if not node["weak"]][:5]:
        back = [node["of"] for node in every(viewer, "/api/referrers", side=side, of=referent["of"])]
        check(of in back, f"{of} refers to {referent['of']}, which does not know it")


def check_path(viewer, node):
    answer = viewer.ask(query("/api/path", side="after", of=node["of"]))
    path = answer["nodes"]
    gap = len(path) - (answer["total"] - answer["from"]) if answer["from"] > 0 else None  # what is very long has its middle left out
    check(path[0]["is_root"] and path[0]["kind"], f"a path begins at a root: {path[0]}")
    same("where it ends", path[-1]["of"], node["of"])
    for place, (one, following) in list(enumerate(zip(path, path[1:]), 1))[:50]:
        if place == gap:
            continue
        referents = [other["of"] for other in every(viewer, "/api/referents", side="after", of=one["of"]) if not other["weak"]]
        check(following["of"] in referents, f"{one['of']} does not refer to {following['of']}")
    dominators = viewer.ask(query("/api/dominators", side="after", of=node["of"]))["nodes"]
    on_path = {other["of"] for other in path}
    check(gap or all(other["of"] in on_path for other in dominators), "every dominator is on every path")


def knows_the_other_side(world):
    with world.view() as viewer:
        viewer.until_ready()
        kept = new = 0
        some = [(side, node) for side, name in [("before", "Session"), ("after", "Request")]
                for node in viewer.ask(query("/api/objects", side=side, type=name, count=50))["nodes"]]
        for side, node in some:
            one = viewer.ask(query("/api/object", side=side, of=node["of"]))
            check((one["other"] is not None) == (node["state"] == "kept"), one)
            kept, new = kept + (node["state"] == "kept"), new + (node["state"] == "new")
            if one["other"]:
                other = viewer.ask(query("/api/object", side=one["other"]["side"], of=one["other"]["of"]))
                same("and back", (other["other"]["id"], other["node"]["type"]), (node["id"], node["type"]))
        check(kept > 0 and new > 0, f"{kept} kept, {new} new")
        return f"{kept} kept, {new} new"


def searches(world):
    with world.view(world.after) as viewer:
        viewer.until_ready()
        found = viewer.ask(query("/api/search", text="session"))
        check("Session" in [row["name"] for row in found["types"]], found)
        check(any("sessions" in node["type"] for node in found["roots"]), found["roots"])
        same("no object", found["object"], None)
        some = viewer.ask(query("/api/objects", type="Session", count=1))["nodes"][0]
        same("by id", viewer.ask(query("/api/search", text=some["id"]))["object"]["of"], some["of"])
        same("by number", viewer.ask(query("/api/search", text=f"@{int(some['id'], 16)}"))["object"]["of"], some["of"])
        nothing = viewer.ask(query("/api/search", text="nothing is called that"))
        same("nothing", (nothing["types"], nothing["roots"], nothing["object"]), ([], [], None))


def says_what_is_wrong(world):
    with world.view() as viewer:
        viewer.until_ready()
        for target, status in {"/api/types": 400, "/api/types?side=both": 400, "/api/objects?side=after&type=No+such+type": 404,
                               "/api/object?side=after&of=0xffffffffffff": 404, "/api/object?side=after&of=root:4294967000": 404,
                               "/api/path?side=before&of=0xffffffffffff": 404, "/api/nothing": 404, "/api/object?side=after": 400}.items():
            answer = viewer.ask(target, expect=status)
            check(answer["error"] and "hint" in answer, answer)
    with world.view(world.after) as viewer:
        viewer.until_ready()
        viewer.ask("/api/types?side=before", expect=404)
        same("the side may be left out", viewer.ask("/api/types"), viewer.ask("/api/types?side=after"))


def write_snapshot(path, names, weak=False):
    """A V8 snapshot whose types have those names; each object hangs from the root, and may refer weakly to the next one."""
    strings = ["", "(root)", *names]
    count = len(names)
    nodes = [2, 1, 1, 0, count]
    edges = []
    for i in range(count):
        nodes += [1, i + 2, 2 * i + 3, 32, int(weak)]
        edges += [1, i + 2, 5 * (i + 1)]
    for i in range(count if weak else 0):
        edges += [2, i + 2, 5 * ((i + 1) % count + 1)]
    path.write_text(json.dumps({
        "snapshot": {"meta": {"node_fields": ["type", "name", "id", "self_size", "edge_count"],
                              "node_types": [["hidden", "object", "synthetic"], "string", "number", "number", "number"],
                              "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [["element", "property", "weak"], "string_or_number", "node"]},
                     "node_count": count + 1, "edge_count": len(edges) // 3},
        "nodes": nodes, "edges": edges, "strings": strings}), encoding="utf-8")


def survives_hostile_names(world):
    """Of a foreign dump, imported on the fly: they come back as they were, and can be asked for."""
    dump = world.folder / "hostile\x1b[31m<b>.heapsnapshot"
    write_snapshot(dump, HOSTILE)
    with world.view(dump) as viewer:
        state = viewer.until_ready()
        same("the capture's name", state["captures"][0]["name"], str(dump))
        names = {row["name"] for row in every(viewer, "/api/types")}
        same("lost names", [name for name in HOSTILE if name not in names], [])
        for name in HOSTILE:
            raw = viewer.get(query("/api/objects", type=name))
            same(f"{name!r}: status", raw.status, 200)
            check(b"\x1b" not in raw.body and "\u202e".encode() not in raw.body, f"{name!r}: raw control characters")
            same(f"{name!r}: objects", [node["type"] for node in raw.json()["nodes"]], [name])


def write_ruby(path, places):
    """A Ruby dump of strings in one array, each allocated at one of the places: method, file, line. Ruby marks nothing in names of files."""
    addresses = [f"0x{0x2000 + 64 * i:x}" for i in range(len(places))]
    quoted = ", ".join(json.dumps(address) for address in addresses)
    lines = ['{"type":"ROOT", "root":"vm", "references":["0x1000"]}\n',
             f'{{"address":"0x1000", "type":"ARRAY", "length":{len(places)}, "references":[{quoted}], "memsize":40}}\n']
    for address, (method, file, line) in zip(addresses, places):
        lines.append(f'{{"address":"{address}", "type":"STRING", "bytesize":3, "value":"abc", "file":"{file}", "line":{line}, '
                     f'"method":{json.dumps(method, ensure_ascii=False)}, "generation":1, "memsize":40}}\n')
    path.write_bytes("".join(lines).encode())
    return addresses


def tells_where_objects_were_allocated(world):
    """With names of any kind, which come back as they were."""
    dump = world.folder / "allocated.ruby.json"
    places = [(name, f"{other}.rb", 1 + i) for i, (name, other) in enumerate(zip(HOSTILE, reversed(HOSTILE)))]
    addresses = write_ruby(dump, places)
    with world.view(dump) as viewer:
        viewer.until_ready()
        for address, (method, file, line) in zip(addresses, places):
            answer = viewer.get(query("/api/object", of=address))
            same(f"{method!r}: status", answer.status, 200)
            check(b"\x1b" not in answer.body and "\u202e".encode() not in answer.body, f"{method!r}: raw control characters")
            same(f"frames of {address}", answer.json()["frames"], [{"function": method, "file": file, "line": line, "column": 0}])
        same("nothing is known of the array", viewer.ask("/api/object?of=0x1000")["frames"], [])
    with world.view(world.after) as viewer:
        viewer.until_ready()
        one = viewer.ask(query("/api/objects", type="Session", count=1))["nodes"][0]
        same("nor in a capture without", viewer.ask(query("/api/object", of=one["of"]))["frames"], [])


def marks_weak_references(world):
    """What they lead to does not know of them."""
    dump = world.folder / "weak.heapsnapshot"
    write_snapshot(dump, HOSTILE, weak=True)
    edges = []
    with world.view(dump) as viewer:
        viewer.until_ready()
        for i, name in enumerate(HOSTILE):
            of = viewer.ask(query("/api/objects", type=name))["nodes"][0]["of"]
            following = viewer.ask(query("/api/objects", type=HOSTILE[(i + 1) % len(HOSTILE)]))["nodes"][0]["of"]
            answer = viewer.ask(query("/api/referents", of=of))
            same(f"{name!r}: referents", [(node["of"], node["weak"]) for node in answer["nodes"]], [(following, True)])
            same(f"{name!r}: how many", (answer["total"], answer["total_known"], viewer.ask(query("/api/object", of=of))["referents"]), (1, True, 1))
            edges.append(answer["nodes"][0]["edge"])
            check(edges[-1] in ("<internal>", f"<{name}>"), f"{name!r}: {edges[-1]!r}")
            back = viewer.ask(query("/api/referrers", of=of))["nodes"]
            check(back and not any(node["type"] in HOSTILE and not node["is_root"] for node in back), f"{name!r}: referrers {back}")
    check(len(set(edges)) > 2, f"names that the snapshot's reader takes for names: {edges}")


def shows_a_series(world):
    with world.view(world.before, world.after, world.after) as viewer:
        state = viewer.until_ready()
        same("report", (state["report"], state["sides"]), ("series", []))
        check(state["why_not"], "why there is nothing to browse")
        records = [json.loads(line) for line in gzip.decompress(viewer.get("/api/report").body).decode().splitlines()]
        same("captures", sum(record["record"] in ("capture", "point") for record in records), 3)
        viewer.ask("/api/types?side=after", expect=409)
        same("exit status", viewer.end(), 0)


def has_a_page(world):
    with world.view(world.after) as viewer:
        page = viewer.get("/", token=False)
        same("status and type", (page.status, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        check(page.body.startswith(b"<!doctype html>") and b"<script>" in page.body, page.body[:200])
        check(b"http-equiv=\"Content-Security-Policy\"" in page.body, "its policy")
        check("connect-src 'self'" in page.headers["content-security-policy"], page.headers)
        check("sha256-" in page.headers["content-security-policy"], page.headers)


if __name__ == "__main__":
    kit.main({case.__name__: case for case in [
        tells_the_state, has_a_page, has_the_report_of_the_command, has_the_types_of_top, adds_up, walks_the_heap, knows_the_other_side, searches,
        says_what_is_wrong, survives_hostile_names, tells_where_objects_were_allocated, marks_weak_references, shows_a_series]})
