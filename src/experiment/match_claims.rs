//! What `[[expect]]` may say of a match: `elo(A, B) > 0`, `score(A, B) >= 0.5`.

use super::expect::Expect;
use super::file::Experiment;
use super::matches::Match;
use super::problem::{Problem, nearest_or_all};
use super::text::FileText;

/// A claim about an encounter.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchClaim {
    /// Who is claimed to be so strong.
    pub player: String,
    /// Against whom.
    pub opponent: String,
    /// Whether more is claimed than the figure, or less.
    pub more: bool,
    /// The figure in Elo, by the logistic law where it is a share of the points.
    pub elo: f64,
}

/// What a claim must be.
const CLAIM_SYNTAX: &str =
    "expected \"elo(A, B) > 0\" or \"score(A, B) >= 0.5\", with > >= < or <=, A and B variants that meet";

impl MatchClaim {
    /// Reads a claim. Names may hold commas: of all commas the one counts that parts two of the `names`.
    ///
    /// # Errors
    /// What is expected instead; with the name that is unknown, if it is that.
    pub fn parse<'n>(text: &str, names: impl Iterator<Item = &'n str> + Clone) -> Result<Self, (String, String)> {
        let wrong = || (String::new(), format!("expect.claim: `{text}`: {CLAIM_SYNTAX}"));
        // A variant's name may hold `=` and brackets: the last bracket ends the players.
        let (term, rest) = text.trim().rsplit_once(')').ok_or_else(wrong)?;
        let (measure, players) = term.split_once('(').ok_or_else(wrong)?;
        let score = match measure.trim() {
            "elo" => false,
            "score" => true,
            _ => return Err(wrong()),
        };
        let rest = rest.trim();
        let (more, rest) = match rest.split_at_checked(1) {
            Some((">", rest)) => (true, rest),
            Some(("<", rest)) => (false, rest),
            _ => return Err(wrong()),
        };
        let than: f64 = rest.strip_prefix('=').unwrap_or(rest).trim().parse().map_err(|_| wrong())?;
        let known = |name: &str| names.clone().any(|known| known == name);
        let parted = players.match_indices(',').map(|(at, _)| (players[..at].trim(), players[at + 1..].trim()));
        let both = parted.clone().find(|(first, second)| known(first) && known(second));
        let Some((player, opponent)) = both else {
            let unknown = parted.flat_map(|(first, second)| [first, second]).find(|name| !known(name));
            return Err(unknown.map_or_else(wrong, |name| {
                (name.to_owned(), format!("expect.claim: there is no variant \"{name}\""))
            }));
        };
        if !than.is_finite() || score && !(than > 0.0 && than < 1.0) {
            let message = format!("expect.claim: `{text}`: a score lies between 0 and 1, and Elo is a number");
            return Err((String::new(), message));
        }
        let elo = if score { 400.0 * (than / (1.0 - than)).log10() } else { than };
        Ok(Self { player: player.to_owned(), opponent: opponent.to_owned(), more, elo })
    }
}

/// Checks that every expectation of a match is a claim about two variants that meet, and that all pairs are played.
///
/// # Errors
/// The first that is not, with its place.
pub(super) fn check(experiment: &Experiment, games: &Match, source: &FileText<'_>) -> Result<(), Problem> {
    let names = || experiment.variants.iter().map(|variant| variant.name.as_str());
    for (at, expect) in experiment.file.expect.iter().enumerate() {
        let place = format!("expect.{at}");
        let Expect { claim: Some(claim), .. } = expect else {
            return Err(
                source.problem_at(&place, format!("expect: of a match only claims can be held: {CLAIM_SYNTAX}"))
            );
        };
        if let Some(key) = expect.figures.keys().chain(expect.filter.keys()).next() {
            return Err(
                source.problem_at(&place, format!("expect.{key}: of a match only claims can be held: {CLAIM_SYNTAX}"))
            );
        }
        let place = format!("{place}.claim");
        if games.test_or_default().stop {
            let message = "expect.claim: games that a test ends have no honest interval of Elo: give the test `stop = false`, or read its verdict";
            return Err(source.problem_at(&place, message));
        }
        let claim = MatchClaim::parse(claim, names()).map_err(|(unknown, message)| match unknown.is_empty() {
            true => source.problem_at(&place, message),
            false => {
                let help = Some(nearest_or_all(&unknown, names()));
                Problem { help, ..source.problem_at_word(&place, Some(&unknown), message) }
            }
        })?;
        let met = |&(first, second): &(usize, usize)| {
            let players = [first, second].map(|at| &experiment.variants[at].name);
            players.contains(&&claim.player) && players.contains(&&claim.opponent)
        };
        let encounters = games.encounters(experiment.variants.len(), experiment.baseline);
        if claim.player == claim.opponent || !encounters.iter().any(met) {
            let message = format!("expect.claim: \"{}\" and \"{}\" do not meet", claim.player, claim.opponent);
            let help = "each plays the baseline; pairing = \"round-robin\" lets everybody meet everybody".to_owned();
            return Err(Problem { help: Some(help), ..source.problem_at(&place, message) });
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_with_names_that_hold_commas_and_brackets() {
        let names = ["a", "size=1 MiB, policy=always", "x (2)"];
        let read = |text: &str| MatchClaim::parse(text, names.into_iter());
        let claim = read("elo(size=1 MiB, policy=always, x (2)) >= -3.5").unwrap();
        assert_eq!((claim.player.as_str(), claim.opponent.as_str()), ("size=1 MiB, policy=always", "x (2)"));
        assert_eq!((claim.more, claim.elo), (true, -3.5));
        let claim = read("score(a, x (2)) < 0.75").unwrap();
        assert!(!claim.more && (claim.elo - 190.85).abs() < 0.01, "three points of four are 190.85 Elo");
        // Blanks say nothing, and none are needed.
        for text in ["score(a,x (2))>=0.5", " score ( a , x (2) )  >=  0.5 "] {
            let claim = read(text).unwrap();
            assert_eq!((claim.player.as_str(), claim.opponent.as_str()), ("a", "x (2)"), "{text}");
            assert_eq!((claim.more, claim.elo), (true, 0.0), "{text}: half the points are no Elo");
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
