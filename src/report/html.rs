//! `report.html`: one file that needs nothing else. Light and dark, tables that sort, figures with tooltips, no request to anywhere.

use super::Page;
use super::figure::Figure;
use super::markdown::origins;
use super::svg::{COLOURS, STYLE};
use super::table::{self, Mark, Table};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Widths in pixels of a figure on a desk and on a phone.
const WIDTHS: (f64, f64) = (860.0, 360.0);

/// The page's own style.
const PAGE: &str = "\
*{box-sizing:border-box}html{color-scheme:light dark}\
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\
main{max-width:900px;margin:0 auto;padding:24px 20px 64px}\
h1{font-size:1.7rem;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:40px 0 8px}\
.question{font-size:1.1rem;color:var(--faint);margin:0 0 16px}p{margin:8px 0}\
.findings{background:var(--panel);border-radius:8px;padding:12px 16px 12px 34px;margin:16px 0}.findings li{margin:4px 0}\
.warning{border-left:4px solid var(--bad);background:var(--panel);border-radius:0 8px 8px 0;padding:8px 14px;margin:8px 0}\
.note,figcaption{color:var(--faint);font-size:.88rem}\
.scroll{overflow-x:auto;margin:8px 0}\
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;width:100%}\
th,td{padding:5px 8px;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}\
th.t,td.t{text-align:left;white-space:normal;min-width:9em;overflow-wrap:anywhere}td.w{min-width:14em}\
th{color:var(--faint);font-weight:600;position:sticky;top:0;background:var(--page)}\
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--s1);border-radius:2px}\
th[aria-sort=ascending] button::after{content:' \\2191'}th[aria-sort=descending] button::after{content:' \\2193'}\
tbody tr:hover{background:var(--panel)}\
.less{color:var(--s1);font-weight:600}.more{color:var(--s2);font-weight:600}.failed{color:var(--bad);font-weight:600}.passed{color:var(--good)}\
figure{margin:24px 0}figure svg{display:block;max-width:100%;height:auto}.narrow{display:none}\
details{margin:8px 0}summary{cursor:pointer}pre{overflow-x:auto;background:var(--panel);padding:12px;border-radius:8px;font-size:.8rem}\
@media (max-width:640px){main{padding:16px 14px 48px}h1{font-size:1.4rem}.wide{display:none}.narrow{display:block}\
th,td{padding:5px 6px}th.t,td.t{min-width:7em}th.t:first-child,td.t:first-child{min-width:11em}}\
@media print{.narrow{display:none}.wide{display:block}}";

/// Sorting: a click on a heading, a second one turns it round. Fields without a number go last.
const SORT: &str = "\
for(const table of document.querySelectorAll('table')){const body=table.tBodies[0];\
table.querySelectorAll('th button').forEach((button,at)=>button.addEventListener('click',()=>{\
const head=button.parentElement,down=head.getAttribute('aria-sort')==='ascending';\
table.querySelectorAll('th').forEach(th=>th.removeAttribute('aria-sort'));\
head.setAttribute('aria-sort',down?'descending':'ascending');\
const key=row=>{const cell=row.cells[at];return cell.dataset.v===undefined?null:Number(cell.dataset.v)};\
const words=![...body.rows].some(row=>key(row)!==null);\
[...body.rows].sort((a,b)=>{if(words){const order=a.cells[at].textContent.localeCompare(b.cells[at].textContent,'en',{numeric:true});\
return down?-order:order}const x=key(a),y=key(b);if(x===null||y===null)return(x===null)-(y===null);return down?y-x:x-y})\
.forEach(row=>body.append(row))}))}";

/// Nothing may be fetched, whatever a file says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Renders the page.
#[must_use]
pub fn render(page: &Page) -> String {
    let manifest = &page.manifest;
    let figures = |names: &[&str]| -> Markup {
        let shown = page.figures.iter().filter(|figure| names.iter().any(|name| figure.file.starts_with(name)));
        html! { @for figure in shown { (draw(figure)) } }
    };
    let body = html! {
        (head(&manifest.name, &manifest.question, &page.analysis, &page.findings, &page.warnings))
        (show(&table::summary(page)))
        (figures(&["ratio", "nodes-by-depth"]))
        @if let Some(grid) = &page.grid {
            (show(&table::effects(grid)))
            (figures(&["size", "response", "map"]))
            @if let Some(table) = table::interactions(grid) { (show(&table)) }
        }
        @if let Some(table) = table::anatomy(page) {
            (show(&table))
            (figures(&["anatomy"]))
        }
        (show(&table::details(page)))
        (figures(&["positions"]))
        @for table in [table::seeds(page), table::verdicts(page)].iter().flatten() { (show(table)) }
        h2 { "How it was made" }
        ul { @for line in origins(page) { li { (line) } } }
        (options(page))
    };
    document(&manifest.name, &body)
}

/// What stands at the top of a page: the name, the question, the author's words, the findings and what to beware of.
#[must_use]
pub fn head(name: &str, question: &str, analysis: &str, findings: &[String], warnings: &[String]) -> Markup {
    html! {
        h1 { (name) }
        @if !question.is_empty() { p.question { (question) } }
        @for paragraph in analysis.split("\n\n").filter(|text| !text.trim().is_empty()) { p { (paragraph) } }
        @if !findings.is_empty() {
            ul.findings { @for finding in findings { li { (finding) } } }
        }
        @for warning in warnings { p.warning { strong { "Warning: " } (warning) } }
    }
}

/// A whole document.
#[must_use]
pub fn document(name: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content=(concat!("ttlab ", env!("CARGO_PKG_VERSION")));
                title { (name) " - ttlab" }
                style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) (PreEscaped(PAGE)) }
            }
            body {
                main { (body) }
                script { (PreEscaped(SORT)) }
            }
        }
    }
    .into_string()
}

/// A figure twice: for a desk and for a phone.
#[must_use]
pub fn draw(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.file) {
            h2 { (figure.title) }
            div.wide { (PreEscaped(figure.render(WIDTHS.0, false))) }
            div.narrow { (PreEscaped(figure.render(WIDTHS.1, false))) }
            figcaption { (figure.caption) }
        }
    }
}

/// A table with its heading and note.
#[must_use]
pub fn show(table: &Table) -> Markup {
    let class = |at: usize| if at < table.texts { "t" } else { "" };
    html! {
        h2 { (table.title) }
        div.scroll {
            table {
                thead {
                    tr {
                        @for (at, (name, meaning)) in table.columns.iter().enumerate() {
                            th class=(class(at)) title=[Some(meaning).filter(|meaning| !meaning.is_empty())] {
                                button type="button" { (name) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                td class={ (class(at)) (long(&cell.text, at, table)) (mark(cell.mark)) } data-v=[cell.value] { (cell.text) }
                            }
                        }
                    }
                }
            }
        }
        @if !table.note.is_empty() { p.note { (table.note) } }
    }
}

/// Long sentences get room.
fn long(text: &str, at: usize, table: &Table) -> &'static str {
    if at < table.texts && text.chars().count() > 60 { " w" } else { "" }
}

fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::None => "",
        Mark::Less => " less",
        Mark::More => " more",
        Mark::Failed => " failed",
        Mark::Passed => " passed",
    }
}

/// Every option of every variant, folded away.
fn options(page: &Page) -> Markup {
    html! {
        @for (name, options) in page.manifest.options.iter().take(200) {
            details {
                summary { "Options of " (name) }
                pre { (serde_json::to_string_pretty(options).unwrap_or_default()) }
            }
        }
    }
}
