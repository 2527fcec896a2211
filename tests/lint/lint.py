#!/usr/bin/env python3
"""Holds the source against the rules of the house that a compiler does not know. One line for each breach; exit status 1.

usage: lint.py [PROJECT]

Rules, each a function below: who may include what (includes.table), and no circle in that, one includer for each third-party header
(thirdparty.table), an opening comment in every source file, no open ends in the code, no file past 700 lines, tidy
white space, no calls that cannot be used safely, assertions that change nothing, a fuzz target with seeds for every importer, a mark on
everything public, above it a comment that says what it returns, a noun in
the name of a static function that many files have.
The self-test (test_lint.py) plants one breach of each kind and expects it to be found.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE_FOLDERS = ("capture", "libdiff", "cli", "tests", "bench", "scripts", "cmake")
PRODUCT_FOLDERS = ("capture", "libdiff", "cli")
SKIPPED_FOLDERS = {".git", "build", "node_modules", "__pycache__", "corpus"}
MAX_LINES = 700

# The C library, POSIX, Linux, and what the compiler brings.
LIBC = set("""arpa/inet.h assert.h complex.h cpuid.h ctype.h dirent.h dlfcn.h elf.h emmintrin.h errno.h fcntl.h fenv.h float.h getopt.h immintrin.h inttypes.h iso646.h
langinfo.h libgen.h limits.h link.h linux/fs.h linux/futex.h locale.h malloc.h math.h netinet/in.h poll.h pthread.h pwd.h regex.h sched.h semaphore.h setjmp.h
signal.h spawn.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h
strings.h sys/auxv.h sys/epoll.h sys/eventfd.h sys/file.h sys/ioctl.h sys/mman.h sys/prctl.h sys/ptrace.h sys/random.h sys/resource.h sys/select.h sys/socket.h sys/stat.h
sys/statvfs.h sys/syscall.h sys/sysinfo.h sys/time.h sys/types.h sys/uio.h sys/un.h sys/user.h sys/utsname.h sys/vfs.h sys/wait.h
syslog.h termios.h time.h uchar.h ucontext.h unistd.h wchar.h wctype.h""".split())

# Calls with no safe use, or with a better one beside them.
BANNED = {
    "gets": "reads without a bound: fgets or getline",
    "strcpy": "writes without a bound: memcpy with a checked length, or snprintf",
    "strcat": "writes without a bound: snprintf",
    "stpcpy": "writes without a bound: memcpy with a checked length",
    "strncpy": "may leave out the NUL: memcpy with a checked length",
    "strncat": "its bound is not the buffer's: snprintf",
    "sprintf": "writes without a bound: snprintf",
    "vsprintf": "writes without a bound: vsnprintf",
    "atoi": "cannot report an error: strtol and a check",
    "atol": "cannot report an error: strtol and a check",
    "atoll": "cannot report an error: strtoll and a check",
    "atof": "cannot report an error, and obeys the locale",
    "strtok": "keeps state: memchr",
    "rand": "not the same everywhere: a generator with a written seed",
    "srand": "not the same everywhere: a generator with a written seed",
    "tmpnam": "races: the temporary space of libdiff/io",
    "tempnam": "races: the temporary space of libdiff/io",
    "mktemp": "races: the temporary space of libdiff/io",
    "tmpfile": "ignores --temp-dir: the temporary space of libdiff/io",
    "system": "runs a shell: posix_spawn",
    "popen": "runs a shell: posix_spawn",
    "alloca": "no bound: a buffer from the budget",
    "strerror": "not safe with threads: strerror_r, or hsd_fail_errno",
    "localtime": "not safe with threads: localtime_r",
    "gmtime": "not safe with threads: gmtime_r",
    "asctime": "not safe with threads: strftime",
    "ctime": "not safe with threads: strftime",
}
# The library never prints, exits or aborts (a broken invariant is an assert).
BANNED_IN_LIBRARIES = {
    "exit": "a library returns a status",
    "_exit": "a library returns a status",
    "abort": "a library returns a status",
    "printf": "a library never prints",
    "puts": "a library never prints",
    "putchar": "a library never prints",
    "perror": "a library never prints",
}
OPEN_END = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK|not implemented|unimplemented)\b")


class Tree:
    """The project as relative paths and texts."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(self._walk())
        self._texts = {}

    def _walk(self):
        for folder in SOURCE_FOLDERS:
            for where, folders, files in os.walk(os.path.join(self.root, folder)):
                folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
                for name in files:
                    yield os.path.relpath(os.path.join(where, name), self.root)

    def text(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
                self._texts[path] = file.read()
        return self._texts[path]

    def c_files(self, folders=PRODUCT_FOLDERS + ("tests", "bench")):
        return [path for path in self.paths if path.endswith((".c", ".h")) and path.split("/")[0] in folders]

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))


def rows(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                yield line.split("#")[0].rstrip("\n")


def without_comments(text):
    """C source with comments and literals blanked, lines kept."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return pattern.sub(blank, text)


def lines_of(path, tree):
    return enumerate(tree.text(path).split("\n"), 1)


# ---- includes

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def load_includes(path):
    table = {}
    for row in rows(path):
        match = re.match(r"(\S+)\s+(\S.*?)\s{2,}(\S.*)$", row)
        if not match:
            raise SystemExit(f"{path}: not a row of the table: {row}")
        table[match.group(1)] = (match.group(2), match.group(3).split())
    return table


def load_third_party(path):
    table = {}
    for row in rows(path):
        header, includer = row.split()
        table.setdefault(header, []).append(includer)
    return table


def folder_of(path, table):
    fits = [folder for folder in table if path.startswith(folder + "/")]
    return max(fits, key=len) if fits else None


def resolve(path, bracket, name, tree, table):
    """The project file that an include means, or None for one of the system."""
    if name.startswith("hsdiff/"):
        return "libdiff/include/" + name
    if name.startswith("hscapture/"):
        return "capture/include/" + name
    if bracket == "<":
        return None
    for base in (os.path.dirname(path), path.split("/")[0], "libdiff", "capture", "capture/core", "tests", "bench", "cli"):
        candidate = os.path.normpath(os.path.join(base, name))
        if tree.exists(candidate):
            return candidate
    for base in ("libdiff", "capture"):
        if f"{base}/{name.split('/')[0]}" in table:
            return f"{base}/{name}"
    return os.path.normpath(os.path.join(os.path.dirname(path), name))


def allowed(target, own_folder, words, table):
    if own_folder == folder_of(target, table):
        return True
    for word in words:
        if word == "any" or word == target:
            return True
        if word == "<hsdiff>" and target.startswith("libdiff/include/hsdiff/"):
            return True
        if word == "<hscapture>" and target.startswith("capture/include/hscapture/"):
            return True
        if target.startswith(word + "/"):
            return True
    return False


def circle_of(table):
    """Folders of the table that may include one another all the way round, or None. A header's word counts for its folder."""
    def arrows(folder):
        for word in table[folder][1]:
            target = word if word in table else folder_of(word, table)
            if target is not None and target != folder:
                yield target

    def visit(folder, way):
        if folder in way:
            return way[way.index(folder):] + [folder]
        if folder in seen:
            return None
        seen.add(folder)
        for target in arrows(folder):
            circle = visit(target, way + [folder])
            if circle:
                return circle
        return None

    seen = set()
    for folder in table:
        circle = visit(folder, [])
        if circle:
            return circle
    return None


def check_layers(tree):
    """Arrows between the folders of the product run one way: nothing below includes what stands above it."""
    table = load_includes(os.path.join(HERE, "includes.table"))
    for folder, (_, words) in table.items():
        if folder.startswith("capture/") and any(word.startswith(("libdiff", "<hsdiff>")) for word in words):
            yield "tests/lint/includes.table", 1, f"{folder} may include something of libdiff: what is shared stands in capture/"
    circle = circle_of(table)
    if circle:
        yield "tests/lint/includes.table", 1, "a circle: " + " includes ".join(circle)


def check_includes(tree):
    table = load_includes(os.path.join(HERE, "includes.table"))
    third_party = load_third_party(os.path.join(HERE, "thirdparty.table"))
    for path in tree.c_files():
        folder = folder_of(path, table)
        if folder is None:
            yield path, 1, "lies in a folder that tests/lint/includes.table does not name"
            continue
        layer, words = table[folder]
        for number, line in lines_of(path, tree):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = resolve(path, match.group(1), match.group(2), tree, table)
            if target is None:
                yield from check_system_include(path, number, match.group(2), words, third_party)
            elif not allowed(target, folder, words, table):
                yield path, number, f"{layer} may not include {target}"


def check_system_include(path, number, name, words, third_party):
    if name in LIBC or "any" in words:
        return
    includers = third_party.get(name)
    if includers is None:
        yield path, number, f"<{name}> is neither libc nor in tests/lint/thirdparty.table"
    elif path not in includers:
        yield path, number, f"<{name}> has one includer: {', '.join(includers)}"


# ---- text

def check_opening_comment(tree):
    """A paragraph: what the file does, which stage, which idea. Behind a header of the same name a sentence will do."""
    for path in tree.c_files():
        text = re.sub(r"^(#define _GNU_SOURCE[^\n]*\n)+\s*", "", tree.text(path))
        match = re.match(r"/\*(.*?)\*/|((?:[ \t]*//[^\n]*\n)+)", text, re.DOTALL)
        words = len(re.findall(r"\w+", match.group())) if match else 0
        has_header = path.endswith(".c") and tree.exists(path[:-2] + ".h")
        if words < (4 if has_header else 8):
            yield path, 1, "does not open with a comment that says what it is for"


def check_open_ends(tree):
    for path in tree.paths:
        if path.startswith("tests/lint/") or not path.endswith((".c", ".h", ".py", ".sh", ".md", ".js", ".mjs", ".txt", ".cmake")):
            continue
        for number, line in lines_of(path, tree):
            match = OPEN_END.search(line)
            if match:
                yield path, number, f"an open end: {match.group()}"


def check_length(tree):
    for path in tree.c_files():
        count = tree.text(path).count("\n")
        if count > MAX_LINES:
            yield path, count, f"{count} lines: is it one thing? ({MAX_LINES} at most)"


def check_white_space(tree):
    for path in tree.paths:
        if not path.endswith((".c", ".h", ".py", ".sh", ".cmake", "CMakeLists.txt")):
            continue
        text = tree.text(path)
        for number, line in lines_of(path, tree):
            if line.endswith((" ", "\t", "\r")):
                yield path, number, "white space at the end of the line"
            if "\t" in line:
                yield path, number, "a tab"
        if text and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "no newline at the end of the file"


def check_banned_calls(tree):
    call = re.compile(r"(?<![\w.>])(" + "|".join(list(BANNED) + list(BANNED_IN_LIBRARIES)) + r")\s*\(")
    for path in tree.c_files():
        for number, line in enumerate(without_comments(tree.text(path)).split("\n"), 1):
            for name in call.findall(line):
                if name in BANNED:
                    yield path, number, f"{name}: {BANNED[name]}"
                elif path.startswith(("libdiff/", "capture/core/")):
                    yield path, number, f"{name}: {BANNED_IN_LIBRARIES[name]}"


ASSERTION = re.compile(r"\bHSD_ASSERT\s*\(")
CHANGES = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)|[-+*/%&|^]=|<<=|>>=")
ASKS = re.compile(r"sizeof|(?:\w*_)?(?:is|has|are|count|get|min|max|equals?)(?:_\w+)?")


def argument_of(code, start):
    """What stands between the bracket that opens at `start` and its partner."""
    depth = 0
    for at in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return code[start + 1:at]
    return code[start + 1:]


def check_assertions(tree):
    """HSD_ASSERT is nothing in what is shipped: its condition changes nothing, and calls only what asks. assert() of the C library is not used."""
    for path in tree.c_files(("libdiff",)):
        if path == "libdiff/base/assert.h":
            continue
        code = without_comments(tree.text(path))
        for match in re.finditer(r"(?<!\w)assert\s*\(", code):
            yield path, code.count("\n", 0, match.start()) + 1, "assert: HSD_ASSERT of base/assert.h, which is on where it should be"
        for match in ASSERTION.finditer(code):
            condition, number = argument_of(code, match.end() - 1), code.count("\n", 0, match.start()) + 1
            if CHANGES.search(condition):
                yield path, number, f"HSD_ASSERT changes something: {condition}"
            for called in re.findall(r"\b([a-z_]\w*)\s*\(", condition):
                if not ASKS.fullmatch(called):
                    yield path, number, f"HSD_ASSERT calls {called}, and it may change something"


# ---- tables that must be complete

IMPORTER = re.compile(r"^\s*&hsd_import(?:er)?_(\w+)\s*,?", re.MULTILINE)


def check_importers_have_fuzz_targets(tree):
    """Every row of the importer table has tests/fuzz/fuzz_<name>.c and is listed for the standalone run."""
    registry = "libdiff/import/registry.c"
    if not tree.exists(registry):
        return
    names = IMPORTER.findall(without_comments(tree.text(registry)))
    if not names:
        yield registry, 1, "no row of an importer found: the lint reads lines such as  &hsd_import_hprof,"
    lists = tree.text("tests/fuzz/CMakeLists.txt") if tree.exists("tests/fuzz/CMakeLists.txt") else ""
    for name in names:
        if not tree.exists(f"tests/fuzz/fuzz_{name}.c"):
            yield registry, 1, f"importer {name} has no fuzz target tests/fuzz/fuzz_{name}.c"
        elif not re.search(rf"\b{name}\b", lists):
            yield registry, 1, f"importer {name}: its fuzz target is not listed in tests/fuzz/CMakeLists.txt"


RETURNS_STATUS = re.compile(r"HS[DC]_API\s+hs[dc]_status\b")
SAYS_STATUSES = re.compile(r"\bHS[DC]_(?:E_\w+|E_\*|OK|END)|\b[Ff]ails as\b|\bhow all of them fail\b|\ball questions fail\b")


def check_public_headers_are_documented(tree):
    """Each function of a public header is marked as one and has a comment right above it; where it returns a status, that says which."""
    for path in tree.c_files(PRODUCT_FOLDERS):
        if "/include/" not in path or not path.endswith(".h"):
            continue
        lines = tree.text(path).split("\n")
        depth = 0
        for number, line in enumerate(without_comments(tree.text(path)).split("\n")):
            at_top = depth == 0
            if 'extern "C"' not in lines[number]:
                depth = max(depth + line.count("{") - line.count("}"), 0)
            function = re.match(r"(?!typedef\b|static\b)[A-Za-z_][\w\s*]*?\b(\w+)\s*\(", line)
            if at_top and function:
                yield from check_prototype(path, lines, number, function.group(1))


def check_prototype(path, lines, number, name):
    if not re.match(r"HS[DC]_API\b", lines[number]):
        yield path, number + 1, f"{name} is public and not marked: HSD_API or HSC_API, or programs do not find it"
    comment = comment_above(lines, number)
    if comment is None:
        yield path, number + 1, f"{name} is public and has no comment"
    elif len(re.findall(r"\w+", comment)) < 2 or comment.startswith("/* ----"):
        yield path, number + 1, f"{name} is public, and the comment above it says nothing of it"
    elif RETURNS_STATUS.match(lines[number]) and not SAYS_STATUSES.search(comment):
        yield path, number + 1, f"{name} returns a status, and the comment above it does not say which"


def comment_above(lines, number):
    """The comment that ends in the line in front of line `number`, or None."""
    first = last = number - 1
    if last < 0 or not lines[last].rstrip().endswith("*/"):
        return None
    while first > 0 and "/*" not in lines[first]:
        first -= 1
    words = " ".join(line.strip(" *") for line in lines[first:last + 1])
    return words if lines[first].startswith("/*") else None


# ---- names

STATIC_FUNCTION = re.compile(r"^static\s+[\w\s*]*?\b(\w+)\(", re.MULTILINE)
FILES_OF_A_NAME = 3
# Words that do not say of what: verbs, and what stands beside them.
NO_NOUNS = set("""a add adds advance all and answer append are ask at be begin begins below both build by call called can capture check choose
close collect come comes compare copy cut define descending describe divide draw dry each end ends enter equals expand fail fill find finish
flush follow for forget from gather get give go grow has held hold holds in intern into is it join judge keep known later lay leave let listen load
locate look lost make measure more most named need next no not note now of off on one open or other others out pass plain prepare print probe push
put reach read refill refuse release remember run same save see send serve set settle sort spill start step sweep take tell there to up usable walk
want wanted warn with write zero empty last first whole own room""".split())


def has_noun(name):
    words = name.split("_")
    return len(words) > 1 and any(word not in NO_NOUNS for word in words)


def files_of_static_names(tree):
    files = {}
    for path in tree.c_files(PRODUCT_FOLDERS):
        if path.endswith(".c"):
            for name in set(STATIC_FUNCTION.findall(without_comments(tree.text(path)))) - {"__attribute__"}:
                files.setdefault(name, []).append(path)
    return files


def check_static_names(tree):
    """The name of a static function that stands in more than three files has a noun: back-traces, profiles and searches tell `add_site` from `add_root`."""
    for name, paths in sorted(files_of_static_names(tree).items()):
        if len(paths) > FILES_OF_A_NAME and not has_noun(name):
            for path in paths:
                yield path, 1, f"{name} is a static function of {len(paths)} files: its name says of what, as {name}_root does"


RULES = (check_layers, check_includes, check_opening_comment, check_open_ends, check_length, check_white_space, check_banned_calls, check_assertions,
         check_importers_have_fuzz_targets, check_public_headers_are_documented, check_static_names)


def breaches(root):
    tree = Tree(root)
    for rule in RULES:
        for path, number, text in rule(tree):
            yield f"{path}:{number}: {text}"


def main(arguments):
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(HERE))
    found = list(breaches(root))
    for line in found:
        print(line)
    print(f"{len(Tree(root).paths)} files, {len(RULES)} rules, {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
