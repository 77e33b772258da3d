//! Sides of contacts as rows: J of the six relative motions over the numbers of a side, and Y = M⁻¹Jᵀ.
//!
//! **The rows of a tree come from its points.** With c the middle of m points and q_k their levers ([`super::batch`]), the relative motions
//! are sums of the rows J_k of the points: u at c is their mean; the spin along d is −Σ (q_k·J_t,k)/S; and the spin along t₁, t₂ is Q⁺Σ q_k J_n,k
//! with Q = Σ q_k q_kᵀ, of which the normals of the points feel nothing that is lost where they lie on a line.

use super::body::LentBodies;
use super::build::Item;
use super::fill::Fill;
use crate::scratch::{Room, reserve};
use crate::{Head, NO_COUPLE, Side, TreeSpan};
use huygens_math::{FreeInertia, Twist, Vec3};

/// Points count as on a line where the determinant of Q is below this share of its squared trace.
const LINE: f64 = 1e-10;

/// The rows of all sides of a solve.
#[derive(Clone, Debug, Default)]
pub(super) struct SideRows {
    pub sides: Vec<SideSpan>,
    /// Dofs of the paths of trees.
    pub path: Vec<u32>,
    /// J of the six motions for each number that they read, then Y for each number that they change.
    j: Vec<[f64; 6]>,
    y: Vec<[f64; 6]>,
}

/// One side of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideSpan {
    pub place: Place,
    /// Its first entries in [`SideRows::j`] and [`SideRows::y`].
    j: u32,
    y: u32,
}

/// Numbers of a [`crate::Velocity`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A body that moves.
    Free(u32),
    /// A body that no impulse moves.
    Prescribed(u32),
    /// A tree: J over a range of [`SideRows::path`], Y over all its dofs.
    Tree { path: u32, path_len: u32, first_dof: u32, dofs: u32 },
}

impl SideRows {
    pub fn reserve(&mut self, room: &Room) {
        if room.dofs > 0 {
            reserve(&mut self.sides, 2 * room.groups);
        }
    }

    pub fn clear(&mut self) {
        self.sides.clear();
        self.path.clear();
        self.j.clear();
        self.y.clear();
    }

    fn add(&mut self, place: Place) {
        self.sides.push(SideSpan { place, j: self.j.len() as u32, y: self.y.len() as u32 });
    }

    /// The six motions for each number that they read.
    #[inline(always)]
    pub fn j(&self, side: &SideSpan) -> &[[f64; 6]] {
        let len = if let Place::Tree { path_len, .. } = side.place { path_len as usize } else { 6 };
        &self.j[side.j as usize..][..len]
    }

    /// The changes of each number by the six impulses.
    #[inline(always)]
    pub fn y(&self, side: &SideSpan) -> &[[f64; 6]] {
        let len = match side.place {
            Place::Tree { dofs, .. } => dofs as usize,
            Place::Free(_) => 6,
            Place::Prescribed(_) => 0,
        };
        &self.y[side.y as usize..][..len]
    }

    #[inline(always)]
    pub fn path(&self, first: u32, len: u32) -> &[u32] {
        &self.path[first as usize..][..len as usize]
    }
}

/// The six numbers of a twist.
#[inline(always)]
pub(super) fn numbers(twist: &Twist) -> [f64; 6] {
    let (l, a) = (twist.linear, twist.angular);
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

/// A manifold whose sides are written as rows.
pub(super) struct Manifold<'a> {
    head: &'a Head,
    item: Item,
    /// Levers of its points along t₁ and t₂.
    q: [[f64; 4]; 2],
    /// n, t₁, t₂.
    axes: [Vec3; 3],
    /// Parts of d along t₁ and t₂.
    axis: [f64; 2],
}

/// Coefficients of the rows of a point along n, t₁ and t₂ in each of the six motions.
type Coefficients = [[f64; 3]; 6];

impl<'a> Manifold<'a> {
    pub fn new(fill: &Fill<'a>, item: Item, q: [[f64; 4]; 2], axis: [f64; 2]) -> Self {
        let head = &fill.problem.groups.heads[item.head as usize];
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        Self { head, item, q, axes, axis }
    }

    /// Adds its sides; returns the sizes of the terms of W.
    pub fn fill(&self, fill: &Fill, bodies: &LentBodies, rows: &mut SideRows) -> [f64; 6] {
        let mut size = [0.0; 6];
        let surface = fill.surfaces.get(self.item.surface as usize);
        for k in 0..2 {
            let sign = if k == 0 { 1.0 } else { -1.0 };
            if surface.is_some_and(|surface| surface.side == k) {
                let place = Place::Prescribed(bodies.surface(self.item.surface));
                self.twist_side(place, &FreeInertia::FIXED, k, sign, fill, rows, &mut size);
                continue;
            }
            match self.head.side[k] {
                Side::Fixed => {}
                Side::Free(body) => {
                    let inertia = &fill.problem.move_inertia.free[body as usize];
                    self.twist_side(Place::Free(body), inertia, k, sign, fill, rows, &mut size);
                }
                Side::Driven(driver) => {
                    let place = Place::Prescribed(bodies.fixed() + 1 + driver);
                    self.twist_side(place, &FreeInertia::FIXED, k, sign, fill, rows, &mut size);
                }
                Side::Tree(_) => self.tree_side(k, fill, rows, &mut size),
            }
        }
        if surface.is_some_and(|surface| surface.side > 1) {
            // A body beside the two sides, with the velocity of the surface of A relative to that of B.
            rows.add(Place::Prescribed(bodies.surface(self.item.surface)));
            for d in 0..6 {
                let mut j = [0.0; 6];
                for i in (0..3).filter(|_| d < 3) {
                    j[i] = self.axes[i][d];
                }
                rows.j.push(j);
            }
        }
        size
    }

    /// The mean of the arms of a side.
    fn arm(&self, fill: &Fill, k: usize) -> Vec3 {
        let len = self.item.len as usize;
        let points = &fill.problem.groups.points;
        let sum = (0..len).fold(Vec3::ZERO, |sum, i| sum + points[self.item.point(i)].arm[k]);
        sum * (1.0 / len as f64)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one side")]
    fn twist_side(
        &self,
        place: Place,
        inertia: &FreeInertia,
        k: usize,
        sign: f64,
        fill: &Fill,
        rows: &mut SideRows,
        size: &mut [f64; 6],
    ) {
        let arm = self.arm(fill, k);
        let along = self.axes[0] + self.axes[1] * self.axis[0] + self.axes[2] * self.axis[1];
        let couples = [along, self.axes[1], self.axes[2]];
        let (mut j, mut y) = ([Twist::ZERO; 6], [Twist::ZERO; 6]);
        let trace = inertia.inv_inertia.trace();
        for i in 0..3 {
            let push = self.axes[i] * sign;
            j[i] = Twist::new(push, arm.cross(push));
            j[3 + i] = Twist::new(Vec3::ZERO, couples[i] * sign);
            size[i] += inertia.inv_mass.max_element() + arm.length_squared() * trace;
            size[3 + i] += couples[i].length_squared() * trace;
        }
        for i in 0..6 {
            y[i] = Twist::new(inertia.inv_mass * j[i].linear, inertia.inv_inertia * j[i].angular);
        }
        let (j, y) = (j.map(|twist| numbers(&twist)), y.map(|twist| numbers(&twist)));
        rows.add(place);
        rows.j.extend((0..6).map(|d| j.map(|row| row[d])));
        if let Place::Free(_) = place {
            rows.y.extend((0..6).map(|d| y.map(|row| row[d])));
        }
    }

    /// The six motions as sums over the rows of point `k`.
    fn coefficients(&self, k: usize) -> Coefficients {
        let share = 1.0 / f64::from(self.item.len);
        let [x, y] = [self.q[0][k], self.q[1][k]];
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for i in 0..self.item.len as usize {
            let [x, y] = [self.q[0][i], self.q[1][i]];
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        }
        let (square, det) = (xx + yy, xx * yy - xy * xy);
        if square <= 0.0 {
            return [[share, 0.0, 0.0], [0.0, share, 0.0], [0.0, 0.0, share], [0.0; 3], [0.0; 3], [0.0; 3]];
        }
        // Q⁻¹, or Q/tr² where Q has rank one.
        let [a, b, c] = if det > LINE * square * square {
            [yy / det, -xy / det, xx / det]
        } else {
            let per = 1.0 / (square * square);
            [xx * per, xy * per, yy * per]
        };
        [
            [share, 0.0, 0.0],
            [0.0, share, 0.0],
            [0.0, 0.0, share],
            [0.0, -x / square, -y / square],
            [a * x + b * y, 0.0, 0.0],
            [b * x + c * y, 0.0, 0.0],
        ]
    }

    fn tree_side(&self, k: usize, fill: &Fill, rows: &mut SideRows, size: &mut [f64; 6]) {
        let tree = &fill.problem.groups.tree;
        let spans: [TreeSpan; 4] = std::array::from_fn(|point| {
            let point = self.item.point(point.min(self.item.len as usize - 1));
            let at = fill.problem.groups.points[point].tree.expect("a point of a tree side has rows");
            tree.spans_at(at)[k]
        });
        let span = &spans[0];
        if span.len == 0 {
            // Both sides are one tree, and the rows of the other side hold the difference.
            return;
        }
        let (path, path_len) = (rows.path.len() as u32, span.path.len);
        rows.add(Place::Tree { path, path_len, first_dof: span.first_dof, dofs: span.len });
        rows.path.extend_from_slice(tree.path_of(span));
        let coefficients: [Coefficients; 4] = std::array::from_fn(|point| self.coefficients(point));
        let sums = Sums { coefficients, len: self.item.len as usize, axis: self.axis };
        let has_spin = self.head.couple != NO_COUPLE;
        let y_of = |dof: usize| sums.of(has_spin, |point, row| tree.y_of(&spans[point], row)[dof]);
        rows.y.extend((0..span.len as usize).map(|dof| y_of(dof).0));
        for (number, dof) in tree.path_of(span).iter().enumerate() {
            let (j, of_j) = sums.of(has_spin, |point, row| tree.j_of(&spans[point], row)[number]);
            rows.j.push(j);
            let of_y = y_of((dof - span.first_dof) as usize).1;
            (0..6).for_each(|i| size[i] += of_j[i] * of_y[i]);
        }
    }
}

/// How the six motions of a tree side are made of the rows of its points.
struct Sums {
    coefficients: [Coefficients; 4],
    /// Number of points.
    len: usize,
    /// Parts of d along t₁ and t₂.
    axis: [f64; 2],
}

impl Sums {
    /// The six motions, and the sums of the sizes of their terms, from the rows of the points. Where these have rows of the spin along n, t₁, t₂
    /// behind the first three, the spin is taken from there.
    fn of(&self, has_spin: bool, row: impl Fn(usize, usize) -> f64) -> ([f64; 6], [f64; 6]) {
        let (mut sum, mut size) = ([0.0; 6], [0.0; 6]);
        for point in 0..self.len {
            for i in 0..6 {
                for axis in 0..3 {
                    let term = self.coefficients[point][i][axis] * row(point, axis);
                    sum[i] += term;
                    size[i] += term.abs();
                }
            }
        }
        if has_spin {
            let [n, t1, t2] = [3, 4, 5].map(|i| row(0, i));
            let along = n + self.axis[0] * t1 + self.axis[1] * t2;
            sum[3..].copy_from_slice(&[along, t1, t2]);
            size[3..].copy_from_slice(&[along.abs(), t1.abs(), t2.abs()]);
        }
        (sum, size)
    }
}

/// True when something can move along the normal of a point.
pub(super) fn normal_moves(fill: &Fill, head: &Head, point: usize) -> bool {
    let groups = fill.problem.groups;
    groups.normal_mass(fill.problem.move_inertia, head, &groups.points[point]) > 0.0
}
