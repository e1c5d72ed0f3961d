use super::*;

/// Options for every same-key rule, each with and without `keep_move` and `keep_pv`. Among the
/// guards, every clause is on and off at least once.
pub fn every_rule() -> impl Iterator<Item = TableOptions> {
    let ethereal = Guard { margin: 3, pv: 0, age: false, ..Guard::default() };
    let bare = Guard {
        lets: Default::default(),
        margin: -1,
        pv: 1,
        exact: false,
        age: false,
        move_first: true,
        fill_move: false,
        best_move: false,
    };
    let filling = Guard { move_first: false, fill_move: true, ..bare };
    let plain = [SameKey::Replace, SameKey::Policy, SameKey::Deeper].map(|same_key| (same_key, Guard::default()));
    let guards = [Guard::default(), ethereal, bare, filling].map(|guard| (SameKey::Guard, guard));
    plain.into_iter().chain(guards).flat_map(|(same_key, guard)| {
        [false, true].map(|keep| TableOptions {
            same_key,
            guard,
            keep_move: keep,
            keep_pv: keep,
            ..TableOptions::default()
        })
    })
}
