//! Summaries of made-up rows: how often pure noise is marked significant, stores over the life of a
//! table, and the stated power.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;
use ttlab::internals::analysis::questions::findings::findings;
use ttlab::internals::analysis::{Frame, Question, Summary};

fn summary(text: &str) -> Summary {
    Summary::new(&Frame::parse(text.as_bytes(), "made up").unwrap(), &Question::by_variant(&[], None)).unwrap()
}

/// An approximately normal random number.
fn normal(random: &mut Pcg64) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

/// The same policy with twelve key seeds on 20 positions, 200 times: at most one page in twenty has
/// any mark, within three binomial standard errors (0.05 + 0.046: 19 pages).
#[test]
fn pages_without_effects_are_marked_at_most_once_in_twenty() {
    let mut random = Pcg64::seed_from_u64(20);
    let mut marked = 0;
    for _ in 0..200 {
        let mut text = "variant,position,depth,search.nodes\n".to_owned();
        for position in 0..20 {
            let size = 10_000.0 * (1.5 * normal(&mut random)).exp();
            // Some positions are chaotic, most aren't.
            let spread = 0.3 * random.random::<f64>().powi(3);
            for seed in 0..13 {
                let nodes = size * (spread * normal(&mut random)).exp();
                writeln!(text, "key seed {seed},p{position},8,{nodes:.0}").unwrap();
            }
        }
        let page = summary(&text);
        marked += usize::from(page.lines.iter().any(|line| line.measures[0].significant));
    }
    assert!(marked <= 19, "{marked} of 200 pages without effects have a mark");
}

/// By hand, with 100 slots. The searches of game 1 share a table: 50 + 100 stores, 1.5 per slot.
/// Game 2: 150 + 150, 3 per slot. The mean is 2.25, where counting searches separately would give
/// 1.125. If the table is cleared before each search (all its entries are from that search), each
/// search counts separately.
#[test]
fn stores_are_counted_over_the_life_of_a_table() {
    let rows = [
        ("kept", "g1", 0, 50, 50, 50),
        ("kept", "g1", 2, 100, 30, 80),
        ("kept", "g2", 0, 150, 90, 90),
        ("kept", "g2", 2, 150, 10, 100),
        ("cleared", "g1", 0, 50, 50, 50),
        ("cleared", "g1", 2, 100, 70, 70),
        ("cleared", "g2", 0, 150, 90, 90),
        ("cleared", "g2", 2, 150, 95, 95),
    ];
    let mut text = "variant,position,game,ply,depth,search.nodes,table.stores,table.fills,slots,entries\n".to_owned();
    for (variant, game, ply, stores, fills, entries) in rows {
        writeln!(text, "{variant},{game} ply {ply},{game},{ply},5,1000,{stores},{fills},100,{entries}").unwrap();
    }
    let page = summary(&text);
    assert_eq!(page.lines.iter().map(|line| line.pressure).collect::<Vec<_>>(), [2.25, 1.125]);
}

/// Compared with no table, all ratios are near a tenth and vary widely; among each other, the
/// variants differ by less than one percent. The power is stated for comparisons among them.
#[test]
fn power_is_stated_for_rivals() {
    let mut text = "variant,position,depth,search.nodes,table.probes\n".to_owned();
    for position in 0..30 {
        let worth = 10.0 * (1.0 + 0.8 * (3.0 * f64::from(position)).sin());
        writeln!(text, "none,p{position},8,{:.0},0", 100_000.0 * worth).unwrap();
        for (at, name) in ["always", "deep", "big"].iter().enumerate() {
            let nodes = 100_000.0 * (1.0 + 0.01 * (f64::from(position) * (at as f64 + 1.0)).sin());
            writeln!(text, "{name},p{position},8,{nodes:.0},5").unwrap();
        }
    }
    let page = summary(&text);
    assert!(page.power.is_among_rivals, "{:?}", page.power);
    assert!(page.power.detectable < 0.04, "{:?}", page.power);
    assert!(page.lines[1].ratio().detectable_effect(page.power.level) > 0.2);
    let output = findings(&page, 0.005).join(" ");
    assert!(output.contains("Differences among the others below 3."), "{output}");
}
