//! One problem that is to be solved whatever it takes: the ways on from where `ncp/newton` fails.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | ε | `epsilon` | proximal weight, as in `newton.rs` |

use super::model::{ANSWER, EPSILON, from_active_set, island, proximal};
use super::newton::Newton;
use crate::Settings;
use crate::solver::SolveReport;
use crate::solver::Stop;
use crate::solver::dense::IslandRoom;
use crate::solver::dense::System;
use huygens_math::{SplitMix, scalar, trig};

/// Residual at which nothing more is tried, where round-off allows it.
const END: f64 = 1e-12;

/// Other starts of a system of at most so many rows: where friction acts strongly on the normals the answers may be few and far apart.
const STARTS: u32 = 200;

/// Most rows of a system for which the end is tried on the way along a path, and that is started anew.
pub(super) const START_ROWS: usize = 120;

/// How a path is followed.
struct Path {
    /// Most moves of the centre.
    moves: u32,
    /// Newton steps and sweeps of one move.
    steps: u32,
    sweeps: u32,
    /// Residual at which a move is done.
    solved: f64,
    /// Steps up to which a move was easy; the weight then changes by `on`, after a move that failed by `back`.
    few: u32,
    on: f64,
    back: f64,
    /// Residual below which the end is tried, and again whenever it is this share of the last one tried.
    near: f64,
    nearer: f64,
}

const PATH: Path = Path {
    moves: 120,
    steps: 120,
    sweeps: 504,
    solved: 1e-9,
    few: 30,
    on: 0.5,
    back: 5.0,
    near: 1e-3,
    nearer: 0.3,
};

/// Solves the system that the room holds as far as it can be: by the model itself, along a path, from the active set, from other starts.
pub(in crate::solver) fn solve_to_the_end(
    settings: &Settings,
    speed: f64,
    dense: &mut IslandRoom,
) -> SolveReport {
    let (newton, system) = (&mut dense.newton, &mut dense.system);
    let mut report = island(settings, speed, newton, system);
    if !is_end(newton, system, report.residual, &system.p) {
        newton.set_aside(&mut system.p);
        let again = follow(newton, system);
        report = newton.better(report, again, &mut system.p);
    }
    if report.residual > ANSWER {
        report = from_active_set(settings, speed, dense, report);
    }
    let (newton, system) = (&mut dense.newton, &mut dense.system);
    if report.residual > ANSWER && system.n <= START_ROWS {
        newton.set_aside(&mut system.p);
        let again = other_starts(newton, system);
        report = newton.better(report, again, &mut system.p);
    }
    report
}

/// Whether an answer is as good as it can be.
fn is_end(newton: &Newton, system: &System, residual: f64, p: &[f64]) -> bool {
    residual <= scalar::max(END, 16.0 * newton.round_off_at(system, p))
}

/// What was found in the end.
fn found(newton: &Newton, residual: f64) -> SolveReport {
    let stopped = if residual <= ANSWER { Stop::Converged } else { Stop::Stalled };
    SolveReport { iterations: newton.steps, residual, stopped, ..SolveReport::default() }
}

/// From impulses at random in their cones, the same ones in every run.
fn other_starts(newton: &mut Newton, system: &mut System) -> SolveReport {
    let mut r = SplitMix::new(1);
    let size = system.q.iter().fold(0.0, |most, q| scalar::max(q.abs(), most));
    let mut best = f64::INFINITY;
    for k in 0..STARTS {
        let scale = size * trig::pow(10.0, r.range(-1.0, 1.5));
        for (entry, &mu) in system.entries.iter().zip(&newton.mu) {
            let load = scale * r.range(0.0, 1.0);
            newton.p[entry.at] = load;
            for disc in entry.discs(mu) {
                let (s, c) = trig::sin_cos(r.range(0.0, std::f64::consts::TAU));
                let size = disc.radius * load * r.range(0.0, 1.0);
                for (p, part) in newton.p[disc.rows()].iter_mut().zip([size * c, size * s]) {
                    *p = part;
                }
            }
        }
        let start = newton.p.clone();
        newton.set_centre(&start);
        // Sweeps would go to where a jammed contact sticks with an impulse that only the proximal weight bounds.
        newton.limit(PATH.steps, if k % 2 == 0 { 0 } else { PATH.sweeps });
        let residual = proximal(newton, system);
        if residual < best {
            best = residual;
            system.p.clone_from(&newton.p);
        }
        if best <= ANSWER {
            break;
        }
    }
    newton.renew();
    found(newton, best)
}

/// Follows the answers of the proximal problem from a large weight, where it is easy, to small ones: the weight falls while Newton's steps are
/// few, and rises where they fail. Wherever that came much nearer, the end is tried from there. The friction is the present one.
pub(super) fn follow(newton: &mut Newton, system: &mut System) -> SolveReport {
    newton.p.fill(0.0);
    newton.set_centre(&[]);
    let [mut solved, mut kept, mut near] = std::mem::take(&mut newton.on_path);
    for list in [&mut solved, &mut kept, &mut near] {
        list.clone_from(&newton.p);
    }
    let mut path = PathState { solved, epsilon: 1.0, last: f64::INFINITY };
    let mut end = End { best: f64::INFINITY, kept, reached: false };
    let (mut tried, mut nearest) = (PATH.near, f64::INFINITY);
    for _ in 0..PATH.moves {
        let Some(now) = path.advance(newton, system) else { continue };
        if now < nearest {
            nearest = now;
            near.clone_from(&path.solved);
        }
        // A try on the way moves the centre; in a large system that costs more than it gains.
        if now < PATH.nearer * tried && system.n <= START_ROWS {
            tried = now;
            newton.limit(PATH.steps, PATH.sweeps);
            end.go_for(newton, system, &path.solved);
            newton.set_centre(&path.solved);
        }
        if end.reached {
            break;
        }
    }
    newton.renew();
    if !end.reached {
        newton.p.clone_from(&near);
        end.go_for(newton, system, &near);
    }
    system.p.clone_from(&end.kept);
    newton.on_path = [path.solved, end.kept, near];
    found(newton, end.best)
}

/// The best answer so far.
struct End {
    best: f64,
    kept: Vec<f64>,
    /// It is as good as it can be.
    reached: bool,
}

impl End {
    /// Solves the problem itself from the impulses that Newton has, with `centre` for its own.
    fn go_for(&mut self, newton: &mut Newton, system: &System, centre: &[f64]) {
        newton.set_centre(centre);
        let residual = proximal(newton, system);
        if residual < self.best {
            self.best = residual;
            self.kept.clone_from(&newton.p);
        }
        self.reached = is_end(newton, system, self.best, &self.kept);
    }
}

/// Where the path is.
struct PathState {
    /// Answer of the last proximal problem that was solved.
    solved: Vec<f64>,
    /// The weight.
    epsilon: f64,
    /// Residual at the last answer.
    last: f64,
}

impl PathState {
    /// Solves the proximal problem; returns the residual of the problem itself, none when Newton's steps failed.
    fn advance(&mut self, newton: &mut Newton, system: &System) -> Option<f64> {
        newton.limit(PATH.steps, PATH.sweeps);
        newton.p.clone_from(&self.solved);
        newton.epsilon = self.epsilon;
        let before = newton.steps;
        let inner = newton.solve(system, PATH.solved);
        newton.epsilon = 0.0;
        if inner > PATH.solved {
            self.epsilon = scalar::min(PATH.back * self.epsilon, 1.0);
            newton.set_centre(&self.solved);
            return None;
        }
        let now = newton.evaluate(system);
        self.solved.clone_from(&newton.p);
        if newton.steps - before <= PATH.few && self.epsilon > EPSILON[1] {
            self.epsilon *= PATH.on;
            newton.set_centre(&self.solved);
        } else {
            newton.move_centre(now / self.last);
        }
        self.last = now;
        Some(now)
    }
}
