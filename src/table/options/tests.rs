use super::*;

/// Options of each rule, with move and mark kept or not; guards with every clause on and off.
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
    };
    let filling = Guard { move_first: false, fill_move: true, ..bare };
    let plain = [SameKey::Replace, SameKey::Policy, SameKey::Deeper].map(|same_key| (same_key, Guard::default()));
    let guards = [Guard::default(), ethereal, bare, filling].map(|guard| (SameKey::Guard, guard));
    plain.into_iter().chain(guards).flat_map(|(same_key, guard)| {
        [false, true].map(|kept| TableOptions {
            same_key,
            guard,
            keep_move: kept,
            keep_pv: kept,
            ..TableOptions::default()
        })
    })
}
