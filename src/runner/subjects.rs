//! Finds, identifies and tests the external engines of a plan before the first search.

use super::RunError;
use crate::chess::{Board, EpRule};
use crate::engine::options::Diagnostics;
use crate::engine::{Engine, EngineOptions, Limit};
use crate::experiment::problem::nearest;
use crate::experiment::{Expect, Experiment, Plan};
use crate::record::diagnosis::Diagnosis;
use crate::record::manifest::EngineInfo;
use crate::subject::options::{OptionValue, SubjectOptions, hash_size};
use crate::subject::protocol::{OptionError, OptionKind, UciOption, check_option};
use crate::subject::{
    EngineIdentity, Launch, LimitSupport, ProbeResult, Program, Repeatability, Restart, Subject, TABLE_OPTION, Uci,
    find_program, probe,
};
use crate::system::available_bytes;
use crate::table::TableKind;
use crate::text::plural;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

/// If a plan has more engines than this, a worker keeps only the process of the engine that it used
/// last.
const MAX_KEPT_ENGINES: usize = 8;

#[derive(Debug, Clone, Default)]
pub struct Subjects {
    /// The engine of each external variant. The key is the variant's index in the plan.
    engines: BTreeMap<usize, ProbedEngine>,
    reference: Option<ProbedEngine>,
    reference_options: EngineOptions,
    pub reference_limit: Limit,
    /// A hash of the reference engine, its options and its limit.
    pub reference_id: String,
}

#[derive(Debug, Clone, Default)]
struct ProbedEngine {
    launch: Launch,
    info: EngineInfo,
    probe: ProbeResult,
    /// The size of the engine's hash table.
    bytes: u64,
}

impl ProbedEngine {
    fn is_exact(&self) -> bool {
        self.info.repeats == Repeatability::Exact.to_string()
    }

    /// Checks that the engine's games are repeatable and do not depend on earlier games. Returns an
    /// error if there is a problem. If the user trusts the engine (`trust = true`), the problem is
    /// recorded in the engine's information instead.
    fn check_repeatability(mut self, subject: &SubjectOptions) -> Result<Self, String> {
        if self.is_exact() {
            return Ok(self);
        }
        let EngineInfo { name, difference, repeats: repeatability, forgets: resets_completely, .. } = &self.info;
        let reason = if difference.is_empty() { repeatability } else { difference };
        let (problem, help) = match (subject.restart, *resets_completely) {
            (Restart::Experiment, false) => (
                format!("{name} does not reset completely on `ucinewgame`, so its games depend on earlier ones"),
                "use restart = \"game\" to start a process for each game, or ",
            ),
            _ => (format!("{name} is not repeatable, so its games cannot be reproduced"), ""),
        };
        if !subject.trust {
            return Err(format!(
                "subject: {problem} ({reason})\nhelp: {help}use `[subject] trust = true` to play anyway"
            ));
        }
        let separator = if self.info.trusted.is_empty() { "" } else { "; " };
        self.info.trusted += &format!("{separator}{problem} ({reason})");
        Ok(self)
    }

    /// Creates a client for the engine. Its process is not started before [`Subject::start`].
    fn make_subject(&self) -> Box<dyn Subject> {
        Box::new(Uci::new(self.launch.clone()))
    }
}

/// The engines that this process has already tested. The key is a text that contains everything
/// that the test depends on. The stages of `tune` use the same engines, and thus test each engine
/// only once.
static TESTED: LazyLock<Mutex<HashMap<String, ProbedEngine>>> = LazyLock::new(Mutex::default);

impl Subjects {
    /// Finds, identifies and tests every external engine of a plan. `jobs` is the number of
    /// parallel jobs, which determines how much memory the engines need.
    ///
    /// # Errors
    /// If an engine is missing, does not answer, lacks an option or ignores its limit. Also if the
    /// engines do not fit into memory, or if the run is interrupted.
    pub fn prepare(experiment: &Experiment, plan: &Plan, jobs: usize, stop: &AtomicBool) -> Result<Self, RunError> {
        check_hash_sizes(experiment, plan, jobs)?;
        let mut engines = BTreeMap::new();
        for (index, variant) in plan.variants.iter().enumerate() {
            let Some(subject) = variant.external() else { continue };
            let doctor = subject.doctor.as_ref().map(|file| experiment.folder.join(file));
            let subject = &SubjectOptions { doctor, ..subject.clone() };
            let subject_error = |message: String| RunError::Subject(format!("variant \"{}\": {message}", variant.name));
            let program = find_program(&subject.uci, &experiment.folder)
                .map_err(|message| subject_error(format!("subject.uci: {message}")))?;
            let limit = plan.limit(index, 0);
            let items = experiment.suite.items.iter().enumerate();
            let items = items.filter(|(item, _)| plan.limit(index, *item) == limit);
            let positions: Vec<Board> = items.map(|(_, item)| item.board).collect();
            let fens: Vec<String> = positions.iter().map(|board| board.fen(EpRule::Legal)).collect();
            let key = format!("{program:?} {subject:?} {limit:?} {fens:?}");
            let cached = super::lock(&TESTED).get(&key).cloned();
            let engine = match cached {
                Some(engine) => engine,
                None => identify_and_test(limit, subject, &program, &positions, stop)
                    .map_err(subject_error)?
                    .ok_or(RunError::Interrupted)?,
            };
            super::lock(&TESTED).insert(key, engine.clone());
            let engine =
                if plan.is_match() { engine.check_repeatability(subject).map_err(subject_error)? } else { engine };
            engines.insert(index, engine);
        }
        let only_reference = Self::prepare_reference(experiment, stop)?;
        Ok(Self { engines, ..only_reference })
    }

    /// Finds and identifies the reference engine. The returned value contains no other engine.
    fn prepare_reference(experiment: &Experiment, stop: &AtomicBool) -> Result<Self, RunError> {
        let Some(section) = &experiment.file.reference else { return Ok(Self::default()) };
        let mut options = EngineOptions::default();
        let (subject, limit) = match &section.own_search {
            // The reference is the baseline itself, with a larger limit.
            Some(own_search) => {
                let baseline = &experiment.variants[experiment.baseline];
                let mut subject = baseline.external().cloned().unwrap_or_default();
                subject.options.retain(|name, _| !own_search.options.keys().any(|own| own.eq_ignore_ascii_case(name)));
                subject.options.extend(own_search.options.clone());
                if let Some(baseline_options) = baseline.builtin() {
                    options = EngineOptions { diagnostics: Diagnostics::default(), ..baseline_options.clone() };
                    options.table.kind = TableKind::Unbounded;
                }
                (subject, Limit { depth: None, nodes: Some(own_search.nodes) })
            }
            None => {
                let uci = section.uci.clone().unwrap_or_default();
                let subject = SubjectOptions { uci, options: section.options.clone(), ..SubjectOptions::default() };
                (subject, section.limit)
            }
        };
        let reference_error = |message: String| RunError::Subject(format!("reference: {message}"));
        if limit == Limit::default() {
            return Err(reference_error(
                "limit: missing: give limit = { depth = 20 } or { nodes = 1000000 }".to_owned(),
            ));
        }
        let (reference, identity) = if subject.is_builtin() {
            let options = serde_json::to_string(&options).unwrap_or_default();
            (None, format!("{} {options}", super::build().searches))
        } else {
            let program = find_program(&subject.uci, &experiment.folder)
                .map_err(|message| reference_error(format!("uci: {message}")))?;
            let engine = identify_and_test(limit, &subject, &program, &[], stop)
                .map_err(reference_error)?
                .ok_or(RunError::Interrupted)?;
            let identity = format!("{} {:?}", engine.info.identity(), subject.restart);
            (Some(engine), identity)
        };
        let id_hash = Sha256::digest(format!("{identity} {limit:?}").as_bytes());
        Ok(Self {
            reference,
            reference_options: options,
            reference_limit: limit,
            reference_id: id_hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
            ..Self::default()
        })
    }

    pub fn make_reference(&self) -> Result<Box<dyn Subject>, String> {
        match &self.reference {
            Some(engine) => Ok(engine.make_subject()),
            None => Ok(Box::new(Engine::new(&self.reference_options, None).map_err(|error| error.to_string())?)),
        }
    }

    /// Creates the engine of a variant. Returns `None` if the variant uses the built-in engine.
    pub fn make_engine(&self, variant: usize) -> Option<Box<dyn Subject>> {
        self.engines.get(&variant).map(ProbedEngine::make_subject)
    }

    /// Whether a worker keeps a process of every engine running. If there are too many engines for
    /// this, the worker keeps only the process of the engine that it used last.
    pub fn all_fit_in_cache(&self) -> bool {
        self.engines.len() <= MAX_KEPT_ENGINES
    }

    pub fn repeatability(&self, variant: usize) -> String {
        let engine = self.engines.get(&variant).map(|engine| engine.info.repeats.clone());
        engine.unwrap_or_else(|| Repeatability::Exact.to_string())
    }

    /// Whether the counts of a variant depend on what its process has searched before.
    pub fn depends_on_history(&self, variant: usize) -> bool {
        self.engines.get(&variant).is_some_and(|engine| !engine.info.forgets)
    }

    /// The key is the variant's name.
    pub fn engine_infos(&self, plan: &Plan) -> BTreeMap<String, EngineInfo> {
        let named_info =
            |(index, engine): (&usize, &ProbedEngine)| (plan.variants[*index].name.clone(), engine.info.clone());
        self.engines.iter().map(named_info).collect()
    }

    /// Describes each engine in one line for the user: whether its counts are repeatable, whether
    /// it respects limits, and what restrictions it has. Then a line for each finding of the trial
    /// that concerns the experiment.
    pub fn describe(&self, plan: &Plan) -> Vec<String> {
        let describe_engine = |(&index, engine): (&usize, &ProbedEngine)| {
            let EngineInfo { name, repeats, forgets: resets, go_depth, go_nodes, .. } = &engine.info;
            let optional_part =
                |text: &str, value: &str| if value.is_empty() { String::new() } else { format!("; {text}{value}") };
            let parts = [
                optional_part("go nodes ", go_nodes),
                optional_part("difference: ", &engine.info.difference),
                optional_part(
                    "",
                    if *resets { "" } else { "`ucinewgame` does not fully reset the engine: try restart = \"game\"" },
                ),
                optional_part("trusted although ", &engine.info.trusted),
            ];
            let variant = &plan.variants[index].name;
            format!("\"{variant}\": {name}: counts {repeats}; go depth {go_depth}{}", parts.concat())
        };
        let mut variants_by_note: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (&index, engine) in &self.engines {
            let name = format!("\"{}\"", plan.variants[index].name);
            engine.probe.notes.iter().for_each(|note| variants_by_note.entry(note).or_default().push(name.clone()));
        }
        let notes = variants_by_note.iter().map(|(note, names)| format!("{}: {note}", names.join(" and ")));
        self.engines.iter().map(describe_engine).chain(notes).chain(self.describe_equal_counts(plan)).collect()
    }

    /// Variants of one engine whose options differ, but none of whose trial searches do.
    fn describe_equal_counts(&self, plan: &Plan) -> Vec<String> {
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (&index, ProbedEngine { info, probe, .. }) in &self.engines {
            let nodes: Option<Vec<u64>> = probe.reports.iter().map(|report| report.nodes).collect();
            if let Some(nodes) = nodes.filter(|nodes| !nodes.is_empty()) {
                groups.entry((&info.sha256, &info.arguments, nodes)).or_default().push(index);
            }
        }
        let options = |index: usize| &self.engines[&index].info.options;
        groups.retain(|_, group| group.windows(2).any(|pair| options(pair[0]) != options(pair[1])));
        let describe = |((_, _, nodes), group): (&(_, _, Vec<u64>), &Vec<usize>)| {
            let names: Vec<String> = group.iter().map(|index| format!("\"{}\"", plan.variants[*index].name)).collect();
            let reports = group.iter().flat_map(|index| &self.engines[index].probe.reports);
            let fullest = reports.filter_map(|report| report.hashfull).max();
            let fullest = fullest.map(|fullest| format!(" (hashfull up to {fullest})")).unwrap_or_default();
            format!(
                "{} searched the same nodes in all {} trial searches{fullest}: the engine may round or ignore the \
                 option, or the searches are too short to show it",
                names.join(" and "),
                nodes.len()
            )
        };
        groups.iter().map(describe).collect()
    }

    pub fn repeatability_warnings(&self, plan: &Plan) -> Vec<String> {
        let warn = |(&index, engine): (&usize, &ProbedEngine)| {
            let (name, repeatability) = (&plan.variants[index].name, &engine.info.repeats);
            format!("\"{name}\": counts {repeatability}: another run may lead to other decisions")
        };
        self.engines.iter().filter(|(_, engine)| !engine.is_exact()).map(warn).collect()
    }

    /// There is a warning for each exact node count that the experiment file expects of such an
    /// engine.
    pub fn expectation_warnings(&self, experiment: &Experiment, plan: &Plan) -> Vec<String> {
        let mut warnings = Vec::new();
        for (&index, engine) in self.engines.iter().filter(|(_, engine)| !engine.is_exact()) {
            let (variant, repeatability) = (&plan.variants[index], &engine.info.repeats);
            let columns = crate::experiment::variant::option_columns(variant);
            let can_match = |path: &str, required: &str| match path {
                "variant" => required == variant.name,
                _ => columns.iter().all(|(column, value)| column != path || value == required),
            };
            let applies =
                |expect: &Expect| expect.filter.iter().all(|(path, required)| can_match(path, &required.to_string()));
            for expect in experiment.file.expect.iter().filter(|expect| applies(expect)) {
                let metrics = expect.figures.iter().filter(|(_, figure)| figure.is_exact()).map(|(metric, _)| metric);
                warnings.extend(metrics.filter(|metric| metric.ends_with("nodes")).map(|metric| {
                    let name = &variant.name;
                    format!("expect.{metric}: exact counts expected of \"{name}\", but its counts are {repeatability}")
                }));
            }
        }
        warnings
    }

    /// Checks that the engines fit into the free memory if `jobs` jobs run in parallel.
    pub fn check_memory(&self, plan: &Plan, jobs: usize) -> Result<(), RunError> {
        let engines =
            self.engines.iter().map(|(&index, engine)| (plan.variants[index].name.as_str(), engine.bytes)).collect();
        check_engines_fit(engines, jobs)?;
        // The reference runs after the other engines have ended.
        check_engines_fit(self.reference.iter().map(|engine| ("[reference]", engine.bytes)).collect(), jobs)
    }
}

/// Checks that the hash tables whose sizes are set in the experiment file fit into the free memory
/// if `jobs` jobs run in parallel. This is checked before any engine is started, because an engine
/// that is tested allocates its hash table.
fn check_hash_sizes(experiment: &Experiment, plan: &Plan, jobs: usize) -> Result<(), RunError> {
    let hash_bytes = |options: &BTreeMap<String, OptionValue>| {
        let (_, mebibytes) = hash_size(options)?;
        Some(u64::try_from(mebibytes).unwrap_or(0).saturating_mul(1 << 20))
    };
    let engines = plan
        .variants
        .iter()
        .filter_map(|variant| Some((variant.name.as_str(), hash_bytes(&variant.external()?.options)?)));
    check_engines_fit(engines.collect(), jobs)?;
    let bytes = experiment.file.reference.as_ref().and_then(|reference| hash_bytes(reference.judge_options()));
    check_engines_fit(bytes.map(|bytes| ("[reference]", bytes)).into_iter().collect(), jobs)
}

/// Checks that the hash tables of the engines fit into the free memory if `jobs` jobs run in
/// parallel. `engines` lists the name of each engine and the bytes of its hash table. Each job
/// keeps a process of every engine, but only one process at a time if there are more engines than
/// [`MAX_KEPT_ENGINES`].
fn check_engines_fit(engines: Vec<(&str, u64)>, jobs: usize) -> Result<(), RunError> {
    let Some(available) = available_bytes() else { return Ok(()) };
    let sizes = engines.iter().map(|(_, bytes)| *bytes);
    let job_bytes =
        if engines.len() <= MAX_KEPT_ENGINES { sizes.fold(0, u64::saturating_add) } else { sizes.max().unwrap_or(0) };
    let first_name = engines.iter().map(|(name, _)| *name).min().unwrap_or_default();
    let engines_text = format!("{}, the first is \"{first_name}\"", plural(engines.len(), "engine"));
    super::check_jobs_fit(available, jobs, job_bytes, "uci.Hash", &engines_text)
}

/// Starts an engine to read its options, and returns how to start it with those of the experiment.
/// `option_prefix` is put before an option's name in messages.
///
/// # Errors
/// If the engine does not start, lacks an option or does not accept its value.
pub fn identify(subject: &SubjectOptions, program: &Program, option_prefix: &str) -> Result<Launch, String> {
    let launch = Launch {
        restart: subject.restart,
        timeout: subject.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        program: None,
        ..Launch::new(program)
    };
    let mut engine = Uci::new(launch.clone());
    engine.start().map_err(|failure| failure.to_string())?;
    let declared = engine.identity().options.clone();
    engine.quit();
    let options = select_options(&declared, &subject.options, &subject.uci.to_string(), option_prefix)?;
    Ok(Launch { options, ..launch })
}

/// Identifies and tests one engine. Returns `None` if the run is interrupted.
fn identify_and_test(
    limit: Limit,
    subject: &SubjectOptions,
    found: &Program,
    positions: &[Board],
    stop: &AtomicBool,
) -> Result<Option<ProbedEngine>, String> {
    let launch = identify(subject, found, "uci.")?;
    let probed =
        probe(&launch, positions, limit, limit.nodes, subject.trust, stop).map_err(|failure| failure.to_string())?;
    let Some(mut probe) = probed else { return Ok(None) };
    let program = found.clone().without_written_files();
    let name = probe.identity.name.clone();
    let limits = [(limit.depth.is_some(), "depth", &probe.depth), (limit.nodes.is_some(), "nodes", &probe.nodes)];
    let respected_limit = limits.iter().find(|(.., support)| **support == LimitSupport::Yes);
    let hint = respected_limit.map(|(_, name, _)| format!("; it respects limit.{name}")).unwrap_or_default();
    let mut problems = Vec::new();
    for (required, limit_name, support) in limits {
        if let (true, LimitSupport::No(why)) = (required, support) {
            problems.push((format!("limit.{limit_name}"), format!("{name} ignores `go {limit_name}`: {why}{hint}")));
        }
    }
    if !probe.counter_fault.is_empty() {
        problems.push(("subject".to_owned(), format!("{name}: {}", probe.counter_fault)));
    }
    if let (false, Some((place, problem))) = (subject.trust, problems.first()) {
        return Err(format!("{place}: {problem}\nhelp: use `[subject] trust = true` to run it anyway"));
    }
    let options = engine_option_values(&probe.identity);
    let find_option = |name: &str| options.iter().find(|(option, _)| option.eq_ignore_ascii_case(name));
    let number = |name: &str| find_option(name).and_then(|(_, text)| text.parse::<u64>().ok());
    let is_set = |name: &str| launch.options.iter().any(|(option, _)| option.eq_ignore_ascii_case(name));
    // Searches of several threads differ by chance, whatever a new game resets.
    probe.resets_on_new_game |= number("Threads").is_some_and(|threads| threads > 1);
    if let (Some(threads @ 2..), false) = (number("Threads"), is_set("Threads")) {
        probe.notes.push(format!("Threads is {threads} unless it is set: counts of several threads do not repeat"));
    }
    let written = found.files.keys().filter(|argument| !program.files.contains_key(*argument));
    probe.notes.extend(written.map(|argument| format!("{argument} is written by the engine: it is no part of it")));
    let mebibytes = number("Hash").unwrap_or(0);
    let doctor_verdict = match &subject.doctor {
        None => String::new(),
        Some(file) => {
            let mismatch = |why: String| {
                format!("subject.doctor: {}: {why}; make it again with `ttlab doctor -o`", file.display())
            };
            let diagnosis = Diagnosis::read(file).map_err(|why| format!("subject.doctor: {why}"))?;
            diagnosis.check_matches(&program.sha256, &program.arguments, &options).map_err(mismatch)?;
            diagnosis.nodes.word().to_owned()
        }
    };
    let info = EngineInfo {
        program: program.path.display().to_string(),
        arguments: program.arguments.clone(),
        sha256: program.sha256.clone(),
        files: program.files.values().map(|file| (file.path.display().to_string(), file.sha256.clone())).collect(),
        name,
        author: probe.identity.author.clone(),
        banner: probe.identity.banner.clone(),
        options,
        doctor: doctor_verdict,
        repeats: probe.repeatability.to_string(),
        difference: probe.difference.clone().unwrap_or_default(),
        trusted: problems.into_iter().map(|(_, problem)| problem).collect::<Vec<_>>().join("; "),
        forgets: probe.resets_on_new_game,
        go_depth: probe.depth.to_string(),
        go_nodes: probe.nodes.to_string(),
    };
    Ok(Some(ProbedEngine { launch: Launch { program: Some(program), ..launch }, info, probe, bytes: mebibytes << 20 }))
}

/// An option that the engine lacks is left out if the engine behaves as required without this
/// option. In messages, `engine_name` names the engine, and `option_prefix` is put before the
/// option's name.
///
/// # Errors
/// If the engine lacks an option or does not accept its value. The message names the first such
/// option, and the most similar name or value that is valid.
fn select_options<'a>(
    declared_options: &[UciOption],
    required_options: impl IntoIterator<Item = (&'a String, &'a OptionValue)>,
    engine_name: &str,
    option_prefix: &str,
) -> Result<Vec<(String, OptionValue)>, String> {
    let mut selected_options = Vec::new();
    for (name, value) in required_options {
        let (problem, wrong_text, choices) = match check_option(declared_options, name, value) {
            Ok(_) => {
                selected_options.push((name.clone(), value.clone()));
                continue;
            }
            Err(OptionError::Unknown(_)) if is_default_behaviour(name, &value.to_string()) => continue,
            Err(OptionError::Unknown(_)) if name == TABLE_OPTION => {
                return Err(format!(
                    "table: {engine_name} has no option `{TABLE_OPTION}`, so it has a table of its own: expected an engine linked with \
                     ttlab's table (docs/closed-loop.md), or its options as \"uci.NAME\""
                ));
            }
            Err(OptionError::Unknown(names)) => (format!("{engine_name} has no such option"), name.clone(), names),
            Err(OptionError::Value { expected, choices }) => {
                let found = if let OptionValue::Text(text) = value { format!("\"{text}\"") } else { value.to_string() };
                (format!("expected {expected}, found {found}"), value.to_string(), choices)
            }
        };
        let hint = nearest(&wrong_text, choices.iter().map(String::as_str)).map(|hint| format!(": {hint}"));
        return Err(format!("{option_prefix}{name}: {problem}{}", hint.unwrap_or_default()));
    }
    Ok(selected_options)
}

/// The value of an option is the value that was set, or the default if none was set.
pub fn engine_option_values(identity: &EngineIdentity) -> BTreeMap<String, String> {
    let options = identity.options.iter().filter(|option| option.kind != OptionKind::Button);
    let current_value = |option: &UciOption| {
        let applied_option = identity.applied.iter().find(|(name, _)| name.eq_ignore_ascii_case(&option.name));
        applied_option.map_or_else(|| option.default.clone(), |(_, value)| value.clone())
    };
    options.map(|option| (option.name.clone(), current_value(option))).collect()
}

/// Whether an engine that lacks the option `name` behaves as if the option had this value. For
/// example, an engine without `OwnBook` uses no book.
fn is_default_behaviour(name: &str, value: &str) -> bool {
    let is_default = |option: &str, default: &str| name.eq_ignore_ascii_case(option) && value == default;
    is_default("OwnBook", "false") || is_default("Ponder", "false") || is_default("Threads", "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_option_is_accepted_if_the_engine_behaves_so_anyway() {
        for (name, value, expected) in [
            ("OwnBook", "false", true),
            ("ownbook", "false", true),
            ("OwnBook", "true", false),
            ("Ponder", "false", true),
            ("Ponder", "true", false),
            ("Threads", "1", true),
            ("Threads", "2", false),
            ("Hash", "1", false),
        ] {
            assert_eq!(is_default_behaviour(name, value), expected, "{name} {value}");
        }
    }

    /// A worker keeps the processes of up to eight engines. With more engines, it keeps only one
    /// process at a time.
    #[test]
    fn engines_fit_counts_up_to_eight_engines_per_worker() {
        let Some(free) = available_bytes() else { return };
        let check_many = |count: usize, bytes: u64, jobs: usize| {
            check_engines_fit(vec![("x", bytes); count], jobs).map_err(|error| error.to_string())
        };
        assert!(check_many(8, 1, 1).is_ok());
        assert!(check_many(0, 0, 9).is_ok());
        assert!(check_many(8, free / 4, 1).is_err());
        assert!(check_many(9, free / 4, 1).is_ok());
        assert!(check_many(1, free / 4, 1).is_ok());
        let message = check_many(2, free / 3, 4).err().unwrap_or_default();
        assert!(message.starts_with("uci.Hash: 4 jobs x "), "{message}");
        assert!(message.ends_with(": use --jobs 1"), "{message}");
        assert!(check_many(1, free * 4, 1).is_err_and(|message| message.ends_with("of free memory")));
        // The message names the first engine in alphabetical order.
        let message =
            check_engines_fit(vec![("b", free), ("a", free / 2), ("c", 1)], 1).map_err(|error| error.to_string());
        assert!(message.is_err_and(|message| message.contains(" (3 engines, the first is \"a\") need more than ")));
    }

    #[test]
    fn all_fit_in_cache_up_to_eight_engines() {
        let engine = ProbedEngine::default();
        let subjects = |count: usize| Subjects {
            engines: (0..count).map(|index| (index, engine.clone())).collect(),
            ..Subjects::default()
        };
        assert_eq!([0, 8, 9].map(|count| subjects(count).all_fit_in_cache()), [true, true, false]);
    }

    /// The program does not exist, so the check must come before it is started.
    #[test]
    fn prepare_checks_memory_before_starting_an_engine() {
        if available_bytes().is_none() {
            return;
        }
        for (section, expected) in [
            ("[subject]\nuci = 'no such'\noptions = { hash = 4294967296 }\n", "(1 engine, the first is "),
            (
                "[reference]\nuci = 'no such'\noptions = { HASH = 4294967296 }\nlimit = { depth = 4 }\n",
                "(1 engine, the first is \"[reference]\") ",
            ),
            ("[subject]\nuci = 'no such'\noptions = { Hash = -1 }\n", "no program `no such` on the PATH"),
        ] {
            let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 4 }}\n{section}");
            let experiment = Experiment::parse(&text, std::path::Path::new("x.toml"), &[])
                .unwrap_or_else(|problem| panic!("{problem}"));
            let result = Subjects::prepare(&experiment, &Plan::new(&experiment), 2, &AtomicBool::new(false));
            let message = result.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.contains(expected), "{message}");
            let has_valid_hash = !section.contains("-1");
            let is_memory_error = message.starts_with("uci.Hash: 2 jobs x 4294967296 MiB ");
            assert_eq!(is_memory_error, has_valid_hash, "{message}");
        }
    }

    #[test]
    fn prepare_reports_support_of_each_limit() {
        let script = |answer: &str| {
            format!(
                "while read -r line; do case \"$line\" in uci) echo id name Half; echo uciok;; isready) echo readyok;; go*) {answer}; echo bestmove e2e4;; quit) exit;; esac; done"
            )
        };
        for (answer, limit, expected) in [
            ("echo info depth 4 nodes 5", "depth = 4", ["respected", ""]),
            (
                "echo info depth 9 nodes 9",
                "nodes = 9",
                ["not respected: it searched to depth 9 (limit 4) and had to be stopped", "respected"],
            ),
        ] {
            let text = format!(
                "suite = {{ startpos = true }}\nlimit = {{ {limit} }}\n[subject]\nuci = ['/bin/sh', '-c', '{}']\n",
                script(answer)
            );
            let experiment = Experiment::parse(&text, std::path::Path::new("x.toml"), &[])
                .unwrap_or_else(|problem| panic!("{problem}"));
            let result = Subjects::prepare(&experiment, &Plan::new(&experiment), 1, &AtomicBool::new(false));
            let subjects = result.unwrap_or_else(|error| panic!("{error}"));
            let Some(ProbedEngine { info, .. }) = subjects.engines.get(&0) else { panic!("the engine was not tested") };
            assert_eq!([info.go_depth.as_str(), info.go_nodes.as_str()], expected);
        }
    }

    #[test]
    fn exact_expectations_of_unrepeatable_counts_are_reported() {
        let text = "suite = { startpos = true }\nlimit = { depth = 4 }\n[subject]\nuci = 'x'\n[[variant]]\nname = 'one'\n'uci.Hash' = 1\n[[variant]]\nname = 'two'\n\
            'uci.Hash' = 2\n[[variant]]\nname = 'sure'\n'uci.Hash' = 3\n[[expect]]\nwhere = { 'uci.Hash' = 1 }\nnodes = 3\n[[expect]]\nwhere = { variant = 'two' }\n\
            nodes = { by_depth = [3] }\nevals = 3\n[[expect]]\nwhere = { variant = 'sure' }\nnodes = 3\n[[expect]]\nnodes = { min = 3 }\n";
        let experiment =
            Experiment::parse(text, std::path::Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let engine = |index: usize| {
            let repeats = if index < 2 { Repeatability::NotRepeatable } else { Repeatability::Exact }.to_string();
            let info = EngineInfo { repeats, ..EngineInfo::default() };
            (index, ProbedEngine { info, ..ProbedEngine::default() })
        };
        let subjects = Subjects { engines: [0, 1, 2].map(engine).into(), ..Subjects::default() };
        let warning = |name: &str| {
            format!("expect.nodes: exact counts expected of \"{name}\", but its counts are not repeatable")
        };
        assert_eq!(
            subjects.expectation_warnings(&experiment, &Plan::new(&experiment)),
            [warning("one"), warning("two")]
        );
    }

    /// Values that the experiment sets replace the declared defaults, also when the hash table's
    /// memory is computed.
    #[test]
    fn prepare_prefers_set_values_to_declared_ones() {
        let script = "while read -r line; do case \"$line\" in uci) echo id name Probe; echo id author Somebody; echo option name Hash type spin default 16 min 1 max 64; \
                      echo option name Style type string default plain; echo option name Clear type button; echo uciok;; isready) echo readyok;; \
                      go*) d=${line#go depth }; echo info depth $d nodes 20000; echo bestmove e2e4;; quit) exit;; esac; done";
        for (options, mebibytes, set) in [
            ("", 16, ["16", "plain"]),
            ("options = { hash = 8 }", 8, ["8", "plain"]),
            ("options = { Style = 'wild', Hash = 40 }", 40, ["40", "wild"]),
        ] {
            let text = format!(
                "suite = {{ startpos = true }}\nlimit = {{ depth = 4 }}\n[subject]\nuci = ['/bin/sh', '-c', '{script}']\n{options}\n"
            );
            let experiment = Experiment::parse(&text, std::path::Path::new("x.toml"), &[])
                .unwrap_or_else(|problem| panic!("{problem}"));
            let plan = Plan::new(&experiment);
            let subjects = Subjects::prepare(&experiment, &plan, 1, &AtomicBool::new(false))
                .unwrap_or_else(|error| panic!("{error}"));
            let Some(ProbedEngine { bytes, info, .. }) = subjects.engines.get(&0) else {
                panic!("the engine was not tested")
            };
            assert_eq!(*bytes, mebibytes << 20, "{options}");
            let declared: Vec<(&str, &str)> =
                info.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(declared, [("Hash", set[0]), ("Style", set[1])], "a button has no value");
            assert_eq!(
                (
                    info.name.as_str(),
                    info.author.as_str(),
                    info.repeats.as_str(),
                    info.go_depth.as_str(),
                    info.go_nodes.as_str()
                ),
                ("Probe", "Somebody", "exact", "respected", "")
            );
        }
    }
}
