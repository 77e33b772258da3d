//! The impact of one manifold: at most four touching points, solved together.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u⁻, u⁺ | `before`, `after` | velocities of the points around the impulse, relative to drivers | m/s |
//! | W | `w` | J M⁻¹ Jᵀ over the points; `w[i][j]` answers at i an impulse at j | 1/kg |
//! | e, μ | `restitution`, `friction` | Newton's coefficient and Coulomb's | – |
//! | τ, ω⁺ | `tau`, `spin` | couple against spinning and rolling, and the spin after it ([`super::spin`]) | N·m·s, rad/s |
//!
//! Law: p in the friction cone, u_n⁺ ≥ target with p_n > 0 only where they are equal; target = −e u_n⁻ where a point closes
//! faster than the threshold, else 0. Block Gauss–Seidel on the small dense W until round-off. The couple of a material with levers is
//! one more block, visited last, so that its bounds are those of the normal impulses that stand.

use super::spin::Turning;
use crate::kernel::{Block, Friction, coupled, normal_then_friction, without_own};
use crate::prepare::{Inverse, block};
use crate::{Groups, Head, Scale, passivity};
use huygens_math::{BlockInertia, Mat3, Vec3, scalar};

/// Most points that are solved together.
pub(super) const MOST: usize = 4;

/// Sweeps end when nothing changes by more than this share of the impact's own speed: a few roundings.
const ROUND_OFF: f64 = 1e-15;

/// Sweeps after which it takes smaller steps. Measured on random manifolds with μ ≤ 2 and mass ratios to 1e6: one point needs 2
/// (at most 12 in 99 %), four points 9 (120 in 90 %).
const PATIENCE: usize = 60;

/// Most sweeps.
const SWEEPS: usize = 8 * PATIENCE;

/// What round-off and the end of the sweeps leave is no gain: this share of the sizes of its terms.
const NO_GAIN: f64 = 16.0 * f64::EPSILON;

/// The touching points of one manifold.
pub(super) struct Touch {
    pub len: usize,
    /// Index of each point in the groups' points.
    pub index: [usize; MOST],
    pub before: [Vec3; MOST],
    w: [[Mat3; MOST]; MOST],
    block: [Block<f64>; MOST],
    pub(super) friction: Friction<f64>,
    restitution: f64,
    /// Friction against spinning and rolling; none for materials without levers.
    pub turning: Option<Turning>,
}

/// Impulses of the points and the couple, and the velocities after them.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub p: [Vec3; MOST],
    pub after: [Vec3; MOST],
    pub tau: Vec3,
    pub spin: Vec3,
}

impl Answer {
    /// Sum of the normal impulses.
    pub(super) fn load(&self) -> f64 {
        self.p.iter().map(|p| p.x).sum()
    }

    /// The share β of the way from `base` to this.
    fn from(&mut self, base: &Self, beta: f64) {
        for i in 0..MOST {
            self.p[i] = base.p[i] + (self.p[i] - base.p[i]) * beta;
            self.after[i] = base.after[i] + (self.after[i] - base.after[i]) * beta;
        }
        self.tau = base.tau + (self.tau - base.tau) * beta;
        self.spin = base.spin + (self.spin - base.spin) * beta;
    }
}

impl Touch {
    /// The points `index` with the velocities `before`.
    pub(super) fn new(
        groups: &Groups,
        inertia: &BlockInertia,
        scale: Scale,
        head: &Head,
        points: &[(usize, [f64; 3])],
    ) -> Self {
        let material = &groups.materials[head.material as usize];
        let mut touch = Self {
            len: points.len(),
            index: [0; MOST],
            before: [Vec3::ZERO; MOST],
            w: [[Mat3::ZERO; MOST]; MOST],
            block: [Block::default(); MOST],
            friction: Friction { stick: material.friction_static, slip: material.friction_dynamic },
            restitution: material.restitution,
            turning: None,
        };
        for (i, &(index, before)) in points.iter().enumerate() {
            touch.index[i] = index;
            touch.before[i] = Vec3::from_array(before);
            for (j, &(from, _)) in points.iter().enumerate() {
                let (to, from) = (&groups.points[index], &groups.points[from]);
                touch.w[i][j] = groups.delassus_between(inertia, head, to, from);
            }
            touch.block[i] = block(&touch.w[i][i], Inverse::Whole, scale);
        }
        touch
    }

    /// What an impulse at point `j` does to the velocity of point `i`.
    pub(super) fn w(&self, i: usize, j: usize) -> &Mat3 {
        &self.w[i][j]
    }

    /// The impulse of Newton's restitution with Coulomb friction.
    pub(super) fn newton(&self, threshold: f64) -> Answer {
        let target = self.target(threshold);
        let mut answer = self.solve(&target, self.turning.as_ref());
        if self.turning.is_some() {
            self.keep_couple_passive(&target, &mut answer);
        }
        answer
    }

    fn target(&self, threshold: f64) -> [f64; MOST] {
        self.before.map(|before| if before.x < -threshold { -self.restitution * before.x } else { 0.0 })
    }

    fn solve(&self, target: &[f64; MOST], turning: Option<&Turning>) -> Answer {
        let spin = turning.map_or(Vec3::ZERO, |turning| turning.before);
        let mut answer = Answer { p: [Vec3::ZERO; MOST], after: self.before, tau: Vec3::ZERO, spin };
        let mut speed = self.before.iter().fold(0.0, |most, u| scalar::max(u.abs().max_element(), most));
        if let Some(turning) = turning {
            speed = scalar::max(turning.speed(), speed);
        }
        let mut friction = self.friction;
        for sweep in 0..SWEEPS {
            // Some cycle: between sticking at μ_s and slipping at μ_d, or where friction feeds the normal. One coefficient and
            // ever smaller steps bring all but a few of those to rest.
            if sweep == PATIENCE {
                friction.stick = friction.slip;
            }
            let step = 1.0 / (1 + sweep / PATIENCE) as f64;
            let mut largest = 0.0;
            for (i, &target) in target.iter().enumerate().take(self.len) {
                let (u, p) = (answer.after[i].to_array(), answer.p[i].to_array());
                let block = &self.block[i];
                let b = without_own(block, target, u, p);
                let in_turn = || normal_then_friction(block, &friction, target, u, p);
                let new = Vec3::from_array(coupled(block, &friction, b, in_turn));
                let delta = (new - answer.p[i]) * step;
                answer.p[i] = if step == 1.0 { new } else { answer.p[i] + delta };
                for j in 0..self.len {
                    answer.after[j] += self.w[j][i] * delta;
                }
                if let Some(turning) = turning {
                    answer.spin += turning.by_push(i, delta);
                }
                largest = scalar::max((self.w[i][i] * delta).abs().max_element(), largest);
            }
            if let Some(turning) = turning {
                largest = scalar::max(turning.visit(self, friction.stick, step, &mut answer), largest);
            }
            if largest <= ROUND_OFF * speed {
                break;
            }
        }
        answer
    }

    /// Energy that impulses bring in, relative to drivers, and the size of its terms [J].
    fn gain(&self, answer: &Answer) -> (f64, f64) {
        let (mut gain, mut size) = (0.0, 0.0);
        for i in 0..self.len {
            gain += 0.5 * answer.p[i].dot(self.before[i] + answer.after[i]);
            size += answer.p[i].abs().dot(self.before[i].abs() + answer.after[i].abs());
        }
        if let Some(turning) = &self.turning {
            gain += 0.5 * answer.tau.dot(turning.before + answer.spin);
            size += answer.tau.abs().dot(turning.before.abs() + answer.spin.abs());
        }
        (gain, size)
    }

    /// Scales the couple back where it adds energy: a point off the centre that must leave with −e u_n⁻ whatever the couple takes gets a
    /// larger impulse for it, which can turn the spin round so that the couple works with it. (A ball is never scaled.)
    fn keep_couple_passive(&self, target: &[f64; MOST], answer: &mut Answer) {
        let (gain, size) = self.gain(answer);
        if gain <= NO_GAIN * size {
            return;
        }
        let mut base = self.solve(target, None);
        base.spin = self.turning.as_ref().map_or(Vec3::ZERO, |turning| turning.after(&base));
        let loss = -self.gain(&base).0;
        // What gains without the couple (Kane's rod) is for the guard.
        if -loss < gain {
            let beta = if loss > 0.0 { self.scale(loss, &base, answer) } else { 0.0 };
            answer.from(&base, beta);
        }
    }

    /// Largest share of the way from `base`, with its loss, to an answer that adds no energy.
    fn scale(&self, loss: f64, base: &Answer, answer: &Answer) -> f64 {
        let (mut delta_after, mut delta_w_delta) = (0.0, 0.0);
        for i in 0..self.len {
            let delta = answer.p[i] - base.p[i];
            delta_after += delta.dot(base.after[i]);
            delta_w_delta += delta.dot(answer.after[i] - base.after[i]);
        }
        if self.turning.is_some() {
            let delta = answer.tau - base.tau;
            delta_after += delta.dot(base.spin);
            delta_w_delta += delta.dot(answer.spin - base.spin);
        }
        passivity::restitution_scale(loss, delta_after, delta_w_delta)
    }

    /// Scales restitution back so that no energy is added; returns the scale β.
    pub(super) fn guard(&self, answer: &mut Answer) -> f64 {
        let (gain, size) = self.gain(answer);
        if gain <= NO_GAIN * size {
            return 1.0;
        }
        let mut base = self.solve(&[0.0; MOST], self.turning.as_ref());
        let loss = -self.gain(&base).0;
        let loss = if loss < 0.0 { self.shrink(&mut base) } else { loss };
        let beta = self.scale(loss, &base, answer);
        answer.from(&base, beta);
        beta
    }

    /// Makes an impulse that adds energy add none; returns its loss, which is then zero.
    fn shrink(&self, base: &mut Answer) -> f64 {
        let (mut p_before, mut p_change) = (0.0, 0.0);
        for i in 0..self.len {
            p_before += base.p[i].dot(self.before[i]);
            p_change += base.p[i].dot(base.after[i] - self.before[i]);
        }
        let spin = self.turning.as_ref().map_or(Vec3::ZERO, |turning| turning.before);
        if self.turning.is_some() {
            p_before += base.tau.dot(spin);
            p_change += base.tau.dot(base.spin - spin);
        }
        let alpha = passivity::impulse_scale(p_before, p_change);
        for i in 0..self.len {
            base.p[i] *= alpha;
            base.after[i] = self.before[i] + (base.after[i] - self.before[i]) * alpha;
        }
        base.tau *= alpha;
        base.spin = spin + (base.spin - spin) * alpha;
        0.0
    }
}
