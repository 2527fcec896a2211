"""Hostile names, the program that prints reports full of them, and what every test of a format needs.

More than five hundred texts that an attacker might give a type, a field or a file: what terminals, build servers, spreadsheets, Markdown,
XML, JSON, OpenMetrics and shells obey, what is no UTF-8, what cannot be seen, what is very long, and nothing at all.
"""
import re
import string
import struct
import subprocess
import sys

CONTROL = [bytes([code]) for code in range(32)] + [b"\x7f"]
HIDDEN = [chr(code).encode() for code in [*range(0x80, 0xA0), 0xAD, 0x61C, 0x115F, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F),
                                          0x2060, *range(0x2066, 0x206A), 0x3164, 0xFE0F, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0xE0041, 0xE0100]]
INVALID = [b"\x80", b"\x9b31m", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xff\xfe",
           b"\xf0\x9f\x92", b"\xf5\x80\x80\x80", b"\xe0\x80\xaf", b"a\xffb\xfec"]
TERMINAL = [b"\x1b[2J\x1b[H", b"\x1b]0;title\x07", b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", b"\x1bP+q\x1b\\", b"\r\nfake line", b"a\nTOTAL 0 0",
            "\u202egnp.exe".encode(), "a\u2028b".encode(), b"\\", b"\\\\", b"\\x1b", b"\\u202e", b"\\U0001f4a9", b"\\x", b"\\xg1", b"a\\", b"App\\Model",
            b"\\\x1b", b"\\\xff", b"\\\\\x1b", b"C:\\x86\\u0041", b"\\x7c", b"\\|", b"\\\\|", b"\\x60"]
SERVERS = [b"::error::", b"::error file=a.c,line=1::fake", b"  ::set-output name=x::y", b"::stop-commands::x", b"##[error]fake", b"a##[command]b",
           b"a##vso[task.setvariable variable=x]y", b"%0A::error::x", b"%0a", b"%0D%0A", b"%25", b"%250A", b"100%", b"a,line=7", b"a:b,c=d", b"::", b"a::b",
           b"\n::error::x", b"\r::error::x", b"title=x", b",", b":", b"=", b"%", b"%3A", b"::add-mask::x", b"::debug::x", b"::group::x", b"::endgroup::"]
MARKDOWN = [b"|", b"||", b"a|b", b"`", b"``", b"```", b"````", b"`a`", b"``a`", b"a`", b"`a", b"List`1", b"List`1[[Map`2]]", b"a``b`c", b" `", b"` ", b"@team",
            b"@org/team", b"a@b.example", b"#1", b"org/repo#1", b"GH-1", b"gh-12", b"JIRA-7", b"%milestone", b"%1", b"~label", b"!1", b"$1", b"&1", b"org/repo!1", b"org/repo%1", b"[x](http://y)", b"![x](http://y)", b"[x][y]", b"[x]: http://y",
            b"<http://y>", b"http://y.example", b"https://y.example/a_b", b"ftp://y.example", b"www.y.example", b"WWW.y.example", b"<b>x</b>",
            b"<script>alert(1)</script>", b"<img src=x onerror=alert(1)>", b"<!-- x", b"-->", b"&amp;", b"&lt;b&gt;", b"&#64;team", b"&#x40;team", b"# head",
            b"## head", b"- item", b"+ item", b"* item", b"1. item", b"1) item", b"> quote", b"---", b"===", b"***", b"___", b"~~~", b"~~x~~", b"**x**", b"__x__",
            b"*x*", b"_x_", b":smile:", b"\\@team", b"    code", b"a  ", b"a\\", b"a  b", b"a   b  c", b"^x^", b"$x$", b"$$x$$", b"{{x}}", b"[^1]", b"[ ] x",
            b"0123456789abcdef", b"deadbeef", b"abcdef0", b"1234567", b"| --- |", b"|---|---|", b"\n\n# head", b"a\n\nb", b"a\n- b"]
XML = [b"]]>", b"<![CDATA[x]]>", b"<?xml version=\"1.0\"?>", b"<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>", b"&e;", b"&", b"<", b">", b"\"", b"'",
       b"a\"b", b"a'b", b"\" onclick=\"x", b"&#0;", b"&#x1b;", b"</testcase>", b"</failure>", b"--", b"a\tb", b"\t", b"a\nb", b"\n", b"\r", b" lead", b"trail ", b" "]
METRICS = [b"\"} 1", b"\"} 1\nx 2", b"# EOF", b"\n# EOF\n", b"\\n", b"\\\"", b"a\\nb", b"{", b"}", b"a=\"b\"", b"le", b"NaN", b"+Inf", b"1e309"]
TABLES = [b"=1+1", b"=cmd|'/c calc'!A0", b"+1", b"-1", b"@SUM(A1)", "＝1".encode(), "＋1".encode(), "－1".encode(), "＠1".encode(), b"'quoted", b"''", b"\"\"",
          b"a,b", b"a;b", b"{\"a\": 1}", b"null", b"true", b"[]", b"\\u0000"]
OTHERS = [b"plain.Name", b"", b"\x00", b"\x00a\x00", b"%s%n%x", b"$(reboot)", b"; rm -rf /", b"!!", b"../../etc/passwd", b"/etc/passwd", b"C:\\Windows\\a.js",
          b"file:///srv/app/a%20b.js", b"http://x/a b", b"node:internal/fs", b"a b.js", b"src/a.js", b"a:b.js", "Straße".encode(), "日本語クラス".encode(),
          "e\u0301".encode(), "🧨".encode(), "👩\u200d👩\u200d👧".encode(), "مرحبا".encode(), b"x" * 4096, b"\x1b" * 1000, b"\"" * 999, b"`" * 999, b"<" * 999,
          ("日" * 500).encode(), b"a" * 65536, b"|" * 999, b"\xff" * 999, "\u202e".encode() * 999, b"(shared)", b"(roots)", b"TOTAL", b"others", b"1 other type"]
SIGNS = [shape.replace("?", sign).encode() for sign in string.punctuation for shape in ("?", "??", "a?b", "?a", "a?", "a ? b")]
NAMES = list(dict.fromkeys([b"first", *TERMINAL, *SERVERS, *MARKDOWN, *XML, *METRICS, *TABLES, *INVALID, *OTHERS, *SIGNS,
                            *[b"a" + c + b"b" for c in CONTROL + HIDDEN], *[c for c in CONTROL + HIDDEN]]))
if len(NAMES) < 500:
    raise SystemExit(f"only {len(NAMES)} names")


def fail(text):
    raise SystemExit(text)


def run(*arguments, names=None):
    """Bytes that format_sample prints for the names."""
    stdin = b"".join(struct.pack("<I", len(name)) + name for name in NAMES if names is None or name in names)
    result = subprocess.run([sys.argv[1], *arguments], input=stdin, capture_output=True, check=False)
    if result.returncode != 0:
        fail(f"{arguments}: exit status {result.returncode}: {result.stderr.decode(errors='replace')}")
    return result.stdout


MARK = re.compile(r"\\\\|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def unmarked(text):
    """The bytes behind text with visible marks: the rule of hsdiff/report.h, written once more."""
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


def harmless(what, data, allowed="", commands=False):
    """The text of a report: UTF-8, nothing that a terminal obeys, nothing that a build server takes for a command."""
    text = data.decode("utf-8")
    for character in FORBIDDEN.findall(text):
        if character not in allowed:
            fail(f"{what}: U+{ord(character):04X} stands in the output")
    for line in text.split("\n"):
        if "##[" in line or "##vso[" in line or (not commands and line.lstrip().startswith("::")):
            fail(f"{what}: a build server would obey: {line[:80]!r}")
    return text


def same(what, found, wanted):
    """The same texts, in any order."""
    found, wanted = sorted(found), sorted(wanted)
    if len(found) != len(wanted):
        fail(f"{what}: {len(found)} instead of {len(wanted)}; first other: {[w for w in wanted if w not in found][:3]!r}")
    for got, want in zip(found, wanted):
        if got != want:
            fail(f"{what}: {got[:80]!r} instead of {want[:80]!r}")


def debian(module):
    """A Python module from Debian's own folder, for a python3 from elsewhere; None when it is not installed."""
    try:
        return __import__(module, fromlist=["_"])
    except ImportError:
        sys.path.append("/usr/lib/python3/dist-packages")
    try:
        return __import__(module, fromlist=["_"])
    except ImportError:
        return None


def wanted(module, package):
    found = debian(module)
    if found is None:
        print(f"skipped: no {module} (Debian: apt-get install {package})")
        sys.exit(77)
    return found
