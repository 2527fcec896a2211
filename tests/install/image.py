"""The image of scripts/package: an OCI layout that is read by rules written here, and by skopeo and umoci where these are; its command runs with nothing
beside what is in the image."""
import gzip
import hashlib
import io
import json
import shutil
import tarfile

from systems import check, run


def blob(file, descriptor):
    """What a descriptor names, of the size and the digest that it says."""
    kind, digest = descriptor["digest"].split(":")
    content = file.extractfile(f"blobs/{kind}/{digest}").read()
    check(kind == "sha256" and hashlib.sha256(content).hexdigest() == digest, f"the digest of {digest[:12]}")
    check(len(content) == descriptor["size"], f"the size of {digest[:12]}")
    return content


def parts(archive):
    """(configuration, plain layer) of a valid layout: https://github.com/opencontainers/image-spec."""
    with tarfile.open(archive) as file:
        check(json.loads(file.extractfile("oci-layout").read()) == {"imageLayoutVersion": "1.0.0"}, "oci-layout")
        index = json.loads(file.extractfile("index.json").read())
        check(index["schemaVersion"] == 2 and len(index["manifests"]) == 1, "index.json")
        listed = index["manifests"][0]
        check(listed["platform"]["os"] == "linux", "the platform")
        manifest = json.loads(blob(file, listed))
        check(manifest["mediaType"] == listed["mediaType"] == "application/vnd.oci.image.manifest.v1+json", "the type of the manifest")
        configuration = json.loads(blob(file, manifest["config"]))
        (layer,) = manifest["layers"]
        plain = gzip.decompress(blob(file, layer))
        check(configuration["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(plain).hexdigest()], "the digest of the layer")
        named = {listed["digest"], manifest["config"]["digest"], layer["digest"]}
        there = {"sha256:" + name.rpartition("/")[2] for name in file.getnames() if name.startswith("blobs/sha256/")}
        check(there == named, "blobs that nothing names")
    return configuration, plain


def runs_from_nothing(out, root):
    (archive,) = out.glob("*-linux-x86_64.oci.tar")
    configuration, plain = parts(archive)
    if shutil.which("skopeo"):
        said = json.loads(run("skopeo", "inspect", f"oci-archive:{archive}"))
        check(said["Architecture"] == "amd64" and len(said["Layers"]) == 1, f"skopeo says {said}")
    if shutil.which("skopeo") and shutil.which("umoci"):
        layout = root.folder.parent / "layout"
        run("skopeo", "copy", f"oci-archive:{archive}", f"oci:{layout}:v")
        run("umoci", "unpack", "--image", f"{layout}:v", root.folder.parent / "bundle")
        shutil.copytree(root.folder.parent / "bundle/rootfs", root.folder, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(root.folder.parent / "bundle")
        shutil.rmtree(layout)
    else:
        with tarfile.open(fileobj=io.BytesIO(plain)) as layer:
            layer.extractall(root.folder)
    check(not (root.folder / "bin").exists() and not (root.folder / "usr").exists(), "more than the command is in the image")
    command = configuration["config"]["Entrypoint"]
    variables = dict(line.split("=", 1) for line in configuration["config"]["Env"])
    check("hsdiff before.hs after.hs" in root.run(*command, *configuration["config"]["Cmd"], **variables), "no help")
    root.run(*command, "demo", "-o", "/work", **variables)
    text = root.run(*command, "/work/demo-before.hs", "/work/demo-after.hs", **variables)
    check("WHAT KEEPS IT ALIVE" in text, f"no answer:\n{text}")
