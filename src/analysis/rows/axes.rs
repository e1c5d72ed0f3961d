//! Finds the axes of a grid in the rows. An axis is an option that varies, and the levels of the
//! axis are the values of the option.

use super::column::TextColumn;
use super::frame::Frame;
use super::grouping::{combine, short_names};
use super::seeds::{KEYS_SEED, THREADS_SEED};
use std::borrow::Cow;
use std::collections::HashMap;

/// An option that varies, a policy with its parameters, or several options that vary together.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The columns of the axis. There is usually one column. A policy also has the columns of its
    /// parameters, which are empty for other kinds of policy. Options that vary together have one
    /// column each.
    pub columns: Vec<String>,
    /// The path of the option. The paths of options that vary together are joined by ` + `.
    pub path: String,
    pub name: String,
    /// The levels of the axis. Numbers are sorted, and words are in the order of their first rows.
    pub levels: Vec<Level>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    pub values: Vec<String>,
    pub label: String,
    /// The level as a number, such as a size in bytes. `None` if the level is not a number.
    pub number: Option<f64>,
}

impl Axis {
    pub fn is_numeric(&self) -> bool {
        self.levels.iter().all(|level| level.number.is_some())
    }

    pub fn row_level(&self, frame: &Frame, row: usize) -> Option<usize> {
        let values: Vec<String> = self.columns.iter().map(|column| frame.text(column, row).into_owned()).collect();
        self.levels.iter().position(|level| level.values == values)
    }
}

/// Separates the paths, and the names, of options that vary together.
const PATH_SEPARATOR: &str = " + ";

/// The option that distinguishes bounded tables from reference tables.
const TABLE_KIND: &str = "table.kind";

/// Options that are not axes. Results are averaged over key seeds and schedules, and tables of
/// other kinds than bounded tables are only references.
const EXCLUDED: &[&str] = &[KEYS_SEED, THREADS_SEED, TABLE_KIND];

struct AxisColumns {
    path: String,
    members: Vec<usize>,
}

/// If there are bounded tables and tables of other kinds, only the rows with a bounded table are on
/// the grid.
pub fn find_axes(frame: &Frame) -> (Cow<'_, Frame>, Vec<Axis>) {
    let kinds = frame.text_column(TABLE_KIND);
    let grid = match kinds.list().len() > 1 && kinds.list().iter().any(|kind| kind == "bounded") {
        true => Cow::Owned(frame.take(&frame.select(|row| kinds.text(row) == "bounded"))),
        false => Cow::Borrowed(frame),
    };
    let columns: Vec<(String, TextColumn)> = grid
        .options()
        .into_iter()
        .map(|option| (option.to_owned(), grid.text_column(option).into_owned()))
        .filter(|(_, texts)| texts.list().len() > 1)
        .collect();
    let mut groups: Vec<AxisColumns> = Vec::new();
    for (index, (name, texts)) in columns.iter().enumerate() {
        // A parameter that exists only for some values of an option `kind` belongs to the axis of
        // that option.
        let kind_index = columns.iter().position(|(kind_name, _)| {
            let is_parameter = kind_name.strip_suffix("kind").is_some_and(|parent| name.starts_with(parent));
            is_parameter && kind_name != name && texts.list().iter().any(String::is_empty)
        });
        match kind_index.and_then(|kind| groups.iter_mut().find(|group| group.members.contains(&kind))) {
            Some(group) => group.members.push(index),
            None => {
                let path = name.strip_suffix(".kind").unwrap_or(name).to_owned();
                groups.push(AxisColumns { path, members: vec![index] });
            }
        }
    }
    join_covarying(&mut groups, &columns);
    groups.retain(|group| {
        let (first_name, _) = &columns[group.members[0]];
        !EXCLUDED.contains(&first_name.as_str())
    });
    let paths: Vec<String> =
        groups.iter().flat_map(|group| group.path.split(PATH_SEPARATOR)).map(str::to_owned).collect();
    let names: HashMap<&str, String> = paths.iter().map(String::as_str).zip(short_names(&paths)).collect();
    let axes: Vec<Axis> = groups
        .into_iter()
        .map(|AxisColumns { path, members }| {
            let columns: Vec<String> = members.into_iter().map(|index| columns[index].0.clone()).collect();
            let short_name = |path: &str| names.get(path).cloned();
            let value_name = |(column, column_name): (&String, String)| {
                short_name(column.strip_suffix(".kind").unwrap_or(column)).unwrap_or(column_name)
            };
            let value_names: Vec<String> = columns.iter().zip(short_names(&columns)).map(value_name).collect();
            let name = path.split(PATH_SEPARATOR).filter_map(short_name).collect::<Vec<_>>().join(PATH_SEPARATOR);
            // On an axis of a single option, labels begin with the value of the option, without its
            // name.
            let unnamed_count = usize::from(!path.contains(PATH_SEPARATOR));
            let (_, combinations) = combine(&grid, &columns);
            Axis { levels: build_levels(combinations, &value_names, unnamed_count), columns, path, name }
        })
        .filter(|axis| axis.levels.len() > 1)
        .collect();
    (grid, axes)
}

/// Joins options that vary together into one axis. Two options vary together, like zipped options,
/// if each level of one option occurs with exactly one level of the other option. The rows cannot
/// separate the effects of such options.
fn join_covarying(groups: &mut Vec<AxisColumns>, columns: &[(String, TextColumn)]) {
    // Adjacent rows mostly have equal options, because the rows of a variant are adjacent. It is
    // enough to read the first row of each run of rows with equal options.
    let row_count = columns.first().map_or(0, |(_, column)| column.codes().iter().len());
    let rows_are_equal =
        |a: usize, b: usize| columns.iter().all(|(_, column)| column.codes().get(a) == column.codes().get(b));
    let run_starts: Vec<usize> = (0..row_count).filter(|&row| row == 0 || !rows_are_equal(row - 1, row)).collect();
    let count_levels = |column_indices: &[usize]| {
        let code_of_row = |index: usize, row: usize| {
            let (_, column) = &columns[index];
            column.codes().get(row)
        };
        let row_codes = |&row: &usize| column_indices.iter().map(|&index| code_of_row(index, row)).collect::<Vec<_>>();
        run_starts.iter().map(row_codes).collect::<std::collections::HashSet<_>>().len()
    };
    let mut index = 0;
    while index < groups.len() {
        let level_count = count_levels(&groups[index].members);
        let varies_with = |other: &usize| {
            let other_members = &groups[*other].members;
            let joined_members = [groups[index].members.as_slice(), other_members].concat();
            level_count > 1
                && count_levels(other_members) == level_count
                && count_levels(&joined_members) == level_count
        };
        match (index + 1..groups.len()).find(varies_with) {
            None => index += 1,
            Some(other) => {
                let AxisColumns { path, members } = groups.remove(other);
                groups[index].path += &format!("{PATH_SEPARATOR}{path}");
                groups[index].members.extend(members);
            }
        }
    }
}

/// Builds one level from each combination of values. Combinations with an empty first value are
/// skipped. The levels are sorted by their numbers if all of them have a number.
///
/// The label of a level lists its values. The first `unnamed_count` values are listed without
/// their names. Each later value is listed with its name from `value_names`, as in `slots=2`.
/// Later values that are empty are left out.
fn build_levels(combinations: Vec<Vec<String>>, value_names: &[String], unnamed_count: usize) -> Vec<Level> {
    let build_level = |values: Vec<String>| {
        let values_to_name = values.iter().zip(value_names).skip(unnamed_count).filter(|(value, _)| !value.is_empty());
        let named_values = values_to_name.map(|(value, name)| format!("{name}={value}"));
        let label = values.iter().take(unnamed_count).cloned().chain(named_values).collect::<Vec<_>>().join(" ");
        let number = if values.len() == 1 { parse_number(&values[0]) } else { None };
        Level { values, label, number }
    };
    let with_first_value = combinations.into_iter().filter(|values| !values[0].is_empty());
    let mut levels: Vec<Level> = with_first_value.map(build_level).collect();
    if levels.iter().all(|level| level.number.is_some()) {
        levels.sort_by(|a, b| a.number.unwrap_or(0.0).total_cmp(&b.number.unwrap_or(0.0)));
    }
    levels
}

/// Parses a value of an option as a number. The value may be a plain number (`4` or `0.25`), a size
/// in bytes (`64 KiB`) or a share (`25 %`).
pub fn parse_number(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    let (number, unit) = text.split_once(' ')?;
    let scale = match unit {
        "GiB" => f64::from(1 << 30),
        "MiB" => f64::from(1 << 20),
        "KiB" => 1024.0,
        "B" => 1.0,
        "%" => 0.01,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(rows: &[&str], columns: &str) -> Frame {
        let text = format!("variant,position,depth,search.nodes,{columns}\n{}", rows.join("\n"));
        Frame::parse(text.as_bytes(), "t").unwrap()
    }

    #[test]
    fn policy_and_its_parameters_are_one_axis() {
        let rows = ["a,p,1,1,64 KiB,always,", "b,p,1,1,1 MiB,always,", "c,p,1,1,64 KiB,aged-depth,4", "d,p,1,1,,,"];
        let frame = frame(&rows, "table.size,table.policy.kind,table.policy.factor");
        let (grid, axes) = find_axes(&frame);
        assert_eq!(grid.rows(), 4);
        let axes_and_labels: Vec<(String, Vec<String>)> = axes
            .iter()
            .map(|axis| (axis.name.clone(), axis.levels.iter().map(|level| level.label.clone()).collect()))
            .collect();
        let to_words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            axes_and_labels,
            [
                ("size".to_owned(), to_words(&["64 KiB", "1 MiB"])),
                ("policy".to_owned(), to_words(&["always", "aged-depth factor=4"])),
            ]
        );
        assert!(axes[0].is_numeric());
        assert!(!axes[1].is_numeric());
    }

    #[test]
    fn options_that_vary_together_are_one_axis() {
        let rows = ["a,p,1,1,1,x,3", "b,p,1,1,2,y,3", "c,p,1,1,1,x,4", "d,p,1,1,2,y,4"];
        let frame = frame(&rows, "table.slots,order,depth_cap");
        let (_, axes) = find_axes(&frame);
        let names: Vec<(&str, usize)> = axes.iter().map(|axis| (axis.path.as_str(), axis.levels.len())).collect();
        assert_eq!(names, [("table.slots + order", 2), ("depth_cap", 2)]);
        assert_eq!([&axes[0].levels[1].label, &axes[1].levels[1].label], ["slots=2 order=y", "4"]);
    }

    /// Two of three paths that vary together end in `at`: the axis and its levels show all names.
    #[test]
    fn axis_of_several_options_shows_all_names() {
        let rows = ["a,p,1,1,leaf,leaf,always,", "b,p,1,1,quiet,quiet,aged-depth,4"];
        let frame = frame(&rows, "probe.at,store.at,table.policy.kind,table.policy.factor");
        let (_, axes) = find_axes(&frame);
        let labels: Vec<&str> = axes[0].levels.iter().map(|level| level.label.as_str()).collect();
        assert_eq!((axes.len(), axes[0].name.as_str()), (1, "probe.at + store.at + policy"));
        assert_eq!(
            labels,
            ["probe.at=leaf store.at=leaf policy=always", "probe.at=quiet store.at=quiet policy=aged-depth factor=4"]
        );
    }

    /// Levels are sorted as numbers unless they also have words. An option that does not vary is
    /// not an axis.
    #[test]
    fn numeric_levels_are_sorted() {
        let axis_figures = |rows: &[&str]| {
            let frame = frame(rows, "table.slots,order,depth_cap");
            let (_, axes) = find_axes(&frame);
            let join_labels =
                |axis: &Axis| axis.levels.iter().map(|level| level.label.clone()).collect::<Vec<_>>().join("; ");
            axes.iter().map(|axis| (axis.path.clone(), join_labels(axis), axis.is_numeric())).collect::<Vec<_>>()
        };
        let expected_axis = |path: &str, labels: &str, numeric: bool| (path.to_owned(), labels.to_owned(), numeric);
        assert_eq!(
            axis_figures(&["a,p,1,1,4,x,3", "b,p,1,1,16,x,3", "c,p,1,1,2,x,3"]),
            [expected_axis("table.slots", "2; 4; 16", true)]
        );
        assert_eq!(
            axis_figures(&["a,p,1,1,4,x,3", "b,p,1,1,16,y,3", "c,p,1,1,2,z,3"]),
            [expected_axis("table.slots + order", "slots=4 order=x; slots=16 order=y; slots=2 order=z", false)]
        );
    }

    #[test]
    fn reference_tables_are_not_on_the_grid() {
        let rows = ["a,p,1,1,bounded,2", "b,p,1,1,bounded,4", "c,p,1,1,none,", "d,p,1,1,unbounded,2"];
        let frame = frame(&rows, "table.kind,table.slots");
        let (grid, axes) = find_axes(&frame);
        assert_eq!((grid.rows(), axes.len(), axes[0].levels.len()), (2, 1, 2));
    }

    #[test]
    fn sizes_are_numbers() {
        assert_eq!(parse_number("0.25 MiB"), Some(262_144.0));
        assert_eq!(parse_number("1638400"), Some(1_638_400.0));
        let bytes = ["3 B", "3 KiB", "3 MiB", "3 GiB"].map(|text| parse_number(text).unwrap());
        assert_eq!(bytes, [3.0, 3.0 * 1024.0, 3.0 * 1024.0 * 1024.0, 3.0 * 1024.0 * 1024.0 * 1024.0]);
        assert_eq!(
            (parse_number("25 %"), parse_number("always"), parse_number("3 x"), parse_number("nan")),
            (Some(0.25), None, None, None)
        );
    }
}
