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
use super::shown::Shown;
use crate::manifold::Feature;
use huygens_math::scalar::max;
use huygens_math::{Vec2, Vec3};

/// A place on an edge, from 0 to 1, with what of the shape is over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Under {
    pub t: f64,
    pub gap: f64,
    pub incident: Feature,
    /// See [`Candidate::slide`](crate::reduce::Candidate::slide).
    pub slide: f64,
}

/// The ends of the part of an edge under the incident feature; equal places for a line across it. `shown` is the face of a
/// polyhedron that is flat there.
pub(super) fn under(incident: &Incident, shown: &Shown, ends: [Vec3; 2], up: Vec3) -> Option<[Under; 2]> {
    match incident {
        Incident::Flat(flat) => under_flat(flat, shown, ends, up),
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
            let slide = across.length() * d.length() / det.abs();
            Some([Under { t, gap, incident: line.names[2], slide }; 2])
        }
        Incident::None => None,
    }
}

fn under_flat(flat: &Flat, shown: &Shown, ends: [Vec3; 2], up: Vec3) -> Option<[Under; 2]> {
    let rate = flat.normal.dot(up);
    if rate >= 0.0 {
        return None;
    }
    let heights = ends.map(|p| (flat.offset - flat.normal.dot(p)) / rate);
    let lifted = [ends[0] + up * heights[0], ends[1] + up * heights[1]];
    let (low, high, cuts) = match &flat.outline {
        FlatOutline::Face(_) => in_face(shown, lifted)?,
        FlatOutline::Disc(radius) => {
            let [a, b] = lifted.map(|p| Vec2::new(p.x, p.y));
            let (low, high) = segment_in_disc(a, b, *radius)?;
            let cut = |number: u32| Cut { name: Feature::edge(flat.id + number), slide: 1.0 };
            (low, high, [cut(4), cut(8)])
        }
    };
    let place = |t: f64, whole: f64, cut: Cut| {
        let gap = heights[0] + (heights[1] - heights[0]) * t;
        let Cut { name, slide } = if t == whole { Cut::none(flat.id) } else { cut };
        Under { t, gap, incident: name, slide }
    };
    Some([place(low, 0.0, cuts[0]), place(high, 1.0, cuts[1])])
}

/// What cuts off an end of an edge.
#[derive(Clone, Copy, Debug)]
struct Cut {
    name: Feature,
    slide: f64,
}

impl Cut {
    /// Nothing: the end lies under the face.
    fn none(face: u32) -> Self {
        Self { name: Feature::face(face), slide: 0.0 }
    }
}

/// The part of a segment within a convex face, and the edges of the face that cut it off.
fn in_face(shown: &Shown, [a, b]: [Vec3; 2]) -> Option<(f64, f64, [Cut; 2])> {
    let (mut low, mut high) = (0.0, 1.0);
    let mut cuts: [Option<(u32, f64)>; 2] = [None; 2];
    for side in shown.sides() {
        // Positive within.
        let (from, to) = (side.inside(a), side.inside(b));
        if from < 0.0 && to < 0.0 {
            return None;
        }
        let drop = from - to;
        if from < 0.0 {
            let t = from / drop;
            if t > low {
                (low, cuts[0]) = (t, Some((side.edge, drop)));
            }
        } else if to < 0.0 {
            let t = from / drop;
            if t < high {
                (high, cuts[1]) = (t, Some((side.edge, drop)));
            }
        }
    }
    if low > high {
        return None;
    }
    let length = (b - a).length();
    let cut = |cut: Option<(u32, f64)>| {
        cut.map_or(Cut::none(shown.id()), |(edge, drop)| Cut {
            name: Feature::edge(edge),
            slide: length / max(drop.abs(), f64::MIN_POSITIVE),
        })
    };
    Some((low, high, cuts.map(cut)))
}
