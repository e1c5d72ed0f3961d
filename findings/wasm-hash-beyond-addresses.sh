#!/usr/bin/env bash
# Subject: npm stockfish 19.0.0, lite single-threaded build.
# Guess:   the largest Hash that an engine declares is one that it can address.
# Is:      it declares up to 33,554,432 MB (32 TB), the value of the native 64-bit program; its
#          module may grow to 2 GB. Nothing larger is tried here.
# Met by:  who takes the range of sizes from `option name Hash ... max`.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 19.0.0
engine=$work/node_modules/stockfish/bin/stockfish-19-lite-single
echo uci | converse 20 node "$engine.js" >"$talk"
declared=$(sed -n 's/^option name Hash .* max \([0-9]*\).*/\1/p' "$talk")
# Section 5 of a WebAssembly module: count, flags, smallest and (if flagged) largest number of pages of 64 KB.
largest=$(node -e '
const bytes = require("fs").readFileSync(process.argv[1]);
let at = 8;
const number = () => {
    let value = 0, factor = 1, byte;
    do { byte = bytes[at++]; value += (byte & 127) * factor; factor *= 128; } while (byte & 128);
    return value;
};
while (at < bytes.length) {
    const id = bytes[at++], size = number(), end = at + size;
    if (id === 5) { number(); const flags = number(); number(); console.log(flags & 1 ? number() / 16 : "none"); }
    at = end;
}' "$engine.wasm")
echo "declared largest Hash: $declared MB; largest memory of the module: $largest MB"
expect "more is declared than 32 bits can address" [ "$declared" -gt 4096 ]
expect "and the module may not have more than 4096 MB" [ "$largest" -le 4096 ]
conclude
