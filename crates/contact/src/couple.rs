//! Friction against spinning and rolling: the couple of one contact, written once for the models that sweep.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | ω | `spin` | spin of A relative to B along n, t₁, t₂ | rad/s |
//! | τ | `tau` | couple on A in the same axes; B gets −τ | N·m·s |
//! | N | `load` | sum of the normal impulses of the contact | N·s |
//! | a_s, a_r | `levers` | `friction_torsional`, `friction_rolling` of the material | m |
//! | W | `w` | what τ does to ω | 1/(kg·m²) |
//! | u, q | `slip`, `push` | velocity at the middle of the points in the contact plane, and the push there | m/s, N·s |
//!
//! Every point of a contact has a couple of its own, bounded by the levers times its normal impulse. All points have one and the same spin,
//! so that their couples act as their sum τ, bounded by the levers times N: sweeps solve for that, and share it by the loads.
//!
//! The law: |τ_n| ≤ a_s N, with τ_n = −a_s N sign ω_n while it spins; |τ_t| ≤ a_r N, with τ_t = −a_r N ω_t/|ω_t| while it rolls. So a
//! ball that rolls loses speed at (5/7)(a_r/r) g, and one that spins upright stops after (2/5) r² ω/(a_s g).
//!
//! Friction at the points and the couple act on the same motion: solved in turn, a ball that sticks converges by 5/7 a visit. Hence
//! [`Couple::together`], which stops slip and spin at once where the bounds allow it. What holds at the end is the same.

#![allow(clippy::needless_range_loop, reason = "one index goes through several small arrays")]

use crate::kernel::{Tangential, friction_disc};
use crate::prepare::tangential_of;
use crate::transport;
use crate::{ContactProblem, CoupleImpulse, Groups, Head, Impulse, Scale};
use huygens_math::dense::inverse_positive;
use huygens_math::{BlockInertia, Mat3, Vec3, scalar};

/// Motions that are stopped together: two of slip, three of spin.
const MOTIONS: usize = 5;

/// A pivot below this share of the diagonal belongs to what cannot move.
const RANK: f64 = 1e-10;

type Matrix = [[f64; MOTIONS]; MOTIONS];

/// The couple of one contact, ready to be relaxed; by default one that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Couple {
    levers: [f64; 2],
    w: Mat3,
    /// 1/W_nn, or 0 when nothing spins.
    inverse: f64,
    /// W of the rolling.
    rolling: Tangential<f64>,
    /// Inverse of the W of slip and spin together.
    joint: Option<Matrix>,
}

impl Couple {
    /// The couple of a contact whose material has levers.
    pub fn new(problem: &ContactProblem, head: &Head) -> Self {
        let mut couple = Self::by_itself(problem.groups, problem.move_inertia, problem.scale, head);
        couple.join(problem, head);
        couple
    }

    /// The same without the slip of the points.
    pub fn by_itself(groups: &Groups, m: &BlockInertia, scale: Scale, head: &Head) -> Self {
        let material = &groups.materials[head.material as usize];
        let w = groups.delassus_spin(m, head, &groups.points[head.first as usize]);
        let (own, trace) = (w.x_axis.x, w.x_axis.x + w.y_axis.y + w.z_axis.z);
        Self {
            levers: [material.friction_torsional, material.friction_rolling],
            w,
            inverse: if own > transport::RANK * trace { 1.0 / own } else { 0.0 },
            rolling: rolling(&w, scale),
            joint: None,
        }
    }

    /// The same where something moves against it and takes `part` of its W: points that stick turn with it.
    pub fn against(&self, part: Mat3, scale: Scale) -> Self {
        let w = self.w - part;
        let spins = w.x_axis.x > RANK * self.w.x_axis.x;
        let inverse = if spins { 1.0 / w.x_axis.x } else { 0.0 };
        Self { levers: self.levers, w, inverse, rolling: rolling(&w, scale), joint: None }
    }

    /// What a change of the couple does to the spin.
    pub fn answer(&self, delta: Vec3) -> Vec3 {
        self.w * delta
    }

    /// Sum of the diagonal of W: how easily it turns.
    pub fn ease(&self) -> f64 {
        self.w.x_axis.x + self.w.y_axis.y + self.w.z_axis.z
    }

    /// W of slip and spin, inverted where all of it can move.
    fn join(&mut self, problem: &ContactProblem, head: &Head) {
        let (groups, m) = (problem.groups, problem.move_inertia);
        let points = &groups.points[head.range()];
        let share = 1.0 / points.len() as f64;
        let mut w = Matrix::default();
        for to in points {
            for from in points {
                let block = groups.delassus_between(m, head, to, from) * (share * share);
                for j in 0..2 {
                    for i in 0..2 {
                        w[i][j] += block.col(j + 1)[i + 1];
                    }
                }
            }
            let by_couple = groups.delassus_by_couple(m, head, to);
            for j in 0..3 {
                for i in 0..2 {
                    w[i][j + 2] += by_couple.col(j)[i + 1] * share;
                    w[j + 2][i] = w[i][j + 2];
                }
            }
        }
        for j in 0..3 {
            for i in 0..3 {
                w[i + 2][j + 2] = self.w.col(j)[i];
            }
        }
        // What has no lever takes no couple.
        for (first, last, lever) in [(2, 2, self.levers[0]), (3, 4, self.levers[1])] {
            for k in (first..=last).filter(|_| lever <= 0.0) {
                for i in 0..MOTIONS {
                    (w[i][k], w[k][i]) = (0.0, 0.0);
                }
                w[k][k] = 1.0;
            }
        }
        self.joint = inverse_positive(&w, MOTIONS, RANK);
    }

    /// The nearest couple that a load allows.
    pub fn admissible(&self, tau: [f64; 3], load: f64) -> [f64; 3] {
        let [spinning, rolling] = self.levers.map(|lever| lever * scalar::max(load, 0.0));
        let size = (tau[1] * tau[1] + tau[2] * tau[2]).sqrt();
        let cut = if size > rolling { rolling / size } else { 1.0 };
        [scalar::clamp(tau[0], -spinning, spinning), tau[1] * cut, tau[2] * cut]
    }

    /// How far a couple is outside what a load allows [N·m·s].
    pub fn outside(&self, tau: [f64; 3], load: f64) -> f64 {
        let rolls = (tau[1] * tau[1] + tau[2] * tau[2]).sqrt() - self.levers[1] * load;
        scalar::max(scalar::max(tau[0].abs() - self.levers[0] * load, rolls), 0.0)
    }

    /// Work of a change δ of the couple at the spin before it: δ·(ω + ½Wδ).
    pub fn gain(&self, spin: [f64; 3], delta: [f64; 3]) -> f64 {
        let delta = Vec3::from_array(delta);
        delta.dot(Vec3::from_array(spin) + self.w * delta * 0.5)
    }

    /// The largest change of a spin that a change δ of the couple makes.
    pub fn change(&self, delta: [f64; 3]) -> f64 {
        (self.w * Vec3::from_array(delta)).abs().max_element()
    }

    /// The new couple when only the couple changes: spinning first, then rolling with what is left of the spin.
    pub fn alone(&self, spin: [f64; 3], tau: [f64; 3], load: f64) -> [f64; 3] {
        let [spinning, rolling] = self.levers.map(|lever| lever * scalar::max(load, 0.0));
        let n = scalar::clamp(tau[0] - self.inverse * spin[0], -spinning, spinning);
        if rolling <= 0.0 {
            return [n, 0.0, 0.0];
        }
        let by_spin = self.w.x_axis * (n - tau[0]);
        let left = [spin[1] + by_spin.y, spin[2] + by_spin.z];
        let t = friction_disc(&self.rolling, left, [tau[1], tau[2]], rolling, rolling);
        [n, t[0], t[1]]
    }

    /// The push in the contact plane, to be shared by all points, and the new couple that stop slip and spin at once; `None`
    /// when the couple would be beyond its bounds. Whether the points stick is for the caller to see.
    pub fn together(
        &self,
        slip: [f64; 2],
        spin: [f64; 3],
        tau: [f64; 3],
        load: f64,
    ) -> Option<([f64; 2], [f64; 3])> {
        let inverse = self.joint.as_ref()?;
        let spin = [
            if self.levers[0] > 0.0 { spin[0] } else { 0.0 },
            if self.levers[1] > 0.0 { spin[1] } else { 0.0 },
            if self.levers[1] > 0.0 { spin[2] } else { 0.0 },
        ];
        let u = [slip[0], slip[1], spin[0], spin[1], spin[2]];
        let mut p = [0.0; MOTIONS];
        for (p, row) in p.iter_mut().zip(inverse) {
            *p = -row.iter().zip(&u).map(|(m, u)| m * u).sum::<f64>();
        }
        let new = [tau[0] + p[2], tau[1] + p[3], tau[2] + p[4]];
        (self.outside(new, load) <= 0.0).then_some(([p[0], p[1]], new))
    }
}

/// Sum of the normal impulses of a contact.
#[inline(always)]
pub(crate) fn load_of(head: &Head, impulses: &[Impulse]) -> f64 {
    impulses[head.range()].iter().map(|p| p[0]).sum()
}

/// Sum of the couples of a contact.
#[inline(always)]
pub(crate) fn sum_of(head: &Head, couples: &[CoupleImpulse]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for tau in &couples[head.couples()] {
        (0..3).for_each(|k| sum[k] += tau[k]);
    }
    sum
}

/// Shares a couple among the points of a contact by their loads: each is then as far within its bounds as the sum is.
#[inline(always)]
pub(crate) fn share(head: &Head, tau: [f64; 3], impulses: &[Impulse], couples: &mut [CoupleImpulse]) {
    let load = load_of(head, impulses);
    for (to, p) in couples[head.couples()].iter_mut().zip(&impulses[head.range()]) {
        let part = if load > 0.0 { p[0] / load } else { 0.0 };
        *to = tau.map(|tau| tau * part);
    }
}

/// W of the rolling alone.
fn rolling(w: &Mat3, Scale { length, speed }: Scale) -> Tangential<f64> {
    let speed = if length > 0.0 { speed / length } else { speed };
    tangential_of(w, Scale { length, speed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    /// A ball of mass 1 and radius r on a plane: n is z, u = v + ω × (−r n).
    fn ball(r: f64, levers: [f64; 2]) -> Couple {
        let inertia = 2.5 / (r * r);
        let w = Mat3::from_diagonal(Vec3::splat(inertia));
        let mut joint = Matrix::default();
        for k in 0..MOTIONS {
            joint[k][k] = if k < 2 { 3.5 } else { inertia };
        }
        // Couples about t₁ and t₂ move the point along −t₂·(−r) and t₁·(−r): ω × (−r n).
        (joint[1][3], joint[3][1]) = (r * inertia, r * inertia);
        (joint[0][4], joint[4][0]) = (-r * inertia, -r * inertia);
        let rolling = tangential_of(&w, Scale { length: 1.0, speed: 1.0 });
        Couple { levers, w, inverse: 1.0 / inertia, rolling, joint: inverse_positive(&joint, MOTIONS, RANK) }
    }

    #[test]
    fn a_couple_stays_within_its_levers_and_opposes_the_spin() {
        let mut r = SplitMix::new(3);
        let couple = ball(0.3, [0.01, 0.02]);
        for _ in 0..1000 {
            let spin = (r.direction() * r.range(0.0, 9.0)).to_array();
            let tau = couple.alone(spin, [0.0; 3], 2.0);
            assert!(couple.outside(tau, 2.0) <= 1e-16, "{tau:?}");
            assert!(couple.gain(spin, tau) <= 0.0, "it takes energy");
            let rolls = (tau[1] * tau[1] + tau[2] * tau[2]).sqrt();
            if rolls > 0.0399 {
                assert!((rolls - 0.04).abs() < 1e-15);
                assert!((tau[1] * spin[2] - tau[2] * spin[1]).abs() < 1e-14, "against the rolling");
            }
            assert_eq!(couple.alone(spin, tau, 0.0), [0.0; 3], "no load, no couple");
        }
    }

    #[test]
    fn slip_and_spin_are_stopped_at_once_where_the_bounds_allow_it() {
        let couple = ball(0.3, [1.0, 1.0]);
        let (slip, spin) = ([0.2, -0.1], [0.3, 0.5, -0.7]);
        let (push, tau) = couple.together(slip, spin, [0.0; 3], 100.0).unwrap();
        let (r, i) = (0.3, 2.5 / 0.09);
        // u after: W_tt q + coupling τ; ω after: W τ + r couplings of q.
        let u = [slip[0] + 3.5 * push[0] - r * i * tau[2], slip[1] + 3.5 * push[1] + r * i * tau[1]];
        let w = [
            spin[0] + i * tau[0],
            spin[1] + i * tau[1] + r * i * push[1],
            spin[2] + i * tau[2] - r * i * push[0],
        ];
        assert!(u.iter().chain(&w).all(|x| x.abs() < 1e-14), "{u:?} {w:?}");
        assert!(couple.together(slip, spin, [0.0; 3], 1e-6).is_none(), "too little load");
        assert_eq!(Couple::default().alone(spin, [0.0; 3], 1.0), [0.0; 3]);
    }
}
