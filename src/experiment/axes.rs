//! The axes of `[grid]` and `[[zip]]`.

use super::file::File;
use super::paths;
use super::problem::Problem;
use super::text::FileText;
use crate::text::plural;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Paths that vary together, each with the list of its values. All lists have the same length.
pub(super) type Axis = Vec<(String, Vec<Value>)>;

pub(super) fn axis_len(axis: &Axis) -> usize {
    axis.first().map_or(0, |(_, values)| values.len())
}

/// The key of a `[[zip]]` with the names of its points. A point is one set of values of all paths.
pub(super) const NAME: &str = "name";

/// Finds the point of a `[[zip]]` whose paths and values are all in `path_values`, and returns the
/// name of this point. Returns `None` if there is no such point, or if the `[[zip]]` has no names.
pub(super) fn zip_name<'z>(zip: &'z Table, path_values: &[(String, Value)]) -> Option<&'z str> {
    let names = zip.get(NAME)?.as_array()?;
    let value_at = |path: &String| path_values.iter().find(|(set_path, _)| set_path == path).map(|(_, value)| value);
    let is_set_point = |&index: &usize| {
        let mut options = zip.iter().filter(|(path, _)| *path != NAME);
        options.all(|(path, values)| values.get(index).is_some_and(|value| value_at(path) == Some(value)))
    };
    (0..names.len()).find(is_set_point).and_then(|index| names[index].as_str())
}

/// Reads the axes of a file. The axes of `[grid]` come first, followed by one axis for each
/// `[[zip]]`.
///
/// # Errors
/// When the values of a path are not a list, when the lists of a `[[zip]]` have different lengths,
/// or when a path is set twice.
pub(super) fn read_axes(file: &File, source: &FileText<'_>) -> Result<Vec<Axis>, Problem> {
    let read_values = |table: &str, path: &str, value: &Value| {
        let problem = match value {
            Value::Array(values) if !values.is_empty() => return Ok((path.to_owned(), values.clone())),
            Value::Table(_) => format!(", found a table: write the path in quotes, as in \"{path}.size\" = [..]"),
            Value::Array(_) => ", found an empty list".to_owned(),
            other => format!(", found {}", paths::format_value(other)),
        };
        Err(source.invalid(&format!("{table}.{path}"), format!("expected a list of values{problem}")))
    };
    let mut axes: Vec<Axis> = Vec::new();
    for (path, value) in &file.grid {
        let (path, values) = read_values("grid", path, value)?;
        let mut seen = BTreeSet::new();
        if let Some(index) = values.iter().position(|value| !seen.insert(value.to_string())) {
            let message = format!("grid.{path}: duplicate value {}", paths::format_value(&values[index]));
            return Err(source.problem_at(&format!("grid.{path}.{index}"), message));
        }
        axes.push(vec![(path, values)]);
    }
    for (index, zip) in file.zip.iter().enumerate() {
        let options = zip.iter().filter(|(path, _)| *path != NAME);
        let axis: Axis = options.map(|(path, value)| read_values("zip", path, value)).collect::<Result<_, _>>()?;
        let point_count = axis_len(&axis);
        if let Some((path, values)) = axis.iter().find(|(_, values)| values.len() != point_count) {
            let (first_path, values) = (&axis[0].0, plural(values.len(), "value"));
            let message = format!("zip.{path}: has {values}, but zip.{first_path} has {point_count}");
            return Err(source.problem_at(&format!("zip.{index}.{path}"), message));
        }
        let is_set_earlier = |path: &String| axes.iter().flatten().any(|(earlier, _)| earlier == path);
        if let Some((path, _)) = axis.iter().find(|(path, _)| is_set_earlier(path)) {
            let other = if file.grid.contains_key(path) { "[grid]" } else { "another [[zip]]" };
            let message = format!("zip.{path}: is also set in {other}: set it in only one of them");
            return Err(source.problem_at(&format!("zip.{index}.{path}"), message));
        }
        if let Some(names) = zip.get(NAME) {
            let refuse = |message: String| Err(source.problem_at(&format!("zip.{index}.{NAME}"), message));
            let values = names.as_array().into_iter().flatten();
            let distinct_names: BTreeSet<&str> = values.filter_map(Value::as_str).collect();
            if distinct_names.len() != point_count || names.as_array().is_none_or(|names| names.len() != point_count) {
                return refuse(format!(
                    "zip.{NAME}: expected a list of {}, one for each set of values",
                    plural(point_count, "different name")
                ));
            }
            let is_invalid = |name: &&&str| name.trim().is_empty() || name.contains(char::is_control);
            if let Some(name) = distinct_names.iter().find(is_invalid) {
                return refuse(format!("zip.{NAME}: `{}` is not a name", name.escape_debug()));
            }
        }
        if !axis.is_empty() {
            axes.push(axis);
        }
    }
    Ok(axes)
}

/// All combinations of the axes' values. The first axis varies slowest.
pub(super) fn combinations(axes: &[Axis]) -> Vec<Vec<(String, Value)>> {
    let mut combinations: Vec<Vec<(String, Value)>> = vec![Vec::new()];
    for axis in axes {
        let mut longer_combinations = Vec::new();
        for combination in &combinations {
            for index in 0..axis_len(axis) {
                let point = axis.iter().map(|(path, values)| (path.clone(), values[index].clone()));
                longer_combinations.push(combination.iter().cloned().chain(point).collect());
            }
        }
        combinations = longer_combinations;
    }
    combinations
}

pub(super) fn locate_axis_value(file: &File, path: &str, value: &Value) -> Option<String> {
    let index_in = |values: &Value| values.as_array()?.iter().position(|candidate| candidate == value);
    match file.grid.get(path) {
        Some(values) => index_in(values).map(|index| format!("grid.{path}.{index}")),
        None => file.zip.iter().enumerate().find_map(|(zip_index, zip)| {
            let index = index_in(zip.get(path)?)?;
            Some(format!("zip.{zip_index}.{path}.{index}"))
        }),
    }
}
