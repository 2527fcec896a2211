#!/bin/sh
# Put the DevTools judge into a scratch folder: setup.sh FOLDER
#
# Installs the npm package chrome-devtools-frontend (the code behind the
# Memory panel's Comparison view) and esbuild, and bundles the two modules that
# load and compare heap snapshots into one file that plain node can run.
# Nothing is written beside this script; FOLDER may be deleted at any time.
# A second call with the same versions does nothing.
set -eu

devtools_version=1.0.1705227
esbuild_version=0.25.11

if [ $# -ne 1 ]; then
    echo "usage: setup.sh FOLDER" >&2
    exit 2
fi
for tool in node npm; do
    command -v "$tool" >/dev/null || {
        echo "setup.sh: $tool is not installed: apt-get install nodejs npm" >&2
        exit 2
    }
done

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
cd "$1"
stamp="devtools $devtools_version esbuild $esbuild_version bundle $(cksum <"$here/bundle.mjs")"
if [ -f bundle.mjs ] && [ "$(cat stamp 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi

[ -f package.json ] || echo '{ "name": "hsdiff-devtools-judge", "private": true }' >package.json
npm install --no-audit --no-fund --loglevel=error \
    "chrome-devtools-frontend@$devtools_version" "esbuild@$esbuild_version" >npm.log 2>&1 || {
    cat npm.log >&2
    echo "setup.sh: npm could not install the judge; is the registry reachable?" >&2
    exit 4
}
# The package has no lock on its own folder layout but these two files.
modules=node_modules/chrome-devtools-frontend/front_end/entrypoints/heap_snapshot_worker
for file in HeapSnapshot.ts HeapSnapshotLoader.ts; do
    [ -f "$modules/$file" ] || {
        echo "setup.sh: $modules/$file is not in this version of the package" >&2
        exit 3
    }
done
cp "$here/bundle.mjs" make-bundle.mjs
node make-bundle.mjs "$modules"
echo "$stamp" >stamp
