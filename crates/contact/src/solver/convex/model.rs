//! `convex/newton` and `convex/cg`: islands of a contact problem as soft convex problems.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | δ | `Island::a` | a − a_s: acceleration that the impulses bring, over h | m/s² |
//! | u₀, u_f | `start`, `free` | velocities of a row at the start of the step, and at its end without impulses | m/s |
//! | A | `inverse_mass` | inverse mass that a row sees | 1/kg |
//! | e | | edges of a pyramid: two for each row of friction with a coefficient | |
//!
//! With a_s = (v_free − v_start)/h a row has J a − a_ref = J δ − (a_ref − (u_f − u₀)/h), so that the unknown is δ and the smooth acceleration
//! is zero. Impulses are h f, and v⁺ = v_free + M⁻¹Jᵀ h f.
//!
//! - Contacts, limits, couplings: impedance and reference of their [`Softness`], as MuJoCo has them. A row that is open at the start of the step
//!   has u = −gap/h for its reference: it acts only where the step would close it.
//! - Rows of a spring and a damper ([`Compliance::Spring`](crate::Compliance::Spring)): R and target are those of the implicit step, exactly.
//! - Motors and dry friction of joints: stiff rows, of which the bounds are exact.
//!
//! Free bodies have their six velocities for coordinates; directions that are locked get a mass and no row. Trees have their dofs; a tree with
//! equalities has coordinates z with M = 1 that span what the equalities allow.
//!
//! A contact has one friction coefficient in this model. Where μ_s and μ_d differ all contacts first have μ_s; those that slide in the answer get
//! μ_d, and the island is solved again until no more do.

use super::coordinates::Place;
use super::island::Island;
use super::options::{Method, Resolution, SoftOptions};
use super::rows::{SoftBlock, SoftLaw};
use super::softening::{RowLaw, coefficients, inverse_mass, law_of, pyramid_r, set_elliptic};
use super::solve::{IslandRoom, SoftReport};
use super::stored::Stored;
use super::{Cone, ConvexSettings};
use crate::entry::{BlockRows, Entry};
use crate::prepare::Inverse;
use crate::solver::gauss_seidel::{prepare_rows, reset};
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Law, Scratch, Settings, Solution, Velocity, Warm, work};
use huygens_math::scalar;

/// Most rounds of static against dynamic friction.
const ROUNDS: u32 = 20;

/// Solves by Newton's method.
pub(in crate::solver) fn newton(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    run(Method::Newton, settings, problem, warm, scratch, out)
}

/// Solves by conjugate gradients.
pub(in crate::solver) fn cg(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    run(Method::Cg, settings, problem, warm, scratch, out)
}

fn run(
    method: Method,
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    let groups = problem.groups;
    prepare_rows(problem, Inverse::Parts, scratch);
    reset(&mut out.impulses, warm.points, groups.points.len(), settings.warm_start);
    reset(&mut out.couples, warm.couples, groups.couples as usize, settings.warm_start);
    reset(&mut out.rows, warm.rows, groups.rows.len(), settings.warm_start);
    let mut convex = std::mem::take(&mut scratch.convex);
    convex.begin(problem, out);
    out.impulses.fill([0.0; 3]);
    out.couples.fill([0.0; 3]);
    out.rows.fill(0.0);
    let options = options(method, settings, problem);
    let mut report =
        SoftReport { iterations: 0, islands: 0, cost: 0.0, gradient: 0.0, stopped: Stop::Converged };
    for island in 0..problem.graph.islands() {
        convex.fill(settings, problem, island);
        convex.solve(&options, &settings.convex, &mut report);
        convex.give(problem, out);
    }
    out.v.copy_from(problem.v_free);
    for entry in groups.heads.iter().flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        if p != [0.0; 6] {
            entry.apply(problem.move_inertia, &p, &mut out.v);
        }
    }
    convex.book(settings, problem, out);
    out.correction.reset_like(problem.v_free);
    out.work.increments = work::telescoped(problem, out);
    scratch.convex = convex;
    let residual =
        if problem.scale.speed > 0.0 { report.gradient * problem.h / problem.scale.speed } else { 0.0 };
    SolveReport { iterations: report.iterations, pivots: 0, stopped: report.stopped, residual }
}

/// A relative tolerance becomes one of accelerations: the scene's speed in one step.
fn options(method: Method, settings: &Settings, problem: &ContactProblem) -> SoftOptions {
    let convex = &settings.convex;
    let tolerance = settings.tolerance * problem.scale.speed / problem.h;
    SoftOptions {
        method,
        // A conjugate direction is worth less than a step of Newton's.
        iterations: if method == Method::Cg { 20 * settings.iterations } else { settings.iterations },
        tolerance,
        improvement: Some(0.5 * tolerance * tolerance),
        ls_iterations: convex.ls_iterations,
        ls_tolerance: convex.ls_tolerance,
        noslip_iterations: convex.noslip_iterations,
        noslip_tolerance: convex.noslip_tolerance,
        resolution: if convex.cone == Cone::Elliptic { convex.resolution } else { Resolution::Convex },
        warm: convex.warm,
        ..SoftOptions::default()
    }
}

/// One entry as a block of rows.
#[derive(Clone, Copy, Debug)]
struct Made {
    group: u32,
    index: u32,
    /// Coefficients of the rows of friction: two of sliding, spin, two of rolling; 0 for none.
    friction: [f64; 5],
    /// μ_d, where it is not the first of them.
    slip: Option<f64>,
}

/// Room of the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConvexScratch {
    pub(super) room: IslandRoom,
    /// Velocity from which the solve starts.
    pub(super) warm: Velocity,
    /// Coordinates of each movable, of the present island.
    pub(super) places: Vec<Place>,
    pub(super) basis: Vec<f64>,
    made: Vec<Made>,
    /// Movables of the present entry.
    pub(super) ends: Vec<usize>,
    pub(super) columns: Vec<usize>,
    /// Rows of the present entry over its columns.
    pub(super) raw: Vec<f64>,
    pub(super) dense: Vec<f64>,
    pub(super) tree: Vec<f64>,
    pub(super) pivots: Vec<f64>,
}

impl ConvexScratch {
    /// Sets the velocity from which the islands start, by the impulses that `out` holds.
    fn begin(&mut self, problem: &ContactProblem, out: &Solution) {
        let groups = problem.groups;
        self.warm.copy_from(problem.v_free);
        for entry in groups.heads.iter().flat_map(|head| groups.entries(head)) {
            let p = entry.impulse(out.all());
            if p != [0.0; 6] {
                entry.apply(problem.move_inertia, &p, &mut self.warm);
            }
        }
        self.places.clear();
        self.places.resize(problem.graph.free_bodies() + problem.graph.trees(), Place::default());
    }

    /// Makes the problem of one island.
    fn fill(&mut self, settings: &Settings, problem: &ContactProblem, island: usize) {
        let Self { room, .. } = self;
        room.island.mass.clear();
        room.island.rows.clear();
        room.island.a.clear();
        self.basis.clear();
        self.made.clear();
        let bodies = problem.graph.free_bodies();
        for movable in problem.graph.movables(island).iter().map(|&movable| movable as usize) {
            if movable < bodies {
                self.add_body(problem, movable);
            } else {
                self.add_tree(problem, movable);
            }
        }
        let smooth = &mut self.room.island.smooth;
        smooth.clear();
        smooth.resize(self.room.island.mass.dofs(), 0.0);
        for &group in problem.graph.groups(island) {
            let head = &problem.groups.heads[group as usize];
            for entry in problem.groups.entries(head) {
                self.add_entry(settings, problem, group, &entry);
            }
        }
        let island = &mut self.room.island;
        island.dofs.clear();
        island.dofs.extend(0..island.mass.dofs());
    }

    /// Adds an entry as a block of rows, unless nothing moves along its leading row.
    fn add_entry(&mut self, settings: &Settings, problem: &ContactProblem, group: u32, entry: &Entry) {
        let inverse_mass = match inverse_mass(&settings.convex, problem, entry) {
            Some(inverse_mass) => inverse_mass,
            None => return,
        };
        let friction = coefficients(entry);
        let count = if entry.point().is_none() {
            1
        } else if friction[3] > 0.0 {
            6
        } else if friction[2] > 0.0 {
            4
        } else if friction[0] > 0.0 {
            3
        } else {
            1
        };
        self.find_columns(problem, entry);
        self.fill_raw(problem, entry, count);
        // What the law knows of the velocity at the start is without the change that a point makes by running over a surface.
        let [at_start, end] = [entry.relative(problem.v_start), entry.relative_at_end(problem.v_start)];
        let start: BlockRows = std::array::from_fn(|k| 2.0 * at_start[k] - end[k]);
        let free = entry.relative_at_end(problem.v_free);
        let law = law_of(settings, problem, entry, start[0], inverse_mass);
        // a_ref − (u_f − u₀)/h of the leading row and of those of friction.
        let change = |k: usize| (free[k] - start[k]) / problem.h;
        let reference: BlockRows =
            std::array::from_fn(|k| (if k == 0 { law.aref } else { -law.b * start[k] }) - change(k));
        let cone = entry.cone();
        let slip = (cone.slip != cone.stick).then_some(cone.slip);
        self.made.push(Made { group, index: entry.index as u32, friction, slip });
        let convex = &settings.convex;
        if count == 1 {
            let soft = match entry.head.law {
                Law::Contact | Law::Unilateral => SoftLaw::Unilateral,
                Law::Equality => SoftLaw::Equality,
                Law::Bounded { .. } | Law::Drive { .. } => {
                    let (lo, hi) = entry.head.law.bounds();
                    SoftLaw::Bounded { lo: lo / problem.h, hi: hi / problem.h }
                }
            };
            let rows = &mut self.room.island.rows;
            let block = rows.push(soft, 1, &self.columns);
            rows.row_of_mut(&block, 0).copy_from_slice(&self.raw);
            rows.aref[block.first] = reference[0];
            rows.r[block.first] = law.r;
        } else if convex.cone == Cone::Elliptic {
            self.elliptic(convex, &friction, count, &reference, law.r);
        } else {
            self.pyramid(convex, &friction, &reference, &law);
        }
    }

    fn elliptic(
        &mut self,
        convex: &ConvexSettings,
        friction: &[f64; 5],
        count: usize,
        reference: &BlockRows,
        r: f64,
    ) {
        let width = self.columns.len();
        let known = friction.map(|c| if c > 0.0 { c } else { 1.0 });
        let law = SoftLaw::Elliptic { friction: known, mu: known[0] / convex.impratio.sqrt() };
        let rows = &mut self.room.island.rows;
        let block = rows.push(law, count, &self.columns);
        for row in 0..count {
            // A row without a coefficient has no J: it stays at rest and gives nothing.
            let has = row == 0 || friction[row - 1] > 0.0;
            if has {
                rows.row_of_mut(&block, row).copy_from_slice(&self.raw[row * width..(row + 1) * width]);
                rows.aref[block.first + row] = reference[row];
            }
        }
        set_elliptic(convex, &known, r, &mut rows.r[block.first..block.first + count]);
    }

    fn pyramid(&mut self, convex: &ConvexSettings, friction: &[f64; 5], reference: &BlockRows, law: &RowLaw) {
        let width = self.columns.len();
        let edges = 2 * friction.iter().filter(|c| **c > 0.0).count();
        let rows = &mut self.room.island.rows;
        let block = rows.push(SoftLaw::Pyramid, edges, &self.columns);
        let r = if law.is_exact { edges as f64 * law.r } else { pyramid_r(convex, friction, law.r) };
        rows.r[block.first..block.first + edges].fill(r);
        let mut at = 0;
        for (k, &c) in friction.iter().enumerate().filter(|(_, c)| **c > 0.0) {
            for sign in [c, -c] {
                let (normal, along) = (&self.raw[..width], &self.raw[(k + 1) * width..(k + 2) * width]);
                let row = rows.row_of_mut(&block, at);
                row.iter_mut().zip(normal.iter().zip(along)).for_each(|(j, (n, t))| *j = n + sign * t);
                rows.aref[block.first + at] = reference[0] + sign * reference[k + 1];
                at += 1;
            }
        }
    }

    /// Solves the island, again with the friction of sliding for what slides.
    fn solve(&mut self, options: &SoftOptions, convex: &ConvexSettings, report: &mut SoftReport) {
        let Self { room, made, .. } = self;
        room.island.force.clear();
        room.island.force.resize(room.island.rows.len(), 0.0);
        if room.island.rows.is_empty() {
            return;
        }
        report.islands += 1;
        for _ in 0..ROUNDS {
            if !room.minimise(options, report) {
                room.island.force.fill(0.0);
                return;
            }
            let mut changed = false;
            for (k, made) in made.iter_mut().enumerate() {
                let block = room.island.rows.blocks[k];
                if let Some(mu) = made.slip
                    && slides(&room.island, k)
                {
                    made.slip = None;
                    changed = true;
                    change_friction(convex, &mut room.island, &block, made, mu);
                }
            }
            if !changed {
                break;
            }
        }
        room.without_slip(options);
    }

    /// Puts the impulses of the island in their places.
    fn give(&self, problem: &ContactProblem, out: &mut Solution) {
        let (island, h) = (&self.room.island, problem.h);
        for (made, block) in self.made.iter().zip(&island.rows.blocks) {
            let entry = problem.groups.entry(&problem.groups.heads[made.group as usize], made.index as usize);
            let force = &island.force[block.first..block.first + block.rows];
            let mut p = [0.0; 6];
            if block.law == SoftLaw::Pyramid {
                for (pair, (k, c)) in
                    force.chunks_exact(2).zip(made.friction.iter().enumerate().filter(|(_, c)| **c > 0.0))
                {
                    p[0] += h * (pair[0] + pair[1]);
                    p[k + 1] = h * c * (pair[0] - pair[1]);
                }
            } else {
                p.iter_mut().zip(force).for_each(|(p, f)| *p = h * f);
            }
            entry.set(out.all_mut(), &p);
        }
    }

    /// Fills work and driver loads. Springs of contacts, limits and couplings: see [`Stored`].
    fn book(&self, settings: &Settings, problem: &ContactProblem, out: &mut Solution) {
        let groups = problem.groups;
        out.work = crate::Work::default();
        work::reset_drivers(groups, &mut out.drivers);
        out.stored.clear();
        out.stored.resize(groups.heads.len(), 0.0);
        let numbered = groups.heads.iter().enumerate();
        for (group, entry) in numbered.flat_map(|(k, head)| groups.entries(head).map(move |entry| (k, entry)))
        {
            let p = entry.impulse(out.all());
            let stored = Stored::of(settings, problem, &entry);
            if p == [0.0; 6] && stored.is_none() {
                continue;
            }
            let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
            if let Some(stored) = stored {
                out.stored[group] += stored.book(problem, &entry, &p, [&before, &after], &mut out.work);
            } else if let Some(spring) = entry.spring(problem.move_inertia) {
                let u = entry.first_at_end(&out.v) - entry.row_target();
                let damper = spring.damper(problem.h, entry.error(), entry.head.law, u);
                work::book_spring(&mut out.work, &entry, &p, &before, &after, damper);
            } else {
                work::book(&mut out.work, &entry, &p, &before, &after, 0.0);
            }
            work::load(groups, &entry, &p, 0.5 * (before[0] + after[0]), &mut out.work, &mut out.drivers);
        }
    }
}

/// True for a contact that is pressed and slides in the answer: friction is at its bound.
fn slides(island: &Island, k: usize) -> bool {
    let block = &island.rows.blocks[k];
    let force = &island.force[block.first..block.first + block.rows];
    match block.law {
        SoftLaw::Pyramid => {
            force.iter().sum::<f64>() > 0.0 && force.chunks_exact(2).take(2).all(|pair| pair.contains(&0.0))
        }
        SoftLaw::Elliptic { friction, .. } => {
            let size = |k: usize| force[k] / friction[k - 1];
            let along = scalar::square(size(1)) + scalar::square(size(2));
            force[0] > 0.0 && along.sqrt() >= force[0] * (1.0 - 1e-9)
        }
        _ => false,
    }
}

/// Gives a contact another coefficient of sliding.
fn change_friction(
    convex: &ConvexSettings,
    island: &mut Island,
    block: &SoftBlock,
    made: &mut Made,
    mu: f64,
) {
    let old = made.friction[0];
    let rows = &mut island.rows;
    let range = block.first..block.first + block.rows;
    if let SoftLaw::Elliptic { mut friction, .. } = block.law {
        let r = rows.r[block.first];
        let slides = mu > 0.0;
        (friction[0], friction[1]) = if slides { (mu, mu) } else { (1.0, 1.0) };
        let at = rows.blocks.partition_point(|b| b.first < block.first);
        rows.blocks[at].law = SoftLaw::Elliptic { friction, mu: friction[0] / convex.impratio.sqrt() };
        if !slides {
            for row in 1..3 {
                rows.row_of_mut(block, row).fill(0.0);
                rows.aref[block.first + row] = 0.0;
            }
        }
        set_elliptic(convex, &friction, r, &mut rows.r[range]);
    } else {
        // Edges n ± c t: the first two pairs are those of sliding.
        let share = mu / old;
        for pair in 0..2 {
            let [a, b] = [2 * pair, 2 * pair + 1];
            let (first, second) = (block.first + a, block.first + b);
            let (mean, half) =
                (0.5 * (rows.aref[first] + rows.aref[second]), 0.5 * (rows.aref[first] - rows.aref[second]));
            (rows.aref[first], rows.aref[second]) = (mean + share * half, mean - share * half);
            for k in 0..block.columns {
                let (i, j) = (rows.row_of(block, a)[k], rows.row_of(block, b)[k]);
                let (mean, half) = (0.5 * (i + j), 0.5 * (i - j));
                rows.row_of_mut(block, a)[k] = mean + share * half;
                rows.row_of_mut(block, b)[k] = mean - share * half;
            }
        }
        let mut friction = made.friction;
        (friction[0], friction[1]) = (mu, mu);
        let ratio = pyramid_r(convex, &friction, 1.0) / pyramid_r(convex, &made.friction, 1.0);
        rows.r[range].iter_mut().for_each(|r| *r *= ratio);
    }
    (made.friction[0], made.friction[1]) = (mu, mu);
}
