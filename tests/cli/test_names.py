#!/usr/bin/env python3
"""Hostile names in every format, read back by parsers that know nothing of hsdiff.

usage: test_names.py REPORT_SAMPLE
More than five hundred names that an attacker might give a type go through each report. The terminal formats must hold no
byte that a terminal obeys, and the names must come back exactly; JSON and CSV are read by Python's own parsers.
"""
import csv
import io
import json
import re
import struct
import subprocess
import sys

CONTROL = [bytes([code]) for code in range(32)] + [b"\x7f"]
C1 = [chr(code).encode() for code in range(0x80, 0xA0)]
HIDDEN = [chr(code).encode() for code in (
    0xAD, 0x61C, 0x115F, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D,
    0x202E, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0x3164, 0xFE0F, 0xFEFF, 0xFFFE, 0xFFFF, 0xE0041, 0xE0100)]
INVALID = [b"\x80", b"\x9b31m", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xff\xfe",
           b"\xf0\x9f\x92", b"\xf5\x80\x80\x80"]
WORDS = [
    b"\x1b[2J\x1b[H", b"\x1b]0;title\x07", b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", b"\x1bP+q\x1b\\", b"\x1b[6n", b"\r\nfake line",
    b"a\tb", b"a\nTOTAL 0 0", b"::error file=a.c,line=1::fake", b"  ::set-output name=x::y", b"::stop-commands::x", b"##[error]fake",
    b"a##vso[task.setvariable variable=x]y", b"=1+1", b"=cmd|'/c calc'!A0", b"+1", b"-1", b"@SUM(A1)", "＝1".encode(), "＋1".encode(),
    b"'quoted", b"''", b'"', b'""', b'a"b', b"a,b", b"a;b", b" leading", b"trailing ", b" ", b"\\", b"\\\\", b"\\x1b", b"\\u202e", b"\\U0001f4a9",
    b"\\x", b"\\xg1", b"a\\", b"App\\Model\\User", b"\\\x1b", b"\\\xff", b"\\\\\x1b", b"C:\\x86\\u0041", b"</script><script>alert(1)</script>",
    b"<!--", b"]]>", b"|`[x](http://y)`", b"{\"a\": 1}", b"null", b"NaN", b"1e309", b"%s%n%x", b"%", b"$(reboot)", b"`reboot`", b"; rm -rf /", b"!!",
    "Straße".encode(), "日本語クラス".encode(), "e\u0301".encode(), "🧨".encode(), "مرحبا".encode(), b"x" * 4096, b"\x1b" * 1000, b'"' * 999,
    ("日" * 500).encode(), b"a" * 65536, b"\x00a\x00", b"(shared)", b"TOTAL", b"1 other type", b"others",
]
SINGLE = CONTROL + C1 + HIDDEN + INVALID
# Each of them inside, first and last, where rules of shells, spreadsheets and terminals differ.
NAMES = list(dict.fromkeys([b"plain.Name"] + WORDS + INVALID + [before + c + after for c in SINGLE for before, after in ((b"a", b"b"), (b"", b"b"), (b"a", b""))]
                           + [c + word for c in CONTROL[7:14] + [b"\x1b", b"\xc2\x9b"] for word in WORDS[4:20]]))


def is_utf8(name):
    """True if the name is text, and not just bytes."""
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def run(program, *arguments):
    """Bytes that the program prints for NAMES."""
    stdin = b"".join(struct.pack("<I", len(name)) + name for name in NAMES)
    result = subprocess.run([program, "names", *arguments], input=stdin, capture_output=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{arguments}: exit status {result.returncode}: {result.stderr.decode(errors='replace')}")
    return result.stdout


MARK = re.compile(r"\\\\|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def unmarked(text):
    """The bytes behind text with visible marks: the rule of the manual, written once more."""
    out, at = b"", 0
    for match in MARK.finditer(text):
        out += text[at:match.start()].encode()
        at = match.end()
        byte, short, long = match.groups()
        if byte:
            out += bytes([int(byte, 16)])
        elif short or long:
            out += chr(int(short or long, 16)).encode("utf-8", "surrogatepass")
        else:
            out += b"\\"
    return out + text[at:].encode()


FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
                       "\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]")


def check_harmless(what, data, allowed=""):
    """Valid UTF-8, nothing hidden, no line that a build server obeys."""
    text = data.decode("utf-8")
    for character in FORBIDDEN.findall(text):
        if character not in allowed:
            raise SystemExit(f"{what}: U+{ord(character):04X} stands in the output")
    for line in text.splitlines():
        if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line:
            raise SystemExit(f"{what}: a build server would obey: {line[:80]}")
    return text


def check_equal(what, found, wanted):
    if len(found) != len(wanted):
        raise SystemExit(f"{what}: {len(found)} names, {len(wanted)} expected")
    for got, want in zip(sorted(found), sorted(wanted)):
        if got != want:
            raise SystemExit(f"{what}: {got[:80]!r} instead of {want[:80]!r}")
    print(f"{what}: {len(found)} names came back")


def check_json(program):
    report = json.loads(check_harmless("json", run(program, "json")))
    wanted = [name.decode("utf-8", "replace") for name in NAMES]
    check_equal("json types", [row["type"] for row in report["types"]], wanted)
    check_equal("json roots", [row["root"] for row in report["roots"]], wanted)
    for what, found in (("roots of holders", [row["root"] for row in report["holders"]]), ("types", [row["type"] for row in report["holders"]]),
                        ("edges", [row["path"][0]["edge"] for row in report["holders"]]),
                        ("growth edges", [row["edges"][0]["edge"] for row in report["holders"]]),
                        ("growth types", [row["types"][0]["type"] for row in report["holders"]]),
                        ("tree", [row["edge"] for row in report["tree"][1:]])):
        check_equal(f"json {what}", found, wanted)
    total = report["total"]["growth"]["bytes"]
    if sum(row["growth_bytes"] for row in report["holders"]) != total:
        raise SystemExit("json: the holders do not add up")
    for table in ("types", "roots"):
        if sum(row["growth"]["bytes"] for row in report[table]) != total:
            raise SystemExit(f"json: the {table} do not add up")


def csv_rows(program, *table):
    """Rows of a table, as a spreadsheet reads them."""
    text = check_harmless("csv", run(program, "csv", *table), allowed="\r")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        if None in row or None in row.values():
            raise SystemExit(f"csv: a row with other fields than the heading: {row}")
        for field in ("name", "root", "place", "edge", "type"):
            if row.get(field, "").startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠")):
                raise SystemExit(f"csv: a formula: {row[field][:80]}")
    return rows


def check_csv(program):
    for table, fields in (((), ("name",)), (("holders",), ("root", "type")), (("tree",), ("edge", "type"))):
        rows = [row for row in csv_rows(program, *table) if row["row"] != "total"]
        for field in fields:
            check_equal(f"csv {' '.join(table)} {field}", [unmarked(row[field].removeprefix("'")) for row in rows], NAMES)


def check_plain(program):
    text = check_harmless("plain", run(program, "text", "plain"), allowed="\t")
    rows = [line.split("\t") for line in text.split("\n")]
    for row in rows:
        if row[0] in ("type", "root") and len(row) != 13:
            raise SystemExit(f"plain: {len(row)} fields: {row[:3]}")
        if (row[0] in ("holder", "edge") and len(row) != 12) or (row[0] == "tree" and len(row) != 14):
            raise SystemExit(f"plain: {len(row)} fields: {row[:3]}")
    check_equal("plain types", [unmarked(row[1]) for row in rows if row[0] == "type"], NAMES)
    for word in ("edge", "tree"):
        check_equal(f"plain {word}", [unmarked(row[2]) for row in rows if row[0] == word and row[1] == "1"], NAMES)
    check_equal("plain holders", [unmarked(row[3]) for row in rows if row[0] == "holder"], NAMES)
    check_equal("plain roots", [unmarked(row[1]) for row in rows if row[0] == "root"], NAMES)


def check_text(program):
    lines = check_harmless("text", run(program, "text")).split("\n")
    table = lines[[line.startswith("TYPE ") for line in lines].index(True) + 1:]
    row = re.compile(r"^(.*?) +[\d.]+ (?:[KM]i)?B +[\d.]+ (?:[KM]i)?B +\+[\d.]+ (?:[KM]i)?B  +\S+ +\S+ +\+[\d.]+ (?:[KM]i)?B +0$", re.DOTALL)
    found = []
    for line in table[:len(NAMES)]:
        match = row.match(line)
        if not match:
            raise SystemExit(f"text: not a row: {line[:200]}")
        found.append(unmarked(match.group(1)).rstrip(b" "))
    wanted = [name.rstrip(b" ") for name in NAMES] # blanks at the end drown in the padding
    check_equal("text", found, wanted)


def main():
    program = sys.argv[1]
    for check in (check_json, check_csv, check_plain, check_text):
        check(program)
    print(f"{len(NAMES)} hostile names, 4 formats")
    return 0 if len(NAMES) >= 500 else 1


if __name__ == "__main__":
    sys.exit(main())
