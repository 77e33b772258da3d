//! The order of the impacts of a step: by moment, then by key.

use crate::island::{Islands, slots};
use crate::scratch::{Room, reserve};
use crate::{Groups, Head, Law, Material, Side, Velocity};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A group is expected to close.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub time: f64,
    pub group: u32,
    /// The point that closes first.
    pub point: u32,
    /// Prediction it belongs to: an older one is void.
    pub version: u32,
}

impl Event {
    fn rank(&self, other: &Self) -> Ordering {
        let key = |e: &Self| (e.group, e.version);
        self.time.total_cmp(&other.time).then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.rank(other) == Ordering::Equal
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank(other)
    }
}

/// Room of the impact stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpactScratch {
    events: BinaryHeap<Reverse<Event>>,
    /// Current prediction of each group.
    version: Vec<u32>,
    /// Moment of the last impact on each movable thing: free bodies, then trees.
    last: Vec<f64>,
    /// Where the groups of each movable thing start in `touching`.
    first: Vec<u32>,
    /// Bouncing groups of each movable thing, one after the other.
    touching: Vec<u32>,
    /// Each contact with a friction couple, and the group of that.
    couples: Vec<[u32; 2]>,
    /// What touches slowly, for [`super::support`].
    pub(super) islands: Islands,
    pub(super) held: Vec<bool>,
    /// Acceleration of what flies.
    pub(super) acceleration: Velocity,
}

impl ImpactScratch {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        let movable = room.bodies + room.dofs;
        // Predictions that were overtaken stay in the heap until their time comes: some for each group.
        self.events.reserve((4 * room.groups).saturating_sub(self.events.len()));
        reserve(&mut self.version, room.groups);
        reserve(&mut self.last, movable);
        reserve(&mut self.first, movable + 1);
        reserve(&mut self.touching, 2 * room.groups);
        reserve(&mut self.couples, room.groups);
        reserve(&mut self.held, movable);
        self.islands.reserve(movable);
        self.acceleration.reserve(room);
    }

    /// Forgets the last step.
    pub(super) fn reset(&mut self, groups: &Groups, free: usize) {
        let trees = groups.heads.iter().flat_map(|head| head.side).map(|side| match side {
            Side::Tree(i) => i as usize + 1,
            _ => 0,
        });
        let movable = free + trees.max().unwrap_or(0);
        self.events.clear();
        refill(&mut self.version, groups.heads.len(), 0);
        refill(&mut self.last, movable, 0.0);
        self.touching.clear();
        self.first.clear();
        self.couples.clear();
        let has_lever = |m: &Material| m.friction_torsional > 0.0 || m.friction_rolling > 0.0;
        if groups.materials.iter().any(has_lever) {
            let couple = |(at, head): (usize, &Head)| match head.law {
                Law::Couple { contact } => Some([contact, at as u32]),
                _ => None,
            };
            self.couples.extend(groups.heads.iter().enumerate().filter_map(couple));
            self.couples.sort_unstable();
        }
    }

    /// The group with the friction couple of a contact.
    pub(super) fn couple(&self, contact: u32) -> Option<usize> {
        if self.couples.is_empty() {
            return None;
        }
        let at = self.couples.binary_search_by_key(&contact, |couple| couple[0]).ok()?;
        Some(self.couples[at][1] as usize)
    }

    /// Number of movable things.
    pub(super) fn movable(&self) -> usize {
        self.last.len()
    }

    /// Lists the bouncing groups of each movable thing.
    pub(super) fn link(&mut self, groups: &Groups, free: usize) {
        let movable = self.last.len();
        refill(&mut self.first, movable + 1, 0);
        for head in groups.heads.iter().filter(|head| bounces(groups, head)) {
            for slot in slots(head, free).into_iter().flatten() {
                self.first[slot + 1] += 1;
            }
        }
        for i in 0..movable {
            self.first[i + 1] += self.first[i];
        }
        refill(&mut self.touching, self.first[movable] as usize, 0);
        // Fills each list from its start; the starts move up by one list and are moved back after.
        for (group, head) in groups.heads.iter().enumerate() {
            if bounces(groups, head) {
                for slot in slots(head, free).into_iter().flatten() {
                    self.touching[self.first[slot] as usize] = group as u32;
                    self.first[slot] += 1;
                }
            }
        }
        for i in (1..=movable).rev() {
            self.first[i] = self.first[i - 1];
        }
        self.first[0] = 0;
    }

    /// Announces what a new prediction says; older ones of that group are void.
    pub(super) fn announce(&mut self, group: usize, found: Option<(f64, usize)>) {
        self.version[group] += 1;
        if let Some((time, point)) = found {
            let version = self.version[group];
            self.events.push(Reverse(Event { time, group: group as u32, point: point as u32, version }));
        }
    }

    /// True when nothing is expected.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The next impact.
    pub(super) fn next(&mut self) -> Option<Event> {
        while let Some(Reverse(event)) = self.events.pop() {
            if event.version == self.version[event.group as usize] {
                return Some(event);
            }
        }
        None
    }

    /// Moment from which on a group's sides fly undisturbed.
    pub(super) fn earliest(&self, head: &Head, free: usize) -> f64 {
        let mut time = 0.0;
        for slot in slots(head, free).into_iter().flatten() {
            time = huygens_math::scalar::max(self.last[slot], time);
        }
        time
    }

    /// Notes an impact of a group.
    pub(super) fn hit(&mut self, head: &Head, free: usize, time: f64) {
        for slot in slots(head, free).into_iter().flatten() {
            self.last[slot] = time;
        }
    }

    /// Range of the bouncing groups of one movable thing in [`ImpactScratch::neighbour`].
    pub(super) fn neighbours(&self, slot: usize) -> std::ops::Range<usize> {
        self.first[slot] as usize..self.first[slot + 1] as usize
    }

    /// One of those groups.
    pub(super) fn neighbour(&self, at: usize) -> usize {
        self.touching[at] as usize
    }
}

fn refill<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}

/// True when a group takes part in the impact stage.
pub(super) fn bounces(groups: &Groups, head: &Head) -> bool {
    head.law == Law::Contact && groups.materials[head.material as usize].restitution > 0.0
}
