//! The places of rows, and rows for other tests.

use super::*;
use std::path::Path;

/// A plan of two variants on two positions with three repeats, and its header.
pub fn trial() -> (Experiment, Plan, Vec<String>) {
    let text = "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\nrepeats = 3\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n\
        'keys.seed' = 2\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
    let experiment = Experiment::parse(text, &path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
    let plan = Plan::new(&experiment);
    let header = record::header(&plan.varying(), plan.extra_columns());
    (experiment, plan, header)
}

/// The two rows of a job, or, with an error, the one row that says why it failed; with checksums.
pub fn rows(experiment: &Experiment, plan: &Plan, header: &[String], job: &Job, error: &str) -> Vec<Vec<String>> {
    let depths = if error.is_empty() { &[1_u8, 2][..] } else { &[0] };
    let mut check = 0;
    let row = |&depth: &u8| {
        let last = depth == depths[depths.len() - 1];
        let id = if last { plan.job_id(job) } else { plan.row_id(job, job.item, 0, depth) };
        let mut fields: Vec<String> = header[..header.len() - 1]
            .iter()
            .map(|name| match name.as_str() {
                columns::ID => format!("{id:016x}"),
                columns::VARIANT => plan.variants[job.variant].name.clone(),
                columns::POSITION => experiment.suite.items[job.item].id.clone(),
                columns::REPEAT => job.repeat.to_string(),
                columns::DEPTH => depth.to_string(),
                columns::SECONDS => "0.5".to_owned(),
                columns::ERROR => error.to_owned(),
                _ => String::new(),
            })
            .collect();
        check = record::append_checksum(&mut fields, check);
        fields
    };
    depths.iter().map(row).collect()
}

#[test]
fn entry_finds_the_place_or_names_the_wrong_field() {
    let (experiment, plan, header) = trial();
    let row_index = RowIndex::new(&experiment, &plan);
    let job = plan.job_for(1, None, 1, 2);
    let [first, last]: [Vec<String>; 2] = rows(&experiment, &plan, &header, &job, "").try_into().unwrap();
    let entry = |row: &[String], name: &str, value: &str| {
        let index = header.iter().position(|column| column == name).unwrap();
        let mut row = row.to_vec();
        row[index] = value.to_owned();
        row_index.entry(&StringRecord::from(row))
    };
    let error = |row: &[String], name: &str, value: &str| entry(row, name, value).unwrap_err();
    let first_entry = entry(&first, columns::SECONDS, "0").unwrap();
    assert!(first_entry.job == job);
    assert!(!first_entry.is_last);
    assert!(!first_entry.has_failed);
    assert!(entry(&first, columns::SECONDS, "").is_ok(), "a row taken from another folder has no time");
    let last_entry = entry(&last, columns::ERROR, "why").unwrap();
    assert!(last_entry.is_last);
    assert!(last_entry.has_failed);
    assert!(last_entry.place > entry(&first, columns::SECONDS, "1e9").unwrap().place);
    assert_eq!(error(&first, columns::VARIANT, "c"), "the plan has no variant \"c\"");
    assert_eq!(error(&first, columns::POSITION, "x"), "the suite has no item \"x\"");
    assert_eq!(error(&first, columns::REPEAT, "3"), "repeat: the plan has 3 repeats (numbered from 0), found 3");
    for (name, value) in [
        (columns::REPEAT, "-1"),
        (columns::DEPTH, "256"),
        (columns::PLY, "x"),
        (columns::ID, "x"),
        (columns::SECONDS, "-0.1"),
        (columns::SECONDS, "nan"),
        (columns::SECONDS, "inf"),
    ] {
        assert!(error(&first, name, value).starts_with(&format!("{name}: expected ")), "{name} {value}");
        assert!(error(&first, name, value).ends_with(&format!(", found `{value}`")), "{name} {value}");
    }
    // The id belongs to another repeat, variant or depth.
    for (name, value) in [(columns::REPEAT, "1"), (columns::VARIANT, "a"), (columns::DEPTH, "2")] {
        assert!(error(&first, name, value).starts_with("id: does not match the row's other fields"), "{name}");
    }
}
