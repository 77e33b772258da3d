//! Keeps what the next step needs of this one's contacts, and tells which began and ended.

use crate::event::{Event, EventKind};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::{ContactMemory, State};
use crate::workspace::Workspace;
use huygens_contact::Law;
use huygens_math::{Vec3, scalar};

pub(crate) fn remember(model: &Model, state: &mut State, work: &mut Workspace, report: &mut StepReport) {
    contacts(state, work, report);
    events(model, state, work);
}

/// Keeps manifolds and impulses for the next step.
fn contacts(state: &mut State, work: &Workspace, report: &mut StepReport) {
    state.contacts.clear();
    report.contacts = 0;
    report.max_penetration = 0.0;
    state.row_impulses.clear();
    for head in work.groups.heads.iter().filter(|head| head.law != Law::Contact) {
        state.row_impulses.extend(head.range().map(|i| (head.key, work.solution.rows[i])));
    }
    let contacts = work.groups.heads.iter().filter(|head| head.law == Law::Contact);
    for (head, &found) in contacts.zip(&work.head_found) {
        let mut impulses = [Vec3::ZERO; 4];
        for (slot, i) in impulses.iter_mut().zip(head.range()) {
            let impulse = work.solution.impulses[i];
            *slot = head.to_world(impulse);
            let gap = work.groups.points[i].gap;
            report.max_penetration = scalar::max(report.max_penetration, -gap);
            report.contacts += usize::from(gap <= 0.0 || impulse[0] > 0.0);
        }
        let manifold = work.found[found as usize].manifold;
        state.contacts.push(ContactMemory { key: head.key, manifold, impulses });
    }
}

/// Which pairs began and ceased to touch. A pair touches when it overlaps at the start of the step, or when an impulse acts
/// between its shapes: a ball that bounces inside a step never overlaps. It stays so until it is farther apart than the
/// contact margin: a resting body does not begin to touch in every step.
fn events(model: &Model, state: &mut State, work: &mut Workspace) {
    work.touching.clear();
    work.events.clear();
    let is_out = |shape: u32| state.quarantined[model.shapes[shape as usize].body as usize];
    let mut heads = work.groups.heads.iter().zip(&work.head_found).peekable();
    for (i, found) in work.found.iter().enumerate() {
        let head = heads.next_if(|(_, at)| **at as usize == i).map(|(head, _)| head);
        if is_out(found.key.a) || is_out(found.key.b) {
            continue;
        }
        let pair = [found.key.a, found.key.b];
        let (impacts, solved) = (&work.impact.impulses, &work.solution.impulses);
        let pressed = || head.is_some_and(|h| h.range().any(|p| impacts[p][0] > 0.0 || solved[p][0] > 0.0));
        let near = || found.gap <= found.margin && state.touching.binary_search(&pair).is_ok();
        if work.touching.last() != Some(&pair) && (found.gap <= 0.0 || near() || pressed()) {
            work.touching.push(pair);
        }
    }
    let event = |kind, shapes| Event::between(kind, shapes, model, &state.generation);
    let (mut old, mut new) = (state.touching.as_slice(), work.touching.as_slice());
    while let Some(&pair) = [old.first(), new.first()].into_iter().flatten().min() {
        match (old.first() == Some(&pair), new.first() == Some(&pair)) {
            (true, false) => work.events.push(event(EventKind::End, pair)),
            (false, true) => work.events.push(event(EventKind::Begin, pair)),
            _ => {}
        }
        old = if old.first() == Some(&pair) { &old[1..] } else { old };
        new = if new.first() == Some(&pair) { &new[1..] } else { new };
    }
    if !state.ended.is_empty() {
        work.events.append(&mut state.ended);
        work.events.sort_unstable_by_key(|event| (event.shapes, event.kind));
    }
    std::mem::swap(&mut state.touching, &mut work.touching);
}
