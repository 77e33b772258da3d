//! The blocks of free bodies in the world's inverse mass matrix, and their kinetic energy.

use crate::integrate::is_isotropic;
use huygens_math::{FreeInertia, Quat, Sym3, Twist, Vec3};

/// The block of a free body: what its velocity gains from an impulse, in world axes, on the axes that are not locked.
///
/// `mass` [kg] and `inertia_body` [kg m²] (about the centre of mass, body axes) are above zero; a mass that is infinite
/// or not above zero does not move.
#[inline]
pub fn free_inertia(
    mass: f64,
    inertia_body: &Sym3,
    world_from_body: Quat,
    locked_linear: [bool; 3],
    locked_angular: [bool; 3],
) -> FreeInertia {
    let inverse = if mass > 0.0 { 1.0 / mass } else { 0.0 };
    let along = |k: usize| if locked_linear[k] { 0.0 } else { inverse };
    let inv_inertia = match locked_angular {
        [true, true, true] => Sym3::ZERO,
        // The same in all axes: no rotation, no rounding.
        [false, false, false] if is_isotropic(inertia_body) => inverse_of(inertia_body),
        // The inverse first: exact for principal axes, where a rotated tensor would lose a digit per factor ten
        // between its moments.
        [false, false, false] => inverse_of(inertia_body).rotated(world_from_body),
        _ => inertia_body
            .rotated(world_from_body)
            .inverse_on_axes(locked_angular.map(|locked| !locked))
            .unwrap_or(Sym3::ZERO),
    };
    FreeInertia { inv_mass: Vec3::new(along(0), along(1), along(2)), inv_inertia }
}

/// The inverse of a tensor; one that cannot be inverted does not turn.
fn inverse_of(inertia: &Sym3) -> Sym3 {
    inertia.inverse().unwrap_or(Sym3::ZERO)
}

/// Kinetic energy of a rigid body [J], from its twist in world axes.
#[inline]
pub fn free_kinetic_energy(mass: f64, inertia_body: &Sym3, world_from_body: Quat, twist: &Twist) -> f64 {
    let spin = world_from_body.conjugate() * twist.angular;
    0.5 * (mass * twist.linear.length_squared() + spin.dot(*inertia_body * spin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{Mat3, SplitMix};

    #[test]
    fn the_block_inverts_the_inertia_on_the_axes_that_can_move() {
        let mut r = SplitMix::new(4);
        for case in 0..64 {
            let body = Sym3::diagonal(Vec3::new(1.0, 2.0 + r.unit(), 2.0 + r.unit()));
            let rotation = r.rotation();
            let locked = [case & 1 != 0, case & 2 != 0, case & 4 != 0];
            let block = free_inertia(4.0, &body, rotation, locked, locked);
            let world = body.rotated(rotation).to_mat3();
            let inverse = block.inv_inertia.to_mat3();
            let product = inverse * world * inverse - inverse;
            // Inverse of the block: X A X = X; moments within a factor 3, a few roundings.
            assert!(product.abs_diff_eq(Mat3::ZERO, 4e-15), "{product}");
            for (k, locked) in locked.into_iter().enumerate() {
                assert_eq!(block.inv_mass[k], if locked { 0.0 } else { 0.25 });
                assert_eq!(inverse.col(k) == Vec3::ZERO, locked);
            }
        }
    }

    #[test]
    fn a_body_with_three_equal_moments_has_the_same_block_in_every_orientation() {
        let (mut r, none) = (SplitMix::new(5), [false; 3]);
        let body = Sym3::diagonal(Vec3::splat(0.3));
        let at_rest = free_inertia(4.0, &body, Quat::IDENTITY, none, none);
        for _ in 0..16 {
            assert_eq!(free_inertia(4.0, &body, r.rotation(), none, none), at_rest);
        }
    }

    #[test]
    fn an_infinite_or_missing_mass_does_not_move() {
        let none = [false; 3];
        for mass in [f64::INFINITY, 0.0, -1.0, f64::NAN] {
            assert_eq!(free_inertia(mass, &Sym3::ZERO, Quat::IDENTITY, none, none), FreeInertia::FIXED);
        }
    }

    #[test]
    fn kinetic_energy_is_that_of_koenig() {
        let body = Sym3::diagonal(Vec3::new(1.0, 2.0, 3.0));
        let twist = Twist::new(Vec3::new(1.0, 2.0, 2.0), Vec3::new(1.0, 1.0, 1.0));
        assert_eq!(free_kinetic_energy(2.0, &body, Quat::IDENTITY, &twist), 0.5 * (18.0 + 6.0));
    }
}
