//! From the raw numbers of each lane to what the passes need, in lanes; and the warm start. `h` is the whole step.
//!
//! A push or couple j of the six has the impulse P_j and, about the centre of mass of a side, the moment M_j = r × P_j + C_j. Then
//! W_ij = Σ over the sides of P_i·P_j/m + M_i·I⁻¹M_j.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Batch, Frame, Motion, entry, load, respond, store, vector};
use super::body::Bodies;
use super::fill::Fill;
use super::law::{extremes, inverse_of, is_deep, pair};
use super::softness::Softness;
use super::whole::Whole;
use huygens_math::lanes::{Lane, WIDTH, prefetch};

/// Fills and prepares batches, one after the other while it is near, and applies the impulses that they start from.
#[inline(always)]
pub(super) fn prepare<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    fill: Fill,
    soft: &Softness,
    (lanes, batches): (&[[u32; WIDTH]], &mut [Batch<N, M, T>]),
    bodies: &mut Bodies,
) {
    let h = fill.problem.h;
    for (i, here) in lanes.iter().enumerate() {
        if soft.looks_ahead
            && let Some(next) = lanes.get(i + 2)
        {
            fill.look_ahead(next);
        }
        if soft.looks_ahead
            && let (Some(next), Some(batch)) = (lanes.get(i + 1), batches.get(i + 1))
        {
            fill.look_at_bodies(next, &bodies.v.free);
            prefetch(batch);
        }
        let batch = &mut batches[i];
        fill.part(At::<L, 0> { token }, here, bodies, batch);
        prepare_part(At::<L, 0> { token }, h, soft, batch, bodies);
        if L::WIDTH < WIDTH {
            fill.part(At::<L, 4> { token }, here, bodies, batch);
            prepare_part(At::<L, 4> { token }, h, soft, batch, bodies);
        }
    }
}

#[inline(always)]
fn prepare_part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    h: f64,
    soft: &Softness,
    batch: &mut Batch<N, M, T>,
    bodies: &mut Bodies,
) {
    let zero = L::splat(at.token, 0.0);
    let frame = batch.frame(at);
    store(at, &[zero; N], &mut batch.total);
    store(at, &[zero; 2], &mut batch.rub_total);
    for i in 0..T {
        at.store(zero, &mut batch.face[i].total);
    }
    if T == 0 {
        point_rows(at, batch, &frame);
    } else {
        face_rows(at, batch, &frame);
        whole_face(at, batch);
        share_evenly(at, batch);
    }
    let [least, most] = extremes(&load(at, &batch.gap));
    let is_open = L::any(zero.lt(most));
    if is_open {
        let kicked = Motion::gather(at, &bodies.kick, &batch.body);
        open_gaps(at, h, batch, &frame, &kicked);
    }
    let is_biased = soft.bias[0] > 0.0 && L::any(least.lt(zero));
    batch.is_open[A / 4] = is_open || is_biased;
    batch.is_deep[A / 4] = L::any(is_deep(soft, least));
    let mut motion = Motion::gather(at, &bodies.v.free, &batch.body);
    let (push, couple) = batch.gather_up(at, &load(at, &batch.lambda));
    let [a, b]: [L; 2] = load(at, &batch.rub);
    let mut start = [push, a, b, zero, couple[0], couple[1]];
    for i in 0..T {
        start[3] = at.load(&batch.face[i].lambda);
    }
    batch.strike(at, &frame, &start, &mut motion);
    motion.scatter(at, &mut bodies.v.free, &batch.body);
}

/// Inverse of W_tt, entries 11, 12, 22, and 1 over its largest eigenvalue.
#[inline(always)]
fn plane_of<L: Lane>(w11: L, w12: L, w22: L) -> [L; 4] {
    let half = L::splat(w11.token(), 0.5);
    let inv = inverse_of(w11 * w22 - w12 * w12);
    let spread = (w11 - w22) * half;
    let largest = (w11 + w22) * half + (spread * spread + w12 * w12).sqrt();
    [w22 * inv, -w12 * inv, w11 * inv, inverse_of(largest)]
}

/// W of a single point: its three pushes.
#[inline(always)]
fn point_rows<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    frame: &Frame<L>,
) {
    let zero = L::splat(at.token, 0.0);
    let [a, b]: [L; 2] = load(at, &batch.inv_mass);
    let mass = a + b;
    let (mut nn, mut n1, mut n2) = (mass, zero, zero);
    let (mut w11, mut w12, mut w22) = (mass, zero, mass);
    for side in 0..2 {
        let arm = vector(at, &batch.arm[side]);
        let (n, x, y) = (arm.cross(frame.n), arm.cross(frame.t1), arm.cross(frame.t2));
        let (i_n, i_x, i_y) = (
            respond(at, &batch.inv_inertia[side], n),
            respond(at, &batch.inv_inertia[side], x),
            respond(at, &batch.inv_inertia[side], y),
        );
        nn += n.dot(i_n);
        n1 += n.dot(i_x);
        n2 += n.dot(i_y);
        w11 += x.dot(i_x);
        w12 += x.dot(i_y);
        w22 += y.dot(i_y);
    }
    let is_real = at.load(&batch.inverse[0]);
    at.store(inverse_of(nn * is_real), &mut batch.inverse[0]);
    store(at, &[n1, n2], &mut batch.cross);
    store(at, &plane_of(w11, w12, w22), &mut batch.plane);
}

/// W of the six relative motions of a face.
///
/// In the axes n, t₁, t₂ each side has the inertia K = RᵀI⁻¹R, and its arm ρ makes of the three pushes the moments (0, ρ₂, −ρ₁), (−ρ₂, 0, ρ_n)
/// and (ρ₁, −ρ_n, 0); couples are d = (1, d₁, d₂), t₁ and t₂ themselves.
#[inline(always)]
fn motions<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &Batch<N, M, T>,
    frame: &Frame<L>,
    [d1, d2]: [L; 2],
) -> [L; 21] {
    let zero = L::splat(at.token, 0.0);
    let [a, b]: [L; 2] = load(at, &batch.inv_mass);
    let mass = a + b;
    let mut w = [zero; 21];
    (w[entry(0, 0)], w[entry(1, 1)], w[entry(2, 2)]) = (mass, mass, mass);
    // What each push does to the spin, and each couple, in those axes.
    let mut pushed = [[zero; 3]; 3];
    let mut turned = [[zero; 3]; 3];
    for side in 0..2 {
        let arm = vector(at, &batch.arm[side]);
        let [r, x, y] = [frame.n.dot(arm), frame.t1.dot(arm), frame.t2.dot(arm)];
        let of_n = respond(at, &batch.inv_inertia[side], frame.n);
        let of_1 = respond(at, &batch.inv_inertia[side], frame.t1);
        let of_2 = respond(at, &batch.inv_inertia[side], frame.t2);
        let (n1, n2, cross) = (frame.t1.dot(of_n), frame.t2.dot(of_n), frame.t2.dot(of_1));
        let k =
            [[frame.n.dot(of_n), n1, n2], [n1, frame.t1.dot(of_1), cross], [n2, cross, frame.t2.dot(of_2)]];
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

/// W of a face: its six relative motions, then its points.
#[inline(always)]
fn face_rows<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    frame: &Frame<L>,
) {
    for i in 0..T {
        let w = motions(at, batch, frame, load(at, &batch.face[i].axis));
        let face = &mut batch.face[i];
        store(at, &w, &mut face.w);
        let is_wide = at.load(&face.inverse);
        at.store(inverse_of(w[entry(3, 3)] * is_wide), &mut face.inverse);
        let q: [[L; N]; 2] = [load(at, &face.q[0]), load(at, &face.q[1])];
        for k in 0..N {
            at.store((q[0][k] * q[0][k] + q[1][k] * q[1][k]).sqrt(), &mut face.lever[k]);
        }
        // u of point i answers an impulse at j: (1, q_i) W (1, q_j).
        for j in 0..N {
            let column = [
                w[entry(0, 0)] + w[entry(0, 4)] * q[0][j] + w[entry(0, 5)] * q[1][j],
                w[entry(4, 0)] + w[entry(4, 4)] * q[0][j] + w[entry(4, 5)] * q[1][j],
                w[entry(5, 0)] + w[entry(5, 4)] * q[0][j] + w[entry(5, 5)] * q[1][j],
            ];
            for i in 0..j {
                let w = column[0] + q[0][i] * column[1] + q[1][i] * column[2];
                at.store(w, &mut batch.coupling[pair(i, j)]);
            }
            let own = column[0] + q[0][j] * column[1] + q[1][j] * column[2];
            let is_real = at.load(&batch.inverse[j]);
            at.store(inverse_of(own * is_real), &mut batch.inverse[j]);
        }
        store(at, &plane_of(w[entry(1, 1)], w[entry(1, 2)], w[entry(2, 2)]), &mut batch.plane);
    }
}

/// The answer of all normals at once.
#[inline(always)]
fn whole_face<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
) {
    for i in 0..T {
        let face = &batch.face[i];
        let q: [[L; N]; 2] = [load(at, &face.q[0]), load(at, &face.q[1])];
        let rows = batch.normals(at);
        let whole = if N == 2 {
            Whole::of_two(&rows, &q)
        } else {
            let w: [L; 21] = load(at, &face.w);
            let felt = [0, 4, 5];
            let mut block = [[w[0]; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    block[i][j] = w[entry(felt[i], felt[j])];
                }
            }
            Whole::of_face(&rows, &q, &block)
        };
        let face = &mut batch.face[i];
        for j in 0..3 {
            store(at, &whole.answer[j], &mut face.whole[j]);
        }
        at.store(whole.exists, &mut face.has_whole);
    }
}

/// Takes from the warm start of four points what presses two diagonal ones and lifts the others: it does nothing to the bodies, and what
/// one step leaves of it the next would keep. So the corners of a box at rest carry a quarter of its weight each.
#[inline(always)]
fn share_evenly<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
) {
    if N < 4 {
        return;
    }
    let zero = L::splat(at.token, 0.0);
    for i in 0..T {
        let q: [[L; N]; 2] = [load(at, &batch.face[i].q[0]), load(at, &batch.face[i].q[1])];
        // Twice the area of the triangle that leaves out one corner, with alternating signs: Σz = 0 and Σz q = 0.
        let mut z = [zero; N];
        for k in 0..4 {
            let (a, b, c) = ((k + 1) % 4, (k + 2) % 4, (k + 3) % 4);
            let area = (q[0][b] - q[0][a]) * (q[1][c] - q[1][a]) - (q[1][b] - q[1][a]) * (q[0][c] - q[0][a]);
            z[k] = if k % 2 == 0 { area } else { -area };
        }
        let lambda: [L; N] = load(at, &batch.lambda);
        let (mut along, mut square) = (zero, zero);
        for k in 0..N {
            along += z[k] * lambda[k];
            square += z[k] * z[k];
        }
        let is_full = zero.lt(at.load(&batch.inverse[3]));
        let share = along * inverse_of(L::select(is_full, square, zero));
        let mut new = lambda;
        let mut least = new[0] - z[0] * share;
        for k in 0..N {
            new[k] -= z[k] * share;
            least = least.min(new[k]);
        }
        let pulls = least.lt(zero);
        for k in 0..N {
            at.store(L::select(pulls, lambda[k], new[k]), &mut batch.lambda[k]);
        }
    }
}

/// Lets an open gap take what free flight within a sub-step needs: displacements are summed from the end velocities of sub-steps, and
/// run ahead of the true path by half a sub-step of what the kick adds. Without this a body would be stopped before it lands. No more than
/// the gap itself: what rests on a gap of round-off must not fall through such a slack in every step.
#[inline(always)]
fn open_gaps<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    h: f64,
    batch: &mut Batch<N, M, T>,
    frame: &Frame<L>,
    kick: &Motion<L>,
) {
    let zero = L::splat(at.token, 0.0);
    let kicked = batch.normal_rates(at, frame, kick);
    for k in 0..N {
        let gap = at.load(&batch.gap[k]);
        let slack = (kicked[k] * L::splat(at.token, -0.5 * h)).min(gap).max(zero);
        at.store(L::select(zero.lt(gap), gap + slack, gap), &mut batch.gap[k]);
    }
}
