#!/usr/bin/env python3
"""What is in the tarball, as SPDX 2.3: hsdiff and each library that lies beside it, with the Debian package and version it is from.

usage: sbom.py OUT        reads the tarball of the folder, writes NAME.spdx.json beside it
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


def output(*command):
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def debian_packages(libraries):
    """(package, version) and the libraries of this machine that are from it."""
    folder = output("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    asked = [f"{start}/{folder}/{library}" for library in libraries for start in ("/usr/lib", "/lib")]
    lines = subprocess.run(["dpkg-query", "-S", *asked], capture_output=True, text=True, check=False).stdout.splitlines()
    found = {pathlib.PurePath(line.split(": ")[1]).name: line.split(":")[0] for line in lines}
    if missing := [library for library in libraries if library not in found]:
        sys.exit(f"sbom.py: no package has {missing[0]}")
    names = sorted(set(found.values()))
    versions = dict(line.split() for line in output("dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *names).splitlines())
    return {(name, versions[name]): [library for library in libraries if found[library] == name] for name in names}


def licence_of(package):
    """What the package's copyright file says in a form that a machine reads; many old ones say nothing."""
    path = pathlib.Path(f"/usr/share/doc/{package}/copyright")
    text = path.read_text(errors="replace") if path.exists() else ""
    match = re.search(r"^Files: \*\n(?:.*\n)*?License: (\S+)", text, re.M)
    return match.group(1) if match and re.fullmatch(r"[A-Za-z0-9.+-]+", match.group(1)) else "NOASSERTION"


def item(name, version, licence, comment):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION", "comment": comment}


def main(out):
    (tarball,) = out.glob("hsdiff-*.tar.xz")
    name = tarball.name.removesuffix(".tar.xz")
    with tarfile.open(tarball) as file:
        libraries = sorted(pathlib.PurePath(entry).name for entry in file.getnames() if re.search(r"/libexec/.*\.so", entry))
    items = [item("hsdiff", name.split("-")[1], "Apache-2.0", "the command, its agents and libraries")]
    for (package, version), files in debian_packages(libraries).items():
        licence = licence_of(package)
        items.append(item(package, version, "NOASSERTION" if licence == "NOASSERTION" else f"LicenseRef-{licence}", "Debian 12: " + ", ".join(files)))
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{hashlib.sha256(tarball.read_bytes()).hexdigest()[:32]}",
        "creationInfo": {"created": datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: hsdiff scripts/package"]},
        "packages": items,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-hsdiff"}] +
                         [{"spdxElementId": "SPDXRef-hsdiff", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": one["SPDXID"]} for one in items[1:]],
    }
    (out / f"{name}.spdx.json").write_text(json.dumps(document, indent=1) + "\n")
    print(f"{name}.spdx.json: hsdiff and {len(items) - 1} packages that it needs")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
