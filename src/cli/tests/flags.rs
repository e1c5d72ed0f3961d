//! Tests that every flag has an effect: it changes the exit code, the output or the written files.

use super::commands::{TWO_SIZES, VAST_TABLE, call, copy_and_edit, write_experiment};
use crate::cli::ttlab_command;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

/// A command, additional flags, and the text that only the command with these flags must print
/// (empty: any difference suffices). `@` is the folder of the test.
type Case = (&'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    ("new quick --out @/out/t", "--out @/out/u", "out/u/quick.toml:"),
    ("new which-policy --out @/out/t", "--hash 64MiB --nodes 4096000", "\"32 KiB\""),
    ("new which-policy --out @/out/t", "--hash 64MiB --seconds 2.048", "\"64 KiB\""),
    ("generate --count 2", "--seed 9", ""),
    ("generate --count 2", "--count 3", ""),
    ("generate --count 2", "--plies 4", ""),
    ("generate --count 1", "--games 3", "[Event \"self.001\"]"),
    ("generate --count 1 --games 4", "--depth 1", ""),
    ("generate --count 2 --games 40 --depth 1", "--take middlegames", "id \"middle.0002\""),
    ("generate --count 2 --games 40 --depth 1 --take middlegames", "--half 1", ""),
    ("search startpos --depth 2", "--depth 3", ""),
    ("search startpos --depth 3", "--nodes 50", "(unfinished)"),
    ("search startpos --depth 2", "--preset purple", ""),
    ("search startpos --depth 2", "--set table=none", ""),
    ("perft startpos 2", "--divide", "e2e4: 20"),
    ("keys", "--preset otter", ""),
    ("keys", "--set keys.scheme=webster-product", "374 distinct"),
    ("options table.size", "--markdown", "### `table.size`"),
    ("options", "--preset purple", ""),
    ("options", "--schema", "\"properties\""),
    ("options", "--design weiss", "policy = { kind = \"depth-age\""),
    ("columns", "--markdown", "| `id` |"),
    ("suite @/bad.epd", "--lenient", ""),
    ("suite @/bad.epd", "--skip-bad", "left out"),
    ("suite @/three.epd", "--format csv", "id,line,fen"),
    ("suite @/three.epd", "--out @/out/listed.csv", "out/listed.csv:id,line"),
    ("trace @/three.epd --depth 2 --out @/out/t", "--first 1", ""),
    ("trace @/three.epd --depth 2 --out @/out/t", "--depth 3", ""),
    ("trace @/three.epd --depth 3 --out @/out/t", "--nodes 9", ""),
    ("trace @/three.epd --depth 2 --out @/out/t", "--preset purple", ""),
    ("trace @/three.epd --depth 3 --out @/out/t", "--set table.size=2", ""),
    ("trace @/three.epd --depth 2 --out @/out/t", "--out @/out/u", "out/u:"),
    ("trace import @/three.trace --out @/out/t", "--out @/out/u", "out/u:"),
    ("trace import @/torn.trace --out @/out/t", "--repair", "cut at byte"),
    ("replay @/three.trace --policy never", "--policy always", ""),
    ("replay @/three.trace --policy never", "--set table.size=16", ""),
    ("replay @/three.trace --policy never", "--format csv", "policy,probes,known"),
    ("replay @/three.trace --policy never", "--out @/out/r.csv", "out/r.csv:"),
    ("plan @/x.toml", "--set limit.depth=1", "depth 1"),
    ("plan @/bad.toml", "--skip-bad", "jobs"),
    ("plan @/x.toml", "--jobs-list", "repeat 0"),
    ("plan @/x.toml", "--key", "-"),
    ("plan @/x.toml --output @/out/p", "--shards 3", "in 3 shards"),
    ("plan @/x.toml", "--output @/out/p", "out/p:"),
    ("plan @/x.toml", "--out @/whole", "are done in"),
    ("plan @/x.toml --out @/out/r", "--reuse @/whole", "jobs already done"),
    ("try @/three.epd --depth 1 --vary table.slots=1,2 --out @/out/t", "--vary draws=true,false", "draws=false"),
    ("try @/three.epd --depth 1 --vary table.slots=1,2 --out @/out/t", "--set draws=true", ""),
    ("try @/three.epd --depth 1 --vary table.slots=1,2 --out @/out/t", "--depth 2", ""),
    ("try @/three.epd --depth 3 --vary table.slots=1,2 --out @/out/t", "--nodes 9", ""),
    ("try @/three.epd --depth 1 --vary table.slots=1,2 --out @/out/t", "--out @/out/u", "out/u/try.toml"),
    ("run @/x.toml --out @/out/r", "--set limit.depth=1", "depth 1"),
    ("run @/x.toml --out @/out/r", "--jobs 3", "\"jobs\": 3"),
    ("run @/x.toml --out @/out/r", "--out @/out/s", "out/s/results.csv:"),
    ("run @/x.toml --out @/out/r", "--quiet", ""),
    ("run @/bad.toml --out @/out/r", "--skip-bad", "out/r/results.csv:"),
    ("run @/claim.toml --out @/out/r -q", "--check", "exit 1"),
    ("run @/x.toml --out @/out/r -q", "--strict", "cannot show what it varies"),
    ("run @/late.toml --out @/out/r -q", "--strict", "exit 1"),
    ("run @/x.toml --out @/edited -q", "--repair", "exit 0"),
    ("run @/x.toml --out @/out", "--reuse @/whole", "jobs from "),
    ("run @/x.toml --out @/built -q", "--any-build", "exit 0"),
    ("run @/x.toml --out @/out/r", "--reuse @/whole", ""),
    ("run @/x.toml --out @/built -q", "--fresh", "exit 0"),
    ("run @/vast.toml --out @/failed", "--retry-failed", "3 of 6"),
    ("run --plan @/two.json --shard 0 --out @/out/r -q", "--shard 1", "out/r/shards/1/results.csv:"),
    ("merge @/claim.json --out @/shards -q", "--check", "exit 1"),
    ("merge @/claim.json --out @/shards", "--quiet", ""),
    ("merge @/claim.json --out @/out/m", "--from @/shards/shards/0", "exit 0"),
    ("tune @/tune.toml --out @/out/t", "--out @/out/u", "out/u/report.md:"),
    ("tune @/tune.toml --out @/out/t", "--set draws=true", ""),
    ("tune @/tune.toml --out @/out/t", "--quiet", ""),
    ("tune @/never.toml --out @/tuned", "--retry-failed", ""),
    ("verify @/whole", "--quiet", ""),
    ("check @/x.toml", "--strict", "exit 2"),
    ("check @/bad.toml", "--skip-bad", "left out"),
    ("check @/x.toml", "--set table=nonee", "nonee"),
    ("report @/whole", "--by size", ""),
    ("report @/whole", "--where depth>=2", ""),
    ("report @/whole", "--baseline size=256", ""),
    ("report @/whole", "--metric evals", "evals"),
    ("report @/whole", "--pairs", "Each against each"),
    ("report @/whole", "--format json", "\"schema\""),
    ("report @/whole", "--pivot depth", "Nodes by depth"),
    ("report @/whole --format csv", "--wide", ""),
    ("report @/formula --format csv", "--guard-cells", "'=size"),
    ("report @/whole", "--out @/out/page.md", "out/page.md:"),
    ("report @/whole", "--keep @/out/k", "out/k/results.csv.xz:"),
    ("report @/whole --format latex", "--columns ratio,nodes", "nodes / baseline & nodes"),
    ("compare @/whole @/moved", "--allow-moves", "exit 0"),
    ("compare @/whole @/moved --fail-on nodes>+90%", "--allow-moves", "exit 0"),
    ("compare @/whole @/moved", "--fail-on nodes>+0%", "exit 1"),
    ("compare @/whole @/whole", "--junit @/out/c", "<testsuites"),
    ("compare @/whole @/whole", "--quiet", ""),
    ("compare @/whole @/whole", "--html @/out/c", "out/c:"),
    ("compare @/whole @/whole", "--markdown @/out/c", "out/c:"),
    ("compare @/whole @/whole", "--json @/out/c", "\"finding\": \"fine\""),
    ("compare @/whole @/whole", "--bench-json @/out/c", "\"unit\": \"nodes\""),
    ("submit slurm @/two.json --out @/out/s", "--time 1:23:45", "--time=1:23:45"),
    ("submit slurm @/two.json --out @/out/s", "--cpus 3", "--cpus-per-task=3"),
    ("submit slurm @/two.json --out @/out/s", "--mem 7770", "--mem=7770M"),
    ("submit slurm @/two.json --out @/out/s", "--at-once 1", "0-1%1"),
    ("submit slurm @/two.json --out @/out/s", "--out @/out/t", "out/t/slurm/array.sbatch:"),
    ("trace export @/three.trace --to libcachesim --out @/out/t", "--out @/out/u", "out/u:"),
];

/// Flags that other tests cover, or whose effect is not visible here.
const ELSEWHERE: &[&str] = &[
    "run --plan",
    "run --no-lock",
    "plan --missing",
    "merge --out",
    "merge --any-build",
    "tune --jobs",
    "tune --fresh",
    "tune --any-build",
    "tune --reuse",      // tests/program/sweep/grown.rs
    "submit --sshlogin", // tests/program/sweep/submit.rs
    "reproduce --reuse",
    "reproduce --only",
    "reproduce --out",
    "reproduce --any-build",
    "reproduce --fresh",
    "reproduce --jobs",
    "reproduce --quick",
    "trace export --to",
    // They need an external engine: tests/program/engines/doctor.rs.
    "doctor --option",
    "doctor --time",
    "doctor --out",
    "doctor --depth",
    "doctor --games",
    "doctor --json",
    "doctor --quiet",
    // tests/program/engines/speed.rs
    "speed --suite",
    "speed --option",
    "speed --time",
    "speed --depth",
    "uci --preset",
    "uci --set",
];

/// Prepares the folder with the results of a run, edited copies of them, failed jobs and shards.
fn prepare(folder: &Path) {
    let path_in = |name: &str| folder.join(name).display().to_string();
    let check_exit_code = |words: &[&str], code: u8| {
        let (exit_code, stdout, stderr) = call(words);
        assert_eq!(exit_code, code, "{words:?}: {stdout}{stderr}");
    };
    let claim = format!("{TWO_SIZES}\n[[expect]]\nclaim = 'nodes(size=64) > 1000 * nodes(size=256)'");
    let (experiment, claim_file) =
        (write_experiment(folder, "x.toml", TWO_SIZES), write_experiment(folder, "claim.toml", &claim));
    let bratko = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bratko-kopec.epd");
    let late = format!("name = 'x'\nsuite = '{}'\nlimit = {{ depth = 1 }}\n{TWO_SIZES}\n", bratko.display());
    std::fs::write(path_in("late.toml"), format!("{late}'table.slots' = [1, 2]\n")).unwrap();
    let tune = late.replace("limit", "first = 8\nlimit");
    std::fs::write(path_in("tune.toml"), format!("{tune}[tune]\nfirst = 2\n")).unwrap();
    let three = std::fs::read_to_string(path_in("three.epd")).unwrap();
    std::fs::write(
        path_in("bad.epd"),
        format!("{three}8/8/8/3k4/8/3K4/4P3/8 x - - id \"d\";\n8/8/8/3k4/8/3K4/4P3/8 w - - id \"e\"; Hello!\n"),
    )
    .unwrap();
    std::fs::write(path_in("bad.toml"), std::fs::read_to_string(&experiment).unwrap().replace("three.epd", "bad.epd"))
        .unwrap();
    std::fs::create_dir(path_in("out")).unwrap();
    check_exit_code(&["run", &experiment, "-q", "--out", &path_in("whole")], 0);
    let complete_folder = folder.join("whole");
    copy_and_edit(&complete_folder, "edited", "results.csv", |text| text.replacen(",true,", ",false,", 1));
    copy_and_edit(&complete_folder, "built", "manifest.json", |text| {
        text.replace("\"searches\": \"", "\"searches\": \"0")
    });
    let formula_file = write_experiment(
        folder,
        "formula.toml",
        "[[variant]]\nname = '=size'\n[[variant]]\nname = 'other'\n'table.slots' = 2",
    );
    check_exit_code(&["run", &formula_file, "-q", "--out", &path_in("formula")], 0);
    let moved_text = std::fs::read_to_string(&experiment).unwrap().replace("[grid]", "[engine]\nordering = []\n[grid]");
    std::fs::write(path_in("moved.toml"), moved_text).unwrap();
    check_exit_code(&["run", &path_in("moved.toml"), "-q", "--out", &path_in("other")], 0);
    // Edit the manifest, so that the same plan seems to have led to other counts.
    let plan = crate::record::manifest::Manifest::read(&complete_folder).unwrap().unwrap().planned.plan;
    let other_plan = crate::record::manifest::Manifest::read(&folder.join("other")).unwrap().unwrap().planned.plan;
    copy_and_edit(&folder.join("other"), "moved", "manifest.json", |text| text.replace(&other_plan, &plan));
    check_exit_code(&["plan", &experiment, "--shards", "2", "-o", &path_in("two.json")], 0);
    check_exit_code(&["plan", &claim_file, "-o", &path_in("claim.json")], 0);
    check_exit_code(&["run", "--plan", &path_in("claim.json"), "--shard", "0", "-q", "--out", &path_in("shards")], 0);
    check_exit_code(&["trace", &path_in("three.epd"), "--depth", "2", "-o", &path_in("three.trace")], 0);
    let trace = std::fs::read(path_in("three.trace")).unwrap();
    std::fs::write(path_in("torn.trace"), &trace[..trace.len() / 2]).unwrap();
    if crate::system::available_bytes().is_some() {
        check_exit_code(
            &["run", &write_experiment(folder, "vast.toml", VAST_TABLE), "-q", "--out", &path_in("failed")],
            3,
        );
        let never = std::fs::read_to_string(path_in("tune.toml")).unwrap().replace(TWO_SIZES, VAST_TABLE);
        std::fs::write(path_in("never.toml"), never).unwrap();
        check_exit_code(&["tune", &path_in("never.toml"), "-q", "--out", &path_in("tuned")], 3);
    }
}

/// Replaces numbers with a decimal point, which may be times, and removes the times of a manifest.
fn without_times(text: &str) -> String {
    let is_time = |word: &str| word.contains('.') && word.trim_matches(',').parse::<f64>().is_ok();
    let strip_line = |line: &str| {
        let head = line.trim_start();
        if ["\"started\"", "\"ended\"", "\"calibration\""].iter().any(|name| head.starts_with(name)) {
            return String::new();
        }
        line.split(' ').map(|word| if is_time(word) { "~" } else { word }).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(strip_line).collect::<Vec<_>>().join("\n")
}

/// Runs a command; returns its exit code, its output, and the files in the folder `out`.
fn run_and_collect(folder: &Path, words: &str) -> String {
    let words: Vec<String> = words.split(' ').map(|word| word.replace('@', &folder.display().to_string())).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, stdout, stderr) = call(&words);
    let mut output = format!("exit {code}\n{stdout}{stderr}");
    let mut folders = vec![folder.join("out")];
    let mut files = Vec::new();
    while let Some(subfolder) = folders.pop() {
        for entry in std::fs::read_dir(subfolder).unwrap().flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    files.sort();
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let _ = writeln!(output, "{}:{text}", file.strip_prefix(folder).unwrap().display());
    }
    without_times(&output)
}

/// Adds flags to a command; a flag that the command already has is replaced.
fn with_flags(command: &str, flags: &str) -> String {
    let first_flag = flags.split(' ').next().unwrap_or_default();
    let (mut kept_words, mut words) = (Vec::new(), command.split(' '));
    while let Some(word) = words.next() {
        if word == first_flag {
            words.next();
        } else {
            kept_words.push(word);
        }
    }
    format!("{} {flags}", kept_words.join(" "))
}

#[test]
fn flag_has_an_effect() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("source");
    std::fs::create_dir(&source).unwrap();
    prepare(&source);
    // Restores the folders that the previous command may have changed.
    let restore = |call: &str| {
        let trial = root.path().join("trial");
        let names = ["out", "edited", "built", "failed", "tuned", "shards"]
            .into_iter()
            .filter(|name| *name == "out" || call.contains(name));
        let names: Vec<&str> = if trial.is_dir() { names.collect() } else { vec![""] };
        for name in names {
            let (from, target) = (source.join(name), trial.join(name));
            let _ = std::fs::remove_dir_all(&target);
            let mut folders = vec![(from, target)];
            while let Some((from, target)) = folders.pop().filter(|(from, _)| from.is_dir()) {
                std::fs::create_dir(&target).unwrap();
                for entry in std::fs::read_dir(from).unwrap().flatten() {
                    match entry.path().is_dir() {
                        true => folders.push((entry.path(), target.join(entry.file_name()))),
                        false => drop(std::fs::copy(entry.path(), target.join(entry.file_name())).unwrap()),
                    }
                }
            }
        }
        trial
    };
    let (mut without_effect, mut outputs) = (Vec::new(), HashMap::new());
    for (call, flags, expected) in CASES {
        let folder = restore(call);
        if (call.contains("@/failed") || call.contains("@/tuned")) && !folder.join("failed").is_dir() {
            continue;
        }
        let plain_output = outputs.entry(call).or_insert_with(|| run_and_collect(&folder, call)).clone();
        let flag_output = run_and_collect(&restore(call), &with_flags(call, flags));
        if plain_output == flag_output
            || !expected.is_empty() && (!flag_output.contains(expected) || plain_output.contains(expected))
        {
            without_effect.push(format!("{call} {flags}: `{expected}`\nwithout: {plain_output}\nwith: {flag_output}"));
        }
    }
    assert!(without_effect.is_empty(), "{}", without_effect.join("\n\n"));
}

#[test]
fn every_flag_is_tested() {
    fn walk(command: &clap::Command, path: &str, flags: &mut BTreeSet<String>) {
        let own_flags = command.get_arguments().filter_map(clap::Arg::get_long);
        flags.extend(
            own_flags.filter(|flag| !["help", "version"].contains(flag)).map(|flag| format!("{path} --{flag}")),
        );
        for subcommand in
            command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set() && subcommand.get_name() != "help")
        {
            walk(subcommand, format!("{path} {}", subcommand.get_name()).trim(), flags);
        }
    }
    let (mut root, mut all_flags) = (ttlab_command(), BTreeSet::new());
    root.build();
    walk(&root, "", &mut all_flags);
    let mut known_flags: BTreeSet<String> = ELSEWHERE.iter().map(|flag| (*flag).to_owned()).collect();
    for (call, flags, _) in CASES {
        let words: Vec<&str> =
            call.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_lowercase())).collect();
        let flag_path = |words: &[&str], flag: &str| format!("{} {flag}", words.join(" "));
        for flag in flags.split(' ').filter(|word| word.starts_with("--")) {
            let tested = (1..=words.len())
                .rev()
                .map(|count| flag_path(&words[..count], flag))
                .find(|path| all_flags.contains(path));
            known_flags.extend(tested);
        }
    }
    assert_eq!(all_flags.difference(&known_flags).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(known_flags.difference(&all_flags).collect::<Vec<_>>(), Vec::<&String>::new());
}
