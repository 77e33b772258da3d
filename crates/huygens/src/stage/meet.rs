//! Shows contacts to the user's function before they are solved, and takes out those that it lets pass.

use crate::access::MeetAccess;
use crate::meeting::{ContactChange, Hook, Meeters, Meeting};
use crate::model::Model;
use crate::state::State;
use crate::workspace::{Found, FoundPoint};
use huygens_contact::{GroupKey, Material};

/// What the user's function said in this step.
#[derive(Debug, Default)]
pub struct MeetWork {
    /// `meet` has looked at the contacts of this step.
    has_met: bool,
    /// Groups that it was shown, sorted.
    seen: Vec<GroupKey>,
    /// Pairs of shapes that pass each other, sorted.
    ignored: Vec<[u32; 2]>,
    /// Contacts that it changed, sorted by key.
    changes: Vec<ContactChange>,
}

impl MeetWork {
    /// Forgets what was said of the last step.
    pub(crate) fn clear(&mut self) {
        self.has_met = false;
        self.seen.clear();
        self.ignored.clear();
        self.changes.clear();
    }

    /// True for shapes that pass each other in this step.
    #[inline]
    pub(crate) fn ignores(&self, shapes: [u32; 2]) -> bool {
        !self.ignored.is_empty() && self.ignored.binary_search(&shapes).is_ok()
    }

    /// Pairs of shapes whose contact the user's function changed or let pass: what it will say in the next step nobody knows.
    pub(crate) fn shapes_of_changes(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.ignored.iter().copied().chain(self.changes.iter().map(|change| change.key.shapes()))
    }

    /// The surface that the function gave this contact, when it was the last one that it changed.
    pub(super) fn last_change(&self, key: &GroupKey) -> Option<Material> {
        self.changes.last().filter(|change| change.key == *key)?.material
    }

    /// What was changed of a contact.
    #[inline]
    pub(crate) fn change(&self, key: &GroupKey) -> Option<&ContactChange> {
        if self.changes.is_empty() {
            return None;
        }
        let at = self.changes.binary_search_by_key(key, |change| change.key).ok()?;
        Some(&self.changes[at])
    }
}

/// Shows one group, and notes what the function says of it; false for one that is ignored.
pub(crate) fn show(
    model: &Model,
    state: &State,
    meet: &mut MeetWork,
    (entry, points, materials): (&Found, &[FoundPoint], [u32; 2]),
    hook: &mut Hook,
) -> bool {
    meet.seen.push(entry.key);
    let meeters = Meeters { model, state, user_data: hook.meeters.user_data, world: hook.meeters.world };
    let change = ContactChange { key: entry.key, material: None, surface_velocity: [None; 2] };
    let mut meeting = Meeting { meeters, found: entry, points, materials, change, ignored: false };
    (hook.look)(&mut meeting);
    let Meeting { change, ignored, .. } = meeting;
    if ignored {
        meet.ignored.push(entry.key.shapes());
    } else if change.material.is_some() || change.surface_velocity != [None; 2] {
        meet.changes.push(change);
    }
    !ignored
}

/// Shows the groups that were not shown yet. Two shapes of which one contact is ignored pass each other whole.
pub(crate) fn meet(model: &Model, state: &State, work: &mut MeetAccess, hook: &mut Hook) {
    let MeetAccess { meet, found, found_points, shapes } = work;
    let (shown, has_met) = (meet.seen.len(), std::mem::replace(&mut meet.has_met, true));
    for entry in found.iter().filter(|entry| entry.len > 0) {
        let rows = entry.key.shapes().map(|slot| &shapes[slot as usize]);
        if rows.iter().any(|row| row.sensor) || meet.seen[..shown].binary_search(&entry.key).is_ok() {
            continue;
        }
        let materials = rows.map(|row| row.material);
        show(model, state, meet, (entry, &found_points[entry.range()], materials), hook);
    }
    if meet.seen.len() == shown && has_met {
        return;
    }
    // Later rounds show contacts of their own, whose keys may come before those of earlier ones.
    meet.seen.sort_unstable();
    meet.ignored.sort_unstable();
    meet.ignored.dedup();
    meet.changes.sort_unstable_by_key(|change| change.key);
    if !meet.ignored.is_empty() {
        found.retain(|entry| !meet.ignores(entry.key.shapes()));
    }
}
