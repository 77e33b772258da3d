//! What contacts leave for the next step: impulses to start from, and manifolds to use again.

use huygens_contact::GroupKey;
use huygens_geometry::Manifold;
use huygens_math::{Pose, Vec3};

/// One group of contact points of the last step.
#[derive(Clone, Copy, Debug)]
pub struct ContactHead {
    /// Identity of the group.
    pub key: GroupKey,
    /// Its first point.
    pub first: u32,
    /// Number of its points.
    pub len: u32,
}

impl ContactHead {
    /// Its points among those of all groups.
    #[inline(always)]
    pub fn points<'p>(&self, all: &'p [ContactPoint]) -> &'p [ContactPoint] {
        &all[self.first as usize..(self.first + self.len) as usize]
    }
}

/// One contact point of the last step.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint {
    /// Its impulse in world axes [N·s].
    pub impulse: Vec3,
    /// The features that meet there: its identity within the group.
    pub feature: [u32; 2],
}

/// What the narrow phase said about a pair, with the relative pose that it said it of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// Shape slot of A.
    pub a: u32,
    /// Shape slot of B.
    pub b: u32,
    /// Where its manifold is kept, or [`APART`].
    pub at: u32,
    /// Pose of B in A's frame.
    pub made_at: Pose,
    /// Largest gap that was looked for, or a distance that the shapes keep when they are apart [m].
    pub reach: f64,
    /// Least gap of the manifold [m].
    pub gap: f64,
}

/// No manifold.
pub(crate) const APART: u32 = u32::MAX;

impl Kept {
    /// Nothing.
    pub const EMPTY: Self = Self { a: 0, b: 0, at: APART, made_at: Pose::IDENTITY, reach: 0.0, gap: 0.0 };

    /// One number with the order of the pairs.
    #[inline(always)]
    pub fn order(&self) -> u64 {
        order(self.a, self.b)
    }

    /// How far any point of B, all within `radius` of its origin, can have moved against A since [m].
    #[inline(always)]
    pub fn motion(&self, b_in_a: &Pose, radius: f64) -> f64 {
        let q = self.made_at.rotation.conjugate() * b_in_a.rotation;
        // The vector part is sin(δ/2) long, and a chord 2 sin(δ/2) radii.
        let chord = 2.0 * (q.x * q.x + q.y * q.y + q.z * q.z).sqrt() * radius;
        (b_in_a.translation - self.made_at.translation).length() + chord
    }
}

/// One number with the order of the pairs.
#[inline(always)]
pub(crate) fn order(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// What is dear to find out anew. Manifolds lie in slots that stay where they are while the pair stays near.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptManifolds {
    /// Pairs that something is kept of, sorted.
    pub pairs: Vec<Kept>,
    /// Slots for manifolds, each as it was made.
    pub slots: Vec<Manifold>,
    /// Slots that are free.
    pub free: Vec<u32>,
}

impl KeptManifolds {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.slots.clear();
        self.free.clear();
    }
}

/// Takes the entries out of a list that are gone, in its order. Most often there is none, and the list is only read.
#[inline(always)]
pub(crate) fn take_out<T: Copy>(list: &mut Vec<T>, is_gone: impl Fn(&T) -> bool, mut take: impl FnMut(T)) {
    let Some(first) = list.iter().position(&is_gone) else { return };
    let mut kept = first;
    for at in first..list.len() {
        let entry = list[at];
        if is_gone(&entry) {
            take(entry);
        } else {
            list[kept] = entry;
            kept += 1;
        }
    }
    list.truncate(kept);
}

/// What contacts leave for the next step.
///
/// Impulses and features are kept for every contact, whole manifolds only for pairs that are dear to make anew.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Groups of the last step, sorted by key.
    pub heads: Vec<ContactHead>,
    /// Their points, group after group.
    pub points: Vec<ContactPoint>,
    /// Couple against spinning and rolling of each point, in world axes [N·m·s]; empty when no contact has any.
    pub couples: Vec<Vec3>,
    pub(crate) kept: KeptManifolds,
}

impl Contacts {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// True when nothing touches.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The couples of a group's points; empty when no contact has any.
    #[inline]
    pub fn couples_of(&self, head: &ContactHead) -> &[Vec3] {
        self.couples.get(head.first as usize..(head.first + head.len) as usize).unwrap_or_default()
    }

    /// Each group with its points, in key order.
    pub fn iter(&self) -> impl Iterator<Item = (GroupKey, &[ContactPoint])> {
        self.heads.iter().map(|head| (head.key, head.points(&self.points)))
    }

    /// Forgets everything about shapes that are no more, so that nothing which takes over their slots finds it.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(u32) -> bool) {
        take_out(&mut self.heads, |head| head.key.shapes().into_iter().any(&is_gone), |_| {});
        let KeptManifolds { pairs, free, .. } = &mut self.kept;
        take_out(
            pairs,
            |pair| is_gone(pair.a) || is_gone(pair.b),
            |pair| free.extend((pair.at != APART).then_some(pair.at)),
        );
    }
}
