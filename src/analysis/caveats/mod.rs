//! Warnings about a result: what the result cannot show, and what makes the result doubtful.

pub mod confounds;
pub mod equivalent;
pub mod games;
pub mod memory;
pub mod misleading;
pub mod preflight;
pub mod timing;
pub mod warnings;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// Reasons why no conclusion can be drawn.
    pub blockers: Vec<String>,
    /// Reasons why a conclusion is doubtful.
    pub warnings: Vec<String>,
}

impl Caveats {
    pub fn all_warnings(&self) -> impl Iterator<Item = &String> {
        self.blockers.iter().chain(&self.warnings)
    }

    pub fn blocker_lines(&self) -> impl Iterator<Item = String> {
        self.blockers.iter().map(|text| format!("blocks the conclusion: {text}"))
    }

    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.blocker_lines().chain(self.warnings.iter().cloned())
    }
}
