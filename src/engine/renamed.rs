//! Renamed options, option values, columns and manifest keys. An error about an old name gives the
//! new name.

/// Old and new names. An option is given by its path, a value of an option as `path = word`, a
/// column by its name, and a manifest key as `manifest.KEY`. The character `*` at the end of a name
/// stands for any rest.
const RENAMED: &[(&str, &str)] = &[
    ("table.use", "probe.use"),
    ("table.bounds", "probe.bounds"),
    ("table.depth", "probe.depth"),
    ("table.returns", "probe.returns"),
    ("table.pv_cutoffs", "probe.pv_cutoffs"),
    ("table.start_value", "probe.start_value"),
    ("table.policy = bucket", "depth-age"),
    ("table.policy = fifo", "always"),
    // The message quotes the new name. The quotation is closed early, so that a second option can
    // follow the word.
    ("table.same_key = guard-four", "guard"),
    ("table.same_key = guard-two", "guard` with `table.guard = { margin = 3, pv = 0, age = false }"),
    ("ordering = foreseen", "oracle"),
    ("told.*", "reported.*"),
    ("manifest.begun", "started"),
    ("manifest.jobs_spared", "jobs_not_needed"),
    ("manifest.kept", "never_cleared"),
    ("manifest.stretches", "segments"),
];

/// Returns the new name of an option, of a value of an option (as in `table.policy = fifo`), of a
/// column or of a manifest key. Returns `None` if `old` was not renamed.
pub fn renamed(old: &str) -> Option<String> {
    // If a pattern ends with `*`, it stands for all names that begin with the part before the `*`.
    RENAMED.iter().find_map(|(pattern, new)| match (pattern.strip_suffix('*'), new.strip_suffix('*')) {
        (Some(old_start), Some(new_start)) => old.strip_prefix(old_start).map(|tail| format!("{new_start}{tail}")),
        _ => (*pattern == old).then(|| (*new).to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each old name maps to its new name; current names map to nothing.
    #[test]
    fn old_name_maps_to_the_new_one() {
        for (old, new) in [
            ("table.policy = fifo", "always"),
            ("table.policy = bucket", "depth-age"),
            ("table.same_key = guard-four", "guard"),
            ("ordering = foreseen", "oracle"),
            ("table.use", "probe.use"),
            ("table.start_value", "probe.start_value"),
            ("told.repeats", "reported.repeats"),
            ("manifest.stretches", "segments"),
        ] {
            assert_eq!(renamed(old).as_deref(), Some(new), "{old}");
        }
        for name in ["table.policy", "table.policy = big1", "probe.use", "reported.repeats"] {
            assert_eq!(renamed(name), None, "{name}");
        }
    }
}
