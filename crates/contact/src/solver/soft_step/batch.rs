//! Eight manifolds side by side, and what moves between them and the bodies.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | n, t₁ | `normal`, `tangent` | as in [`crate::Head`]; t₂ = n × t₁ | – |
//! | r | `arm` | from the centre of mass of each side to the middle of the points | m |
//! | r_k × n | `turn` | angular part of the normal row of point k, for each side | m |
//! | d | `Spin8::axis` | angular part of the twist row | – |
//!
//! **Why friction at the middle is still friction at the points.** Let c be the mean of the m points, ρ_k and z_k the parts of
//! x_k − c in the plane and along n, and S = Σ|ρ_k|². The impulses p_k = T/m + τ (n × ρ_k)/S have the sum T and, about c, the moment
//! τ d with d = n − Σ z_k ρ_k/S. So a row at c and one along d do what these p_k do, exactly: the certificate and the books
//! may look at points alone.

use super::law::{Normals, Plane};
use huygens_math::Twist;
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH};

/// One number for each manifold of a batch.
pub(super) type Wide = [f64; WIDTH];

/// The twist about the normal of manifolds with several points.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Spin8<const N: usize> {
    pub axis: [Wide; 3],
    pub inverse: Wide,
    /// |ρ_k|: what the impulse of point k adds to the bound.
    pub lever: [Wide; N],
    pub lambda: Wide,
    pub total: Wide,
}

/// Eight manifolds of up to `N` points that share no movable body; `M` = N(N−1)/2, and `T` is 1 where there can be a twist.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch<const N: usize, const M: usize, const T: usize> {
    /// Place of each side among the bodies of a solve.
    pub body: [[u32; WIDTH]; 2],
    /// Which item each lane is; [`PADDING`] for none.
    pub item: [u32; WIDTH],
    /// Each half of the lanes has a gap that is open, or overlap beyond the slop: only then do displacements matter to it.
    pub is_open: [bool; 2],
    pub is_deep: [bool; 2],
    pub normal: [Wide; 3],
    pub tangent: [Wide; 3],
    pub inv_mass: [Wide; 2],
    /// Entries xx, yy, zz, xy, xz, yz of each side.
    pub inv_inertia: [[Wide; 6]; 2],
    pub arm: [[Wide; 3]; 2],
    /// While a batch is built: the arms of the points.
    pub turn: [[[Wide; 3]; 2]; N],
    pub inverse: [Wide; N],
    pub coupling: [Wide; M],
    /// Gap at the start of the step.
    pub gap: [Wide; N],
    /// Gap as the relaxation sees it.
    pub now: [Wide; N],
    /// Normal impulses of the sub-step.
    pub lambda: [Wide; N],
    /// Their sum over the sub-steps that have ended.
    pub total: [Wide; N],
    /// W_tt⁻¹: entries 11, 12, 22; then 1 over the largest eigenvalue.
    pub plane: [Wide; 4],
    /// Tangential impulse of the sub-step, and its sum.
    pub rub: [Wide; 2],
    pub rub_total: [Wide; 2],
    /// μ_s and μ_d.
    pub mu: [Wide; 2],
    pub spin: [Spin8<N>; T],
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

impl<const N: usize, const M: usize, const T: usize> Batch<N, M, T> {
    /// Nothing in it.
    pub const EMPTY: Self = Self {
        body: [[0; WIDTH]; 2],
        item: [PADDING; WIDTH],
        is_open: [false; 2],
        is_deep: [false; 2],
        normal: [ZERO; 3],
        tangent: [ZERO; 3],
        inv_mass: [ZERO; 2],
        inv_inertia: [[ZERO; 6]; 2],
        arm: [[ZERO; 3]; 2],
        turn: [[[ZERO; 3]; 2]; N],
        inverse: [ZERO; N],
        coupling: [ZERO; M],
        gap: [ZERO; N],
        now: [ZERO; N],
        lambda: [ZERO; N],
        total: [ZERO; N],
        plane: [ZERO; 4],
        rub: [ZERO; 2],
        rub_total: [ZERO; 2],
        mu: [ZERO; 2],
        spin: [Spin8 { axis: [ZERO; 3], inverse: ZERO, lever: [ZERO; N], lambda: ZERO, total: ZERO }; T],
    };

    #[inline(always)]
    pub fn normals<L: Lane, const A: usize>(&self, at: At<L, A>) -> Normals<L, N, M> {
        Normals { inverse: load(at, &self.inverse), coupling: load(at, &self.coupling) }
    }

    #[inline(always)]
    pub fn plane<L: Lane, const A: usize>(&self, at: At<L, A>) -> Plane<L> {
        let [a, b, c, step] = load(at, &self.plane);
        Plane { inverse: [a, b, c], step }
    }

    /// u_n of each point.
    #[inline(always)]
    pub fn normal_rates<L: Lane, const A: usize>(&self, at: At<L, A>, motion: &Motion<L>) -> [L; N] {
        let along = vector(at, &self.normal).dot(motion.linear[0] - motion.linear[1]);
        let mut u = [along; N];
        for k in 0..N {
            u[k] += vector(at, &self.turn[k][0]).dot(motion.angular[0])
                - vector(at, &self.turn[k][1]).dot(motion.angular[1]);
        }
        u
    }

    /// Slip at the middle of the points, in world axes.
    #[inline(always)]
    pub fn slip<L: Lane, const A: usize>(&self, at: At<L, A>, motion: &Motion<L>) -> Vec3Lanes<L> {
        let a = motion.angular[0].cross(vector(at, &self.arm[0]));
        let b = motion.angular[1].cross(vector(at, &self.arm[1]));
        motion.linear[0] - motion.linear[1] + (a - b)
    }

    /// Moments of an impulse at the middle of the points.
    #[inline(always)]
    pub fn moments<L: Lane, const A: usize>(&self, at: At<L, A>, impulse: Vec3Lanes<L>) -> [Vec3Lanes<L>; 2] {
        [vector(at, &self.arm[0]).cross(impulse), vector(at, &self.arm[1]).cross(impulse)]
    }

    /// Adds M⁻¹Jᵀ of normal impulses.
    #[inline(always)]
    pub fn push<L: Lane, const A: usize>(&self, at: At<L, A>, delta: [L; N], motion: &mut Motion<L>) {
        let mut sum = delta[0];
        let mut a = vector(at, &self.turn[0][0]).scale(delta[0]);
        let mut b = vector(at, &self.turn[0][1]).scale(delta[0]);
        for k in 1..N {
            sum += delta[k];
            a = a + vector(at, &self.turn[k][0]).scale(delta[k]);
            b = b + vector(at, &self.turn[k][1]).scale(delta[k]);
        }
        self.kick(at, vector(at, &self.normal).scale(sum), [a, b], motion);
    }

    /// Adds M⁻¹ of an impulse on A and its opposite on B, with their moments (that on B with the sign of A's).
    #[inline(always)]
    pub fn kick<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        impulse: Vec3Lanes<L>,
        turn: [Vec3Lanes<L>; 2],
        motion: &mut Motion<L>,
    ) {
        let inv_mass: [L; 2] = load(at, &self.inv_mass);
        motion.linear[0] = motion.linear[0] + impulse.scale(inv_mass[0]);
        motion.linear[1] = motion.linear[1] - impulse.scale(inv_mass[1]);
        motion.angular[0] = motion.angular[0] + respond(at, &self.inv_inertia[0], turn[0]);
        motion.angular[1] = motion.angular[1] - respond(at, &self.inv_inertia[1], turn[1]);
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
                twist.linear.x = rows[i][0];
                twist.linear.y = rows[i][1];
                twist.linear.z = rows[i][2];
                twist.angular.x = rows[i][3];
                twist.angular.y = rest[i][0];
                twist.angular.z = rest[i][1];
            }
        }
    }
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
