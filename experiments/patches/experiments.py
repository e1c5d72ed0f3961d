"""Writes the experiments of the study of patches (README.md): experiments.py FOLDER, from the project's root

Two steps, because a table is made as crowded as that of the test was. First FOLDER gets `pilot-*.toml`, four short runs on games that the study does not use: how many nodes a search has. Once
FOLDER/NAME/results.csv of each is there, the experiments are written: for each patch of reports/patches/decided.csv, preset and size one file with both option sets, and `run.sh`, which runs those
that reports/patches/counts.csv.gz lacks, the test's size first and the greater depth last. Each step may be repeated: the files come out the same, and `run.sh` goes on where it was stopped.
"""

import csv
import gzip
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPORTS = os.path.join(HERE, "..", "..", "reports", "patches")
PRESETS = ["match", "modern"]
DEPTH, DEEP = 7, 10
# A shallow search hardly ever stores a lesser result of a position that it has: these classes need a deeper one to show.
DEEP_CLASSES = ["replace-samekey", "age2", "penalise", "refresh", "eval-stored"]
GAMES = 30  # of each suite
LAST_PLY = {DEPTH: 48, DEEP: 24}  # of the sequences, which begin at ply 17: White's 16 and 4 searches of a game
SIZES = {"1/2": 0.5, "1": 1.0, "8": 8.0}  # as multiples of the test's
# The stated table of what a test's engine searches: nodes a second, moves of a game that share its time, and the time controls that a repository means by a word.
NODES_A_SECOND = 1_000_000
MOVES = 40
CONTROLS = {("official-stockfish/Stockfish", "STC"): "10+0.1", ("official-stockfish/Stockfish", "LTC"): "60+0.6"}
# Where an engine's table has more bytes than the hash that it was given: PZChessBot makes a bucket for each entry that the hash would hold. In buckets of three times an entry's bytes that is three times the hash.
HASH_TIMES = {("kevlu8/PZChessBot", "#222 8ecac9f8a"): 3}
BUCKETS = {"3x10": (32, 3), "3x8": (32, 3), "5x12": (64, 5), "4x16": (64, 4), "2x16": (32, 2), "1x8": (8, 1), "1x10": (10, 1), "1x12": (12, 1), "1x16": (16, 1)}


def rows(name):
    with open(os.path.join(REPORTS, name), newline="") as file:
        return list(csv.DictReader(file))


def test_nodes(test):
    """Nodes of one search of a test's engine."""
    control = CONTROLS.get((test["repo"], test["tc"]), test["tc"])
    try:
        base, increment = map(float, control.split("+"))
    except ValueError:
        sys.exit(f"position {test['position']}, {test['repo']}: the time control is `{test['tc']}`; expected seconds+increment, or a word of the table CONTROLS")
    return NODES_A_SECOND * (base / MOVES + increment)


def test_bytes(test):
    return (int(test["hash"].removesuffix("MB")) << 20) * HASH_TIMES.get((test["repo"], test["ref"]), 1)


def options(text):
    """The options of an inline table, as pairs of path and value."""
    found, start, depth, quoted = [], 0, 0, False
    body = text.strip().removeprefix("{").removesuffix("}").strip()
    for place, letter in enumerate(body + ","):
        quoted ^= letter == '"'
        depth += not quoted and {"{": 1, "[": 1, "}": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0 and not quoted:
            path, value = body[start:place].split("=", 1)
            found.append((path.strip(), value.strip()))
            start = place + 1
    return found


def bucket(patch):
    """Bytes and slots of a bucket before the patch."""
    chosen = dict(options(patch["base"]) + options(patch["before"]))
    layout = chosen.get("table.layout", "").strip('"')
    if layout in BUCKETS:
        return BUCKETS[layout]
    chosen = dict(options(layout)) if layout else {"bucket": chosen["table.bucket_bytes"], "slots": chosen["table.slots"]}
    return int(chosen["bucket"]), int(chosen["slots"])


def depth_of(patch):
    return DEEP if patch["class"] in DEEP_CLASSES else DEPTH


def tests_of(patch, order):
    """All tests of a patch that are eligible, the first one first."""
    tests = [test for test in order if (test["repo"], test["ref"]) == (patch["repo"], patch["ref"]) and not test["not_eligible"]]
    if tests[0]["position"] != patch["position"]:
        sys.exit(f"decided.csv: position {patch['position']} is not the first test of {patch['repo']} {patch['ref']}: that is {tests[0]['position']}")
    return tests


def place(patch, first, test):
    """How many doublings of the first test's size give the pressure of another. Less than one is taken as none."""
    doublings = math.log2(pressure(patch, first) / pressure(patch, test))
    return doublings if abs(doublings) >= 1 else 0.0


def patches():
    """Patches that are written as two option sets, each with its first test."""
    tests = {test["position"]: test for test in rows("order.csv")}
    return [(patch, tests[patch["position"]]) for patch in rows("decided.csv") if patch["base"]]


def pressure(patch, test):
    """Nodes of a search of the test's engine for each slot of its table: stores a slot, but for the share of nodes that store."""
    width, slots = bucket(patch)
    return test_nodes(test) / (test_bytes(test) / width * slots)


def name(patch, preset, label):
    return f"{int(patch['position']):03}-{preset}-{SIZES[label]:g}"


def size(test, nodes, multiple, masked):
    """The size at which searches of so many nodes crowd a table as the test's searches crowd theirs."""
    kib = test_bytes(test) / 1024 * multiple * nodes / test_nodes(test)
    # With a mask the buckets are a power of two, which other sizes would be rounded down to.
    return f"{2 ** max(round(math.log2(kib)), 0) if masked else max(round(kib), 1)} KiB"


def head(title, question, suites, first, depth):
    files = ", ".join(f'{suite} = {{ file = "data/{file}.pgn" }}' for suite, file in suites.items())
    return [
        f'name = "{title}"', f'question = "{question}"', f"suites = {{ {files} }}", f"first = {first}", f"limit = {{ depth = {depth} }}",
        f'sequence = {{ from = 17, to = {LAST_PLY[depth]}, side = "white" }}',
    ]


def write(folder, title, lines):
    with open(os.path.join(folder, title + ".toml"), "w") as file:
        file.write("\n".join(lines) + "\n")
    return f'ttlab run "$here/{title}.toml" --out "$here/{title}"'


def write_script(folder, script, commands):
    with open(os.path.join(folder, script), "w") as file:
        file.write("#!/bin/sh -e\n# From the project's root. It goes on where it was stopped.\nhere=$(dirname \"$0\")\n" + "\n".join(commands) + "\n")


def mean_nodes(path):
    """Nodes of a search of a finished run, in the mean."""
    nodes, searches = 0, set()
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["error"]:
                sys.exit(f"{path}: a failed job: {row['error']}")
            nodes += int(row["search.nodes"])
            searches.add((row["game"], row["position"]))
    if not searches:
        sys.exit(f"{path}: no search: run the pilot again")
    return nodes / len(searches)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    pilots = {(preset, depth): f"pilot-{preset}-{depth}" for depth in (DEPTH, DEEP) for preset in PRESETS}
    explored = {"people": "human-explore", "engine": "selfplay"}
    commands = []
    for (preset, depth), title in pilots.items():
        lines = head(title, "How many nodes has a search?", explored, 3, depth) + ["", "[engine]", f'preset = "{preset}"', 'shape = "neutral"', 'table.size = "64 MiB"']
        commands.append(write(folder, title, lines))
    write_script(folder, "pilot.sh", commands)
    paths = {key: os.path.join(folder, title, "results.csv") for key, title in pilots.items()}
    missing = [path for path in paths.values() if not os.path.exists(path)]
    if missing:
        sys.exit(f"no {', '.join(missing)}: run sh {folder}/pilot.sh, then this script again")
    nodes = {key: mean_nodes(path) for key, path in paths.items()}

    with gzip.open(os.path.join(REPORTS, "counts.csv.gz"), "rt", newline="") as file:
        counted = {(row["position"], row["preset"], row["size"]) for row in csv.DictReader(file)}
    commands, work = [], 0
    for patch, test in patches():
        masked, depth = ("table.index", '"mask"') in options(patch["base"]), depth_of(patch)
        for label in SIZES:
            for preset in PRESETS:
                title = name(patch, preset, label)
                lines = head(title, f"{patch['repo']} {patch['ref']}", {"people": "human-confirm", "engine": "selfplay-confirm"}, GAMES, depth)
                lines += ["", "[engine]", f'preset = "{preset}"', 'shape = "neutral"'] + [f"{path} = {value}" for path, value in options(patch["base"])]
                lines.append(f'table.size = "{size(test, nodes[preset, depth], SIZES[label], masked)}"')
                for side in ("before", "after"):
                    lines += ["", "[[variant]]", f'name = "{side}"'] + [f'"{path}" = {value}' for path, value in options(patch[side])]
                command = write(folder, title, lines)
                if (patch["position"], preset, label) in counted:
                    continue
                commands.append((label != "1", depth, command))
                work += 2 * 2 * GAMES * (LAST_PLY[depth] - 16) // 2 * nodes[preset, depth]
    write_script(folder, "run.sh", [command for _, _, command in sorted(commands, key=lambda each: each[:2])])
    print(f"{len(commands)} runs, about {work / 1e9:.0f} billion nodes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
