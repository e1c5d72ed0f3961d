//! Arguments that several commands share.

use crate::runner::Settings;

/// The arguments of commands that run searches and write the results to a folder.
#[derive(clap::Args)]
pub struct RunArgs {
    /// Override an option in every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,
    /// Reuse the rows of these results folders, without their times: a folder or a pattern such as
    /// 'runs/*' (may be repeated)
    #[arg(long, value_name = "FOLDER")]
    pub reuse: Vec<String>,
    /// Move existing results to the subfolder `previous` first, and take no row from them
    #[arg(long)]
    pub fresh: bool,
    /// Run failed jobs again
    #[arg(long)]
    pub retry_failed: bool,
    /// Continue results that another build of ttlab wrote
    #[arg(long)]
    pub any_build: bool,
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
            any_build: self.any_build,
            reuse: self.reuse.clone(),
            ..Settings::default()
        }
    }
}
