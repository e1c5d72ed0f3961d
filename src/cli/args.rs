//! Arguments that several commands share.

use super::CommandFailure;
use crate::engine::{EngineOptions, Limit};
use crate::experiment::SKIP_BAD;
use crate::runner::Settings;

/// The arguments that change what an experiment file says.
#[derive(Default, clap::Args)]
pub struct FileArgs {
    /// Override an option in every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,
    /// Skip unreadable or duplicate suite entries, with a warning (as `on_error = "skip"`)
    #[arg(long)]
    pub skip_bad: bool,
}

impl FileArgs {
    /// The settings of the file, among them the one equivalent to `--skip-bad`.
    ///
    /// # Errors
    /// When a path is set twice.
    pub fn settings(&self) -> Result<Vec<String>, CommandFailure> {
        refuse_repeated(&self.overrides)?;
        Ok(self.overrides.iter().cloned().chain(self.skip_bad.then(|| SKIP_BAD.to_owned())).collect())
    }
}

/// Refuses `--set` of one path twice.
pub fn refuse_repeated(overrides: &[String]) -> Result<(), CommandFailure> {
    let path = |setting: &String| setting.split('=').next().unwrap_or_default().trim().to_owned();
    for (index, setting) in overrides.iter().enumerate() {
        if overrides[..index].iter().any(|earlier| path(earlier) == path(setting)) {
            refuse!("--set {setting}: `{}` is set twice", path(setting));
        }
    }
    Ok(())
}

/// The options of ttlab's own engine.
#[derive(clap::Args)]
pub struct EngineArgs {
    /// A named starting point for the options
    #[arg(short, long)]
    preset: Option<String>,
    /// Set an option: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

impl EngineArgs {
    pub fn options(&self) -> Result<EngineOptions, CommandFailure> {
        crate::experiment::options(self.preset.as_deref(), &self.overrides).map_err(CommandFailure::usage)
    }
}

/// The limit of searches by ttlab's own engine.
#[derive(clap::Args)]
pub struct LimitArgs {
    /// Depth of the last iteration, in plies
    #[arg(short, long, value_parser = clap::value_parser!(u8).range(1..))]
    depth: Option<u8>,
    /// Limit of nodes of a search, over all iterations
    #[arg(short, long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

impl LimitArgs {
    pub fn limit(&self, options: &EngineOptions) -> Result<Limit, CommandFailure> {
        if self.depth.is_none() && (self.nodes.is_none() || options.deepening.step == 0) {
            refuse!("give a limit: --depth N, or --nodes N with deepening");
        }
        Ok(Limit { depth: self.depth, nodes: self.nodes })
    }
}

/// What a run takes from other results.
#[derive(Default, clap::Args)]
pub struct ReuseArgs {
    /// Reuse the rows of these results folders, without their times: a folder or a pattern such as
    /// 'runs/*' (may be repeated)
    #[arg(long, value_name = "FOLDER")]
    pub reuse: Vec<String>,
    /// Move existing results to the subfolder `previous` first, and take no row from them
    #[arg(long)]
    pub fresh: bool,
    /// Continue results that another build of ttlab wrote
    #[arg(long)]
    pub any_build: bool,
}

/// The arguments of commands that run searches and write the results to a folder.
#[derive(Default, clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub reuse: ReuseArgs,
    /// Run failed jobs again
    #[arg(long)]
    pub retry_failed: bool,
    /// No progress and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

impl RunArgs {
    /// The caller must set the field `fresh`, because it moves results. The flag `--retry-failed`
    /// applies to quarantined jobs too.
    pub fn settings(&self, jobs: usize) -> Settings {
        Settings {
            jobs,
            retry_failed: self.retry_failed,
            retry_quarantined: self.retry_failed,
            any_build: self.reuse.any_build,
            reuse: self.reuse.reuse.clone(),
            ..Settings::default()
        }
    }
}
