#!/usr/bin/env python3
"""scripts/site builds a site whose links hold, whose pages are all reached, that loads nothing from elsewhere, and whose search works from a disk,
in a browser, without a server. What is wrong with a site is found.

usage: test_site.py --hsdiff BINARY --work FOLDER
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import kit

MANY = 60  # pages of a site


def run(command, expect=0, **more):
    done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=200, **more)
    if done.returncode != expect:
        raise kit.Failed(f"{' '.join(map(str, command))}: exit {done.returncode}, not {expect}\n{done.stdout[-4000:]}")
    return done.stdout


def build(hsdiff, work):
    environment = dict(os.environ, HSDIFF=str(hsdiff), HSD_SITE_READY="1", TMPDIR=str(work))
    said = run([kit.PROJECT / "scripts" / "site", work / "site"], env=environment)
    count = int(re.search(r"(\d+) pages", said)[1])
    if count < MANY:
        raise kit.Failed(f"only {count} pages:\n{said}")
    for name in ("index.html", "doc/faq.html", "doc/tutorials/node.html", "reference/capture.html", "doc/formats/hprof.html", "doc/examples/services/checkout.js.txt"):
        if not (work / "site" / name).is_file():
            raise kit.Failed(f"no {name}")
    # Twice into the same folder; never into one that is something else.
    (work / "mine").mkdir()
    if "is no site of this script" not in run([kit.PROJECT / "scripts" / "site", work / "mine"], expect=2, env=environment):
        raise kit.Failed("a folder that is no site was not spared")
    return work / "site"


def finish(site, expect):
    return run([sys.executable, kit.PROJECT / "scripts" / "site.d" / "finish.py", site], expect=expect)


def check_that_faults_are_found(site, work):
    """Four sites, each with one fault."""
    faults = [
        ("doc/faq.html", '</main>', '<a href="nowhere.html">x</a></main>', "doc/faq.html: nothing is at nowhere.html"),
        ("doc/faq.html", '</main>', '<a href="sql.html#no-such-part">x</a></main>', "doc/sql.html has no no-such-part"),
        ("index.html", '</main>', '<script src="https://cdn.example.org/x.js"></script></main>', "index.html: loads https://cdn.example.org/x.js"),
        ("alone.html", None, "<h1>alone</h1>", "alone.html is not reached"),
    ]
    copy = work / "faulty"
    shutil.copytree(site, copy)
    for name, old, new, told in faults:
        page = copy / name
        before = page.read_text(encoding="utf-8") if old else ""
        page.write_text(before.replace(old, new, 1) if old else new, encoding="utf-8")
        said = finish(copy, 1)
        if told not in said:
            raise kit.Failed(f"not told: {told}\n{said}")
        if old:
            page.write_text(before, encoding="utf-8")
        else:
            page.unlink()
    finish(copy, 0)


def check_broken_document(hsdiff, work):
    """A document with a link that leads nowhere is no site."""
    project = work / "project"
    (project / "scripts").mkdir(parents=True)
    shutil.copytree(kit.PROJECT / "scripts" / "site.d", project / "scripts" / "site.d")
    (project / "README.md").write_text("# x\n\n[gone](doc/gone.md)\n")
    said = run([sys.executable, project / "scripts" / "site.d" / "stage.py", project, hsdiff, work / "staged"], expect=1)
    if "README.md: nothing is at doc/gone.md" not in said:
        raise kit.Failed(said)


def check_search(site, work):
    """In a browser, from the disk: a page in a folder finds a section of another, and its links lead there."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        return "the search was not tried: no chromium"
    page = (site / "doc" / "formats" / "README.html") if (site / "doc" / "formats" / "README.html").exists() else site / "doc" / "formats" / "index.html"
    seen = run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={work / 'browser'}", "--virtual-time-budget=10000", "--dump-dom",
                f"file://{page}?q=retained+dominates"])
    results = seen.partition('id="results"')[2].partition("</div>")[0]
    links = re.findall(r'<a href="([^"]+)"', results)
    if not any(link.startswith(f"file://{site}/doc/glossary.html") for link in links) or "<mark>" not in results:
        raise kit.Failed(f"the search finds no glossary:\n{results[:2000]}")
    for link in links:
        if not pathlib.Path(link.removeprefix("file://").partition("#")[0]).is_file():
            raise kit.Failed(f"the search leads nowhere: {link}")
    return f"the search found {len(links)} sections"


def main():
    parser = argparse.ArgumentParser()
    for option in ("--hsdiff", "--work"):
        parser.add_argument(option, required=True, type=pathlib.Path)
    args = parser.parse_args()
    if not shutil.which("mkdocs"):
        print("skipped: mkdocs is not installed (apt-get install mkdocs)")
        sys.exit(kit.SKIPPED)
    work = args.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        site = build(args.hsdiff.resolve(), work)
        check_that_faults_are_found(site, work)
        check_broken_document(args.hsdiff.resolve(), work)
        print(check_search(site, work))
    except kit.Failed as error:
        print(f"failed: {error}")
        sys.exit(1)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
