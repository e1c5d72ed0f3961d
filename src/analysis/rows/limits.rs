//! What an experiment's grid calls `limit.depth` and `limit.nodes`: parts of what the column `limit` says.

#[cfg(test)]
use super::filter::Filter;
use super::frame::Frame;
#[cfg(test)]
use super::frame::Sought;
#[cfg(test)]
use super::grouping::Grouping;
use crate::record::columns::LIMIT;

/// The parts of a limit by the words of a grid, each with its word in the column.
const PARTS: [(&str, &str); 2] = [("limit.depth", "depth "), ("limit.nodes", "nodes ")];

/// Whether a column is a part of the limit.
#[must_use]
pub fn is_part(name: &str) -> bool {
    PARTS.iter().any(|(path, _)| *path == name)
}

/// What a limit says of a part; nothing where it has none.
fn part(limit: &str, word: &str) -> String {
    limit.split(", ").find_map(|part| part.strip_prefix(word)).unwrap_or_default().to_owned()
}

/// A limit by its parts.
#[must_use]
pub fn parts(limit: &str) -> [(&'static str, String); 2] {
    PARTS.map(|(path, word)| (path, part(limit, word)))
}

/// Lays both parts into the rows as columns of their own, where one that some row has is asked for: a search without the part has none.
pub fn lay(frame: &mut Frame, asked: &[&str]) {
    let limits = frame.coded(LIMIT).into_owned();
    let has = |word: &str| limits.list().iter().any(|limit| !part(limit, word).is_empty());
    if PARTS.iter().any(|(path, word)| asked.contains(path) && has(word)) {
        for (path, word) in PARTS {
            frame.put_words(path, |row| part(limits.at(row), word));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The words of a grid are those of its limits: as groups that meet, and as conditions; a part that no row has is told with what there is.
    #[test]
    fn a_grids_words_name_parts_of_the_limit() {
        let text = "variant,position,depth,limit,search.nodes\na,p,1,depth 4,9\nb,p,1,depth 3,9\n\
                    c,p,1,\"depth 4, nodes 500\",9\nd,p,1,nodes 20,9\n";
        let of = |asked: &[&str]| {
            let mut frame = Frame::parse(text.as_bytes(), "t").unwrap();
            lay(&mut frame, asked);
            frame
        };
        let both = of(&["limit.depth"]);
        let rows = |condition: &str| Filter::rows(&[Filter::parse(condition, &both).unwrap()], &both);
        assert_eq!(rows("limit.depth=3"), [1]);
        assert_eq!(rows("limit.depth>3"), [0, 2]);
        assert_eq!(rows("limit.nodes>=20"), [2, 3]);
        let grouping = Grouping::new(&both, &["limit.depth".to_owned()]);
        assert_eq!(grouping.names(), ["depth=4", "depth=3", "(none)"]);
        assert_eq!(
            grouping.block[0], grouping.block[1],
            "searches that differ in nothing but what is asked about meet"
        );
        assert_ne!(grouping.block[0], grouping.block[2], "another node limit is another search");
        assert_eq!(both.resolve("depth", Sought::Group).unwrap(), "depth");
        // Nobody asked, and nothing but depths.
        assert!(!of(&["depth"]).names().iter().any(|name| is_part(name)));
        let depths =
            Frame::parse("variant,position,depth,limit,search.nodes\na,p,1,depth 4,9\n".as_bytes(), "t").unwrap();
        let told = depths.resolve("limit.nodes", Sought::Condition).unwrap_err().to_string();
        assert_eq!(told, "there is no column `limit.nodes`: `limit` says what ended the searches: `depth 4`");
    }
}
