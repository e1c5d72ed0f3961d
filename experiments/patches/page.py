"""Figure and tables of the page of patches, from its committed files alone: page.py [PICTURE.svg], from the project's root

Writes to standard output what reports/patches/report.md says of the predictions: calls by class, each patch by its first test, from the largest gain to the largest loss, and its Elo at each size. With a name also
draws the predicted Elo of those that are seen.
"""

import os
import sys
from collections import Counter, defaultdict

import experiments
import predict

COLOURS = ["#1b6ca8", "#c8553d", "#3a7d44", "#8e5aa8", "#b08900", "#4d4d4d", "#d17ba6", "#5aa9a9", "#7a5230", "#9aa21a", "#2f3e8f", "#e07a2f"]


def first_tests():
    rows = [row for row in experiments.rows("predictions.csv") if row["first"] == "true"]
    return sorted(rows, key=lambda row: (row["call"] != "seen", -float(row["elo"] or 0), int(row["position"])))


def name(row):
    return f"{row['repo'].split('/')[1]} {row['ref'].split()[0]}"


def tables(rows):
    calls = defaultdict(Counter)
    for row in rows:
        calls[row["class"]][row["call"]] += 1
        low, high = (float(row[end] or 0) for end in ("elo_low", "elo_high"))
        calls[row["class"]]["gain"] += low > 0
        calls[row["class"]]["loss"] += high < 0
    print("| class | predicted | seen | of these: gain | loss | not told from 0 | not seen |\n|---|---:|---:|---:|---:|---:|---:|")
    for title, count in [*calls.items(), ("all", sum(calls.values(), Counter()))]:
        seen, told = count["seen"], count["gain"] + count["loss"]
        print(f"| {title} | {seen + count['not seen']} | {seen} | {count['gain']} | {count['loss']} | {seen - told} | {count['not seen']} |")
    print("\n| position | patch | class | pressure | searches with equal nodes | ratio of nodes | Elo |\n|---:|---|---|---:|---:|---:|---:|")
    for row in rows:
        told = f"{float(row['elo']):+.1f} ({float(row['elo_low']):+.1f} to {float(row['elo_high']):+.1f})" if row["call"] == "seen" else "not seen"
        known = " (known before)" if row["seen"] == "true" else ""
        ratio = f"{float(row['ratio']):.4f} [{float(row['ratio_low']):.4f}, {float(row['ratio_high']):.4f}]"
        print(f"| {row['position']} | {name(row)}{known} | {row['class']} | {float(row['pressure']):.2f} | {100 * float(row['equal']):.1f} % | {ratio} | {told} |")


def by_size():
    """Each patch that is counted at more sizes than its test's: share of searches with equal nodes and Elo at each."""
    counts = predict.read(os.path.join(experiments.REPORTS, "counts.csv.gz"))
    print("\n| position | patch | 1/2 | 1 | 8 |\n|---:|---|---:|---:|---:|")
    for patch, test in experiments.patches():
        cells = counts[patch["position"]]
        sizes = [size for size in experiments.SIZES if all((preset, size) in cells for preset in experiments.PRESETS)]
        if len(sizes) < 2:
            continue
        sums = predict.Counts(cells, sizes, patch["position"])
        equal, logs, draws = sums.means(1, sums.games), sums.means(2, sums.games), list(sums.draws())
        told = dict.fromkeys(experiments.SIZES, "")
        for number, size in enumerate(sizes):
            low, high = predict.ends(-price * points[number][1] for points, price in draws)
            is_seen = equal[number][1] < predict.EQUAL
            told[size] = f"{-predict.PRICE * logs[number][1]:+.1f} ({low:+.1f} to {high:+.1f})" if is_seen else "not seen"
        print(f"| {patch['position']} | {name(test)} | " + " | ".join(told.values()) + " |")


def picture(path, rows):
    rows = [row for row in rows if row["call"] == "seen"]
    width, left, right, top, step = 900, 240, 740, 20, 15
    bottom = top + step * len(rows)
    values = [float(row[end]) for row in rows for end in ("elo_low", "elo_high")]
    low, high = min(values + [-1]), max(values + [1])
    x = lambda elo: left + (right - left) * (elo - low) / (high - low)
    unit = next(unit for unit in (1, 2, 5, 10, 20, 50, 100) if (high - low) / unit <= 12)
    classes = list(dict.fromkeys(row["class"] for row in rows))
    text = lambda at, up, words, more="": f'<text x="{at:.1f}" y="{up:.1f}" {more}>{words}</text>'
    parts = [f'<rect width="{width}" height="{bottom + 50}" fill="#fff"/>']
    for mark in range(round(low // unit) + 1, round(high // unit) + 1):
        at = x(mark * unit)
        parts.append(f'<path d="M{at:.1f} {top - 8}V{bottom}" stroke="{"#333" if mark == 0 else "#ddd"}"/>' + text(at, bottom + 16, f"{mark * unit:+d}" if mark else "0", 'text-anchor="middle"'))
    parts.append(text((left + right) / 2, bottom + 36, "predicted Elo, 95 %", 'text-anchor="middle"'))
    for number, row in enumerate(rows):
        up, colour = top + step * number, COLOURS[classes.index(row["class"]) % len(COLOURS)]
        parts.append(f'<path d="M{x(float(row["elo_low"])):.1f} {up}H{x(float(row["elo_high"])):.1f}" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<circle cx="{x(float(row["elo"])):.1f}" cy="{up}" r="4" fill="{colour}"/>' + text(left - 8, up + 4, f"{name(row)} ({row['position']})", 'text-anchor="end"'))
    for number, title in enumerate(classes):
        parts.append(f'<circle cx="{right + 24}" cy="{top + 18 * number}" r="5" fill="{COLOURS[number % len(COLOURS)]}"/>' + text(right + 36, top + 18 * number + 4, title))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 50}" font-family="sans-serif" font-size="11">' + "\n".join(parts) + "</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) > 2 or os.path.basename(sys.argv[-1]).startswith("-"):
        sys.exit(__doc__)
    found = first_tests()
    tables(found)
    by_size()
    if len(sys.argv) == 2:
        picture(sys.argv[1], found)
