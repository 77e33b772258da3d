//! The part of a triangle's edge that lies under what a shape shows to it.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | p, q | `ends` | ends of the edge, in the shape's frame |
//! | u | `up` | direction in which gaps are measured, from the mesh to the shape, in the shape's frame |
//! | m, d | `flat.normal`, `flat.offset` | plane of the shape's face: m·x = d, m·u < 0 |
//!
//! Over p the face is at the height (d − m·p)/(m·u). The edge is moved up into the face's plane, and cut to the face's
//! outline there.

use super::super::circle::segment_in_disc;
use super::super::surface::{Flat, FlatOutline, Incident};
use crate::clip::{Face, MAX_CORNERS};
use crate::manifold::Feature;
use huygens_math::{Vec2, Vec3};

/// A place on an edge, from 0 to 1, with what of the shape is over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Under {
    pub t: f64,
    pub gap: f64,
    pub incident: Feature,
}

/// The ends of the part of an edge under the incident feature; equal places for a line across it.
pub(super) fn under(incident: &Incident, ends: [Vec3; 2], up: Vec3) -> Option<[Under; 2]> {
    match incident {
        Incident::Flat(flat) => under_flat(flat, ends, up),
        Incident::Line(line) => {
            let across = ends[1] - ends[0];
            // Seen along u: where the line crosses the edge.
            let d = line.ends[1] - line.ends[0];
            let det = across.cross(d).dot(up);
            if det.abs() <= 1e-12 * across.length() * d.length() {
                return None;
            }
            let from = line.ends[0] - ends[0];
            let (t, s) = (from.cross(d).dot(up) / det, from.cross(across).dot(up) / det);
            if !(0.0..=1.0).contains(&t) || !(0.0..=1.0).contains(&s) {
                return None;
            }
            let gap = (line.ends[0] + d * s - ends[0] - across * t).dot(up);
            Some([Under { t, gap, incident: line.names[2] }; 2])
        }
        Incident::None => None,
    }
}

fn under_flat(flat: &Flat, ends: [Vec3; 2], up: Vec3) -> Option<[Under; 2]> {
    let rate = flat.normal.dot(up);
    if rate >= 0.0 {
        return None;
    }
    let heights = ends.map(|p| (flat.offset - flat.normal.dot(p)) / rate);
    let lifted = [ends[0] + up * heights[0], ends[1] + up * heights[1]];
    let (low, high, names) = match &flat.outline {
        FlatOutline::Face(shape) => in_face(&shape.face(flat.id), flat.normal, lifted)?,
        FlatOutline::Disc(radius) => {
            let [a, b] = lifted.map(|p| Vec2::new(p.x, p.y));
            let (low, high) = segment_in_disc(a, b, *radius)?;
            (low, high, [Feature::edge(flat.id + 4), Feature::edge(flat.id + 8)])
        }
    };
    let place = |t: f64, whole: f64, name: Feature| Under {
        t,
        gap: heights[0] + (heights[1] - heights[0]) * t,
        incident: if t == whole { Feature::face(flat.id) } else { name },
    };
    Some([place(low, 0.0, names[0]), place(high, 1.0, names[1])])
}

/// The part of a segment within a convex face, and the edges of the face that cut it off.
fn in_face(face: &Face<MAX_CORNERS>, normal: Vec3, [a, b]: [Vec3; 2]) -> Option<(f64, f64, [Feature; 2])> {
    let (mut low, mut high) = (0.0, 1.0);
    let mut names = [Feature::face(face.id); 2];
    for (i, corner) in face.corners.iter().enumerate() {
        // Positive within.
        let inward = normal.cross(face.next(i).at - corner.at);
        let (from, to) = (inward.dot(a - corner.at), inward.dot(b - corner.at));
        if from < 0.0 && to < 0.0 {
            return None;
        }
        let t = from / (from - to);
        if from < 0.0 && t > low {
            (low, names[0]) = (t, Feature::edge(corner.edge));
        } else if to < 0.0 && t < high {
            (high, names[1]) = (t, Feature::edge(corner.edge));
        }
    }
    (low <= high).then_some((low, high, names))
}
