//! Identity and order of groups.

/// The end of a joint's range at which a limit acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RangeEnd {
    /// The smallest coordinate.
    Low,
    /// The largest coordinate.
    High,
}

/// Identity and order of a group: contacts by the slots of their shapes, then limits, friction and motors of joints, then couplings, then motors of drivers. Four numbers, so that keys
/// compare and copy fast; [`GroupKey::id`] says what they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey {
    a: u32,
    b: u32,
    sub_a: u32,
    sub_b: u32,
}

/// A group as its key names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupId {
    /// A contact of two shapes.
    Contact {
        /// Slots of A and B, the lower one first.
        shapes: [u32; 2],
        /// The parts of them that meet.
        parts: [u32; 2],
    },
    /// A limit of a joint.
    JointLimit {
        /// Index of the joint.
        joint: u32,
        /// Which end of its range.
        end: RangeEnd,
    },
    /// Dry friction of a joint.
    JointFriction {
        /// Index of the joint.
        joint: u32,
    },
    /// The motor of a joint, with a limit.
    JointMotor {
        /// Index of the joint.
        joint: u32,
    },
    /// A coupling of bodies or joints.
    Coupling {
        /// Its index.
        coupling: u32,
    },
    /// The motor of a driver with a torque limit.
    DriverMotor {
        /// Slot of its body.
        body: u32,
    },
}

/// First number of a key that is not of a contact: no shape has this slot.
const NO_SHAPE: u32 = u32::MAX;
/// Second number of the key of a motor: no joint has this index.
const MOTOR: u32 = u32::MAX;
/// Second number of the key of a coupling.
const COUPLING: u32 = u32::MAX - 1;
/// Third number of the keys of a joint's friction and motor; those of its limits are 0 and 1.
const FRICTION: u32 = 2;
const JOINT_MOTOR: u32 = 3;

impl GroupKey {
    /// The key of the contact of two shapes (slots, the lower one first) and the parts of them that meet.
    #[inline(always)]
    pub const fn contact(shapes: [u32; 2], parts: [u32; 2]) -> Self {
        Self { a: shapes[0], b: shapes[1], sub_a: parts[0], sub_b: parts[1] }
    }

    /// The key of a limit of a joint.
    pub const fn joint_limit(joint: u32, end: RangeEnd) -> Self {
        Self { a: NO_SHAPE, b: joint, sub_a: end as u32, sub_b: 0 }
    }

    /// The key of the dry friction of a joint.
    pub const fn joint_friction(joint: u32) -> Self {
        Self { a: NO_SHAPE, b: joint, sub_a: FRICTION, sub_b: 0 }
    }

    /// The key of the motor of a joint.
    pub const fn joint_motor(joint: u32) -> Self {
        Self { a: NO_SHAPE, b: joint, sub_a: JOINT_MOTOR, sub_b: 0 }
    }

    /// The key of a coupling.
    pub const fn coupling(coupling: u32) -> Self {
        Self { a: NO_SHAPE, b: COUPLING, sub_a: coupling, sub_b: 0 }
    }

    /// The key of the motor of a driver with a torque limit.
    pub const fn driver_motor(body: u32) -> Self {
        Self { a: NO_SHAPE, b: MOTOR, sub_a: body, sub_b: 0 }
    }

    /// What it stands for.
    pub const fn id(&self) -> GroupId {
        match *self {
            Self { a: NO_SHAPE, b: MOTOR, sub_a: body, .. } => GroupId::DriverMotor { body },
            Self { a: NO_SHAPE, b: COUPLING, sub_a: coupling, .. } => GroupId::Coupling { coupling },
            Self { a: NO_SHAPE, b: joint, sub_a: FRICTION, .. } => GroupId::JointFriction { joint },
            Self { a: NO_SHAPE, b: joint, sub_a: JOINT_MOTOR, .. } => GroupId::JointMotor { joint },
            Self { a: NO_SHAPE, b: joint, sub_a: 0, .. } => GroupId::JointLimit { joint, end: RangeEnd::Low },
            Self { a: NO_SHAPE, b: joint, .. } => GroupId::JointLimit { joint, end: RangeEnd::High },
            Self { a, b, sub_a, sub_b } => GroupId::Contact { shapes: [a, b], parts: [sub_a, sub_b] },
        }
    }

    /// Slots of the shapes of a contact, the lower one first; slots that no shape has for another group.
    #[inline(always)]
    pub const fn shapes(&self) -> [u32; 2] {
        [self.a, self.b]
    }

    /// The parts of its two shapes that meet.
    #[inline(always)]
    pub const fn parts(&self) -> [u32; 2] {
        [self.sub_a, self.sub_b]
    }

    /// The contact of other parts of the same shapes.
    #[inline(always)]
    #[must_use]
    pub const fn with_parts(&self, parts: [u32; 2]) -> Self {
        Self::contact(self.shapes(), parts)
    }

    /// Its four numbers, as stored problems have them.
    pub const fn numbers(&self) -> [u32; 4] {
        [self.a, self.b, self.sub_a, self.sub_b]
    }

    /// The key with these four numbers.
    pub const fn from_numbers([a, b, sub_a, sub_b]: [u32; 4]) -> Self {
        Self { a, b, sub_a, sub_b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_come_first_then_limits_by_joint_and_end_then_motors() {
        let contacts = [
            GroupKey::contact([0, 1], [0, 0]),
            GroupKey::contact([0, 1], [0, 7]),
            GroupKey::contact([0, 2], [0, 0]),
            GroupKey::contact([5, 6], [u32::MAX - 1, u32::MAX - 1]),
        ];
        let limits = [
            GroupKey::joint_limit(0, RangeEnd::Low),
            GroupKey::joint_limit(0, RangeEnd::High),
            GroupKey::joint_friction(0),
            GroupKey::joint_motor(0),
            GroupKey::joint_limit(9, RangeEnd::Low),
        ];
        let motors = [GroupKey::coupling(2), GroupKey::driver_motor(0), GroupKey::driver_motor(3)];
        let all: Vec<GroupKey> = contacts.into_iter().chain(limits).chain(motors).collect();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert_eq!(size_of::<GroupKey>(), 16);
    }

    #[test]
    fn a_key_says_what_it_was_made_from() {
        let contact = GroupId::Contact { shapes: [3, 8], parts: [1, 2] };
        assert_eq!(GroupKey::contact([3, 8], [1, 2]).id(), contact);
        for end in [RangeEnd::Low, RangeEnd::High] {
            assert_eq!(GroupKey::joint_limit(4, end).id(), GroupId::JointLimit { joint: 4, end });
        }
        assert_eq!(GroupKey::joint_friction(4).id(), GroupId::JointFriction { joint: 4 });
        assert_eq!(GroupKey::joint_motor(4).id(), GroupId::JointMotor { joint: 4 });
        assert_eq!(GroupKey::coupling(4).id(), GroupId::Coupling { coupling: 4 });
        assert_eq!(GroupKey::driver_motor(6).id(), GroupId::DriverMotor { body: 6 });
        let key = GroupKey::joint_limit(4, RangeEnd::High);
        assert_eq!(GroupKey::from_numbers(key.numbers()), key);
    }
}
