//! Judges claims about a match by its games, at a significance level that holds for all encounters
//! together.

use super::claims::{Ruling, Verdict};
use super::match_test::{Elo, TAIL};
use super::matches::{Encounter, Matches};
use crate::experiment::Expect;
use crate::experiment::match_claims::MatchClaim;
use crate::stats::sample::min_clusters;
use crate::text::plural;

/// Judges all claims by the games of the match. Expectations without a claim are left out.
pub fn judge_match_claims(expects: &[Expect], matches: &Matches) -> Vec<Verdict> {
    let player_names =
        || matches.encounters.iter().flat_map(|encounter| [encounter.player.as_str(), encounter.opponent.as_str()]);
    let judge_claim = |expect: &Expect| {
        let text = expect.claim.clone()?;
        let claim = MatchClaim::parse(&text, player_names()).ok();
        let subject = claim
            .as_ref()
            .map_or_else(String::new, |claim| format!("\"{}\" against \"{}\"", claim.player, claim.opponent));
        let claim_and_encounter = claim.as_ref().and_then(|claim| Some((claim, find_encounter(claim, matches)?)));
        let (ruling, measured) = claim_and_encounter.map_or((Ruling::NoRows, String::new()), |(claim, encounter)| {
            let (pairs, required_pairs) = (encounter.pairs.count(), min_clusters(matches.encounters.len()) as u64);
            let level = match matches.encounters.len() {
                1 => String::new(),
                count => format!(" (decided at a significance level for all {count} encounters together)"),
            };
            let elo = claimed_elo(claim, encounter, TAIL);
            let message = format!("{elo} over {}{level}", plural(pairs, "pair"));
            if matches.test.stop {
                // The interval is not valid if a sequential test stopped the games.
                (Ruling::Undecided, message)
            } else if pairs < required_pairs {
                (Ruling::Undecided, format!("{message}; too few pairs: at least {required_pairs} are needed"))
            } else {
                (rule_by_interval(claim, claimed_elo(claim, encounter, matches.tail())), message)
            }
        });
        Some(Verdict { subject, published: text, measured, ruling, ..Verdict::pending(expect) })
    };
    expects.iter().filter_map(judge_claim).collect()
}

/// Finds the encounter of a claim's two players. Either of them may be the first player of the
/// encounter.
fn find_encounter<'m>(claim: &MatchClaim, matches: &'m Matches) -> Option<&'m Encounter> {
    let claim_players = [&claim.player, &claim.opponent];
    matches.encounters.iter().find(|encounter| {
        let players = [&encounter.player, &encounter.opponent];
        players == claim_players || players == [claim_players[1], claim_players[0]]
    })
}

/// `tail` is the probability beyond each end of the interval. The ends are NaN if there are fewer
/// than two pairs.
fn claimed_elo(claim: &MatchClaim, encounter: &Encounter, tail: f64) -> Elo {
    let Elo { elo, low, high } = encounter.pairs.elo_with_tail(tail);
    let (low, high) = if encounter.pairs.count() < 2 { (f64::NAN, f64::NAN) } else { (low, high) };
    match encounter.player == claim.player {
        true => Elo { elo, low, high },
        false => Elo { elo: -elo, low: -high, high: -low },
    }
}

/// Decides a claim by the interval of Elo. The claim is undecided unless the whole interval lies on
/// one side of the claimed Elo.
fn rule_by_interval(claim: &MatchClaim, Elo { low, high, .. }: Elo) -> Ruling {
    let (is_more, is_less) = (low > claim.elo, high < claim.elo);
    if is_more {
        Ruling::from_holds(Some(claim.claims_more))
    } else if is_less {
        Ruling::from_holds(Some(!claim.claims_more))
    } else {
        Ruling::Undecided
    }
}

#[cfg(test)]
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
            let make_row = |index: u32, side| format!("a,o{index},0,1,b,{side},1,mate,20,50,0,2,m{index}{side},\n");
            let games: String =
                (0..pairs).flat_map(|index| ["white", "black"].map(|side| make_row(index, side))).collect();
            let rows = Frame::parse(format!("{head}{games}").as_bytes(), "test").unwrap();
            let matches = Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap();
            let claim: Expect = from_toml("claim = 'elo(a, b) > 0'").unwrap();
            let verdict = &judge_match_claims(&[claim], &matches)[0];
            assert_eq!(verdict.ruling, ruling);
            assert_eq!(verdict.measured.ends_with("over 5 pairs; too few pairs: at least 6 are needed"), pairs == 5);
        }
    }

    /// A claim may name the players in reverse order: then the Elo, its interval and the ruling are
    /// reversed too.
    #[test]
    fn reversed_claim_is_judged_by_the_mirrored_interval() {
        let head = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                    match.opponent_nodes,match.moves,error\n";
        let make_row = |index: u32, points: f64, side| {
            format!("a,o{index},0,1,b,{side},{points},mate,20,50,0,2,m{index}{side},\n")
        };
        let games: String = (0..40)
            .flat_map(|index| {
                [make_row(index, 1.0, "white"), make_row(index, [0.0, 0.5, 0.5, 1.0][index as usize % 4], "black")]
            })
            .collect();
        let rows = Frame::parse(format!("{head}{games}").as_bytes(), "test").unwrap();
        let matches = Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap();
        let Elo { elo, low, high } = matches.encounters[0].pairs.elo();
        assert!(0.0 < low, "a lopsided interval above 0");
        assert!(low < elo, "a lopsided interval above 0");
        assert!(elo < high, "a lopsided interval above 0");
        assert!(elo - low < high - elo, "a lopsided interval above 0");
        let judge_claim = |claim: &str| {
            let verdict = judge_match_claims(&[from_toml(&format!("claim = '{claim}'")).unwrap()], &matches).remove(0);
            (verdict.ruling, verdict.measured.split(" over").next().unwrap().to_owned())
        };
        let elo_text = format!("{elo:+.1} Elo [{low:+.1}, {high:+.1}]");
        let reversed_text = format!("{:+.1} Elo [{:+.1}, {:+.1}]", -elo, -high, -low);
        assert_eq!(judge_claim("elo(a, b) > 0"), (Ruling::Holds, elo_text.clone()));
        assert_eq!(judge_claim("elo(a, b) < 0"), (Ruling::Differs, elo_text));
        assert_eq!(judge_claim("elo(b, a) < 0"), (Ruling::Holds, reversed_text.clone()));
        assert_eq!(judge_claim("elo(b, a) > 0"), (Ruling::Differs, reversed_text.clone()));
        let inside = (low + elo) / 2.0;
        assert_eq!(judge_claim(&format!("elo(b, a) < -{inside:.2}")), (Ruling::Undecided, reversed_text));
    }

    /// Calculated by hand: 4 of 40 pairs lost by a point and 12 won by a point have a mean of 0.55
    /// with a standard error of 0.0237, so p is 0.042. That is below 5 %, enough for one encounter,
    /// but above the 2.5 % that two encounters require.
    #[test]
    fn claim_about_one_of_two_encounters_needs_half_the_level() {
        let head = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                    match.opponent_nodes,match.moves,error\n";
        let judge_claim = |players: &[&str]| {
            let make_row = |player: &str, index: u32, points: f64, side| {
                format!("{player},o{index},0,1,c,{side},{points},mate,20,50,0,2,{player}{index}{side},\n")
            };
            let second_points = |index: u32| if index < 4 { 0.0 } else { 0.5 + 0.5 * f64::from(u8::from(index < 16)) };
            let make_pair = |player: &str, index| {
                make_row(player, index, 0.5, "white") + &make_row(player, index, second_points(index), "black")
            };
            let games: String =
                players.iter().flat_map(|player| (0..40).map(move |index| make_pair(player, index))).collect();
            let rows = Frame::parse(format!("{head}{games}").as_bytes(), "test").unwrap();
            let matches = Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap();
            judge_match_claims(&[from_toml("claim = 'elo(a, c) > 0'").unwrap()], &matches).remove(0)
        };
        let (single, among_two) = (judge_claim(&["a"]), judge_claim(&["a", "b"]));
        assert_eq!((single.ruling, among_two.ruling), (Ruling::Holds, Ruling::Undecided));
        assert_eq!(
            among_two.measured,
            single.measured
                + " (decided at a significance level for all 2 encounters \
            together)"
        );
    }

    /// Only an interval that lies entirely on one side of the figure decides. An end on the figure
    /// or an unknown end decides nothing.
    #[test]
    fn interval_must_exclude_the_figure() {
        for (low, high, expected) in [
            (6.0, 9.0, Ruling::Holds),
            (5.0, 9.0, Ruling::Undecided),
            (1.0, 9.0, Ruling::Undecided),
            (1.0, 5.0, Ruling::Undecided),
            (1.0, 4.0, Ruling::Differs),
            (f64::NAN, f64::NAN, Ruling::Undecided),
        ] {
            let rule_claim = |more: bool| {
                let claim =
                    MatchClaim { player: "a".to_owned(), opponent: "b".to_owned(), claims_more: more, elo: 5.0 };
                rule_by_interval(&claim, Elo { elo: 5.0, low, high })
            };
            let opposite = match expected {
                Ruling::Holds => Ruling::Differs,
                Ruling::Differs => Ruling::Holds,
                other => other,
            };
            assert_eq!((rule_claim(true), rule_claim(false)), (expected, opposite), "{low} to {high}");
        }
    }
}
