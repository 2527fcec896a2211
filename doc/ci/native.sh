#!/bin/sh
# Fails when a C program leaks: compiles it with the capture library, loads it in rounds, has it write its heap after each, and checks
# the series. The program is sessions.c beside this script, or PROGRAM; on SIGUSR1 it writes its objects to $CAPTURE_FILE.
#
#   HSCAPTURE=/usr/local ci/native.sh
#
#   HSCAPTURE where include/hscapture/hscapture.h and lib/libhscapture.a are (~/.local, as install.sh has it)
#   PROGRAM   the source (sessions.c)
#   OPTIONS   arguments of the program
#
# Further variables: gate.sh. Exit status: that of hsdiff check (0 passed, 1 a rule failed, 3 cannot be judged), or 2 when the program
# does not compile or run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/gate.sh"

HSCAPTURE=${HSCAPTURE:-$HOME/.local}
PROGRAM=${PROGRAM:-$here/sessions.c}
suffix=.hs

# The program renames its capture when it is whole.
is_whole() {
    [ -f "$CAPTURE_FILE" ]
}

capture() {
    kill -USR1 "$service"
    wait_for "capture" is_whole
    mv "$CAPTURE_FILE" "$1"
}

export CAPTURE_FILE="$OUT/heap.capture"
"${CC:-cc}" -O2 -g "-I$HSCAPTURE/include" "$PROGRAM" "$HSCAPTURE/lib/libhscapture.a" -lzstd -o "$OUT/program" || die "cannot compile $PROGRAM"
SERVICE="'$OUT/program' ${OPTIONS-}"
gate
