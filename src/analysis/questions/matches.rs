//! Computes the results of a match. Each encounter of two players has its pairs of games, its Elo
//! difference and its sequential test.

use super::equal_nodes::{EqualNodes, PairPoints, equal_nodes};
use super::match_test::TAIL;
use crate::analysis::rows::frame::Frame;
use crate::experiment::matches::Test;
use crate::record::{WHITE, columns};
use crate::stats::gsprt::{Bounds, Pentanomial, TestState};
use crate::stats::holm::correct_holm;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Encounter {
    pub player: String,
    pub opponent: String,
    /// The number of pairs of games with each possible number of points.
    pub pairs: Pentanomial,
    /// The numbers of games that the player won, drew and lost.
    pub games: [u64; 3],
    /// The points that White scored in all games, whichever player was White.
    pub white_points: f64,
    /// The number of pairs whose two games are identical.
    pub mirrored: u64,
    /// The number of pairs in which at least one game repeats a game of an earlier pair: the start
    /// position and all moves are the same.
    pub repeated: u64,
    /// The index of an earlier encounter with exactly the same games, if there is one.
    pub same_as: Option<usize>,
    /// The number of moves that the player chose without having finished an iteration.
    pub blind_moves: u64,
    /// The mean number of plies of a game.
    pub plies: f64,
    /// The mean depth of the player's last finished iteration.
    pub depth: f64,
    /// The mean number of nodes per move, of the player and of the opponent.
    pub nodes: [f64; 2],
    /// The log-likelihood ratio of the sequential test after all pairs.
    pub llr: f64,
    /// The decision of the sequential test, and the number of pairs after which the decision was
    /// made. `None` if there is no decision.
    pub test_decision: Option<(TestState, u64)>,
    /// The two-sided p-value of the difference. NaN if the sequential test may stop encounters,
    /// because the games are then not a sample of fixed size.
    pub p: f64,
    pub corrected_p: f64,
    /// Whether the player is stronger (`Greater`) or weaker (`Less`) than the opponent. If the
    /// sequential test may stop encounters, its decision has precedence over the p-value. `None` if
    /// no difference is shown.
    pub stronger: Option<Ordering>,
    /// The factor by which the opponent's nodes must be multiplied to make the opponent as strong
    /// as the player. `None` if there are no handicapped copies of the opponent, or too few pairs.
    pub equal_nodes: Option<EqualNodes>,
}

impl Encounter {
    pub fn points(&self) -> f64 {
        self.games[0] as f64 + self.games[1] as f64 / 2.0
    }

    pub fn game_count(&self) -> u64 {
        self.games.iter().sum()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Matches {
    pub encounters: Vec<Encounter>,
    /// The encounters of handicapped copies of the baseline. Each is paired with the divisor of the
    /// copy's nodes.
    pub handicaps: Vec<(f64, Encounter)>,
    /// The number of pairs that could not be played.
    pub failed: u64,
    pub test: Test,
    /// The bounds of each encounter's test. The error rates are divided by the number of encounters
    /// (Bonferroni).
    pub bounds: Bounds,
}

/// The significance level that corrected p-values are compared with.
const LEVEL: f64 = 0.05;

#[derive(Clone, Copy)]
struct GameRow {
    /// The player's points: 0, 0.5 or 1.
    points: f64,
    player_is_white: bool,
    /// The number of the combination of start position and moves.
    game_id: u32,
}

impl Matches {
    pub fn common_opponent(&self) -> Option<&str> {
        let (first, others) = self.encounters.split_first()?;
        others.iter().all(|encounter| encounter.opponent == first.opponent).then_some(first.opponent.as_str())
    }

    pub fn tail(&self) -> f64 {
        TAIL / self.encounters.len().max(1) as f64
    }

    /// The encounters of handicapped copies come last.
    pub fn all_encounters(&self) -> impl Iterator<Item = &Encounter> {
        self.encounters.iter().chain(self.handicaps.iter().map(|(_, encounter)| encounter))
    }

    /// Reads the games from the rows of a frame. Returns `None` if the rows are not rows of games.
    pub fn new(frame: &Frame, test: Test) -> Option<Self> {
        Self::with_handicaps(frame, test, &[])
    }

    /// Reads the games like [`Matches::new`]. `handicaps` contains the name of each handicapped
    /// copy of the baseline and the divisor of the copy's nodes.
    pub fn with_handicaps(frame: &Frame, test: Test, handicaps: &[(String, f64)]) -> Option<Self> {
        if !frame.has(columns::OPPONENT) {
            return None;
        }
        let read_texts = |name| frame.text_column(name);
        let [variants, opponents, positions] = [columns::VARIANT, columns::OPPONENT, columns::POSITION].map(read_texts);
        let [colours, errors] = [columns::COLOUR, columns::ERROR].map(read_texts);
        let [starts, moves] = [columns::START, columns::MOVES].map(read_texts);
        // Games are identified by start position and moves. The same moves from another position
        // are another game.
        let mut game_ids: HashMap<(u32, u32), u32> = HashMap::new();
        let read_numbers = |name| frame.numbers(name);
        let [points, plies, depths, blind_moves] =
            [columns::POINTS, columns::GAME_PLIES, columns::DEPTHS, columns::BLIND].map(read_numbers);
        let nodes = [columns::NODES, columns::OPPONENT_NODES].map(read_numbers);
        let mut encounter_indices: HashMap<(u32, u32), usize> = HashMap::new();
        let mut all_rows: Vec<EncounterRows> = Vec::new();
        let mut failed = 0;
        for row in 0..frame.rows() {
            let next_index = all_rows.len();
            let players = (variants.codes().get(row), opponents.codes().get(row));
            let index = *encounter_indices.entry(players).or_insert(next_index);
            if index == next_index {
                let [player, opponent] = [&variants, &opponents].map(|names| names.text(row).to_owned());
                let totals = Encounter { player, opponent, ..Encounter::default() };
                all_rows.push(EncounterRows { totals, ..EncounterRows::default() });
            }
            if !errors.text(row).is_empty() || points[row].is_nan() {
                failed += 1;
                continue;
            }
            let encounter_rows = &mut all_rows[index];
            let next_id = game_ids.len() as u32;
            // Without their moves, as in a kept report, all games count as different.
            let moves_code = if frame.has(columns::MOVES) { moves.codes().get(row) } else { next_id };
            let game_id = *game_ids.entry((starts.codes().get(row), moves_code)).or_insert(next_id);
            let game = GameRow { points: points[row], player_is_white: colours.text(row) == WHITE, game_id };
            encounter_rows.add_game(positions.codes().get(row), game);
            encounter_rows.blind_moves += blind_moves[row];
            encounter_rows.totals.plies += plies[row];
            encounter_rows.totals.depth += depths[row];
            encounter_rows.totals.nodes[0] += nodes[0][row];
            encounter_rows.totals.nodes[1] += nodes[1][row];
        }
        let find_divisor = |rows: &EncounterRows| {
            handicaps.iter().find(|(name, _)| *name == rows.totals.player).map(|(_, divisor)| *divisor)
        };
        let (copies, all_rows): (Vec<EncounterRows>, Vec<EncounterRows>) =
            all_rows.into_iter().partition(|rows| find_divisor(rows).is_some());
        let bounds = test.bounds(all_rows.len());
        let points: Vec<PairPoints> = all_rows.iter().map(EncounterRows::points_by_opening).collect();
        let copy_points: Vec<PairPoints> = copies.iter().map(EncounterRows::points_by_opening).collect();
        let copies_with_divisors =
            copies.iter().zip(&copy_points).filter_map(|(copy, points)| Some((find_divisor(copy)?, points)));
        let equal_nodes = equal_nodes(&points.iter().collect::<Vec<_>>(), &copies_with_divisors.collect::<Vec<_>>());
        let mut encounters: Vec<Encounter> = all_rows
            .iter()
            .zip(equal_nodes)
            .enumerate()
            .map(|(index, (rows, equal_nodes))| Encounter {
                same_as: all_rows[..index]
                    .iter()
                    .position(|other| !rows.game_ids.is_empty() && other.game_ids == rows.game_ids),
                equal_nodes,
                ..rows.to_encounter(&bounds)
            })
            .collect();
        let handicaps =
            copies.iter().filter_map(|copy| Some((find_divisor(copy)?, copy.to_encounter(&bounds)))).collect();
        if test.stop {
            encounters.iter_mut().for_each(|encounter| encounter.p = f64::NAN);
        }
        let corrected_p_values = correct_holm(&encounters.iter().map(|encounter| encounter.p).collect::<Vec<_>>());
        encounters.iter_mut().zip(corrected_p_values).for_each(|(encounter, corrected_p)| {
            encounter.corrected_p = corrected_p;
            encounter.stronger = match encounter.test_decision {
                Some((TestState::H1, _)) if test.stop => (test.elo0 >= 0.0).then_some(Ordering::Greater),
                Some((TestState::H0, _)) if test.stop => (test.elo1 <= 0.0).then_some(Ordering::Less),
                _ if corrected_p < LEVEL => encounter.pairs.elo().elo.partial_cmp(&0.0),
                _ => None,
            };
        });
        Some(Self { encounters, handicaps, failed, test, bounds })
    }
}

/// The games of an encounter, collected while the rows are read.
#[derive(Default)]
struct EncounterRows {
    /// The games whose partner in the pair has not been read yet, by opening.
    unpaired: HashMap<u32, GameRow>,
    pairs: Vec<f64>,
    openings: Vec<u32>,
    game_ids: Vec<u32>,
    pair_game_ids: Vec<[u32; 2]>,
    /// The number of moves that the player chose without having finished an iteration.
    blind_moves: f64,
    /// The totals so far. Fields that are means in the result contain sums here.
    totals: Encounter,
}

impl EncounterRows {
    /// Adds a game that began with the opening `opening`. The second game with the same opening
    /// completes a pair.
    fn add_game(&mut self, opening: u32, game: GameRow) {
        let [wins, draws, losses] = &mut self.totals.games;
        let outcome_count = match game.points {
            1.0.. => wins,
            0.5.. => draws,
            _ => losses,
        };
        *outcome_count += 1;
        self.totals.white_points += if game.player_is_white { game.points } else { 1.0 - game.points };
        self.game_ids.push(game.game_id);
        match self.unpaired.remove(&opening) {
            Some(first_game) => {
                self.pairs.push(first_game.points + game.points);
                self.openings.push(opening);
                self.pair_game_ids.push([first_game.game_id, game.game_id]);
            }
            None => {
                self.unpaired.insert(opening, game);
            }
        }
    }

    fn points_by_opening(&self) -> PairPoints {
        self.openings.iter().copied().zip(self.pairs.iter().copied()).collect()
    }

    /// Sums are divided to give means, and the sequential test is replayed pair by pair.
    fn to_encounter(&self, bounds: &Bounds) -> Encounter {
        let (mut pairs, mut test_decision) = (Pentanomial::default(), None);
        for (pair_number, points) in (1..).zip(&self.pairs) {
            pairs.add(*points);
            if test_decision.is_none() {
                let decision = pairs.decide(bounds);
                test_decision = (decision != TestState::Continue).then_some((decision, pair_number));
            }
        }
        let totals = self.totals.clone();
        // Each player makes half of the plies.
        let moves_per_player = totals.plies / 2.0;
        let mut seen_games = HashSet::new();
        let is_repeated = |game_ids: &&[u32; 2]| {
            let seen_count = game_ids.iter().filter(|game_id| !seen_games.insert(**game_id)).count();
            // If the two games of this pair are identical, the second game was seen in this pair.
            // This does not make the pair a repetition of an earlier pair.
            let seen_in_pair_count = usize::from(game_ids[0] == game_ids[1]);
            seen_count > seen_in_pair_count
        };
        Encounter {
            pairs,
            mirrored: self.pair_game_ids.iter().filter(|[first, second]| first == second).count() as u64,
            repeated: self.pair_game_ids.iter().filter(is_repeated).count() as u64,
            blind_moves: self.blind_moves as u64,
            plies: totals.plies / totals.game_count() as f64,
            depth: totals.depth / moves_per_player,
            nodes: totals.nodes.map(|nodes| nodes / moves_per_player),
            llr: pairs.llr(bounds.elo0, bounds.elo1),
            test_decision,
            p: pairs.p(),
            ..totals
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two encounters. A's pairs have 2, 1 and 1.5 points, and its fourth pair was not finished;
    /// B's games are the first two games of A.
    const ROWS: &str = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,match.opponent_nodes,match.moves,error
A,o1,0,100,base,white,1,mate,20,50,1,200,e2e4,
A,o1,0,100,base,black,1,mate,20,50,1,200,d2d4,
B,o1,0,100,base,white,1,mate,20,50,1,200,e2e4,
B,o1,0,100,base,black,1,mate,20,50,1,200,d2d4,
A,o2,0,100,base,white,1,resigned,20,50,1,200,c2c4,
A,o2,0,100,base,black,0,mate,20,50,1,200,c2c4,
A,o3,0,100,base,white,0.5,repetition,40,100,0,200,b2b4,
A,o3,0,100,base,black,1,mate,40,100,0,200,e2e4,
A,o4,0,0,base,,,,,,,,,engine died
";

    #[test]
    fn encounters_equal_a_calculation_by_hand() {
        let rows = Frame::parse(ROWS.as_bytes(), "test").unwrap();
        let matches = Matches::new(&rows, Test::default()).unwrap();
        let [a, b] = &matches.encounters[..] else { panic!("two encounters") };
        assert_eq!((a.player.as_str(), a.opponent.as_str(), b.player.as_str()), ("A", "base", "B"));
        assert_eq!((a.pairs, b.pairs), (Pentanomial([0, 0, 1, 1, 1]), Pentanomial([0, 0, 0, 0, 1])));
        assert_eq!((a.games, a.game_count(), matches.failed), ([4, 1, 1], 6, 1));
        // White won o1's first and both of o2, drew one, lost o1's second and o3's second.
        assert!((a.white_points - 3.5).abs() < 1e-12, "{}", a.white_points);
        assert_eq!((a.mirrored, a.repeated), (1, 1));
        // 160 plies, half of them A's; 400 plies of depth; 600 nodes of A and 1,200 of the opponent
        // over 80 moves.
        assert!((a.depth - 5.0).abs() < 1e-12);
        assert!((a.nodes[0] - 7.5).abs() < 1e-12);
        assert!((a.nodes[1] - 15.0).abs() < 1e-12);
        assert_eq!((a.same_as, b.same_as, a.blind_moves, b.blind_moves), (None, None, 4, 2));
        assert!((matches.bounds.alpha - 0.025).abs() < 1e-12);
        assert!((matches.tail() - 0.0125).abs() < 1e-12);
        // A handicapped copy is no encounter of its own: the other has the whole level.
        let copies = [("B".to_owned(), 2.0)];
        let with_copy = Matches::with_handicaps(&rows, Test::default(), &copies).unwrap();
        assert_eq!((with_copy.encounters.len(), with_copy.handicaps[0].0, with_copy.bounds.alpha), (1, 2.0, 0.05));
        // Without the moves, no game is known to be like another.
        let without_moves = Frame::parse(ROWS.replacen("match.moves", "moves", 1).as_bytes(), "test").unwrap();
        let encounters = Matches::new(&without_moves, Test::default()).unwrap().encounters;
        assert!(encounters.iter().all(|encounter| (encounter.mirrored, encounter.repeated) == (0, 0)));
        // A game without a result is not counted.
        let rows =
            Frame::parse(format!("{ROWS}A,o5,0,100,base,white,,,20,50,1,200,e2e4,\n").as_bytes(), "test").unwrap();
        let matches = Matches::new(&rows, Test::default()).unwrap();
        let with_unfinished = &matches.encounters[0];
        assert_eq!((matches.failed, with_unfinished.pairs, with_unfinished.games), (2, a.pairs, a.games));
    }

    /// Five pairs of the same sign have p = 1/16 and six have p = 1/32, even if all are equal.
    #[test]
    fn few_pairs_have_no_small_p() {
        for (pairs, expected_p, stronger) in [(5, 0.0625, None), (6, 0.031_25, Some(Ordering::Greater))] {
            let make_row = |index: u32, side| format!("A,o{index},0,1,base,{side},1,mate,20,50,0,2,m{index}{side},\n");
            let games: String =
                (0..pairs).flat_map(|index| ["white", "black"].map(|side| make_row(index, side))).collect();
            let head = ROWS.lines().next().unwrap();
            let rows = Frame::parse(format!("{head}\n{games}").as_bytes(), "test").unwrap();
            let encounter = &Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap().encounters[0];
            assert_eq!(
                (encounter.pairs.count(), encounter.p, encounter.stronger),
                (pairs.into(), expected_p, stronger)
            );
        }
    }

    /// The test decides for a winning player as soon as the ratio passes the bound; later pairs
    /// change nothing.
    #[test]
    fn test_is_decided_where_it_first_passes_its_bound() {
        let mut rows = EncounterRows::default();
        let mut random = 7_u64;
        for position in 0..400 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let second = [1.0, 1.0, 0.5, 0.0][(random >> 60) as usize % 4];
            rows.add_game(position, GameRow { points: 1.0, player_is_white: true, game_id: 2 * position });
            rows.add_game(position, GameRow { points: second, player_is_white: false, game_id: 2 * position + 1 });
        }
        let bounds = Bounds { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 };
        let encounter = rows.to_encounter(&bounds);
        let (decision, decided_after) = encounter.test_decision.unwrap();
        assert_eq!(decision, TestState::H1);
        let encounter_after = |pairs: usize| {
            let first_rows = EncounterRows {
                pairs: rows.pairs[..pairs].to_vec(),
                pair_game_ids: rows.pair_game_ids[..pairs].to_vec(),
                totals: Encounter { games: [1, 0, 0], ..Encounter::default() },
                ..EncounterRows::default()
            };
            first_rows.to_encounter(&bounds)
        };
        assert!(decided_after > 2 && decided_after < 400, "{decided_after}");
        assert_eq!(
            (
                encounter_after(decided_after as usize - 1).test_decision,
                encounter_after(decided_after as usize).test_decision
            ),
            (None, encounter.test_decision)
        );
        assert_eq!(encounter.llr, encounter.pairs.llr(bounds.elo0, bounds.elo1));
    }

    /// The same moves from other positions are other games; from the same position, under any name,
    /// they are the same.
    #[test]
    fn games_are_identified_by_start_and_moves() {
        let head = ROWS.lines().next().unwrap().replace("match.moves", "match.start,match.moves");
        let count_repeated = |starts: [&str; 3]| {
            let make_row = |index: usize, start: &str, side: &str| {
                format!("A,o{index},0,1,base,{side},0.5,mate,1,50,0,2,{start},h1h8{side},\n")
            };
            let rows = starts
                .iter()
                .enumerate()
                .map(|(index, start)| make_row(index, start, "white") + &make_row(index, start, "black"));
            let text = format!("{head}\n{}", rows.collect::<String>());
            let rows = Frame::parse(text.as_bytes(), "test").unwrap();
            Matches::new(&rows, Test { stop: false, ..Test::default() }).unwrap().encounters[0].repeated
        };
        assert_eq!([["p", "q", "r"], ["p", "q", "p"], ["p", "p", "p"]].map(count_repeated), [0, 1, 2]);
    }

    /// A test says who is stronger only if the hypothesis it accepted lies on one side of 0.
    #[test]
    fn decision_names_the_stronger_only_if_its_bounds_do() {
        let head = ROWS.lines().next().unwrap();
        let decide_match = |points: [f64; 2], elo0: f64, elo1: f64| {
            let make_row = |index: u32, points: f64, side| {
                format!("A,o{index},0,1,base,{side},{points},mate,20,50,0,2,m{index}{side},\n")
            };
            let games: String = (0..400)
                .flat_map(|index| {
                    [make_row(index, points[usize::from(index % 8 == 0)], "white"), make_row(index, points[0], "black")]
                })
                .collect();
            let rows = Frame::parse(format!("{head}\n{games}").as_bytes(), "test").unwrap();
            let test = Test { stop: true, elo0, elo1, ..Test::default() };
            let encounter = Matches::new(&rows, test).unwrap().encounters.remove(0);
            (encounter.test_decision.map(|(decision, _)| decision), encounter.stronger)
        };
        let (won, lost) = ([1.0, 0.5], [0.0, 0.5]);
        assert_eq!(decide_match(won, 0.0, 5.0), (Some(TestState::H1), Some(Ordering::Greater)));
        assert_eq!(decide_match(won, -5.0, 5.0), (Some(TestState::H1), None), "more than -5 may be less than 0");
        assert_eq!(decide_match(lost, -5.0, 0.0), (Some(TestState::H0), Some(Ordering::Less)));
        assert_eq!(decide_match(lost, 0.0, 5.0), (Some(TestState::H0), None), "less than 5 may be more than 0");
    }

    /// With as many pairs won as lost, p = 1; with eight won pairs, p = 2^-7. Swapping the players
    /// does not change p.
    #[test]
    fn even_match_has_a_p_of_one() {
        let compute_p = |points: [[f64; 2]; 8]| {
            let make_row = |index: usize, side: &str, points: f64| {
                format!("A,o{index},0,1,base,{side},{points},mate,20,50,0,2,m{index}{side},\n")
            };
            let rows: String = points
                .iter()
                .enumerate()
                .map(|(index, [first, second])| make_row(index, "white", *first) + &make_row(index, "black", *second))
                .collect();
            let text = format!("{}\n{rows}", ROWS.lines().next().unwrap());
            Matches::new(&Frame::parse(text.as_bytes(), "test").unwrap(), Test { stop: false, ..Test::default() })
                .unwrap()
                .encounters[0]
                .p
        };
        let mut even_match = [[1.0, 1.0]; 8];
        even_match[..4].fill([0.0, 0.0]);
        assert!((compute_p(even_match) - 1.0).abs() < 1e-9, "{}", compute_p(even_match));
        assert!((compute_p([[1.0, 1.0]; 8]) - 2.0_f64.powi(-7)).abs() < 1e-9, "{}", compute_p([[1.0, 1.0]; 8]));
        let mut mostly_won = [[1.0, 0.5]; 8];
        mostly_won[0] = [0.0, 0.5];
        let swapped = mostly_won.map(|pair| pair.map(|points| 1.0 - points));
        assert!(compute_p(mostly_won) < 0.2, "{} {}", compute_p(mostly_won), compute_p(swapped));
        assert!(
            (compute_p(mostly_won) - compute_p(swapped)).abs() < 1e-12,
            "{} {}",
            compute_p(mostly_won),
            compute_p(swapped)
        );
    }
}
