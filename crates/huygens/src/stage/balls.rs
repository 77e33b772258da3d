//! Contacts of two balls. An impact turns them to the line between the centres at its own moment (`huygens_contact::Round`).

use super::demand;
use crate::access::AssembleAccess;
use crate::stage::table::Kind;
use crate::workspace::{End, Found};
use huygens_contact::{Round, Side};

/// The two balls of a contact whose first point is `first`; none for other shapes, for links, and for what moves along its surface.
pub(super) fn round(
    work: &AssembleAccess,
    found: &Found,
    (ends, side): (&[End; 2], [Side; 2]),
    first: u32,
) -> Option<Round> {
    let [a, b] = found.key.shapes().map(|slot| &work.shapes[slot as usize]);
    let are_balls = a.kind == Kind::Ball && b.kind == Kind::Ball;
    let surface_moves =
        work.groups.surface_velocities.binary_search_by_key(&first, |surface| surface.first).is_ok();
    if !are_balls || surface_moves || side.iter().any(|side| matches!(side, Side::Tree(_))) {
        return None;
    }
    Some(Round {
        first,
        apart: a.place - b.place,
        centre: [a.place - ends[0].center, b.place - ends[1].center],
        radius: [a.radius, b.radius],
        demand: demand::CONTACT_AT_TOUCH,
    })
}
