//! Tendons: their length, how it changes with the dofs, and the rate of that.

use super::base::TreeKinematics;
use super::model::{Mechanism, Place};
use crate::cable::{CablePart, CablePlace, cable_length};
use huygens_math::Pose;

/// A sphere or a cylinder that a tendon may go around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrapGeom {
    /// Its frame; the axis of a cylinder is z.
    pub place: Place,
    /// [m]
    pub radius: f64,
    /// Endless along z, or a ball.
    pub cylinder: bool,
}

/// A part of a tendon's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathPart {
    /// A coordinate times a factor; a tendon of these has no other parts.
    Joint {
        /// Place of the coordinate.
        coordinate: usize,
        /// Its dof.
        dof: usize,
        /// Length for each unit of the coordinate.
        factor: f64,
    },
    /// Through a site.
    Site(usize),
    /// From here on a branch begins whose length counts divided.
    Pulley(f64),
    /// Around a geom, if it is in the way; on the side of a site.
    Around {
        /// Which of [`Mechanism::wraps`].
        wrap: usize,
        /// Site on the side of the geom.
        side: Option<usize>,
    },
}

/// A tendon.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Its way.
    pub path: Vec<PathPart>,
    /// Stiffness: constant, and factors of x and x² [N/m].
    pub stiffness: [f64; 3],
    /// Damping: constant, and factors of |v| and v² [N s/m].
    pub damping: [f64; 3],
    /// Inertia of what the tendon drives [kg].
    pub armature: f64,
    /// Lengths between which the spring is slack [m].
    pub slack: [f64; 2],
    /// Bounds of the sum of actuator forces on the tendon [N].
    pub actuator_range: Option<[f64; 2]>,
}

/// Length of a tendon; its derivative with respect to the dofs is added to `row`, which must be zero.
pub(super) fn length(
    m: &Mechanism,
    kin: &TreeKinematics,
    qpos: &[f64],
    tendon: &Tendon,
    row: &mut [f64],
) -> f64 {
    let site = |id: usize| {
        let Place { link, pose } = m.sites[id];
        CablePlace { link: Some(link), pose: Pose::at(pose.translation) }
    };
    let part = |i: usize| {
        Some(match *tendon.path.get(i)? {
            PathPart::Joint { coordinate, dof, factor } => CablePart::Joint { coordinate, dof, factor },
            PathPart::Site(id) => CablePart::Site(site(id)),
            PathPart::Pulley(divisor) => CablePart::Pulley(divisor),
            PathPart::Around { wrap, side } => {
                let geom = &m.wraps[wrap];
                CablePart::Around {
                    place: CablePlace { link: Some(geom.place.link), pose: geom.place.pose },
                    radius: geom.radius,
                    cylinder: geom.cylinder,
                    side: side.map(site),
                }
            }
        })
    };
    cable_length(part, |link| kin.world_from_link[link], qpos, |stretch| stretch.add_to(&m.tree, kin, row))
}

/// J̇v of a tendon without geoms: the acceleration of its length when no dof accelerates; `acceleration` is that of the links then.
pub(super) fn rate_of_rate(
    m: &Mechanism,
    kin: &TreeKinematics,
    acceleration: &[huygens_math::Twist],
    tendon: &Tendon,
) -> f64 {
    let mut total = 0.0;
    let mut divisor = 1.0;
    for pair in tendon.path.windows(2) {
        if let PathPart::Pulley(d) = pair[0] {
            divisor = d;
        }
        let (PathPart::Site(a), PathPart::Site(b)) = (pair[0], pair[1]) else { continue };
        let moving = |id: usize| {
            let Place { link, pose } = m.sites[id];
            let at = kin.world_from_link[link].transform(pose.translation);
            let arm = at - kin.com[link];
            let (twist, a) = (&kin.twist[link], &acceleration[link]);
            let velocity = twist.linear + twist.angular.cross(arm);
            let acceleration =
                a.linear + a.angular.cross(arm) + twist.angular.cross(twist.angular.cross(arm));
            (at, velocity, acceleration)
        };
        let ((pa, va, aa), (pb, vb, ab)) = (moving(a), moving(b));
        let along = pb - pa;
        let length = along.length();
        if length < 1e-15 {
            continue;
        }
        let direction = along / length;
        let relative = vb - va;
        let across = relative - direction * relative.dot(direction);
        total += (direction.dot(ab - aa) + across.length_squared() / length) / divisor;
    }
    total
}
