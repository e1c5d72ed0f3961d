//! The generator of random openings gives up after a documented number of random walks.

use ttlab::internals::chess::generate::{GenerateError, GenerateOptions, generate};

/// After one or two plies there are a few hundred quiet and balanced positions. The generator finds
/// all of them, but not one more, and the error reports a thousand walks for each requested
/// position.
#[test]
fn generator_gives_up_after_a_thousand_walks_per_opening() {
    let ask = |count: usize| generate(&GenerateOptions { count, seed: 7, plies: 1 });
    let Err(GenerateError::TooFew { found: all, expected: 600, walks: 600_000, plies: 1 }) = ask(600) else {
        panic!("600 positions after one or two plies")
    };
    assert!((100..600).contains(&all), "{all}");
    assert_eq!(ask(all).unwrap().len(), all);
    let Err(GenerateError::TooFew { found, expected, walks, .. }) = ask(all + 1) else { panic!("more than {all}") };
    assert_eq!((found, expected, walks), (all, all + 1, 1000 * (all as u64 + 1)));
}
