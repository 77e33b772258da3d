//! Boxes in f32 that are never smaller than what they stand for.
//!
//! | symbol | meaning |
//! |---|---|
//! | fl64(x), fl32(x) | x rounded to the nearest f64, f32 |
//! | s + e | a sum without error: s = fl64(a + b), e its exact remainder (Knuth, *TAOCP* 2, 4.2.2 theorem B) |
//!
//! A bound is first moved in f64 to a number that is certainly outside (a neighbour of s when e points outward), then
//! to a neighbour in f32 when the conversion rounded inward. Both steps move by at most one unit in the last place.

use huygens_math::Vec3;

/// An axis-aligned box [m], closed: boxes that touch overlap.
///
/// A box with a NaN, or with a minimum above its maximum, is empty and overlaps nothing. Bounds may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyBox {
    /// Lower corner [m].
    pub min: [f32; 3],
    /// Upper corner [m].
    pub max: [f32; 3],
}

impl ProxyBox {
    /// Overlaps nothing: every comparison with NaN is false.
    pub const EMPTY: Self = Self { min: [f32::NAN; 3], max: [f32::NAN; 3] };

    /// All of space.
    pub const EVERYTHING: Self = Self { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };

    /// The smallest box in f32 that contains the f64 box [min, max] [m].
    #[inline]
    pub fn from_f64_outward(min: Vec3, max: Vec3) -> Self {
        Self { min: min.to_array().map(below), max: max.to_array().map(above) }
    }

    /// A box in f32 that contains the f64 box [min, max] [m], wider by at most two units in the last place of f32: for boxes that are
    /// set at every step. Rounding to f32 errs by half a unit, 2⁻²⁴ of the number; twice that is added before.
    #[inline]
    pub fn around(min: Vec3, max: Vec3) -> Self {
        const UNIT: f64 = 1.0 / (1 << 23) as f64;
        Self {
            min: min.to_array().map(|x| (x - x.abs() * UNIT) as f32),
            max: max.to_array().map(|x| (x + x.abs() * UNIT) as f32),
        }
    }

    /// The box of everything this box passes while it moves by `displacement` [m] along a straight line.
    #[inline]
    pub fn swept(&self, displacement: Vec3) -> Self {
        if displacement.is_nan() {
            return Self::EMPTY;
        }
        let mut out = *self;
        for (i, d) in displacement.to_array().into_iter().enumerate() {
            if d < 0.0 {
                out.min[i] = sum_below(self.min[i], d);
            } else {
                out.max[i] = sum_above(self.max[i], d);
            }
        }
        out
    }

    /// The box with `margin` [m] more on every side. A negative margin takes away, and may leave nothing.
    #[inline]
    pub fn expanded(&self, margin: f64) -> Self {
        Self { min: self.min.map(|x| sum_below(x, -margin)), max: self.max.map(|x| sum_above(x, margin)) }
    }

    /// True when the boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        !self.is_empty()
            && !other.is_empty()
            && (0..3).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }

    /// True when `other` lies inside; false when either is empty.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        let inside = |i: usize| (self.min[i] <= other.min[i]) & (other.max[i] <= self.max[i]);
        inside(0) & inside(1) & inside(2) & !other.is_empty()
    }

    /// True when there is no point inside.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !((self.min[0] <= self.max[0]) & (self.min[1] <= self.max[1]) & (self.min[2] <= self.max[2]))
    }
}

/// The largest f32 not above `x`.
#[inline]
fn below(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) > x { y.next_down() } else { y }
}

/// The smallest f32 not below `x`.
#[inline]
fn above(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) < x { y.next_up() } else { y }
}

/// An f32 not above the exact sum.
#[inline]
fn sum_below(a: f32, b: f64) -> f32 {
    let (s, e) = exact_sum(f64::from(a), b);
    below(if e < 0.0 { s.next_down() } else { s })
}

/// An f32 not below the exact sum.
#[inline]
fn sum_above(a: f32, b: f64) -> f32 {
    let (s, e) = exact_sum(f64::from(a), b);
    above(if e > 0.0 { s.next_up() } else { s })
}

/// (s, e) with s = fl64(a + b) and s + e = a + b exactly; e is NaN when s is infinite, which no comparison accepts.
#[inline]
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let b_part = s - a;
    let a_part = s - b_part;
    (s, (a - a_part) + (b - b_part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    /// A number of any magnitude, often one that is close to an f32 or exactly one.
    fn any_number(r: &mut SplitMix) -> f64 {
        let exponent = r.index(80) as i32 - 45;
        let mut x = r.range(-1.0, 1.0) * f64::from_bits(((1023 + exponent) as u64) << 52);
        match r.index(4) {
            0 => x = f64::from(x as f32),
            1 => x = f64::from(x as f32).next_up(),
            2 => x = f64::from(x as f32).next_down(),
            _ => {}
        }
        x
    }

    /// x as an integer multiple of 2^-149·2^-40: all sums in these tests are exact in it.
    fn fixed(x: f64) -> i128 {
        let bits = x.to_bits();
        let exponent = ((bits >> 52) & 0x7FF) as i32 - 1075;
        let mantissa = i128::from((bits & ((1 << 52) - 1)) | (1 << 52));
        if x == 0.0 {
            return 0;
        }
        let shift = exponent + 120;
        assert!((0..74).contains(&shift), "{x:e} is out of the range of this test");
        let value = mantissa << shift;
        if x < 0.0 { -value } else { value }
    }

    #[test]
    fn rounding_is_outward_and_by_less_than_one_f32() {
        let mut r = SplitMix::new(1);
        for _ in 0..200_000 {
            let x = any_number(&mut r);
            let (lo, hi) = (below(x), above(x));
            assert!(f64::from(lo) <= x && x <= f64::from(hi), "{x:e}");
            assert!(f64::from(lo.next_up()) > x && f64::from(hi.next_down()) < x, "{x:e} rounded too far");
        }
        for x in [0.0, -0.0, 1e39, -1e39, 1e300, 5e-324, -5e-324, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(f64::from(below(x)) <= x && x <= f64::from(above(x)), "{x:e}");
        }
        assert!(below(f64::NAN).is_nan() && above(f64::NAN).is_nan());
    }

    #[test]
    fn quick_boxes_contain_theirs_and_are_wider_by_two_units_at_most() {
        let mut r = SplitMix::new(5);
        for _ in 0..100_000 {
            let x = any_number(&mut r);
            // Below, f32 has fewer bits; no bound of a body with a margin is that small.
            if x.abs() < f64::from(f32::MIN_POSITIVE) {
                continue;
            }
            let b = ProxyBox::around(Vec3::splat(x), Vec3::splat(x));
            assert!(f64::from(b.min[0]) <= x && x <= f64::from(b.max[0]), "{x:e}");
            let (low, high) = (below(x).next_down().next_down(), above(x).next_up().next_up());
            assert!(b.min[0] >= low && b.max[0] <= high, "{x:e} {b:?}");
        }
        let (inf, all) = (Vec3::splat(f64::INFINITY), ProxyBox::EVERYTHING);
        assert_eq!(ProxyBox::around(-inf, inf), all);
        assert!(ProxyBox::around(Vec3::splat(f64::NAN), Vec3::ONE).is_empty());
    }

    #[test]
    fn swept_and_expanded_boxes_contain_the_exact_sums() {
        let mut r = SplitMix::new(2);
        let number = |r: &mut SplitMix| loop {
            let x = any_number(r);
            // Within the range of the fixed-point reference.
            if x.abs() > 1e-18 && x.abs() < 30.0 {
                return x;
            }
        };
        for _ in 0..100_000 {
            let (p, q) = (Vec3::splat(number(&mut r)), Vec3::splat(number(&mut r)));
            let b = ProxyBox::from_f64_outward(p.min(q), p.max(q));
            let d = number(&mut r);
            let (lo, hi) = (fixed(f64::from(b.min[0])), fixed(f64::from(b.max[0])));
            let s = b.swept(Vec3::splat(d));
            let (s_lo, s_hi) = (fixed(f64::from(s.min[0])), fixed(f64::from(s.max[0])));
            assert!(
                s_lo <= lo && s_lo <= lo + fixed(d) && s_hi >= hi && s_hi >= hi + fixed(d),
                "{b:?} by {d:e}"
            );
            let e = b.expanded(d.abs());
            assert!(fixed(f64::from(e.min[2])) <= lo - fixed(d.abs()), "{b:?} by {d:e}");
            assert!(fixed(f64::from(e.max[2])) >= hi + fixed(d.abs()), "{b:?} by {d:e}");
            // Not wider than one f32 beyond the sum rounded in f64.
            assert!(f64::from(e.max[2].next_down()) <= (f64::from(b.max[2]) + d.abs()).next_up());
        }
    }

    #[test]
    fn infinite_and_broken_boxes_keep_their_meaning() {
        let all = ProxyBox::EVERYTHING;
        assert_eq!(all.swept(Vec3::new(1.0, -2.0, 3.0)), all);
        assert_eq!(all.expanded(4.0), all);
        let one = ProxyBox::from_f64_outward(Vec3::ZERO, Vec3::ONE);
        assert!(all.overlaps(&one) && all.contains(&one) && !one.contains(&all));
        assert!(one.swept(Vec3::splat(f64::NAN)).is_empty());
        assert!(one.expanded(f64::NAN).is_empty() && one.expanded(-0.6).is_empty());
        let inverted = ProxyBox { min: [1.0; 3], max: [0.0; 3] };
        for empty in [ProxyBox::EMPTY, inverted] {
            assert!(
                empty.is_empty() && !empty.overlaps(&all) && !all.overlaps(&empty) && !all.contains(&empty)
            );
        }
        assert!(!ProxyBox { min: [0.0; 3], max: [0.0; 3] }.is_empty(), "a point is a box");
    }
}
