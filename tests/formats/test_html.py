#!/usr/bin/env python3
"""The page of HTML, read by Python's parser: hostile names are text and come back, nothing in it can run but what its policy names by
hash, and what it carries along is the NDJSON of the same result.

usage: test_html.py FORMAT_SAMPLE
"""
import base64
import gzip
import hashlib
import html.parser
import json
import re

from kit import NAMES, fail, harmless, run, same, unmarked

VOID = {"meta", "br", "hr", "img", "input", "link"}
ALLOWED = {"html", "head", "meta", "title", "style", "body", "a", "header", "main", "section", "h1", "h2", "h3", "p", "dl", "dt", "dd", "div", "span",
           "small", "b", "table", "thead", "tbody", "tr", "th", "td", "article", "ol", "ul", "li", "script"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "href", "id", "aria-labelledby", "scope", "data-kind", "type"}
SECTIONS = {"diff": ["answer", "warnings", "holders", "picture", "types", "roots", "map", "made"],
            "sites": ["answer", "sites", "holders", "types", "made"],
            "check": ["answer", "warnings", "rules", "holders", "types", "made"],
            "top": ["answer", "warnings", "types", "roots", "objects"], "paths": ["answer", "warnings", "paths"]}
BATCH = 18  # of names, so that a static table holds them all
SITES = 10  # such a table of sites has fewer rows
LONG = 300  # longer names are cut there


class Page(html.parser.HTMLParser):
    """Elements as they nest; fails at what does not, and at what our pages never have."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.names, self.texts, self.policy = [], [], [], [], None
        self.styles, self.scripts, self.data = [], [], None
        self.feed(text)
        self.close()
        if self.open:
            fail(f"html: {self.open} are not closed")

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in ALLOWED or set(attributes) - ATTRIBUTES:
            fail(f"html: <{tag} {attributes}>")
        if "href" in attributes and attributes["href"] != "#main":
            fail(f"html: a link to {attributes['href']}")
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "style":
            self.styles.append("")
        if tag == "script":
            self.scripts.append([attributes, ""])
        if tag in ("th", "h3"):
            self.names.append([tag if tag == "h3" or attributes.get("class") == "name" else "heading", ""])
        if tag == "li":
            self.texts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            fail(f"html: </{tag}> where {self.open[-3:]} is open")

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if inside == "style":
            self.styles[-1] += data
        elif inside == "script":
            self.scripts[-1][1] += data
        elif inside in ("th", "h3") and self.names:
            self.names[-1][1] += data
        elif inside == "li":
            self.texts[-1] += data

    def handle_comment(self, data):
        fail(f"html: a comment: {data[:80]}")

    def handle_pi(self, data):
        fail(f"html: an instruction: {data[:80]}")


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def read(what, data):
    """The page, its frame checked."""
    text = data.decode("utf-8")
    page = Page(text)
    if not text.startswith("<!doctype html>\n") or len(page.styles) != 1 or len(page.scripts) != 2:
        fail(f"{what}: {len(page.styles)} styles, {len(page.scripts)} scripts")
    (attributes, carried), (plain, script) = page.scripts
    if attributes != {"type": "application/octet-stream", "id": "data"} or plain:
        fail(f"{what}: scripts with {attributes} and {plain}")
    wanted = (f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(page.styles[0])}; img-src data:; base-uri 'none'; "
              "form-action 'none'")
    if page.policy != wanted:
        fail(f"{what}: the policy is\n{page.policy}\nand not\n{wanted}")
    if len(set(page.ids)) != len(page.ids):
        fail(f"{what}: an id twice")
    outside = text
    for code in (script, page.styles[0]):
        outside = outside.replace(code, "")
    harmless(what, outside.encode())
    page.data = gzip.decompress(base64.b64decode(carried)).decode("utf-8")
    return page


def check_records(what, page, *parts):
    """The first record tells of the page; the others are those of ndjson, in their order."""
    lines = page.data.removesuffix("\n").split("\n")
    first = json.loads(lines[0])
    if (first["schema"], first["record"], first["kind"]) != ("hsdiff.page/1", "page", what) or not all(fact["text"] for fact in first["made"]):
        fail(f"{what}: the first record is {lines[0][:200]}")
    wanted = [line for part in parts for line in part.decode("utf-8").removesuffix("\n").split("\n")]
    if lines[1:] != wanted:
        at = [a == b for a, b in zip(lines[1:], wanted)] + [False]
        fail(f"{what}: record {at.index(False)} of {len(wanted)} is another: {lines[1:][at.index(False):][:1]}")


def shown(name):
    """What a table shows of a name: all of it, or for a long one head and tail."""
    if not name:
        return re.compile(re.escape(b"(no name)"))
    return re.compile(re.escape(name) if len(name) <= LONG else re.escape(name[:150]) + b".*" + re.escape(name[-60:]), re.DOTALL)


def check_names(what, found, names):
    for name in names:
        if not any(shown(name).fullmatch(text) for text in found):
            fail(f"{what}: {name[:80]!r} is not among {[text[:60] for text in found]!r}")


def batches(size=BATCH):
    for at in range(0, len(NAMES), size):
        batch = NAMES[at:at + size]
        yield batch if len(batch) >= 3 else NAMES[-3:]


def check_diffs():
    for names in batches():
        page = read("diff", run("diff", "html", "usual", names=names))
        missing = [part for part in SECTIONS["diff"] if part not in page.ids]
        if missing:
            fail(f"diff: no {missing}")
        check_names("diff", [unmarked(text) for tag, text in page.names if tag == "th"], names)
        check_names("diff warnings", [unmarked(text) for text in page.texts], [name for name in names if name])
        check_records("diff", page, run("diff", "ndjson", "usual", names=names))


def check_sites():
    """Functions are names of rows, files stand with the callers below; the section comes before all others."""
    for names in batches(SITES):
        page = read("diff", run("sites", "html", "usual", names=names))
        if [part for part in page.ids if part in SECTIONS["sites"]] != SECTIONS["sites"]:
            fail(f"sites: sections {page.ids}")
        check_names("sites", [unmarked(text) for tag, text in page.names if tag == "th"], names)
        files = [(at + 1, name.rsplit(b"/", 1)[-1]) for at, name in enumerate(names)]
        check_names("sites files", [unmarked(text) for text in page.texts], [b"caller (%s:%d)" % (base, line) for line, base in files if base])
        check_records("diff", page, run("sites", "ndjson", "usual", names=names))


def check_checks():
    for names in batches():
        for outcome in ("fail", "ok", "unknown", "mixed"):
            page = read("check", run("check", "html", outcome, names=names))
            missing = [part for part in SECTIONS["check"] if part not in page.ids]
            if missing:
                fail(f"check: no {missing}")
            check_names("check", [unmarked(text) for tag, text in page.names if tag == "th"], names)
            lines = page.data.split("\n")
            records = run("check", "ndjson", outcome, names=names).decode("utf-8").removesuffix("\n").split("\n")
            if lines[1:1 + len(records)] != records or '"schema": "hsdiff.diff/1"' not in lines[1 + len(records)]:
                fail("check: the records of the check are others, or those of the diff are missing")


def read_static(what, data):
    """A page of one capture: no script and no records, since all of it stands there."""
    text = data.decode("utf-8")
    page = Page(text)
    if not text.startswith("<!doctype html>\n") or len(page.styles) != 1 or page.scripts:
        fail(f"{what}: {len(page.styles)} styles, {len(page.scripts)} scripts")
    if f"style-src {hash_of(page.styles[0])};" not in page.policy or not page.policy.startswith("default-src 'none';"):
        fail(f"{what}: the policy is {page.policy}")
    if [part for part in page.ids if part in SECTIONS[what]] != SECTIONS[what]:
        fail(f"{what}: sections {page.ids}")
    harmless(what, text.replace(page.styles[0], "").encode())
    return page


def check_captures():
    """Names are rows of types and roots, and stand at the end of each path."""
    for names in batches(SITES):
        for what in ("top", "paths"):
            page = read_static(what, run(what, "html", "usual", names=names))
            found = [unmarked(text) for tag, text in page.names if tag == "th"]
            check_names(f"{what} warnings", [unmarked(text) for text in page.texts], [name for name in names if name])
            if what == "top":
                check_names("top", found, names)
            elif not all(any(name in text or len(name) > LONG // 4 for text in found) for name in names):
                fail(f"paths: a name is not among {[text[:60] for text in found]!r}")


def check_whole():
    """All names at once: what a static page leaves out is in the records."""
    page = read("diff", run("diff", "html", "all"))
    records = [json.loads(line) for line in page.data.removesuffix("\n").split("\n")]
    texts = [name.decode("utf-8", "replace") for name in NAMES]
    for kind in ("type", "root", "holder"):
        same(f"html {kind}", [record[kind if kind != "holder" else "type"] for record in records if record["record"] == kind], texts)


def main():
    check_diffs()
    check_sites()
    check_checks()
    check_captures()
    check_whole()
    print(f"{len(NAMES)} names came back from pages of HTML")


if __name__ == "__main__":
    main()
