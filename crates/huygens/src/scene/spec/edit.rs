//! Changes from outside during a run, as a scene writes them.

use crate::scene::keys::{Holds, needed, table, told};
use huygens_math::{Quat, Vec3};

/// What is done to a body after a number of steps: `[[edit]]`. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

table!(
    EditSpec { after, body, position, orientation, linear_velocity, angular_velocity } | v | {
        let meaning = "the number of steps after which it is done";
        v.value(needed("after", meaning), after, Holds::Elsewhere);
        v.value(needed("body", "the name of the body that is changed"), body, Holds::Elsewhere);
        let as_is = |name, meaning| told(name, "as it is", meaning);
        v.option(as_is("position", "new place of the body's frame [m]"), position, Holds::Finite);
        let turn = as_is("orientation", "new turn of the body's frame");
        v.option(turn, orientation, Holds::Rotation);
        v.option(
            as_is("linear_velocity", "new velocity of the centre of mass [m/s]"),
            linear_velocity,
            Holds::Finite,
        );
        v.option(as_is("angular_velocity", "new spin [rad/s]"), angular_velocity, Holds::Finite);
    }
);
