"""What of others is in the tarball: libraries beside the command, archives linked into it and the agents, and packages of JavaScript in the viewer's page."""
import collections
import pathlib
import re
import subprocess

from machine import ARCHITECTURE, MULTIARCH, PROJECT, output

Part = collections.namedtuple("Part", "name version licence how text")  # licence: a short word of the package itself, or ""
LICENSES = PROJECT / "libdiff/web/bundle/LICENSES.txt"
LINE = "-" * 78


def packages_of(paths):
    """{package: files} of Debian; where files are links of /lib, dpkg knows either name."""
    asked = {start + str(path).removeprefix("/usr"): path for path in paths for start in ("", "/usr")}
    lines = subprocess.run(["dpkg-query", "-S", *asked], capture_output=True, text=True, check=False).stdout.splitlines()
    found = {asked[line.split(": ")[1]]: line.split(":")[0] for line in lines}
    if missing := [path for path in paths if path not in found]:
        raise SystemExit(f"parts.py: no package has {missing[0]}")
    packages = {}
    for path in paths:
        packages.setdefault(found[path], []).append(pathlib.PurePath(path).name)
    return packages


def debian(paths, how):
    for package, files in sorted(packages_of(paths).items()):
        version = output("dpkg-query", "-W", "-f", "${Version}", f"{package}:{ARCHITECTURE}")
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
        match = re.search(r"^Files: \*\n(?:.*\n)*?License: ([A-Za-z0-9.+-]+)$", text, re.M)  # many old ones say nothing that a machine reads
        yield Part(package, version, match.group(1) if match else "", f"Debian 12, {how}: {', '.join(files)}", text)


def archives(build):
    return sorted(set(re.findall(rf"/usr/lib/{MULTIARCH}/\S+\.a\b", (build / "build.ninja").read_text())))


def of_page():
    for text in LICENSES.read_text().split(LINE)[1:]:
        name, version, licence = re.match(r"\s*(\S+) (\S+) \((\S+)\)", text).groups()
        yield Part(name, version, licence, "npm, in the page of reports and of the viewer", text.strip() + "\n")


def parts(libraries, build):
    found = [*debian([f"/usr/lib/{MULTIARCH}/{name}" for name in libraries], "beside the command"), *debian(archives(build), "linked in"), *of_page()]
    return sorted(found, key=lambda part: part.name)


def notices(found):
    """The text of every licence, as one file."""
    head = "hsdiff is under the Apache licence 2.0 (LICENSE). What is with it here of others, and on which terms:\n"
    source = "Sources of Debian's packages are at https://sources.debian.org by the names and versions that stand here.\n"
    listed = "".join(f"  {part.name} {part.version}: {part.how}\n" for part in found)
    return f"{head}\n{listed}\n{source}" + "".join(f"\n{LINE}\n{part.name} {part.version}\n\n{part.text.strip()}\n" for part in found)
