//! What is known of each manifold, into its lane.

use super::batch::{Batch, PADDING, Wide};
use super::body::Bodies;
use super::build::{BeltSide, Item};
use crate::{ContactProblem, Head, Impulse, Side};
use huygens_math::lanes::WIDTH;
use huygens_math::{FreeInertia, scalar};

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

impl Fill<'_> {
    /// Writes the items `lanes` into a batch.
    #[inline(always)]
    pub fn batch<const N: usize, const M: usize, const T: usize>(
        &self,
        lanes: &[u32; WIDTH],
        bodies: &Bodies,
        batch: &mut Batch<N, M, T>,
    ) {
        for (lane, &item) in lanes.iter().enumerate() {
            if item == PADDING {
                pad(batch, lane, bodies.fixed());
            } else {
                self.write(self.items[item as usize], bodies, batch, lane);
            }
        }
    }

    /// Raw numbers into a lane. `inverse` says for now which points are real.
    #[inline(always)]
    fn write<const N: usize, const M: usize, const T: usize>(
        &self,
        item: Item,
        bodies: &Bodies,
        batch: &mut Batch<N, M, T>,
        lane: usize,
    ) {
        let groups = self.problem.groups;
        let head = &groups.heads[item.head as usize];
        put(&mut batch.normal, lane, head.normal.to_array());
        put(&mut batch.tangent, lane, head.tangent.to_array());
        for side in 0..2 {
            let (mut body, block) = self.body(head.side[side], bodies);
            if self.belts.get(item.belt as usize).is_some_and(|belt| belt.side == side) {
                body = bodies.belt(item.belt);
            }
            batch.body[side][lane] = body;
            batch.inv_mass[side][lane] = block.inv_mass.x;
            let i = &block.inv_inertia;
            put(&mut batch.inv_inertia[side], lane, [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]);
        }
        let material = &groups.materials[head.material as usize];
        put(&mut batch.mu, lane, [material.friction_static, material.friction_dynamic]);
        let (first, len) = (item.first as usize, item.len as usize);
        let points = &groups.points[first..first + len];
        let mut middle = points[0].arm[0];
        for point in &points[1..] {
            middle += point.arm[0];
        }
        middle *= 1.0 / len as f64;
        put(&mut batch.arm[0], lane, middle.to_array());
        put(&mut batch.arm[1], lane, (middle + (points[0].arm[1] - points[0].arm[0])).to_array());
        let mut sum = Sums::default();
        for k in 0..N {
            let is_real = k < len;
            // A missing point stands in the middle and is never pressed.
            let point = &points[if is_real { k } else { 0 }];
            batch.gap[k][lane] = gap_of(self.problem, head, first + if is_real { k } else { 0 });
            batch.inverse[k][lane] = if is_real { 1.0 } else { 0.0 };
            let warm = self.warm.get(first + k).filter(|p| is_real && p[0] > 0.0);
            let warm = warm.map_or([0.0; 3], |p| [p[0] * self.share, p[1] * self.share, p[2] * self.share]);
            batch.lambda[k][lane] = warm[0];
            if T > 0 && is_real {
                let [z, x, y] = head.to_local(point.arm[0] - middle);
                batch.face[0].q[0][k][lane] = y;
                batch.face[0].q[1][k][lane] = -x;
                sum.add([x, y, z], warm);
            } else {
                sum.add([0.0; 3], warm);
                for i in 0..T {
                    batch.face[i].q[0][k][lane] = 0.0;
                    batch.face[i].q[1][k][lane] = 0.0;
                }
            }
        }
        put(&mut batch.rub, lane, sum.push);
        for i in 0..T {
            let face = &mut batch.face[i];
            let per_square = if sum.square > 0.0 { 1.0 / sum.square } else { 0.0 };
            put(&mut face.axis, lane, [-sum.tilt[0] * per_square, -sum.tilt[1] * per_square]);
            face.lambda[lane] = if sum.square > 0.0 { sum.twist } else { 0.0 };
            face.inverse[lane] = if sum.square > 0.0 { 1.0 } else { 0.0 };
        }
    }

    #[inline(always)]
    fn body(&self, side: Side, bodies: &Bodies) -> (u32, FreeInertia) {
        let fixed = bodies.fixed();
        match side {
            Side::Free(i) => (i, self.problem.move_inertia.free[i as usize]),
            Side::Driven(i) => (fixed + 1 + i, FreeInertia::FIXED),
            Side::Fixed | Side::Tree(_) => (fixed, FreeInertia::FIXED),
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
#[derive(Default)]
struct Sums {
    /// Σ|ρ|².
    square: f64,
    /// Σ z ρ.
    tilt: [f64; 2],
    /// Warm-start impulse in the plane, and its moment about n.
    push: [f64; 2],
    twist: f64,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, [x, y, z]: [f64; 3], warm: Impulse) {
        self.square += x * x + y * y;
        self.tilt = [self.tilt[0] + z * x, self.tilt[1] + z * y];
        self.push = [self.push[0] + warm[1], self.push[1] + warm[2]];
        self.twist += x * warm[2] - y * warm[1];
    }
}

/// A lane that does nothing.
fn pad<const N: usize, const M: usize, const T: usize>(batch: &mut Batch<N, M, T>, lane: usize, fixed: u32) {
    put(&mut batch.normal, lane, [1.0, 0.0, 0.0]);
    put(&mut batch.tangent, lane, [0.0, 1.0, 0.0]);
    put(&mut batch.mu, lane, [0.0; 2]);
    put(&mut batch.rub, lane, [0.0; 2]);
    for side in 0..2 {
        batch.body[side][lane] = fixed;
        batch.inv_mass[side][lane] = 0.0;
        put(&mut batch.inv_inertia[side], lane, [0.0; 6]);
        put(&mut batch.arm[side], lane, [0.0; 3]);
    }
    for list in [&mut batch.gap, &mut batch.inverse, &mut batch.lambda] {
        put(list, lane, [0.0; N]);
    }
    for face in &mut batch.face {
        put(&mut face.q[0], lane, [0.0; N]);
        put(&mut face.q[1], lane, [0.0; N]);
        put(&mut face.axis, lane, [0.0; 2]);
        (face.lambda[lane], face.inverse[lane]) = (0.0, 0.0);
    }
}

#[inline(always)]
fn put<const K: usize>(to: &mut [Wide; K], lane: usize, from: [f64; K]) {
    for (to, from) in to.iter_mut().zip(from) {
        to[lane] = from;
    }
}
