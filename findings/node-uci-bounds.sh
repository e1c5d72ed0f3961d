#!/usr/bin/env bash
# Subject: node-uci 1.3.4 (npm) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   a score that the engine calls `lowerbound` or `upperbound` is marked as one in what `go` returns, and every
#          option the engine offers is in `options`.
# Is:      the word is dropped: the result has the bound as a score like any other. An option whose default is empty
#          (`Debug Log File`) is left out.
# Met by:  programs that take the last score, or the score at a depth, from such results.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
npm_package node-uci 1.3.4
record "$work/usr/games/stockfish"
cat >"$work/drive.js" <<'END'
const { Engine } = require('node-uci')
;(async () => {
  const engine = new Engine(process.argv[2])
  await engine.init()
  const scored = []
  const last = []
  for (let thousands = 1; thousands <= 16; thousands++) {
    await engine.ucinewgame()
    await engine.position('startpos')
    const { info } = await engine.go({ nodes: 1000 * thousands })
    scored.push(...info.filter((line) => line.score))
    last.push(scored.at(-1))
  }
  await engine.quit()
  console.log('options', engine.options.size)
  console.log('scores', scored.length, 'keys', [...new Set(scored.flatMap((line) => Object.keys(line.score)))].join())
  console.log('marked', scored.filter((line) => JSON.stringify(line).includes('bound')).length)
  for (const line of last.slice(-3)) console.log('last line: depth', line.depth, 'score', JSON.stringify(line.score))
})()
END
(cd "$work" && timeout 60 node drive.js "$work/recorded") | tee "$talk"
bounds=$(grep -cE ' (lower|upper)bound ' "$work/answered" || true)
options=$(grep -c '^option ' "$work/answered")
echo "Stockfish sent $bounds bounds and $options options; the last lines of its last searches:"
grep -B1 ^bestmove "$work/answered" | grep '^info' | tail -3
expect "Stockfish sends bounds under node limits" [ "$bounds" -ge 3 ]
expect "node-uci hands over unit and value only" grep -qx 'scores [0-9]* keys unit,value' "$talk"
expect "no line of the result says bound" grep -qx 'marked 0' "$talk"
expect "one option is missing" [ "$(sed -n 's/^options //p' "$talk")" -eq $((options - 1)) ]
conclude
