//! The axes of `[grid]` and `[[zip]]`.

use super::file::File;
use super::paths;
use super::problem::Problem;
use super::text::FileText;
use crate::text::plural;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Paths that vary together, each with its values; all lists are of equal length.
pub(super) type Axis = Vec<(String, Vec<Value>)>;

/// The key of a `[[zip]]` that names its points.
pub(super) const NAME: &str = "name";

/// The name of the point of a `[[zip]]` to which these paths belong; `None` if the zip has no
/// names.
pub(super) fn zip_name<'z>(zip: &'z Table, paths: &[(String, Value)]) -> Option<&'z str> {
    let names = zip.get(NAME)?.as_array()?;
    let is_at = |index: usize| {
        let options = zip.iter().filter(|(path, _)| *path != NAME);
        let value = |path: &String| paths.iter().find(|(own, _)| own == path).map(|(_, value)| value);
        options.into_iter().all(|(path, values)| values.get(index).is_some_and(|one| value(path) == Some(one)))
    };
    (0..names.len()).find(|&index| is_at(index)).and_then(|index| names[index].as_str())
}

/// The axes of a file, in order: those of `[grid]`, then each `[[zip]]`.
///
/// # Errors
/// When a value is not a list, or a path is set twice.
pub(super) fn read_axes(file: &File, source: &FileText<'_>) -> Result<Vec<Axis>, Problem> {
    let list = |table: &str, path: &str, value: &Value| {
        let found = match value {
            Value::Array(values) if !values.is_empty() => return Ok((path.to_owned(), values.clone())),
            Value::Table(_) => format!(", found a table: write the path in quotes, as in \"{path}.size\" = [..]"),
            Value::Array(_) => ", found an empty list".to_owned(),
            other => format!(", found {}", paths::format_value(other)),
        };
        Err(source.invalid(&format!("{table}.{path}"), format!("expected a list of values{found}")))
    };
    let mut axes: Vec<Axis> = Vec::new();
    for (path, value) in &file.grid {
        let (path, values) = list("grid", path, value)?;
        let mut seen = BTreeSet::new();
        if let Some(index) = values.iter().position(|value| !seen.insert(value.to_string())) {
            let message = format!("grid.{path}: duplicate value {}", paths::format_value(&values[index]));
            return Err(source.problem_at(&format!("grid.{path}.{index}"), message));
        }
        axes.push(vec![(path, values)]);
    }
    for (index, zip) in file.zip.iter().enumerate() {
        let options = zip.iter().filter(|(path, _)| *path != NAME);
        let axis: Axis = options.map(|(path, value)| list("zip", path, value)).collect::<Result<_, _>>()?;
        if let Some((path, values)) = axis.iter().find(|(_, values)| values.len() != axis[0].1.len()) {
            let ((first, expected), found) = (&axis[0], plural(values.len(), "value"));
            let message = format!("zip.{path}: has {found} where zip.{first} has {}", expected.len());
            return Err(source.problem_at(&format!("zip.{index}.{path}"), message));
        }
        let earlier = |path: &String| axes.iter().flatten().any(|(known, _)| known == path);
        if let Some((path, _)) = axis.iter().find(|(path, _)| earlier(path)) {
            let other = if file.grid.contains_key(path) { "[grid]" } else { "another [[zip]]" };
            let message = format!("zip.{path}: is set in {other} too: set it in one of them");
            return Err(source.problem_at(&format!("zip.{index}.{path}"), message));
        }
        if let Some(names) = zip.get(NAME) {
            let wrong = |message: String| Err(source.problem_at(&format!("zip.{index}.{NAME}"), message));
            let points = axis.first().map_or(0, |(_, values)| values.len());
            let distinct: BTreeSet<&str> = names.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if distinct.len() != points || names.as_array().is_none_or(|names| names.len() != points) {
                return wrong(format!(
                    "zip.{NAME}: expected {} in a list, one for each point",
                    plural(points, "different name")
                ));
            }
            if let Some(name) = distinct.iter().find(|name| name.trim().is_empty() || name.contains(char::is_control)) {
                return wrong(format!("zip.{NAME}: `{}` is not a name", name.escape_debug()));
            }
        }
        if !axis.is_empty() {
            axes.push(axis);
        }
    }
    Ok(axes)
}

/// All combinations of the axes' values; the first axis varies slowest.
pub(super) fn combinations(axes: &[Axis]) -> Vec<Vec<(String, Value)>> {
    let mut combinations: Vec<Vec<(String, Value)>> = vec![Vec::new()];
    for axis in axes {
        combinations = combinations
            .iter()
            .flat_map(|combination| {
                (0..axis[0].1.len()).map(|index| {
                    let step = axis.iter().map(|(path, values)| (path.clone(), values[index].clone()));
                    combination.iter().cloned().chain(step).collect()
                })
            })
            .collect();
    }
    combinations
}

/// The place in the file of a value of an axis, such as `grid.table.size.1`.
pub(super) fn locate_axis_value(file: &File, set: &str, value: &Value) -> Option<String> {
    let index = |values: &Value| values.as_array()?.iter().position(|candidate| candidate == value);
    match file.grid.get(set) {
        Some(values) => index(values).map(|index| format!("grid.{set}.{index}")),
        None => file.zip.iter().enumerate().find_map(|(zip, axis)| {
            let index = index(axis.get(set)?)?;
            Some(format!("zip.{zip}.{set}.{index}"))
        }),
    }
}
