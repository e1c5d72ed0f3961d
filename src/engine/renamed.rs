//! Renamed options: an old name is refused with its new one.

/// The old path, or old path and value, and its new name.
const RENAMED: &[(&str, &str)] = &[
    ("table.use", "probe.use"),
    ("table.bounds", "probe.bounds"),
    ("table.depth", "probe.depth"),
    ("table.returns", "probe.returns"),
    ("table.pv_cutoffs", "probe.pv_cutoffs"),
    ("table.start_value", "probe.start_value"),
    ("table.policy = bucket", "depth-age"),
    ("table.policy = fifo", "always"),
];

/// The new name of an old option path or value (`table.policy = fifo`), if it was renamed.
#[must_use]
pub fn renamed(old: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(name, _)| *name == old).map(|(_, new)| *new)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Each old name has its new one; current names have none.
    #[test]
    fn old_name_maps_to_the_new_one() {
        assert_eq!(
            ["fifo", "bucket"].map(|word| renamed(&format!("table.policy = {word}"))),
            [Some("always"), Some("depth-age")]
        );
        assert_eq!(["table.use", "table.start_value"].map(renamed), [Some("probe.use"), Some("probe.start_value")]);
        assert_eq!(["table.policy", "table.policy = big1", "probe.use"].map(renamed), [None; 3]);
    }
}
