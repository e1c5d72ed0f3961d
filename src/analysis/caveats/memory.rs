//! Whether variants were compared on equal memory. A packing or bucket that holds more entries in
//! the same bytes, or needs more bytes for the same entries, must not pass for a better policy.

use crate::analysis::rows::frame::Frame;
use crate::record::columns;
use std::collections::BTreeMap;

/// Slots and bytes of a table.
type Shape = (u64, u64);

/// A sentence that says whether tables of the same `table.size` have equal bytes and entries, to
/// within 0.1 % (sizes are rounded to whole buckets); none if no two variants have the same size.
pub fn compare_memory(frame: &Frame) -> Option<String> {
    let [slots, bytes] = [columns::SLOTS, columns::BYTES].map(|name| frame.numbers(name));
    let (variants, has_size) = (frame.text_column(columns::VARIANT), frame.has("table.size"));
    let mut sizes: BTreeMap<String, BTreeMap<u32, Shape>> = BTreeMap::new();
    let mut last_variant = u32::MAX;
    for row in 0..frame.rows() {
        let variant = variants.codes()[row];
        // Successive rows are usually of the same variant.
        if variant != last_variant && slots[row] > 0.0 {
            last_variant = variant;
            let size = if has_size { frame.text("table.size", row).into_owned() } else { String::new() };
            sizes.entry(size).or_default().insert(variant, (slots[row] as u64, bytes[row] as u64));
        }
    }
    sizes.retain(|_, shapes| shapes.len() > 1);
    if sizes.is_empty() {
        return None;
    }
    let find_difference = |unit: &str, amount: fn(&Shape) -> u64| {
        sizes.values().find_map(|shapes| {
            let mut shapes = shapes.iter().map(|(&variant, shape)| (&variants.list()[variant as usize], amount(shape)));
            let (first, value) = shapes.next()?;
            let (other_variant, other_value) =
                shapes.find(|(_, other_variant)| other_variant.abs_diff(value) * 1000 > value)?;
            Some(format!(": \"{first}\" has {value} {unit}, \"{other_variant}\" {other_value}"))
        })
    };
    let (bytes, entries) =
        (find_difference(columns::BYTES, |shape| shape.1), find_difference(columns::SLOTS, |shape| shape.0));
    let equality = match (&bytes, &entries) {
        (None, None) => "equal bytes and equal entries",
        (None, Some(_)) => "equal bytes, not at equal entries",
        (Some(_), None) => "equal entries, not at equal bytes",
        (Some(_), Some(_)) => "neither equal bytes nor equal entries",
    };
    let tables = if has_size { "tables of one table.size" } else { "tables" };
    Some(format!("{tables} are compared at {equality}{}", bytes.or(entries).unwrap_or_default()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_not_equal_entries() {
        let compare = |rows: &str| {
            let text = format!("variant,position,depth,table.size,search.nodes,slots,bytes\n{rows}");
            compare_memory(&Frame::parse(text.as_bytes(), "t").unwrap())
        };
        let make_rows = |a: &str, b: &str| {
            format!("a,p,1,64 KiB,9,{a}\nb,p,1,64 KiB,9,{b}\nc,p,1,1 MiB,9,65536,1048576\nd,p,1,,9,,\n")
        };
        let all_equal = compare(&make_rows("4096,65536", "4096,65536")).unwrap();
        assert_eq!(all_equal, "tables of one table.size are compared at equal bytes and equal entries");
        let same_bytes = compare(&make_rows("4096,65536", "6144,65536")).unwrap();
        assert!(
            same_bytes.contains("equal bytes, not at equal entries: \"a\" has 4096 slots, \"b\" 6144"),
            "{same_bytes}"
        );
        assert!(compare(&make_rows("4096,65536", "4096,98304")).unwrap().contains("equal entries, not at equal bytes"));
        assert!(compare(&make_rows("4096,65536", "2048,98304")).unwrap().contains("neither"));
        // Rounding to whole buckets may change a size by up to 0.1 %.
        assert_eq!(compare(&make_rows("4096,65536", "4100,65601")).unwrap(), all_equal);
        assert!(compare(&make_rows("4096,65536", "4101,65601")).unwrap().contains("equal bytes, not at equal entries"));
        assert!(compare(&make_rows("4096,65536", "4100,65602")).unwrap().contains("equal entries, not at equal bytes"));
        // Exactly 0.1 % still counts as equal.
        assert_eq!(compare(&make_rows("1000,64000", "1001,64064")).unwrap(), all_equal);
        assert!(compare(&make_rows("1000,64000", "1002,64064")).unwrap().contains("not at equal entries"));
        assert_eq!(compare("a,p,1,64 KiB,9,4096,65536\nb,p,1,1 MiB,9,65536,1048576\n"), None);
        // Without tables there is nothing to compare.
        assert_eq!(compare("a,p,1,,9,,\nb,p,1,,9,,\nc,p,1,,9,0,0\n"), None);
    }
}
