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

use super::island::Island;
use super::options::{Method, Resolution, SoftOptions};
use super::rows::{SoftBlock, SoftLaw};
use super::solve::{IslandRoom, SoftReport};
use super::{Cone, ConvexSettings, PyramidRule, Softness};
use crate::entry::{BlockRows, Entry};
use crate::prepare::Inverse;
use crate::solver::gauss_seidel::{prepare_rows, reset};
use crate::solver::{SolveReport, Stop};
use crate::transport::RowEnd;
use crate::{
    Compliance, ContactProblem, GroupId, Law, Scratch, Settings, Side, Solution, TreeSpan, Velocity, Warm,
    work,
};
use huygens_math::{FreeInertia, FreeMass, Mat3, TreeInertia, Twist, Vec3, scalar};

/// R of a stiff row as a share of its A: what such a row misses of its target.
const STIFF: f64 = 1e-7;

/// Most rounds of static against dynamic friction.
const ROUNDS: u32 = 20;

/// Share of the diagonal of M⁻¹ below which nothing is left to move.
const ROUND_OFF: f64 = 1e-11;

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

/// The coordinates of a movable in its island.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Its first coordinate.
    first: usize,
    /// Number of coordinates.
    size: usize,
    /// Where its basis begins, dofs × coordinates, for a tree with equalities or held dofs.
    basis: Option<usize>,
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

/// How an entry is soft.
#[derive(Clone, Copy, Debug)]
struct RowLaw {
    /// Reference acceleration of the leading row.
    aref: f64,
    /// Damping rate of the rows of friction [1/s].
    b: f64,
    /// R of the leading row.
    r: f64,
    /// The row is a spring of that size: all edges of a pyramid together have this R.
    is_exact: bool,
}

/// Room of the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConvexScratch {
    room: IslandRoom,
    /// Velocity from which the solve starts.
    warm: Velocity,
    /// Coordinates of each movable, of the present island.
    places: Vec<Place>,
    basis: Vec<f64>,
    made: Vec<Made>,
    /// Movables of the present entry.
    ends: Vec<usize>,
    columns: Vec<usize>,
    /// Rows of the present entry over its columns.
    raw: Vec<f64>,
    dense: Vec<f64>,
    tree: Vec<f64>,
    pivots: Vec<f64>,
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

    fn add_body(&mut self, problem: &ContactProblem, body: usize) {
        let island = &mut self.room.island;
        self.places[body] = Place { first: island.mass.dofs(), size: 6, basis: None };
        let (mass, inverse) = (&problem.move_inertia.mass[body], &problem.move_inertia.free[body]);
        let values = island.mass.push(6);
        let angular = mass_of_turning(mass, inverse);
        for k in 0..3 {
            values[7 * k] = if mass.mass[k] > 0.0 { mass.mass[k] } else { 1.0 };
            for l in 0..3 {
                values[6 * (3 + k) + 3 + l] = angular.col(l)[k];
            }
        }
        let change = (self.warm.free[body] - problem.v_free.free[body]) * (1.0 / problem.h);
        island.a.extend(change.linear.to_array());
        island.a.extend(change.angular.to_array());
    }

    fn add_tree(&mut self, problem: &ContactProblem, movable: usize) {
        let first = self.room.island.mass.dofs();
        let Some(tree) = problem.move_inertia.trees.get(movable - problem.graph.free_bodies()) else {
            self.places[movable] = Place { first, size: 0, basis: None };
            return;
        };
        let n = tree.ldl.len();
        let at = tree.first_dof as usize;
        self.tree.clear();
        let (warm, free) = (&self.warm.dof[at..at + n], &problem.v_free.dof[at..at + n]);
        self.tree.extend(warm.iter().zip(free).map(|(warm, free)| (warm - free) / problem.h));
        if tree.equalities.rows() > 0 || tree.ldl.held() > 0 {
            let basis = self.basis.len();
            let size = self.span(tree);
            self.places[movable] = Place { first, size, basis: Some(basis) };
            let values = self.room.island.mass.push(size);
            (0..size).for_each(|k| values[k * size + k] = 1.0);
            // z = Lᵀ M δ.
            tree.ldl.times(&mut self.tree);
            for k in 0..size {
                let z = (0..n).map(|i| self.basis[basis + i * size + k] * self.tree[i]).sum();
                self.room.island.a.push(z);
            }
            return;
        }
        self.places[movable] = Place { first, size: n, basis: None };
        self.room.island.a.extend_from_slice(&self.tree);
        let values = self.room.island.mass.push(n);
        for column in 0..n {
            self.tree.fill(0.0);
            self.tree[column] = 1.0;
            tree.ldl.times(&mut self.tree);
            (0..n).for_each(|row| values[row * n + column] = self.tree[row]);
        }
    }

    /// Appends a basis L of what the equalities of a tree allow, with M⁻¹ − M⁻¹Gᵀ(GM⁻¹Gᵀ)⁺GM⁻¹ = L Lᵀ, so that Lᵀ M L = 1; returns its size.
    fn span(&mut self, tree: &TreeInertia) -> usize {
        let n = tree.ldl.len();
        let mut room = std::mem::take(&mut self.pivots);
        self.dense.clear();
        self.dense.resize(n * n + n, 0.0);
        let (w, scale) = self.dense.split_at_mut(n * n);
        for k in 0..n {
            let row = &mut w[k * n..(k + 1) * n];
            row[k] = 1.0;
            tree.ldl.solve(row);
            scale[k] = row[k];
            tree.equalities.project(row, &mut room);
        }
        self.pivots = room;
        // Columns of L, by the largest pivot that is left.
        self.raw.clear();
        let mut size = 0;
        while size < n {
            // A held dof has nothing to share.
            let share = |i: usize| if scale[i] > 0.0 { w[i * n + i] / scale[i] } else { 0.0 };
            let pivot = (0..n).fold(0, |best, i| if share(i) > share(best) { i } else { best });
            if share(pivot) < ROUND_OFF || share(pivot).is_nan() {
                break;
            }
            let root = w[pivot * n + pivot].sqrt();
            let from = self.raw.len();
            self.raw.extend((0..n).map(|i| w[i * n + pivot] / root));
            let column = &self.raw[from..];
            for i in 0..n {
                (0..n).for_each(|k| w[i * n + k] -= column[i] * column[k]);
            }
            size += 1;
        }
        let at = self.basis.len();
        self.basis.resize(at + n * size, 0.0);
        for k in 0..size {
            (0..n).for_each(|i| self.basis[at + i * size + k] = self.raw[k * n + i]);
        }
        size
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

    /// The coordinates that an entry acts on, ascending.
    fn find_columns(&mut self, problem: &ContactProblem, entry: &Entry) {
        let bodies = problem.graph.free_bodies();
        self.ends.clear();
        let ends = &mut self.ends;
        let mut add = |side: Side| match side {
            Side::Free(i) if problem.move_inertia.free[i as usize].can_move() => ends.push(i as usize),
            Side::Tree(tree) => ends.push(bodies + tree as usize),
            Side::Free(_) | Side::Fixed | Side::Driven(_) => {}
        };
        entry.head.side.into_iter().for_each(&mut add);
        if entry.point().is_none() {
            problem.groups.for_each_end(entry.head, entry.index, |end| match end {
                RowEnd::Free(body, _) => add(Side::Free(body)),
                RowEnd::Driven(..) => {}
                RowEnd::Tree(tree, _) => add(Side::Tree(tree)),
            });
        }
        let places = &self.places;
        self.ends.sort_unstable_by_key(|&movable| (places[movable].first, movable));
        self.ends.dedup();
        self.columns.clear();
        for place in self.ends.iter().map(|&movable| places[movable]) {
            self.columns.extend(place.first..place.first + place.size);
        }
    }

    /// J of the first `count` rows of an entry over its columns.
    fn fill_raw(&mut self, problem: &ContactProblem, entry: &Entry, count: usize) {
        self.raw.clear();
        self.raw.resize(count * self.columns.len(), 0.0);
        let bodies = problem.graph.free_bodies();
        let head = entry.head;
        let Some(point) = entry.point() else {
            problem.groups.for_each_end(head, entry.index, |end| match end {
                RowEnd::Free(body, on) => {
                    self.put_body(problem, body as usize, 0, Twist::new(on.linear, on.angular));
                }
                RowEnd::Driven(..) => {}
                RowEnd::Tree(tree, span) => self.put_tree(problem, bodies + tree as usize, span, 0, 0),
            });
            return;
        };
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            if let Side::Free(body) = head.side[side] {
                for row in 0..count {
                    let along = axes[row % 3] * sign;
                    let j = if row < 3 {
                        Twist::new(along, point.arm[side].cross(along))
                    } else {
                        Twist::new(Vec3::ZERO, along)
                    };
                    self.put_body(problem, body as usize, row, j);
                }
            }
        }
        if let Some(spans) = point.tree {
            for (span, side) in problem.groups.tree.spans_at(spans).iter().zip(head.side) {
                if let Side::Tree(tree) = side {
                    (0..count).for_each(|row| self.put_tree(problem, bodies + tree as usize, span, row, row));
                }
            }
        }
    }

    /// Where the columns of a movable begin in a row of the present entry.
    fn column_of(&self, movable: usize) -> Option<usize> {
        let mut at = 0;
        for &end in &self.ends {
            if end == movable {
                return Some(at);
            }
            at += self.places[end].size;
        }
        None
    }

    fn put_body(&mut self, problem: &ContactProblem, body: usize, row: usize, j: Twist) {
        let Some(at) = self.column_of(body) else { return };
        let (mass, inverse) = (&problem.move_inertia.mass[body], &problem.move_inertia.free[body]);
        let out = &mut self.raw[row * self.columns.len() + at..][..6];
        let angular = match locked(mass, inverse) {
            Some(projection) => projection.transpose() * j.angular,
            None => j.angular,
        };
        for k in 0..3 {
            // Locked axes have a mass that nothing moves.
            out[k] += if mass.mass[k] > 0.0 { j.linear[k] } else { 0.0 };
            out[3 + k] += angular[k];
        }
    }

    /// Row `k` of a span as row `row`.
    fn put_tree(&mut self, problem: &ContactProblem, movable: usize, span: &TreeSpan, k: usize, row: usize) {
        let Some(at) = self.column_of(movable).filter(|_| span.len > 0) else { return };
        let (rows, place, width) = (&problem.groups.tree, self.places[movable], self.columns.len());
        let out = &mut self.raw[row * width + at..][..place.size];
        for (j, &dof) in rows.j_of(span, k).iter().zip(rows.path_of(span)) {
            let dof = (dof - span.first_dof) as usize;
            match place.basis {
                None => out[dof] += j,
                Some(basis) => {
                    let basis = &self.basis[basis + dof * place.size..][..place.size];
                    out.iter_mut().zip(basis).for_each(|(out, l)| *out += j * l);
                }
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

/// Coefficients of the rows of friction of an entry, while it sticks.
fn coefficients(entry: &Entry) -> [f64; 5] {
    let cone = entry.cone();
    [cone.stick, cone.stick, cone.spin, cone.roll, cone.roll]
}

/// Inertia of a body about its centre of mass, with a moment about axes that are locked.
fn mass_of_turning(mass: &FreeMass, inverse: &FreeInertia) -> Mat3 {
    let Some(projection) = locked(mass, inverse) else { return mass.inertia.to_mat3() };
    let moment = scalar::max(mass.inertia.trace(), f64::MIN_POSITIVE);
    let moment = if mass.inertia.trace() > 0.0 { moment } else { 1.0 };
    mass.inertia.to_mat3() + (Mat3::IDENTITY - projection) * moment
}

/// The projection on what a body can turn about; `None` when that is everything.
fn locked(mass: &FreeMass, inverse: &FreeInertia) -> Option<Mat3> {
    let d = inverse.inv_inertia.diag();
    // Locked axes are world axes, or all but one that a driver turns about: the determinant of such an inverse is round-off.
    let mean = (d.x + d.y + d.z) / 3.0;
    if inverse.inv_inertia.determinant() > 1e-12 * mean * mean * mean && mean > 0.0 {
        return None;
    }
    Some(mass.inertia.to_mat3() * inverse.inv_inertia.to_mat3())
}

/// A of the leading row; `None` when nothing moves along it.
fn inverse_mass(convex: &ConvexSettings, problem: &ContactProblem, entry: &Entry) -> Option<f64> {
    let mass = entry.first_mass(problem.move_inertia);
    if mass <= 0.0 {
        return None;
    }
    let Some(point) = entry.point().filter(|_| !convex.exact_diagonal) else { return Some(1.0 / mass) };
    // The mean of the three translations of each side, without the turns of free bodies: MuJoCo's approximation.
    let mut sum = 0.0;
    for side in entry.head.side {
        if let Side::Free(i) = side {
            let inverse = problem.move_inertia.free[i as usize].inv_mass;
            sum += (inverse.x + inverse.y + inverse.z) / 3.0;
        }
    }
    if let Some(spans) = point.tree {
        let rows = &problem.groups.tree;
        sum += (0..3).map(|k| rows.delassus(spans, k, spans, k)).sum::<f64>() / 3.0;
    }
    Some(if sum > 0.0 { sum } else { 1.0 / mass })
}

/// Softness of an entry that has one: contacts, limits, couplings; motors and dry friction have none, and springs theirs.
fn softness(settings: &Settings, problem: &ContactProblem, entry: &Entry) -> Option<Softness> {
    let is_motor = matches!(entry.head.key.id(), GroupId::JointMotor { .. } | GroupId::DriverMotor { .. });
    let is_row = matches!(entry.head.law, Law::Bounded { .. } | Law::Drive { .. });
    match problem.groups.demand(entry.head).compliance {
        _ if is_motor || is_row => None,
        Compliance::Rigid => Some(settings.convex.softness),
        Compliance::Impedance(softness) => Some(softness),
        Compliance::Spring { .. } | Compliance::Response { .. } => None,
    }
}

/// Least time constant of a reference.
fn least_time(settings: &Settings, problem: &ContactProblem) -> f64 {
    if settings.convex.refsafe { 2.0 * problem.h } else { 0.0 }
}

/// True for a contact or limit that is open at the start of the step.
fn is_open(entry: &Entry) -> bool {
    entry.error() > 0.0 && matches!(entry.head.law, Law::Contact | Law::Unilateral)
}

/// Reference and softness of the leading row, whose velocity at the start is `u`.
fn law_of(settings: &Settings, problem: &ContactProblem, entry: &Entry, u: f64, inverse_mass: f64) -> RowLaw {
    let h = problem.h;
    let (error, target) = (entry.error(), entry.row_target());
    let exact = |speed: f64, r: f64| RowLaw { aref: (speed - u) / h, b: 1.0 / h, r, is_exact: true };
    if let Some(spring) = entry.spring(problem.move_inertia) {
        return exact(target + spring.target(h, error, entry.head.law), spring.regularisation(h));
    }
    let Some(softness) = softness(settings, problem, entry) else {
        return exact(target, STIFF * inverse_mass);
    };
    if is_open(entry) {
        let impedance = softness.at(0.0, least_time(settings, problem));
        let mut speed = target - error / h;
        if entry.point().is_some() && problem.airborne.get(entry.index) == Some(&true) {
            speed = scalar::min(speed, entry.first_at_end(problem.v_free));
        }
        let r = impedance.regularisation(inverse_mass);
        return RowLaw { aref: (speed - u) / h, b: impedance.b, r, is_exact: false };
    }
    let impedance = softness.at(error, least_time(settings, problem));
    RowLaw {
        aref: impedance.reference(u - target, error),
        b: impedance.b,
        r: impedance.regularisation(inverse_mass),
        is_exact: false,
    }
}

/// R of an elliptic contact whose normal has `r`.
fn set_elliptic(convex: &ConvexSettings, friction: &[f64; 5], r: f64, rows: &mut [f64]) {
    rows[0] = r;
    for (k, row) in rows.iter_mut().enumerate().skip(1) {
        // Genesis does not scale the rows of spin and roll under `signorini`.
        let same = convex.resolution == Resolution::Signorini || k <= 2;
        let scale = if same { 1.0 } else { scalar::square(friction[0] / friction[k - 1]) };
        *row = r / convex.impratio * scale;
    }
}

/// R of an edge of a pyramid whose normal alone would have `r`.
fn pyramid_r(convex: &ConvexSettings, friction: &[f64; 5], r: f64) -> f64 {
    let mu = if friction[0] > 0.0 { friction[0] } else { 1.0 };
    let regularised = mu * mu / convex.impratio;
    let seen = match convex.pyramid {
        PyramidRule::Mujoco => mu * mu,
        PyramidRule::Genesis => regularised,
    };
    2.0 * regularised * (1.0 + seen) * r
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

/// The spring of a contact, limit or coupling.
///
/// | symbol | code | meaning | unit |
/// |---|---|---|---|
/// | x | `depth` | compression at the start of the step: −gap of a contact or limit, error of a coupling | m |
/// | D | `stiffness` | Σ 1/R of the rows that carry the normal | kg |
/// | V | | ∫ D k d x dx: what the spring stores | J |
///
/// An impulse p of such a row is that of the spring, h D k d x, and that of the damper with its regularisation, −D(h b u + u⁺ − u), which is the
/// rest: in a sliding contact the part of the cone, too. V is released at x and taken up at x − h ū; what an explicit spring gives beyond that is
/// numerical.
struct Stored {
    softness: Softness,
    least_time: f64,
    depth: f64,
    /// Number of rows over their R at (1 − d)/d = 1.
    weight: f64,
    is_open: bool,
}

impl Stored {
    fn of(settings: &Settings, problem: &ContactProblem, entry: &Entry) -> Option<Self> {
        let softness = softness(settings, problem, entry)?;
        let inverse_mass = inverse_mass(&settings.convex, problem, entry)?;
        let friction = coefficients(entry);
        let edges = 2.0 * friction.iter().filter(|c| **c > 0.0).count() as f64;
        let weight = if entry.point().is_some() && edges > 0.0 && settings.convex.cone == Cone::Pyramidal {
            edges / pyramid_r(&settings.convex, &friction, inverse_mass)
        } else {
            1.0 / inverse_mass
        };
        let is_open = is_open(entry);
        let depth = match entry.head.law {
            Law::Contact | Law::Unilateral => scalar::max(-entry.error(), 0.0),
            Law::Equality | Law::Bounded { .. } | Law::Drive { .. } => -entry.error(),
        };
        Some(Self { softness, least_time: least_time(settings, problem), depth, weight, is_open })
    }

    /// Books an entry with its velocities before and after. Returns by how much the stored energy grew.
    fn book(
        &self,
        problem: &ContactProblem,
        entry: &Entry,
        p: &BlockRows,
        [before, after]: [&BlockRows; 2],
        work: &mut crate::Work,
    ) -> f64 {
        let h = problem.h;
        let mean = |k: usize| 0.5 * (before[k] + after[k]);
        let normal = mean(0);
        let moved = h * (normal - entry.row_target());
        let one_sided = matches!(entry.head.law, Law::Contact | Law::Unilateral);
        let end = if self.is_open { -(entry.error() + moved) } else { self.depth - moved };
        let end = if one_sided { scalar::max(end, 0.0) } else { end };
        let impedance = self.softness.at(self.depth, self.least_time);
        let stored = self.weight * impedance.k * self.softness.stored(self.depth, end);
        let stiffness = self.weight / impedance.regularisation(1.0);
        let mut terms = [-stored, 0.0, 0.0, 0.0];
        if self.is_open {
            // A blow, of which the spring takes up its part.
            let blow = p[0] * normal;
            (terms[1], terms[3]) = if blow > 0.0 { (stored + blow, 0.0) } else { (stored, blow) };
        } else if p[0] == 0.0 && one_sided {
            terms[2] = stored;
        } else {
            let spring = h * stiffness * impedance.k * impedance.d * self.depth;
            terms[1] = spring * normal + stored;
            terms[2] = (p[0] - spring) * normal;
        }
        work.spring_released.add(terms[0]);
        work.numerical.add(terms[1]);
        work.viscous.add(terms[2]);
        if entry.point().is_some() { &mut work.impact } else { &mut work.limit }.add(terms[3]);
        work.magnitude += terms.iter().map(|term| term.abs()).sum::<f64>();
        work.magnitude += 0.5 * p[0].abs() * (before[0].abs() + after[0].abs());
        for k in 1..6 {
            work.friction.add(p[k] * mean(k));
            work.magnitude += 0.5 * p[k].abs() * (before[k].abs() + after[k].abs());
        }
        stored
    }
}
