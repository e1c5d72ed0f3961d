//! Comparisons of two small results: `tests/golden/comparisons.txt` has what is found in each, and
//! what each gate says alone.

use super::*;
use crate::analysis::rows::frame::Frame;
use crate::golden::assert_answers;
use crate::record::manifest::{Manifest, Planned, RunRecord, Sealed};

/// A result with these rows: variant, position, nodes.
fn result_of(rows: &str) -> RecordedResult {
    let rows: String = rows.split_whitespace().map(|row| format!("{row},1,0.5,\n")).collect();
    read("r", "variant,position,search.nodes,depth,seconds,error", &rows, None)
}

fn read(name: &str, columns: &str, rows: &str, manifest: Option<Manifest>) -> RecordedResult {
    let frame = Frame::parse(format!("{columns}\n{rows}").as_bytes(), "t").unwrap();
    RecordedResult { name: name.to_owned(), frame, manifest, missing: None }
}

/// A result as the golden file writes it. Lines that begin with `columns `, with the result's name
/// or with `BOTH ` are the names of its columns, its manifest and its rows, between semicolons. Of
/// several lists of columns or manifests the last counts.
fn read_side(side: &str, lines: &[&str]) -> RecordedResult {
    let parts = |start: &str| lines.iter().filter_map(|line| line.strip_prefix(start)).collect::<Vec<_>>();
    let own = [parts("BOTH "), parts(&format!("{side} "))].concat();
    let columns = [parts("columns "), parts(&format!("{side} columns "))].concat();
    let (manifests, rows): (Vec<&str>, Vec<&str>) =
        own.into_iter().filter(|part| !part.starts_with("columns ")).partition(|part| part.starts_with('{'));
    let rows: String = rows.iter().flat_map(|rows| rows.split("; ")).map(|row| row.to_owned() + "\n").collect();
    read(side, columns.last().unwrap(), &rows, manifests.last().map(|text| serde_json::from_str(text).unwrap()))
}

/// What the golden file says of a comparison.
fn describe(comparison: &Comparison) -> Vec<String> {
    let Comparison { paired_count, moved_count, missing_count, added, failed, .. } = comparison;
    let counts = [*paired_count, *moved_count, *missing_count, *added].map(|count| count.to_string()).join(", ");
    let mut lines =
        vec![format!("{:?}: paired, moved, missing, added: {counts}; failed: {failed:?}", comparison.finding())];
    for change in &comparison.variants {
        let Change { variant, paired, moved, missing, truncated, nodes, .. } = change;
        let mut line = format!("{variant}: {paired}, {moved}, {missing}; {truncated} cut; ratio {:.6}", nodes.mean);
        for ((metric, [base, new]), differing) in comparison.metrics.iter().zip(&change.totals).zip(&change.differing) {
            line += &format!("; {metric} {base:.2} -> {new:.2} ({differing} differ)");
        }
        lines.push(line);
    }
    let moved = comparison.moved.iter().map(|row| format!("moved: {} {:?}", row.position, row.nodes));
    lines.extend(moved.chain(comparison.listed_missing.iter().map(|row| format!("missing: {row}"))));
    for programs in comparison.programs.iter().flatten() {
        lines.push(format!("program: {programs}"));
    }
    lines.extend(comparison.differing_program_names().map(|[base, new]| format!("names: {base} / {new}")));
    lines.extend(comparison.differences.iter().map(|list| format!("plans: {}", list.join("; "))));
    lines.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    lines
}

#[test]
fn comparisons_find_what_the_golden_file_says() {
    assert_answers("comparisons.txt", |section, lines| {
        let lines: Vec<&str> = section.lines().chain(lines.lines()).collect();
        let (base, new) = (read_side("BASE", &lines), read_side("NEW", &lines));
        let mut answer = match Comparison::new(&mut base.clone(), &mut new.clone(), &[]) {
            Ok(comparison) => describe(&comparison),
            Err(error) => vec![error.to_string()],
        };
        for text in lines.iter().filter_map(|line| line.strip_prefix("gate ")) {
            let gate = Gate::parse(text).and_then(|gate| gate.column(&base.frame).map(|column| (gate, column)));
            let judge = |gate| Comparison::new(&mut base.clone(), &mut new.clone(), &[gate]);
            let comparison = match gate.map_err(CompareError::Gate).and_then(judge) {
                Ok(comparison) => comparison,
                Err(error) => {
                    answer.extend(error.to_string().lines().map(str::to_owned));
                    continue;
                }
            };
            let fails = comparison.gate_results.iter().any(GateResult::fails);
            assert_eq!(comparison.finding() == Finding::Gate, fails, "{text}");
            for result in &comparison.gate_results {
                let verdict =
                    [["ok", "noise"], ["FAIL", "FAIL"]][usize::from(result.fails())][usize::from(result.is_noise())];
                answer
                    .push(format!("{verdict}: {text} of {}: {} {:.2?}", result.variant, result.metric, result.totals));
            }
            let notes = comparison.notes.iter().map(|note| format!("note of {text}: {note}"));
            answer.extend(
                notes
                    .filter(|note| !answer.contains(&note.replacen(&format!("note of {text}"), "note", 1)))
                    .collect::<Vec<_>>(),
            );
        }
        answer.join("\n")
    });
}

/// Each of two variants needs more nodes in six positions, all by the same factor. Alone each has
/// p = 1/32; that at least one of the two does so by chance has p = 1 - (31/32)^2.
#[test]
fn p_is_corrected_for_all_variants() {
    let make_result = |more: [u32; 2]| {
        let make_rows = |position: u32| {
            format!(
                "a,p{position},{} b,p{position},{} ",
                1000 + more[usize::from(position < 6)],
                1000 + more[usize::from(position >= 6)]
            )
        };
        result_of(&(0..12).map(make_rows).collect::<String>())
    };
    for change in Comparison::new(&mut make_result([0, 0]), &mut make_result([0, 100]), &[]).unwrap().variants {
        let corrected = 1.0 - (31.0_f64 / 32.0).powi(2);
        assert!((change.nodes.p - 1.0 / 32.0).abs() < 1e-9, "{change:?}");
        assert!((change.p - corrected).abs() < 1e-9, "{change:?}");
    }
}

/// All changed and missing rows are counted, but only twenty of each are listed.
#[test]
fn twenty_rows_are_listed() {
    for count in [20, 21] {
        let make_result = |nodes: u32, from: u32| {
            result_of(&(from..=count).map(|index| format!("a,p{index},{nodes} ")).collect::<String>())
        };
        let comparison = Comparison::new(&mut make_result(100, 1), &mut make_result(110, 1), &[]).unwrap();
        assert_eq!((comparison.moved.len(), comparison.missing_count), (20, 0), "{count}");
        let comparison = Comparison::new(&mut make_result(100, 0), &mut result_of("a,p0,100 "), &[]).unwrap();
        assert_eq!((comparison.missing_count, comparison.listed_missing.len()), (count as usize, 20), "{count}");
    }
}

/// A folder's manifest belongs to its results.csv, not to other files in the folder.
#[test]
fn manifest_belongs_to_the_results_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let header = "variant,position,depth,search.nodes";
    let manifest = Manifest {
        planned: Planned { plan: "p".to_owned(), ..Planned::default() },
        sealed: Sealed { header: header.to_owned(), ..Sealed::default() },
        ..Manifest::default()
    };
    write("manifest.json", &manifest.to_text().unwrap());
    for name in ["results.csv", "part.csv"] {
        write(name, &format!("{header}\na,p,1,9\n"));
    }
    let read_plan = |name: &str| {
        RecordedResult::read(&folder.path().join(name)).unwrap().manifest.map(|manifest| manifest.planned.plan)
    };
    assert_eq!(
        [read_plan(""), read_plan("results.csv"), read_plan("part.csv")],
        [Some("p".to_owned()), Some("p".to_owned()), None]
    );
}

/// Rows that say that they do not repeat are listed as moved, but the comparison passes; one
/// row beside them that repeats fails it.
#[test]
fn rows_that_do_not_repeat_fail_no_comparison_by_themselves() {
    let finding = |new: &str| {
        let manifest = Manifest {
            run: RunRecord { ended: Some(9), ..RunRecord::default() },
            planned: Planned { plan: "p".to_owned(), ..Planned::default() },
            ..Manifest::default()
        };
        let columns = "variant,position,search.nodes,depth,seconds,error,reported.repeats";
        let make_result = |rows: &str| read("r", columns, rows, Some(manifest.clone()));
        let base = make_result("a,p,9,1,0.5,,not repeatable\na,q,8,1,0.5,,exact\n");
        let comparison = Comparison::new(&mut base.clone(), &mut make_result(new), &[]).unwrap();
        (comparison.finding(), comparison.moved_count, comparison.notes)
    };
    let note = vec!["1 row that moved are of engines whose counts do not repeat".to_owned()];
    let same = "a,q,8,1,0.5,,exact\n";
    assert_eq!(finding(&format!("a,p,7,1,0.5,,not repeatable\n{same}")), (Finding::Fine, 1, note.clone()));
    let both = "a,p,7,1,0.5,,not repeatable\na,q,9,1,0.5,,exact\n";
    assert_eq!(finding(both), (Finding::Unequal, 2, note));
}
