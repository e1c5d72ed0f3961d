#!/usr/bin/env bash
# CPU time of a job with tables of several sizes: searches of one ply, and of 2,000 nodes. The run and its report are in it.
#
#   benches/jobs.sh [OLD]      beside an older program: three rounds of each by turns, the least of each, and their ratio
#
# TTLAB=path/to/ttlab takes a program that is built already. Needs 100 MB and, with an older program, five minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${TTLAB:-}" ] || { cargo build --release --locked && TTLAB=target/release/ttlab; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head -n 96 data/openings.epd >"$work/96.epd"
cp data/openings.epd "$work/240.epd"

# Microseconds of CPU a job. Variants alternate, so each job makes its table.
measure() { # program, table, openings, seeds, limit
    local seeds TIMEFORMAT='%U %S'
    seeds=$(seq -s ', ' "$4")
    printf 'suite = "%s.epd"\nlimit = { %s }\n[engine]\n%s\n[grid]\n"keys.seed" = [%s]\n' "$3" "$5" "$2" "$seeds" >"$work/jobs.toml"
    { time "$1" run "$work/jobs.toml" --out "$work/out" -j 1 --quiet --fresh >/dev/null 2>&1; } 2>&1 |
        awk -v jobs=$(($3 * $4)) '{ printf "%.1f\n", 1e6 * ($1 + $2) / jobs }'
}

least() { sort -n | head -n 1; }

printf '%-22s' 'search, table'
[ -z "${1:-}" ] || printf ' %10s' old
printf ' %10s\n' 'us a job'
while IFS='|' read -r name table openings seeds limit; do
    rm -f "$work"/old "$work"/new
    for _ in 1 2 3; do
        [ -z "${1:-}" ] || measure "$1" "$table" "$openings" "$seeds" "$limit" >>"$work/old"
        measure "$TTLAB" "$table" "$openings" "$seeds" "$limit" >>"$work/new"
    done
    printf '%-22s' "$name"
    [ -z "${1:-}" ] || printf ' %10s' "$(least <"$work/old")"
    printf ' %10s' "$(least <"$work/new")"
    [ -z "${1:-}" ] || paste <(least <"$work/old") <(least <"$work/new") | awk '{ printf "   1/%.1f", $1 / $2 }'
    echo
done <<'ROWS'
one ply, none|table = "none"|240|42|depth = 1
one ply, 1 MiB|table.size = "1 MiB"|240|42|depth = 1
one ply, 16 MiB|table.size = "16 MiB"|96|8|depth = 1
one ply, 64 MiB|table.size = "64 MiB"|96|8|depth = 1
2,000 nodes, 1 MiB|table.size = "1 MiB"|96|8|nodes = 2000
2,000 nodes, 64 MiB|table.size = "64 MiB"|96|8|nodes = 2000
ROWS
