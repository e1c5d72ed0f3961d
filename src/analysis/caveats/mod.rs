//! Warnings about a result: what the result cannot show, and what makes the result doubtful.

pub mod confounds;
pub mod equivalent;
pub mod external_power;
pub mod games;
pub mod memory;
pub mod misleading;
pub mod preflight;
pub mod sample_size;
pub mod searchers;
pub mod sensitivity;
pub mod timing;
pub mod warnings;

/// Caveats about a conclusion, by severity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// Reasons why no conclusion can be drawn.
    pub blockers: Vec<String>,
    /// Reasons why a conclusion is doubtful.
    pub warnings: Vec<String>,
    /// Remarks for information only.
    pub notes: Vec<String>,
}

impl Caveats {
    /// Returns the blockers, followed by the warnings.
    pub fn all_warnings(&self) -> impl Iterator<Item = &String> {
        self.blockers.iter().chain(&self.warnings)
    }

    /// Returns the blockers as lines for the terminal.
    pub fn blocker_lines(&self) -> impl Iterator<Item = String> {
        self.blockers.iter().map(|text| format!("blocks the conclusion: {text}"))
    }

    /// Returns the blockers and the warnings as lines for the terminal.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.blocker_lines().chain(self.warnings.iter().cloned())
    }
}
