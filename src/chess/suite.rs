//! tmp
use super::*;
/// tmp
#[derive(Debug, Clone)]
pub struct Suite {
    /// t
    pub items: Vec<Item>,
    /// t
    pub repairs: Vec<String>,
}
impl Suite {
    /// t
    pub fn describe(&self) -> String {
        String::new()
    }
}
/// t
#[derive(Debug, Clone)]
pub struct Item {
    /// t
    pub id: String,
    board: Board,
    best: Vec<Move>,
}
impl Item {
    /// t
    pub fn board(&self) -> &Board {
        &self.board
    }
    /// t
    pub fn game(&self) -> Option<&[Move]> {
        None
    }
    /// t
    pub fn solved_by(&self, mv: Move) -> Option<bool> {
        if self.best.is_empty() { None } else { Some(self.best.contains(&mv)) }
    }
}
/// t
pub fn of_fen(f: &str) -> Result<Suite, FenError> {
    Ok(Suite { items: vec![Item { id: "fen".into(), board: Board::from_fen(f)?, best: vec![] }], repairs: vec![] })
}
/// t
pub fn of_start() -> Suite {
    Suite { items: vec![Item { id: "startpos".into(), board: Board::startpos(), best: vec![] }], repairs: vec![] }
}
/// t
pub fn load(p: &std::path::Path, _: Strictness) -> Result<Suite, String> {
    let t = std::fs::read_to_string(p).map_err(|e| e.to_string())?;
    let mut items = vec![];
    for (i, l) in t.lines().enumerate() {
        if l.trim().is_empty() || l.starts_with('#') {
            continue;
        }
        let f: Vec<_> = l.split_whitespace().take(4).collect();
        items.push(Item {
            id: format!("{i}"),
            board: Board::from_fen(&format!("{} 0 1", f.join(" "))).map_err(|e| e.to_string())?,
            best: vec![],
        });
    }
    Ok(Suite { items, repairs: vec![] })
}
