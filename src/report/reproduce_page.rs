//! The page of `reproduce`: what published articles claim, what was measured, and the verdict.

use super::sheet::{Cell, Emphasis, Entries, Part, Sheet, SheetTable, head_parts};
use super::{Page, verdicts};
use crate::analysis::Verdict;
use crate::analysis::questions::claims::{Ruling, count_rulings};
use crate::experiment::expect::ClaimOrigin;
use crate::experiment::file::Article;
use crate::record::manifest::Manifest;
use std::collections::BTreeSet;

const ABOUT: &str = "\
Written by `ttlab reproduce` from `experiments/published/`. Each section is one experiment: the published figure or claim, what was measured, \
and the verdict. *holds*: the figure is met to the last digit, or lies in the range given. *differs (expected)*: the published figure is an \
artefact, and the run shows it. A claim is decided by the ratio paired by position or game, its interval compared with the claim's own factor \
and the smallest effect that matters, p corrected for all claims of the file; where that decides nothing: *undecided*. By whom: *published* (an \
article), *expected* (by theory or another program), *asked* (by the file). Node counts are the same on every machine; seconds are not.";

/// Verdicts with the same outcome for the same figure are folded into one row if they are
/// consecutive and there are more of them than this.
const MAX_UNFOLDED: usize = 3;

/// Makes the page from the pages of all experiments.
pub fn sheet(pages: &[Page]) -> Sheet {
    let mut parts: Vec<Part> = articles_table(pages).map(Part::Table).into_iter().collect();
    parts.push(unmet_claims_part(pages));
    parts.extend(failed_table(pages).map(Part::Table));
    parts.extend([Part::Prose(ABOUT.to_owned()), Part::Table(index_table(pages))]);
    for page in pages {
        let Manifest { name, question, .. } = &page.manifest;
        parts.push(Part::Heading(name.clone()));
        parts.extend(head_parts(question, &page.analysis, Vec::new(), []));
        parts.extend(folded_verdicts(page).map(Part::Table));
        let more_figures = format!("[All figures]({name}/report.md); every row: `ttlab reproduce --only {name}`.");
        parts.push(Part::Prose(more_figures));
    }
    let machines: BTreeSet<String> = pages.iter().map(|page| machine_line(&page.manifest)).collect();
    parts.push(Part::List("Machine".to_owned(), machines.into_iter().collect()));
    let name = "What five articles claim about their transposition tables, and which claims hold".to_owned();
    Sheet { kind: "published".to_owned(), name, parts }
}

/// Describes the machine and the build of a run.
fn machine_line(Manifest { machine, build, .. }: &Manifest) -> String {
    format!("{}, {} cores; ttlab {} ({})", machine.cpu, machine.cores, build.version, build.profile)
}

/// Returns a table of the articles, each with its experiments. The oldest article comes first.
/// Returns `None` if no page names an article.
fn articles_table(pages: &[Page]) -> Option<SheetTable> {
    let mut articles: Vec<(&Article, Vec<&str>)> = Vec::new();
    for page in pages {
        let Some(article) = &page.article else { continue };
        match articles.iter_mut().find(|(existing, _)| *existing == article) {
            Some((_, names)) => names.push(&page.manifest.name),
            None => articles.push((article, vec![&page.manifest.name])),
        }
    }
    articles.sort_by_key(|(article, _)| (article.year.unwrap_or(u16::MAX), &article.title));
    let entries = Entries::<(&Article, Vec<&str>)>::default()
        .text("title", "title", "", |(article, _)| Cell {
            link: safe_link(&article.link),
            ..Cell::text(&article.title)
        })
        .text("author", "author", "", |(article, _)| match article.author.as_str() {
            "" => Cell::empty("no author is named"),
            author => Cell::text(author),
        })
        .number("year", "year", "", |(article, _)| match article.year {
            None => Cell::empty("the year is unknown"),
            Some(year) => Cell::number(year.into(), year.to_string()),
        })
        .text("experiments", "experiments", "", |(_, names)| Cell::text(names.join(", ")));
    entries.table("articles", "The articles", &articles).non_empty()
}

/// Returns the link if it is safe to write into a page. A safe link is a web address without
/// characters that could end the link early. Returns an empty text if the link is not safe.
fn safe_link(link: &str) -> String {
    let is_safe = |c: char| c.is_ascii_graphic() && !"()<>\"'`".contains(c);
    let is_web = ["https://", "http://"].iter().any(|start| link.starts_with(start));
    if is_web && link.chars().all(is_safe) { link.to_owned() } else { String::new() }
}

/// Returns all verdicts with their pages.
fn all_verdicts(pages: &[Page]) -> impl Iterator<Item = (&Page, &Verdict)> {
    pages.iter().flat_map(|page| page.verdicts.iter().map(move |verdict| (page, verdict)))
}

/// Returns a cell with the experiment's name and a link to the experiment's section.
fn experiment_cell(page: &Page) -> Cell {
    let name = &page.manifest.name;
    Cell { link: format!("#{name}"), ..Cell::text(name) }
}

/// Returns a list of the published figures and claims that differ or are undecided, one sentence
/// each. Returns a single sentence if all of them hold.
fn unmet_claims_part(pages: &[Page]) -> Part {
    let sentences: Vec<String> = all_verdicts(pages)
        .filter(|(_, verdict)| verdict.kind == ClaimOrigin::Published && verdict.ruling != Ruling::Holds)
        .map(|(page, verdict)| {
            let [subject, word, _, figure, measured] = verdicts::verdict_texts(verdict);
            let subject = if subject == figure { String::new() } else { format!("{subject}: ") };
            format!("{}: {subject}{figure}: {word} ({measured})", page.manifest.name)
        })
        .collect();
    match sentences.is_empty() {
        true => Part::Prose("Every published figure and claim of these files held.".to_owned()),
        false => Part::List("What did not hold".to_owned(), sentences),
    }
}

/// Returns a table with a row for each experiment.
fn index_table(pages: &[Page]) -> SheetTable {
    // The index is 0 for verdicts that hold, 1 for verdicts that differ, and 2 for undecided ones.
    let ruling_cell = |index: usize| move |page: &Page| Cell::count(count_rulings(page.verdicts.iter())[index] as f64);
    let entries = Entries::<Page>::default()
        .text("experiment", "experiment", "", experiment_cell)
        .text("question", "question", "", |page| Cell::text(&page.manifest.question))
        .number("holds", "holds", "", ruling_cell(0))
        .number("differs", "differs", "", move |page| {
            let emphasis = if page.count_failed() > 0 { Emphasis::Failed } else { Emphasis::None };
            ruling_cell(1)(page).with_emphasis(emphasis)
        })
        .number("open", "undecided", "", ruling_cell(2));
    entries.table("experiments", "", pages)
}

/// Returns a table of the failed verdicts of all experiments.
fn failed_table(pages: &[Page]) -> Option<SheetTable> {
    let failed: Vec<_> = all_verdicts(pages).filter(|(_, verdict)| !verdict.passes()).collect();
    let entries =
        Entries::<(&Page, &Verdict)>::default().text("experiment", "experiment", "", |(page, _)| experiment_cell(page));
    verdicts::verdict_columns(entries, |(_, verdict)| verdict, |_| Emphasis::Failed)
        .table("missed", "Missed expectations", &failed)
        .non_empty()
}

/// Splits a verdict's subject into series, depth and figure. For `s, depth 4: nodes` these are
/// `s, `, `4` and `nodes`. The series is empty if the subject begins with the depth. Returns `None`
/// if the subject names no depth.
fn split_depth(verdict: &Verdict) -> Option<(&str, &str, &str)> {
    let after_series = verdict.subject.rfind(", depth ").map_or(0, |comma| comma + 2);
    let (series, depth_and_figure) = verdict.subject.split_at(after_series);
    let (depth, figure) = depth_and_figure.strip_prefix("depth ")?.split_once(": ")?;
    Some((series, depth, figure))
}

/// Returns a table of the verdicts of an experiment. Among consecutive verdicts with the same
/// outcome, the verdicts on one figure at many depths are folded into one row.
fn folded_verdicts(page: &Page) -> Option<SheetTable> {
    let table = verdicts::verdict_table(page)?;
    let figure_of = |index: usize| split_depth(&page.verdicts[index]).map(|(.., figure)| figure);
    let belong_together = |a: &Verdict, b: &Verdict| {
        a.passes()
            && b.passes()
            && a.word() == b.word()
            && a.source == b.source
            && split_depth(a).zip(split_depth(b)).is_some_and(|((series_a, ..), (series_b, ..))| series_a == series_b)
    };
    let mut rows = Vec::new();
    let indices: Vec<usize> = (0..page.verdicts.len()).collect();
    for chunk in indices.chunk_by(|&a, &b| belong_together(&page.verdicts[a], &page.verdicts[b])) {
        let mut remaining = chunk.to_vec();
        while let Some(&first) = remaining.first() {
            let (same_figure, others): (Vec<usize>, _) =
                remaining.into_iter().partition(|&index| figure_of(index) == figure_of(first));
            remaining = others;
            match (split_depth(&page.verdicts[first]), same_figure.as_slice()) {
                (Some((series, depth, figure)), [_, .., last]) if same_figure.len() > MAX_UNFOLDED => {
                    let last_depth = split_depth(&page.verdicts[*last]).map_or("", |(_, depth, _)| depth);
                    let mut row = table.rows[first].clone();
                    row[0].text =
                        format!("{series}depth {depth} to {last_depth}: {figure} ({} figures)", same_figure.len());
                    // Column 3 has the figure or claim, and column 4 has what was measured.
                    for column in [3, 4] {
                        row[column].text = format!("{} ... {}", row[column].text, table.rows[*last][column].text);
                    }
                    rows.push(row);
                }
                _ => rows.extend(same_figure.iter().map(|&index| table.rows[index].clone())),
            }
        }
    }
    Some(SheetTable::new(&table.key, "", table.columns, rows))
}

/// Makes the page for a terminal. It has the verdicts of each experiment without their sources,
/// followed by the tally and the failed verdicts.
pub fn terminal_sheet(pages: &[Page]) -> Sheet {
    let mut parts = Vec::new();
    for page in pages {
        let [holds, differs, undecided] = count_rulings(page.verdicts.iter());
        let Manifest { name, question, .. } = &page.manifest;
        let heading = format!("{name} ({holds} hold, {differs} differ, {undecided} undecided): {question}");
        parts.push(Part::Heading(heading));
        // The source is the sixth column.
        let without_sources = |table: SheetTable| table.select_columns(&[0, 1, 2, 3, 4]);
        parts.extend(folded_verdicts(page).map(without_sources).map(Part::Table));
    }
    let verdicts = pages.iter().flat_map(|page| &page.verdicts);
    parts.push(Part::Findings(vec![format!("Verdicts: {}", verdicts::tally(verdicts))]));
    parts.extend(failed_table(pages).map(Part::Table));
    Sheet { kind: "published".to_owned(), name: String::new(), parts }
}

#[cfg(test)]
mod tests {
    use super::verdicts::tests::verdict;
    use super::*;
    use crate::experiment::expect::ExpectedVerdict;
    use crate::record::manifest::Manifest;
    use Ruling::{Differs, Holds, Undecided};

    fn page(name: &str, verdicts: Vec<Verdict>) -> Page {
        let manifest = Manifest { name: name.to_owned(), question: format!("{name}?"), ..Manifest::default() };
        Page { manifest, verdicts, ..Page::default() }
    }

    fn texts(table: &SheetTable) -> Vec<String> {
        let describe_row = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | ");
        table.rows.iter().map(describe_row).collect()
    }

    #[test]
    fn articles_are_sorted_by_year_then_title() {
        let page_with_article = |name: &str, title: &str, year: Option<u16>, link: &str| {
            let article = Article { title: title.to_owned(), author: String::new(), year, link: link.to_owned() };
            Page { article: Some(article), ..page(name, Vec::new()) }
        };
        let link = "https://example.org/a";
        let pages = [
            page_with_article("e1", "undated", None, "javascript:alert(1)"),
            page_with_article("e2", "a a late", Some(2001), "https://example.org/a)b"),
            page_with_article("e3", "b early", Some(1990), link),
            page("none", Vec::new()),
            page_with_article("e4", "a a late", Some(2001), "https://example.org/a)b"),
            page_with_article("e5", "a early", Some(1990), "http://example.org"),
        ];
        let table = articles_table(&pages).unwrap();
        assert_eq!(
            texts(&table),
            [
                "a early | - | 1990 | e5",
                "b early | - | 1990 | e3",
                "a a late | - | 2001 | e2, e4",
                "undated | - | - | e1"
            ]
        );
        let links: Vec<&str> = table.rows.iter().map(|row| row[0].link.as_str()).collect();
        assert_eq!(links, ["http://example.org", link, "", ""]);
        assert_eq!(articles_table(&pages[3..4]), None);
    }

    #[test]
    fn unmet_claims_part_lists_published_claims_only() {
        let asked = Verdict { kind: ClaimOrigin::Asked, ..verdict("asked", ExpectedVerdict::Holds, Differs) };
        let claim = Verdict { published: "a < b".to_owned(), ..verdict("a < b", ExpectedVerdict::Holds, Undecided) };
        let pages = [
            page(
                "one",
                vec![verdict("x", ExpectedVerdict::Differs, Differs), verdict("y", ExpectedVerdict::Holds, Holds)],
            ),
            page("two", vec![asked, claim, verdict("z", ExpectedVerdict::Either, Holds)]),
        ];
        let Part::List(title, lines) = unmet_claims_part(&pages) else { panic!("a list") };
        assert_eq!(title, "What did not hold");
        assert_eq!(lines, ["one: x: 90: differs (expected) (91)", "two: a < b: undecided (91)"]);
        assert!(matches!(unmet_claims_part(&pages[..0]), Part::Prose(_)));
        assert_eq!(texts(&index_table(&pages)), ["one | one? | 1 | 1 | 0", "two | two? | 1 | 1 | 1"]);
        let marks: Vec<Emphasis> = index_table(&pages).rows.iter().map(|row| row[3].emphasis).collect();
        assert_eq!(marks, [Emphasis::None, Emphasis::Failed]);
        let single = [page("one", vec![verdict("x", ExpectedVerdict::Holds, Differs)])];
        assert_eq!(index_table(&single).rows[0][3].emphasis, Emphasis::Failed);
        let missed = texts(&failed_table(&pages).unwrap());
        assert_eq!(
            missed,
            ["two | asked | differs | asked | 90 | 91", "two | a < b | undecided | published | a < b | 91"]
        );
        assert_eq!(failed_table(&pages[..1]), None);
        // The terminal page ends with the tally, followed by the failed verdicts if there are any.
        let [.., Part::Findings(sum), Part::Table(failures)] = &terminal_sheet(&pages).parts[..] else {
            panic!("a sum and a table")
        };
        let tally = "Verdicts: 2 hold, 2 differ, 1 undecided; 2 of 4 expected outcomes met.";
        assert_eq!((sum.as_slice(), texts(failures)), (&[tally.to_owned()][..], missed));
        // The page begins with the failed verdicts, and then has a section for each experiment.
        let part_kind = |part: &Part| match part {
            Part::Heading(text) | Part::List(text, _) | Part::Question(text) => text.clone(),
            Part::Table(table) => table.key.clone(),
            Part::Prose(text) if text == ABOUT => "about".to_owned(),
            Part::Prose(text) => text.split(';').next().unwrap_or_default().to_owned(),
            _ => "?".to_owned(),
        };
        let parts: Vec<String> = sheet(&pages).parts.iter().map(part_kind).collect();
        assert_eq!(parts[..4], ["What did not hold", "missed", "about", "experiments"]);
        let sections = [
            "one",
            "one?",
            "verdicts",
            "[All figures](one/report.md)",
            "two",
            "two?",
            "verdicts",
            "[All figures](two/report.md)",
        ];
        assert_eq!(parts[4..], [&sections[..], &["Machine"]].concat());
        // The heading of each experiment has its name, counts and question.
        let parts: Vec<String> = terminal_sheet(&pages).parts[..4]
            .iter()
            .map(|part| match part {
                Part::Heading(text) => text.clone(),
                Part::Table(table) => {
                    table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(" | ")
                }
                _ => String::new(),
            })
            .collect();
        let columns = "what | verdict | by | figure or claim | measured";
        let heads = ["one (1 hold, 1 differ, 0 undecided): one?", "two (1 hold, 1 differ, 1 undecided): two?"];
        assert_eq!(parts, [heads[0], columns, heads[1], columns]);
        let [.., Part::Table(_), Part::Findings(sum)] = &terminal_sheet(&pages[..1]).parts[..] else {
            panic!("a sum alone")
        };
        let tally = "Verdicts: 1 hold, 1 differ, 0 undecided; 2 of 2 expected outcomes met.";
        assert_eq!(sum.as_slice(), [tally]);
    }

    #[test]
    fn runs_of_four_equal_verdicts_are_folded() {
        let verdict_at = |series: &str, depth: usize| Verdict {
            published: format!("p{depth}"),
            measured: format!("m{depth}"),
            ..verdict(&format!("{series}, depth {depth}: nodes"), ExpectedVerdict::Holds, Holds)
        };
        let make_verdicts = |series: &str, depths: std::ops::Range<usize>| {
            depths.map(|depth| verdict_at(series, depth)).collect::<Vec<_>>()
        };
        let folded_rows = |verdicts: Vec<Verdict>| {
            let table = folded_verdicts(&page("x", verdicts)).unwrap();
            let describe_row = |row: &Vec<Cell>| [0, 3, 4].map(|column| row[column].text.as_str()).join(" | ");
            table.rows.iter().map(describe_row).collect::<Vec<_>>()
        };
        assert_eq!(folded_rows(make_verdicts("s", 1..4)).len(), 3);
        let one_row = "s, depth 1 to 4: nodes (4 figures) | p1 ... p4 | m1 ... m4";
        assert_eq!(folded_rows(make_verdicts("s", 1..5)), [one_row]);
        assert_eq!(folded_rows([make_verdicts("s", 1..5), make_verdicts("t", 1..3)].concat()).len(), 3);
        let without_series =
            |depth: usize| Verdict { subject: format!("depth {depth}: nodes"), ..verdict_at("", depth) };
        assert_eq!(
            folded_rows((1..5).map(without_series).collect()),
            ["depth 1 to 4: nodes (4 figures) | p1 ... p4 | m1 ... m4"]
        );
        // Two figures at each depth make two rows; a third figure has too few verdicts to be
        // folded.
        let hits_verdict = |depth: usize| Verdict {
            subject: format!("s, depth {depth}: hits"),
            published: "h".to_owned(),
            ..verdict_at("s", depth)
        };
        let mixed = (1..5)
            .flat_map(|depth| [verdict_at("s", depth), hits_verdict(depth)])
            .chain([Verdict { subject: "s, depth 9: score".to_owned(), ..verdict_at("s", 9) }]);
        let hits_row = "s, depth 1 to 4: hits (4 figures) | h ... h | m1 ... m4";
        assert_eq!(folded_rows(mixed.collect()), [one_row, hits_row, "s, depth 9: score | p9 | m9"]);
        let count_rows = |edit: &dyn Fn(&mut Verdict)| {
            let mut verdicts = make_verdicts("s", 1..6);
            edit(&mut verdicts[2]);
            folded_rows(verdicts).len()
        };
        assert_eq!(count_rows(&|_| {}), 1);
        assert_eq!(count_rows(&|verdict| verdict.source = "p. 10".to_owned()), 5);
        assert_eq!(count_rows(&|verdict| verdict.ruling = Differs), 5);
        assert_eq!(count_rows(&|verdict| (verdict.expected, verdict.ruling) = (ExpectedVerdict::Differs, Differs)), 5);
        assert_eq!(count_rows(&|verdict| verdict.subject = "s".to_owned()), 5);
        // A failed verdict is never folded, even if its outcome equals that of its neighbours.
        let mut differing: Vec<Verdict> = make_verdicts("s", 1..6)
            .into_iter()
            .map(|verdict| Verdict { expected: ExpectedVerdict::Either, ruling: Differs, ..verdict })
            .collect();
        assert_eq!(folded_rows(differing.clone()).len(), 1);
        differing[2].expected = ExpectedVerdict::Holds;
        assert_eq!(folded_rows(differing).len(), 5);
        let failed = make_verdicts("s", 1..6).into_iter().map(|verdict| Verdict { ruling: Differs, ..verdict });
        assert_eq!(folded_rows(failed.collect()).len(), 5);
    }
}
