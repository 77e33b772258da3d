//! The two passes of a sub-step over a batch: the hot loops of the engine. One law for all kinds of bodies.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Batch, Rates, entry, load, store};
use super::body::{LentBodies, LentVelocity};
use super::face_normals::motion_of;
use super::law::{
    LEVER_TURNS, Plane, SlipBound, SpringPoints, TURNS, gaps_now, landed, normals_in_turn, push_out,
    slip_impulse, slips_freely, spring_impulses, stick_impulse, target_speed, twist_impulse,
};
use super::levers::{Patch, along_axis, rolling, spin_of, spinning, together};
use super::side_rows::SideRows;
use super::softness::Softness;
use super::transport::{Motions, Transport};
use huygens_math::lanes::Lane;

/// What a normal pass does beside solving the normals.
#[derive(Clone, Copy)]
pub(super) struct PassOptions {
    /// Overlap is pushed out.
    pub push_out: bool,
    /// How far past what is needed normal impulses go: more than 1 where many rounds follow.
    pub over_relaxation: f64,
}

impl<X: Transport, const N: usize, const M: usize, const T: usize, const C: usize> Batch<X, N, M, T, C> {
    /// A pass over normals alone, before bodies move; the contact pass follows when they have. With one pass for both, before the move, a
    /// tower that was pushed never comes to rest, and weight comes down a stack half as fast (measured on the pyramid of 820: 5.4
    /// instead of 1.9 mm of overlap).
    #[inline(always)]
    pub fn solve_normal_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        options: PassOptions,
        bodies: &LentBodies,
        rows: &SideRows,
    ) {
        let LentBodies { v, s, .. } = bodies;
        let frame = self.transport.frame(at);
        let gap = self.gaps(at, soft, options, &frame, rows, s);
        let mut motion = self.transport.gather(at, rows, v, Motions::OfNormals);
        let rates = self.normal_rates(at, &frame, &motion);
        let lambda: [L; N] = load(at, &self.lambda);
        let new = self.solve_normals(at, soft, &rates, &gap, &lambda, at.splat(options.over_relaxation));
        store(at, &new, &mut self.lambda);
        if self.is_open[at.half()] {
            let seen = if X::MAY_BE_SOFT && soft.spring.is_some() { gap } else { landed(&new, gap) };
            store(at, &seen, &mut self.gap_now);
        }
        self.apply_normals(at, &frame, &minus(&new, &lambda), &mut motion);
        self.transport.scatter(at, rows, &motion, v);
    }

    /// The pass of a sub-step over friction and normals. The last of a sub-step ends its impulses.
    #[inline(always)]
    pub fn solve_contact_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        is_last: bool,
        bodies: &LentBodies,
        rows: &SideRows,
    ) {
        let v = &bodies.v;
        let frame = self.transport.frame(at);
        let gap: [L; N] = load(at, if self.is_open[at.half()] { &self.gap_now } else { &self.gap });
        let mut motion = self.transport.gather(at, rows, v, Motions::All);
        let axis = self.axis(at);
        let mut rates = self.rates(at, &frame, &motion);
        let zero = at.splat(0.0);
        let mut change = [zero; 6];
        let turns = if C > 0 {
            LEVER_TURNS
        } else if N > 1 {
            TURNS
        } else {
            1
        };
        for turn in 0..turns {
            let lambda: [L; N] = load(at, &self.lambda);
            self.solve_friction(at, soft, &lambda, &mut rates, &mut change);
            let felt = if N > 1 { [rates[0], rates[4], rates[5]] } else { [rates[0]; 3] };
            let new = self.solve_normals(at, soft, &felt, &gap, &lambda, at.splat(1.0));
            let [push, a, b] = self.sum_normals(at, &minus(&new, &lambda));
            change[0] += push;
            if N > 1 {
                change[4] += a;
                change[5] += b;
            }
            store(at, &new, &mut self.lambda);
            if turn + 1 < turns {
                let by_normals = [push, zero, zero, zero, a, b];
                self.respond::<L, 0, 1>(at, &by_normals, &mut rates);
                if N > 1 {
                    self.respond::<L, 4, 6>(at, &by_normals, &mut rates);
                }
            }
        }
        if is_last {
            self.end_sub_step(at);
        }
        if T == 0 {
            self.transport.apply::<L, false>(at, &frame, &change, axis, &mut motion);
        } else {
            self.transport.apply::<L, true>(at, &frame, &change, axis, &mut motion);
        }
        self.transport.scatter(at, rows, &motion, v);
    }

    /// The six relative motions, or the first three where there are no more.
    #[inline(always)]
    pub fn rates<L: Lane>(&self, at: At<L>, frame: &X::Frame<L>, motion: &X::Motion<L>) -> Rates<L> {
        if T == 0 {
            return self.transport.rates::<L, false>(at, frame, motion, self.axis(at));
        }
        self.transport.rates::<L, true>(at, frame, motion, self.axis(at))
    }

    /// The motions that normals feel.
    #[inline(always)]
    fn normal_rates<L: Lane>(&self, at: At<L>, frame: &X::Frame<L>, motion: &X::Motion<L>) -> [L; 3] {
        if N == 1 {
            return self.transport.normal_rates::<L, false>(at, frame, motion);
        }
        self.transport.normal_rates::<L, true>(at, frame, motion)
    }

    /// The normal velocity of each point.
    #[inline(always)]
    pub fn speeds<L: Lane>(&self, at: At<L>, frame: &X::Frame<L>, motion: &X::Motion<L>) -> [L; N] {
        let [u_n, a, b] = self.normal_rates(at, frame, motion);
        self.point_speeds(at, u_n, [a, b])
    }

    /// Adds M⁻¹Jᵀ of normal impulses.
    #[inline(always)]
    fn apply_normals<L: Lane>(&self, at: At<L>, frame: &X::Frame<L>, p: &[L; N], motion: &mut X::Motion<L>) {
        let sums = self.sum_normals(at, p);
        if N == 1 {
            self.transport.apply_normals::<L, false>(at, frame, sums, motion);
        } else {
            self.transport.apply_normals::<L, true>(at, frame, sums, motion);
        }
    }

    /// Pushes overlap out, or finds the gaps now. Normals do not see the push-out: the passivity bound may take it back, and a wall that a body was
    /// pushed against would then press it deeper into its neighbour in every step.
    #[inline(always)]
    fn gaps<L: Lane>(
        &self,
        at: At<L>,
        soft: &Softness,
        options: PassOptions,
        frame: &X::Frame<L>,
        rows: &SideRows,
        s: &LentVelocity,
    ) -> [L; N] {
        let start: [L; N] = load(at, &self.gap);
        let is_deep = options.push_out && self.is_deep[at.half()];
        if !is_deep && (options.push_out || !self.is_open[at.half()]) {
            return start;
        }
        let mut moved = self.transport.gather(at, rows, s, Motions::OfNormals);
        let mut now = start;
        add(&mut now, &self.speeds(at, frame, &moved));
        if is_deep {
            let kappa = push_out(soft, &self.normals(at), &start, &now);
            self.apply_normals(at, frame, &kappa, &mut moved);
            self.transport.scatter(at, rows, &moved, s);
            return start;
        }
        if X::MAY_BE_SOFT && soft.spring.is_some() {
            return now;
        }
        gaps_now(start, now)
    }

    /// The normals of a manifold: all at once where that is allowed, else one after the other.
    #[inline(always)]
    fn solve_normals<L: Lane>(
        &self,
        at: At<L>,
        soft: &Softness,
        rates: &[L; 3],
        gap: &[L; N],
        lambda: &[L; N],
        over_relaxation: L,
    ) -> [L; N] {
        let zero = at.splat(0.0);
        if X::MAY_BE_SOFT
            && let Some(spring) = &soft.spring
        {
            let (per_h, rate) = (at.splat(soft.per_h), at.splat(spring.rate));
            let mut springs = SpringPoints { regularisation: [zero; N], target: [zero; N] };
            for k in 0..N {
                springs.regularisation[k] = at.load(&self.transport.regularisation()[k]);
                springs.target[k] = -gap[k] * L::select(zero.lt(gap[k]), per_h, rate);
            }
            let u = self.point_speeds(at, rates[0], [rates[1], rates[2]]);
            return spring_impulses(&springs, &self.normals(at), u, lambda);
        }
        if N == 1 {
            return normals_in_turn(soft, &self.normals(at), [rates[0]; N], *gap, *lambda, over_relaxation);
        }
        let (mut new, mut least) = (*lambda, at.splat(-1.0));
        for i in 0..T {
            let (mut felt, mut misfit) = (*rates, zero);
            if self.is_open[at.half()] {
                let (target, found) = self.target_motion(at, soft, gap);
                for j in 0..3 {
                    felt[j] -= target[j];
                }
                misfit = found;
            }
            (new, least) = self.face[i].normals(at).solve(&felt, lambda, over_relaxation);
            least = least.min(misfit);
        }
        let pulls = least.lt(zero);
        if L::any(pulls) {
            let u = self.point_speeds(at, rates[0], [rates[1], rates[2]]);
            let in_turn = normals_in_turn(soft, &self.normals(at), u, *gap, *lambda, over_relaxation);
            for k in 0..N {
                new[k] = L::select(pulls, in_turn[k], new[k]);
            }
        }
        new
    }

    /// The motion of a face that lets its open gaps close in this sub-step, and a number that is negative where it would take a point
    /// deeper than [`Softness::fit`] allows.
    #[inline(always)]
    fn target_motion<L: Lane>(&self, at: At<L>, soft: &Softness, gap: &[L; N]) -> ([L; 3], L) {
        let (zero, one) = (at.splat(0.0), at.splat(1.0));
        let (mut speed, mut is_real) = ([zero; N], [zero; N]);
        for k in 0..N {
            speed[k] = target_speed(soft, gap[k]);
            is_real[k] = L::select(zero.lt(at.load(&self.inverse[k])), one, zero);
        }
        let mut target = [zero; 3];
        for i in 0..T {
            let q = [load(at, &self.face[i].q[0]), load(at, &self.face[i].q[1])];
            target = motion_of(&is_real, &q, &speed);
        }
        let got = self.point_speeds(at, target[0], [target[1], target[2]]);
        let mut misfit = one;
        for k in 0..N {
            misfit = misfit.min((got[k] - speed[k]) * is_real[k] + at.splat(soft.fit));
        }
        (target, misfit)
    }

    /// Friction of a manifold: the push in its plane, the twist, and the couple against spinning and rolling; all three are kept in the
    /// batch. Adds to the rates what they do, and to `change` what they are.
    #[inline(always)]
    fn solve_friction<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        lambda: &[L; N],
        rates: &mut Rates<L>,
        change: &mut Rates<L>,
    ) {
        let p: [L; 2] = load(at, &self.tangential);
        let [stick, slip]: [L; 2] = load(at, &self.mu);
        let (mut normal_load, mut lever) = (lambda[0], at.splat(0.0));
        for k in 1..N {
            normal_load += lambda[k];
        }
        if N > 1 {
            for i in 0..T {
                for k in 0..N {
                    lever += at.load(&self.face[i].lever[k]) * lambda[k];
                }
            }
        }
        let plane = self.plane(at);
        let u = [rates[1], rates[2]];
        let (mut new, slips) = stick_impulse(&plane, u, p, stick * normal_load);
        let slips = self.or_slips_freely(at, soft, &plane, u, slips);
        if L::any(slips) {
            let bound = SlipBound { mu: slip, load: normal_load, load_response: self.load_response(at) };
            let slid = slip_impulse(&plane, u, p, &bound);
            new = [L::select(slips, slid[0], new[0]), L::select(slips, slid[1], new[1])];
        }
        let couple = self.stop_patch(at, rates, stick * normal_load, normal_load, p, &mut new);
        store(at, &new, &mut self.tangential);
        let mut own = [at.splat(0.0); 6];
        (own[1], own[2]) = (new[0] - p[0], new[1] - p[1]);
        if T == 0 {
            let [a, b]: [L; 2] = load(at, &self.cross);
            rates[0] += a * own[1] + b * own[2];
        } else {
            self.respond::<L, 1, 3>(at, &own, rates);
        }
        change[1] += own[1];
        change[2] += own[2];
        if N > 1 {
            for i in 0..T {
                let face = &mut self.face[i];
                let old = at.load(&face.twist);
                let mut new = twist_impulse(at.load(&face.inverse), rates[3], old, slip * lever);
                if C > 0 {
                    // The couple stops the spin already.
                    new = L::select(at.splat(0.0).lt(couple.1), old, new);
                }
                at.store(new, &mut face.twist);
                own[3] = new - old;
            }
            self.respond::<L, 3, 4>(at, &own, rates);
            change[3] += own[3];
        }
        self.solve_couple(at, normal_load, couple, rates, change);
    }

    /// Adds to what slips the lanes whose slip no impulse stops.
    #[inline(always)]
    fn or_slips_freely<L: Lane>(
        &self,
        at: At<L>,
        soft: &Softness,
        plane: &Plane<L>,
        u: [L; 2],
        slips: L::Mask,
    ) -> L::Mask {
        if !X::MAY_BE_SINGULAR {
            return slips;
        }
        let (zero, one) = (at.splat(0.0), at.splat(1.0));
        let mut either = L::select(slips, one, zero);
        for i in 0..T {
            let w = &self.face[i].w;
            let block = [at.load(&w[entry(1, 1)]), at.load(&w[entry(1, 2)]), at.load(&w[entry(2, 2)])];
            either = L::select(slips_freely(plane, block, u, soft.stopped), one, either);
        }
        zero.lt(either)
    }

    /// Where slip and spin can be stopped at once: puts the push that does it into `new`; returns the couple, and 1 where it holds.
    #[inline(always)]
    fn stop_patch<L: Lane>(
        &self,
        at: At<L>,
        rates: &Rates<L>,
        stick: L,
        normal_load: L,
        push: [L; 2],
        new: &mut [L; 2],
    ) -> ([L; 3], L) {
        let zero = at.splat(0.0);
        let mut out = ([zero; 3], zero);
        for i in 0..C {
            let data = &self.couple[i];
            let patch = Patch {
                slip: [rates[1], rates[2]],
                spin: spin_of(rates, self.axis(at)),
                push,
                couple: load(at, &data.couple),
                stick,
                lever: load(at, &data.lever),
                load: normal_load,
            };
            let found = together(&load(at, &data.joint), at.load(&data.has_joint), &patch);
            let holds = zero.lt(found.holds);
            *new = [L::select(holds, found.push[0], new[0]), L::select(holds, found.push[1], new[1])];
            out = (found.couple, found.holds);
        }
        out
    }

    /// The couple against spinning and rolling: that of [`Batch::stop_patch`] where it holds, else spinning first, then rolling with the
    /// spin that is left.
    #[inline(always)]
    fn solve_couple<L: Lane>(
        &mut self,
        at: At<L>,
        normal_load: L,
        (stopped, holds): ([L; 3], L),
        rates: &mut Rates<L>,
        change: &mut Rates<L>,
    ) {
        let zero = at.splat(0.0);
        for i in 0..C {
            let axis = self.axis(at);
            let data = &self.couple[i];
            let (lever, old): ([L; 2], [L; 3]) = (load(at, &data.lever), load(at, &data.couple));
            let holds = zero.lt(holds);
            let spin = spin_of(rates, axis);
            let n = spinning(at.load(&data.inverse), spin[0], old[0], lever[0] * normal_load.max(zero));
            let mut left = *rates;
            let own = along_axis([n - old[0], zero, zero], axis);
            self.respond::<L, 3, 6>(at, &[zero, zero, zero, own[0], own[1], own[2]], &mut left);
            let plane = Plane::new(load(at, &data.plane));
            let [a, b] = rolling(&plane, [left[4], left[5]], [old[1], old[2]], lever[1], normal_load);
            let mut new = [n, a, b];
            for k in 0..3 {
                new[k] = L::select(holds, stopped[k], new[k]);
            }
            store(at, &new, &mut self.couple[i].couple);
            let own = along_axis(minus(&new, &old), axis);
            self.respond::<L, 3, 6>(at, &[zero, zero, zero, own[0], own[1], own[2]], rates);
            for k in 0..3 {
                change[3 + k] += own[k];
            }
        }
    }

    /// What a push along t₁ or t₂ changes of the sum of the normal impulses, all points at once; nothing where they have no such response.
    #[inline(always)]
    fn load_response<L: Lane>(&self, at: At<L>) -> [L; 2] {
        let zero = at.splat(0.0);
        if N == 1 {
            let ([a, b], inverse): ([L; 2], L) = (load(at, &self.cross), at.load(&self.inverse[0]));
            return [-a * inverse, -b * inverse];
        }
        let mut out = [zero; 2];
        for i in 0..T {
            let face = &self.face[i];
            for row in 0..3 {
                // The three motions that normals feel.
                let motion = [0, 4, 5][row];
                let mut response = zero;
                for k in 0..N {
                    response += at.load(&face.response[row][k]);
                }
                for j in 0..2 {
                    out[j] -= response * at.load(&face.w[entry(motion, 1 + j)]);
                }
            }
            let exists = at.load(&face.has_response);
            out = [out[0] * exists, out[1] * exists];
        }
        out
    }

    /// Adds the impulses of the sub-step to the totals.
    #[inline(always)]
    fn end_sub_step<L: Lane>(&mut self, at: At<L>) {
        let mut total: [L; N] = load(at, &self.total);
        add(&mut total, &load(at, &self.lambda));
        store(at, &total, &mut self.total);
        let mut total: [L; 2] = load(at, &self.tangential_total);
        add(&mut total, &load(at, &self.tangential));
        store(at, &total, &mut self.tangential_total);
        if N > 1 {
            for i in 0..T {
                let face = &mut self.face[i];
                at.store(at.load(&face.twist_total) + at.load(&face.twist), &mut face.twist_total);
            }
        }
        for i in 0..C {
            let data = &mut self.couple[i];
            let mut total: [L; 3] = load(at, &data.couple_total);
            add(&mut total, &load(at, &data.couple));
            store(at, &total, &mut data.couple_total);
        }
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
