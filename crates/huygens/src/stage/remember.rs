//! Keeps what the next step needs of this one's contacts, and tells which began and ended.

use crate::access::RememberAccess;
use crate::event::{Event, EventKind};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::{AWAKE, ContactHead, ContactPoint, Contacts, Placed, Sleep, State};
use huygens_contact::Point;
use huygens_math::{Vec3, at_level, scalar};

pub(crate) fn remember(model: &Model, state: &mut State, work: &mut RememberAccess, report: &mut StepReport) {
    rows(state, work);
    couples(state, work);
    at_level!(work.bodies.level, simd => contacts(state, work, report));
    placed(model, state, work);
    events(model, state, work);
}

/// An overlap is undone when it is at most this share above the slop, which recovery comes to and never reaches.
const ABOVE_SLOP: f64 = 1e-3;

/// Says which of the bodies that were put down inside others still are.
fn placed(model: &Model, state: &mut State, work: &RememberAccess) {
    if state.placed.iter().all(|placed| *placed == Placed::Clear) {
        return;
    }
    let slop = model.settings.recovery.slop().unwrap_or(f64::INFINITY);
    let deep = work.found.iter().filter(|found| found.gap < -slop * (1.0 + ABOVE_SLOP));
    for slot in deep.flat_map(|found| found.key.shapes()) {
        let placed = &mut state.placed[work.shapes[slot as usize].body as usize];
        if matches!(placed, Placed::New | Placed::Inside) {
            *placed = Placed::StillInside;
        }
    }
    let Sleep { island, .. } = &state.sleep;
    // What sleeps inside another body is as it was.
    let awake = state.placed.iter_mut().zip(island).filter(|(_, island)| **island == AWAKE);
    for (placed, _) in awake {
        *placed = if *placed == Placed::StillInside { Placed::Inside } else { Placed::Clear };
    }
}

/// Keeps the impulses of the scalar rows.
fn rows(state: &mut State, work: &RememberAccess) {
    state.row_impulses.clear();
    for head in &work.problem.solve_groups().heads[work.head_found.len()..] {
        let rows = &work.solution.rows[head.range()];
        state.row_impulses.extend(rows.iter().map(|lambda| (head.key, *lambda)));
    }
}

/// Keeps the couples of the contacts, one for each point; none when no contact has any.
fn couples(state: &mut State, work: &RememberAccess) {
    let couples = &mut state.contacts.couples;
    couples.clear();
    let groups = work.problem.solve_groups();
    if groups.couples == 0 {
        return;
    }
    for head in &groups.heads[..work.head_found.len()] {
        let solved = &work.solution.couples[head.couples()];
        // In world axes: the tangents may be others in the next step.
        couples.extend(solved.iter().map(|tau| head.to_world(*tau)));
        couples.resize(couples.len() + head.range().len() - solved.len(), Vec3::ZERO);
    }
}

/// Share of the margin beyond which the gap of the start says that an impulse was a blow, and no load that goes on in the next step. `soft-step` starts from it in
/// each sub-step: two balls that fly at a wall in a row, e = 0, came back with a twelfth of their speed.
const OPEN: f64 = 0.1;

/// Keeps the impulses of the contacts, and says which pairs touch. A pair touches when it overlaps at the start of the step, or when
/// an impulse acts between its shapes: a ball that bounces inside a step never overlaps. It stays so until it is farther
/// apart than the contact margin: a resting body does not begin to touch in every step.
#[inline(always)]
fn contacts(state: &mut State, work: &mut RememberAccess, report: &mut StepReport) {
    let Contacts { heads, points, .. } = &mut state.contacts;
    heads.clear();
    points.clear();
    work.touching.clear();
    let (mut contacts, mut deepest) = (0, 0.0);
    let is_out = |slot: u32| state.quarantined[work.shapes[slot as usize].body as usize];
    // Who was out before is not among the pairs.
    let may_be_out = !report.quarantined.is_empty();
    let (groups, impacts, solved) =
        (work.problem.solve_groups(), &work.problem.impact.impulses, &work.solution.impulses);
    let mut with_head = groups.heads.iter().zip(work.head_found).peekable();
    let mut touched = state.touching.as_slice();
    for (i, found) in work.found.iter().enumerate() {
        let mut touches = found.gap <= 0.0;
        if let Some((head, _)) = with_head.next_if(|(_, at)| **at as usize == i) {
            heads.push(ContactHead { key: head.key, first: points.len() as u32, len: u32::from(head.len) });
            let across = head.normal.cross(head.tangent);
            let (new, p) = (&groups.points[head.range()], &solved[head.range()]);
            let is_far = |point: &Point| point.gap > OPEN * found.margin;
            let has_blow = new.iter().zip(p).any(|(point, p)| p[0] > 0.0 && is_far(point));
            for ((point, p), impact) in new.iter().zip(p).zip(&impacts[head.range()]) {
                let mut impulse = head.normal * p[0] + head.tangent * p[1] + across * p[2];
                // A point that bears nothing has its share of the friction of its contact, which goes on as the contact does.
                if has_blow && is_far(point) {
                    impulse = Vec3::ZERO;
                }
                points.push(ContactPoint { impulse, feature: point.feature });
                let pressed = p[0] > 0.0;
                deepest = scalar::max(deepest, -point.gap);
                contacts += usize::from((point.gap <= 0.0) | pressed);
                touches |= pressed | (*impact != Vec3::ZERO);
            }
        }
        let pair = found.key.shapes();
        if !touches && found.gap <= found.margin {
            while touched.first().is_some_and(|old| *old < pair) {
                touched = &touched[1..];
            }
            touches = touched.first() == Some(&pair);
        }
        if touches
            && work.touching.last() != Some(&pair)
            && !(may_be_out && (is_out(pair[0]) || is_out(pair[1])))
        {
            work.touching.push(pair);
        }
    }
    report.contacts = contacts;
    report.max_penetration = deepest;
}

/// Tells which pairs began and ceased to touch.
fn events(model: &Model, state: &mut State, work: &mut RememberAccess) {
    work.events.clear();
    let generation = [state.generation.as_slice(), &state.shape_generation];
    let event = |kind, shapes| Event::between(kind, shapes, model, generation);
    let (mut old, mut new) = (state.touching.as_slice(), work.touching.as_slice());
    loop {
        match (old, new) {
            // Most pairs stay.
            ([a, rest_old @ ..], [b, rest_new @ ..]) if a == b => (old, new) = (rest_old, rest_new),
            ([a, rest @ ..], [b, ..]) if a < b => {
                work.events.push(event(EventKind::End, *a));
                old = rest;
            }
            (_, [b, rest @ ..]) => {
                work.events.push(event(EventKind::Begin, *b));
                new = rest;
            }
            ([a, rest @ ..], []) => {
                work.events.push(event(EventKind::End, *a));
                old = rest;
            }
            ([], []) => break,
        }
    }
    if !state.ended.is_empty() {
        work.events.append(&mut state.ended);
        work.events.sort_unstable_by_key(Event::order);
    }
    std::mem::swap(&mut state.touching, work.touching);
}
