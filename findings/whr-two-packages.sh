#!/usr/bin/env bash
# whr 2.2.0 with whole-history-rating 3.7.1.
# Guess: pip refuses, or at least warns about, two packages that install the same module.
# Is: both install the module whr. pip list shows both, pip check finds nothing, and import gives the one installed last;
# the package that was installed first is broken, and removing it leaves the other a module without its class.
# Who meets it: whoever compares the two rating programs, or has one of them in an environment with the other.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

python3 -m venv "$t/v"
pip="$t/v/bin/pip --disable-pip-version-check"
$pip install -q whr==2.2.0
$pip install -q whole-history-rating==3.7.1
$pip list 2>/dev/null | grep -iE "^(whr|whole-history-rating) "
$pip check
cat > "$t/say.py" <<'EOF'
try:
    import whr
    print("WHR" if hasattr(whr, "WHR") else "other")
except ImportError as e:
    print(type(e).__name__)
EOF
both=$("$t/v/bin/python" -W ignore "$t/say.py")
echo "both installed, import whr gives the package of: $both"
$pip uninstall -q -y whr
one=$("$t/v/bin/python" -W ignore "$t/say.py")
echo "whr uninstalled, whole-history-rating still listed, import whr: $one"
$pip list 2>/dev/null | grep -iE "^(whr|whole-history-rating) "
[ "$both $one" = "WHR other" ]
