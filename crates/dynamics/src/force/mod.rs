//! Forces of a medium and of springs on free bodies.
//!
//! A step of length h moves a body half a step with v, kicks it by h·f/m, and moves it half a step with v⁺. Forces that depend on the
//! pose are taken at the pose between the two halves, so that the scheme is of second order and reversible. A force against
//! the velocity is taken at v + θ h a, a the acceleration by all forces: θ = ½, the velocity in the middle of the step, as long as that cannot
//! reverse the velocity ([`share_of_end`]).

mod buoyancy;
mod medium;
mod spring;

pub use buoyancy::{Ball, Submerged, submerged_triangles};
pub use medium::{Flow, FlowForce, Wind};
pub use spring::{Damped, SpringLaw};

/// The share θ of a step's change in the velocity that a damping force is taken at; `z` = h·c/m.
///
/// Damping alone leaves v⁺ = v (1 − (1−θ)z)/(1 + θz). θ = ½ is of second order and reverses v when z > 2; from there on
/// θ = 1 − 1/z, which stops the body: v⁺ = 0. Several forces on one body take the θ of the sum of their z: with one of its own each, two
/// of z = 2 would turn the velocity round to a third of it.
pub fn share_of_end(z: f64) -> f64 {
    if z <= 2.0 { 0.5 } else { 1.0 - 1.0 / z }
}

#[cfg(test)]
mod tests {
    use super::share_of_end;

    #[test]
    fn damping_of_any_strength_reverses_no_velocity() {
        for z in [1e-6, 0.5, 1.9, 2.0, 2.1, 10.0, 1e6] {
            let theta = share_of_end(z);
            let left = (1.0 - (1.0 - theta) * z) / (1.0 + theta * z);
            assert!((-1e-15..1.0).contains(&left), "{z}: {left}");
        }
    }
}
