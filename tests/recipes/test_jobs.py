#!/usr/bin/env python3
"""Runs a job of doc/ci/github.yml or gitlab.yml as the runner would: its commands in order, in a scratch repository, with the runner's
variables and shells. Steps that use an action are not run; the files that they are given must be there.

usage: test_jobs.py github|gitlab node|jvm|native leaks|clean …
"""
import json
import re

from kit import RECIPES, SAMPLES, Scratch, arguments, check_gate, fail, manual_blocks, need, skip

try:
    import yaml
except ImportError:
    skip("no YAML in this Python (apt-get install python3-yaml)")

ACTIONS = {"actions/checkout", "actions/setup-node", "actions/setup-java", "actions/upload-artifact", "github/codeql-action/upload-sarif"}
SOURCE = "https://example.invalid/hsdiff.git"  # install.sh must not need it where hsdiff is there


def load(name):
    return yaml.safe_load((RECIPES / name).read_text())


def check_files(scratch, patterns):
    for pattern in patterns.split() if isinstance(patterns, str) else patterns:
        if not list(scratch.repository.glob(pattern)):
            fail(f"{pattern}: a report that is not there")


# ---- GitHub ----

def expand(text):
    """The one expression that the workflow uses in commands and variables."""
    text = re.sub(r"\$\{\{ vars\.HSDIFF_SOURCE \}\}", SOURCE, str(text))
    if "${{" in text:
        fail(f"an expression that this test does not know: {text}")
    return text


def check_permissions(workflow, job):
    if workflow["permissions"] != {"contents": "read"} or job["permissions"] != {"contents": "read", "security-events": "write"}:
        fail("more permissions than the job needs, or fewer")


def run_steps(scratch, steps, variables):
    """(status of the first step that failed, its output or that of the last): later steps run only if they say so, and use actions."""
    github_path, summary = scratch.home / "github_path", scratch.home / "summary"
    github_path.touch()
    summary.touch()
    status, output = 0, ""
    for step in steps:
        if "uses" in step:
            action, _, version = step["uses"].partition("@")
            if action not in ACTIONS or not version:
                fail(f"unknown action {step['uses']}")
            continue
        if status != 0 or "if" in step:
            fail(f"step {step['name']} should not run")
        path = ":".join([*reversed(github_path.read_text().split()), scratch.environment["PATH"]])
        status, output = scratch.run(
            ["bash", "-e", "-c", expand(step["run"])], **variables, **{name: expand(v) for name, v in step.get("env", {}).items()},
            PATH=path, GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(scratch.repository), GITHUB_PATH=str(github_path),
            GITHUB_STEP_SUMMARY=str(summary), RUNNER_OS="Linux")
        if status != 0 and step["run"] != next(s["run"] for s in reversed(steps) if "run" in s):
            fail(f"step {step['name']}: exit status {status}\n{output}")
    return status, output, summary.read_text()


def check_locations(scratch):
    """Code scanning refuses a file with a result that lies nowhere."""
    for result in json.loads((scratch.out / "check.sarif").read_text())["runs"][0]["results"]:
        if not all("physicalLocation" in location for location in result["locations"]) or not result["locations"]:
            fail(f"a result without a place: {result}")


def test_github(scratch, sample, leaks):
    workflow = load("github.yml")
    job = workflow["jobs"][sample]
    check_permissions(workflow, job)
    (scratch.repository / ".hsdiff.yml").write_text(manual_blocks("yaml")[0])
    variables = {name: expand(value) for name, value in (workflow["env"] | job.get("env", {})).items()}
    status, output, summary = run_steps(scratch, job["steps"], variables | (SAMPLES[sample]["leak"] if leaks else {}))
    check_gate(scratch, sample, leaks, status, output)
    if ("::error " in output) != leaks:
        fail(f"annotations:\n{output}")
    if summary != (scratch.out / "check.md").read_text():
        fail("the summary of the step is not the report")
    check_locations(scratch)
    for step in job["steps"]:
        given = step.get("with", {})
        check_files(scratch, given.get("sarif_file", ""))
        if leaks:
            check_files(scratch, given.get("path", ""))


# ---- GitLab ----

def test_gitlab(scratch, sample, leaks):
    jobs = load("gitlab.yml")
    job = jobs["leaks-" + sample]
    job = jobs[job["extends"]] | job
    variables = job.get("variables", {}) | {"HSDIFF_SOURCE": SOURCE} | (SAMPLES[sample]["leak"] if leaks else {})
    script = "\n".join(["set -eo pipefail", *job["before_script"], *job["script"]])
    status, output = scratch.run(["bash", "-c", script], **variables, GITLAB_CI="true", CI_PROJECT_DIR=str(scratch.repository))
    check_gate(scratch, sample, leaks, status, output)
    if job["artifacts"]["when"] != "always":
        fail("reports are not kept when the check fails")
    for path in job["artifacts"]["reports"].values():
        check_files(scratch, path)
    if leaks:
        check_files(scratch, job["artifacts"]["paths"])


def main():
    args = arguments("server", "sample", "how")
    need(args.sample)
    test = {"github": test_github, "gitlab": test_gitlab}[args.server]
    test(Scratch(args), args.sample, args.how == "leaks")


main()
