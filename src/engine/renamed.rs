//! Options that had another name: files that still use it are told the new one, and nothing else understands it.

/// Old path, or old path and value, and what it is called now.
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

/// What an option's path, or one of its words (`table.policy = fifo`), is called now.
#[must_use]
pub fn renamed(old: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(name, _)| *name == old).map(|(_, new)| *new)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Each old name has its own new one, and others have none.
    #[test]
    fn old_names_lead_to_their_new_ones() {
        assert_eq!(
            ["fifo", "bucket"].map(|word| renamed(&format!("table.policy = {word}"))),
            [Some("always"), Some("depth-age")]
        );
        assert_eq!(["table.use", "table.start_value"].map(renamed), [Some("probe.use"), Some("probe.start_value")]);
        assert_eq!(["table.policy", "table.policy = big1", "probe.use"].map(renamed), [None; 3]);
    }
}
