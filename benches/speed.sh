#!/usr/bin/env bash
# Calibrates `ttlab speed`: of RUNS runs, how many call a build slower that spends 2 % more instructions a node, and how many see a difference
# between two copies of one build. Wanted: nine of ten, and at most one of twenty. Needs two idle cores and two minutes a run (TIME seconds).
#
#   benches/speed.sh [RUNS]      RUNS slower pairs (10) and twice as many equal ones: an hour, and two release builds
#
# SLOWER=path/to/ttlab and TTLAB=path/to/ttlab take programs that are built already.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-10} time=${TIME:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"; git worktree prune' EXIT
[ -n "${TTLAB:-}" ] || { cargo build --release --locked && TTLAB=target/release/ttlab; }
if [ -z "${SLOWER:-}" ]; then
    git worktree add --quiet --detach "$work/slower"
    # 15 of about 720 instructions a node (benches/instructions.sh tells how many it became).
    sed -i '0,/self.count.nodes += 1;/s//for step in 0..4_u32 { std::hint::black_box(step); }\n        self.count.nodes += 1;/' "$work/slower/core/src/engine/search.rs"
    (cd "$work/slower" && CARGO_TARGET_DIR="$PWD/target" cargo build --release --locked)
    SLOWER=$work/slower/target/release/ttlab
fi
cp "$TTLAB" "$work/copy"
count() { # name, other program, runs, wanted text
    local found=0 run line
    for ((run = 1; run <= $3; run++)); do
        line=$("$TTLAB" speed "$TTLAB uci" "$2 uci" --time "$time" | head -n 1)
        echo "  $1 $run: $line"
        [[ $line != *"$4"* ]] || found=$((found + 1))
    done
    echo "$1: $found of $3 say \"$4\""
}
count slower "$SLOWER" "$runs" "B is slower"
count equal "$work/copy" $((2 * runs)) "B is "
