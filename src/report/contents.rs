//! What a page shows.

use super::identity::Identity;
use super::sheet::{Part, Sheet, SheetTable};
use crate::analysis::caveats::timing::Timing;
use crate::analysis::questions::matches::Matches;
use crate::analysis::questions::pairwise::LinePair;
use crate::analysis::questions::pivot::Pivot;
use crate::analysis::questions::quality::Quality;
use crate::analysis::questions::screen::ScreenResult;
use crate::analysis::{Summary, Verdict};
use crate::record::manifest::Manifest;

/// Everything that a report shows.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The manifest of the first result.
    pub manifest: Manifest,
    /// The label and the manifest of each joined result.
    pub sources: Vec<(String, Option<Manifest>)>,
    /// The author's text, in Markdown.
    pub analysis: String,
    /// The findings, one sentence each.
    pub findings: Vec<String>,
    /// Why no conclusion can be drawn.
    pub blockers: Vec<String>,
    /// What limits the conclusion.
    pub warnings: Vec<String>,
    /// Remarks that do not limit the conclusion.
    pub notes: Vec<String>,
    /// The totals and ratios by line.
    pub summary: Summary,
    /// Whether the user chose the metrics of the summary.
    pub custom_metrics: bool,
    /// The pivots, if the user asked for them. A pivot tabulates one metric by a column.
    pub pivots: Vec<Pivot>,
    /// Every line compared with every other, if the user asked for it.
    pub pairs: Vec<LinePair>,
    /// The noise and drift between repeats.
    pub timing: Option<Timing>,
    /// The verdicts on the file's expectations.
    pub verdicts: Vec<Verdict>,
    /// A sentence about whether tables of equal memory were compared.
    pub memory: Option<String>,
    /// A sentence about the reference that judged the scores.
    pub reference_note: Option<String>,
    /// The quality of the moves, if a reference judged them.
    pub quality: Vec<Quality>,
    /// The match, if the rows are games.
    pub games: Option<Matches>,
    /// The variants that the searches select for the games of `[confirm]`.
    pub screen: ScreenResult,
    /// The predicted and the measured Elo, if these games were played.
    pub confirmed: Option<SheetTable>,
    /// A table across suites for each metric, or the pivots of each suite if the user asked for
    /// pivots. Empty unless there are several suites.
    pub across_suites: Vec<SheetTable>,
    /// The first columns of each table, which identify the lines.
    pub identity: Identity,
    /// The page itself, independent of its format.
    pub sheet: Sheet,
}

impl Page {
    /// Adds sentences that answer the question of the experiment before the page's own findings.
    pub(super) fn add_answer(&mut self, answer: Vec<String>) {
        self.findings.splice(0..0, answer.iter().cloned());
        let is_head = |part: &Part| matches!(part, Part::Question(_) | Part::Prose(_));
        let parts = &mut self.sheet.parts;
        let head_end = parts.iter().position(|part| !is_head(part)).unwrap_or(parts.len());
        parts.insert(head_end, Part::Findings(answer));
    }
}
