//! The two passes of a sub-step over a list of batches: the hot loops of the engine.

use super::batch::{At, Batch, Motion, load, store, vector};
use super::law::{press, push_apart, rub, twist};
use super::softness::Softness;
use huygens_math::Twist;
use huygens_math::lanes::{Lane, WIDTH};

/// The first pass: overlap in the displacement `s` pushed apart if `push` says so, then the normals, with the gaps that `s` has left.
#[inline(always)]
pub(super) fn first<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    soft: &Softness,
    push: bool,
    batches: &mut [Batch<N, M, T>],
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    for batch in batches {
        first_part(At::<L, 0> { token }, soft, push, batch, (v, s));
        if L::WIDTH < WIDTH {
            first_part(At::<L, 4> { token }, soft, push, batch, (v, s));
        }
    }
}

#[inline(always)]
fn first_part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    push: bool,
    batch: &mut Batch<N, M, T>,
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    let rows = batch.normals(at);
    let mut gap: [L; N] = load(at, &batch.gap);
    let is_deep = push && batch.is_deep[A / 4];
    if is_deep || batch.is_open[A / 4] {
        let mut moved = Motion::gather(at, s, &batch.body);
        add(&mut gap, &batch.normal_rates(at, &moved));
        if is_deep {
            let kappa = push_apart(soft, &rows, &mut gap);
            batch.push(at, kappa, &mut moved);
            moved.scatter(at, s, &batch.body);
        }
    }
    let mut motion = Motion::gather(at, v, &batch.body);
    let u = batch.normal_rates(at, &motion);
    let lambda: [L; N] = load(at, &batch.lambda);
    let (new, now) = press(soft, &rows, u, gap, lambda);
    store(at, &new, &mut batch.lambda);
    store(at, &now, &mut batch.now);
    batch.push(at, minus(&new, &lambda), &mut motion);
    motion.scatter(at, v, &batch.body);
}

/// The second pass: friction, then the normals again; ends the sub-step's impulses.
#[inline(always)]
pub(super) fn second<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    soft: &Softness,
    batches: &mut [Batch<N, M, T>],
    v: &mut [Twist],
) {
    for batch in batches {
        second_part(At::<L, 0> { token }, soft, batch, v);
        if L::WIDTH < WIDTH {
            second_part(At::<L, 4> { token }, soft, batch, v);
        }
    }
}

#[inline(always)]
fn second_part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    batch: &mut Batch<N, M, T>,
    v: &mut [Twist],
) {
    let mut motion = Motion::gather(at, v, &batch.body);
    let lambda: [L; N] = load(at, &batch.lambda);
    friction(at, batch, &lambda, &mut motion);
    let u = batch.normal_rates(at, &motion);
    let (new, _) = press(soft, &batch.normals(at), u, load(at, &batch.now), lambda);
    store(at, &new, &mut batch.lambda);
    let mut total: [L; N] = load(at, &batch.total);
    add(&mut total, &new);
    store(at, &total, &mut batch.total);
    batch.push(at, minus(&new, &lambda), &mut motion);
    motion.scatter(at, v, &batch.body);
}

#[inline(always)]
fn friction<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    lambda: &[L; N],
    motion: &mut Motion<L>,
) {
    let mut pressed = lambda[0];
    for k in 1..N {
        pressed += lambda[k];
    }
    let [stick, slip]: [L; 2] = load(at, &batch.mu);
    let (n, t1) = (vector(at, &batch.normal), vector(at, &batch.tangent));
    let t2 = n.cross(t1);
    let slipping = batch.slip(at, motion);
    let p: [L; 2] = load(at, &batch.rub);
    let u = [t1.dot(slipping), t2.dot(slipping)];
    let new = rub(&batch.plane(at), u, p, stick * pressed, slip * pressed);
    store(at, &new, &mut batch.rub);
    let total: [L; 2] = load(at, &batch.rub_total);
    store(at, &[total[0] + new[0], total[1] + new[1]], &mut batch.rub_total);
    let impulse = t1.scale(new[0] - p[0]) + t2.scale(new[1] - p[1]);
    let mut turn = batch.moments(at, impulse);
    for i in 0..T {
        let spin = &mut batch.spin[i];
        let axis = vector(at, &spin.axis);
        let mut bound = at.load(&spin.lever[0]) * lambda[0];
        for k in 1..N {
            bound += at.load(&spin.lever[k]) * lambda[k];
        }
        let old = at.load(&spin.lambda);
        let u = axis.dot(motion.angular[0] - motion.angular[1]);
        let new = twist(at.load(&spin.inverse), u, old, slip * bound);
        at.store(new, &mut spin.lambda);
        at.store(at.load(&spin.total) + new, &mut spin.total);
        let about = axis.scale(new - old);
        turn = [turn[0] + about, turn[1] + about];
    }
    batch.kick(at, impulse, turn, motion);
}

#[inline(always)]
fn add<L: Lane, const N: usize>(to: &mut [L; N], from: &[L; N]) {
    for k in 0..N {
        to[k] += from[k];
    }
}

#[inline(always)]
fn minus<L: Lane, const N: usize>(a: &[L; N], b: &[L; N]) -> [L; N] {
    let mut out = *a;
    for k in 0..N {
        out[k] -= b[k];
    }
    out
}
