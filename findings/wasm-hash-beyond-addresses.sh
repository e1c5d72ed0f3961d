#!/usr/bin/env bash
# Subject: npm stockfish 19.0.0, lite single-threaded build.
# Guess:   the largest Hash that an engine declares is one that it can address.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 19.0.0
engine=$work/node_modules/stockfish/bin/stockfish-19-lite-single
echo uci | converse 20 node "$engine.js" | grep Hash
node -e '
const bytes = require("fs").readFileSync(process.argv[1]);
const module = new WebAssembly.Module(bytes);
console.log(WebAssembly.Module.imports(module).filter(i => i.kind === "memory"), WebAssembly.Module.exports(module).filter(i => i.kind === "memory"));
' "$engine.wasm"
