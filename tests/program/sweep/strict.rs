//! What an experiment cannot show is told before it runs, and refused with `--strict`.

use super::*;

/// Told, and refused with `--strict`; or neither.
fn blind(text: &str, more: &[&str], words: Option<&str>) {
    let trial = Trial::new(&format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\n{text}"));
    let out = trial.text("out");
    let strict = trial.run("out", &[&["--strict"], more].concat());
    match words {
        Some(words) => {
            strict.expect(2).says(&["cannot show what it varies", words]);
            assert!(!Path::new(&out).exists(), "a refused run left something behind");
            let told = ttlab(&[&["run", &trial.file, "--out", &out], more].concat()).expect(0);
            told.says(&["warning: ", words]);
            if !words.contains("jobs at a time") {
                ttlab(&["plan", &trial.file]).expect(0).says(&["warning: ", words]);
            }
        }
        None => {
            strict.expect(0);
        }
    }
}

#[test]
fn aging_in_unrelated_positions_is_invisible() {
    let aging = "limit = { depth = 1 }\n[grid]\n'table.policy' = [{ kind = 'aged-depth', factor = 1 }, { kind = 'aged-depth', factor = 4 }]\n";
    blind(aging, &[], Some("aging is invisible"));
    let full = "[engine]\ntable.size = 16\n";
    let aging = &aging.replace("depth = 1", "depth = 3");
    blind(&format!("{aging}{full}[sequence]\nself_play = 2\n"), &[], None);
    blind(&format!("{aging}{full}table.clear = 'never'\n"), &[], None);
}

#[test]
fn replacement_without_pressure_is_invisible() {
    let policies = "[grid]\n'table.policy' = ['always', 'depth-preferred']\n";
    blind(&format!("limit = {{ nodes = 1000 }}\n{policies}"), &[], Some("no pressure"));
    blind(&format!("limit = {{ nodes = 1000 }}\n{policies}[engine]\ntable.size = 32\n"), &[], None);
    blind(&format!("limit = {{ depth = 3 }}\n{policies}[engine]\ntable.size = 16\n"), &[], None);
    // How many nodes a depth takes is not known before: the results then tell, and the gate with them.
    let trial =
        Trial::new(&format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\nlimit = {{ depth = 1 }}\n{policies}"));
    trial.run("out", &["--strict"]).expect(1).says(&["cannot show what it varies", "no pressure"]);
}

#[test]
fn few_positions_say_little() {
    let sizes = "suite = 'data/bratko-kopec.epd'\nfirst = 9\nlimit = { depth = 1 }\n[grid]\n'table.size' = [16, 32]\n";
    let trial = Trial::new(sizes);
    trial.run("out", &["--strict"]).expect(2).says(&["9 positions are few"]);
    Trial::new(&sizes.replace("= 9", "= 10")).run("out", &["--strict"]).expect(0);
}

#[test]
fn time_wants_repeats_and_one_job() {
    let timed = "limit = { depth = 1 }\n[[expect]]\nclaim = 'seconds(default) < 100 * seconds(default)'\n";
    blind(timed, &["--jobs", "1"], Some("timed once"));
    blind(&format!("repeats = 3\n{timed}"), &["--jobs", "1"], None);
    blind(&format!("repeats = 3\n{timed}"), &["--jobs", "2"], Some("2 jobs at a time"));
}
