//! Eight manifolds side by side, and what moves between them and the bodies.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | n, t₁, t₂ | `Frame` | as in [`crate::Head`]; t₂ = n × t₁ | – |
//! | c, r | `arm` | the middle of the points; from the centre of mass of each side to it | m |
//! | ρ_k, z_k | `rho` | parts of x_k − c in the plane and along n | m |
//! | q_k | `Face8::q` | ρ_k × n along t₁ and t₂: the lever of point k | m |
//! | u, ω | `Rates` | velocity of A relative to B at c along n, t₁, t₂; relative spin along d, t₁, t₂ | m/s, rad/s |
//!
//! Two rigid bodies have six relative motions, so a manifold is solved in those: the normal velocity of point k is u_n + q_k·ω, and
//! impulses add up to a push at c and a couple. Bodies are read and written once.
//!
//! **Why friction at the middle is still friction at the points.** Let c be the mean of the m points and S = Σ|ρ_k|². The impulses
//! p_k = T/m + τ (n × ρ_k)/S have the sum T and, about c, the moment τ d with d = n − Σ z_k ρ_k/S. So a row at c and one along d do
//! what these p_k do, exactly: the certificate and the books may look at points alone.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::law::{Normals, Plane};
use super::whole::Whole;
use huygens_math::Twist;
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH, prefetch, prefetch_first};

/// One number for each manifold of a batch.
pub(super) type Wide = [f64; WIDTH];

/// The six relative motions of a manifold: u_n, u₁, u₂, then the spin along d, t₁, t₂. As impulses: pushes and couples.
pub(super) type Rates<L> = [L; 6];

/// Place of the pair i, j of relative motions in [`Face8::w`].
#[inline(always)]
pub(super) const fn entry(i: usize, j: usize) -> usize {
    if i <= j { j * (j + 1) / 2 + i } else { i * (i + 1) / 2 + j }
}

/// What manifolds of several points have on top of one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Face8<const N: usize> {
    /// Lever of each point along t₁, then along t₂.
    pub q: [[Wide; N]; 2],
    /// What each normal impulse answers to u_n and to the spin along t₁ and t₂, all points at once: [`Whole`].
    pub whole: [[Wide; N]; 3],
    /// 1 where there is such an answer, else 0.
    pub has_whole: Wide,
    /// W of the six relative motions, at [`entry`].
    pub w: [Wide; 21],
    /// Parts of d along t₁ and t₂.
    pub axis: [Wide; 2],
    /// 1 over W of the twist.
    pub inverse: Wide,
    /// |ρ_k|: what the impulse of point k adds to the bound of the twist.
    pub lever: [Wide; N],
    /// Twist of the sub-step, and its sum.
    pub lambda: Wide,
    pub total: Wide,
}

/// Eight manifolds of up to `N` points that share no movable body; `M` = N(N−1)/2, and `T` is 1 for several points. What
/// [`super::pass::settle`] reads comes first.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch<const N: usize, const M: usize, const T: usize> {
    /// Place of each side among the bodies of a solve.
    pub body: [[u32; WIDTH]; 2],
    /// Each half of the lanes has a gap that is open (or a bias, which asks for a velocity as well), or overlap beyond the slop: only then do
    /// displacements matter to it.
    pub is_open: [bool; 2],
    pub is_deep: [bool; 2],
    pub normal: [Wide; 3],
    pub tangent: [Wide; 3],
    pub inv_mass: [Wide; 2],
    /// Entries xx, yy, zz, xy, xz, yz of each side.
    pub inv_inertia: [[Wide; 6]; 2],
    pub arm: [[Wide; 3]; 2],
    pub inverse: [Wide; N],
    /// Gap at the start of the step.
    pub gap: [Wide; N],
    /// Gap as [`super::pass::pass`] sees it, where some are open.
    pub now: [Wide; N],
    /// Normal impulses of the sub-step.
    pub lambda: [Wide; N],
    pub face: [Face8<N>; T],
    pub coupling: [Wide; M],
    /// Sum of the normal impulses over the sub-steps that have ended.
    pub total: [Wide; N],
    /// W_nt: what a push along t₁ or t₂ does to u_n.
    pub cross: [Wide; 2],
    /// W_tt⁻¹: entries 11, 12, 22; then 1 over the largest eigenvalue.
    pub plane: [Wide; 4],
    /// Tangential impulse of the sub-step, and its sum.
    pub rub: [Wide; 2],
    pub rub_total: [Wide; 2],
    /// μ_s and μ_d.
    pub mu: [Wide; 2],
}

/// Lanes `A` and on of a batch, as many as `L` has: a batch is eight lanes on every CPU, and a CPU with vectors of four does them in
/// two halves, for which its registers are enough.
#[derive(Clone, Copy)]
pub(super) struct At<L: Lane, const A: usize> {
    pub token: L::Token,
}

impl<L: Lane, const A: usize> At<L, A> {
    #[inline(always)]
    pub fn load(self, from: &Wide) -> L {
        L::load(self.token, &from[A..])
    }

    #[inline(always)]
    pub fn store(self, x: L, to: &mut Wide) {
        x.store(&mut to[A..]);
    }
}

/// No item.
pub(super) const PADDING: u32 = u32::MAX;

const ZERO: Wide = [0.0; WIDTH];

impl<const N: usize> Face8<N> {
    #[inline(always)]
    pub fn whole<L: Lane, const A: usize>(&self, at: At<L, A>) -> Whole<L, N> {
        let w = &self.whole;
        Whole {
            answer: [load(at, &w[0]), load(at, &w[1]), load(at, &w[2])],
            exists: at.load(&self.has_whole),
        }
    }

    const EMPTY: Self = Self {
        q: [[ZERO; N]; 2],
        w: [ZERO; 21],
        axis: [ZERO; 2],
        inverse: ZERO,
        whole: [[ZERO; N]; 3],
        has_whole: ZERO,
        lever: [ZERO; N],
        lambda: ZERO,
        total: ZERO,
    };
}

impl<const N: usize, const M: usize, const T: usize> Batch<N, M, T> {
    /// Nothing in it.
    pub const EMPTY: Self = Self {
        body: [[0; WIDTH]; 2],
        is_open: [false; 2],
        is_deep: [false; 2],
        normal: [ZERO; 3],
        tangent: [ZERO; 3],
        inv_mass: [ZERO; 2],
        inv_inertia: [[ZERO; 6]; 2],
        arm: [[ZERO; 3]; 2],
        inverse: [ZERO; N],
        coupling: [ZERO; M],
        gap: [ZERO; N],
        now: [ZERO; N],
        lambda: [ZERO; N],
        total: [ZERO; N],
        cross: [ZERO; 2],
        plane: [ZERO; 4],
        rub: [ZERO; 2],
        rub_total: [ZERO; 2],
        mu: [ZERO; 2],
        face: [Face8::EMPTY; T],
    };

    /// Bytes of what [`super::pass::settle`] reads.
    pub const FIRST: usize = std::mem::offset_of!(Self, face) + T * std::mem::offset_of!(Face8<N>, w);

    #[inline(always)]
    pub fn normals<L: Lane, const A: usize>(&self, at: At<L, A>) -> Normals<L, N, M> {
        Normals { inverse: load(at, &self.inverse), coupling: load(at, &self.coupling) }
    }

    #[inline(always)]
    pub fn plane<L: Lane, const A: usize>(&self, at: At<L, A>) -> Plane<L> {
        let [a, b, c, step] = load(at, &self.plane);
        Plane { inverse: [a, b, c], step }
    }

    #[inline(always)]
    pub fn frame<L: Lane, const A: usize>(&self, at: At<L, A>) -> Frame<L> {
        Frame::new(at, &self.normal, &self.tangent)
    }

    /// The six relative motions of a face.
    #[inline(always)]
    pub fn rates<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        frame: &Frame<L>,
        motion: &Motion<L>,
    ) -> Rates<L> {
        let slip = self.slip(at, motion);
        let spin = motion.angular[0] - motion.angular[1];
        let (along, tilt) = (frame.n.dot(spin), [frame.t1.dot(spin), frame.t2.dot(spin)]);
        let mut about = along;
        for i in 0..T {
            let [d1, d2]: [L; 2] = load(at, &self.face[i].axis);
            about += d1 * tilt[0] + d2 * tilt[1];
        }
        [frame.n.dot(slip), frame.t1.dot(slip), frame.t2.dot(slip), about, tilt[0], tilt[1]]
    }

    /// Adds to the rates what pushes and couples `p` do, where only the motions from `FROM` to `TO` have any.
    #[inline(always)]
    pub fn answer<L: Lane, const A: usize, const FROM: usize, const TO: usize>(
        &self,
        at: At<L, A>,
        p: &Rates<L>,
        rates: &mut Rates<L>,
    ) {
        for t in 0..T {
            let w = &self.face[t].w;
            for j in FROM..TO {
                for i in 0..6 {
                    rates[i] += at.load(&w[entry(i, j)]) * p[j];
                }
            }
        }
    }

    /// Adds M⁻¹Jᵀ of pushes and couples.
    #[inline(always)]
    pub fn strike<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        frame: &Frame<L>,
        p: &Rates<L>,
        motion: &mut Motion<L>,
    ) {
        let impulse = frame.n.scale(p[0]) + frame.t1.scale(p[1]) + frame.t2.scale(p[2]);
        let mut couple = frame.n.scale(p[3]);
        for i in 0..T {
            let [d1, d2]: [L; 2] = load(at, &self.face[i].axis);
            couple = couple + frame.t1.scale(p[4] + d1 * p[3]) + frame.t2.scale(p[5] + d2 * p[3]);
        }
        self.kick(at, impulse, couple, motion);
    }

    /// Velocity at the middle of the points, in world axes.
    #[inline(always)]
    pub fn slip<L: Lane, const A: usize>(&self, at: At<L, A>, motion: &Motion<L>) -> Vec3Lanes<L> {
        let a = motion.angular[0].cross(vector(at, &self.arm[0]));
        let b = motion.angular[1].cross(vector(at, &self.arm[1]));
        motion.linear[0] - motion.linear[1] + (a - b)
    }

    /// The normal velocity of each point, from that of the middle and the relative spin.
    #[inline(always)]
    pub fn spread<L: Lane, const A: usize>(&self, at: At<L, A>, u_n: L, tilt: [L; 2]) -> [L; N] {
        let mut u = [u_n; N];
        for i in 0..T {
            let face = &self.face[i];
            for k in 0..N {
                u[k] += at.load(&face.q[0][k]) * tilt[0] + at.load(&face.q[1][k]) * tilt[1];
            }
        }
        u
    }

    /// Push along n and couple about t₁ and t₂ that normal impulses add up to: the transpose of [`Batch::spread`].
    #[inline(always)]
    pub fn gather_up<L: Lane, const A: usize>(&self, at: At<L, A>, p: &[L; N]) -> (L, [L; 2]) {
        let mut push = p[0];
        for k in 1..N {
            push += p[k];
        }
        let mut couple = [L::splat(at.token, 0.0); 2];
        for i in 0..T {
            let face = &self.face[i];
            for k in 0..N {
                couple[0] += at.load(&face.q[0][k]) * p[k];
                couple[1] += at.load(&face.q[1][k]) * p[k];
            }
        }
        (push, couple)
    }

    /// The motions that normals feel: u_n, and for a face the spin along t₁ and t₂.
    #[inline(always)]
    pub fn normal_motion<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        frame: &Frame<L>,
        motion: &Motion<L>,
    ) -> [L; 3] {
        let u_n = frame.n.dot(self.slip(at, motion));
        if T == 0 {
            return [u_n; 3];
        }
        let spin = motion.angular[0] - motion.angular[1];
        [u_n, frame.t1.dot(spin), frame.t2.dot(spin)]
    }

    /// The normal velocity of each point.
    #[inline(always)]
    pub fn normal_rates<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        frame: &Frame<L>,
        motion: &Motion<L>,
    ) -> [L; N] {
        let [u_n, a, b] = self.normal_motion(at, frame, motion);
        self.spread(at, u_n, [a, b])
    }

    /// Adds M⁻¹Jᵀ of normal impulses.
    #[inline(always)]
    pub fn push<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        frame: &Frame<L>,
        p: &[L; N],
        motion: &mut Motion<L>,
    ) {
        let (push, couple) = self.gather_up(at, p);
        let mut turn = frame.n.scale(L::splat(at.token, 0.0));
        if T > 0 {
            turn = frame.t1.scale(couple[0]) + frame.t2.scale(couple[1]);
        }
        self.kick(at, frame.n.scale(push), turn, motion);
    }

    /// Adds M⁻¹ of an impulse at the middle of the points and a couple, on A, and their opposites on B.
    #[inline(always)]
    pub fn kick<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        impulse: Vec3Lanes<L>,
        couple: Vec3Lanes<L>,
        motion: &mut Motion<L>,
    ) {
        let inv_mass: [L; 2] = load(at, &self.inv_mass);
        let a = vector(at, &self.arm[0]).cross(impulse) + couple;
        let b = vector(at, &self.arm[1]).cross(impulse) + couple;
        motion.linear[0] = motion.linear[0] + impulse.scale(inv_mass[0]);
        motion.linear[1] = motion.linear[1] - impulse.scale(inv_mass[1]);
        motion.angular[0] = motion.angular[0] + respond(at, &self.inv_inertia[0], a);
        motion.angular[1] = motion.angular[1] - respond(at, &self.inv_inertia[1], b);
    }
}

#[cfg(test)]
impl<const N: usize, const M: usize, const T: usize> Batch<N, M, T> {
    /// All numbers of a lane but `now`, which is only there where a gap is open.
    pub fn numbers(&self, lane: usize) -> Vec<f64> {
        let [a, b] = &self.inv_inertia;
        let lists: [&[Wide]; 17] = [
            &self.normal,
            &self.tangent,
            &self.inv_mass,
            a,
            b,
            &self.arm[0],
            &self.arm[1],
            &self.inverse,
            &self.gap,
            &self.lambda,
            &self.coupling,
            &self.total,
            &self.cross,
            &self.plane,
            &self.rub,
            &self.rub_total,
            &self.mu,
        ];
        let faces = self.face.iter().flat_map(Face8::lists);
        lists.into_iter().chain(faces).flatten().map(|wide| wide[lane]).collect()
    }
}

#[cfg(test)]
impl<const N: usize> Face8<N> {
    fn lists(&self) -> [&[Wide]; 12] {
        let [a, b] = &self.q;
        let [c, d, e] = &self.whole;
        let one = std::slice::from_ref::<Wide>;
        let [f, g, h, i] = [one(&self.has_whole), one(&self.inverse), one(&self.lambda), one(&self.total)];
        [a, b, c, d, e, f, g, h, i, &self.w, &self.axis, &self.lever]
    }
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
    pub fn new<const A: usize>(at: At<L, A>, normal: &[Wide; 3], tangent: &[Wide; 3]) -> Self {
        let (n, t1) = (vector(at, normal), vector(at, tangent));
        Self { n, t1, t2: n.cross(t1) }
    }
}

/// A batch of any kind, by the places of its bodies.
pub(super) trait OfBodies {
    fn body(&self) -> &[[u32; WIDTH]; 2];
}

impl<const N: usize, const M: usize, const T: usize> OfBodies for Batch<N, M, T> {
    #[inline(always)]
    fn body(&self) -> &[[u32; WIDTH]; 2] {
        &self.body
    }
}

/// Asks for what comes after batch `i`: the first `bytes` of the batch after the next, and the bodies of the next.
#[inline(always)]
pub(super) fn look_ahead<B: OfBodies>(batches: &[B], i: usize, bytes: usize, v: &[Twist]) {
    if let Some(batch) = batches.get(i + 2) {
        prefetch_first(batch, bytes);
    }
    if let Some(batch) = batches.get(i + 1) {
        for k in 0..WIDTH {
            prefetch(&v[batch.body()[0][k] as usize]);
            prefetch(&v[batch.body()[1][k] as usize]);
        }
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
    pub fn gather<const A: usize>(at: At<L, A>, from: &[Twist], body: &[[u32; WIDTH]; 2]) -> Self {
        let (a, b) = (gather_side(at, from, &body[0]), gather_side(at, from, &body[1]));
        Self { linear: [a.0, b.0], angular: [a.1, b.1] }
    }

    /// Writes them back. What does not move gets what it had.
    #[inline(always)]
    pub fn scatter<const A: usize>(&self, _: At<L, A>, to: &mut [Twist], body: &[[u32; WIDTH]; 2]) {
        for side in 0..2 {
            let (l, a) = (self.linear[side], self.angular[side]);
            let rows = L::rows([l.x, l.y, l.z, a.x]);
            let rest = L::rows([a.y, a.z, a.y, a.z]);
            for i in 0..L::WIDTH {
                let twist = &mut to[body[side][A + i] as usize];
                write(twist, rows[i]);
                twist.angular.y = rest[i][0];
                twist.angular.z = rest[i][1];
            }
        }
    }

    /// Writes back the linear part alone.
    #[inline(always)]
    pub fn scatter_linear<const A: usize>(&self, _: At<L, A>, to: &mut [Twist], body: &[[u32; WIDTH]; 2]) {
        for side in 0..2 {
            let (l, a) = (self.linear[side], self.angular[side]);
            // A fourth number, as it was, makes rows that are written at once.
            let rows = L::rows([l.x, l.y, l.z, a.x]);
            for i in 0..L::WIDTH {
                let twist = &mut to[body[side][A + i] as usize];
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
fn gather_side<L: Lane, const A: usize>(
    at: At<L, A>,
    from: &[Twist],
    body: &[u32; WIDTH],
) -> (Vec3Lanes<L>, Vec3Lanes<L>) {
    let (mut rows, mut rest) = ([[0.0; 4]; WIDTH], [[0.0; 4]; WIDTH]);
    for i in 0..L::WIDTH {
        let twist = &from[body[A + i] as usize];
        rows[i] = [twist.linear.x, twist.linear.y, twist.linear.z, twist.angular.x];
        rest[i] = [twist.angular.y, twist.angular.z, 0.0, 0.0];
    }
    let [x, y, z, a] = L::columns(at.token, &rows);
    let [b, c, _, _] = L::columns(at.token, &rest);
    (Vec3Lanes::new(x, y, z), Vec3Lanes::new(a, b, c))
}

/// Several numbers of a batch.
#[inline(always)]
pub(super) fn load<L: Lane, const A: usize, const K: usize>(at: At<L, A>, from: &[Wide; K]) -> [L; K] {
    let mut out = [L::splat(at.token, 0.0); K];
    for k in 0..K {
        out[k] = at.load(&from[k]);
    }
    out
}

/// Writes several numbers of a batch.
#[inline(always)]
pub(super) fn store<L: Lane, const A: usize, const K: usize>(
    at: At<L, A>,
    from: &[L; K],
    to: &mut [Wide; K],
) {
    for k in 0..K {
        at.store(from[k], &mut to[k]);
    }
}

/// A vector of a batch.
#[inline(always)]
pub(super) fn vector<L: Lane, const A: usize>(at: At<L, A>, from: &[Wide; 3]) -> Vec3Lanes<L> {
    let [x, y, z] = load(at, from);
    Vec3Lanes::new(x, y, z)
}

/// I⁻¹ times a vector.
#[inline(always)]
pub(super) fn respond<L: Lane, const A: usize>(
    at: At<L, A>,
    inertia: &[Wide; 6],
    x: Vec3Lanes<L>,
) -> Vec3Lanes<L> {
    let [xx, yy, zz, xy, xz, yz]: [L; 6] = load(at, inertia);
    Vec3Lanes::new(
        xx * x.x + xy * x.y + xz * x.z,
        xy * x.x + yy * x.y + yz * x.z,
        xz * x.x + yz * x.y + zz * x.z,
    )
}
