//! Warnings before a run about effects that the experiment can't show; `--strict` refuses such
//! runs.

use super::*;

/// Given words: the run warns with them, and is refused with `--strict`. Otherwise neither happens.
fn blind(text: &str, words: Option<&str>) {
    let trial = Trial::new(&format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\n{text}"));
    let out = trial.text("out");
    let strict = trial.run("out", &["--strict"]);
    match words {
        Some(words) => {
            strict.expect(2).prints(&["cannot show what it varies", words]);
            assert!(!Path::new(&out).exists(), "a refused run left something behind");
            trial.run("out", &[]).expect(0);
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
    blind(aging, Some("aging is invisible"));
    let full = "[engine]\ntable.size = 16\n";
    let aging = &aging.replace("depth = 1", "depth = 3");
    blind(&format!("{aging}{full}[sequence]\nself_play = 2\n"), None);
    blind(&format!("{aging}{full}table.clear = 'never'\n"), None);
}

#[test]
fn strict_refuses_replacement_without_pressure() {
    let policies = "[grid]\n'table.policy' = ['always', 'depth-preferred']\n";
    blind(&format!("limit = {{ nodes = 1000 }}\n{policies}"), Some("no pressure"));
    blind(&format!("limit = {{ nodes = 1000 }}\n{policies}[engine]\ntable.size = 32\n"), None);
    blind(&format!("limit = {{ depth = 3 }}\n{policies}[engine]\ntable.size = 16\n"), None);
    // The number of nodes that a depth takes isn't known before the run, so the results show it,
    // and `--strict` fails afterwards.
    let trial =
        Trial::new(&format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\nlimit = {{ depth = 1 }}\n{policies}"));
    trial.run("out", &["--strict"]).expect(1).prints(&["cannot show what it varies", "no pressure"]);
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
        // In a bucket of one slot, policies that refuse nothing are one.
        (
            format!("{head}table.slots = 1\n[grid]\n'table.policy' = ['always', 'depth-age', 'random', 'scored']\n"),
            "(and 2 more pairs) are the same search: table.policy does nothing where no store is refused and table.slots \
             is 1",
        ),
        (
            format!(
                "{head}table.slots = 2\n[grid]\n'table.policy' = [{{ kind = 'depth-age' }}, {{ kind = 'depth-age', empty_depth = 3 }}]\n"
            ),
            "table.policy.empty_depth does nothing where table.policy.weigh_empty is false",
        ),
        (
            format!("{head}deepening.step = 0\n[grid]\n'deepening.start' = [1, 2]\n"),
            "deepening.start does nothing where deepening.step is 0",
        ),
        (
            format!("{head}[grid]\n'threads.helpers' = ['same', 'shuffle']\n"),
            "threads.helpers does nothing where threads.count is 1",
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
