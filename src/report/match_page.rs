//! The page of a match: encounters, Elo with intervals, sequential tests, and how the games ended.

use super::match_figures::{elo_by_size, elo_figure, encounter_name, llr_figure};
use super::number::{format_count, format_number, format_percent};
use super::sheet::{Cell, Emphasis, Entries, Part, SheetTable};
use crate::analysis::Frame;
use crate::analysis::questions::equal_nodes::EqualNodes;
use crate::analysis::questions::matches::{Encounter, Matches};
use crate::record::games;
use crate::stats::gsprt::TestState;
use crate::stats::sample::min_clusters;
use crate::text::plural;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Findings name at most this many encounters one by one.
const MAX_NAMED: usize = 6;

/// The mean of about this many pairs is near enough to normal for Student's t.
const MIN_PAIRS: u64 = 30;

/// Whether an encounter has enough pairs for an interval: fewer could all have one sign by chance.
fn has_interval(encounter: &Encounter) -> bool {
    encounter.pairs.count() >= min_clusters(1) as u64
}

fn elo_text(encounter: &Encounter) -> String {
    let elo = encounter.elo();
    if has_interval(encounter) { elo.to_string() } else { format!("{:+.1} Elo [too few pairs]", elo.elo) }
}

/// The decision of an encounter's test.
fn test_text(encounter: &Encounter) -> String {
    match encounter.decided {
        None => "open".to_owned(),
        Some((TestState::H1, at)) => format!("H1 accepted after {} pairs", format_count(at as f64)),
        Some((_, at)) => format!("H0 accepted after {} pairs", format_count(at as f64)),
    }
}

/// The smallest and the largest multiple of the baseline's nodes that was played.
fn handicap_range(all: &Matches) -> (f64, f64) {
    let multiples = all.handicaps.iter().map(|(divisor, _)| 1.0 / divisor);
    multiples.fold((1.0, 1.0), |(min, max), multiple| (min.min(multiple), max.max(multiple)))
}

/// A multiple of the baseline's nodes; outside the range played, that range's end.
fn format_multiple(nodes: f64, (min, max): (f64, f64)) -> String {
    match nodes {
        0.0 => format!("below {}", format_number(min, 2)),
        f64::INFINITY => format!("above {}", format_number(max, 2)),
        _ => format_number(nodes, 2),
    }
}

/// Both ends of an interval of such multiples.
fn format_multiples(equal: &EqualNodes, all: &Matches) -> String {
    let [low, high] = [equal.low, equal.high].map(|nodes| format_multiple(nodes, handicap_range(all)));
    if low == high { low } else { format!("{low}, {high}") }
}

/// The multiple of the baseline's nodes at which both are equally strong.
fn equal_nodes_text(equal: &EqualNodes, opponent: &str, all: &Matches) -> String {
    let (nodes, ends) = (format_multiple(equal.nodes, handicap_range(all)), format_multiples(equal, all));
    match equal.nodes.is_finite() && equal.nodes > 0.0 {
        true => format!("as strong as \"{opponent}\" with {nodes} of its nodes [{ends}]"),
        false => format!("outside the handicaps played: {nodes} of the nodes of \"{opponent}\" [{ends}]"),
    }
}

/// The answer, one sentence each.
pub(super) fn findings(all: &Matches) -> Vec<String> {
    let mut sentences = Vec::new();
    let encounters = &all.encounters;
    let pairs: u64 = encounters.iter().map(|encounter| encounter.pairs.count()).sum();
    let test = &all.test;
    if encounters.len() <= MAX_NAMED {
        for encounter in encounters {
            let verdict = match (encounter.stronger, encounter.decided) {
                (Some(Ordering::Greater), _) => "the first is clearly the stronger".to_owned(),
                (Some(Ordering::Less), _) => "the first is clearly the weaker".to_owned(),
                // The interval of a decided test may contain 0 or end there.
                (_, Some((TestState::H1, _))) => {
                    format!("by its test the first is worth {} normalized Elo or more", test.elo1)
                }
                (_, Some((TestState::H0, _))) => {
                    format!("by its test the first is worth {} normalized Elo or less", test.elo0)
                }
                _ if test.stop => "its test has not ended".to_owned(),
                _ => "no difference is shown".to_owned(),
            };
            sentences.push(format!(
                "\"{}\" against \"{}\": {} over {} pairs of games; {verdict}{}. The test of {} against {} normalized Elo: {}.",
                encounter.player,
                encounter.opponent,
                elo_text(encounter),
                format_count(encounter.pairs.count() as f64),
                encounter.equal_nodes.map_or_else(String::new, |equal| format!(", {}", equal_nodes_text(&equal, &encounter.opponent, all))),
                test.elo0,
                test.elo1,
                test_text(encounter)
            ));
        }
    } else {
        let by = |a: &&Encounter, b: &&Encounter| a.elo().elo.total_cmp(&b.elo().elo);
        if let (Some(best), Some(worst)) = (encounters.iter().max_by(by), encounters.iter().min_by(by)) {
            for (word, encounter) in [("most", best), ("least", worst)] {
                let equal = encounter
                    .equal_nodes
                    .map(|equal| format!(", {}", equal_nodes_text(&equal, &encounter.opponent, all)));
                sentences.push(format!(
                    "The {word}: \"{}\", {}{}.",
                    encounter_name(encounter, all),
                    elo_text(encounter),
                    equal.unwrap_or_default()
                ));
            }
        }
        let [stronger, weaker] = [Ordering::Greater, Ordering::Less]
            .map(|expected| encounters.iter().filter(|encounter| encounter.stronger == Some(expected)).count());
        sentences.push(format!(
            "Of {} encounters {stronger} are clearly won and {weaker} clearly lost by the first player, after correction for their \
             number; the others show no difference.",
            encounters.len()
        ));
    }
    if encounters.len() > 1 {
        sentences.push(format!(
            "{} pairs in all. {} encounters are tested together: {}each test may err {:.2} and {:.2} % of the \
             time, so that the family-wise error rates are at most {} and {} %. An interval in brackets is of its encounter \
             alone; claims are decided at a level that holds for all together.",
            format_count(pairs as f64),
            encounters.len(),
            if test.stop { "" } else { "p is Holm-corrected, and " },
            100.0 * all.bounds.alpha,
            100.0 * all.bounds.beta,
            100.0 * test.alpha,
            100.0 * test.beta
        ));
    }
    if test.stop {
        let ended = encounters.iter().filter(|encounter| encounter.decided.is_some()).count();
        let what = match ended {
            0 => {
                ": each Elo is over all pairs that were played. The tests could have stopped early, so that an interval is only \
                 approximate (`stop = false` plays all pairs)."
            }
            _ => {
                ". Because a test stops at an extreme, its Elo is biased away from 0 and the interval is only approximate \
                 (`stop = false` plays all pairs)."
            }
        };
        let stopped = match (ended, encounters.len()) {
            (0, _) => "No encounter was stopped by its test".to_owned(),
            (1, 1) => "The encounter was stopped by its test".to_owned(),
            (_, all) => format!("{ended} of {all} encounters were stopped by their tests"),
        };
        sentences.push(stopped + what);
    }
    sentences
}

/// Warnings about the match.
pub(super) fn match_warnings(all: &Matches) -> Vec<String> {
    let mut warnings = Vec::new();
    // The first few of a list, and how many more there are.
    let first_few = |list: &[String], between: &str| {
        let more = crate::text::and_more(list.len().saturating_sub(MAX_NAMED));
        list[..list.len().min(MAX_NAMED)].join(between) + &more
    };
    if all.failed > 0 {
        warnings.push(format!("{} pairs could not be played and are left out: see the error column", all.failed));
    }
    let fewest = all.all_encounters().map(|encounter| encounter.pairs.count()).min().unwrap_or(0);
    if fewest < MIN_PAIRS {
        warnings.push(format!(
            "{fewest} pairs in an encounter are few: intervals and p take their mean for normal, which needs about {MIN_PAIRS}"
        ));
    }
    let is_mirrored =
        |encounter: &&Encounter| encounter.pairs.count() > 0 && encounter.mirrored == encounter.pairs.count();
    let mirrored: Vec<String> = all
        .encounters
        .iter()
        .filter(is_mirrored)
        .map(|encounter| format!("\"{}\"", encounter_name(encounter, all)))
        .collect();
    if !mirrored.is_empty() {
        warnings.push(format!(
            "both players made the same moves in every pair, so that they are one player here: {}",
            first_few(&mirrored, ", ")
        ));
    }
    let repeated: u64 = all.all_encounters().map(|encounter| encounter.repeated).sum();
    let pairs: u64 = all.all_encounters().map(|encounter| encounter.pairs.count()).sum();
    if repeated > 0 {
        warnings.push(format!(
            "{repeated} of {pairs} pairs have a game that is move for move one of a pair before them, from the same position (transposed openings, or the same \
             opening twice): they add nothing new, and the intervals are too narrow by that much"
        ));
    }
    let blind: Vec<&Encounter> = all.all_encounters().filter(|encounter| encounter.blind > 0).collect();
    if let Some(most) = blind.iter().max_by_key(|encounter| encounter.blind) {
        warnings.push(format!(
            "in {} the first player had to move before completing depth 1 ({} at most, \"{}\"): give it more nodes",
            plural(blind.len(), "encounter"),
            plural(most.blind, "move"),
            encounter_name(most, all)
        ));
    }
    let identical: Vec<String> = all
        .encounters
        .iter()
        .filter_map(|encounter| {
            Some(format!(
                "\"{}\" as \"{}\"",
                encounter_name(encounter, all),
                encounter_name(&all.encounters[encounter.same_as?], all)
            ))
        })
        .collect();
    if !identical.is_empty() {
        warnings.push(format!(
            "the same games move for move, so that they are one player here, and one finding: {}",
            first_few(&identical, "; ")
        ));
    }
    warnings
}

/// The parts between the head and the provenance.
pub fn parts(all: &Matches, rows: &Frame) -> Vec<Part> {
    let tables = [Some(encounters_table(all)), handicaps_table(all), standings_table(all)]
        .into_iter()
        .flatten()
        .map(Part::Table);
    let figures =
        [Some(elo_figure(all)), elo_by_size(all, rows), llr_figure(all)].into_iter().flatten().map(Part::Figure);
    tables.chain(figures).chain([pairs_table(all), ends_table(all)].map(Part::Table)).collect()
}

/// Why an encounter has no interval.
const TOO_FEW_PAIRS: &str = "too few pairs";
const OUTSIDE: &str = "outside the handicaps played";

/// The cell, if the encounter has enough pairs for an interval.
fn unless_too_few(encounter: &Encounter, cell: Cell) -> Cell {
    if has_interval(encounter) { cell } else { Cell::empty(TOO_FEW_PAIRS) }
}

/// A row for each encounter; the test's verdict is behind the names.
pub(super) fn encounters_table(all: &Matches) -> SheetTable {
    let several = all.encounters.len() > 1;
    let test = "what the test decided, and after how many pairs in the plan's order";
    let mut entries = Entries::<Encounter>::default()
        .text("variant", "variant", "", |encounter| Cell::text(&encounter.player))
        .text("opponent", "against", "", |encounter| Cell::text(&encounter.opponent))
        .drop_order(5)
        .text("test", "test", test, |encounter| Cell::text(test_text(encounter)))
        .drop_order(1)
        .number("pairs", "pairs", "pairs of games, colours swapped", |encounter| {
            Cell::count(encounter.pairs.count() as f64)
        })
        .number("elo", "Elo", "by the logistic law, from the mean of the pairs", |encounter| {
            let mark = match encounter.stronger {
                Some(Ordering::Greater) => Emphasis::Better,
                Some(Ordering::Less) => Emphasis::Worse,
                _ => Emphasis::None,
            };
            let elo = encounter.elo().elo;
            Cell::number(elo, format!("{elo:+.1}")).with_emphasis(mark)
        })
        .number("interval", "95 %", "of this encounter alone", |encounter| {
            let elo = encounter.elo();
            unless_too_few(encounter, Cell::difference(elo.low, elo.high))
        });
    if !all.handicaps.is_empty() {
        let meaning = "the opponent would be as strong with this many times its nodes";
        entries = entries
            .number("equal_nodes", "equal nodes", meaning, |encounter| match encounter.equal_nodes {
                None => Cell::empty(TOO_FEW_PAIRS),
                Some(equal) if equal.nodes == 0.0 => Cell::empty(OUTSIDE),
                Some(equal) => Cell::number(equal.nodes, format_number(equal.nodes, 2)).with_reason(OUTSIDE),
            })
            .number("equal_nodes_interval", "95 %", "of the equal nodes, from resampled openings", |encounter| {
                let Some(equal) = encounter.equal_nodes else { return Cell::empty(TOO_FEW_PAIRS) };
                let text = format_multiples(&equal, all);
                Cell::range_with_text(equal.low, equal.high, text).with_reason(OUTSIDE)
            });
    }
    let los = "probability that the first is the stronger, with a flat prior";
    let why_no_p = if all.test.stop { "the test ends the games" } else { TOO_FEW_PAIRS };
    entries = entries
        .number("nelo", "nElo", "normalized: in standard deviations of a game", |encounter| {
            let elo = encounter.pairs.normalized();
            Cell::number(elo, format!("{elo:+.1}")).with_reason("all pairs ended alike")
        })
        .drop_order(6)
        .number("los", "LOS", los, |encounter| {
            let chance = encounter.pairs.superiority();
            unless_too_few(encounter, Cell::number(chance, format_percent(chance, 1.0)))
        })
        .drop_order(7)
        .number("p", "p", if several { "two-sided, Holm-corrected" } else { "two-sided" }, move |encounter| {
            Cell::p(encounter.corrected).with_reason(why_no_p)
        })
        .number("score", "score", "points of the games", |encounter| {
            Cell::share(encounter.points(), encounter.count() as f64)
        })
        .drop_order(3)
        .number("wdl", "W/D/L", "games won, drawn and lost", |encounter| {
            let [won, drawn, lost] = encounter.games;
            Cell::text(format!("{won}/{drawn}/{lost}"))
        })
        .drop_order(4)
        .number("ptnml", "Ptnml(0-2)", "pairs worth 0, 1/2, 1, 3/2 and 2 points", |encounter| {
            Cell::text(encounter.pairs.0.map(|count| count.to_string()).join(", "))
        })
        .drop_order(8)
        .number("llr", "LLR", "log-likelihood ratio of the test after all pairs", |encounter| {
            let last = encounter.llr_path.last().map_or(0.0, |point| point.1);
            Cell::number(last, format!("{last:+.2}"))
        })
        .drop_order(2);
    let table = entries.table("encounters", "Encounters", &all.encounters);
    let (lower, upper) = all.bounds.limits();
    let after = match all.test.stop {
        true => {
            "pairs after its end are not played, so that where it has ended Elo is biased away from 0 and p has no meaning"
        }
        false => "games after its end were played too, and Elo is over all",
    };
    table.with_note(format!(
        "Unit: the pair of games from one opening. Test: H0 {} against H1 {} normalized Elo; it ends where LLR passes {lower:.2} or \
         {upper:.2}. It is read off the games in the plan's order: {after}.",
        all.test.elo0, all.test.elo1
    ))
}

/// The baseline's copies with other node limits, against the baseline.
fn handicaps_table(all: &Matches) -> Option<SheetTable> {
    let entries = Entries::<(f64, Encounter)>::default()
        .text("variant", "player", "", |(_, encounter)| Cell::text(&encounter.player))
        .number("divisor", "divided by", "the baseline's nodes", |(by, _)| Cell::number(*by, by.to_string()))
        .number("pairs", "pairs", "pairs of games, colours swapped", |(_, encounter)| {
            Cell::count(encounter.pairs.count() as f64)
        })
        .number("elo", "Elo", "against the baseline, by the logistic law", |(_, encounter)| {
            let elo = encounter.elo().elo;
            Cell::number(elo, format!("{elo:+.1}"))
        })
        .number("interval", "95 %", "of this encounter alone", |(_, encounter)| {
            let elo = encounter.elo();
            unless_too_few(encounter, Cell::difference(elo.low, elo.high))
        });
    let note = "The baseline with other nodes against itself. A variant's equal nodes are read off these: a monotone curve of Elo over the \
                logarithm of nodes, with intervals from resampled openings.";
    entries.table("handicaps", "Handicaps", &all.handicaps).with_note(note).non_empty()
}

/// Each player's points against all others; none if all met one opponent.
fn standings_table(all: &Matches) -> Option<SheetTable> {
    if all.encounters.is_empty() || all.common_opponent().is_some() {
        return None;
    }
    let mut players: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for encounter in &all.encounters {
        let (points, games) = (encounter.points(), encounter.count() as f64);
        for (player, points) in [(&encounter.player, points), (&encounter.opponent, games - points)] {
            let total = players.entry(player).or_default();
            *total = (total.0 + points, total.1 + games);
        }
    }
    let mut order: Vec<(&str, (f64, f64))> = players.into_iter().collect();
    order.sort_by(|a, b| (b.1.0 / b.1.1).total_cmp(&(a.1.0 / a.1.1)));
    let entries = Entries::<(&str, (f64, f64))>::default()
        .text("variant", "variant", "", |(player, _)| Cell::text(*player))
        .number("points", "points", "", |(_, (points, _))| Cell::decimal(*points, 1))
        .number("games", "games", "", |(_, (_, games))| Cell::count(*games))
        .number("score", "score", "", |(_, (points, games))| Cell::share(*points, *games));
    Some(entries.table("standings", "Standings", &order))
}

/// Pairs by points and games by result, for each encounter.
fn pairs_table(all: &Matches) -> SheetTable {
    let count = |count: fn(&Encounter) -> u64| move |encounter: &Encounter| Cell::count(count(encounter) as f64);
    let mirrored = "pairs whose games are move for move the same: the players did not differ";
    let name = |encounter: &Encounter| Cell::text(encounter_name(encounter, all));
    let mut entries = Entries::<Encounter>::default().text("variant", "variant", "", name);
    for (at, points) in ["0", "1/2", "1", "3/2", "2"].into_iter().enumerate() {
        let meaning = "Ptnml(0-2): pairs worth so many points";
        let cell = move |encounter: &Encounter| Cell::count(encounter.pairs.0[at] as f64);
        entries = entries.number(&format!("pairs_{at}"), points, meaning, cell);
    }
    let depth = "mean depth of the last finished iteration, the variant's";
    entries
        .number("won", "W", "games won", count(|encounter| encounter.games[0]))
        .number("drawn", "D", "games drawn", count(|encounter| encounter.games[1]))
        .number("lost", "L", "games lost", count(|encounter| encounter.games[2]))
        .number("mirrored", "mirrored", mirrored, count(|encounter| encounter.mirrored))
        .number("white", "White", "share of the points that went to White", |encounter| {
            Cell::share(encounter.white, encounter.count() as f64)
        })
        .number("moves", "moves", "mean moves of each side in a game", |encounter| {
            Cell::decimal(encounter.plies / 2.0, 1)
        })
        .number("depth", "depth", depth, |encounter| Cell::decimal(encounter.depth, 2))
        .number("nodes", "nodes", "mean nodes of a move, the variant's", |encounter| Cell::count(encounter.nodes[0]))
        .number("opponent_nodes", "its nodes", "the opponent's", |encounter| Cell::count(encounter.nodes[1]))
        .table("pairs", "Pairs and games", all.all_encounters())
}

/// How the games ended, with a link to the games.
fn ends_table(all: &Matches) -> SheetTable {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (end, games) in all.all_encounters().flat_map(|encounter| &encounter.ends) {
        *sums.entry(end).or_insert(0) += games;
    }
    let total: u64 = sums.values().sum();
    let mut lines: Vec<(&str, u64)> = sums.into_iter().collect();
    lines.push(("all, as PGN", total));
    let entries = Entries::<(&str, u64)>::default()
        .text("end", "end", "what ended the game", |(end, _)| Cell::text(*end))
        .number("games", "games", "", |(_, part)| Cell::count(*part as f64))
        .number("share", "share", "", |(_, part)| Cell::share(*part as f64, total as f64));
    let mut table = entries.table("ends", "How the games ended", &lines);
    if let Some(row) = table.rows.last_mut() {
        row[0].link = games::NAME.to_owned();
    }
    table.with_note(format!("The games are in `{}`, made from the rows.", games::NAME))
}

#[cfg(test)]
mod tests;
