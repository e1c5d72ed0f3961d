//! Finds keys and values in a TOML text, for the excerpt of an error.

use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The last part of a path that exists in a TOML text.
struct Located {
    key: Range<usize>,
    value: Range<usize>,
    is_complete: bool,
}

/// Examples of paths are `grid.table.size`, `variant.2.table.size` (in the third variant) and
/// `grid.table.size.1` (the second value). If the path does not exist, returns the range of its
/// last part that exists. If `word` is given and occurs in the key's value, returns the range of
/// the word.
pub fn locate(text: &str, path: &str, word: Option<&str>) -> Option<Range<usize>> {
    let place = locate_path(text, path)?;
    word.filter(|_| place.is_complete).and_then(|word| find_word(text, &place.value, word)).or(Some(place.key))
}

/// As [`locate`], but returns the byte range of the value instead of the key.
pub fn locate_value(text: &str, path: &str) -> Option<Range<usize>> {
    locate_path(text, path).map(|place| if place.is_complete { place.value } else { place.key })
}

/// Quotes around the word are included if they lie within `range`.
fn find_word(text: &str, range: &Range<usize>, word: &str) -> Option<Range<usize>> {
    let is_word_char = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    text.get(range.clone())?.match_indices(word).map(|(index, _)| range.start + index).find_map(|start| {
        let end = start + word.len();
        let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
        if before.is_some_and(is_word_char) || after.is_some_and(is_word_char) {
            return None;
        }
        let is_quoted = before == after && before.is_some_and(|c| c == '"' || c == '\'') && range.contains(&end);
        Some(if is_quoted { start - 1..end + 1 } else { start..end })
    })
}

/// Follows a path in a TOML text as far as the path exists. Returns `None` if not even the first
/// part of the path exists.
fn locate_path(text: &str, path: &str) -> Option<Located> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut remaining = path;
    let mut located: Option<Located> = None;
    loop {
        // A quoted key may contain dots, so several keys may match. The longest one is followed.
        let begins_path =
            |key: &str| remaining.strip_prefix(key).is_some_and(|after| after.is_empty() || after.starts_with('.'));
        let keys = table.iter().filter(|(key, _)| begins_path(key.get_ref()));
        let Some((key, mut value)) = keys.max_by_key(|(key, _)| key.get_ref().len()) else { return located };
        let mut key_range = key.span();
        remaining = remaining[key.get_ref().len()..].trim_start_matches('.');
        while let DeValue::Array(items) = value.get_ref() {
            let (index, after_index) = remaining.split_once('.').unwrap_or((remaining, ""));
            let item_at_index = index.parse::<usize>().ok().and_then(|index| items.get(index));
            // If the path has no index here, it is followed into the first table of the list that
            // has a key with which the rest of the path begins.
            let has_matching_key = |item: &&toml::Spanned<DeValue<'_>>| match item.get_ref() {
                DeValue::Table(table) => table.keys().any(|key| remaining.starts_with(key.get_ref().as_ref())),
                _ => false,
            };
            let (item, path_in_item) = match (item_at_index, items.iter().find(has_matching_key)) {
                (Some(item), _) => (item, after_index),
                (None, Some(item)) => (item, remaining),
                (None, None) => break,
            };
            (key_range, remaining, value) = (item.span(), path_in_item, item);
        }
        located = Some(Located { key: key_range, value: value.span(), is_complete: remaining.is_empty() });
        match value.get_ref() {
            DeValue::Table(inner) if !remaining.is_empty() => table = inner,
            _ => return located,
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
        let excerpt = |path: &str, word| locate(text, path, word).map_or("", |span| &text[span]);
        assert_eq!(excerpt("a", None), "a");
        assert_eq!(excerpt("a", Some("1")), "1");
        assert_eq!(excerpt("grid.t.size", None), "\"t.size\"");
        assert_eq!(excerpt("grid.t.size.1", None), "'yy'");
        assert_eq!(excerpt("grid.t.policy.0.factor", Some("12")), "12");
        assert_eq!(excerpt("grid.t.policy.0", Some("12")), "12");
        assert_eq!(
            excerpt("grid.t.policy.0", Some("1")),
            "{ kind = 'k', factor = 12 }",
            "1 is only a part of a number"
        );
        assert_eq!(excerpt("grid.t.policy.0", Some("factor")), "factor");
        assert_eq!(excerpt("grid.t.policy.1", Some("z")), "'z'");
        assert_eq!(excerpt("variant.1.t.slots", None), "slots");
        assert_eq!(excerpt("engine.ordering.1", Some("q")), "'q'");
        assert_eq!(excerpt("engine.orderin", None), "engine");
        assert_eq!(excerpt("nothing", None), "");
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
        let excerpt = |path: &str| locate(text, path, None).map_or("", |span| &text[span]);
        assert_eq!(excerpt("grid.t.size"), "'t.size'", "the longest key that fits");
        assert_eq!(excerpt("grid.t.size.of"), "'t.size.of'");
    }
}
