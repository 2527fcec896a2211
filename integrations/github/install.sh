#!/bin/bash
# Installs hsdiff for the steps that follow: from the tarball of HSDIFF_PACKAGE, a path or an address, else built from the source of this action
# into ~/.local/hsdiff-built, which the cache keeps.
set -euo pipefail

if [ -n "${HSDIFF_PACKAGE-}" ]; then
    prefix=$(mktemp -d "${RUNNER_TEMP:-/tmp}/hsdiff-XXXXXX")
    archive=$HSDIFF_PACKAGE
    case $archive in http://* | https://*)
        archive=$prefix/hsdiff.tar.xz
        curl -fsSL --retry 3 -o "$archive" "$HSDIFF_PACKAGE"
        ;;
    esac
    tar -xf "$archive" -C "$prefix" --strip-components=1
else
    prefix=$HOME/.local/hsdiff-built
    [ -x "$prefix/bin/hsdiff" ] || HSDIFF_SOURCE=$(cd "$GITHUB_ACTION_PATH/../.." && pwd) PREFIX=$prefix "$GITHUB_ACTION_PATH/../../doc/ci/install.sh"
fi
"$prefix/bin/hsdiff" --version | head -n 1
echo "$prefix/bin" >>"$GITHUB_PATH"
echo "HSCAPTURE=$prefix" >>"$GITHUB_ENV"
