//! How cells and marks are highlighted, for example as better or worse than the baseline.

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
    /// Returns the highlight of a value that is compared with the baseline's value. The value is
    /// not highlighted if the difference is not significant. `is_less` says whether the value is
    /// less than the baseline's.
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

    /// Returns the CSS class of a cell or mark. The class is empty if there is no highlight.
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
