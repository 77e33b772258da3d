//! The passes of a sub-step over a list of batches: the hot loops of the engine.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Batch, Frame, Motion, Rates, entry, load, look_ahead, store};
use super::law::{Plane, TURNS, follow, hold, landed, press, push_apart, slide, target_speed, twist};
use super::softness::Softness;
use super::whole::motion_of;
use huygens_math::Twist;
use huygens_math::lanes::{Lane, WIDTH};

/// The normals of a manifold: all at once where that is allowed, else one after the other.
#[inline(always)]
fn press_all<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    batch: &Batch<N, M, T>,
    rates: &[L; 3],
    (gap, lambda): ([L; N], [L; N]),
    over: L,
) -> [L; N] {
    let zero = L::splat(at.token, 0.0);
    let (mut new, mut least) = (lambda, L::splat(at.token, -1.0));
    for i in 0..T {
        let (mut felt, mut misfit) = (*rates, zero);
        if batch.is_open[A / 4] {
            let wish = close(at, soft, batch, &gap);
            for j in 0..3 {
                felt[j] -= wish.0[j];
            }
            misfit = wish.1;
        }
        (new, least) = batch.face[i].whole(at).press(&felt, &lambda, over);
        least = least.min(misfit);
    }
    let pulls = least.lt(zero);
    if L::any(pulls) {
        let u = batch.spread(at, rates[0], [rates[1], rates[2]]);
        let by_one = press(soft, &batch.normals(at), u, gap, lambda, over);
        for k in 0..N {
            new[k] = L::select(pulls, by_one[k], new[k]);
        }
    }
    new
}

/// The motion of a face that lets its open gaps close in this sub-step, and a number that is negative where it would take a point
/// deeper than [`Softness::fit`] allows.
#[inline(always)]
fn close<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    batch: &Batch<N, M, T>,
    gap: &[L; N],
) -> ([L; 3], L) {
    let (zero, one) = (L::splat(at.token, 0.0), L::splat(at.token, 1.0));
    let (mut speed, mut is_real) = ([zero; N], [zero; N]);
    for k in 0..N {
        speed[k] = target_speed(soft, gap[k]);
        is_real[k] = L::select(zero.lt(at.load(&batch.inverse[k])), one, zero);
    }
    let mut wish = [zero; 3];
    for i in 0..T {
        let q = [load(at, &batch.face[i].q[0]), load(at, &batch.face[i].q[1])];
        wish = motion_of(&is_real, &q, &speed);
    }
    let got = batch.spread(at, wish[0], [wish[1], wish[2]]);
    let mut misfit = one;
    for k in 0..N {
        misfit = misfit.min((got[k] - speed[k]) * is_real[k] + L::splat(at.token, soft.fit));
    }
    (wish, misfit)
}

/// How [`settle`] goes.
#[derive(Clone, Copy)]
pub(super) struct Haste {
    /// Overlap is pushed apart.
    pub push: bool,
    /// How far past what is needed normal impulses go: more than 1 where many rounds follow.
    pub over: f64,
}

/// A pass over normals alone, before bodies move; [`pass`] follows when they have. With one pass for both, before the move, a tower that
/// was pushed never comes to rest, and weight comes down a stack half as fast (measured on the pyramid of 820: 5.4 instead of 1.9 mm of
/// overlap).
#[inline(always)]
pub(super) fn settle<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    soft: &Softness,
    haste: Haste,
    batches: &mut [Batch<N, M, T>],
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    for i in 0..batches.len() {
        if soft.looks_ahead {
            look_ahead(batches, i, Batch::<N, M, T>::FIRST, v);
        }
        let batch = &mut batches[i];
        settle_part(At::<L, 0> { token }, soft, haste, batch, (v, s));
        if L::WIDTH < WIDTH {
            settle_part(At::<L, 4> { token }, soft, haste, batch, (v, s));
        }
    }
}

#[inline(always)]
fn settle_part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    haste: Haste,
    batch: &mut Batch<N, M, T>,
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    let frame = batch.frame(at);
    let gap = gaps(at, soft, haste, batch, &frame, s);
    let mut motion = Motion::gather(at, v, &batch.body);
    let rates = batch.normal_motion(at, &frame, &motion);
    let lambda: [L; N] = load(at, &batch.lambda);
    let new = press_all(at, soft, batch, &rates, (gap, lambda), L::splat(at.token, haste.over));
    store(at, &new, &mut batch.lambda);
    if batch.is_open[A / 4] {
        store(at, &landed(&new, gap), &mut batch.now);
    }
    batch.push(at, &frame, &minus(&new, &lambda), &mut motion);
    motion.scatter(at, v, &batch.body);
}

/// The pass of a sub-step: friction and normals; ends its impulses.
#[inline(always)]
pub(super) fn pass<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    soft: &Softness,
    batches: &mut [Batch<N, M, T>],
    v: &mut [Twist],
) {
    for i in 0..batches.len() {
        if soft.looks_ahead {
            look_ahead(batches, i, size_of::<Batch<N, M, T>>(), v);
        }
        let batch = &mut batches[i];
        part(At::<L, 0> { token }, soft, batch, v);
        if L::WIDTH < WIDTH {
            part(At::<L, 4> { token }, soft, batch, v);
        }
    }
}

#[inline(always)]
fn part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    batch: &mut Batch<N, M, T>,
    v: &mut [Twist],
) {
    let frame = batch.frame(at);
    let gap = load(at, if batch.is_open[A / 4] { &batch.now } else { &batch.gap });
    let mut motion = Motion::gather(at, v, &batch.body);
    let plane = batch.plane(at);
    let lambda: [L; N] = load(at, &batch.lambda);
    let [stick, slip]: [L; 2] = load(at, &batch.mu);
    let one = L::splat(at.token, 1.0);
    let mut change = [L::splat(at.token, 0.0); 6];
    if T == 0 {
        let moving = batch.slip(at, &motion);
        let p: [L; 2] = load(at, &batch.rub);
        let u = [frame.t1.dot(moving), frame.t2.dot(moving)];
        let [a, b]: [L; 2] = load(at, &batch.cross);
        let (mut new, slips) = hold(&plane, u, p, stick * lambda[0]);
        if L::any(slips) {
            let inverse = at.load(&batch.inverse[0]);
            let slid = slide(&plane, u, p, (slip, lambda[0]), [-a * inverse, -b * inverse]);
            new = [L::select(slips, slid[0], new[0]), L::select(slips, slid[1], new[1])];
        }
        (change[1], change[2]) = (new[0] - p[0], new[1] - p[1]);
        let u_n = frame.n.dot(moving) + (a * change[1] + b * change[2]);
        let pressed = press(soft, &batch.normals(at), [u_n; N], gap, lambda, one);
        change[0] = pressed[0] - lambda[0];
        store(at, &pressed, &mut batch.lambda);
        store(at, &new, &mut batch.rub);
    } else {
        let mut rates = batch.rates(at, &frame, &motion);
        for turn in 0..TURNS {
            let lambda: [L; N] = load(at, &batch.lambda);
            let new = rub_face(at, batch, &plane, &lambda, &mut rates, &mut change);
            let felt = [rates[0], rates[4], rates[5]];
            let pressed = press_all(at, soft, batch, &felt, (gap, lambda), one);
            let (push, couple) = batch.gather_up(at, &minus(&pressed, &lambda));
            let zero = L::splat(at.token, 0.0);
            let by_normals = [push, zero, zero, zero, couple[0], couple[1]];
            add(&mut change, &by_normals);
            store(at, &pressed, &mut batch.lambda);
            store(at, &new, &mut batch.rub);
            if turn + 1 < TURNS {
                batch.answer::<L, A, 0, 1>(at, &by_normals, &mut rates);
                batch.answer::<L, A, 4, 6>(at, &by_normals, &mut rates);
            }
        }
    }
    total(at, batch);
    batch.strike(at, &frame, &change, &mut motion);
    motion.scatter(at, v, &batch.body);
}

/// The gaps now, and what pushes overlap apart.
#[inline(always)]
fn gaps<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    soft: &Softness,
    haste: Haste,
    batch: &Batch<N, M, T>,
    frame: &Frame<L>,
    s: &mut [Twist],
) -> [L; N] {
    let start: [L; N] = load(at, &batch.gap);
    let is_deep = haste.push && batch.is_deep[A / 4];
    if !is_deep && !batch.is_open[A / 4] {
        return start;
    }
    let mut moved = Motion::gather(at, s, &batch.body);
    let mut now = start;
    add(&mut now, &batch.normal_rates(at, frame, &moved));
    if is_deep {
        let kappa = push_apart(soft, &batch.normals(at), &start, &now);
        batch.push(at, frame, &kappa, &mut moved);
        moved.scatter(at, s, &batch.body);
    }
    follow(start, now)
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
    let (mut new, slips) = hold(plane, [rates[1], rates[2]], p, stick * pressed);
    if L::any(slips) {
        let slid = slide(plane, [rates[1], rates[2]], p, (slip, pressed), lean(at, batch));
        new = [L::select(slips, slid[0], new[0]), L::select(slips, slid[1], new[1])];
    }
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

/// What a push along t₁ or t₂ changes of the sum of the normal impulses, all points at once; nothing where they have no such answer.
#[inline(always)]
fn lean<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &Batch<N, M, T>,
) -> [L; 2] {
    let zero = L::splat(at.token, 0.0);
    let mut out = [zero; 2];
    for i in 0..T {
        let face = &batch.face[i];
        for row in 0..3 {
            // The three motions that normals feel.
            let motion = [0, 4, 5][row];
            let mut answer = zero;
            for k in 0..N {
                answer += at.load(&face.whole[row][k]);
            }
            for j in 0..2 {
                out[j] -= answer * at.load(&face.w[entry(motion, 1 + j)]);
            }
        }
        let exists = at.load(&face.has_whole);
        out = [out[0] * exists, out[1] * exists];
    }
    out
}

/// Adds the impulses of the sub-step to the totals.
#[inline(always)]
fn total<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
) {
    let mut total: [L; N] = load(at, &batch.total);
    add(&mut total, &load(at, &batch.lambda));
    store(at, &total, &mut batch.total);
    let mut total: [L; 2] = load(at, &batch.rub_total);
    add(&mut total, &load(at, &batch.rub));
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
