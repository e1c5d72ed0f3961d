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
use crate::table::options::Clear;

impl Confirm {
    /// Refuses values that are out of range or conflict with the rest of the file.
    fn check(&self, file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
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
        let is_kept = |variant: &&Variant| {
            let clear = variant.builtin().map(|options| options.table.clear);
            matches!(clear, Some(Clear::Game | Clear::Never))
        };
        if let Some(Variant { name, .. }) = variants.iter().find(is_kept).filter(|_| file.sequence.is_none()) {
            let message = format!(
                "\"{name}\" keeps its table from move to move in games, so search along games too: give sequence = {{ \
                 from = 17, to = 48, side = \"white\" }} for games, or {{ self_play = 16 }} for positions"
            );
            return Err(source.invalid("confirm", message));
        }
        if self.limit == Limit::default() {
            return Err(source.invalid("confirm.limit", "missing: give limit = { nodes = 20000 }"));
        }
        source.check_range("confirm.first", self.first, self.first >= 30, "at least 30")?;
        source.check_range("confirm.budget", self.budget, self.budget >= self.first, "at least `first`")
    }
}

impl Match {
    /// Refuses values that are out of range or conflict with the rest of the file.
    fn check(&self, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
        self.check_numbers(source)?;
        if let Some(Variant { name, .. }) = variants.iter().find(|variant| variant.has_share()) {
            let message =
                format!("a match needs a size in bytes or entries, not a share of a working set (variant \"{name}\")");
            return Err(source.invalid("table.size", message));
        }
        Ok(())
    }

    /// Refuses openings that are already finished games.
    pub(super) fn check_openings(suite: &Suite, source: &FileText<'_>) -> Result<(), Problem> {
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
    fn check(&self, file: &File, variants: &[Variant], baseline: usize, source: &FileText<'_>) -> Result<(), Problem> {
        let mut names = std::collections::HashSet::new();
        if let Some(name) = self.judge_options().keys().find(|name| !names.insert(name.to_ascii_lowercase())) {
            return Err(source.invalid("reference", format!("sets the option {name} a second time: set it once")));
        }
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

/// A key of the file, and whether the file gives it.
type Key = (&'static str, fn(&File) -> bool);

const SUITE: Key = ("suite", |file| file.suite.is_some());
const SUITES: Key = ("suites", |file| file.suites.is_some());
const TRACE: Key = ("trace", |file| file.trace.is_some());
const MATCH: Key = ("match", |file| file.games.is_some());
const TUNE: Key = ("tune", |file| file.tune.is_some());
const CONFIRM: Key = ("confirm", |file| file.confirm.is_some());
const SEQUENCE: Key = ("sequence", |file| file.sequence.is_some());
const REFERENCE: Key = ("reference", |file| file.reference.is_some());
const SELF: Key = ("reference.self", |file| file.reference.as_ref().is_some_and(|given| given.own_search.is_some()));
const REPEATS: Key = ("repeats", |file| file.repeats > 1);
const SEEDS: Key = ("seeds", |file| file.seeds > 1);
const SCHEDULES: Key = ("schedules", |file| file.schedules > 1);

const NO_SEARCH: &str = "is not allowed with [match]: a match plays games and searches no positions of the suite";

/// Pairs of keys that exclude each other, and why. The error is shown at the second key.
const CONFLICTS: &[(Key, Key, &str)] = &[
    (SUITE, SUITES, "`suite` is given too: give one suite, or several by name"),
    (SUITES, TRACE, "a trace has its own games: it is not allowed with `suites`"),
    (SUITES, MATCH, "a match takes its openings from one `suite`: it is not allowed with `suites`"),
    (SUITES, TUNE, "candidates are raced on one `suite`: it is not allowed with `suites`"),
    (SUITE, TRACE, "suite and [trace] are mutually exclusive: searches need a suite, a replay needs a trace"),
    (TRACE, SEQUENCE, "a trace has its own games"),
    (TRACE, SEEDS, "a trace has its own keys: every seed would replay the same"),
    (TRACE, SCHEDULES, "a trace is replayed without searchers: give schedules = 1"),
    (TRACE, SELF, "needs searches, but a trace is only replayed"),
    (
        MATCH,
        TUNE,
        "is not allowed with [match]: a race drops variants after a few positions, but games would need thousands for \
         each: tune by nodes, then let the best variants play",
    ),
    (MATCH, TRACE, NO_SEARCH),
    (MATCH, SEQUENCE, NO_SEARCH),
    (MATCH, REFERENCE, NO_SEARCH),
    (MATCH, REPEATS, "a repeat plays the same games again: add openings for more games"),
    (
        MATCH,
        SEEDS,
        "all seeds of a variant would play the same openings: add openings for more games (or make other keys \
         variants: \"keys.seed\" = [1, 2, 3] in [grid])",
    ),
    (
        MATCH,
        SCHEDULES,
        "all schedules of a variant would play the same openings: add openings for more games (or make other schedules \
         variants: \"threads.seed\" = [1, 2, 3] in [grid])",
    ),
    (MATCH, CONFIRM, "is not allowed with [match]: [confirm] plays games among variants that were searched"),
    (TRACE, CONFIRM, "is not allowed with [trace]: [confirm] plays games among variants that were searched"),
];

/// Refuses a file that gives two keys that exclude each other. If there are several such pairs, the
/// error is that of the first in [`CONFLICTS`].
fn check_conflicts(file: &File, source: &FileText<'_>) -> Result<(), Problem> {
    match CONFLICTS.iter().find(|((_, first), (_, second), _)| first(file) && second(file)) {
        Some((_, (place, _), reason)) => Err(source.invalid(place, reason)),
        None => Ok(()),
    }
}

/// Refuses invalid names of suites, and limits that are given both for all suites and for one.
fn check_suites(file: &File, source: &FileText<'_>) -> Result<(), Problem> {
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
            ("nodes", entry.nodes, file.limit.nodes.is_some()),
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

/// Refuses what needs no variant and no suite to be seen wrong.
pub(super) fn check_file(file: &File, source: &FileText<'_>) -> Result<(), Problem> {
    for (path, count) in
        [("repeats", file.repeats), ("seeds", file.seeds), ("schedules", file.schedules), ("chains", file.chains)]
    {
        source.check_range(path, count, (1..=10_000).contains(&count), "1 to 10000")?;
    }
    let effect = file.smallest_effect;
    source.check_range("smallest_effect", effect, (0.0..1.0).contains(&effect), "at least 0 and below 1")?;
    for (index, pattern) in file.reuse.iter().enumerate() {
        check_folder_pattern(pattern).map_err(|error| source.invalid(&format!("reuse.{index}"), error))?;
    }
    if file.asks_for_times() && !file.reuse.is_empty() {
        let message = "is not allowed with times = true or repeats above 1: times are never taken from other folders";
        return Err(source.invalid("reuse", message));
    }
    source.check_range("first", 0, file.first != Some(0), "at least 1")?;
    check_conflicts(file, source)?;
    check_suites(file, source)?;
    file.tune.as_ref().map_or(Ok(()), |tune| tune.check(source))
}

/// Checks a pattern of folders. `**` would search all folders below.
pub fn check_folder_pattern(pattern: &str) -> Result<(), String> {
    if pattern.contains("**") {
        return Err("`**` is not allowed: write one `*` for each level of folders".to_owned());
    }
    glob::Pattern::new(pattern).map(drop).map_err(|error| error.to_string())
}

/// Refuses variants that do not fit the sections of the file.
pub(super) fn check_variants(
    file: &File,
    variants: &[Variant],
    baseline: usize,
    source: &FileText<'_>,
) -> Result<(), Problem> {
    if let Some(games) = &file.games {
        games.check(variants, source)?;
    }
    if let Some(reference) = &file.reference {
        reference.check(file, variants, baseline, source)?;
    }
    if let Some(confirm) = &file.confirm {
        confirm.check(file, variants, source)?;
    }
    if file.seeds > 1 && variants.iter().any(|variant| variant.external().is_some()) {
        return Err(source.invalid("seeds", "an external engine has no key seeds: give seeds = 1"));
    }
    let threads = || variants.iter().filter_map(Variant::builtin).map(|options| &options.threads);
    if (file.games.is_some() || file.tune.is_some() || (SELF.1)(file)) && threads().any(|threads| threads.is_real()) {
        let message = "\"real\" makes searches that do not repeat, but games, races and score errors must be \
                       repeatable: expected \"virtual\"";
        return Err(source.invalid("threads.kind", message));
    }
    if file.schedules > 1 && file.seeds > 1 {
        let message = "is not allowed beside seeds: give the seeds as variants (\"keys.seed\" = [1, 2, 3] in [grid])";
        return Err(source.invalid("schedules", message));
    }
    if file.schedules > 1 && !threads().any(|threads| threads.uses_seed()) {
        let message = "no variant has a schedule that depends on a seed: give one threads.count above 1 and \
                       threads.schedule = \"random\" or threads.helpers = \"shuffle\"";
        return Err(source.invalid("schedules", message));
    }
    Ok(())
}
