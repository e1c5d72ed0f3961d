//! Tests of `table.forget`: how many hits are lost, which part of them, and how losses are counted.

use ttlab::internals::chess::{Bound, Move};
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::{Entry, Hit, Table, TableOptions, build};

const PROBES: u64 = 10_000;

fn table(text: &str) -> Box<dyn Table> {
    let options: TableOptions = from_toml(&format!("size = 4096\nslots = 4\n{text}")).unwrap();
    build(&options, None, false).unwrap().unwrap()
}

/// Stores a hundred positions and probes them in rotation; returns the answers.
fn store_and_probe(table: &mut dyn Table) -> Vec<Option<Hit>> {
    let key = |number: u64| (1 + number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let entry = Entry { mv: Move::from_bits(77), score: 31, bound: Bound::Exact, depth: 5, ..Entry::default() };
    (0..100).for_each(|number| _ = table.store(key(number), entry));
    (0..PROBES).map(|number| table.probe(key(number % 100), 0)).collect()
}

#[test]
fn forget_loses_its_share_of_hits_and_counts_them() {
    for (share, least, most) in [(0.0, 0, 0), (0.25, 2_300, 2_700), (0.9, 8_850, 9_150), (1.0, PROBES, PROBES)] {
        let mut table = table(&format!("forget = {share:?}"));
        let lost = store_and_probe(table.as_mut()).iter().filter(|hit| hit.is_none()).count() as u64;
        assert!((least..=most).contains(&lost), "{share}: {lost}");
        let count = table.counters();
        assert_eq!((count.probes, count.hits, count.forgotten), (PROBES, PROBES - lost, lost), "{share}");
        assert_eq!((count.misses_empty, count.misses_other), (0, 0), "{share}");
        assert_eq!(table.occupancy().occupied, 100, "what is forgotten is still there");
    }
}

#[test]
fn forget_loses_the_given_part() {
    let hits_and_losses = |part: &str| {
        let mut table = table(&format!("forget = 0.5\nforget_part = '{part}'"));
        let hits: Vec<Hit> = store_and_probe(table.as_mut()).into_iter().map(Option::unwrap).collect();
        let count = table.counters();
        assert_eq!(count.hits, PROBES);
        (hits, count.forgotten as usize)
    };
    let (hits, forgotten) = hits_and_losses("move");
    assert_eq!(hits.iter().filter(|hit| hit.entry.mv.is_none()).count(), forgotten);
    assert!(hits.iter().all(|hit| hit.entry.bound == Bound::Exact && hit.draft == 5));
    let (hits, forgotten) = hits_and_losses("score");
    let lost = |hit: &&Hit| hit.entry.bound == Bound::None && hit.draft < 0 && hit.entry.depth == 0;
    assert_eq!(hits.iter().filter(lost).count(), forgotten);
    assert!(hits.iter().all(|hit| hit.entry.mv == Move::from_bits(77)));
    assert!((4_800..=5_200).contains(&forgotten), "{forgotten}");
}

#[test]
fn forget_loses_the_same_hits_again_when_renewed() {
    let lost = |table: &mut dyn Table| store_and_probe(table).iter().map(Option::is_none).collect::<Vec<_>>();
    let mut renewed = table("forget = 0.5");
    let first = lost(renewed.as_mut());
    assert_ne!(lost(renewed.as_mut()), first, "each hit is drawn for itself");
    renewed.clear();
    renewed.forget_records();
    assert_eq!(lost(renewed.as_mut()), first);
    assert_eq!(lost(table("forget = 0.5").as_mut()), first);
}

#[test]
fn forget_is_a_share() {
    for (share, allowed) in [("0.0", true), ("1.0", true), ("-0.001", false), ("1.001", false)] {
        let options: TableOptions = from_toml(&format!("forget = {share}")).unwrap();
        let error = options.check().err().map(|error| error.to_string());
        assert_eq!(error.is_none(), allowed, "{share}: {error:?}");
        assert!(error.is_none_or(|text| text.starts_with("table.forget: ") && text.ends_with("expected 0 to 1")));
    }
}

/// A replay runs no search, so lost answers would have no effect on it. The option is therefore
/// refused.
#[test]
fn forget_is_refused_by_a_replay() {
    let options: TableOptions = from_toml("size = 64\nforget = 0.5").unwrap();
    let refused = ttlab::internals::traces::replay::replay(&[], &options).err().map(|error| error.to_string());
    assert!(refused.is_some_and(|text| text.starts_with("table.forget: ")));
    assert!(ttlab::internals::traces::replay::replay(&[], &TableOptions { forget: 0.0, ..options }).is_ok());
}
