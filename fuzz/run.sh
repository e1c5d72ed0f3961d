#!/bin/sh
# Fuzzes a target for so many seconds: fuzz/run.sh TARGET SECONDS, or fuzz/run.sh all SECONDS. Seeds are made of the project's own
# files. Needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz).
set -eu
cd "$(dirname "$0")/.."
target=${1:?a target, or all}
seconds=${2:-60}
cargo build --quiet
ttlab=target/debug/ttlab

seeds() {
    dir=fuzz/corpus/$1
    mkdir -p "$dir"
    case $1 in
    fen)
        grep -hv '^#' data/*.epd | awk -F'[ \t]+' '{ print $1, $2, $3, $4 }' | head -200 | split -l 1 -a 3 - "$dir/seed-"
        ;;
    suite)
        for file in data/*.epd; do { printf '\000'; head -c 2000 "$file"; } >"$dir/$(basename "$file")"; done
        for file in data/*.pgn; do { printf '\001'; head -c 2000 "$file"; } >"$dir/$(basename "$file")"; done
        ;;
    experiment) find experiments -name '*.toml' -exec cp {} "$dir" \; ;;
    results | manifest)
        printf 'name = "fuzz"\nsuite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n"table.size" = [64, 128]\n' >fuzz/corpus/seed.toml
        rm -rf fuzz/corpus/seed
        $ttlab run fuzz/corpus/seed.toml --out fuzz/corpus/seed --quiet
        if [ "$1" = results ]; then tail -n +2 fuzz/corpus/seed/results.csv >"$dir/rows"; else { cat fuzz/corpus/seed/manifest.json; printf '\000'; cat fuzz/corpus/seed/results.csv; } >"$dir/result"; fi
        ;;
    trace)
        $ttlab trace startpos --depth 4 --set table.size=64 -o fuzz/corpus/seed.trace
        { printf '\001'; head -c 8000 fuzz/corpus/seed.trace; } >"$dir/torn"
        { printf '\000'; tail -c +17 fuzz/corpus/seed.trace | head -c 8000; } >"$dir/events"
        ;;
    table_options) for file in core/src/table/designs/*.toml; do sed 's/^/table./;s/$/;/' "$file" >"$dir/$(basename "$file")"; done ;;
    plan) $ttlab plan experiments/quick.toml --shards 3 -o "$dir/plan.json" >/dev/null ;;
    esac
}

list="fen suite experiment results plan manifest trace table_options"
[ "$target" = all ] || list=$target
for one in $list; do
    seeds "$one"
    cargo +nightly fuzz run "$one" -- -max_total_time="$seconds" -max_len=8192 -timeout=60 -rss_limit_mb=4096
done
