# Shared by the findings about engines, which source it: pinned packages in a temporary folder, and a
# talk with an engine.
# shellcheck shell=bash

trap '' PIPE
work=$(mktemp -d "${TMPDIR:-/tmp}/finding.XXXXXX")
trap 'rm -rf "$work"' EXIT
talk=$work/talk
changed=0

# debian PACKAGE VERSION: unpacks a Debian package into $work; nothing is installed. Programs are then
# below $work/usr/games.
debian() {
    (cd "$work" && apt-get download -q "$1=$2" >"$work/apt.log" 2>&1 && dpkg -x "$1"_*.deb .) || {
        cat "$work/apt.log" >&2
        exit 2
    }
    echo "package: $1 $2 (Debian)"
}

# npm_package NAME VERSION: puts an npm package below $work/node_modules; its install scripts do not
# run.
npm_package() {
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" "$1@$2" >"$work/npm.log" 2>&1 || {
        cat "$work/npm.log" >&2
        exit 2
    }
    echo "package: $1 $2 (npm), node $(node --version)"
}

# python_package NAME VERSION: puts a Python package into a folder of its own and that folder, alone,
# on the path.
python_package() {
    export PYTHONPATH="$work/python-$1-$2"
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$PYTHONPATH" "$1==$2" \
        >"$work/pip.log" 2>&1 || {
        cat "$work/pip.log" >&2
        exit 2
    }
    echo "package: $1 $2 (PyPI), $(python3 --version)"
}

# record COMMAND...: makes $work/recorded, a program that is COMMAND and keeps what it is sent in
# $work/sent and what it answers in $work/answered.
record() {
    cat >"$work/recorded" <<END
#!/usr/bin/env bash
exec {input}<&0 {output}>&1
exec $* < <(tee "$work/sent" <&"\$input") > >(tee "$work/answered" >&"\$output")
END
    chmod +x "$work/recorded"
}

# converse SECONDS COMMAND...: sends the lines of standard input to an engine and prints both sides. It
# waits for the answers to `uci`, `isready` and `go`. Lines that are not sent:
#   send LINE      sends LINE and waits for nothing
#   await WORD     waits for a line that begins with WORD
#   pause SECONDS  prints what comes in the next whole SECONDS
#   memory         prints the engine's resident memory as `memory: N MB`
#   threads        prints its number of threads as `threads: N`
# After SECONDS the engine is killed. At the end it is told to quit.
converse() {
    local seconds=$1 line from to pid
    shift
    coproc ENGINE { timeout --kill-after=1 "$seconds" "$@" 2>&1 || true; } 2>/dev/null
    pid=$ENGINE_PID
    exec {from}<&"${ENGINE[0]}" {to}>&"${ENGINE[1]}"
    tell() {
        printf '> %s\n' "$1"
        { printf '%s\n' "$1" >&"$to"; } 2>/dev/null || true
    }
    local begun='' answer
    await() {
        while IFS= read -r -u "$from" answer; do
            answer=$begun${answer%$'\r'}
            begun=
            printf '%s\n' "$answer"
            if [[ $answer == "$1"* ]]; then return; fi
        done
        echo "(ended without $1)"
    }
    pause() {
        local until=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
        while ((${EPOCHREALTIME/[.,]/} < until)); do
            if IFS= read -r -t 0.05 -u "$from" answer; then
                printf '%s\n' "$begun${answer%$'\r'}"
                begun=
            elif (($? > 128)); then
                begun+=$answer
            else
                return
            fi
        done
    }
    process_status() {
        local limiter
        limiter=$(pgrep -P "$pid" | head -1)
        awk -v word="$1:" '$1 == word { print $2 }' "/proc/$(pgrep -P "${limiter:-$pid}" | head -1)/status" || echo 0
    }
    while IFS= read -r line; do
        case $line in
        "send "*) tell "${line#send }" ;;
        "await "*) await "${line#await }" ;;
        "pause "*) pause "${line#pause }" ;;
        memory) echo "memory: $(($(process_status VmRSS) / 1024)) MB" ;;
        threads) echo "threads: $(process_status Threads)" ;;
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
    printf '%s' "$begun"
    cat <&"$from"
    wait "$pid" 2>/dev/null || true
    exec {from}<&-
}

# value WORD N: the word after WORD in the last line of the N-th search of $talk that has WORD; `none`
# if no line has it.
value() {
    awk -v word="$1" -v number="$2" '
        BEGIN { search = 1; found = "none" }
        search == number && ($1 == "info" || $1 == "bestmove") {
            for (i = 1; i < NF; i++) if ($i == word) found = $(i + 1)
        }
        $1 == "bestmove" { search++ }
        END { print found }' "$talk"
}

# nodes_of_searches: the nodes of all searches of $talk, in a row.
nodes_of_searches() {
    local number searches
    searches=$(grep -c ^bestmove "$talk" || true)
    for number in $(seq "$searches"); do value nodes "$number"; done | paste -sd' '
}

# expect TEXT TEST...: prints whether TEXT still holds, and remembers if it does not.
expect() {
    if "${@:2}"; then
        echo "as found: $1"
    else
        echo "CHANGED: no longer so: $1"
        changed=1
    fi
}

# conclude: ends with 1 if something has changed.
conclude() {
    exit "$changed"
}
