//! What lies on a flat face: the other shape's face, cap or line, clipped to it.

use super::build::{Lie, Setting, face_manifold};
use super::circle::{Cap, MAX_MEETINGS, Meetings, Polygon, disc_disc, disc_polygon, segment_in_disc};
use super::cylinder::rim_cross;
use super::rods::Rod;
use super::surface::{Flat, Incident, Surface};
use crate::clip::{Face, MAX_CORNERS, ON_OUTLINE, Outline, PlaneFrame};
use crate::manifold::{Feature, Manifold};
use crate::reduce::Candidate;
use huygens_math::scalar::clamp;
use huygens_math::{Pose, Vec2, Vec3};

/// Sine of the slope up to which a cylinder's side is taken to roll on the face.
const ROLLS: f64 = 0.1;

/// The manifold of the flat face of one shape, A here, with whatever the other shape, placed by `pose`, shows to it; and
/// the least gap of all that lies there.
pub(crate) fn on_flat(flat: &Flat, other: &Surface, pose: &Pose, set: &Setting) -> Option<(Manifold, f64)> {
    let towards = pose.inverse_rotate(-flat.frame().normal);
    let over = Over { flat, frame: flat.frame(), pose, set, towards };
    match other.incident(towards) {
        Incident::Flat(incident) => over.flat(&incident),
        Incident::Segment(rod) => {
            let (round, turn) = match other {
                Surface::Cylinder(c) if towards.z.abs() < ROLLS => (c.radius, set.turn_of_side(c.radius)),
                Surface::Cylinder(c) => (0.0, set.turn_of_side(c.radius)),
                _ => (rod.radius, f64::INFINITY),
            };
            over.segment(&rod, round, turn)
        }
        Incident::None => None,
    }
}

struct Over<'o> {
    flat: &'o Flat,
    frame: &'o PlaneFrame,
    pose: &'o Pose,
    set: &'o Setting,
    /// Direction to the face in the other shape's frame.
    towards: Vec3,
}

impl Over<'_> {
    fn flat(&self, incident: &Flat) -> Option<(Manifold, f64)> {
        let slope = incident.frame().normal.cross(self.towards).length();
        let turn = match (self.flat, incident) {
            (Flat::Disc(radius, ..), _) | (_, Flat::Disc(radius, ..)) => self.set.turn_of_rim(*radius, slope),
            _ => f64::INFINITY,
        };
        let lie = Lie { slope, turn };
        match (self.flat, incident) {
            (Flat::Face(a, _), Flat::Face(b, _)) => {
                if a.len + b.len <= 16 {
                    self.faces::<16>(a, b, &lie)
                } else {
                    self.faces::<{ 2 * MAX_CORNERS }>(a, b, &lie)
                }
            }
            (Flat::Face(face, _), Flat::Disc(radius, number, cap_frame)) => {
                self.cap_on_face(face, &self.cap(*radius, *number), cap_frame, &lie)
            }
            (Flat::Disc(radius, number, _), Flat::Face(face, _)) => {
                self.face_on_cap(&[*radius], *number, face, &lie)
            }
            (Flat::Disc(radius, number, _), Flat::Disc(other, other_number, other_frame)) => {
                self.cap_on_cap((*radius, *number), (*other, *other_number, other_frame), &lie)
            }
        }
    }

    fn faces<const N: usize>(
        &self,
        a: &Face<MAX_CORNERS>,
        b: &Face<MAX_CORNERS>,
        lie: &Lie,
    ) -> Option<(Manifold, f64)> {
        let mut outline = Outline::<N>::of(self.frame, a.id, b, self.pose);
        outline.clip(self.frame, a, b.id);
        let mut candidates = [Candidate::default(); N];
        let len = outline.candidates(self.set.margin, &mut candidates);
        face_manifold(self.frame, &mut candidates[..len], self.pose, self.set, lie)
    }

    /// The other shape's cap, with its rim points placed for this face.
    fn cap(&self, radius: f64, number: u32) -> Cap {
        let side = if number == 1 { 1.0 } else { -1.0 };
        let directions =
            rim_cross(Vec2::new(self.towards.x, self.towards.y)).map(|d| Vec2::new(d.x, d.y * side));
        Cap { radius, number, directions }
    }

    /// Other shape: a cylinder, its cap on this polygon.
    fn cap_on_face(
        &self,
        face: &Face<MAX_CORNERS>,
        cap: &Cap,
        cap_frame: &PlaneFrame,
        lie: &Lie,
    ) -> Option<(Manifold, f64)> {
        // This face's corners, moved along this face's normal into the plane of the cap.
        let mut corners = [Vec2::ZERO; MAX_CORNERS];
        let along = cap_frame.normal.dot(self.towards);
        for (i, corner) in corners.iter_mut().enumerate().take(face.len) {
            let p = self.pose.inverse_transform(face.corners[i]);
            let (at, height) = cap_frame.project(p);
            let shift = self.towards * (height / along);
            *corner = at - Vec2::new(shift.dot(cap_frame.x), shift.dot(cap_frame.y));
        }
        let polygon = Polygon {
            corners: &corners[..face.len],
            vertex: &face.vertex[..face.len],
            edge: &face.edge[..face.len],
            face: face.id,
        };
        let found = disc_polygon(cap, &polygon);
        let mut out = List::new();
        for m in &found.list[..found.len] {
            let (at, gap) = self.frame.project(self.pose.transform(cap_frame.lift(m.at)));
            out.push(
                Candidate { at, gap, reference: m.other, incident: m.cap, minor: m.minor },
                self.set.margin,
            );
        }
        self.manifold(&mut out, lie)
    }

    /// This flat is a cap; the other shape's polygon lies on it.
    fn face_on_cap(
        &self,
        radius: &[f64; 1],
        number: u32,
        face: &Face<MAX_CORNERS>,
        lie: &Lie,
    ) -> Option<(Manifold, f64)> {
        let mut corners = [Vec2::ZERO; MAX_CORNERS];
        for (i, corner) in corners.iter_mut().enumerate().take(face.len) {
            *corner = self.frame.project(self.pose.transform(face.corners[i])).0;
        }
        let height = self.height(self.pose.rotate(face.normal), self.pose.transform(face.corners[0]));
        let cap = Cap { radius: radius[0], number, directions: own_rim(&height, number) };
        let polygon = Polygon {
            corners: &corners[..face.len],
            vertex: &face.vertex[..face.len],
            edge: &face.edge[..face.len],
            face: face.id,
        };
        self.meetings(&disc_polygon(&cap, &polygon), &height, lie)
    }

    fn cap_on_cap(
        &self,
        (radius, number): (f64, u32),
        (other, other_number, other_frame): (f64, u32, &PlaneFrame),
        lie: &Lie,
    ) -> Option<(Manifold, f64)> {
        let center = self.pose.transform(other_frame.origin);
        let height = self.height(self.pose.rotate(other_frame.normal), center);
        if radius <= other {
            let cap = Cap { radius, number, directions: own_rim(&height, number) };
            let found = disc_disc(&cap, self.frame.project(center).0, other, Feature::face(other_number))?;
            return self.meetings(&found, &height, lie);
        }
        let cap = self.cap(other, other_number);
        let center = other_frame.project(self.pose.inverse_transform(self.frame.origin)).0;
        let found = disc_disc(&cap, center, radius, Feature::face(number))?;
        let mut out = List::new();
        for m in &found.list[..found.len] {
            let (at, gap) = self.frame.project(self.pose.transform(other_frame.lift(m.at)));
            out.push(
                Candidate { at, gap, reference: m.other, incident: m.cap, minor: m.minor },
                self.set.margin,
            );
        }
        self.manifold(&mut out, lie)
    }

    /// The height of a plane of the other shape over places of this one.
    fn height(&self, normal: Vec3, through: Vec3) -> Height {
        let (at, gap) = self.frame.project(through);
        let n = Vec3::new(normal.dot(self.frame.x), normal.dot(self.frame.y), normal.dot(self.frame.normal));
        let gradient = Vec2::new(-n.x / n.z, -n.y / n.z);
        Height { at_origin: gap - gradient.dot(at), gradient }
    }

    fn meetings(&self, found: &Meetings, height: &Height, lie: &Lie) -> Option<(Manifold, f64)> {
        let mut out = List::new();
        for m in &found.list[..found.len] {
            let gap = height.at(m.at);
            out.push(
                Candidate { at: m.at, gap, reference: m.cap, incident: m.other, minor: m.minor },
                self.set.margin,
            );
        }
        self.manifold(&mut out, lie)
    }

    fn manifold(&self, list: &mut List, lie: &Lie) -> Option<(Manifold, f64)> {
        let len = list.len;
        face_manifold(self.frame, &mut list.candidates[..len], self.pose, self.set, lie)
    }

    fn segment(&self, rod: &Rod, round: f64, turn: f64) -> Option<(Manifold, f64)> {
        let ends = [rod.center - rod.half, rod.center + rod.half]
            .map(|p| self.frame.project(self.pose.transform(p)));
        let (a, b) = (ends[0].0, ends[1].0);
        let id = self.flat.id();
        let mut places = [(0.0, Feature::face(id)), (1.0, Feature::face(id))];
        match self.flat {
            Flat::Face(face, frame) => segment_in_face(face, frame, [a, b], &mut places)?,
            Flat::Disc(radius, number, _) => {
                let (low, high) = segment_in_disc(a, b, *radius)?;
                for (place, t, whole) in [(0, low, 0.0), (1, high, 1.0)] {
                    if t != whole {
                        places[place] = (t, Feature::edge(*number));
                    }
                }
            }
        }
        let mut out = List::new();
        for (i, (t, reference)) in places.into_iter().enumerate() {
            let cut = reference != Feature::face(id);
            let incident = if cut { rod.names[2] } else { rod.names[i] };
            let gap = ends[0].1 + (ends[1].1 - ends[0].1) * t - rod.radius;
            out.push(
                Candidate { at: a + (b - a) * t, gap, reference, incident, minor: false },
                self.set.margin,
            );
        }
        let slope = (ends[1].1 - ends[0].1).abs() / (2.0 * rod.half.length());
        let (mut found, least) = self.manifold(&mut out, &Lie { slope, turn })?;
        found.round[1] = round;
        Some((found, least))
    }
}

struct Height {
    at_origin: f64,
    gradient: Vec2,
}

impl Height {
    fn at(&self, p: Vec2) -> f64 {
        self.at_origin + self.gradient.dot(p)
    }
}

/// Rim points of the reference's own cap, in the plane of the cap: they look for where the other face is lowest.
fn own_rim(height: &Height, number: u32) -> [Vec2; 4] {
    let side = if number == 1 { 1.0 } else { -1.0 };
    let down = -height.gradient;
    rim_cross(Vec2::new(down.x, down.y * side)).map(|d| Vec2::new(d.x, d.y * side))
}

struct List {
    candidates: [Candidate; MAX_MEETINGS],
    len: usize,
}

impl List {
    fn new() -> Self {
        Self { candidates: [Candidate::default(); MAX_MEETINGS], len: 0 }
    }

    fn push(&mut self, candidate: Candidate, margin: f64) {
        if candidate.gap <= margin && self.len < MAX_MEETINGS {
            self.candidates[self.len] = candidate;
            self.len += 1;
        }
    }
}

/// Cuts the places of a segment's ends down to the part over a face; none when nothing is left.
fn segment_in_face(
    face: &Face<MAX_CORNERS>,
    frame: &PlaneFrame,
    [a, b]: [Vec2; 2],
    places: &mut [(f64, Feature); 2],
) -> Option<()> {
    let at = |t: f64| a + (b - a) * t;
    for i in 0..face.len {
        let j = if i + 1 == face.len { 0 } else { i + 1 };
        let from = frame.project(face.corners[i]).0;
        let edge = frame.project(face.corners[j]).0 - from;
        let slack = ON_OUTLINE * edge.length_squared();
        let out = |p: Vec2| (p - from).perp_dot(edge);
        let (first, last) = (out(at(places[0].0)), out(at(places[1].0)));
        if first > slack && last > slack {
            return None;
        }
        if first > slack || last > slack {
            let (start, end) = (out(a), out(b));
            let t = clamp(start / (start - end), places[0].0, places[1].0);
            places[usize::from(last > slack)] = (t, Feature::edge(face.edge[i]));
        }
    }
    Some(())
}
