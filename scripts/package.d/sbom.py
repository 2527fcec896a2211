#!/usr/bin/env python3
"""What is in the tarball, as SPDX 2.3: hsdiff and each part of others (parts.py), with version and licence.

usage: sbom.py BUILD OUT        reads the tarball of OUT, writes NAME.spdx.json beside it
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys
import tarfile

import parts
from machine import KERNEL, version

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


def item(name, number, licence, comment):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": number, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION", "comment": comment}


def reference(part):
    """Debian's words for licences are not all SPDX's: each is a name of its own that leads to the text."""
    return f"LicenseRef-{re.sub(r'[^A-Za-z0-9.-]', '-', part.name)}"


def main(build, out):
    (tarball,) = out.glob(f"hsdiff-*-linux-{KERNEL}.tar.xz")
    name = tarball.name.removesuffix(".tar.xz")
    with tarfile.open(tarball) as file:
        libraries = sorted(pathlib.PurePath(entry).name for entry in file.getnames() if re.search(r"/libexec/.*\.so", entry))
    found = parts.parts(libraries, build)
    items = [item("hsdiff", version(), "Apache-2.0", "the command, its agents and libraries")]
    items += [item(part.name, part.version, reference(part), part.how) for part in found]
    texts = [{"licenseId": reference(part), "name": part.licence or part.name, "extractedText": part.text} for part in found]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{hashlib.sha256(tarball.read_bytes()).hexdigest()[:32]}",
        "creationInfo": {"created": datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: hsdiff-scripts-package"]},
        "packages": items, "hasExtractedLicensingInfos": texts,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-hsdiff"}] +
                         [{"spdxElementId": "SPDXRef-hsdiff", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": one["SPDXID"]} for one in items[1:]],
    }
    (out / f"{name}.spdx.json").write_text(json.dumps(document, indent=1) + "\n")
    print(f"{name}.spdx.json: hsdiff and {len(found)} parts of others")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
