//! Finds keys and values in a TOML text, for the excerpt of an error.

use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The result of following a path.
struct Located {
    /// The key, or the list item.
    name: Range<usize>,
    value: Range<usize>,
    /// Whether the whole path was found.
    is_complete: bool,
}

/// The byte range of a key in a TOML text: `grid.table.size`, `variant.2.table.size` (in the third
/// variant), `grid.table.size.1` (the second value). For a path that does not exist, the range of
/// its last part that exists. `word`: if given, the range of that word in the value, if it occurs
/// there.
pub fn locate(text: &str, path: &str, word: Option<&str>) -> Option<Range<usize>> {
    let place = locate_path(text, path)?;
    word.filter(|_| place.is_complete).and_then(|word| find_word(text, &place.value, word)).or(Some(place.name))
}

/// As [`locate`], for the value instead of the key.
pub fn locate_value(text: &str, path: &str) -> Option<Range<usize>> {
    locate_path(text, path).map(|place| if place.is_complete { place.value } else { place.name })
}

/// The first occurrence of a whole word in a byte range, including its quotes.
fn find_word(text: &str, range: &Range<usize>, word: &str) -> Option<Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    text.get(range.clone())?.match_indices(word).map(|(index, _)| range.start + index).find_map(|start| {
        let end = start + word.len();
        let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
        if before.is_some_and(part) || after.is_some_and(part) {
            return None;
        }
        let quoted = before == after && before.is_some_and(|c| c == '"' || c == '\'') && range.contains(&end);
        Some(if quoted { start - 1..end + 1 } else { start..end })
    })
}

fn locate_path(text: &str, path: &str) -> Option<Located> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut rest = path;
    let mut found: Option<Located> = None;
    loop {
        // A quoted key may contain dots: the longest matching key counts.
        let Some((key, mut value)) = table
            .iter()
            .filter(|(key, _)| rest == key.get_ref().as_ref() || rest.starts_with(&format!("{}.", key.get_ref())))
            .max_by_key(|(key, _)| key.get_ref().len())
        else {
            return found;
        };
        let mut name = key.span();
        rest = rest[key.get_ref().len()..].trim_start_matches('.');
        while let DeValue::Array(items) = value.get_ref() {
            let (index, after) = rest.split_once('.').unwrap_or((rest, ""));
            let numbered = index.parse::<usize>().ok().and_then(|index| items.get(index)).map(|item| (item, after));
            // Without an index, the first table that has such a key.
            let has = |item: &&toml::Spanned<DeValue<'_>>| match item.get_ref() {
                DeValue::Table(table) => table.keys().any(|key| rest.starts_with(key.get_ref().as_ref())),
                _ => false,
            };
            let Some((item, after)) = numbered.or_else(|| items.iter().find(has).map(|item| (item, rest))) else {
                break;
            };
            (name, rest, value) = (item.span(), after, item);
        }
        found = Some(Located { name, value: value.span(), is_complete: rest.is_empty() });
        match value.get_ref() {
            DeValue::Table(inner) if !rest.is_empty() => table = inner,
            _ => return found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_word_are_located() {
        let text = "a = 1\n[grid]\n\"t.size\" = ['x', 'yy']\n\"t.policy\" = [{ kind = 'k', factor = 12 }, 'z']\n\
                    [[variant]]\nname = 'v'\n[[variant]]\nname = 'w'\nt.slots = 3\n[engine]\nordering = [\n 'p',\n 'q' ]\n";
        let index = |path: &str, word| locate(text, path, word).map_or("", |span| &text[span]);
        assert_eq!(index("a", None), "a");
        assert_eq!(index("a", Some("1")), "1");
        assert_eq!(index("grid.t.size", None), "\"t.size\"");
        assert_eq!(index("grid.t.size.1", None), "'yy'");
        assert_eq!(index("grid.t.policy.0.factor", Some("12")), "12");
        assert_eq!(index("grid.t.policy.0", Some("12")), "12");
        assert_eq!(index("grid.t.policy.0", Some("1")), "{ kind = 'k', factor = 12 }", "1 is only a part of a number");
        assert_eq!(index("grid.t.policy.0", Some("factor")), "factor");
        assert_eq!(index("grid.t.policy.1", Some("z")), "'z'");
        assert_eq!(index("variant.1.t.slots", None), "slots");
        assert_eq!(index("engine.ordering.1", Some("q")), "'q'");
        assert_eq!(index("engine.orderin", None), "engine");
        assert_eq!(index("nothing", None), "");
        // Only whole words count; quotes are included if they lie in the range.
        let word =
            |text: &'static str, range: Range<usize>, word: &str| find_word(text, &range, word).map(|span| &text[span]);
        assert_eq!(find_word("a-b b-a b", &(0..9), "b"), Some(8..9));
        assert_eq!(word("'b'", 0..3, "b"), Some("'b'"));
        assert_eq!(word("'b'", 1..2, "b"), Some("b"));
        assert_eq!(word("'b\"", 0..3, "b"), Some("b"));
        assert_eq!(word(".b", 0..2, "b"), None);
        let value = |path: &str| locate_value(text, path).map_or("", |span| &text[span]);
        assert_eq!(["grid.t.size.1", "engine.orderin", "nothing"].map(value), ["'yy'", "engine", ""]);
        let text = "[grid.t]\nsize = 1\n[grid]\n't.size' = [2]\n't.size.of' = [3]\n";
        let index = |path: &str| locate(text, path, None).map_or("", |span| &text[span]);
        assert_eq!(index("grid.t.size"), "'t.size'", "the longest key that fits");
        assert_eq!(index("grid.t.size.of"), "'t.size.of'");
    }
}
