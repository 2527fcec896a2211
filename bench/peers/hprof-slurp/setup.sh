#!/bin/sh
# Install hprof-slurp with cargo into a scratch folder: setup.sh FOLDER
# Prints the path of the binary. About half a minute of CPU the first time.
set -eu
version=0.10.0
if [ $# -ne 1 ]; then
    echo "usage: setup.sh FOLDER" >&2
    exit 2
fi
root=$1/hprof-slurp-$version
if [ ! -x "$root/bin/hprof-slurp" ]; then
    command -v cargo >/dev/null || {
        echo "setup.sh: cargo is not installed (rustup, or a Debian newer than 12: this crate needs a recent Rust)" >&2
        exit 2
    }
    mkdir -p "$root"
    cargo install hprof-slurp --version "$version" --locked --root "$root" >"$root/install.log" 2>&1 || {
        tail -20 "$root/install.log" >&2
        echo "setup.sh: cargo could not build hprof-slurp $version" >&2
        exit 4
    }
fi
echo "$root/bin/hprof-slurp"
