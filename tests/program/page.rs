//! The report as a reader sees it: the page in a browser, its contents, and that no text from a
//! file becomes markup.

use crate::common::{run, scratch, skip};
use std::fs;
use std::path::Path;

/// Markup in every place where text from the file can appear.
const HOSTILE: &str = r#"
name = "trial"
question = "<script>document.title='question'</script> | `code` & more?"
analysis = "<img src=x onerror=\"document.title='analysis'\">"
suite = "data/bratko-kopec.epd"
first = 6
limit = { depth = 4 }
seeds = 3
baseline = { variant = "<script>document.title='name'</script>\"&'" }
[grid]
"table.size" = [256, 1024, 4096]
"table.policy" = ["always", "depth-preferred"]
[[variant]]
name = "<script>document.title='name'</script>\"&'"
table.kind = "none"
[[expect]]
claim = "nodes(size=4096, policy=always) < nodes(size=256, policy=always)"
source = "</td><script>document.title='source'</script>"
"#;

fn hostile(folder: &Path) -> String {
    let file = folder.join("trial.toml");
    fs::write(&file, HOSTILE).unwrap();
    let out = folder.join("out");
    let (_, stderr, code) = run(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--quiet"]);
    assert_eq!(code, 0, "{stderr}");
    out.to_str().unwrap().to_owned()
}

/// The command of an installed Chromium, or none, which is reported as a skip.
pub fn chromium() -> Option<&'static str> {
    let known = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let starts = |name: &&str| {
        let output = std::process::Command::new(name).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    let found = known.into_iter().find(starts);
    if found.is_none() {
        skip("browser", "Chromium is not installed: no page was rendered (apt-get install chromium)");
    }
    found
}

/// The page's DOM after loading the page and running its scripts.
fn rendered(browser: &str, page: &Path, profile: &Path) -> String {
    rendered_at(browser, page, profile, 800)
}

/// The same in a window of the given width.
pub fn rendered_at(browser: &str, page: &Path, profile: &Path, width: u32) -> String {
    let output = std::process::Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000"])
        .arg(format!("--window-size={width},1000"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Adds a script to the end of the page that checks in the browser what a reader would notice: does
/// the page fit the window, can the tables be sorted? Returns the answers and the DOM, or none
/// without a browser.
fn probed(folder: &Path, page: &Path, column: usize) -> Option<(serde_json::Value, String)> {
    let browser = chromium()?;
    let probe = "<script>addEventListener('load', () => {
        const table = document.querySelector('main > .scroll > table'), head = table.querySelectorAll('th')[COLUMN];
        const column = () => [...table.querySelectorAll('tbody tr')].map(row => row.children[COLUMN].textContent);
        (head.querySelector('button') || head).click();
        const sorted = column().map(text => Number(text.replace(/,/g, '')));
        const rising = sorted.every((value, at) => at === 0 || sorted[at - 1] <= value);
        const falling = sorted.every((value, at) => at === 0 || sorted[at - 1] >= value);
        const out = document.createElement('output');
        out.id = 'probe';
        out.textContent = JSON.stringify({
            sorted: rising || falling, rows: sorted.length,
            wide: document.documentElement.scrollWidth > innerWidth,
            indented: [...document.querySelectorAll('.tools')].filter(tools => {
                const first = [...tools.children].find(child => child.offsetWidth);
                return first && first.getBoundingClientRect().left > tools.getBoundingClientRect().left + 1;
            }).length,
            scripts: document.title, requests: performance.getEntriesByType('resource').length,
            figures: document.querySelectorAll('figure svg, svg[role=img]').length,
            tips: document.querySelectorAll('svg title').length,
        });
        document.body.append(out);
    });</script>";
    let path = folder.join("probed.html");
    fs::write(&path, fs::read_to_string(page).unwrap() + &probe.replace("COLUMN", &column.to_string())).unwrap();
    let dom = rendered(browser, &path, &folder.join("profile"));
    let found = dom.split("<output id=\"probe\">").nth(1).and_then(|rest| rest.split("</output>").next());
    let found: serde_json::Value = serde_json::from_str(found.unwrap_or_else(|| panic!("no answer in {dom}"))).unwrap();
    assert_eq!(found["sorted"], true, "{found}");
    assert_eq!(found["wide"], false, "{found}");
    assert_eq!(found["indented"], 0, "buttons begin where the text does: {found}");
    assert_eq!(found["requests"], 0, "{found}");
    Some((found, dom))
}

#[test]
fn browser_shows_the_page() {
    let folder = scratch();
    let out = hostile(folder.path());
    let Some((found, dom)) = probed(folder.path(), &Path::new(&out).join("report.html"), 3) else { return };
    assert_eq!(found["rows"], 7, "{found}");
    assert!(found["figures"].as_u64().unwrap() >= 6, "{found}");
    assert!(found["tips"].as_u64().unwrap() >= 20, "{found}");
    assert_eq!(found["scripts"], "trial - ttlab", "markup from the file ran: {found}");
    for heading in ["Summary", "Nodes by depth", "Each option by itself", "3 key seeds", "Verdicts"] {
        assert!(dom.contains(heading), "{heading}");
    }
}

#[test]
fn page_loads_no_other_file_and_no_foreign_script() {
    let folder = scratch();
    let out = hostile(folder.path());
    let html = fs::read_to_string(Path::new(&out).join("report.html")).unwrap();
    for foreign in ["<script>document", "<img src=x", "</td><script>"] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    for request in ["src=\"", "href=\"http", "url(", "@import", "fetch("] {
        assert!(!html.contains(request), "{request}");
    }
    assert!(html.contains("prefers-color-scheme:dark"));
    let markdown = fs::read_to_string(Path::new(&out).join("report.md")).unwrap();
    assert!(!markdown.contains("<script>"), "{markdown}");
    assert!(!markdown.contains("<img"), "{markdown}");
    let mut figures: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".svg"))
        .collect();
    figures.sort();
    for figure in ["map", "ratio", "size-ratio", "size-usable"] {
        let name = format!("{figure}.svg");
        assert!(figures.contains(&name), "{name} of {figures:?}");
        assert!(markdown.contains(&format!("({name})")), "{name} of {figures:?}");
        let svg = fs::read_to_string(Path::new(&out).join(&name)).unwrap();
        assert!(!svg.contains("<script"), "{name}");
    }
}

/// The classical table of a thesis, depth by algorithm, with the numbers of the rows, in every
/// format.
#[test]
fn pivot_makes_the_classical_table() {
    let folder = scratch();
    let [file, out] = ["t.toml", "out"].map(|name| folder.path().join(name).display().to_string());
    let text = "suite = { startpos = true }\nlimit = { depth = 4 }\n[engine]\npreset = 'purple'\n\
                [[variant]]\nname = 'minimax'\nalgorithm = 'minimax'\n'limit.depth' = 3\n[[variant]]\nname = 'alpha-beta'\n";
    fs::write(&file, text).unwrap();
    let (_, stderr, code) = run(&["run", &file, "--out", &out]);
    assert_eq!(code, 0, "{stderr}");
    let report = |args: &[&str]| run(&[&["report", out.as_str()][..], args].concat());
    // The published counts of both columns.
    let (wide, stderr, code) = report(&["--pivot", "depth", "--metric", "evals", "--format", "csv", "--wide"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(wide, "depth,minimax,alpha-beta\n1,20,20\n2,400,39\n3,8902,524\n4,,1229\n");
    let (latex, _, code) = report(&["--pivot", "depth", "--metric", "evals", "--format", "latex"]);
    assert_eq!(code, 0, "{latex}");
    assert!(latex.contains("3 & 8,902 & 524 \\\\"), "{latex}");
    assert!(latex.contains("\\toprule"), "{latex}");
    let (text, _, _) = report(&["--pivot", "depth", "--metric", "evals"]);
    assert!(text.lines().any(|line| line.split_whitespace().collect::<Vec<_>>() == ["3", "8,902", "524"]), "{text}");
    // With a single position, the page has this table by default.
    let html = fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert!(html.contains("Evaluations by depth"));
    let (several, _, _) = report(&["--metric", "evals", "--metric", "nps", "--format", "html"]);
    assert!(several.contains("<figure id=\"ratio\""), "a figure for each metric");
    assert!(several.contains("<figure id=\"ratio-nps\""), "a figure for each metric");
    let empty = report(&["--metric", "eviction_rate", "--format", "md"]).0;
    assert!(empty.contains("no figure of eviction\\_rate"), "{empty}");
}

#[test]
fn strict_refuses_an_experiment_that_cannot_show_its_effect() {
    let folder = scratch();
    let file = folder.path().join("blind.toml");
    let out = folder.path().join("out");
    let strict = |text: &str| {
        fs::write(&file, text).unwrap();
        let out = out.to_str().unwrap();
        run(&["run", file.to_str().unwrap(), "--out", out, "--strict", "--fresh"])
    };
    let head = "name = 'blind'\nsuite = 'data/bratko-kopec.epd'\n";
    // Detected before the run: aging when no entry can grow old, and too few positions.
    let aging = format!("{head}limit = {{ depth = 2 }}\n[grid]\n'table.refresh' = ['never', 'match']\n");
    let few = format!("{head}first = 3\nlimit = {{ depth = 2 }}\n[grid]\n'table.size' = [256, 512]\n");
    for (text, message) in [(&aging, "aging is invisible"), (&few, "3 positions are too few")] {
        let (_, stderr, code) = strict(text);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(message), "{stderr}");
        assert!(!out.join("results.csv").exists(), "nothing was to be run");
    }
    // Detected only after the run: a table that stayed nearly empty.
    let roomy = format!("{head}limit = {{ depth = 2 }}\n[grid]\n'table.policy' = ['always', 'depth-preferred']\n");
    let (_, stderr, code) = strict(&roomy);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("no pressure"), "{stderr}");
    assert!(out.join("results.csv").exists(), "the rows are kept");
}

/// Copying and saving in the browser: a table as CSV with all digits, a figure as SVG and as PNG
/// with its own colours.
#[test]
fn browser_copies_tables_and_saves_figures() {
    let folder = scratch();
    let out = hostile(folder.path());
    let Some(browser) = chromium() else { return };
    let probe = "<script>addEventListener('load', async () => {
        const saved = {};
        HTMLAnchorElement.prototype.click = function () { saved[this.download] = this.href; };
        let copied = '';
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { copied = text; } } });
        const press = (inside, text) => [...inside.querySelectorAll('button')].find(button => button.textContent === text).click();
        const summary = document.getElementById('summary');
        press(summary.parentElement.previousElementSibling, 'copy as CSV');
        const ratio = document.getElementById('ratio');
        press(ratio, 'SVG');
        press(ratio, 'PNG');
        for (let turn = 0; turn < 100 && !saved['ratio.png']; turn++) await new Promise(done => setTimeout(done, 20));
        const svg = new DOMParser().parseFromString(decodeURIComponent((saved['ratio.svg'] || '').split(',').slice(1).join(',')), 'image/svg+xml');
        const png = document.createElement('img');
        png.src = saved['ratio.png'];
        await png.decode();
        const links = [...document.querySelectorAll('nav a')].map(link => link.getAttribute('href').slice(1));
        const out = document.createElement('output');
        out.id = 'probe';
        out.textContent = JSON.stringify({ copied, style: svg.querySelector('style').textContent.includes('--s1'), marks: svg.querySelectorAll('line').length,
            wide: png.width, links: links.length, dead: links.filter(id => !document.getElementById(id)) });
        document.body.append(out);
    });</script>";
    let path = folder.path().join("probed.html");
    fs::write(&path, fs::read_to_string(format!("{out}/report.html")).unwrap() + probe).unwrap();
    // The browser's clock runs ahead of its threads that paint the figure, which may be late.
    let attempts = (0..8).find_map(|attempt| {
        let dom = rendered(browser, &path, &folder.path().join(format!("profile-{attempt}")));
        Some(dom.split_once("<output id=\"probe\">")?.1.split_once("</output>")?.0.to_owned())
    });
    let found = attempts
        .unwrap_or_else(|| panic!("no answer in eight attempts"))
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    let copied = found["copied"].as_str().unwrap();
    let mut lines = csv::Reader::from_reader(copied.as_bytes());
    let head: Vec<String> = lines.headers().unwrap().iter().map(str::to_owned).collect();
    assert!(head.contains(&"95 % low".to_owned()), "{head:?}");
    assert!(head.contains(&"95 % high".to_owned()), "{head:?}");
    let nodes = head.iter().position(|name| name == "nodes").unwrap();
    let rows: Vec<csv::StringRecord> = lines.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 7, "{copied}");
    assert!(rows.iter().all(|row| row[nodes].parse::<u64>().is_ok()), "numbers without separators: {copied}");
    assert_eq!((found["style"].as_bool(), found["wide"].as_u64()), (Some(true), Some(1720)), "{found}");
    assert!(found["marks"].as_u64() > Some(5), "{found}");
    assert_eq!(found["dead"], serde_json::json!([]), "{found}");
    assert!(found["links"].as_u64() > Some(10), "{found}");
}

/// Two results with two variants, only one of which changed: the checkbox leaves only that one in
/// the table and in the copied text.
#[test]
fn browser_shows_only_the_variants_that_differ() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, size) in [("a", 64), ("b", 128)] {
        let text = format!(
            "suite = 'data/bratko-kopec.epd'\nfirst = 3\nlimit = {{ depth = 3 }}\n[[variant]]\nname = 'moved'\n'table.size' = {size}\n\
             [[variant]]\nname = 'same'\n'table.size' = 256\n"
        );
        fs::write(path("t.toml"), text).unwrap();
        assert_eq!(run(&["run", &path("t.toml"), "--out", &path(name)]).2, 0);
    }
    let page = path("compare.html");
    let (_, stderr, code) = run(&["compare", &path("a"), &path("b"), "--html", &page]);
    assert_eq!(code, 0, "{stderr}");
    let Some(browser) = chromium() else { return };
    let probe = "<script>addEventListener('load', () => {
        const table = document.getElementById('variants');
        const shown = () => [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => row.cells[0].textContent);
        const all = shown();
        [...document.querySelectorAll('label')].find(label => label.textContent === 'only rows that differ').click();
        const out = document.createElement('output');
        out.id = 'probe';
        out.textContent = JSON.stringify([all, shown()]);
        document.body.append(out);
    });</script>";
    fs::write(&page, fs::read_to_string(&page).unwrap() + probe).unwrap();
    let dom = rendered(browser, Path::new(&page), &folder.path().join("profile"));
    let found = dom.split("<output id=\"probe\">").nth(1).and_then(|rest| rest.split("</output>").next());
    assert_eq!(found, Some(r#"[["moved","same"],["moved"]]"#), "{dom}");
}

/// With three key seeds, ratios with an interval are means over all seeds.
#[test]
fn ratios_are_means_over_all_key_seeds() {
    let folder = scratch();
    let out = hostile(folder.path());
    let (stdout, _, _) = run(&["report", &out, "--format", "json"]);
    let page: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert!(stdout.contains("counts, shares and single searches are those under the first"), "{stdout}");
    let part = |key: &str| page["parts"].as_array().unwrap().iter().find(|part| part["key"] == key).unwrap();
    let mut reader = csv::Reader::from_path(format!("{out}/results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let mut nodes: std::collections::BTreeMap<(String, String), f64> = Default::default();
    for row in reader.records().map(Result::unwrap) {
        let search = (row[at("variant")].to_owned(), row[at("position")].to_owned());
        *nodes.entry(search).or_default() += row[at("search.nodes")].parse::<f64>().unwrap();
    }
    let small = "size=256, policy=always";
    let nodes_of = |variant: &str, position: &str| nodes[&(variant.to_owned(), position.to_owned())];
    let base = nodes.keys().map(|(name, _)| name).find(|name| name.contains("<script>")).unwrap();
    // The summary's ratio is the geometric mean over positions of the means over seeds.
    let logs = |seed: &str| -> f64 {
        let searches = nodes.iter().filter(|((variant, _), _)| *variant == format!("{small}{seed}"));
        let logs = searches.map(|((_, position), nodes)| (nodes / nodes_of(&format!("{base}{seed}"), position)).ln());
        logs.sum::<f64>() / 6.0
    };
    let seeds: std::collections::BTreeSet<&str> =
        nodes.keys().filter_map(|(variant, _)| variant.strip_prefix(small)).collect();
    assert_eq!(seeds.len(), 3);
    let expected = (seeds.into_iter().map(logs).sum::<f64>() / 3.0).exp();
    let summary = part("summary")["rows"].as_array().unwrap();
    let line = summary.iter().find(|row| row["size"] == "256" && row["policy"] == "always").unwrap();
    let found = line["ratio"].as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "found {found}, wanted {expected}");
}

/// Numeric values are sorted as numbers, whatever their order in the rows, and the page says how
/// many key seeds there are.
#[test]
fn groups_are_sorted_numerically_and_seeds_are_counted() {
    let folder = scratch();
    let file = folder.path().join("seeds.csv");
    let mut text = "variant,position,table.slots,keys.seed,repeat,depth,search.nodes\n".to_owned();
    for (slots, nodes) in [(4, 100), (16, 300), (1, 200)] {
        for position in 0..6 {
            text += &format!("s{slots},p{position},{slots},1,0,5,{}\n", nodes + position);
            text += &format!("\"s{slots}, key seed 2\",p{position},{slots},2,0,5,{}\n", nodes + 2 * position);
        }
    }
    fs::write(&file, text).unwrap();
    let read = |args: &[&str]| {
        let (stdout, stderr, code) = run(&[&["report", file.to_str().unwrap()], args].concat());
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let page = read(&["--format", "json"]);
    assert!(page.contains("Every variant was searched under 2 key seeds"), "{page}");
    let html = read(&["--by", "table.slots", "--format", "html"]);
    for (value, place) in [("1", 0), ("4 *", 1), ("16", 2)] {
        assert!(html.contains(&format!("data-v=\"{place}\">{value}<")), "{value}: {html}");
    }
}
