#!/usr/bin/env bash
# What known rows cost, in CPU seconds:
#   - a variant added to the quick experiment, in the folder of its results, against that variant alone
#   - finding the 168 jobs of the quick experiment among a million rows in 100 folders, with the memory that it takes
#
# TTLAB=path/to/ttlab takes a program that is built already. Needs 300 MB and a minute.
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

# A hundred folders: the quick experiment, a run of 10,032 rows, and 98 copies of that with other ids, as other seeds have.
mkdir "$folder/runs"
mv "$folder/quick" "$folder/runs/quick"
printf '%s\nlimit = { depth = 2 }\nseeds = 209\n' "$suite" >"$folder/many.toml"
"$TTLAB" run "$folder/many.toml" --out "$folder/runs/1" --quiet
python3 - "$folder/runs" <<'PYTHON'
import random, shutil, sys
runs = sys.argv[1]
header, *rows = open(f"{runs}/1/results.csv").read().splitlines()
for number in range(2, 100):
    shutil.copytree(f"{runs}/1", f"{runs}/{number}")
    with open(f"{runs}/{number}/results.csv", "w") as file:
        file.write("\n".join([header] + [f"{random.getrandbits(64):016x}{row[row.index(','):]}" for row in rows]) + "\n")
PYTHON
cat "$folder"/runs/*/results.csv | wc -l | sed 's/$/ rows/'
python3 - "$TTLAB" "$folder" <<'PYTHON'
import resource, subprocess, sys, time
program, folder = sys.argv[1:]
begun = time.time()
subprocess.run([program, "run", f"{folder}/quick.toml", "--out", f"{folder}/new", "--reuse", f"{folder}/runs/*", "--quiet"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"all known: {used.ru_utime + used.ru_stime:.2f} CPU s, {time.time() - begun:.2f} s, {used.ru_maxrss / 1024:.0f} MB")
PYTHON
