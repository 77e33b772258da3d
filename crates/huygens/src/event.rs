//! What begins and ends in a step.

/// Two shapes began or ceased to touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Slots of the two shapes, lower first.
    pub shapes: [u32; 2],
    /// Slots of their bodies.
    pub bodies: [u32; 2],
    /// One of the shapes is a sensor.
    pub sensor: bool,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// They began to touch.
    Begin,
    /// They ceased to touch: farther apart than the contact margin, or one was removed.
    End,
}
