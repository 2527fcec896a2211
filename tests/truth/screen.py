"""What a user sees first: the answer of hsdiff on a terminal of 80 columns, taken apart."""
import contextlib
import fcntl
import os
import re
import struct
import subprocess
import termios

COLUMNS, LINES = 80, 24
HEADING = re.compile(r"^[A-Z][A-Z' ]+(  |$)")
HOLDERS, LOST = re.compile(r"^WHAT KEEPS IT ALIVE"), re.compile(r"^(.*\bLOST|NOT REACHED|UNREACHED)")


def on_terminal(command, environment, timeout=120):
    """The exit status and what it writes to a terminal, without colours."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    settings = termios.tcgetattr(theirs)
    settings[1] &= ~termios.OPOST  # no carriage returns
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL,
                          env=dict(environment, NO_COLOR="1", TERM="dumb", LC_ALL="C.UTF-8")) as process:
        os.close(theirs)
        parts = []
        with contextlib.suppress(OSError):  # how a terminal ends
            while part := os.read(ours, 65536):
                parts.append(part)
        os.close(ours)
        process.wait(timeout)
    return process.returncode, b"".join(parts).decode(errors="replace")


class Row:
    """One line of a table that stands at the left edge, and the lines below it that are indented."""

    def __init__(self, line):
        self.line = line
        self.more = []

    @property
    def share(self):
        """In percent, if the row has it."""
        found = re.search(r"(\d+)%\s*$", self.line)
        return int(found[1]) if found else 0

    @property
    def text(self):
        return "\n".join([self.line, *self.more])


def rows_of(block):
    rows = []
    for line in block[1:]:
        if line.startswith(" ") and rows:
            rows[-1].more.append(line)
        else:
            rows.append(Row(line))
    return [row for row in rows if not re.match(r"(\d[\d,]* (other|unchanged) |TOTAL\b)", row.line)]


class Screen:
    """headline: the sentences above the tables. holders, lost: rows of the tables of those. text: all down to the last of these tables. warnings: above
    all else."""

    def __init__(self, text):
        self.whole = text
        blocks = [part.split("\n") for part in re.split(r"\n\s*\n", text.strip("\n"))]
        captures = next((i for i, block in enumerate(blocks) if block[0].startswith("before ")), 0)  # which they are; above it are warnings
        self.warnings = " ".join(" ".join(block) for block in blocks[:captures])
        blocks = [block for block in blocks[captures + 1:] if not block[0].startswith("Next:")]
        tables = [i for i, block in enumerate(blocks) if HEADING.match(block[0])]
        last = max((i for i in tables if HOLDERS.match(blocks[i][0]) or LOST.match(blocks[i][0])), default=len(blocks) - 1)
        first = tables[0] if tables else len(blocks)
        self.headline = "\n".join("\n".join(block) for block in blocks[:first])
        self.text = "\n\n".join("\n".join(block) for block in blocks[:last + 1])
        self.holders, self.lost = [], []
        for i in tables:
            if LOST.match(blocks[i][0]):
                self.lost += rows_of(blocks[i])
            elif HOLDERS.match(blocks[i][0]):
                self.holders += rows_of(blocks[i])

    @property
    def answer(self):
        """The headline as one line: where it is broken means nothing."""
        return " ".join(self.headline.split())
