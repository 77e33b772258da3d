//! Equalities between the coordinates of a tree: closed loops, gears, rods. They are satisfied exactly, at positions and at velocities.
//!
//! A loop is cut in one of its bodies: the body becomes two links of half its mass each, and a [`Equality::Weld`] holds their frames
//! together. So every joint of the loop keeps its coordinate, with all that acts there. A planar loop satisfies three of the six rows by
//! itself, and other mechanisms some of them: rows that follow from others do no harm (`math::Projection`).
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | g(q) | `gap` | what must be zero | m, rad |
//! | G | rows | ∂g/∂q over the dofs | |

use crate::joint::JointKind;
use crate::kinematics::TreeKinematics;
use crate::tree::Tree;
use huygens_math::{Projection, Quat, TreeLdl, Vec3, scalar, trig};

/// An equality between coordinates of one tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Equality {
    /// The frames of two links coincide: six rows.
    Weld {
        /// The links.
        links: [usize; 2],
    },
    /// The coordinate of one joint is a polynomial of that of another one: q₀ = Σ cₖ q₁ᵏ. One row.
    Polynomial {
        /// Two joints of the tree with one coordinate each.
        joints: [usize; 2],
        /// c₀ to c₄.
        coefficients: [f64; 5],
    },
    /// Two points keep their distance: one row.
    Distance {
        /// The links that carry them; `None` for the world.
        links: [Option<usize>; 2],
        /// The points in the frames of the links [m].
        points: [Vec3; 2],
        /// Their distance [m], above zero.
        length: f64,
    },
    /// A dof has the velocity that its drive names ([`crate::DofDrive::velocity`]): one row. It comes after all other equalities.
    Rate {
        /// The dof.
        dof: usize,
    },
}

impl Equality {
    /// Number of its rows.
    pub const fn rows(&self) -> usize {
        match self {
            Self::Weld { .. } => 6,
            Self::Polynomial { .. } | Self::Distance { .. } | Self::Rate { .. } => 1,
        }
    }

    /// True when nothing outside of the tree takes part.
    pub(crate) fn is_internal(&self) -> bool {
        !matches!(self, Self::Distance { links: [None, _] | [_, None], .. })
    }
}

/// Rows of all equalities of a tree.
pub fn equality_rows(tree: &Tree) -> usize {
    tree.equalities().iter().map(Equality::rows).sum()
}

/// Takes from the rates of all rows what the rows of [`Equality::Rate`] are to have, which `aim` says of their dofs.
pub(crate) fn less_aims(tree: &Tree, rates: &mut [f64], aim: impl Fn(usize) -> f64) {
    for (rate, equality) in rates.iter_mut().rev().zip(tree.equalities().iter().rev()) {
        let Equality::Rate { dof } = *equality else { break };
        *rate -= aim(dof);
    }
}

/// Rates that the rows of a tree's equalities have where dofs with a [`Equality::Rate`] keep the velocities `v`.
pub fn equality_rates<'a>(tree: &'a Tree, v: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    tree.equalities().iter().flat_map(|equality| {
        let rate = if let Equality::Rate { dof } = *equality { v[dof] } else { 0.0 };
        std::iter::repeat_n(rate, equality.rows())
    })
}

/// What is missing at each row: g(q) [m, rad]; nothing at a [`Equality::Rate`], which the displacement of a step satisfies. `q` are the coordinates that `kin` was placed at.
pub fn equality_gaps(tree: &Tree, kin: &TreeKinematics, q: &[f64], gap: &mut Vec<f64>) {
    gap.clear();
    for equality in tree.equalities() {
        match *equality {
            Equality::Weld { links: [a, b] } => {
                let turn = kin.world_from_link[a].rotation * kin.world_from_link[b].rotation.conjugate();
                gap.extend((kin.com[a] - kin.com[b]).to_array());
                gap.extend(rotation_vector(turn).to_array());
            }
            Equality::Polynomial { joints, coefficients } => {
                let [y, x] = joints.map(|joint| q[tree.joints()[joint].coordinates().start]);
                gap.push(y - polynomial(&coefficients, x));
            }
            Equality::Distance { links, points, length } => {
                gap.push(line(kin, links, points).1 - length);
            }
            Equality::Rate { .. } => gap.push(0.0),
        }
    }
}

/// Fills and factors the rows of a tree's equalities at the poses of `kin`.
pub fn equality_projection(
    tree: &Tree,
    kin: &TreeKinematics,
    q: &[f64],
    ldl: &TreeLdl,
    projection: &mut Projection,
) {
    fill_equality_rows(tree, kin, q, projection.begin(equality_rows(tree), tree.dofs()));
    projection.factor(ldl, |diagonal| scale(tree, kin, diagonal));
}

/// Adds to `rows`, row-major and zero so far, the rows of a tree's equalities at the poses of `kin`.
pub(crate) fn fill_equality_rows(tree: &Tree, kin: &TreeKinematics, q: &[f64], rows: &mut [f64]) {
    let mut rows = rows.chunks_exact_mut(tree.dofs().max(1));
    for equality in tree.equalities() {
        match *equality {
            Equality::Weld { links } => {
                let shared = shared_dof(tree, links);
                let [a, b] = links.map(|link| kin.com[link]);
                // What moves both ends turns the gap between them; one of round-off is none.
                let gap =
                    if (a - b).length() > CLOSED * (a.length() + b.length()) { a - b } else { Vec3::ZERO };
                for along in [false, true] {
                    for e in Vec3::AXES {
                        let Some(row) = rows.next() else { return };
                        for (link, sign) in links.into_iter().zip([1.0, -1.0]) {
                            let at = kin.com[link];
                            for dof in tree.path(link).take_while(|dof| Some(*dof) != shared) {
                                let axis = &kin.axis[dof];
                                row[dof] += sign * e.dot(if along { axis.angular } else { axis.at(at) });
                            }
                        }
                        for dof in shared.into_iter().flat_map(|dof| tree.path_from_dof(dof)) {
                            row[dof] = if along { 0.0 } else { e.dot(kin.axis[dof].angular.cross(gap)) };
                        }
                    }
                }
            }
            Equality::Polynomial { joints, coefficients } => {
                let Some(row) = rows.next() else { return };
                let [y, x] = joints.map(|joint| &tree.joints()[joint]);
                row[y.dofs().start] = 1.0;
                row[x.dofs().start] -= slope(&coefficients, q[x.coordinates().start]);
            }
            Equality::Distance { links, points, .. } => {
                let Some(row) = rows.next() else { return };
                let (direction, _) = line(kin, links, points);
                let shared = if let [Some(a), Some(b)] = links { shared_dof(tree, [a, b]) } else { None };
                for ((link, point), sign) in links.into_iter().zip(points).zip([1.0, -1.0]) {
                    let Some(link) = link else { continue };
                    let at = kin.world_from_link[link].transform(point);
                    for dof in tree.path(link).take_while(|dof| Some(*dof) != shared) {
                        row[dof] += sign * direction.dot(kin.axis[dof].at(at));
                    }
                }
            }
            Equality::Rate { dof } => {
                let Some(row) = rows.next() else { return };
                row[dof] = 1.0;
            }
        }
    }
}

/// Gap of a weld, as a share of the distance from the origin, that is round-off.
const CLOSED: f64 = 1e-13;

/// The first dof, on the way to the root, that moves both links. It and all above it move the two alike, and neither a closed weld nor a rod
/// feels them: the difference of what they do at the two ends is round-off, which where nothing else moves the links would be all that there is.
fn shared_dof(tree: &Tree, links: [usize; 2]) -> Option<usize> {
    let [mut a, mut b] = links.map(|link| tree.path(link).peekable());
    while let (Some(&i), Some(&j)) = (a.peek(), b.peek()) {
        if i == j {
            return Some(i);
        }
        // Dofs fall along the way.
        if i > j {
            a.next()
        } else {
            b.next()
        };
    }
    None
}

/// From the diagonal of W the size that each row has where it is no round-off. The rows of a weld have the size of the largest of their
/// kind: out of the plane of a planar loop all of W is round-off.
fn scale(tree: &Tree, kin: &TreeKinematics, diagonal: &mut [f64]) {
    let reach = reach_squared(tree, kin);
    let mut first = 0;
    for equality in tree.equalities() {
        let rows = &mut diagonal[first..first + equality.rows()];
        first += equality.rows();
        if let [tx, ty, tz, rx, ry, rz] = rows {
            let travel = scalar::max(scalar::max(*tx, *ty), *tz);
            let turn = scalar::max(scalar::max(*rx, *ry), *rz);
            let travel_scale = scalar::max(travel, 1e-6 * turn * reach);
            let turn_scale = if reach > 0.0 { scalar::max(turn, 1e-6 * travel / reach) } else { turn };
            (*tx, *ty, *tz) = (travel_scale, travel_scale, travel_scale);
            (*rx, *ry, *rz) = (turn_scale, turn_scale, turn_scale);
        }
    }
    // A row that moves nothing at all has no pivot.
    diagonal.iter_mut().filter(|w| **w <= 0.0).for_each(|w| *w = 1.0);
}

/// Square of the length that compares turns with ways: the farthest centre of mass from the first one, or the radius of gyration of a link. (In a
/// body that hangs on the world in two places all centres are one: what is left of their distance is round-off.)
fn reach_squared(tree: &Tree, kin: &TreeKinematics) -> f64 {
    let origin = kin.com.first().copied().unwrap_or_default();
    let links = tree.links().iter().zip(kin.com.iter().zip(&kin.inertia));
    links.fold(0.0, |far, (link, (com, inertia))| {
        let gyration = if link.mass > 0.0 { 0.5 * inertia.trace() / link.mass } else { 0.0 };
        scalar::max(far, scalar::max((*com - origin).length_squared(), gyration))
    })
}

/// Direction from the second point to the first, and their distance.
fn line(kin: &TreeKinematics, links: [Option<usize>; 2], points: [Vec3; 2]) -> (Vec3, f64) {
    let [a, b] = [0, 1]
        .map(|k: usize| links[k].map_or(points[k], |link| kin.world_from_link[link].transform(points[k])));
    let length = (a - b).length();
    (if length > 0.0 { (a - b) / length } else { Vec3::X }, length)
}

/// Σ cₖ xᵏ.
pub fn polynomial(coefficients: &[f64; 5], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

fn slope(coefficients: &[f64; 5], x: f64) -> f64 {
    (1..5).rev().fold(0.0, |sum, k| sum * x + k as f64 * coefficients[k])
}

/// The rotation vector of a turn, the short way round [rad].
pub(crate) fn rotation_vector(turn: Quat) -> Vec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = Vec3::new(turn.x, turn.y, turn.z);
    let length = sine.length();
    // 2·asin(s)/s → 2 for a small turn.
    if length < 1e-8 { sine * 2.0 } else { sine * (2.0 * trig::atan2(length, turn.w) / length) }
}

/// Generalised force of the joints' springs at the coordinates `q`.
pub fn spring_force(tree: &Tree, q: &[f64], out: &mut [f64]) {
    for slot in tree.joints() {
        let (k, q, out) = (slot.joint.stiffness, &q[slot.coordinates()], &mut out[slot.dofs()]);
        match slot.joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => out[0] = -k * (q[0] - slot.joint.rest),
            JointKind::Ball | JointKind::BallLocal => {
                let turn = rotation_vector(Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()) * -k;
                out.copy_from_slice(&turn.to_array());
            }
            JointKind::Fixed | JointKind::Free | JointKind::FreeLocal => out.fill(0.0),
        }
    }
}

/// Energy that the joints' springs hold at the coordinates `q` [J].
pub fn spring_energy(tree: &Tree, q: &[f64]) -> f64 {
    if !tree.has_springs() {
        return 0.0;
    }
    let joints = tree.joints().iter().filter(|slot| slot.joint.stiffness > 0.0);
    let energy = joints.map(|slot| {
        let q = &q[slot.coordinates()];
        let square = match slot.joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => scalar::square(q[0] - slot.joint.rest),
            JointKind::Ball | JointKind::BallLocal => {
                rotation_vector(Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()).length_squared()
            }
            JointKind::Fixed | JointKind::Free | JointKind::FreeLocal => 0.0,
        };
        0.5 * slot.joint.stiffness * square
    });
    energy.sum()
}
