#!/usr/bin/env bash
# crate pleco 0.5.0 (its transposition table). Compiling takes a minute or two.
# Guess: new_num_entries(n) makes a table of n entries, or of the next power of two; an entry that replaces an older one
# has the age of the present search.
# Is: n is multiplied by the three entries of a cluster instead of divided, and rounded up: 4,000 give 49,152 entries,
# while new(mb) rounds down, by up to half. What replaces an entry keeps the bits of its age beside its own: in the
# second search 1 becomes 3, an age that is still to come, so that the entry looks fresh later. A key whose highest 16
# bits are zero is stored and never found: they mean an empty place.
# Who meets it: whoever compares replacement rules at a given number of entries, or takes the table into an engine.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cargo new -q --name probe "$t/probe" 2>/dev/null
cd "$t/probe"
cargo add -q pleco@=0.5.0 2>/dev/null
grep -A9 dependencies Cargo.toml
cat > src/main.rs <<'END'
use pleco::core::piece_move::BitMove;
use pleco::tools::tt::{NodeBound, TranspositionTable};

/// Stores a key as a search does; the age of the entry, in searches, and whether the key is found afterwards.
fn store(table: &TranspositionTable, key: u64) -> (u8, bool) {
    let (_, entry) = table.probe(key);
    entry.place(key, BitMove::new(0x555), 0, 0, 4, NodeBound::Exact, table.time_age());
    (entry.time() / 4, table.probe(key).0)
}

fn main() {
    let mut same = true;
    for (asked, want) in [(1000, 12_288), (4000, 49_152), (16_384, 196_608)] {
        let got = TranspositionTable::new_num_entries(asked).num_entries();
        println!("new_num_entries({asked}): {got} entries");
        same &= got == want;
    }
    for (asked, want) in [(16, 8_388), (33, 16_777), (34, 33_554)] {
        let got = TranspositionTable::new(asked).size_kilobytes();
        println!("new({asked}): {got} kB");
        same &= got == want;
    }
    let table = TranspositionTable::new(1);
    for search in 1..=3 {
        table.new_search();
        // Three keys fill the cluster in each search, and those of the search before make room.
        let ages: Vec<u8> = (1..=3u64).map(|n| store(&table, (10 * search + n) << 48).0).collect();
        println!("search {search}: ages {ages:?}");
        same &= ages == [[1; 3], [3; 3], [3; 3]][search as usize - 1];
    }
    let table = TranspositionTable::new(1);
    let found = (store(&table, 0x1234_0000_0000_0001).1, store(&table, 0x0000_1234_0000_0001).1);
    println!("found after storing: {}, and with zeros in front {}", found.0, found.1);
    same &= found == (true, false);
    if !same {
        println!("CHANGED");
        std::process::exit(1);
    }
}
END
sed -i 's/^edition = .*/edition = "2021"/' Cargo.toml
CARGO_TARGET_DIR="$t/target" RUSTFLAGS=-Awarnings cargo run -q
