#!/usr/bin/env bash
# What known rows cost, in CPU seconds:
#   - a variant added to the quick experiment, in the folder of its results, against that variant alone
#   - finding the 168 jobs of the quick experiment among a million rows in 100 folders, with the memory that it takes
#
# TTLAB=path/to/ttlab takes a program that is built already. Needs 300 MB and some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${TTLAB:-}" ] || { cargo build --release --locked && TTLAB=target/release/ttlab; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp data/bratko-kopec.epd "$folder"
suite='suite = "bratko-kopec.epd"'

cpu() { # command: its CPU seconds
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.2f", $1 + $2 }'
}

# The quick experiment, with one more variant, and that variant alone.
sed "s|^suite = .*|$suite|" experiments/quick.toml >"$folder/quick.toml"
added='[[variant]]\nname = "added"\ntable.size = "4 MiB"\n'
printf "\n$added" | cat "$folder/quick.toml" - >"$folder/grown.toml"
sed '/^\[grid\]/,$d; /^baseline/d; s/^name = .*/name = "alone"/' "$folder/quick.toml" >"$folder/alone.toml"
printf "$added" >>"$folder/alone.toml"
"$TTLAB" run "$folder/quick.toml" --out "$folder/quick" --quiet
for out in grown alone; do
    [ $out = alone ] || cp -r "$folder/quick" "$folder/grown"
    printf '%s: %s CPU s\n' "$out" "$(cpu "$TTLAB" run "$folder/$out.toml" --out "$folder/$out" --quiet)"
done

# Folders of 10,032 rows each; one of them has the quick experiment too.
mkdir "$folder/runs"
mv "$folder/quick" "$folder/runs/quick"
for number in $(seq 99); do
    printf '%s\nlimit = { depth = 2 }\nseeds = 209\n[engine]\nkeys.seed = %s\n' "$suite" "$((1000 * number))" >"$folder/many.toml"
    "$TTLAB" run "$folder/many.toml" --out "$folder/runs/$number" --quiet
done
cat "$folder"/runs/*/results.csv | wc -l | sed 's/$/ rows/'
python3 - "$TTLAB" "$folder" <<'PYTHON'
import resource, subprocess, sys, time
program, folder = sys.argv[1:]
begun = time.time()
subprocess.run([program, "run", f"{folder}/quick.toml", "--out", f"{folder}/new", "--reuse", f"{folder}/runs/*", "--quiet"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"all known: {used.ru_utime + used.ru_stime:.2f} CPU s, {time.time() - begun:.2f} s, {used.ru_maxrss / 1024:.0f} MB")
PYTHON
