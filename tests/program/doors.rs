//! Faulty input at the doors of the command line: suites, options and settings. Each case: the
//! files, the arguments, the input, the exit code, and words of the output. Words after `!` must
//! not occur.

use crate::common::scratch;
use std::io::Write;
use std::process::{Command, Stdio};

const KNIGHT: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";
const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

/// Runs the program in a folder of its own. Returns its output and exit code.
fn run(files: &[(&str, String)], args: &str, input: &str) -> (String, i32) {
    let folder = scratch();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
    command.current_dir(folder.path()).args(args.split(' '));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stderr, output.stdout].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (text, output.status.code().unwrap_or(-1))
}

#[track_caller]
fn check(files: &[(&str, String)], cases: &[(&str, &str, i32, &str)]) {
    for (args, input, code, words) in cases {
        let (text, actual_code) = run(files, args, input);
        assert_eq!(actual_code, *code, "{args}\n{input}{text}");
        let holds = words.strip_prefix('!').map_or_else(|| text.contains(words), |words| !text.contains(words));
        assert!(holds, "{args}\n{input}expected {words}\n{text}");
    }
}

#[test]
fn suite_refuses_what_experiments_refuse() {
    let files = [
        ("twice.epd", format!("{KNIGHT}\n{KINGS}\n{KNIGHT}\n")),
        ("twin.fen", format!("{} 0 1\n{} 0 1\n", "8/8/8/8/4P3/8/8/k1K5 b - -", "8/8/8/8/4P3/8/8/k1K5 b - e3")),
        ("clock.fen", format!("{KINGS} 0 1\n{KINGS} 9 9\n")),
        ("bad.epd", format!("{KNIGHT} bm Kz1;\n{KINGS} bm Kz2;\n")),
        ("bad.fen", "x\n".to_owned()),
        ("bad.pgn", "[Event \"x\"]\n\n*\n".to_owned()),
        ("half.epd", format!("{KNIGHT} bm Kz1;\n{KINGS} acn 3; id \"b\";\n")),
    ];
    check(
        &files,
        &[
            ("suite twice.epd", "", 2, "twice.epd:3:1: the same position as in line 1"),
            ("suite twice.epd --skip-bad", "", 0, "2 items"),
            ("suite twin.fen", "", 2, "twin.fen:2:1: the same position as in line 1"),
            ("suite clock.fen", "", 0, "2 items"),
            ("suite bad.epd --skip-bad", "", 2, "bad.epd:1:"),
            ("suite bad.epd --skip-bad -o out.epd", "", 2, "expected a move, found `Kz1`"),
            ("suite bad.fen --skip-bad", "", 2, "bad.fen:1:"),
            ("suite bad.pgn --skip-bad", "", 2, "bad.pgn:1:"),
            ("try bad.epd --depth 1 --vary table.slots=1,2", "", 2, "expected a move, found `Kz1`"),
            ("suite half.epd --skip-bad", "", 0, "1 item"),
        ],
    );
}

/// An opcode or a word in another case is the nearest one.
#[test]
fn opcode_and_word_are_known_in_every_case() {
    let standard = "acd 1; acn 3; acs 2; ce 5; dm 4; draw_offer; eco \"C40\"; fmvn 3; hmvc 0; id \"x\"; nic \"y\"; noop; \
        pm Bb5; pv Bb5; rc 1; sm Nf3; tcgs 1; tcri 2; tcsi 3; v0 \"z\"; v9 \"z\";";
    let mut files = vec![("standard.epd".to_owned(), format!("{KNIGHT} {standard}\n"))];
    let opcodes = ["Bm", "BM", "AM", "ID", "PV", "HMVC", "d1"];
    files.extend(opcodes.map(|opcode| (format!("{opcode}.epd"), format!("{KNIGHT} {opcode} 1;\n"))));
    let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    for opcode in opcodes {
        let lower = if opcode == "d1" { "D1".to_owned() } else { opcode.to_lowercase() };
        check(&files, &[(&format!("suite {opcode}.epd"), "", 0, &format!("did you mean `{lower}`?"))]);
    }
    check(
        &files,
        &[
            ("suite standard.epd", "", 0, "!unknown opcode"),
            ("search startpos --depth 1 --set table.policy=ALWAYS", "", 2, "did you mean `always`?"),
            ("search startpos --depth 1 --set TABLE.SIZE=64", "", 2, "did you mean `table.size`?"),
            ("search startpos --depth 1 --preset MATCH", "", 2, "did you mean `match`?"),
            ("try startpos --depth 1 --vary TABLE.POLICY=always,never", "", 2, "did you mean `table.policy`?"),
            ("try startpos --depth 1 --vary tabel.size=64,128", "", 2, "did you mean `table.size`?"),
        ],
    );
}

#[test]
fn option_of_the_command_line_has_an_effect() {
    const KINDS: &str = "setoption name table.policy.kind value aged-depth\n";
    let again = format!("{KINDS}setoption name table.policy.factor value 3\n{KINDS}uci\nquit\n");
    let word = again.replace("policy.kind", "policy");
    let other = format!(
        "{KINDS}setoption name table.policy.factor value 3\nsetoption name table.policy value always\n{KINDS}uci\nquit\n"
    );
    let three = "option name table.policy.factor type string default 3";
    check(
        &[],
        &[
            ("uci --preset match", &again, 0, three),
            ("uci", &again, 0, three),
            ("uci", &word, 0, three),
            // Another policy has parameters of its own.
            ("uci", &other, 0, "option name table.policy.factor type string default 4"),
            ("uci", &other, 0, "!info string"),
            ("search startpos --depth 1 --set table.policy.factor=3 --set table.policy=aged-depth", "", 0, "depth"),
            (
                "search startpos --depth 1 --set table.policy=always --set table.policy.factor=3",
                "",
                2,
                "unknown key `factor`",
            ),
            (
                "search startpos --depth 1 --set table.policy=scored --set table.policy.age=3 --set table.policy=always",
                "",
                2,
                "table.policy.age = 3 has no effect",
            ),
            ("doctor /bin/false --option Hash=1 --option Hash=2", "", 2, "--option Hash: the option is given twice"),
            ("doctor /bin/false --option hash=1 --option HASH=2", "", 2, "--option HASH: the option is given twice"),
            ("reproduce", "", 2, "name a folder of experiments"),
        ],
    );
}

/// A count that the engine does not report is no 0, and has no ratio.
#[test]
fn count_that_is_not_reported_is_empty() {
    let engine = "while read -r a b c d; do case $a in\nuci) echo 'option name Hash type spin default 1 min 1 max 2'; echo uciok;;\n\
        isready) echo readyok;;\ngo) k=0; while [ $k -lt $c ]; do k=$((k+1)); echo \"info depth $k score cp $k pv e2e4\"; done; echo 'bestmove e2e4';;\n\
        quit) exit 0;;\nesac; done\n";
    let experiment = "suite = { startpos = true }\nlimit = { depth = 2 }\nsubject = { uci = ['/bin/sh', 'engine.sh'], trust = true }\n\
        [grid]\n'uci.Hash' = [1, 2]\n";
    let folder = scratch();
    std::fs::write(folder.path().join("engine.sh"), engine).unwrap();
    std::fs::write(folder.path().join("x.toml"), experiment).unwrap();
    let call = |args: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
        let output = command.current_dir(folder.path()).args(args.split(' ')).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let page = call("run x.toml --out o");
    assert!(!page.contains("1.000"), "{page}");
    let table = call("report o --format csv --wide");
    assert!(!table.contains("nodes"), "{table}");
    let json = call("report o --format json");
    assert!(!json.contains("-0.0"), "{json}");
    let comparison = call("compare o o");
    assert!(comparison.contains("nodes: not reported"), "{comparison}");
}
