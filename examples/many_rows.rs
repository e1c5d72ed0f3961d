//! Writes a large results file for measuring reports. It repeats a row of a real file with other
//! variants, positions and nodes, and recomputes the checksums.
//!
//! `cargo run --release --example many_rows -- results.csv 100 1000000 > many.csv` (100 variants, a
//! million rows), then `/usr/bin/time -v ttlab report many.csv`

use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [template, variants, rows] = arguments.as_slice() else {
        return Err("expected: TEMPLATE.csv VARIANTS ROWS".into());
    };
    let (variants, rows): (u64, u64) = (variants.parse()?, rows.parse()?);
    let mut reader = csv::Reader::from_path(template)?;
    let heads = reader.headers()?.clone();
    let row = reader.records().next().ok_or("the template has no rows")??;
    let at = |name: &str| heads.iter().position(|head| head == name);
    let (id, variant, position, nodes) = (at("id"), at("variant"), at("position"), at("search.nodes"));
    let check = at("check");
    let out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(&heads)?;
    for number in 0..rows {
        let (who, place) = (number % variants, number / variants);
        // Positions differ by orders of magnitude, variants by a few percent. The noise is
        // SplitMix's hash of the row number.
        let mut mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let noise = (mixed >> 40) as f64 / (1_u64 << 24) as f64;
        let size = 10_000.0 * (3.0 * (place as f64 * 0.7).sin()).exp();
        let count = size * (1.0 + 0.2 * noise) * (1.0 + who as f64 / variants as f64 / 20.0);
        let fields = row.iter().enumerate().filter(|&(field, _)| Some(field) != check);
        let fields = fields.map(|(field, text)| match Some(field) {
            field if field == id => format!("{number:016x}"),
            field if field == variant => format!("variant {who}"),
            field if field == position => format!("position {place}"),
            field if field == nodes => format!("{count:.0}"),
            _ => text.to_owned(),
        });
        let mut fields: Vec<String> = fields.collect();
        if check.is_some() {
            // Each row is a job of its own, so it is the first of its chain.
            ttlab::internals::record::append_checksum(&mut fields, 0);
        }
        writer.write_record(fields)?;
    }
    writer.into_inner().map_err(|error| error.to_string())?.flush()?;
    Ok(())
}
