//! Fills each lane with the data of its manifold.
//!
//! Rows of numbers that lie side by side in memory are read lane by lane and turned into columns in registers: written one number at a
//! time into lanes, they took more than half of what preparing a batch takes.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | c | `middle` | mean of the points that count, from the centre of A |
//! | ρ = (x, y), z | `local` | a point about c, along t₁ and t₂, and along n |
//! | S | `square` | Σ\|ρ\|² |

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Batch, Couple8, PADDING, store};
use super::body::{LentBodies, LentVelocity, Source};
use super::build::{Item, SurfaceSide};
use super::law::inverse_of;
use super::side_rows::{SideRows, normal_moves};
use super::transport::Transport;
use crate::couple;
use crate::{ContactProblem, GroupKey, Head, Impulse, Law, Material, NO_COUPLE, Point, Side, Warm};
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH, prefetch};
use huygens_math::{FreeInertia, Vec3, scalar};

/// The data from which lanes are filled.
#[derive(Clone, Copy)]
pub(super) struct Fill<'a> {
    pub problem: &'a ContactProblem<'a>,
    /// Impulses of points and rows to start from; none in a step without a warm start.
    pub warm: Warm<'a>,
    /// Share of them that a sub-step has.
    pub share: f64,
    pub items: &'a [Item],
    /// Surfaces that move along themselves.
    pub surfaces: &'a [SurfaceSide],
}

/// The manifolds of some lanes by their sides.
pub(super) struct Sides<'a> {
    pub item: [Option<Item>; WIDTH],
    /// Place of each side among the bodies of a solve, and its inertia.
    pub body: [[u32; WIDTH]; 2],
    pub inertia: [[&'a FreeInertia; WIDTH]; 2],
}

/// The manifolds of some lanes by their places.
pub(super) struct Geometry<L, const N: usize> {
    pub normal: Vec3Lanes<L>,
    pub tangent: Vec3Lanes<L>,
    /// From the centre of mass of each side to the middle of the points.
    pub arm: [Vec3Lanes<L>; 2],
    /// Lever of each point along t₁ and t₂.
    pub q: [[L; N]; 2],
    /// Parts of d along t₁ and t₂.
    pub axis: [L; 2],
}

/// A lane without a manifold: nothing moves, nothing presses.
static NO_HEAD: Head = Head {
    key: GroupKey::contact([0; 2], [0; 2]),
    side: [Side::Fixed; 2],
    law: Law::Contact,
    demand: 0,
    is_soft: false,
    first: 0,
    len: 0,
    material: 0,
    couple: NO_COUPLE,
    normal: Vec3::X,
    tangent: Vec3::Y,
};
static NO_POINT: Point = Point { arm: [Vec3::ZERO; 2], gap: 0.0, feature: [0; 2], tree: None };
static NO_FRICTION: Material = Material {
    restitution: 0.0,
    friction_static: 0.0,
    friction_dynamic: 0.0,
    friction_torsional: 0.0,
    friction_rolling: 0.0,
};
static NO_IMPULSE: Impulse = [0.0; 3];
static FIXED: FreeInertia = FreeInertia::FIXED;

/// Where the numbers of some lanes are. A point that is missing has the place of the first.
struct Sources<'a, const N: usize> {
    sides: Sides<'a>,
    head: [&'a Head; WIDTH],
    material: [&'a Material; WIDTH],
    point: [[&'a Point; WIDTH]; N],
    warm: [[&'a Impulse; WIDTH]; N],
    gap: [[f64; WIDTH]; N],
    /// 1 for a point, 0 for a missing one.
    real: [[f64; WIDTH]; N],
    /// 1 for a point whose normal can move.
    moves: [[f64; WIDTH]; N],
    /// 1 over the number of points.
    share: [f64; WIDTH],
}

impl<'a> Fill<'a> {
    /// Writes the items of the lanes of `at`. `inverse` says for now which points count and can move.
    #[inline(always)]
    pub fn part<L: Lane, X: Transport, const N: usize, const M: usize, const T: usize, const C: usize>(
        &self,
        at: At<L>,
        lanes: &[u32; WIDTH],
        bodies: &LentBodies,
        rows_of_sides: &mut SideRows,
        batch: &mut Batch<X, N, M, T, C>,
    ) {
        let from = self.sources::<L, X, N>(at, lanes, bodies);
        let zero = at.splat(0.0);
        let mut rows = [[0.0; 4]; WIDTH];
        for i in 0..L::WIDTH {
            let (n, mu) = (from.head[i].normal, from.material[i].friction_static);
            rows[i] = [n.x, n.y, n.z, mu];
        }
        let [x, y, z, stick] = L::columns(at.token, &rows);
        let normal = Vec3Lanes::new(x, y, z);
        for i in 0..L::WIDTH {
            let (t, mu) = (from.head[i].tangent, from.material[i].friction_dynamic);
            rows[i] = [t.x, t.y, t.z, mu];
        }
        let [x, y, z, slip] = L::columns(at.token, &rows);
        let tangent = Vec3Lanes::new(x, y, z);
        store(at, &[stick, slip], &mut batch.mu);
        let mut arm = [Vec3Lanes::new(zero, zero, zero); N];
        for k in 0..N {
            for i in 0..L::WIDTH {
                let [a, b] = from.point[k][i].arm;
                rows[i] = [a.x, a.y, a.z, b.x];
            }
            let [x, y, z, _] = L::columns(at.token, &rows);
            arm[k] = Vec3Lanes::new(x, y, z);
        }
        for i in 0..L::WIDTH {
            let b = from.point[0][i].arm[1];
            rows[i] = [b.x, b.y, b.z, 0.0];
        }
        let [x, y, z, _] = L::columns(at.token, &rows);
        let between = Vec3Lanes::new(x, y, z) - arm[0];
        let mut real = [zero; N];
        let mut middle = arm[0];
        for k in 0..N {
            real[k] = L::load(at.token, &from.real[k]);
            at.store(L::load(at.token, &from.moves[k]), &mut batch.inverse[k]);
            if k > 0 {
                let counts = zero.lt(real[k]);
                middle.x += L::select(counts, arm[k].x, zero);
                middle.y += L::select(counts, arm[k].y, zero);
                middle.z += L::select(counts, arm[k].z, zero);
            }
        }
        let middle = middle.scale(L::load(at.token, &from.share));
        let axes = [tangent, normal.cross(tangent), normal];
        let mut geometry =
            Geometry { normal, tangent, arm: [middle, middle + between], q: [[zero; N]; 2], axis: [zero; 2] };
        let mut sum = Sums::new(zero);
        for k in 0..N {
            at.store(L::load(at.token, &from.gap[k]), &mut batch.gap[k]);
            for i in 0..L::WIDTH {
                let p = from.warm[k][i];
                rows[i] = [p[0], p[1], p[2], 0.0];
            }
            let [p, a, b, _] = L::columns(at.token, &rows);
            let share = at.splat(self.share);
            let warm = [p.max(zero) * share, a * share, b * share];
            at.store(warm[0], &mut batch.lambda[k]);
            let mut local = [zero; 3];
            if N > 1 {
                let off = arm[k] - middle;
                let counts = zero.lt(real[k]);
                for j in 0..3 {
                    local[j] = L::select(counts, axes[j].dot(off), zero);
                }
                (geometry.q[0][k], geometry.q[1][k]) = (local[1], zero - local[0]);
            }
            sum.add(local, warm);
        }
        // Friction of a patch is shared among its points, with those that bear nothing.
        let is_pressed = zero.lt(sum.load);
        let push = [L::select(is_pressed, sum.push[0], zero), L::select(is_pressed, sum.push[1], zero)];
        let push = within(push, stick * sum.load);
        store(at, &push, &mut batch.tangential);
        if N > 1 {
            let per_square = inverse_of(sum.square);
            geometry.axis = [-sum.tilt[0] * per_square, -sum.tilt[1] * per_square];
        }
        for t in 0..T {
            let face = &mut batch.face[t];
            let has_twist = zero.lt(sum.square);
            store(at, &geometry.q[0], &mut face.q[0]);
            store(at, &geometry.q[1], &mut face.q[1]);
            store(at, &geometry.axis, &mut face.axis);
            let twist = L::select(is_pressed, sum.twist, zero);
            at.store(L::select(has_twist, twist, zero), &mut face.twist);
            at.store(L::select(has_twist, at.splat(1.0), zero), &mut face.inverse);
        }
        for c in 0..C {
            self.couples(at, lanes, &mut batch.couple[c]);
        }
        batch.transport.fill(at, self, &from.sides, &geometry, bodies, rows_of_sides);
    }

    /// Writes levers, and the couples to start from.
    #[inline(always)]
    fn couples<L: Lane>(&self, at: At<L>, lanes: &[u32; WIDTH], batch: &mut Couple8) {
        for i in at.first()..at.first() + L::WIDTH {
            let (lever, couple) = self.couple_of(lanes[i]);
            for k in 0..2 {
                batch.lever[k][i] = lever[k];
            }
            for k in 0..3 {
                batch.couple[k][i] = couple[k];
            }
        }
    }

    /// Prefetches the contacts of the lanes of a batch.
    #[inline(always)]
    pub fn prefetch_contacts(&self, lanes: &[u32; WIDTH]) {
        let groups = self.problem.groups;
        for i in 0..WIDTH {
            if lanes[i] != PADDING {
                let item = &self.items[lanes[i] as usize];
                prefetch(&groups.heads[item.head as usize]);
                for k in 0..item.len as usize {
                    prefetch(&groups.points[item.point(k)]);
                }
                if let Some(warm) = self.warm.points.get(item.first as usize) {
                    prefetch(warm);
                }
            }
        }
    }

    /// Prefetches the bodies of a batch, whose contacts are near already.
    #[inline(always)]
    pub fn prefetch_bodies(&self, lanes: &[u32; WIDTH], v: &LentVelocity) {
        for i in 0..WIDTH {
            if lanes[i] != PADDING {
                let head = &self.problem.groups.heads[self.items[lanes[i] as usize].head as usize];
                for side in 0..2 {
                    if let Side::Free(body) = head.side[side] {
                        prefetch(&self.problem.move_inertia.free[body as usize]);
                        prefetch(v.twist(body));
                    }
                }
            }
        }
    }

    /// Looks up the lanes of `at`.
    #[inline(always)]
    fn sources<L: Lane, X: Transport, const N: usize>(
        &self,
        at: At<L>,
        lanes: &[u32; WIDTH],
        bodies: &LentBodies,
    ) -> Sources<'a, N> {
        let groups = self.problem.groups;
        let mut from = Sources {
            sides: Sides {
                item: [None; WIDTH],
                body: [[bodies.fixed(); WIDTH]; 2],
                inertia: [[&FIXED; WIDTH]; 2],
            },
            head: [&NO_HEAD; WIDTH],
            material: [&NO_FRICTION; WIDTH],
            point: [[&NO_POINT; WIDTH]; N],
            warm: [[&NO_IMPULSE; WIDTH]; N],
            gap: [[0.0; WIDTH]; N],
            real: [[0.0; WIDTH]; N],
            moves: [[0.0; WIDTH]; N],
            share: [0.0; WIDTH],
        };
        for i in 0..L::WIDTH {
            let index = lanes[at.first() + i];
            if index == PADDING {
                continue;
            }
            let item = self.items[index as usize];
            let head = &groups.heads[item.head as usize];
            from.head[i] = head;
            from.material[i] = &groups.materials[head.material as usize];
            from.sides.item[i] = Some(item);
            for side in 0..2 {
                let (body, inertia) = self.body(head.side[side], bodies);
                from.sides.inertia[side][i] = inertia;
                from.sides.body[side][i] = body;
            }
            if let Some(surface) = self.surfaces.get(item.surface as usize)
                && surface.side < 2
            {
                from.sides.body[surface.side][i] = bodies.surface(item.surface);
            }
            let len = item.len as usize;
            from.share[i] = 1.0 / len as f64;
            for k in 0..N {
                let is_real = k < len;
                let place = item.point(if is_real { k } else { 0 });
                from.point[k][i] = &groups.points[place];
                from.gap[k][i] = gap_of(self.problem, head, place);
                if is_real {
                    from.real[k][i] = 1.0;
                    if !X::MAY_BE_SINGULAR || normal_moves(self, head, place) {
                        from.moves[k][i] = 1.0;
                        from.warm[k][i] = self.warm.points.get(place).unwrap_or(&NO_IMPULSE);
                    }
                }
            }
        }
        from
    }

    #[inline(always)]
    pub fn body(&self, side: Side, bodies: &LentBodies) -> (u32, &'a FreeInertia) {
        let fixed = bodies.fixed();
        match side {
            Side::Free(i) => (i, &self.problem.move_inertia.free[i as usize]),
            Side::Driven(i) => (fixed + 1 + i, &FIXED),
            Side::Fixed | Side::Tree(_) => (fixed, &FIXED),
        }
    }
}

impl Fill<'_> {
    /// Levers of an item against spinning and rolling, and a sub-step's share of the couple of the last step.
    fn couple_of(&self, index: u32) -> ([f64; 2], [f64; 3]) {
        let (none, groups) = (([0.0; 2], [0.0; 3]), self.problem.groups);
        if index == PADDING {
            return none;
        }
        let item = &self.items[index as usize];
        let head = &groups.heads[item.head as usize];
        if head.couple == NO_COUPLE {
            return none;
        }
        let material = &groups.materials[head.material as usize];
        let warm = match item.couple(head) {
            _ if self.warm.couples.is_empty() => [0.0; 3],
            Some(own) => self.warm.couples[own],
            None => couple::sum_of(head, self.warm.couples),
        };
        ([material.friction_torsional, material.friction_rolling], warm.map(|couple| couple * self.share))
    }
}

/// The gap as sub-steps see it. A point whose flight ends above the surface may come as far as it flies at its last speed, and as much
/// again, so that round-off does not land it: its gap is that of the start of the step, and the impact stage has turned it round
/// on the way.
#[inline(always)]
pub(super) fn gap_of(problem: &ContactProblem, head: &Head, i: usize) -> f64 {
    if problem.airborne.get(i) == Some(&true) {
        return gap_in_flight(problem, head, i);
    }
    problem.groups.points[i].gap
}

#[inline(never)]
fn gap_in_flight(problem: &ContactProblem, head: &Head, i: usize) -> f64 {
    let point = &problem.groups.points[i];
    let u = problem.groups.relative(head, point, problem.v_free)[0];
    scalar::max(point.gap, -2.0 * problem.h * u)
}

/// A push in the plane, no larger than that: the points that it was bounded by may be gone.
#[inline(always)]
fn within<L: Lane>([a, b]: [L; 2], most: L) -> [L; 2] {
    let (zero, one) = (L::splat(a.token(), 0.0), L::splat(a.token(), 1.0));
    let square = a * a + b * b;
    let is_beyond = (most * most).lt(square);
    let scale = L::select(is_beyond, most.max(zero) * inverse_of(square.sqrt()), one);
    [a * scale, b * scale]
}

/// Sums over the points of a manifold.
struct Sums<L> {
    /// Σ|ρ|².
    square: L,
    /// Σ z ρ.
    tilt: [L; 2],
    /// Warm-start impulse along the normal, in the plane, and its moment about n.
    load: L,
    push: [L; 2],
    twist: L,
}

impl<L: Lane> Sums<L> {
    #[inline(always)]
    fn new(zero: L) -> Self {
        Self { square: zero, tilt: [zero; 2], load: zero, push: [zero; 2], twist: zero }
    }

    #[inline(always)]
    fn add(&mut self, [x, y, z]: [L; 3], warm: [L; 3]) {
        self.square += x * x + y * y;
        self.tilt = [self.tilt[0] + z * x, self.tilt[1] + z * y];
        self.load += warm[0];
        self.push = [self.push[0] + warm[1], self.push[1] + warm[2]];
        self.twist += x * warm[2] - y * warm[1];
    }
}
