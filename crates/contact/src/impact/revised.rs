//! The groups of a step as its impacts leave them.
//!
//! Groups do not change after assembly. Two balls that bounce meet along the line between their centres at the touch ([`super::round`]),
//! which is another one than at the start of the step: the impact stage keeps the rows of the touch in a copy of its own, and the solve
//! goes on with that copy. Without such a bounce nothing is copied.

use crate::{CoupleImpulse, Groups, Impulse};
use std::ops::Deref;

/// A copy of the groups of a step with other frames, arms and gaps where balls bounced, and with the velocity that a limit of power leaves
/// to a driver. It is made when the first of these comes; until then it stands for the assembled groups.
#[derive(Clone, Debug, Default)]
pub struct RevisedGroups {
    copy: Groups,
    is_copied: bool,
    /// Contacts whose frame is that of their touch; one that bounced again may be named again.
    touched: Vec<u32>,
    /// Impulses of the last step in the frames of `copy`; empty when no frame is that of a touch.
    warm: Vec<Impulse>,
    warm_couples: Vec<CoupleImpulse>,
}

impl RevisedGroups {
    /// The groups as they are now, given those of assembly.
    #[inline(always)]
    pub fn or<'a>(&'a self, assembled: &'a Groups) -> &'a Groups {
        if self.is_copied { &self.copy } else { assembled }
    }

    /// The copy, to be changed; made from the assembled groups if there is none yet.
    pub fn revise(&mut self, assembled: &Groups) -> &mut Groups {
        if !self.is_copied {
            self.copy.copy_from(assembled);
            self.is_copied = true;
        }
        &mut self.copy
    }

    /// Contacts whose frame is that of their touch.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Puts other touched contacts in the place of those that `is_gone` names.
    pub(crate) fn replace_touched(
        &mut self,
        is_gone: impl Fn(u32) -> bool,
        others: impl Iterator<Item = u32>,
    ) {
        self.touched.retain(|group| !is_gone(*group));
        self.touched.extend(others);
    }

    /// Stands for the assembled groups again.
    pub(crate) fn reset(&mut self) {
        self.is_copied = false;
        self.touched.clear();
    }

    /// Makes room for a copy of these groups.
    pub(crate) fn reserve(&mut self, room: &crate::Room) {
        self.copy.reserve(room);
        // Contacts on curved surfaces have one each.
        crate::scratch::reserve(&mut self.copy.surface_velocities, room.groups);
        crate::scratch::reserve(&mut self.touched, room.groups);
        crate::scratch::reserve(&mut self.warm, room.points);
    }

    /// Turns the impulses of the last step, given in the frames of assembly, into the frames of the touch.
    pub fn turn_warm(&mut self, assembled: &Groups, warm: &[Impulse], couples: &[CoupleImpulse]) {
        self.warm.clear();
        self.warm_couples.clear();
        if self.touched.is_empty() {
            return;
        }
        self.warm.extend_from_slice(warm);
        self.warm_couples.extend_from_slice(couples);
        for &group in &self.touched {
            let (was, is) = (&assembled.heads[group as usize], &self.copy.heads[group as usize]);
            for i in is.range() {
                self.warm[i] = is.to_local(was.to_world(warm[i]));
            }
            for i in is.couples() {
                self.warm_couples[i] = is.to_local(was.to_world(couples[i]));
            }
        }
    }

    /// The impulses of the last step in the frames of these groups, given those in the frames of assembly.
    pub fn warm_or<'a>(&'a self, warm: &'a [Impulse]) -> &'a [Impulse] {
        if self.touched.is_empty() { warm } else { &self.warm }
    }

    /// The same for the couples.
    pub fn couples_or<'a>(&'a self, couples: &'a [CoupleImpulse]) -> &'a [CoupleImpulse] {
        if self.touched.is_empty() { couples } else { &self.warm_couples }
    }
}

/// The groups that the impacts of a step see: assembled, or revised.
pub(super) struct ImpactGroups<'a> {
    pub assembled: &'a Groups,
    pub revised: &'a mut RevisedGroups,
}

impl ImpactGroups<'_> {
    /// The copy, to be changed for the touch of a contact.
    pub(super) fn revise(&mut self, group: usize) -> &mut Groups {
        let frame = |groups: &Groups| (groups.heads[group].normal, groups.heads[group].tangent);
        if frame(self) == frame(self.assembled) {
            self.revised.touched.push(group as u32);
        }
        self.revised.revise(self.assembled)
    }
}

impl Deref for ImpactGroups<'_> {
    type Target = Groups;

    #[inline(always)]
    fn deref(&self) -> &Groups {
        self.revised.or(self.assembled)
    }
}
