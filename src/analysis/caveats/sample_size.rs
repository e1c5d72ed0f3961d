//! Warns if there are too few positions or games for any significant result.

use crate::record::columns;
use crate::stats::sample::min_clusters;
use crate::text::plural;

/// `clusters` is the number of games if `are_games` is true, and otherwise the number of positions.
pub fn too_few_warning(clusters: usize, comparisons: usize, are_games: bool) -> Option<String> {
    let required = min_clusters(comparisons);
    let units = plural(clusters, if are_games { columns::GAME } else { columns::POSITION });
    let is_or_are = if clusters == 1 { "is" } else { "are" };
    let comparisons_text = if comparisons > 1 { format!(" for {comparisons} comparisons") } else { String::new() };
    (comparisons > 0 && clusters < required).then(|| {
        format!(
            "{units} {is_or_are} too few{comparisons_text}: no result could reach p < 0.05; use at least {required}"
        )
    })
}

pub fn repeated_searches_warning([repeats, searches]: [usize; 2]) -> Option<String> {
    (repeats * 20 > searches).then(|| {
        format!(
            "{repeats} of {searches} searches are the same as an earlier search, but intervals treat all as \
             independent. Two games repeat searches until their moves differ, so begin later with \
             sequence.from. Two positions repeat a search if only their clocks differ, so leave one of them out"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repeated_search_in_twenty_is_accepted() {
        assert_eq!([[5, 100], [0, 0], [0, 7]].map(repeated_searches_warning), [None, None, None]);
        assert!(
            repeated_searches_warning([6, 100])
                .is_some_and(|text| text.starts_with("6 of 100 searches are the same as an earlier search"))
        );
    }

    #[test]
    fn five_positions_are_too_few_for_one_comparison_and_six_for_two() {
        assert!(too_few_warning(5, 1, false).is_some_and(|text| text.starts_with("5 positions are too few:")));
        assert!(
            too_few_warning(6, 2, true).is_some_and(|text| text.starts_with("6 games are too few for 2 comparisons:"))
        );
        for (games, start) in [(true, "1 game is too few:"), (false, "1 position is too few:")] {
            assert!(too_few_warning(1, 1, games).is_some_and(|message| message.starts_with(start)));
        }
        assert_eq!(
            [(6, 1), (7, 2), (1, 0)].map(|(clusters, lines)| too_few_warning(clusters, lines, false)),
            [None, None, None]
        );
    }
}
