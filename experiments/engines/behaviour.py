#!/usr/bin/env python3
"""Writes the table of what engines' tables do from outside into docs/engine-behaviour.md.

Unpacks the pinned packages into a temporary folder, runs `ttlab doctor --json` on each engine, and puts
the answers between the marks in docs/engine-behaviour.md. Searches are given by depth, so a second run writes the same table. From
the root, after `cargo build --release` (or with the program given): experiments/engines/behaviour.py [TTLAB]
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Toga II counts a few nodes more or less at other addresses (findings/toga-new-process-differs.sh), so they are fixed.
# Name in the table, kind of package, package, version, program and its arguments, depth and games of the comparison.
ENGINES = [
    ("Stockfish", "Debian", "stockfish", "15.1-4", ["usr/games/stockfish"], 13, 24),
    ("Fairy-Stockfish", "Debian", "fairy-stockfish", "11.1-1+b1", ["usr/games/fairy-stockfish"], 11, 24),
    ("Ethereal", "Debian", "ethereal-chess", "12.00+ds1-1", ["usr/games/ethereal-chess"], 13, 24),
    ("Glaurung", "Debian", "glaurung", "2.2-4", ["usr/games/glaurung"], 10, 8),
    ("GNU Chess", "Debian", "gnuchess", "6.2.7-1+deb12u1", ["usr/games/gnuchess", "-u"], 8, 8),
    ("Toga II", "Debian", "toga2", "3.0.0.1SE1-2+b1", ["setarch", "-R", "usr/games/toga2"], 10, 8),
    ("Sjaak II", "Debian", "sjaakii", "1.4.1-2", ["usr/games/sjaakii", "-uci"], 9, 8),
    ("Stockfish 19 (npm)", "npm", "stockfish", "19.0.0", ["node", "node_modules/stockfish/bin/stockfish-19-lite-single.js"], 10, 8),
    ("Stockfish 17 (npm)", "npm", "stockfish", "17.1.0", ["node", "node_modules/stockfish/src/stockfish-17.1-lite-single-03e3232.js"], 10, 8),
    ("sunfish", "PyPI", "sunfish", "2026.1", ["bin/sunfish-uci"], 4, 4),
]
MARKS = ["<!-- behaviour.py writes from here -->\n", "<!-- to here -->\n"]
WORDS = {"holds": "yes", "does-not-hold": "no", "needs-more": "open"}
LARGE = 1024
# Checks whose finding says more than whether it holds.
TEXTS = ["go nodes", "nodes to a depth"]


def unpack(kind, package, version, folder):
    """Puts a package into a folder; nothing is installed."""
    if kind == "Debian":
        subprocess.run(["apt-get", "download", "-q", f"{package}={version}"], cwd=folder, check=True, capture_output=True)
        subprocess.run(f"dpkg -x {package}_*.deb .", shell=True, cwd=folder, check=True)
    elif kind == "npm":
        words = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder)]
        subprocess.run(["npm", "install", *words, f"{package}@{version}"], check=True, capture_output=True)
    else:
        words = ["--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(folder)]
        subprocess.run([sys.executable, "-m", "pip", "install", *words, f"{package}=={version}"], check=True)
        os.environ["PYTHONPATH"] = str(folder)


def resident_mebibytes(command, size):
    """Returns the resident memory of an engine with a Hash of this size, after a short search."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
        for request, answer in [("uci", "uciok"), (f"setoption name Hash value {size}\nisready", "readyok"), ("go depth 1", "bestmove")]:
            engine.stdin.write(request + "\n")
            next(line for line in engine.stdout if line.startswith(answer))
        pages = int(pathlib.Path(f"/proc/{engine.pid}/statm").read_text().split()[1])
        engine.stdin.write("quit\n")
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def examine(ttlab, engine):
    """Returns the cells of an engine, by question."""
    name, kind, package, version, command, depth, games = engine
    print(name, file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        unpack(kind, package, version, folder)
        command = [str(folder / word) if "/" in word else word for word in command]
        words = [ttlab, "doctor", command[0], "--json", "--quiet", "--depth", str(depth), "--games", str(games), "--", *command[1:]]
        output = subprocess.run(words, capture_output=True, text=True)
        if not output.stdout:
            sys.exit(f"{name}: {output.stderr}")
        checks = json.loads(output.stdout)["checks"]
        cells = {"package": f"{kind} {version}"}
        # The doctor takes no more than 96 MiB.
        for least, most in re.findall(r"'(\d+) to (\d+) MiB declared", str([check["finding"] for check in checks])):
            if int(most) >= LARGE:
                taken = resident_mebibytes(command, LARGE) - resident_mebibytes(command, int(least))
                cells[f"memory at {LARGE} MiB"] = f"about {10 * round(10 * taken / (LARGE - int(least)))} %"
    for check in checks:
        word, question = WORDS.get(check["result"], ""), check["check"]
        text = check["finding"].split(";")[0].split(" (")[0]
        if "had to be stopped" in check["finding"]:
            # How far it came is a matter of time.
            text = "not respected"
        if question == "memory":
            # The share is asked where it is large enough to be the same twice.
            question, text = "64 and 96 MiB", text.partition("of what they say")[2].strip(", ")
        elif question == "note" and text.startswith("hashfull"):
            # Seen only where a search lasts a second; the row hashfull tells it always.
            continue
        elif question == "note":
            question, word = "else", ""
        cell = text if not word else f"{word}: {text}" if question in TEXTS else word
        cells[question] = "; ".join(filter(None, [cells.get(question), cell]))
    return cells


def main():
    ttlab = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/ttlab").resolve())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cells = pool.map(lambda engine: examine(ttlab, engine), ENGINES)
        found = {engine[0]: one for engine, one in zip(ENGINES, cells)}
    questions = list(dict.fromkeys(question for cells in found.values() for question in cells))
    questions.sort(key=lambda question: question == "else")
    lines = [f"| | {' | '.join(found)} |\n", f"|---|{'---|' * len(found)}\n"]
    for question in questions:
        lines.append(f"| {question} | {' | '.join(cells.get(question, '') for cells in found.values())} |\n")
    page = pathlib.Path("docs/engine-behaviour.md")
    before, rest = page.read_text().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    page.write_text("".join([before, MARKS[0], *lines, MARKS[1], after]))


main()
