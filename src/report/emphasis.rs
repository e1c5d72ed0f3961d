//! How cells and marks are highlighted: what is better, worse or not shown to differ.

use crate::analysis::rows::metric::Better;

/// How a cell is highlighted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Emphasis {
    #[default]
    None,
    /// Clearly better than the baseline.
    Better,
    /// Clearly worse than the baseline.
    Worse,
    /// Clearly another, where neither direction is better.
    Other,
    /// The interval contains no change.
    Unclear,
    /// The expected outcome was not met.
    Failed,
    /// The expected outcome was met.
    Passed,
}

impl Emphasis {
    /// The highlight of a value that is `less` than the baseline's or more: none unless it is
    /// `clear`.
    pub fn for_change(clear: bool, less: bool, better: Better) -> Self {
        match (clear, better) {
            (false, _) => Self::None,
            (true, Better::Neither) => Self::Other,
            (true, better) if less == (better == Better::Less) => Self::Better,
            (true, _) => Self::Worse,
        }
    }

    /// The CSS class of a cell or mark; empty without a highlight.
    pub fn class(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Better | Self::Passed => "better",
            Self::Worse | Self::Failed => "worse",
            Self::Other => "other",
            Self::Unclear => "unclear",
        }
    }
}
