//! Compensated summation.

use crate::lanes::{Lane, WIDTH};
use crate::scalar::max;

/// A sum that carries its rounding error along (Neumaier), with the largest size that passed through it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    total: f64,
    compensation: f64,
    largest: f64,
}

impl Sum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let t = self.total + x;
        self.compensation +=
            if self.total.abs() >= x.abs() { (self.total - t) + x } else { (x - t) + self.total };
        self.total = t;
        self.largest = max(self.largest, x.abs());
    }

    /// Adds all that another sum holds.
    #[inline]
    pub fn add_sum(&mut self, other: &Self) {
        // Most accounts of a step are empty.
        if other.largest == 0.0 && other.total == 0.0 {
            return;
        }
        self.add(other.total);
        self.compensation += other.compensation;
        self.largest = max(self.largest, other.largest);
    }

    /// Its three numbers: what [`Sum::from_parts`] makes the same sum of.
    pub const fn parts(&self) -> [f64; 3] {
        [self.total, self.compensation, self.largest]
    }

    /// The sum with these numbers.
    pub const fn from_parts([total, compensation, largest]: [f64; 3]) -> Self {
        Self { total, compensation, largest }
    }

    /// The sum.
    #[inline]
    pub fn value(&self) -> f64 {
        self.total + self.compensation
    }

    /// Size of the largest term so far.
    #[inline]
    pub fn largest(&self) -> f64 {
        self.largest
    }
}

/// A [`Sum`] in each lane.
#[derive(Clone, Copy, Debug)]
pub struct SumLanes<L> {
    total: L,
    compensation: L,
    largest: L,
}

impl<L: Lane> SumLanes<L> {
    /// Empty sums.
    #[inline(always)]
    pub fn new(token: L::Token) -> Self {
        let zero = L::splat(token, 0.0);
        Self { total: zero, compensation: zero, largest: zero }
    }

    /// Adds one term to the sum of each lane.
    #[inline(always)]
    pub fn add(&mut self, x: L) {
        let t = self.total + x;
        let (size, new) = (self.total.abs(), x.abs());
        self.compensation += L::select(size.lt(new), (x - t) + self.total, (self.total - t) + x);
        self.total = t;
        self.largest = self.largest.max(new);
    }

    /// The sum over all lanes, always in the same order.
    #[inline(always)]
    pub fn sum(self) -> Sum {
        let mut all = Sum::default();
        let [mut total, mut compensation, mut largest] = [[0.0; WIDTH]; 3];
        self.total.store(&mut total);
        self.compensation.store(&mut compensation);
        self.largest.store(&mut largest);
        for k in 0..L::WIDTH {
            all.add_sum(&Sum { total: total[k], compensation: compensation[k], largest: largest[k] });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_term_survives_between_two_large_ones() {
        let mut sum = Sum::default();
        for x in [1e16, 1.0, -1e16] {
            sum.add(x);
        }
        assert_eq!(sum.value(), 1.0);
        assert_eq!(sum.largest(), 1e16);
    }

    #[test]
    fn each_lane_sums_as_alone_at_every_level() {
        use crate::SplitMix;
        use crate::lanes::{Level, dispatch, f64x8};
        let mut r = SplitMix::new(3);
        let terms: Vec<[f64; WIDTH]> = (0..100)
            .map(|i| std::array::from_fn(|_| r.range(-1.0, 1.0) * if i % 7 == 0 { 1e16 } else { 1.0 }))
            .collect();
        let mut expected = Sum::default();
        for k in 0..WIDTH {
            let mut alone = Sum::default();
            terms.iter().for_each(|term| alone.add(term[k]));
            expected.add_sum(&alone);
        }
        for level in [Level::baseline(), Level::new()] {
            let sum = dispatch!(level, simd => {
                let mut sum = SumLanes::new(simd);
                for term in &terms {
                    sum.add(f64x8::load(simd, term));
                }
                sum.sum()
            });
            assert_eq!(sum, expected);
        }
    }
}
