# Shared by the scripts of this folder: where the project is, saying what happens, installing what is missing.
# Sourced, never run. Debian 12 with network, as root or with sudo.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '\n== %s\n' "$*"; }

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 2
}

# The packages of the named groups that are missing: a command is looked up, a bare package asked of dpkg.
missing_packages() {
    local group word list command package
    for group in "$@"; do
        list=$(sed -n "s/^$group[[:space:]]\+//p" "$project/scripts/packages")
        [ -n "$list" ] || die "no group '$group' in scripts/packages"
        for word in $list; do
            command=${word%%:*} package=${word##*:}
            if [ "$package" = arm64 ]; then
                package=$word word=
            fi
            if [ -n "$word" ] && [ "$word" != "$package" ]; then
                PATH=$PATH:/usr/sbin command -v "$command" >/dev/null 2>&1 || printf '%s\n' "$package"
            else
                dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
                    printf '%s\n' "$package"
            fi
        done
    done
}

# Installs what the named groups lack. The second time nothing is asked of the network. Where CI runs, on a machine that is thrown away,
# dpkg does not wait for the disk after each file.
need() {
    local missing as_root=() fast=()
    missing=$(missing_packages "$@" | sort -u | tr '\n' ' ')
    [ -n "${missing// /}" ] || return 0
    command -v apt-get >/dev/null 2>&1 || die "missing: $missing(apt-get not found: install them by hand)"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || die "missing: $missing(run as root, or: apt-get install $missing)"
        as_root=(sudo)
    fi
    [ "${CI-}" != true ] || fast=(-o Dpkg::Options::=--force-unsafe-io)
    say "installing $missing"
    case $missing in *:arm64*) [ "$(dpkg --print-foreign-architectures)" = arm64 ] || "${as_root[@]}" dpkg --add-architecture arm64 ;; esac
    # An ssh server is for tests, which start their own: Debian's does not start where this file is, now or later.
    case " $missing" in *" openssh-server "*) "${as_root[@]}" install -D -m 644 /dev/null /etc/ssh/sshd_not_to_be_run ;; esac
    [ -n "${has_lists-}" ] || "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null ||
        printf 'apt-get update failed; trying with the lists at hand\n' >&2
    has_lists=1
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${fast[@]}" $missing \
        </dev/null >/dev/null || die "cannot install: $missing"
}

# need_meanwhile GROUP… -- PRESET…: the same, and while that goes on builds the command in the presets, which takes the group build alone. What
# fails there fails again in its turn. Configured without the packages that come meanwhile, a preset knows nothing of them: it forgets.
need_meanwhile() {
    local groups=() installing preset
    while [ "$1" != -- ]; do groups+=("$1") && shift; done
    shift
    [ -n "$(missing_packages "${groups[@]}")" ] || return 0
    need "${groups[@]}" &
    installing=$!
    for preset in "$@"; do
        (cd "$project" && cmake --preset "$preset" "${build_options[@]}" -D HSD_TESTS=OFF && nice cmake --build --preset "$preset" --target hsdiff_cli -- -j"$jobs" -k 0) >/dev/null 2>&1
        rm -f "$project/build/$preset/CMakeCache.txt"
    done
    wait "$installing" || exit 2
}

# From now on what was compiled before, here or in another clone, is taken from ccache's folder, where ccache is. Where CI runs the folder of
# a clone is another each time, and no debugger asks for it. What the compiler itself lists (-MD) says what a file includes: asking the preprocessor
# before it takes a fifth as long as compiling.
use_compiler_cache() {
    command -v ccache >/dev/null 2>&1 || return 0
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$project CCACHE_DEPEND=1
    [ "${CI-}" != true ] || export CCACHE_NOHASHDIR=1
}

# What CI builds nobody debugs: functions and lines do for the stacks of sanitizers, and a build from nothing takes a sixth less. Its unit tests of
# preset release fork for each case, as those of preset dev do: Criterion takes 22 ms of the processor for each in place of 2.
build_options=()
[ "${CI-}" != true ] || build_options=(-D HSD_LINES_ONLY=ON -D HSD_PLAIN_CRITERION=ON)

# configure_and_build PRESET [TARGET…]: quiet unless something is wrong. CMake gets the words of configure_options, too.
configure_options=()
configure_and_build() {
    local preset=$1 log target targets=()
    shift
    for target in "$@"; do targets+=(--target "$target"); done
    say "building preset $preset"
    log=$(mktemp)
    if ! (cd "$project" && cmake --preset "$preset" "${build_options[@]}" "${configure_options[@]}") >"$log" 2>&1; then
        cat "$log"
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
    (cd "$project" && cmake --build --preset "$preset" "${targets[@]}" -- -j"$jobs" --quiet)
}
