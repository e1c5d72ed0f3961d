//! A general policy that can imitate most other policies. The entry of least worth is evicted. The
//! worth is a weighted sum whose weights can be tuned. With its defaults it is `depth-age`.

use super::{Newcomer, Replacement, Decision, Ties, least_worth_by};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// The weights of an entry's worth. The worth is depth x `depth` - age x `age` + the weight of the
/// bound + `pv` if the window was open + `move` if there is a move + `nodes` x log2 of the
/// subtree's nodes. Only the ratios of the weights matter, so fractions are written with a common
/// denominator. Source of the weights of bounds and move: pawnocchio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Scored {
    /// Weight of each ply of depth, -100000..=100000.
    pub depth: i32,
    /// Weight of each tick of age, -100000..=100000.
    pub age: i32,
    /// Worth of an exact bound, -100000..=100000.
    pub exact: i32,
    /// Worth of a lower bound, -100000..=100000.
    pub lower: i32,
    /// Worth of an upper bound, -100000..=100000.
    pub upper: i32,
    /// Worth of an open window, -100000..=100000.
    pub pv: i32,
    /// Worth of a move, -100000..=100000.
    #[serde(rename = "move")]
    pub mv: i32,
    /// Weight of each doubling of the subtree's nodes, -100000..=100000.
    pub nodes: i32,
    /// Which of several entries of equal worth goes.
    pub ties: Ties,
}

impl Default for Scored {
    fn default() -> Self {
        Self {
            depth: 1,
            age: 8,
            exact: 0,
            lower: 0,
            upper: 0,
            pv: 0,
            mv: 0,
            nodes: 0,
            ties: Ties::First,
        }
    }
}

impl Replacement for Scored {
    const AGE_PARAMETERS: &'static [&'static str] = &["age"];

    // This function is inlined into the table's store, so that the node counts of entries are
    // unpacked only if they have a weight.
    #[inline(always)]
    fn decide(&self, bucket: &[Entry], _: &Newcomer, now: u16) -> Decision {
        // A worth is at most 100,000 x (255 + 1023 + 1 + 1 + 1 + 31), which fits 32 bits.
        let bound_weights = [0, self.upper, self.lower, self.exact];
        let worth = |entry: &Entry| {
            self.depth * i32::from(entry.depth) - self.age * i32::from(entry.age(now))
                + if entry.is_evaluation() { 0 } else { bound_weights[entry.bound as usize] }
                + if entry.pv { self.pv } else { 0 }
                + if self.mv == 0 || entry.mv.is_none() { 0 } else { self.mv }
                + if self.nodes == 0 { 0 } else { self.nodes * (entry.nodes | 1).ilog2() as i32 }
        };
        Decision::replace(least_worth_by(bucket, self.ties, worth).0)
    }

    fn check(&self) -> Result<(), String> {
        let Self { depth, age, exact, lower, upper, pv, mv, nodes, .. } = *self;
        let names = ["depth", "age", "exact", "lower", "upper", "pv", "move", "nodes"];
        for (name, weight) in names.into_iter().zip([depth, age, exact, lower, upper, pv, mv, nodes]) {
            if !(-100_000..=100_000).contains(&weight) {
                return Err(format!("{name} = {weight} is out of range: expected -100000 to 100000"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_out_of_range_is_refused_by_name() {
        for name in ["depth", "age", "exact", "lower", "upper", "pv", "move", "nodes"] {
            let message = |weight: i32| {
                let policy: Scored = serde_json::from_value(serde_json::json!({ name: weight })).unwrap();
                policy.check()
            };
            for sign in [-1, 1] {
                assert_eq!(message(sign * 100_000), Ok(()), "{name}");
                let refused = format!("{name} = {} is out of range: expected -100000 to 100000", sign * 100_001);
                assert_eq!(message(sign * 100_001), Err(refused));
            }
        }
    }
}
