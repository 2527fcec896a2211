"""Builds the wheel (PEP 517), by the standard library alone: the modules of this folder and the agent.

The agent is that of $HSDIFF_PYTHON_AGENT, else of a build of this tree, else it is built here by cmake.
"""
import base64
import hashlib
import os
import pathlib
import platform
import subprocess
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME, AGENT = "hsdiff", "libhsdiff-python.so"
MODULES = ["hsdiff_agent.py", "hsdiff/__init__.py", "hsdiff/_agent.py", "hsdiff/_noleak.py", "hsdiff/pytest_plugin.py"]


def version():
    for line in (HERE / "hsdiff/__init__.py").read_text(encoding="utf-8").splitlines():
        if line.startswith("__version__"):
            return line.split('"')[1]
    raise RuntimeError("hsdiff/__init__.py has no __version__")


def built_agent(folder):
    subprocess.run(["cmake", "-S", str(HERE.parent), "-B", str(folder)], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "hsdiff_python"], check=True)
    return folder / "agents" / AGENT


def agent(folder):
    known = os.environ.get("HSDIFF_PYTHON_AGENT")
    if known:
        return pathlib.Path(known)
    there = sorted(HERE.parent.parent.glob("build/release/agents/" + AGENT))
    return there[0] if there else built_agent(folder)


def metadata():
    return f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: Captures of this program's heap, and tests that fail for what they leak\nRequires-Python: >=3.8\n"


def record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def contents(tag, folder):
    info = f"{NAME}-{version()}.dist-info"
    files = {name: (HERE / name).read_bytes() for name in MODULES}
    files[f"{NAME}/{AGENT}"] = agent(folder).read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: hsdiff\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[pytest11]\nhsdiff = hsdiff.pytest_plugin\n"
    records = "".join(record(name, data) for name, data in files.items()) + f"{info}/RECORD,,\n"
    return {**files, f"{info}/RECORD": records.encode()}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = f"py3-none-linux_{platform.machine()}"
    name = f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents(tag, pathlib.Path(wheel_directory) / "build").items():
            wheel.writestr(path, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("the agent is built in the tree of hsdiff: pip install capture/python")
