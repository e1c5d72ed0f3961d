#!/usr/bin/env bash
# Instructions of a search, counted by callgrind. Counts vary with the compiler, not with the machine's load. Needs valgrind.
#
#   benches/instructions.sh [NODES]    the table of each policy against an always-replace table written by hand (examples/by_hand.rs), in Markdown
#   benches/instructions.sh --check    fixed searches against benches/instructions.txt: exit 1 if one takes 1 % more instructions a node
#   benches/instructions.sh --record   writes that file anew, for a change that is meant to move it or another compiler
#
# TTLAB=path/to/ttlab takes a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind not found: apt install valgrind" >&2; exit 2; }

# Name, depths, and the rest of the command line. What a search costs is that of the deeper less that of the shallower one: starting the program
# and making its table count for nothing.
middle='r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9'
ending='8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'
searches() {
    echo "pvs-1MiB|3|5|$middle|algorithm=pvs table.size=1_MiB"
    echo "pvs-1MiB-quiescence-asks|3|5|$middle|algorithm=pvs table.size=1_MiB probe.at=quiescence store.at=quiescence"
    for design in stockfish plentychess reckless; do
        echo "pvs-1MiB-$design|3|5|$middle|algorithm=pvs table.size=1_MiB probe.at=quiescence store.at=quiescence table.design=$design"
    done
    echo "modern-1MiB|3|5|$middle|preset=modern table.size=1_MiB"
    echo "alpha-beta-no-table|3|4|$middle|table=none"
    echo "published-alpha-beta|5|6|startpos|preset=purple deepening.step=0"
    echo "minimax|2|3|startpos|preset=purple algorithm=minimax deepening.step=0"
    echo "ending-four-slots|10|14|$ending|algorithm=pvs table.size=1_MiB table.slots=4 table.policy=depth-age"
}

# Instructions a node of one of them.
measure() { # shallow, deep, position, options
    local depth ir=() seen=() options=() option
    for option in $4; do
        case $option in
        preset=*) options+=(--preset "${option#preset=}") ;;
        *) options+=(--set "${option//_MiB/ MiB}") ;;
        esac
    done
    for depth in "$1" "$2"; do
        seen+=("$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ttlab" search "$3" --depth "$depth" "${options[@]}" 2>"$work/log" |
            awk '/^search.nodes/ { print $2 }')")
        ir+=("$(sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$work/log")")
    done
    awk -v a="${ir[0]}" -v b="${ir[1]}" -v m="${seen[0]}" -v n="${seen[1]}" 'BEGIN { if (n == m) exit 1; printf "%.1f", (b - a) / (n - m) }'
}

if [[ ${1:-} == --check || ${1:-} == --record ]]; then
    baseline=benches/instructions.txt
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    ttlab=${TTLAB:-${CARGO_TARGET_DIR:-$PWD/target}/release/ttlab}
    [[ -n ${TTLAB:-} ]] || cargo build --release --quiet --locked
    if [[ $1 == --record ]]; then
        {
            echo "# Instructions a node of fixed searches, $(rustc --version): benches/instructions.sh --check holds them."
            searches | while IFS='|' read -r name shallow deep position options; do
                now=$(measure "$shallow" "$deep" "$position" "$options") || { cat "$work/log" >&2; exit 2; }
                echo "$name $now"
            done
        } >"$work/baseline"
        cp "$work/baseline" "$baseline"
        cat "$baseline"
        exit 0
    fi
    [[ -f $baseline ]] || { echo "$baseline not found: benches/instructions.sh --record writes it" >&2; exit 2; }
    searches | {
        worse=0
        while IFS='|' read -r name shallow deep position options; do
            held=$(awk -v name="$name" '$1 == name { print $2 }' "$baseline")
            [[ -n $held ]] || { echo "$baseline has no line for $name" >&2; exit 2; }
            now=$(measure "$shallow" "$deep" "$position" "$options")
            awk -v name="$name" -v a="$held" -v b="$now" 'BEGIN {
                change = 100 * (b / a - 1)
                worse = (change > 1)
                printf "%-28s %9.1f %9.1f %+7.2f %%%s\n", name, a, b, change, (worse ? "  more than 1 %" : "")
                exit worse
            }' || worse=1
        done
        exit $worse
    }
    exit
fi
nodes=${1:-100000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target=${CARGO_TARGET_DIR:-$PWD/target}

# Instructions and nodes of one run: what the search costs above what a tenth of it costs, so that start and table count for nothing.
count() { # binary, arguments
    local binary=$1 run ir=() seen=()
    shift
    for run in $((nodes / 10)) "$nodes"; do
        seen+=("$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" "$@" "$run" 2>"$work/log")")
        ir+=("$(sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$work/log")")
    done
    awk -v a="${ir[0]}" -v b="${ir[1]}" -v m="${seen[0]}" -v n="${seen[1]}" 'BEGIN { printf "%.1f", (b - a) / (n - m) }'
}

cargo build --release --quiet --example by_hand
here=$target/release/examples/by_hand
hand=$(count "$here" hand 1)
echo "| table | instructions a node | against by hand |"
echo "|---|---:|---:|"
row() { awk -v name="$1" -v x="$2" -v base="$hand" 'BEGIN { printf "| %s | %.1f | %+.2f %% |\n", name, x, 100 * (x / base - 1) }'; }
row "by hand, always" "$hand"
for table in "always 1" "depth-preferred 1" "big1 1" "ancient 1" "aged-depth 1" "scored 1" "two-deep 2" "two-big1 2" "depth-age 4"; do
    # shellcheck disable=SC2086
    row "$table" "$(count "$here" $table)"
done
