//! The parts of a mechanism and its state.

use super::actuator::Actuator;
use super::base::{JointKind, Tree};
use super::fluid::Ellipsoid;
use super::tendon::{Tendon, WrapGeom};
use huygens_math::{Pose, Vec3};

/// A frame on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The link.
    pub link: usize,
    /// The frame in that of the link.
    pub pose: Pose,
}

/// Spring, damper and limits of force of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointProperties {
    /// How the joint moves.
    pub kind: JointKind,
    /// Its first number in the coordinates.
    pub coordinate: usize,
    /// Its first dof.
    pub dof: usize,
    /// Stiffness: constant, and factors of x (of a rotation: its angle) and x² [N/m or N m/rad].
    pub stiffness: [f64; 3],
    /// Damping: constant, and factors of |v| and v² [N s/m or N m s/rad].
    pub damping: [f64; 3],
    /// Coordinates at which the spring is slack; as many as the joint has.
    pub rest: Vec<f64>,
    /// Bounds of the sum of actuator forces on the joint.
    pub actuator_range: Option<[f64; 2]>,
    /// True when the compensation of gravity counts as an actuator's force.
    pub actuator_gravity: bool,
}

/// How a link feels the medium.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Drag {
    /// Not at all.
    #[default]
    None,
    /// As the box with the same inertia: its frame on the link and its edges [m].
    Box(Pose, Vec3),
    /// As ellipsoids, each in its place.
    Ellipsoids(Vec<Ellipsoid>),
}

/// What is around the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Medium {
    /// [kg/m³]
    pub density: f64,
    /// [Pa s]
    pub viscosity: f64,
    /// [m/s]
    pub wind: Vec3,
}

/// Integrators of MuJoCo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integration {
    /// Semi-implicit, with implicit damping of joints.
    #[default]
    Euler,
    /// Runge and Kutta's fourth order, with Munthe-Kaas for rotations.
    Rk4,
    /// Implicit in velocity, with the derivative of Coriolis forces.
    Implicit,
    /// Implicit in velocity, without it.
    ImplicitFast,
}

/// What acts and what does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "MuJoCo's flags")]
pub struct Switches {
    pub spring: bool,
    pub damper: bool,
    pub gravity: bool,
    pub actuation: bool,
    pub clampctrl: bool,
    pub eulerdamp: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self { spring: true, damper: true, gravity: true, actuation: true, clampctrl: true, eulerdamp: true }
    }
}

/// A tree with all that acts on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mechanism {
    /// All links; those of several robots hang on the world side by side.
    pub tree: Tree,
    /// What to add to a coordinate of the tree to get the user's: the `ref` of hinges and slides.
    pub offset: Vec<f64>,
    /// Coordinates as drawn.
    pub start: Vec<f64>,
    /// Properties of each joint of the tree that moves.
    pub joints: Vec<JointProperties>,
    /// [m/s²]
    pub gravity: Vec3,
    /// Share of its weight that each link does not feel.
    pub gravity_compensation: Vec<f64>,
    /// Inertial frame of each link.
    pub inertial: Vec<Pose>,
    /// What is around it.
    pub medium: Medium,
    /// How each link feels the medium.
    pub drag: Vec<Drag>,
    /// Frames on links.
    pub sites: Vec<Place>,
    /// Spheres and cylinders that tendons go around.
    pub wraps: Vec<WrapGeom>,
    /// Tendons.
    pub tendons: Vec<Tendon>,
    /// Actuators.
    pub actuators: Vec<Actuator>,
    /// What acts.
    pub switches: Switches,
    /// Which integrator.
    pub integration: Integration,
    /// Length of a step [s].
    pub timestep: f64,
    /// First dof of each free body on which nothing hangs that moves.
    pub standalone: Vec<usize>,
}

/// Where a mechanism is, how it moves, and what drives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MechanismState {
    /// Coordinates in MuJoCo's layout.
    pub qpos: Vec<f64>,
    /// Velocities in MuJoCo's layout.
    pub qvel: Vec<f64>,
    /// Activations.
    pub act: Vec<f64>,
    /// Controls.
    pub ctrl: Vec<f64>,
    /// Forces on dofs from outside; empty for none.
    pub qfrc_applied: Vec<f64>,
    /// Force and torque on each link at its centre of mass, world axes; empty for none.
    pub xfrc_applied: Vec<[f64; 6]>,
    /// [s]
    pub time: f64,
}
