"""Sources of C with many changes in them at once, one of which holds while a program runs (mutant.h): all mutants cost one build.

An operator with a blank on both sides, as clang-format writes them, is found with both its operands by its precedence; the whole becomes a macro that has
both the old and the new. Lines stay where they were. What is no expression of a running program (an array's length in a struct, a constant of a file) is not
possible: the compiler says so, and the change is left out.
"""
import re

PRECEDENCE = {"*": 12, "/": 12, "%": 12, "+": 11, "-": 11, "<<": 10, ">>": 10, "<": 9, ">": 9, "<=": 9, ">=": 9, "==": 8, "!=": 8, "&": 7, "^": 6, "|": 5,
              "&&": 4, "||": 3, "?": 2, ":": 2, **{sign: 1 for sign in ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=")}}
SIGNS = r"[-+*/%<>=!&|^?:]+"
NEXT = re.compile(rf"\s+({SIGNS})(?=\s)")
BEFORE = re.compile(rf"\s({SIGNS})\s+$")
CLOSING = {"(": ")", "[": "]", "{": "}"}
OPENING = {close: open for open, close in CLOSING.items()}


def blanked(text):
    """The same text, as long, without what stands in comments, strings, directives and assertions; sizeof is one with its operand."""
    def fill(match):
        return re.sub(r"[^\n]", "s" if match.group(0)[0] in "\"'" else " ", match.group(0))
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", fill, text, flags=re.DOTALL)
    text = re.sub(r"\bHSD_ASSERT\([^;]*", fill, re.sub(r"\bsizeof (?=\w)", "sizeof_", text))
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", fill, text, flags=re.MULTILINE)


def partner(code, at, step):
    """The bracket that belongs to the one at `at`, forward (1) or backward (-1)."""
    here, there = (CLOSING, OPENING) if step > 0 else (OPENING, CLOSING)
    depth = 0
    while 0 <= at < len(code):
        depth += (code[at] in here) - (code[at] in there)
        if depth == 0:
            return at
        at += step
    return None


def begin_of_left(code, at, sign):
    """Where the left operand of the operator at `at` begins."""
    own = PRECEDENCE[sign]
    while at > 0 and code[at - 1].isspace():
        at -= 1
    while at > 0:
        letter = code[at - 1]
        if letter in OPENING:
            at = partner(code, at - 1, -1)
            if at is None:
                return None
        elif letter in "([{;,?:":
            return at
        elif letter.isspace():
            before = BEFORE.search(code[max(0, at - 200):at])
            if before is None or PRECEDENCE.get(before.group(1), 0) < own or own == 1:
                return at
            at = max(0, at - 200) + before.start()
            while at > 0 and code[at - 1].isspace():
                at -= 1
        else:
            at -= 1
    return None


def end_of_right(code, at, sign):
    """Where the right operand of the operator that ends at `at` ends."""
    own = PRECEDENCE[sign]
    while at < len(code) and code[at].isspace():
        at += 1
    while at < len(code):
        letter = code[at]
        if letter in CLOSING:
            at = partner(code, at, 1)
            if at is None:
                return None
            at += 1
        elif letter in ")]};,":
            return at
        elif letter.isspace():
            behind = NEXT.match(code, at)
            if behind is None or PRECEDENCE.get(behind.group(1), 0) <= own:
                return at
            at = behind.end()
            while at < len(code) and code[at].isspace():
                at += 1
        else:
            at += 1
    return None


class Switched:
    """A text into which changes are put by position."""

    def __init__(self, text):
        self.text, self.code = text, blanked(text)
        self.lines = [0]
        for line in text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.pieces, self.places = [], {}  # (begin, end, what stands there, order among those of one place), {number: (first line, last line)}

    def add(self, number, line, column, old, new):
        """The change of what stands at this place: whether it can be made."""
        at = self.lines[line - 1] + column
        if self.text[at:at + len(old)] != old or self.code[at:at + len(old)] != old:
            return False
        if old.startswith("return"):
            word = old[len("return "):-1]
            return self.put(number, at, at + len(old), [(at, at + len(old), f"return HSD_ANSWERED({number}, {word});", 0)])
        sign = old.split()[0]
        left = begin_of_left(self.code, at, sign)
        right = at + len(old) if old in (" + 1", " - 1") else end_of_right(self.code, at + len(old), sign)
        if left is None or right is None or left >= at or right < at + len(old):
            return False
        length = right - left
        if old in (" + 1", " - 1"):
            behind = NEXT.match(self.code, right)
            if re.match(r"[\w.]", self.code[right:right + 1]) or behind and PRECEDENCE.get(behind.group(1), 0) > PRECEDENCE[sign]:
                return False
            return self.put(number, left, right, [(left, left, f"HSD_BESIDE({number}, {sign}, (", -length), (at, right, "))", length)])
        if sign in ("&&", "||"):
            word = f"HSD_JOINED({number}, {int(sign == '||')}, ("
        elif sign == "+=":
            word = f"HSD_ADDED({number}, ("
        else:
            word = f"HSD_COMPARED({number}, {sign}, {new.strip()}, ("
        return self.put(number, left, right, [(left, left, word, -length), (at, at + len(old), "), (", 0), (right, right, "))", length)])

    def put(self, number, begin, end, pieces):
        self.places[number] = (self.text.count("\n", 0, begin) + 1, self.text.count("\n", 0, end) + 1)
        self.pieces += [(*piece, number) for piece in pieces]
        return True

    def made(self, header, left_out=frozenset()):
        out, at = [], 0
        for begin, end, text, _, number in sorted(self.pieces, key=place_of):
            if number not in left_out:
                out += [self.text[at:begin], text]
                at = end
        return f'#include "{header}"\n#line 1\n' + "".join(out) + self.text[at:]


def place_of(piece):
    """At one place what closes stands first, the inner before the outer, then what opens, the outer before the inner, then what replaces an operator."""
    begin, end, _, order, _ = piece
    return begin, 2 if begin < end else int(order < 0), order
