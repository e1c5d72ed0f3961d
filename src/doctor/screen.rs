//! The diagnosis as text for a terminal.

use crate::record::diagnosis::{CheckResult, Diagnosis, Figure, Forgetting, NodesVerdict};

/// If the small table's `hashfull` is lower than this value (in per mille), the table evicts too
/// few entries for a verdict.
const NEARLY_FULL: f64 = 500.0;

pub fn format_diagnosis(diagnosis: &Diagnosis) -> String {
    let Diagnosis { program, arguments, sha256, name, options, .. } = diagnosis;
    let arguments_text: String = arguments.iter().map(|word| format!(" {word}")).collect();
    let mut out = format!("{name}: {program}{arguments_text} (SHA-256 {})\n", sha256.get(..12).unwrap_or(sha256));
    let settings: Vec<String> = ["Threads", "Hash"]
        .iter()
        .filter_map(|setting| {
            let (_, value) = options.iter().find(|(option, _)| option.eq_ignore_ascii_case(setting))?;
            Some(format!("{setting} {value}"))
        })
        .collect();
    if !settings.is_empty() {
        out += &format!("with {}\n", settings.join(", "));
    }
    out.push('\n');
    for check in &diagnosis.checks {
        let mark = match check.result {
            CheckResult::Good => "ok",
            CheckResult::Fault => "FAULT",
            CheckResult::Note => "note",
        };
        out += &format!("  {mark:<6}{:<14}{}\n", check.check, check.finding);
    }
    if let Some(forgetting) = &diagnosis.forgetting {
        out += &format_forgetting(forgetting);
    }
    out += &format!("\n{}\n", describe_conclusion(diagnosis));
    out
}

/// Formats the comparison of a small and a large table.
fn format_forgetting(forgetting: &Forgetting) -> String {
    let Forgetting { small, large, depth, games, searches, .. } = forgetting;
    let mut out =
        format!("\n{small} MiB against {large} MiB: {searches} searches in {games} games, 95 % intervals over games\n");
    let mut add_line = |name: String, figure: &Option<Figure>, unit: &str| {
        if let Some(figure) = figure {
            let is_ratio = unit.is_empty();
            out += &format!("  {name:<44}{}{unit}\n", format_figure(figure, is_ratio));
        }
    };
    add_line(format!("node ratio at depth {depth}, table kept"), &forgetting.kept, "");
    add_line(format!("node ratio at depth {depth}, table cleared"), &forgetting.cleared, "");
    add_line(format!("score error at depth {depth}"), &forgetting.error_at_depth, " centipawns");
    if let Some(nodes) = forgetting.nodes {
        add_line(format!("score error at {nodes} nodes"), &forgetting.error_at_nodes, " centipawns");
    }
    add_line(format!("node ratio, {large} MiB, cleared / kept"), &forgetting.clearing, "");
    out
}

/// Formats a mean and, if there is one, its confidence interval. Differences are written with a
/// sign, ratios without.
fn format_figure(figure: &Figure, is_ratio: bool) -> String {
    let format_value = |value: f64| if is_ratio { format!("{value:.3}") } else { format!("{value:+.1}") };
    match (figure.low, figure.high) {
        (Some(low), Some(high)) => {
            format!("{} [{}, {}]", format_value(figure.mean), format_value(low), format_value(high))
        }
        _ => format_value(figure.mean),
    }
}

/// Says what the diagnosis means for measurements, and how many faults were found.
fn describe_conclusion(diagnosis: &Diagnosis) -> String {
    let verdict = match (&diagnosis.forgetting, diagnosis.nodes) {
        (None, _) => "It was not measured whether node counts to a fixed depth mislead.",
        (_, NodesVerdict::Lead) => {
            "Node counts to a fixed depth can be trusted: if the table forgets, equally good searches need more nodes."
        }
        (_, NodesVerdict::Mislead) => {
            "Node counts to a fixed depth mislead: if the table forgets, a search takes fewer nodes or gives worse \
             scores. Judge tables of this engine by games, or by the score error."
        }
        (Some(forgetting), NodesVerdict::Undecided)
            if forgetting.hashfull[0].is_some_and(|hashfull| hashfull < NEARLY_FULL) =>
        {
            "It is undecided whether node counts to a fixed depth mislead: the small table was never full. A longer --time searches deeper. Until then judge tables \
             of this engine by games, or by the score error."
        }
        (_, NodesVerdict::Undecided) => {
            "It is undecided whether node counts to a fixed depth mislead: a longer --time may decide it. Until then \
             judge tables of this engine by games, or by the score error."
        }
    };
    let faults = diagnosis.checks.iter().filter(|check| check.result == CheckResult::Fault).count();
    let faults_text =
        if faults == 0 { "No fault.".to_owned() } else { format!("{}.", crate::text::plural(faults, "fault")) };
    format!("{verdict} {faults_text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::diagnosis::Check;

    #[test]
    fn screen_shows_checks_figures_and_conclusion() {
        let check =
            |check: &str, result, finding: &str| Check { check: check.to_owned(), result, finding: finding.to_owned() };
        let figure = |mean, low, high| Some(Figure { mean, low: Some(low), high: Some(high) });
        let options = [("Hash", "16"), ("Threads", "1"), ("Other", "x")];
        let mut diagnosis = Diagnosis {
            program: "/bin/engine".to_owned(),
            arguments: vec!["-u".to_owned()],
            sha256: "00112233445566778899".to_owned(),
            name: "Engine 1".to_owned(),
            options: options.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            checks: vec![
                check("go depth", CheckResult::Good, "respected"),
                check("ucinewgame", CheckResult::Fault, "keeps state"),
                check("Hash", CheckResult::Note, "no effect"),
            ],
            forgetting: Some(Forgetting {
                small: 1,
                large: 64,
                depth: 11,
                games: 8,
                searches: 24,
                kept: figure(0.9, 0.8, 0.95),
                error_at_depth: figure(1.25, -0.5, 3.0),
                nodes: Some(5000),
                error_at_nodes: Some(Figure { mean: -0.25, low: None, high: None }),
                ..Forgetting::default()
            }),
            nodes: NodesVerdict::Mislead,
            ..Diagnosis::default()
        };
        let text = format_diagnosis(&diagnosis);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..10],
            [
                "Engine 1: /bin/engine -u (SHA-256 001122334455)",
                "with Threads 1, Hash 16",
                "",
                "  ok    go depth      respected",
                "  FAULT ucinewgame    keeps state",
                "  note  Hash          no effect",
                "",
                "1 MiB against 64 MiB: 24 searches in 8 games, 95 % intervals over games",
                "  node ratio at depth 11, table kept          0.900 [0.800, 0.950]",
                "  score error at depth 11                     +1.2 [-0.5, +3.0] centipawns",
            ]
        );
        assert_eq!(lines[10], "  score error at 5000 nodes                   -0.2 centipawns");
        assert!(lines[12].starts_with("Node counts to a fixed depth mislead: "), "{text}");
        assert!(lines[12].ends_with(" 1 fault."), "{text}");
        for (nodes, text) in [(NodesVerdict::Lead, "can be trusted"), (NodesVerdict::Undecided, "It is undecided")] {
            diagnosis.nodes = nodes;
            assert!(format_diagnosis(&diagnosis).contains(text));
        }
        for (hashfull, expected) in [(499.0, true), (500.0, false)] {
            diagnosis.forgetting.as_mut().unwrap().hashfull[0] = Some(hashfull);
            assert_eq!(format_diagnosis(&diagnosis).contains("was never full"), expected, "{hashfull}");
        }
        diagnosis.checks.clear();
        diagnosis.forgetting = None;
        assert!(
            format_diagnosis(&diagnosis)
                .ends_with("\nIt was not measured whether node counts to a fixed depth mislead. No fault.\n")
        );
    }
}
