"""How a program of each runtime is built, started and captured: as doc/capture.md tells its users to."""
import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "agents"))
import cores  # noqa: E402
import dotnet_runtime  # noqa: E402
import go_programs  # noqa: E402
import kit  # noqa: E402


class Missing(Exception):
    """What a runtime needs is not on this machine."""


def digest(*parts):
    """Of sources and flags: what was built of the same is not built again."""
    summed = hashlib.sha256()
    for part in parts:
        summed.update(part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode())
        summed.update(b"\0")
    return summed.hexdigest()[:24]


def run(*command, **more):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, errors="replace", **more)
    kit.check(done.returncode == 0, f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")


class Runtime:
    """One folder of programs. Made once; build() is called before the first start, in one process; the others in any of several."""

    needs = ()           # commands
    agents = ()          # files of the build's folder of agents

    def __init__(self, tool, cache):
        self.tool = tool
        self.cache = cache
        missing = [one for one in self.needs if not shutil.which(one)]
        missing += [one for one in self.agents if not (pathlib.Path(tool.agents) / one).exists()]
        if missing:
            raise Missing(", ".join(missing))

    def shared(self):
        """The files that programs of this folder share: they have no truth of their own."""
        folder = HERE / self.name
        own = {path.name.removesuffix(".truth.json") for path in folder.glob("*.truth.json")}
        return sorted(path for path in folder.iterdir() if path.is_file() and path.stem not in own and not path.name.endswith(".truth.json"))

    def built(self, program, *more):
        """Where the program is built, by what it is made of."""
        return self.cache / f"{self.name}-{program.name}-{digest(*program.sources, *self.shared(), *program.options, *more)}"

    def build(self, programs):
        """Makes what start() needs, of all of them at once where that is cheaper."""

    def capture(self, program, running, folder, out):
        way = ["--way", program.way] if program.way else []
        self.tool.capture(running.pid, out, *way)


class Native(Runtime):
    needs = ("gcc", "g++")
    agents = ("libhsdiff-native.so",)
    flags = ("-g", "-pthread")

    def known(self, program):
        """Options that make a compiler know what it would read in each program."""
        return []

    def build_one(self, program):
        out = self.built(program)
        if not out.exists():
            run(*self.compiler, *self.flags, "-Wl,--build-id", *program.options, *self.known(program), "-I", HERE / self.name, program.source, "-o", f"{out}.{os.getpid()}")
            os.rename(f"{out}.{os.getpid()}", out)
        return out

    def start(self, program, folder):
        named = folder / program.name  # the process has the name of the program
        if not named.exists():
            named.symlink_to(self.build_one(program))
        return kit.Program([str(named), *program.arguments], {"LD_PRELOAD": f"{self.tool.agents}/libhsdiff-native.so"})


class C(Native):
    name = "c"
    compiler = ("gcc", "-std=gnu11", "-O1", "-fno-omit-frame-pointer")


class Cpp(Native):
    name = "cpp"
    compiler = ("g++", "-std=c++20", "-O1", "-fno-omit-frame-pointer")

    def library(self):
        """The headers of the library that program.hpp includes, and all programs by it, where they are read once: half of what a program takes."""
        lines = [line for line in (HERE / self.name / "program.hpp").read_text(encoding="utf-8").splitlines() if line.startswith("#include <")]
        return self.cache / f"cpp-{digest(*self.compiler, *self.flags, *lines)}" / "library.hpp", lines

    def build(self, programs):
        header, lines = self.library()
        if len(programs) > 3 and not header.exists():
            header.parent.mkdir(exist_ok=True)
            source = header.with_suffix(f".{os.getpid()}.hpp")
            source.write_text("\n".join(lines) + "\n", encoding="utf-8")
            run(*self.compiler, *self.flags, "-x", "c++-header", source, "-o", f"{header}.gch")
            os.rename(source, header)

    def known(self, program):
        """A program of other options, or of another compiler, reads the headers themselves."""
        header, _ = self.library()
        return ["-include", header] if header.exists() else []


class Python(Runtime):
    """CPython as it runs, with a `way`; without one in the native agent."""

    name = "python"
    agents = ("libhsdiff-native.so", "libhsdiff-python.so")

    def start(self, program, folder):
        native = {} if program.way else {"LD_PRELOAD": f"{self.tool.agents}/libhsdiff-native.so"}
        return kit.Program([sys.executable, str(program.source), *program.arguments], {"PYTHONDONTWRITEBYTECODE": "1", **native})


class Piped(Runtime):
    """Programs that write their heap into a pipe when they get SIGUSR2, from which `hsdiff import` reads it."""

    def imported(self, program, running, folder, out, *options):
        pipe = folder / "pipe"
        command = ["sh", "-c", 'pipe=$1 out=$2; shift 2; exec "$0" import - -o "$out" "$@" < "$pipe"', self.tool.path, str(pipe), str(out), *map(str, options)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.tool.environment) as reader:
            running.process.send_signal(signal.SIGUSR2)
            said, _ = reader.communicate(timeout=120)
            kit.check(reader.returncode == 0, said)


def snippet(document, language):
    text = (kit.PROJECT / "doc" / document).read_text(encoding="utf-8")
    return re.search(rf"^```{language}\n(.*?)^```", text, re.S | re.M)[1]


# A profile of the heap in place of a dump of it: what `curl host/debug/pprof/heap` brings, without a host.
PROFILE = snippet("capture-go.md", "go").replace("runtime.GC()", "runtime.GC()\n\t\t\t\truntime.GC()").replace(
    "debug.WriteHeapDump(file.Fd())", 'pprof.Lookup("heap").WriteTo(file, 0)').replace('"runtime/debug"', '"runtime/pprof"').replace(
        "func init() {", "func init() {\n\truntime.MemProfileRate = 1", 1)


class Go(Piped):
    """Dumps with types by the program; `way` "plain" without these, "core" by cores, "pprof" by profiles."""

    name = "go"
    needs = ("go",)

    def asked(self, program):
        return PROFILE if program.way == "pprof" else snippet("capture-go.md", "go")

    def build_one(self, program):
        out = self.built(program, self.asked(program))
        if out.exists():
            return out
        folder = self.cache / f"{out.name}.{os.getpid()}.src"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for path in [*program.sources, *self.shared()]:
            shutil.copy(path, folder)
        (folder / "dump.go").write_text(self.asked(program), encoding="utf-8")
        run("go", "build", *program.options, "-o", "program", *sorted(path.name for path in folder.glob("*.go")), cwd=folder,
            env=go_programs.environment())
        os.rename(folder / "program", out)
        shutil.rmtree(folder)
        return out

    def start(self, program, folder):
        os.mkfifo(folder / "pipe", 0o600)
        return kit.Program([str(self.build_one(program)), *program.arguments], {"HEAP_DUMP": str(folder / "pipe")})

    def write_core(self, pid, path):
        """gcore (agents/go takes it, and HSD_LONG=1) writes all that Go reserves, a gigabyte and more."""
        if kit.LONG and shutil.which("gcore"):
            cores.by_gcore(pid, path)
        else:
            with cores.standing(pid):
                cores.by_hand(pid, path)

    def capture(self, program, running, folder, out):
        if program.way == "core":
            self.write_core(running.pid, folder / "core")
            self.tool.run("import", folder / "core", "-o", out)
            os.unlink(folder / "core")
        else:
            self.imported(program, running, folder, out, *([] if program.way in ("plain", "pprof") else ["--exe", self.build_one(program)]))


class Ruby(Piped):
    """Dumps by the program; `way` "sites": with the places of allocation, which Ruby collects in a table of its own. `way` "ruby": by the agent."""

    name = "ruby"
    needs = ("ruby",)

    def start(self, program, folder):
        if program.way == "ruby":
            return kit.Program(["ruby", "-I", str(HERE / self.name), str(program.source)], {"RUBYLIB": f"{self.tool.agents}/ruby", "RUBYOPT": "-rhsdiff"})
        os.mkfifo(folder / "pipe", 0o600)
        (folder / "heap_dump.rb").write_text(snippet("capture-ruby.md", "ruby"), encoding="utf-8")
        return kit.Program(["ruby", "-r", str(folder / "heap_dump.rb"), "-I", str(HERE / self.name), *program.options, str(program.source), *program.arguments],
                           {"HEAP_DUMP": str(folder / "pipe"), "RUBYOPT": "", **({"HEAP_DUMP_SITES": "1"} if program.way == "sites" else {})})

    def capture(self, program, running, folder, out):
        if program.way == "ruby":
            Runtime.capture(self, program, running, folder, out)
        else:
            self.imported(program, running, folder, out)


class Lua(Runtime):
    """Lua 5.4; what has luajit in its name runs in that. It cannot look whether a line waits on its standard input: its lines stand in a pipe."""

    name = "lua"

    def start(self, program, folder):
        vm = "luajit" if "luajit" in program.title else "lua5.4"
        if not shutil.which(vm) or not (pathlib.Path(self.tool.agents) / vm / "hsdiff.so").exists():
            raise Missing(vm)
        suffix = "" if vm == "luajit" else "_5_4"
        return kit.InTurns([vm, *program.options, str(program.source), str(folder / "lines"), *program.arguments], folder / "lines",
                          {f"LUA_CPATH{suffix}": f"{self.tool.agents}/{vm}/?.so;;", f"LUA_PATH{suffix}": f"{HERE}/lua/?.lua;;"})


class Node(Runtime):
    """With the helper; `way` "inspector" or another one without."""

    name = "node"
    needs = ("node",)
    agents = ("hsdiff.cjs",)

    def start(self, program, folder):
        helper = [] if program.way else ["--require", f"{self.tool.agents}/hsdiff.cjs"]
        return kit.Program(["node", "--expose-gc", *helper, *program.options, str(program.source), *program.arguments])

    def capture(self, program, running, folder, out):
        way = ["--way", program.way, "--open-inspector"] if program.way else []
        self.tool.capture(running.pid, out, *way)


class Java(Runtime):
    name = "java"
    needs = ("java", "javac")
    agents = ("libhsdiff-jvm.so",)

    def classes(self, program):
        """Programs of one file are compiled together: that takes hardly longer than one."""
        single = [path for path in sorted((HERE / self.name).glob("*.java"))]
        parts = single if len(program.sources) == 1 else [*program.sources, *self.shared()]
        return self.cache / f"java-{digest(*parts)}", parts

    def build(self, programs):
        for program in programs:
            out, parts = self.classes(program)
            if not out.exists():
                run("javac", "-J-XX:TieredStopAtLevel=1", "-g", "-nowarn", "-d", f"{out}.new", *parts)
                os.rename(f"{out}.new", out)

    def start(self, program, folder):
        out, _ = self.classes(program)
        return kit.Program(["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", *program.options, "-cp", str(out), program.source.stem, *program.arguments])


class Mono(Runtime):
    name = "mono"
    needs = ("mono", "mcs")
    agents = ("libmono-profiler-hsdiff.so",)

    def build_one(self, program):
        out = pathlib.Path(f"{self.built(program)}.exe")
        if not out.exists():
            run("mcs", "-debug", "-optimize+", "-langversion:latest", *program.options, f"-out:{out}.{os.getpid()}.exe", *program.sources, *self.shared())
            with contextlib.suppress(FileNotFoundError):
                os.rename(f"{out}.{os.getpid()}.exe.mdb", f"{out}.mdb")
            os.rename(f"{out}.{os.getpid()}.exe", out)
        return out

    def start(self, program, folder):
        return kit.Program(["mono", "--debug", str(self.build_one(program)), *program.arguments],
                           {"LD_LIBRARY_PATH": self.tool.agents, "MONO_ENV_OPTIONS": "--profile=hsdiff"})


class Dotnet(Runtime):
    """Programs of Mono in a real CoreCLR, of which tests/agents has one."""

    name = "dotnet"
    needs = ("mcs",)
    libraries = ("System.Private.CoreLib", "System.Runtime", "System.Console", "System.Collections", "System.Collections.Concurrent", "System.Threading",
                 "System.Threading.Thread", "System.Threading.Timer", "System.Threading.Tasks", "System.Runtime.Extensions", "System.Linq")

    def build(self, programs):
        runtime = self.runtime()
        for program in programs:
            self.build_one(runtime, program)

    def runtime(self):
        try:
            return dotnet_runtime.install(pathlib.Path(self.tool.agents).parent / "runtimes")
        except SystemExit:  # it said why
            raise Missing("a .NET runtime") from None

    def build_one(self, runtime, program):
        out = self.built(program) / f"{program.name}.dll"
        if not out.exists():
            out.parent.mkdir(exist_ok=True)
            folder = runtime / "shared" / "Microsoft.NETCore.App" / dotnet_runtime.RUNTIME
            made = out.with_suffix(f".{os.getpid()}.dll")
            run("mcs", "-nostdlib", "-noconfig", "-optimize+", "-langversion:latest", *(f"-r:{folder / one}.dll" for one in self.libraries), f"-out:{made}",
                *program.sources, HERE / "mono" / "Stage.cs")
            out.with_suffix(".runtimeconfig.json").write_text(dotnet_runtime.CONFIGURATION)
            os.rename(made, out)
        return out

    def start(self, program, folder):
        runtime = self.runtime()
        return kit.Program([str(runtime / "dotnet"), "exec", str(self.build_one(runtime, program)), *program.arguments],
                           {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "TMPDIR": str(folder)})


class Page(Runtime):
    """A page in Chromium, whose snapshots are those of DevTools."""

    name = "page"
    needs = ("chromium",)

    def start(self, program, folder):
        return kit.Program([sys.executable, str(HERE.parent / "support" / "browser.py"), str(program.source), str(folder / "profile")])

    def capture(self, program, running, folder, out):
        snapshot = folder / f"{out.stem}.heapsnapshot"
        running.tell(f"snapshot {snapshot}")
        running.expect("snapshot")
        done = subprocess.run([self.tool.path, "import", str(snapshot), "-o", str(out)], capture_output=True, text=True, env=self.tool.environment, check=False)
        kit.check(done.returncode == 0, done.stderr)
        snapshot.unlink()


ALL = {one.name: one for one in (C, Cpp, Go, Lua, Node, Page, Java, Mono, Dotnet, Ruby, Python)}
