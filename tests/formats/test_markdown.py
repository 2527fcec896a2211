#!/usr/bin/env python3
"""Markdown of a check, of a diff and of one capture, read by markdown-it with tables: names are code and nothing else, cells are as many as headings.

usage: test_markdown.py FORMAT_SAMPLE
"""
import re

from kit import NAMES, fail, harmless, run, unmarked, wanted

markdown_it = wanted("markdown_it", "python3-markdown-it")
BLOCKS = {"paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td", "inline"}
INLINE = {"text", "code_inline", "strong_open", "strong_close", "softbreak"}
# What GitHub and GitLab make links, mentions and pictures of when it does not stand in code.
ACTIVE = re.compile(r"@\w|[!$&%]\w|(?:^|[\s(])#\d|://|www\.|GH-\d|:\w+:|[<>&\[\]_*~`|\\]|\b[0-9a-f]{7,}\b", re.IGNORECASE)
SMALL = "<1%"  # a cell of ours: no tag begins with a digit
LARGE = 100_000_000
USUAL = 60_000


def tokens_of(what, data):
    text = harmless(what, data)
    return markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)


def check_tree(what, tokens):
    """Blocks and inline elements that only we can have written; returns what stands in code."""
    codes = []
    for token in tokens:
        if token.type.removesuffix("_open").removesuffix("_close") not in BLOCKS:
            fail(f"{what}: a name made {token.type}: {token.content[:80]!r}")
        for child in token.children or []:
            if child.type not in INLINE:
                fail(f"{what}: a name made {child.type}: {token.content[:120]!r}")
            if child.type == "text" and child.content != SMALL and ACTIVE.search(child.content):
                fail(f"{what}: {ACTIVE.search(child.content).group()!r} stands outside of code: {child.content[:120]!r}")
            if child.type == "code_inline":
                codes.append(child.content)
    return codes


def check_cells(what, tokens):
    cells = wanted_cells = rows = 0
    for token in tokens:
        if token.type in ("th_open", "td_open"):
            cells += 1
        elif token.type == "tr_open":
            cells = 0
        elif token.type == "tr_close":
            rows += 1
            if wanted_cells in (0, cells):
                wanted_cells = cells
            else:
                fail(f"{what}: a row of {cells} cells below one of {wanted_cells}")
        elif token.type == "table_close":
            wanted_cells = 0
    return rows


def first_cells_are_whole(what, data):
    """markdown-it pads and drops cells, so bars are counted too: outside of code there are none but those of the table."""
    headings = 0
    for line in data.decode().split("\n"):
        bars = line.count("|")
        if not line.startswith("|"):
            headings = 0
            if bars:
                fail(f"{what}: a bar outside of a table: {line[:80]}")
        elif headings and bars != headings:
            fail(f"{what}: {bars} bars below {headings}: {line[:80]}")
        else:
            headings = bars


def short(name):
    return 0 < len(name) <= 60


def check(what, *arguments, has_names=True):
    data = run(*arguments, str(LARGE))
    tokens = tokens_of(what, data)
    codes = {unmarked(code) for code in check_tree(what, tokens)}
    rows = check_cells(what, tokens)
    first_cells_are_whole(what, data)
    for name in NAMES:
        if has_names and short(name) and name not in codes:
            fail(f"{what}: {name!r} did not come back")
    return rows


def check_files():
    """The file of each caller, without its folders."""
    codes = [unmarked(code) for code in check_tree("sites", tokens_of("sites", run("sites", "markdown", "all", str(LARGE))))]
    for at, name in enumerate(NAMES):
        base = name.rsplit(b"/", 1)[-1]
        if short(name) and base and b"caller (%s:%d)" % (base, at + 1) not in codes:
            fail(f"sites: the file {name!r} did not come back")


def check_paths():
    """A path is one name, with its root and its steps."""
    codes = [unmarked(code) for code in check_tree("paths", tokens_of("paths", run("paths", "markdown", "all", str(LARGE))))]
    for name in NAMES:
        is_told = 0 < len(name) <= (30 if name.isascii() and name.decode().isprintable() else 8)  # three times, in 120 columns
        if is_told and not any(name in code for code in codes):
            fail(f"paths: {name!r} did not come back")


def check_budget(what, *arguments):
    """What does not fit is left out, and counted."""
    rows = {}
    for most in (USUAL, 20_000, 6_000):
        data = run(*arguments, str(most))
        if len(data) > most:
            fail(f"{what}: {len(data)} bytes, {most} wanted")
        tokens = tokens_of(what, data)
        check_tree(what, tokens)
        rows[most] = check_cells(what, tokens)
        first_cells_are_whole(what, data)
        if b" left out here." not in data:
            fail(f"{what}: nothing says that rows were left out")
    if len(run(*arguments)) > USUAL:
        fail(f"{what}: more than {USUAL} bytes without --max-bytes")
    if not rows[6_000] <= rows[20_000] <= rows[USUAL]:
        fail(f"{what}: rows by budget {rows}")


def main():
    for outcome in ("ok", "warn", "fail", "unknown", "off", "mixed", "series"):
        rows = check(f"check {outcome}", "check", "markdown", outcome)
        if rows < len(NAMES):
            fail(f"check {outcome}: {rows} rows")
        check_budget(f"check {outcome}", "check", "markdown", outcome)
    check("diff", "diff", "markdown", "all")
    check("diff", "diff", "markdown", "usual", has_names=False)
    check_budget("diff", "diff", "markdown", "all")
    check("sites", "sites", "markdown", "all")
    check("sites", "sites", "markdown", "usual", has_names=False)
    check_files()
    check_budget("sites", "sites", "markdown", "all")
    rows = check("top", "top", "markdown", "all")
    if rows < 3 * len(NAMES):
        fail(f"top: {rows} rows")
    check("top", "top", "markdown", "usual", has_names=False)
    check("paths", "paths", "markdown", "all", has_names=False)
    check_paths()
    check_budget("top", "top", "markdown", "all")
    check_budget("paths", "paths", "markdown", "all")
    print(f"{len(NAMES)} names are code and nothing else in markdown")


if __name__ == "__main__":
    main()
