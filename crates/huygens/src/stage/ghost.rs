//! Takes out contacts with hidden sides of flush neighbours: of every shape that moves, all manifolds are looked at together.
//!
//! The rule is `huygens_geometry::ghost`; here each manifold is only shown to the others of the same shape.

use crate::model::{Model, Motion};
use crate::workspace::Workspace;
use huygens_geometry::ghost::{Seen, is_ghost};

/// Room for the pass.
#[derive(Debug, Default)]
pub struct GhostWork {
    /// Where the contacts of each shape slot begin in `contacts`, and one more.
    first: Vec<u32>,
    /// Numbers of manifolds, by the shape that moves.
    contacts: Vec<u32>,
    /// Which manifolds are ghosts.
    ghost: Vec<bool>,
}

impl GhostWork {
    /// Makes room for that many shapes and manifolds.
    pub(crate) fn reserve(&mut self, shapes: usize, groups: usize) {
        crate::workspace::reserve(&mut self.first, shapes + 1);
        crate::workspace::reserve(&mut self.contacts, 2 * groups);
        crate::workspace::reserve(&mut self.ghost, groups);
    }
}

/// Removes ghosts from the manifolds found.
pub(crate) fn drop_ghosts(model: &Model, work: &mut Workspace) {
    let mut ghosts = std::mem::take(&mut work.ghosts);
    sort_by_shape(model, work, &mut ghosts);
    ghosts.ghost.clear();
    ghosts.ghost.resize(work.found.len(), false);
    let mut any = false;
    for slot in 0..model.shapes.len() {
        let (from, to) = (ghosts.first[slot] as usize, ghosts.first[slot + 1] as usize);
        if to - from < 2 {
            continue;
        }
        for i in from..to {
            let contact = ghosts.contacts[i];
            let by_any = ghosts.contacts[from..to].iter().any(|&support| {
                !ghosts.ghost[support as usize] && is_ghost_by(model, work, slot as u32, [contact, support])
            });
            ghosts.ghost[contact as usize] |= by_any;
            any |= by_any;
        }
    }
    if any {
        let mut flags = ghosts.ghost.iter();
        work.found.retain(|_| !flags.next().copied().unwrap_or(false));
    }
    work.ghosts = ghosts;
}

fn is_ghost_by(model: &Model, work: &Workspace, slot: u32, [contact, support]: [u32; 2]) -> bool {
    let keys = [contact, support].map(|i| work.found[i as usize].key);
    let other = keys.map(|key| if key.a == slot { key.b } else { key.a });
    if other[0] == other[1] {
        return false;
    }
    let seen = |k: usize| {
        let found = &work.found[[contact, support][k] as usize];
        let is_a = keys[k].a == slot;
        let normal = work.shape_pose[keys[k].a as usize].rotate(found.manifold.normal);
        let placed = |slot: u32| (&model.shapes[slot as usize].shape, &work.shape_pose[slot as usize]);
        Seen {
            this: placed(slot),
            other: placed(other[k]),
            up: if is_a { normal } else { -normal },
            manifold: &found.manifold,
            is_a,
        }
    };
    is_ghost(&seen(0), &seen(1))
}

/// Sorts the manifolds by the shapes in them that move, in the order of their keys.
fn sort_by_shape(model: &Model, work: &Workspace, out: &mut GhostWork) {
    let moves = |slot: u32| {
        let motion = model.bodies[model.shapes[slot as usize].body as usize].motion;
        matches!(motion, Motion::Dynamic | Motion::Link { .. })
    };
    out.first.clear();
    out.first.resize(model.shapes.len() + 1, 0);
    for found in &work.found {
        for slot in [found.key.a, found.key.b].into_iter().filter(|slot| moves(*slot)) {
            out.first[slot as usize + 1] += 1;
        }
    }
    for slot in 0..model.shapes.len() {
        out.first[slot + 1] += out.first[slot];
    }
    out.contacts.clear();
    out.contacts.resize(out.first[model.shapes.len()] as usize, 0);
    for (i, found) in work.found.iter().enumerate() {
        for slot in [found.key.a, found.key.b].into_iter().filter(|slot| moves(*slot)) {
            let at = &mut out.first[slot as usize];
            out.contacts[*at as usize] = i as u32;
            *at += 1;
        }
    }
    // Each entry now stands where the next shape begins.
    out.first.rotate_right(1);
    out.first[0] = 0;
}
