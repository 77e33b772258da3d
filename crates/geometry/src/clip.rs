//! Clipping of one flat face against the outline of another, in the plane of the reference face.
//!
//! Every point carries what made it: a corner of the incident face over the reference face, a corner of the reference
//! face under the incident face, or the crossing of two edges. These names do not depend on which of the two faces is
//! the reference, so a contact keeps its identity when the roles change.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | (x, y) | `at` | place in the reference plane [m] |
//! | g | `gap` | height of the incident face over that place [m] |

use crate::manifold::Feature;
use crate::reduce::Candidate;
use arrayvec::ArrayVec;
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec2, Vec3};

/// A corner that lies outside the reference outline by less than this part of the outline's size counts as inside:
/// equal boxes stacked on each other then keep their corners as contact points whatever the last bit says.
pub(crate) const ON_OUTLINE: f64 = 1e-6;

/// Most corners of a face that are looked at; a face with more is replaced by evenly chosen ones.
pub(crate) const MAX_CORNERS: usize = 32;

/// A corner of a face, with its number and that of the edge to the next corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceCorner {
    pub at: Vec3,
    pub vertex: u32,
    pub edge: u32,
}

/// A flat convex face in its shape's frame, corners counter-clockwise seen from outside.
#[derive(Clone, Debug)]
pub(crate) struct Face<const N: usize> {
    /// Number of the face in its shape.
    pub id: u32,
    pub corners: ArrayVec<FaceCorner, N>,
}

impl<const N: usize> Face<N> {
    /// The corner after corner `i`.
    #[inline(always)]
    pub fn next(&self, i: usize) -> &FaceCorner {
        &self.corners[if i + 1 == self.corners.len() { 0 } else { i + 1 }]
    }
}

/// Coordinates in a plane, in the frame of the shape that owns it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneFrame {
    pub origin: Vec3,
    pub x: Vec3,
    pub y: Vec3,
    pub normal: Vec3,
}

impl PlaneFrame {
    #[inline]
    pub fn new(origin: Vec3, normal: Vec3) -> Self {
        let (x, y) = axes_across(normal);
        Self { origin, x, y, normal }
    }

    /// Place in the plane and height over it.
    #[inline(always)]
    pub fn project(&self, p: Vec3) -> (Vec2, f64) {
        let d = p - self.origin;
        (Vec2::new(d.dot(self.x), d.dot(self.y)), d.dot(self.normal))
    }

    /// The part of the vector `v` that lies in the plane.
    #[inline(always)]
    pub fn along(&self, v: Vec3) -> Vec2 {
        Vec2::new(v.dot(self.x), v.dot(self.y))
    }

    /// The point of the plane at `at`.
    #[inline(always)]
    pub fn lift(&self, at: Vec2) -> Vec3 {
        self.origin + self.x * at.x + self.y * at.y
    }
}

/// Two unit vectors across a unit vector, right-handed with it. For an axis of the frame they are the next two axes, to the last bit.
#[inline]
pub(crate) fn axes_across(n: Vec3) -> (Vec3, Vec3) {
    let size = n.abs();
    let x = if size.z >= size.x && size.z >= size.y {
        Vec3::new(n.z, 0.0, -n.x)
    } else if size.x >= size.y {
        Vec3::new(-n.y, n.x, 0.0)
    } else {
        Vec3::new(0.0, -n.z, n.y)
    };
    let x = x / x.length();
    (x, n.cross(x))
}

/// Set in the name of an outline edge that lies on an edge of the reference face.
const REFERENCE: u32 = 1 << 31;

#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    at: Vec2,
    gap: f64,
    reference: Feature,
    incident: Feature,
    /// The edge from here to the next corner.
    edge: u32,
    /// See [`Candidate::slide`].
    slide: f64,
}

/// The part of the incident face that lies over the reference face: at most `N` corners.
pub(crate) struct Outline<const N: usize> {
    corners: ArrayVec<Corner, N>,
}

impl<const N: usize> Outline<N> {
    /// The incident face seen in the plane of the reference face. Its corners run clockwise there, since the faces
    /// look at each other; clipping does not mind.
    pub fn of<const I: usize>(frame: &PlaneFrame, reference: u32, incident: &Face<I>, pose: &Pose) -> Self {
        let mut corners = ArrayVec::new();
        for corner in &incident.corners {
            let (at, gap) = frame.project(pose.transform(corner.at));
            corners.push(Corner {
                at,
                gap,
                reference: Feature::face(reference),
                incident: Feature::vertex(corner.vertex),
                edge: corner.edge,
                slide: 0.0,
            });
        }
        Self { corners }
    }

    /// Keeps what lies within the reference face.
    pub fn clip<const R: usize>(&mut self, frame: &PlaneFrame, reference: &Face<R>, incident_id: u32) {
        let mut flat: ArrayVec<Vec2, R> = ArrayVec::new();
        let mut size = 0.0;
        for corner in &reference.corners {
            let at = frame.project(corner.at).0;
            size = max(size, at.length_squared());
            flat.push(at);
        }
        let slack = ON_OUTLINE * ON_OUTLINE * size;
        let last = flat.len() - 1;
        for k in 0..flat.len() {
            let edge = flat[if k == last { 0 } else { k + 1 }] - flat[k];
            let cut = Cut { from: flat[k], edge, slack: (slack * edge.length_squared()).sqrt(), k };
            self.cut(&cut, reference, incident_id);
            if self.corners.is_empty() {
                return;
            }
        }
    }

    /// Cuts off what lies outside one edge. The corners outside are one run in a convex outline; the two places where
    /// the outline crosses the edge replace it.
    fn cut<const R: usize>(&mut self, cut: &Cut, reference: &Face<R>, incident_id: u32) {
        let n = self.corners.len();
        let mut out = [0.0; N];
        let mut outside = 0;
        for (distance, corner) in out.iter_mut().zip(&self.corners) {
            *distance = cut.outside(corner.at);
            outside += usize::from(*distance > 0.0);
        }
        if outside == 0 {
            return;
        }
        if outside == n {
            self.corners.clear();
            return;
        }
        let before = |i: usize| if i == 0 { n - 1 } else { i - 1 };
        let after = |i: usize| if i + 1 == n { 0 } else { i + 1 };
        let first = (0..n).find(|&i| out[i] > 0.0 && out[before(i)] <= 0.0).unwrap_or(0);
        let (mut last, mut run) = (first, 1);
        while run < n && out[after(last)] > 0.0 {
            last = after(last);
            run += 1;
        }
        let edge_length = cut.edge.length();
        let cross = |i: usize, j: usize| {
            let (a, b) = (&self.corners[i], &self.corners[j]);
            let (reference, incident) = name(a.edge, cut.k, reference, incident_id);
            let t = out[i] / (out[i] - out[j]);
            let (at, gap) = (a.at + (b.at - a.at) * t, a.gap + (b.gap - a.gap) * t);
            let sine = ((out[i] - out[j]) / (edge_length * (b.at - a.at).length())).abs();
            Corner { at, gap, reference, incident, edge: a.edge, slide: 1.0 / max(sine, f64::MIN_POSITIVE) }
        };
        let mut leaving = cross(before(first), first);
        leaving.edge = REFERENCE | cut.k as u32;
        let returning = cross(last, after(last));
        // The run first; then the return takes its last place, and the way out follows the corner before it.
        self.corners.rotate_left(first);
        self.corners[run - 1] = returning;
        self.corners.drain(..run - 1);
        // A cut adds one corner at most, and there are as many cuts as N leaves room for.
        let _ = self.corners.try_push(leaving);
    }

    /// The corners with a gap of at most `margin`, as contact candidates.
    pub fn candidates(&self, margin: f64) -> ArrayVec<Candidate, N> {
        let mut out = ArrayVec::new();
        for c in self.corners.iter().filter(|c| c.gap <= margin) {
            let (reference, incident) = (c.reference, c.incident);
            out.push(Candidate { at: c.at, gap: c.gap, reference, incident, minor: false, slide: c.slide });
        }
        out
    }
}

struct Cut {
    from: Vec2,
    edge: Vec2,
    slack: f64,
    k: usize,
}

impl Cut {
    /// Positive outside; the edge runs counter-clockwise, so outside is on its right.
    #[inline(always)]
    fn outside(&self, p: Vec2) -> f64 {
        let d = (p - self.from).perp_dot(self.edge);
        if d <= self.slack && d > 0.0 { 0.0 } else { d }
    }
}

/// What meets where the outline's edge `edge` crosses edge `k` of the reference face.
fn name<const R: usize>(edge: u32, k: usize, face: &Face<R>, incident_id: u32) -> (Feature, Feature) {
    if edge & REFERENCE == 0 {
        return (Feature::edge(face.corners[k].edge), Feature::edge(edge));
    }
    // Two edges of the reference face: their common corner, which lies under the incident face.
    let other = (edge & !REFERENCE) as usize;
    let n = face.corners.len();
    let corner = if (other + 1) % n == k { k } else { (k + 1) % n };
    (Feature::vertex(face.corners[corner].vertex), Feature::face(incident_id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::FeatureKind;
    use huygens_math::{SplitMix, trig};

    /// A regular face with `n` corners in the plane z = 0 of its frame, looking along +z or −z.
    fn face(n: u32, radius: f64, turn: f64, up: bool) -> Face<16> {
        let corner = |i: u32| {
            let i = if up { i } else { n - 1 - i };
            let (s, c) = trig::sin_cos(turn + f64::from(i) * std::f64::consts::TAU / f64::from(n));
            FaceCorner { at: Vec3::new(c, s, 0.0) * radius, vertex: i, edge: i }
        };
        Face { id: 0, corners: (0..n).map(corner).collect() }
    }

    fn clipped(a: &Face<16>, b: &Face<16>, pose: &Pose) -> Vec<Corner> {
        let frame = PlaneFrame { origin: Vec3::ZERO, x: Vec3::X, y: Vec3::Y, normal: Vec3::Z };
        let mut outline = Outline::<32>::of(&frame, a.id, b, pose);
        outline.clip(&frame, a, b.id);
        outline.corners.to_vec()
    }

    fn area(corners: &[Corner]) -> f64 {
        let n = corners.len();
        (0..n).map(|i| 0.5 * corners[i].at.perp_dot(corners[(i + 1) % n].at)).sum::<f64>().abs()
    }

    #[test]
    fn the_common_part_of_two_faces_is_that_of_their_points() {
        let mut random = SplitMix::new(1);
        for _ in 0..100 {
            let (n, m) = (3 + random.index(6) as u32, 3 + random.index(6) as u32);
            let a = face(n, 1.0, random.range(0.0, 6.0), true);
            let b = face(m, random.range(0.3, 2.0), random.range(0.0, 6.0), false);
            let pose = Pose::at(random.in_cube().with_z(0.3));
            let within = |f: &Face<16>, p: Vec3, sense: f64| {
                (0..f.corners.len()).all(|i| {
                    let (from, to) = (f.corners[i].at, f.next(i).at);
                    sense * (to - from).cross(p - from).z >= 0.0
                })
            };
            let tries = 20_000;
            let hits = (0..tries)
                .filter(|_| {
                    let p = random.in_cube().with_z(0.0);
                    within(&a, p, 1.0) && within(&b, (p - pose.translation).with_z(0.0), -1.0)
                })
                .count();
            let found = clipped(&a, &b, &pose);
            // Four times the spread of a count of 20,000 in a square of area 4.
            let expected = 4.0 * hits as f64 / f64::from(tries);
            assert!((area(&found) - expected).abs() < 0.06, "{} {expected}", area(&found));
            assert!(found.iter().all(|c| (c.gap - 0.3).abs() < 1e-15));
        }
    }

    #[test]
    fn names_do_not_depend_on_which_face_is_the_reference() {
        let mut random = SplitMix::new(2);
        for _ in 0..300 {
            let a = face(4, 1.0, 0.3, true);
            let b = face(5, random.range(0.5, 1.5), random.range(0.0, 6.0), false);
            let offset = random.in_cube().with_z(0.0);
            let names = |corners: &[Corner], swap: bool| {
                let mut names: Vec<[Feature; 2]> = corners
                    .iter()
                    .map(|c| if swap { [c.incident, c.reference] } else { [c.reference, c.incident] })
                    .collect();
                names.sort();
                names
            };
            let one = clipped(&a, &b, &Pose::at(offset));
            // Seen from below: turned over about x, so that B's face looks up and A's down.
            let over = trig::axis_angle(Vec3::X, std::f64::consts::PI);
            let turned = |f: &Face<16>| {
                let corners = f.corners.iter().map(|c| FaceCorner { at: over * c.at, ..*c }).collect();
                Face { id: f.id, corners }
            };
            let other = clipped(&turned(&b), &turned(&a), &Pose::at(over * -offset));
            assert_eq!(names(&one, false), names(&other, true));
            let crossing = |c: &&Corner| c.reference.kind() == FeatureKind::Edge;
            assert!(one.iter().filter(crossing).all(|c| c.incident.kind() == FeatureKind::Edge));
        }
    }
}
