#!/usr/bin/env bash
# kokopu 4.13.4 (npm).
# Guess: tags that a library does not know are kept when a game is read and written.
# Is: only the tags it has methods for are kept. Of a match runner's game, TimeControl, PlyCount and GameStartTime
# vanish, an elo of "-" too, and a date without a month loses its year and day.
# Who meets it: whoever edits or merges match PGNs with it: the time control is gone.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund kokopu@4.13.4
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import kokopu from 'kokopu'
const pgn = `[Event "match"]
[Site "?"]
[Date "2026.??.05"]
[Round "3.1"]
[White "A"]
[Black "B"]
[Result "1-0"]
[WhiteElo "-"]
[BlackElo "3500"]
[GameStartTime "2026-01-02T03:04:05 +0000"]
[PlyCount "3"]
[Termination "time forfeit"]
[TimeControl "8+0.08"]

1. e4 e5 2. Nf3 1-0
`
const out = kokopu.pgnWrite(kokopu.pgnRead(pgn).game(0))
const tags = (text) => [...text.matchAll(/^\[(\w+) "(.*)"\]$/gm)].map(([, k, v]) => `${k} ${v}`)
const kept = new Set(tags(out))
check('changed or gone', tags(pgn).filter((tag) => !kept.has(tag)), ['Date 2026.??.05', 'WhiteElo -',
  'GameStartTime 2026-01-02T03:04:05 +0000', 'PlyCount 3', 'TimeControl 8+0.08'])
check('date', tags(out).filter((tag) => tag.startsWith('Date')), ['Date ????.??.??'])
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs
