"""Runs the steps of a composite action as GitHub documents it: expressions, conditions, the files of outputs, paths and variables, bash as it is started there.
Steps that use another action are not run, and are recorded with what they were given."""
import json
import os
import pathlib
import re

from kit import Failed, check


class Context:
    """What expressions may ask for: inputs, github, runner, steps."""

    def __init__(self, workspace, inputs, github):
        self.workspace = workspace
        self.values = {"inputs": inputs, "github": github, "runner": {"os": "Linux", "arch": "X64"}, "steps": {}}

    def term(self, text):
        text = text.strip()
        if re.fullmatch(r"'[^']*'", text):
            return text[1:-1]
        hashed = re.fullmatch(r"hashFiles\('([^']*)'\)", text)
        if hashed:
            return "".join(str(path.stat().st_size) for path in self.workspace.glob(hashed[1]))
        value = self.values
        check(re.fullmatch(r"[a-z_]+(\.[A-Za-z_]+)+", text), f"an expression that this runner does not know: {text}")
        for name in text.split("."):
            value = value.get(name, "") if isinstance(value, dict) else ""
        return value

    def evaluate(self, text):
        """Terms, == and !=, and && between them."""
        parts = [self.comparison(part) for part in text.split("&&")]
        return parts[0] if len(parts) == 1 else all(parts)

    def comparison(self, text):
        sides = re.split(r"(==|!=)", text)
        if len(sides) == 1:
            return self.term(text)
        return (str(self.term(sides[0])) == str(self.term(sides[2]))) == (sides[1] == "==")

    def expand(self, text):
        def replace(found):
            value = self.evaluate(found[1])
            return str(value).lower() if isinstance(value, bool) else str(value)

        return re.sub(r"\$\{\{(.*?)\}\}", replace, str(text))


class Run:
    """One run of an action: its output, its exit status, the summary, and the steps that used another action, by name."""

    def __init__(self, world, action, folder, workspace, inputs, event, ref, variables=None):
        self.world, self.folder, self.workspace = world, folder, workspace
        self.used, self.ran, self.output, self.status = {}, [], "", 0
        github = {"event_name": event, "ref_name": ref, "run_id": "77", "action_ref": "v1", "token": "secret",
                  "event": {"repository": {"default_branch": "main"}, "pull_request": {"number": 12}}}
        unknown = set(inputs) - set(action["inputs"])
        check(not unknown, f"the action has no input {unknown}")
        defaults = {name: given.get("default", "") for name, given in action["inputs"].items()}
        context = Context(workspace, {}, github)
        context.values["inputs"] = {name: context.expand(value) for name, value in {**defaults, **inputs}.items()}
        self.files = {name: folder / f"{name.lower()}-{id(self)}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_ENV")}
        for file in self.files.values():
            file.write_text("")
        self.environment = {"GITHUB_ACTION_PATH": str(pathlib.Path(action["path"]).parent), "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(workspace),
                            "GITHUB_SERVER_URL": "https://example.invalid", "GITHUB_REPOSITORY": "shop/shop", "GITHUB_RUN_ID": "77", "RUNNER_OS": "Linux",
                            "RUNNER_TEMP": str(folder), "HSDIFF": None, **(variables or {})}
        for step in action["runs"]["steps"]:
            self.step(step, context)
            if self.status:
                break
        self.outputs = {name: context.expand(given["value"]) for name, given in action.get("outputs", {}).items()}
        self.summary = self.files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")

    def step(self, step, context):
        if "if" in step and not context.evaluate(step["if"]):
            return
        if "uses" in step:
            self.used[step["name"]] = {name: context.expand(value) for name, value in step.get("with", {}).items()}
            return
        check(step["shell"] == "bash", "a run step of a composite action names its shell")
        check("${{" not in step["run"], f"{step['name']}: an expression in a script is open to whoever writes its value")
        self.files["GITHUB_OUTPUT"].write_text("")
        added = dict(line.split("=", 1) for line in self.files["GITHUB_ENV"].read_text().splitlines())
        path = ":".join([*reversed(self.files["GITHUB_PATH"].read_text().split()), self.environment.get("PATH", os.environ["PATH"])])
        variables = {**self.environment, **added, **{name: context.expand(value) for name, value in step.get("env", {}).items()},
                     **{name: str(file) for name, file in self.files.items()}, "PATH": path}
        self.status, output = self.world.run("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"], cwd=self.workspace, **variables)
        self.output += output
        self.ran.append(step["name"])
        if "id" in step:
            outputs = dict(line.split("=", 1) for line in self.files["GITHUB_OUTPUT"].read_text().splitlines())
            context.values["steps"][step["id"]] = {"outputs": outputs}


def load(path):
    """An action with its path."""
    try:
        import yaml
    except ImportError:
        from kit import skip
        skip("no YAML in this Python (apt-get install python3-yaml)")
    action = yaml.safe_load(path.read_text(encoding="utf-8"))
    if action["runs"]["using"] != "composite":
        raise Failed("the action is not composite")
    return {**action, "path": str(path)}


def sarif_places(path):
    """Every result lies in a file whose address is relative: what code scanning asks for."""
    results = json.loads(path.read_text(encoding="utf-8"))["runs"][0]["results"]
    for result in results:
        for location in result["locations"]:
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            check(not uri.startswith("/") and "://" not in uri and location["physicalLocation"]["region"]["startLine"] >= 1, f"a place that is none: {location}")
        check(result["locations"], f"a result without a place: {result}")
    return results
