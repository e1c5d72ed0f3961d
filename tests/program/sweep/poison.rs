//! Jobs that kill the process, and tables that are larger than the free memory.

use super::*;

/// A job that was running at two crashes is quarantined; the others run, and it can be retried.
#[test]
fn job_that_kills_the_run_twice_is_quarantined() {
    let trial = Trial::new(
        "suite = { startpos = true }\nlimit = { depth = 2 }\n[[variant]]\nname = 'poison'\n'limit.depth' = 30\n\
         [[variant]]\nname = 'good'\n",
    );
    let flight = trial.path("out").join(".flight");
    let good = || counts(&trial.results("out")).iter().filter(|row| row.contains(&"good".to_owned())).count();
    for death in 0..2 {
        let mut child = trial.spawn("out", &["--jobs", "1"]);
        let begun = std::time::Instant::now();
        // The second run retries the suspected job last, so the other job is finished by then.
        while !fs::read_to_string(&flight).is_ok_and(|text| text.contains('+')) || death == 1 && good() < 2 {
            assert!(begun.elapsed() < std::time::Duration::from_secs(60), "death {death}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
        signal(&child, "-KILL");
        child.wait().unwrap();
        assert_eq!(good(), 2 * death);
    }
    trial.run("out", &[]).expect(3).prints(&["1 job failed", "--retry-failed"]);
    let rows = counts(&trial.results("out"));
    let aside = rows.iter().filter(|row| row[row.len() - 2].contains("killed twice")).count();
    assert_eq!((rows.len(), aside), (3, 1), "{rows:?}");
    // Retried on request.
    let mut child = trial.spawn("out", &["--jobs", "1", "--retry-failed"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "it should be searching");
    signal(&child, "-KILL");
    child.wait().unwrap();
}

/// A variant that doesn't fit into memory has rows with that error; the others run.
#[test]
fn variant_larger_than_memory_fails_and_the_others_run() {
    let trial = Trial::new(
        "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\n[grid]\n'table.size' = ['1 MiB', '100000 GiB']\n",
    );
    trial.run("out", &["--jobs", "1"]).expect(3).prints(&["2 jobs failed"]);
    let rows = counts(&trial.results("out"));
    let error = |row: &&Vec<String>| row[row.len() - 2].contains("exceed the");
    assert_eq!((rows.len(), rows.iter().filter(error).count()), (6, 2));
    // If no variant fits, nothing is run.
    let none = Trial::new("suite = { startpos = true }\nlimit = { depth = 2 }\n[engine]\ntable.size = '100000 GiB'\n");
    none.run("out", &[]).expect(2).prints(&["table.size", "of free memory"]);
}

/// The limit that a batch system sets on the process counts, not the machine's memory.
#[test]
fn memory_limit_of_the_process_is_respected() {
    let trial = Trial::new("suite = { startpos = true }\nlimit = { depth = 2 }\n[engine]\ntable.size = '300 MiB'\n");
    let limited = |kib: u64| {
        let command = format!(
            "ulimit -v {kib}; exec '{}' run '{}' --quiet --jobs 1 --fresh --out '{}'",
            binary().display(),
            trial.file,
            trial.text("out")
        );
        run_command(Command::new("sh").args(["-c", &command]))
    };
    limited(250_000).expect(2).prints(&["table.size: 300 MiB", "of free memory"]);
    assert!(!trial.results("out").exists());
    limited(1_500_000).expect(0);
}

/// If memory is short, small tables still run (in a run, a shard or a match), and large ones are
/// refused with the numbers.
#[test]
fn small_tables_run_when_memory_is_short() {
    let sizes = "[grid]\n'table.size' = ['1 MiB', '512 MiB', '2 MiB']\n";
    let single = Trial::new(&format!("name = 'x'\nsuite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{sizes}"));
    let games = Trial::new(&format!(
        "name = 'x'\nsuite = {{ startpos = true }}\nlimit = {{ nodes = 200 }}\n{sizes}[match]\nmax_moves = 2\n"
    ));
    let limited = |command: &str| {
        run_command(
            Command::new("sh").args(["-c", &format!("ulimit -v 400000; exec '{}' {command}", binary().display())]),
        )
    };
    let (out, plan) = (single.text("out"), single.text("plan.json"));
    limited(&format!("run '{}' -q -j 1 -o '{out}'", single.file)).expect(3).prints(&["1 job failed"]);
    let rows = counts(&single.results("out"));
    let failed = |row: &&Vec<String>| row[row.len() - 2].contains("of free memory");
    assert_eq!((rows.len(), rows.iter().filter(failed).count()), (5, 1), "{rows:?}");
    ttlab(&["plan", &single.file, "--shards", "3", "-o", &plan]).expect(0);
    let shards = [0, 1, 2].map(|shard| {
        limited(&format!("run --plan '{plan}' --shard {shard} -q -j 1 -o '{}'", single.text("dealt"))).code
    });
    assert_eq!(shards.iter().filter(|code| **code == Some(3)).count(), 1, "{shards:?}");
    assert_eq!(shards.iter().filter(|code| **code == Some(0)).count(), 2, "{shards:?}");
    limited(&format!("run '{}' -q -j 1 -o '{}'", games.file, games.text("out"))).expect(3).prints(&["1 job failed"]);
    for (size, code) in [("512 MiB", 2), ("2 MiB", 0)] {
        let message: &[&str] = if code == 0 { &[] } else { &["table.size: 512 MiB exceed the ", " of free memory"] };
        limited(&format!("search startpos --depth 1 --set table.size='\"{size}\"'")).expect(code).prints(message);
        let trace = single.text("x.trace");
        ttlab(&["trace", "startpos", "--depth", "2", "-o", &trace]).expect(0);
        limited(&format!("replay '{trace}' --policy always --set table.size='\"{size}\"'"))
            .expect(code)
            .prints(message);
    }
}

/// Without `--jobs`, no more jobs run in parallel than there is memory for.
#[test]
fn default_jobs_fit_into_memory() {
    let sizes = "[grid]\n'table.size' = ['1 MiB', '512 MiB', '150 MiB', '149 MiB']\n";
    let trial = Trial::new(&format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{sizes}"));
    let limited = |jobs: &str| {
        let (binary, out) = (binary().display().to_string(), trial.text("out"));
        // A limit on data, not on address space: each thread reserves more address space than it
        // uses.
        let command = format!("ulimit -d 250000; exec '{binary}' run '{}' -q --fresh {jobs} -o '{out}'", trial.file);
        run_command(Command::new("sh").args(["-c", &command]))
    };
    limited("").expect(3).prints(&["1 job failed"]);
    limited("-j 3").expect(2).prints(&["3 jobs x 150 MiB", ": use --jobs 1"]);
}

/// A results file that is truncated during a run isn't written to any more, so it gets no hole, and
/// the same command continues.
#[test]
fn file_truncated_during_a_run_gets_no_hole() {
    let short = "suite = 'data/bratko-kopec.epd'\nfirst = 1\nlimit = { depth = 2 }\n[[variant]]\nname = 'short'\n";
    // The header and both rows of the first job.
    let two_rows = |trial: &Trial| {
        let begun = std::time::Instant::now();
        while fs::read_to_string(trial.results("out")).unwrap_or_default().matches('\n').count() < 3 {
            assert!(begun.elapsed() < std::time::Duration::from_secs(60));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    for cut in [0, 10, -10] {
        let trial = Trial::new(&format!("{short}[[variant]]\nname = 'long'\n'limit.depth' = 40\n"));
        let child = trial.spawn("out", &["--jobs", "1"]);
        two_rows(&trial);
        let file = fs::OpenOptions::new().write(true).open(trial.results("out")).unwrap();
        // Cut to this many bytes or, below 0, by this many bytes at the end.
        let kept = u64::try_from(cut).unwrap_or_else(|_| file.metadata().unwrap().len() - 10);
        file.set_len(kept).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(5));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(&format!("it now has {kept} bytes")), "{message}");
        assert!(message.contains("run the same command again"), "{message}");
        assert_eq!(fs::metadata(trial.results("out")).unwrap().len(), kept);
        // The next run starts with the lost rows.
        let child = trial.spawn("out", &["--jobs", "1"]);
        two_rows(&trial);
        signal(&child, "-TERM");
        child.wait_with_output().unwrap();
        assert_eq!(counts(&trial.results("out")).len(), 2);
    }
}

/// The folder is monitored during a search, not only between two rows.
#[test]
fn folder_removed_during_a_search_is_noticed() {
    let trial = Trial::new(
        "suite = { startpos = true }\nlimit = { depth = 2 }\n[[variant]]\nname = 'short'\n\
         [[variant]]\nname = 'long'\n'limit.depth' = 40\n",
    );
    let child = trial.spawn("out", &["--jobs", "1"]);
    let begun = std::time::Instant::now();
    // The header and the rows of the short search; the file may exist before it has them.
    while fs::read_to_string(trial.results("out")).unwrap_or_default().lines().count() < 3 {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    fs::rename(trial.path("out"), trial.path("elsewhere")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stderr).contains("was moved during the run"));
}
