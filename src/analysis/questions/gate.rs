//! Gates: what a comparison must not show, as a user writes it: `nodes > +1%`.

use crate::analysis::rows::frame::{Frame, FrameError, Sought};
use crate::record::columns::{self, Role};
use std::fmt;

/// A condition under which a comparison fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// As the user wrote it.
    pub text: String,
    /// The metric's name as the user wrote it: a column, or the unique end of one.
    pub metric: String,
    /// What must not be.
    pub limit: Rule,
}

/// What must not be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// Any row that is not the same.
    Changed,
    /// A change of a variant's total beyond a bound.
    Beyond {
        /// Which side of the bound fails: `>=`, `<=`, `>` or `<`.
        sign: &'static str,
        /// The bound, in the metric's own unit or as a part of the old total: 0.01 is one percent.
        bound: f64,
        /// Whether it is a part.
        share: bool,
    },
}

/// Signs, the longer before those that they begin with.
const SIGNS: [&str; 4] = [">=", "<=", ">", "<"];

/// Why a gate cannot be read.
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

/// What gates look like, for hints.
const FORM: &str = "write METRIC, one of > >= < <=, and a change: \"nodes > +1%\", \"seconds > +5%\", \"table.evictions > +1000\"; \
                    or \"nodes changed\"";

impl Gate {
    /// Reads a gate. Its metric is not looked up: see [`Gate::column`].
    ///
    /// # Errors
    /// With what is wrong and how gates are written.
    pub fn parse(text: &str) -> Result<Self, GateError> {
        let trimmed = text.trim();
        let error = |what: &str| GateError::new(trimmed, what, FORM);
        let gate = |metric: &str, limit: Rule| Self {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            metric: metric.to_owned(),
            limit,
        };
        if let Some(metric) = trimmed.strip_suffix("changed").filter(|rest| rest.ends_with(char::is_whitespace)) {
            return Ok(gate(metric_name(metric).ok_or_else(|| error("there is no metric"))?, Rule::Changed));
        }
        let signed = trimmed.find(['<', '>']).and_then(|at| {
            let (metric, rest) = trimmed.split_at(at);
            SIGNS.into_iter().find_map(|sign| Some((metric, sign, rest.strip_prefix(sign)?.trim())))
        });
        let (metric, sign, value) = signed.ok_or_else(|| match trimmed.contains(['=', '!']) {
            true => error("a total that must not move is `METRIC changed`"),
            false => error("there is no comparison"),
        })?;
        let metric = metric_name(metric).ok_or_else(|| error("there is no metric before the comparison"))?;
        let (digits, share) = match value.strip_suffix('%') {
            Some(digits) => (digits.trim_end(), true),
            None => (value, false),
        };
        // Signs may stand apart from their digits, separators within them.
        let digits: String = digits.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | ',')).collect();
        let number: f64 = match digits.parse() {
            Ok(number) if f64::is_finite(number) => number,
            _ => return Err(error(&format!("`{value}` is no change"))),
        };
        if !share && number != 0.0 && !digits.starts_with(['+', '-']) {
            let help =
                format!("a gate bounds the change from BASE to NEW, not the value: write +{digits}, or a percentage");
            return Err(GateError::new(trimmed, &format!("`{value}` has no sign"), &help));
        }
        let bound = if share { number / 100.0 } else { number };
        let gate = gate(metric, Rule::Beyond { sign, bound, share });
        if share && !gate.can_fail(1.0) {
            let help = "no total is less than nothing: a share lies above -100 %, or write METRIC <= -100%";
            return Err(GateError::new(trimmed, "it can never fail", help));
        }
        Ok(gate)
    }

    /// The column that the gate speaks of.
    ///
    /// # Errors
    /// When there is none of that name, or it holds no figures.
    pub fn column(&self, frame: &Frame) -> Result<String, GateError> {
        let error = |what: &str, help: &str| self.refuse(what, help);
        let column = frame.resolve(&self.metric, Sought::Figure).map_err(|unknown| match unknown {
            FrameError::Unknown { name, hint } => error(
                &format!("there is no metric `{name}`"),
                hint.as_deref().unwrap_or("`ttlab columns` lists them, with their meanings"),
            ),
            other => error(&other.to_string(), "`ttlab columns` lists the metrics"),
        })?;
        if !matches!(columns::role(column), Role::Sum | Role::Time) && column != columns::SCORE_ERROR {
            let help = "gate a counter, such as nodes, or seconds; `ttlab columns` lists them";
            return Err(error(&format!("`{column}` is no count and no time"), help));
        }
        Ok(column.to_owned())
    }

    /// Whether some total of NEW would fail, where that of BASE is `base`: none is less than 0.
    pub fn can_fail(&self, base: f64) -> bool {
        match self.limit {
            Rule::Beyond { sign: "<" | "<=", .. } => self.is_beyond(base, 0.0),
            _ => true,
        }
    }

    /// The gate refused: with what it lacks, and what to do.
    pub fn refuse(&self, what: &str, help: &str) -> GateError {
        GateError::new(&self.text, what, help)
    }

    /// Whether a change from `base` to `new` lies beyond the gate's bound; a gate on any change does not ask for totals.
    pub fn is_beyond(&self, base: f64, new: f64) -> bool {
        let Rule::Beyond { sign, bound, share } = self.limit else { return false };
        let change = new - base;
        // A share of the base, not a quotient: nothing is divided, and what rose from zero lies above every share.
        let bound = if share { bound * base } else { bound };
        match sign {
            ">" => change > bound,
            ">=" => change >= bound,
            "<" => change < bound,
            _ => change <= bound,
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A single word.
fn metric_name(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty() && !text.contains(char::is_whitespace)).then_some(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn beyond(text: &str, base: f64, new: f64) -> bool {
        Gate::parse(text).unwrap().is_beyond(base, new)
    }

    #[test]
    fn a_bound_is_a_share_or_an_amount_of_the_change() {
        assert!(!beyond("nodes > +1%", 1000.0, 1010.0) && beyond("nodes > +1%", 1000.0, 1011.0));
        assert!(beyond("nodes >= 1 %", 1000.0, 1010.0) && !beyond("nodes >= 1 %", 1000.0, 1009.0));
        assert!(beyond("hits < -2.5%", 1000.0, 974.0) && !beyond("hits < -2.5%", 1000.0, 975.0));
        assert!(beyond("hits <= - 25", 1000.0, 975.0) && !beyond("hits <= -25", 1000.0, 976.0));
        assert!(beyond("nodes > +1_000", 0.0, 1001.0) && !beyond("nodes>+1,000", 0.0, 1000.0));
        assert!(beyond("nodes > 0", 5.0, 6.0) && !beyond("nodes > 0", 5.0, 5.0));
    }

    #[test]
    fn what_rose_from_nothing_is_above_every_share() {
        assert!(beyond("evictions > +100%", 0.0, 1.0));
        assert!(!beyond("evictions > +1%", 0.0, 0.0));
    }

    /// The last share that a total can lose is all of it.
    #[test]
    fn a_fall_to_nothing_can_fail() {
        for text in ["nodes <= -100%", "nodes < -99.9%", "nodes < 0%", "nodes > +1000%", "nodes >= -200%"] {
            assert!(Gate::parse(text).is_ok(), "{text}");
        }
        let can = |text: &str, base: f64| Gate::parse(text).unwrap().can_fail(base);
        assert!(can("nodes < -9", 10.0) && !can("nodes < -10", 10.0) && can("nodes <= -10", 10.0));
        assert!(!can("nodes <= -11", 10.0) && !can("hits < -2%", 0.0) && can("hits > +2%", 0.0));
        assert!(can("nodes changed", 0.0));
    }

    #[test]
    fn a_gate_on_any_change_is_written_out() {
        assert_eq!(Gate::parse(" table.hits   changed ").unwrap().limit, Rule::Changed);
        assert_eq!(Gate::parse(" table.hits   changed ").unwrap().text, "table.hits changed");
        assert!(!beyond("nodes changed", 1.0, 2.0));
    }

    #[test]
    fn what_is_no_gate_is_refused_with_a_hint() {
        for (text, what) in [
            ("", "no comparison"),
            ("nodes", "no comparison"),
            ("nodes = 3", "`METRIC changed`"),
            ("nodes != 0", "`METRIC changed`"),
            ("> +1%", "no metric before"),
            ("two words > +1%", "no metric before"),
            ("two words changed", "there is no metric"),
            (" changed", "no comparison"),
            ("unchanged", "no comparison"),
            ("nodes >", "`` is no change"),
            ("nodes > lots", "`lots` is no change"),
            ("nodes > nan", "`nan` is no change"),
            ("nodes > inf%", "`inf%` is no change"),
            ("nodes > +1%%", "is no change"),
            ("nodes > 1000", "has no sign"),
            ("nodes >> +1%", "is no change"),
            ("nodes > +é", "is no change"),
            ("nodes < -100%", "it can never fail"),
            ("nodes < -100.5 %", "it can never fail"),
            ("hits <= -101%", "it can never fail"),
        ] {
            let message = Gate::parse(text).unwrap_err().to_string();
            assert!(message.contains(what) && message.contains("help: "), "{text}: {message}");
        }
    }

    /// A gate is on a count or a time; what is neither, and what is not there, is named, with what may be meant.
    #[test]
    fn a_gate_is_on_a_count_or_a_time() {
        let frame = Frame::parse("variant,position,depth,search.nodes,table.hits,seconds,score,best\n".as_bytes(), "t")
            .unwrap();
        let column = |gate: &str| Gate::parse(gate).unwrap().column(&frame).map_err(|error| error.to_string());
        for (gate, expected) in
            [("nodes > +1%", columns::NODES), ("hits changed", "table.hits"), ("seconds > +5%", columns::SECONDS)]
        {
            assert_eq!(column(gate).as_deref(), Ok(expected));
        }
        for (gate, output) in [
            ("nodez > +1%", &["there is no metric `nodez`", "did you mean `search.nodes`"][..]),
            (
                "zzzzzz changed",
                &["there is no metric `zzzzzz`", "help: `ttlab columns` lists them, with their meanings"],
            ),
            ("score > +1", &["`score` is no count and no time", "help: gate a counter"]),
            ("best changed", &["best"]),
        ] {
            let error = column(gate).unwrap_err();
            assert!(output.iter().all(|output| error.contains(output)), "{gate}: {error}");
        }
    }
}
