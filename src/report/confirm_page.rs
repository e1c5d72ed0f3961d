//! The answer of a screen and the games after it, on the page of the searches: which variant to
//! take, and the predicted beside the measured Elo of each.

use super::contents::Page;
use super::sheet::{Cell, Emphasis, Entries, Part, SheetTable};
use crate::analysis::questions::match_test::Elo;
use crate::analysis::questions::screen::{Confirmation, Contender, PRICE, ScreenResult};
use crate::record::manifest::Manifest;
use crate::table::policy::Policy;
use crate::text::{plural, quote_names, signed};
use serde_json::Value;
use std::cmp::Ordering;

/// Adds the answer and the table of the games to the page of the searches. The answer comes before
/// the page's own findings, and the table before its first table. Without games, only one
/// variant is left.
pub fn add_to_page(page: &mut Page, screened: &ScreenResult, games: Option<&Confirmation>) {
    let nothing_to_play = || vec![format!("Take \"{}\": nothing is left to play against it.", screened.best)];
    let mut answer = games.map_or_else(nothing_to_play, |games| describe_games(&page.manifest, games, screened));
    answer.extend(describe_left_out(&page.manifest, screened));
    page.add_answer(answer);
    let Some(table) = games.map(|games| games_table(screened, games)) else { return };
    let parts = &mut page.sheet.parts;
    let first_table = parts.iter().position(|part| matches!(part, Part::Table(_) | Part::Figure(_)));
    parts.insert(first_table.unwrap_or(parts.len()), Part::Table(table.clone()));
    page.confirmed = Some(table);
}

fn format_elo(Elo { elo, low, high }: Elo) -> String {
    format!("{} Elo [{}, {}]", signed(elo, 0), signed(low, 0), signed(high, 0))
}

/// The sentences, the most important one first.
fn describe_games(manifest: &Manifest, games: &Confirmation, screened: &ScreenResult) -> Vec<String> {
    let best = &games.best;
    let mut sentences: Vec<String> = Vec::new();
    for Contender { name, .. } in &games.contenders {
        let Some(predicted) = screened.predict(name, best) else { continue };
        let measured = games.elo(name, best);
        let [found, expected] = [measured, predicted].map(|elo| (elo.high - elo.low) / 2.0);
        if (measured.elo - predicted.elo).abs() > found.hypot(expected) {
            sentences.push(format!(
                "Searches and games disagree on \"{name}\": against \"{best}\", its nodes predict {}, and games measured {}.",
                format_elo(predicted),
                format_elo(measured)
            ));
        }
    }
    let score = |name: &&String| games.elo(name, best).elo;
    let mut players: Vec<&String> = games.contenders.iter().map(|contender| &contender.name).collect();
    players.insert(0, best);
    // Of equal scores the first counts, which is the screen's best.
    players.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let winner = players[0];
    // The best of the screen met everybody, so a comparison with it is direct.
    let rival = if winner == best { players[1] } else { best };
    let lead = games.elo(winner, rival);
    let certainty = if lead.sign().is_some() { "beyond chance" } else { "which may be chance" };
    let pairs = games.contenders.iter().find(|contender| [winner, rival].contains(&&contender.name));
    let pairs = plural(pairs.map_or(0, |contender| contender.pairs.count()), "pair");
    let is_no_worse = |name: &&&String| games.elo(winner, name).sign().is_none();
    let simpler = players.iter().filter(|name| is_simpler(manifest, name, winner)).filter(is_no_worse);
    let simplest = simpler
        .min_by_key(|name| policy_rank(&manifest.planned.options[**name]))
        .map_or_else(String::new, |name| format!("; \"{name}\" is simpler and no worse shown"));
    sentences.push(format!(
        "Take \"{winner}\": it has the highest score in games, {} against \"{rival}\" in {pairs} of games, {certainty}{simplest}.",
        format_elo(lead)
    ));
    sentences
}

fn describe_left_out(manifest: &Manifest, screened: &ScreenResult) -> Vec<String> {
    let mut sentences = Vec::new();
    for (name, earlier, searches) in &screened.same {
        let slots = |name| manifest.planned.options.get(name).and_then(|options| options.pointer("/table/slots"));
        let reason = match slots(name) == Some(&1.into()) && slots(earlier) == Some(&1.into()) {
            true => "a bucket of one slot (table.slots = 1) leaves nothing to choose".to_owned(),
            false => format!("equal counts in all {searches} searches"),
        };
        sentences.push(format!("\"{name}\" is the same table as \"{earlier}\" here, and did not play: {reason}."));
    }
    if screened.self_play > 0 {
        sentences.push(format!(
            "The searches went along {} plies of each variant's own play from single positions: they hide what older entries \
             of a game do.",
            screened.self_play
        ));
    }
    if !screened.dropped.is_empty() {
        sentences.push(format!("Left out of the games: {}, {}.", quote_names(&screened.dropped), screened.reason));
    }
    sentences
}

/// The place of the replacement policy in the list of policies, which goes from the simplest to
/// those with formulas.
fn policy_rank(options: &Value) -> Option<usize> {
    let kind = options.pointer("/table/policy/kind")?.as_str()?;
    Policy::NAMES.iter().position(|name| *name == kind)
}

/// Whether a variant differs from another in its replacement policy alone, and has a simpler one.
fn is_simpler(manifest: &Manifest, name: &str, other: &str) -> bool {
    let (Some(options), Some(others)) = (manifest.planned.options.get(name), manifest.planned.options.get(other))
    else {
        return false;
    };
    let without_policy = |options: &Value| {
        let mut options = options.clone();
        options.pointer_mut("/table/policy").map(Value::take);
        options
    };
    policy_rank(options) < policy_rank(others) && without_policy(options) == without_policy(others)
}

fn games_table(screened: &ScreenResult, games: &Confirmation) -> SheetTable {
    let best = &games.best;
    let measured = |name: &&String| {
        let has_games = games.contenders.iter().any(|contender| contender.name == **name);
        has_games.then(|| games.elo(name, best))
    };
    let elo_cell = |elo: Option<Elo>| elo.map_or(Cell::empty(""), |Elo { elo, .. }| Cell::number(elo, signed(elo, 1)));
    let interval_cell =
        |elo: Option<Elo>| elo.map_or(Cell::empty(""), |Elo { low, high, .. }| Cell::difference(low, high));
    let verdict = |name: &&String| match games.decision(name) {
        _ if *name == best => (Emphasis::None, "best by nodes"),
        _ if measured(name).is_none() => (Emphasis::None, "left out"),
        Some(Ordering::Greater) => (Emphasis::Better, "stronger"),
        Some(_) => (Emphasis::Worse, "weaker"),
        None => (Emphasis::None, "undecided"),
    };
    let entries = Entries::<&String>::default()
        .text("variant", "variant", "", |name| Cell::text(*name))
        .number("predicted", "predicted Elo", "from nodes", |name| elo_cell(screened.predict(name, best)))
        .number("predicted_interval", "95 %", "of the nodes and of their price", |name| {
            interval_cell(screened.predict(name, best))
        })
        .number("pairs", "pairs", "pairs of games, colours swapped", |name| {
            let contender = games.contenders.iter().find(|contender| contender.name == **name);
            contender.map_or(Cell::empty(""), |contender| Cell::count(contender.pairs.count() as f64))
        })
        .number("elo", "measured Elo", "in games", |name| elo_cell(measured(name)).with_emphasis(verdict(name).0))
        .number("interval", "95 %", "holds jointly for all variants and stages", |name| interval_cell(measured(name)))
        .text("verdict", "verdict", "", |name| Cell::text(verdict(name).1));
    let names: Vec<&String> = [best]
        .into_iter()
        .chain(games.contenders.iter().map(|contender| &contender.name))
        .chain(&screened.dropped)
        .collect();
    let Elo { elo, low, high } = PRICE;
    entries.table("confirmed", &format!("Elo against \"{best}\", the best by nodes: predicted and measured"), &names).with_note(format!(
        "Predicted: {elo} [{low}, {high}] Elo for a factor of e in nodes (reports/measures). The intervals of the games hold jointly for all variants and stages."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::questions::line::Measure;
    use crate::analysis::questions::pairwise::LinePair;
    use crate::analysis::questions::screen::screen;
    use crate::analysis::{Line, Metric, Summary};
    use crate::record::manifest::Planned;
    use crate::stats::gsprt::Pentanomial;
    use crate::stats::ratio::Ratio;
    use serde_json::json;

    const EVEN: [u64; 5] = [10, 20, 40, 20, 10];
    const STRONG: [u64; 5] = [0, 10, 10, 40, 40];
    const WEAK: [u64; 5] = [40, 40, 10, 10, 0];

    /// The policy of "a" is always, that of "b" depth-preferred, that of "c" depth-age. "b" is the
    /// best by nodes: the others need these times its nodes.
    fn hand_made(ratios: [f64; 2], games: [[u64; 5]; 2], slots: u32) -> (Manifest, Confirmation, ScreenResult) {
        let names = ["a", "b", "c"];
        let line = |(name, mean): (&&str, f64)| Line {
            name: (*name).to_owned(),
            is_baseline: *name == "b",
            measures: vec![Measure { ratio: Ratio { mean, ..Ratio::default() }, ..Measure::default() }],
            ..Line::default()
        };
        let lines = names.iter().zip([ratios[0], 1.0, ratios[1]]).map(line).collect();
        let summary = Summary { lines, metrics: vec![Metric::nodes()], ..Summary::default() };
        let pair = |(line, mean): (usize, f64)| {
            let ratio =
                Ratio { mean, low: mean * 0.99, high: mean * 1.01, error: 0.01, pairs: 100, ..Ratio::default() };
            let ratio = if mean == 1.0 { Ratio { low: 1.0, high: 1.0, error: 0.0, ..ratio } } else { ratio };
            LinePair { line, base: 1, measure: Measure { ratio, ..Measure::default() } }
        };
        let mut screened = screen(&summary, &[0, 2].into_iter().zip(ratios).map(pair).collect::<Vec<_>>());
        screened.best = "b".to_owned();
        let contender =
            |(name, pairs): (&str, [u64; 5])| Contender { name: name.to_owned(), pairs: Pentanomial(pairs) };
        let contenders = ["a", "c"].into_iter().zip(games).map(contender).collect();
        let games = Confirmation { best: "b".to_owned(), contenders, tail: 0.0125 };
        let kinds = ["always", "depth-preferred", "depth-age"];
        let options = names.iter().zip(kinds).map(|(name, kind)| {
            ((*name).to_owned(), json!({ "table": { "policy": { "kind": kind }, "slots": slots } }))
        });
        (Manifest::from(Planned { options: options.collect(), ..Planned::default() }), games, screened)
    }

    fn sentences(ratios: [f64; 2], games: [[u64; 5]; 2], slots: u32) -> Vec<String> {
        let (manifest, games, screened) = hand_made(ratios, games, slots);
        [describe_games(&manifest, &games, &screened), describe_left_out(&manifest, &screened)].concat()
    }

    /// The highest score is named whether or not it is beyond chance, with the simplest policy
    /// that is no worse.
    #[test]
    fn answer_names_the_highest_score_and_a_simpler_policy() {
        let beyond = "beyond chance.";
        let lead = |pairs: [u64; 5]| format_elo(Pentanomial(pairs).elo_with_tail(0.0125));
        let answer = |a, c| sentences([1.02, 1.01], [a, c], 4).into_iter().next_back().unwrap();
        assert_eq!(
            answer(WEAK, STRONG),
            format!(
                "Take \"c\": it has the highest score in games, {} against \"b\" in 100 pairs of games, {beyond}",
                lead(STRONG)
            )
        );
        let better = [10, 20, 40, 20, 12];
        let expected = format!(
            "Take \"c\": it has the highest score in games, {} against \"b\" in 102 pairs of games, which may be chance; \
             \"a\" is simpler and no worse shown.",
            lead(better)
        );
        assert_eq!(answer(EVEN, better), expected);
        // Only "b" is simpler and no worse.
        assert!(answer(WEAK, better).ends_with("; \"b\" is simpler and no worse shown."));
        // A more complex policy is not named.
        assert!(answer(WEAK, WEAK).ends_with(&format!("in 100 pairs of games, {beyond}")), "{}", answer(WEAK, WEAK));
        assert!(answer(WEAK, WEAK).starts_with("Take \"b\": it has the highest score in games, +"));
    }

    /// A factor of 1.219 in nodes is worth 37 Elo. Games that say the opposite come first.
    #[test]
    fn disagreement_is_the_first_sentence() {
        let found = sentences([1.219, 1.01], [STRONG, EVEN], 4);
        let expected = "Searches and games disagree on \"a\": against \"b\", its nodes predict -37 Elo [-50, -24], and games measured +";
        assert!(found[0].starts_with(expected), "{found:?}");
        assert!(found[1].starts_with("Take \"a\": "), "{found:?}");
        assert!(sentences([1.219, 1.01], [WEAK, EVEN], 4)[0].starts_with("Searches and games disagree"));
        let slightly_weaker = [12, 24, 40, 16, 8];
        assert!(sentences([1.219, 1.01], [slightly_weaker, EVEN], 4)[0].starts_with("Take "));
    }

    /// "d" did not play, because its nodes predict that it is too weak.
    #[test]
    fn each_variant_has_its_verdict() {
        let (_, games, mut screened) = hand_made([1.02, 1.01], [STRONG, EVEN], 4);
        screened.dropped.push("d".to_owned());
        let text = crate::report::sheet::describe(&games_table(&screened, &games));
        for (name, verdict) in [("b", "best by nodes"), ("a", "stronger"), ("c", "undecided"), ("d", "left out")] {
            let row = text.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
            assert!(row.is_some_and(|row| row.contains(verdict)), "{name}: {text}");
        }
    }

    #[test]
    fn variants_with_equal_counts_are_one_with_the_reason() {
        let last = |slots| sentences([1.02, 1.0], [EVEN, EVEN], slots).pop().unwrap();
        assert_eq!(
            last(4),
            "\"c\" is the same table as \"b\" here, and did not play: equal counts in all 100 searches."
        );
        assert!(last(1).ends_with(": a bucket of one slot (table.slots = 1) leaves nothing to choose."), "{}", last(1));
    }
}
