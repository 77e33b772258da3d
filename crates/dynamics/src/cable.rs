//! The length of a cable along joints, or through points with pulleys and around obstacles; and what changes it.

use crate::kinematics::TreeKinematics;
use crate::mechanism::{Obstacle, around};
use crate::tree::Tree;
use huygens_math::{Pose, Vec3};

/// A place of a cable on a link, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CablePoint {
    /// The link; `None` for the world.
    pub link: Option<usize>,
    /// Where it is [m, world].
    pub at: Vec3,
}

/// A place on a link, or in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CablePlace {
    /// The link; `None` for the world.
    pub link: Option<usize>,
    /// Its frame in that of the link.
    pub pose: Pose,
}

/// A part of a cable's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CablePart {
    /// A coordinate times a factor; a cable of these has no other parts.
    Joint {
        /// Place of the coordinate.
        coordinate: usize,
        /// Its dof.
        dof: usize,
        /// Length for each unit of the coordinate.
        factor: f64,
    },
    /// Through a point.
    Site(CablePlace),
    /// From here on a branch begins whose length counts divided.
    Pulley(f64),
    /// Around a ball, or a cylinder along z, if it is in the way.
    Around {
        /// Its frame.
        place: CablePlace,
        /// [m]
        radius: f64,
        /// Endless along z, or a ball.
        cylinder: bool,
        /// A point on the side that the cable passes.
        side: Option<CablePlace>,
    },
}

/// What changes the length of a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CableStretch {
    /// The distance of two points, times a factor.
    Segment {
        /// From here,
        from: CablePoint,
        /// to here.
        to: CablePoint,
        /// Length for each unit of the distance.
        factor: f64,
    },
    /// A dof, times a factor.
    Dof {
        /// Which.
        dof: usize,
        /// Length for each unit of its coordinate.
        factor: f64,
    },
}

impl CableStretch {
    /// Unit vector from the first point to the second; any where they coincide.
    pub fn direction(from: &CablePoint, to: &CablePoint) -> Vec3 {
        let along = to.at - from.at;
        let length = along.length();
        if length > 1e-15 { along / length } else { Vec3::X }
    }

    /// Adds its derivative with respect to the dofs of a tree to `row`.
    pub fn add_to(&self, tree: &Tree, kin: &TreeKinematics, row: &mut [f64]) {
        match *self {
            Self::Dof { dof, factor } => row[dof] += factor,
            Self::Segment { from, to, factor } => {
                if from.link == to.link {
                    return;
                }
                let direction = Self::direction(&from, &to);
                for (point, sign) in [(to, factor), (from, -factor)] {
                    for dof in point.link.into_iter().flat_map(|link| tree.path(link)) {
                        row[dof] += sign * direction.dot(kin.axis[dof].at(point.at));
                    }
                }
            }
        }
    }
}

/// Length of a cable whose parts `part` gives one by one, with the links where `pose` has them; `visit` is told of what changes it.
pub fn cable_length(
    part: impl Fn(usize) -> Option<CablePart>,
    pose: impl Fn(usize) -> Pose,
    q: &[f64],
    mut visit: impl FnMut(&CableStretch),
) -> f64 {
    let place = |place: &CablePlace| place.link.map_or(place.pose, |link| pose(link) * place.pose);
    let point = |site: &CablePlace| CablePoint { link: site.link, at: place(site).translation };
    let (mut total, mut divisor, mut i) = (0.0, 1.0, 0);
    while let Some(now) = part(i) {
        i += 1;
        match now {
            CablePart::Joint { coordinate, dof, factor } => {
                total += factor * q[coordinate];
                visit(&CableStretch::Dof { dof, factor });
            }
            CablePart::Pulley(d) => divisor = d,
            CablePart::Around { .. } => {}
            CablePart::Site(a) => {
                let (a, factor) = (point(&a), 1.0 / divisor);
                let mut segment = |from: CablePoint, to: CablePoint| {
                    visit(&CableStretch::Segment { from, to, factor });
                    (to.at - from.at).length()
                };
                match (part(i), part(i + 1)) {
                    (Some(CablePart::Site(b)), _) => total += segment(a, point(&b)) / divisor,
                    (
                        Some(CablePart::Around { place: of, radius, cylinder, side }),
                        Some(CablePart::Site(b)),
                    ) => {
                        let b = point(&b);
                        let side = side.as_ref().map(|side| point(side).at);
                        let obstacle = Obstacle { world_from_geom: place(&of), radius, cylinder, side };
                        match around(a.at, b.at, &obstacle) {
                            None => total += segment(a, b) / divisor,
                            Some(way) => {
                                let [p, q] = way.points.map(|at| CablePoint { link: of.link, at });
                                let straight = segment(a, p) + segment(q, b);
                                total += (straight + way.length) / divisor;
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
