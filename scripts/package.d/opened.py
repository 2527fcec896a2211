"""Libraries that a program loads by name when it needs them: the sonames of its note .note.dlopen (ELF dlopen metadata of the UAPI group). Linkers
and ldd know nothing of them."""
import json
import pathlib
import struct
import subprocess
import tempfile

from machine import tool


def sonames(program):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "note"
        subprocess.run([tool("objcopy"), "--dump-section", f".note.dlopen={copy}", str(program), "/dev/null"], stderr=subprocess.DEVNULL, check=False)
        data = copy.read_bytes() if copy.exists() else b""
    found = []
    while len(data) >= 12:
        name, text, _ = struct.unpack_from("<III", data)
        start = 12 + (name + 3) // 4 * 4
        for feature in json.loads(data[start : start + text].rstrip(b"\0")):
            found += feature["soname"]
        data = data[start + (text + 3) // 4 * 4 :]
    return sorted(set(found))
