//! Claims of `[[expect]]` about a match: `elo(A, B) > 0`, `score(A, B) >= 0.5`.

use super::expect::Expect;
use super::matches::Match;
use super::problem::{Problem, nearest_or_all};
use super::relation::Relation;
use super::text::FileText;
use super::variant::Variant;

#[derive(Debug, Clone, PartialEq)]
pub struct MatchClaim {
    pub player: String,
    pub opponent: String,
    /// Whether the claim is that the player's advantage is more than `elo`. If false, the claim is
    /// that the advantage is less than `elo`.
    pub claims_more: bool,
    /// The claimed bound in Elo. A bound that is given as a share of the points is converted by the
    /// logistic law.
    pub elo: f64,
}

const CLAIM_SYNTAX: &str = "expected \"elo(A, B) > 0\" or \"score(A, B) >= 0.5\", with > >= < or <=, where A and B are variants that play \
     each other";

impl MatchClaim {
    /// Parses a claim. `names` are the names of all variants. A name may contain commas, so every
    /// comma is tried as the separator of the two names.
    ///
    /// # Errors
    /// Returns the unknown name and the message. The name is empty if the error is not about a
    /// name.
    pub fn parse<'n>(text: &str, names: impl Iterator<Item = &'n str> + Clone) -> Result<Self, (String, String)> {
        let syntax_error = || (String::new(), format!("expect.claim: `{text}`: {CLAIM_SYNTAX}"));
        let (term, relation, bound) = Relation::split(text).ok_or_else(syntax_error)?;
        let (measure, players) =
            term.strip_suffix(')').and_then(|term| term.split_once('(')).ok_or_else(syntax_error)?;
        let is_score = match measure.trim() {
            "elo" => false,
            "score" => true,
            _ => return Err(syntax_error()),
        };
        let bound: f64 = bound.parse().map_err(|_| syntax_error())?;
        if !relation.is_more() && !relation.is_less() {
            return Err(syntax_error());
        }
        let is_variant = |name: &str| names.clone().any(|variant| variant == name);
        let name_pairs =
            players.match_indices(',').map(|(index, _)| (players[..index].trim(), players[index + 1..].trim()));
        let known_pair = name_pairs.clone().find(|(first, second)| is_variant(first) && is_variant(second));
        let Some((player, opponent)) = known_pair else {
            let unknown_name = name_pairs.flat_map(|(first, second)| [first, second]).find(|name| !is_variant(name));
            return Err(unknown_name.map_or_else(syntax_error, |name| {
                (name.to_owned(), format!("expect.claim: there is no variant \"{name}\""))
            }));
        };
        if !bound.is_finite() || is_score && !(bound > 0.0 && bound < 1.0) {
            let message = format!("expect.claim: `{text}`: expected a score between 0 and 1, or a finite Elo");
            return Err((String::new(), message));
        }
        let elo = if is_score { 400.0 * (bound / (1.0 - bound)).log10() } else { bound };
        Ok(Self { player: player.to_owned(), opponent: opponent.to_owned(), claims_more: relation.is_more(), elo })
    }
}

/// Checks the expectations of a match. Each expectation must be a claim about two variants that
/// play each other. The test of the match must not stop the match early.
pub(super) fn check(
    expectations: &[Expect],
    variants: &[Variant],
    baseline: usize,
    match_section: &Match,
    source: &FileText<'_>,
) -> Result<(), Problem> {
    let names = || variants.iter().map(|variant| variant.name.as_str());
    for (index, expect) in expectations.iter().enumerate() {
        let place = format!("expect.{index}");
        let Expect { claim: Some(claim), .. } = expect else {
            return Err(source.problem_at(&place, format!("expect: a match supports claims only: {CLAIM_SYNTAX}")));
        };
        if let Some(key) = expect.figures.keys().chain(expect.filter.keys()).next() {
            return Err(
                source.problem_at(&place, format!("expect.{key}: a match supports claims only: {CLAIM_SYNTAX}"))
            );
        }
        let place = format!("{place}.claim");
        if match_section.test_or_default().stop {
            let message =
                "expect.claim: a test that stops early biases Elo: give the test `stop = false`, or use its verdict";
            return Err(source.problem_at(&place, message));
        }
        let claim = MatchClaim::parse(claim, names()).map_err(|(unknown_name, message)| {
            if unknown_name.is_empty() {
                return source.problem_at(&place, message);
            }
            let help = Some(nearest_or_all(&unknown_name, names()));
            Problem { help, ..source.problem_at_word(&place, Some(&unknown_name), message) }
        })?;
        let is_claimed_pair = |&(first, second): &(usize, usize)| {
            let players = [first, second].map(|index| &variants[index].name);
            players.contains(&&claim.player) && players.contains(&&claim.opponent)
        };
        let encounters = match_section.encounters(variants.len(), baseline);
        if claim.player == claim.opponent || !encounters.iter().any(is_claimed_pair) {
            let message =
                format!("expect.claim: \"{}\" and \"{}\" do not play each other", claim.player, claim.opponent);
            let help =
                "each variant plays only the baseline: with pairing = \"round-robin\", every pair plays".to_owned();
            return Err(Problem { help: Some(help), ..source.problem_at(&place, message) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claim_is_parsed_with_commas_and_brackets_in_names() {
        let names = ["a", "size=1 MiB, policy=always", "x (2)"];
        let read = |text: &str| MatchClaim::parse(text, names.into_iter());
        let claim = read("elo(size=1 MiB, policy=always, x (2)) >= -3.5").unwrap();
        assert_eq!((claim.player.as_str(), claim.opponent.as_str()), ("size=1 MiB, policy=always", "x (2)"));
        assert_eq!((claim.claims_more, claim.elo), (true, -3.5));
        let claim = read("score(a, x (2)) < 0.75").unwrap();
        assert!(!claim.claims_more, "three points of four are 190.85 Elo");
        assert!((claim.elo - 190.85).abs() < 0.01, "three points of four are 190.85 Elo");
        // Spaces have no meaning.
        for text in ["score(a,x (2))>=0.5", " score ( a , x (2) )  >=  0.5 "] {
            let claim = read(text).unwrap();
            assert_eq!((claim.player.as_str(), claim.opponent.as_str()), ("a", "x (2)"), "{text}");
            assert_eq!((claim.claims_more, claim.elo), (true, 0.0), "{text}: half the points are no Elo");
        }
        for text in [
            "elo(a, a2) > 0",
            "elo(a) > 0",
            "nodes(a, x (2)) > 0",
            "elo(a, x (2)) = 0",
            "elo(a, x (2)) > b",
            "score(a, x (2)) > 1",
            "",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("elo(a, y) > 0").unwrap_err().0, "y");
    }
}
