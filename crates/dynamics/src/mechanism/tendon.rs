//! Tendons: their length, how it changes with the dofs, and the rate of that.

use super::base::TreeKinematics;
use super::model::{Mechanism, Place};
use super::wrap::{Obstacle, around};
use huygens_math::Vec3;

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

/// Point of a tendon on a link.
#[derive(Clone, Copy)]
struct Point {
    link: usize,
    at: Vec3,
}

/// Adds `factor`·direction·(J_b − J_a) to a row.
fn add_segment(m: &Mechanism, kin: &TreeKinematics, a: Point, b: Point, factor: f64, row: &mut [f64]) {
    if a.link == b.link {
        return;
    }
    let along = b.at - a.at;
    let length = along.length();
    let direction = if length > 1e-15 { along / length } else { Vec3::X };
    for dof in m.tree.path(b.link) {
        row[dof] += factor * direction.dot(kin.axis[dof].at(b.at));
    }
    for dof in m.tree.path(a.link) {
        row[dof] -= factor * direction.dot(kin.axis[dof].at(a.at));
    }
}

/// Length of a tendon; its derivative with respect to the dofs is added to `row`, which must be zero.
pub(super) fn length(
    m: &Mechanism,
    kin: &TreeKinematics,
    qpos: &[f64],
    tendon: &Tendon,
    row: &mut [f64],
) -> f64 {
    let mut total = 0.0;
    let mut divisor = 1.0;
    let site = |id: usize| {
        let Place { link, pose } = m.sites[id];
        Point { link, at: kin.world_from_link[link].transform(pose.translation) }
    };
    let path = &tendon.path;
    for (i, part) in path.iter().enumerate() {
        match *part {
            PathPart::Joint { coordinate, dof, factor } => {
                total += factor * qpos[coordinate];
                row[dof] += factor;
            }
            PathPart::Pulley(d) => divisor = d,
            PathPart::Around { .. } => {}
            PathPart::Site(id) => {
                let a = site(id);
                match (path.get(i + 1), path.get(i + 2)) {
                    (Some(PathPart::Site(b)), _) => {
                        let b = site(*b);
                        total += (b.at - a.at).length() / divisor;
                        add_segment(m, kin, a, b, 1.0 / divisor, row);
                    }
                    (Some(&PathPart::Around { wrap, side }), Some(PathPart::Site(b))) => {
                        let b = site(*b);
                        let geom = &m.wraps[wrap];
                        let world_from_geom = kin.world_from_link[geom.place.link] * geom.place.pose;
                        let side = side.map(|s| site(s).at);
                        let obstacle =
                            Obstacle { world_from_geom, radius: geom.radius, cylinder: geom.cylinder, side };
                        match around(a.at, b.at, &obstacle) {
                            None => {
                                total += (b.at - a.at).length() / divisor;
                                add_segment(m, kin, a, b, 1.0 / divisor, row);
                            }
                            Some(way) => {
                                let [p, q] = way.points.map(|at| Point { link: geom.place.link, at });
                                let straight = (p.at - a.at).length() + (b.at - q.at).length();
                                total += (straight + way.length) / divisor;
                                add_segment(m, kin, a, p, 1.0 / divisor, row);
                                add_segment(m, kin, q, b, 1.0 / divisor, row);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    total
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
