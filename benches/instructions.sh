#!/usr/bin/env bash
# Instructions of a search, counted by callgrind: the table of each policy against an always-replace table written by hand
# (examples/by_hand.rs), and this build against one whose diagnostics are cut out of the source. Counts vary with the compiler, not
# with the machine's load. Needs valgrind. Writes a Markdown table.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind not found: apt install valgrind" >&2; exit 2; }
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

# The same source without what full diagnostics and the audit look at.
cp -r Cargo.toml Cargo.lock src examples benches "$work/"
sed -i 's/self\.shadow\.as_mut()/None::<\&mut Box<Shadow>>/; s/self\.shadow\.is_some()/false/' "$work/src/table/bounded.rs"
sed -i 's/self\.on\.full/false/; s/self\.audit\.is_some()/false/' "$work"/src/engine/{alpha_beta,consult,leaf,minimax,search}.rs
(cd "$work" && CARGO_TARGET_DIR="$target/undiagnosed" RUSTFLAGS="${RUSTFLAGS:-} -A warnings" cargo build --release --quiet --example by_hand)
with=$(count "$here" always 1)
without=$(count "$target/undiagnosed/release/examples/by_hand" always 1)
echo
awk -v x="$with" -v base="$without" 'BEGIN { printf "diagnostics off: %.1f instructions a node, cut out: %.1f (%+.2f %%)\n", x, base, 100 * (x / base - 1) }'
