//! A trace taken apart into its games, each with what it holds.

use super::step::{Step, Steps};
use crate::table::by_key::ByKey;
use crate::table::trace::{Event, Info, Kind, Reader, TraceError, flags};
use std::io::Read;

/// One game of a trace, or one position that has nothing to do with those before it: what tables are shown from empty.
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// Its events.
    pub steps: Vec<Step>,
    /// Nodes that the recorded search entered.
    pub nodes: u64,
    /// Positions that were stored: the working set.
    pub positions: u64,
}

/// A game that is being read.
struct Open {
    steps: Steps,
    keys: ByKey<u64, ()>,
    nodes: u64,
    /// Whether anything was asked or stored yet.
    begun: bool,
}

impl Open {
    fn new(lowest: i8) -> Self {
        Self { steps: Steps::new(lowest), keys: ByKey::default(), nodes: 0, begun: false }
    }

    fn finish(self) -> Game {
        Game { steps: self.steps.finish(), nodes: self.nodes, positions: self.keys.len() as u64 }
    }
}

/// Reads the games of a trace. Each is a trace of its own: nothing of the game before is known in it. The whole is held in memory.
///
/// # Errors
/// When it is no trace or is damaged, and where.
pub fn games(from: impl Read, info: &Info) -> Result<Vec<Game>, TraceError> {
    let mut games = Vec::new();
    let mut open = Open::new(info.lowest);
    let mut last = 0u32;
    let mut reader = Reader::new(from)?;
    reader.for_each(|event: &Event| {
        let told = !(event.kind() == Kind::Store && event.has(flags::SUBTREE));
        if told {
            let more = event.nodes.wrapping_sub(last);
            // A counter that falls has begun anew.
            open.nodes += u64::from(if more > u32::MAX / 2 { event.nodes } else { more });
            last = event.nodes;
        }
        let begins = match event.kind() {
            Kind::Clear => true,
            Kind::Search => event.has(flags::GAME),
            Kind::Probe | Kind::Store => false,
        };
        if begins && open.begun {
            games.push(std::mem::replace(&mut open, Open::new(info.lowest)).finish());
        }
        open.begun |= matches!(event.kind(), Kind::Probe | Kind::Store);
        if event.kind() == Kind::Store {
            open.keys.insert(event.key, ());
        }
        open.steps.push(event);
    })?;
    if let Some(nodes) = reader.nodes() {
        let more = nodes.wrapping_sub(last);
        open.nodes += u64::from(if more > u32::MAX / 2 { 0 } else { more });
    }
    if open.begun {
        games.push(open.finish());
    }
    Ok(games)
}
