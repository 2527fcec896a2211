#!/usr/bin/env python3
"""The page and the manifests for Kubernetes: YAML that says what it means (kubectl's own schema keeps every field), containers without rights that the page does
not speak of, and commands whose options there are."""
import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import yaml

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = PROJECT / "doc" / "kubernetes"
PAGE = PROJECT / "doc" / "kubernetes.md"
SENDING = ("fleet.yml", "fleet-daily.yml")  # nobody looks at processes from outside
ADDED = {"debug-profile-root.yml": ["SYS_PTRACE", "DAC_OVERRIDE", "SETUID", "SETGID", "KILL"]}
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def look_at_rights(name, container, pod_context):
    context = {**pod_context, **container.get("securityContext", {})}
    label = f"{name}: {container.get('name', 'the container')}"
    capabilities = context.get("capabilities", {})
    check(capabilities.get("drop") == ["ALL"] and capabilities.get("add", []) == ADDED.get(name, []), f"{label}: capabilities {capabilities}")
    check(context.get("allowPrivilegeEscalation") is False and not context.get("privileged"), f"{label}: may gain rights")
    check(context.get("seccompProfile") == {"type": "RuntimeDefault"}, f"{label}: no seccomp profile")
    check(context.get("runAsNonRoot") is True if name not in ADDED else context.get("runAsUser") == 0, f"{label}: which user")
    if container.get("name") in ("hsdiff", "agents"):
        check(context.get("readOnlyRootFilesystem") is True, f"{label}: a root that is written to")


def look_at_pod(name, pod):
    spec = pod["spec"]
    containers = spec["containers"] + spec.get("initContainers", [])
    volumes = {volume["name"] for volume in spec.get("volumes", [])}
    check(bool(spec.get("shareProcessNamespace")) is (name not in SENDING) and spec.get("automountServiceAccountToken") is False, f"{name}: processes, account")
    check(not any(spec.get(word) for word in ("hostPID", "hostNetwork", "hostIPC")), f"{name}: something of the node")
    for container in containers:
        look_at_rights(name, container, spec["securityContext"])
        used = {mount["name"] for mount in container.get("volumeMounts", [])}
        check(used <= volumes, f"{name}: volumes {used - volumes}")
    check({c["securityContext"].get("runAsUser", spec["securityContext"]["runAsUser"]) for c in containers} == {10001}, f"{name}: users differ")


def is_within(part, whole, path=""):
    """All fields of `part`, those that kubectl does not know would be missing in `whole`."""
    if isinstance(part, dict):
        for key, value in part.items():
            if not isinstance(whole, dict) or key not in whole:
                return f"{path}.{key}"
            if found := is_within(value, whole[key], f"{path}.{key}"):
                return found
    elif isinstance(part, list):
        for i, value in enumerate(part):
            if found := is_within(value, whole[i] if i < len(whole) else None, f"{path}[{i}]"):
                return found
    elif part != whole:
        return path
    return None


def look_at_schema(name, pod):
    """kubectl decodes what has containers into its own types and writes it again; no cluster is asked."""
    change = ["label", "tried=yes"] if pod["kind"] == "PersistentVolumeClaim" else ["set", "env", "TRIED=yes"]
    done = subprocess.run(["kubectl", *change, "--local", "-f", FOLDER / name, "-o", "yaml"], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"{name}: {done.stderr}")
    if done.returncode == 0:
        lost = is_within({key: pod[key] for key in ("kind", "spec")}, yaml.safe_load(done.stdout))
        check(lost is None, f"{name}: {lost} is no field of a pod")


# ---- commands ----


def help_of(words, cache={}):
    if words not in cache:
        cache[words] = subprocess.run(list(words), capture_output=True, text=True, timeout=60).stdout
    return cache[words]


def look_at_hsdiff(hsdiff, words):
    """words[0] is hsdiff; up to a redirection."""
    command = words[1] if len(words) > 1 and re.fullmatch("[a-z]+", words[1]) else None
    text = help_of((hsdiff, "help", command)) if command else help_of((hsdiff, "help", "diff"))
    check(text, f"hsdiff has no command {command}")
    for word in words[1:]:
        if word.startswith("-") and word != "-":
            check(re.search(rf"(?<![\w-]){re.escape(word.split('=')[0])}(?![\w-])", text), f"hsdiff {command} has no option {word}")


def look_at_kubectl(words):
    if not shutil.which("kubectl"):
        return
    command = words[1:3] if words[1] == "create" else words[1:2]
    text = help_of(("kubectl", *command, "--help")) + help_of(("kubectl", "options"))
    for word in words[2:]:
        if word == "--":
            break
        if word.startswith("-") and word != "-":
            check(re.search(rf"(?<![\w-]){re.escape(word.split('=')[0])}(?![\w-])", text), f"kubectl {words[1]} has no option {word}")


def commands_of_page():
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M):
        yield from (line for line in block.splitlines() if line.strip())


def words_of(container):
    """Commands of hsdiff that a container runs, itself or in a shell."""
    command = container.get("command", [""])
    lines = command[2].split(";") if command[0] == "sh" else [shlex.join(command)]
    return [words for words in map(shlex.split, lines) if words and words[0] == "hsdiff"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True)
    hsdiff = parser.parse_args().hsdiff
    names = sorted(path.name for path in FOLDER.glob("*.yml"))
    check(len(names) >= 5, f"{names}")
    for name in names:
        text = (FOLDER / name).read_text(encoding="utf-8")
        pod = yaml.safe_load(text)
        check(text.startswith("# ") and name in PAGE.read_text(encoding="utf-8"), f"{name}: says what it is, and the page names it")
        if "kind" not in pod:
            look_at_rights(name, pod, {})
            continue
        if shutil.which("kubectl"):
            look_at_schema(name, pod)
        if pod["kind"] == "PersistentVolumeClaim":
            continue
        if pod["kind"] == "CronJob":
            pod = pod["spec"]["jobTemplate"]["spec"]["template"]
        look_at_pod(name, pod)
        for container in pod["spec"]["containers"]:
            for words in words_of(container):
                look_at_hsdiff(hsdiff, words)
    for line in commands_of_page():
        words = shlex.split(line.split(">")[0])
        if words[0] == "kubectl":
            look_at_kubectl(words)
            words = words[words.index("--") + 1:] if "--" in words else []
        if words and words[0] == "hsdiff":
            look_at_hsdiff(hsdiff, words)
        for word in words:
            check(not word.startswith("doc/") or (PROJECT / word).exists(), f"{word} does not exist")
    for file in re.findall(r"doc/kubernetes/[\w.-]+", PAGE.read_text(encoding="utf-8")):
        check((PROJECT / file).exists(), f"{file} does not exist")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
