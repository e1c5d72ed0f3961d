//! Tells whether variants were compared with equal memory. A table with more entries in the same
//! number of bytes, or with more bytes for the same number of entries, must not look like a better
//! policy.

use crate::analysis::rows::frame::Frame;
use crate::record::columns;
use std::collections::BTreeMap;

/// Numbers that differ by up to 0.1 % count as equal, because sizes are rounded to whole buckets.
pub fn compare_memory(frame: &Frame) -> Option<String> {
    let [slots, bytes] = [columns::SLOTS, columns::BYTES].map(|name| frame.numbers(name));
    let (variants, has_size) = (frame.text_column(columns::VARIANT), frame.has("table.size"));
    // Maps each value of `table.size` to the variants with this value, and each variant to the
    // actual slots and bytes of its table.
    let mut sizes: BTreeMap<String, BTreeMap<u32, [u64; 2]>> = BTreeMap::new();
    let mut last_variant = None;
    for row in 0..frame.rows() {
        let variant = variants.codes().get(row);
        // Only the first of several adjacent rows of a variant is read. Rows without slots are
        // skipped, because their variants have no table.
        if last_variant != Some(variant) && slots[row] > 0.0 {
            last_variant = Some(variant);
            let option_value = if has_size { frame.text("table.size", row).into_owned() } else { String::new() };
            sizes.entry(option_value).or_default().insert(variant, [slots[row] as u64, bytes[row] as u64]);
        }
    }
    sizes.retain(|_, variant_sizes| variant_sizes.len() > 1);
    if sizes.is_empty() {
        return None;
    }
    let find_difference = |unit: &str, index: usize| {
        sizes.values().find_map(|variant_sizes| {
            let mut amounts =
                variant_sizes.iter().map(|(&variant, size)| (&variants.list()[variant as usize], size[index]));
            let (first_variant, first_amount) = amounts.next()?;
            let differs = |amount: u64| amount.abs_diff(first_amount) * 1000 > first_amount;
            let (other_variant, other_amount) = amounts.find(|&(_, amount)| differs(amount))?;
            Some(format!(": \"{first_variant}\" has {first_amount} {unit}, \"{other_variant}\" {other_amount}"))
        })
    };
    let bytes_difference = find_difference(columns::BYTES, 1);
    let entries_difference = find_difference(columns::SLOTS, 0);
    let equality = match (&bytes_difference, &entries_difference) {
        (None, None) => "equal bytes and equal entries",
        (None, Some(_)) => "equal bytes, not equal entries",
        (Some(_), None) => "equal entries, not equal bytes",
        (Some(_), Some(_)) => "neither equal bytes nor equal entries",
    };
    let tables = if has_size { "tables with the same table.size" } else { "tables" };
    Some(format!("{tables} are compared at {equality}{}", bytes_difference.or(entries_difference).unwrap_or_default()))
}

#[cfg(test)]
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
        assert_eq!(all_equal, "tables with the same table.size are compared at equal bytes and equal entries");
        let same_bytes = compare(&make_rows("4096,65536", "6144,65536")).unwrap();
        assert!(
            same_bytes.contains("equal bytes, not equal entries: \"a\" has 4096 slots, \"b\" 6144"),
            "{same_bytes}"
        );
        assert!(compare(&make_rows("4096,65536", "4096,98304")).unwrap().contains("equal entries, not equal bytes"));
        assert!(compare(&make_rows("4096,65536", "2048,98304")).unwrap().contains("neither"));
        // Rounding to whole buckets may change a size by up to 0.1 %.
        assert_eq!(compare(&make_rows("4096,65536", "4100,65601")).unwrap(), all_equal);
        assert!(compare(&make_rows("4096,65536", "4101,65601")).unwrap().contains("equal bytes, not equal entries"));
        assert!(compare(&make_rows("4096,65536", "4100,65602")).unwrap().contains("equal entries, not equal bytes"));
        // Exactly 0.1 % still counts as equal.
        assert_eq!(compare(&make_rows("1000,64000", "1001,64064")).unwrap(), all_equal);
        assert!(compare(&make_rows("1000,64000", "1002,64064")).unwrap().contains("not equal entries"));
        assert_eq!(compare("a,p,1,64 KiB,9,4096,65536\nb,p,1,1 MiB,9,65536,1048576\n"), None);
        // Without tables there is nothing to compare.
        assert_eq!(compare("a,p,1,,9,,\nb,p,1,,9,,\nc,p,1,,9,0,0\n"), None);
    }
}
