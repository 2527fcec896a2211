#!/usr/bin/env python3
"""Names out of real ELF files, compiled here in every way that programs are shipped, held against nm, addr2line and c++filt.

usage: test_elf.py HSD_RESOLVE_TEXTS
"""
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOL = sys.argv[1]
failed = 0


def run(*command, **more):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, **more).stdout


def resolve(texts, *arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], input="".join(t + "\n" for t in texts), capture_output=True, text=True)
    if done.returncode != 0 or "Sanitizer" in done.stderr:
        raise SystemExit(f"the tool failed: {done.returncode}\n{done.stderr[-3000:]}")
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == len(texts), (len(lines), len(texts))
    return lines


def expect(what, got, wanted):
    global failed
    if got != wanted:
        failed += 1
        print(f"FAILED {what}:\n   got    {got!r}\n   wanted {wanted!r}")


@functools.cache
def listing_as_written(command, path, _changed):
    return run(*command, path)


def listing(*command):
    """What a program says of the file that its last argument names: asked once, until the file is written anew."""
    return listing_as_written(command[:-1], str(command[-1]), os.stat(command[-1]).st_mtime_ns)


def build_id(path):
    found = re.search(r"Build ID: ([0-9a-f]+)", listing("readelf", "-n", path))
    return found.group(1) if found else ""


def name(path, address, identity=None):
    module = pathlib.Path(path).name.replace("+", "_").replace("{", "_")
    return f"{module}+{address:#x}{{{build_id(path) if identity is None else identity}}}"


def symbols(path):
    """(address, size, kind of nm, name) of what has a size."""
    found = []
    for line in listing("nm", "-S", path).splitlines():
        part = line.split()
        if len(part) == 4 and int(part[1], 16) > 0:
            found.append((int(part[0], 16), int(part[1], 16), part[2], part[3]))
    spell(symbol for *_, symbol in found)
    return found


spelled = {}


def spell(names):
    """Learns how these are shown, all at once: without parameters, versions, parts and numbers of clones, and as people write it (which test_spelling.c holds to
    names). A variable of a function keeps its function, which clang puts in front of it."""
    new = [symbol for symbol in dict.fromkeys(names) if symbol not in spelled]
    if new:
        known = [re.split(r"@|(?<=.)\.(?=[0-9]|part|cold|constprop|isra)", symbol)[0] or symbol for symbol in new]
        lines = run(TOOL, "--spell", input=run("c++filt", "-p", *known)).splitlines()
        assert len(lines) == len(new), (new, lines)
        spelled.update(zip(new, map(str.strip, lines)))


def plain(symbol):
    spell([symbol])
    return spelled[symbol]


def segment(path, kind):
    for line in listing("readelf", "-lW", path).splitlines():
        part = line.split()
        if part[:1] == [kind]:
            return int(part[2], 16), int(part[2], 16) + int(part[5], 16)
    return 0, 0


def check_functions(path, folder):
    """Without DWARF: every byte of a function has its name, as nm tells it."""
    by_address = {}
    for address, size, kind, symbol in symbols(path):
        if kind in "tTwW":
            by_address.setdefault(address, (size, set()))[1].add(plain(symbol))
    assert len(by_address) > 4, path
    asked, wanted = [], []
    for address, (size, names) in by_address.items():
        for at in (0, size // 2, size - 1):
            asked.append(name(path, address + at))
            wanted.append(names)
    for text, got, names in zip(asked, resolve(asked, folder), wanted):
        expect(f"function {path.name} {text}", got in names, True)


def addr2line(path, addresses):
    """Of each address [(function, file:line), …], innermost first."""
    chains = []
    for line in run("addr2line", "-a", "-f", "-i", "-e", path, *map(hex, addresses)).splitlines():
        if line.startswith("0x"):  # -a: the address, before what is said of it
            chains.append([])
        else:
            chains[-1].append(line)
    assert len(chains) == len(addresses), (path, chains)
    return [[(lines[i], re.sub(r" \(discriminator.*", "", lines[i + 1]).split("/")[-1]) for i in range(0, len(lines), 2)] for lines in chains]


def check_lines(path, folder, debug=None):
    """With DWARF: the innermost function, its line, and the function around it, as addr2line -i tells them."""
    asked, wanted, addresses = [], [], []
    for address, size, kind, symbol in symbols(debug or path):
        if kind not in "tTwW" or symbol.startswith("_") and not symbol.startswith("_Z") or symbol.endswith("_tm_clones"):
            continue
        addresses += [address + at for at in sorted({0, 1, size // 3, size // 2, size - 1})]
    chains = addr2line(debug or path, addresses)
    spell(function for chain in chains for function, _ in chain)
    for address, chain in zip(addresses, chains):
        if chain[0][0] == "??" or ":?" in chain[0][1] or chain[0][1].endswith(":0"):
            continue
        text = f"{plain(chain[0][0])} ({chain[0][1]})"
        if len(chain) > 1:
            text += f", inlined in {plain(chain[-1][0])}"
        asked.append(name(path, address))
        wanted.append(text)
    assert len(asked) > 10, (path, len(asked))
    for text, got, want in zip(asked, resolve(asked, folder), wanted):
        expect(f"line {text}", got, want)
    return len(asked)


def check_variables(path, folder, debug=None):
    base, relro = segment(path, "TLS")[0], segment(path, "GNU_RELRO")
    asked, wanted, listed = [], [], listing("readelf", "-sW", debug or path).splitlines()
    for address, size, kind, symbol in symbols(debug or path):
        is_local = kind in "dDbB" and "TLS" in next((line for line in listed if re.search(rf"\b{re.escape(symbol)}\b", line)), "")
        if is_local:
            address += base
        elif kind not in "dDbBrR":
            continue
        elif symbol.startswith("_") or relro[0] <= address < relro[1]:
            continue  # what is read-only while the program runs is no root, and shares its addresses with variables of threads
        for at in sorted({0, size // 2, size - 1}):
            asked.append("{variable} " + name(path, address + at))
            wanted.append(plain(symbol))
            if is_local:
                asked.append("{thread-local} " + name(path, address + at))
                wanted.append("thread-local " + plain(symbol))
    assert len(asked) > 6, (path, len(asked))
    for text, got, want in zip(asked, resolve(asked, folder), wanted):
        expect(f"variable {text}", got, want)


def check_vtables(path, folder):
    asked, wanted = [], []
    for address, size, kind, symbol in symbols(path):
        if symbol.startswith("_ZTV"):
            asked.append("{vtable} " + name(path, address + 16))
            wanted.append(plain(symbol).replace("vtable for ", "", 1))
            asked.append("{vtable} " + name(path, address + size - 8))
            wanted.append(wanted[-1])
    assert len(asked) >= 8, len(asked)
    for text, got, want in zip(asked, resolve(asked, folder), wanted):
        expect(f"vtable {text}", got, want)


def address_of(path, symbol):
    return next(a for a, _, _, s in symbols(path) if s == symbol)


def check_allocated(path, folder):
    """calloc is called in functions that were inlined into make_session: their line, and the block is theirs. With debug information it is of the type of what they
    keep it in; where that does not fit the size of the block, nothing is said."""
    body = run("objdump", "-d", "--no-show-raw-insn", path)
    inside = body[body.index("<make_session>:"):]
    calls = re.findall(r"^\s*[0-9a-f]+:\s+call\s+[0-9a-f]+ <calloc@plt>\n\s*([0-9a-f]+):", inside, re.M)
    site = name(path, int(calls[0], 16) - 1)
    main = name(path, address_of(path, "main"))
    has_lines = ".debug_info" in listing("readelf", "-SW", path)
    wanted = "new_session" if has_lines else "make_session"
    texts = ["{allocated} <=48 B at " + site, "{allocated} <=48 B at " + site + " < " + main, "{allocated} <=48 B",
             "{allocated} <=48 B at (no file) < " + main, "{allocated} <=48 B at nowhere+0x1{00ff} < " + main]
    texts += [f"{{allocated}} <={size} B at {site}" for size in (40, 96, 80, 448)]
    typed = ["session", "session"] if has_lines else [f"<=48 B at {wanted}"] * 2
    others = [f"<=40 B at {wanted}", "session[]" if has_lines else f"<=96 B at {wanted}", f"<=80 B at {wanted}", "session[]" if has_lines else f"<=448 B at {wanted}"]
    expected = [*typed, "<=48 B", "<=48 B at (no file)", texts[4], *others]
    for text, got, want in zip(texts, resolve(texts, folder), expected):
        expect(f"allocated {text}", got, want)


def check_closures(path, folder):
    """What of the library was made for a closure is none of the program's: the block is the closure, which is known by its line, and so are its words."""
    listed = [line.split() for line in listing("nm", path).splitlines()]
    of_library = [int(words[0], 16) for words in listed if words[-1].startswith(("_ZNSt", "_ZNKSt")) and words[1] == "t"]
    for text in resolve([name(path, address) for address in of_library], folder):
        expect(f"of the library: {text}", "std::" in text, True)
    body = run("objdump", "-d", "--no-show-raw-insn", path)
    calls = re.findall(r"^\s*[0-9a-f]+:\s+call\s+[0-9a-f]+ <_Znwm@plt>\n\s*([0-9a-f]+):", body, re.M)
    notify = name(path, next(int(words[0], 16) for words in listed if words[-1].startswith("_ZL6notifyl")))
    texts = [f"{{allocated}} <=72 B at {name(path, int(call, 16) - 1)} < {notify}" for call in calls]
    line = next(i for i, text in enumerate((HERE / "closures.cpp").read_text().splitlines(), 1) if "[mail]" in text)
    types = resolve(texts, folder)
    expect("allocated for a closure", sorted(set(types)), [f"lambda (closures.cpp:{line})", "std::function<void ()>[]"])
    closure = next(text for text, got in zip(texts, types) if got.startswith("lambda"))
    expect("what a closure keeps", resolve([f"+64 {{member}} {closure}", f"+96 {{member}} {closure}"], folder)[0], "mail.number")


def check_members(path, folder):
    """Each word of an object has the name that the program gives it; without debug information, and behind the end, none."""
    table = next(a for a, _, _, s in symbols(path) if s == "_ZTVN4shop4DeskE")
    has_types = ".debug_info" in listing("readelf", "-SW", path)
    places = [line.split() for line in run(path).splitlines()]
    assert len(places) > 15, places
    behind = 64 + max(int(offset) for offset, _ in places)
    text = f" {{member}} {{vtable}} {name(path, table + 16)} N4shop4DeskE"
    asked = [f"+{offset}{text}" for offset, _ in places] + [f"+{behind}{text}", "+8 {member} {vtable} nowhere+0x10{00ff}",
                                                                          "+8 {member} {allocated} <=48 B at nowhere+0x10{00ff}", "+8 {member} nothing"]
    wanted = [member if has_types else f"+{offset}" for offset, member in places] + [f"+{behind}", *asked[-3:-1], "+8"]  # without the file it stays as it is
    desk, address = address_of(path, "the_desk"), address_of(path, "_ZZL11the_addressvE7address")
    asked += [f"{{variable}} {name(path, desk + int(offset))}" for offset, _ in places] + [f"{{variable}} {name(path, address + 8)}"]
    wanted += [f"the_desk.{member}" if has_types else "the_desk" for _, member in places] + ["the_address()::address" + ".street" * has_types]
    for asked_, got, want in zip(asked, resolve(asked, folder), wanted):
        expect(f"member of {path.name} {asked_}", got, want)


APART = """#include <stdlib.h>
struct item { struct item *next; };
static struct { long depth; struct item *backlog, *spare; } worker;
static struct { struct item *first; } single;
int main(int count, char **words)
{
    for (struct item *i; count-- > 0; worker.backlog = single.first = i) {
        i = malloc(sizeof *i);
        i->next = worker.backlog;
    }
    return words == NULL || single.first == NULL;
}
"""


def check_parts(path, folder):
    """clang leaves out members of a static structure that nobody reads, and the others stand apart."""
    for variable, wanted in (("worker", "worker.backlog"), ("single", "single.first")):
        parts = [address for address, _, _, symbol in symbols(path) if symbol.split(".")[0] == variable]
        expect(f"what is left of {variable}", resolve([f"{{variable}} {name(path, address)}" for address in parts], folder), [wanted])


def check_locals(path, folder):
    """A word of a frame has the name of the variable that lies there, in its function; without debug information the frame has that of its function."""
    has_types = ".debug_info" in listing("readelf", "-SW", path)
    places = [line.split() for line in run(path).splitlines()]
    assert len(places) == 10, places
    asked = [f"{{local}} {below} {above} stack of main: {name(path, int(code, 16))}" for code, below, above, _ in places]
    wanted = ["stack of main: " + (word if has_types else word.split(".")[0].replace("serve", "run_shop")) for *_, word in places]
    asked += ["{local} 8 8 stack of main: nowhere+0x10{00ff}", "{local} 8 stack of main: " + name(path, 0x10), "{local} 99999999 99999999 " + asked[0].split(" ", 3)[3]]
    wanted += [asked[-3], None, "stack of main: run_shop"]
    for asked_, got, want in zip(asked, resolve(asked, folder), wanted):
        if want is not None:
            expect(f"local of {path.name} {asked_}", got, want)


IN_FILES = """#include <stdlib.h>
struct item { struct item *next; };
struct list { struct item *head; long count; };
static struct item *queue;
static struct list waiting;
static _Thread_local struct item *current;
%s
void add_%s(void)
{
    static struct item *seen;
    struct item *i = malloc(sizeof *i);
    i->next = queue ? queue : waiting.head ? waiting.head : current ? current : seen;
    queue = waiting.head = current = seen = i;
}
"""


def check_files(path, folder):
    """Variables of one name are told apart by their files; others, and those of one file, have none."""
    base, asked = segment(path, "TLS")[0], set()
    for address, _, kind, symbol in symbols(path):
        if symbol.split(".")[0] in ("queue", "waiting", "seen", "alone"):  # clang says whose: add_one.seen
            asked.add("{variable} " + name(path, address))
        if symbol.split(".")[0] == "current":
            asked.add("{thread-local} " + name(path, base + address))
    wanted = {f"{variable} ({file}.c){member}" for file in ("one", "two") for variable, member in (("queue", ""), ("waiting", ".head"), ("thread-local current", ""))}
    if any(symbol.startswith("seen.") for *_, symbol in symbols(path)):
        wanted |= {"seen (one.c)", "seen (two.c)"}
    expect(f"files of {path.name}", set(resolve(sorted(asked), folder)), wanted | {"alone"})


REGISTERS = """struct client;
struct server { struct client *clients; long served; };
extern struct server *make_server(void);
extern struct client *accept_client(void);
extern long wait_for_work(void);
extern void serve(struct server *server, struct client *clients);
int main(void)
{
    struct server *server = make_server();
    struct server backlog = {0, 0};
    while (wait_for_work() > 0) {
        backlog.clients = accept_client();
        if (wait_for_work() > backlog.served) serve(server, backlog.clients);
    }
    serve(server, 0);
    return 0;
}
"""
REGISTERS_BESIDE = """long wait_for_work(void);
struct server *make_server(void) { return (void *)&wait_for_work; }
struct client *accept_client(void) { return (void *)&make_server; }
long wait_for_work(void) { return 0; }
void serve(struct server *server, struct client *clients) { (void)server, (void)clients; }
"""


def check_registers(path, folder):
    """What a function has in registers while it calls another one has its name there, also the member of a structure that was taken apart; another register has none."""
    body = run("objdump", "-d", "--no-show-raw-insn", path)
    inside = body[body.index("<main>:"):]
    calls = re.findall(r"^\s*[0-9a-f]+:\s+call\s+[0-9a-f]+ <wait_for_work>\n\s*([0-9a-f]+):", inside, re.M)
    sets = [set(resolve([f"{{register}} {number} stack of main: {name(path, int(call, 16) - 1)}" for number in (3, 6, 12, 13, 14, 15, 99)], folder)) for call in calls]
    wanted = [{"stack of main: main", "stack of main: main.server"}, {"stack of main: main", "stack of main: main.server", "stack of main: main.backlog.clients"}]
    expect(f"registers of {path.name}", (len(sets) > 1, [got for got in sets if got not in wanted], wanted[1] in sets), (True, [], True))


def libc_of(path):
    found = re.search(r"libc\.so\.6 => (\S+)", listing("ldd", path))
    return pathlib.Path(found.group(1))


def check_wrappers(path, folder):
    """Frames of the C library in front of the one that wanted the block."""
    libc = libc_of(path)
    listed = {line.split()[-1].split("@")[0]: int(line.split()[0], 16) for line in listing("nm", "-D", libc).splitlines() if len(line.split()) == 3}
    malloc, strdup = (name(libc, listed[f] + 8) for f in ("malloc", "strdup"))
    make = name(path, address_of(path, "make_session"))
    nowhere = name(libc, 0x10)
    rest = " < " + make
    wanted = resolve([make], folder)[0].split(" ")[0]
    texts = ["{allocated} <=8 B at " + t for t in (malloc + rest, strdup + rest, malloc + " < " + strdup + rest, nowhere + rest, malloc, strdup)]
    got = resolve(texts, folder, libc.parent)
    expect("malloc < make", got[0], f"<=8 B at {wanted}")
    expect("strdup < make", got[1], f"<=8 B at {wanted}")
    expect("malloc < strdup < make", got[2], f"<=8 B at {wanted}")
    expect("a place without a symbol of libc < make", got[3], f"<=8 B at {wanted}")
    expect("malloc alone", re.fullmatch(r"<=8 B at \w*malloc( \(.*)?", got[4]) is not None, True)
    expect("strdup alone", re.fullmatch(r"<=8 B at \w*strdup( \(.*)?", got[5]) is not None, True)


def check_texts(path, folder):
    """What is not known stays, what stands around a name too."""
    known = name(path, address_of(path, "serve"))
    serve = resolve([known], folder)[0]
    wrong = name(path, address_of(path, "serve"), "00" * 20)
    texts = ["", "plain", wrong, f"a {known} b {wrong} c {known}", "{vtable} " + wrong, "{vtable} " + wrong + " N4shop7SessionE", "{variable} " + wrong,
             "{variable} " + name(path, 0x10), "{vtable} (no file)", "{vtable} (no file) 7Session", "{variable} (no file)", "{allocated} <=8 B at " + wrong,
             name(path, 0x10), "stack of worker 1: " + known, known.replace(path.name, "a name with spaces")]
    wanted = ["", "plain", wrong, f"a serve b {wrong} c serve", texts[4], "shop::Session", texts[6],
              f"(data of {path.name})", texts[8], "Session", texts[10], texts[11], f"{path.name}+0x10", "stack of worker 1: serve", serve]
    for text, got, want in zip(texts, resolve(texts, folder), wanted):
        expect(f"text {text}", got, want)


def check_process(path, folder):
    """Files found through a process that runs: its own and the libraries'; also when it was deleted meanwhile."""
    copy = folder / "running"
    shutil.copy(path, copy)
    process = subprocess.Popen([copy, "wait"], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        text = name(copy, address_of(copy, "serve"))
        libc = libc_of(path)
        malloc = next(int(line.split()[0], 16) for line in listing("nm", "-D", libc).splitlines() if re.search(r" T malloc(@|$)", line))
        wanted = resolve([text.replace("running", path.name)], folder)[0]
        expect("of a process", resolve([text], "--pid", process.pid)[0], wanted)
        got = resolve([name(libc, malloc)], "--pid", process.pid)[0]
        expect("of its library", "malloc" in got and "+0x" not in got, True)
        copy.unlink()
        if os.geteuid() == 0:
            expect("of a file that was deleted", resolve([text], "--pid", process.pid)[0], wanted)
        copy.write_bytes(pathlib.Path("/bin/true").read_bytes())
        if os.geteuid() == 0:
            expect("of a file that was replaced", resolve([text], "--pid", process.pid)[0], wanted)
    finally:
        process.kill()
        process.wait()
    expect("of a process that is gone", resolve([text], "--pid", process.pid)[0], text)


def compile_to(folder, out, source, *flags, compiler=None):
    folder.mkdir(exist_ok=True)
    compiler = compiler or ("g++" if source.endswith(".cpp") else "gcc")
    run(compiler, "-w", HERE / source, "-o", folder / out, "-Wl,--build-id", *flags)
    return folder / out


def bare(path, folder, out):
    """The same program without debug information, which the compiler would make again byte for byte."""
    folder.mkdir()
    run("strip", "--strip-debug", path, "-o", folder / out)
    return folder / out


def split(path, folder):
    """The debug information into FOLDER/.build-id/xx/….debug; what is left has none and no .symtab."""
    identity = build_id(path)
    debug = folder / ".build-id" / identity[:2] / (identity[2:] + ".debug")
    debug.parent.mkdir(parents=True)
    run("objcopy", "--only-keep-debug", path, debug)
    run("strip", path)
    return debug


def main():
    for tool in ("gcc", "g++", "nm", "addr2line", "c++filt", "readelf", "objcopy", "objdump", "strip", "ldd"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="hsdiff-elf-") as temp:
        top = pathlib.Path(temp)
        lines = 0
        builds = [("o0", ["-g", "-O0"]), ("o2", ["-g", "-O2"]), ("nopie", ["-g", "-O2", "-no-pie"]), ("dwarf4", ["-g", "-gdwarf-4", "-O2"]),
                  ("packed", ["-g", "-O2", "-gz"]), ("library", ["-g", "-O2", "-shared", "-fPIC", "-DLIBRARY"]), ("bare", ["-O2"])]
        for word, flags in builds:
            path = compile_to(top / word, f"shop-{word}", "shop.c", *flags)
            check_variables(path, path.parent)
            if word == "bare":
                check_functions(path, path.parent)
            else:
                lines += check_lines(path, path.parent)
            if word != "library":
                check_allocated(path, path.parent)
                check_wrappers(path, path.parent)
                check_process(path, path.parent)
            check_texts(path, path.parent)
        if shutil.which("clang"):
            path = compile_to(top / "clang", "shop-clang", "shop.c", "-g", "-O2", compiler="clang")
            lines += check_lines(path, path.parent)
            check_variables(path, path.parent)
            (top / "apart.c").write_text(APART)
            check_parts(compile_to(top / "apart", "apart", top / "apart.c", "-g", "-O2", compiler="clang"), top / "apart")
        for word, flags in (("c++", ["-g", "-O2"]), ("c++0", ["-g", "-O0"]), ("c++bare", [])):
            path = compile_to(top / word, f"store-{word}", "store.cpp", *flags) if flags else bare(top / "c++" / "store-c++", top / word, f"store-{word}")
            check_vtables(path, path.parent)
            if not flags:
                check_functions(path, path.parent)
        for word, flags in (("closures", ["-g", "-O2"]), ("closures0", ["-g", "-O0"])):
            path = compile_to(top / word, word, "closures.cpp", *flags)
            check_closures(path, path.parent)
        members = [("members", ["-g", "-O2"], None), ("members4", ["-gdwarf-4", "-O2"], None), ("membersbare", [], None)]
        for word, flags, compiler in members + [("membersclang", ["-g", "-O2"], "clang++")] * bool(shutil.which("clang++")):
            path = compile_to(top / word, word, "members.cpp", *flags, compiler=compiler) if flags else bare(top / "members" / "members", top / word, word)
            check_members(path, path.parent)
        stacks = [("locals", ["-g", "-O2"], None), ("locals0", ["-g", "-O0"], None), ("localsbare", [], None)]
        of_clang = [("localsclang", ["-g", "-O2"], "clang++"), ("localsclang0", ["-g", "-O0"], "clang++")]
        for word, flags, compiler in stacks + of_clang * bool(shutil.which("clang++")):
            path = compile_to(top / word, word, "locals.cpp", *flags, compiler=compiler) if flags else bare(top / "locals" / "locals", top / word, word)
            check_locals(path, path.parent)
        for compiler in ["gcc"] + ["clang"] * bool(shutil.which("clang")):
            folder = top / f"files-{compiler}"
            folder.mkdir()
            (folder / "one.c").write_text(IN_FILES % ("static struct item *alone; void *use_alone(void) { return alone = malloc(8); }", "one"))
            (folder / "two.c").write_text(IN_FILES % ("void add_one(void); void *use_alone(void); int main(void) { add_one(); return use_alone() == NULL; }", "two"))
            check_files(compile_to(folder, "files", folder / "one.c", folder / "two.c", "-g", "-O0", compiler=compiler), folder)
            folder = top / f"registers-{compiler}"
            folder.mkdir()
            (folder / "registers.c").write_text(REGISTERS)
            (folder / "beside.c").write_text(REGISTERS_BESIDE)
            check_registers(compile_to(folder, "registers", folder / "registers.c", folder / "beside.c", "-g", "-O2", compiler=compiler), folder)
        path = compile_to(top / "split", "shop-split", "shop.c", "-g", "-O2")
        whole = top / "whole"
        shutil.copytree(path.parent, whole)
        folder = top / "debug"
        debug = split(path, folder)
        expect("stripped", "+0x" in resolve([name(path, address_of(whole / path.name, "serve"))], path.parent)[0], True)
        for folders in ((folder,), (path.parent, folder)):
            wanted = resolve([name(path, a) for a, _, k, _ in symbols(debug) if k in "tT"], whole)
            expect("split", resolve([name(path, a) for a, _, k, _ in symbols(debug) if k in "tT"], *folders), wanted)
        expect("variable of a split file", resolve(["{variable} " + name(path, address_of(whole / path.name, "cache") + 8)], path.parent, folder)[0], "cache")
        print(f"{lines} places held against addr2line; {failed} failed")
    sys.exit(1 if failed else 0)


main()
