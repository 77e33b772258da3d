//! Friction against spinning and rolling in the impact of one manifold.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | ω⁻, ω⁺ | `before`, `answer.spin` | spin of A relative to B along n, t₁, t₂ around the impulse | rad/s |
//! | τ | `answer.tau` | couple on A in the same axes; B gets −τ | N·m·s |
//! | N | `answer.load()` | sum of the normal impulses of the impact | N·s |
//! | C | `by_couple[i]` | what τ does to the velocity of point i; Cᵀ is what an impulse there does to ω | 1/(kg·m) |
//! | u, q | `slip`, `push` | mean slip of the points in the contact plane, and the push that they share | m/s, N·s |
//! | S | `slip_inverse` | W of u, inverted | kg |
//!
//! The law is that of [`Couple`]: |τ_n| ≤ a_s N, |τ_t| ≤ a_r N, against the spin that remains. A ball without friction that bounces with
//! N = m v (1 + e) loses a_s N/I of its spin about the normal and a_r N/I of that across it, never more than it has.
//!
//! Where the points stick, friction and couple act on the same motion and would take turns for ever: u and ω are then solved at once, with
//! q = −S(u + C δτ) that keeps u = 0 while τ is found with W − Cᵀ S C.

use super::block::{Answer, MOST, Touch};
use super::flight::Flight;
use super::stage::ImpactOutcome;
use crate::couple::Couple;
use crate::kernel::multiply2;
use crate::{Groups, Head, Scale};
use huygens_math::{BlockInertia, Mat3, Vec3, scalar};

/// A pivot below this share of the diagonal belongs to what cannot move.
const RANK: f64 = 1e-10;

/// The couple of a manifold that touches.
pub(super) struct Turning {
    pub before: Vec3,
    couple: Couple,
    by_couple: [Mat3; MOST],
    sticking: Option<Sticking>,
    /// A spin counts as the speed that it has this far away [m]: how easily the points move against how easily it turns.
    reach: f64,
}

/// The couple while the points stick.
struct Sticking {
    couple: Couple,
    /// Entries 11, 12, 22 of S.
    slip_inverse: [f64; 3],
    /// Mean of C over the points; its first row, the normal's, is not used.
    slip_by_couple: Mat3,
}

impl Turning {
    /// The couple of the contact `head` for the points of it that touch; none where nothing can turn.
    pub(super) fn new(
        groups: &Groups,
        inertia: &BlockInertia,
        scale: Scale,
        head: &Head,
        touch: &Touch,
        before: [f64; 3],
    ) -> Option<Self> {
        let couple = Couple::by_itself(groups, inertia, scale, head);
        let ease = couple.ease();
        if ease.is_nan() || ease <= 0.0 {
            return None;
        }
        let mut by_couple = [Mat3::ZERO; MOST];
        let mut moves = 0.0;
        for (i, by_couple) in by_couple.iter_mut().enumerate().take(touch.len) {
            let point = &groups.points[touch.index[i]];
            *by_couple = groups.delassus_by_couple(inertia, head, point);
            let w = touch.w(i, i);
            moves += (w.x_axis.x + w.y_axis.y + w.z_axis.z) / touch.len as f64;
        }
        let sticking = Sticking::new(&couple, touch, &by_couple, scale);
        let before = Vec3::from_array(before);
        Some(Self { before, couple, by_couple, sticking, reach: (moves / ease).sqrt() })
    }

    /// The spin as a speed [m/s].
    pub(super) fn speed(&self) -> f64 {
        self.reach * self.before.abs().max_element()
    }

    /// What an impulse at point `i` does to the spin.
    pub(super) fn by_push(&self, i: usize, p: Vec3) -> Vec3 {
        self.by_couple[i].transpose() * p
    }

    /// The spin after the impulses of an answer.
    pub(super) fn after(&self, answer: &Answer) -> Vec3 {
        let pushed = (0..MOST).fold(self.before, |spin, i| spin + self.by_push(i, answer.p[i]));
        pushed + self.couple.answer(answer.tau)
    }

    /// One visit: together with the points where all of them stick, else by itself. Goes the share `step` of the way, and returns the largest
    /// change of a velocity [m/s].
    pub(super) fn visit(&self, touch: &Touch, mu: f64, step: f64, answer: &mut Answer) -> f64 {
        let (load, tau, spin) = (answer.load(), answer.tau.to_array(), answer.spin.to_array());
        let both = self.sticking.as_ref().and_then(|sticking| sticking.solve(touch, mu, answer));
        let (push, new) = both.unwrap_or_else(|| ([0.0; 2], self.couple.alone(spin, tau, load)));
        let mut largest = 0.0;
        if push != [0.0; 2] {
            let delta = Vec3::new(0.0, push[0], push[1]) * step;
            for i in 0..touch.len {
                answer.p[i] += delta;
                answer.spin += self.by_push(i, delta);
                for j in 0..touch.len {
                    answer.after[j] += *touch.w(j, i) * delta;
                }
                largest = scalar::max((*touch.w(i, i) * delta).abs().max_element(), largest);
            }
        }
        // A share of the way may be outside what the load allows by now.
        let new = if step == 1.0 {
            new
        } else {
            let part = answer.tau + (Vec3::from_array(new) - answer.tau) * step;
            self.couple.admissible(part.to_array(), load)
        };
        let delta = Vec3::from_array(new) - answer.tau;
        answer.tau = Vec3::from_array(new);
        let turned = self.couple.answer(delta);
        answer.spin += turned;
        for i in 0..touch.len {
            answer.after[i] += self.by_couple[i] * delta;
        }
        scalar::max(self.reach * turned.abs().max_element(), largest)
    }
}

impl Sticking {
    fn new(couple: &Couple, touch: &Touch, by_couple: &[Mat3; MOST], scale: Scale) -> Option<Self> {
        let share = 1.0 / touch.len as f64;
        let (mut w, mut c) = (Mat3::ZERO, Mat3::ZERO);
        for (i, by_couple) in by_couple.iter().enumerate().take(touch.len) {
            c += *by_couple * share;
            for j in 0..touch.len {
                w += *touch.w(i, j) * (share * share);
            }
        }
        let (a, b, d) = (w.y_axis.y, w.y_axis.z, w.z_axis.z);
        let det = a * d - b * b;
        if det.is_nan() || det <= RANK * a * d {
            return None;
        }
        let slip_inverse = [d / det, -b / det, a / det];
        let mut part = Mat3::ZERO;
        for k in 0..3 {
            let stopped = multiply2(&slip_inverse, [c.col(k).y, c.col(k).z]);
            *part.col_mut(k) = c.transpose() * Vec3::new(0.0, stopped[0], stopped[1]);
        }
        Some(Self { couple: couple.against(part, scale), slip_inverse, slip_by_couple: c })
    }

    /// What each point is pushed by and the new couple that stop the slip and as much of the spin as the load allows; none when a point would
    /// slip.
    fn solve(&self, touch: &Touch, mu: f64, answer: &Answer) -> Option<([f64; 2], [f64; 3])> {
        let share = 1.0 / touch.len as f64;
        let slip = answer.after[..touch.len].iter().fold(Vec3::ZERO, |sum, u| sum + *u * share);
        let stop = multiply2(&self.slip_inverse, [-slip.y, -slip.z]);
        let spin = answer.spin + self.slip_by_couple.transpose() * Vec3::new(0.0, stop[0], stop[1]);
        let new = self.couple.alone(spin.to_array(), answer.tau.to_array(), answer.load());
        let by_couple = self.slip_by_couple * (Vec3::from_array(new) - answer.tau);
        let give = multiply2(&self.slip_inverse, [by_couple.y, by_couple.z]);
        let push = [(stop[0] - give[0]) * share, (stop[1] - give[1]) * share];
        let sticks = |p: &Vec3| {
            let (t, most) = ([p.y + push[0], p.z + push[1]], mu * p.x);
            t[0] * t[0] + t[1] * t[1] <= most * most
        };
        answer.p[..touch.len].iter().all(sticks).then_some((push, new))
    }
}

impl Flight<'_> {
    /// Spin along n, t₁, t₂ at a moment, and its rate.
    pub(super) fn spin_at(&self, head: &Head, time: f64) -> ([f64; 3], [f64; 3]) {
        let point = &self.groups.points[head.first as usize];
        let (spin, a) =
            (self.groups.spin(head, point, self.v), self.groups.spin_rate(head, point, self.acceleration));
        (std::array::from_fn(|k| spin[k] + a[k] * time), a)
    }

    /// Applies a couple at a moment.
    pub(super) fn apply_couple(&mut self, head: &Head, time: f64, tau: Vec3) {
        let point = &self.groups.points[head.first as usize];
        self.groups.apply_couple(self.inertia, head, point, tau.to_array(), self.v);
        if time > 0.0 {
            self.groups.apply_couple(self.inertia, head, point, (tau * -time).to_array(), self.displacement);
        }
    }

    /// Books a couple that was applied at a moment, with the spin before it; returns the energy that it took out [J].
    pub(super) fn book_couple(
        &self,
        head: &Head,
        time: f64,
        tau: Vec3,
        before: Vec3,
        out: &mut ImpactOutcome,
    ) -> f64 {
        let (after, a) = self.spin_at(head, time);
        let mut loss = 0.0;
        for k in 0..3 {
            let (tau, before) = (tau[k], before[k]);
            let mean = 0.5 * (before + after[k]);
            out.work.friction.add(tau * mean);
            loss -= tau * mean;
            out.time_shift.add(-time * tau * a[k]);
            let sizes = [0.5 * tau * before, 0.5 * tau * after[k], time * tau * a[k]];
            out.work.magnitude += sizes.into_iter().map(f64::abs).sum::<f64>();
        }
        loss
    }
}
