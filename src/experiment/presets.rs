//! Presets: named starting points that a file may override. Each preset is a TOML file and has a
//! line in the list below.

use super::problem::{OptionFault, nearest};
use toml::Table;

const PRESETS: &[(&str, &str)] = &[
    ("purple", include_str!("presets/purple.toml")),
    ("purple-listing", include_str!("presets/purple-listing.toml")),
    ("purple-as-published", include_str!("presets/purple-as-published.toml")),
    ("otter", include_str!("presets/otter.toml")),
    ("webster", include_str!("presets/webster.toml")),
    ("webster-as-published", include_str!("presets/webster-as-published.toml")),
    ("ancient", include_str!("presets/ancient.toml")),
    ("vipermate", include_str!("presets/vipermate.toml")),
    ("match", include_str!("presets/match.toml")),
    ("modern", include_str!("presets/modern.toml")),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}

/// The TOML text of a preset with its comments; `None` for an unknown name.
pub fn text(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(preset, _)| *preset == name).map(|(_, text)| *text)
}

pub fn options(name: &str) -> Result<Table, OptionFault> {
    let text = text(name).ok_or_else(|| {
        let valid_names = names().collect::<Vec<_>>().join(", ");
        let fault = OptionFault::new("preset", format!("unknown preset `{name}`, expected one of {valid_names}"));
        OptionFault { word: Some(name.to_owned()), help: nearest(name, names()), ..fault }
    })?;
    text.parse().map_err(|error| OptionFault::new("preset", format!("`{name}`: {error}")))
}
