//! The diagnosis as text for a terminal.

use crate::record::diagnosis::{CheckResult, Diagnosis, Figure, NodesVerdict};

pub fn format_diagnosis(diagnosis: &Diagnosis) -> String {
    let Diagnosis { program, arguments, sha256, name, options, .. } = diagnosis;
    let arguments_text: String = arguments.iter().map(|word| format!(" {word}")).collect();
    let name_text = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let mut out = format!("{name_text}{program}{arguments_text} (SHA-256 {})\n", sha256.get(..12).unwrap_or(sha256));
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
            CheckResult::Holds => "holds",
            CheckResult::DoesNotHold => "DOES NOT HOLD",
            CheckResult::NeedsMore => "needs MORE",
            CheckResult::Note => "note",
        };
        out += &format!("  {mark:<15}{:<21}{}\n", check.check, check.finding);
    }
    out += &format!("\n{}\n", describe_conclusion(diagnosis));
    out
}

/// Formats a ratio and, if there is one, its confidence interval.
pub fn format_ratio(figure: &Figure) -> String {
    match (figure.low, figure.high) {
        (Some(low), Some(high)) => format!("{:.3} [{low:.3}, {high:.3}]", figure.mean),
        _ => format!("{:.3}", figure.mean),
    }
}

/// Says what the diagnosis means for measurements, and how many faults were found.
fn describe_conclusion(diagnosis: &Diagnosis) -> String {
    let verdict = match (&diagnosis.forgetting, diagnosis.nodes) {
        (None, _) => "It was not measured what nodes to a depth say about its table.",
        (_, NodesVerdict::Lead) => "A worse table needs more nodes to a depth, so nodes rank tables.",
        (_, NodesVerdict::Mislead) => "Nodes to a depth mislead: a worse table does not need more of them.",
        (_, NodesVerdict::Undecided) => {
            "It is undecided whether nodes to a depth rank tables; the command above decides."
        }
    };
    let faults = diagnosis.count_faults();
    let faults_text =
        if faults == 0 { "No fault.".to_owned() } else { format!("{}.", crate::text::plural(faults, "fault")) };
    format!("{verdict} {faults_text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::diagnosis::{Check, Forgetting};

    #[test]
    fn screen_shows_checks_and_conclusion() {
        let check =
            |check: &str, result, finding: &str| Check { check: check.to_owned(), result, finding: finding.to_owned() };
        let options = [("Hash", "16"), ("Threads", "1"), ("Other", "x")];
        let mut diagnosis = Diagnosis {
            program: "/bin/engine".to_owned(),
            arguments: vec!["-u".to_owned()],
            sha256: "00112233445566778899".to_owned(),
            name: "Engine 1".to_owned(),
            options: options.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            checks: vec![
                check("go depth", CheckResult::Holds, "respected"),
                check("ucinewgame", CheckResult::DoesNotHold, "keeps state"),
                check("note", CheckResult::Note, "surprise"),
                check("nodes to a depth", CheckResult::DoesNotHold, "0.9"),
                check("nodes to a depth", CheckResult::NeedsMore, "ttlab doctor"),
            ],
            forgetting: Some(Forgetting::default()),
            nodes: NodesVerdict::Mislead,
            ..Diagnosis::default()
        };
        let expected = [
            "Engine 1: /bin/engine -u (SHA-256 001122334455)",
            "with Threads 1, Hash 16",
            "",
            "  holds          go depth             respected",
            "  DOES NOT HOLD  ucinewgame           keeps state",
            "  note           note                 surprise",
            "  DOES NOT HOLD  nodes to a depth     0.9",
            "  needs MORE     nodes to a depth     ttlab doctor",
            "",
            "Nodes to a depth mislead: a worse table does not need more of them. 1 fault.",
        ];
        assert_eq!(format_diagnosis(&diagnosis).lines().collect::<Vec<_>>(), expected);
        for (nodes, text) in
            [(NodesVerdict::Lead, "nodes rank tables. 1"), (NodesVerdict::Undecided, "It is undecided")]
        {
            diagnosis.nodes = nodes;
            assert!(format_diagnosis(&diagnosis).contains(text));
        }
        diagnosis.checks.clear();
        diagnosis.forgetting = None;
        assert!(
            format_diagnosis(&diagnosis)
                .ends_with("\nIt was not measured what nodes to a depth say about its table. No fault.\n")
        );
        let figure = |low| Figure { mean: 0.9, low, high: Some(0.95) };
        assert_eq!([Some(0.8), None].map(|low| format_ratio(&figure(low))), ["0.900 [0.800, 0.950]", "0.900"]);
    }
}
