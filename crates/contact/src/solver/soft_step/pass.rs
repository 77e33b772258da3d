//! The two passes of a sub-step over a list of batches: the hot loops of the engine.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Batch, Motion, Rates, load, store};
use super::law::{Plane, TURNS, follow, press, push_apart, rub, twist};
use super::softness::Softness;
use huygens_math::Twist;
use huygens_math::lanes::{Lane, WIDTH};

/// The first pass: overlap in the displacement `s` pushed apart if `push` says so, then the normals, with the gaps that `s` has left.
#[inline(always)]
pub(super) fn first<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    soft: &Softness,
    Haste { push, over }: Haste,
    batches: &mut [Batch<N, M, T>],
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    for batch in batches {
        first_part(At::<L, 0> { token }, soft, Haste { push, over }, batch, (v, s));
        if L::WIDTH < WIDTH {
            first_part(At::<L, 4> { token }, soft, Haste { push, over }, batch, (v, s));
        }
    }
}

#[inline(always)]
fn first_part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    Haste { push, over }: Haste,
    batch: &mut Batch<N, M, T>,
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    let rows = batch.normals(at);
    let frame = batch.frame(at);
    let mut gap: [L; N] = load(at, &batch.gap);
    let is_deep = push && batch.is_deep[A / 4];
    if is_deep || batch.is_open[A / 4] {
        let mut moved = Motion::gather(at, s, &batch.body);
        let mut now = gap;
        add(&mut now, &batch.normal_rates(at, &frame, &moved));
        gap = follow(gap, now);
        if is_deep {
            let kappa = push_apart(soft, &rows, &now);
            batch.push(at, &frame, &kappa, &mut moved);
            moved.scatter(at, s, &batch.body);
        }
    }
    let mut motion = Motion::gather(at, v, &batch.body);
    let rates = batch.normal_motion(at, &frame, &motion);
    let lambda: [L; N] = load(at, &batch.lambda);
    let (new, now) = press_all(at, soft, batch, &rates, gap, lambda, L::splat(at.token, over));
    store(at, &new, &mut batch.lambda);
    if batch.is_open[A / 4] {
        store(at, &now, &mut batch.now);
    }
    batch.push(at, &frame, &minus(&new, &lambda), &mut motion);
    motion.scatter(at, v, &batch.body);
}

/// The normals of a manifold: all at once where that is allowed, else one after the other.
#[inline(always)]
fn press_all<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    batch: &Batch<N, M, T>,
    rates: &[L; 3],
    gap: [L; N],
    lambda: [L; N],
    over: L,
) -> ([L; N], [L; N]) {
    let zero = L::splat(at.token, 0.0);
    let (mut new, mut least, mut now) = (lambda, L::splat(at.token, -1.0), gap);
    for i in 0..T {
        (new, least) = batch.face[i].whole(at).press(rates, &gap, &lambda, over);
    }
    let pulls = least.lt(zero);
    if L::any(pulls) {
        let u = batch.spread(at, rates[0], [rates[1], rates[2]]);
        let (by_one, seen) = press(soft, &batch.normals(at), u, gap, lambda, over);
        for k in 0..N {
            new[k] = L::select(pulls, by_one[k], new[k]);
            now[k] = L::select(pulls, seen[k], now[k]);
        }
    }
    (new, now)
}

/// How a first pass goes.
#[derive(Clone, Copy)]
pub(super) struct Haste {
    /// Overlap is pushed apart.
    pub push: bool,
    /// How far past what is needed impulses go: more than 1 where many rounds follow.
    pub over: f64,
}

/// The second pass: friction and normals; ends the sub-step's impulses.
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
    let frame = batch.frame(at);
    let (rows, plane) = (batch.normals(at), batch.plane(at));
    let now = load(at, if batch.is_open[A / 4] { &batch.now } else { &batch.gap });
    let lambda: [L; N] = load(at, &batch.lambda);
    let [stick, slip]: [L; 2] = load(at, &batch.mu);
    let mut change = [L::splat(at.token, 0.0); 6];
    if T == 0 {
        let moving = batch.slip(at, &motion);
        let p: [L; 2] = load(at, &batch.rub);
        let u = [frame.t1.dot(moving), frame.t2.dot(moving)];
        let new = rub(&plane, u, p, stick * lambda[0], slip * lambda[0]);
        (change[1], change[2]) = (new[0] - p[0], new[1] - p[1]);
        let [a, b]: [L; 2] = load(at, &batch.cross);
        let u_n = frame.n.dot(moving) + (a * change[1] + b * change[2]);
        let pressed = press(soft, &rows, [u_n; N], now, lambda, L::splat(at.token, 1.0)).0;
        change[0] = pressed[0] - lambda[0];
        finish(at, batch, &pressed, new);
    } else {
        let mut rates = batch.rates(at, &frame, &motion);
        for turn in 0..TURNS {
            let lambda: [L; N] = load(at, &batch.lambda);
            let new = rub_face(at, batch, &plane, &lambda, &mut rates, &mut change);
            let felt = [rates[0], rates[4], rates[5]];
            let one = L::splat(at.token, 1.0);
            let pressed = press_all(at, soft, batch, &felt, now, lambda, one).0;
            let (push, couple) = batch.gather_up(at, &minus(&pressed, &lambda));
            let zero = L::splat(at.token, 0.0);
            let by_normals = [push, zero, zero, zero, couple[0], couple[1]];
            add(&mut change, &by_normals);
            store(at, &pressed, &mut batch.lambda);
            store(at, &new, &mut batch.rub);
            if turn + 1 < TURNS {
                batch.answer::<L, A, 0, 1>(at, &by_normals, &mut rates);
                batch.answer::<L, A, 4, 6>(at, &by_normals, &mut rates);
            } else {
                finish(at, batch, &pressed, new);
            }
        }
    }
    batch.strike(at, &frame, &change, &mut motion);
    motion.scatter(at, v, &batch.body);
}

/// Friction of a face: the push in its plane, then the twist, which is kept in the batch. Adds to the rates what they do, and to `change`
/// what they are; returns the new push.
#[inline(always)]
fn rub_face<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    plane: &Plane<L>,
    lambda: &[L; N],
    rates: &mut Rates<L>,
    change: &mut Rates<L>,
) -> [L; 2] {
    let p: [L; 2] = load(at, &batch.rub);
    let [stick, slip]: [L; 2] = load(at, &batch.mu);
    let (mut pressed, mut lever) = (lambda[0], L::splat(at.token, 0.0));
    for k in 1..N {
        pressed += lambda[k];
    }
    for i in 0..T {
        for k in 0..N {
            lever += at.load(&batch.face[i].lever[k]) * lambda[k];
        }
    }
    let new = rub(plane, [rates[1], rates[2]], p, stick * pressed, slip * pressed);
    let mut own = [L::splat(at.token, 0.0); 6];
    (own[1], own[2]) = (new[0] - p[0], new[1] - p[1]);
    batch.answer::<L, A, 1, 3>(at, &own, rates);
    for i in 0..T {
        let face = &mut batch.face[i];
        let old = at.load(&face.lambda);
        let spun = twist(at.load(&face.inverse), rates[3], old, slip * lever);
        at.store(spun, &mut face.lambda);
        own[3] = spun - old;
    }
    batch.answer::<L, A, 3, 4>(at, &own, rates);
    add(change, &own);
    new
}

/// Keeps the impulses of a sub-step and adds them to the totals.
#[inline(always)]
fn finish<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    lambda: &[L; N],
    p: [L; 2],
) {
    store(at, lambda, &mut batch.lambda);
    let mut total: [L; N] = load(at, &batch.total);
    add(&mut total, lambda);
    store(at, &total, &mut batch.total);
    store(at, &p, &mut batch.rub);
    let mut total: [L; 2] = load(at, &batch.rub_total);
    add(&mut total, &p);
    store(at, &total, &mut batch.rub_total);
    for i in 0..T {
        let face = &mut batch.face[i];
        at.store(at.load(&face.total) + at.load(&face.lambda), &mut face.total);
    }
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
