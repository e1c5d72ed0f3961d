//! The generator of random openings gives up after a documented number of random walks.

use ttlab::internals::chess::generate::{GenerateError, GenerateOptions, generate};

/// After one or two plies there are a few hundred quiet and balanced positions. The generator finds
/// all of them, but not one more, and the error reports a thousand walks for each requested
/// position.
#[test]
fn generator_gives_up_after_a_thousand_walks_per_opening() {
    let generate_openings = |count: usize| generate(&GenerateOptions { count, seed: 7, plies: 1 });
    let error = generate_openings(600);
    let Err(GenerateError::TooFew { found: count, expected: 600, walks: 600_000, plies: 1 }) = error else {
        panic!("600 positions after one or two plies")
    };
    assert!((100..600).contains(&count), "{count}");
    assert_eq!(generate_openings(count).unwrap().len(), count);
    let error = generate_openings(count + 1);
    let Err(GenerateError::TooFew { found, expected, walks, .. }) = error else { panic!("more than {count}") };
    assert_eq!((found, expected, walks), (count, count + 1, 1000 * (count as u64 + 1)));
}
