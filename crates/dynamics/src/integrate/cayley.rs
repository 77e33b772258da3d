//! The Cayley map from rotation vectors to rotations.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | φ | `rotation` | rotation vector, h times an angular velocity | rad |
//! | b | `half` | φ/2; cay(φ) is the quaternion (1, b), normalised: it turns by 2·atan(\|φ\|/2) about φ | – |
//!
//! It is the exact rotation up to |φ|³/12, and unlike that it turns the midpoint rule into an identity:
//! cay(φ)ᵀm − m = −φ × (m + cay(φ)ᵀm)/2 for every vector m.

use huygens_math::lanes::{Lane, Vec3Lanes};
use huygens_math::{Quat, QuatLanes, Vec3};

/// Largest angle that one Cayley map or one midpoint step turns [rad]. Up to √3/2 Newton's method for the midpoint
/// equation converges from the start velocity for every physical inertia (see `rotate`).
pub(crate) const PIECE: f64 = 0.8;
/// Most pieces of a step; faster rotations than `PIECE·MOST_PIECES` rad per step are no motion that a step can resolve.
pub(crate) const MOST_PIECES: u32 = 64;

/// Number of equal pieces that turn by at most `limit` each, at least 1 and at most `most`; 1 for NaN.
#[inline]
pub(crate) fn pieces(angle: f64, limit: f64, most: u32) -> u32 {
    if angle <= limit || angle.is_nan() {
        return 1;
    }
    let n = (angle / limit).ceil();
    if n < f64::from(most) { n as u32 } else { most }
}

/// The rotation vector whose Cayley map is half the rotation of that of `rotation`: tan(θ/4) = tan(θ/2)/(1 + √(1 + tan²(θ/2))).
pub(crate) fn halved(rotation: Vec3) -> Vec3 {
    // Turns of more than one piece are equal pieces: half of them, and half of a piece.
    let n = f64::from(pieces(rotation.length(), PIECE, MOST_PIECES));
    if n > 1.0 {
        return rotation * 0.5;
    }
    let half = 0.25 * rotation.length_squared();
    rotation / (1.0 + (1.0 + half).sqrt())
}

/// Rotation by the Cayley map of `rotation` [rad]: for small angles the rotation vector itself. More than 0.8 rad are
/// turned in equal pieces, so that fast spins keep their speed.
#[inline]
pub fn cayley(rotation: Vec3) -> Quat {
    let n = pieces(rotation.length(), PIECE, MOST_PIECES);
    let one = quaternion(rotation * (0.5 / f64::from(n)));
    let mut all = one;
    for _ in 1..n {
        all *= one;
    }
    if n > 1 { all.normalize() } else { all }
}

/// The orientation `q` after the small turn cay(2b) in world axes: (1, b)·q, brought to unit length.
#[inline(always)]
pub(crate) fn turned<L: Lane>(half: Vec3Lanes<L>, q: QuatLanes<L>) -> QuatLanes<L> {
    QuatLanes::new(half, L::splat(half.x.token(), 1.0)).after(q).normalized()
}

/// The unit quaternion along (1, b); no rotation where b is not finite.
#[inline]
pub(crate) fn quaternion(half: Vec3) -> Quat {
    let scale = 1.0 / (1.0 + half.length_squared()).sqrt();
    let v = half * scale;
    if v.is_finite() && scale > 0.0 { Quat::from_xyzw(v.x, v.y, v.z, scale) } else { Quat::IDENTITY }
}

/// The small rotation cay(2b).
#[derive(Clone, Copy)]
pub(crate) struct SmallTurn<L> {
    half: Vec3Lanes<L>,
    /// 2/(1 + b²).
    scale: L,
}

impl<L: Lane> SmallTurn<L> {
    #[inline(always)]
    pub(crate) fn new(half: Vec3Lanes<L>) -> Self {
        let token = half.x.token();
        let (one, two) = (L::splat(token, 1.0), L::splat(token, 2.0));
        Self { half, scale: two / (one + half.dot(half)) }
    }

    /// The same rotation in other axes, where b is `half`.
    #[inline(always)]
    pub(crate) fn seen(&self, half: Vec3Lanes<L>) -> Self {
        Self { half, scale: self.scale }
    }

    /// cay(2b)ᵀm − m, without subtracting the two.
    #[inline(always)]
    pub(crate) fn back_minus(&self, m: Vec3Lanes<L>) -> Vec3Lanes<L> {
        let c = self.half.cross(m);
        (self.half.cross(c) - c).scale(self.scale)
    }

    /// cay(2b)m: a small change added to m, so that rounding has no bias.
    #[inline(always)]
    pub(crate) fn turn(&self, m: Vec3Lanes<L>) -> Vec3Lanes<L> {
        let c = self.half.cross(m);
        m + (self.half.cross(c) + c).scale(self.scale)
    }
}

/// Qᵀm − m for the unit quaternion Q, without subtracting the two.
#[inline]
pub(crate) fn unrotated_minus(q: Quat, m: Vec3) -> Vec3 {
    let b = Vec3::new(q.x, q.y, q.z);
    let c = b.cross(m);
    (b.cross(c) - c * q.w) * (2.0 / q.length_squared())
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;
    use huygens_math::trig::{rotation_angle, rotation_vector};

    #[test]
    fn the_cayley_map_turns_by_twice_the_arc_tangent_of_half_the_angle() {
        let mut r = SplitMix::new(2);
        for _ in 0..100 {
            let axis = r.direction();
            let angle = r.range(0.0, 0.8);
            let expected = 2.0 * huygens_math::trig::atan2(0.5 * angle, 1.0);
            let q = cayley(axis * angle);
            assert!((rotation_angle(q) - expected).abs() < 4e-16);
            assert!((q.length() - 1.0).abs() < 4e-16);
            // To the exact rotation: the cubic term, and the next one in the expansion is smaller.
            let off = rotation_angle(q.conjugate() * rotation_vector(axis * angle));
            assert!(off <= angle * angle * angle / 12.0 + 1e-15, "{off} at {angle}");
        }
    }

    #[test]
    fn a_large_rotation_is_turned_in_pieces() {
        // Four pieces of 0.75 rad: each is short by 0.75³/12 at most.
        let q = cayley(Vec3::Z * 3.0);
        let angle = rotation_angle(q);
        assert!(angle < 3.0 && angle > 3.0 - 4.0 * 0.75 * 0.75 * 0.75 / 12.0, "{angle}");
        assert!(cayley(Vec3::X * f64::MAX).is_finite());
        assert!(cayley(Vec3::X * f64::NAN).is_finite());
    }

    #[test]
    fn the_map_and_its_difference_form_agree() {
        let mut r = SplitMix::new(3);
        for _ in 0..100 {
            let (b, m) = (r.in_cube(), r.in_cube());
            let q = quaternion(b);
            let turned = q.conjugate() * m;
            // A dozen roundings on numbers up to 2.
            let small = SmallTurn::<f64>::new(b.into());
            assert!((Vec3::from(small.back_minus(m.into())) - (turned - m)).length() < 2e-15);
            assert!((Vec3::from(small.turn(turned.into())) - m).length() < 2e-15);
            assert!((m + unrotated_minus(q, m) - turned).length() < 2e-15);
            let identity = turned - m + (b * 2.0).cross((m + turned) * 0.5);
            assert!(identity.length() < 4e-15);
        }
    }
}
