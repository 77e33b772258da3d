//! The joints and couplings of a world as they were described, with the frames in which they hold bodies together: what trees are built from,
//! at the start and anew after an edit.

use crate::model::{Model, Motion};
use crate::scene::{CouplingKind, CouplingSpec, Joint, Scene, TendonPart, TendonSpec};
use crate::state::State;
use huygens_math::{Pose, Vec3};
use std::collections::{BTreeMap, HashMap};

/// A joint of a world.
#[derive(Clone, Debug)]
pub struct AssembledJoint {
    /// What was asked for.
    pub spec: Joint,
    /// No two joints that a world ever had have the same.
    pub number: u32,
    /// The joint's frame on its parent and on its child; of the world and of static bodies its pose in the world.
    pub frames: [Pose; 2],
    /// It is locked: its frame on the child that holds the pose, and the coordinates (position, velocity) of its parts then.
    pub lock: Option<Lock>,
}

/// A joint that does not move for now.
#[derive(Clone, Debug)]
pub struct Lock {
    /// The joint's frame on its child.
    pub on_child: Pose,
    /// Position and velocity of each part that has one coordinate.
    pub coordinates: Vec<[f64; 2]>,
}

/// A coupling of a world.
#[derive(Clone, Debug)]
pub struct AssembledCoupling {
    /// What was asked for.
    pub spec: CouplingSpec,
    /// Its frames on the two bodies, or its poses in the world.
    pub frames: [Pose; 2],
}

/// The joints and couplings of a world, in the order of the scene.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// Joints.
    pub joints: Vec<AssembledJoint>,
    /// Couplings.
    pub couplings: Vec<AssembledCoupling>,
    /// Tendons.
    pub tendons: Vec<AssembledTendon>,
    /// Number of the next joint.
    next: u32,
    /// Place of each joint by its name.
    names: HashMap<String, u32>,
    /// The same by its number.
    numbers: HashMap<u32, u32>,
}

/// A tendon of a world.
#[derive(Clone, Debug)]
pub struct AssembledTendon {
    /// What was asked for.
    pub spec: TendonSpec,
    /// For each part of its path: its point on the body or in the world, or the pose of a static body to go around; and a point on its side.
    pub places: Vec<[Pose; 2]>,
}

/// Position and velocity of each part of the joints, by name, that a world had before its trees are built anew.
pub(crate) type KeptCoordinates = BTreeMap<String, Vec<[f64; 2]>>;

impl Assembly {
    /// Those of a scene whose bodies are where the scene has them.
    pub(crate) fn of(scene: &Scene, model: &Model, state: &State) -> Self {
        let couplings = scene.couplings.iter().map(|spec| {
            let bodies = [spec.bodies[0].as_str(), &spec.bodies[1]];
            let is_line = matches!(spec.kind, CouplingKind::Distance | CouplingKind::Rope);
            let anchors = if is_line { spec.anchors } else { [spec.anchors[0]; 2] };
            AssembledCoupling { spec: spec.clone(), frames: frames(model, state, bodies, anchors) }
        });
        let tendons = scene.tendons.iter().map(|spec| AssembledTendon::new(model, state, spec)).collect();
        let mut all = Self { couplings: couplings.collect(), tendons, ..Self::default() };
        scene.joints.iter().for_each(|spec| all.add(spec, joint_frames(model, state, spec)));
        all.index();
        all
    }

    /// Adds a joint with its frames ([`joint_frames`]); it is found after [`Assembly::index`].
    pub(crate) fn add(&mut self, spec: &Joint, frames: [Pose; 2]) {
        self.joints.push(AssembledJoint { spec: spec.clone(), number: self.next, frames, lock: None });
        self.next += 1;
    }

    /// Notes where each joint is, after joints came and went.
    pub(crate) fn index(&mut self) {
        let places = || self.joints.iter().enumerate().map(|(i, joint)| (joint, i as u32));
        self.names = places().map(|(joint, i)| (joint.spec.name.clone(), i)).collect();
        self.numbers = places().map(|(joint, i)| (joint.number, i)).collect();
    }

    /// The joint of that name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.names.get(name).map(|at| *at as usize)
    }

    /// The joint with that number.
    pub(crate) fn numbered(&self, number: u32) -> Option<usize> {
        self.numbers.get(&number).map(|at| *at as usize)
    }

    /// Removes joints, with the couplings and tendons that need them; returns their numbers and names.
    pub(crate) fn remove_joints(&mut self, goes: impl Fn(&Joint) -> bool) -> Vec<(u32, String)> {
        let mut gone = Vec::new();
        self.joints.retain(|joint| {
            let goes = goes(&joint.spec);
            gone.extend(goes.then(|| (joint.number, joint.spec.name.clone())));
            !goes
        });
        let is_gone = |name: &String| gone.iter().any(|(_, gone)| gone == name);
        self.couplings.retain(|coupling| {
            !coupling.spec.kind.is_of_joints() || !coupling.spec.joints.iter().any(is_gone)
        });
        self.tendons.retain(|tendon| !tendon.spec.joints.iter().any(|part| is_gone(&part.joint)));
        gone
    }

    /// Removes what holds a body: joints, couplings and tendons. Returns numbers and names of the joints.
    pub(crate) fn remove_body(&mut self, name: &str) -> Vec<(u32, String)> {
        let gone = self.remove_joints(|joint| joint.holds(name));
        self.couplings.retain(|coupling| !coupling.holds(name));
        self.tendons.retain(|tendon| !tendon.spec.bodies().any(|body| body == name));
        gone
    }

    /// Whether a joint, a coupling or a tendon is about a body.
    pub(crate) fn holds(&self, name: &str) -> bool {
        self.joints.iter().any(|joint| joint.spec.holds(name))
            || self.couplings.iter().any(|coupling| coupling.holds(name))
            || self.tendons.iter().any(|tendon| tendon.spec.bodies().any(|body| body == name))
    }
}

impl Joint {
    /// Whether this body is its parent or its child.
    fn holds(&self, body: &str) -> bool {
        self.parent.as_deref() == Some(body) || self.child == body
    }
}

impl AssembledCoupling {
    /// Whether it is between bodies, and this is one of them.
    fn holds(&self, body: &str) -> bool {
        !self.spec.kind.is_of_joints() && self.spec.bodies.iter().any(|name| name == body)
    }
}

impl AssembledTendon {
    fn new(model: &Model, state: &State, spec: &TendonSpec) -> Self {
        let place = |part: &TendonPart| match part {
            TendonPart::Pulley(_) => [Pose::IDENTITY; 2],
            TendonPart::Point { body, at } => frames(model, state, [body, body], [*at; 2]),
            TendonPart::Wrap { body, side } => {
                let own = find(model, body).map_or(Pose::IDENTITY, |slot| frame(model, state, slot));
                let side = frames(model, state, [body, body], [side.unwrap_or_default(); 2]);
                [own, side[0]]
            }
        };
        Self { spec: spec.clone(), places: spec.path.iter().map(place).collect() }
    }
}

/// The frames of a joint between bodies where they are now.
pub(crate) fn joint_frames(model: &Model, state: &State, spec: &Joint) -> [Pose; 2] {
    let bodies = [spec.parent.as_deref().unwrap_or_default(), &spec.child];
    frames(model, state, bodies, [spec.anchor; 2])
}

/// Frames with the world's axes at two points, as two bodies carry them.
fn frames(model: &Model, state: &State, bodies: [&str; 2], anchors: [Vec3; 2]) -> [Pose; 2] {
    std::array::from_fn(|k| {
        let slot = find(model, bodies[k]).filter(|slot| model.bodies[*slot].motion != Motion::Static);
        slot.map_or(Pose::at(anchors[k]), |slot| frame(model, state, slot).relative(&Pose::at(anchors[k])))
    })
}

/// Slot of a body by its name.
pub(crate) fn find(model: &Model, name: &str) -> Option<usize> {
    model.names.get(name).map(|slot| *slot as usize)
}

/// `world_from_body` of the body's own frame.
pub(crate) fn frame(model: &Model, state: &State, slot: usize) -> Pose {
    let rotation = state.orientation[slot];
    Pose::new(rotation, state.position[slot] - rotation * model.bodies[slot].center)
}
