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
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec2, Vec3};

/// A corner that lies outside the reference outline by less than this part of the outline's size counts as inside:
/// equal boxes stacked on each other then keep their corners as contact points whatever the last bit says.
pub(crate) const ON_OUTLINE: f64 = 1e-6;

/// Most corners of a face that are looked at; a face with more is replaced by evenly chosen ones.
pub(crate) const MAX_CORNERS: usize = 32;

/// A flat convex face in its shape's frame, corners counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face<const N: usize> {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Number of the face in its shape.
    pub id: u32,
    pub len: usize,
    pub corners: [Vec3; N],
    /// Number of each corner in its shape.
    pub vertex: [u32; N],
    /// Number of the edge from each corner to the next.
    pub edge: [u32; N],
}

impl<const N: usize> Face<N> {
    pub fn new(normal: Vec3, id: u32) -> Self {
        Self { normal, id, len: 0, corners: [Vec3::ZERO; N], vertex: [0; N], edge: [0; N] }
    }

    #[inline]
    pub fn push(&mut self, corner: Vec3, vertex: u32, edge: u32) {
        self.corners[self.len] = corner;
        self.vertex[self.len] = vertex;
        self.edge[self.len] = edge;
        self.len += 1;
    }

    /// Axes in the plane: x, y and the outward normal are right-handed.
    pub fn frame(&self) -> PlaneFrame {
        PlaneFrame::new(self.corners[0], self.normal)
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
}

/// The part of the incident face that lies over the reference face: at most `N` corners.
pub(crate) struct Outline<const N: usize> {
    corners: [Corner; N],
    len: usize,
}

impl<const N: usize> Outline<N> {
    /// The incident face seen in the plane of the reference face. Its corners run clockwise there, since the faces
    /// look at each other; clipping does not mind.
    pub fn of<const I: usize>(frame: &PlaneFrame, reference: u32, incident: &Face<I>, pose: &Pose) -> Self {
        let mut out = Self { corners: [Corner::default(); N], len: incident.len };
        for i in 0..incident.len {
            let (at, gap) = frame.project(pose.transform(incident.corners[i]));
            out.corners[i] = Corner {
                at,
                gap,
                reference: Feature::face(reference),
                incident: Feature::vertex(incident.vertex[i]),
                edge: incident.edge[i],
            };
        }
        out
    }

    /// Keeps what lies within the reference face.
    pub fn clip<const R: usize>(&mut self, frame: &PlaneFrame, reference: &Face<R>, incident_id: u32) {
        let mut flat = [Vec2::ZERO; R];
        let mut size = 0.0;
        for i in 0..reference.len {
            flat[i] = frame.project(reference.corners[i]).0;
            size = max(size, flat[i].length_squared());
        }
        let slack = ON_OUTLINE * ON_OUTLINE * size;
        for k in 0..reference.len {
            let next = if k + 1 == reference.len { 0 } else { k + 1 };
            let edge = flat[next] - flat[k];
            let cut = Cut { from: flat[k], edge, slack: (slack * edge.length_squared()).sqrt(), k };
            self.cut(&cut, reference, incident_id);
            if self.len == 0 {
                return;
            }
        }
    }

    fn cut<const R: usize>(&mut self, cut: &Cut, reference: &Face<R>, incident_id: u32) {
        let mut out = [0.0; N];
        let mut outside = 0;
        for i in 0..self.len {
            out[i] = cut.outside(self.corners[i].at);
            outside += usize::from(out[i] > 0.0);
        }
        if outside == 0 {
            return;
        }
        let old = self.corners;
        let old_len = self.len;
        self.len = 0;
        for i in 0..old_len {
            let j = if i + 1 == old_len { 0 } else { i + 1 };
            let (inside, next_inside) = (out[i] <= 0.0, out[j] <= 0.0);
            if inside {
                self.push(old[i]);
            }
            if inside != next_inside {
                let mut corner = crossing(&old[i], &old[j], out[i] / (out[i] - out[j]));
                (corner.reference, corner.incident) = name(old[i].edge, cut.k, reference, incident_id);
                if inside {
                    corner.edge = REFERENCE | cut.k as u32;
                } else {
                    corner.edge = old[i].edge;
                }
                self.push(corner);
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, corner: Corner) {
        // A cut adds one corner at most, and there are as many cuts as N leaves room for.
        if self.len < N {
            self.corners[self.len] = corner;
            self.len += 1;
        }
    }

    /// The corners with a gap of at most `margin`, as contact candidates; returns how many.
    pub fn candidates(&self, margin: f64, out: &mut [Candidate; N]) -> usize {
        let mut len = 0;
        for c in &self.corners[..self.len] {
            if c.gap <= margin {
                out[len] = Candidate {
                    at: c.at,
                    gap: c.gap,
                    reference: c.reference,
                    incident: c.incident,
                    minor: false,
                };
                len += 1;
            }
        }
        len
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

#[inline(always)]
fn crossing(a: &Corner, b: &Corner, t: f64) -> Corner {
    Corner { at: a.at + (b.at - a.at) * t, gap: a.gap + (b.gap - a.gap) * t, ..*a }
}

/// What meets where the outline's edge `edge` crosses edge `k` of the reference face.
fn name<const R: usize>(edge: u32, k: usize, face: &Face<R>, incident_id: u32) -> (Feature, Feature) {
    if edge & REFERENCE == 0 {
        return (Feature::edge(face.edge[k]), Feature::edge(edge));
    }
    // Two edges of the reference face: their common corner, which lies under the incident face.
    let other = (edge & !REFERENCE) as usize;
    let corner = if (other + 1) % face.len == k { k } else { (k + 1) % face.len };
    (Feature::vertex(face.vertex[corner]), Feature::face(incident_id))
}
