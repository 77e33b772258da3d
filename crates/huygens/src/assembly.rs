//! The joints and couplings of a world as they were described, with the frames in which they hold bodies together: what trees are built from,
//! at the start and anew after an edit.

use crate::model::{Model, Motion};
use crate::scene::{CouplingKind, CouplingSpec, Joint, Scene, TendonPart, TendonSpec};
use crate::state::State;
use huygens_math::{Pose, Vec3};
use std::collections::BTreeMap;

/// A joint of a world.
#[derive(Clone, Debug)]
pub struct AssembledJoint {
    /// What was asked for.
    pub spec: Joint,
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
        let joints = scene.joints.iter().map(|spec| AssembledJoint::new(model, state, spec)).collect();
        let couplings = scene.couplings.iter().map(|spec| {
            let bodies = [spec.bodies[0].as_str(), &spec.bodies[1]];
            let is_line = matches!(spec.kind, CouplingKind::Distance | CouplingKind::Rope);
            let anchors = if is_line { spec.anchors } else { [spec.anchors[0]; 2] };
            AssembledCoupling { spec: spec.clone(), frames: frames(model, state, bodies, anchors) }
        });
        let tendons = scene.tendons.iter().map(|spec| AssembledTendon::new(model, state, spec)).collect();
        Self { joints, couplings: couplings.collect(), tendons }
    }

    /// The joint of that name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.spec.name == name)
    }
}

impl AssembledJoint {
    /// A joint between bodies where they are now.
    pub(crate) fn new(model: &Model, state: &State, spec: &Joint) -> Self {
        let bodies = [spec.parent.as_deref().unwrap_or_default(), &spec.child];
        Self { spec: spec.clone(), frames: frames(model, state, bodies, [spec.anchor; 2]), lock: None }
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
