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
