"""Libraries that a program loads by name when it needs them: the sonames of its note .note.dlopen (ELF dlopen metadata of the UAPI group). Linkers
and ldd know nothing of them."""
import json
import pathlib
import re
import struct
import subprocess
import tempfile


def sonames(program):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "note"
        subprocess.run(["objcopy", "--dump-section", f".note.dlopen={copy}", str(program), "/dev/null"], stderr=subprocess.DEVNULL, check=False)
        data = copy.read_bytes() if copy.exists() else b""
    found = []
    while len(data) >= 12:
        name, text, _ = struct.unpack_from("<III", data)
        start = 12 + (name + 3) // 4 * 4
        for feature in json.loads(data[start : start + text].rstrip(b"\0")):
            found += feature["soname"]
        data = data[start + (text + 3) // 4 * 4 :]
    return sorted(set(found))


def path_of(soname):
    """Where the loader of this machine has it."""
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    match = re.search(rf"^\s*{re.escape(soname)} \(.*\) => (/\S+)$", listed, re.M)
    if not match:
        raise SystemExit(f"opened.py: {soname} is not on this machine")
    return pathlib.Path(match.group(1))
