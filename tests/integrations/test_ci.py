#!/usr/bin/env python3
"""The action for GitHub, the component for GitLab and the recipe for Jenkins, as far as they run without these services.

    leaks       the action, in a pull request of a program that leaks: it fails behind its uploads, comments with the holder, and a second run replaces the comment
    baseline    on the default branch a program that does not leak leaves a baseline; a pull request whose heap is larger fails by it
    wrong       neither a kind nor captures
    gitlab      the component with its inputs put in, its commands run
    jenkins     the commands of the Jenkinsfile, run
    schemas     with HSD_LONG, action, component and jobs by the public schemas, and a workflow that uses the action by actionlint
"""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

import kit
import runner
from kit import check, says

ACTION = kit.INTEGRATIONS / "github/action.yml"
COMPONENT = kit.INTEGRATIONS / "gitlab/templates/leaks.yml"
JENKINS = kit.INTEGRATIONS / "jenkins/Jenkinsfile"
RECIPES = kit.PROJECT / "doc/ci"

# gh, with one pull request: comments in a file of JSON
GH = """#!/bin/bash
set -eu
store=$GH_STORE method=GET body= filter=. address=
[ "$GH_TOKEN" = secret ]
while [ $# -gt 0 ]; do
    case $1 in
    api | --paginate | --silent) ;;
    --method) method=$2 && shift ;;
    --jq) filter=$2 && shift ;;
    --field) body=${2#body=@} && shift ;;
    *) address=$1 ;;
    esac
    shift
done
case "$method $address" in
'GET repos/shop/shop/issues/12/comments') jq -r "$filter" "$store" ;;
'POST repos/shop/shop/issues/12/comments') jq --rawfile body "$body" '. + [{id: (length + 100), body: $body}]' "$store" >"$store.new" ;;
'PATCH repos/shop/shop/issues/comments/101') jq --rawfile body "$body" 'map(if .id == 101 then .body = $body else . end)' "$store" >"$store.new" ;;
*) echo "gh: $method $address" >&2 && exit 1 ;;
esac
[ ! -f "$store.new" ] || mv "$store.new" "$store"
"""


class Repository:
    """A workspace with a program, and the tarball of hsdiff."""

    def __init__(self, world):
        kit.need("cc", "curl", "jq", "tar")
        self.world = world
        self.workspace = world.folder / "workspace"
        self.workspace.mkdir()
        prefix = world.folder / "hsdiff-0.1.0"
        for name, source in {"bin/hsdiff": world.hsdiff, "lib/libhscapture.a": self.library(world)}.items():
            (prefix / name).parent.mkdir(parents=True)
            shutil.copy(source, prefix / name)
        shutil.copytree(kit.PROJECT / "capture/include", prefix / "include")
        self.package = world.folder / "hsdiff.tar"
        status, output = world.run("tar", "-cf", self.package, "-C", world.folder, prefix.name)
        check(status == 0, output)
        self.prefix = prefix
        tools = world.folder / "tools"
        tools.mkdir()
        (tools / "gh").write_text(GH, encoding="utf-8")
        (tools / "gh").chmod(0o755)
        self.comments = world.folder / "comments.json"
        self.comments.write_text('[{"id": 100, "body": "looks good"}]')
        self.variables = {"PATH": f"{tools}:{os.environ['PATH']}", "GH_STORE": str(self.comments)}

    @staticmethod
    def library(world):
        return world.agents.parent / "capture/libhscapture.a"

    def run(self, event, ref, options="", **inputs):
        inputs = {"package": str(self.package), "rounds": "5", "requests": "120", **inputs}
        return runner.Run(self.world, runner.load(ACTION), self.world.folder, self.workspace, inputs, event, ref, {**self.variables, "OPTIONS": options})

    def comment(self):
        return [comment["body"] for comment in json.loads(self.comments.read_text())]


def leaks(world):
    repository = Repository(world)
    done = repository.run("pull_request", "12/merge", options="--leak", kind="native")
    check(done.status == 1 and done.ran[-1] == "Pass or fail", f"exit {done.status} of {done.ran}\n{done.output}")
    check(done.outputs["status"] == "1", f"outputs: {done.outputs}")
    says(done.output, "sessions: SessionTable", "::error ")
    says(done.summary, "sessions")
    page = repository.workspace / done.outputs["report"]
    check("<html" in page.read_text(encoding="utf-8")[:2000], "no page")
    check([use for use in done.used] == ["Code scanning", "Page, reports and two captures"], f"actions: {done.used}")
    check(runner.sarif_places(repository.workspace / done.used["Code scanning"]["sarif_file"]), "no results")
    for pattern in done.used["Page, reports and two captures"]["path"].split():
        check(list(repository.workspace.glob(pattern)), f"{pattern}: nothing to upload")
    check(len(repository.comment()) == 2 and "SessionTable" in repository.comment()[1] and "artifact `hsdiff`" in repository.comment()[1], repository.comment())
    again = repository.run("pull_request", "12/merge", captures="hsdiff-out/r*.hs", kind="")
    check(again.status == 1 and len(repository.comment()) == 2 and repository.comment()[0] == "looks good", f"{again.output}\n{repository.comment()}")


def baseline(world):
    repository = Repository(world)
    rules = repository.workspace / "rules.yml"
    rules.write_text("rules:\n  - name: the heap\n    metric: total.bytes\n    max_growth: 48 KiB\n")
    done = repository.run("push", "main", kind="native", baseline="true", config="rules.yml")
    check(done.status == 0, f"exit {done.status}\n{done.output}")
    check(list(done.used)[-1] == "Keep the baseline" and (repository.workspace / "hsdiff-base.hs").exists(), f"actions: {done.used}")
    check(repository.comment() == ["looks good"], "a comment where there is no pull request")
    quiet = repository.workspace / "quiet"
    shutil.copytree(repository.workspace / "hsdiff-out", quiet)
    grown = repository.run("pull_request", "12/merge", options="--leak", kind="native", requests="300", baseline="false", comment="false", sarif="false")
    check("Code scanning" not in grown.used and repository.comment() == ["looks good"], "not asked for")
    for name, round_ in (("a1.hs", "r4.hs"), ("a2.hs", "r5.hs")):  # one round is less than the limit, all since the baseline are more
        shutil.copy(repository.workspace / "hsdiff-out" / round_, quiet / name)
    done = repository.run("pull_request", "12/merge", captures="quiet/a*.hs", baseline="true", config="rules.yml")
    check(done.status == 1 and "Keep the baseline" not in done.used, f"exit {done.status}\n{done.output}")
    check((repository.workspace / "hsdiff-out/check-baseline.html").exists() and "hsdiff-base.hs" in done.output, done.output)


def wrong(world):
    repository = Repository(world)
    done = repository.run("push", "main")
    check(done.status == 2, f"exit {done.status}\n{done.output}")
    says(done.output, "::error::hsdiff: kind is node, jvm or native, or captures are given")
    done = repository.run("push", "main", captures="none/*.hs")
    check(done.status == 2, f"exit {done.status}\n{done.output}")
    says(done.output, "are 0 captures, and two are the least")


def installed(repository):
    """A home in which hsdiff is installed, as the recipes have it."""
    home = repository.world.folder / "home"
    (home / ".local").parent.mkdir()
    (home / ".local").symlink_to(repository.prefix)
    return {"HOME": str(home), "PATH": f"{home}/.local/bin:{os.environ['PATH']}", "HSDIFF": None}


def put_in(text, inputs):
    """A component with its inputs: its specification, and the text of the jobs."""
    import yaml
    head, body = text.split("\n---\n")
    spec = yaml.safe_load(head)["spec"]["inputs"]
    known = {name: (given or {}).get("default") for name, given in spec.items()} | inputs
    check(set(known) == set(spec) and None not in known.values(), f"inputs: {known}")
    return re.sub(r"\$\[\[ inputs\.([a-z]+) \]\]", lambda found: known[found[1]], body)


def gitlab(world):
    import yaml
    repository = Repository(world)
    source = world.folder / "source"
    shutil.copytree(RECIPES, source / "doc/ci")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "sources"]):
        status, output = world.run("git", *words, cwd=source)
        check(status == 0, output)
    job = yaml.safe_load(put_in(COMPONENT.read_text(encoding="utf-8"), {"image": "debian:12", "kind": "native", "source": str(source), "rounds": "3", "requests": "120"}))["leaks"]
    variables = {**installed(repository), **job["variables"], "CI_BUILDS_DIR": str(world.folder / "builds"), "CI_JOB_ID": "5", "OPTIONS": "--leak"}
    status, output = world.run("bash", "-e", "-c", "\n".join(job["before_script"] + job["script"]), cwd=repository.workspace, **variables)
    check(status == 1, f"exit {status}\n{output}")
    says(output, "sessions: SessionTable")
    for name in (*job["artifacts"]["reports"].values(), *job["artifacts"]["paths"]):
        check((repository.workspace / name).exists(), f"{name}: not there")


def jenkins(world):
    repository = Repository(world)
    text = JENKINS.read_text(encoding="utf-8")
    commands = re.findall(r"sh '([^']*)'", text)
    check(len(commands) == 2 and text.count("{") == text.count("}"), f"commands: {commands}")
    shutil.copytree(RECIPES, repository.workspace / "ci")
    variables = installed(repository)
    for command in commands:
        command = command.replace("node.sh", "native.sh")
        status, output = world.run("sh", "-xe", "-c", command, cwd=repository.workspace, OPTIONS="--leak", ROUNDS="3", REQUESTS="120", **variables)
    check(status == 1, f"exit {status}\n{output}")
    says(output, "sessions: SessionTable")
    for pattern in re.findall(r"(?:testResults|artifacts): '([^']*)'", text):
        for one in pattern.split(", "):
            check(list(repository.workspace.glob(one)), f"{one}: not there")


WORKFLOW = """on: pull_request
jobs:
  leaks:
    runs-on: ubuntu-24.04
    permissions: {contents: read, pull-requests: write, security-events: write}
    steps:
      - uses: actions/checkout@v4
      - uses: ./integrations/github
        with: {kind: node, service: node server.js, baseline: 'true'}
"""


def schemas(world):
    def make(folder):
        status, output = world.run(sys.executable, "-m", "venv", folder)
        if status == 0:
            status, output = world.run(folder / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "check-jsonschema==0.33.3")
        return f"check-jsonschema cannot be had: {output[-200:]}" if status else None

    python = kit.cached("schemas", make) / "bin/python"
    component = world.folder / "component.yml"
    component.write_text(put_in(COMPONENT.read_text(encoding="utf-8"), {"image": "debian:12", "kind": "native", "source": "https://example.invalid/hsdiff.git"}))
    for schema, path in {"github-actions": ACTION, "github-workflows": RECIPES / "github.yml", "gitlab-ci": component}.items():
        status, output = world.run(python, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", path)
        check(status == 0, output)
    kit.need("go", "git")
    bin = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-integrations-{os.getuid()}" / "gobin"
    if not (bin / "actionlint").exists():
        status, output = world.run("go", "install", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7", GOBIN=str(bin))
        if status:
            kit.skip(f"actionlint cannot be had: {output[-200:]}")
    project = world.folder / "linted"
    shutil.copytree(kit.INTEGRATIONS / "github", project / "integrations/github")
    (project / ".github/workflows").mkdir(parents=True)
    (project / ".github/workflows/leaks.yml").write_text(WORKFLOW)
    shutil.copy(RECIPES / "github.yml", project / ".github/workflows")
    world.run("git", "init", "-q", cwd=project)
    status, output = world.run(bin / "actionlint", cwd=project)
    check(status == 0, output)
    (project / ".github/workflows/leaks.yml").write_text(WORKFLOW.replace("baseline:", "basement:"))
    status, output = world.run(bin / "actionlint", cwd=project)
    check(status == 1 and "basement" in output, f"a wrong input is not seen: {output}")


CASES = {"leaks": leaks, "baseline": baseline, "wrong": wrong, "gitlab": gitlab, "jenkins": jenkins}
if kit.LONG:
    CASES["schemas"] = schemas
if __name__ == "__main__":
    kit.main(CASES)
