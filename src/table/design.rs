//! The tables of engines as sets of options, read in their sources at a commit.
//!
//! Each gives its engine's decisions about replacement, evaluations apart. `docs/designs.md` is
//! printed from here.

use serde::{Deserialize, Serialize};

/// Options of three entries of 10 bytes in 32, with 16-bit keys; evaluations fit in.
macro_rules! packed {
    () => {
        "layout = \"3x10\"\nslots = 3\nkey_bits = 16\nbucket_bytes = 32\n"
    };
}

/// The same with the keys in a word of their own.
macro_rules! packed_with_keys {
    () => {
        "layout = \"3x8\"\nslots = 3\nkey_bits = 16\nbucket_bytes = 32\n"
    };
}

macro_rules! designs {
    ($($name:ident $source:literal $lacks:literal $options:expr;)*) => {
        /// The table of an engine.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum Design {
            /// None: the options themselves.
            #[default]
            None,
            $(#[doc = $source] $name,)*
        }

        impl Design {
            /// All designs but `none`.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its options of `table`, as TOML.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    Self::None => "",
                    $(Self::$name => concat!("# ", $source, "\n", $options),)*
                }
            }

            /// The engine with commit and date, and what its options leave out.
            const fn source(self) -> [&'static str; 2] {
                match self {
                    Self::None => ["", ""],
                    $(Self::$name => [$source, $lacks],)*
                }
            }

            /// Its name in a file.
            #[must_use]
            pub fn name(self) -> String {
                format!("{self:?}").to_ascii_lowercase()
            }

            /// The design of a name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|design| design.name() == name)
            }
        }
    };
}

designs! {
    Stockfish "Stockfish 762dd1da (2026-08-03)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 8, weigh_empty = true, empty_depth = -3 }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 2, move_first = true }
keep_move = true
# Decisive scores begin at 31507 there, at 30745 in the built-in search.
demotion = { refused = 1, refused_score = 30745, missed = 1, missed_depth = 6 }
"#);
    Viridithas "Viridithas 8bc07064 (2026-08-08)." "an empty slot answers a key whose compared bits are all 0; torn buckets are noticed" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4 }
same_key = "guard"
keep_move = true
guard = { lets = "exact and not old_exact or 3 * (depth + 3 * exact + 2 * lower + upper + age * age / 4 + pv) >= 2 * (old_depth + 3 * old_exact + 2 * old_lower + old_upper)" }
"#);
    Plentychess "PlentyChess 20878a83 (2026-06-28)." "in its own traces, depths in hundredths of a ply; an empty slot answers a key whose compared bits are all 0" r#"layout = "5x12"
slots = 5
key_bits = 16
bucket_bytes = 64
age_bits = 5
policy = { kind = "depth-age", factor = 8 }
victim = "probe"
same_key = "guard"
# In whole plies what depth + 2.31 pv + 4.32 > old depth is.
guard = { margin = 5, pv = 2, age = false, move_first = true }
keep_move = true
refresh = "match"
"#;
    Seer "Seer cf18bf0a (2026-03-14)." "an upper bound keeps the move of an exact entry or a lower bound, even if it has its own" r#"layout = "4x16"
slots = 4
key_bits = 32
bucket_bytes = 64
index = "modulo"
age_bits = 5
# Entries of former searches go first.
policy = { kind = "expression", worth = "depth + 256 * (age == 0)" }
same_key = "guard"
guard = { margin = 3, pv = 0, age = false }
keep_move = true
refresh = "match"
"#;
    Stormphrax "Stormphrax 2402cae1 (2026-07-29)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 2 }
same_key = "guard"
guard = { margin = 4, pv = 2 }
keep_move = true
"#);
    Tarnished "Tarnished 3aab27b8 (2026-06-10)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 2 }
same_key = "guard"
guard = { margin = 4, pv = 2 }
keep_move = true
"#);
    Reckless "Reckless 789de891 (2026-08-18)." "" concat!(packed_with_keys!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4 }
same_key = "guard"
# A node of an open window always writes.
guard = { margin = 4, pv = 255, exact = false, move_first = true }
keep_move = true
"#);
    Obsidian "Obsidian 44239cc3 (2025-06-28)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 8, weigh_empty = true }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 2, move_first = true }
keep_move = true
"#);
    Integral "Integral 3f15ba6b (2026-04-02)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 8 }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 2, move_first = true }
keep_move = true
"#);
    Alexandria "Alexandria 2ebf1143 (2026-05-04)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4, weigh_empty = true }
same_key = "guard"
guard = { margin = 5, pv = 2, move_first = true }
keep_move = true
"#);
    Berserk "Berserk 19f96bde (2025-06-23)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4 }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 0, move_first = true }
keep_move = true
"#);
    Ethereal "Ethereal 0e47e9b6 (2024-06-11)." "an empty slot answers a key whose compared bits are all 0" concat!(packed!(), r#"index = "mask"
age_bits = 6
policy = { kind = "depth-age", factor = 4, ties = "last", weigh_empty = true }
same_key = "guard"
guard = { margin = 3, pv = 0, age = false }
keep_move = true
refresh = "match"
"#);
    Sirius "Sirius 3bedea6e (2026-05-10)." "" concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 2, weigh_empty = true }
same_key = "guard"
guard = { margin = 3, pv = 2, move_first = true }
keep_move = true
"#);
    Clover "Clover e647926a (2025-09-14)." "" concat!(packed!(), r#"age_bits = 6
policy = { kind = "depth-age", factor = 2, weigh_empty = true }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 2, move_first = true }
keep_move = true
"#);
    Hobbes "Hobbes e35ccd8b (2026-08-19)." "" concat!(packed_with_keys!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4, weigh_empty = true }
same_key = "guard"
guard = { margin = 4, pv = 0 }
keep_move = true
"#);
    Patricia "Patricia 1fcee727 (2026-08-01)." "" concat!(packed!(), r#"age_bits = 6
policy = { kind = "depth-age", factor = 8 }
victim = "probe"
same_key = "guard"
guard = { margin = 5, pv = 0, age = false, move_first = true }
keep_move = true
refresh = "match"
"#);
    Pawnocchio "pawnocchio bd860905 (2026-07-09)." "" concat!(packed_with_keys!(), r#"age_bits = 5
policy = { kind = "scored", depth = 763, age = 4679, pv = 198, lower = 317, upper = 427, exact = 40, move = 315 }
same_key = "guard"
guard = { margin = 4, pv = 0 }
"#);
    Caissa "Caissa ff869229 (2026-08-22)." "" concat!(packed!(), r#"age_bits = 6
policy = { kind = "depth-age", factor = 1 }
same_key = "guard"
guard = { margin = 5, pv = 0, age = false, fill_move = true }
keep_move = true
"#);
    Weiss "Weiss 60c51374 (2026-08-02)." "" r#"layout = "2x16"
slots = 2
key_bits = 32
bucket_bytes = 32
age_bits = 5
policy = { kind = "depth-age", factor = 8 }
victim = "probe"
same_key = "guard"
guard = { margin = 5, pv = 0, move_first = true }
keep_move = true
"#;
    Carp "Carp 7d5065bc (2025-01-18)." "" r#"layout = "1x16"
slots = 1
key_bits = 64
bucket_bytes = 16
age_bits = 7
policy = "always"
same_key = "guard"
guard = { margin = 4, pv = 2 }
keep_move = true
"#;
}

/// Engines that have no design, and what is missing for one: nothing if their options can be
/// written down.
const OTHERS: [[&str; 2]; 17] = [
    ["Pikafish 97133eeb (2026-07-22).", "another game; its table is `stockfish`"],
    ["Koivisto 6de225ad (2023-02-08).", ""],
    ["Halogen ceb2e081 (2026-07-11).", ""],
    ["Rose bd735b56 (2026-08-20).", "compares the bits of the product that follow those of the index"],
    ["simbelmyne c94435fe (2026-08-05).", ""],
    ["blackmarlin b7901043 (2025-04-21).", ""],
    ["akimbo f7dd7677 (2025-02-07).", "generations that stop at 63"],
    ["Avalanche 08826aa6 (2026-07-20).", "a store to a slot that is being written is dropped"],
    ["Igel dade63d4 (2026-08-21).", ""],
    ["Lynx f992ce1b (2026-08-22).", "an evaluation alone replaces any entry, even of its own position"],
    ["PZChessBot ccd9c37d (2026-08-21).", ""],
    ["Raphael d5f9201d (2026-05-16).", "depths in 128ths of a ply; an evaluation in the spare bytes of a bucket"],
    ["Renegade b7924536 (2026-06-17).", "generations of 16 bits; index and key share bits"],
    ["Horsie a2ac89c5 (2026-05-29).", "ages of 16 and more count as negative (a fault?)"],
    ["Potential 75a35c9d (2026-08-08).", "a move stays when another position takes the slot (a fault?)"],
    ["Starzix 2a1577fb (2025-05-10).", "a move stays when another position takes the slot (a fault?)"],
    ["Prelude 792e3280 (2025-10-02).", ""],
];

/// The page `docs/designs.md`: every engine that was read, its design, and what is missing.
#[must_use]
pub fn page() -> String {
    let mut page = "# Tables of engines\n\nPrinted by `ttlab options --design --markdown`. `table.design` has the replacement of an engine's table; \
        evaluations come on top ([your table](your-table.md)).\n\n| engine, commit | `table.design` | missing |\n|---|---|---|\n"
        .to_owned();
    let designs = Design::ALL.iter().map(|design| (design.source(), format!("`{}`", design.name())));
    for ([source, lacks], name) in designs.chain(OTHERS.map(|row| (row, "by its parts".to_owned()))) {
        page += &format!("| {} | {name} | {lacks} |\n", source.trim_end_matches('.'));
    }
    page
}
