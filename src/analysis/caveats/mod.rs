//! Warnings about a result: what it cannot show, and what makes it doubtful.

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

/// Caveats by what they mean for the conclusion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// Why a conclusion cannot be drawn.
    pub blockers: Vec<String>,
    /// What limits it.
    pub warnings: Vec<String>,
    /// For information.
    pub notes: Vec<String>,
}

impl Caveats {
    /// Blockers and warnings: what makes a conclusion doubtful.
    pub fn all_warnings(&self) -> impl Iterator<Item = &String> {
        self.blockers.iter().chain(&self.warnings)
    }

    /// The blockers as lines before a run.
    pub fn blocker_lines(&self) -> impl Iterator<Item = String> {
        self.blockers.iter().map(|text| format!("blocks the conclusion: {text}"))
    }

    /// Blockers and warnings as lines.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.blocker_lines().chain(self.warnings.iter().cloned())
    }
}
