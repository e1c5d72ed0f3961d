//! A claim: `left relation right`. `[[expect]]` claims `nodes(a) < 1.2 * nodes(b)` of variants and
//! `elo(a, b) > 0` of a match; a gate is the claim `nodes > +1%` about the change of a total.

use super::relation::Relation;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub left: Term,
    pub relation: Relation,
    /// Another term, or a number: then it has no metric.
    pub right: Term,
    /// Whether the number on the right was written as a percentage. 1 % is 0.01.
    pub is_share: bool,
}

/// One side of a claim: `factor * metric(subject)`, `metric`, or a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The factor of the metric, 1 if none is given; or the number.
    pub factor: f64,
    /// A column or a unique suffix of its name, `elo` or `score`; empty in a number.
    pub metric: String,
    /// What stands between the brackets, such as a variant's name, without quotes.
    pub subject: String,
}

/// Why a text is not a claim.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClaimError {
    #[error("there is no comparison")]
    NoRelation,
    #[error("there is no metric before the comparison")]
    NoMetric,
    #[error("the factor is `{0}`, expected a number above zero")]
    Factor(String),
    #[error("`{0}` is not a number")]
    Number(String),
}

impl Claim {
    /// Parses a claim, or `METRIC changed`, which is `METRIC != 0`.
    pub fn parse(text: &str) -> Result<Self, ClaimError> {
        let text = text.trim();
        let changed = text.strip_suffix("changed").filter(|metric| metric.ends_with(char::is_whitespace));
        let (left, relation, right) = match changed {
            Some(metric) => (metric, Relation::NotEqual, "0"),
            None => Relation::split(text).ok_or(ClaimError::NoRelation)?,
        };
        let left = Term::parse(left)?;
        if right.ends_with(')') {
            return Ok(Self { left, relation, right: Term::parse(right)?, is_share: false });
        }
        let (digits, is_share) = right.strip_suffix('%').map_or((right, false), |digits| (digits, true));
        // Spaces, and `_` or `,` between digits, are allowed.
        let digits: String = digits.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | ',')).collect();
        let number = digits.parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.ok_or_else(|| ClaimError::Number(right.to_owned()))?;
        let factor = if is_share { number / 100.0 } else { number };
        Ok(Self { left, relation, right: Term { factor, metric: String::new(), subject: String::new() }, is_share })
    }

    /// Parses a claim that compares a metric of two variants by any relation except `!=`.
    pub fn parse_ratio(text: &str) -> Result<Self, ClaimError> {
        let claim = Self::parse(text)?;
        let has_variants = [&claim.left, &claim.right].iter().all(|term| !term.subject.is_empty());
        if has_variants && claim.relation != Relation::NotEqual { Ok(claim) } else { Err(ClaimError::NoMetric) }
    }

    /// The players and the claimed bound in Elo of `elo(A, B) > 0` or `score(A, B) >= 0.5`. A share
    /// of the points is converted by the logistic law. A name may contain commas, so every comma is
    /// tried as the separator.
    ///
    /// # Errors
    /// The unknown name, or `None` if the claim has another form.
    pub fn match_terms<'n>(
        &self,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<([&str; 2], f64), Option<&str>> {
        let (players, bound) = (self.left.subject.as_str(), self.right.factor);
        let has_relation = self.relation.is_more() || self.relation.is_less();
        let elo = match self.left.metric.as_str() {
            "elo" => bound,
            "score" if bound > 0.0 && bound < 1.0 => 400.0 * (bound / (1.0 - bound)).log10(),
            _ => return Err(None),
        };
        if !has_relation || !self.right.metric.is_empty() || self.is_share || self.left.factor != 1.0 {
            return Err(None);
        }
        let is_variant = |name: &&str| names.clone().any(|variant| variant == *name);
        let pairs =
            || players.match_indices(',').map(|(comma, _)| [&players[..comma], &players[comma + 1..]].map(str::trim));
        match pairs().find(|pair| pair.iter().all(is_variant)) {
            Some(pair) => Ok((pair, elo)),
            None => Err(pairs().flatten().find(|name| !is_variant(name))),
        }
    }
}

impl Term {
    /// A `*` inside the brackets is part of the variant's name.
    fn parse(text: &str) -> Result<Self, ClaimError> {
        let (factor, term) = match text.split_once('*') {
            Some((factor, term)) if !factor.contains('(') => {
                let number = factor.trim().parse().ok().filter(|factor: &f64| factor.is_normal() && *factor > 0.0);
                (number.ok_or_else(|| ClaimError::Factor(factor.trim().to_owned()))?, term)
            }
            _ => (1.0, text),
        };
        let term = term.trim();
        let (metric, subject) = match term.strip_suffix(')').and_then(|term| term.split_once('(')) {
            Some((metric, subject)) => (metric.trim(), subject.trim()),
            None => (term, ""),
        };
        let is_name =
            !metric.is_empty() && (!subject.is_empty() || !term.contains(|c: char| c.is_whitespace() || c == '('));
        is_name
            .then(|| Self { factor, metric: metric.to_owned(), subject: subject.to_owned() })
            .ok_or(ClaimError::NoMetric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claim_is_parsed_with_factors_and_signs_in_names() {
        let claim = Claim::parse("nodes(no table) >= 1.25 * nodes(size=1 MiB, policy=always)").unwrap();
        assert_eq!((claim.relation, claim.right.factor), (Relation::AtLeast, 1.25));
        assert_eq!(claim.right.subject, "size=1 MiB, policy=always");
        // A star in a name does not separate a factor.
        let claim = Claim::parse("nodes(a * b) < 2 * nodes(3 * c)").unwrap();
        assert_eq!((claim.left.factor, claim.left.subject.as_str()), (1.0, "a * b"));
        assert_eq!((claim.right.factor, claim.right.subject.as_str()), (2.0, "3 * c"));
        // Spaces have no meaning and are optional.
        for text in ["0.5*nodes(a b)<=time(c)", " 0.5  *  nodes ( a b )  <=  time( c ) "] {
            let Claim { left, relation, right, .. } = Claim::parse(text).unwrap();
            assert_eq!((left.factor, left.metric.as_str(), left.subject.as_str()), (0.5, "nodes", "a b"), "{text}");
            assert_eq!((relation, right.factor), (Relation::AtMost, 1.0), "{text}");
            assert_eq!((right.metric.as_str(), right.subject.as_str()), ("time", "c"), "{text}");
        }
        for factor in ["0", "-1", "nan", "inf", "1e-320", "x"] {
            let error = Claim::parse(&format!("nodes(a) < {factor} * nodes(b)")).unwrap_err();
            assert_eq!(error, ClaimError::Factor(factor.to_owned()));
        }
        for text in ["nodes(a)", "", "changed", "nodes(a) changed?"] {
            assert_eq!(Claim::parse(text).unwrap_err(), ClaimError::NoRelation, "{text:?}");
        }
        for text in ["(a) > nodes(b)", "> 1", "two words > 1", "nodes(a) > (b)", "nodes() > 1"] {
            assert_eq!(Claim::parse(text).unwrap_err(), ClaimError::NoMetric, "{text:?}");
        }
    }

    #[test]
    fn number_is_a_share_or_has_separators() {
        let right =
            |text: &str| Claim::parse(&format!("nodes > {text}")).map(|claim| (claim.right.factor, claim.is_share));
        for (text, expected) in [
            ("+1_000", (1000.0, false)),
            ("- 2,500", (-2500.0, false)),
            ("1 %", (0.01, true)),
            ("-2.5%", (-0.025, true)),
        ] {
            assert_eq!(right(text), Ok(expected), "{text}");
        }
        for text in ["", "lots", "nan", "inf%", "+1%%", "> +1%", "+é", "nodes"] {
            assert_eq!(right(text), Err(ClaimError::Number(text.to_owned())), "{text}");
        }
        let changed = Claim::parse(" table.hits   changed ").unwrap();
        assert_eq!((changed.left.metric.as_str(), changed.relation), ("table.hits", Relation::NotEqual));
    }

    #[test]
    fn match_claim_is_read_with_commas_and_brackets_in_names() {
        let names = ["a", "size=1 MiB, policy=always", "x (2)"];
        let read = |text: &str| {
            let claim = Claim::parse(text).ok()?;
            let ([player, opponent], elo) = claim.match_terms(names.into_iter()).ok()?;
            Some((player.to_owned(), opponent.to_owned(), elo))
        };
        let (player, opponent, elo) = read("elo(size=1 MiB, policy=always, x (2)) >= -3.5").unwrap();
        assert_eq!((player.as_str(), opponent.as_str(), elo), ("size=1 MiB, policy=always", "x (2)", -3.5));
        let (.., elo) = read("score(a, x (2)) < 0.75").unwrap();
        assert!((elo - 190.85).abs() < 0.01, "three points of four are 190.85 Elo");
        for text in ["score(a,x (2))>=0.5", " score ( a , x (2) )  >=  0.5 "] {
            assert_eq!(
                read(text),
                Some(("a".to_owned(), "x (2)".to_owned(), 0.0)),
                "{text}: half the points are no Elo"
            );
        }
        for text in [
            "elo(a, a2) > 0",
            "elo(a) > 0",
            "nodes(a, x (2)) > 0",
            "elo(a, x (2)) = 0",
            "elo(a, x (2)) > 5%",
            "2 * elo(a, x (2)) > 5",
            "elo(a, x (2)) > elo(x (2), a)",
            "score(a, x (2)) > 1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(Claim::parse("elo(a, y) > 0").unwrap().match_terms(names.into_iter()), Err(Some("y")));
    }
}
