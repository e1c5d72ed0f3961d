//! What `ttlab trace info` prints.

use crate::text::plural;
use crate::traces::Info;

/// Describes the contents of a trace, with one number on each line.
pub fn describe_trace(info: &Info) -> String {
    let count_and_share = |part: u64, whole: u64| match whole {
        0 => format!("{part} (-)"),
        whole => format!("{part} ({:.1} %)", 100.0 * part as f64 / whole as f64),
    };
    let worth_meaning = if !info.has_worth() {
        "unknown: the trace records no search windows and no cutoffs"
    } else if info.subtree_stores > 0 {
        "nodes of each entry's own subtree"
    } else {
        "nodes searched between a position's probe and its store"
    };
    let rate = match info.nodes {
        0 => String::new(),
        nodes => format!("{:.2} events per node", info.events as f64 / nodes as f64),
    };
    let format_depth = |depth: i16| match info.depth_parts {
        0 | 1 => depth.to_string(),
        parts => format!("{:.2}", f64::from(depth) / f64::from(parts)),
    };
    let moves = if info.moves > 0 { count_and_share(info.moves, info.stores) } else { String::new() };
    let threads = if info.threads > 1 { info.threads.to_string() } else { String::new() };
    let lines = [
        ("events", info.events.to_string()),
        ("games", info.games.to_string()),
        ("searches", format!("{} ({} recorded)", info.searches, plural(info.iterations, "iteration"))),
        ("clears", info.clears.to_string()),
        ("threads", threads),
        ("nodes", info.nodes.to_string()),
        ("", rate),
        ("probes", info.probes.to_string()),
        ("  answered", count_and_share(info.hits, info.probes)),
        ("  cut", count_and_share(info.cuts, info.probes)),
        ("  windows", count_and_share(info.window_probes, info.probes)),
        ("stores", info.stores.to_string()),
        ("  exact", count_and_share(info.exact, info.stores)),
        ("  lower", count_and_share(info.lower, info.stores)),
        ("  no bound", count_and_share(info.evaluations, info.stores)),
        ("  moves", moves),
        ("positions", format!("{}{}", if info.estimated { "about " } else { "" }, info.positions)),
        ("depths", format!("{} to {}", format_depth(info.min_depth), format_depth(info.max_depth))),
        ("worth", worth_meaning.to_owned()),
    ];
    let filled_lines = lines.into_iter().filter(|(_, figure)| !figure.is_empty());
    filled_lines.map(|(name, figure)| format!("{name:<12}{figure}\n")).collect()
}
