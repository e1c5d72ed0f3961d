#!/usr/bin/env python3
"""Plants one fault at a time in a copy of the tree and shows which test catches it.

  tests/faults/run.py                     all faults; about half a minute each
  tests/faults/run.py --only mate         those whose name has the word
  tests/faults/run.py --list              names and nets
  tests/faults/run.py --markdown          the table of docs/correctness.md, from faults.toml alone, without a run

A fault is caught if the tree with it compiles and the test that is named beside it fails; the same tests pass without it.
Exit: 0 every fault was caught, 1 one was not, 2 a fault does not apply or does not compile, or a test fails without it.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTS = pathlib.Path(__file__).with_name("faults.toml")


def cargo(tree, target, *arguments):
    """Runs cargo in the copy; its exit code and all that it said."""
    command = ["cargo", *arguments, "--locked", "--target-dir", str(target), "--color", "never"]
    if "--" in arguments:
        at = command.index("--")
        end = command.index("--locked")
        command = command[:at] + command[end:] + command[at:end]
    done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def target_of(net):
    """`table_laws::name` is a test of tests/table_laws.rs, `lib::path::name` one inside the crate."""
    file, name = net.split("::", 1)
    return (["--lib"] if file == "lib" else ["--test", file]), name


def run(tree, target, net):
    """'passes', 'fails' or 'breaks' (does not compile, or there is no such test)."""
    which, name = target_of(net)
    code, said = cargo(tree, target, "test", *which, "--no-run")
    if code != 0:
        return "breaks", said
    code, said = cargo(tree, target, "test", *which, "--", "--exact", name)
    if "running 1 test" not in said:
        return "breaks", said
    return ("passes" if code == 0 else "fails"), said


def plant(tree, fault):
    """Applies the edit; what the file was before. None unless the old text stands there exactly once."""
    path = tree / fault["file"]
    text = path.read_text()
    if text.count(fault["old"]) != 1:
        return None
    path.write_text(text.replace(fault["old"], fault["new"]))
    return text


def copy_tree(tree):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="faults whose name has this")
    arguments.add_argument("--list", action="store_true", help="names and nets")
    arguments.add_argument("--markdown", action="store_true", help="the table for docs/correctness.md")
    arguments.add_argument("--target", type=pathlib.Path, help="target folder, to be kept for the next run")
    arguments = arguments.parse_args()
    faults = [fault for fault in tomllib.loads(FAULTS.read_text())["fault"] if arguments.only in fault["name"]]
    if arguments.list:
        for fault in faults:
            print(f"{fault['name']:<60} {fault['net']}")
        return 0
    if arguments.markdown:
        print("| fault | where | caught by |\n|---|---|---|")
        for fault in faults:
            print(f"| {fault['name']} | `{fault['file'].removeprefix('src/')}` | `{fault['net']}` |")
        return 0

    with tempfile.TemporaryDirectory(prefix="ttlab-faults-") as folder:
        tree = pathlib.Path(folder) / "tree"
        target = arguments.target or pathlib.Path(folder) / "target"
        copy_tree(tree)
        for fault in faults:
            before = plant(tree, fault)
            if before is None:
                print(f"does not apply: {fault['name']} ({fault['file']})")
                return 2
            (tree / fault["file"]).write_text(before)
        for net in sorted({fault["net"] for fault in faults}):
            found, said = run(tree, target, net)
            if found != "passes":
                print(f"{found} without any fault: {net}\n{said[-3000:]}")
                return 2
        results = {"fails": 0, "passes": 0, "breaks": 0}
        for fault in faults:
            begun = time.monotonic()
            before = plant(tree, fault)
            found, said = run(tree, target, fault["net"])
            (tree / fault["file"]).write_text(before)
            results[found] += 1
            word = {"fails": "caught", "passes": "NOT CAUGHT", "breaks": "DOES NOT COMPILE"}[found]
            print(f"{word:<12} {fault['name']:<60} {fault['net']} ({time.monotonic() - begun:.0f} s)", flush=True)
            if found == "breaks":
                print(said[-2000:])
        print(f"{results['fails']} of {len(faults)} faults caught")
        return 2 if results["breaks"] else int(results["passes"] > 0)


if __name__ == "__main__":
    sys.exit(main())
