//! The books of the batches: work of the impulses by account, in lanes.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Batch, Rates, load};
use super::law::bias;
use super::levers::spin_of;
use super::softness::Softness;
use super::transport::Transport;
use crate::Work;
use huygens_math::Sum;
use huygens_math::lanes::{Lane, WIDTH};

/// Sums in lanes, compensated, with a fixed order.
#[derive(Clone, Copy)]
pub(super) struct LaneSum<L> {
    sum: L,
    lost: L,
}

impl<L: Lane> LaneSum<L> {
    #[inline(always)]
    pub fn new(token: L::Token) -> Self {
        let zero = L::splat(token, 0.0);
        Self { sum: zero, lost: zero }
    }

    /// Adds a term and keeps the part that rounding loses (Knuth's two-sum).
    #[inline(always)]
    fn add(&mut self, term: L) {
        let sum = self.sum + term;
        let taken = sum - self.sum;
        self.lost += (self.sum - (sum - taken)) + (term - taken);
        self.sum = sum;
    }

    fn post(&self, to: &mut Sum) {
        let (mut sum, mut lost) = ([0.0; WIDTH], [0.0; WIDTH]);
        self.sum.store(&mut sum);
        self.lost.store(&mut lost);
        for term in sum.into_iter().chain(lost).filter(|term| *term != 0.0) {
            to.add(term);
        }
    }
}

/// The books of the batches, in lanes.
#[derive(Clone, Copy)]
pub(super) struct Books<L> {
    impact: LaneSum<L>,
    friction: LaneSum<L>,
    stabilisation: LaneSum<L>,
    magnitude: L,
}

impl<L: Lane> Books<L> {
    #[inline(always)]
    pub fn new(token: L::Token) -> Self {
        let sum = LaneSum::new(token);
        Self { impact: sum, friction: sum, stabilisation: sum, magnitude: L::splat(token, 0.0) }
    }

    /// Books p·ū of lanes of a batch, with the mean `rates` of the step.
    #[inline(always)]
    pub fn book<X: Transport, const N: usize, const M: usize, const T: usize, const C: usize>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        batch: &Batch<X, N, M, T, C>,
        rates: &Rates<L>,
    ) {
        let u = batch.point_speeds(at, rates[0], [rates[4], rates[5]]);
        let p: [L; N] = load(at, &batch.total);
        let mut impact = p[0] * u[0];
        self.magnitude += impact.abs();
        for k in 1..N {
            let term = p[k] * u[k];
            impact += term;
            self.magnitude += term.abs();
        }
        self.impact.add(impact);
        if soft.bias[0] > 0.0 {
            for k in 0..N {
                self.unbias(soft, p[k], at.load(&batch.gap[k]));
            }
        }
        let p: [L; 2] = load(at, &batch.tangential_total);
        let (a, b) = (p[0] * rates[1], p[1] * rates[2]);
        let mut friction = a + b;
        self.magnitude += a.abs() + b.abs();
        if N > 1 {
            for i in 0..T {
                let term = at.load(&batch.face[i].twist_total) * rates[3];
                friction += term;
                self.magnitude += term.abs();
            }
        }
        for i in 0..C {
            let spin = spin_of(rates, batch.axis(at));
            let couple: [L; 3] = load(at, &batch.couple[i].couple_total);
            for k in 0..3 {
                let term = couple[k] * spin[k];
                friction += term;
                self.magnitude += term.abs();
            }
        }
        self.friction.add(friction);
    }

    /// Books p·ū of a single point.
    #[inline(always)]
    pub fn book_point(&mut self, soft: &Softness, normal: L, tangential: [L; 2], rates: [L; 3], gap: L) {
        let (pressed, a, b) = (normal * rates[0], tangential[0] * rates[1], tangential[1] * rates[2]);
        self.magnitude += pressed.abs() + (a.abs() + b.abs());
        self.impact.add(pressed);
        self.friction.add(a + b);
        if soft.bias[0] > 0.0 {
            self.unbias(soft, normal, gap);
        }
    }

    /// Moves the work of Baumgarte's bias to stabilisation.
    #[inline(always)]
    fn unbias(&mut self, soft: &Softness, p: L, gap: L) {
        let pushed = L::splat(p.token(), 0.5) * p * bias(soft, gap);
        self.impact.add(-pushed);
        self.stabilisation.add(pushed);
        self.magnitude += pushed;
    }

    pub fn post(&self, work: &mut Work) {
        self.impact.post(&mut work.impact);
        self.friction.post(&mut work.friction);
        self.stabilisation.post(&mut work.stabilisation);
        work.magnitude += self.magnitude.sum();
    }
}
