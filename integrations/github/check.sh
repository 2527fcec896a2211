#!/bin/bash
# Runs the rounds of a service (KIND, SERVICE …: doc/ci/gate.sh), or takes the CAPTURES that are there, and checks them. Leaves the reports in hsdiff-out/ and
# the exit status of the check in the output `status`; the job fails in a later step, behind the uploads.
#
# With BASELINE=true the last capture is also checked against hsdiff-base.hs, if the cache had one. On the default branch (IS_DEFAULT=true) a check that passed
# writes it anew, and the output `keep` is true.
set -euo pipefail
out=$PWD/hsdiff-out
mkdir -p "$out"
[ -n "$URL" ] || unset URL
[ -n "$LOAD" ] || unset LOAD
options=()
[ -z "$CONFIG" ] || options=(--config "$CONFIG")

say_output() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

# The captures that are there, in their order: c2 comes before c10.
given() {
    shopt -s nullglob globstar
    # shellcheck disable=SC2206 # a glob is wanted
    files=($CAPTURES)
    [ "${#files[@]}" -ge 2 ] || {
        echo "::error::hsdiff: '$CAPTURES' are ${#files[@]} captures, and two are the least"
        return 1
    }
    mapfile -t files < <(printf '%s\n' "${files[@]}" | sort -V)
}

# check NAME CAPTURE…: its reports as hsdiff-out/NAME.*
check() {
    local name=$1 status=0
    shift
    hsdiff check "${options[@]}" "$@" --force --html "$out/$name.html" --also "junit=$out/$name.xml" --also "sarif=$out/$name.sarif" --also "markdown=$out/$name.md" \
        --also "github=$out/$name.github" || status=$?
    [ ! -f "$out/$name.github" ] || cat "$out/$name.github"
    [ ! -f "$out/$name.md" ] || cat "$out/$name.md" >>"$GITHUB_STEP_SUMMARY"
    return "$status"
}

status=0 last=''
if [ -n "$CAPTURES" ]; then
    if given; then
        check check "${files[@]}" || status=$?
        last=${files[${#files[@]} - 1]}
    else
        status=2
    fi
else
    case $KIND in
    node | jvm | native) OUT=$out OPTIONS="${OPTIONS-}" CHECK_OPTIONS="${options[*]-}" "$GITHUB_ACTION_PATH/../../doc/ci/$KIND.sh" || status=$? ;;
    *)
        echo "::error::hsdiff: kind is node, jvm or native, or captures are given"
        status=2
        ;;
    esac
    for file in "$out/r$ROUNDS".*; do [ ! -f "$file" ] || last=$file; done
fi

if [ "$BASELINE" = true ] && [ -n "$last" ]; then
    if [ "$status" = 0 ] && [ -f hsdiff-base.hs ]; then check check-baseline hsdiff-base.hs "$last" || status=$?; fi
    if [ "$status" = 0 ] && [ "$IS_DEFAULT" = true ]; then
        hsdiff baseline -q "$last" -o hsdiff-base.hs --force
        say_output keep true
    fi
fi
say_output status "$status"
