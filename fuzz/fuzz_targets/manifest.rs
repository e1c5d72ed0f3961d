//! Any manifest and any rows beside it: a report, or a message.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ttlab::analysis::Frame;
use ttlab::record::manifest::Manifest;
use ttlab::report;

fuzz_target!(|data: (&str, &str)| {
    let (manifest, results) = data;
    let Ok(manifest) = serde_json::from_str::<Manifest>(manifest) else { return };
    let path = std::path::Path::new("/dev/shm").join(format!("ttlab-fuzz-manifest-{}.csv", std::process::id()));
    if std::fs::write(&path, results).is_err() {
        return;
    }
    let Ok(frame) = Frame::read(&path) else { return };
    if let Ok(page) = report::page(manifest, "", &[], &frame) {
        let _ = (report::markdown::render(&page), report::text::render(&page));
    }
});
