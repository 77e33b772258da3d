//! What is known of each manifold, into its lane.
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

use super::batch::{At, Batch, PADDING, store};
use super::body::Bodies;
use super::build::{BeltSide, Item};
use super::law::inverse_of;
use crate::{ContactProblem, GroupKey, Head, Impulse, Law, Material, NO_COUPLE, Point, Side};
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH, prefetch};
use huygens_math::{FreeInertia, Twist, Vec3, scalar};

/// All that lanes are made of.
#[derive(Clone, Copy)]
pub(super) struct Fill<'a> {
    pub problem: &'a ContactProblem<'a>,
    /// Impulses to start from; none in a step without a warm start.
    pub warm: &'a [Impulse],
    /// Share of them that a sub-step has.
    pub share: f64,
    pub items: &'a [Item],
    /// Surfaces that move along themselves.
    pub belts: &'a [BeltSide],
}

/// What a lane without a manifold has: nothing moves, nothing presses.
static NO_HEAD: Head = Head {
    key: GroupKey::contact([0; 2], [0; 2]),
    side: [Side::Fixed; 2],
    law: Law::Contact,
    demand: 0,
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
    head: [&'a Head; WIDTH],
    material: [&'a Material; WIDTH],
    inertia: [[&'a FreeInertia; WIDTH]; 2],
    point: [[&'a Point; WIDTH]; N],
    warm: [[&'a Impulse; WIDTH]; N],
    gap: [[f64; WIDTH]; N],
    /// 1 for a point, 0 for one that is missing.
    real: [[f64; WIDTH]; N],
    /// 1 over the number of points.
    share: [f64; WIDTH],
}

impl<'a> Fill<'a> {
    /// Writes the items of lanes `A` and on. `inverse` says for now which points are real.
    #[inline(always)]
    pub fn part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
        &self,
        at: At<L, A>,
        lanes: &[u32; WIDTH],
        bodies: &Bodies,
        batch: &mut Batch<N, M, T>,
    ) {
        let from = self.sources(at, lanes, bodies, batch);
        let zero = L::splat(at.token, 0.0);
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
        store(at, &[normal.x, normal.y, normal.z], &mut batch.normal);
        store(at, &[tangent.x, tangent.y, tangent.z], &mut batch.tangent);
        store(at, &[stick, slip], &mut batch.mu);
        for side in 0..2 {
            for i in 0..L::WIDTH {
                let (m, j) = (from.inertia[side][i].inv_mass, &from.inertia[side][i].inv_inertia);
                rows[i] = [m.x, j.xx, j.yy, j.zz];
            }
            let [mass, xx, yy, zz] = L::columns(at.token, &rows);
            for i in 0..L::WIDTH {
                let j = &from.inertia[side][i].inv_inertia;
                rows[i] = [j.xy, j.xz, j.yz, 0.0];
            }
            let [xy, xz, yz, _] = L::columns(at.token, &rows);
            at.store(mass, &mut batch.inv_mass[side]);
            store(at, &[xx, yy, zz, xy, xz, yz], &mut batch.inv_inertia[side]);
        }
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
            if k > 0 {
                let counts = zero.lt(real[k]);
                middle.x += L::select(counts, arm[k].x, zero);
                middle.y += L::select(counts, arm[k].y, zero);
                middle.z += L::select(counts, arm[k].z, zero);
            }
        }
        let middle = middle.scale(L::load(at.token, &from.share));
        let other = middle + between;
        store(at, &[middle.x, middle.y, middle.z], &mut batch.arm[0]);
        store(at, &[other.x, other.y, other.z], &mut batch.arm[1]);
        store(at, &real, &mut batch.inverse);
        let axes = [tangent, normal.cross(tangent), normal];
        let mut sum = Sums::new(zero);
        for k in 0..N {
            at.store(L::load(at.token, &from.gap[k]), &mut batch.gap[k]);
            for i in 0..L::WIDTH {
                let p = from.warm[k][i];
                rows[i] = [p[0], p[1], p[2], 0.0];
            }
            let [p, a, b, _] = L::columns(at.token, &rows);
            let share = L::select(zero.lt(p), L::splat(at.token, self.share), zero);
            let warm = [p * share, a * share, b * share];
            at.store(warm[0], &mut batch.lambda[k]);
            let mut local = [zero; 3];
            for t in 0..T {
                let off = arm[k] - middle;
                let counts = zero.lt(real[k]);
                for j in 0..3 {
                    local[j] = L::select(counts, axes[j].dot(off), zero);
                }
                at.store(local[1], &mut batch.face[t].q[0][k]);
                at.store(zero - local[0], &mut batch.face[t].q[1][k]);
            }
            sum.add(local, warm);
        }
        store(at, &sum.push, &mut batch.rub);
        for t in 0..T {
            let face = &mut batch.face[t];
            let per_square = inverse_of(sum.square);
            let is_wide = zero.lt(sum.square);
            store(at, &[-sum.tilt[0] * per_square, -sum.tilt[1] * per_square], &mut face.axis);
            at.store(L::select(is_wide, sum.twist, zero), &mut face.lambda);
            at.store(L::select(is_wide, L::splat(at.token, 1.0), zero), &mut face.inverse);
        }
    }

    /// Asks for what the lanes of a batch are made of.
    #[inline(always)]
    pub fn look_ahead(&self, lanes: &[u32; WIDTH]) {
        let groups = self.problem.groups;
        for i in 0..WIDTH {
            if lanes[i] != PADDING {
                let item = &self.items[lanes[i] as usize];
                prefetch(&groups.heads[item.head as usize]);
                for k in 0..item.len as usize {
                    prefetch(&groups.points[item.point(k)]);
                }
                if let Some(warm) = self.warm.get(item.first as usize) {
                    prefetch(warm);
                }
            }
        }
    }

    /// Asks for the bodies of a batch, whose contacts are near already.
    #[inline(always)]
    pub fn look_at_bodies(&self, lanes: &[u32; WIDTH], v: &[Twist]) {
        for i in 0..WIDTH {
            if lanes[i] != PADDING {
                let head = &self.problem.groups.heads[self.items[lanes[i] as usize].head as usize];
                for side in 0..2 {
                    if let Side::Free(body) = head.side[side] {
                        prefetch(&self.problem.move_inertia.free[body as usize]);
                        prefetch(&v[body as usize]);
                    }
                }
            }
        }
    }

    /// Looks up lanes `A` and on.
    #[inline(always)]
    fn sources<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
        &self,
        _: At<L, A>,
        lanes: &[u32; WIDTH],
        bodies: &Bodies,
        batch: &mut Batch<N, M, T>,
    ) -> Sources<'a, N> {
        let groups = self.problem.groups;
        let mut from = Sources {
            head: [&NO_HEAD; WIDTH],
            material: [&NO_FRICTION; WIDTH],
            inertia: [[&FIXED; WIDTH]; 2],
            point: [[&NO_POINT; WIDTH]; N],
            warm: [[&NO_IMPULSE; WIDTH]; N],
            gap: [[0.0; WIDTH]; N],
            real: [[0.0; WIDTH]; N],
            share: [0.0; WIDTH],
        };
        for i in 0..L::WIDTH {
            let index = lanes[A + i];
            if index == PADDING {
                batch.body[0][A + i] = bodies.fixed();
                batch.body[1][A + i] = bodies.fixed();
                continue;
            }
            let item = self.items[index as usize];
            let head = &groups.heads[item.head as usize];
            from.head[i] = head;
            from.material[i] = &groups.materials[head.material as usize];
            for side in 0..2 {
                let (body, inertia) = self.body(head.side[side], bodies);
                from.inertia[side][i] = inertia;
                batch.body[side][A + i] = body;
            }
            if let Some(belt) = self.belts.get(item.belt as usize) {
                batch.body[belt.side][A + i] = bodies.belt(item.belt);
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
                    from.warm[k][i] = self.warm.get(place).unwrap_or(&NO_IMPULSE);
                }
            }
        }
        from
    }

    #[inline(always)]
    pub fn body(&self, side: Side, bodies: &Bodies) -> (u32, &'a FreeInertia) {
        let fixed = bodies.fixed();
        match side {
            Side::Free(i) => (i, &self.problem.move_inertia.free[i as usize]),
            Side::Driven(i) => (fixed + 1 + i, &FIXED),
            Side::Fixed | Side::Tree(_) => (fixed, &FIXED),
        }
    }
}

/// The gap as sub-steps see it. A point whose flight ends above the surface may come as far as it flies at its last speed, and as much
/// again, so that round-off does not land it: its gap is that of the start of the step, and the impact stage has turned it round
/// on the way.
pub(super) fn gap_of(problem: &ContactProblem, head: &Head, i: usize) -> f64 {
    let point = &problem.groups.points[i];
    if problem.airborne.get(i) != Some(&true) {
        return point.gap;
    }
    let u = problem.groups.relative(head, point, problem.v_free)[0];
    scalar::max(point.gap, -2.0 * problem.h * u)
}

/// What the points of a manifold add up to.
struct Sums<L> {
    /// Σ|ρ|².
    square: L,
    /// Σ z ρ.
    tilt: [L; 2],
    /// Warm-start impulse in the plane, and its moment about n.
    push: [L; 2],
    twist: L,
}

impl<L: Lane> Sums<L> {
    #[inline(always)]
    fn new(zero: L) -> Self {
        Self { square: zero, tilt: [zero; 2], push: [zero; 2], twist: zero }
    }

    #[inline(always)]
    fn add(&mut self, [x, y, z]: [L; 3], warm: [L; 3]) {
        self.square += x * x + y * y;
        self.tilt = [self.tilt[0] + z * x, self.tilt[1] + z * y];
        self.push = [self.push[0] + warm[1], self.push[1] + warm[2]];
        self.twist += x * warm[2] - y * warm[1];
    }
}
