//! Judges claims about a match by its games, at a significance level that holds for all encounters
//! together.

use super::match_test::{Elo, TAIL};
use super::matches::Matches;
use super::verdict::{Ruling, Verdict};
use crate::experiment::Expect;
use crate::experiment::claim::Claim;
use crate::stats::sample::min_clusters;
use crate::text::plural;

/// Judges all claims by the games of the match. Expectations without a claim are left out.
pub fn judge_match_claims(expects: &[Expect], matches: &Matches) -> Vec<Verdict> {
    let judge_claim = |expect: &Expect| {
        let published = expect.claim.clone()?;
        let verdict = Verdict { published: published.clone(), ..Verdict::pending(expect) };
        Some(Claim::parse(&published).ok().and_then(|claim| judge(&claim, matches, &verdict)).unwrap_or(verdict))
    };
    expects.iter().filter_map(judge_claim).collect()
}

/// Returns `None` if no encounter is about the claim.
fn judge(claim: &Claim, matches: &Matches, pending: &Verdict) -> Option<Verdict> {
    let names =
        matches.encounters.iter().flat_map(|encounter| [encounter.player.as_str(), encounter.opponent.as_str()]);
    let ([player, opponent], bound) = claim.match_terms(names).ok()?;
    let subject = format!("\"{player}\" against \"{opponent}\"");
    let no_games = Verdict { subject: subject.clone(), ..pending.clone() };
    // Either of them may be the first player of the encounter.
    let is_claimed = |players: [&str; 2]| players == [player, opponent] || players == [opponent, player];
    let encounter = matches.encounters.iter().find(|encounter| is_claimed([&encounter.player, &encounter.opponent]));
    let Some(encounter) = encounter else { return Some(no_games) };
    let (pairs, required_pairs) = (encounter.pairs.count(), min_clusters(matches.encounters.len()) as u64);
    // The ends of the interval are unknown if there are fewer than two pairs. `tail` is the
    // probability beyond each end.
    let claimed_elo = |tail: f64| {
        let Elo { elo, low, high } = encounter.pairs.elo_with_tail(tail);
        let (low, high) = if pairs < 2 { (f64::NAN, f64::NAN) } else { (low, high) };
        match encounter.player == player {
            true => Elo { elo, low, high },
            false => Elo { elo: -elo, low: -high, high: -low },
        }
    };
    let level = match matches.encounters.len() {
        1 => String::new(),
        count => format!(" (decided at a significance level for all {count} encounters together)"),
    };
    let mut measured = format!("{} over {}{level}", claimed_elo(TAIL), plural(pairs, "pair"));
    let ruling = if matches.test.stop {
        // The interval is not valid if a sequential test stopped the games.
        Ruling::Undecided
    } else if pairs < required_pairs {
        measured += &format!("; too few pairs: at least {required_pairs} are needed");
        Ruling::Undecided
    } else {
        let Elo { elo, low, high } = claimed_elo(matches.tail());
        let excludes_bound = low > bound || high < bound;
        Ruling::from_interval(claim.relation, [low, elo, high], [bound; 2], excludes_bound)
    };
    Some(Verdict { measured, ruling, ..no_games })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rows::frame::Frame;
    use crate::decode::from_toml;
    use crate::experiment::matches::Test;

    /// Five pairs decide nothing, even if all were won; nor do those of a test that may end them.
    #[test]
    fn too_few_pairs_decide_nothing() {
        let head = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                    match.opponent_nodes,match.moves,error\n";
        let cases = [(5, false, Ruling::Undecided), (6, false, Ruling::Holds), (40, true, Ruling::Undecided)];
        for (pairs, stop, ruling) in cases {
            let make_row = |index: u32, side| format!("a,o{index},0,1,b,{side},1,mate,20,50,0,2,m{index}{side},\n");
            let games: String =
                (0..pairs).flat_map(|index| ["white", "black"].map(|side| make_row(index, side))).collect();
            let rows = Frame::parse(format!("{head}{games}").as_bytes(), "test").unwrap();
            let matches = Matches::new(&rows, Test { stop, ..Test::default() }).unwrap();
            let claim: Expect = from_toml("claim = 'elo(a, b) > 0'").unwrap();
            let verdict = &judge_match_claims(&[claim], &matches)[0];
            assert_eq!((verdict.ruling, matches.encounters[0].p.is_nan()), (ruling, stop), "{pairs}");
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
}
