#!/usr/bin/env bash
# Subject: node-uci 1.3.4 (npm) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `go({ depth: 5, searchmoves: ['e2e4', 'd2d4'] })` ends at depth 5: the driver knows how to order the words.
# Is:      it writes `searchmoves` first, whatever the order of the object, and Stockfish reads all that follows as
#          moves. The limit is lost, and the promise waits for a `stop` that nobody sends; `stop()` of node-uci raises,
#          as the search is none of its infinite ones.
# Met by:  comparisons of a few moves at a fixed depth, time or number of nodes.
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
  const depth = ({ info }) => info.filter((line) => line.score).at(-1).depth
  await engine.position('startpos')
  console.log('depth 5: ended at depth', depth(await engine.go({ depth: 5 })))
  let stopped = false
  setTimeout(async () => {
    await engine.stop().catch((error) => console.log('stop() raises:', error.message.split(':')[0]))
    stopped = true
    engine.write('stop')
  }, 2000)
  const result = depth(await engine.go({ depth: 5, searchmoves: ['e2e4', 'd2d4'] }))
  console.log('depth 5, searchmoves: at depth', result, stopped ? 'when stopped' : 'by itself')
  await engine.quit()
})()
END
(cd "$work" && timeout 60 node drive.js "$work/recorded") | tee "$talk"
grep '^go ' "$work/sent"
expect "without searchmoves it ends at depth 5" grep -qx 'depth 5: ended at depth 5' "$talk"
expect "searchmoves are sent first" grep -qx 'go searchmoves e2e4 d2d4 depth 5' "$work/sent"
expect "the search goes on until it is stopped" grep -q 'when stopped$' "$talk"
expect "it is then deeper than 5" [ "$(awk '/searchmoves:/ { print $6 }' "$talk")" -gt 5 ]
expect "stop() does not stop it" grep -q '^stop() raises' "$talk"
conclude
