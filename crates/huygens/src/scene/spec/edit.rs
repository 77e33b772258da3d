//! Changes from outside during a run, as a scene writes them.

use huygens_math::{Quat, Vec3};

/// What is done to a body after a number of steps: `[[edit]]`. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditSpec {
    /// Done once this many steps have been made.
    pub after: u64,
    /// Name of the body.
    pub body: String,
    /// New place of the body's frame [m].
    pub position: Option<Vec3>,
    /// New turn of the body's frame.
    pub orientation: Option<Quat>,
    /// New velocity of the centre of mass in world axes [m/s].
    pub linear_velocity: Option<Vec3>,
    /// New spin in world axes [rad/s].
    pub angular_velocity: Option<Vec3>,
}
