//! Warnings before a run about effects that the experiment can't show; `--strict` refuses such
//! runs.

use super::*;

/// Given words: the run warns with them, and is refused with `--strict`. Otherwise neither happens.
fn blind(text: &str, more: &[&str], words: Option<&str>) {
    let trial = Trial::new(&format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\n{text}"));
    let out = trial.text("out");
    let strict = trial.run("out", &[&["--strict"], more].concat());
    match words {
        Some(words) => {
            strict.expect(2).prints(&["cannot show what it varies", words]);
            assert!(!Path::new(&out).exists(), "a refused run left something behind");
            ttlab(&[&["run", &trial.file, "--out", &out], more].concat()).expect(0);
            ttlab(&["check", &trial.file]).expect(0).prints(&["warning: ", words]);
        }
        None => {
            strict.expect(0);
        }
    }
}

#[test]
fn strict_refuses_ageing_in_unrelated_positions() {
    let aging = "limit = { depth = 1 }\n[grid]\n'table.policy' = [{ kind = 'aged-depth', factor = 1 }, { kind = 'aged-depth', factor = 4 }]\n";
    blind(aging, &[], Some("aging is invisible"));
    let full = "[engine]\ntable.size = 16\n";
    let aging = &aging.replace("depth = 1", "depth = 3");
    blind(&format!("{aging}{full}[sequence]\nself_play = 2\n"), &[], None);
    blind(&format!("{aging}{full}table.clear = 'never'\n"), &[], None);
}

#[test]
fn strict_refuses_replacement_without_pressure() {
    let policies = "[grid]\n'table.policy' = ['always', 'depth-preferred']\n";
    blind(&format!("limit = {{ nodes = 1000 }}\n{policies}"), &[], Some("no pressure"));
    blind(&format!("limit = {{ nodes = 1000 }}\n{policies}[engine]\ntable.size = 32\n"), &[], None);
    blind(&format!("limit = {{ depth = 3 }}\n{policies}[engine]\ntable.size = 16\n"), &[], None);
    // The number of nodes that a depth takes isn't known before the run, so the results show it,
    // and `--strict` fails afterwards.
    let trial =
        Trial::new(&format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\nlimit = {{ depth = 1 }}\n{policies}"));
    trial.run("out", &["--strict"]).expect(1).prints(&["cannot show what it varies", "no pressure"]);
}

#[test]
fn strict_refuses_too_few_positions() {
    // With five positions, p can't be below 1/16; with eight comparisons, eight positions are too
    // few.
    let output = |first: u8, sizes: &str, words: &str| {
        let text = format!(
            "suite = 'data/bratko-kopec.epd'\nfirst = {first}\nlimit = {{ depth = 1 }}\n[grid]\n'table.size' = [{sizes}]\n"
        );
        Trial::new(&text).run("out", &["--strict"]).expect(2).prints(&["cannot show what it varies", words]);
    };
    output(5, "16, 32", "5 positions are too few");
    output(8, "16, 32, 48, 64, 80, 96, 112, 128, 144", "8 positions are too few for 8 comparisons");
}

#[test]
fn strict_refuses_times_without_repeats() {
    let timed = "limit = { depth = 1 }\n[[expect]]\nclaim = 'seconds(default) < 100 * seconds(default)'\n";
    blind(timed, &[], Some("differ when repeated, but each search is made once"));
    blind(&format!("repeats = 3\n{timed}"), &[], None);
}

/// A grid of policies with a different number of slots for each also compares slots.
#[test]
fn strict_refuses_confounded_variants() {
    let zip = "limit = { depth = 2 }\n[engine]\ntable.size = 16\n[[zip]]\n'table.policy' = ['always', 'two-deep']\n'table.slots' = ";
    // What [[zip]] changes together is deliberate.
    blind(&format!("{zip}[1, 2]\n"), &[], None);
    let apart = "limit = { depth = 2 }\n[engine]\ntable.size = 16\n[[variant]]\nname = 'a'\n'table.policy' = 'always'\n[[variant]]\nname = 'b'\n\
                 'table.policy' = 'two-deep'\n'table.slots' = 2\n";
    blind(apart, &[], Some("in table.policy, and also in table.slots (2 against 1)"));
    blind(&format!("{zip}[2, 2]\n"), &[], None);
    let same_key = "limit = { depth = 2 }\n[engine]\ntable.size = 16\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n\
                    'table.policy' = 'ancient'\n'table.same_key' = 'policy'\n";
    blind(same_key, &[], Some("and also in table.same_key (policy against replace)"));
    // If the policy occurs with both rules, the rule is an axis of its own.
    let both = format!("{same_key}[[variant]]\nname = 'c'\n'table.policy' = 'ancient'\n");
    blind(&both, &[], None);
    let limits = "limit = { depth = 1 }\n[engine]\ntable.size = 16\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n\
                  algorithm = 'minimax'\n'limit.depth' = 2\n";
    blind(limits, &[], Some("in algorithm, and also in limit.depth (2 against 1)"));
    let more = limits.replace("'minimax'", "'minimax'\nleaf = 'static'");
    blind(
        &more,
        &[],
        Some("\"b\" differs from the baseline \"a\" in algorithm and 1 more, and also in limit.depth (2 against 1)"),
    );
    // A mask rounds the number of buckets down to a power of two.
    let index = "limit = { depth = 2 }\n[engine]\ntable.size = 24\n[grid]\n'table.index' = ['multiply', 'mask']\n";
    blind(index, &[], Some("in table.index, and also in entries (16 against 24)"));
    blind(&index.replace("24", "16"), &[], None);
}

/// Two variants that are the same search under different names; each pair really gives the same
/// counts.
#[test]
fn strict_refuses_variants_that_are_the_same_search() {
    let head = "limit = { depth = 2 }\n[engine]\ntable.size = 16\n";
    for (text, words) in [
        (
            format!("{head}lmr.min_depth = 0\n[grid]\n'lmr.reduction' = [1, 2]\n"),
            "lmr.reduction does nothing where lmr.min_depth is 0",
        ),
        (
            format!("{head}leaf = 'static'\n[grid]\n'quiescence.delta' = [0, 50]\n"),
            "quiescence.delta does nothing where leaf is static",
        ),
    ] {
        let trial = Trial::new(&format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\n{text}"));
        trial.run("out", &["--strict"]).expect(2).prints(&["are the same search: ", words]);
        trial.run("out", &[]).expect(0);
        assert!(trial.same_counts("out"), "{words}");
    }
}

/// `check` and `plan` print every warning, `run` only those that block the conclusion; the page has
/// none of them.
#[test]
fn each_warning_is_printed_once() {
    let text = "suite = 'data/bratko-kopec.epd'\nfirst = 5\nlimit = { depth = 2 }\n[engine]\ntable.size = 16\n[[variant]]\nname = 'a'\n\
                'table.policy' = 'always'\n[[variant]]\nname = 'b'\n'table.policy' = 'two-deep'\n'table.slots' = 2\n";
    let trial = Trial::new(text);
    let (few, unlike) = ("5 positions are too few", "in table.policy, and also in table.slots");
    let count = |text: &str, words: &str| text.matches(words).count();
    let check = ttlab(&["check", &trial.file]).expect(0);
    let plan = ttlab(&["plan", &trial.file]).expect(0);
    let run = ttlab(&["run", &trial.file, "--out", &trial.text("out")]).expect(0);
    let page = fs::read_to_string(trial.text("out/report.md")).unwrap();
    for (words, before) in [(few, 1), (unlike, 0)] {
        assert_eq!(count(&check.stderr, words), 1, "{}", check.stderr);
        assert_eq!(count(&(plan.stdout.clone() + &plan.stderr), words), 1, "{}{}", plan.stdout, plan.stderr);
        assert_eq!(count(&run.stderr, words), before, "{}", run.stderr);
        assert_eq!(count(&(run.stdout.clone() + &page), words), 0, "{}{page}", run.stdout);
    }
}
