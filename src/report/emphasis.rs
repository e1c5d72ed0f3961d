//! How cells and marks are highlighted: what is better, worse or not shown to differ.

use crate::analysis::rows::metric::Better;

/// How a cell is highlighted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Emphasis {
    /// Not highlighted.
    #[default]
    None,
    /// Significantly better than the baseline.
    Better,
    /// Significantly worse than the baseline.
    Worse,
    /// Significantly different from the baseline, where neither direction is better.
    Other,
    /// Not significantly different from the baseline.
    Unclear,
    /// The expected outcome was not met.
    Failed,
    /// The expected outcome was met.
    Passed,
}

impl Emphasis {
    /// The highlight of a value that differs from the baseline's: none unless the difference
    /// `is_significant`. `is_less`: the value is less than the baseline's.
    pub fn for_change(is_significant: bool, is_less: bool, better: Better) -> Self {
        if !is_significant {
            return Self::None;
        }
        let is_better = match better {
            Better::Neither => return Self::Other,
            Better::Less => is_less,
            Better::More => !is_less,
        };
        if is_better { Self::Better } else { Self::Worse }
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
