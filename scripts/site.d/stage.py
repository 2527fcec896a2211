#!/usr/bin/env python3
"""Lays out what mkdocs reads: all documents where they stand in the tree, so that links between them hold, other files that they link to, one
page of help for each command, and mkdocs.yml with the navigation.

usage: stage.py PROJECT HSDIFF FOLDER
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

PICTURES = {".png", ".svg", ".jpg", ".gif"}
# Sections of the navigation, and what stands first in them. Documents that no list names stand in the section of their folder, or in the last one.
SECTIONS = [
    ("Start", ["README.md", "doc/tour.md", "doc/install.md", "doc/build.md", "doc/faq.md", "doc/comparison.md", "doc/glossary.md"], None),
    ("My service grows", ["doc/tutorials/README.md", "doc/tutorials/node.md", "doc/tutorials/browser.md", "doc/tutorials/jvm.md", "doc/tutorials/python.md", "doc/tutorials/go.md",
                          "doc/tutorials/c-and-cpp.md", "doc/tutorials/dotnet.md"], "doc/tutorials/"),
    ("How to", ["doc/capture.md", "doc/capture-go.md", "doc/capture-ruby.md", "doc/ci.md", "doc/kubernetes.md", "doc/fleet.md", "doc/scale.md", "doc/agents.md", "doc/report.md",
                "doc/view.md", "doc/sql.md", "doc/examples/README.md"], "doc/"),
    ("Commands", ["reference/README.md"], "reference/"),
    ("Formats", ["doc/formats/README.md"], "doc/formats/"),
    ("Test frameworks and CI", [], "integrations/"),
    ("About", ["SECURITY.md", "doc/truth.md", "doc/reliability.md", "doc/performance.md", "CHANGELOG.md", "CONTRIBUTING.md", "capture/FORMAT.md", "capture/DESIGN.md", "libdiff/DESIGN.md"], ""),
]
PAGE = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")


class Broken(Exception):
    pass


def documents(project):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=project, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout.strip():  # a folder of a build is in no repository
        return sorted(name for name in listed.stdout.split("\n") if name and (project / name).exists())
    return sorted(str(path.relative_to(project)) for path in project.rglob("*.md") if path.relative_to(project).parts[0] not in ("build", ".git"))


def outside_of_code(text, change):
    """The text, with `change` made to what is no code."""
    parts, inside = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            inside = not inside
            parts.append(line)
        else:
            parts.append(line if inside else change(line))
    return "\n".join(parts)


def apart(text):
    """A list begins behind an empty line: mkdocs asks for it, and readers of Markdown elsewhere do not."""
    lines, inside = [], False
    for line in text.split("\n"):
        inside ^= line.lstrip().startswith("```")
        is_item = re.match(r"([*-]|\d+\.) ", line)
        before = lines[-1] if lines else ""
        if not inside and is_item and before.strip() and not re.match(r"\s*([*-]|\d+\.) |\s+", before):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


class Stage:
    def __init__(self, project, folder):
        self.project, self.docs, self.wrong = project, folder / "docs", []
        self.names = documents(project)

    def target_of(self, name, link):
        """Where a link of a document leads in the site."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if (self.project / there).is_dir():
            there, path = f"{there}/README.md", f"{path.rstrip('/')}/README.md"
        if there in self.names:
            return f"{path}#{anchor}" if anchor else path
        file = self.project / there
        if not file.is_file() or there.startswith(".."):
            self.wrong.append(f"{name}: nothing is at {link}")
            return link
        suffix = "" if file.suffix in PICTURES else ".txt"  # which a browser shows and does not save
        copy = self.docs / (there + suffix)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        return path + suffix

    def put(self, name, text):
        changed = outside_of_code(text, lambda line: PAGE.sub(lambda found: f"{found[1]}({self.target_of(name, found[2])})", line))
        path = self.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(apart(changed), encoding="utf-8")


def title_of(text):
    return re.sub(r"[`*]", "", next(line[2:] for line in text.split("\n") if line.startswith("# ")))


def help_pages(hsdiff):
    """name -> text: what the program says of itself."""
    def said(*words):
        return subprocess.run([hsdiff, "help", *words], capture_output=True, text=True, check=True).stdout.rstrip()

    def page(title, text):
        return f"# {title}\n\n````text\n{text}\n````\n"

    whole = said()
    commands = re.findall(r"^  ([a-z]+) ", whole.split("Commands:\n")[1].split("\n\n")[0], re.M)
    pages = {"reference/README.md": page("hsdiff", whole), "reference/formats.md": page("hsdiff help formats", said("formats"))}
    return pages | {f"reference/{name}.md": page(f"hsdiff {name}", said(name)) for name in commands if name != "help"}


def navigation(titles):
    left, found = dict(titles), []
    for section, first, folder in SECTIONS:
        names = [name for name in first if name in left]
        found.append((section, names, folder))
        for name in names:
            del left[name]
    # The longest folder wins: doc/formats/ before doc/.
    for name in sorted(left):
        _, names, _ = max((row for row in found if row[2] is not None and name.startswith(row[2])), key=lambda row: len(row[2]))
        names.append(name)
    return [{section: [{titles[name]: name} for name in names]} for section, names, _ in found if names]


def main():
    project, hsdiff, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    stage, titles = Stage(project, folder), {}
    pages = {name: (project / name).read_text(encoding="utf-8") for name in stage.names} | help_pages(hsdiff)
    for name, text in pages.items():
        titles[name] = title_of(text)
        stage.put(name, text)
    for what in stage.wrong:
        print(what, file=sys.stderr)
    if stage.wrong:
        raise SystemExit(f"{len(stage.wrong)} links of documents lead nowhere")
    theme = folder / "theme"
    shutil.copytree(project / "scripts" / "site.d" / "theme", theme)
    # JSON is YAML, too.
    (folder / "mkdocs.yml").write_text(json.dumps({
        "site_name": "hsdiff", "site_description": "What grew in a program's heap, and what holds it", "docs_dir": "docs", "use_directory_urls": False, "plugins": [],
        "theme": {"name": None, "custom_dir": str(theme)}, "nav": navigation(titles),
        "markdown_extensions": ["tables", "fenced_code", {"toc": {"permalink": False}}]}), encoding="utf-8")


if __name__ == "__main__":
    main()
