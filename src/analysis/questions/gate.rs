//! Gates: changes that make a comparison fail, such as `nodes > +1%`.

use crate::analysis::rows::frame::{Frame, FrameError, Lookup};
use crate::experiment::relation::Relation;
use crate::record::columns::{self, Role};
use std::fmt;

/// A condition under which a comparison fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    pub text: String,
    /// The metric as the user wrote it: the name of a column, or the end of exactly one column's
    /// name.
    pub metric: String,
    pub rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    Changed,
    /// A change of a variant's total beyond a bound.
    Bound {
        /// The relation between change and bound that makes the gate fail: `>=`, `<=`, `>` or `<`.
        relation: Relation,
        /// The bound. It is in the unit of the metric or, if `is_share` is true, a share of the
        /// total in BASE (0.01 is 1 %).
        bound: f64,
        is_share: bool,
    },
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
        let make_gate = |metric: &str, rule: Rule| Self {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            metric: metric.to_owned(),
            rule,
        };
        if let Some(metric) = trimmed.strip_suffix("changed").filter(|prefix| prefix.ends_with(char::is_whitespace)) {
            return Ok(make_gate(parse_metric_name(metric).ok_or_else(|| error("there is no metric"))?, Rule::Changed));
        }
        let (metric, relation, value) = match Relation::split(trimmed) {
            Some((_, Relation::Equal | Relation::NotEqual, _)) => {
                return Err(error("write `METRIC changed` for a total that must stay equal"));
            }
            split => split.ok_or_else(|| error("there is no comparison"))?,
        };
        let metric = parse_metric_name(metric).ok_or_else(|| error("there is no metric before the comparison"))?;
        let (digits, is_share) = match value.strip_suffix('%') {
            Some(digits) => (digits.trim_end(), true),
            None => (value, false),
        };
        // Spaces, and `_` or `,` between digits, are allowed.
        let digits: String = digits.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | ',')).collect();
        let number: f64 = match digits.parse() {
            Ok(number) if f64::is_finite(number) => number,
            _ => return Err(error(&format!("`{value}` is not a number"))),
        };
        if !is_share && number != 0.0 && !digits.starts_with(['+', '-']) {
            let help =
                format!("a gate bounds the change from BASE to NEW, not the value: write +{digits}, or a percentage");
            return Err(GateError::new(trimmed, &format!("`{value}` has no sign"), &help));
        }
        let bound = if is_share { number / 100.0 } else { number };
        let gate = make_gate(metric, Rule::Bound { relation, bound, is_share });
        // If the bound is a share, a gate that can fail for one positive total of BASE can fail for
        // all of them. So only the total 1 is tested.
        if is_share && !gate.can_fail(1.0) {
            let help = "a total cannot fall by more than 100 %: use a share above -100 %, or METRIC <= -100%";
            return Err(GateError::new(trimmed, "it can never fail", help));
        }
        Ok(gate)
    }

    /// # Errors
    /// If there is no such column, or if the column is neither a count, nor a time, nor the score
    /// error.
    pub fn column(&self, frame: &Frame) -> Result<String, GateError> {
        let column = frame.resolve(&self.metric, Lookup::Metric).map_err(|error| match error {
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
        match self.rule {
            // Totals are never negative, so the largest possible decrease ends at 0.
            Rule::Bound { relation, .. } if relation.is_less() => self.exceeds_bound(base, 0.0),
            _ => true,
        }
    }

    /// `what` says what is wrong, and `help` says what to do.
    pub fn refuse(&self, what: &str, help: &str) -> GateError {
        GateError::new(&self.text, what, help)
    }

    /// Whether a change of the total from `base` to `new` exceeds the gate's bound. Returns false
    /// for a `changed` gate, which does not depend on totals.
    pub fn exceeds_bound(&self, base: f64, new: f64) -> bool {
        let Rule::Bound { relation, bound, is_share } = self.rule else { return false };
        // The change is not divided by `base`, which may be 0. Any rise from 0 exceeds every share.
        relation.holds(new - base, if is_share { bound * base } else { bound })
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn parse_metric_name(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty() && !text.contains(char::is_whitespace)).then_some(text)
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

    #[test]
    fn gate_on_any_change_is_parsed() {
        assert_eq!(Gate::parse(" table.hits   changed ").unwrap().rule, Rule::Changed);
        assert_eq!(Gate::parse(" table.hits   changed ").unwrap().text, "table.hits changed");
        assert!(!exceeds("nodes changed", 1.0, 2.0));
    }

    #[test]
    fn invalid_gate_is_refused_with_a_hint() {
        for (text, expected) in [
            ("", "no comparison"),
            ("nodes", "no comparison"),
            ("nodes = 3", "`METRIC changed`"),
            ("nodes != 0", "`METRIC changed`"),
            ("> +1%", "no metric before"),
            ("two words > +1%", "no metric before"),
            ("two words changed", "there is no metric"),
            (" changed", "no comparison"),
            ("unchanged", "no comparison"),
            ("nodes >", "`` is not a number"),
            ("nodes > lots", "`lots` is not a number"),
            ("nodes > nan", "`nan` is not a number"),
            ("nodes > inf%", "`inf%` is not a number"),
            ("nodes > +1%%", "is not a number"),
            ("nodes > 1000", "has no sign"),
            ("nodes >> +1%", "is not a number"),
            ("nodes > +é", "is not a number"),
            ("nodes < -100%", "it can never fail"),
            ("nodes < -100.5 %", "it can never fail"),
            ("hits <= -101%", "it can never fail"),
        ] {
            let message = Gate::parse(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
            assert!(message.contains("help: "), "{text}: {message}");
        }
    }

    /// Other columns are refused by name; for unknown columns, the error suggests the nearest name.
    #[test]
    fn gate_needs_a_count_or_a_time() {
        let frame = Frame::parse("variant,position,depth,search.nodes,table.hits,seconds,score,best\n".as_bytes(), "t")
            .unwrap();
        let resolve = |gate: &str| Gate::parse(gate).unwrap().column(&frame).map_err(|error| error.to_string());
        for (gate, expected) in
            [("nodes > +1%", columns::NODES), ("hits changed", "table.hits"), ("seconds > +5%", columns::SECONDS)]
        {
            assert_eq!(resolve(gate).as_deref(), Ok(expected));
        }
        for (gate, expected) in [
            ("nodez > +1%", &["there is no metric `nodez`", "did you mean `search.nodes`"][..]),
            (
                "zzzzzz changed",
                &["there is no metric `zzzzzz`", "help: `ttlab columns` lists the metrics, with their meanings"],
            ),
            ("score > +1", &["`score` is neither a count nor a time", "help: use a counter such as nodes"]),
            ("best changed", &["best"]),
        ] {
            let error = resolve(gate).unwrap_err();
            assert!(expected.iter().all(|expected| error.contains(expected)), "{gate}: {error}");
        }
    }
}
