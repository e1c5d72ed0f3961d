"""The order in which tests are coded, drawn by lot: order.py TESTS.csv > reports/patches/order.csv

TESTS.csv is a list of public tests without their outcomes (repo, ref, date, change, change_class, test_kind, tc, threads, hash, hash_source). The classes of the study are sorted by all
columns, then shuffled with a fixed seed. A test that is not eligible keeps its place and its reason. `seen` comes from seen.csv, which known.md explains: an outcome that was told, and a
design that shows the engine's present table, count as seen; notes on the engine's sources do not, and are named in `seen_by`.
"""

import csv
import os
import random
import sys

SEED = 75
CLASSES = "replace replace-samekey age age2 bucket bucket+age refresh penalise eval-stored move qsearch-probe layout key-bits".split()
SORTED_BY = "repo ref test_kind tc threads hash date change change_class".split()
COLUMNS = "position repo ref date class test_kind tc threads hash hash_source seen seen_by not_eligible".split()
SEEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reports", "patches", "seen.csv")

with open(sys.argv[1], newline="") as file:
    tests = [row for row in csv.DictReader(file) if row["change_class"] in CLASSES]
with open(SEEN, newline="") as file:
    seen = {(row["repo"], row["ref"]): row["by"] for row in csv.DictReader(file)}
unknown = seen.keys() - {(row["repo"], row["ref"]) for row in tests}
if unknown:
    sys.exit(f"{SEEN}: patches that are not in {sys.argv[1]}: {sorted(unknown)}")
tests.sort(key=lambda row: [row[name] for name in SORTED_BY])
random.Random(SEED).shuffle(tests)
out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n", extrasaction="ignore")
out.writeheader()
for position, row in enumerate(tests, 1):
    by = seen.get((row["repo"], row["ref"]), "")
    reasons = [f"{row['threads']} threads"] * (row["threads"] != "1") + ["hash not stated"] * (not row["hash"])
    seen_before = "true" if by in ("told", "design") else "false"
    out.writerow({**row, "position": position, "class": row["change_class"], "seen": seen_before, "seen_by": by, "not_eligible": "; ".join(reasons)})
