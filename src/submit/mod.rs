//! Creates the scripts that run a plan's shards with Slurm, GNU parallel or GitHub Actions. All
//! functions only compute texts from an [`Request`].

/// The scheduler that runs the shards. Slurm runs them as a job array with a dependent merge job.
/// GNU parallel runs them on one machine, or over ssh. On GitHub, each is a job of a matrix.
#[allow(missing_docs)] // `ttlab submit --help` would show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum System {
    Slurm,
    Parallel,
    Github,
}

/// What a scheduler is requested to run: the plan, and the resources of each shard.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The experiment's name, which becomes the name of the job.
    pub name: String,
    pub shards: u64,
    /// The number of jobs in all shards.
    pub jobs: u64,
    /// The path of ttlab on the machines that run the shards.
    pub ttlab: String,
    /// The path of the plan on those machines. On GitHub it is relative to the repository.
    pub plan: String,
    /// The hash of the plan, in hexadecimal digits.
    pub plan_id: String,
    /// The suites' files, for hosts to which they are copied.
    pub suites: Vec<String>,
    /// The path of the results folder on those machines.
    pub out: String,
    /// The folder for scripts and logs.
    pub folder: String,
    /// The number of processors of a shard, which is also the number of its parallel jobs.
    pub cpus: u16,
    /// The memory of a shard, in MiB.
    pub mebibytes: u64,
    /// The time limit of a shard, in Slurm's format (`24:00:00`).
    pub time: String,
    /// The maximum number of shards that run at the same time. `None` means as many as the
    /// scheduler allows.
    pub max_running: Option<u64>,
    /// Where GNU parallel runs the shards, as in `4/user@host`. If there are none, on this machine.
    pub hosts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The file name, without a folder.
    pub name: &'static str,
    pub text: String,
}

pub fn scripts(system: System, request: &Request) -> (Vec<Script>, String) {
    let folder = quote_for_shell(&request.folder);
    let (templates, command): (&[(&'static str, &str)], String) = match system {
        System::Slurm => (
            &[
                ("array.sbatch", include_str!("templates/array.sbatch")),
                ("merge.sbatch", include_str!("templates/merge.sbatch")),
                ("submit.sh", include_str!("templates/slurm.sh")),
            ],
            format!("sh {folder}/submit.sh"),
        ),
        System::Parallel => {
            let template = match request.hosts.is_empty() {
                true => &[("parallel.sh", include_str!("templates/parallel.sh"))],
                false => &[("parallel.sh", include_str!("templates/ssh.sh"))],
            };
            (template, format!("sh {folder}/parallel.sh"))
        }
        System::Github => {
            let plan = quote_for_shell(&request.plan);
            let workflow = format!(".github/workflows/{}.yml", job_name(&request.name));
            let command = format!(
                "mkdir -p .github/workflows && cp {folder}/ttlab.yml {workflow} && git add -f {workflow} {plan} && \
                 git commit -m ttlab && git push && gh workflow run {}.yml",
                job_name(&request.name)
            );
            (&[("ttlab.yml", include_str!("templates/github.yml"))], command)
        }
    };
    let make_script = |&(name, template): &(&'static str, &str)| Script { name, text: fill(template, system, request) };
    (templates.iter().map(make_script).collect(), command)
}

pub fn check_folder(system: System, request: &Request) -> Result<(), String> {
    if system == System::Slurm && request.folder.contains('\\') {
        return Err(format!(
            "{}: Slurm cannot write logs to a folder with a backslash in its name: choose another folder",
            request.folder
        ));
    }
    Ok(())
}

pub fn quote_for_shell(word: &str) -> String {
    let needs_no_quotes = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    if !word.is_empty() && word.chars().all(needs_no_quotes) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The name has at most 50 characters, which are lower-case letters, digits and hyphens.
fn job_name(name: &str) -> String {
    let hyphenated = name.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let first_chars: String = hyphenated.chars().take(44).collect();
    format!("ttlab-{}", first_chars.trim_matches('-')).trim_matches('-').to_owned()
}

/// Replaces the `@NAME@` placeholders of a template. Replacements are quoted for a shell
/// where necessary.
fn fill(template: &str, system: System, request: &Request) -> String {
    let max_running = match (system, request.max_running) {
        (System::Slurm, Some(max_running)) => format!("%{max_running}"),
        (System::Slurm, None) => String::new(),
        (System::Parallel, Some(max_running)) => max_running.to_string(),
        (System::Parallel, None) => "100%".to_owned(),
        // As many as a free account may run.
        (System::Github, limit) => limit.unwrap_or(20).to_string(),
    };
    let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    // What follows `/./` is the path below the working directory of the host.
    let plan_folder = request.plan.strip_suffix(&file_name(&request.plan)).unwrap_or_default();
    let below =
        |path: &String| format!(" --basefile {plan_folder}./{}", path.strip_prefix(plan_folder).unwrap_or(path));
    let basefiles: String = request.suites.iter().chain([&request.plan]).map(below).collect();
    // Slurm replaces patterns such as `%a` in the name of a log. So a percent sign in the name of
    // the folder is doubled.
    let log = |name: &str| format!("{}/{name}", quote_for_shell(&request.folder.replace('%', "%%")));
    let replacements = [
        ("LABEL", job_name(&request.name)),
        ("SHARDS", request.shards.to_string()),
        ("LAST", (request.shards - 1).to_string()),
        ("JOBS", request.jobs.to_string()),
        ("AT_ONCE", max_running),
        ("CPUS", request.cpus.to_string()),
        ("MEBIBYTES", request.mebibytes.to_string()),
        ("TIME", request.time.clone()),
        ("TTLAB", quote_for_shell(&request.ttlab)),
        ("PLAN", quote_for_shell(&request.plan)),
        ("PLAN_NAME", file_name(&request.plan)),
        ("PLAN_ID", request.plan_id.clone()),
        ("VERSION", env!("CARGO_PKG_VERSION").to_owned()),
        ("HOSTS", quote_for_shell(&request.hosts.join(","))),
        ("BASEFILES", basefiles),
        ("TTLAB_NAME", file_name(&request.ttlab)),
        ("TTLAB_FOLDER", request.ttlab.strip_suffix(&file_name(&request.ttlab)).unwrap_or_default().to_owned()),
        ("OUT", quote_for_shell(&request.out)),
        ("LOG_SHARD", log("%a.log")),
        ("LOG_MERGE", log("merge.log")),
        ("FOLDER", quote_for_shell(&request.folder)),
    ];
    let mut text = String::with_capacity(template.len() * 2);
    let mut remaining = template;
    // The template is read only once, so that an `@NAME@` in a replacement is not replaced.
    while let Some((before, after)) = remaining.split_once('@') {
        text.push_str(before);
        let replaced = after.split_once('@').and_then(|(name, after_name)| {
            let (_, replacement) = replacements.iter().find(|(placeholder, _)| *placeholder == name)?;
            Some((replacement.as_str(), after_name))
        });
        // An `@` that does not begin a known placeholder is kept.
        let (replacement, after_replacement) = replaced.unwrap_or(("@", after));
        text.push_str(replacement);
        remaining = after_replacement;
    }
    text + remaining
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            name: "My Sweep".to_owned(),
            shards: 7,
            jobs: 90,
            ttlab: "/opt/tt lab".to_owned(),
            plan: "p@n.json".to_owned(),
            out: "/data/$(OUT)".to_owned(),
            folder: "a%b".to_owned(),
            cpus: 3,
            mebibytes: 512,
            time: "1:00".to_owned(),
            ..Request::default()
        }
    }

    #[test]
    fn fill_replaces_each_placeholder_once_and_quotes_it() {
        let filled = |system: System, template: &str| fill(template, system, &request());
        assert_eq!(
            filled(System::Slurm, "@SHARDS@/@LAST@/@JOBS@/@CPUS@/@MEBIBYTES@/@TIME@/@LABEL@"),
            "7/6/90/3/512/1:00/ttlab-my-sweep"
        );
        assert_eq!(
            filled(System::Slurm, "a@b.c @NOTHING@ @PLAN@ @ @PLAN@@"),
            "a@b.c @NOTHING@ 'p@n.json' @ 'p@n.json'@"
        );
        assert_eq!(filled(System::Parallel, "@TTLAB@ @OUT@"), "'/opt/tt lab' '/data/$(OUT)'");
        assert_eq!(filled(System::Slurm, "@OUT@"), "'/data/$(OUT)'");
        assert_eq!(filled(System::Slurm, "@LOG_SHARD@ @LOG_MERGE@ @FOLDER@"), "'a%%b'/%a.log 'a%%b'/merge.log 'a%b'");
        for (system, unlimited, limited_to_2) in [(System::Slurm, "", "%2"), (System::Parallel, "100%", "2")] {
            let limited_request = Request { max_running: Some(2), ..request() };
            assert_eq!(
                (filled(system, "@AT_ONCE@").as_str(), fill("@AT_ONCE@", system, &limited_request).as_str()),
                (unlimited, limited_to_2),
                "{system:?}"
            );
        }
    }

    #[test]
    fn shell_words_are_quoted_and_labels_are_short() {
        for (word, quoted) in [
            ("", "''"),
            ("a-b_c./=:,+9", "a-b_c./=:,+9"),
            ("a b", "'a b'"),
            ("~", "'~'"),
            ("it's", "'it'\\''s'"),
            ("\u{e4}", "'\u{e4}'"),
        ] {
            assert_eq!(quote_for_shell(word), quoted);
        }
        let long = "x".repeat(60);
        for (name, expected) in [
            ("Quick One", "ttlab-quick-one"),
            ("--a.b--", "ttlab-a-b"),
            ("...", "ttlab"),
            (long.as_str(), &format!("ttlab-{}", "x".repeat(44))),
            ("123456789012345678901234567890123456789012. z", "ttlab-123456789012345678901234567890123456789012"),
        ] {
            assert_eq!(job_name(name), expected);
        }
    }

    #[test]
    fn check_refuses_a_backslash_for_slurm_only() {
        let backslash = Request { folder: "a\\b".to_owned(), ..request() };
        assert_eq!(
            check_folder(System::Slurm, &backslash),
            Err("a\\b: Slurm cannot write logs to a folder with a backslash in its name: choose another folder"
                .to_owned())
        );
        assert_eq!(check_folder(System::Parallel, &backslash), Ok(()));
        let names =
            |system: System| scripts(system, &request()).0.into_iter().map(|script| script.name).collect::<Vec<_>>();
        assert_eq!(names(System::Slurm), ["array.sbatch", "merge.sbatch", "submit.sh"]);
        assert_eq!(names(System::Parallel), ["parallel.sh"]);
        assert_eq!(names(System::Github), ["ttlab.yml"]);
        assert_eq!(scripts(System::Parallel, &request()).1, "sh 'a%b'/parallel.sh");
    }
}
