//! The transport of bodies that move alike in all directions: two twists, with arms, inverse masses and inverse inertia.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | r | `arm` | from the centre of mass of each side to the middle of the points | m |
//!
//! A push or couple j of the six has the impulse P_j and, about the centre of mass of a side, the moment M_j = r × P_j + C_j. Then
//! W_ij = Σ over the sides of P_i·P_j/m + M_i·I⁻¹M_j.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Rates, Wide, ZERO, entry, load, store, vector};
use super::body::{LentBodies, LentVelocity, Source};
use super::fill::{Fill, Geometry, Sides};
use super::side_rows::SideRows;
use super::transport::{Motions, Transport};
use huygens_math::Twist;
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH, prefetch};

/// Two bodies for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Plain {
    /// Place of each side among the bodies of a solve.
    pub body: [[u32; WIDTH]; 2],
    normal: [Wide; 3],
    tangent: [Wide; 3],
    inv_mass: [Wide; 2],
    /// Entries xx, yy, zz, xy, xz, yz of each side.
    inv_inertia: [[Wide; 6]; 2],
    arm: [[Wide; 3]; 2],
}

/// The axes of the manifolds.
#[derive(Clone, Copy)]
pub(super) struct Frame<L> {
    pub n: Vec3Lanes<L>,
    pub t1: Vec3Lanes<L>,
    pub t2: Vec3Lanes<L>,
}

impl<L: Lane> Frame<L> {
    #[inline(always)]
    pub fn new(at: At<L>, normal: &[Wide; 3], tangent: &[Wide; 3]) -> Self {
        let (n, t1) = (vector(at, normal), vector(at, tangent));
        Self { n, t1, t2: n.cross(t1) }
    }
}

/// Velocity (or displacement) of both sides of eight manifolds.
#[derive(Clone, Copy)]
pub(super) struct Motion<L> {
    pub linear: [Vec3Lanes<L>; 2],
    pub angular: [Vec3Lanes<L>; 2],
}

impl<L: Lane> Motion<L> {
    /// Reads the bodies of a batch.
    #[inline(always)]
    pub fn gather(at: At<L>, from: &impl Source, body: &[[u32; WIDTH]; 2]) -> Self {
        let (a, b) = (gather_side(at, from, &body[0]), gather_side(at, from, &body[1]));
        Self { linear: [a.0, b.0], angular: [a.1, b.1] }
    }

    /// Writes them back.
    #[inline(always)]
    pub fn scatter(&self, at: At<L>, to: &LentVelocity, body: &[[u32; WIDTH]; 2]) {
        let mut spare = Twist::ZERO;
        for side in 0..2 {
            let (l, a) = (self.linear[side], self.angular[side]);
            let rows = L::rows([l.x, l.y, l.z, a.x]);
            let rest = L::rows([a.y, a.z, a.y, a.z]);
            for i in 0..L::WIDTH {
                let twist = to.moved(body[side][at.first() + i], &mut spare);
                write(twist, rows[i]);
                twist.angular.y = rest[i][0];
                twist.angular.z = rest[i][1];
            }
        }
    }

    /// Writes back the linear part alone.
    #[inline(always)]
    pub fn scatter_linear(&self, at: At<L>, to: &LentVelocity, body: &[[u32; WIDTH]; 2]) {
        let mut spare = Twist::ZERO;
        for side in 0..2 {
            let (l, a) = (self.linear[side], self.angular[side]);
            // A fourth number, as it was, makes rows that are written at once.
            let rows = L::rows([l.x, l.y, l.z, a.x]);
            for i in 0..L::WIDTH {
                let twist = to.moved(body[side][at.first() + i], &mut spare);
                write(twist, rows[i]);
            }
        }
    }
}

/// The first four numbers of a body.
#[inline(always)]
fn write(twist: &mut Twist, [x, y, z, a]: [f64; 4]) {
    (twist.linear.x, twist.linear.y, twist.linear.z, twist.angular.x) = (x, y, z, a);
}

#[inline(always)]
fn gather_side<L: Lane>(at: At<L>, from: &impl Source, body: &[u32; WIDTH]) -> (Vec3Lanes<L>, Vec3Lanes<L>) {
    let (mut first, mut last) = ([Twist::ZERO.first_four(); WIDTH], [Twist::ZERO.last_four(); WIDTH]);
    for i in 0..L::WIDTH {
        let twist = from.twist(body[at.first() + i]);
        (first[i], last[i]) = (twist.first_four(), twist.last_four());
    }
    let [x, y, z, a] = L::gather(at.token, first);
    let [_, _, b, c] = L::gather(at.token, last);
    (Vec3Lanes::new(x, y, z), Vec3Lanes::new(a, b, c))
}

/// Prefetches the twists of two lists of bodies.
#[inline(always)]
pub(super) fn prefetch_twists(body: &[[u32; WIDTH]; 2], v: &LentVelocity) {
    for k in 0..WIDTH {
        prefetch(v.twist(body[0][k]));
        prefetch(v.twist(body[1][k]));
    }
}

impl Plain {
    /// Velocity at the middle of the points, in world axes.
    #[inline(always)]
    fn velocity<L: Lane>(&self, at: At<L>, motion: &Motion<L>) -> Vec3Lanes<L> {
        let a = motion.angular[0].cross(vector(at, &self.arm[0]));
        let b = motion.angular[1].cross(vector(at, &self.arm[1]));
        motion.linear[0] - motion.linear[1] + (a - b)
    }

    /// Adds M⁻¹ of an impulse at the middle of the points and a couple, on A, and their opposites on B.
    #[inline(always)]
    fn hit<L: Lane>(
        &self,
        at: At<L>,
        impulse: Vec3Lanes<L>,
        couple: Option<Vec3Lanes<L>>,
        motion: &mut Motion<L>,
    ) {
        let inv_mass: [L; 2] = load(at, &self.inv_mass);
        let mut a = vector(at, &self.arm[0]).cross(impulse);
        let mut b = vector(at, &self.arm[1]).cross(impulse);
        if let Some(couple) = couple {
            a = a + couple;
            b = b + couple;
        }
        motion.linear[0] = motion.linear[0] + impulse.scale(inv_mass[0]);
        motion.linear[1] = motion.linear[1] - impulse.scale(inv_mass[1]);
        motion.angular[0] = motion.angular[0] + spin_of(at, &self.inv_inertia[0], a);
        motion.angular[1] = motion.angular[1] - spin_of(at, &self.inv_inertia[1], b);
    }
}

/// I⁻¹ times a moment.
#[inline(always)]
fn spin_of<L: Lane>(at: At<L>, inertia: &[Wide; 6], x: Vec3Lanes<L>) -> Vec3Lanes<L> {
    let [xx, yy, zz, xy, xz, yz]: [L; 6] = load(at, inertia);
    Vec3Lanes::new(
        xx * x.x + xy * x.y + xz * x.z,
        xy * x.x + yy * x.y + yz * x.z,
        xz * x.x + yz * x.y + zz * x.z,
    )
}

impl Transport for Plain {
    const EMPTY: Self = Self {
        body: [[0; WIDTH]; 2],
        normal: [ZERO; 3],
        tangent: [ZERO; 3],
        inv_mass: [ZERO; 2],
        inv_inertia: [[ZERO; 6]; 2],
        arm: [[ZERO; 3]; 2],
    };
    const MAY_BE_SINGULAR: bool = false;
    const AT_BASELINE: bool = false;
    const MAY_BE_SOFT: bool = false;
    type Frame<L: Lane> = Frame<L>;
    type Motion<L: Lane> = Motion<L>;

    #[inline(always)]
    fn fill<L: Lane, const N: usize>(
        &mut self,
        at: At<L>,
        _: &Fill,
        sides: &Sides,
        geometry: &Geometry<L, N>,
        _: &LentBodies,
        _: &mut SideRows,
    ) {
        let (n, t) = (geometry.normal, geometry.tangent);
        store(at, &[n.x, n.y, n.z], &mut self.normal);
        store(at, &[t.x, t.y, t.z], &mut self.tangent);
        let mut rows = [[0.0; 4]; WIDTH];
        for side in 0..2 {
            for i in 0..L::WIDTH {
                self.body[side][at.first() + i] = sides.body[side][i];
                let (m, j) = (sides.inertia[side][i].inv_mass, &sides.inertia[side][i].inv_inertia);
                rows[i] = [m.x, j.xx, j.yy, j.zz];
            }
            let [mass, xx, yy, zz] = L::columns(at.token, &rows);
            for i in 0..L::WIDTH {
                let j = &sides.inertia[side][i].inv_inertia;
                rows[i] = [j.xy, j.xz, j.yz, 0.0];
            }
            let [xy, xz, yz, _] = L::columns(at.token, &rows);
            at.store(mass, &mut self.inv_mass[side]);
            store(at, &[xx, yy, zz, xy, xz, yz], &mut self.inv_inertia[side]);
            let arm = geometry.arm[side];
            store(at, &[arm.x, arm.y, arm.z], &mut self.arm[side]);
        }
    }

    #[inline(always)]
    fn frame<L: Lane>(&self, at: At<L>) -> Frame<L> {
        Frame::new(at, &self.normal, &self.tangent)
    }

    #[inline(always)]
    fn gather<L: Lane>(&self, at: At<L>, _: &SideRows, v: &impl Source, _: Motions) -> Motion<L> {
        Motion::gather(at, v, &self.body)
    }

    #[inline(always)]
    fn scatter<L: Lane>(&self, at: At<L>, _: &SideRows, motion: &Motion<L>, v: &LentVelocity) {
        motion.scatter(at, v, &self.body);
    }

    #[inline(always)]
    fn normal_rates<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Frame<L>,
        motion: &Motion<L>,
    ) -> [L; 3] {
        let u_n = frame.n.dot(self.velocity(at, motion));
        if !SPIN {
            return [u_n; 3];
        }
        let spin = motion.angular[0] - motion.angular[1];
        [u_n, frame.t1.dot(spin), frame.t2.dot(spin)]
    }

    #[inline(always)]
    fn rates<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Frame<L>,
        motion: &Motion<L>,
        axis: [L; 2],
    ) -> Rates<L> {
        let slip = self.velocity(at, motion);
        let [u_n, u1, u2] = [frame.n.dot(slip), frame.t1.dot(slip), frame.t2.dot(slip)];
        if !SPIN {
            return [u_n, u1, u2, u_n, u_n, u_n];
        }
        let spin = motion.angular[0] - motion.angular[1];
        let (along, spin) = (frame.n.dot(spin), [frame.t1.dot(spin), frame.t2.dot(spin)]);
        [u_n, u1, u2, along + (axis[0] * spin[0] + axis[1] * spin[1]), spin[0], spin[1]]
    }

    #[inline(always)]
    fn apply_normals<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Frame<L>,
        p: [L; 3],
        motion: &mut Motion<L>,
    ) {
        let mut couple = None;
        if SPIN {
            couple = Some(frame.t1.scale(p[1]) + frame.t2.scale(p[2]));
        }
        self.hit(at, frame.n.scale(p[0]), couple, motion);
    }

    #[inline(always)]
    fn apply<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Frame<L>,
        p: &Rates<L>,
        [d1, d2]: [L; 2],
        motion: &mut Motion<L>,
    ) {
        let impulse = frame.n.scale(p[0]) + frame.t1.scale(p[1]) + frame.t2.scale(p[2]);
        let mut couple = None;
        if SPIN {
            let turn = frame.t1.scale(p[4] + d1 * p[3]);
            couple = Some(frame.n.scale(p[3]) + turn + frame.t2.scale(p[5] + d2 * p[3]));
        }
        self.hit(at, impulse, couple, motion);
    }

    #[inline(always)]
    fn point_w<L: Lane>(&self, at: At<L>, _: &SideRows, frame: &Frame<L>) -> [L; 6] {
        let zero = at.splat(0.0);
        let [a, b]: [L; 2] = load(at, &self.inv_mass);
        let mass = a + b;
        let (mut nn, mut n1, mut n2) = (mass, zero, zero);
        let (mut w11, mut w12, mut w22) = (mass, zero, mass);
        for side in 0..2 {
            let arm = vector(at, &self.arm[side]);
            let (n, x, y) = (arm.cross(frame.n), arm.cross(frame.t1), arm.cross(frame.t2));
            let inertia = &self.inv_inertia[side];
            let (i_n, i_x, i_y) = (spin_of(at, inertia, n), spin_of(at, inertia, x), spin_of(at, inertia, y));
            nn += n.dot(i_n);
            n1 += n.dot(i_x);
            n2 += n.dot(i_y);
            w11 += x.dot(i_x);
            w12 += x.dot(i_y);
            w22 += y.dot(i_y);
        }
        [nn, n1, n2, w11, w12, w22]
    }

    /// In the axes n, t₁, t₂ each side has the inertia K = RᵀI⁻¹R, and its arm ρ makes of the three pushes the moments (0, ρ₂, −ρ₁),
    /// (−ρ₂, 0, ρ_n) and (ρ₁, −ρ_n, 0); couples are d = (1, d₁, d₂), t₁ and t₂ themselves.
    #[inline(always)]
    fn face_w<L: Lane>(&self, at: At<L>, _: &SideRows, frame: &Frame<L>, [d1, d2]: [L; 2]) -> [L; 21] {
        let zero = at.splat(0.0);
        let [a, b]: [L; 2] = load(at, &self.inv_mass);
        let mass = a + b;
        let mut w = [zero; 21];
        (w[entry(0, 0)], w[entry(1, 1)], w[entry(2, 2)]) = (mass, mass, mass);
        // What each push does to the spin, and each couple, in those axes.
        let mut pushed = [[zero; 3]; 3];
        let mut turned = [[zero; 3]; 3];
        for side in 0..2 {
            let arm = vector(at, &self.arm[side]);
            let [r, x, y] = [frame.n.dot(arm), frame.t1.dot(arm), frame.t2.dot(arm)];
            let of_n = spin_of(at, &self.inv_inertia[side], frame.n);
            let of_1 = spin_of(at, &self.inv_inertia[side], frame.t1);
            let of_2 = spin_of(at, &self.inv_inertia[side], frame.t2);
            let (n1, n2, cross) = (frame.t1.dot(of_n), frame.t2.dot(of_n), frame.t2.dot(of_1));
            let k = [
                [frame.n.dot(of_n), n1, n2],
                [n1, frame.t1.dot(of_1), cross],
                [n2, cross, frame.t2.dot(of_2)],
            ];
            let mut by = [[zero; 3]; 3];
            for j in 0..3 {
                by[0][j] = k[1][j] * y - k[2][j] * x;
                by[1][j] = k[2][j] * r - k[0][j] * y;
                by[2][j] = k[0][j] * x - k[1][j] * r;
            }
            for j in 0..3 {
                w[entry(0, j)] += y * by[j][1] - x * by[j][2];
                if j > 0 {
                    w[entry(1, j)] += r * by[j][2] - y * by[j][0];
                }
                for i in 0..3 {
                    pushed[j][i] += by[j][i];
                    turned[j][i] += k[j][i];
                }
            }
            w[entry(2, 2)] += x * by[2][0] - r * by[2][1];
        }
        for j in 0..3 {
            w[entry(j, 3)] = pushed[j][0] + d1 * pushed[j][1] + d2 * pushed[j][2];
            w[entry(j, 4)] = pushed[j][1];
            w[entry(j, 5)] = pushed[j][2];
        }
        let mut along = [zero; 3];
        for j in 0..3 {
            along[j] = turned[j][0] + d1 * turned[j][1] + d2 * turned[j][2];
        }
        w[entry(3, 3)] = along[0] + d1 * along[1] + d2 * along[2];
        (w[entry(3, 4)], w[entry(3, 5)]) = (along[1], along[2]);
        (w[entry(4, 4)], w[entry(4, 5)], w[entry(5, 5)]) = (turned[1][1], turned[1][2], turned[2][2]);
        w
    }

    #[inline(always)]
    fn prefetch_bodies(&self, v: &LentVelocity) {
        prefetch_twists(&self.body, v);
    }

    #[inline(always)]
    fn body(&self) -> Option<&[[u32; WIDTH]; 2]> {
        Some(&self.body)
    }

    #[cfg(test)]
    fn numbers(&self, lane: usize) -> Vec<f64> {
        let [a, b] = &self.inv_inertia;
        let [c, d] = &self.arm;
        super::transport::lane_of(&[&self.normal, &self.tangent, &self.inv_mass, a, b, c, d], lane)
    }
}
