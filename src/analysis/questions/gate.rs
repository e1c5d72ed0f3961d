//! Gates: changes that make a comparison fail, such as `nodes > +1%`.

use crate::analysis::rows::frame::{Frame, FrameError, Lookup};
use crate::experiment::claim::Claim;
use crate::experiment::relation::Relation;
use crate::record::columns::{self, Role};
use std::fmt;

/// A condition under which a comparison fails: a claim about the change of a variant's total from
/// BASE to NEW.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    text: String,
    claim: Claim,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("gate `{text}`: {what}\nhelp: {help}")]
pub struct GateError {
    text: String,
    what: String,
    help: String,
}

impl GateError {
    fn new(text: &str, what: &str, help: &str) -> Self {
        Self { text: text.to_owned(), what: what.to_owned(), help: help.to_owned() }
    }
}

const SYNTAX_HELP: &str = "write METRIC, one of > >= < <=, and a change: \"nodes > +1%\", \"seconds > +5%\", \"table.evictions > +1000\"; \
                    or \"nodes changed\"";

impl Gate {
    /// Parses a gate. The metric is not looked up here, but by [`Gate::column`].
    ///
    /// # Errors
    /// If the text is not a gate, or if the gate can never fail.
    pub fn parse(text: &str) -> Result<Self, GateError> {
        let trimmed = text.trim();
        let error = |what: &str| GateError::new(trimmed, what, SYNTAX_HELP);
        let claim = Claim::parse(trimmed).map_err(|fault| error(&fault.to_string()))?;
        let gate = Self { text: text.split_whitespace().collect::<Vec<_>>().join(" "), claim };
        let Claim { left, right, is_share, .. } = &gate.claim;
        if [left, right].iter().any(|term| !term.subject.is_empty()) || left.factor != 1.0 {
            return Err(error("a gate is about the change of a metric without a factor or variant"));
        }
        let (_, relation, value) = Relation::split(trimmed).unwrap_or(("", Relation::NotEqual, "0"));
        if matches!(relation, Relation::Equal | Relation::NotEqual) && !trimmed.ends_with("changed") {
            return Err(error("write `METRIC changed` for a total that must stay equal"));
        }
        if !is_share && right.factor != 0.0 && !value.starts_with(['+', '-']) {
            let help =
                format!("a gate bounds the change from BASE to NEW, not the value: write +{value}, or a percentage");
            return Err(GateError::new(trimmed, &format!("`{value}` has no sign"), &help));
        }
        // If the bound is a share, a gate that can fail for one positive total of BASE can fail for
        // all of them. So only the total 1 is tested.
        if *is_share && !gate.can_fail(1.0) {
            let help = "a total cannot fall by more than 100 %: use a share above -100 %, or METRIC <= -100%";
            return Err(GateError::new(trimmed, "it can never fail", help));
        }
        Ok(gate)
    }

    /// Whether the gate forbids any change.
    pub fn is_on_any_change(&self) -> bool {
        self.claim.relation == Relation::NotEqual
    }

    /// # Errors
    /// If there is no such column, or if the column is neither a count, nor a time, nor the score
    /// error.
    pub fn column(&self, frame: &Frame) -> Result<String, GateError> {
        let column = frame.resolve(&self.claim.left.metric, Lookup::Metric).map_err(|error| match error {
            FrameError::Unknown { name, hint } => self.refuse(
                &format!("there is no metric `{name}`"),
                hint.as_deref().unwrap_or("`ttlab columns` lists the metrics, with their meanings"),
            ),
            other => self.refuse(&other.to_string(), "`ttlab columns` lists the metrics"),
        })?;
        if !matches!(columns::role(column), Role::Sum | Role::Time) && column != columns::SCORE_ERROR {
            let help = "use a counter such as nodes, or use seconds; `ttlab columns` lists all counters";
            return Err(self.refuse(&format!("`{column}` is neither a count nor a time"), help));
        }
        Ok(column.to_owned())
    }

    /// Whether any total of NEW could make the gate fail if BASE's total is `base`.
    pub fn can_fail(&self, base: f64) -> bool {
        // Totals are never negative, so the largest possible decrease ends at 0.
        !self.claim.relation.is_less() || self.exceeds_bound(base, 0.0)
    }

    /// `what` says what is wrong, and `help` says what to do.
    pub fn refuse(&self, what: &str, help: &str) -> GateError {
        GateError::new(&self.text, what, help)
    }

    /// Whether a change of the total from `base` to `new` exceeds the gate's bound.
    pub fn exceeds_bound(&self, base: f64, new: f64) -> bool {
        let Claim { relation, right, is_share, .. } = &self.claim;
        // The change is not divided by `base`, which may be 0. Any rise from 0 exceeds every share.
        relation.holds(new - base, if *is_share { right.factor * base } else { right.factor })
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exceeds(text: &str, base: f64, new: f64) -> bool {
        Gate::parse(text).unwrap().exceeds_bound(base, new)
    }

    #[test]
    fn bound_is_a_share_or_an_amount_of_the_change() {
        assert!(!exceeds("nodes > +1%", 1000.0, 1010.0));
        assert!(exceeds("nodes > +1%", 1000.0, 1011.0));
        assert!(exceeds("nodes >= 1 %", 1000.0, 1010.0));
        assert!(!exceeds("nodes >= 1 %", 1000.0, 1009.0));
        assert!(exceeds("hits < -2.5%", 1000.0, 974.0));
        assert!(!exceeds("hits < -2.5%", 1000.0, 975.0));
        assert!(exceeds("hits <= - 25", 1000.0, 975.0));
        assert!(!exceeds("hits <= -25", 1000.0, 976.0));
        assert!(exceeds("nodes > +1_000", 0.0, 1001.0));
        assert!(!exceeds("nodes>+1,000", 0.0, 1000.0));
        assert!(exceeds("nodes > 0", 5.0, 6.0));
        assert!(!exceeds("nodes > 0", 5.0, 5.0));
    }

    #[test]
    fn rise_from_zero_exceeds_every_share() {
        assert!(exceeds("evictions > +100%", 0.0, 1.0));
        assert!(!exceeds("evictions > +1%", 0.0, 0.0));
    }

    /// A total can fall by at most 100 %.
    #[test]
    fn fall_to_zero_can_fail() {
        for text in ["nodes <= -100%", "nodes < -99.9%", "nodes < 0%", "nodes > +1000%", "nodes >= -200%"] {
            assert!(Gate::parse(text).is_ok(), "{text}");
        }
        let can_fail = |text: &str, base: f64| Gate::parse(text).unwrap().can_fail(base);
        assert!(can_fail("nodes < -9", 10.0));
        assert!(!can_fail("nodes < -10", 10.0));
        assert!(can_fail("nodes <= -10", 10.0));
        assert!(!can_fail("nodes <= -11", 10.0));
        assert!(!can_fail("hits < -2%", 0.0));
        assert!(can_fail("hits > +2%", 0.0));
        assert!(can_fail("nodes changed", 0.0));
    }
}
