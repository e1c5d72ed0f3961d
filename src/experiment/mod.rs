//! The experiment file: what is searched, with which options, and what is expected of the results.

mod axes;
pub mod baseline;
pub mod builtin;
mod choices;
pub mod claim;
mod confirm;
mod excludes;
pub mod expect;
mod expect_check;
pub mod file;
pub mod grid;
pub mod identity;
mod items;
mod load;
pub mod matches;
pub mod options;
pub mod place;
pub mod plan;
pub mod presets;
pub mod problem;
pub mod reference;
pub mod relation;
pub mod schema;
mod section_check;
pub mod sequence;
pub mod shards;
mod stage;
pub mod subject;
pub mod suites;
pub mod text;
pub mod trace;
pub mod tune;
pub mod variant;
mod work;

pub use crate::settings::paths;
pub use confirm::Confirm;
pub use expect::Expect;
pub use file::{File, SKIP_BAD};
pub use load::Experiment;
pub use matches::Match;
pub use options::options;
pub use plan::{Job, Plan};
pub use problem::Problem;
pub use section_check::check_folder_pattern;
pub use sequence::Sequence;
pub use shards::{PlanFile, Split};
pub use tune::{Goal, Tune};
pub use variant::{Subject, Variant};
pub use work::Work;

#[cfg(test)]
mod tests;
