//! How the results of a page were made: suite, build, machine, timing.

use super::Page;
use crate::report::number::format_percent;
use crate::text::plural;

impl Page {
    /// Describes how the results were made. Each result has a line about its suite and a line about
    /// its machine. Lines about memory, the reference and times follow if they apply.
    pub(super) fn provenance(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (label, manifest) in &self.sources {
            let Some(manifest) = manifest else {
                lines.push(format!("{label}: no manifest"));
                continue;
            };
            let item_kind = if manifest.planned.sequence { "items, searched in sequence" } else { "positions" };
            let prefix = if self.sources.len() > 1 { format!("{label}: ") } else { String::new() };
            lines.push(format!(
                "{prefix}suite {}, {} {item_kind}; {}; repeats {}; plan {}",
                manifest.planned.suite,
                manifest.planned.items,
                plural(manifest.planned.variants.len(), "variant"),
                manifest.planned.repeats,
                manifest.planned.plan,
            ));
            let machine = &manifest.host.machine;
            let huge_pages = match manifest.host.huge_pages {
                Some(true) => "in use",
                Some(false) => "requested but not available",
                None => "not requested or unknown",
            };
            lines.push(format!(
                "{prefix}ttlab {} ({}, {}) on {}, {} cores, {:.1} GiB, {}; {} at a time; huge pages {huge_pages}",
                manifest.host.build.version,
                manifest.host.build.commit,
                manifest.host.build.profile,
                machine.cpu,
                machine.cores,
                machine.memory_bytes as f64 / f64::from(1 << 30),
                machine.os,
                plural(manifest.run.jobs, "job")
            ));
        }
        lines.extend(self.memory.clone());
        lines.extend(self.reference_note.clone());
        if let Some(timing) = &self.timing {
            lines.push(format!(
                "times: median of {} repeats; noise between repeats {}, drift {:+.1} %",
                self.summary.repeats,
                // Unknown noise is given as a dash.
                format_percent(timing.noise, if timing.noise.is_nan() { 0.0 } else { 1.0 }),
                100.0 * timing.drift
            ));
        }
        lines
    }
}
