//! Poses, velocities and axes of a tree from its coordinates.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | c | `com` | centre of mass of a link, world | m |
//! | l, a, s | `Axis` | a dof with velocity 1 moves the point r of every link below with l + a×(r − s) | |
//!
//! This one form holds for every joint; what differs between joints is in `joint/`.

use crate::joint::{AxesMut, Carrier};
use crate::tree::Tree;
use huygens_math::{Pose, Sym3, Twist, Vec3};

/// What a dof moves, in world axes: with velocity 1 the point r of a link below it has the velocity
/// `linear + angular × (r − anchor)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// Translation.
    pub linear: Vec3,
    /// Rotation.
    pub angular: Vec3,
    /// A point that the rotation leaves where it is [m].
    pub anchor: Vec3,
}

impl Axis {
    /// Velocity that this dof gives to the point `r`.
    #[inline(always)]
    pub fn at(&self, r: Vec3) -> Vec3 {
        self.linear + self.angular.cross(r - self.anchor)
    }
}

/// Where everything is and how it moves; filled by [`kinematics`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeKinematics {
    /// Pose of each link's frame in the world.
    pub world_from_link: Vec<Pose>,
    /// Centre of mass of each link in the world [m].
    pub com: Vec<Vec3>,
    /// Twist of each link at its centre of mass, world axes.
    pub twist: Vec<Twist>,
    /// Inertia of each link about its centre of mass, world axes [kg m²].
    pub inertia: Vec<Sym3>,
    /// Axis of each dof.
    pub axis: Vec<Axis>,
    /// Rate of change of each axis, part by part.
    pub axis_rate: Vec<Axis>,
    /// The velocities that the twists belong to.
    pub velocity: Vec<f64>,
}

impl TreeKinematics {
    fn fit(&mut self, tree: &Tree) {
        let (links, dofs) = (tree.links().len(), tree.dofs());
        self.world_from_link.resize(links, Pose::IDENTITY);
        self.com.resize(links, Vec3::ZERO);
        self.twist.resize(links, Twist::ZERO);
        self.inertia.resize(links, Sym3::ZERO);
        self.axis.resize(dofs, Axis::default());
        self.axis_rate.resize(dofs, Axis::default());
        self.velocity.resize(dofs, 0.0);
    }
}

/// Places the tree at the coordinates `q` with the velocities `v`.
///
/// # Panics
/// When `q` or `v` has not the length of the tree's coordinates or dofs.
pub fn kinematics(tree: &Tree, q: &[f64], v: &[f64], out: &mut TreeKinematics) {
    assert_eq!(q.len(), tree.coordinates(), "one number per coordinate");
    assert_eq!(v.len(), tree.dofs(), "one number per dof");
    out.fit(tree);
    out.velocity.copy_from_slice(v);
    for (i, link) in tree.links().iter().enumerate() {
        let (world_from_carrier, point, parent_twist) = match link.parent {
            Some(p) => (out.world_from_link[p], out.com[p], out.twist[p]),
            None => (Pose::IDENTITY, Vec3::ZERO, Twist::ZERO),
        };
        let mut carrier = Carrier { world_from_carrier, point, twist: parent_twist };
        for slot in tree.joints_of(i) {
            let (q, v) = (&q[slot.coordinates()], &v[slot.dofs()]);
            let axes = AxesMut { axis: &mut out.axis[slot.dofs()], rate: &mut out.axis_rate[slot.dofs()] };
            slot.joint.place(&slot.child, q, v, &mut carrier, axes);
        }
        let pose = carrier.world_from_carrier;
        out.world_from_link[i] = pose;
        out.com[i] = pose.transform(link.com);
        out.inertia[i] = link.inertia.rotated(pose.rotation);
        out.twist[i] = link_twist(tree, out, i, v, parent_twist);
    }
}

/// Twist of link `i` for the velocities `v`, from the twist of its parent.
#[inline]
pub(crate) fn link_twist(tree: &Tree, kin: &TreeKinematics, i: usize, v: &[f64], parent: Twist) -> Twist {
    let com = kin.com[i];
    let mut twist = match tree.links()[i].parent {
        Some(p) => Twist::new(parent.at(com - kin.com[p]), parent.angular),
        None => Twist::ZERO,
    };
    for dof in tree.dofs_of(i) {
        let axis = &kin.axis[dof];
        twist += Twist::new(axis.at(com), axis.angular) * v[dof];
    }
    twist
}

/// Kinetic energy [J], from the twists of the links; drives included.
pub fn kinetic_energy(tree: &Tree, kin: &TreeKinematics) -> f64 {
    energy_of(tree, kin, &kin.twist, &kin.velocity)
}

/// ½ Σ (m v² + ωᵀIω) + ½ Σ armature·v².
pub(crate) fn energy_of(tree: &Tree, kin: &TreeKinematics, twist: &[Twist], v: &[f64]) -> f64 {
    let links: f64 = tree
        .links()
        .iter()
        .zip(twist)
        .zip(&kin.inertia)
        .map(|((link, t), inertia)| {
            link.mass * t.linear.length_squared() + t.angular.dot(*inertia * t.angular)
        })
        .sum();
    let drives: f64 = tree.armature().iter().zip(v).map(|(a, v)| a * v * v).sum();
    0.5 * (links + drives)
}

/// Potential energy in uniform gravity [J], zero where every centre of mass is at `origin`.
pub fn potential(tree: &Tree, kin: &TreeKinematics, gravity: Vec3, origin: Vec3) -> f64 {
    tree.links()
        .iter()
        .zip(&kin.com)
        .map(|(link, com)| -link.mass * link.gravity_scale * gravity.dot(*com - origin))
        .sum()
}

/// Rows of the velocity of the material point of `link` that is at `point` [m, world], along three directions:
/// `rows[r·n + j]` is what dof j with velocity 1 gives along `directions[r]`. Every entry is written.
///
/// # Panics
/// When `rows` does not hold three rows of the tree's dofs.
pub fn jacobian(
    tree: &Tree,
    kin: &TreeKinematics,
    link: usize,
    point: Vec3,
    directions: &[Vec3; 3],
    rows: &mut [f64],
) {
    fill_rows(tree, link, directions, rows, |dof| kin.axis[dof].at(point));
}

/// Rows of the spin of `link` along three directions, laid out as those of [`jacobian`]. Every entry is written.
///
/// # Panics
/// When `rows` does not hold three rows of the tree's dofs.
pub fn angular_jacobian(
    tree: &Tree,
    kin: &TreeKinematics,
    link: usize,
    directions: &[Vec3; 3],
    rows: &mut [f64],
) {
    fill_rows(tree, link, directions, rows, |dof| kin.axis[dof].angular);
}

/// Rows of what each dof on the way to `link` gives, along three directions.
fn fill_rows(
    tree: &Tree,
    link: usize,
    directions: &[Vec3; 3],
    rows: &mut [f64],
    given: impl Fn(usize) -> Vec3,
) {
    let n = tree.dofs();
    assert_eq!(rows.len(), 3 * n, "three rows");
    rows.fill(0.0);
    for dof in tree.path(link) {
        let velocity = given(dof);
        for (r, direction) in directions.iter().enumerate() {
            rows[r * n + dof] = direction.dot(velocity);
        }
    }
}

/// Moves the coordinates by a small displacement of the dofs: hinges and slides add it, a ball joint turns by the Cayley map, and a
/// free base moves its centre of mass and turns as a free body does.
///
/// # Panics
/// When a slice has not the length of the tree's coordinates or dofs.
pub fn advance(tree: &Tree, q: &mut [f64], displacement: &[f64]) {
    assert_eq!(q.len(), tree.coordinates(), "one number per coordinate");
    assert_eq!(displacement.len(), tree.dofs(), "one number per dof");
    for slot in tree.joints() {
        slot.joint.advance(slot.child.com, &mut q[slot.coordinates()], &displacement[slot.dofs()]);
    }
}
