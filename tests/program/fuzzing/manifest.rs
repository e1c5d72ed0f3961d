//! Fuzz target: any manifest with any rows gives a report in three formats, or a message. No markup
//! from either reaches the page.

use ttlab::internals::record::manifest::Manifest;
use ttlab::internals::report;

/// Seals a manifest of these rows, so that the input reaches the page.
fn seal(manifest: &[u8], rows: &[u8]) -> Option<Vec<u8>> {
    let header = rows.split(|&byte| byte == b'\n').next().map(String::from_utf8_lossy)?.into_owned();
    let mut manifest: Manifest = serde_json::from_slice(manifest).ok()?;
    (manifest.sealed.header, manifest.run.ended) = (header, None);
    manifest.to_text().ok().map(String::into_bytes)
}

/// Tests one input.
pub fn run(data: &[u8]) {
    let at = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    let (manifest, rows) = (&data[..at], data.get(at + 1..).unwrap_or_default());
    let base = std::path::Path::new("/dev/shm");
    let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
    let folder = base.join(format!("ttlab-fuzz-manifest-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let experiment: &[u8] = b"suite = { startpos = true }\nlimit = { depth = 2 }\n";
    let manifest = seal(manifest, rows).unwrap_or_else(|| manifest.to_vec());
    for (name, bytes) in [("experiment.toml", experiment), ("manifest.json", &manifest), ("results.csv", rows)] {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    match report::Page::read(&folder) {
        Ok(page) => {
            let style = report::markdown::Style { level: 1, links_figures: true };
            let screen = report::text::Screen { width: 100, colour: true };
            let _ =
                (report::markdown::render(&page.sheet, style), report::text::render(&page.terminal_sheet(), screen));
            let _ = (report::data::json(&page.sheet), report::data::csv(&page.sheet, true));
            let html = report::html::render(&page.sheet);
            assert_eq!(html.matches("<script").count(), 1);
            assert_eq!(html.matches("<img").count() + html.matches("<iframe").count(), 0);
            assert_eq!(html.matches("<a ").count(), html.matches("<a href=\"#").count(), "links within the page alone");
        }
        Err(error) => assert!(!format!("{error:#}").is_empty()),
    }
}
