//! Two results side by side: what they are of, and which rows belong together.

use crate::analysis::rows::frame::{Frame, FrameError};
use crate::record::columns;
use crate::record::manifest::{Manifest, ManifestError};
use std::collections::HashMap;
use std::path::Path;

/// One of the two results.
#[derive(Debug, Clone)]
pub struct Side {
    /// Where it was read from, as the user wrote it.
    pub name: String,
    /// Its rows.
    pub frame: Frame,
    /// What was run; none for a results file that lies alone.
    pub manifest: Option<Manifest>,
}

/// Why results cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum SideError {
    /// The rows.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Two rows of one search and depth.
    #[error("{side}: variant \"{variant}\", {position}, depth {depth} has two rows: join no results that overlap")]
    Twice {
        /// The results.
        side: String,
        /// The variant.
        variant: String,
        /// The position.
        position: String,
        /// The depth.
        depth: u16,
    },
}

impl Side {
    /// Reads a results folder, or a results file (with the manifest of its folder, if it is a folder's `results.csv`).
    ///
    /// # Errors
    /// When there are no results, or they cannot be read.
    pub fn read(path: &Path) -> Result<Self, SideError> {
        let rows = if path.is_dir() { path.join("results.csv") } else { path.to_owned() };
        let frame = Frame::read(&rows)?;
        // The manifest of another file's folder says nothing of it.
        let manifest = match rows.parent().filter(|_| rows.file_name().is_some_and(|name| name == "results.csv")) {
            Some(folder) => Manifest::read(folder)?,
            None => None,
        };
        Ok(Self { name: path.display().to_string(), frame, manifest })
    }

    /// The column's words for each row: places in a list, and the list.
    fn codes(&self, column: &str) -> (Vec<u32>, Vec<String>) {
        match self.frame.words(column) {
            Some((codes, words)) => (codes.to_vec(), words.to_vec()),
            None => (vec![0; self.frame.rows()], vec![String::new()]),
        }
    }
}

/// What makes two rows the same search and depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    variant: u32,
    position: u32,
    ply: i32,
    depth: u16,
    repeat: u32,
}

/// Which rows belong together.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    /// The variants of BASE in order, then those that only NEW has.
    pub variants: Vec<String>,
    /// What NEW calls each variant, where it calls it otherwise: its options are the same.
    pub renamed: Vec<Option<String>>,
    /// Rows that both have.
    pub both: Vec<Pair>,
    /// Rows of BASE that NEW lacks, each with its variant.
    pub missing: Vec<(usize, u32)>,
    /// Rows of NEW that BASE lacks, each with its variant.
    pub added: Vec<(usize, u32)>,
    /// Jobs that failed, in BASE and in NEW.
    pub failed: [usize; 2],
}

/// Two rows of one search and depth.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// The row of BASE.
    pub base: usize,
    /// The row of NEW.
    pub new: usize,
    /// The variant's place.
    pub variant: u32,
    /// The position's place in BASE.
    pub position: u32,
    /// The game, or the position where there is none: searches that are not independent.
    pub cluster: u32,
    /// Which repeat.
    pub repeat: u32,
}

impl Pairs {
    /// Pairs rows by variant, position, ply, depth and repeat. Variants are the same if they have the same name; of the others,
    /// if they have the same options.
    ///
    /// # Errors
    /// When a file holds a row twice.
    pub fn new(base: &Side, new: &Side) -> Result<Self, SideError> {
        let (base_variants, base_names) = base.codes(columns::VARIANT);
        let (new_variants, new_names) = new.codes(columns::VARIANT);
        let mut pairs = Self { variants: base_names.clone(), ..Self::default() };
        pairs.renamed = vec![None; base_names.len()];
        let mut place_of_new = vec![0_u32; new_names.len()];
        for (name, place) in new_names.iter().zip(&mut place_of_new) {
            let known = base_names.iter().position(|known| known == name);
            let at = known.or_else(|| same_options(base, new, name, &base_names, &new_names));
            *place = at.unwrap_or(pairs.variants.len()) as u32;
            match at {
                Some(at) if known.is_none() => pairs.renamed[at] = Some(name.clone()),
                Some(_) => {}
                None => {
                    pairs.variants.push(name.clone());
                    pairs.renamed.push(None);
                }
            }
        }

        let (base_positions, positions) = base.codes(columns::POSITION);
        let (new_positions, new_words) = new.codes(columns::POSITION);
        let mut known: HashMap<&str, u32> =
            positions.iter().enumerate().map(|(at, name)| (name.as_str(), at as u32)).collect();
        let translated: Vec<u32> = new_words
            .iter()
            .map(|name| {
                let next = known.len() as u32;
                *known.entry(name).or_insert(next)
            })
            .collect();
        let (games, game_words) = base.codes(columns::GAME);
        let game = |row: usize| (!game_words[games[row] as usize].is_empty()).then(|| games[row]);
        // Games and positions are numbered apart, so that no game is taken for a position.
        let beyond = known.len() as u32;
        let cluster = |row: usize| game(row).map_or(base_positions[row], |game| beyond + game);

        let base_keys = keys(base, &base_variants, &base_positions, &mut pairs.failed[0]);
        let place: Vec<u32> = new_variants.iter().map(|&code| place_of_new[code as usize]).collect();
        let position: Vec<u32> = new_positions.iter().map(|&code| translated[code as usize]).collect();
        let new_keys = keys(new, &place, &position, &mut pairs.failed[1]);
        let new_rows = index(new, &new_keys)?;
        let base_rows = index(base, &base_keys)?;
        for (row, key) in &base_keys {
            match new_rows.get(key) {
                Some(&other) => pairs.both.push(Pair {
                    base: *row,
                    new: other,
                    variant: key.variant,
                    position: key.position,
                    cluster: cluster(*row),
                    repeat: key.repeat,
                }),
                None => pairs.missing.push((*row, key.variant)),
            }
        }
        pairs.added = new_keys
            .iter()
            .filter(|(_, key)| !base_rows.contains_key(key))
            .map(|(row, key)| (*row, key.variant))
            .collect();
        Ok(pairs)
    }
}

/// The variant of BASE, unknown to NEW, that has the options of one of NEW.
fn same_options(base: &Side, new: &Side, name: &str, base_names: &[String], new_names: &[String]) -> Option<usize> {
    let (base, new) = (base.manifest.as_ref()?, new.manifest.as_ref()?);
    let options = new.options.get(name)?;
    base_names
        .iter()
        .position(|candidate| !new_names.contains(candidate) && base.options.get(candidate) == Some(options))
}

/// The keys of all rows that hold a search.
fn keys(side: &Side, variants: &[u32], positions: &[u32], failed: &mut usize) -> Vec<(usize, Key)> {
    let frame = &side.frame;
    let (plies, depths, repeats) =
        (frame.numbers(columns::PLY), frame.numbers(columns::DEPTH), frame.numbers(columns::REPEAT));
    let (errors, words) = side.codes(columns::ERROR);
    let fine: Vec<bool> = words.iter().map(String::is_empty).collect();
    let rows: Vec<usize> = (0..frame.rows()).filter(|&row| fine[errors[row] as usize]).collect();
    *failed = frame.rows() - rows.len();
    let whole = |value: f64, empty: i32| if value.is_nan() { empty } else { value as i32 };
    let key = |row: usize| Key {
        variant: variants[row],
        position: positions[row],
        ply: whole(plies[row], -1),
        depth: whole(depths[row], 0) as u16,
        repeat: whole(repeats[row], 0) as u32,
    };
    rows.into_iter().map(|row| (row, key(row))).collect()
}

/// The row of each key.
fn index(side: &Side, keys: &[(usize, Key)]) -> Result<HashMap<Key, usize>, SideError> {
    let mut rows = HashMap::with_capacity(keys.len());
    for &(row, key) in keys {
        if rows.insert(key, row).is_some() {
            return Err(SideError::Twice {
                side: side.name.clone(),
                variant: side.frame.text(columns::VARIANT, row).to_string(),
                position: side.frame.text(columns::POSITION, row).to_string(),
                depth: key.depth,
            });
        }
    }
    Ok(rows)
}

/// Options that a variant has otherwise in NEW: path, BASE's value, NEW's.
#[must_use]
pub fn option_changes(base: &serde_json::Value, new: &serde_json::Value) -> Vec<(String, String, String)> {
    let (old, fresh) = (leaves(base), leaves(new));
    let value = |leaves: &[(String, String)], path: &str| {
        leaves.iter().find(|(known, _)| known == path).map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
    };
    let mut paths: Vec<&String> = old.iter().map(|(path, _)| path).collect();
    paths.extend(fresh.iter().map(|(path, _)| path).filter(|path| !old.iter().any(|(known, _)| known == *path)));
    paths
        .into_iter()
        .map(|path| (path.clone(), value(&old, path), value(&fresh, path)))
        .filter(|(_, old, fresh)| old != fresh)
        .collect()
}

/// A value's leaves by dotted path.
fn leaves(value: &serde_json::Value) -> Vec<(String, String)> {
    match value {
        serde_json::Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| {
                leaves(value).into_iter().map(move |(path, leaf)| {
                    (if path.is_empty() { name.clone() } else { format!("{name}.{path}") }, leaf)
                })
            })
            .collect(),
        serde_json::Value::String(text) => vec![(String::new(), text.clone())],
        other => vec![(String::new(), other.to_string())],
    }
}
