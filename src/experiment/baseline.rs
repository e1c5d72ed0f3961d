//! Baselines: the variants that other variants are compared with. There is one baseline for all
//! variants, or one for each group of variants.

use super::file::File;
use super::problem::{Problem, ambiguous_name, list_quoted, nearest, nearest_or_all};
use super::text::FileText;
use super::variant::{Variant, option_columns};
use crate::record::columns::{VARIANT, refers_to};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The options of a variant, or of a group of rows, by path.
pub type OptionValues = BTreeMap<String, String>;

/// The option that distinguishes bounded tables from other tables. It does not separate groups,
/// because tables of other kinds have no size or policy to agree in.
const TABLE_KIND: &str = "table.kind";

/// The baseline that each variant (or group of rows) is compared with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Partners {
    /// For each variant, the index of its baseline. A baseline has its own index. A variant without
    /// a baseline has `None`.
    pub baselines: Vec<Option<usize>>,
    /// The options in which the baselines differ; empty if there is one baseline.
    pub group_columns: Vec<String>,
}

impl Partners {
    pub fn single(baseline: usize, variant_count: usize) -> Self {
        Self { baselines: vec![Some(baseline); variant_count], group_columns: Vec::new() }
    }

    pub fn bases(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.baselines.len()).filter(|&index| self.baselines[index] == Some(index))
    }

    /// Finds the baseline of each point. A point is a variant or a group of rows.
    ///
    /// The baselines are the points that meet the condition. Two points belong to the same group if
    /// they agree in all options that vary. Options that the condition names, and options on the
    /// same axis as a named option, need not agree. An option that only one of the two points has
    /// is ignored. For example, a point without a table has no table size. A point that belongs to
    /// the groups of several baselines has no baseline.
    ///
    /// # Errors
    /// Returns the indices of two points of one group that both meet the condition.
    pub fn find(points: &[OptionValues], condition: &[(String, String)]) -> Result<Self, [usize; 2]> {
        let value = |point: usize, column: &str| points[point].get(column).map_or("", String::as_str);
        let named_columns = named_options(points, condition);
        let is_key = |column: &&str| *column != TABLE_KIND && !named_columns.contains(*column);
        let keys: Vec<&str> = varying_columns(&points.iter().collect::<Vec<_>>()).into_iter().filter(is_key).collect();
        let is_base = |point: &usize| condition.iter().all(|(column, expected)| value(*point, column) == expected);
        let bases: Vec<usize> = (0..points.len()).filter(is_base).collect();
        let group_of = |point: usize| keys.iter().map(|key| value(point, key)).collect::<Vec<_>>();
        let mut base_of_group = HashMap::new();
        for &base in &bases {
            if let Some(earlier_base) = base_of_group.insert(group_of(base), base) {
                return Err([earlier_base, base]);
            }
        }
        // The value of an option that a point lacks is empty.
        let agree = |values: &[&str], other_values: &[&str]| {
            values.iter().zip(other_values).all(|(a, b)| a == b || a.is_empty() || b.is_empty())
        };
        let find_base = |point: usize| {
            let group = group_of(point);
            base_of_group.get(&group).copied().or_else(|| {
                let mut agreeing_bases = bases.iter().copied().filter(|&base| agree(&group, &group_of(base)));
                // A point that agrees with several baselines has none.
                let base = agreeing_bases.next()?;
                agreeing_bases.next().is_none().then_some(base)
            })
        };
        let baselines = (0..points.len()).map(find_base).collect();
        let bases_differ = |key: &&str| bases.iter().any(|&base| value(base, key) != value(bases[0], key));
        let group_columns = keys.into_iter().filter(bases_differ).map(str::to_owned).collect();
        Ok(Self { baselines, group_columns })
    }
}

fn varying_columns<'a>(points: &[&'a OptionValues]) -> BTreeSet<&'a str> {
    let columns: BTreeSet<&str> = points.iter().flat_map(|point| point.keys()).map(String::as_str).collect();
    let varies = |column: &&str| points.iter().any(|point| point.get(*column) != points[0].get(*column));
    columns.into_iter().filter(varies).collect()
}

/// A policy lies on the same axis as the parameters that only some policies have. Options that
/// always vary together also lie on the same axis.
fn named_options<'a>(points: &'a [OptionValues], condition: &'a [(String, String)]) -> BTreeSet<&'a str> {
    // Only bounded tables have all options of a table, so if there are such points, only they are
    // used to find out which options vary together.
    let is_bounded = |point: &&OptionValues| point.get(TABLE_KIND).is_none_or(|kind| kind == "bounded");
    let mut compared_points: Vec<&OptionValues> = points.iter().filter(is_bounded).collect();
    if compared_points.is_empty() {
        compared_points = points.iter().collect();
    }
    let varying = varying_columns(&compared_points);
    // Returns the `kind` on whose axis a parameter lies. A parameter that all points have is an
    // axis of its own.
    let kind_of = |column: &str| {
        varying.iter().copied().find(|kind| {
            let is_below = kind.strip_suffix("kind").is_some_and(|parent| column.starts_with(parent));
            *kind != column && is_below && compared_points.iter().any(|point| !point.contains_key(column))
        })
    };
    let mut axes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for column in &varying {
        axes.entry(kind_of(column).unwrap_or(column)).or_default().push(column);
    }
    // Counts the different combinations of values that the columns have.
    let count_values = |columns: &[&str]| {
        let values =
            |point: &&OptionValues| columns.iter().map(|column| point.get(*column).cloned()).collect::<Vec<_>>();
        compared_points.iter().map(values).collect::<BTreeSet<_>>().len()
    };
    let mut named_columns: BTreeSet<&str> = condition.iter().map(|(column, _)| column.as_str()).collect();
    let is_named = |column: &&str| condition.iter().any(|(name, _)| name == column);
    for axis in axes.values().filter(|columns| columns.iter().any(is_named)) {
        let value_count = count_values(axis);
        // A design or a layout determines the values of other options. These options may have fewer
        // combinations of values, because several designs or layouts may set the same values.
        let determines_others = ["table.design", "table.layout"].iter().any(|column| axis.contains(column));
        for other_axis in axes.values() {
            let is_determined = count_values(&[axis.as_slice(), other_axis.as_slice()].concat()) == value_count;
            if is_determined && (determines_others || count_values(other_axis) == value_count) {
                named_columns.extend(other_axis);
            }
        }
    }
    named_columns
}

/// Finds the baselines among `variants`. If the file names no baseline, the first variant is the
/// baseline of all variants.
///
/// # Errors
/// When no variant matches `[baseline]`, when two variants of one group match, or when a path is
/// unknown or ambiguous. Also when several variants match, but the variants play games.
pub fn find_baselines(file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<Partners, Problem> {
    if file.baseline.is_empty() {
        return Ok(Partners::single(0, variants.len()));
    }
    let points: Vec<OptionValues> =
        variants.iter().map(|variant| option_columns(variant).into_iter().collect()).collect();
    let paths: BTreeSet<&String> = points.iter().flat_map(BTreeMap::keys).collect();
    let mut conditions = Vec::new();
    for (path, expected) in &file.baseline {
        let path_problem = |message: String| source.invalid(&format!("baseline.{path}"), message);
        let candidates: Vec<&str> =
            paths.iter().map(|path| path.as_str()).filter(|column| refers_to(path, column)).collect();
        let column = match candidates[..] {
            _ if path == VARIANT || paths.contains(path) => path,
            [only] => only,
            [] => {
                let help = nearest(path, paths.iter().map(|path| path.as_str()));
                return Err(Problem { help, ..path_problem(format!("there is no option `{path}`")) });
            }
            _ => return Err(path_problem(ambiguous_name(candidates.into_iter()))),
        };
        conditions.push((column.to_owned(), expected.to_string()));
    }
    let name = |index: usize| format!("\"{}\"", variants[index].name);
    let partners = match file.baseline.contains_key(VARIANT) {
        true => {
            let matches = |index: &usize| {
                conditions.iter().all(|(path, expected)| match path == VARIANT {
                    true => variants[*index].name == *expected,
                    false => points[*index].get(path) == Some(expected),
                })
            };
            (0..variants.len()).find(matches).map(|index| Partners::single(index, variants.len())).unwrap_or_default()
        }
        false => Partners::find(&points, &conditions).map_err(|[first, second]| Problem {
            help: Some(format!(
                "name one variant: baseline = {{ variant = {} }}, or add an option in which they differ",
                name(first)
            )),
            ..source.invalid(
                "baseline",
                format!("{} and {} are in the same group, and both meet the conditions", name(first), name(second)),
            )
        })?,
    };
    let bases: Vec<usize> = partners.bases().collect();
    match bases[..] {
        [] => {
            let has_no_match = |(path, expected): &&(String, String)| {
                path != VARIANT && points.iter().all(|point| point.get(path) != Some(expected))
            };
            let help = match conditions.iter().find(has_no_match) {
                Some((path, expected)) => {
                    let values: BTreeSet<&str> =
                        points.iter().filter_map(|point| point.get(path)).map(String::as_str).collect();
                    // A number that looks similar is not a likely correction.
                    let near = match expected.parse::<f64>() {
                        Ok(_) => format!("expected one of {}", list_quoted(values)),
                        Err(_) => nearest_or_all(expected, values.iter().copied()),
                    };
                    format!("{path} = {expected}: {near}")
                }
                None => {
                    let expected = file.baseline.get(VARIANT).map(ToString::to_string).unwrap_or_default();
                    nearest_or_all(&expected, variants.iter().map(|variant| variant.name.as_str()))
                }
            };
            Err(Problem { help: Some(help), ..source.invalid("baseline", "no variant matches it") })
        }
        [first, _, ..] if file.games.is_some() || file.confirm.is_some() => Err(Problem {
            help: Some(format!("name one variant: baseline = {{ variant = {} }}", name(first))),
            ..source.invalid("baseline", format!("{} variants meet it, but games need a single baseline", bases.len()))
        }),
        _ => Ok(partners),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points from `path=value` pairs.
    fn points(texts: &[&str]) -> Vec<OptionValues> {
        let pair = |pair: &str| pair.split_once('=').map(|(path, value)| (path.to_owned(), value.to_owned())).unwrap();
        texts.iter().map(|text| text.split(' ').filter(|text| !text.is_empty()).map(pair).collect()).collect()
    }

    /// The baselines and the group columns, joined, for the condition `path = value`.
    fn find(texts: &[&str], path: &str, value: &str) -> Result<(Vec<Option<usize>>, String), [usize; 2]> {
        let partners = Partners::find(&points(texts), &[(path.to_owned(), value.to_owned())])?;
        Ok((partners.baselines, partners.group_columns.join(" ")))
    }

    #[test]
    fn condition_finds_one_baseline_in_each_combination_of_the_other_axes() {
        let grid = ["size=1 kind=a", "size=1 kind=b", "size=2 kind=a", "size=2 kind=b", "size=4 kind=b"];
        assert_eq!(find(&grid, "kind", "a"), Ok((vec![Some(0), Some(0), Some(2), Some(2), None], "size".to_owned())));
        // A condition on every axis names one baseline for all.
        let conditions = [("kind", "a"), ("size", "2")].map(|(path, value)| (path.to_owned(), value.to_owned()));
        let single = Partners::find(&points(&grid), &conditions).unwrap();
        assert_eq!((single.baselines, single.group_columns.len()), (vec![Some(2); 5], 0));
        assert_eq!(find(&grid, "kind", "c"), Ok((vec![None; 5], String::new())));
    }

    /// A condition on a kind also names the kind's parameters and the options that vary with it.
    #[test]
    fn condition_names_the_whole_axis() {
        let policies = ["p.kind=always", "p.kind=aged p.factor=2", "p.kind=aged p.factor=4"];
        assert_eq!(find(&policies, "p.kind", "always"), Ok((vec![Some(0); 3], String::new())));
        assert_eq!(find(&policies, "p.factor", "4"), Ok((vec![Some(2); 3], String::new())));
        assert_eq!(find(&policies, "p.kind", "aged"), Err([1, 2]));
        let zipped = ["probe=leaf store=leaf n=1", "probe=quiet store=quiet n=1", "probe=leaf store=leaf n=2"];
        assert_eq!(find(&zipped, "probe", "leaf"), Ok((vec![Some(0), Some(0), Some(2)], "n".to_owned())));
    }

    /// A variant without a table has no size: it can be the baseline of all sizes. If the sizes
    /// have baselines of their own, it has none.
    #[test]
    fn variant_that_lacks_an_option_has_no_group_of_its_own() {
        let tables = [
            "table.kind=none",
            "table.kind=bounded table.size=1 table.policy=a",
            "table.kind=bounded table.size=1 table.policy=b",
            "table.kind=bounded table.size=2 table.policy=a",
        ];
        assert_eq!(find(&tables, "table.kind", "none"), Ok((vec![Some(0); 4], String::new())));
        let by_size = find(&tables, "table.policy", "a");
        assert_eq!(by_size, Ok((vec![None, Some(1), Some(1), Some(3)], "table.size".to_owned())));
        assert_eq!(find(&tables[..3], "table.policy", "a"), Ok((vec![Some(1); 3], String::new())));
    }
}
