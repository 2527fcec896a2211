#!/bin/sh
# Install hprof-analyzer with cargo into a scratch folder: setup.sh FOLDER
# Prints the path of the binary. Some minutes of CPU the first time; without --locked it does not build.
set -eu
version=0.3.2
if [ $# -ne 1 ]; then
    echo "usage: setup.sh FOLDER" >&2
    exit 2
fi
root=$1/hprof-analyzer-$version
if [ ! -x "$root/bin/hprof-analyzer" ]; then
    command -v cargo >/dev/null || {
        echo "setup.sh: cargo is not installed (rustup, or a Debian newer than 12: this crate needs a recent Rust)" >&2
        exit 2
    }
    mkdir -p "$root"
    cargo install hprof-analyzer --version "$version" --locked --root "$root" >"$root/install.log" 2>&1 || {
        tail -20 "$root/install.log" >&2
        echo "setup.sh: cargo could not build hprof-analyzer $version" >&2
        exit 4
    }
fi
echo "$root/bin/hprof-analyzer"
