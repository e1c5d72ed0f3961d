//! How cells and marks are highlighted, for example as better or worse than the baseline.

use crate::analysis::rows::metric::Better;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Emphasis {
    #[default]
    None,
    Better,
    Worse,
    /// Significantly different from the baseline, where neither direction is better.
    Other,
    Unclear,
    Failed,
    Passed,
}

impl Emphasis {
    /// The value is not highlighted if the difference is not significant. `is_less` says whether
    /// the value is less than the baseline's.
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

    /// The class is empty if there is no highlight.
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
