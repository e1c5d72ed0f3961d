//! Errors in `[confirm]`.

use super::{check, output};

const SCREEN: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\"keys.seed\" = 2\n[confirm]\n\
    openings = \"data/openings.epd\"\n";

#[test]
fn confirm_numbers_are_checked_at_both_limits() {
    let games = "limit = { nodes = 9 }\n";
    let assert_message = |more: &str, message: &str, place: &str| {
        let text = format!("{SCREEN}{games}{more}\n");
        let found = output(&text, &[]);
        assert_eq!((found.0.as_str(), found.1.as_str()), (message, place), "{more}");
    };
    for valid in ["", "margin = 0", "margin = 1000", "price = 1", "price = 10000", "first = 30\nbudget = 30"] {
        assert_message(valid, "", "");
    }
    assert_message("margin = -1", "confirm.margin: -1 is out of range: expected 0 to 1000", "margin");
    assert_message("margin = 1001", "confirm.margin: 1001 is out of range: expected 0 to 1000", "margin");
    assert_message("price = 0.5", "confirm.price: 0.5 is out of range: expected 1 to 10000", "price");
    assert_message("price = 10001", "confirm.price: 10001 is out of range: expected 1 to 10000", "price");
    assert_message("first = 29", "confirm.first: 29 is out of range: expected at least 30", "first");
    assert_message(
        "first = 31\nbudget = 30",
        "confirm.budget: 30 is out of range: expected at least `first`",
        "budget",
    );
    let (message, ..) = output(&format!("{SCREEN}{games}first = 100000\nbudget = 100000\n"), &[]);
    assert!(message.starts_with("confirm.openings: "), "{message}");
    assert!(message.ends_with("expected at least 100000 of them"), "{message}");
    check(SCREEN, &[("", "confirm.limit: missing: give limit = { nodes = 20000 }", "confirm", "")]);
}

#[test]
fn confirm_needs_searched_variants_of_one_limit() {
    let message = |text: String| output(&text, &[]).0;
    let games = "limit = { nodes = 9 }\n";
    let whole = format!("{SCREEN}{games}");
    assert_eq!(
        message(format!("{whole}[match]\n")),
        "confirm: is not allowed with [match]: [confirm] plays games among variants that were searched"
    );
    let other = whole.replace("\"keys.seed\" = 2", "\"limit.depth\" = 3");
    assert_eq!(message(other), "confirm: all variants need the same limit, and \"b\" has another than \"a\"");
    let one = "suite = { startpos = true }\nlimit = { depth = 2 }\n[confirm]\nopenings = \"data/openings.epd\"\nlimit = { nodes = 9 }\n";
    assert_eq!(
        message(one.to_owned()),
        "confirm: a match needs at least two variants, found 1: give a second, by [grid] or [[variant]]"
    );
    let none = message(whole.replace("data/openings.epd", "data/openingz.epd"));
    assert!(none == "confirm.openings: there is no file data/openingz.epd", "{none}");
    let over = whole.replace("\"data/openings.epd\"", "{ fen = \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\" }");
    assert_eq!(message(over), "confirm.openings: fen: the game is over before it begins");
}
