"""What scripts/package writes beside the packages: recipes for Homebrew and Nix, checksums, the list of parts and their licences."""
import hashlib
import json
import re
import shutil
import tarfile

from systems import check, run


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def are_read(out):
    """Each by the language it is written in; both name the source that lies beside them."""
    (source,) = [path for path in out.glob("hsdiff-*.tar.xz") if "-linux-" not in path.name]
    formula, expression = out / "hsdiff.rb", out / "hsdiff.nix"
    for path in (formula, expression):
        text = path.read_text()
        check(f"/{source.name}\"" in text and f'"{sha256(source)}"' in text and "@" not in re.sub(r"@\w+\.", "", text), f"{path.name} names another source")
    if shutil.which("ruby"):
        check("Syntax OK" in run("ruby", "-c", formula), "ruby")
    if shutil.which("nix-instantiate"):
        run("nix-instantiate", "--parse", expression)
    with tarfile.open(source) as file:
        root = source.name.removesuffix(".tar.xz")
        names = set(file.getnames())
        check({f"{root}/CMakeLists.txt", f"{root}/LICENSE"} <= names, "no source")
        text = file.extractfile(f"{root}/cmake/HsdDeps.cmake").read().decode()
    # A library that the build looks for, and a recipe does not bring, is left out without a word: features would be missing.
    wanted = {"libzstd": "zstd", "libxxhash": "xxhash", "libsodium": "libsodium", "zlib": "zlib", "yaml-0.1": "libyaml", "libdw": "elfutils", "sqlite3": "sqlite", "libmicrohttpd": "libmicrohttpd"}
    asked = set(re.findall(r"IMPORTED_TARGET ([\w.-]+?)(?:>=[\d.]+)?[ )]", text))
    check(asked == set(wanted), f"the build asks for {sorted(asked)}, and recipes are checked for {sorted(wanted)}")
    for name in wanted.values():
        check(f'depends_on "{name}"' in formula.read_text(), f"the formula lacks {name}")
        check(re.search(rf"buildInputs = \[[^]]*\b{name}\b", expression.read_text(), re.I), f"the expression lacks {name}")


def lists_are_true(out):
    listed = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    there = {path.name: sha256(path) for path in out.iterdir() if path.name != "SHA256SUMS"}
    check(listed == there, f"checksums are of {sorted(listed)}, files are {sorted(there)}")
    (tarball,) = out.glob("*-linux-x86_64.tar.xz")
    document = json.loads((out / (tarball.name.removesuffix(".tar.xz") + ".spdx.json")).read_text())
    with tarfile.open(tarball) as file:
        root = file.getnames()[0]
        names = [name.rpartition("/")[2] for name in file.getnames() if "/libexec/" in name and ".so" in name]
        notices = file.extractfile(f"{root}/THIRD-PARTY.txt").read().decode()
    defined = {text["licenseId"] for text in document["hasExtractedLicensingInfos"]}
    for part in document["packages"][1:]:
        check(part["licenseDeclared"] in defined, f"no text of {part['licenseDeclared']}")
        check(f"\n{part['name']} {part['versionInfo']}\n" in notices, f"no notice of {part['name']}")
    comments = " ".join(part.get("comment", "") for part in document["packages"])
    for name in [*names, "libzstd.a", "libiberty.a"]:
        check(re.search(rf"[ ]{re.escape(name)}(,|$| )", comments), f"{name} is in the tarball and not in the list")
    check({"d3-hierarchy", "uplot"} <= {part["name"] for part in document["packages"]}, "what the page is made of")
