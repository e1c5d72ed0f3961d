//! Checks the sections of a file against each other.

use super::confirm::Confirm;
use super::file::File;
use super::matches::{Match, opening_position};
use super::problem::{Problem, list_quoted};
use super::reference::{DEFAULT_CUT, Reference};
use super::suites::SuiteEntries;
use super::text::FileText;
use super::variant::Variant;
use crate::chess::suite::{Item, Suite};
use crate::engine::Limit;

impl Confirm {
    /// Checks the section against the rest of the file.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(super) fn check(&self, file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
        for (is_given, message) in [(file.games.is_some(), "[match]"), (file.trace.is_some(), "[trace]")] {
            if is_given {
                return Err(source.invalid(
                    "confirm",
                    format!("is not allowed with {message}: [confirm] plays games among variants that were searched"),
                ));
            }
        }
        if variants.len() < 2 {
            return Err(source.invalid(
                "confirm",
                "a match needs at least two variants, found 1: give a second, by [grid] or [[variant]]",
            ));
        }
        if let Some(different) = variants.iter().find(|variant| variant.limit != variants[0].limit) {
            let message = format!(
                "all variants need the same limit, and \"{}\" has another than \"{}\"",
                different.name, variants[0].name
            );
            return Err(source.invalid("confirm", message));
        }
        if self.limit == Limit::default() {
            return Err(source.invalid("confirm.limit", "missing: give limit = { nodes = 20000 }"));
        }
        source.check_range("confirm.margin", self.margin, (0.0..=1000.0).contains(&self.margin), "0 to 1000")?;
        source.check_range("confirm.price", self.price, (1.0..=10_000.0).contains(&self.price), "1 to 10000")?;
        source.check_range("confirm.first", self.first, self.first >= 30, "at least 30")?;
        source.check_range("confirm.budget", self.budget, self.budget >= self.first, "at least `first`")
    }
}

impl Match {
    /// Checks the section against the rest of the file.
    ///
    /// # Errors
    /// The first conflict or value out of range, with its place.
    pub(super) fn check(
        &self,
        file: &File,
        variants: &[Variant],
        suite: &Suite,
        source: &FileText<'_>,
    ) -> Result<(), Problem> {
        let no_race = "a race drops variants after a few positions, but games would need thousands for each: tune by nodes, then let the best variants play";
        let no_search = "a match plays games and searches no positions of the suite";
        for (is_given, path, why) in [
            (file.tune.is_some(), "tune", no_race),
            (file.trace.is_some(), "trace", no_search),
            (file.sequence.is_some(), "sequence", no_search),
            (file.reference.is_some(), "reference", no_search),
        ] {
            if is_given {
                return Err(source.invalid(path, format!("is not allowed with [match]: {why}")));
            }
        }
        let repeat_message = "a repeat plays the same games again: add openings for more games";
        let seeds_message = "all seeds of a variant would play the same openings: add openings for more games (or make other keys variants: \"keys.seed\" = [1, 2, 3] in [grid])";
        let schedules_message = "all schedules of a variant would play the same openings: add openings for more games (or make other schedules variants: \"threads.seed\" = [1, 2, 3] in [grid])";
        for (count, path, why) in [
            (file.repeats, "repeats", repeat_message),
            (file.seeds, "seeds", seeds_message),
            (file.schedules, "schedules", schedules_message),
        ] {
            if count > 1 {
                return Err(source.invalid(path, format!("{count}: {why}")));
            }
        }
        self.check_numbers(source)?;
        if let Some(Variant { name, .. }) = variants.iter().find(|variant| variant.has_share()) {
            let unknown = format!(
                "a match needs an absolute size: a share of what searches store is not known (variant \"{name}\")"
            );
            return Err(source.invalid("table.size", unknown));
        }
        let finished = |item: &&Item| crate::chess::ending::ending(&opening_position(item), &[]).is_some();
        let finished: Vec<&str> = suite.items.iter().filter(finished).map(|item| item.id.as_str()).collect();
        match finished[..] {
            [] => Ok(()),
            [one] => Err(source.invalid("suite", format!("{one}: the game is over before it begins"))),
            _ => {
                let all = format!("{} games are over before they begin: {}", finished.len(), list_quoted(finished));
                Err(source.invalid("suite", all))
            }
        }
    }
}

impl Reference {
    /// Checks the section against the rest of the file.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(super) fn check(
        &self,
        file: &File,
        variants: &[Variant],
        baseline: usize,
        source: &FileText<'_>,
    ) -> Result<(), Problem> {
        let Some(own) = &self.own_search else {
            if self.uci.is_none() {
                let message = "names no judge: give uci = \"ENGINE\" with a limit (moves), or self = { nodes = 600_000 } (scores)";
                return Err(source.invalid("reference", message));
            }
            if self.cut.is_some() {
                let message = "applies to score errors only: give self = { nodes = 600_000 }";
                return Err(source.invalid("reference.cut", message));
            }
            return Ok(());
        };
        let cut = self.cut.unwrap_or(DEFAULT_CUT);
        source.check_range("reference.cut", cut, (1..=10_000).contains(&cut), "1 to 10000")?;
        let limit = self.limit != Limit::default();
        for (is_given, path) in [(self.uci.is_some(), "uci"), (!self.options.is_empty(), "options"), (limit, "limit")] {
            if is_given {
                let message = "is not allowed with `self`: the baseline's own engine judges the scores, with the nodes and options of `self`";
                return Err(source.invalid(&format!("reference.{path}"), message));
            }
        }
        let wrong = |message: String| Err(source.invalid("reference.self", message));
        if file.trace.is_some() {
            return wrong("needs searches, but a trace is only replayed".to_owned());
        }
        if file.sequence.as_ref().is_some_and(|sequence| sequence.self_play > 0) {
            return wrong(
                "needs positions that all variants search, but in self-play each variant reaches others".to_owned(),
            );
        }
        if variants[baseline].builtin().is_some() && !own.options.is_empty() {
            return wrong(
                "options: apply to external engines only, ttlab's own judge has an unbounded table: remove them"
                    .to_owned(),
            );
        }
        for variant in variants {
            let name = &variant.name;
            let nodes = variant.limit.nodes.filter(|_| variant.limit.depth.is_none());
            let Some(nodes) = nodes else {
                return wrong(format!(
                    "score errors need a limit of nodes alone: \"{name}\" needs limit = {{ nodes = 20000 }}"
                ));
            };
            if own.nodes <= nodes {
                return wrong(format!(
                    "nodes: {} are no more than the {nodes} of \"{name}\": give far more",
                    own.nodes
                ));
            }
            if variant.builtin().is_some() != variants[baseline].builtin().is_some() {
                let base = &variants[baseline].name;
                return wrong(format!(
                    "the judge of scores is the engine of \"{base}\", and \"{name}\" is another engine"
                ));
            }
        }
        Ok(())
    }
}

/// Refuses sections that are not allowed with several suites, invalid names, and limits that are
/// set twice.
///
/// # Errors
/// The first mistake, with its place.
pub(super) fn check_suites(file: &File, source: &FileText<'_>) -> Result<(), Problem> {
    let Some(SuiteEntries(entries)) = &file.suites else { return Ok(()) };
    if file.suite.is_some() {
        return Err(source.invalid("suites", "`suite` is given too: give one suite, or several by name"));
    }
    for (is_given, key, what) in [
        (file.trace.is_some(), "trace", "a trace has its own games"),
        (file.games.is_some(), "match", "a match takes its openings from one `suite`"),
        (file.tune.is_some(), "tune", "candidates are raced on one `suite`"),
    ] {
        if is_given {
            return Err(source.problem_at(key, format!("{key}: {what}: it is not allowed with `suites`")));
        }
    }
    if entries.is_empty() {
        return Err(source.invalid("suites", "expected at least one suite: { NAME = { file = \"FILE\" } }"));
    }
    for (name, entry) in entries {
        let place = format!("suites.{name}");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(source.invalid(&place, format!("`{name}` is not a valid name: expected letters, digits, - _")));
        }
        for (key, zero, has_own, has_common) in [
            ("depth", entry.depth == Some(0), entry.depth.is_some(), file.limit.depth.is_some()),
            ("nodes", entry.nodes == Some(0), entry.nodes.is_some(), file.limit.nodes.is_some()),
        ] {
            let place = format!("{place}.{key}");
            source.check_range(&place, 0, !zero, "at least 1")?;
            if has_own && has_common {
                let what = format!("`limit` gives {key} for all suites: give it there or here, not both");
                return Err(source.invalid(&place, what));
            }
        }
    }
    Ok(())
}
