use super::*;
use clap::{Args as _, FromArgMatches};

#[test]
fn settings_follow_the_flags_and_repeats() {
    let experiment = |repeats: u32| {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\nrepeats = {repeats}\n");
        Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (words, fresh, any_build, untimed_jobs) in [
        (&[][..], false, false, cores),
        (&["--fresh"], true, false, cores),
        (&["--any-build"], false, true, cores),
        (&["--jobs", "7"], false, false, 7),
    ] {
        let command = Args::augment_args(clap::Command::new("reproduce"));
        let matches = command.try_get_matches_from([&["reproduce"], words].concat()).unwrap();
        let args = Args::from_arg_matches(&matches).unwrap();
        for (repeats, jobs) in [(1, untimed_jobs), (2, 1), (9, 1)] {
            let settings = settings(&experiment(repeats), &args);
            assert_eq!(
                (settings.fresh, settings.any_build, settings.retry_failed, settings.jobs),
                (fresh, any_build, true, jobs),
                "{words:?}"
            );
            assert!(!settings.repair);
            assert!(!settings.no_lock);
            assert!(!settings.retry_quarantined);
            assert!(settings.shard.is_none());
        }
    }
}

#[test]
fn select_returns_the_named_files_sorted() {
    let folder = tempfile::TempDir::new().unwrap();
    for name in ["m.toml", "b.toml", "z.toml", "b-2.toml", "b.txt", "toml", "a.toml", "k.toml"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let select_names = |only: &[&str]| {
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        let selected_files = select_files(list_experiment_files(folder.path()).unwrap(), &only)?.into_iter();
        let file_name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        Ok::<_, String>(selected_files.map(file_name).collect::<Vec<_>>().join(" "))
    };
    let ok_names = |names: &str| Ok(names.to_owned());
    assert_eq!(select_names(&[]), ok_names("a.toml b-2.toml b.toml k.toml m.toml z.toml"));
    assert_eq!(select_names(&["z", "b"]), ok_names("b.toml z.toml"));
    assert_eq!(select_names(&["z", "a", "m"]), ok_names("a.toml m.toml z.toml"));
    let message = "--only b-3: no file b-3.toml\nhelp: did you mean `b-2`?";
    assert_eq!(select_names(&["a", "b-3"]), Err(message.to_owned()));
    assert!(list_experiment_files(&folder.path().join("none")).is_err());
}
