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
use super::super::line::Line;
use super::super::surface::{Flat, FlatOutline, Incident};
use super::shown::Shown;
use crate::clip::MAX_CORNERS;
use crate::manifold::Feature;
use arrayvec::ArrayVec;
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

/// The corners of a triangle under what a shape shows to it. All that is asked of a corner is found once, though two edges end there.
pub(super) struct Corners<'a> {
    incident: &'a Incident<'a>,
    /// In the shape's frame.
    at: &'a [Vec3; 3],
    up: Vec3,
    /// How far the plane of a flat face is above each corner, and where the corner comes to in it.
    heights: [f64; 3],
    lifted: [Vec3; 3],
    /// How far each corner is inside of the sides of a face of a polyhedron, with the numbers of those edges.
    inside: ArrayVec<([f64; 3], u32), MAX_CORNERS>,
    /// Of each corner a bit for every side that it is outside of.
    outside: [u32; 3],
    /// True when the face looks at the triangle.
    faces: bool,
}

impl<'a> Corners<'a> {
    /// `shown` is the face of a polyhedron that is flat there.
    #[inline(always)]
    pub fn new(incident: &'a Incident<'a>, shown: &Shown, at: &'a [Vec3; 3], up: Vec3) -> Self {
        let mut corners = Self {
            incident,
            at,
            up,
            heights: [0.0; 3],
            lifted: [Vec3::ZERO; 3],
            inside: ArrayVec::new(),
            outside: [0; 3],
            faces: false,
        };
        if let Incident::Flat(flat) = incident {
            corners.lift(flat, shown);
        }
        corners
    }

    fn lift(&mut self, flat: &Flat, shown: &Shown) {
        let rate = flat.normal.dot(self.up);
        self.faces = rate < 0.0;
        if !self.faces {
            return;
        }
        for k in 0..3 {
            self.heights[k] = (flat.offset - flat.normal.dot(self.at[k])) / rate;
            self.lifted[k] = self.at[k] + self.up * self.heights[k];
        }
        if matches!(flat.outline, FlatOutline::Face(_)) {
            for (i, side) in shown.sides().iter().enumerate() {
                let inside = self.lifted.map(|p| side.inside(p));
                for (outside, x) in self.outside.iter_mut().zip(inside) {
                    *outside |= u32::from(x < 0.0) << i;
                }
                self.inside.push((inside, side.edge));
            }
        }
    }

    /// The ends of the part of edge `k` under the incident feature; equal places for a line across it.
    #[inline]
    pub fn under(&self, k: usize) -> Option<[Under; 2]> {
        let ends = [k, (k + 1) % 3];
        match self.incident {
            Incident::Flat(flat) => self.under_flat(flat, ends),
            Incident::Line(line) => under_line(line, ends.map(|k| self.at[k]), self.up),
            Incident::None => None,
        }
    }

    #[inline]
    fn under_flat(&self, flat: &Flat, ends: [usize; 2]) -> Option<[Under; 2]> {
        if !self.faces {
            return None;
        }
        let (low, high, cuts) = match &flat.outline {
            FlatOutline::Face(_) => self.in_face(flat.id, ends)?,
            FlatOutline::Disc(radius) => {
                let [a, b] = ends.map(|k| Vec2::new(self.lifted[k].x, self.lifted[k].y));
                let (low, high) = segment_in_disc(a, b, *radius)?;
                let cut = |number: u32| Cut { name: Feature::edge(flat.id + number), slide: 1.0 };
                (low, high, [cut(4), cut(8)])
            }
        };
        let heights = ends.map(|k| self.heights[k]);
        let place = |t: f64, whole: f64, cut: Cut| {
            let gap = heights[0] + (heights[1] - heights[0]) * t;
            let Cut { name, slide } = if t == whole { Cut::none(flat.id) } else { cut };
            Under { t, gap, incident: name, slide }
        };
        Some([place(low, 0.0, cuts[0]), place(high, 1.0, cuts[1])])
    }

    /// The part of an edge within a convex face, and the edges of the face that cut it off.
    #[inline]
    fn in_face(&self, face: u32, [a, b]: [usize; 2]) -> Option<(f64, f64, [Cut; 2])> {
        if self.outside[a] & self.outside[b] != 0 {
            return None;
        }
        let none = Cut::none(face);
        let (mut low, mut high, mut cuts) = (0.0, 1.0, [none; 2]);
        let mut cutting = self.outside[a] | self.outside[b];
        if cutting == 0 {
            return Some((low, high, cuts));
        }
        let length = (self.lifted[b] - self.lifted[a]).length();
        while cutting != 0 {
            let i = cutting.trailing_zeros() as usize;
            cutting &= cutting - 1;
            let (inside, edge) = &self.inside[i];
            let (from, to) = (inside[a], inside[b]);
            let drop = from - to;
            let t = from / drop;
            let cut = Cut { name: Feature::edge(*edge), slide: length / max(drop.abs(), f64::MIN_POSITIVE) };
            if from < 0.0 {
                if t > low {
                    (low, cuts[0]) = (t, cut);
                }
            } else if t < high {
                (high, cuts[1]) = (t, cut);
            }
        }
        if low > high { None } else { Some((low, high, cuts)) }
    }
}

/// Where a line crosses an edge, seen along `up`.
fn under_line(line: &Line, ends: [Vec3; 2], up: Vec3) -> Option<[Under; 2]> {
    let across = ends[1] - ends[0];
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
