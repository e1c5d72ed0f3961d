use super::*;
use clap::{Args as _, FromArgMatches};

#[test]
fn format_follows_the_extension_of_the_output() {
    let choose_format = |words: &[&str]| {
        let command = Args::augment_args(clap::Command::new("report"));
        let matches = command.try_get_matches_from([&["report", "folder"], words].concat()).unwrap();
        let args = Args::from_arg_matches(&matches).unwrap();
        output_format(args.format, args.out.as_deref(), Format::Text).map_err(|failure| failure.message)
    };
    for (words, format) in [
        (&[][..], Format::Text),
        (&["-o", "a.html"], Format::Html),
        (&["-o", "a.htm"], Format::Html),
        (&["-o", "a.md"], Format::Md),
        (&["-o", "a.json"], Format::Json),
        (&["-o", "a.csv"], Format::Csv),
        (&["-o", "a.txt"], Format::Text),
        (&["-o", "html"], Format::Text),
        (&["-o", "a.html", "--format", "csv"], Format::Csv),
        (&["-o", "a.tex"], Format::Latex),
        (&["--format", "md"], Format::Md),
    ] {
        assert!(choose_format(words) == Ok(format), "{words:?}");
    }
    let message = "fig.pdf: no form ends in .pdf: choose one by --format (text, md, html, json, csv, latex)";
    assert_eq!(choose_format(&["-o", "fig.pdf"]).err().as_deref(), Some(message));
    assert!(choose_format(&["-o", "fig.pdf", "--format", "text"]) == Ok(Format::Text));
}

#[test]
fn inputs_are_not_overwritten() {
    let folder = tempfile::TempDir::new().unwrap();
    let results = ["a.csv", "b.csv"].map(|name| {
        let path = folder.path().join(name);
        std::fs::write(&path, "variant,position,depth,search.nodes\na,p,1,9\n").unwrap();
        path.display().to_string()
    });
    let kept = folder.path().join("kept");
    std::fs::create_dir(&kept).unwrap();
    let files = ["results.csv.xz", "reference.csv", "reference.csv.xz", "games.pgn"].map(|name| {
        let path = kept.join(name);
        std::fs::write(&path, "").unwrap();
        path
    });
    assert!(files.iter().all(|file| crate::cli::refuse_overwrite(&kept, file).is_err()));
    for out in &results {
        let words = ["report", &results[0], &results[1], "-o", out];
        let matches = Args::augment_args(clap::Command::new("report")).try_get_matches_from(words).unwrap();
        let failure = run(&Args::from_arg_matches(&matches).unwrap()).unwrap_err();
        assert!(
            failure.message.ends_with("cannot be written because it is also an input: choose another file"),
            "{}",
            failure.message
        );
    }
}
