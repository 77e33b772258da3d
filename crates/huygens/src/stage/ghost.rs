//! Takes out contacts with hidden sides of flush neighbours: of every shape that moves, all manifolds are looked at together.
//!
//! The rule is `huygens_geometry::ghost`; here each manifold is only shown to the others of the same shape.

use super::table::ShapeRow;
use crate::access::CollideAccess;
use crate::edit_log::Since;
use crate::model::{Model, Motion, ShapeModel};
use crate::state::State;
use crate::workspace::{Found, FoundPoint};
use huygens_contact::GroupKey;
use huygens_geometry::CollisionShape;
use huygens_geometry::ghost::{FLUSH, Seen, has_sides, is_ghost, is_ground};
use huygens_math::{Pose, Vec3};

/// What a shape can be to a ghost.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// It slides over others.
    slider: bool,
    /// Others slide over it.
    ground: bool,
    /// It has sides that a neighbour can hide.
    sides: bool,
    /// It has nothing but faces.
    flat: bool,
}

impl Part {
    fn of(model: &Model, shape: &ShapeModel) -> Self {
        let motion = model.bodies[shape.body as usize].motion;
        Self {
            slider: matches!(motion, Motion::Dynamic | Motion::Link { .. }) && !shape.sensor,
            ground: !shape.sensor
                && (has_sides(&shape.shape) || matches!(shape.shape, CollisionShape::HalfSpace)),
            sides: has_sides(&shape.shape),
            flat: matches!(shape.shape, CollisionShape::Box(_) | CollisionShape::Hull(_)),
        }
    }
}

/// Normals with a cosine above this are on one line: any two of them are within the 5° that `is_ghost` takes for one ground.
const ONE_LINE: f64 = 0.9991;

/// Room for the pass.
#[derive(Debug, Default)]
pub struct GhostWork {
    /// Edit count of the model that `parts` knows.
    edits: Option<u64>,
    /// By shape slot.
    parts: Vec<Part>,
    /// Where the contacts of each shape slot begin in `contacts`, and one more.
    first: Vec<u32>,
    /// Numbers of groups, by the shape that moves.
    contacts: Vec<u32>,
    /// Which groups are ghosts.
    ghost: Vec<bool>,
    /// The contacts of the shape at hand, as it sees them.
    seen: Vec<Contact>,
    /// Pairs of shapes of which a contact was dropped, sorted.
    dropped: Vec<[u32; 2]>,
}

/// A contact of a shape with another.
#[derive(Clone, Copy, Debug)]
struct Contact {
    /// Number of its group.
    group: u32,
    /// Slot of the other shape.
    other: u32,
    /// Unit normal from the other shape to this one.
    up: Vec3,
}

impl GhostWork {
    /// Makes room for that many shapes and groups.
    pub(crate) fn reserve(&mut self, shapes: usize, groups: usize) {
        crate::workspace::reserve(&mut self.parts, shapes);
        crate::workspace::reserve(&mut self.first, shapes + 1);
        crate::workspace::reserve(&mut self.contacts, 2 * groups);
        crate::workspace::reserve(&mut self.ghost, groups);
        crate::workspace::reserve(&mut self.seen, groups);
        crate::workspace::reserve(&mut self.dropped, groups);
    }

    /// Pairs of shapes of which a contact was dropped in this step, sorted.
    pub(crate) fn dropped(&self) -> &[[u32; 2]] {
        &self.dropped
    }

    fn update(&mut self, model: &Model) {
        let edits = model.edits.since(self.edits);
        self.edits = Some(model.edits.count());
        if let Since::All = edits {
            self.parts.clear();
        }
        let new = &model.shapes[self.parts.len()..];
        self.parts.extend(new.iter().map(|shape| Part::of(model, shape)));
        for slot in edits.shapes() {
            self.parts[slot] = Part::of(model, &model.shapes[slot]);
        }
    }

    /// The shapes of a group over whose other shape they slide, with that shape.
    #[inline(always)]
    fn sliders(&self, key: &GroupKey) -> impl Iterator<Item = u32> + use<> {
        let slots = key.shapes();
        let [a, b] = slots.map(|slot| self.parts[slot as usize]);
        let slides = [(slots[0], a.slider & b.ground), (slots[1], b.slider & a.ground)];
        slides.into_iter().filter(|(_, slides)| *slides).map(|(slot, _)| slot)
    }

    /// Sorts the groups by the shapes in them that slide, in the order of their keys; false when there is none.
    fn sort_by_shape(&mut self, found: &[Found]) -> bool {
        self.first.clear();
        self.first.resize(self.parts.len() + 1, 0);
        for entry in found.iter().filter(|entry| entry.len > 0) {
            self.sliders(&entry.key).for_each(|slot| self.first[slot as usize + 1] += 1);
        }
        for slot in 0..self.parts.len() {
            self.first[slot + 1] += self.first[slot];
        }
        let count = self.first[self.parts.len()] as usize;
        self.contacts.clear();
        self.contacts.resize(count, 0);
        for (i, entry) in found.iter().enumerate().filter(|(_, entry)| entry.len > 0) {
            for slot in self.sliders(&entry.key) {
                let at = &mut self.first[slot as usize];
                self.contacts[*at as usize] = i as u32;
                *at += 1;
            }
        }
        // Each entry now stands where the next shape begins.
        self.first.rotate_right(1);
        self.first[0] = 0;
        count > 0
    }
}

/// Removes ghosts from the groups found.
pub(crate) fn drop_ghosts(model: &Model, state: &State, work: &mut CollideAccess) {
    let CollideAccess { ghosts, found, found_points, shapes, shape_pose, .. } = work;
    ghosts.update(model);
    ghosts.dropped.clear();
    let near = Near { found, points: found_points, shapes, poses: shape_pose };
    if ghosts.sort_by_shape(near.found) && mark(model, state, &near, ghosts) {
        let GhostWork { ghost, dropped, .. } = &mut **ghosts;
        let mut flags = ghost.iter();
        found.retain(|found| {
            let is_ghost = flags.next().copied().unwrap_or(false);
            if is_ghost {
                dropped.push(found.key.shapes());
            }
            !is_ghost
        });
    }
}

/// The groups found, and the shapes that they belong to.
struct Near<'a> {
    found: &'a [Found],
    points: &'a [FoundPoint],
    shapes: &'a [ShapeRow],
    poses: &'a [Pose],
}

/// Marks the ghosts; true when there is one.
fn mark(model: &Model, state: &State, near: &Near, ghosts: &mut GhostWork) -> bool {
    ghosts.ghost.clear();
    ghosts.ghost.resize(near.found.len(), false);
    let mut any = false;
    for slot in 0..ghosts.parts.len() {
        let (from, to) = (ghosts.first[slot] as usize, ghosts.first[slot + 1] as usize);
        if to - from < 2 {
            continue;
        }
        let contacts = &ghosts.contacts[from..to];
        if meets_one(near, contacts)
            || stands_between_faces(near, slot as u32, ghosts.parts[slot].flat, contacts)
        {
            continue;
        }
        ghosts.seen.clear();
        ghosts.seen.extend(contacts.iter().map(|&group| Contact::new(near, slot as u32, group)));
        for contact in ghosts.seen.iter().filter(|contact| ghosts.parts[contact.other as usize].sides) {
            // Most pairs end with their directions, before anything of the shapes is read.
            let by_any = ghosts.seen.iter().any(|support| {
                support.other != contact.other
                    && is_ground(contact.up, support.up)
                    && !ghosts.ghost[support.group as usize]
                    && is_ghost_by(model, state, near, slot as u32, [contact, support])
            });
            ghosts.ghost[contact.group as usize] |= by_any;
            any |= by_any;
        }
    }
    any
}

impl Contact {
    #[inline(always)]
    fn new(near: &Near, slot: u32, group: u32) -> Self {
        let found = &near.found[group as usize];
        let [a, b] = found.key.shapes();
        let (other, up) = if a == slot { (b, found.normal) } else { (a, -found.normal) };
        Self { group, other, up }
    }
}

/// True when all contacts are with one shape, as of a box that lies on a mesh: a neighbour is another shape.
#[inline(always)]
fn meets_one(near: &Near, contacts: &[u32]) -> bool {
    let pair = |&i: &u32| near.found[i as usize].key.shapes();
    let first = pair(&contacts[0]);
    contacts[1..].iter().all(|i| pair(i) == first)
}

/// True when all contacts are faces along one line, as in a stack or a wall: none of them can be a ghost, and no pair need be looked at.
#[inline(always)]
fn stands_between_faces(near: &Near, slot: u32, flat: bool, contacts: &[u32]) -> bool {
    let along = near.found[contacts[0] as usize].normal;
    contacts.iter().all(|&i| {
        let found = &near.found[i as usize];
        debug_assert!(found.key.shapes().contains(&slot), "sorted by shape");
        (flat || found.len > 2) && along.dot(found.normal).abs() > ONE_LINE
    })
}

/// As [`is_ghost`], of two contacts of a shape.
fn is_ghost_by(model: &Model, state: &State, near: &Near, slot: u32, pair: [&Contact; 2]) -> bool {
    let placed = |slot: u32| (&model.shapes[slot as usize].shape, &near.poses[slot as usize]);
    let [seen, ground] = pair.map(|contact| {
        let (up, found) = (contact.up, &near.found[contact.group as usize]);
        let foot = move |point: &FoundPoint| -> Vec3 { point.at - up * (0.5 * point.gap) };
        let feet = near.points[found.range()].iter().map(foot);
        Seen { this: placed(slot), other: placed(contact.other), up, gap: found.gap, feet }
    });
    let [contact, support] = pair;
    // Few get as far as the second question.
    is_ghost(&seen, &ground)
        && !gives_way(model, state, near, [slot, contact.other, support.other], support.up)
}

/// True when a shape comes at its ground so fast that the ground may not hold it above the neighbour: a ball that is shot at a wall of loose
/// bricks takes one with it, and must meet the next. What slides comes no nearer, and what cannot be moved holds.
#[inline(always)]
fn gives_way(
    model: &Model,
    state: &State,
    near: &Near,
    [this, neighbour, ground]: [u32; 3],
    up: Vec3,
) -> bool {
    let row = |slot: u32| &near.shapes[slot as usize];
    let velocity = |slot: u32| state.velocity.free[row(slot).body as usize].linear;
    let way = (velocity(neighbour) - velocity(this)).dot(up) * model.settings.dt;
    !row(ground).is_static && way > FLUSH * row(this).size
}
