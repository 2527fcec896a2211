#!/usr/bin/env python3
"""Makes an image of the tarball, without a daemon: an OCI layout in a tar, which podman, docker and skopeo read. One layer, on nothing: the command starts
through the loader that it brings, so there is no shell in it and nothing of a distribution.

usage: oci.py OUT        reads the tarball of the folder, writes NAME.oci.tar beside it
"""
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

from machine import ARCHITECTURE, KERNEL, LOADER, version

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
HOME = "opt/hsdiff"
TYPE = "application/vnd.oci.image."


def entry(name, mode, kind=tarfile.DIRTYPE, size=0):
    made = tarfile.TarInfo(name)
    made.type, made.mode, made.size, made.mtime, made.uname, made.gname = kind, mode, size, EPOCH, "root", "root"
    return made


def layer(tarball):
    """The tarball's files under opt/hsdiff, without what needs a shell; a place for temporary files, and one to mount captures at."""
    made = io.BytesIO()
    with tarfile.open(tarball) as source, tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as target:
        for folder, mode in (("opt", 0o755), ("tmp", 0o1777), ("work", 0o755)):
            target.addfile(entry(folder, mode))
        for member in source.getmembers():
            parts = pathlib.PurePath(member.name).parts
            if parts[1:2] == ("bin",):
                continue
            name = str(pathlib.PurePath(HOME, *parts[1:]))
            member.name = name
            target.addfile(member, source.extractfile(member) if member.isfile() else None)
    return made.getvalue()


def configuration(plain):
    return {
        "created": CREATED, "architecture": ARCHITECTURE, "os": "linux",
        "config": {"Entrypoint": [f"/{HOME}/libexec/{LOADER}", "--library-path", f"/{HOME}/libexec", "--argv0", "hsdiff", f"/{HOME}/libexec/hsdiff"],
                   "Cmd": ["--help"], "Env": [f"HSDIFF_AGENTS=/{HOME}/lib/hsdiff"], "WorkingDir": "/work",
                   "Labels": {"org.opencontainers.image.title": "hsdiff", "org.opencontainers.image.version": version(),
                              "org.opencontainers.image.licenses": "Apache-2.0"}},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]},
        "history": [{"created": CREATED, "created_by": "hsdiff scripts/package"}],
    }


class Layout:
    def __init__(self):
        self.files = {"oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode()}

    def blob(self, kind, content):
        content = content if isinstance(content, bytes) else json.dumps(content, indent=1).encode()
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = content
        return {"mediaType": TYPE + kind, "digest": f"sha256:{digest}", "size": len(content)}

    def write(self, path):
        folders = sorted({str(parent) for name in self.files for parent in pathlib.PurePath(name).parents} - {"."})
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as file:
            for name in folders:
                file.addfile(entry(name, 0o755))
            for name, content in sorted(self.files.items()):
                file.addfile(entry(name, 0o644, tarfile.REGTYPE, len(content)), io.BytesIO(content))


def main(out):
    (tarball,) = out.glob(f"hsdiff-*-linux-{KERNEL}.tar.xz")
    plain, layout = layer(tarball), Layout()
    manifest = {"schemaVersion": 2, "mediaType": TYPE + "manifest.v1+json", "config": layout.blob("config.v1+json", configuration(plain)),
                "layers": [layout.blob("layer.v1.tar+gzip", gzip.compress(plain, 9, mtime=0))]}
    listed = layout.blob("manifest.v1+json", manifest) | {"platform": {"architecture": ARCHITECTURE, "os": "linux"},
                                                          "annotations": {"org.opencontainers.image.ref.name": version()}}
    layout.files["index.json"] = json.dumps({"schemaVersion": 2, "mediaType": TYPE + "index.v1+json", "manifests": [listed]}, indent=1).encode()
    target = out / (tarball.name.removesuffix(".tar.xz") + ".oci.tar")
    layout.write(target)
    print(f"{target.name}: one layer of {manifest['layers'][0]['size'] / 1024:,.0f} KiB on nothing, {listed['digest'][:19]}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
