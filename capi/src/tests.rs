use super::*;
use std::ptr::{null, null_mut};
use ttlab_core::internals::table::Design;
use ttlab_core::table_options;

const WEISS: &str = "table.design = weiss; table.static_evaluation = true; table.size = 64";

fn create(options: &str, owners: c_int) -> Result<*mut Linked, (c_int, String)> {
    let (text, mut table) = (CString::new(options).unwrap(), null_mut());
    // SAFETY: the text ends with 0, and the table is written to a local.
    match unsafe { ttlab_table_create(VERSION, text.as_ptr(), owners, &raw mut table) } {
        0 => Ok(table),
        code => Err((code, message())),
    }
}

fn message() -> String {
    // SAFETY: the text is read before the next fault of this thread.
    unsafe { CStr::from_ptr(ttlab_table_error()) }.to_str().unwrap().to_owned()
}

/// A table that is destroyed in the end.
struct Own(*mut Linked);

// SAFETY: that is what is tried.
unsafe impl Sync for Own {}

impl Own {
    fn new(options: &str) -> Self {
        Self::shared(options, 1)
    }
    fn shared(options: &str, owners: c_int) -> Self {
        Self(create(options, owners).unwrap())
    }
    fn result(&self, entry: ForeignEntry, cut: c_int) {
        // SAFETY: the table lives, and the entry is a local.
        assert_eq!(unsafe { ttlab_table_result(self.0, &raw const entry, cut) }, 0);
    }
    fn hashfull(&self) -> c_int {
        // SAFETY: as above.
        unsafe { ttlab_table_hashfull(self.0) }
    }
    fn probe(&self, key: u64) -> (c_int, ForeignEntry) {
        let mut entry = ForeignEntry { mv: 7, bound: 3, ..ForeignEntry::EMPTY };
        // SAFETY: the table lives, and the entry is a local.
        let code = unsafe { ttlab_table_probe(self.0, key, &raw mut entry) };
        (code, entry)
    }
    fn store(&self, key: u64, entry: ForeignEntry) -> c_int {
        // SAFETY: as above.
        unsafe { ttlab_table_store(self.0, key, &raw const entry) }
    }
    fn search(&self, plies: u32) {
        // SAFETY: as above.
        assert_eq!(unsafe { ttlab_table_search(self.0, plies) }, 0);
    }
    fn clear(&self) {
        // SAFETY: as above.
        assert_eq!(unsafe { ttlab_table_clear(self.0) }, 0);
    }
    fn counter(&self, name: &str) -> Result<u64, (c_int, String)> {
        let (name, mut value) = (CString::new(name).unwrap(), 0);
        // SAFETY: as above.
        match unsafe { ttlab_table_counter(self.0, name.as_ptr(), &raw mut value) } {
            0 => Ok(value),
            code => Err((code, message())),
        }
    }
    fn info(&self, size: usize) -> (c_int, String) {
        let mut text = vec![0x7f_u8; size + 1];
        // SAFETY: the buffer has one byte more than it says.
        let length = unsafe { ttlab_table_info(self.0, text.as_mut_ptr().cast(), size) };
        assert_eq!(text[size], 0x7f, "written beyond the end");
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(0);
        (length, String::from_utf8(text[..end].to_vec()).unwrap())
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: nobody uses the table after this.
        unsafe { ttlab_table_destroy(self.0) };
    }
}

const ENTRY: ForeignEntry =
    ForeignEntry { mv: 0xfedc, score: -31_002, eval: 31_002, depth: 9, bound: 3, ..ForeignEntry::EMPTY };

/// All bits of an entry come back, in the layout of each engine that has room for them.
#[test]
fn entry_comes_back_as_it_was_stored() {
    let ages = "table.static_evaluation = true; table.size = 64; table.age_bits";
    let designs = Design::ALL
        .iter()
        .map(|design| format!("table.design = {}; table.size = 64; table.static_evaluation = true", design.name()));
    let others = [WEISS.to_owned(), format!("table.layout = 4x16; {ages} = 7"), "table.kind = unbounded".to_owned()];
    // One design has no room for an evaluation, whoever uses it.
    for options in designs.chain(others).filter(|options| table_options(options).is_ok()) {
        let table = Own::new(&options);
        let entry = ForeignEntry { eval: if options == WEISS { 31_002 } else { 100 }, ..ENTRY };
        table.search(1);
        let key = 0x8000_1234_5678_9abc;
        let (code, missed) = table.probe(key);
        assert_eq!((code, missed), (0, ForeignEntry { slot: missed.slot, ..ForeignEntry::EMPTY }), "{options}");
        assert_eq!(table.store(key, ForeignEntry { slot: missed.slot, ..entry }), 1);
        let (code, found) = table.probe(key);
        assert_eq!((code, found), (1, ForeignEntry { slot: found.slot, ..entry }), "{options}");
        if options.contains("4x16") {
            table.store(key, ForeignEntry { pv: 1, slot: missed.slot, ..entry });
            assert_eq!(table.probe(key).1.pv, 1);
        }
        // Without a bound there is an evaluation alone, where the table takes it.
        let (_, missed) = table.probe(!key);
        table.store(!key, ForeignEntry { bound: 0, eval: -7, slot: missed.slot, ..ENTRY });
        let (_, found) = table.probe(!key);
        let alone = ForeignEntry { eval: -7, depth: 9, slot: found.slot, ..ForeignEntry::EMPTY };
        assert_eq!(found, alone, "{options}");
        table.clear();
        assert_eq!(table.probe(key).0, 0);
    }
}

#[test]
fn what_is_clipped_is_counted_once() {
    let table =
        Own::new("table.layout = { bucket = 16, entry = 16, slots = 1, key_bits = 32, depth = 4 }; table.size = 64");
    for (depth, score, stored, clipped) in [
        (15, 5, (15, 5), 0),
        (16, 5, (15, 5), 1),
        (-1, 5, (0, 5), 1),
        (300, 5, (15, 5), 1),
        (3, i16::MIN, (3, -i16::MAX), 1),
        (i16::MAX, i16::MIN, (15, -i16::MAX), 1),
    ] {
        let before = table.counter("table.clipped").unwrap();
        table.store(9, ForeignEntry { depth, score, ..ENTRY });
        let (_, found) = table.probe(9);
        assert_eq!((found.depth, found.score), stored, "{depth} {score}");
        assert_eq!(table.counter("table.clipped").unwrap() - before, clipped, "{depth} {score}");
    }
}

/// The clock goes on by searches, or by the plies of the game.
#[test]
fn age_is_counted_by_the_clock() {
    for (clock, age) in [("search", 2), ("game-ply", 5)] {
        let table = Own::new(&format!("{WEISS}; table.clock = {clock}"));
        table.search(1);
        table.store(9, ENTRY);
        table.search(2);
        table.search(3);
        assert_eq!(table.probe(9).1.age, age);
    }
    for (clear, kept) in [("search", [0, 0]), ("game", [1, 0]), ("never", [1, 1])] {
        let table = Own::new(&format!("{WEISS}; table.clear = {clear}"));
        table.store(9, ENTRY);
        table.search(1);
        let after_search = table.probe(9).0;
        table.clear();
        assert_eq!([after_search, table.probe(9).0], kept, "{clear}");
    }
}

/// Under `victim = "probe"` a store goes where the probe of its node said, whatever probes of the
/// same position came between.
#[test]
fn store_goes_to_the_slot_of_its_probe() {
    let table = Own::new("table.design = weiss; table.size = 2");
    table.store(1, ForeignEntry { depth: 9, ..ENTRY });
    table.store(2, ForeignEntry { depth: 5, slot: 1, ..ENTRY });
    let (_, node) = table.probe(3);
    assert_eq!(node.slot, 1, "the shallower one");
    table.store(4, ForeignEntry { depth: 20, slot: 1, ..ENTRY });
    assert_eq!(table.probe(3).1.slot, 0, "now the other is the shallower one");
    table.store(3, ForeignEntry { slot: node.slot, ..ENTRY });
    assert_eq!([1, 3, 4].map(|key| table.probe(key).0), [1, 1, 0]);
    // A slot that no bucket has is no fault.
    assert_eq!(table.store(5, ForeignEntry { slot: u64::MAX, ..ENTRY }), 1);
}

/// Hits that end their node, and hits of the wrong side, reach the rules that ask for them.
#[test]
fn result_of_a_hit_reaches_the_table() {
    let table =
        Own::new(&format!("{WEISS}; table.refresh = cutoff; table.demotion.missed = 2; table.demotion.exact = true"));
    table.store(9, ENTRY);
    table.search(1);
    let (_, hit) = table.probe(9);
    assert_eq!((hit.age, hit.depth), (1, 9));
    table.result(hit, 0);
    assert_eq!((table.probe(9).1.age, table.probe(9).1.depth), (1, 7));
    table.result(hit, 1);
    assert_eq!((table.probe(9).1.age, table.probe(9).1.depth), (0, 7));
    table.result(ForeignEntry { slot: u64::MAX, ..hit }, 1);
    // The depth of the node decides, and without the option nothing is lowered.
    for (missed, depth, left) in [("missed = 2", 6, 9), ("missed = 2", 7, 7), ("missed = 0", 9, 9)] {
        let table = Own::new(&format!("{WEISS}; table.demotion.{missed}; table.demotion.missed_depth = 7"));
        table.store(9, ForeignEntry { bound: 2, ..ENTRY });
        table.result(ForeignEntry { depth, ..table.probe(9).1 }, 0);
        assert_eq!(table.probe(9).1.depth, left, "{missed}, {depth}");
    }
}

#[test]
fn counters_are_those_of_the_search_or_of_all() {
    let table = Own::new(WEISS);
    table.store(9, ENTRY);
    table.search(1);
    table.probe(9);
    table.probe(8);
    let all = "ttlab table.probes 2 table.hits 1 table.misses_empty 1 table.misses_other 0 table.stores 0";
    let (length, text) = table.info(1000);
    assert!(text.starts_with(all), "{text}");
    assert_eq!(length as usize, text.len());
    assert_eq!(table.info(6), (length, "ttlab".to_owned()));
    assert_eq!(table.info(1), (length, String::new()));
    assert_eq!(table.info(0).0, length);
    assert_eq!(table.counter("table.stores"), Ok(1));
    assert_eq!([table.counter("slots"), table.counter("entries")], [Ok(64), Ok(1)]);
    assert_eq!(table.hashfull(), 1000 / 64);
    let (code, text) = table.counter("table.hit").unwrap_err();
    assert_eq!(code, codes::ARGUMENT);
    assert!(text.starts_with("table.hit: there is no such counter: expected one of table.probes, "), "{text}");
}

/// Each wrong text is refused with the option's path, and nothing is created.
#[test]
fn wrong_options_are_refused_by_path() {
    for (options, code, expected) in [
        (
            "table.sise = 4",
            codes::OPTION,
            "table.sise: there is no option `table.sise` of a table; did you mean `table.size`?",
        ),
        ("search.nodes = 4", codes::OPTION, "search.nodes: there is no option"),
        ("table.size", codes::OPTION, "table.size: expected path=value"),
        ("table.policy = alwyas", codes::OPTION, "table.policy: unknown word `alwyas`"),
        ("table.slots = 9", codes::OPTION, "table.slots: 9 is out of range: expected 1 to 8"),
        ("table.slots = [1, 2]", codes::OPTION, "table.slots: expected a single value, found a list"),
        ("table.layout = 2x16; table.size = 25 %", codes::OPTION, "table.size: \"25 %\" is a share of the working set"),
        ("table.size = 64", codes::OPTION, "table.layout: \"bytes16\" has moves of 15 bits"),
        ("table.layout = bytes24", codes::OPTION, "table.layout: \"bytes24\" has moves of 15 bits"),
        (
            "table.layout = 3x10; table.static_evaluation = true; table.age_bits = 7",
            codes::OPTION,
            "table.layout: key 16 + ",
        ),
        ("table.layout = 2x16; table.policy = big1", codes::OPTION, "table.policy: \"big1\" reads the nodes"),
        ("table.layout = 2x16; table.clock = iteration", codes::OPTION, "table.clock: \"iteration\" counts iterations"),
        ("table.layout = 2x16; table.size = 100 TiB", codes::MEMORY, "table.size: 104857600 MiB exceed the "),
    ] {
        if cfg!(miri) && code == codes::MEMORY {
            continue; // Miri has no calls that say how much memory is free.
        }
        let (found, message) = create(options, 1).unwrap_err();
        assert_eq!(found, code, "{options}: {message}");
        assert!(message.starts_with(expected), "{options}: {message}");
    }
    let mut table = null_mut();
    let text = c"table.kind = none";
    // SAFETY: the texts end with 0, and the table is written to a local.
    unsafe {
        assert_eq!(ttlab_table_create(VERSION + 1, text.as_ptr(), 1, &raw mut table), codes::VERSION);
        assert_eq!(message(), "version: the header has 2, the library 1: expected the same");
        for owners in [c_int::MIN, -1, 0, 256, 257] {
            assert_eq!(ttlab_table_create(VERSION, text.as_ptr(), owners, &raw mut table), codes::OPTION);
            assert_eq!(message(), format!("owners: {owners} is out of range: expected 1 to 255 threads"));
        }
        assert_eq!(ttlab_table_create(VERSION, text.as_ptr(), 1, null_mut()), codes::ARGUMENT);
        assert_eq!(ttlab_table_create(VERSION, c"\xff".as_ptr(), 1, &raw mut table), codes::OPTION);
    }
    assert!(table.is_null());
}

#[test]
fn wrong_calls_are_refused_and_change_nothing() {
    let table = Own::new(WEISS);
    table.store(9, ENTRY);
    assert_eq!(table.probe(0), (codes::KEY, ForeignEntry::EMPTY));
    assert_eq!(message(), "key: 0 stands for no position: expected a hash key");
    assert_eq!(table.store(0, ENTRY), codes::KEY);
    assert_eq!(table.store(8, ForeignEntry { bound: 4, ..ENTRY }), codes::ARGUMENT);
    let mut value = 0;
    // SAFETY: NULL is allowed everywhere.
    unsafe {
        assert_eq!(ttlab_table_probe(table.0, 9, null_mut()), codes::ARGUMENT);
        assert_eq!(ttlab_table_store(table.0, 9, null()), codes::ARGUMENT);
        assert_eq!(ttlab_table_result(table.0, null(), 1), codes::ARGUMENT);
        assert_eq!(ttlab_table_counter(table.0, null(), &raw mut value), codes::ARGUMENT);
        assert_eq!(ttlab_table_counter(table.0, c"slots".as_ptr(), null_mut()), codes::ARGUMENT);
        assert_eq!(ttlab_table_info(table.0, null_mut(), 9), codes::ARGUMENT);
    }
    assert_eq!((table.counter("table.stores"), table.counter("table.probes")), (Ok(1), Ok(0)));
    let mut entry = ENTRY;
    // SAFETY: NULL in the place of a table does nothing.
    unsafe {
        ttlab_table_destroy(null_mut());
        ttlab_table_prefetch(null(), 9);
        let codes = [
            ttlab_table_search(null_mut(), 1),
            ttlab_table_clear(null_mut()),
            ttlab_table_probe(null_mut(), 9, &raw mut entry),
            ttlab_table_store(null_mut(), 9, &raw const entry),
            ttlab_table_result(null_mut(), &raw const entry, 1),
            ttlab_table_hashfull(null()),
            ttlab_table_counter(null(), c"slots".as_ptr(), &raw mut value),
            ttlab_table_info(null(), null_mut(), 9),
        ];
        assert_eq!((codes, entry), ([0; 8], ENTRY));
    }
    // SAFETY: the table lives.
    unsafe { ttlab_table_prefetch(table.0, 9) };
}

/// A second thread is refused until it begins a search of its own, and the first after it.
#[test]
fn two_threads_cannot_share_a_table() {
    let shared = &Own::new(WEISS);
    shared.search(1);
    shared.store(9, ENTRY);
    let in_thread = |body: &(dyn Fn(&Own) -> c_int + Sync)| {
        std::thread::scope(|scope| scope.spawn(|| body(shared)).join().unwrap())
    };
    let text = in_thread(&|table| {
        assert_eq!(table.probe(9).0, codes::OWNER);
        assert!(message().starts_with("owners: another thread searches with this table"), "{}", message());
        table.store(8, ENTRY)
    });
    assert_eq!((text, shared.probe(9).0, shared.probe(8).0), (codes::OWNER, 1, 0));
    assert_eq!(
        in_thread(&|table| {
            table.search(1);
            table.probe(9).0
        }),
        1
    );
    assert_eq!(shared.probe(9).0, codes::OWNER);
    // Whoever comes first after a clear searches.
    shared.clear();
    assert_eq!(in_thread(&|table| table.probe(9).0), 0);
    assert_eq!(shared.probe(9).0, codes::OWNER);
}

/// What two threads do adds up, and both find what either stored, but for what both wrote to one
/// slot at once. A third is refused.
#[test]
fn owners_share_a_table() {
    let keys = if cfg!(miri) { 20 } else { 2000 };
    // Divided, with slots chosen by probes, by one lock, and without a bound.
    for options in [
        "table.layout = 1x16; table.size = 4096; table.policy = always",
        "table.layout = { bucket = 64, entry = 16, slots = 4, key_bits = 40 }; table.size = 4096; table.policy = depth-age; \
         table.victim = probe",
        "table.layout = 1x16; table.size = 4096; table.policy = always; table.forget = 0.0000001",
        "table.kind = unbounded",
    ] {
        let table = &Own::shared(options, 2);
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let entry_of = |number: u64| ForeignEntry { mv: number as u16, depth: 9, eval: i16::MIN, ..ENTRY };
        let count = |name: &str| table.counter(name).unwrap();
        let play = |numbers: std::ops::Range<u64>| {
            for number in numbers {
                // SAFETY: the table lives.
                unsafe { ttlab_table_prefetch(table.0, key(number)) };
                let (_, entry) = table.probe(key(number));
                table.store(key(number), ForeignEntry { slot: entry.slot, ..entry_of(number) });
                if number % 64 == 0 {
                    count("table.stores");
                }
            }
        };
        // The search before, on this thread.
        play(1..8);
        table.search(1);
        // Nothing is asserted before both threads are done, so that none waits for one that failed.
        let barrier = &std::sync::Barrier::new(2);
        let (second, third, first, next) = std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                barrier.wait();
                play(10_000..10_000 + keys);
                barrier.wait();
                barrier.wait();
                table.counter("table.stores")
            });
            barrier.wait();
            play(20_000..20_000 + keys);
            barrier.wait();
            let third = scope.spawn(|| (table.probe(9).0, message())).join().unwrap();
            let info = table.info(1000).1;
            let first = (table.counter("table.stores"), info, table.hashfull());
            // A search begins with what both have counted, and its second owner may be another
            // thread.
            table.search(1);
            let next = (table.info(1000).1, scope.spawn(|| table.probe(9).0).join().unwrap());
            table.search(1);
            barrier.wait();
            (second.join().unwrap(), third, first, next)
        });
        assert!(next.0.starts_with("ttlab table.probes 0 ") && next.0.contains(" table.stores 0 "), "{}", next.0);
        assert_eq!(next.1, 0);
        let all = 2 * keys + 7;
        assert_eq!((&second, first.0), (&Ok(all), Ok(all)), "{options}");
        assert_eq!(third.0, codes::OWNER);
        assert!(third.1.starts_with("owners: another thread searches with this table"), "{}", third.1);
        assert!(first.1.starts_with(&format!("ttlab table.probes {} table.hits 0 ", all - 7)), "{}", first.1);
        let entries = all - count("table.evictions");
        assert_eq!(count("entries"), entries);
        if !options.ends_with("unbounded") {
            assert_eq!((count("slots"), first.2 as u64), (4096, entries * 1000 / 4096));
        }
        let is_found = |number: &u64| {
            let (code, entry) = table.probe(key(*number));
            code == 1 && entry == (ForeignEntry { slot: entry.slot, age: entry.age, ..entry_of(*number) })
        };
        let numbers = (1..8).chain(10_000..10_000 + keys).chain(20_000..20_000 + keys);
        let found = numbers.filter(is_found).count() as u64;
        assert!((entries.saturating_sub(20)..=entries).contains(&found), "{found} of {entries}: {options}");
        assert!(
            (found..=entries).contains(&count("table.hits")),
            "{} hits of {entries}: {options}",
            count("table.hits")
        );
        // Another thread takes the place of the second in the next search. After a clear all are
        // free, and nobody finds anything.
        table.search(1);
        let probe = |number| std::thread::scope(|scope| scope.spawn(|| table.probe(key(number)).0).join().unwrap());
        assert!(probe(10_000) >= 0);
        table.clear();
        assert_eq!((probe(10_001), probe(20_001), table.hashfull(), count("entries")), (0, 0, 0, 0), "{options}");
    }
}

/// What another thread did counts at once, also what was clipped before the table, and a search
/// begins with it.
#[test]
fn search_begins_with_the_counts_of_all() {
    let table = &Own::shared(WEISS, 2);
    table.search(1);
    let store = || table.store(9, ForeignEntry { depth: -1, ..ENTRY });
    assert_eq!(std::thread::scope(|scope| scope.spawn(store).join().unwrap()), 1);
    assert_eq!(table.counter("table.clipped"), Ok(1));
    assert_eq!(std::thread::scope(|scope| scope.spawn(store).join().unwrap()), 1);
    table.search(1);
    let (_, info) = table.info(1000);
    assert!(info.contains(" table.stores 0 ") && info.contains(" table.clipped 0 "), "{info}");
    assert_eq!(table.counter("table.clipped"), Ok(2));
}

/// One thread on a table for several has the answers and counters of a table for one.
#[test]
fn table_for_two_counts_as_a_table_for_one() {
    let layouts = ["3x8", "5x12", "4x16", "1x12", "1x16"].map(|name| format!("table.layout = {name}; table.size = 90"));
    let others = [
        WEISS,
        "table.design = stockfish; table.size = 90",
        "table.design = ethereal; table.size = 90; table.clock = game-ply; table.refresh = match",
        "table.kind = unbounded",
        "table.kind = none",
        "table.layout = 4x16; table.size = 90; table.policy = depth-age; table.victim = probe; table.age_bits = 3; table.refresh = cutoff",
        "table.layout = 2x16; table.size = 90; table.forget = 0.3; table.clear = search",
    ];
    for options in layouts.into_iter().chain(others.map(str::to_owned)) {
        let tables = [1, 2, 255].map(|owners| Own::shared(&options, owners));
        let mut random = 7_u64;
        for step in 0..if cfg!(miri) { 60 } else { 1200 } {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = (random >> 57) * 0x0123_4567_89ab_cdef + 1;
            let answers = tables.each_ref().map(|table| {
                if step % 50 == 0 {
                    table.search(step / 50);
                }
                if step == 1111 {
                    table.clear();
                }
                let (code, entry) = table.probe(key);
                table.result(entry, (random >> 20 & 1) as c_int);
                let depth = (random >> 40) as i16 % 40 - 2;
                let stored = table.store(key, ForeignEntry { depth, bound: (random >> 30 & 3) as u8, ..entry });
                let all =
                    (step % 20 == 0).then(|| (table.info(1000).1, table.hashfull(), table.counter("table.clipped")));
                (code, entry, stored, all)
            });
            assert!(answers[0] == answers[1] && answers[0] == answers[2], "{options}: {answers:?}");
        }
        assert!(options.contains("none") || tables[2].counter("table.hits").unwrap() > 9, "{options}");
    }
}

/// A panic becomes a code, and the table answers nothing more.
#[test]
fn panic_does_not_cross_the_border() {
    let table = Own::new(WEISS);
    // SAFETY: the table lives.
    let code = unsafe { with_owner(table.0, |_| panic!("as planned")) };
    assert_eq!((code, table.probe(9).0, table.store(9, ENTRY)), (codes::PANIC, codes::PANIC, codes::PANIC));
    // For all owners.
    let table = &Own::shared(WEISS, 2);
    // SAFETY: as above.
    let panic = || unsafe { with_owner(table.0, |_| panic!("as planned")) };
    assert_eq!(std::thread::scope(|scope| scope.spawn(panic).join().unwrap()), codes::PANIC);
    assert_eq!((table.probe(9).0, table.counter("table.stores").unwrap_err().0), (codes::PANIC, codes::PANIC));
    assert_eq!(guard(|| panic!("as planned")), codes::PANIC);
}

#[test]
fn table_of_kind_none_and_lost_hits_are_tables_too() {
    let none = Own::new("table.kind = none");
    none.search(1);
    assert_eq!((none.store(9, ENTRY), none.probe(9).0, none.counter("slots")), (0, 0, Ok(0)));
    let lossy = Own::new(&format!("{WEISS}; table.forget = 1.0"));
    lossy.store(9, ENTRY);
    assert_eq!((lossy.probe(9).0, lossy.counter("table.forgotten")), (0, Ok(1)));
}
