//! Determinants and cross products without cancellation.
//!
//! A sliver's edges are nearly parallel: the rounding of a plain cross product, ε|a||b|, tilts its normal so far that
//! the plane misses the sliver's own corners by εL²/w for length L and width w. Here each difference of products is
//! exact but for its last rounding (error-free product of Dekker 1971, with Veltkamp's splitting).

use huygens_math::{Vec3, scalar::max};
use robust::{Coord3D, orient3d};

/// Six times the volume between a triangle and `p`, positive when `p` is on the side from which a, b, c go
/// counter-clockwise. The sign is exact.
pub(super) fn orient(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> f64 {
    let coord = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    -orient3d(coord(a), coord(b), coord(c), coord(p))
}

/// Height of `p` above the triangle a, b, c; the sign is exact, the value good to a factor of two at worst.
pub(super) fn height(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> f64 {
    orient(a, b, c, p) / double_area(a, b, c)
}

/// Twice the area of a triangle; never so small that a height over a sliver overflows.
pub(super) fn double_area(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    let longest = max(a.distance_squared(b), max(b.distance_squared(c), c.distance_squared(a)));
    max((b - a).cross(c - a).length(), f64::EPSILON * longest)
}

/// a × b, each component good to its last bits.
pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(
        product_difference(a.y, b.z, a.z, b.y),
        product_difference(a.z, b.x, a.x, b.z),
        product_difference(a.x, b.y, a.y, b.x),
    )
}

/// a·b − c·d.
fn product_difference(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let (p, p_rest) = product(a, b);
    let (q, q_rest) = product(c, d);
    (p - q) + (p_rest - q_rest)
}

/// The rounded product and what the rounding dropped.
fn product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    (p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// The upper and the lower half of a number's digits.
fn split(x: f64) -> (f64, f64) {
    let c = 134_217_729.0 * x; // 2²⁷ + 1
    let high = c - (c - x);
    (high, x - high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_product_of_nearly_parallel_vectors_keeps_its_digits() {
        // (1 + ε)(1 + ε) − 1·(1 + 2ε) = ε², which plain arithmetic rounds away.
        let e = f64::EPSILON;
        let normal = cross(Vec3::new(1.0 + e, 1.0, 0.0), Vec3::new(1.0 + 2.0 * e, 1.0 + e, 0.0));
        assert_eq!(normal, Vec3::new(0.0, 0.0, e * e));
    }

    #[test]
    fn orientation_is_positive_on_the_side_from_which_the_triangle_goes_counter_clockwise() {
        assert_eq!(orient(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z), 1.0);
        assert_eq!(orient(Vec3::ZERO, Vec3::Y, Vec3::X, Vec3::Z), -1.0);
        assert_eq!(height(Vec3::ZERO, 2.0 * Vec3::X, Vec3::Y, 3.0 * Vec3::Z), 3.0);
    }
}
