//! A small random generator for scenes and tests, with the same numbers on every machine.

use crate::{Quat, Vec3};

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, every seed is good.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// A generator started from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// An index in 0..n; 0 when n is 0.
    pub fn index(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A point in the cube [−1, 1)³.
    pub fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    /// A direction, uniform on the sphere.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.in_cube();
            let square = v.length_squared();
            if square > 1e-4 && square <= 1.0 {
                return v / square.sqrt();
            }
        }
    }

    /// A rotation, uniform over all rotations.
    pub fn rotation(&mut self) -> Quat {
        loop {
            let (v, w) = (self.in_cube(), self.range(-1.0, 1.0));
            let square = v.length_squared() + w * w;
            if square > 1e-4 && square <= 1.0 {
                let s = 1.0 / square.sqrt();
                return Quat::from_xyzw(v.x * s, v.y * s, v.z * s, w * s).normalize();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_of_seed_zero_are_the_published_ones() {
        let mut r = SplitMix::new(0);
        assert_eq!(r.bits(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(r.bits(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn directions_and_rotations_have_unit_length() {
        let mut r = SplitMix::new(7);
        for _ in 0..1000 {
            assert!((r.direction().length() - 1.0).abs() < 4e-16);
            assert!((r.rotation().length() - 1.0).abs() < 4e-16);
            assert!(r.index(5) < 5);
        }
    }
}
