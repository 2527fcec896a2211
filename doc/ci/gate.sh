# Shared by node.sh, jvm.sh and native.sh, which source it: starts a service, loads it in rounds, has its heap captured after each,
# and ends with what `hsdiff check` says of the captures. POSIX sh; needs curl and hsdiff.
#
# From the environment:
#   SERVICE   the command that starts the service, as a shell reads it; it must stay in the foreground
#   URL       what is asked of it; without it the first http://… address that the service prints
#   REQUESTS  requests of one round (300)
#   ROUNDS    rounds that are judged, after one of warm-up and one more (5)
#   LOAD      a command that makes one round of load itself, with URL in its environment, instead of curl
#   WAIT      seconds that a start or a capture may take (60)
#   CHECK_OPTIONS  more options of hsdiff check, such as --config rules.yml
#   OUT       folder for captures and reports (hsdiff-out); those of an earlier run are removed
#
# A recipe defines `capture FILE`, which has the heap of process $service written there and returns when it is whole, and $suffix,
# the end of such a name.

REQUESTS=${REQUESTS:-300} ROUNDS=${ROUNDS:-5} WAIT=${WAIT:-60} OUT=${OUT:-hsdiff-out}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
service= asked=

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 2
}

is_running() {
    jobs >/dev/null 2>&1 # a shell asks for the end of its children here
    kill -0 "$service" 2>/dev/null
}

give_up() {
    [ -n "$asked" ] || die "no $1 within $WAIT seconds: the service printed no http:// address to ask; set URL"
    die "no $1 from $asked within $WAIT seconds"
}

# wait_for WHAT COMMAND…: until the command succeeds, the service ends or WAIT seconds are over.
wait_for() {
    what=$1 tries=$((WAIT * 10))
    shift
    until "$@"; do
        is_running || { tail -n 20 "$OUT/service.log" >&2; die "the service ended while waiting for $what: $SERVICE"; }
        [ $((tries -= 1)) -gt 0 ] || { tail -n 20 "$OUT/service.log" >&2; give_up "$what"; }
        sleep 0.1
    done
}

# The address is looked up again each time: its line may have been half written.
is_up() {
    asked=${URL:-$(sed -n 's|.*\(http://[^[:space:]]*\).*|\1|p' "$OUT/service.log" | head -n 1)}
    [ -n "$asked" ] && curl -fs -o "$OUT/answer" --max-time 5 "$asked"
}

start() {
    for name in $names before after; do rm -f "$OUT/$name$suffix" "$OUT/$name.hs"; done
    rm -f "$OUT"/Heap.*.heapsnapshot "$OUT"/check.html "$OUT"/check.xml "$OUT"/check.sarif "$OUT"/check.md "$OUT"/check.github "$OUT"/metrics.txt
    sh -c "exec env $SERVICE" >"$OUT/service.log" 2>&1 </dev/null &
    service=$!
    trap stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    wait_for "answer" is_up
    URL=$asked
}

# Ends what start() started, and nothing else.
stop() {
    [ -n "$service" ] || return 0
    tries=50
    kill "$service" 2>/dev/null || :
    while is_running && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
    if is_running; then kill -9 "$service" 2>/dev/null || :; fi
    service=
}

# The part after # is never sent: curl counts with it.
load() {
    if [ -n "${LOAD-}" ]; then
        URL=$URL sh -c "$LOAD"
    else
        curl -fsS --fail-early -o "$OUT/answer" "$URL#[1-$REQUESTS]"
    fi || die "the load failed, so the heap says nothing; the service's output is in $OUT/service.log"
}

# judge CAPTURE…: ends with the status of the check. Its reports are in OUT: check.html, check.xml, check.sarif, check.md and
# metrics.txt; where a rule failed, also the first and the last judged capture as before.hs and after.hs.
judge() {
    status=0
    # shellcheck disable=SC2086 # options are words
    hsdiff check ${CHECK_OPTIONS-} "$@" --force --html "$OUT/check.html" --also "junit=$OUT/check.xml" --also "sarif=$OUT/check.sarif" --also "markdown=$OUT/check.md" \
        --also "openmetrics=$OUT/metrics.txt" --also "github=$OUT/check.github" || status=$?
    if [ -n "${GITHUB_STEP_SUMMARY-}" ] && [ -f "$OUT/check.md" ]; then
        cat "$OUT/check.md" >>"$GITHUB_STEP_SUMMARY"
        cat "$OUT/check.github" # annotations: GitHub reads them from the log
    fi
    if [ "$status" = 1 ]; then
        keep "$OUT/r0$suffix" before
        keep "$OUT/r$ROUNDS$suffix" after
        printf 'To look closer, with the two captures of %s that the job keeps: hsdiff before.hs after.hs\n' "$(basename "$OUT")"
    fi
    exit "$status"
}

# keep CAPTURE NAME: as NAME.hs, to look at a failure elsewhere. Dumps hold texts of the program; these do not.
keep() {
    if [ "$suffix" = .hs ]; then cp "$1" "$OUT/$2.hs"; else hsdiff import -q "$1" -o "$OUT/$2.hs"; fi
}

# The whole of it: warm-up, rounds, captures, check.
gate() {
    names="warm $(seq 0 "$ROUNDS" | sed 's/^/r/')"
    start
    set --
    for name in $names; do
        load
        capture "$OUT/$name$suffix"
        set -- "$@" "$OUT/$name$suffix"
        printf '%s: %s bytes\n' "$name$suffix" "$(wc -c <"$OUT/$name$suffix" | tr -d ' ')"
    done
    stop
    judge "$@"
}
