//! Renders a comparison for programs: as JSON, as the list that benchmark dashboards read, and as
//! JUnit XML.

use super::comparison::{gate_outcome, gate_values, headline};
use crate::analysis::questions::compare::{Change, Comparison, Finding};
use crate::record::columns;
use crate::stats::ratio::Ratio;
use crate::text::plural;
use maud::html;
use serde_json::{Value, json};
use std::fmt::Write;

/// Version of the JSON format. The version rises when a field is renamed, removed or changes its
/// meaning.
pub const SCHEMA: u32 = 2;

/// Numbers that are not finite become null.
fn ratio_json(ratio: &Ratio) -> Value {
    json!({ "mean": ratio.mean, "low": ratio.low, "high": ratio.high, "p": ratio.p, "pairs": ratio.pairs, "clusters": ratio.clusters })
}

fn variant_json(comparison: &Comparison, change: &Change) -> Value {
    let metrics = comparison.metrics.iter().zip(change.totals.iter().zip(&change.differing));
    let metrics: serde_json::Map<String, Value> = metrics
        .map(|(name, ([base, new], differing_rows))| {
            (name.clone(), json!({ "base": base, "new": new, "rows_differ": differing_rows }))
        })
        .collect();
    json!({
        "variant": change.variant,
        "rows": change.paired,
        "moved": change.moved,
        "missing": change.missing,
        "nodes_ratio": ratio_json(&change.nodes),
        "nodes_p_corrected": change.p,
        "seconds_ratio": ratio_json(&change.seconds),
        "metrics": metrics,
    })
}

pub fn comparison_json(comparison: &Comparison) -> String {
    let finding = match comparison.finding() {
        Finding::Gate => "gate",
        Finding::Missing => "missing",
        Finding::Unequal => "unequal",
        Finding::Fine => "fine",
    };
    let value = json!({
        "schema": SCHEMA,
        "finding": finding,
        "headline": headline(comparison),
        "base": comparison.names[0],
        "new": comparison.names[1],
        "programs": { "base": comparison.programs[0], "new": comparison.programs[1] },
        "other_programs": comparison.differing_program_names().is_some(),
        "same_plan": comparison.same_plan,
        "rows": {
            "paired": comparison.paired_count,
            "moved": comparison.moved_count,
            "missing": comparison.missing_count,
            "added": comparison.added,
            "failed_base": comparison.failed[0],
            "failed_new": comparison.failed[1],
        },
        "gates": comparison.gate_results.iter().map(|gate_result| json!({
            "gate": gate_result.gate,
            "variant": gate_result.variant,
            "metric": gate_result.metric,
            "base": gate_result.totals[0],
            "new": gate_result.totals[1],
            "rows_differ": gate_result.differing_rows,
            "fails": gate_result.fails(),
            "within_noise": gate_result.is_noise(),
            "caution": gate_result.caution,
        })).collect::<Vec<_>>(),
        "variants": comparison.variants.iter().map(|change| variant_json(comparison, change)).collect::<Vec<_>>(),
        "moved_rows": comparison.moved.iter().map(|row| json!({
            "variant": row.variant,
            "position": row.position,
            "depth": row.depth,
            "repeat": row.repeat,
            "nodes_base": row.nodes[0],
            "nodes_new": row.nodes[1],
            "columns": row.columns,
        })).collect::<Vec<_>>(),
        "missing_rows": comparison.listed_missing,
        "plan_differences": comparison.differences,
        "notes": comparison.notes,
    });
    format!("{value:#}\n")
}

/// A smaller total is always better.
pub fn bench_json(comparison: &Comparison) -> String {
    let mut totals = Vec::new();
    for change in comparison.variants.iter().filter(|change| change.paired > 0) {
        for (metric, unit) in [(columns::NODES, "nodes"), (columns::SECONDS, "s")] {
            let Some(index) = comparison.metric_index(metric) else { continue };
            let [base, new] = change.totals[index];
            // Counts are exact and have no range.
            let spread = if metric == columns::SECONDS { change.spread } else { 0.0 };
            totals.push(json!({
                "name": format!("{}: {unit}", change.variant),
                "unit": unit,
                "value": new,
                "range": format!("± {}", (spread * 1e6).round() / 1e6),
                "extra": format!("base {base}\nrows {}\nmoved {}", change.paired, change.moved),
            }));
        }
    }
    format!("{:#}\n", Value::Array(totals))
}

/// Escapes text for XML. Characters that XML forbids become U+FFFD.
fn escape_xml(text: &str) -> String {
    let text = html! { (text) }.into_string().replace('\n', "&#10;").replace('\t', "&#9;");
    text.replace(|c| matches!(c, '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}'), "\u{fffd}")
}

/// Each variant has a test suite. The suite has a test case for missing rows, a test case for equal
/// counts if the counts must be equal, and a test case for each gate.
pub fn junit(comparison: &Comparison) -> String {
    let mut suites = String::new();
    let mut properties = String::new();
    for (side, programs) in ["base", "new"].iter().zip(&comparison.programs) {
        for program in programs {
            let program = escape_xml(&program.to_string());
            properties += &format!("<property name=\"{side}.program\" value=\"{program}\"/>");
        }
    }
    let (mut tests, mut failures) = (0, 0);
    // A variant that only NEW has cannot be compared.
    for change in comparison.variants.iter().filter(|change| change.paired + change.missing > 0) {
        // Each case has a name, the reason why it failed or `None`, and a caution or `None`.
        let failure = (change.missing > 0).then(|| format!("{} of BASE missing", plural(change.missing, "row")));
        let mut cases = vec![("rows are there".to_owned(), failure, None)];
        if comparison.must_be_equal() {
            let failure = (change.moved > 0).then(|| format!("{} of {} rows differ", change.moved, change.paired));
            cases.push(("counts are equal".to_owned(), failure, None));
        }
        for gate_result in comparison.gate_results.iter().filter(|gate_result| gate_result.variant == change.variant) {
            let failure =
                gate_result.fails().then(|| format!("{}: {}", gate_outcome(gate_result), gate_values(gate_result)));
            cases.push((format!("gate: {}", gate_result.gate), failure, gate_result.caution.as_deref()));
        }
        let failed_count = cases.iter().filter(|(_, failure, _)| failure.is_some()).count();
        let name = escape_xml(&change.variant);
        let _ = writeln!(suites, "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failed_count}\">", cases.len());
        if !properties.is_empty() {
            let _ = writeln!(suites, "    <properties>{properties}</properties>");
        }
        for (case_name, failure, caution) in &cases {
            let failure = failure.iter().map(|message| format!("<failure message=\"{}\"/>", escape_xml(message)));
            let caution = caution.iter().map(|caution| format!("<system-out>{}</system-out>", escape_xml(caution)));
            let children: String = failure.chain(caution).collect();
            let _ = write!(suites, "    <testcase classname=\"{name}\" name=\"{}\"", escape_xml(case_name));
            let _ = match children.is_empty() {
                true => writeln!(suites, "/>"),
                false => writeln!(suites, ">{children}</testcase>"),
            };
        }
        let _ = writeln!(suites, "  </testsuite>");
        tests += cases.len();
        failures += failed_count;
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ttlab compare\" tests=\"{tests}\" failures=\"{failures}\">\n\
         {suites}</testsuites>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::escape_xml;

    #[test]
    fn xml_text_cannot_end_its_attribute() {
        assert_eq!(escape_xml("a<b>&\"\u{1}\n\t"), "a&lt;b&gt;&amp;&quot;\u{fffd}&#10;&#9;");
        assert_eq!(escape_xml("\u{fffe}\u{ffff}\u{20}é"), "\u{fffd}\u{fffd} é");
    }
}
