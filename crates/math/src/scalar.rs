//! Comparisons of two numbers whose result does not depend on how a compiler orders +0 and −0.

/// The larger of two numbers; `b` where they are equal or where `a` is NaN.
#[inline(always)]
pub fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers; `b` where they are equal or where `a` is NaN.
#[inline(always)]
pub fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// `x` limited to `[low, high]`.
#[inline(always)]
pub fn clamp(x: f64, low: f64, high: f64) -> f64 {
    max(low, min(high, x))
}

/// `x²`.
#[inline(always)]
pub fn square(x: f64) -> f64 {
    x * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_returns_the_second_argument_whatever_the_sign_of_zero() {
        assert!(max(0.0, -0.0).is_sign_negative());
        assert!(max(-0.0, 0.0).is_sign_positive());
        assert!(min(0.0, -0.0).is_sign_negative());
        assert_eq!(clamp(5.0, -1.0, 2.0), 2.0);
        assert_eq!(clamp(-5.0, -1.0, 2.0), -1.0);
    }
}
