//! The page of a match: encounters, Elo with intervals, sequential tests, and how the games ended.

use super::match_figures::{elo_figure, encounter_name};
use super::number::{format_count, format_number};
use super::sheet::{Cell, Emphasis, Entries, Part, SheetTable};
use crate::analysis::questions::equal_nodes::EqualNodes;
use crate::analysis::questions::matches::{Encounter, Matches};
use crate::record::games;
use crate::stats::gsprt::TestState;
use crate::stats::sample::min_clusters;
use crate::text::{plural, signed};
use std::cmp::Ordering;

/// Findings and warnings name at most this many encounters one by one.
const MAX_NAMED: usize = 6;

/// With this many pairs, the mean is close enough to a normal distribution for Student's t.
const MIN_PAIRS: u64 = 30;

/// Whether an encounter has enough pairs for an interval. The results of fewer pairs could all have
/// the same sign by chance.
fn has_interval(encounter: &Encounter) -> bool {
    encounter.pairs.count() >= min_clusters(1) as u64
}

fn format_elo(encounter: &Encounter) -> String {
    let elo = encounter.pairs.elo();
    if has_interval(encounter) { elo.to_string() } else { format!("{} Elo [too few pairs]", signed(elo.elo, 1)) }
}

fn test_text(encounter: &Encounter) -> String {
    let Some((state, pairs)) = encounter.test_decision else { return "open".to_owned() };
    let hypothesis = if state == TestState::H1 { "H1" } else { "H0" };
    format!("{hypothesis} accepted after {} pairs", format_count(pairs as f64))
}

/// The players are the baseline itself, whose multiple is 1, and its handicapped copies.
fn handicap_range(matches: &Matches) -> (f64, f64) {
    let multiples = matches.handicaps.iter().map(|(divisor, _)| 1.0 / divisor);
    multiples.fold((1.0, 1.0), |(min, max), multiple| (min.min(multiple), max.max(multiple)))
}

/// Formats a multiple of the baseline's nodes. A multiple of 0 means that the multiple is below
/// `min`, and an infinite multiple means that the multiple is above `max`. The limits come from
/// [`handicap_range`].
fn format_multiple(multiple: f64, (min, max): (f64, f64)) -> String {
    match multiple {
        0.0 => format!("below {}", format_number(min, 2)),
        f64::INFINITY => format!("above {}", format_number(max, 2)),
        _ => format_number(multiple, 2),
    }
}

/// Formats the interval of the nodes with which both players are equally strong.
fn format_multiples(equal_nodes: &EqualNodes, matches: &Matches) -> String {
    let [low, high] = [equal_nodes.low, equal_nodes.high].map(|nodes| format_multiple(nodes, handicap_range(matches)));
    if low == high { low } else { format!("{low}, {high}") }
}

/// One sentence for each encounter, or for the first and the last by Elo if there are many. All
/// figures of an encounter are in the table.
pub(super) fn findings(matches: &Matches) -> Vec<String> {
    let encounters = &matches.encounters;
    let describe = |encounter: &Encounter| {
        let verdict = match (encounter.stronger, encounter.test_decision) {
            (Some(Ordering::Greater), _) => "the first is clearly the stronger",
            (Some(Ordering::Less), _) => "the first is clearly the weaker",
            // The test may have decided although the interval of the Elo contains 0.
            (_, Some((TestState::H1, _))) => "its test accepts H1",
            (_, Some((TestState::H0, _))) => "its test accepts H0",
            _ if matches.test.stop => "its test has not ended",
            _ => "no difference is shown",
        };
        format!(
            "\"{}\" against \"{}\": {} over {} pairs of games; {verdict}.",
            encounter.player,
            encounter.opponent,
            format_elo(encounter),
            format_count(encounter.pairs.count() as f64),
        )
    };
    if encounters.len() <= MAX_NAMED {
        return encounters.iter().map(describe).collect();
    }
    let by_elo = |a: &&Encounter, b: &&Encounter| a.pairs.elo().elo.total_cmp(&b.pairs.elo().elo);
    let extremes = [encounters.iter().max_by(by_elo), encounters.iter().min_by(by_elo)];
    let [stronger, weaker] = [Ordering::Greater, Ordering::Less]
        .map(|order| encounters.iter().filter(|encounter| encounter.stronger == Some(order)).count());
    let count = format!(
        "Of {} encounters {stronger} are clearly won and {weaker} clearly lost by the first player, after correction for their \
         number; the others show no difference.",
        encounters.len()
    );
    extremes.into_iter().flatten().map(describe).chain([count]).collect()
}

pub(super) fn match_warnings(matches: &Matches) -> Vec<String> {
    let mut warnings = Vec::new();
    // Joins the first few entries of a list, and says how many more there are.
    let first_few = |list: &[String], separator: &str| {
        let more = crate::text::and_more(list.len().saturating_sub(MAX_NAMED));
        list[..list.len().min(MAX_NAMED)].join(separator) + &more
    };
    if matches.failed > 0 {
        warnings.push(format!("{} pairs could not be played and are left out: see the error column", matches.failed));
    }
    let fewest = matches.all_encounters().map(|encounter| encounter.pairs.count()).min().unwrap_or(0);
    if fewest < MIN_PAIRS {
        warnings.push(format!(
            "an encounter has only {fewest} pairs: intervals and p treat the mean as normally distributed, which \
             needs about {MIN_PAIRS} pairs"
        ));
    }
    let is_mirrored =
        |encounter: &&Encounter| encounter.pairs.count() > 0 && encounter.mirrored == encounter.pairs.count();
    let mirrored: Vec<String> = matches
        .encounters
        .iter()
        .filter(is_mirrored)
        .map(|encounter| format!("\"{}\"", encounter_name(encounter, matches)))
        .collect();
    if !mirrored.is_empty() {
        warnings.push(format!(
            "in these encounters both players made the same moves in every pair, as one player would: {}",
            first_few(&mirrored, ", ")
        ));
    }
    let repeated: u64 = matches.all_encounters().map(|encounter| encounter.repeated).sum();
    let pairs: u64 = matches.all_encounters().map(|encounter| encounter.pairs.count()).sum();
    if repeated > 0 {
        warnings.push(format!(
            "{repeated} of {pairs} pairs have a game that repeats a game of an earlier pair move for move, from the \
             same position (transposed openings, or the same opening twice): they add nothing new, so that the \
             intervals are too narrow"
        ));
    }
    let with_blind_moves: Vec<&Encounter> =
        matches.all_encounters().filter(|encounter| encounter.blind_moves > 0).collect();
    if let Some(worst) = with_blind_moves.iter().max_by_key(|encounter| encounter.blind_moves) {
        warnings.push(format!(
            "in {} the first player had to move before completing depth 1 (most often in \"{}\": {}): give it more \
             nodes",
            plural(with_blind_moves.len(), "encounter"),
            encounter_name(worst, matches),
            plural(worst.blind_moves, "move")
        ));
    }
    let same_games: Vec<String> = matches
        .encounters
        .iter()
        .filter_map(|encounter| {
            Some(format!(
                "\"{}\" as \"{}\"",
                encounter_name(encounter, matches),
                encounter_name(&matches.encounters[encounter.same_as?], matches)
            ))
        })
        .collect();
    if !same_games.is_empty() {
        warnings.push(format!(
            "these encounters have the same games, move for move, and are one finding: {}",
            first_few(&same_games, "; ")
        ));
    }
    warnings
}

pub fn parts(matches: &Matches) -> Vec<Part> {
    let tables = [Some(encounters_table(matches)), handicaps_table(matches)].into_iter().flatten().map(Part::Table);
    tables.chain([Part::Figure(elo_figure(matches)), Part::Table(pairs_table(matches))]).collect()
}

/// The reason why an encounter has no interval.
const TOO_FEW_PAIRS: &str = "too few pairs";

/// The reason why the equal nodes of an encounter are not known.
const OUTSIDE_HANDICAPS: &str = "outside the handicaps played";

fn unless_too_few(encounter: &Encounter, cell: Cell) -> Cell {
    if has_interval(encounter) { cell } else { Cell::empty(TOO_FEW_PAIRS) }
}

/// The test's decision comes after the names of the two players.
pub(super) fn encounters_table(matches: &Matches) -> SheetTable {
    let is_corrected = matches.encounters.len() > 1;
    let test_meaning = "what the test decided, and after how many pairs in the plan's order";
    let mut entries = Entries::<Encounter>::default()
        .text("variant", "variant", "", |encounter| Cell::text(&encounter.player))
        .text("opponent", "against", "", |encounter| Cell::text(&encounter.opponent))
        .drop_order(5)
        .text("test", "test", test_meaning, |encounter| Cell::text(test_text(encounter)))
        .drop_order(1)
        .number("pairs", "pairs", "pairs of games, colours swapped", |encounter| {
            Cell::count(encounter.pairs.count() as f64)
        })
        .number("elo", "Elo", "by the logistic law, from the mean of the pairs", |encounter| {
            let emphasis = match encounter.stronger {
                Some(Ordering::Greater) => Emphasis::Better,
                Some(Ordering::Less) => Emphasis::Worse,
                _ => Emphasis::None,
            };
            let elo = encounter.pairs.elo().elo;
            Cell::number(elo, signed(elo, 1)).with_emphasis(emphasis)
        })
        .number("interval", "95 %", "of this encounter alone", |encounter| {
            let elo = encounter.pairs.elo();
            unless_too_few(encounter, Cell::difference(elo.low, elo.high))
        });
    if !matches.handicaps.is_empty() {
        let meaning = "the opponent would be as strong with this many times its nodes";
        entries = entries
            .number("equal_nodes", "equal nodes", meaning, |encounter| match encounter.equal_nodes {
                None => Cell::empty(TOO_FEW_PAIRS),
                Some(equal) if equal.nodes == 0.0 => Cell::empty(OUTSIDE_HANDICAPS),
                Some(equal) => Cell::number(equal.nodes, format_number(equal.nodes, 2)).with_reason(OUTSIDE_HANDICAPS),
            })
            .number("equal_nodes_interval", "95 %", "of the equal nodes, from resampled openings", |encounter| {
                let Some(equal) = encounter.equal_nodes else { return Cell::empty(TOO_FEW_PAIRS) };
                let text = format_multiples(&equal, matches);
                Cell::range_with_text(equal.low, equal.high, text).with_reason(OUTSIDE_HANDICAPS)
            });
    }
    let why_no_p = if matches.test.stop { "the test ends the games" } else { TOO_FEW_PAIRS };
    entries = entries
        .number("p", "p", if is_corrected { "two-sided, Holm-corrected" } else { "two-sided" }, move |encounter| {
            Cell::p(encounter.corrected_p).with_reason(why_no_p)
        })
        .number("score", "score", "points of the games", |encounter| {
            Cell::share(encounter.points(), encounter.game_count() as f64)
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
        .drop_order(6)
        .number("llr", "LLR", "log-likelihood ratio of the test after all pairs", |encounter| {
            Cell::number(encounter.llr, signed(encounter.llr, 2))
        })
        .drop_order(2);
    let table = entries.table("encounters", "Encounters", &matches.encounters);
    let (lower, upper) = matches.bounds.limits();
    let stop_note = match matches.test.stop {
        true => {
            "no pairs are played after its end, so that the Elo of an ended test is biased away from 0 and its p \
             has no meaning"
        }
        false => "games after its end were played too, and Elo is over all",
    };
    table.with_note(format!(
        "Unit: the pair of games from one opening. Test: H0 {} against H1 {} normalized Elo; it ends where LLR passes {lower:.2} or \
         {upper:.2}. It is read off the games in the plan's order: {stop_note}.",
        matches.test.elo0, matches.test.elo1
    ))
}

fn handicaps_table(matches: &Matches) -> Option<SheetTable> {
    let entries = Entries::<(f64, Encounter)>::default()
        .text("variant", "player", "", |(_, encounter)| Cell::text(&encounter.player))
        .number("divisor", "divided by", "the baseline's nodes", |(divisor, _)| {
            Cell::number(*divisor, divisor.to_string())
        })
        .number("pairs", "pairs", "pairs of games, colours swapped", |(_, encounter)| {
            Cell::count(encounter.pairs.count() as f64)
        })
        .number("elo", "Elo", "against the baseline, by the logistic law", |(_, encounter)| {
            let elo = encounter.pairs.elo().elo;
            Cell::number(elo, signed(elo, 1))
        })
        .number("interval", "95 %", "of this encounter alone", |(_, encounter)| {
            let elo = encounter.pairs.elo();
            unless_too_few(encounter, Cell::difference(elo.low, elo.high))
        });
    let note = "The baseline against itself with other nodes. A variant's equal nodes are read from a monotone curve of this Elo over \
                the logarithm of nodes, with intervals from resampled openings.";
    entries.table("handicaps", "Handicaps", &matches.handicaps).with_note(note).non_empty()
}

/// Their results are in the table of encounters.
fn pairs_table(matches: &Matches) -> SheetTable {
    let mirrored_meaning = "pairs whose games are move for move the same: the players did not differ";
    let depth_meaning = "mean depth of the variant's last finished iteration";
    Entries::<Encounter>::default()
        .text("variant", "variant", "", |encounter| Cell::text(encounter_name(encounter, matches)))
        .number("mirrored", "mirrored", mirrored_meaning, |encounter| Cell::count(encounter.mirrored as f64))
        .number("white", "White", "share of the points that went to White", |encounter| {
            Cell::share(encounter.white_points, encounter.game_count() as f64)
        })
        .number("moves", "moves", "mean moves of each side in a game", |encounter| {
            Cell::decimal(encounter.plies / 2.0, 1)
        })
        .number("depth", "depth", depth_meaning, |encounter| Cell::decimal(encounter.depth, 2))
        .number("nodes", "nodes", "mean nodes of the variant's moves", |encounter| Cell::count(encounter.nodes[0]))
        .number("opponent_nodes", "its nodes", "of the opponent's moves", |encounter| Cell::count(encounter.nodes[1]))
        .table("pairs", "Pairs and games", matches.all_encounters())
        .with_note(format!("The games are in `{}`, which is made from the recorded rows.", games::NAME))
}

#[cfg(test)]
mod tests;
