#!/usr/bin/env python3
"""Completes a site that mkdocs has built: writes what the search looks through, as a script, because a page that lies on a disk may load scripts
and nothing else. Then checks that all links hold, that each page is reached from the first one, and that nothing is loaded from elsewhere.

usage: finish.py SITE
"""
import html.parser
import json
import os
import pathlib
import re
import sys

HEADINGS = {"h1", "h2", "h3"}
SILENT = {"script", "style", "nav", "head"}
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(html.parser.HTMLParser):
    """Links, what is loaded, ids, and the text by sections."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids, self.sections = [], [], set(), []
        self.silent, self.heading = 0, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if values.get("id"):
            self.ids.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in LOADS and values.get(LOADS[tag]):
            self.loads.append(values[LOADS[tag]])
        self.silent += tag in SILENT
        if tag in HEADINGS:
            self.heading = {"id": values.get("id", ""), "title": "", "text": []}
            self.sections.append(self.heading)
            self.in_title = True

    def handle_endtag(self, tag):
        self.silent -= tag in SILENT
        if tag in HEADINGS:
            self.in_title = False

    def handle_data(self, data):
        if self.silent or not self.sections:
            return
        if self.in_title:
            self.heading["title"] += data
        else:
            self.heading["text"].append(data)


def index_of(pages):
    """One row a section: address, title of the page, title of the section, text."""
    found = []
    for name, page in sorted(pages.items()):
        title = page.sections[0]["title"] if page.sections else name
        for section in page.sections:
            text = re.sub(r"\s+", " ", " ".join(section["text"])).strip()
            address = f"{name}#{section['id']}" if section["id"] and section is not page.sections[0] else name
            found.append([address, title.strip(), section["title"].strip(), text])
    return found


def wrong_of(site, pages):
    for name, page in sorted(pages.items()):
        for link in page.links:
            if re.match(r"(https?|mailto):", link):
                continue
            path, _, anchor = link.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not (site / there).is_file():
                yield f"{name}: nothing is at {link}"
            elif anchor and there in pages and anchor not in pages[there].ids:
                yield f"{name}: {there} has no {anchor}"
        for load in page.loads:
            if re.match(r"([a-z]+:)?//", load):
                yield f"{name}: loads {load}"
            elif not load.startswith("data:") and not (site / os.path.normpath(os.path.join(os.path.dirname(name), load))).is_file():
                yield f"{name}: {load} is not there"


def reached(pages):
    """From the first page, over links of the site."""
    found, left = {"index.html"}, ["index.html"]
    while left:
        name = left.pop()
        for link in pages[name].links:
            there = os.path.normpath(os.path.join(os.path.dirname(name), link.partition("#")[0]))
            if there in pages and there not in found:
                found.add(there)
                left.append(there)
    return found


def main():
    site = pathlib.Path(sys.argv[1])
    # For whom there is a server; it names its files from the root.
    (site / "404.html").unlink(missing_ok=True)
    pages = {str(path.relative_to(site)): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    (site / "search_index.js").write_text("window.hsdiffIndex = " + json.dumps(index_of(pages), ensure_ascii=False, separators=(",", ":")) + ";\n", encoding="utf-8")
    wrong = list(wrong_of(site, pages)) + [f"{name} is not reached from the first page" for name in sorted(set(pages) - reached(pages))]
    for what in wrong:
        print(what, file=sys.stderr)
    if wrong:
        raise SystemExit(f"the site does not hold together: {len(wrong)} faults")
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")


if __name__ == "__main__":
    main()
