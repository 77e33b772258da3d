//! What does not change while stepping.

pub use crate::assembly::{AssembledCoupling, AssembledJoint, AssembledTendon, Assembly, Lock};
pub use crate::edit_log::{EditLog, Edited, Since};
pub use crate::exclusions::Exclusions;
pub use crate::force::{ExposedBody, ForceModel, MediumModel, Solid, SpringEnd, SpringModel};
use crate::material::MaterialTable;
use crate::scene::{DriveLimit, JointSpring, Keyframe, MotorKind, MotorSpec, Scene, WorldSpec};
pub use crate::schedule::Planned;
use huygens_contact::{Compliance, Recovery, Scale, Settings, SolverKind};
use huygens_dynamics::{CablePart, Gyroscopic, Integrator, JointKind, Tree};
use huygens_geometry::CollisionShape;
use huygens_math::{Pose, Sym3, Vec3};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Choices of the whole world.
#[derive(Clone, Debug)]
pub struct WorldSettings {
    /// Characteristic length of the scene [m]: absolute tolerances derive from it and from gravity.
    pub length: f64,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Time step [s].
    pub dt: f64,
    /// Contact model.
    pub solver: SolverKind,
    /// What every contact model takes.
    pub contact: Settings,
    /// How contacts undo overlap.
    pub recovery: Recovery,
    /// Integrator.
    pub integrator: Integrator,
    /// Gyroscopic term.
    pub gyroscopic: Gyroscopic,
    /// Rows for gaps that are still open.
    pub speculative: bool,
    /// Gap at which a contact is first seen [m]; `None` for 2 % of the smaller shape of each pair.
    pub margin: Option<f64>,
    /// Islands that lie still fall asleep.
    pub sleep: bool,
}

/// How the position stage decides where a body ends up: docs/positions.md has the rules of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionPolicy {
    /// A body moves by its mean velocity and by the smallest correction that keeps its contacts; nothing bounds the energy of that.
    Unbounded,
    /// The same, and an island brings no energy in.
    Passive,
}

impl std::fmt::Display for PositionPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unbounded => "unbounded",
            Self::Passive => "passive",
        })
    }
}

impl WorldSettings {
    /// How positions are decided: passive under the guard, for the integrator whose displacement is that of the mean velocity, and
    /// without Baumgarte's stabilisation, which brings energy in by design and books it.
    pub fn position_policy(&self) -> PositionPolicy {
        let is_mean = self.contact.start_share == 0.5;
        if self.contact.guard && is_mean && !matches!(self.recovery, Recovery::Baumgarte { .. }) {
            PositionPolicy::Passive
        } else {
            PositionPolicy::Unbounded
        }
    }
}

/// Contact margin as a share of the smaller shape, where the scene names none.
pub const DEFAULT_MARGIN: f64 = 0.02;

/// Where a body's motion comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Motion {
    /// Forces and contacts move it.
    Dynamic,
    /// Nothing moves it.
    #[default]
    Static,
    /// It moves as prescribed: index among the drivers.
    Driven(u32),
    /// A link of a tree.
    Link {
        /// Which tree.
        tree: u32,
        /// Which link of it.
        link: u32,
    },
}

/// A body as the engine knows it.
#[derive(Clone, Debug, Default)]
pub struct BodyModel {
    /// Its name.
    pub name: String,
    /// What moves it.
    pub motion: Motion,
    /// Mass [kg]; 0 unless it is dynamic or a link.
    pub mass: f64,
    /// Inertia about the centre of mass, in body axes [kg m²].
    pub inertia: Sym3,
    /// Largest over smallest principal inertia: how much round-off grows in its energy.
    pub condition: f64,
    /// Centre of mass in the body frame [m].
    pub center: Vec3,
    /// Locked world axes of translation.
    pub lock_linear: [bool; 3],
    /// Locked world axes of rotation.
    pub lock_angular: [bool; 3],
    /// How strongly gravity acts on it.
    pub gravity_scale: f64,
    /// What of its mass was given, and not left to its shapes.
    pub given: Given,
    /// Its shapes: slots in [`Model::shapes`].
    pub shapes: Vec<u32>,
    /// Its driver, when it moves as prescribed or has a surface velocity.
    pub driver: Option<u32>,
    /// Removed: the slot is free.
    pub removed: bool,
}

/// What a user says of the mass of a body; the rest is what its shapes give.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Mass [kg].
    pub mass: Option<f64>,
    /// Centre of mass in the body frame [m].
    pub center: Option<Vec3>,
    /// Inertia about the centre of mass, in body axes [kg m²].
    pub inertia: Option<Sym3>,
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct ShapeModel {
    /// Slot of its body.
    pub body: u32,
    /// Its pose in the frame at the body's centre of mass, in body axes.
    pub in_body: Pose,
    /// Its pose in the body frame.
    pub in_frame: Pose,
    /// With which it adds to the mass of its body [kg/m³]; `None` when it was a sensor from the start.
    pub density: Option<f64>,
    /// The shape.
    pub shape: CollisionShape,
    /// Index into the material table.
    pub material: u32,
    /// Farthest point from the body's centre of mass [m]; infinite for boundaries.
    pub reach: f64,
    /// Characteristic size [m].
    pub size: f64,
    /// Layers that it is in.
    pub layer: u32,
    /// Layers that it meets.
    pub mask: u32,
    /// Velocity of its surface along itself, in body axes [m/s].
    pub surface_velocity: Vec3,
    /// It reports overlap and takes no force.
    pub sensor: bool,
    /// Removed: the slot is free.
    pub removed: bool,
}

/// A body with prescribed motion, or with a surface velocity. Its velocity is part of the state.
#[derive(Clone, Debug)]
pub struct DriverModel {
    /// Name of the body, also after it was removed.
    pub name: String,
    /// Slot of the body; `None` once it was removed: the driver then moves nothing and keeps its number and its record,
    /// so that the work of all drivers still adds up to the account.
    pub body: Option<u32>,
    /// Its path, with orientations of length 1; empty for a constant velocity.
    pub path: Vec<Keyframe>,
    /// What it can give.
    pub limit: DriveLimit,
}

/// A named joint of a tree.
#[derive(Clone, Debug)]
pub struct JointModel {
    /// Its name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Its tree.
    pub tree: u32,
    /// Its place among the joints of [`Model::assembly`].
    pub assembled: u32,
    /// The link of its tree that it carries.
    pub link: u32,
    /// Its first part among the joints of its tree.
    pub slot: u32,
    /// The tree walks from its child to its parent.
    pub reversed: bool,
    /// Its first coordinate in [`crate::state::State::coordinates`].
    pub first_coordinate: u32,
    /// Its first dof among those of all trees.
    pub first_dof: u32,
    /// Number of its coordinates, from the first on.
    pub coordinates: u32,
    /// Number of its dofs, from the first on.
    pub dofs: u32,
    /// The coordinate that `position`, `range`, `spring` and `motor` are about.
    pub main_coordinate: u32,
    /// Its dof.
    pub main_dof: u32,
}

impl JointModel {
    /// True when the coordinate that `position` is about is one of its own, not part of a quaternion.
    pub fn main_coordinate_is_single(&self, model: &Model) -> bool {
        model.joint_dofs.iter().any(|dof| dof.dof == self.main_dof)
    }

    /// Where its coordinates lie in those of all trees.
    pub fn coordinates(&self) -> Range<usize> {
        let first = self.first_coordinate as usize;
        first..first + self.coordinates as usize
    }

    /// Where its dofs lie in those of all trees.
    pub fn dofs(&self) -> Range<usize> {
        let first = self.first_dof as usize;
        first..first + self.dofs as usize
    }
}

/// What acts at a dof of a joint that has one coordinate.
#[derive(Clone, Debug)]
pub struct DofModel {
    /// Index of the joint.
    pub joint: u32,
    /// Hinge, slide or screw.
    pub kind: JointKind,
    /// Its tree.
    pub tree: u32,
    /// Its coordinate in [`crate::state::State::coordinates`].
    pub coordinate: u32,
    /// Its dof among those of all trees.
    pub dof: u32,
    /// Smallest and largest coordinate [rad, of a slide m].
    pub range: Option<[f64; 2]>,
    /// How the limits at the ends of its range give way.
    pub limit: Compliance,
    /// Share of the speed with which it comes back from the ends of its range.
    pub restitution: f64,
    /// Dry friction [N·m, of a slide N].
    pub friction: f64,
    /// What drives it.
    pub motor: Option<MotorSpec>,
}

impl DofModel {
    /// Whether the limits at the ends of its range give way.
    pub fn is_soft(&self) -> bool {
        self.range.is_some() && self.limit != Compliance::Rigid
    }

    /// Its motor, when that has a limit: a row of the contact problem. (A torque motor keeps its limit by itself.)
    pub fn limited_motor(&self) -> Option<&MotorSpec> {
        self.motor.as_ref().filter(|motor| motor.kind != MotorKind::Torque && motor.is_limited())
    }
}

/// Limits of a ball joint.
#[derive(Clone, Debug)]
pub struct BallLimit {
    /// Its tree.
    pub tree: u32,
    /// First of its four coordinates in [`crate::state::State::coordinates`].
    pub coordinate: u32,
    /// First of its three dofs among those of all trees.
    pub dof: u32,
    /// Axis about which it twists, in the joint's frame; a unit vector.
    pub axis: Vec3,
    /// Largest angle between the axis on both sides [rad].
    pub cone: Option<f64>,
    /// Smallest and largest turn about the axis [rad].
    pub twist: Option<[f64; 2]>,
}

/// A tendon; all that it moves is of one tree.
#[derive(Clone, Debug)]
pub struct TendonModel {
    /// Its name.
    pub name: String,
    /// Its tree.
    pub tree: u32,
    /// Its way; coordinates, dofs and links are those of the tree.
    pub parts: Vec<CablePart>,
    /// Smallest and largest length [m].
    pub range: Option<[f64; 2]>,
    /// Spring towards a length.
    pub spring: Option<JointSpring>,
    /// Damping [N·s/m].
    pub damping: f64,
    /// Dry friction [N].
    pub friction: f64,
    /// What drives it.
    pub motor: Option<MotorSpec>,
}

impl TendonModel {
    /// Its spring and its damper as a motor towards its rest.
    pub fn spring_motor(&self) -> Option<MotorSpec> {
        let spring = self.spring.unwrap_or_default();
        let acts = spring.stiffness > 0.0 || self.damping > 0.0;
        acts.then(|| MotorSpec {
            target: spring.rest,
            stiffness: spring.stiffness,
            damping: self.damping,
            ..MotorSpec::default()
        })
    }

    /// Energy of its spring at a length [J].
    pub fn stored(&self, length: f64) -> f64 {
        self.spring
            .map_or(0.0, |spring| 0.5 * spring.stiffness * (length - spring.rest) * (length - spring.rest))
    }
}

/// A rope between two points.
#[derive(Clone, Debug)]
pub struct RopeModel {
    /// Its name.
    pub name: String,
    /// Its ends.
    pub ends: [RopeEnd; 2],
    /// Its length [m].
    pub length: f64,
}

/// An end of a rope.
#[derive(Clone, Copy, Debug)]
pub struct RopeEnd {
    /// Slot of its body; `None` for the world.
    pub body: Option<u32>,
    /// From the centre of mass of its body, in body axes, or the place in the world [m].
    pub anchor: Vec3,
}

/// Where the coordinates and dofs of one tree begin among those of all trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeOffsets {
    /// First coordinate in [`crate::state::State::coordinates`].
    pub coordinate: u32,
    /// First dof in the dofs of a velocity.
    pub dof: u32,
}

/// What does not change while stepping.
#[derive(Clone, Debug)]
pub struct Model {
    /// Choices of the whole world, as the scene or the user wrote them.
    pub choices: WorldSpec,
    /// Choices of the world.
    pub settings: WorldSettings,
    /// Materials, pairs and medium of the scene, which bodies that are added later may name; it has no bodies.
    pub surroundings: Arc<Scene>,
    /// Slot of each body by its name.
    pub names: HashMap<String, u32>,
    /// Bodies in slots.
    pub bodies: Vec<BodyModel>,
    /// Shapes in slots.
    pub shapes: Vec<ShapeModel>,
    /// Bodies with prescribed motion.
    pub drivers: Vec<DriverModel>,
    /// Articulated trees.
    pub trees: Vec<Tree>,
    /// Named joints of the trees.
    pub joints: Vec<JointModel>,
    /// Place in it of each joint of `assembly`; `None` for one that is locked or lets everything move.
    pub joint_of: Vec<Option<u32>>,
    /// What acts at the dofs of joints with one coordinate.
    pub joint_dofs: Vec<DofModel>,
    /// Limits of ball joints.
    pub ball_limits: Vec<BallLimit>,
    /// Tendons.
    pub tendons: Vec<TendonModel>,
    /// Joints and couplings as they were described.
    pub assembly: Arc<Assembly>,
    /// Ropes.
    pub ropes: Vec<RopeModel>,
    /// Bodies of each tree, by link.
    pub tree_bodies: Vec<Vec<u32>>,
    /// Bodies that do not collide although they move: those that a joint holds together.
    pub exclusions: Exclusions,
    /// Where the coordinates and dofs of each tree begin.
    pub tree_offsets: Vec<TreeOffsets>,
    /// Surface properties.
    pub materials: MaterialTable,
    /// A shape has, or had, a surface that moves along itself.
    pub has_surface_velocities: bool,
    /// A shape has, or had, a surface that curves.
    pub has_curved: bool,
    /// Forces of a medium and of springs.
    pub forces: ForceModel,
    /// Changes that are planned for the run, in the order in which they are done.
    pub plan: Vec<Planned>,
    /// The edits so far.
    pub edits: EditLog,
}

impl Model {
    /// The driver of a body that has a torque limit: it turns about its axis with its own inertia.
    pub fn torque_limited(&self, slot: usize) -> Option<u32> {
        let Motion::Driven(driver) = self.bodies[slot].motion else { return None };
        matches!(self.drivers[driver as usize].limit, DriveLimit::Torque { .. }).then_some(driver)
    }

    /// What acts at the dofs of a tree's joints. They lie tree after tree.
    pub fn joint_dofs_of(&self, tree: usize) -> &[DofModel] {
        &self.joint_dofs[self.joint_dofs_range(tree)]
    }

    /// Where they lie.
    pub(crate) fn joint_dofs_range(&self, tree: usize) -> Range<usize> {
        let from = self.joint_dofs.partition_point(|dof| (dof.tree as usize) < tree);
        let len = self.joint_dofs[from..].partition_point(|dof| dof.tree as usize == tree);
        from..from + len
    }

    /// Forgets surfaces that no shape has any more, when there are far more surfaces than shapes.
    pub(crate) fn compact_materials(&mut self) {
        if self.materials.len() <= 256 + 2 * self.shapes.len() {
            return;
        }
        let mut places = vec![None; self.materials.len()];
        let used = self.shapes.iter().filter(|shape| !shape.removed).map(|shape| shape.material);
        used.for_each(|at| places[at as usize] = Some(0));
        self.materials.keep(&mut places);
        for shape in &mut self.shapes {
            shape.material = places[shape.material as usize].unwrap_or(0);
        }
        self.edits.note_all();
    }

    /// Moves what springs and ropes hold of a body by so much, in its axes: their places on it are counted from its centre of mass.
    pub(crate) fn move_anchors(&mut self, slot: usize, by: Vec3) {
        let springs = self.forces.springs.iter_mut().flat_map(|spring| &mut spring.ends);
        springs.filter(|end| end.body == Some(slot as u32)).for_each(|end| end.anchor += by);
        let ropes = self.ropes.iter_mut().flat_map(|rope| &mut rope.ends);
        ropes.filter(|end| end.body == Some(slot as u32)).for_each(|end| end.anchor += by);
    }

    /// Notes an edit of a body: of what it is, where it is if nothing moves it, or of its shapes. `gone` are shapes that it had before.
    pub(crate) fn note_edit(&mut self, slot: usize, gone: Vec<u32>) {
        self.edits.note(slot, gone.into_iter().chain(self.bodies[slot].shapes.iter().copied()));
    }

    /// Takes these joints and couplings for those that the trees were built of.
    pub(crate) fn describe(&mut self, assembly: Assembly) {
        self.joint_of.clear();
        self.joint_of.resize(assembly.joints.len(), None);
        for (i, joint) in self.joints.iter().enumerate() {
            self.joint_of[joint.assembled as usize] = Some(i as u32);
        }
        self.assembly = Arc::new(assembly);
    }

    /// Slots of the driven bodies that carry a tree: its first links.
    pub fn bases_of(&self, tree: usize) -> &[u32] {
        let bodies = &self.tree_bodies[tree];
        if !self.trees[tree].has_prescribed() {
            return &bodies[..0];
        }
        let is_driven = |slot: &&u32| matches!(self.bodies[**slot as usize].motion, Motion::Driven(_));
        &bodies[..bodies.iter().take_while(is_driven).count()]
    }

    /// True for a driven body that carries a tree.
    pub fn carries_tree(&self, slot: usize) -> bool {
        (0..self.trees.len()).any(|tree| self.bases_of(tree).contains(&(slot as u32)))
    }

    /// Where the coordinates of a tree lie in [`crate::state::State::coordinates`].
    pub fn coordinates_of(&self, tree: usize) -> Range<usize> {
        let first = self.tree_offsets[tree].coordinate as usize;
        first..first + self.trees[tree].coordinates()
    }

    /// Where the dofs of a tree lie in the dofs of a velocity.
    pub fn dofs_of(&self, tree: usize) -> Range<usize> {
        let first = self.tree_offsets[tree].dof as usize;
        first..first + self.trees[tree].dofs()
    }

    /// Sizes from which tolerances derive.
    pub fn scale(&self) -> Scale {
        Scale::of(self.settings.length, self.settings.gravity.length())
    }

    /// A speed of the scene: √(|g|·length), or length/s without gravity [m/s].
    pub fn speed_scale(&self) -> f64 {
        self.scale().speed
    }
}
