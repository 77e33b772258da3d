//! Eight manifolds side by side: what the law needs of them, whatever their bodies are.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | n, t₁, t₂ | | as in [`crate::Head`]; t₂ = n × t₁ | – |
//! | c | | the middle of the points | m |
//! | ρ_k, z_k | | parts of x_k − c in the plane and along n | m |
//! | q_k | `Face8::q` | ρ_k × n along t₁ and t₂: the lever of point k | m |
//! | u, ω | `Rates` | velocity of A relative to B at c along n, t₁, t₂; relative spin along d, t₁, t₂ | m/s, rad/s |
//!
//! Two rigid bodies have six relative motions, so a manifold is solved in those: the normal velocity of point k is u_n + q_k·ω, and
//! impulses add up to a push at c and a couple. Bodies are read and written once, by the [`Transport`].
//!
//! **Why friction at the middle is still friction at the points.** Let c be the mean of the m points and S = Σ|ρ_k|². The impulses
//! p_k = T/m + τ (n × ρ_k)/S have the sum T and, about c, the moment τ d with d = n − Σ z_k ρ_k/S. So a row at c and one along d do
//! what these p_k do, exactly: the certificate and the books may look at points alone.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::face_normals::FaceNormals;
use super::law::{Normals, Plane};
use super::transport::Transport;
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH};

/// One number for each manifold of a batch.
pub(super) type Wide = [f64; WIDTH];

/// The six relative motions of a manifold: u_n, u₁, u₂, then the spin along d, t₁, t₂. As impulses: pushes and couples.
pub(super) type Rates<L> = [L; 6];

/// Place of the pair i, j of relative motions in [`Face8::w`].
#[inline(always)]
pub(super) const fn entry(i: usize, j: usize) -> usize {
    if i <= j { j * (j + 1) / 2 + i } else { i * (i + 1) / 2 + j }
}

/// The six relative motions of manifolds, and what several points have on top of one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Face8<const N: usize> {
    /// Lever of each point along t₁, then along t₂.
    pub q: [[Wide; N]; 2],
    /// Response of each normal impulse to u_n and to the spin along t₁ and t₂, all points at once: [`FaceNormals`].
    pub response: [[Wide; N]; 3],
    /// 1 where there is such a response, else 0.
    pub has_response: Wide,
    /// W of the six relative motions, at [`entry`].
    pub w: [Wide; 21],
    /// Parts of d along t₁ and t₂.
    pub axis: [Wide; 2],
    /// 1 over W of the twist.
    pub inverse: Wide,
    /// |ρ_k|: share of the normal impulse of point k in the bound of the twist.
    pub lever: [Wide; N],
    /// Twist of the sub-step, and its sum over the sub-steps that have ended.
    pub twist: Wide,
    pub twist_total: Wide,
}

/// Friction against spinning and rolling of manifolds: the couple along n, t₁, t₂.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Couple8 {
    /// Lever of the friction against spinning, then against rolling [m]; 0 for none.
    pub lever: [Wide; 2],
    /// 1/W of the spin about n, 0 where nothing spins.
    pub inverse: Wide,
    /// W of the rolling, as [`Batch::plane`].
    pub plane: [Wide; 4],
    /// Inverse of W of slip and spin together, at [`entry`] of u₁, u₂, ω_n, ω₁, ω₂.
    pub joint: [Wide; 15],
    /// 1 where there is such an inverse, else 0.
    pub has_joint: Wide,
    /// Couple of the sub-step, and its sum over the sub-steps that have ended.
    pub couple: [Wide; 3],
    pub couple_total: [Wide; 3],
}

/// Eight manifolds of up to `N` points that share no movable body, with the transport `X`; `M` = N(N−1)/2. `T` is 1 where they have
/// their six relative motions, `C` is 1 where friction acts against spinning and rolling. What the normal pass reads comes first.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch<X, const N: usize, const M: usize, const T: usize, const C: usize> {
    pub transport: X,
    /// Each half of the lanes has a gap that is open (or a bias, which asks for a velocity as well), or overlap beyond the slop: only then
    /// do displacements matter to it.
    pub is_open: [bool; 2],
    pub is_deep: [bool; 2],
    pub inverse: [Wide; N],
    /// Gap at the start of the step.
    pub gap: [Wide; N],
    /// Gap as the contact pass sees it, where some are open.
    pub gap_now: [Wide; N],
    /// Normal impulses of the sub-step.
    pub lambda: [Wide; N],
    pub face: [Face8<N>; T],
    pub coupling: [Wide; M],
    /// Sum of the normal impulses over the sub-steps that have ended.
    pub total: [Wide; N],
    /// W_nt of a single point: what a push along t₁ or t₂ does to u_n.
    pub cross: [Wide; 2],
    /// W_tt⁻¹: entries 11, 12, 22; then 1 over the largest eigenvalue.
    pub plane: [Wide; 4],
    /// Tangential impulse of the sub-step, and its sum over the sub-steps that have ended.
    pub tangential: [Wide; 2],
    pub tangential_total: [Wide; 2],
    /// μ_s and μ_d.
    pub mu: [Wide; 2],
    pub couple: [Couple8; C],
}

/// The lanes of a batch that a kernel works on, as many as `L` has: a batch is eight lanes on every CPU, and a CPU with vectors of four does
/// them in two halves, for which its registers are enough.
#[derive(Clone, Copy)]
pub(super) struct At<L: Lane> {
    pub token: L::Token,
    first: usize,
}

/// Lanes of half a batch.
const HALF: usize = WIDTH / 2;

impl<L: Lane> At<L> {
    /// The first lanes of a batch.
    #[inline(always)]
    pub fn start(token: L::Token) -> Self {
        Self { token, first: 0 }
    }

    /// The other half, if these lanes are the first half of a batch.
    #[inline(always)]
    pub fn next(self) -> Option<Self> {
        (L::WIDTH < WIDTH && self.first == 0).then_some(Self { first: HALF, ..self })
    }

    /// The first of the lanes: a constant where they are a whole batch, else a number that the compiler knows to be at most 4, so that nothing
    /// checks it.
    #[inline(always)]
    pub fn first(self) -> usize {
        if L::WIDTH < WIDTH { self.first & HALF } else { 0 }
    }

    /// Which half of the batch the lanes are in.
    #[inline(always)]
    pub fn half(self) -> usize {
        self.first() / HALF
    }

    #[inline(always)]
    pub fn load(self, from: &Wide) -> L {
        L::load(self.token, &from[self.first()..])
    }

    #[inline(always)]
    pub fn store(self, x: L, to: &mut Wide) {
        x.store(&mut to[self.first()..]);
    }

    #[inline(always)]
    pub fn splat(self, x: f64) -> L {
        L::splat(self.token, x)
    }
}

/// No item.
pub(super) const PADDING: u32 = u32::MAX;

pub(super) const ZERO: Wide = [0.0; WIDTH];

impl<const N: usize> Face8<N> {
    const EMPTY: Self = Self {
        q: [[ZERO; N]; 2],
        response: [[ZERO; N]; 3],
        has_response: ZERO,
        w: [ZERO; 21],
        axis: [ZERO; 2],
        inverse: ZERO,
        lever: [ZERO; N],
        twist: ZERO,
        twist_total: ZERO,
    };

    #[inline(always)]
    pub fn normals<L: Lane>(&self, at: At<L>) -> FaceNormals<L, N> {
        let r = &self.response;
        FaceNormals {
            response: [load(at, &r[0]), load(at, &r[1]), load(at, &r[2])],
            exists: at.load(&self.has_response),
        }
    }
}

impl Couple8 {
    const EMPTY: Self = Self {
        lever: [ZERO; 2],
        inverse: ZERO,
        plane: [ZERO; 4],
        joint: [ZERO; 15],
        has_joint: ZERO,
        couple: [ZERO; 3],
        couple_total: [ZERO; 3],
    };
}

impl<X: Transport, const N: usize, const M: usize, const T: usize, const C: usize> Batch<X, N, M, T, C> {
    /// Nothing in it.
    pub const EMPTY: Self = Self {
        transport: X::EMPTY,
        is_open: [false; 2],
        is_deep: [false; 2],
        inverse: [ZERO; N],
        gap: [ZERO; N],
        gap_now: [ZERO; N],
        lambda: [ZERO; N],
        face: [Face8::EMPTY; T],
        coupling: [ZERO; M],
        total: [ZERO; N],
        cross: [ZERO; 2],
        plane: [ZERO; 4],
        tangential: [ZERO; 2],
        tangential_total: [ZERO; 2],
        mu: [ZERO; 2],
        couple: [Couple8::EMPTY; C],
    };

    /// Bytes of what the normal pass reads.
    pub const NORMAL_BYTES: usize = std::mem::offset_of!(Self, face) + T * std::mem::offset_of!(Face8<N>, w);

    #[inline(always)]
    pub fn normals<L: Lane>(&self, at: At<L>) -> Normals<L, N, M> {
        Normals { inverse: load(at, &self.inverse), coupling: load(at, &self.coupling) }
    }

    #[inline(always)]
    pub fn plane<L: Lane>(&self, at: At<L>) -> Plane<L> {
        Plane::new(load(at, &self.plane))
    }

    /// Parts of d along t₁ and t₂; d is n where there is a single point.
    #[inline(always)]
    pub fn axis<L: Lane>(&self, at: At<L>) -> [L; 2] {
        let mut axis = [at.splat(0.0); 2];
        if N > 1 {
            for i in 0..T {
                axis = load(at, &self.face[i].axis);
            }
        }
        axis
    }

    /// Adds to the rates what pushes and couples `p` do, where only the motions from `FROM` to `TO` have any.
    #[inline(always)]
    pub fn respond<L: Lane, const FROM: usize, const TO: usize>(
        &self,
        at: At<L>,
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

    /// The normal velocity of each point, from that of the middle and the relative spin.
    #[inline(always)]
    pub fn point_speeds<L: Lane>(&self, at: At<L>, u_n: L, spin: [L; 2]) -> [L; N] {
        let mut u = [u_n; N];
        if N > 1 {
            for i in 0..T {
                let face = &self.face[i];
                for k in 0..N {
                    u[k] += at.load(&face.q[0][k]) * spin[0] + at.load(&face.q[1][k]) * spin[1];
                }
            }
        }
        u
    }

    /// Push along n and couple about t₁ and t₂ that normal impulses add up to: the transpose of [`Batch::point_speeds`].
    #[inline(always)]
    pub fn sum_normals<L: Lane>(&self, at: At<L>, p: &[L; N]) -> [L; 3] {
        let mut push = p[0];
        for k in 1..N {
            push += p[k];
        }
        let mut couple = [at.splat(0.0); 2];
        if N > 1 {
            for i in 0..T {
                let face = &self.face[i];
                for k in 0..N {
                    couple[0] += at.load(&face.q[0][k]) * p[k];
                    couple[1] += at.load(&face.q[1][k]) * p[k];
                }
            }
        }
        [push, couple[0], couple[1]]
    }
}

#[cfg(test)]
impl<X: Transport, const N: usize, const M: usize, const T: usize, const C: usize> Batch<X, N, M, T, C> {
    /// All numbers of a lane but `gap_now`, which is only there where a gap is open.
    pub fn numbers(&self, lane: usize) -> Vec<f64> {
        let lists: [&[Wide]; 10] = [
            &self.inverse,
            &self.gap,
            &self.lambda,
            &self.coupling,
            &self.total,
            &self.cross,
            &self.plane,
            &self.tangential,
            &self.tangential_total,
            &self.mu,
        ];
        let faces = self.face.iter().flat_map(Face8::lists);
        let couples = self.couple.iter().flat_map(Couple8::lists);
        let law = lists.into_iter().chain(faces).chain(couples).flatten().map(|wide| wide[lane]);
        law.chain(self.transport.numbers(lane)).collect()
    }
}

#[cfg(test)]
impl<const N: usize> Face8<N> {
    fn lists(&self) -> [&[Wide]; 12] {
        let [a, b] = &self.q;
        let [c, d, e] = &self.response;
        let one = std::slice::from_ref::<Wide>;
        let [f, g, h, i] =
            [one(&self.has_response), one(&self.inverse), one(&self.twist), one(&self.twist_total)];
        [a, b, c, d, e, f, g, h, i, &self.w, &self.axis, &self.lever]
    }
}

#[cfg(test)]
impl Couple8 {
    fn lists(&self) -> [&[Wide]; 7] {
        let one = std::slice::from_ref::<Wide>;
        [
            &self.lever,
            one(&self.inverse),
            &self.plane,
            &self.joint,
            one(&self.has_joint),
            &self.couple,
            &self.couple_total,
        ]
    }
}

/// Several numbers of a batch.
#[inline(always)]
pub(super) fn load<L: Lane, const K: usize>(at: At<L>, from: &[Wide; K]) -> [L; K] {
    let mut out = [at.splat(0.0); K];
    for k in 0..K {
        out[k] = at.load(&from[k]);
    }
    out
}

/// Writes several numbers of a batch.
#[inline(always)]
pub(super) fn store<L: Lane, const K: usize>(at: At<L>, from: &[L; K], to: &mut [Wide; K]) {
    for k in 0..K {
        at.store(from[k], &mut to[k]);
    }
}

/// A vector of a batch.
#[inline(always)]
pub(super) fn vector<L: Lane>(at: At<L>, from: &[Wide; 3]) -> Vec3Lanes<L> {
    let [x, y, z] = load(at, from);
    Vec3Lanes::new(x, y, z)
}
