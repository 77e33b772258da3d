//! The two passes of a sub-step over a list of batches: the hot loops of the engine.

use super::batch::{Batch, Motion, load, store, vector};
use super::law::{press, push_apart, rub, twist};
use super::softness::Softness;
use huygens_math::Twist;
use huygens_math::lanes::Lane;

/// The first half: overlap in the displacement `s` pushed apart, then the normals, with the gaps that `s` has left.
#[inline(always)]
pub(super) fn bias<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    soft: &Softness,
    batches: &mut [Batch<N, M, T>],
    v: &mut [Twist],
    s: &mut [Twist],
) {
    for batch in batches {
        let rows = batch.normals(token);
        let mut moved = Motion::<L>::gather(token, s, &batch.body);
        let closed = batch.normal_rates(token, &moved);
        let mut gap: [L; N] = load(token, &batch.gap);
        add(&mut gap, &closed);
        if let Some(kappa) = push_apart(soft, &rows, &mut gap) {
            batch.push(token, kappa, &mut moved);
            moved.scatter(s, &batch.body);
        }
        let mut motion = Motion::gather(token, v, &batch.body);
        let u = batch.normal_rates(token, &motion);
        let lambda: [L; N] = load(token, &batch.lambda);
        let (new, now) = press(soft, &rows, u, gap, lambda);
        store(&new, &mut batch.lambda);
        store(&now, &mut batch.now);
        batch.push(token, minus(&new, &lambda), &mut motion);
        motion.scatter(v, &batch.body);
    }
}

/// The second half: friction, then the normals again; ends the sub-step's impulses.
#[inline(always)]
pub(super) fn relax<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    soft: &Softness,
    batches: &mut [Batch<N, M, T>],
    v: &mut [Twist],
) {
    for batch in batches {
        let mut motion = Motion::<L>::gather(token, v, &batch.body);
        let lambda: [L; N] = load(token, &batch.lambda);
        friction(token, batch, &lambda, &mut motion);
        let u = batch.normal_rates(token, &motion);
        let (new, _) = press(soft, &batch.normals(token), u, load(token, &batch.now), lambda);
        store(&new, &mut batch.lambda);
        let mut total: [L; N] = load(token, &batch.total);
        add(&mut total, &new);
        store(&total, &mut batch.total);
        batch.push(token, minus(&new, &lambda), &mut motion);
        motion.scatter(v, &batch.body);
    }
}

#[inline(always)]
fn friction<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    batch: &mut Batch<N, M, T>,
    lambda: &[L; N],
    motion: &mut Motion<L>,
) {
    let mut pressed = lambda[0];
    for k in 1..N {
        pressed += lambda[k];
    }
    let [stick, slip]: [L; 2] = load(token, &batch.mu);
    let (n, t1) = (vector::<L>(token, &batch.normal), vector::<L>(token, &batch.tangent));
    let t2 = n.cross(t1);
    let slipping = batch.slip(token, motion);
    let p: [L; 2] = load(token, &batch.rub);
    let u = [t1.dot(slipping), t2.dot(slipping)];
    let new = rub(&batch.plane(token), u, p, stick * pressed, slip * pressed);
    store(&new, &mut batch.rub);
    let total: [L; 2] = load(token, &batch.rub_total);
    store(&[total[0] + new[0], total[1] + new[1]], &mut batch.rub_total);
    let impulse = t1.scale(new[0] - p[0]) + t2.scale(new[1] - p[1]);
    let mut turn = batch.moments(token, impulse);
    for i in 0..T {
        let spin = &mut batch.spin[i];
        let axis = vector::<L>(token, &spin.axis);
        let mut bound = L::load(token, &spin.lever[0]) * lambda[0];
        for k in 1..N {
            bound += L::load(token, &spin.lever[k]) * lambda[k];
        }
        let old = L::load(token, &spin.lambda);
        let u = axis.dot(motion.angular[0] - motion.angular[1]);
        let new = twist(L::load(token, &spin.inverse), u, old, slip * bound);
        new.store(&mut spin.lambda);
        (L::load(token, &spin.total) + new).store(&mut spin.total);
        let about = axis.scale(new - old);
        turn = [turn[0] + about, turn[1] + about];
    }
    batch.kick(token, impulse, turn, motion);
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
