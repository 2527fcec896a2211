#!/bin/sh
# capture/ builds alone, without the rest of the project, as a runtime takes it; a C++ program links it; its capture is read.
#
# usage: embed.sh PROJECT WORK-FOLDER C++-COMPILER SECOND-READER
set -eu
project=$1 work=$2 compiler=$3 reader=$4
rm -rf "$work"
mkdir -p "$work"
cmake -S "$project/capture" -B "$work/build" -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log"
cmake --build "$work/build" --target hscapture >"$work/build.log" # all of it: lint/capture_builds_alone
"$compiler" -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$project/capture/include" "$project/tests/capture/embed.cpp" \
    "$work/build/libhscapture.a" -lzstd -o "$work/embed"
"$work/embed" "$work/embed.hs"
"$reader" "$work/embed.hs" >"$work/embed.txt"
grep -q "^object 999 0x109c0 type=1 size=24$" "$work/embed.txt"
tail -1 "$work/embed.txt" | grep -q '^read objects=1000 references=1000 edges=0 roots=1 bytes=24000 '
