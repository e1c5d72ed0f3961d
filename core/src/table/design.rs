//! The tables of engines as sets of options, read in their sources at a commit.
//!
//! Each gives its engine's decisions about replacement, evaluations apart. `docs/designs.md` is
//! printed from here.

use serde::{Deserialize, Serialize};

macro_rules! designs {
    ($($name:ident $word:literal $source:literal $lacks:literal;)*) => {
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
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The design as TOML. The text begins with a comment that names the engine. The
            /// options of `table` that the design sets follow.
            pub const fn toml(self) -> &'static str {
                match self {
                    Self::None => "",
                    $(Self::$name => concat!("# ", $source, "\n", include_str!(concat!("designs/", $word, ".toml"))),)*
                }
            }

            const fn source_and_gaps(self) -> [&'static str; 2] {
                match self {
                    Self::None => ["", ""],
                    $(Self::$name => [$source, $lacks],)*
                }
            }

            pub const fn name(self) -> &'static str {
                match self {
                    Self::None => "none",
                    $(Self::$name => $word,)*
                }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|design| design.name() == name)
            }
        }
    };
}

designs! {
    Stockfish "stockfish" "Stockfish 762dd1da (2026-08-03)." "";
    Viridithas "viridithas" "Viridithas 8bc07064 (2026-08-08)." "torn buckets are noticed";
    Plentychess "plentychess" "PlentyChess 20878a83 (2026-06-28)." "in its own traces, depths in hundredths of a ply";
    Seer "seer" "Seer cf18bf0a (2026-03-14)." "a slot whose 32 key bits are 0 counts as empty, and answers such a key";
    Stormphrax "stormphrax" "Stormphrax 2402cae1 (2026-07-29)." "";
    Tarnished "tarnished" "Tarnished 3aab27b8 (2026-06-10)." "an evaluation alone counts as an empty slot";
    Reckless "reckless" "Reckless 789de891 (2026-08-18)." "";
    Obsidian "obsidian" "Obsidian 44239cc3 (2025-06-28)." "";
    Integral "integral" "Integral 3f15ba6b (2026-04-02)." "";
    Alexandria "alexandria" "Alexandria 2ebf1143 (2026-05-04)." "";
    Berserk "berserk" "Berserk 19f96bde (2025-06-23)." "";
    Ethereal "ethereal" "Ethereal 0e47e9b6 (2024-06-11)." "";
    Sirius "sirius" "Sirius 3bedea6e (2026-05-10)." "";
    Clover "clover" "Clover e647926a (2025-09-14)." "";
    Hobbes "hobbes" "Hobbes e35ccd8b (2026-08-19)." "an evaluation alone counts as an empty slot";
    Patricia "patricia" "Patricia 1fcee727 (2026-08-01)." "";
    Pawnocchio "pawnocchio" "pawnocchio bd860905 (2026-07-09)." "";
    Caissa "caissa" "Caissa ff869229 (2026-08-22)." "";
    Weiss "weiss" "Weiss 60c51374 (2026-08-02)." "";
    Carp "carp" "Carp 7d5065bc (2025-01-18)." "";
}

/// Engines that have no design. The second text says which feature of the engine's table the
/// options cannot describe. It is empty if the options can describe the whole table.
const OTHERS: [[&str; 2]; 17] = [
    ["Pikafish 97133eeb (2026-07-22).", "plays xiangqi, not chess; its table is that of `stockfish`"],
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

/// The page `docs/designs.md`. It lists every engine whose source was read, the engine's design,
/// and what is missing from the design.
pub fn page() -> String {
    let mut page = "# Tables of engines\n\nPrinted by `ttlab options --design --markdown`. `table.design` sets the layout and the replacement of an engine's table. \
        Options about evaluations are not set ([your table](your-table.md)). The clock begins at 0, even if an engine advances it \
        before its first search.\n\n| engine, commit | `table.design` | missing |\n|---|---|---|\n"
        .to_owned();
    let designs = Design::ALL.iter().map(|design| (design.source_and_gaps(), format!("`{}`", design.name())));
    for ([source, missing], name) in designs.chain(OTHERS.map(|row| (row, "set single options".to_owned()))) {
        page += &format!("| {} | {name} | {missing} |\n", source.trim_end_matches('.'));
    }
    page
}
