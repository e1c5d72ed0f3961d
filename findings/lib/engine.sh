# Shared by the findings about engines, which source it: pinned packages in a temporary folder, and a talk with an engine.

trap '' PIPE
work=$(mktemp -d "${TMPDIR:-/tmp}/finding.XXXXXX")
trap 'rm -rf "$work"' EXIT
changed=0

# debian PACKAGE VERSION: unpacks a Debian package into $work; nothing is installed. Programs are then below $work/usr/games.
debian() {
    (cd "$work" && apt-get download -q "$1=$2" >"$work/apt.log" 2>&1 && dpkg -x "$1"_*.deb .) || {
        cat "$work/apt.log" >&2
        exit 2
    }
    echo "package: $1 $2 (Debian)"
}

# npm_package NAME VERSION: installs an npm package below $work/node_modules without running its scripts.
npm_package() {
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" "$1@$2" >"$work/npm.log" 2>&1 || {
        cat "$work/npm.log" >&2
        exit 2
    }
    echo "package: $1 $2 (npm), node $(node --version)"
}

# python_package NAME VERSION: installs a Python package into $work/python and puts it on the path.
python_package() {
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$work/python" "$1==$2" >"$work/pip.log" 2>&1 || {
        cat "$work/pip.log" >&2
        exit 2
    }
    export PYTHONPATH="$work/python"
    echo "package: $1 $2 (PyPI), $(python3 --version)"
}

# converse SECONDS COMMAND...: sends the lines of standard input to an engine and prints both sides. It waits for the answers
# to `uci`, `isready` and `go`. Lines that are not sent:
#   send LINE      sends LINE and waits for nothing
#   await WORD     waits for a line that begins with WORD
#   pause SECONDS  waits
#   memory         prints the engine's resident memory as `memory: N MB`
#   threads        prints its number of threads as `threads: N`
# After SECONDS the engine is killed. At the end it is told to quit.
converse() {
    local seconds=$1 line from to pid
    shift
    coproc engine { exec timeout --kill-after=1 "$seconds" "$@" 2>&1; }
    pid=$engine_PID
    exec {from}<&"${engine[0]}" {to}>&"${engine[1]}"
    tell() {
        printf '> %s\n' "$1"
        printf '%s\n' "$1" >&"$to" 2>/dev/null || true
    }
    await() {
        local answer
        while IFS= read -r -u "$from" answer; do
            answer=${answer%$'\r'}
            printf '%s\n' "$answer"
            if [[ $answer == "$1"* ]]; then return; fi
        done
        echo "(ended without $1)"
    }
    status_of_engine() { awk -v word="$1:" '$1 == word { print $2 }' "/proc/$(pgrep -P "$pid" | head -1)/status"; }
    while IFS= read -r line; do
        case $line in
        "send "*) tell "${line#send }" ;;
        "await "*) await "${line#await }" ;;
        "pause "*) sleep "${line#pause }" ;;
        memory) echo "memory: $(($(status_of_engine VmRSS) / 1024)) MB" ;;
        threads) echo "threads: $(status_of_engine Threads)" ;;
        *)
            tell "$line"
            case $line in
            uci) await uciok ;;
            isready) await readyok ;;
            go | "go "*) await bestmove ;;
            esac
            ;;
        esac
    done
    tell quit
    exec {to}>&-
    cat <&"$from"
    wait "$pid" 2>/dev/null || true
    exec {from}<&-
}

# value WORD N: the word after WORD in the last line of the N-th search that has WORD. Standard input: what `converse` printed.
value() {
    awk -v word="$1" -v number="$2" '
        BEGIN { search = 1; found = "none" }
        search == number && ($1 == "info" || $1 == "bestmove") {
            for (i = 1; i < NF; i++) if ($i == word) found = $(i + 1)
        }
        $1 == "bestmove" { search++ }
        END { print found }'
}

# expect TEXT TEST...: prints whether TEXT is still so, and remembers if it is not.
expect() {
    if "${@:2}"; then
        echo "as found: $1"
    else
        echo "CHANGED: not so any more: $1"
        changed=1
    fi
}

# conclude: ends with 1 if something has changed.
conclude() {
    exit "$changed"
}
