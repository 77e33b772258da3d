//! What begins and ends in a step.

use crate::handle::BodyId;
use crate::model::Model;

/// Two shapes began or ceased to touch, a joint broke, or a body woke or fell asleep. [`crate::World::name_of`] names the bodies, removed ones too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Slots of the two shapes, lower first: the key that orders the events of a step.
    pub shapes: [u32; 2],
    /// Their bodies; one that was removed has a stale handle.
    pub bodies: [BodyId; 2],
    /// One of the shapes is a sensor.
    pub sensor: bool,
}

impl Event {
    /// What happened between two shapes, given the generation of each body slot. The world fills in its own number.
    pub(crate) fn between(kind: EventKind, shapes: [u32; 2], model: &Model, generation: &[u32]) -> Self {
        let shape = shapes.map(|slot| &model.shapes[slot as usize]);
        Self {
            kind,
            shapes,
            bodies: shape.map(|shape| BodyId {
                slot: shape.body,
                generation: generation[shape.body as usize],
                world: 0,
            }),
            sensor: shape.iter().any(|shape| shape.sensor),
        }
    }

    /// The same with handles of a world.
    pub(crate) fn in_world(mut self, world: u32) -> Self {
        for body in &mut self.bodies {
            body.world = world;
        }
        self
    }
}

/// What happened. Where a pair ends and another takes its place in the same step, the end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// They ceased to touch: farther apart than the contact margin, or one was removed or taken out of the simulation.
    End,
    /// They began to touch.
    Begin,
    /// A joint between the two bodies broke; it has no shapes. With the world for parent both are the child.
    Break,
    /// A body woke: both are it, and there are no shapes. These come after what began and ended, in the order of the bodies.
    Wake,
    /// A body fell asleep; as `Wake`.
    Sleep,
}
