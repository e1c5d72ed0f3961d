//! Judges claims about a match by its games, at a level that holds for all encounters together.

use super::claims::{Ruling, Verdict};
use super::match_test::{Elo, TAIL};
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
        let subject = claim
            .as_ref()
            .map_or_else(String::new, |claim| format!("\"{}\" against \"{}\"", claim.player, claim.opponent));
        let found = claim.as_ref().and_then(|claim| Some((claim, find_encounter(claim, all)?)));
        let (ruling, measured) = found.map_or((Ruling::NoRows, String::new()), |(claim, encounter)| {
            let (pairs, expected) = (encounter.pairs.count(), min_clusters(all.encounters.len()) as u64);
            let level = match all.encounters.len() {
                1 => String::new(),
                several => format!(" (decided at a level for all {several} encounters together)"),
            };
            let own = claimed_elo(claim, encounter, TAIL);
            let message = format!("{own} over {}{level}", plural(pairs, "pair"));
            // The interval of games that a sequential test stopped is not valid.
            match (all.test.stop, pairs < expected) {
                (true, _) => (Ruling::Undecided, message),
                (false, true) => (Ruling::Undecided, format!("{message}; too few, at least {expected} are needed")),
                (false, false) => (rule_by_interval(claim, claimed_elo(claim, encounter, all.tail())), message),
            }
        });
        Some(Verdict { subject, published: text, measured, ruling, ..Verdict::pending(expect) })
    };
    expects.iter().filter_map(judge).collect()
}

/// The encounter of a claim's players, whichever of them is the first.
fn find_encounter<'m>(claim: &MatchClaim, all: &'m Matches) -> Option<&'m Encounter> {
    let players = [&claim.player, &claim.opponent];
    all.encounters.iter().find(|one| {
        let met = [&one.player, &one.opponent];
        met == players || met == [players[1], players[0]]
    })
}

/// The Elo of the claim's player; NaN ends if there are too few pairs.
fn claimed_elo(claim: &MatchClaim, encounter: &Encounter, tail: f64) -> Elo {
    let Elo { elo, low, high } = encounter.pairs.elo_with_tail(tail);
    let (low, high) = if encounter.pairs.count() < 2 { (f64::NAN, f64::NAN) } else { (low, high) };
    match encounter.player == claim.player {
        true => Elo { elo, low, high },
        false => Elo { elo: -elo, low: -high, high: -low },
    }
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
        let Elo { elo, low, high } = all.encounters[0].pairs.elo();
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

    /// By hand: 4 pairs of 40 lost by a point and 12 won have a mean of 0.55 with a standard error
    /// of 0.0237, so that p is 0.042: below 5 % for one encounter and above the half of it for two.
    #[test]
    fn claim_about_one_of_two_encounters_needs_half_the_level() {
        let head = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                    match.opponent_nodes,match.moves,error\n";
        let judge = |players: &[&str]| {
            let row = |player: &str, index: u32, points: f64, side| {
                format!("{player},o{index},0,1,c,{side},{points},mate,20,50,0,2,{player}{index}{side},\n")
            };
            let second = |index: u32| if index < 4 { 0.0 } else { 0.5 + 0.5 * f64::from(u8::from(index < 16)) };
            let pair =
                |player: &str, index| row(player, index, 0.5, "white") + &row(player, index, second(index), "black");
            let games: String =
                players.iter().flat_map(|player| (0..40).map(move |index| pair(player, index))).collect();
            let rows = Frame::parse(format!("{head}{games}").as_bytes(), "test").unwrap();
            let all = Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap();
            judge_match_claims(&[from_toml("claim = 'elo(a, c) > 0'").unwrap()], &all).remove(0)
        };
        let (one, two) = (judge(&["a"]), judge(&["a", "b"]));
        assert_eq!((one.ruling, two.ruling), (Ruling::Holds, Ruling::Undecided));
        assert_eq!(two.measured, one.measured + " (decided at a level for all 2 encounters together)");
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
