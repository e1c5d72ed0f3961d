//! The tables of engines as sets of options, read in their sources at a commit.
//!
//! Each gives its engine's decisions about replacement, evaluations apart. `docs/designs.md` is
//! printed from here.

use serde::{Deserialize, Serialize};

macro_rules! designs {
    ($($name:ident $word:literal $source:literal $lacks:literal $counted:literal;)*) => {
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

            /// The engine, what is missing, and what its `hashfull` counts if not the usual.
            const fn notes(self) -> [&'static str; 3] {
                match self {
                    Self::None => [""; 3],
                    $(Self::$name => [$source, $lacks, $counted],)*
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
    Stockfish "stockfish" "Stockfish 762dd1da (2026-08-03)." "" "";
    Viridithas "viridithas" "Viridithas 8bc07064 (2026-08-08)." "torn buckets are noticed" "2,000 buckets; no keys of 0";
    Plentychess "plentychess" "PlentyChess 20878a83 (2026-06-28)." "in its own traces, depths in hundredths of a ply" "no keys of 0";
    Seer "seer" "Seer cf18bf0a (2026-03-14)." "a slot whose 32 key bits are 0 counts as empty, and answers such a key" "not reported";
    Stormphrax "stormphrax" "Stormphrax 2402cae1 (2026-07-29)." "" "";
    Tarnished "tarnished" "Tarnished 3aab27b8 (2026-06-10)." "an evaluation alone counts as an empty slot" "no evaluations alone";
    Reckless "reckless" "Reckless 789de891 (2026-08-18)." "" "no evaluations alone";
    Obsidian "obsidian" "Obsidian 44239cc3 (2025-06-28)." "" "";
    Integral "integral" "Integral 3f15ba6b (2026-04-02)." "" "no keys of 0, no evaluations alone";
    Alexandria "alexandria" "Alexandria 2ebf1143 (2026-05-04)." "" "2,000 buckets; no keys of 0";
    Berserk "berserk" "Berserk 19f96bde (2025-06-23)." "" "";
    Ethereal "ethereal" "Ethereal 0e47e9b6 (2024-06-11)." "the clock goes on when the table is emptied" "no evaluations alone";
    Sirius "sirius" "Sirius 3bedea6e (2026-05-10)." "" "no evaluations alone";
    Clover "clover" "Clover e647926a (2025-09-14)." "" "at time 0, empty slots too";
    Hobbes "hobbes" "Hobbes e35ccd8b (2026-08-19)." "an evaluation alone counts as an empty slot" "333 buckets; any search; no evaluations alone";
    Patricia "patricia" "Patricia 1fcee727 (2026-08-01)." "" "not reported";
    Pawnocchio "pawnocchio" "pawnocchio bd860905 (2026-07-09)." "" "333 buckets and a slot; at time 0, empty slots too";
    Caissa "caissa" "Caissa ff869229 (2026-08-22)." "" "333 buckets; 0 from the 64th search to the 255th";
    Weiss "weiss" "Weiss 60c51374 (2026-08-02)." "" "";
    Carp "carp" "Carp 7d5065bc (2025-01-18)." "" "not reported";
}

/// The page `docs/designs.md`. It lists every engine whose source was read, the engine's design,
/// and what is missing from the design.
pub fn page() -> String {
    let mut page = "# Tables of engines\n\nPrinted by `ttlab options --design --markdown`. `table.design` sets the layout and the replacement of an engine's table. \
        Options about evaluations are not set ([your table](your-table.md)). The clock begins at 0, even if an engine advances it \
        before its first search.\n\nAn engine's `hashfull` counts the entries of the current search in the first 1,000 buckets, unless the third column says \
        otherwise.\n\n| engine, commit | `table.design` | `hashfull` | missing |\n|---|---|---|---|\n"
        .to_owned();
    for design in Design::ALL {
        let [source, missing, counted] = design.notes();
        let one_searcher = "several searchers, which need `table.victim = \"store\"`";
        let one_searcher = if design.toml().contains("victim = \"probe\"") { one_searcher } else { "" };
        let separator = if one_searcher.is_empty() || missing.is_empty() { "" } else { "; " };
        let (source, name) = (source.trim_end_matches('.'), design.name());
        page += &format!("| {source} | `{name}` | {counted} | {missing}{separator}{one_searcher} |\n");
    }
    // The engines that have no design. The last column says which feature of the engine's table
    // the options cannot describe.
    page += include_str!("designs/others.md");
    page
}
