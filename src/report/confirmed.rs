//! What games said of the variants that a screen left.

use super::number::count;
use super::sheet::{Cell, Emphasis, Part, Sheet, SheetColumn, SheetTable};
use crate::analysis::questions::match_test::Elo;
use crate::analysis::questions::screen::{Contender, Screened};
use std::cmp::Ordering;

/// The page: who is stronger, and who is undecided.
pub fn sheet(name: &str, screened: &Screened, contenders: &[Contender], reach: f64) -> Sheet {
    let columns = [
        SheetColumn::words("variant", "variant", ""),
        SheetColumn::numbers("pairs", "pairs", "pairs of games, colours swapped"),
        SheetColumn::numbers("elo", "Elo", "against the best of the screen"),
        SheetColumn::numbers("interval", "95 %", "holds for all variants and at every look together"),
        SheetColumn::words("verdict", "verdict", ""),
    ];
    let rows = contenders.iter().map(|one| {
        let Elo { elo, low, high } = one.elo(reach);
        let (mark, verdict) = match one.decided(reach) {
            Some(Ordering::Greater) => (Emphasis::Passed, "stronger"),
            Some(_) => (Emphasis::Failed, "weaker"),
            None => (Emphasis::None, "undecided"),
        };
        [
            Cell::text(&one.name),
            Cell::count(one.pairs.count() as f64),
            Cell::number(elo, format!("{elo:+.1}")).marked(mark),
            Cell::difference(low, high),
            Cell::text(verdict),
        ]
    });
    let table = SheetTable::new("confirmed", "Games against the best of the screen", columns, rows);
    let parts = vec![Part::Findings(findings(screened, contenders, reach)), Part::Table(table)];
    Sheet { kind: "confirmation".to_owned(), name: name.to_owned(), parts }
}

/// The answer, in sentences.
fn findings(screened: &Screened, contenders: &[Contender], reach: f64) -> Vec<String> {
    let best = &screened.best;
    let of = |expected: Option<Ordering>| contenders.iter().filter(move |one| one.decided(reach) == expected);
    let message = |one: &Contender, sign: f64| {
        let Elo { elo, low, high } = one.elo(reach);
        let (low, high) = if sign < 0.0 { (-high, -low) } else { (low, high) };
        format!("{:.0} Elo [{low:.0}, {high:.0}], {} pairs", sign * elo, count(one.pairs.count() as f64))
    };
    let mut found = Vec::new();
    found.extend(of(Some(Ordering::Greater)).map(|one| {
        format!("\"{}\" is stronger than \"{best}\", the best of the screen, by {}.", one.name, message(one, 1.0))
    }));
    found.extend(
        of(Some(Ordering::Less))
            .map(|one| format!("\"{best}\" is stronger than \"{}\" by {}.", one.name, message(one, -1.0))),
    );
    let undecided: Vec<String> = of(None).map(|one| format!("\"{}\" ({})", one.name, message(one, 1.0))).collect();
    if !undecided.is_empty() {
        found.push(format!("Undecided against \"{best}\": {}.", undecided.join("; ")));
    }
    if !screened.dropped.is_empty() {
        let list: Vec<String> = screened.dropped.iter().map(|name| format!("\"{name}\"")).collect();
        found.push(format!("Left out by the screen: {}.", list.join(", ")));
    }
    if contenders.is_empty() {
        found.insert(0, format!("The screen leaves \"{best}\" alone: nothing is left to play."));
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::sequential::Pentanomial;

    /// One stronger, one weaker, one undecided, one left out: each is told once, the weaker from the best's side.
    #[test]
    fn each_variant_is_told_once() {
        let one = |name: &str, pairs: [u64; 5]| Contender { name: name.to_owned(), pairs: Pentanomial(pairs) };
        let screened = Screened {
            best: "a".to_owned(),
            left: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            dropped: vec!["e".to_owned()],
        };
        let all = [one("b", [0, 10, 10, 40, 40]), one("c", [40, 40, 10, 10, 0]), one("d", [10, 20, 40, 20, 10])];
        let output = findings(&screened, &all, 1.96);
        let elo = all[0].elo(1.96);
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
        assert_eq!(output[3], "Left out by the screen: \"e\".");
        assert_eq!(sheet("x", &screened, &all, 1.96).parts.len(), 2);
        let alone = findings(&Screened { best: "a".to_owned(), ..Screened::default() }, &[], 1.96);
        assert_eq!(alone, ["The screen leaves \"a\" alone: nothing is left to play."]);
    }
}
