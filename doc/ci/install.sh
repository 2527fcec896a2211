#!/bin/sh
# Installs hsdiff and the capture library on a build server (Debian, Ubuntu), into ~/.local. Does nothing where hsdiff is there.
#
#   HSDIFF_SOURCE  a folder with the sources of hsdiff, or an address for git clone
#   PREFIX         where to install (~/.local): bin/hsdiff, include/hscapture/, lib/libhscapture.a
set -eu
! command -v hsdiff || exit 0
PREFIX=${PREFIX:-$HOME/.local}
: "${HSDIFF_SOURCE:?is not set: a folder with the sources of hsdiff, or an address for git clone}"

packages='build-essential cmake ninja-build pkg-config libzstd-dev libxxhash-dev libsodium-dev zlib1g-dev libyaml-dev libmimalloc-dev'
# shellcheck disable=SC2086 # the list is words
if ! dpkg -s git ca-certificates curl $packages >/dev/null 2>&1; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git ca-certificates curl $packages
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -d "$HSDIFF_SOURCE" ]; then
    git clone --quiet --depth 1 "$HSDIFF_SOURCE" "$work/source"
    HSDIFF_SOURCE=$work/source
fi
cmake -S "$HSDIFF_SOURCE" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHSD_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$PREFIX"
cmake --build "$work/build"
cmake --install "$work/build"
