//! Warnings about a result: what it cannot show, and what makes it doubtful.

pub mod confounds;
pub mod equivalent;
pub mod external_power;
pub mod games;
pub mod memory;
pub mod misleading;
pub mod preflight;
pub mod sample_size;
pub mod sensitivity;
pub mod timing;
pub mod warnings;

/// The first three names of a list in quotes, and how many more there are: `"a", "b", "c" and 2
/// more`.
fn quote_names(names: &[impl std::fmt::Display]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("\"{name}\"")).collect();
    let more = crate::text::and_more(names.len().saturating_sub(3));
    shown.join(", ") + &more
}
