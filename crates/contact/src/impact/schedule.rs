//! The order of the impacts of a step: by moment, then by key.

use crate::scratch::{Room, reserve};
use crate::{ContactGraph, Groups, Head, Velocity};
use huygens_math::DisjointSets;
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
    /// Impacts that each island may still have in this step.
    left: Vec<u32>,
    /// What touches slowly, for [`super::support`].
    pub(super) islands: DisjointSets,
    pub(super) supported: Vec<bool>,
    /// Acceleration of what flies.
    pub(super) acceleration: Velocity,
}

impl ImpactScratch {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        let movable = room.bodies + room.dofs;
        // Predictions that were overtaken stay in the heap until their time comes or the room is used up.
        self.events.reserve((4 * room.groups).saturating_sub(self.events.len()));
        reserve(&mut self.version, room.groups);
        reserve(&mut self.last, movable);
        reserve(&mut self.left, room.groups);
        reserve(&mut self.supported, movable);
        self.islands.reserve(movable);
        self.acceleration.reserve(room);
    }

    /// Forgets the last step.
    pub(super) fn reset(&mut self, groups: &Groups, graph: &ContactGraph) {
        self.events.clear();
        refill(&mut self.version, groups.heads.len(), 0);
        refill(&mut self.last, graph.free_bodies() + graph.trees(), 0.0);
        refill(&mut self.left, graph.islands(), 0);
    }

    /// Number of movable things.
    pub(super) fn movable(&self) -> usize {
        self.last.len()
    }

    /// Lets an island have so many impacts more.
    pub(super) fn allow(&mut self, island: usize, impacts: u32) {
        self.left[island] = self.left[island].saturating_add(impacts);
    }

    /// True while an island may have one more impact.
    pub(super) fn may_strike(&self, island: usize) -> bool {
        self.left[island] > 0
    }

    /// Counts an impact of an island.
    pub(super) fn spend(&mut self, island: usize) {
        self.left[island] -= 1;
    }

    /// Announces what a new prediction says; older ones of that group are void.
    pub(super) fn announce(&mut self, group: usize, found: Option<(f64, usize)>) {
        self.version[group] += 1;
        if let Some((time, point)) = found {
            let version = self.version[group];
            if self.events.len() == self.events.capacity() {
                self.drop_void_events();
            }
            self.events.push(Reverse(Event { time, group: group as u32, point: point as u32, version }));
        }
    }

    /// Drops predictions that were overtaken. Each group has one that is not, so that a heap of more than twice the groups is at least half
    /// empty afterwards; the order in which events come out is that of their ranks either way.
    fn drop_void_events(&mut self) {
        let version = &self.version;
        self.events.retain(|Reverse(event)| event.version == version[event.group as usize]);
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
    pub(super) fn earliest(&self, graph: &ContactGraph, head: &Head) -> f64 {
        let mut time = 0.0;
        for movable in graph.movables_of(head).into_iter().flatten() {
            time = huygens_math::scalar::max(self.last[movable], time);
        }
        time
    }

    /// Notes an impact of a group.
    pub(super) fn hit(&mut self, graph: &ContactGraph, head: &Head, time: f64) {
        for movable in graph.movables_of(head).into_iter().flatten() {
            self.last[movable] = time;
        }
    }
}

fn refill<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}

/// True when a group takes part in the impact stage.
pub(super) fn bounces(groups: &Groups, head: &Head) -> bool {
    groups.restitution(head) > 0.0
}
