//! The tables of engines as sets of options, read in their sources at a commit.
//!
//! Each gives its engine's decisions about replacement. `docs/your-table.md` says what is not in
//! them: evaluations, alone or in entries.

use serde::{Deserialize, Serialize};

/// Options of three entries of 10 bytes in 32, with 16-bit keys.
macro_rules! packed {
    () => {
        "layout = \"bytes10\"\nslots = 3\nkey_bits = 16\n"
    };
}

macro_rules! designs {
    ($($name:ident $source:literal $options:expr;)*) => {
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
    Stormphrax "Stormphrax 2402cae1 (2026-07-29)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 2 }
same_key = "guard"
guard = { margin = 4, pv = 2 }
keep_move = true
"#);
    Tarnished "Tarnished 3aab27b8 (2026-06-10)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 2 }
same_key = "guard"
guard = { margin = 4, pv = 2 }
keep_move = true
"#);
    Reckless "Reckless 789de891 (2026-08-18)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4 }
same_key = "guard"
# A node of an open window always writes.
guard = { margin = 4, pv = 255, exact = false, move_first = true }
keep_move = true
"#);
    Obsidian "Obsidian 44239cc3 (2025-06-28)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 8, weigh_empty = true }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 2, move_first = true }
keep_move = true
"#);
    Integral "Integral 3f15ba6b (2026-04-02)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 8 }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 2, move_first = true }
keep_move = true
"#);
    Alexandria "Alexandria 2ebf1143 (2026-05-04)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4, weigh_empty = true }
same_key = "guard"
guard = { margin = 5, pv = 2, move_first = true }
keep_move = true
"#);
    Berserk "Berserk 19f96bde (2025-06-23)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4 }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 0, move_first = true }
keep_move = true
"#);
    Ethereal "Ethereal 0e47e9b6 (2024-06-11)." concat!(packed!(), r#"index = "mask"
age_bits = 6
policy = { kind = "depth-age", factor = 4, ties = "last", weigh_empty = true }
same_key = "guard"
guard = { margin = 3, pv = 0, age = false }
keep_move = true
refresh = "match"
"#);
    Sirius "Sirius 3bedea6e (2026-05-10)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 2, weigh_empty = true }
same_key = "guard"
guard = { margin = 3, pv = 2, move_first = true }
keep_move = true
"#);
    Clover "Clover e647926a (2025-09-14)." concat!(packed!(), r#"age_bits = 6
policy = { kind = "depth-age", factor = 2, weigh_empty = true }
victim = "probe"
same_key = "guard"
guard = { margin = 4, pv = 2, move_first = true }
keep_move = true
"#);
    Hobbes "Hobbes e35ccd8b (2026-08-19)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "depth-age", factor = 4, weigh_empty = true }
same_key = "guard"
guard = { margin = 4, pv = 0 }
keep_move = true
"#);
    Patricia "Patricia 1fcee727 (2026-08-01)." concat!(packed!(), r#"age_bits = 6
policy = { kind = "depth-age", factor = 8 }
victim = "probe"
same_key = "guard"
guard = { margin = 5, pv = 0, age = false, move_first = true }
keep_move = true
refresh = "match"
"#);
    Pawnocchio "pawnocchio bd860905 (2026-07-09)." concat!(packed!(), r#"age_bits = 5
policy = { kind = "scored", depth = 763, age = 4679, pv = 198, lower = 317, upper = 427, exact = 40, move = 315 }
same_key = "guard"
guard = { margin = 4, pv = 0 }
"#);
    Caissa "Caissa ff869229 (2026-08-22)." concat!(packed!(), r#"age_bits = 6
policy = { kind = "depth-age", factor = 1 }
same_key = "guard"
guard = { margin = 5, pv = 0, age = false, fill_move = true }
keep_move = true
"#);
    Weiss "Weiss 60c51374 (2026-08-02)." r#"layout = "bytes16"
slots = 2
key_bits = 32
age_bits = 5
policy = { kind = "depth-age", factor = 8 }
victim = "probe"
same_key = "guard"
guard = { margin = 5, pv = 0, move_first = true }
keep_move = true
"#;
    Carp "Carp 7d5065bc (2025-01-18)." r#"layout = "bytes16"
slots = 1
key_bits = 64
age_bits = 7
policy = "always"
same_key = "guard"
guard = { margin = 4, pv = 2 }
keep_move = true
"#;
}
