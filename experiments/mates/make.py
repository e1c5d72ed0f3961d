"""The steps of the README that are not `ttlab` or `endings`.

python3 make.py games GAMES.pgn... > candidates.epd     needs python-chess
python3 make.py far SIZE SEED candidates.epd results.csv > far.epd
python3 make.py proved LIMIT MOVES candidates.epd results.csv > games.epd    needs python-chess
python3 make.py choose LIMIT SIZE SEED CANDIDATES.epd RESULTS.csv [CANDIDATES.epd RESULTS.csv]... > mates.epd
python3 make.py families SUITE results.csv

LIMIT: nodes of a search that the suite is for; MOVES: the shortest mate that is taken. A position is late if its mate is found after an eighth of the limit.
"""

import csv
import math
import random
import statistics
import sys
from collections import Counter, defaultdict


def searches(path):
    """The whole searches of a results.csv: by variant and position, nodes until the mate and the last row."""
    found = {}
    for row in csv.DictReader(open(path, newline="")):
        search = found.setdefault((row["variant"], row["position"]), {"until": 0, "stores": 0})
        search["until"] += int(row["mate.nodes_until"])
        search["stores"] += int(row["table.stores"] or 0)
        search["row"] = row
    return found


def lines(path):
    return {line.split('"')[1]: line.split(" dm ") for line in open(path)}


def games(paths):
    """Positions 5, 7, 9 and 12 moves before the mate that ends a game, the winner to move."""
    import chess.pgn

    seen = set()
    for path in paths:
        with open(path) as file:
            number = 0
            while game := chess.pgn.read_game(file):
                number += 1
                end = game.end().board()
                if not end.is_checkmate():
                    continue
                for moves in (5, 7, 9, 12):
                    board = end.copy()
                    if len(board.move_stack) < 2 * moves - 1:
                        continue
                    for _ in range(2 * moves - 1):
                        board.pop()
                    men = board.piece_map().values()
                    pieces = sum(man.piece_type not in (chess.PAWN, chess.KING) for man in men)
                    fen = " ".join(board.epd(en_passant="legal").split()[:4])
                    pawns = any(man.piece_type == chess.PAWN for man in men)
                    if fen in seen or not (pawns or pieces >= 5):
                        continue
                    seen.add(fen)
                    kind = "ONE" if pieces <= 1 else "TWO" if pieces == 2 else "MORE"
                    stem = path.rsplit("/", 1)[-1].removesuffix(".pgn")
                    print(f'{fen} dm {moves}; id "{kind}.{stem}-{number:03}.{moves}";')


def far(size, seed, candidates, results):
    """Of each family so many of the positions 7 and 9 moves before the end whose mate a search has missed."""
    missed = defaultdict(list)
    for (_, name), search in searches(results).items():
        if search["row"]["mate.found"] == "0" and name.split(".")[2] in ("7", "9"):
            missed[name.split(".")[0]].append(name)
    lot, taken = random.Random(seed), set()
    for family in ("ONE", "TWO", "MORE"):
        names = sorted(missed[family])
        lot.shuffle(names)
        taken.update(names[:size])
    print("".join(line for line in open(candidates) if line.split('"')[1] in taken), end="")


def proved(limit, least, candidates, results):
    """Those in which the search saw a mate, not too short and not at once, its line checked move by move."""
    import chess

    positions = lines(candidates)
    for (_, name), search in searches(results).items():
        row = search["row"]
        if row["mate.found"] != "1":
            continue
        moves = (31_000 - int(row["score"]) + 1) // 2
        board = chess.Board(positions[name][0] + " 0 1")
        for word in row["pv"].split():
            move = chess.Move.from_uci(word)
            assert move in board.legal_moves, (name, row["pv"])
            board.push(move)
        assert board.is_checkmate() and len(board.move_stack) == 2 * moves - 1, (name, row["pv"])
        if moves >= least and search["until"] >= limit / 8:
            print(f'{positions[name][0]} dm {moves}; id "{name}";')


def choose(limit, size, seed, files):
    """Half of each family from those that the baseline finds late, half from those that it misses."""
    pools = defaultdict(lambda: {"late": [], "missed": []})
    for candidates, results in zip(files[::2], files[1::2]):
        positions = lines(candidates)
        for (_, name), search in searches(results).items():
            row = search["row"]
            assert row["mate.wrong"] == "0", name
            kind = "missed" if row["mate.found"] == "0" else "late"
            if kind == "missed" or limit / 8 <= search["until"] <= limit:
                pools[name.split(".")[0]][kind].append((name, positions[name]))
    lot, clusters, chosen = random.Random(seed), set(), []
    for family, pool in pools.items():
        taken = {"missed": [], "late": []}
        # Fewer are missed than found, so their games are taken first.
        for kind, found in taken.items():
            pool[kind].sort()
            lot.shuffle(pool[kind])
            for name, (fen, rest) in pool[kind]:
                # A game gives one position; placements are no reflections of each other as they are.
                cluster = name.split(".")[1] if "-" in name else name
                if len(found) < size // 2 and cluster not in clusters:
                    clusters.add(cluster)
                    found.append((fen, rest.split(";")[0]))
            print(f"{family}: {len(found)} of {len(pool[kind])} {kind}", file=sys.stderr)
        mixed = [each for pair in zip(*taken.values(), strict=True) for each in pair]
        chosen.append([f'{fen} dm {moves}; id "{family}.{number:03}";' for number, (fen, moves) in enumerate(mixed, 1)])
    # Any first lines have families and kinds in equal parts.
    for lines_of_families in zip(*chosen):
        print("\n".join(lines_of_families))


def families(suite, path):
    """For each family and variant: mates found, nodes until then as a ratio to the first variant, stores a slot."""
    stem = suite.rsplit("/", 1)[-1].removesuffix(".epd")
    moves = {f"{stem}/{name}": int(rest.split(";")[0]) for name, (_, rest) in lines(suite).items()}
    found = searches(path)
    variants = list(dict.fromkeys(variant for variant, _ in found))
    names = list(dict.fromkeys(name.split(".")[0].split("/")[1] for name in moves))
    print("| family | positions | mate in | " + " | ".join(variants) + " |")
    print("|---|---:|---|" + "---:|" * len(variants))
    for family in names + ["all"]:
        ids = [name for name in moves if family in ("all", name.split(".")[0].split("/")[1])]
        span = sorted({moves[name] for name in ids})
        cells = []
        for variant in variants:
            of = [found[variant, name] for name in ids]
            logs = [math.log(one["until"] / found[variants[0], name]["until"]) for one, name in zip(of, ids)]
            mean, error = statistics.fmean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
            hits = sum(one["row"]["mate.found"] == "1" for one in of)
            ends = [math.exp(mean + sign * 1.96 * error) for sign in (-1, 1)]
            ratio = f"{math.exp(mean):.2f} [{ends[0]:.2f}, {ends[1]:.2f}]" if variant != variants[0] else "1"
            stores = statistics.fmean(one["stores"] / max(int(one["row"]["entries"] or 0), 1) for one in of)
            cells.append(f"{hits}; {ratio}" + (f"; {stores:.0f}" if variant == variants[0] else ""))
        print(f"| {family} | {len(ids)} | {span[0]}-{span[-1]} | " + " | ".join(cells) + " |")
    counts = Counter(
        (variant, flag) for (variant, _), one in found.items() for flag in ("unproved", "shorter", "wrong")
        if one["row"]["mate." + flag] == "1"
    )
    print("\n" + ", ".join(f"{variant}: {count} {flag}" for (variant, flag), count in counts.items()))


def main():
    step, words = sys.argv[1], sys.argv[2:]
    if step == "games":
        games(words)
    elif step == "far":
        far(int(words[0]), int(words[1]), *words[2:])
    elif step == "proved":
        proved(int(words[0]), int(words[1]), *words[2:])
    elif step == "choose":
        choose(int(words[0]), int(words[1]), int(words[2]), words[3:])
    else:
        families(*words)


if __name__ == "__main__":
    main()
