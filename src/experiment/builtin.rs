//! The suites that are compiled in: `builtin:NAME` can be used in place of a suite's file.

use crate::chess::fault::distance;
use crate::chess::suite::{Suite, SuiteError, SuiteKind, SuiteOptions};
use std::path::Path;

pub const PREFIX: &str = "builtin:";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinSuite {
    /// The name of the suite's file. Its extension gives the kind of the suite.
    pub file: &'static str,
    pub text: &'static str,
}

macro_rules! suites {
    ($($file:literal)*) => {
        &[$(BuiltinSuite { file: $file, text: include_str!(concat!("../../data/", $file)) }),*]
    };
}

/// All built-in suites, in the order of their file names.
pub const SUITES: &[BuiltinSuite] = suites! {
    "bratko-kopec.epd"
    "endgames.epd"
    "endgames-confirm.epd"
    "endgames-explore.epd"
    "fine-70.epd"
    "games.pgn"
    "human-confirm.pgn"
    "human-explore.pgn"
    "middlegames-confirm.epd"
    "middlegames-explore.epd"
    "openings.epd"
    "perft.epd"
    "selfplay.pgn"
    "selfplay-confirm.pgn"
    "tactical-confirm.epd"
    "tactical-explore.epd"
};

impl BuiltinSuite {
    pub fn name(&self) -> &'static str {
        self.file.rsplit_once('.').map_or(self.file, |(stem, _)| stem)
    }
}

pub fn find(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(PREFIX)
}

/// Why a file or a built-in suite cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{}", describe_unknown(.0))]
    Unknown(String),
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

pub fn load(path: &Path, options: SuiteOptions) -> Result<Suite, LoadError> {
    let Some(name) = find(path) else { return Ok(Suite::load(path, options)?) };
    let builtin = SUITES.iter().find(|suite| suite.name() == name);
    let builtin = builtin.ok_or_else(|| LoadError::Unknown(name.to_owned()))?;
    let kind = SuiteKind::from_path(builtin.file.as_ref()).unwrap_or(SuiteKind::Positions);
    let suite = Suite::read(name, &path.display().to_string(), kind, builtin.text.as_bytes(), options);
    Ok(suite.map_err(SuiteError::from)?)
}

/// Says that there is no built-in suite with this name. Suggests the most similar name, if there is
/// one, and lists the names of all built-in suites.
fn describe_unknown(name: &str) -> String {
    let names: Vec<&str> = SUITES.iter().map(BuiltinSuite::name).collect();
    let distance_to = |other: &&'static str| Some((distance(name, other, 1 + other.len() / 3)?, *other));
    let most_similar = names.iter().filter_map(distance_to).min();
    let hint = most_similar.map_or_else(String::new, |(_, other)| format!(" (did you mean {PREFIX}{other}?)"));
    format!("there is no built-in suite {PREFIX}{name}{hint}. The built-in suites are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_data_is_compiled_in_under_its_stem() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let mut compiled_files: Vec<&str> = SUITES.iter().map(|suite| suite.file).collect();
        files.sort();
        compiled_files.sort_unstable();
        assert_eq!(files, compiled_files);
    }

    #[test]
    fn builtin_suite_has_the_items_of_its_file() {
        let load_suite = |path: &Path| load(path, Default::default()).unwrap();
        for name in ["bratko-kopec.epd", "games.pgn"] {
            let file = load_suite(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name));
            let stem = name.split('.').next().unwrap();
            let builtin = load_suite(Path::new(&format!("{PREFIX}{stem}")));
            let ids = |suite: &Suite| suite.items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
            assert_eq!(ids(&builtin), ids(&file));
        }
    }

    #[test]
    fn unknown_builtin_names_the_nearest_and_lists_all() {
        let text = |name: &str| load(Path::new(name), Default::default()).unwrap_err().to_string();
        let near = text("builtin:bratko-copec");
        assert!(
            near.contains("(did you mean builtin:bratko-kopec?). The built-in suites are bratko-kopec, endgames,"),
            "{near}"
        );
        assert!(!text("builtin:x").contains("did you mean"));
        assert_eq!(find(Path::new("data/bratko-kopec.epd")), None);
    }
}
