//! Errors in `[confirm]`.

use super::{check, read_error};

const SCREEN: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\nsequence = { self_play = 2 }\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\"keys.seed\" = 2\n[confirm]\n\
    openings = \"data/openings.epd\"\n";

#[test]
fn confirm_numbers_are_checked_at_both_limits() {
    let games = "limit = { nodes = 9 }\n";
    let assert_message = |more: &str, message: &str, excerpt: &str| {
        let text = format!("{SCREEN}{games}{more}\n");
        let error = read_error(&text, &[]);
        assert_eq!((error.message.as_str(), error.excerpt.as_str()), (message, excerpt), "{more}");
    };
    for valid in ["", "first = 30\nbudget = 30"] {
        assert_message(valid, "", "");
    }
    assert_message("first = 29", "confirm.first: 29 is out of range: expected at least 30", "first");
    assert_message(
        "first = 31\nbudget = 30",
        "confirm.budget: 30 is out of range: expected at least `first`",
        "budget",
    );
    let message = read_error(&format!("{SCREEN}{games}first = 100000\nbudget = 100000\n"), &[]).message;
    assert!(message.starts_with("confirm.openings: "), "{message}");
    assert!(message.ends_with("expected at least 100000 openings"), "{message}");
    check(SCREEN, &[("", "confirm.limit: missing: give limit = { nodes = 20000 }", "confirm", "")]);
}

#[test]
fn confirm_needs_searched_variants_of_one_limit() {
    let message = |text: String| read_error(&text, &[]).message;
    let games = "limit = { nodes = 9 }\n";
    let valid = format!("{SCREEN}{games}");
    assert_eq!(
        message(format!("{valid}[match]\n").replace("sequence = { self_play = 2 }\n", "")),
        "confirm: is not allowed with [match]: [confirm] plays games among variants that were searched"
    );
    let two_limits = valid.replace("\"keys.seed\" = 2", "\"limit.depth\" = 3");
    assert_eq!(
        message(two_limits),
        "confirm: all variants need the same limit, but \"b\" and \"a\" have different \
        limits"
    );
    // Games keep the table from move to move, so single positions are another situation.
    let single = valid.replace("sequence = { self_play = 2 }\n", "");
    let refusal = message(single.clone());
    assert!(
        refusal.starts_with("confirm: \"a\" keeps its table from move to move in games, so search along"),
        "{refusal}"
    );
    assert_eq!(
        message(
            single
                .replace("[[variant]]\nname = \"a\"", "[engine]\ntable.clear = \"search\"\n[[variant]]\nname = \"a\"")
        ),
        ""
    );
    let one_variant = "suite = { startpos = true }\nlimit = { depth = 2 }\n[confirm]\nopenings = \"data/openings.epd\"\nlimit = { nodes = 9 }\n";
    assert_eq!(
        message(one_variant.to_owned()),
        "confirm: a match needs at least two variants, found 1: add another by [grid] or [[variant]]"
    );
    let missing = valid.replace("data/openings.epd", "data/openingz.epd");
    assert_eq!(message(missing), "confirm.openings: there is no file data/openingz.epd");
    let finished = valid.replace("\"data/openings.epd\"", "{ fen = \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\" }");
    assert_eq!(message(finished), "confirm.openings: fen: the game is over before it begins");
}
