//! Ten tasks of a new user, solved with documented commands only. Each answer is within the first
//! 25 lines of the terminal, and for tasks that end with a page also within its first 1,000 px.

use crate::common::{run, scratch};
use crate::page::{chromium, rendered_at};
use crate::{docs, own_policy};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Lines of a terminal before one has to scroll.
const SCREEN: usize = 25;

/// The first screen of a command's output; the command must succeed.
fn screen(args: &[&str]) -> String {
    let (output, errors, code) = run(args);
    assert_eq!(code, 0, "{args:?}: {errors}");
    output.lines().take(SCREEN).collect::<Vec<_>>().join("\n")
}

/// Writes a file and runs it. Returns the result folder and the first screen of output.
fn results(folder: &Path, text: &str) -> (String, String) {
    let (file, out) = (folder.join("trial.toml"), folder.join("out").display().to_string());
    fs::write(&file, text).unwrap();
    let shown = screen(&["run", file.to_str().unwrap(), "--out", &out]);
    (out, shown)
}

/// Asserts that a page has these words within its first 1,000 px, in a window that is 1,280 px
/// wide; does nothing without a browser.
fn page_answers(page: &Path, words: &str) {
    let Some(browser) = chromium() else { return };
    let probe = "<script>addEventListener('load', () => {
        const has = element => element.textContent.replace(/\\s+/g, ' ').includes(WORDS);
        const all = [...document.body.querySelectorAll(':not(script)')].filter(has);
        all.sort((a, b) => a.textContent.length - b.textContent.length);
        const out = document.createElement('output');
        out.id = 'probe';
        out.textContent = all.length ? Math.round(all[0].getBoundingClientRect().bottom + scrollY) : 'absent';
        document.body.append(out);
    });</script>";
    let folder = scratch();
    let path = folder.path().join("probed.html");
    let quoted = serde_json::to_string(words).unwrap();
    fs::write(&path, fs::read_to_string(page).unwrap() + &probe.replace("WORDS", &quoted)).unwrap();
    let dom = rendered_at(browser, &path, &folder.path().join("profile"), 1280);
    let found = dom.split("<output id=\"probe\">").nth(1).and_then(|rest| rest.split("</output>").next());
    let bottom = found.and_then(|bottom| bottom.parse::<u32>().ok());
    assert!(bottom.is_some_and(|bottom| bottom <= 1000), "{}: {words} ends at {found:?}", page.display());
}

/// Twelve positions, searched to a depth that is fast enough for a test.
const SEARCHES: &str = "suite = \"data/bratko-kopec.epd\"\nfirst = 12\nlimit = { depth = 3 }\n";

/// A policy against another one at two table sizes: one sentence per size.
#[test]
fn policy_is_compared_at_each_of_two_sizes() {
    let folder = scratch();
    let grid = "baseline = { \"table.policy.kind\" = \"always\" }\n[grid]\n\"table.size\" = [64, 1048576]\n\
                \"table.policy\" = [\"always\", \"depth-preferred\"]\n";
    let (out, shown) = results(folder.path(), &format!("{SEARCHES}{grid}"));
    assert!(shown.contains("- At size=64: "), "{shown}");
    assert!(shown.contains("- At size=1048576: "), "{shown}");
    assert!(shown.contains("at size=1048576") || shown.contains("% full") || shown.contains("same nodes"), "{shown}");
    let page = fs::read_to_string(format!("{out}/report.md")).unwrap();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place("At size=64: ") < place("| nodes"), "the answer comes before the first table");
    page_answers(&Path::new(&out).join("report.html"), "At size=1048576: ");
    let manifest = fs::read_to_string(format!("{out}/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let base = |size: u32| manifest["baselines"][format!("size={size}, policy=depth-preferred")].clone();
    assert_eq!([base(64), base(1_048_576)], [64, 1_048_576].map(|size| format!("size={size}, policy=always")));
}

/// If the file asks its question as a claim, the claim is answered first, in words.
#[test]
fn claim_is_answered_first() {
    let folder = scratch();
    let file = "[[variant]]\nname = \"none\"\ntable = \"none\"\n[[variant]]\nname = \"table\"\n[[expect]]\n\
                claim = \"nodes(table) < nodes(none)\"\n";
    let (_, shown) = results(folder.path(), &format!("{SEARCHES}{file}"));
    let first = shown.lines().find(|line| line.starts_with("- ")).unwrap_or_default();
    assert!(first.starts_with("- Claim "), "{shown}");
    assert!(first.contains("nodes of \"table\" less than nodes of \"none\""), "{shown}");
}

/// One table for a thesis: a row for each group with its ratio and interval.
#[test]
fn thesis_table_is_one_command() {
    let folder = scratch();
    let grid = "[grid]\n\"table.slots\" = [1, 4]\n";
    let (out, _) = results(folder.path(), &format!("{SEARCHES}{grid}"));
    let shown = screen(&["report", &out, "--by", "table.slots", "--format", "csv"]);
    assert!(shown.lines().any(|line| line.starts_with("table,") && line.contains("slots")), "{shown}");
}

/// Two builds of an engine, placed beside the file one after the other, and a gate: programs,
/// verdict and exit code.
#[test]
fn two_builds_meet_a_gate() {
    let folder = scratch();
    let engine = folder.path().join("engine");
    let build = |slots: u32| {
        let ttlab = env!("CARGO_BIN_EXE_ttlab");
        let script = format!("#!/bin/sh\nexec {ttlab} uci --set table.size=64 --set table.slots={slots}\n");
        fs::write(&engine, script).unwrap();
        fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let file = folder.path().join("builds.toml");
    fs::write(&file, format!("{SEARCHES}[subject]\nuci = \"./engine\"\n").replace("depth = 3", "depth = 4")).unwrap();
    let measure = |out: &str| {
        let out = folder.path().join(out).display().to_string();
        let (_, stderr, code) = run(&["run", file.to_str().unwrap(), "--out", &out, "--quiet"]);
        assert_eq!(code, 0, "{stderr}");
        out
    };
    build(4);
    let (checked, noted, _) = run(&["check", file.to_str().unwrap()]);
    assert!(noted.contains("/engine; `ttlab plan` starts it"), "{checked}{noted}");
    let base = measure("base");
    build(1);
    let new = measure("new");
    let page = folder.path().join("compare.html");
    let gate = |limit: &str| {
        let gate = format!("nodes > {limit}");
        let (stdout, stderr, code) =
            run(&["compare", &base, &new, "--allow-moves", "--fail-on", &gate, "--html", page.to_str().unwrap()]);
        (stdout.lines().take(SCREEN).collect::<Vec<_>>().join("\n") + &stderr, code)
    };
    let (shown, code) = gate("+1000%");
    assert_eq!(code, 0, "{shown}");
    assert!(shown.starts_with("ok: the gate passes; "), "{shown}");
    let (shown, code) = gate("-90%");
    assert_eq!(code, 1, "{shown}");
    assert!(shown.starts_with("FAIL: 1 of 1 gate; "), "{shown}");
    for side in ["BASE measures ttlab ", "NEW measures ttlab "] {
        assert!(shown.lines().any(|line| line.contains(side) && line.contains("SHA-256 ")), "{side}: {shown}");
    }
    page_answers(&page, "FAIL: 1 of 1 gate");
}

/// Tuning: the first line says what to use and how large the effect is.
#[test]
fn tuning_says_what_to_use() {
    let folder = scratch();
    let (file, out) = (folder.path().join("tuned.toml"), folder.path().join("out"));
    let text = "suite = \"data/openings.epd\"\nfirst = 40\nlimit = { depth = 4 }\nbaseline = { \"table.kind\" = \"none\" }\n\
                [engine]\ntable.size = \"64 KiB\"\n[grid]\n\"table.kind\" = [\"none\", \"bounded\"]\n[tune]\nfirst = 10\n";
    fs::write(&file, text).unwrap();
    let shown = screen(&["tune", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let first = shown.lines().find(|line| line.starts_with("- ")).unwrap_or_default();
    assert!(first.starts_with("- Use \"kind=bounded\" instead of \"kind=none\": "), "{shown}");
    assert!(first.ends_with("on 20 positions that the race never saw."), "{shown}");
    page_answers(&out.join("report.html"), "positions that the race never saw");
}

/// A match: the verdict with its Elo comes first.
#[test]
fn match_names_the_stronger_player() {
    let folder = scratch();
    let text = "suite = \"data/openings.epd\"\nfirst = 8\nlimit = { nodes = 300 }\n[match]\nmax_moves = 40\n[engine]\npreset = \"match\"\n\
                table.size = \"64 KiB\"\n[[variant]]\nname = \"base\"\n[[variant]]\nname = \"weak\"\n\"limit.nodes\" = 30\n";
    let (out, shown) = results(folder.path(), text);
    let first = shown.lines().find(|line| line.starts_with("- ")).unwrap_or_default();
    assert!(first.starts_with("- \"weak\" against \"base\": "), "{shown}");
    assert!(first.contains(" Elo ["), "{shown}");
    page_answers(&Path::new(&out).join("report.html"), "over 8 pairs of games");
}

/// A data frame: the documented recipe prints the nodes of each variant, and the ratio to the
/// baseline of the same group and key seed. The page's ratios are the geometric means of these over
/// the seeds, and its nodes are those of the first seed.
#[test]
fn data_frame_recipe_prints_each_variant() {
    let folder = scratch();
    let grid = "seeds = 2\nbaseline = { \"table.policy.kind\" = \"always\" }\n[grid]\n\"table.size\" = [64, 4096]\n\
                \"table.policy\" = [\"always\", \"depth-preferred\"]\n";
    let (out, _) = results(folder.path(), &format!("{SEARCHES}{grid}"));
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/columns.md")).unwrap();
    let recipe = docs::blocks(&text, "python").into_iter().find(|block| block.contains("pandas")).unwrap();
    let Some(printed) = docs::python("pandas", Path::new(&out), recipe, "") else { return };
    let (page, _, _) = run(&["report", &out, "--format", "json"]);
    let page: serde_json::Value = serde_json::from_str(&page).unwrap();
    let summary = page["parts"].as_array().unwrap().iter().find(|part| part["key"] == "summary").unwrap();
    let ratio = |name: &str| -> f64 {
        let text = printed.split(&format!("'{name}': ")).nth(1).unwrap_or_else(|| panic!("{name}: {printed}"));
        let number: String = text.chars().skip_while(|c| !c.is_ascii_digit()).collect();
        number.trim_start_matches("64(").split([',', ')', '}']).next().unwrap().parse().unwrap()
    };
    for row in summary["rows"].as_array().unwrap() {
        // Baselines are marked with an asterisk.
        let size = row["size"].as_str().unwrap().trim_end_matches(" *");
        let name = format!("size={size}, policy={}", row["policy"].as_str().unwrap());
        let nodes = row["nodes"].as_f64().unwrap().to_string();
        let mut lines = printed.lines().take(SCREEN);
        assert!(lines.any(|line| line.starts_with(&format!("{name}  ")) && line.contains(&nodes)), "{name}: {printed}");
        let mean = (ratio(&name) * ratio(&format!("{name}, key seed 2"))).sqrt();
        assert!((mean - row["ratio"].as_f64().unwrap()).abs() < 1e-9, "{name}: {mean} of {printed}, page {row}");
    }
}

/// A user-defined policy in a short program.
#[test]
fn own_policy_is_compared_with_a_known_one() {
    let folder = scratch();
    let (file, out) = (folder.path().join("own.toml"), folder.path().join("out"));
    fs::write(&file, own_policy::FILE).unwrap();
    let (stdout, stderr, code) = own_policy::own(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.lines().take(SCREEN).any(|line| line.starts_with("centre ")), "{stdout}");
}

/// The library: a search with its counters, as in the first example of `docs/library.md`.
#[test]
fn library_searches_in_a_few_lines() {
    use std::sync::atomic::AtomicBool;
    let mut options = ttlab_core::EngineOptions::default();
    options.table.size = ttlab_core::Size::Bytes(1 << 16);
    let mut engine = ttlab_core::Engine::new(&options, None).unwrap();
    let board = ttlab_core::Board::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").unwrap();
    let limit = ttlab_core::Limit { depth: Some(6), nodes: None };
    let outcome = engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {});
    assert!(outcome.iterations.last().is_some_and(|last| last.table.hits > 0));
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/library.md")).unwrap();
    let first = docs::blocks(&text, "rust").remove(0);
    assert!(first.lines().count() <= SCREEN, "{first}");
}

/// After the installation, with an empty folder and `ttlab` on the path, each command prints the
/// next one. The test uses a smaller depth than the template, which would take minutes.
#[test]
fn template_is_run_in_an_empty_folder() {
    let (folder, path) = (scratch(), scratch());
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ttlab"), path.path().join("ttlab")).unwrap();
    let call = |command: &str| {
        let mut shell = std::process::Command::new("/bin/sh");
        let output = shell.current_dir(folder.path()).env("PATH", path.path()).args(["-c", command]).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().take(SCREEN).collect::<Vec<_>>().join("\n")
    };
    assert!(call("ttlab new").contains("quick"), "the templates are listed");
    let shown = call("ttlab new quick");
    let next =
        shown.lines().last().and_then(|line| line.strip_prefix("to use it:  ")).unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(next, "ttlab run ./quick.toml");
    assert!(call("ttlab check quick.toml").starts_with("quick.toml: 7 variants"));
    let shown = call(&format!("{next} --set limit.depth=3"));
    assert!(shown.contains("% fewer nodes") || shown.contains(" with fewer nodes"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("next: `ttlab report ")), "{shown}");
    page_answers(&folder.path().join("reports/quick/report.html"), "fewer nodes");
}

/// A trace of two games under another policy.
#[test]
fn trace_is_replayed_under_another_policy() {
    let trace = PathBuf::from("experiments/traces/two-games.trace");
    let shown = screen(&["replay", trace.to_str().unwrap()]);
    assert!(shown.to_lowercase().contains("hit"), "{shown}");
}

/// The first run suggests the next command; later runs don't repeat it.
#[test]
fn first_run_says_what_to_type_next() {
    let folder = scratch();
    let text = format!("{SEARCHES}[grid]\n\"table.slots\" = [1, 4]\n");
    let (out, shown) = results(folder.path(), &text);
    assert!(shown.lines().any(|line| line.starts_with(&format!("next: `ttlab report {out} --pairs`"))), "{shown}");
    assert!(!results(folder.path(), &text).1.contains("next: "));
}

/// The commands are listed in groups, beginning with those that a user needs first.
#[test]
fn help_lists_commands_in_groups() {
    let shown = screen(&["--help"]);
    let place = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
    assert!(place("Experiments:") < place("new"), "{shown}");
    assert!(place("check") < place("Results:"), "{shown}");
}

/// A variant without a baseline, a baseline that doesn't exist, a metric that doesn't exist: each
/// message names the nearest one that works.
#[test]
fn question_without_an_answer_gets_the_nearest_that_works() {
    let folder = scratch();
    let variant = |name: &str, policy: &str, size: u32| {
        format!("[[variant]]\nname = \"{name}\"\n\"table.policy\" = \"{policy}\"\n\"table.size\" = {size}\n")
    };
    let all = [("a", "always", 64), ("b", "depth-preferred", 64), ("c", "depth-preferred", 4096)];
    let variants: String = all.map(|(name, policy, size)| variant(name, policy, size)).concat();
    let file = |base: &str| format!("baseline = {{ \"table.policy.kind\" = \"{base}\" }}\n{SEARCHES}{variants}");
    let (out, shown) = results(folder.path(), &file("always"));
    let alone = "\"c\" has no baseline in the same group and is compared with nothing";
    assert!(shown.contains(&format!("- {alone}.")), "{shown}");
    let path = folder.path().join("trial.toml").display().to_string();
    fs::write(&path, file("alwys")).unwrap();
    let (_, stderr, code) = run(&["check", &path]);
    assert!(code == 2 && stderr.contains("table.policy.kind = alwys: did you mean `always`?"), "{stderr}");
    for (metric, hint) in [("worth", "did you mean `saved`?"), ("xyzzy", "expected one of `nodes`, `evals`, ")] {
        let (_, stderr, code) = run(&["report", &out, "--metric", metric]);
        assert!(code == 2 && stderr.contains(hint), "{metric}: {stderr}");
    }
}
