//! What begins and ends in a step.

use crate::handle::{BodyId, JointId, ShapeId};
use crate::model::Model;

/// Two shapes began or ceased to touch, a joint broke, or a body woke, fell asleep or was taken out of the simulation.
/// [`crate::World::name_of`] and [`crate::World::joint_name`] give names, of what was removed too. What touches all the while, how fast it met and
/// how hard it presses: [`crate::World::touches`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The two shapes, lower slot first, by which the events of a step are ordered; `None` where it is not about shapes. Those that were removed are
    /// stale.
    pub shapes: Option<[ShapeId; 2]>,
    /// Their bodies; one that was removed has a stale handle. Of what happened to one body both are it.
    pub bodies: [BodyId; 2],
    /// One of the shapes is a sensor.
    pub sensor: bool,
    /// The joint that broke.
    pub joint: Option<JointId>,
}

impl Event {
    /// What happened between two shapes, given the generation of each body slot and of each shape slot. The world fills in its own number.
    pub(crate) fn between(kind: EventKind, shapes: [u32; 2], model: &Model, generation: [&[u32]; 2]) -> Self {
        let of = shapes.map(|slot| &model.shapes[slot as usize]);
        let [bodies, of_shapes] = generation;
        Self {
            kind,
            shapes: Some(shapes.map(|slot| ShapeId { slot, generation: of_shapes[slot as usize], world: 0 })),
            bodies: of.map(|shape| BodyId {
                slot: shape.body,
                generation: bodies[shape.body as usize],
                world: 0,
            }),
            sensor: of.iter().any(|shape| shape.sensor),
            joint: None,
        }
    }

    /// What happened to one body.
    pub(crate) fn of_body(kind: EventKind, body: BodyId) -> Self {
        Self { kind, shapes: None, bodies: [body; 2], sensor: false, joint: None }
    }

    /// The slots of the shapes and the kind: the order of the events of contacts.
    pub(crate) fn order(&self) -> (Option<[u32; 2]>, EventKind) {
        (self.shapes.map(|shapes| shapes.map(|shape| shape.slot)), self.kind)
    }

    /// The same with handles of a world.
    pub(crate) fn in_world(mut self, world: u32) -> Self {
        for body in &mut self.bodies {
            body.world = world;
        }
        for shape in self.shapes.iter_mut().flatten() {
            shape.world = world;
        }
        if let Some(joint) = &mut self.joint {
            joint.world = world;
        }
        self
    }
}

/// What happened. Where a pair ends and another takes its place in the same step, the end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum EventKind {
    /// They ceased to touch: farther apart than the contact margin, or one was removed or taken out of the simulation.
    End,
    /// They began to touch.
    Begin,
    /// A joint between the two bodies broke. With the world for parent both are the child. These come last.
    Break,
    /// A body woke. These come after what began and ended, in the order of the bodies.
    Wake,
    /// A body fell asleep; as `Wake`.
    Sleep,
    /// A number of a body overflowed, and it was taken out of the simulation ([`crate::StepReport::quarantined`]). These come after `Wake` and `Sleep`.
    Quarantine,
}
