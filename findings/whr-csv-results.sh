#!/usr/bin/env bash
# whr 2.2.0.
# Guess: load_csv with columns white, black, result and results 1-0 rates White higher.
# Is: 1-0 means that Black won. The package comes from Go, where Black moves first; its README lists "1-0" under black
# wins. With W instead of 1-0 the same games give the opposite ratings.
# Who meets it: whoever exports a match from PGN: everything is accepted, and the weaker engine is rated higher.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check whr==2.2.0
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(whr) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import io, whr
def rate(result):
    base = whr.Base()
    base.load_csv(io.StringIO("white,black,result,day\n" + f"Alpha,Beta,{result},1\n" * 3))
    base.iterate(50)
    return round(base.ratings_for_player("Alpha")[-1][1]), round(base.ratings_for_player("Beta")[-1][1])
one, w = rate("1-0"), rate("W")
check("Alpha (White) and Beta after three times 1-0", one, (-157, 157))
check("the same with W", w, (157, -157))
raise SystemExit(bad > 0)
EOF
