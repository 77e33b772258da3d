//! FNV-1a over the bits of numbers.

use huygens_math::{Quat, Vec3};

/// A 64-bit FNV-1a hash of little-endian bytes.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    /// Adds a number; −0 counts as +0.
    pub fn number(&mut self, x: f64) {
        self.bytes(&(x + 0.0).to_bits().to_le_bytes());
    }

    /// Adds the three numbers of a vector.
    pub fn vector(&mut self, v: Vec3) {
        for x in v.to_array() {
            self.number(x);
        }
    }

    /// Adds a quaternion in the order w, x, y, z.
    pub fn quaternion(&mut self, q: Quat) {
        for x in [q.w, q.x, q.y, q.z] {
            self.number(x);
        }
    }

    /// The hash so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_strings_have_their_published_hash() {
        let mut hash = Fnv::default();
        hash.bytes(b"foobar");
        assert_eq!(hash.value(), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn negative_zero_counts_as_zero() {
        let (mut a, mut b) = (Fnv::default(), Fnv::default());
        a.number(0.0);
        b.number(-0.0);
        assert_eq!(a.value(), b.value());
    }
}
