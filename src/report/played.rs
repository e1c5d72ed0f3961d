//! What the page of a match shows: the encounters, Elo with its intervals, the courses of the tests, how the games ended.

use super::courses::{by_size, courses, forest, name};
use super::number::{count, number, percent};
use super::sheet::{Cell, Emphasis, Part, SheetColumn, SheetTable};
use crate::analysis::Frame;
use crate::analysis::pairing::stats::at_least;
use crate::analysis::questions::equal_nodes::EqualNodes;
use crate::analysis::questions::match_test::Elo;
use crate::analysis::questions::matches::{Encounter, Matches};
use crate::experiment::sequential::TestState;
use crate::record::games;
use crate::text::plural;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Encounters that findings name one by one.
const NAMED: usize = 6;

/// Pairs below which the normal law is no good guide to an interval.
const FEW: u64 = 30;

/// Whether an encounter has pairs enough for an interval: fewer could be of one sign by chance, and hardly spread.
fn enough(one: &Encounter) -> bool {
    one.pairs.count() >= at_least(1) as u64
}

fn signed(one: &Encounter) -> String {
    let Elo { elo, low, high } = one.elo();
    let ends = if enough(one) { format!("{low:+.1}, {high:+.1}") } else { "too few pairs".to_owned() };
    format!("{elo:+.1} Elo [{ends}]")
}

/// What a test says, in words.
fn describe(one: &Encounter) -> String {
    match one.decided {
        None => "open".to_owned(),
        Some((TestState::H1, at)) => format!("H1 after {} pairs", count(at as f64)),
        Some((_, at)) => format!("H0 after {} pairs", count(at as f64)),
    }
}

/// The least and the most of the baseline's nodes that were played, as multiples of its own.
fn nodes_played(all: &Matches) -> (f64, f64) {
    let multiples = all.handicaps.iter().map(|(divisor, _)| 1.0 / divisor);
    multiples.fold((1.0, 1.0), |(least, most), multiple| (least.min(multiple), most.max(multiple)))
}

/// A multiple of the baseline's nodes in words; beyond what was played the end of that.
fn multiple(nodes: f64, (least, most): (f64, f64)) -> String {
    match nodes {
        0.0 => format!("below {}", number(least, 2)),
        f64::INFINITY => format!("above {}", number(most, 2)),
        _ => number(nodes, 2),
    }
}

/// The ends of an interval of such multiples.
fn multiples(equal: &EqualNodes, all: &Matches) -> String {
    let [low, high] = [equal.low, equal.high].map(|nodes| multiple(nodes, nodes_played(all)));
    if low == high { low } else { format!("{low}, {high}") }
}

/// Whom a variant equals.
fn as_strong(equal: &EqualNodes, opponent: &str, all: &Matches) -> String {
    let (nodes, ends) = (multiple(equal.nodes, nodes_played(all)), multiples(equal, all));
    match equal.nodes.is_finite() && equal.nodes > 0.0 {
        true => format!("as strong as \"{opponent}\" with {nodes} of its nodes [{ends}]"),
        false => format!("outside the handicaps played: {nodes} of the nodes of \"{opponent}\" [{ends}]"),
    }
}

/// The answer, in sentences.
pub(super) fn findings(all: &Matches) -> Vec<String> {
    let mut found = Vec::new();
    let encounters = &all.encounters;
    let played: u64 = encounters.iter().map(|one| one.pairs.count()).sum();
    let test = &all.test;
    if encounters.len() <= NAMED {
        for one in encounters {
            let verdict = match (one.stronger, one.decided) {
                (Some(Ordering::Greater), _) => "the first is clearly the stronger".to_owned(),
                (Some(Ordering::Less), _) => "the first is clearly the weaker".to_owned(),
                // What a test decides may lie on both sides of 0, or end there.
                (_, Some((TestState::H1, _))) => {
                    format!("by its test the first is worth {} normalized Elo or more", test.elo1)
                }
                (_, Some((TestState::H0, _))) => {
                    format!("by its test the first is worth {} normalized Elo or less", test.elo0)
                }
                _ if test.stop => "its test has not ended".to_owned(),
                _ => "no difference is shown".to_owned(),
            };
            found.push(format!(
                "\"{}\" against \"{}\": {} over {} pairs of games; {verdict}{}. The test of {} against {} normalized Elo: {}.",
                one.player,
                one.opponent,
                signed(one),
                count(one.pairs.count() as f64),
                one.equal_nodes.map_or_else(String::new, |equal| format!(", {}", as_strong(&equal, &one.opponent, all))),
                test.elo0,
                test.elo1,
                describe(one)
            ));
        }
    } else {
        let by = |a: &&Encounter, b: &&Encounter| a.elo().elo.total_cmp(&b.elo().elo);
        if let (Some(best), Some(worst)) = (encounters.iter().max_by(by), encounters.iter().min_by(by)) {
            for (word, one) in [("most", best), ("least", worst)] {
                let equal = one.equal_nodes.map(|equal| format!(", {}", as_strong(&equal, &one.opponent, all)));
                found.push(format!(
                    "The {word}: \"{}\", {}{}.",
                    name(one, all),
                    signed(one),
                    equal.unwrap_or_default()
                ));
            }
        }
        let [stronger, weaker] = [Ordering::Greater, Ordering::Less]
            .map(|expected| encounters.iter().filter(|one| one.stronger == Some(expected)).count());
        found.push(format!(
            "Of {} encounters {stronger} are clearly won and {weaker} clearly lost by the first player, after correction for their \
             number; the others show no difference.",
            encounters.len()
        ));
    }
    if encounters.len() > 1 {
        found.push(format!(
            "{} pairs in all. {} encounters are looked at together: {}each test may err {:.2} and {:.2} % of the \
             time, so that all together err at most {} and {} %.",
            count(played as f64),
            encounters.len(),
            if test.stop { "" } else { "p is Holm-corrected, and " },
            100.0 * all.bounds.alpha,
            100.0 * all.bounds.beta,
            100.0 * test.alpha,
            100.0 * test.beta
        ));
    }
    if test.stop {
        let ended = encounters.iter().filter(|one| one.decided.is_some()).count();
        let what = match ended {
            0 => {
                ": each Elo is of all pairs that were played. They would have ended had they shown more: an interval is for \
                 orientation only (`stop = false` plays all pairs)."
            }
            _ => {
                ". Such games ended when they showed most: their Elo lies too far from 0, and has an interval for orientation only \
                 (`stop = false` plays all pairs)."
            }
        };
        found.push(format!("{ended} of {} encounters ended with their tests{what}", encounters.len()));
    }
    found
}

/// What the reader must be warned of.
pub(super) fn doubts(all: &Matches) -> Vec<String> {
    let mut warnings = Vec::new();
    // The first few of a list, and how many more there are.
    let some = |list: &[String], between: &str| {
        let more = if list.len() > NAMED { format!(" and {} more", list.len() - NAMED) } else { String::new() };
        list[..list.len().min(NAMED)].join(between) + &more
    };
    if all.failed > 0 {
        warnings.push(format!("{} pairs could not be played and count for nothing: see the error column", all.failed));
    }
    let fewest = all.played().map(|one| one.pairs.count()).min().unwrap_or(0);
    if fewest < FEW {
        warnings.push(format!(
            "{fewest} pairs in an encounter are few: intervals and p take the mean of the pairs for normal, which wants {FEW} or more"
        ));
    }
    let alike = |one: &&Encounter| one.pairs.count() > 0 && one.mirrored == one.pairs.count();
    let alike: Vec<String> = all.encounters.iter().filter(alike).map(|one| format!("\"{}\"", name(one, all))).collect();
    if !alike.is_empty() {
        warnings.push(format!(
            "both players moved alike in every pair, so that they are one player here: {}",
            some(&alike, ", ")
        ));
    }
    let repeated: u64 = all.played().map(|one| one.repeated).sum();
    let pairs: u64 = all.played().map(|one| one.pairs.count()).sum();
    if repeated > 0 {
        warnings.push(format!(
            "{repeated} of {pairs} pairs have a game that is move for move one of a pair before them, from the same position (transposed openings, or the same \
             opening twice): they say nothing new, and the intervals are too narrow by that much"
        ));
    }
    let blind: Vec<&Encounter> = all.played().filter(|one| one.blind > 0).collect();
    if let Some(most) = blind.iter().max_by_key(|one| one.blind) {
        warnings.push(format!(
            "in {} the first player moved without any finished iteration ({} at most, \"{}\"): the limit is too small for \
             its quiescence",
            plural(blind.len(), "encounter"),
            plural(most.blind, "move"),
            name(most, all)
        ));
    }
    let alike: Vec<String> = all
        .encounters
        .iter()
        .filter_map(|one| Some(format!("\"{}\" as \"{}\"", name(one, all), name(&all.encounters[one.same_as?], all))))
        .collect();
    if !alike.is_empty() {
        warnings.push(format!(
            "the same games move for move, so that they are one player here, and one finding: {}",
            some(&alike, "; ")
        ));
    }
    warnings
}

/// The parts between the head and how it was made.
pub fn parts(all: &Matches, rows: &Frame) -> Vec<Part> {
    let tables = [Some(table(all)), handicaps(all), standings(all)].into_iter().flatten().map(Part::Table);
    let figures = [Some(forest(all)), by_size(all, rows), courses(all)].into_iter().flatten().map(Part::Figure);
    tables.chain(figures).chain([pairs(all), ends(all)].map(Part::Table)).collect()
}

/// The encounters.
pub(super) fn table(all: &Matches) -> SheetTable {
    let several = all.encounters.len() > 1;
    let joint = "so wide that all encounters' intervals hold together (Bonferroni)";
    let columns = [
        SheetColumn::words("variant", "variant", ""),
        SheetColumn::words("opponent", "against", "").drop_order(5),
        SheetColumn::numbers("pairs", "pairs", "pairs of games, colours swapped"),
        SheetColumn::numbers("elo", "Elo", "by the logistic law, from the mean of the pairs"),
        SheetColumn::numbers("interval", "95 %", "of this encounter alone"),
        SheetColumn::numbers("joint", "95 % of all", joint).drop_order(4),
        SheetColumn::numbers(
            "equal_nodes",
            "equal nodes",
            "with so many times its nodes the opponent would be as strong",
        ),
        SheetColumn::numbers("equal_nodes_interval", "95 %", "of the equal nodes, openings drawn anew"),
        SheetColumn::numbers("nelo", "nElo", "normalized: in standard deviations of a game").drop_order(6),
        SheetColumn::numbers("los", "LOS", "how likely the first is the stronger, all differences alike before")
            .drop_order(7),
        SheetColumn::numbers("p", "p", if several { "two-sided, Holm-corrected" } else { "two-sided" }),
        SheetColumn::numbers("score", "score", "points of the games").drop_order(3),
        SheetColumn::numbers("draws", "draws", "share of the games").drop_order(8),
        SheetColumn::numbers("llr", "LLR", "log-likelihood ratio of the test after all pairs").drop_order(2),
        SheetColumn::words("test", "test", "what the test decided, and after how many pairs in the plan's order")
            .drop_order(1),
    ];
    let rows = all.encounters.iter().map(|one| {
        let elo = one.elo();
        let mark = match one.stronger {
            Some(Ordering::Greater) => Emphasis::Passed,
            Some(Ordering::Less) => Emphasis::Failed,
            _ => Emphasis::None,
        };
        let few = |cell: Cell| if enough(one) { cell } else { Cell::none("too few pairs") };
        let last = one.course.last().map_or(0.0, |point| point.1);
        let (joint, normalized) = (one.pairs.elo_within(all.reach), one.pairs.normalized().elo);
        [
            Cell::text(&one.player),
            Cell::text(&one.opponent),
            Cell::count(one.pairs.count() as f64),
            Cell::number(elo.elo, format!("{:+.1}", elo.elo)).marked(mark),
            few(Cell::difference(elo.low, elo.high)),
            few(Cell::difference(joint.low, joint.high)),
            one.equal_nodes.map_or_else(
                || Cell::none("too few pairs"),
                |equal| match equal.nodes {
                    0.0 => Cell::none("outside the handicaps played"),
                    nodes => Cell::number(nodes, number(nodes, 2)).or("outside the handicaps played"),
                },
            ),
            one.equal_nodes.map_or_else(
                || Cell::none("too few pairs"),
                |equal| Cell::ends(equal.low, equal.high, multiples(&equal, all)).or("outside the handicaps played"),
            ),
            Cell::number(normalized, format!("{normalized:+.1}")).or("all pairs ended alike"),
            few(Cell::number(one.pairs.superiority(), percent(one.pairs.superiority(), 1.0))),
            Cell::p(one.corrected).or(if all.test.stop { "the test ends the games" } else { "too few pairs" }),
            Cell::share(one.points(), one.count() as f64),
            Cell::share(one.games[1] as f64, one.count() as f64),
            Cell::number(last, format!("{last:+.2}")),
            Cell::text(describe(one)),
        ]
    });
    let is_shown = |key: &str| match key {
        "joint" => several,
        "equal_nodes" | "equal_nodes_interval" => !all.handicaps.is_empty(),
        _ => true,
    };
    let shown: Vec<usize> = (0..columns.len()).filter(|&at| is_shown(&columns[at].key)).collect();
    let table = SheetTable::new("encounters", "Encounters", columns, rows).with_columns(&shown);
    let (lower, upper) = all.bounds.limits();
    let after = match all.test.stop {
        true => {
            "the pairs after its end are not played, so that where it has ended Elo is too far from 0, and p has no meaning"
        }
        false => "the games after its end were played all the same, and Elo is of all",
    };
    table.noted(format!(
        "Unit: the pair of games from one opening. Test: H0 {} against H1 {} normalized Elo; it ends where LLR passes {lower:.2} or \
         {upper:.2}. It is read off the games in the plan's order: {after}.",
        all.test.elo0, all.test.elo1
    ))
}

/// The baseline's copies with other nodes.
fn handicaps(all: &Matches) -> Option<SheetTable> {
    let columns = [
        SheetColumn::words("variant", "player", ""),
        SheetColumn::numbers("divisor", "divided by", "the baseline's nodes"),
        SheetColumn::numbers("pairs", "pairs", "pairs of games, colours swapped"),
        SheetColumn::numbers("elo", "Elo", "against the baseline, by the logistic law"),
        SheetColumn::numbers("interval", "95 %", "of this encounter alone"),
    ];
    let rows = all.handicaps.iter().map(|(divisor, one)| {
        let elo = one.elo();
        let interval = Cell::difference(elo.low, elo.high);
        [
            Cell::text(&one.player),
            Cell::number(*divisor, divisor.to_string()),
            Cell::count(one.pairs.count() as f64),
            Cell::number(elo.elo, format!("{:+.1}", elo.elo)),
            if enough(one) { interval } else { Cell::none("too few pairs") },
        ]
    });
    let note = "The baseline with other nodes against itself. A variant's equal nodes are read off these: a monotone curve of Elo over the \
                logarithm of nodes, whose intervals come from openings drawn anew.";
    SheetTable::new("handicaps", "Handicaps", columns, rows).noted(note).unless_empty()
}

/// Each player's points against all others, where they all met.
fn standings(all: &Matches) -> Option<SheetTable> {
    if all.encounters.is_empty() || all.common_opponent().is_some() {
        return None;
    }
    let mut players: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for one in &all.encounters {
        let (points, games) = (one.points(), one.count() as f64);
        for (player, points) in [(&one.player, points), (&one.opponent, games - points)] {
            let total = players.entry(player).or_default();
            *total = (total.0 + points, total.1 + games);
        }
    }
    let mut order: Vec<(&str, (f64, f64))> = players.into_iter().collect();
    order.sort_by(|a, b| (b.1.0 / b.1.1).total_cmp(&(a.1.0 / a.1.1)));
    let rows = order.into_iter().map(|(player, (points, games))| {
        [Cell::text(player), Cell::decimal(points, 1), Cell::count(games), Cell::share(points, games)]
    });
    let columns = ["variant", "points", "games", "score"]
        .map(|name| SheetColumn { words: name == "variant", ..SheetColumn::words(name, name, "") });
    Some(SheetTable::new("standings", "Standings", columns, rows))
}

/// The pairs and the games of each encounter.
fn pairs(all: &Matches) -> SheetTable {
    let rows = all.played().map(|one| {
        let mut cells = vec![Cell::text(name(one, all))];
        let counts = one.pairs.0.iter().chain(&one.games).chain([&one.mirrored]);
        cells.extend(counts.map(|&count| Cell::count(count as f64)));
        cells.extend([
            Cell::share(one.white, one.count() as f64),
            Cell::decimal(one.plies / 2.0, 1),
            Cell::decimal(one.depth, 2),
        ]);
        cells.extend(one.nodes.map(Cell::count));
        cells
    });
    let mirrored = "pairs whose games are move for move the same: the players did not differ";
    let mut columns = vec![SheetColumn::words("variant", "variant", "")];
    let points = ["0", "1/2", "1", "3/2", "2"].into_iter().enumerate();
    columns.extend(
        points.map(|(at, name)| SheetColumn::numbers(&format!("pairs_{at}"), name, "pairs worth so many points")),
    );
    columns.extend(["won", "drawn", "lost"].map(|name| SheetColumn::numbers(name, name, "games")));
    columns.extend([
        SheetColumn::numbers("mirrored", "mirrored", mirrored),
        SheetColumn::numbers("white", "White", "share of the points that went to White"),
        SheetColumn::numbers("moves", "moves", "mean moves of each side in a game"),
        SheetColumn::numbers("depth", "depth", "mean depth of the last finished iteration, the variant's"),
        SheetColumn::numbers("nodes", "nodes", "mean nodes of a move, the variant's"),
        SheetColumn::numbers("opponent_nodes", "its nodes", "the opponent's"),
    ]);
    SheetTable::new("pairs", "Pairs and games", columns, rows)
}

/// How the games ended, and where they are.
fn ends(all: &Matches) -> SheetTable {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (end, games) in all.played().flat_map(|one| &one.ends) {
        *sums.entry(end).or_insert(0) += games;
    }
    let total: u64 = sums.values().sum();
    let row =
        |end: &str, part: u64| vec![Cell::text(end), Cell::count(part as f64), Cell::share(part as f64, total as f64)];
    let mut rows: Vec<Vec<Cell>> = sums.iter().map(|(end, part)| row(end, *part)).collect();
    let mut file = row("all, as PGN", total);
    file[0].link = games::NAME.to_owned();
    rows.push(file);
    let columns = [
        SheetColumn::words("end", "end", "what ended the game"),
        SheetColumn::numbers("games", "games", ""),
        SheetColumn::numbers("share", "share", ""),
    ];
    SheetTable::new("ends", "How the games ended", columns, rows)
        .noted(format!("The games stand in `{}`, beside the rows that they are made of.", games::NAME))
}

#[cfg(test)]
mod tests;
