//! The suites that are compiled in: `builtin:NAME` can be used in place of a suite's file.

use crate::chess::fault::distance;
use crate::chess::suite::{Suite, SuiteError, SuiteKind, SuiteOptions};
use std::fmt;
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
    /// Returns the name of the suite, which is the name of its file without the extension, such as
    /// `bratko-kopec`.
    pub fn name(&self) -> &'static str {
        self.file.rsplit_once('.').map_or(self.file, |(stem, _)| stem)
    }
}

/// Returns the built-in suite that a path names, or `None` if the path does not begin with
/// [`PREFIX`].
///
/// # Errors
/// Returns an error if the path begins with [`PREFIX`], but no built-in suite has the name that
/// follows.
pub fn find(path: &Path) -> Option<Result<&'static BuiltinSuite, UnknownBuiltin>> {
    let name = path.to_str()?.strip_prefix(PREFIX)?;
    let suite = SUITES.iter().find(|suite| suite.name() == name);
    Some(suite.ok_or_else(|| UnknownBuiltin { name: name.to_owned() }))
}

/// Why a file or a built-in suite cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Unknown(#[from] UnknownBuiltin),
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

/// Loads a suite from a file, or a built-in one.
pub fn load(path: &Path, options: SuiteOptions) -> Result<Suite, LoadError> {
    let Some(builtin) = find(path) else { return Ok(Suite::load(path, options)?) };
    let builtin = builtin?;
    let kind = SuiteKind::from_path(builtin.file.as_ref()).unwrap_or(SuiteKind::Positions);
    let suite = Suite::read(builtin.name(), &path.display().to_string(), kind, builtin.text.as_bytes(), options);
    Ok(suite.map_err(SuiteError::from)?)
}

/// There is no built-in suite with a name. The message suggests the most similar name, if there is
/// one, and lists the names of all built-in suites.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct UnknownBuiltin {
    name: String,
}

impl fmt::Display for UnknownBuiltin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SUITES.iter().map(BuiltinSuite::name);
        let distance_to = |name: &'static str| Some((distance(&self.name, name, 1 + name.len() / 3)?, name));
        let most_similar = names.clone().filter_map(distance_to).min();
        write!(f, "there is no built-in suite {PREFIX}{}", self.name)?;
        if let Some((_, name)) = most_similar {
            write!(f, " (did you mean {PREFIX}{name}?)")?;
        }
        write!(f, ". The built-in suites are {}", names.collect::<Vec<_>>().join(", "))
    }
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
        let text = |name: &str| find(Path::new(name)).unwrap().unwrap_err().to_string();
        let near = text("builtin:bratko-copec");
        assert!(
            near.contains("(did you mean builtin:bratko-kopec?). The built-in suites are bratko-kopec, endgames,"),
            "{near}"
        );
        assert!(!text("builtin:x").contains("did you mean"));
        assert_eq!(find(Path::new("data/bratko-kopec.epd")), None);
    }
}
