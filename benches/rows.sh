#!/usr/bin/env bash
# CPU seconds and memory of `report` and `compare` of a million rows in a hundred variants, which examples/many_rows.rs makes of a real row.
#
#   benches/rows.sh [OLD]      beside an older program
#
# ROWS=100000 for other sizes. TTLAB=path/to/ttlab takes a program that is built already. Needs 200 MB a million rows.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${TTLAB:-}" ] || { cargo build --release --locked && TTLAB=target/release/ttlab; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'suite = { startpos = true }\nlimit = { nodes = 20000 }\n' >"$folder/row.toml"
"$TTLAB" run "$folder/row.toml" --out "$folder/row" --quiet
cargo run --release --quiet --locked --example many_rows -- "$folder/row/results.csv" 100 "${ROWS:-1000000}" >"$folder/rows.csv"
python3 - "$folder/rows.csv" "$TTLAB" "$@" <<'PYTHON'
import os, subprocess, sys
rows, *programs = sys.argv[1:]
for words in (["report", rows], ["compare", rows, rows]):
    for program in programs:
        child = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL)
        _, _, used = os.wait4(child.pid, 0)
        print(f"{words[0]}, {program}: {used.ru_utime + used.ru_stime:.2f} CPU s, {used.ru_maxrss / 1024:.0f} MB")
PYTHON
