//! Compensated summation.

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
        self.add(other.total);
        self.compensation += other.compensation;
        self.largest = max(self.largest, other.largest);
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
}
