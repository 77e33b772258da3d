//! Coordinates of the bodies and trees of an island, and rows over them.

use super::model::ConvexScratch;
use crate::entry::Entry;
use crate::transport::RowEnd;
use crate::{ContactProblem, Side, TreeSpan};
use huygens_math::{FreeInertia, FreeMass, Mat3, TreeInertia, Twist, Vec3, scalar};

/// Share of the diagonal of M⁻¹ below which nothing is left to move.
const ROUND_OFF: f64 = 1e-11;

/// The coordinates of a movable in its island.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Its first coordinate.
    pub first: usize,
    /// Number of coordinates.
    pub size: usize,
    /// Where its basis begins, dofs × coordinates, for a tree with equalities or held dofs.
    pub basis: Option<usize>,
}

impl ConvexScratch {
    pub(super) fn add_body(&mut self, problem: &ContactProblem, body: usize) {
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

    pub(super) fn add_tree(&mut self, problem: &ContactProblem, movable: usize) {
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

    /// The coordinates that an entry acts on, ascending.
    pub(super) fn find_columns(&mut self, problem: &ContactProblem, entry: &Entry) {
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
    pub(super) fn fill_raw(&mut self, problem: &ContactProblem, entry: &Entry, count: usize) {
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
