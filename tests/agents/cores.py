"""Cores of running programs. gdb's gcore writes them where it is installed; else they are written here, from /proc, with what gcore puts into them that matters: memory that is
the process's own, the first page of each mapped file, and the notes about the process, its vector and its files."""
import contextlib
import os
import shutil
import signal
import struct
import subprocess

from kit import check, wait_until

PAGE = 4096
EMPTY = bytes(1 << 16)
LOAD, NOTE, CORE = 1, 4, 4
PROCESS, VECTOR, FILES = 3, 6, 0x46494c45


def by_gcore(pid, path):
    done = subprocess.run(["gcore", "-o", str(path), str(pid)], capture_output=True, text=True, timeout=300)
    made = f"{path}.{pid}"
    check(os.path.exists(made), f"gcore: {done.stdout}\n{done.stderr}")
    os.rename(made, path)


def note(kind, data):
    padded = data + b"\0" * (-len(data) % 4)
    return struct.pack("<III", 5, len(data), kind) + b"CORE\0\0\0\0" + padded


def process_note(pid):
    name = open(f"/proc/{pid}/comm", "rb").read().strip()[:15]
    return note(PROCESS, struct.pack("<bbbbQIIiiii16s80s", 0, 82, 0, 0, 0, 0, 0, pid, 0, 0, 0, name, b""))


def mappings(pid):
    """(begin, end, permissions, offset, path, is written) of all that can be read."""
    rows = []
    for line in open(f"/proc/{pid}/smaps"):
        words = line.split(maxsplit=5)
        if "-" in words[0] and ":" not in words[0]:
            begin, end = (int(word, 16) for word in words[0].split("-"))
            rows.append([begin, end, words[1], int(words[2], 16), words[5].strip() if len(words) > 5 else "", False])
        elif words[0] == "Anonymous:" and int(words[1]) > 0:
            rows[-1][5] = True
    return [row for row in rows if row[2][0] == "r" and row[4] not in ("[vvar]", "[vvar_vclock]", "[vsyscall]")]


def files_note(rows):
    files = [row for row in rows if row[4].startswith("/")]
    table = struct.pack("<QQ", len(files), PAGE) + b"".join(struct.pack("<QQQ", row[0], row[1], row[3] // PAGE) for row in files)
    return note(FILES, table + b"".join(row[4].encode() + b"\0" for row in files))


def pieces(rows):
    for begin, end, permissions, offset, path, is_written in rows:
        if is_written or not path.startswith("/"):
            yield begin, end, permissions
        elif offset == 0:
            yield begin, min(end, begin + PAGE), permissions


def write_sparse(out, piece):
    """What is empty becomes a hole."""
    for at in range(0, len(piece), len(EMPTY)):
        part = piece[at:at + len(EMPTY)]
        if part == EMPTY:
            out.seek(len(part), os.SEEK_CUR)
        else:
            out.write(part)


def by_hand(pid, path):
    """The process must stand still meanwhile, as one does that waits."""
    rows = mappings(pid)
    notes = process_note(pid) + note(VECTOR, open(f"/proc/{pid}/auxv", "rb").read()) + files_note(rows)
    parts = list(pieces(rows))
    heads = 64 + 56 * (1 + len(parts))
    at = heads + len(notes) + -(heads + len(notes)) % PAGE
    with open(path, "wb") as out, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        out.write(struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, CORE, 62, 1, 0, 64, 0, 0, 64, 56, 1 + len(parts), 0, 0, 0))
        out.write(struct.pack("<IIQQQQQQ", NOTE, 4, heads, 0, 0, len(notes), 0, 4))
        for begin, end, permissions in parts:
            flags = 4 | 2 * (permissions[1] == "w") | (permissions[2] == "x")
            out.write(struct.pack("<IIQQQQQQ", LOAD, flags, at, begin, 0, end - begin, end - begin, PAGE))
            at += end - begin
        out.write(notes)
        out.write(b"\0" * (-(heads + len(notes)) % PAGE))
        for begin, end, _ in parts:
            memory.seek(begin)
            left = end - begin
            while left > 0:
                piece = memory.read(min(left, 1 << 24))
                check(len(piece) > 0, f"memory of {pid} at {begin:#x} cannot be read")
                write_sparse(out, piece)
                left -= len(piece)
        out.truncate()


@contextlib.contextmanager
def standing(pid):
    """Stopped meanwhile, by a signal."""
    def state():
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_until("it stands", lambda: state() == "T")
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def write(pid, path):
    (by_gcore if shutil.which("gcore") else by_hand)(pid, path)
