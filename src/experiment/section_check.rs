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
    /// Refuses values that are out of range or conflict with the rest of the file.
    pub(super) fn check(&self, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
        if variants.len() < 2 {
            return Err(source.invalid(
                "confirm",
                "a match needs at least two variants, found 1: add another by [grid] or [[variant]]",
            ));
        }
        if let Some(variant) = variants.iter().find(|variant| variant.limit != variants[0].limit) {
            let message = format!(
                "all variants need the same limit, but \"{}\" and \"{}\" have different limits",
                variant.name, variants[0].name
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
    /// Refuses values that are out of range or conflict with the rest of the file.
    pub(super) fn check(&self, variants: &[Variant], suite: &Suite, source: &FileText<'_>) -> Result<(), Problem> {
        self.check_numbers(source)?;
        if let Some(Variant { name, .. }) = variants.iter().find(|variant| variant.has_share()) {
            let message =
                format!("a match needs a size in bytes or entries, not a share of a working set (variant \"{name}\")");
            return Err(source.invalid("table.size", message));
        }
        let is_finished = |item: &&Item| crate::chess::ending::ending(&opening_position(item), &[]).is_some();
        let finished_games: Vec<&str> = suite.items.iter().filter(is_finished).map(|item| item.id.as_str()).collect();
        match finished_games[..] {
            [] => Ok(()),
            [id] => Err(source.invalid("suite", format!("{id}: the game is over before it begins"))),
            _ => {
                let (count, names) = (finished_games.len(), list_quoted(finished_games));
                Err(source.invalid("suite", format!("{count} games are over before they begin: {names}")))
            }
        }
    }
}

impl Reference {
    /// Refuses values that are out of range or conflict with the rest of the file.
    pub(super) fn check(
        &self,
        file: &File,
        variants: &[Variant],
        baseline: usize,
        source: &FileText<'_>,
    ) -> Result<(), Problem> {
        let Some(search) = &self.own_search else {
            if self.uci.is_none() {
                let message = "has no judge: give uci = \"ENGINE\" with a limit to judge moves, or self = { nodes = \
                    600_000 } to judge scores";
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
        let has_limit = self.limit != Limit::default();
        for (is_given, path) in
            [(self.uci.is_some(), "uci"), (!self.options.is_empty(), "options"), (has_limit, "limit")]
        {
            if is_given {
                let message = "is not allowed with `self`: the baseline's own engine judges the scores, with the nodes and options of `self`";
                return Err(source.invalid(&format!("reference.{path}"), message));
            }
        }
        let refuse = |message: String| Err(source.invalid("reference.self", message));
        if file.sequence.as_ref().is_some_and(|sequence| sequence.self_play > 0) {
            return refuse(
                "needs positions that all variants search, but in self-play each variant reaches different ones"
                    .to_owned(),
            );
        }
        if variants[baseline].builtin().is_some() && !search.options.is_empty() {
            return refuse(
                "options: these apply only to external engines, and ttlab's own judge has an unbounded table: \
                 remove them"
                    .to_owned(),
            );
        }
        for variant in variants {
            let name = &variant.name;
            let nodes = variant.limit.nodes.filter(|_| variant.limit.depth.is_none());
            let Some(nodes) = nodes else {
                return refuse(format!(
                    "score errors need a limit of nodes alone: \"{name}\" needs limit = {{ nodes = 20000 }}"
                ));
            };
            if search.nodes <= nodes {
                return refuse(format!(
                    "nodes: {} is too small: expected far more than the {nodes} nodes of \"{name}\"",
                    search.nodes
                ));
            }
            if variant.builtin().is_some() != variants[baseline].builtin().is_some() {
                let baseline_name = &variants[baseline].name;
                return refuse(format!(
                    "scores are judged by the engine of \"{baseline_name}\", but \"{name}\" is another engine"
                ));
            }
        }
        Ok(())
    }
}

/// Keys that exclude each other. Each line has two such keys, a colon, and the error message. The
/// message begins with the key at which the error is shown.
const CONFLICTS: &str = "\
suite suites: suites: `suite` is given too: give one suite, or several by name
suites trace: trace: a trace has its own games: it is not allowed with `suites`
suites match: match: a match takes its openings from one `suite`: it is not allowed with `suites`
suites tune: tune: candidates are raced on one `suite`: it is not allowed with `suites`
suite trace: trace: suite and [trace] are mutually exclusive: searches need a suite, a replay needs a trace
trace sequence: sequence: a trace has its own games
trace seeds: seeds: a trace has its own keys: every seed would replay the same
trace schedules: schedules: a trace is replayed without searchers: give schedules = 1
trace reference.self: reference.self: needs searches, but a trace is only replayed
match tune: tune: is not allowed with [match]: a race drops variants after a few positions, but games would need thousands for each: tune by nodes, then let the best variants play
match trace: trace: is not allowed with [match]: a match plays games and searches no positions of the suite
match sequence: sequence: is not allowed with [match]: a match plays games and searches no positions of the suite
match reference: reference: is not allowed with [match]: a match plays games and searches no positions of the suite
match repeats: repeats: a repeat plays the same games again: add openings for more games
match seeds: seeds: all seeds of a variant would play the same openings: add openings for more games (or make other keys variants: \"keys.seed\" = [1, 2, 3] in [grid])
match schedules: schedules: all schedules of a variant would play the same openings: add openings for more games (or make other schedules variants: \"threads.seed\" = [1, 2, 3] in [grid])
confirm match: confirm: is not allowed with [match]: [confirm] plays games among variants that were searched
confirm trace: confirm: is not allowed with [trace]: [confirm] plays games among variants that were searched";

/// Refuses a file that gives two keys that exclude each other. If there are several such pairs of
/// keys, the error is the message of the pair that is listed first in [`CONFLICTS`].
pub(super) fn check_conflicts(file: &File, source: &FileText<'_>) -> Result<(), Problem> {
    let is_given = |key: &str| match key {
        "suite" => file.suite.is_some(),
        "suites" => file.suites.is_some(),
        "trace" => file.trace.is_some(),
        "match" => file.games.is_some(),
        "tune" => file.tune.is_some(),
        "confirm" => file.confirm.is_some(),
        "sequence" => file.sequence.is_some(),
        "reference" => file.reference.is_some(),
        "reference.self" => file.reference.as_ref().is_some_and(|reference| reference.own_search.is_some()),
        "repeats" => file.repeats > 1,
        "schedules" => file.schedules > 1,
        _seeds => file.seeds > 1,
    };
    let mut conflicts = CONFLICTS.lines().filter_map(|line| line.split_once(": "));
    let Some((_, message)) = conflicts.find(|(keys, _)| keys.split(' ').all(is_given)) else { return Ok(()) };
    // The message begins with the key at which the error is shown.
    let place = message.split(':').next().unwrap_or_default();
    Err(source.problem_at(place, message))
}

/// Refuses invalid names of suites, and limits that are given both for all suites and for one.
pub(super) fn check_suites(file: &File, source: &FileText<'_>) -> Result<(), Problem> {
    let Some(SuiteEntries(entries)) = &file.suites else { return Ok(()) };
    if entries.is_empty() {
        return Err(source.invalid("suites", "expected at least one suite: { NAME = { file = \"FILE\" } }"));
    }
    for (name, entry) in entries {
        let place = format!("suites.{name}");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(source.invalid(&place, format!("`{name}` is not a valid name: expected letters, digits, - _")));
        }
        for (key, own_limit, has_common_limit) in [
            ("depth", entry.depth.map(u64::from), file.limit.depth.is_some()),
            ("nodes", entry.nodes, file.limit.nodes.or(file.limit.ticks).is_some()),
        ] {
            let place = format!("{place}.{key}");
            source.check_range(&place, 0, own_limit != Some(0), "at least 1")?;
            if own_limit.is_some() && has_common_limit {
                let message = format!("`limit` already gives {key} for all suites: give {key} in only one place");
                return Err(source.invalid(&place, message));
            }
        }
    }
    Ok(())
}
