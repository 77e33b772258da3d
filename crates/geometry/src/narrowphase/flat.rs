//! What lies on a flat face: the other shape's face, cap or line, clipped to it.

use super::build::{Lie, Setting, face_manifold, least_gap};
use super::circle::{
    Cap, MAX_MEETINGS, Meetings, OtherDisc, Polygon, disc_disc, disc_polygon, segment_in_disc,
};
use super::cylinder::rim_cross;
use super::line::Line;
use super::reuse::CROSSING_TURN;
use super::surface::{Facing, Flat, FlatOutline, Incident, Surface};
use crate::clip::{Face, MAX_CORNERS, ON_OUTLINE, Outline, PlaneFrame};
use crate::manifold::{Feature, Manifold};
use crate::reduce::Candidate;
use arrayvec::ArrayVec;
use huygens_math::scalar::{clamp, max, min};
use huygens_math::{Pose, Vec2, Vec3};

/// Sine of the slope up to which a cylinder's side is taken to roll on the face.
const ROLLS: f64 = 0.1;

/// Cosine of the largest angle between the true normal under a line and that of a face that it is taken to lie on.
const UNDER_LINE: f64 = 0.95;

/// A line over a cap whose chord is shorter than this part of the radius touches the rim.
const GRAZING: f64 = 1e-3;

/// A cosine less than 1 by more than this is that of another normal.
const OBLIQUE: f64 = 1e-15;

/// Adds the manifold of the flat face of one shape, A here, with whatever the other shape, placed by `pose`, shows to it.
/// `facing` is the direction to the face in the other shape's frame. False when nothing lies there, or when the least gap
/// is not the expected one to within the tolerance.
pub(crate) fn on_flat(
    flat: &Flat,
    other: &Surface,
    facing: &Facing,
    (pose, set): (&Pose, &Setting),
    expected: (f64, f64),
    out: &mut Vec<Manifold>,
) -> bool {
    let towards = facing.d;
    let mut over = Over { flat, frame: flat.frame(), pose, set, towards, expected, out };
    match other.incident(facing) {
        Incident::Flat(incident) => over.flat(&incident),
        Incident::Line(line) => over.line(&line.placed(pose), turning(other)),
        Incident::None => false,
    }
}

/// The radius with which a shape rolls off the line that it lies with; none for a capsule, whose line is exact.
fn turning(shape: &Surface) -> Option<f64> {
    match shape {
        Surface::Cylinder(c) => Some(c.radius),
        // A cone on its side rolls about its tip, at the rim with the radius of the sphere about the axis there.
        Surface::Cone(c) => Some(c.radius * (1.0 + c.radius / (2.0 * c.half_length))),
        _ => None,
    }
}

struct Over<'o> {
    flat: &'o Flat<'o>,
    frame: PlaneFrame,
    pose: &'o Pose,
    set: &'o Setting<'o>,
    /// Direction to the face in the other shape's frame.
    towards: Vec3,
    /// Least gap and its tolerance.
    expected: (f64, f64),
    out: &'o mut Vec<Manifold>,
}

type List = ArrayVec<Candidate, MAX_MEETINGS>;

impl Over<'_> {
    fn flat(&mut self, incident: &Flat) -> bool {
        let slope = incident.normal.cross(self.towards).length();
        let rim = |radius: f64| Lie { slope, turn: self.set.turn_of_rim(radius, slope), up: None };
        match (&self.flat.outline, &incident.outline) {
            (FlatOutline::Face(a), FlatOutline::Face(b)) => {
                let (a, b) = (a.face(self.flat.id), b.face(incident.id));
                if a.corners.len() + b.corners.len() <= 16 {
                    self.faces::<16>(&a, &b, &Lie::sloped(slope))
                } else {
                    self.faces::<{ 2 * MAX_CORNERS }>(&a, &b, &Lie::sloped(slope))
                }
            }
            (FlatOutline::Face(a), &FlatOutline::Disc(radius)) => {
                self.cap_on_face(&a.face(self.flat.id), radius, incident, &rim(radius))
            }
            (&FlatOutline::Disc(radius), FlatOutline::Face(b)) => {
                self.face_on_cap(radius, &b.face(incident.id), incident, &rim(radius))
            }
            (&FlatOutline::Disc(radius), &FlatOutline::Disc(other)) => {
                self.cap_on_cap(radius, other, incident, &rim(min(radius, other)))
            }
        }
    }

    fn faces<const N: usize>(&mut self, a: &Face<MAX_CORNERS>, b: &Face<MAX_CORNERS>, lie: &Lie) -> bool {
        let mut outline = Outline::<N>::of(&self.frame, a.id, b, self.pose);
        outline.clip(&self.frame, a, b.id);
        let mut candidates = outline.candidates(self.set.margin);
        self.manifold(&mut candidates, lie)
    }

    /// The other shape's cap, with its rim points placed for this face.
    fn cap(&self, radius: f64, number: u32) -> Cap {
        let side = if number == 1 { 1.0 } else { -1.0 };
        let directions =
            rim_cross(Vec2::new(self.towards.x, self.towards.y)).map(|d| Vec2::new(d.x, d.y * side));
        Cap { radius, number, directions }
    }

    /// Other shape: a cylinder, its cap on this polygon.
    fn cap_on_face(&mut self, face: &Face<MAX_CORNERS>, radius: f64, incident: &Flat, lie: &Lie) -> bool {
        // This face's corners, moved along this face's normal into the plane of the cap.
        let cap_frame = incident.frame();
        let along = cap_frame.normal.dot(self.towards);
        let mut corners: ArrayVec<Vec2, MAX_CORNERS> = ArrayVec::new();
        for corner in &face.corners {
            let (at, height) = cap_frame.project(self.pose.inverse_transform(corner.at));
            let shift = self.towards * (height / along);
            corners.push(at - Vec2::new(shift.dot(cap_frame.x), shift.dot(cap_frame.y)));
        }
        let found = disc_polygon(&self.cap(radius, incident.id), &Polygon { corners: &corners, face });
        self.incident_meetings(&found, &cap_frame, lie)
    }

    /// This flat is a cap; the other shape's polygon lies on it.
    fn face_on_cap(&mut self, radius: f64, face: &Face<MAX_CORNERS>, incident: &Flat, lie: &Lie) -> bool {
        let mut corners: ArrayVec<Vec2, MAX_CORNERS> = ArrayVec::new();
        for corner in &face.corners {
            corners.push(self.frame.project(self.pose.transform(corner.at)).0);
        }
        let height = self.height(incident);
        let cap = Cap { radius, number: self.flat.id, directions: own_rim(&height, self.flat.id) };
        self.own_meetings(&disc_polygon(&cap, &Polygon { corners: &corners, face }), &height, lie)
    }

    fn cap_on_cap(&mut self, radius: f64, other: f64, incident: &Flat, lie: &Lie) -> bool {
        let theirs = incident.frame();
        if radius <= other {
            // What lies over a place of this cap, along this cap's normal, in the plane of the other.
            let height = self.height(incident);
            let above = self.frame.origin + self.frame.normal * height.at_origin;
            let c = theirs.project(self.pose.inverse_transform(above)).0;
            let map = |axis: Vec3, rise: f64| {
                theirs.along(self.pose.inverse_rotate(axis + self.frame.normal * rise))
            };
            let (x, y) = (map(self.frame.x, height.gradient.x), map(self.frame.y, height.gradient.y));
            let disc = OtherDisc { x, y, c, radius: other };
            let cap = Cap { radius, number: self.flat.id, directions: own_rim(&height, self.flat.id) };
            let found = disc_disc(&cap, &disc, Feature::face(incident.id));
            return found.is_some_and(|found| self.own_meetings(&found, &height, lie));
        }
        // The other cap seen along the normal of this one.
        let c = self.frame.project(self.pose.transform(theirs.origin)).0;
        let map = |axis: Vec3| self.frame.along(self.pose.rotate(axis));
        let disc = OtherDisc { x: map(theirs.x), y: map(theirs.y), c, radius };
        let found = disc_disc(&self.cap(other, incident.id), &disc, Feature::face(self.flat.id));
        found.is_some_and(|found| self.incident_meetings(&found, &theirs, lie))
    }

    /// The height of a plane of the other shape over places of this one.
    fn height(&self, incident: &Flat) -> Height {
        let normal = self.pose.rotate(incident.normal);
        let through = self.pose.transform(incident.normal * incident.offset);
        let (at, gap) = self.frame.project(through);
        let n = Vec3::new(normal.dot(self.frame.x), normal.dot(self.frame.y), normal.dot(self.frame.normal));
        let gradient = Vec2::new(-n.x / n.z, -n.y / n.z);
        Height { at_origin: gap - gradient.dot(at), gradient }
    }

    /// Candidates from meetings in the plane of this cap.
    fn own_meetings(&mut self, found: &Meetings, height: &Height, lie: &Lie) -> bool {
        let mut out = List::new();
        for m in found {
            self.push(
                &mut out,
                Candidate {
                    at: m.at,
                    gap: height.at(m.at),
                    reference: m.cap,
                    incident: m.other,
                    minor: m.minor,
                    slide: m.slide,
                },
            );
        }
        self.manifold(&mut out, lie)
    }

    /// Candidates from meetings in the plane of the other shape's cap.
    fn incident_meetings(&mut self, found: &Meetings, cap: &PlaneFrame, lie: &Lie) -> bool {
        let mut out = List::new();
        for m in found {
            let (at, gap) = self.frame.project(self.pose.transform(cap.lift(m.at)));
            let (reference, incident) = (m.other, m.cap);
            self.push(&mut out, Candidate { at, gap, reference, incident, minor: m.minor, slide: m.slide });
        }
        self.manifold(&mut out, lie)
    }

    fn push(&self, list: &mut List, candidate: Candidate) {
        if candidate.gap <= self.set.margin {
            list.push(candidate);
        }
    }

    fn manifold(&mut self, list: &mut [Candidate], lie: &Lie) -> bool {
        let (gap, tolerance) = self.expected;
        if list.is_empty() || (least_gap(list) - gap).abs() > tolerance {
            return false;
        }
        face_manifold(&self.frame, list, self.pose, (self.set, lie), self.out);
        true
    }

    /// A line of the other shape, in this one's frame. Its gaps are measured along the true normal: where it sticks out
    /// over an edge, that is across the line and the edge, and turned from the face's by the slope.
    fn line(&mut self, line: &Line, rolls: Option<f64>) -> bool {
        let up = self.pose.rotate(-self.towards);
        let cosine = up.dot(self.frame.normal);
        if cosine < UNDER_LINE {
            return false;
        }
        // Where a point comes down on the face.
        let drop = |p: Vec3| {
            let gap = (p - self.frame.origin).dot(self.frame.normal) / cosine;
            (self.frame.project(p - up * gap).0, gap)
        };
        let ends = line.ends.map(drop);
        let (a, b) = (ends[0].0, ends[1].0);
        let id = self.flat.id;
        let mut places = [Place::end(0.0, id), Place::end(1.0, id)];
        match &self.flat.outline {
            FlatOutline::Face(shape) => {
                if segment_in_face(&shape.face(id), &self.frame, [a, b], &mut places).is_none() {
                    return false;
                }
            }
            FlatOutline::Disc(radius) => {
                let Some((low, high)) = segment_in_disc(a, b, *radius) else { return false };
                // A line that touches the rim is seen as its tangent along the normal: then it is one point, and the
                // chord is the root of round-off.
                if low > 0.0 && high < 1.0 && (b - a).length() * (high - low) < GRAZING * radius {
                    return false;
                }
                for (place, t, whole) in [(0, low, 0.0), (1, high, 1.0)] {
                    if t != whole {
                        // The line crosses the rim at the angle whose sine is half the chord over r.
                        let along = (b - a).normalize_or_zero().dot(a + (b - a) * t).abs() / radius;
                        let slide = 1.0 / max(along, f64::MIN_POSITIVE);
                        places[place] = Place { t, name: Feature::edge(id + 4 * (place as u32 + 1)), slide };
                    }
                }
            }
        }
        let mut out = List::new();
        for (i, Place { t, name: reference, slide }) in places.into_iter().enumerate() {
            let cut = reference != Feature::face(id);
            let (at, gap) = if cut {
                (a + (b - a) * t, ends[0].1 + (ends[1].1 - ends[0].1) * t)
            } else {
                let Some(p) = line.lowest_at(i) else { continue };
                drop(p)
            };
            let incident = if cut { line.names[2] } else { line.names[i] };
            self.push(&mut out, Candidate { at, gap, reference, incident, minor: false, slide });
        }
        let length = (line.ends[1] - line.ends[0]).length();
        let slope = if length > 0.0 { (ends[1].1 - ends[0].1).abs() / length } else { 1.0 };
        let oblique = cosine < 1.0 - OBLIQUE;
        let turn = match (oblique, rolls) {
            (true, _) => CROSSING_TURN,
            (false, Some(radius)) => self.set.turn_of_side(radius),
            (false, None) => f64::INFINITY,
        };
        // A turn of the size of a shallow crossing's angle takes the crossing anywhere along the line.
        let shallow = places.iter().fold(0.0, |most, place| max(most, place.slide));
        let turn = min(turn, 0.5 / max(shallow, 1.0));
        let found = self.manifold(&mut out, &Lie { slope, turn, up: Some(up) });
        if found && let Some(manifold) = self.out.last_mut() {
            manifold.round[1] = if rolls.is_some() && slope > ROLLS { 0.0 } else { line.radius };
        }
        found
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

/// A place on a segment, from 0 to 1, with what of the face is below it.
#[derive(Clone, Copy, Debug)]
struct Place {
    t: f64,
    name: Feature,
    slide: f64,
}

impl Place {
    /// An end of the segment, over the face.
    fn end(t: f64, face: u32) -> Self {
        Self { t, name: Feature::face(face), slide: 0.0 }
    }
}

/// Cuts the places of a segment's ends down to the part over a face; none when nothing is left.
fn segment_in_face(
    face: &Face<MAX_CORNERS>,
    frame: &PlaneFrame,
    [a, b]: [Vec2; 2],
    places: &mut [Place; 2],
) -> Option<()> {
    let at = |t: f64| a + (b - a) * t;
    for (i, corner) in face.corners.iter().enumerate() {
        let from = frame.project(corner.at).0;
        let edge = frame.project(face.next(i).at).0 - from;
        let slack = ON_OUTLINE * edge.length_squared();
        let out = |p: Vec2| (p - from).perp_dot(edge);
        let (first, last) = (out(at(places[0].t)), out(at(places[1].t)));
        if first > slack && last > slack {
            return None;
        }
        if first > slack || last > slack {
            let (start, end) = (out(a), out(b));
            let t = clamp(start / (start - end), places[0].t, places[1].t);
            let sine = (end - start).abs() / (edge.length() * (b - a).length());
            let slide = 1.0 / max(sine, f64::MIN_POSITIVE);
            places[usize::from(last > slack)] = Place { t, name: Feature::edge(corner.edge), slide };
        }
    }
    Some(())
}
