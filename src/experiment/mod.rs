//! The experiment file: what is searched, with which options, and what is expected of the results.

mod axes;
mod baseline;
mod confirm;
mod excludes;
pub mod expect;
pub mod file;
pub mod grid;
pub mod identity;
pub mod match_claims;
pub mod matches;
pub mod options;
pub mod paths;
pub mod place;
pub mod plan;
pub mod presets;
pub mod problem;
pub mod reference;
pub mod schema;
pub mod sequence;
pub mod shards;
pub mod subject;
mod suite_choice;
pub mod suites;
pub mod text;
pub mod trace;
pub mod tune;
pub mod variant;

pub use confirm::Confirm;
pub use expect::Expect;
pub use file::{Experiment, File, SKIP_BAD};
pub use matches::Match;
pub use options::options;
pub use plan::{Job, Plan};
pub use problem::Problem;
pub use sequence::Sequence;
pub use shards::{PlanFile, Split};
pub use tune::{Goal, Tune};
pub use variant::Variant;

#[cfg(test)]
mod tests;
