//! Judges claims about a match by its games, with intervals that hold for all encounters together.

use super::claims::{Ruling, Verdict};
use super::match_test::Elo;
use super::matches::{Encounter, Matches};
use crate::experiment::Expect;
use crate::experiment::match_claims::MatchClaim;
use crate::stats::sample::min_clusters;
use crate::text::plural;

/// Judges all claims by the games.
pub fn judge_match_claims(expects: &[Expect], all: &Matches) -> Vec<Verdict> {
    let names = || all.encounters.iter().flat_map(|encounter| [encounter.player.as_str(), encounter.opponent.as_str()]);
    let judge = |expect: &Expect| {
        let text = expect.claim.clone()?;
        let claim = MatchClaim::parse(&text, names()).ok();
        let elo_and_encounter = claim.as_ref().and_then(|claim| Some((claim, find_elo(claim, all)?)));
        let subject = claim
            .as_ref()
            .map_or_else(String::new, |claim| format!("\"{}\" against \"{}\"", claim.player, claim.opponent));
        let (ruling, measured) = elo_and_encounter.map_or((Ruling::NoRows, String::new()), |(claim, (elo, judge))| {
            let (pairs, expected) = (judge.pairs.count(), min_clusters(all.encounters.len()) as u64);
            let family = match all.encounters.len() {
                1 => String::new(),
                several => format!(" (interval for all {several} encounters together)"),
            };
            let message = format!("{elo} over {}{family}", plural(pairs, "pair"));
            // The interval of games that a sequential test stopped is not valid.
            match (all.test.stop, pairs < expected) {
                (true, _) => (Ruling::Undecided, message),
                (false, true) => (Ruling::Undecided, format!("{message}; too few, at least {expected} are needed")),
                (false, false) => (rule_by_interval(claim, elo), message),
            }
        });
        Some(Verdict { subject, published: text, measured, ruling, ..Verdict::pending(expect) })
    };
    expects.iter().filter_map(judge).collect()
}

/// The Elo of the claim's player, with the interval of all encounters; NaN ends if there are too
/// few pairs.
fn find_elo<'m>(claim: &MatchClaim, all: &'m Matches) -> Option<(Elo, &'m Encounter)> {
    let matches_players = |one: &Encounter, first: &str, second: &str| one.player == first && one.opponent == second;
    let (first, second) = (claim.player.as_str(), claim.opponent.as_str());
    let one =
        all.encounters.iter().find(|one| matches_players(one, first, second) || matches_players(one, second, first))?;
    let Elo { elo, low, high } = one.pairs.elo_within(all.reach);
    let (low, high) = if one.pairs.count() < 2 { (f64::NAN, f64::NAN) } else { (low, high) };
    Some(if matches_players(one, first, second) {
        (Elo { elo, low, high }, one)
    } else {
        (Elo { elo: -elo, low: -high, high: -low }, one)
    })
}

fn rule_by_interval(claim: &MatchClaim, Elo { low, high, .. }: Elo) -> Ruling {
    let than = claim.elo;
    match (claim.more, low > than, high < than) {
        (true, true, _) | (false, _, true) => Ruling::Holds,
        (true, _, true) | (false, true, _) => Ruling::Differs,
        _ => Ruling::Undecided,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::rows::frame::Frame;
    use crate::decode::from_toml;
    use crate::experiment::matches::Test;

    /// Five pairs decide nothing, even if all were won.
    #[test]
    fn too_few_pairs_decide_nothing() {
        let head = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                    match.opponent_nodes,match.moves,error\n";
        for (pairs, ruling) in [(5, Ruling::Undecided), (6, Ruling::Holds)] {
            let row = |index: u32, side| format!("a,o{index},0,1,b,{side},1,mate,20,50,0,2,m{index}{side},\n");
            let games: String = (0..pairs).flat_map(|index| ["white", "black"].map(|side| row(index, side))).collect();
            let rows = Frame::parse(format!("{head}{games}").as_bytes(), "test").unwrap();
            let all = Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap();
            let claim: Expect = from_toml("claim = 'elo(a, b) > 0'").unwrap();
            let found = &judge_match_claims(&[claim], &all)[0];
            assert_eq!(found.ruling, ruling);
            assert_eq!(found.measured.ends_with("over 5 pairs; too few, at least 6 are needed"), pairs == 5);
        }
    }

    /// A claim may name the players in reverse: values, interval and ruling are swapped.
    #[test]
    fn reversed_claim_is_judged_by_the_mirrored_interval() {
        let head = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                    match.opponent_nodes,match.moves,error\n";
        let row = |index: u32, points: f64, side| {
            format!("a,o{index},0,1,b,{side},{points},mate,20,50,0,2,m{index}{side},\n")
        };
        let games: String = (0..40)
            .flat_map(|index| [row(index, 1.0, "white"), row(index, [0.0, 0.5, 0.5, 1.0][index as usize % 4], "black")])
            .collect();
        let rows = Frame::parse(format!("{head}{games}").as_bytes(), "test").unwrap();
        let all = Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap();
        let Elo { elo, low, high } = all.encounters[0].pairs.elo_within(all.reach);
        assert!(0.0 < low, "a lopsided interval above 0");
        assert!(low < elo, "a lopsided interval above 0");
        assert!(elo < high, "a lopsided interval above 0");
        assert!(elo - low < high - elo, "a lopsided interval above 0");
        let judge = |claim: &str| {
            let found = judge_match_claims(&[from_toml(&format!("claim = '{claim}'")).unwrap()], &all).remove(0);
            (found.ruling, found.measured.split(" over").next().unwrap().to_owned())
        };
        let straight = format!("{elo:+.1} Elo [{low:+.1}, {high:+.1}]");
        let turned = format!("{:+.1} Elo [{:+.1}, {:+.1}]", -elo, -high, -low);
        assert_eq!(judge("elo(a, b) > 0"), (Ruling::Holds, straight.clone()));
        assert_eq!(judge("elo(a, b) < 0"), (Ruling::Differs, straight));
        assert_eq!(judge("elo(b, a) < 0"), (Ruling::Holds, turned.clone()));
        assert_eq!(judge("elo(b, a) > 0"), (Ruling::Differs, turned.clone()));
        let within = (low + elo) / 2.0;
        assert_eq!(judge(&format!("elo(b, a) < -{within:.2}")), (Ruling::Undecided, turned));
    }

    /// Only an interval entirely on one side of the figure decides; neither an end on it nor an
    /// unknown end does.
    #[test]
    fn interval_must_exclude_the_figure() {
        for (low, high, more) in [
            (6.0, 9.0, Ruling::Holds),
            (5.0, 9.0, Ruling::Undecided),
            (1.0, 9.0, Ruling::Undecided),
            (1.0, 5.0, Ruling::Undecided),
            (1.0, 4.0, Ruling::Differs),
            (f64::NAN, f64::NAN, Ruling::Undecided),
        ] {
            let rule_of = |more: bool| {
                let claim = MatchClaim { player: "a".to_owned(), opponent: "b".to_owned(), more, elo: 5.0 };
                rule_by_interval(&claim, Elo { elo: 5.0, low, high })
            };
            let less = match more {
                Ruling::Holds => Ruling::Differs,
                Ruling::Differs => Ruling::Holds,
                other => other,
            };
            assert_eq!((rule_of(true), rule_of(false)), (more, less), "{low} to {high}");
        }
    }
}
