//! The page of `confirm`, about the games between the variants that passed a screen.

use super::number::format_count;
use super::sheet::{Cell, Emphasis, Entries, Part, Sheet};
use crate::analysis::questions::match_test::Elo;
use crate::analysis::questions::screen::{Contender, ScreenResult};
use std::cmp::Ordering;

/// Makes the page. `tail` is the probability beyond each end of the intervals.
pub fn sheet(name: &str, screened: &ScreenResult, contenders: &[Contender], tail: f64) -> Sheet {
    let decision = |contender: &Contender| match contender.decision(tail) {
        Some(Ordering::Greater) => (Emphasis::Better, "stronger"),
        Some(_) => (Emphasis::Worse, "weaker"),
        None => (Emphasis::None, "undecided"),
    };
    let entries = Entries::<Contender>::default()
        .text("variant", "variant", "", |contender| Cell::text(&contender.name))
        .number("pairs", "pairs", "pairs of games, colours swapped", |contender| {
            Cell::count(contender.pairs.count() as f64)
        })
        .number("elo", "Elo", "against the best of the screen", |contender| {
            let elo = contender.pairs.elo_with_tail(tail).elo;
            let (emphasis, _) = decision(contender);
            Cell::number(elo, format!("{elo:+.1}")).with_emphasis(emphasis)
        })
        .number("interval", "95 %", "holds jointly for all variants and stages", |contender| {
            let Elo { low, high, .. } = contender.pairs.elo_with_tail(tail);
            Cell::difference(low, high)
        })
        .text("verdict", "verdict", "", |contender| {
            let (_, text) = decision(contender);
            Cell::text(text)
        });
    let table = entries.table("confirmed", "Games against the best of the screen", contenders);
    let parts = vec![Part::Findings(findings(screened, contenders, tail)), Part::Table(table)];
    Sheet { kind: "confirmation".to_owned(), name: name.to_owned(), parts }
}

fn findings(screened: &ScreenResult, contenders: &[Contender], tail: f64) -> Vec<String> {
    let best = &screened.best;
    let decided_as =
        |decision: Option<Ordering>| contenders.iter().filter(move |contender| contender.decision(tail) == decision);
    // If `sign` is -1, the Elo is that of the best variant against the contender.
    let elo_text = |contender: &Contender, sign: f64| {
        let Elo { elo, low, high } = contender.pairs.elo_with_tail(tail);
        let (low, high) = if sign < 0.0 { (-high, -low) } else { (low, high) };
        format!("{:.0} Elo [{low:.0}, {high:.0}], {} pairs", sign * elo, format_count(contender.pairs.count() as f64))
    };
    let mut sentences = Vec::new();
    sentences.extend(decided_as(Some(Ordering::Greater)).map(|contender| {
        let difference = elo_text(contender, 1.0);
        format!("\"{}\" is stronger than \"{best}\", the best of the screen, by {difference}.", contender.name)
    }));
    sentences.extend(decided_as(Some(Ordering::Less)).map(|contender| {
        format!("\"{best}\" is stronger than \"{}\" by {}.", contender.name, elo_text(contender, -1.0))
    }));
    let undecided: Vec<String> =
        decided_as(None).map(|contender| format!("\"{}\" ({})", contender.name, elo_text(contender, 1.0))).collect();
    if !undecided.is_empty() {
        sentences.push(format!("Undecided against \"{best}\": {}.", undecided.join("; ")));
    }
    if contenders.is_empty() {
        sentences.push(format!("Only \"{best}\" passed the screen: there is nothing to play."));
    } else {
        let note = "These intervals hold jointly for all variants and stages, so they are wider than the intervals \
            on the page of the games.";
        sentences.push(note.to_owned());
    }
    if !screened.dropped.is_empty() {
        let names: Vec<String> = screened.dropped.iter().map(|name| format!("\"{name}\"")).collect();
        sentences.push(format!("Left out by the screen: {}.", names.join(", ")));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::gsprt::Pentanomial;

    /// A weaker variant is described from the point of view of the best.
    #[test]
    fn each_variant_has_one_sentence() {
        let contender = |name: &str, pairs: [u64; 5]| Contender { name: name.to_owned(), pairs: Pentanomial(pairs) };
        let screened = ScreenResult {
            best: "a".to_owned(),
            remaining: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            dropped: vec!["e".to_owned()],
        };
        let contenders = [
            contender("b", [0, 10, 10, 40, 40]),
            contender("c", [40, 40, 10, 10, 0]),
            contender("d", [10, 20, 40, 20, 10]),
        ];
        let output = findings(&screened, &contenders, 0.025);
        let elo = contenders[0].pairs.elo_with_tail(0.025);
        let expected = format!(
            "\"b\" is stronger than \"a\", the best of the screen, by {:.0} Elo [{:.0}, {:.0}], 100 pairs.",
            elo.elo, elo.low, elo.high
        );
        assert_eq!(output[0], expected);
        assert_eq!(
            output[1],
            format!("\"a\" is stronger than \"c\" by {:.0} Elo [{:.0}, {:.0}], 100 pairs.", elo.elo, elo.low, elo.high)
        );
        assert!(output[2].starts_with("Undecided against \"a\": \"d\" (0 Elo [-"), "{output:?}");
        assert!(output[3].starts_with("These intervals hold jointly for all variants"), "{output:?}");
        assert_eq!(output[4], "Left out by the screen: \"e\".");
        assert_eq!(sheet("x", &screened, &contenders, 0.025).parts.len(), 2);
        let alone = findings(&ScreenResult { best: "a".to_owned(), ..ScreenResult::default() }, &[], 0.025);
        assert_eq!(alone, ["Only \"a\" passed the screen: there is nothing to play."]);
    }
}
